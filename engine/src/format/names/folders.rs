//! The fixed names of folders, files and suffixes of an array or group.

/// Schema files.
pub const SCHEMAS: &str = "__schema";
/// Enumerations, in the folder of the schemas.
pub const ENUMERATIONS: &str = "__enumerations";
/// Fragments.
pub const FRAGMENTS: &str = "__fragments";
/// Commits, which make fragments visible.
pub const COMMITS: &str = "__commits";
/// Consolidated fragment metadata.
pub const FRAGMENT_META: &str = "__fragment_meta";
/// Array metadata.
pub const METADATA: &str = "__meta";
/// The arrays of dimension labels.
pub const LABELS: &str = crate::schema::LABELS_FOLDER;
/// The schema of arrays before format 10, which have only one.
pub const ROOT_SCHEMA: &str = "__array_schema.tdb";
/// A file that earlier releases of libtiledb locked. Nothing uses it any more.
pub const LOCK: &str = "__lock.tdb";
/// The metadata of a fragment, in its folder.
pub const FRAGMENT_METADATA_FILE: &str = "__fragment_metadata.tdb";
/// The file that marks a folder as a group.
pub const GROUP_FILE: &str = "__tiledb_group.tdb";
/// The details of a group.
pub const GROUP_DETAILS: &str = "__group";

/// The suffix of files that commit a fragment.
pub const WRITE: &str = ".wrt";
/// The suffix of files that commit a fragment in arrays without a commits folder.
pub const OK: &str = ".ok";
/// The suffix of files that list the fragments which a consolidated one replaces.
pub const VACUUM: &str = ".vac";
/// The folder of pending lists, which are written before the fragment they are named after is
/// committed: in the commits folder, or in the array's folder before format 12. libtiledb ignores
/// it.
pub const PENDING: &str = "__pending";
/// The suffix of consolidated commits files.
pub const CONSOLIDATED_COMMITS: &str = ".con";
/// The suffix of files that list revoked commits of consolidated files.
pub const IGNORE: &str = ".ign";
/// The suffix of consolidated fragment metadata.
pub const CONSOLIDATED_META: &str = ".meta";
/// The suffix of delete conditions.
pub const DELETE: &str = ".del";
/// The suffix of update conditions.
pub const UPDATE: &str = ".upd";
