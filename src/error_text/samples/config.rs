//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{Component, ConfigError, ProfileError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        ConfigError::NoLoadPath.into(),
        ConfigError::NoSavePath.into(),
        ConfigError::CannotOpen {
            path: "the_path".into(),
        }
        .into(),
        ConfigError::CannotCreate {
            path: "the_path".into(),
        }
        .into(),
        ConfigError::NoValue {
            path: "the_path".into(),
            line: 7014,
        }
        .into(),
        ConfigError::ExtraWords {
            path: "the_path".into(),
            line: 7014,
        }
        .into(),
        ConfigError::NoProfile.into(),
        ConfigError::BadSerialization {
            value: "the_value".into(),
        }
        .into(),
        ConfigError::BadWord {
            value: "the_value".into(),
            subject: "the_subject",
        }
        .into(),
        ConfigError::BadAcl {
            key: "the_key".into(),
            value: "the_value".into(),
        }
        .into(),
        ConfigError::NotAnInteger {
            value: "the_value".into(),
            datatype: "the_datatype",
        }
        .into(),
        ConfigError::IntegerOutOfRange {
            value: "the_value".into(),
            datatype: "the_datatype",
        }
        .into(),
        ConfigError::NotAReal {
            value: "the_value".into(),
            datatype: "the_datatype",
        }
        .into(),
        ConfigError::RealOutOfRange {
            value: "the_value".into(),
            datatype: "the_datatype",
        }
        .into(),
        ConfigError::NotAFlag {
            value: "the_value".into(),
        }
        .into(),
        ConfigError::NotPermissions {
            value: "the_value".into(),
        }
        .into(),
        ConfigError::UnknownRelease {
            variable: "variable 7101",
        }
        .into(),
        ConfigError::UnknownParameter {
            key: "the_key".into(),
        }
        .into(),
        ConfigError::BadValue {
            key: "the_key".into(),
            value: "the_value".into(),
            cause: Error::cancelled(),
        }
        .into(),
        ConfigError::BadOffsetsBits {
            component: Component::DenseReader,
            bits: 7014,
        }
        .into(),
        ConfigError::BadOffsetsMode {
            component: Component::DenseReader,
            mode: "the_mode".into(),
        }
        .into(),
        ProfileError::NoParameterName.into(),
        ProfileError::NoFile.into(),
        ProfileError::Missing {
            name: "the_name".into(),
        }
        .into(),
        ProfileError::NotStrings {
            name: "the_name".into(),
            path: "the_path".into(),
        }
        .into(),
        ProfileError::HalfCredentials.into(),
        ProfileError::OldVersion { version: 7001 }.into(),
        ProfileError::Exists {
            name: "the_name".into(),
        }
        .into(),
        ProfileError::NoFileToRemoveFrom.into(),
        ProfileError::MissingToRemove {
            name: "the_name".into(),
        }
        .into(),
        ProfileError::NoHome {
            variable: "the_variable",
        }
        .into(),
        ProfileError::TooLarge {
            path: "the_path".into(),
            size: 7014,
        }
        .into(),
        ProfileError::NotAnObject {
            path: "the_path".into(),
        }
        .into(),
        ProfileError::Empty {
            path: "the_path".into(),
        }
        .into(),
        ProfileError::Unreadable {
            path: "the_path".into(),
            problem: "the_problem".into(),
        }
        .into(),
    ]
}
