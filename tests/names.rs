//! Bindings, parameters and parameters of closures are named after what they are: `attribute`,
//! `bytes`, `index`, and not after a relation such as `of` or `at`.
//!
//! Constructors such as `Range::of`, methods such as `.at()` and fields may have these names,
//! because the type or the value before them says what they are. Generated code is not searched.

use std::fs;
use std::path::{Path, PathBuf};

/// Words that do not say what a value is.
const UNCLEAR: [&str; 11] = [
    "of", "at", "told", "wanted", "place", "beside", "what", "since", "above", "across", "by",
];

/// Adds the Rust files in a folder and the folders below it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("folder").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "build" {
                collect(&path, files);
            }
        } else if name.ends_with(".rs") && !name.ends_with("_capnp.rs") {
            files.push(path);
        }
    }
}

/// A word or a punctuation character of a source text.
struct Token<'a> {
    text: &'a str,
    line: usize,
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Returns the length of the string, character or lifetime at the start of `rest`, if it is one.
fn literal_len(rest: &str) -> Option<usize> {
    let prefix = rest.len() - rest.trim_start_matches(['b', 'c']).len();
    let body = &rest[prefix..];
    if let Some(raw) = body.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = prefix + 2 + hashes;
            return Some(start + rest[start..].find(&end)? + end.len());
        }
    }
    if body.starts_with('\'') && prefix <= 1 {
        let mut chars = body.char_indices().skip(1);
        let (_, first) = chars.next()?;
        let (second, c) = chars.next()?;
        if first != '\\' && c != '\'' {
            return Some(prefix + second); // a lifetime
        }
    }
    let quote = body.chars().next().filter(|c| ['"', '\''].contains(c))?;
    let mut is_escaped = false;
    for (index, c) in body.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == quote => return Some(prefix + index + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

/// Returns the length of the comment at the start of `rest`, if it is one.
fn comment_len(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    rest.starts_with("/*")
        .then(|| rest.find("*/").map_or(rest.len(), |end| end + 2))
}

/// Returns the words and the punctuation of a source text, without comments and literals.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let skipped = comment_len(rest).or_else(|| literal_len(rest));
        let len = skipped.unwrap_or_else(|| {
            let is_end = |c: char| !c.is_alphanumeric() && c != '_';
            match rest.find(is_end) {
                Some(0) if rest.starts_with("::") => 2,
                Some(0) => first.len_utf8(),
                Some(end) => end,
                None => rest.len(),
            }
        });
        let (token, after) = rest.split_at(len);
        if skipped.is_none() && !first.is_whitespace() {
            found.push(Token { text: token, line });
        }
        line += token.matches('\n').count();
        rest = after;
    }
    found
}

/// Returns whether the word at `index`, which a colon follows, names a field of a struct.
fn is_field(tokens: &[Token<'_>], index: usize) -> bool {
    let mut depth = 0;
    for position in (0..index).rev() {
        match tokens[position].text {
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth > 0 => depth -= 1,
            // The parameters of a closure follow a bar that no operand precedes.
            "|" if depth == 0 => {
                let before = position.checked_sub(1).map(|before| tokens[before].text);
                let is_operand = |text: &str| is_word(text) && text != "move" || text == ")";
                if !before.is_some_and(is_operand) {
                    return false;
                }
            }
            "let" | "for" if depth == 0 => return false,
            ";" if depth == 0 => return false,
            "{" => return true,
            "(" | "[" => return false,
            _ => {}
        }
    }
    false
}

/// Returns the lines with bindings whose names are unclear.
fn unclear_names(text: &str) -> Vec<(usize, &str)> {
    let tokens = tokens(text);
    let text_at = |index: Option<usize>| {
        let token = index.and_then(|index| tokens.get(index));
        token.map_or("", |token| token.text)
    };
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if !UNCLEAR.contains(&token.text) {
            continue;
        }
        let before = text_at(index.checked_sub(1));
        // `..of` is a range; `.of` is a field or a method.
        let is_member = before == "." && text_at(index.checked_sub(2)) != ".";
        let after = text_at(Some(index + 1));
        let is_item = is_member || ["::", "fn", "mod"].contains(&before);
        // A module in a path, or a call of a function with a verb as its name.
        let is_module = after == "::" && text_at(Some(index + 2)) != "<";
        let is_verb = after == "(" && token.text == "place";
        if !(is_item || is_module || is_verb || after == ":" && is_field(&tokens, index)) {
            found.push((token.line, token.text));
        }
    }
    found
}

#[test]
fn names_of_bindings_say_what_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(root, &mut files);
    assert!(files.len() > 500, "only {} files were found", files.len());
    let mut found = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("source");
        let name = path.strip_prefix(root).unwrap_or(&path).display();
        let names = unclear_names(&text).into_iter();
        found.extend(names.map(|(line, word)| format!("{name}:{line}: {word}")));
    }
    assert!(
        found.is_empty(),
        "{} bindings have names that do not say what they are. Name each after its value, for \
         example attribute, bytes, index, uri:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn bindings_with_unclear_names_are_found() {
    for text in [
        "fn name(of: &Attribute) {}",
        "fn name(\n    &self,\n    mut place: usize,\n) {}",
        "let at = 3;",
        "let mut told: u32 = 3;",
        "{ let (first, wanted) = pair; }",
        "for beside in cells {}",
        "for (index, of) in fields {}",
        "fields.map(|of| of.name.clone())",
        "let part = |value: u32, of: u32| value / of;",
        "fields.map(move |(index, &of)| index)",
        "assert!(fields.iter().all(|of| of.is_var()));",
        "if let Some(at) = index {}",
        "match index { Some(at) => 1, None => 0 }",
        "matches!(field, Field::Attribute(of) if true)",
        "let Time { at, .. } = time;",
        "let Time { time: at } = time;",
        "let c = '\"'; let of = 3;",
        "fn text<'a>(of: &'a str) {}",
        "let text = r#\"a \" b\"#; let of = 3;",
        "use super::{of, text};",
        "let stats = of(&low);",
        "let order = of::<T>(a, b);",
    ] {
        assert!(!unclear_names(text).is_empty(), "{text}");
    }
}

#[test]
fn functions_and_fields_may_have_these_names() {
    for text in [
        "// let of = 3;",
        "/* let of = 3; */",
        "let text = \"let of = 3;\";",
        "let range = Range::of(1, 2);",
        "fn of(range: Range) -> Self {}",
        "let item = items.at(3);",
        "place(3);",
        "let time = time.at;",
        "struct Time { at: Option<u64> }",
        "struct Time {\n    pub(crate) at: Option<u64>,\n}",
        "let time = Time { start: a | b, at: None };",
        "use crate::place::Name;",
        "let office = 3;",
        "fn text<'of>(text: &'of str) {}",
    ] {
        assert_eq!(unclear_names(text), [], "{text}");
    }
}
