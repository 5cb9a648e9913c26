use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// Returns one error of each cause, by table.
fn samples() -> Vec<Vec<Error>> {
    macro_rules! of_tables {
        ($($table:ident),* $(,)?) => {
            vec![$($table::samples()),*]
        };
    }
    of_tables![
        ApiError,
        ArrayError,
        ArrayEnumerationError,
        MetadataError,
        ConfigError,
        ProfileError,
        ContextError,
        FilterError,
        PipelineError,
        CodecError,
        FragmentError,
        RecordError,
        GeometryError,
        FragmentInfoError,
        MaintenanceError,
        GroupError,
        MemberError,
        ObjectError,
        FilestoreError,
        SerializationError,
        QueryMessageError,
        RestError,
        QueryError,
        DeleteError,
        QueryBufferError,
        EstimateError,
        ReadError,
        LabelReadError,
        QueryLabelError,
        SchemaError,
        SchemaCheckError,
        CurrentDomainError,
        AttributeError,
        DimensionError,
        EnumerationError,
        LabelError,
        EvolutionError,
        PredicateError,
        AggregateError,
        ConditionTextError,
        ScalarError,
        SubarrayError,
        LabelRangeError,
        VfsError,
        WriteBufferError,
        WriteError,
    ]
}

/// Returns the sources of the engine.
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
    let tables = samples();
    assert!(tables.iter().map(Vec::len).sum::<usize>() > 600);
    for errors in &tables {
        let kinds: BTreeSet<String> = errors.iter().map(|error| format!("{error:?}")).collect();
        assert_eq!(kinds.len(), errors.len());
        for error in errors {
            let (debug, sentence) = (format!("{error:?}"), error.to_string());
            for value in values(&debug) {
                assert!(sentence.contains(value), "{debug}: {sentence}");
            }
            let text = error.libtiledb_text();
            let (origin, message) = text.split_once(": ").expect("an origin");
            assert!(!origin.is_empty() && !message.is_empty(), "{debug}: {text}");
            assert!(!text.contains(['{', '}']), "{debug}: {text}");
        }
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
        assert!(
            error
                .libtiledb_text()
                .starts_with("SparseGlobalOrderReader: ")
        );
        assert_eq!(error.kind(), ErrorKind::OutOfBudget);
    }
}

#[test]
fn the_kind_is_the_meaning_whatever_wraps_the_cause() {
    let missing = || Error::from(ArrayError::Missing);
    for error in [
        missing(),
        ArrayError::Open { cause: missing() }.into(),
        GroupError::Close { cause: missing() }.into(),
        Error::removed("a"),
        Error::storage("read", "a", std::io::ErrorKind::NotFound.into()),
        VfsError::MissingFile { uri: "a".into() }.into(),
        MemberError::Unknown { name: "a".into() }.into(),
        QueryBufferError::UnknownData { name: "a".into() }.into(),
    ] {
        assert!(error.is_not_found(), "{error}");
    }
    for (error, kind) in [
        (Error::cancelled(), ErrorKind::Cancelled),
        (
            Error::out_of_memory("a", 1).with_uri("b"),
            ErrorKind::OutOfMemory,
        ),
        (Error::corrupt("a", "b", 1, "c"), ErrorKind::Corrupt),
        (Error::usage("a", "b"), ErrorKind::InvalidArgument),
        (
            ArrayError::InUse { uri: "a".into() }.into(),
            ErrorKind::Busy,
        ),
        (
            ArrayError::Exists { uri: "a".into() }.into(),
            ErrorKind::AlreadyExists,
        ),
        (
            VfsError::NotBuilt { service: "a" }.into(),
            ErrorKind::Unsupported,
        ),
        (
            Error::storage("a", "b", std::io::ErrorKind::PermissionDenied.into()),
            ErrorKind::PermissionDenied,
        ),
        (
            Error::storage("a", "b", std::io::ErrorKind::StorageFull.into()),
            ErrorKind::Storage,
        ),
    ] {
        assert_eq!(error.kind(), kind, "{error}");
        assert!(!error.is_not_found());
    }
    for (status, kind) in [
        (404, ErrorKind::NotFound),
        (403, ErrorKind::PermissionDenied),
        (500, ErrorKind::Remote),
    ] {
        let error = Error::from(RestError::Failed {
            method: "GET",
            status,
            response: String::new(),
        });
        assert_eq!(error.kind(), kind);
    }
}

#[test]
fn only_the_tables_contain_origins_of_libtiledb() {
    let engine = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&engine, &mut files);
    assert!(files.len() > 100);
    for (path, source) in files {
        if path.starts_with(engine.join("error")) {
            continue;
        }
        for origin in ["TileDB internal", "\"C API\"", "[TileDB::"] {
            assert!(!source.contains(origin), "{}: {origin}", path.display());
        }
    }
}
