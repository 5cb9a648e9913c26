//! The names of the data files in a fragment's folder, by format version.
//!
//! ```text
//! until 7    the field's name                      x.tdb  x_var.tdb  x_validity.tdb
//! 8          the same, percent-encoded             x%2Fy.tdb
//! since 9    the field's kind and index            a0.tdb  d1_var.tdb
//! always     fields that fragments add themselves  __coords.tdb (until 4)  t.tdb  dt.tdb  dci.tdb
//! ```

use std::fmt::Write;

use crate::format::version::{ENCODED_FILE_NAMES, FormatVersion, INDEXED_FILE_NAMES};

/// What a fragment stores under one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// An attribute, by index and name.
    Attribute(usize, &'a str),
    /// A dimension, by index and name.
    Dimension(usize, &'a str),
    /// All coordinates together, before dimensions had files of their own.
    Coordinates,
    /// When each cell was written.
    Timestamps,
    /// When each cell was deleted.
    DeleteTimestamps,
    /// Which condition deleted each cell.
    DeleteConditions,
}

/// The name under which coordinates are stored together, and are known to callers.
pub const COORDINATES: &str = "__coords";
/// The name under which callers know the times of cells.
pub const TIMESTAMPS: &str = "__timestamps";
/// The name under which callers know the times of deletion.
pub const DELETE_TIMESTAMPS: &str = "__delete_timestamps";
/// The name under which callers know the conditions of deletion.
pub const DELETE_CONDITIONS: &str = "__delete_condition_index";

impl<'a> Field<'a> {
    /// Returns the name under which callers know it.
    pub fn name(self) -> &'a str {
        match self {
            Self::Attribute(_, name) | Self::Dimension(_, name) => name,
            Self::Coordinates => COORDINATES,
            Self::Timestamps => TIMESTAMPS,
            Self::DeleteTimestamps => DELETE_TIMESTAMPS,
            Self::DeleteConditions => DELETE_CONDITIONS,
        }
    }

    /// Returns the name of the data file of this field, which ends with `suffix` ("", "_var",
    /// "_validity").
    pub fn file_name(self, version: FormatVersion, suffix: &str) -> String {
        let stem = match self {
            Self::Attribute(_, name) | Self::Dimension(_, name) if version < ENCODED_FILE_NAMES => {
                name.to_owned()
            }
            Self::Attribute(_, name) | Self::Dimension(_, name) if version < INDEXED_FILE_NAMES => {
                encode(name)
            }
            Self::Attribute(index, _) => format!("a{index}"),
            Self::Dimension(index, _) => format!("d{index}"),
            Self::Coordinates => COORDINATES.to_owned(),
            Self::Timestamps => "t".to_owned(),
            Self::DeleteTimestamps => "dt".to_owned(),
            Self::DeleteConditions => "dci".to_owned(),
        };
        stem + suffix + ".tdb"
    }
}

/// Percent-encodes a name as format 8 has it; five of the codes are not those of the characters,
/// but files have them.
fn encode(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for c in name.chars() {
        let code = match c {
            '<' => 0x20,
            '>' => 0x2D,
            '\\' => 0x30,
            '|' => 0x3C,
            '!' | '#' | '$' | '%' | '&' | '\'' | '(' | ')' | '*' | '+' | ',' | '/' | ':' | ';'
            | '=' | '?' | '@' | '[' | ']' | '"' => u32::from(c),
            _ => {
                encoded.push(c);
                continue;
            }
        };
        // Writing to a string cannot fail.
        let _ = write!(encoded, "%{code:02X}");
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_version() {
        let field = Field::Attribute(3, "a/b");
        let names = [7, 8, 9, 22].map(|v| field.file_name(FormatVersion(v), "_var"));
        assert_eq!(
            names,
            ["a/b_var.tdb", "a%2Fb_var.tdb", "a3_var.tdb", "a3_var.tdb"]
        );
        assert_eq!(
            Field::Dimension(1, "x").file_name(FormatVersion(22), ""),
            "d1.tdb"
        );
        assert_eq!(
            Field::Coordinates.file_name(FormatVersion(4), ""),
            "__coords.tdb"
        );
        assert_eq!(
            Field::DeleteConditions.file_name(FormatVersion(22), ""),
            "dci.tdb"
        );
    }

    #[test]
    fn the_odd_codes_of_format_8_are_kept() {
        assert_eq!(encode("<>|\\\"%"), "%20%2D%3C%30%22%25");
        assert_eq!(encode("\u{e4}.b-c_d"), "\u{e4}.b-c_d");
    }
}
