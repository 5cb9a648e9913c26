//! The last steps before fragments are replaced: the decision is checked again, and the list of the
//! fragments is written as pending.

use std::collections::HashSet;
use std::sync::Arc;

use super::claims::{Claim, ClaimAttempt, is_claimed};
use super::consolidation::{Attempt, Consolidation, Decision};
use super::selection::{domain_of, overlap};
use crate::array::{adopt, current_fragments};
use crate::error::{Error, MaintenanceError, Result};
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::fragment::Fragment;
use crate::types::{NdRange, TimeRange};
use crate::vfs::{FolderLock, LockMode, StorageView, Uri, Vfs};

/// The outcome of the last check before a commit.
pub(super) enum CommitDecision {
    /// The list of the replaced fragments was written: the fragment can be committed.
    PendingList(PendingList),
    /// The decision no longer holds, for this reason.
    Refused(Attempt),
}

/// A pending list, and the lock under which it was written.
pub(super) struct PendingList {
    pub(super) lock: FolderLock,
    pub(super) claim: Claim,
    list: Uri,
    names: String,
}

impl PendingList {
    /// Renames the list to its final name.
    pub(super) fn finish(self, vfs: &Vfs) -> Result<()> {
        if vfs.is_object_store(&self.list) {
            // The list is valid at either name, and at both.
            vfs.publish_file(&self.claim.folder, &self.list, self.names.as_bytes())?;
            vfs.remove_file(&self.claim.file)?;
        } else {
            adopt(vfs, &self.claim.file, &self.list)?;
        }
        vfs.remove_empty_dir(&self.claim.folder)?;
        drop(self.lock);
        Ok(())
    }
}

impl Consolidation<'_> {
    /// Writes the pending list of the fragment `name` if the decision still holds.
    pub(super) fn prepare(
        &self,
        decision: &Decision<'_>,
        name: &FragmentName,
    ) -> Result<CommitDecision> {
        let lock = self.vfs.lock(self.array, LockMode::Exclusive)?;
        if !lock.is_held() {
            return self.claim(decision, name);
        }
        let seen = self.vfs.snapshot(self.array)?;
        if let Some(refused) = self.check(&seen, decision, name, &lock)? {
            return Ok(CommitDecision::Refused(refused));
        }
        let pending = self.write_pending(name, decision.fragments, lock)?;
        Ok(CommitDecision::PendingList(pending))
    }

    /// Writes the pending list as a claim on the fragments, on storage without locks.
    fn claim(&self, decision: &Decision<'_>, name: &FragmentName) -> Result<CommitDecision> {
        let vfs = self.vfs;
        let names: HashSet<&str> = decision
            .fragments
            .iter()
            .map(|fragment| fragment.name().as_str())
            .collect();
        let mut claiming = ClaimAttempt::new();
        loop {
            claiming.begin();
            let pending = self.write_pending(name, decision.fragments, FolderLock::default())?;
            let checked = vfs.snapshot(self.array).and_then(|seen| {
                // Claims first: those that are committed meanwhile are found by the check.
                let is_claimed = is_claimed(&seen, self.array, &names, Some(name))?;
                let refused = self.check(&seen, decision, name, &pending.lock)?;
                Ok((refused, is_claimed))
            });
            let refused = match checked {
                Ok((None, false)) if claiming.is_usable() => {
                    return Ok(CommitDecision::PendingList(pending));
                }
                Ok((refused, _)) => Ok(refused),
                Err(error) if error.is_missing() => Ok(None),
                Err(error) => Err(error),
            };
            let withdrawn = pending.claim.withdraw(vfs);
            if let Some(refused) = refused? {
                return Ok(CommitDecision::Refused(refused));
            }
            withdrawn?;
            if claiming.wait(vfs, self.array, &names)?.is_none() {
                return Ok(CommitDecision::Refused(Attempt::Claimed));
            }
        }
    }

    /// Returns why a decision no longer holds: `None` if the fragments can be replaced by a
    /// fragment of this name. `view` is a snapshot that was taken after the decision.
    fn check(
        &self,
        view: &StorageView,
        decision: &Decision<'_>,
        name: &FragmentName,
        lock: &FolderLock,
    ) -> Result<Option<Attempt>> {
        let current = |span| current_fragments(view, self.array, span, Some(lock));
        let now = current(decision.span)?;
        let now: HashSet<&str> = now.iter().map(FragmentName::as_str).collect();
        if !decision
            .fragments
            .iter()
            .all(|fragment| now.contains(fragment.name().as_str()))
        {
            return Ok(Some(Attempt::Superseded));
        }
        if !self.schema.is_dense() && self.version() >= v::CONSOLIDATED_TIMES {
            // Each cell has a timestamp, so the order of fragments does not matter.
            return Ok(None);
        }
        let key = |name: &FragmentName| (name.timestamps().start, name.as_str().to_owned());
        let newest = decision
            .fragments
            .last()
            .map(|last| key(last.name()))
            .max(Some(key(name)));
        let mut appeared = current(TimeRange::ALL)?;
        appeared
            .retain(|other| !decision.known.contains(other.as_str()) && Some(key(other)) < newest);
        if appeared.is_empty() || !self.hides(decision, &appeared)? {
            return Ok(None);
        }
        let hindered = Error::from(MaintenanceError::Hindered);
        Ok(Some(Attempt::Hindered(hindered)))
    }

    /// Returns whether the consolidated fragment would change the visibility of cells of others.
    fn hides(&self, decision: &Decision<'_>, others: &[FragmentName]) -> Result<bool> {
        if !self.schema.is_dense() {
            return Ok(true);
        }
        let domains: Vec<NdRange> = decision
            .fragments
            .iter()
            .map(|fragment| domain_of(fragment))
            .collect();
        let Some(union) = self.schema.domain.union(&domains) else {
            return Ok(false);
        };
        let all = self.visible(TimeRange::ALL)?.fragments;
        Ok(all
            .iter()
            .filter(|fragment| others.contains(fragment.name()))
            .any(|other| overlap(&self.schema, &union, &domain_of(other))))
    }

    /// Writes the list of the fragments that a new one replaces.
    fn write_pending(
        &self,
        name: &FragmentName,
        fragments: &[Arc<Fragment>],
        lock: FolderLock,
    ) -> Result<PendingList> {
        let commits = if self.version() >= v::COMMITS_FOLDER {
            self.array.join(folders::COMMITS)
        } else {
            self.array.clone()
        };
        let mut names = String::new();
        for fragment in fragments {
            let uri = fragment.uri().as_str();
            let relative = uri.strip_prefix(self.array.as_str().trim_end_matches('/'));
            names.push_str(if self.version() >= v::RELATIVE_VACUUM_NAMES {
                relative.unwrap_or(uri)
            } else {
                uri
            });
            names.push('\n');
        }
        let claim = Claim::write(self.vfs, self.array, &commits, name, &names)?;
        Ok(PendingList {
            lock,
            list: commits.join(claim.file.name()),
            claim,
            names,
        })
    }
}
