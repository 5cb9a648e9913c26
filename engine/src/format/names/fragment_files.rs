//! The names of the data files in a fragment's folder, by format version.
//!
//! ```text
//! until 7    the field's name                      x.tdb  x_var.tdb  x_validity.tdb
//! 8          the percent-encoded name              x%2Fy.tdb
//! since 9    the field's kind and index            a0.tdb  d1_var.tdb
//! always     fields added by fragments             __coords.tdb (until 4)  t.tdb  dt.tdb  dci.tdb
//! ```

use std::fmt::Write;

use crate::format::version::{ENCODED_FILE_NAMES, FormatVersion, INDEXED_FILE_NAMES};

/// A field that a fragment stores, which has one slot in its metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentField<'a> {
    /// An attribute, by index and name.
    Attribute(usize, &'a str),
    /// A dimension, by index and name.
    Dimension(usize, &'a str),
    /// Zipped coordinates, before dimensions had files of their own.
    Coordinates,
    /// The time at which each cell was written.
    Timestamps,
    /// The time at which each cell was deleted.
    DeleteTimestamps,
    /// The condition that deleted each cell.
    DeleteConditions,
}

/// The field name of zipped coordinates, in files and in the API.
pub const COORDINATES: &str = "__coords";
/// The field name of the timestamps of cells in the API.
pub const TIMESTAMPS: &str = "__timestamps";
/// The field name of deletion timestamps in the API.
pub const DELETE_TIMESTAMPS: &str = "__delete_timestamps";
/// The field name of deletion conditions in the API.
pub const DELETE_CONDITIONS: &str = "__delete_condition_index";

impl<'a> FragmentField<'a> {
    /// Returns the field name in the API.
    pub fn name(self) -> &'a str {
        match self {
            Self::Attribute(_, name) | Self::Dimension(_, name) => name,
            Self::Coordinates => COORDINATES,
            Self::Timestamps => TIMESTAMPS,
            Self::DeleteTimestamps => DELETE_TIMESTAMPS,
            Self::DeleteConditions => DELETE_CONDITIONS,
        }
    }

    /// Returns the name of a data file of this field with the given suffix ("", "_var" or
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

/// Percent-encodes a name as format 8 does, including five characters with wrong codes.
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
        let field = FragmentField::Attribute(3, "a/b");
        let names = [7, 8, 9, 22].map(|v| field.file_name(FormatVersion(v), "_var"));
        assert_eq!(
            names,
            ["a/b_var.tdb", "a%2Fb_var.tdb", "a3_var.tdb", "a3_var.tdb"]
        );
        assert_eq!(
            FragmentField::Dimension(1, "x").file_name(FormatVersion(22), ""),
            "d1.tdb"
        );
        assert_eq!(
            FragmentField::Coordinates.file_name(FormatVersion(4), ""),
            "__coords.tdb"
        );
        assert_eq!(
            FragmentField::DeleteConditions.file_name(FormatVersion(22), ""),
            "dci.tdb"
        );
    }

    #[test]
    fn the_wrong_codes_of_format_8_are_preserved() {
        assert_eq!(encode("<>|\\\"%"), "%20%2D%3C%30%22%25");
        assert_eq!(encode("\u{e4}.b-c_d"), "\u{e4}.b-c_d");
    }
}
