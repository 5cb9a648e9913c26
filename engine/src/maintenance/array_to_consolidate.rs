//! The array whose fragments are consolidated.

use std::sync::Arc;

use crate::config::Config;
use crate::error::Result;
use crate::format::version::{self as v, FormatVersion};
use crate::platform::lock::Mutex;
use crate::schema::ArraySchema;
use crate::types::EncryptionKey;
use crate::vfs::{Uri, Vfs};

/// An array whose fragments are consolidated.
pub(super) struct ArrayToConsolidate<'a> {
    pub(super) vfs: &'a Arc<Vfs>,
    pub(super) array: &'a Uri,
    pub(super) config: &'a Config,
    pub(super) schema: Arc<ArraySchema>,
    pub(super) key: Option<EncryptionKey>,
    /// The listing that the operation began with, until the first step takes it.
    pub(super) given: Mutex<Option<Arc<Vfs>>>,
}

/// Returns the maximum size of the tiles of a new fragment, if it is limited. A limit requires a
/// file that commits several fragments at once.
pub(super) fn largest(merging: &ArrayToConsolidate<'_>) -> Result<Option<u64>> {
    let most = merging.config.u64("sm.consolidation.max_fragment_size")?;
    let together = FormatVersion(merging.schema.version).for_writing() >= v::COMMITS_FOLDER;
    Ok((most < u64::MAX && together).then_some(most))
}
