//! Causes of errors of arrays and their metadata.

use super::{Error, MetadataAction};

/// Causes of errors of arrays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    #[error("The array is open already")]
    AlreadyOpen,
    #[error(
        "The array '{uri}' is open in this process, and it or the other open is for exclusive modification"
    )]
    InUse { uri: String },
    #[error("The array cannot be opened for this type of query")]
    UnsupportedQueryType,
    #[error("A closed array cannot be reopened")]
    ReopenClosed,
    #[error("An array that is not open for reading cannot be reopened")]
    ReopenNotRead,
    #[error("The configuration of an open array cannot change")]
    ConfigOfOpen,
    #[error("A closed array has no schema")]
    SchemaOfClosed,
    #[error("The array is not open")]
    NotOpen,
    #[error("The array is not open, so it has no non-empty domain")]
    NotOpenForDomain,
    #[error("The array is not open, so its dimensions have no non-empty domain")]
    NotOpenForDomainByIndex,
    #[error("The array is not open, so no dimension has a non-empty domain")]
    NotOpenForDomainByName,
    #[error("The array is not open for reading")]
    NotOpenForReads,
    #[error("Updates are experimental; 'sm.allow_updates_experimental' is not set")]
    UpdatesAreExperimental,
    #[error(
        "Arrays of format version {version} cannot be opened for {operation}, which need version {least}"
    )]
    OldVersion {
        operation: &'static str,
        version: u32,
        least: u32,
    },
    #[error("{cause}")]
    Open { cause: Error },
    #[error("{cause}")]
    Listing { cause: Error },
    #[error("The array does not exist")]
    Missing,
    #[error("The array '{uri}' was moved or removed after it was opened")]
    Gone { uri: String },
    #[error("The array '{uri}' exists already")]
    Exists { uri: String },
    #[error("The array '{uri}' does not exist")]
    MissingForUpgrade { uri: String },
    #[error("'{uri}' is not the URI of an array")]
    BadUri { uri: String },
    #[error("There is no dimension {index}")]
    NoDimension { index: u32 },
    #[error("There is no dimension '{name}'")]
    UnknownDimension { name: String },
    #[error("The dimensions have different datatypes, so the bounds need one range for each")]
    MixedTypes,
    #[error("A dimension has values of variable size, so the bounds need one range for each")]
    VarDimensions,
    #[error("The dimension '{name}' has values of variable size")]
    VarByIndex { name: String },
    #[error("The dimension of the name '{name}' has values of variable size")]
    VarByName { name: String },
    #[error("The dimension '{name}' has values of a fixed size")]
    FixedDimension { name: String },
    #[error("'{name}' is not a type of encryption")]
    UnknownEncryption { name: String },
    #[error("The encryption key does not have the length that its type needs")]
    BadKey,
}

/// Causes of errors of the enumerations of stored schemas.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayEnumerationError {
    #[error("The array is not open, so an enumeration cannot be loaded")]
    NotOpen,
    #[error("The array is not open, so its enumerations cannot be loaded")]
    NotOpenForAll,
    #[error("There is no enumeration '{name}'")]
    Unknown { name: String },
    #[error("The enumeration '{name}' is larger than {most} bytes")]
    TooLarge { name: String, most: u64 },
    #[error("The enumerations together are larger than {most} bytes")]
    TogetherTooLarge { most: u64 },
    #[error("The enumeration '{name}' of the schema is not loaded")]
    NotLoaded { name: String },
}

/// Causes of errors of the metadata of arrays and groups.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataError {
    #[error("Cannot {action} metadata, because the {owner} is not open")]
    NotOpen {
        owner: &'static str,
        action: MetadataAction,
    },
    #[error("Cannot {action} metadata, because the {owner} is not open for {modes}")]
    WrongMode {
        owner: &'static str,
        action: MetadataAction,
        modes: &'static str,
    },
    #[error("Cannot {action} metadata of the type ANY ({owner})")]
    AnyType {
        owner: &'static str,
        action: MetadataAction,
    },
    #[error("Cannot {action} metadata without a key ({owner})")]
    NoKey {
        owner: &'static str,
        action: MetadataAction,
    },
    #[error("There is no metadata item {index}")]
    NoItem { index: u64 },
    #[error("The metadata item '{key}' has {number} values; the file format can count 4294967295")]
    TooManyValues { key: String, number: u64 },
}
