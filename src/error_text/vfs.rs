//! The texts of errors of files and object stores.

use tiledb_engine::error::VfsError;

use super::origins::{AZURE, FILESYSTEM, IO_ERROR, MEM_FS, S3, STATUS_VFS_FILE_HANDLE, VFS};
use super::{Text, text};

/// Returns the text of a failure of storage. libtiledb names local files by their path, and words
/// some failures of them in its own way.
pub(super) fn storage(action: &str, uri: &str, reason: &str) -> Text {
    let message = match (action, local_path(uri)) {
        ("move", Some(_)) => format!("Cannot move path: {reason}"),
        ("create file", Some(path)) => format!("Failed to create file '{path}'; {reason}"),
        ("delete directory", Some(path)) => format!("Failed to delete path '{path}';  {reason}"),
        (_, path) => format!("Cannot {action} '{}'; {reason}", path.unwrap_or(uri)),
    };
    text(IO_ERROR, message)
}

/// Returns the path of a local file.
fn local_path(uri: &str) -> Option<&str> {
    uri.strip_prefix("file://")
}

/// Returns the text of an error of files and object stores.
pub(super) fn vfs(cause: &VfsError) -> Text {
    use VfsError as E;
    let origin = match cause {
        E::UnsupportedScheme { .. }
        | E::NotBuilt { .. }
        | E::NoRest
        | E::UnsupportedAction { .. }
        | E::AppendToStore
        | E::NotAnObjectStore
        | E::NoBucket { .. } => FILESYSTEM,
        E::BeyondEnd { .. } => IO_ERROR,
        E::NotOpen { .. } => STATUS_VFS_FILE_HANDLE,
        E::NoAzureAccount | E::BadAzureKey => AZURE,
        E::BadParameter { .. } | E::NoKmsKey => S3,
        E::MemoryNoParent | E::MemoryFileExists { .. } | E::MemoryWrongType | E::MemoryRoot => {
            MEM_FS
        }
        _ => VFS,
    };
    let message = match cause {
        E::UnsupportedScheme { uri } => format!("Unsupported URI scheme: {uri}"),
        E::NotBuilt { service } => format!("TileDB was built without {service} support"),
        E::NoRest => {
            "TileDB was built without S3 support, which is required for TileDB FS".to_owned()
        }
        E::UnsupportedAction { action } => {
            format!("{action} is not supported on the given filesystem.")
        }
        E::AppendToObject { uri } => {
            format!("Cannot open file '{uri}'; Append mode is not supported on object stores")
        }
        E::AppendToStore => "Append is not supported on object stores.".to_owned(),
        E::BeyondEnd {
            uri,
            offset,
            len,
            size,
        } => {
            let uri = local_path(uri).unwrap_or(uri);
            format!(
                "Cannot read from file; Read exceeds file size: offset {offset}, nbytes {len}, file_size {size}, URI {uri}"
            )
        }
        E::NotOpen { action, uri } => format!("Cannot {action} file '{uri}'; File is not open"),
        E::MissingFile { uri } => format!("Cannot open file '{uri}'; File does not exist"),
        E::NotAFolder { uri } => {
            format!("Cannot get directory size; Input '{uri}' is not a directory")
        }
        E::BadParameter { parameter, value } if parameter == "vfs.s3.sse" => format!(
            "Unknown '{parameter}' config value {value}; supported values are 'aes256' and 'kms'."
        ),
        E::MemoryNoParent => {
            "Failed to create file, the parent directory doesn't exist.".to_owned()
        }
        E::MemoryFileExists { path } => {
            format!("Cannot create directory, a file with that name exists already: {path}")
        }
        E::MemoryWrongType => "Remove failed, wrong file type".to_owned(),
        E::MemoryRoot => "Cannot remove the root directory".to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}
