//! The release of libtiledb that the library follows.

use std::ffi::OsStr;

use crate::error::{ConfigError, Result};
use crate::platform::lock::OnceValue;

/// The environment variable that selects the release.
const VARIABLE: &str = "TILEDB_RS_RELEASE";

/// A release of libtiledb whose version number, defaults, texts and behaviour the library can have.
///
/// The release is chosen for a process and not for a context, because functions without a context
/// depend on it, such as the one that returns the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Release {
    /// Version 2.30.
    V2_30,
    /// Version 2.31, which is in development.
    V2_31,
}

impl Release {
    /// Returns the release that the process follows: that of the environment variable
    /// `TILEDB_RS_RELEASE` when the function is first called, or 2.30.
    pub fn current() -> Self {
        Self::configured().unwrap_or(Self::V2_30)
    }

    /// Returns an error if the environment variable has another value than a known release.
    pub fn check() -> Result<()> {
        match Self::configured() {
            Some(_) => Ok(()),
            None => Err(ConfigError::UnknownRelease { variable: VARIABLE }.into()),
        }
    }

    /// Returns the release of the environment variable; `None` if its value is unknown.
    fn configured() -> Option<Self> {
        static CONFIGURED: OnceValue<Option<Release>> = OnceValue::new();
        *CONFIGURED.get_or_init(|| Self::of_variable(std::env::var_os(VARIABLE).as_deref()))
    }

    fn of_variable(value: Option<&OsStr>) -> Option<Self> {
        match value.map(OsStr::to_str) {
            None | Some(Some("" | "2.30")) => Some(Self::V2_30),
            Some(Some("2.31")) => Some(Self::V2_31),
            Some(_) => None,
        }
    }

    /// Returns the major, minor and patch numbers.
    pub fn numbers(self) -> [i32; 3] {
        match self {
            Self::V2_30 => [2, 30, 0],
            Self::V2_31 => [2, 31, 0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_selects_a_known_release() {
        for (value, release) in [
            (None, Some(Release::V2_30)),
            (Some(""), Some(Release::V2_30)),
            (Some("2.30"), Some(Release::V2_30)),
            (Some("2.31"), Some(Release::V2_31)),
            (Some("2.32"), None),
            (Some("2"), None),
        ] {
            assert_eq!(
                Release::of_variable(value.map(OsStr::new)),
                release,
                "{value:?}"
            );
        }
    }
}
