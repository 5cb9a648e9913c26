//! The version of the storage format, and names for the changes of each version, in the order of
//! versions. Only this file contains version numbers.

use crate::config::{Config, Release};
use crate::error::Result;

/// A version of the storage format, as stored in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormatVersion(pub u32);

impl FormatVersion {
    /// The first version.
    pub const OLDEST: Self = Self(1);
    /// The version in which arrays are created by default, and the least version of schemas and
    /// metadata that are written.
    pub const WRITTEN: Self = Self(22);
    /// The newest version that can be read.
    pub const NEWEST: Self = Self(23);

    /// Returns whether files of this version can be read.
    pub fn is_readable(self) -> bool {
        (Self::OLDEST..=Self::NEWEST).contains(&self)
    }

    /// Returns the version in which arrays and groups are created: the parameter
    /// `tiledb_rs.format_version`.
    pub fn of_config(config: &Config) -> Result<Self> {
        config.u32("tiledb_rs.format_version").map(Self)
    }

    /// Returns the version in which schemas, metadata and other records are written to an array
    /// whose schema has this version: not an older one than that of the array.
    pub fn of_records(self) -> Self {
        self.max(Self::WRITTEN)
    }

    /// Returns the version in which fragments are written to an array whose schema has this
    /// version. Old arrays keep their version, so that old programs can read them, unless fragments
    /// of that version can no longer be written.
    pub fn for_writing(self) -> Self {
        match Release::current() {
            _ if self >= WRITABLE => self,
            Release::V2_30 => Self::WRITTEN,
            Release::V2_31 => Self(23),
        }
    }
}

impl std::fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The last version whose fragment names begin with the unique part.
pub const LAST_UNIQUE_FIRST_NAMES: FormatVersion = FormatVersion(2);
/// Zipped coordinates are stored dimension by dimension, regardless of their filters.
pub const COORDINATES_UNZIPPED: FormatVersion = FormatVersion(2);
/// Fragment metadata has a footer, an R-tree, and sections in separate generic tiles.
pub const METADATA_FOOTER: FormatVersion = FormatVersion(3);
/// The last version whose fragment names do not contain a version.
pub const LAST_UNVERSIONED_NAMES: FormatVersion = FormatVersion(4);
/// Dimensions have their own data files, datatypes and filters. Before, the domain has one
/// datatype, and coordinates are zipped.
pub const SPLIT_DIMENSIONS: FormatVersion = FormatVersion(5);
/// Schemas contain whether cells may share coordinates.
pub const ALLOWS_DUPS: FormatVersion = FormatVersion(5);
/// A committed fragment has an `.ok` file next to its folder.
pub const OK_FILES: FormatVersion = FormatVersion(5);
/// Cells with real coordinates are ordered by space tile first; before, by coordinates alone.
pub const TILED_REALS: FormatVersion = FormatVersion(5);
/// Attributes have a fill value.
pub const FILL_VALUE: FormatVersion = FormatVersion(6);
/// Attributes can be nullable; schemas have filters for validity vectors, fragments have validity
/// files.
pub const NULLABLE: FormatVersion = FormatVersion(7);
/// The oldest version in which fragments are still written.
pub const WRITABLE: FormatVersion = FormatVersion(7);
/// Data files have the percent-encoded name of their field; before, the plain name.
pub const ENCODED_FILE_NAMES: FormatVersion = FormatVersion(8);
/// Cells of arrays in Hilbert order have the Hilbert values that `geometry` computes; before, they
/// were computed in another way.
pub const HILBERT_VALUES: FormatVersion = FormatVersion(9);
/// Data files are named by the index of their field.
pub const INDEXED_FILE_NAMES: FormatVersion = FormatVersion(9);
/// Consolidated fragment metadata names fragments relative to the array.
pub const RELATIVE_CONSOLIDATED_NAMES: FormatVersion = FormatVersion(9);
/// Schemas are in a folder, with one file for each evolution.
pub const SCHEMA_FOLDER: FormatVersion = FormatVersion(10);
/// Fragment footers contain the name of the schema with which they were written.
pub const FOOTER_NAMES_SCHEMA: FormatVersion = FormatVersion(10);
/// The footer's length follows every footer; before, only those of arrays with string dimensions.
pub const FOOTER_LENGTH_ALWAYS: FormatVersion = FormatVersion(10);
/// Fragment metadata has minima, maxima, sums and null counts of tiles and of the fragment.
pub const TILE_STATS: FormatVersion = FormatVersion(11);
/// No cell is split between two chunks.
pub const WHOLE_CELL_CHUNKS: FormatVersion = FormatVersion(11);
/// Footers contain the position of the statistics of the whole fragment.
pub const FRAGMENT_STATS: FormatVersion = FormatVersion(12);
/// Fragments, commits and consolidated metadata have separate folders; commit files have the suffix
/// `.wrt`.
pub const COMMITS_FOLDER: FormatVersion = FormatVersion(12);
/// ASCII strings with run-length encoding store their offsets in the data tile.
pub const RLE_HOLDS_ASCII_OFFSETS: FormatVersion = FormatVersion(12);
/// ASCII strings with dictionary encoding store their offsets in the data tile.
pub const DICTIONARY_HOLDS_ASCII_OFFSETS: FormatVersion = FormatVersion(13);
/// Consolidated fragments can have a file of timestamps, according to a flag in the footer.
pub const TIMESTAMP_FILES: FormatVersion = FormatVersion(14);
/// Fragments of sparse arrays are visible even if only a part of their timestamps is in the time
/// range.
pub const PARTIAL_TIME_OVERLAP: FormatVersion = FormatVersion(15);
/// Consolidated fragments can have files of delete metadata, according to a flag in the footer.
pub const DELETE_METADATA_FILES: FormatVersion = FormatVersion(15);
/// Consolidated fragments of sparse arrays keep the timestamps of their cells.
pub const CONSOLIDATED_TIMES: FormatVersion = FormatVersion(15);
/// Arrays can have delete commits; fragment metadata lists the processed conditions.
pub const DELETE_COMMITS: FormatVersion = FormatVersion(16);
/// Attributes have an order of values.
pub const ATTRIBUTE_ORDER: FormatVersion = FormatVersion(17);
/// UTF-8 strings with run-length or dictionary encoding store their offsets in the data tile.
pub const ENCODING_HOLDS_UTF8_OFFSETS: FormatVersion = FormatVersion(17);
/// Arrays can have dimension labels.
pub const DIMENSION_LABELS: FormatVersion = FormatVersion(18);
/// Vacuum files contain names relative to the array.
pub const RELATIVE_VACUUM_NAMES: FormatVersion = FormatVersion(19);
/// The delta filter has a reinterpreted datatype.
pub const DELTA_REINTERPRETS: FormatVersion = FormatVersion(19);
/// Arrays can have enumerations.
pub const ENUMERATIONS: FormatVersion = FormatVersion(20);
/// The double delta filter has a reinterpreted datatype.
pub const DOUBLE_DELTA_REINTERPRETS: FormatVersion = FormatVersion(20);
/// Bit width reduction and positive delta apply to dates and times; before, these are stored
/// unchanged.
pub const WINDOW_FILTERS_APPLY_TO_TIMES: FormatVersion = FormatVersion(20);
/// The statistics of nullable fixed-size strings in dense arrays are correct.
pub const NULLABLE_TEXT_STATS: FormatVersion = FormatVersion(21);
/// Schemas have a current domain.
pub const CURRENT_DOMAIN: FormatVersion = FormatVersion(22);
/// Footers can have optional sections.
pub const OPTIONAL_FOOTER_SECTIONS: FormatVersion = FormatVersion(23);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_written_in_the_version_of_the_array_if_it_is_writable() {
        assert_eq!(FormatVersion(3).for_writing(), FormatVersion::WRITTEN);
        assert_eq!(FormatVersion(6).for_writing(), FormatVersion::WRITTEN);
        assert_eq!(FormatVersion(7).for_writing(), FormatVersion(7));
        assert_eq!(FormatVersion(22).for_writing(), FormatVersion(22));
    }

    #[test]
    fn unknown_versions_are_not_readable() {
        assert!(!FormatVersion(0).is_readable());
        assert!(FormatVersion(1).is_readable());
        assert!(FormatVersion(23).is_readable());
        assert!(!FormatVersion(24).is_readable());
    }
}
