//! Errors of the configuration, of profiles and of contexts.

use super::table::{Text, causes};
use super::{Component, Error, Release};

causes! {
    /// Causes of errors of the configuration.
    ConfigError, "Config" {
        NoLoadPath: "The path of the configuration file to load is empty"
            => "Cannot load from file; File path is empty";
        NoSavePath: "The path of the configuration file to save is empty"
            => "Cannot save to file; File path is empty";
        CannotOpen { path: String } [NotFound]: "The configuration file '{path}' cannot be opened"
            => "Failed to open config file '{path}'";
        CannotCreate { path: String }: "The configuration file '{path}' cannot be written"
            => "Failed to open config file '{path}' for writing";
        NoValue { path: String, line: usize }: "Line {line} of the configuration file '{path}' has no value"
            => "Failed to parse config file '{path}'; Missing parameter value (line: {line})";
        ExtraWords { path: String, line: usize }: "Line {line} of the configuration file '{path}' has more than a name and a value"
            => "Failed to parse config file '{path}'; Invalid line format (line: {line})";
        NoProfile: "The selected profile cannot be read; check its name and its folder"
            => "Failed to load the REST profile. Please check the profile name and directory parameters.";
        BadSerialization { value: String }: "'{value}' is not a serialization format"
            => ("Error", "Invalid SerializationType {value}");
        BadWord { value: String, subject: &'static str }: "'{value}' is not valid as the {subject}"
            => "Invalid {subject} parameter value";
        BadAcl { key: String, value: String }: "'{value}' is not a canned ACL for the parameter '{key}'"
            => ("Error", "value {key} invalid canned acl for {key}");
        NotAnInteger { value: String, datatype: &'static str }: "'{value}' is not an integer of type {datatype}"
            => ("[TileDB::Utils] Error", "Failed to convert string '{value}' to {datatype}; Invalid argument");
        IntegerOutOfRange { value: String, datatype: &'static str }: "'{value}' is out of the range of {datatype}"
            => ("[TileDB::Utils] Error", "Failed to convert string '{value}' to {datatype}; Value out of range");
        NotAReal { value: String, datatype: &'static str }: "'{value}' is not a number of type {datatype}"
            => { Text::new("[TileDB::Utils] Error", format!("Failed to convert string {}to {datatype}; Invalid argument", named_real(value))) };
        RealOutOfRange { value: String, datatype: &'static str }: "'{value}' is out of the range of {datatype}"
            => { Text::new("[TileDB::Utils] Error", format!("Failed to convert string {}to {datatype}; Value out of range", named_real(value))) };
        NotAFlag { value: String }: "'{value}' is neither 'true' nor 'false'"
            => ("[TileDB::Utils] Error", "Failed to convert string to bool; Value not 'true' or 'false'");
        NotPermissions { value: String }: "'{value}' is not a file permission in octal digits"
            => "Not the octal permissions of a file";
        UnknownRelease { variable: &'static str }: "The environment variable {variable} has another value than 2.30 and 2.31";
        UnknownParameter { key: String } [NotFound]: "There is no parameter '{key}'"
            => "Failed to get config value for key: {key}";
        BadValue { key: String, value: String, cause: Error } [(cause.kind())]: "The parameter '{key}' has the value '{value}': {cause}"
            => { Text::new("Config", format!("Failed to parse config value '{value}' for key '{key}'. Reason: {}", cause.text())) };
        BadOffsetsBits { component: Component, bits: u64 }: "The {component} does not support offsets of {bits} bits; 'sm.var_offsets.bitsize' must be 32 or 64"
            => { offsets_text(*component, "bitsize") };
        BadOffsetsMode { component: Component, mode: String }: "The {component} does not support offsets of the mode '{mode}'; 'sm.var_offsets.mode' must be 'bytes' or 'elements'"
            => { offsets_text(*component, "format") };
    }

    /// Causes of errors of profiles.
    ProfileError, "RestProfile" {
        NoParameterName: "The name of a parameter of a profile is empty"
            => "Failed to retrieve parameter; parameter name must not be empty.";
        NoFile [NotFound]: "The file of profiles does not exist"
            => "Failed to load profile; file does not exist.";
        Missing { name: String } [NotFound]: "There is no profile '{name}'"
            => "Failed to load profile; profile '{name}' does not exist.";
        NotStrings { name: String, path: String } [Corrupt]: "The profile '{name}' of '{path}' contains values other than strings"
            => "Failed to load profile; profile '{name}' of '{path}' contains values other than strings.";
        HalfCredentials: "A profile needs both 'rest.username' and 'rest.password', or neither"
            => "Failed to save profile: 'rest.username' and 'rest.password' must either both be set or both remain unset. Mixing a default username with a custom password (or vice versa) is not allowed.";
        OldVersion { version: u64 }: "The file of profiles is older than version {version}"
            => "The version of your local profile.json file is out of date.";
        Exists { name: String } [AlreadyExists]: "The profile '{name}' exists already"
            => "Failed to save '{name}'; This profile already exists. Use the overwrite parameter to replace it.";
        NoFileToRemoveFrom [NotFound]: "The file of profiles to remove from does not exist"
            => "Failed to remove profile; file does not exist.";
        MissingToRemove { name: String } [NotFound]: "There is no profile '{name}' to remove"
            => "Failed to remove profile; profile does not exist.";
        NoHome { variable: &'static str }: "The environment variable {variable} is not set"
            => "Failed to create RestProfile; ${variable} is not set.";
        TooLarge { path: String, size: u64 } [Corrupt]: "The file of profiles '{path}' has {size} bytes, which is too large"
            => "Error parsing file '{path}'. (It has {size} bytes.)";
        NotAnObject { path: String } [Corrupt]: "The file of profiles '{path}' does not hold a JSON object"
            => "Error parsing file '{path}'. (It does not hold a JSON object.)";
        Empty { path: String } [Corrupt]: "The file of profiles '{path}' is empty"
            => "Error parsing file '{path}'. (It is empty.)";
        Unreadable { path: String, problem: String } [Corrupt]: "The file of profiles '{path}' is not valid: {problem}"
            => "Error parsing file '{path}'. ({problem})";
    }

    /// Causes of errors of contexts.
    ContextError, "Context" {
        TooManyThreads { level: u64 }: "A concurrency level of {level} threads is too large"
            => ("ThreadPool", "Error initializing thread pool of concurrency level {level}; Requested size too large");
        NoComputeThreads { parameter: &'static str }: "No thread can work, because '{parameter}' is 0"
            => ("[TileDB::Array] Error", "Invalid task future; '{parameter}' is 0");
        NoIoThreads { parameter: &'static str }: "No thread can read or write, because '{parameter}' is 0"
            => ("[TileDB::ThreadPool] Error", "Invalid task future; '{parameter}' is 0");
        BadLogLevel { level: u32 }: "{level} is not a level of logging"
            => "Cannot set logger level; Unsupported level:{level}set in configuration";
    }
}

/// Returns a text that is not a number for an error; 2.30 does not name it.
fn named_real(value: &str) -> String {
    match Release::current() {
        Release::V2_30 => String::new(),
        Release::V2_31 => format!("'{value}' "),
    }
}

fn offsets_text(component: Component, subject: &str) -> Text {
    let user = match component {
        Component::Writer => "writer",
        _ => "reader",
    };
    let message =
        format!("Cannot initialize {user}; Unsupported offsets {subject} in configuration");
    Text::new(component.origin(), message)
}
