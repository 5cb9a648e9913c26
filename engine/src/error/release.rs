//! The release of libtiledb that the library follows.

use std::ffi::OsStr;
use std::sync::atomic::{AtomicU8, Ordering};

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
    /// The environment variable that selects the release.
    pub(crate) const VARIABLE: &str = "TILEDB_RS_RELEASE";

    /// Returns the release that the process follows: that of the environment variable
    /// `TILEDB_RS_RELEASE` when the function is first called, or 2.30.
    pub fn current() -> Self {
        Self::configured().unwrap_or(Self::V2_30)
    }

    /// Returns the release of the environment variable; `None` if its value is unknown.
    pub(crate) fn configured() -> Option<Self> {
        // The index of the release among these plus 1; 0 is not read yet. It is an atomic instead
        // of a lock, for which a forked child could wait forever.
        static CONFIGURED: AtomicU8 = AtomicU8::new(0);
        let known = [None, Some(Self::V2_30), Some(Self::V2_31)];
        let stored = CONFIGURED.load(Ordering::Relaxed);
        if let Some(index) = stored.checked_sub(1) {
            return known.get(usize::from(index)).copied().flatten();
        }
        let release = Self::of_variable(std::env::var_os(Self::VARIABLE).as_deref());
        let index = known.iter().position(|known| *known == release);
        CONFIGURED.store(index.unwrap_or_default() as u8 + 1, Ordering::Relaxed);
        release
    }

    fn of_variable(value: Option<&OsStr>) -> Option<Self> {
        match value.map(OsStr::to_str) {
            None | Some(Some("" | "2.30")) => Some(Self::V2_30),
            Some(Some("2.31")) => Some(Self::V2_31),
            Some(_) => None,
        }
    }

    /// Returns the query type with which exclusive modifications are made.
    pub(super) fn exclusive_type(self) -> &'static str {
        match self {
            Self::V2_30 => "MODIFY_EXCLUSIVE",
            Self::V2_31 => "WRITE",
        }
    }

    /// Returns the modes with which metadata and members can be changed.
    pub fn writing_modes(self) -> &'static str {
        match self {
            Self::V2_30 => "write or modify_exclusive",
            Self::V2_31 => "write",
        }
    }

    /// Returns the types of queries that write.
    pub(super) fn types_of_writes(self) -> &'static str {
        match self {
            Self::V2_30 => "WRITE and MODIFY_EXCLUSIVE mode",
            Self::V2_31 => "WRITE mode",
        }
    }

    /// Returns the origin of errors about queries that neither read nor write cells.
    pub(super) fn origin_of_no_cells(self) -> &'static str {
        match self {
            Self::V2_30 => "[TileDB::Serialization] Error",
            Self::V2_31 => "Query",
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
