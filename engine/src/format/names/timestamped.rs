//! Timestamped names.

use crate::format::version::FormatVersion;
use crate::types::TimeRange;

/// The name of a fragment's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentName {
    text: String,
    timestamps: TimeRange,
    version: FormatVersion,
}

impl FragmentName {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// When it counts as written, in milliseconds.
    pub fn timestamps(&self) -> TimeRange {
        self.timestamps
    }

    /// The format version that the name tells.
    pub fn version(&self) -> FormatVersion {
        self.version
    }
}
