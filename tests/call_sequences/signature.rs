//! The functions of the header and the kinds of their parameters.

use crate::prototypes::{functions, header};

/// The kind of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A handle of this type.
    Handle(String),
    /// A pointer that receives a handle of this type, or to the one that the function frees.
    HandleOut(String),
    /// A pointer that receives a string, which the caller frees.
    TextOut,
    /// A list of texts.
    Texts,
    Text,
    /// Memory of any size.
    Bytes,
    /// A pointer to a number.
    Number,
    /// A pointer that receives a pointer to memory of the library.
    BorrowedOut,
    /// A range with its two ends.
    Range,
    Callback,
    Stream,
    /// An integer of this many bytes.
    Integer(usize),
    Enumerator,
    /// A structure of Arrow, whose pointers must be valid. It is always absent.
    Arrow,
    Unknown,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// A function of the C API.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// The name without `tiledb_`.
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
}

impl Function {
    /// Returns whether the function frees the handle that its argument points to.
    pub(crate) fn frees(&self) -> bool {
        self.name.ends_with("_free")
    }

    /// Returns whether the function reads or writes memory whose size is an argument.
    pub(crate) fn uses_bytes(&self) -> bool {
        self.parameters
            .iter()
            .any(|parameter| parameter.kind == Kind::Bytes)
    }
}

/// Returns all functions of the header, by name.
pub(crate) fn all() -> Vec<Function> {
    let prototypes = functions(&header("tiledb_rs.h"));
    let parsed = prototypes.iter().map(|(name, prototype)| {
        let parameters = prototype
            .split_once('(')
            .and_then(|(_, rest)| rest.rsplit_once(')'))
            .map_or("", |(parameters, _)| parameters);
        let parameters = split(parameters)
            .into_iter()
            .map(|declaration| parameter(name, &declaration));
        Function {
            name: name.trim_start_matches("tiledb_").to_owned(),
            parameters: parameters.collect(),
        }
    });
    parsed.collect()
}

/// Splits parameters at commas outside of parentheses.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        match (letter, depth, parts.last_mut()) {
            (',', 0, _) => parts.push(String::new()),
            (_, _, Some(part)) => part.push(letter),
            _ => {}
        }
    }
    let parts = parts.into_iter().map(|part| part.trim().to_owned());
    parts
        .filter(|part| !part.is_empty() && part != "void")
        .collect()
}

fn parameter(function: &str, text: &str) -> Parameter {
    if text.contains("(*") || text.contains("callback_") {
        return Parameter {
            name: "callback".to_owned(),
            kind: Kind::Callback,
        };
    }
    let start = text.rfind(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let (spelled, name) = text.split_at(start.map_or(0, |index| index + 1));
    let stars = spelled.matches('*').count();
    let base = spelled.replace(['*', '&'], " ");
    let is_type = |word: &&str| !matches!(*word, "const" | "struct");
    let base = base.split_whitespace().find(is_type).unwrap_or("");
    let kind = match kind(function, name, base, stars) {
        // A string that the function writes.
        Kind::Text if !spelled.contains("const") => Kind::Bytes,
        kind => kind,
    };
    Parameter {
        name: name.to_owned(),
        kind,
    }
}

/// Returns whether a type is a handle and not an enumeration or a plain structure.
fn is_handle(base: &str) -> bool {
    const ENUMS: [&str; 24] = [
        "array_type",
        "current_domain_type",
        "data_order",
        "data_protocol",
        "datatype",
        "encryption_type",
        "field_origin",
        "filesystem",
        "filter_option",
        "filter_type",
        "layout",
        "mime_type",
        "object",
        "query_condition_combination_op",
        "query_condition_op",
        "query_status",
        "query_status_details",
        "query_type",
        "serialization_type",
        "vfs_mode",
        "walk_order",
        "range",
        "rs_explain_format",
        "rs_needed_sizes",
    ];
    let name = base
        .strip_prefix("tiledb_")
        .and_then(|name| name.strip_suffix("_t"));
    name.is_some_and(|name| !ENUMS.contains(&name))
}

fn kind(function: &str, name: &str, base: &str, stars: usize) -> Kind {
    match (base, stars) {
        (base, 1) if is_handle(base) => Kind::Handle(base.to_owned()),
        (base, 2) if is_handle(base) => Kind::HandleOut(base.to_owned()),
        ("ArrowArray" | "ArrowArrayStream" | "ArrowSchema", 1) => Kind::Arrow,
        ("tiledb_range_t", 1) => Kind::Range,
        ("tiledb_rs_needed_sizes_t", 1) => Kind::Bytes,
        ("FILE", 1) => Kind::Stream,
        ("char", 1) => Kind::Text,
        ("char", 2) if matches!(name, "fragment_uris" | "names") => Kind::Texts,
        ("char", 2) if function.contains("_str") || function.contains("_stats") => Kind::TextOut,
        ("char" | "void" | "uint8_t" | "uint64_t", 2) => Kind::BorrowedOut,
        ("void", 1) => Kind::Bytes,
        ("uint64_t", 1) if name.contains("offsets") => Kind::Bytes,
        ("uint8_t", 1) if name.contains("buffer") => Kind::Bytes,
        (_, 1) => Kind::Number,
        ("uint64_t" | "size_t", 0) => Kind::Integer(8),
        ("uint32_t" | "int32_t" | "int", 0) => Kind::Integer(4),
        ("uint8_t", 0) => Kind::Integer(1),
        (base, 0) if base.starts_with("tiledb_") => Kind::Enumerator,
        ("capi_return_t" | "capi_status_t", 0) => Kind::Integer(4),
        _ => Kind::Unknown,
    }
}
