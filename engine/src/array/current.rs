//! Compares the state of an open array with the state on storage.

use std::sync::Arc;

use super::commits::CommitScope;
use super::deletes::deletes;
use super::instant::open_repeatedly;
use super::listing::{self, Scope, Visibility};
use super::metadata::MetadataNames;
use super::schemas::Schemas;
use super::snapshot::Snapshot;
use crate::error::Result;
use crate::fragment::Fragment;
use crate::vfs::{FolderLock, Vfs};

impl Snapshot {
    /// Returns whether an open with the same time range would see the same schema, fragments,
    /// deletes and metadata. Only names are listed.
    pub fn is_current(&self, vfs: &Arc<Vfs>) -> Result<bool> {
        open_repeatedly(vfs, &self.uri, |lock| {
            self.matches(&vfs.snapshot(&self.uri)?, lock)
        })
    }

    fn matches(&self, vfs: &Arc<Vfs>, lock: Option<&FolderLock>) -> Result<bool> {
        let schemas = Schemas::list(vfs, &self.uri, self.key.as_ref())?;
        if schemas.latest(self.timestamps.end)? != self.schema.name {
            return Ok(false);
        }
        let names = MetadataNames::list(vfs, &self.uri, lock)?;
        if !names.have_same_until(&self.metadata_names, self.timestamps.end) {
            return Ok(false);
        }
        let scope = Scope {
            commits: CommitScope {
                timestamps: self.timestamps,
                until_now: false,
                includes_root: schemas.may_have_root_fragments(&self.schema)?,
                lock,
            },
            visibility: Visibility::of_reads(&self.schema),
        };
        let listed = listing::list(vfs, &self.uri, scope)?;
        let (mut hidden, restoration) = (0, &self.restoration);
        let own = self.fragments.iter();
        let mut own = own.filter(|own| !restoration.is_restored(own)).peekable();
        for fragment in &listed.fragments {
            if restoration.is_hidden(&fragment.location) {
                hidden += 1;
                continue;
            }
            let is_same = |own: &&Arc<Fragment>| own.location().is_same(&fragment.location);
            if own.next_if(is_same).is_some() {
                continue;
            }
            // A fragment that only a consolidated file commits may have been removed.
            if !fragment.only_consolidated || vfs.is_dir(fragment.location.uri())? {
                return Ok(false);
            }
        }
        let deletes = deletes(&listed.commits, self.timestamps, |_| Ok(None))?;
        let deletes = deletes.iter().map(|delete| delete.name());
        let same_deletes = deletes.eq(self.deletes.iter().map(|delete| delete.name()));
        Ok(same_deletes && own.next().is_none() && hidden == restoration.hidden_num())
    }
}
