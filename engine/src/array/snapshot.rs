//! What one opening of an array sees.

use std::sync::Arc;

use crate::config::Config;
use crate::fragment::Fragment;
use crate::schema::ArraySchema;
use crate::types::{EncryptionKey, QueryType, TimeRange};
use crate::vfs::Uri;

/// What one opening of an array sees; it does not change.
#[derive(Debug)]
pub struct Snapshot {
    /// The array's folder.
    pub uri: Uri,
    /// What it was opened for.
    pub query_type: QueryType,
    /// The latest schema in the time range.
    pub schema: Arc<ArraySchema>,
    /// The visible fragments, oldest first, ties by name. Empty where the array is not open for reading.
    pub fragments: Vec<Arc<Fragment>>,
    /// The time range it was opened for.
    pub timestamps: TimeRange,
    /// The key of an encrypted array.
    pub key: Option<EncryptionKey>,
    /// The configuration it was opened with.
    pub config: Config,
}
