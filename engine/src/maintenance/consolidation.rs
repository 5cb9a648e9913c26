//! A consolidation of fragments: the array and the parameters, the decision which fragments to
//! merge, and the outcome.

use std::collections::HashSet;
use std::sync::Arc;

use crate::array::Delete;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::format::version::{self as v, FormatVersion};
use crate::fragment::Fragment;
use crate::platform::lock::Mutex;
use crate::schema::ArraySchema;
use crate::stats::{Counter, MeterNames, Part, TileMeter};
use crate::types::{EncryptionKey, TimeRange};
use crate::vfs::{StorageView, Uri, Vfs};

/// A consolidation of the fragments of an array.
pub(super) struct Consolidation<'a> {
    pub(super) vfs: &'a Arc<Vfs>,
    pub(super) array: &'a Uri,
    pub(super) config: &'a Config,
    /// The latest schema of the array.
    pub(super) schema: Arc<ArraySchema>,
    pub(super) key: Option<EncryptionKey>,
    /// The listing that the operation began with, until the first step takes it.
    pub(super) first_listing: Mutex<Option<StorageView>>,
}

impl Consolidation<'_> {
    /// Returns the format version of new fragments.
    pub(super) fn version(&self) -> FormatVersion {
        FormatVersion(self.schema.version).for_writing()
    }

    /// Returns the maximum size in bytes of the tiles of a new fragment, if it is limited. A limit
    /// requires a file that commits several fragments at once.
    pub(super) fn max_fragment_size(&self) -> Result<Option<u64>> {
        let max_bytes = self.config.u64("sm.consolidation.max_fragment_size")?;
        let is_supported = self.version() >= v::COMMITS_FOLDER;
        Ok((max_bytes < u64::MAX && is_supported).then_some(max_bytes))
    }

    /// Adds a step, in which the tiles that `written` has counted were written, to the statistics.
    pub(super) fn record_step(&self, written: &TileMeter) {
        let stats = &self.vfs.context.stats;
        written.record(&stats.part(Part::Writer), MeterNames::Written);
        stats
            .part(Part::Consolidator)
            .add(Counter::ConsolidationSteps, 1);
    }
}

/// The selected fragments, and the state of the array when they were listed.
pub(super) struct Decision<'a> {
    /// The fragments to merge, oldest first.
    pub(super) fragments: &'a [Arc<Fragment>],
    /// All fragments, oldest first; may be empty if the array allows duplicates.
    pub(super) all: &'a [Arc<Fragment>],
    /// The next newer fragment.
    pub(super) next: Option<&'a Arc<Fragment>>,
    pub(super) deletes: &'a [Arc<Delete>],
    /// The time range in which they were listed.
    pub(super) span: TimeRange,
    /// The names of all fragments before they were listed.
    pub(super) known: &'a HashSet<String>,
}

/// The outcome of an attempt to merge fragments.
pub(super) enum Attempt {
    /// They were merged into these.
    Merged(Vec<Uri>),
    /// Another process consolidated or removed one of them.
    Superseded,
    /// Another process has had a claim on one of them for too long.
    Claimed,
    /// They could not be read, or an older fragment has appeared that the new one would hide.
    Hindered(Error),
}
