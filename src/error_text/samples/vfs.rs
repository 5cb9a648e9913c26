//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::VfsError;

pub(super) fn samples() -> Vec<Error> {
    vec![
        VfsError::UnsupportedScheme {
            uri: "the_uri".into(),
        }
        .into(),
        VfsError::AboveRoot {
            path: "the_path".into(),
        }
        .into(),
        VfsError::WorkingFolderNotUtf8 {
            path: "the_path".into(),
        }
        .into(),
        VfsError::NotBuilt {
            service: "the_service",
        }
        .into(),
        VfsError::NoRest.into(),
        VfsError::UnsupportedAction {
            action: "the_action".into(),
        }
        .into(),
        VfsError::AppendToObject {
            uri: "the_uri".into(),
        }
        .into(),
        VfsError::AppendToStore.into(),
        VfsError::BeyondEnd {
            uri: "the_uri".into(),
            offset: 7014,
            len: 7027,
            size: 7040,
        }
        .into(),
        VfsError::NotOpen {
            action: "the_action".into(),
            uri: "the_uri".into(),
        }
        .into(),
        VfsError::MissingFile {
            uri: "the_uri".into(),
        }
        .into(),
        VfsError::NotAFolder {
            uri: "the_uri".into(),
        }
        .into(),
        VfsError::NotAnObjectStore.into(),
        VfsError::NoBucket {
            uri: "the_uri".into(),
        }
        .into(),
        VfsError::NoAzureAccount.into(),
        VfsError::BadAzureKey.into(),
        VfsError::BadParameter {
            parameter: "the_parameter".into(),
            value: "the_value".into(),
        }
        .into(),
        VfsError::NoKmsKey.into(),
        VfsError::MemoryNoParent.into(),
        VfsError::MemoryFileExists {
            path: "the_path".into(),
        }
        .into(),
        VfsError::MemoryWrongType.into(),
        VfsError::MemoryRoot.into(),
    ]
}
