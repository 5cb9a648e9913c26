//! The texts of errors of the configuration and of profiles.

use tiledb_engine::config::Release;
use tiledb_engine::error::{Component, ConfigError, ProfileError};

use super::origins::{CONFIG, ERROR, REST_PROFILE, STATUS_UTILS};
use super::{Text, origin_of, parts, text};

/// Returns the text of an error of the configuration.
pub(super) fn config(cause: &ConfigError) -> Text {
    use ConfigError as E;
    let origin = match cause {
        E::BadSerialization { .. } | E::BadAcl { .. } => ERROR,
        E::NotAnInteger { .. }
        | E::IntegerOutOfRange { .. }
        | E::NotAReal { .. }
        | E::RealOutOfRange { .. }
        | E::NotAFlag { .. } => STATUS_UTILS,
        _ => CONFIG,
    };
    let message = match cause {
        E::NoLoadPath => "Cannot load from file; File path is empty".to_owned(),
        E::NoSavePath => "Cannot save to file; File path is empty".to_owned(),
        E::CannotOpen { path } => format!("Failed to open config file '{path}'"),
        E::CannotCreate { path } => format!("Failed to open config file '{path}' for writing"),
        E::NoValue { path, line } => format!("Failed to parse config file '{path}'; Missing parameter value (line: {line})"),
        E::ExtraWords { path, line } => format!("Failed to parse config file '{path}'; Invalid line format (line: {line})"),
        E::NoProfile => "Failed to load the REST profile. Please check the profile name and directory parameters.".to_owned(),
        E::BadSerialization { value } => format!("Invalid SerializationType {value}"),
        E::BadWord { subject, .. } => format!("Invalid {subject} parameter value"),
        E::BadAcl { key, .. } => format!("value {key} invalid canned acl for {key}"),
        E::NotAnInteger { value, datatype } => format!("Failed to convert string '{value}' to {datatype}; Invalid argument"),
        E::IntegerOutOfRange { value, datatype } => format!("Failed to convert string '{value}' to {datatype}; Value out of range"),
        E::NotAReal { value, datatype } => format!("Failed to convert string {}to {datatype}; Invalid argument", named_real(value)),
        E::RealOutOfRange { value, datatype } => format!("Failed to convert string {}to {datatype}; Value out of range", named_real(value)),
        E::NotAFlag { .. } => "Failed to convert string to bool; Value not 'true' or 'false'".to_owned(),
        E::NotPermissions { .. } => "Not the octal permissions of a file".to_owned(),
        E::UnknownParameter { key } => format!("Failed to get config value for key: {key}"),
        E::BadValue { key, value, cause } => format!("Failed to parse config value '{value}' for key '{key}'. Reason: {cause}", cause = parts(cause)),
        E::BadOffsetsBits { component, .. } => return offsets(*component, "bitsize"),
        E::BadOffsetsMode { component, .. } => return offsets(*component, "format"),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns a text that is not a number for an error; 2.30 does not name it.
fn named_real(value: &str) -> String {
    match Release::current() {
        Release::V2_30 => String::new(),
        Release::V2_31 => format!("'{value}' "),
    }
}

/// Returns the text of an error of profiles.
pub(super) fn profile(cause: &ProfileError) -> Text {
    use ProfileError as E;
    let message = match cause {
        E::NoParameterName => "Failed to retrieve parameter; parameter name must not be empty.".to_owned(),
        E::NoFile => "Failed to load profile; file does not exist.".to_owned(),
        E::Missing { name } => format!("Failed to load profile; profile '{name}' does not exist."),
        E::NotStrings { name, path } => format!("Failed to load profile; profile '{name}' of '{path}' contains values other than strings."),
        E::HalfCredentials => "Failed to save profile: 'rest.username' and 'rest.password' must either both be set or both remain unset. Mixing a default username with a custom password (or vice versa) is not allowed.".to_owned(),
        E::OldVersion { .. } => "The version of your local profile.json file is out of date.".to_owned(),
        E::Exists { name } => format!("Failed to save '{name}'; This profile already exists. Use the overwrite parameter to replace it."),
        E::NoFileToRemoveFrom => "Failed to remove profile; file does not exist.".to_owned(),
        E::MissingToRemove { .. } => "Failed to remove profile; profile does not exist.".to_owned(),
        E::NoHome { variable } => format!("Failed to create RestProfile; ${variable} is not set."),
        E::TooLarge { path, size } => format!("Error parsing file '{path}'. (It has {size} bytes.)"),
        E::NotAnObject { path } => format!("Error parsing file '{path}'. (It does not hold a JSON object.)"),
        E::Empty { path } => format!("Error parsing file '{path}'. (It is empty.)"),
        E::Unreadable { path, problem } => format!("Error parsing file '{path}'. ({problem})"),
        _ => cause.to_string(),
    };
    text(REST_PROFILE, message)
}

fn offsets(component: Component, subject: &str) -> Text {
    let user = match component {
        Component::Writer => "writer",
        _ => "reader",
    };
    text(
        origin_of(component),
        format!("Cannot initialize {user}; Unsupported offsets {subject} in configuration"),
    )
}
