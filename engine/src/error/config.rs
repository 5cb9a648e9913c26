//! Causes of errors of the configuration and of profiles.

use super::{Component, Error};

/// Causes of errors of the configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    #[error("The path of the configuration file to load is empty")]
    NoLoadPath,
    #[error("The path of the configuration file to save is empty")]
    NoSavePath,
    #[error("The configuration file '{path}' cannot be opened")]
    CannotOpen { path: String },
    #[error("The configuration file '{path}' cannot be written")]
    CannotCreate { path: String },
    #[error("Line {line} of the configuration file '{path}' has no value")]
    NoValue { path: String, line: usize },
    #[error("Line {line} of the configuration file '{path}' has more than a name and a value")]
    ExtraWords { path: String, line: usize },
    #[error("The selected profile cannot be read; check its name and its folder")]
    NoProfile,
    #[error("'{value}' is not a serialization format")]
    BadSerialization { value: String },
    #[error("'{value}' is not valid as the {subject}")]
    BadWord {
        value: String,
        subject: &'static str,
    },
    #[error("'{value}' is not a canned ACL for the parameter '{key}'")]
    BadAcl { key: String, value: String },
    #[error("'{value}' is not an integer of type {datatype}")]
    NotAnInteger {
        value: String,
        datatype: &'static str,
    },
    #[error("'{value}' is out of the range of {datatype}")]
    IntegerOutOfRange {
        value: String,
        datatype: &'static str,
    },
    #[error("'{value}' is not a number of type {datatype}")]
    NotAReal {
        value: String,
        datatype: &'static str,
    },
    #[error("'{value}' is out of the range of {datatype}")]
    RealOutOfRange {
        value: String,
        datatype: &'static str,
    },
    #[error("'{value}' is neither 'true' nor 'false'")]
    NotAFlag { value: String },
    #[error("'{value}' is not a file permission in octal digits")]
    NotPermissions { value: String },
    #[error("The environment variable {variable} has another value than 2.30 and 2.31")]
    UnknownRelease { variable: &'static str },
    #[error("There is no parameter '{key}'")]
    UnknownParameter { key: String },
    #[error("The parameter '{key}' has the value '{value}': {cause}")]
    BadValue {
        key: String,
        value: String,
        cause: Error,
    },
    #[error(
        "The {component} does not support offsets of {bits} bits; 'sm.var_offsets.bitsize' must be 32 or 64"
    )]
    BadOffsetsBits { component: Component, bits: u64 },
    #[error(
        "The {component} does not support offsets of the mode '{mode}'; 'sm.var_offsets.mode' must be 'bytes' or 'elements'"
    )]
    BadOffsetsMode { component: Component, mode: String },
}

/// Causes of errors of profiles.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    #[error("The name of a parameter of a profile is empty")]
    NoParameterName,
    #[error("The file of profiles does not exist")]
    NoFile,
    #[error("There is no profile '{name}'")]
    Missing { name: String },
    #[error("The profile '{name}' of '{path}' contains values other than strings")]
    NotStrings { name: String, path: String },
    #[error("A profile needs both 'rest.username' and 'rest.password', or neither")]
    HalfCredentials,
    #[error("The file of profiles is older than version {version}")]
    OldVersion { version: u64 },
    #[error("The profile '{name}' exists already")]
    Exists { name: String },
    #[error("The file of profiles to remove from does not exist")]
    NoFileToRemoveFrom,
    #[error("There is no profile '{name}' to remove")]
    MissingToRemove { name: String },
    #[error("The environment variable {variable} is not set")]
    NoHome { variable: &'static str },
    #[error("The file of profiles '{path}' has {size} bytes, which is too large")]
    TooLarge { path: String, size: u64 },
    #[error("The file of profiles '{path}' does not hold a JSON object")]
    NotAnObject { path: String },
    #[error("The file of profiles '{path}' is empty")]
    Empty { path: String },
    #[error("The file of profiles '{path}' is not valid: {problem}")]
    Unreadable { path: String, problem: String },
}
