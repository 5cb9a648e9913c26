use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tiledb_engine::Error;
use tiledb_engine::error::{BudgetError, BudgetPurpose, Component};

use super::{origins, samples, wording};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            found.push((path, text));
        }
    }
}

/// Returns the sources of a folder of the repository.
fn sources_of(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    sources(&root().join(folder), &mut found);
    assert!(!found.is_empty());
    found
}

/// Returns the string literals of a source file up to its tests.
fn literals(source: &str) -> Vec<&str> {
    let code = source.split("#[cfg(test)]\nmod tests {").next();
    let lines = code.unwrap_or_default().lines();
    let code = lines.filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split('"').skip(1).step_by(2))
        .collect()
}

/// Returns the values of the fields of a cause, as `Debug` prints them.
fn values(debug: &str) -> Vec<&str> {
    let fields = debug.split(": ").skip(1);
    let values = fields.filter_map(|rest| rest.split([',', ' ', '}']).next());
    let plain = values.map(|value| value.trim_matches(['"', '\'']));
    plain
        .filter(|value| value.starts_with("the_") || value.parse::<u64>().is_ok())
        .collect()
}

#[test]
fn each_cause_has_a_sentence_with_its_values_and_a_text_with_an_origin() {
    for (file, errors) in samples::all() {
        for error in errors {
            let (debug, sentence, text) =
                (format!("{error:?}"), error.to_string(), wording(&error));
            for value in values(&debug) {
                assert!(sentence.contains(value), "{file}: {debug}: {sentence}");
            }
            let (origin, message) = text.split_once(": ").expect("an origin");
            assert!(!origin.is_empty() && !message.is_empty(), "{debug}: {text}");
            assert!(!text.contains(['{', '}']), "{debug}: {text}");
        }
    }
}

#[test]
fn each_cause_has_a_sample() {
    for (file, errors) in samples::all() {
        let path = format!("engine/src/error/{file}.rs");
        let source = fs::read_to_string(root().join(path)).expect("the causes");
        assert_eq!(source.matches("#[error(").count(), errors.len(), "{file}");
        let kinds: BTreeSet<String> = errors.iter().map(|error| format!("{error:?}")).collect();
        assert_eq!(kinds.len(), errors.len(), "{file}");
    }
}

#[test]
fn budget_errors_state_the_need_the_budget_and_the_parameter() {
    for purpose in [
        BudgetPurpose::Other("the purpose"),
        BudgetPurpose::OpenArray,
        BudgetPurpose::TileOffsets,
        BudgetPurpose::MetadataInUse { limit: 0.5 },
        BudgetPurpose::RTree,
        BudgetPurpose::Tile,
        BudgetPurpose::MoreTiles { used: 5 },
    ] {
        let error = Error::from(BudgetError {
            component: Component::MergingReader,
            purpose,
            need: 7001,
            available: 7002,
            budget: 7003,
            parameter: "the.parameter",
        });
        let sentence = error.to_string();
        for part in ["merging reader", "7001", "7002", "7003", "the.parameter"] {
            assert!(sentence.contains(part), "{sentence}");
        }
        assert!(wording(&error).starts_with("SparseGlobalOrderReader: "));
    }
}

#[test]
fn only_these_files_contain_origins_and_wording_of_libtiledb() {
    let wording = sources_of("src/error_text");
    let wording = wording.iter().filter(|(path, _)| {
        !path.ends_with("tests.rs") && !path.to_string_lossy().contains("samples")
    });
    let sentences: BTreeSet<&str> = wording
        .flat_map(|(_, source)| literals(source))
        .filter(|text| text.len() > 30)
        .collect();
    assert!(sentences.len() > 50);
    for (path, source) in sources_of("engine/src") {
        for text in literals(&source) {
            assert!(!sentences.contains(text), "{}: {text}", path.display());
            for origin in [origins::TILEDB_INTERNAL, origins::C_API, "[TileDB::"] {
                assert!(!text.contains(origin), "{}: {text}", path.display());
            }
        }
    }
}
