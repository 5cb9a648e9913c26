//! Times of writes: milliseconds since 1970-01-01, and ranges of them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970-01-01 UTC.
pub type Timestamp = u64;

/// A span of time, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeRange {
    /// The first millisecond.
    pub start: Timestamp,
    /// The last millisecond.
    pub end: Timestamp,
}

impl TimeRange {
    /// Everything.
    pub const ALL: Self = Self {
        start: 0,
        end: Timestamp::MAX,
    };

    /// Whether `other` lies wholly in this range.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether the two have a millisecond in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

/// The time now.
pub fn now() -> Timestamp {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_millis() as Timestamp)
}
