//! Causes of errors of files and object stores.

/// Causes of errors of files and object stores.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VfsError {
    #[error("The scheme of the URI '{uri}' is not supported")]
    UnsupportedScheme { uri: String },
    #[error("The path '{path}' leads above the root")]
    AboveRoot { path: String },
    #[error("The working directory of the path '{path}' is not UTF-8")]
    WorkingFolderNotUtf8 { path: String },
    #[error("The library was built without support for {service}")]
    NotBuilt { service: &'static str },
    #[error("The library has no support for the scheme tiledb://")]
    NoRest,
    #[error("The storage does not support this operation: {action}")]
    UnsupportedAction { action: String },
    #[error("'{uri}' is on an object store, which cannot append")]
    AppendToObject { uri: String },
    #[error("Objects of an object store cannot be appended to")]
    AppendToStore,
    #[error("Cannot read {len} bytes at {offset} of '{uri}', which has {size} bytes")]
    BeyondEnd {
        uri: String,
        offset: u64,
        len: usize,
        size: u64,
    },
    #[error("Cannot {action} '{uri}', because the file is not open")]
    NotOpen { action: String, uri: String },
    #[error("The file '{uri}' does not exist")]
    MissingFile { uri: String },
    #[error("'{uri}' is not a directory")]
    NotAFolder { uri: String },
    #[error("The storage is not an object store")]
    NotAnObjectStore,
    #[error("The URI '{uri}' names no bucket")]
    NoBucket { uri: String },
    #[error(
        "Azure needs the parameter 'vfs.azure.storage_account_name', or 'vfs.azure.blob_endpoint' without a key"
    )]
    NoAzureAccount,
    #[error("The parameter 'vfs.azure.storage_account_key' is not in base64")]
    BadAzureKey,
    #[error("Unknown value '{value}' of the parameter '{parameter}'")]
    BadParameter { parameter: String, value: String },
    #[error("The parameter 'vfs.s3.sse' is 'kms', which needs 'vfs.s3.sse_kms_key_id'")]
    NoKmsKey,
    #[error("The parent directory in memory does not exist")]
    MemoryNoParent,
    #[error("A file with the name of the directory exists already: '{path}'")]
    MemoryFileExists { path: String },
    #[error("A file cannot be removed as a directory, nor a directory as a file")]
    MemoryWrongType,
    #[error("The root directory cannot be removed")]
    MemoryRoot,
}
