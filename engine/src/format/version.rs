//! The version of the storage format, and by name what each version brought. The only place where
//! versions are numbers.

/// A version of the storage format, as files carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormatVersion(pub u32);

impl FormatVersion {
    /// The first version there was.
    pub const OLDEST: Self = Self(1);
    /// What is written.
    pub const WRITTEN: Self = Self(22);
    /// The newest version that is read.
    pub const NEWEST: Self = Self(23);

    /// Returns whether files of this version can be read.
    pub fn is_readable(self) -> bool {
        (Self::OLDEST..=Self::NEWEST).contains(&self)
    }

    /// Returns the version in which fragments are written to an array whose schema has this one:
    /// old arrays stay readable for old programs, from the version on whose fragments can still be
    /// written.
    pub fn for_writing(self) -> Self {
        if self < WRITABLE { Self::WRITTEN } else { self }
    }
}

impl std::fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The last version whose fragment names begin with the unique part.
pub const LAST_UNIQUE_FIRST_NAMES: FormatVersion = FormatVersion(2);
/// The last version whose fragment names do not tell it.
pub const LAST_UNVERSIONED_NAMES: FormatVersion = FormatVersion(4);
/// Footers say where the statistics of the whole fragment are.
pub const FRAGMENT_STATS: FormatVersion = FormatVersion(12);
/// Fragments of sparse arrays are seen where they lie only partly in the time range.
pub const PARTIAL_TIME_OVERLAP: FormatVersion = FormatVersion(15);
/// Zipped coordinates are stored dimension by dimension, whatever filters they have.
pub const COORDINATES_UNZIPPED: FormatVersion = FormatVersion(2);
/// Fragment metadata has a footer, an R-tree, and sections that are generic tiles of their own.
pub const METADATA_FOOTER: FormatVersion = FormatVersion(3);
/// Dimensions have data files, datatypes and filters of their own; before, the domain has one
/// datatype and the coordinates of a cell are one value.
pub const SPLIT_DIMENSIONS: FormatVersion = FormatVersion(5);
/// Schemas say whether cells may share coordinates.
pub const ALLOWS_DUPS: FormatVersion = FormatVersion(5);
/// A committed fragment has an `.ok` file beside it.
pub const OK_FILES: FormatVersion = FormatVersion(5);
/// Attributes have a fill value.
pub const FILL_VALUE: FormatVersion = FormatVersion(6);
/// Attributes can be nullable; schemas have filters of validity vectors, fragments have validity
/// files.
pub const NULLABLE: FormatVersion = FormatVersion(7);
/// The oldest version in which fragments are still written.
pub const WRITABLE: FormatVersion = FormatVersion(7);
/// Data files are named by their field, percent-encoded; before, as it is.
pub const ENCODED_FILE_NAMES: FormatVersion = FormatVersion(8);
/// Data files are named by the index of their field.
pub const INDEXED_FILE_NAMES: FormatVersion = FormatVersion(9);
/// Consolidated fragment metadata names fragments relative to the array.
pub const RELATIVE_CONSOLIDATED_NAMES: FormatVersion = FormatVersion(9);
/// Schemas lie in a folder, one file for each evolution.
pub const SCHEMA_FOLDER: FormatVersion = FormatVersion(10);
/// Fragment footers name the schema they were written with.
pub const FOOTER_NAMES_SCHEMA: FormatVersion = FormatVersion(10);
/// The footer's length stands at the end of every footer; before, only of arrays with text
/// dimensions.
pub const FOOTER_LENGTH_ALWAYS: FormatVersion = FormatVersion(10);
/// Fragment metadata has minima, maxima, sums and null counts of tiles and of the fragment.
pub const TILE_STATS: FormatVersion = FormatVersion(11);
/// No cell is split between two chunks.
pub const WHOLE_CELL_CHUNKS: FormatVersion = FormatVersion(11);
/// Fragments, commits and consolidated metadata have folders of their own; commit files are `.wrt`.
pub const COMMITS_FOLDER: FormatVersion = FormatVersion(12);
/// ASCII text under run-length encoding keeps its offsets in the data tile.
pub const RLE_HOLDS_ASCII_OFFSETS: FormatVersion = FormatVersion(12);
/// ASCII text under dictionary encoding keeps its offsets in the data tile.
pub const DICTIONARY_HOLDS_ASCII_OFFSETS: FormatVersion = FormatVersion(13);
/// Consolidated fragments can have a file of timestamps; footers say so.
pub const TIMESTAMP_FILES: FormatVersion = FormatVersion(14);
/// Consolidated fragments can have files of delete metadata; footers say so.
pub const DELETE_METADATA_FILES: FormatVersion = FormatVersion(15);
/// Consolidated fragments of sparse arrays keep the times of their cells.
pub const CONSOLIDATED_TIMES: FormatVersion = FormatVersion(15);
/// Arrays can have delete commits; fragment metadata lists the conditions that were processed.
pub const DELETE_COMMITS: FormatVersion = FormatVersion(16);
/// Attributes have an order of values.
pub const ATTRIBUTE_ORDER: FormatVersion = FormatVersion(17);
/// UTF-8 text under run-length or dictionary encoding keeps its offsets in the data tile.
pub const ENCODING_HOLDS_UTF8_OFFSETS: FormatVersion = FormatVersion(17);
/// Arrays can have dimension labels.
pub const DIMENSION_LABELS: FormatVersion = FormatVersion(18);
/// Vacuum files name what to remove relative to the array.
pub const RELATIVE_VACUUM_NAMES: FormatVersion = FormatVersion(19);
/// The delta filter has a reinterpreted datatype.
pub const DELTA_REINTERPRETS: FormatVersion = FormatVersion(19);
/// Arrays can have enumerations.
pub const ENUMERATIONS: FormatVersion = FormatVersion(20);
/// The double delta filter has a reinterpreted datatype.
pub const DOUBLE_DELTA_REINTERPRETS: FormatVersion = FormatVersion(20);
/// Bit width reduction and positive delta work on dates and times; before, they leave them as they
/// are.
pub const TIMES_ARE_REDUCED: FormatVersion = FormatVersion(20);
/// Tile metadata of nullable fixed-size text of dense arrays can be trusted.
pub const NULLABLE_TEXT_STATS: FormatVersion = FormatVersion(21);
/// Schemas have a current domain.
pub const CURRENT_DOMAIN: FormatVersion = FormatVersion(22);
/// Footers can have optional sections.
pub const OPTIONAL_FOOTER_SECTIONS: FormatVersion = FormatVersion(23);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_arrays_are_written_in_their_own_version_from_the_first_writable_on() {
        assert_eq!(FormatVersion(3).for_writing(), FormatVersion::WRITTEN);
        assert_eq!(FormatVersion(6).for_writing(), FormatVersion::WRITTEN);
        assert_eq!(FormatVersion(7).for_writing(), FormatVersion(7));
        assert_eq!(FormatVersion(22).for_writing(), FormatVersion(22));
    }

    #[test]
    fn versions_outside_of_history_are_not_readable() {
        assert!(!FormatVersion(0).is_readable());
        assert!(FormatVersion(1).is_readable());
        assert!(FormatVersion(23).is_readable());
        assert!(!FormatVersion(24).is_readable());
    }
}
