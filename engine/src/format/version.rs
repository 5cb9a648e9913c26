//! The version of the storage format, and by name what each version brought. The only place where versions are numbers.

use std::fmt;

/// A version of the storage format, as files carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormatVersion(pub u32);

impl FormatVersion {
    /// What is written.
    pub const WRITTEN: Self = Self(22);
    /// The newest version that is read.
    pub const NEWEST: Self = Self(23);
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The last version whose fragments are named `__uuid_t1[_t2]`.
pub const LAST_UUID_FIRST_NAMES: FormatVersion = FormatVersion(2);
/// Fragment metadata has a footer and sections; before, it was one record.
pub const FOOTER: FormatVersion = FormatVersion(3);
/// The last version whose fragment names do not tell it.
pub const LAST_UNVERSIONED_NAMES: FormatVersion = FormatVersion(4);
/// Each dimension has its own file; coordinates were stored together before.
pub const SEPARATE_DIMENSIONS: FormatVersion = FormatVersion(5);
/// A commit file makes a fragment visible; its metadata file did before.
pub const COMMIT_FILES: FormatVersion = FormatVersion(5);
/// The oldest version that is still written, to arrays of that version.
pub const OLDEST_WRITTEN: FormatVersion = FormatVersion(7);
/// Attributes can be nullable.
pub const NULLABLE: FormatVersion = FormatVersion(7);
/// Names of data files are percent-encoded.
pub const ENCODED_FILE_NAMES: FormatVersion = FormatVersion(8);
/// Data files are named by the index of their field.
pub const INDEXED_FILE_NAMES: FormatVersion = FormatVersion(9);
/// The footer names the schema its fragment was written with.
pub const FOOTER_NAMES_SCHEMA: FormatVersion = FormatVersion(10);
/// The footer's length always follows it; before, only where a dimension is of variable length.
pub const FOOTER_LENGTH: FormatVersion = FormatVersion(10);
/// Tiles have a least and a greatest value, a sum and a null count.
pub const TILE_STATS: FormatVersion = FormatVersion(11);
/// Fragments, commits and consolidated fragment metadata have folders of their own.
pub const COMMITS_FOLDER: FormatVersion = FormatVersion(12);
/// Fragments have a least and a greatest value, a sum and a null count.
pub const FRAGMENT_STATS: FormatVersion = FormatVersion(12);
/// Consolidated fragments can tell when each cell was written.
pub const CELL_TIMESTAMPS: FormatVersion = FormatVersion(14);
/// Consolidated fragments can tell when each cell was deleted.
pub const CELL_DELETE_TIMES: FormatVersion = FormatVersion(15);
/// Sparse fragments are visible, too, where they lie only partly in the time range.
pub const PARTIAL_TIME_OVERLAP: FormatVersion = FormatVersion(15);
/// Fragments list the delete conditions that are applied already.
pub const PROCESSED_CONDITIONS: FormatVersion = FormatVersion(16);
/// Arrays can be opened for deletes and updates.
pub const DELETES: FormatVersion = FormatVersion(16);
/// Footers can have optional sections.
pub const OPTIONAL_SECTIONS: FormatVersion = FormatVersion(23);
