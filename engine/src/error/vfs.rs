//! Errors of files and object stores.

use super::table::{Text, causes};

causes! {
    /// Causes of errors of files and object stores.
    VfsError, "VFS" {
        UnsupportedScheme { uri: String } [Unsupported]: "The scheme of the URI '{uri}' is not supported"
            => ("Filesystem", "Unsupported URI scheme: {uri}");
        AboveRoot { path: String }: "The path '{path}' leads above the root";
        WorkingFolderNotUtf8 { path: String }: "The working directory of the path '{path}' is not UTF-8";
        NotBuilt { service: &'static str } [Unsupported]: "The library was built without support for {service}"
            => ("Filesystem", "TileDB was built without {service} support");
        NoRest [Unsupported]: "The library has no support for the scheme tiledb://"
            => ("Filesystem", "TileDB was built without S3 support, which is required for TileDB FS");
        UnsupportedAction { action: String } [Unsupported]: "The storage does not support this operation: {action}"
            => ("Filesystem", "{action} is not supported on the given filesystem.");
        AppendToObject { uri: String } [Unsupported]: "'{uri}' is on an object store, which cannot append"
            => "Cannot open file '{uri}'; Append mode is not supported on object stores";
        AppendToStore [Unsupported]: "Objects of an object store cannot be appended to"
            => ("Filesystem", "Append is not supported on object stores.");
        BeyondEnd { uri: String, offset: u64, len: usize, size: u64 }: "Cannot read {len} bytes at {offset} of '{uri}', which has {size} bytes"
            => { Text::new("IO Error", format!("Cannot read from file; Read exceeds file size: offset {offset}, nbytes {len}, file_size {size}, URI {}", local_path(uri).unwrap_or(uri))) };
        NotOpen { action: String, uri: String }: "Cannot {action} '{uri}', because the file is not open"
            => ("[TileDB::VFSFileHandle] Error", "Cannot {action} file '{uri}'; File is not open");
        MissingFile { uri: String } [NotFound]: "The file '{uri}' does not exist"
            => "Cannot open file '{uri}'; File does not exist";
        NotAFolder { uri: String }: "'{uri}' is not a directory"
            => "Cannot get directory size; Input '{uri}' is not a directory";
        NotAnObjectStore [Unsupported]: "The storage is not an object store"
            => ("Filesystem");
        NoBucket { uri: String }: "The URI '{uri}' names no bucket"
            => ("Filesystem");
        NoAzureAccount: "Azure needs the parameter 'vfs.azure.storage_account_name', or 'vfs.azure.blob_endpoint' without a key"
            => ("Azure");
        BadAzureKey: "The parameter 'vfs.azure.storage_account_key' is not in base64"
            => ("Azure");
        BadParameter { parameter: String, value: String }: "Unknown value '{value}' of the parameter '{parameter}'"
            => {
                let message = match parameter.as_str() {
                    "vfs.s3.sse" => format!("Unknown '{parameter}' config value {value}; supported values are 'aes256' and 'kms'."),
                    _ => format!("Unknown value '{value}' of the parameter '{parameter}'"),
                };
                Text::new("S3", message)
            };
        NoKmsKey: "The parameter 'vfs.s3.sse' is 'kms', which needs 'vfs.s3.sse_kms_key_id'"
            => ("S3");
        MemoryNoParent [NotFound]: "The parent directory in memory does not exist"
            => ("MemFS", "Failed to create file, the parent directory doesn't exist.");
        MemoryFileExists { path: String } [AlreadyExists]: "A file with the name of the directory exists already: '{path}'"
            => ("MemFS", "Cannot create directory, a file with that name exists already: {path}");
        MemoryWrongType: "A file cannot be removed as a directory, nor a directory as a file"
            => ("MemFS", "Remove failed, wrong file type");
        MemoryRoot: "The root directory cannot be removed"
            => ("MemFS", "Cannot remove the root directory");
    }
}

/// Returns the text of a failure of storage. libtiledb names local files by their path, and words
/// some failures of them in its own way.
pub(super) fn storage_text(action: &str, uri: &str, reason: &str) -> Text {
    let message = match (action, local_path(uri)) {
        ("move", Some(_)) => format!("Cannot move path: {reason}"),
        ("create file", Some(path)) => format!("Failed to create file '{path}'; {reason}"),
        ("delete directory", Some(path)) => format!("Failed to delete path '{path}';  {reason}"),
        (_, path) => format!("Cannot {action} '{}'; {reason}", path.unwrap_or(uri)),
    };
    Text::new("IO Error", message)
}

/// Returns the path of a local file.
fn local_path(uri: &str) -> Option<&str> {
    uri.strip_prefix("file://")
}
