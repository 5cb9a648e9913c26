//! Errors of arrays, their stored enumerations and their metadata.

use std::fmt;

use super::Error;
use super::table::{Text, causes};

causes! {
    /// Causes of errors of arrays.
    ArrayError, "Array" {
        AlreadyOpen: "The array is open already"
            => ("[TileDB::Array] Error", "Cannot open array; Array already open.");
        InUse { uri: String } [Busy]: "The array '{uri}' is open in this process, and it or the other open is for exclusive modification"
            => ("TileDB internal", "[Array::set_array_closed] May not perform simultaneous open or close operations. The array '{uri}' is open in this process, and it or the other open is for exclusive modification");
        UnsupportedQueryType [Unsupported]: "The array cannot be opened for this type of query"
            => ("[TileDB::Array] Error", "Array: Cannot open array; Unsupported query type.");
        ReopenClosed: "A closed array cannot be reopened"
            => ("[TileDB::Array] Error", "Cannot reopen array; Array is not open");
        ReopenNotRead: "An array that is not open for reading cannot be reopened"
            => ("[TileDB::Array] Error", "Cannot reopen array; Array was not opened in read mode");
        ConfigOfOpen: "The configuration of an open array cannot change"
            => "[set_config] Cannot set a config on an open array";
        SchemaOfClosed: "A closed array has no schema"
            => ("[TileDB::Array] Error", "Cannot get array schema; Array is not open");
        NotOpen: "The array is not open"
            => "Array is not open";
        NotOpenForDomain: "The array is not open, so it has no non-empty domain"
            => "[non_empty_domain] Array is not open";
        NotOpenForDomainByIndex: "The array is not open, so its dimensions have no non-empty domain"
            => "[non_empty_domain_from_index] Array is not open";
        NotOpenForDomainByName: "The array is not open, so no dimension has a non-empty domain"
            => "[non_empty_domain_from_name] Array is not open";
        NotOpenForReads: "The array is not open for reading"
            => "[non_empty_domain] Array not opened for reads";
        UpdatesAreExperimental [Unsupported]: "Updates are experimental; 'sm.allow_updates_experimental' is not set"
            => "Cannot open array; Update query type is only experimental, do not use.";
        OldVersion { operation: &'static str, version: u32, least: u32 } [Unsupported]: "Arrays of format version {version} cannot be opened for {operation}, which need version {least}"
            => ("[TileDB::Array] Error", "Cannot open array for {operation}; Array format version ({version}) is smaller than the minimum supported version ({least}).");
        Open { cause: Error } [(cause.kind())]: "{cause}"
            => { cause.text().of_failed_open() };
        Listing { cause: Error } [(cause.kind())]: "{cause}"
            => { Text::new("ArrayDirectory", cause.text()) };
        Missing [NotFound]: "The array does not exist"
            => ("TileDB internal", "Cannot open array; Array does not exist.");
        Gone { uri: String } [NotFound]: "The array '{uri}' was moved or removed after it was opened";
        Exists { uri: String } [AlreadyExists]: "The array '{uri}' exists already"
            => "Cannot create array; Array '{uri}' already exists";
        IsGroup { uri: String } [AlreadyExists]: "'{uri}' is a group"
            => "Cannot create array; '{uri}' is a group";
        MissingForUpgrade { uri: String } [NotFound]: "The array '{uri}' does not exist"
            => "Cannot upgrade array; Array '{uri}' does not exist";
        BadUri { uri: String }: "'{uri}' is not the URI of an array"
            => ("TileDB internal", "Failed to construct valid URI. Given path is invalid.");
        NoDimension { index: u32 } [NotFound]: "There is no dimension {index}"
            => "Cannot get non-empty domain; Invalid dimension index";
        UnknownDimension { name: String } [NotFound]: "There is no dimension '{name}'"
            => "Cannot get non-empty domain; Dimension name '{name}' does not exist";
        MixedTypes: "The dimensions have different datatypes, so the bounds need one range for each"
            => "[non_empty_domain] Function non-applicable to arrays with heterogenous dimensions";
        VarDimensions: "A dimension has values of variable size, so the bounds need one range for each"
            => "[non_empty_domain] Function non-applicable to arrays with variable-sized dimensions";
        VarByIndex { name: String }: "The dimension '{name}' has values of variable size"
            => "Cannot get non-empty domain; Dimension '{name}' is var-sized";
        VarByName { name: String }: "The dimension of the name '{name}' has values of variable size"
            => "Cannot get non-empty domain; Dimension '{name}' is variable-sized";
        FixedDimension { name: String }: "The dimension '{name}' has values of a fixed size"
            => "Cannot get non-empty domain; Dimension '{name}' is fixed-sized";
        UnknownEncryption { name: String }: "'{name}' is not a type of encryption"
            => ("Error", "Invalid EncryptionType {name}");
        BadKey: "The encryption key does not have the length that its type needs"
            => ("[TileDB::Encryption] Error", "Cannot create key; invalid key length for encryption type.");
    }

    /// Causes of errors of the enumerations of stored schemas.
    ArrayEnumerationError, "ArraySchema" {
        NotOpen: "The array is not open, so an enumeration cannot be loaded"
            => ("Array", "Unable to load enumerations; Array is not open.");
        NotOpenForAll: "The array is not open, so its enumerations cannot be loaded"
            => ("Array", "Unable to load all enumerations; Array is not open.");
        Unknown { name: String } [NotFound]: "There is no enumeration '{name}'"
            => "Unable to check if unknown enumeration is loaded. No enumeration named '{name}'.";
        TooLarge { name: String, most: u64 } [OutOfBudget]: "The enumeration '{name}' is larger than {most} bytes"
            => "Invalid enumeration '{name}' has a size exceeding {most} bytes.";
        TogetherTooLarge { most: u64 } [OutOfBudget]: "The enumerations together are larger than {most} bytes"
            => "Total enumeration size for the entire schema exceeds {most} bytes.";
        NotLoaded { name: String }: "The enumeration '{name}' of the schema is not loaded"
            => "Cannot store the schema; Its enumeration '{name}' has not been loaded.";
    }

    /// Causes of errors of the metadata of arrays and groups.
    MetadataError, "Metadata" {
        NotOpen { owner: &'static str, action: MetadataAction }: "Cannot {action} metadata, because the {owner} is not open"
            => { metadata_text(owner, *action, format_args!("{owner} is not open")) };
        WrongMode { owner: &'static str, action: MetadataAction, modes: &'static str }: "Cannot {action} metadata, because the {owner} is not open for {modes}"
            => { metadata_text(owner, *action, format_args!("{owner} was not opened in {modes} mode")) };
        AnyType { owner: &'static str, action: MetadataAction }: "Cannot {action} metadata of the type ANY ({owner})"
            => { metadata_text(owner, *action, "Value type cannot be ANY") };
        NoKey { owner: &'static str, action: MetadataAction }: "Cannot {action} metadata without a key ({owner})"
            => { metadata_text(owner, *action, "Key cannot be null") };
        NoItem { index: u64 } [NotFound]: "There is no metadata item {index}"
            => "Cannot get metadata; index out of bounds";
        TooManyValues { key: String, number: u64 }: "The metadata item '{key}' has {number} values; the file format can count 4294967295";
    }
}

/// An access to the metadata of an array or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MetadataAction {
    /// Reads an item.
    Get,
    /// Counts the items.
    Count,
    /// Adds or replaces an item.
    Put,
    /// Removes an item.
    Delete,
}

impl fmt::Display for MetadataAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "read",
            Self::Count => "count",
            Self::Put => "write",
            Self::Delete => "delete",
        })
    }
}

fn metadata_text(owner: &'static str, action: MetadataAction, problem: impl fmt::Display) -> Text {
    let action = match action {
        MetadataAction::Get => "Cannot get metadata;",
        MetadataAction::Count => "Cannot get number of metadata;",
        MetadataAction::Put => "Cannot put metadata;",
        MetadataAction::Delete => "Cannot delete metadata.",
    };
    Text::new(owner, format!("{action} {problem}"))
}
