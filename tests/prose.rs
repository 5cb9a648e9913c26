//! Searches comments and documents for discouraged phrases and prints what to write instead, and
//! checks the length of comment lines.
//!
//! The documents of licences, the generated header and this file are not searched.

use std::fs;
use std::path::{Path, PathBuf};

/// Phrases with the words to use instead.
const DISCOURAGED: [(&str, &str); 30] = [
    ("nobody", "no thread, no caller, no process"),
    ("somebody", "another thread, caller or process"),
    ("whoever", "the thread, caller or process that"),
    ("those who", "callers that, users who"),
    ("so many", "the number of, `n`"),
    ("tells", "returns, states, shows"),
    ("told", "returned, reported, identified"),
    ("answers", "returns"),
    ("lends", "returns a reference to"),
    ("lent", "borrowed, returned"),
    ("hands out", "returns"),
    ("hands over", "passes"),
    ("lets go", "drops, frees"),
    ("gives back", "returns"),
    ("is no error", "is not an error"),
    ("there is none", "it does not exist"),
    ("where there is no", "if no ... exists"),
    ("beside it", "next to it, in addition"),
    ("at its place", "at its index, at its URI"),
    ("the place of", "the index, URI or position of"),
    ("takes the place of", "replaces"),
    ("has room for", "can hold"),
    ("room for", "space for, capacity for"),
    ("has to do with", "uses, concerns"),
    ("of its own accord", "without a request"),
    ("now this", "alternately"),
    ("goes on", "continues"),
    ("as it pleases", "in any order"),
    ("in the same way as", "as"),
    ("the same, of", "repeat the words"),
];

const TEXT_FILES: [&str; 9] = ["rs", "c", "h", "cc", "cpp", "md", "toml", "cmake", "txt"];

/// Adds the files to check in a folder and the folders below it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("folder").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "build" && name != "data" {
                collect(&path, files);
            }
        } else if path
            .extension()
            .is_some_and(|extension| TEXT_FILES.iter().any(|text| extension == *text))
            && name != "tiledb_rs.h"
            && name != "prose.rs"
            && name != "THIRD-PARTY.md"
        {
            files.push(path);
        }
    }
}

/// Returns the comment in a line, or the whole line of a document.
fn prose(path: &Path, line: &str) -> Option<String> {
    if path.extension().is_some_and(|extension| extension == "md") {
        return Some(line.to_lowercase());
    }
    is_comment(line).then(|| line.trim_start().to_lowercase())
}

/// Returns whether a line is a comment of its own.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let marks = ["//", "/*", "* ", "# "];
    marks.iter().any(|mark| line.starts_with(mark))
}

/// Returns whether `text` contains `phrase` as whole words.
fn contains(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(start, _)| {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !is_word(text[..start].chars().next_back())
            && !is_word(text[start + phrase.len()..].chars().next())
    })
}

#[test]
fn comments_and_documents_have_no_discouraged_phrases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(root, &mut files);
    assert!(files.len() > 500, "only {} files were found", files.len());
    let mut found = Vec::new();
    for path in files {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for (number, line) in text.lines().enumerate() {
            let Some(line) = prose(&path, line) else {
                continue;
            };
            for (phrase, instead) in DISCOURAGED {
                if contains(&line, phrase) {
                    let name = path.strip_prefix(root).unwrap_or(&path).display();
                    found.push(format!(
                        "{name}:{}: \"{phrase}\": write \"{instead}\"",
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} discouraged phrases:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn comment_lines_end_by_column_100() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(root, &mut files);
    files.retain(|path| path.extension().is_none_or(|extension| extension != "md"));
    let mut found = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().enumerate();
        let long = lines.filter(|(_, line)| line.chars().count() > 100 && is_comment(line));
        let name = path.strip_prefix(root).unwrap_or(&path).display();
        found.extend(long.map(|(number, _)| format!("{name}:{}", number + 1)));
    }
    assert!(
        found.is_empty(),
        "longer comment lines:\n{}",
        found.join("\n")
    );
}

#[test]
fn phrases_are_found_as_whole_words() {
    assert!(contains("// nobody waits", "nobody"));
    assert!(!contains("// silent", "lent"));
    assert!(!contains("// it is foretold", "told"));
}
