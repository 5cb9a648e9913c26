//! The functions and objects that a C header declares.
#![allow(dead_code, reason = "each test needs a part")]

use std::collections::BTreeMap;
use std::path::Path;

/// The text of a committed header.
pub(crate) fn header(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("include")
        .join(name);
    std::fs::read_to_string(path).expect("a committed header")
}

/// Returns the declarations of a header, without comments and preprocessor lines.
pub(crate) fn declarations(header: &str) -> Vec<String> {
    let mut code = String::new();
    let mut rest = header;
    while let Some((before, comment)) = rest.split_once("/*") {
        code.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    code.push_str(rest);
    let lines = code.lines().filter(|line| !line.starts_with('#'));
    let code: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    code.join(" ")
        .split(';')
        .map(|declaration| declaration.trim().to_owned())
        .collect()
}

/// Returns the prototypes by name.
pub(crate) fn functions(header: &str) -> BTreeMap<String, String> {
    let all = declarations(header);
    all.iter()
        .map(|declaration| declaration.trim_start_matches("extern \"C\" { "))
        .filter(|declaration| {
            !declaration.starts_with("typedef") && !declaration.starts_with("extern")
        })
        .filter_map(|declaration| {
            Some((
                name_before(declaration.split_once('(')?.0)?,
                declaration.to_owned(),
            ))
        })
        .collect()
}

/// Returns the names of the variables.
pub(crate) fn variables(header: &str) -> Vec<String> {
    let all = declarations(header);
    all.iter()
        .map(|declaration| declaration.trim_start_matches("extern \"C\" { "))
        .filter(|declaration| declaration.starts_with("extern"))
        .filter_map(name_before)
        .collect()
}

fn name_before(text: &str) -> Option<String> {
    let name = text.rsplit([' ', '*']).next()?;
    name.starts_with("tiledb_").then(|| name.to_owned())
}

/// Returns a prototype in a canonical form that is equal for equal types. `struct`, parameter
/// names, the `const` of a parameter's value, arrays instead of pointers, and the name of the
/// return type are ignored.
pub(crate) fn types_of(prototype: &str) -> String {
    let words = words_of(prototype);
    let is_name =
        |word: &str| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let word_at = |index: usize| words.get(index).map_or("", String::as_str);
    let mut kept = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).map_or("(", word_at);
        let first = matches!(before, "," | "(");
        let last = matches!(word_at(index + 1), "," | ")" | "[");
        let of_a_value = first && word == "const" && matches!(word_at(index + 3), "," | ")");
        let names_a_parameter = is_name(word) && last && !first && before != "const";
        let says_no_parameters = word == "void" && first && last;
        match word.as_str() {
            "capi_return_t" | "capi_status_t" => kept.push("int32_t"),
            "[" => kept.push("*"),
            "struct" | "]" => {}
            _ if of_a_value || names_a_parameter || says_no_parameters => {}
            other => kept.push(other),
        }
    }
    kept.join(" ")
}

/// Splits a text into names and signs.
fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut name = String::new();
    for letter in text.chars().chain([' ']) {
        if letter.is_alphanumeric() || letter == '_' {
            name.push(letter);
            continue;
        }
        if !name.is_empty() {
            words.push(std::mem::take(&mut name));
        }
        if !letter.is_whitespace() {
            words.push(letter.to_string());
        }
    }
    words
}

#[test]
fn equal_types_in_different_spellings_are_equal() {
    let one = "int32_t f(struct tiledb_ctx_t *ctx, const uint8_t x, const char *names[], void)";
    let other = "capi_return_t f(tiledb_ctx_t* c, uint8_t, const char **n, void)";
    assert_eq!(types_of(one), types_of(other));
    assert_ne!(types_of("int f(const char *x)"), types_of("int f(char *x)"));
}
