//! Causes of errors of groups, objects and file stores.

use super::Error;

/// Causes of errors of groups.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    #[error("'{uri}' is not the URI of a group")]
    BadUri { uri: String },
    #[error("'{uri}' is not the URI of a new group")]
    BadNewUri { uri: String },
    #[error("'{uri}' is an array")]
    IsArray { uri: String },
    #[error("The group '{uri}' exists already")]
    Exists { uri: String },
    #[error("The group '{uri}' does not exist any more")]
    MissingForClose { uri: String },
    #[error("Cannot {action} metadata of '{uri}', which is no URI")]
    BadMetadataUri { action: &'static str, uri: String },
    #[error("Cannot {action} metadata of '{uri}', which is not a group")]
    NotAGroup { action: &'static str, uri: String },
    #[error("The group is open already")]
    AlreadyOpen,
    #[error("The group cannot be opened for this type of query")]
    UnsupportedQueryType,
    #[error("The group '{uri}' does not exist")]
    Missing { uri: String },
    #[error("The group cannot be closed: {cause}")]
    Close { cause: Error },
    #[error("A closed group has no type of query")]
    NoQueryType,
    #[error("The configuration of an open group cannot change")]
    ConfigOfOpen,
    #[error("'{uri}' is not the URI of a member")]
    BadMemberUri { uri: String },
    #[error("Cannot {action}, because the group is not open")]
    NotOpen { action: &'static str },
    #[error("Cannot {action}, because the group is not open for writing")]
    NotForWriting { action: &'static str },
    #[error("The group is not open for reading")]
    NotForReading,
    #[error("A closed group cannot be deleted")]
    DeleteClosed,
    #[error("A group must be open exclusively to be deleted")]
    DeleteNotExclusive,
    #[error("'{uri}' is not the URI of a group to delete")]
    BadDeleteUri { uri: String },
    #[error("The member '{uri}' of the group '{group}' does not exist")]
    MissingMember { uri: String, group: String },
    #[error("The member '{uri}' of the group '{group}' cannot be opened: {cause}")]
    MemberOpen {
        uri: String,
        group: String,
        cause: Error,
    },
    #[error(
        "The group '{uri}' cannot be opened at one time, because its members change constantly"
    )]
    UnsteadyMembers { uri: String },
    #[error("The member {index} is not {kind}")]
    OtherMemberKind { index: u64, kind: &'static str },
    #[error("The dump of the group exceeds the memory budget of {limit} bytes; raise {parameter}")]
    LongDump { limit: u64, parameter: &'static str },
}

/// Causes of errors of the members of groups.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemberError {
    #[error("There is no member {index}; the group has {number}")]
    NoMember { index: u64, number: u64 },
    #[error("There is no member '{name}'")]
    Unknown { name: String },
    #[error("The member '{key}' has been added already")]
    Added { key: String },
    #[error("There is no member '{key}' to remove")]
    UnknownToRemove { key: String },
    #[error("The member '{key}' to remove has been added")]
    AddedToRemove { key: String },
    #[error("The member '{key}' has been removed already")]
    Removed { key: String },
    #[error("Several members have the URI '{key}'; remove them by name")]
    Ambiguous { key: String },
}

/// Causes of errors of objects.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    #[error("Cannot {action} the object {which}'{path}', which is no URI")]
    BadUri {
        action: &'static str,
        which: &'static str,
        path: String,
    },
    #[error("Cannot {action} '{path}', which is neither an array nor a group")]
    NotAnObject { action: &'static str, path: String },
    #[error("Cannot {action} '{path}', which is not an array")]
    NotAnArray { action: &'static str, path: String },
    #[error("Something exists at '{path}' already")]
    TargetExists { path: String },
    #[error("The copy '{path}' differs from its source, which may have changed")]
    CopyDiffers { path: String },
    #[error("The objects of '{path}' cannot be listed, because it is no URI")]
    BadWalk { path: String },
}

/// Causes of errors of files that are stored as arrays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilestoreError {
    #[error("The file '{file}' of {size} bytes is too large for tiles of {extent}")]
    FileTooLarge {
        file: String,
        size: u64,
        extent: u64,
    },
    #[error("Nothing was read of the file '{file}'")]
    NothingRead { file: String },
    #[error("{len} bytes at {start} exceed the stored file of {size} bytes")]
    BeyondEnd { len: usize, start: u64, size: u64 },
    #[error("{size} bytes are more than memory has")]
    TooLarge { size: u64 },
    #[error("The array {uri} is no file store")]
    NotAFilestore { uri: String },
    #[error("The parameter '{parameter}' is smaller than the tile extent of {extent} bytes")]
    BufferTooSmall {
        parameter: &'static str,
        extent: u64,
    },
    #[error("The metadata of '{uri}' has no key '{key}', because nothing was stored")]
    NoSize { key: &'static str, uri: String },
}
