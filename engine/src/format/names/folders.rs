//! The folders and files of an array whose names never change.

/// Schema files.
pub const SCHEMAS: &str = "__schema";
/// Enumerations, in the folder of the schemas.
pub const ENUMERATIONS: &str = "__enumerations";
/// Fragments.
pub const FRAGMENTS: &str = "__fragments";
/// Commits: what makes fragments visible.
pub const COMMITS: &str = "__commits";
/// Consolidated fragment metadata.
pub const FRAGMENT_META: &str = "__fragment_meta";
/// Array metadata.
pub const METADATA: &str = "__meta";
/// Arrays of dimension labels.
pub const LABELS: &str = crate::schema::LABELS_FOLDER;
/// The schema of arrays that had only one.
pub const ROOT_SCHEMA: &str = "__array_schema.tdb";
/// The metadata of a fragment, in its folder.
pub const FRAGMENT_METADATA_FILE: &str = "__fragment_metadata.tdb";
/// What marks a folder as a group.
pub const GROUP_FILE: &str = "__tiledb_group.tdb";
/// The details of a group.
pub const GROUP_DETAILS: &str = "__group";

/// The end of the name of a file that commits a fragment.
pub const WRITE: &str = ".wrt";
/// The same in arrays without a folder for commits.
pub const OK: &str = ".ok";
/// Fragments that a consolidated one replaces.
pub const VACUUM: &str = ".vac";
/// The folder of lists that are written before the fragment they are named after is committed: in
/// the folder of commits, or in the array's own folder before format 12. libtiledb ignores it.
pub const PENDING: &str = "__pending";
/// Many commits in one file.
pub const CONSOLIDATED_COMMITS: &str = ".con";
/// Commits of consolidated files that no longer count.
pub const IGNORE: &str = ".ign";
/// Footers of many fragments in one file.
pub const CONSOLIDATED_META: &str = ".meta";
/// A delete condition.
pub const DELETE: &str = ".del";
/// An update condition.
pub const UPDATE: &str = ".upd";
