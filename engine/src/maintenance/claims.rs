//! Mutual exclusion of operations that replace or remove the same fragments: the lock on the array
//! and, on storage without locks, claims on fragments.
//!
//! A claim is a pending list. It is written before the array is listed, so that of two operations
//! with claims on the same fragment at least one sees the claim of the other. That one withdraws,
//! waits for a random time and tries again. The claim of a process that was killed expires.
//! `docs/commit-protocol.md` states the rules (M1).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::age::MinAge;
use crate::array::{CommitScope, Commits, adopt_pending_locked};
use crate::error::Result;
use crate::format::names::{FragmentName, folders};
use crate::types::random_fraction;
use crate::vfs::{FolderLock, LockMode, StorageView, Uri, Vfs};

/// The age from which a claim counts as that of a killed process. The clock of the storage is
/// compared with the one of this machine.
const EXPIRES: Duration = Duration::from_secs(300);
/// The time for which a claim may be used: the commit must begin before.
const USABLE: Duration = Duration::from_secs(60);
/// The first pause before another attempt, on average. Each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause before another attempt, on average.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// The time for which an operation waits for the claims of others.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Returns whether another operation has a claim on one of these fragments. `own_claim` is the
/// name of the claim of the caller.
pub(super) fn is_claimed(
    view: &StorageView,
    array: &Uri,
    names: &HashSet<&str>,
    own_claim: Option<&FragmentName>,
) -> Result<bool> {
    is_claimed_at(view, array, names, own_claim, MinAge::new(EXPIRES))
}

fn is_claimed_at(
    view: &StorageView,
    array: &Uri,
    names: &HashSet<&str>,
    own_claim: Option<&FragmentName>,
    expired: MinAge,
) -> Result<bool> {
    let commits = Commits::read(view, array, CommitScope::all(None))?;
    let is_other =
        |name: &FragmentName| own_claim.is_none_or(|claim| claim.as_str() != name.as_str());
    let lists = match commits.pending_lists(view, is_other) {
        // It was withdrawn, or its fragment was committed: a new listing will show which.
        Err(error) if error.is_missing() => return Ok(true),
        lists => lists?,
    };
    if lists.is_empty() {
        return Ok(false);
    }
    let committed = commits.fragment_names(view)?;
    for list in lists {
        let is_shared = list
            .replaced
            .iter()
            .any(|name| names.contains(name.as_str()));
        // The list of a committed fragment is not a claim: it replaces what it names.
        if is_shared && !committed.contains(&list.name) && !expired.has_passed(view, &list.uri)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A claim that was written.
#[derive(Debug)]
pub(super) struct Claim {
    /// The folder of pending lists.
    pub(super) folder: Uri,
    /// The file.
    pub(super) file: Uri,
}

impl Claim {
    /// Writes a claim as a pending list in a folder of commits.
    pub(super) fn write(
        vfs: &Vfs,
        array: &Uri,
        commits: &Uri,
        name: &FragmentName,
        list: &str,
    ) -> Result<Self> {
        let folder = commits.join(folders::PENDING);
        let file = folder.join(&format!("{}{}", name.as_str(), folders::VACUUM));
        vfs.publish_file(array, &file, list.as_bytes())?;
        Ok(Self { folder, file })
    }

    /// Removes the claim if it still exists.
    pub(super) fn withdraw(&self, vfs: &Vfs) -> Result<()> {
        vfs.remove_file_if_any(&self.file)?;
        vfs.remove_empty_dir(&self.folder).map(drop)
    }
}

/// The time since an operation began to write its claim, and its pauses.
#[derive(Debug)]
pub(super) struct ClaimAttempt {
    begun: Instant,
    average: Duration,
    waited: Duration,
}

impl ClaimAttempt {
    pub(super) fn new() -> Self {
        Self {
            begun: Instant::now(),
            average: FIRST_PAUSE,
            waited: Duration::ZERO,
        }
    }

    /// Must be called before the claim is written.
    pub(super) fn begin(&mut self) {
        self.begun = Instant::now();
    }

    /// Returns whether the claim is young enough for a commit.
    pub(super) fn is_usable(&self) -> bool {
        self.begun.elapsed() < USABLE
    }

    /// Waits until none of these fragments is claimed. Returns the storage as it is then; `None`
    /// if other operations have had claims on them for too long.
    pub(super) fn wait(
        &mut self,
        vfs: &Arc<Vfs>,
        array: &Uri,
        names: &HashSet<&str>,
    ) -> Result<Option<StorageView>> {
        let cancel = vfs.context.cancel_epoch();
        loop {
            if self.waited >= LONGEST_WAIT {
                return Ok(None);
            }
            vfs.context.check_cancelled(cancel)?;
            let pause = self.average.mul_f64(0.5 + random_fraction());
            vfs.pause(array, pause)?;
            self.waited += pause;
            self.average = (self.average * 2).min(LONGEST_PAUSE);
            let seen = vfs.snapshot(array)?;
            if !is_claimed(&seen, array, names, None)? {
                return Ok(Some(seen));
            }
        }
    }
}

/// Returns a lock that excludes other maintenance, after completing consolidations that ended after
/// their commit.
pub(super) fn lock_for_maintenance(view: &StorageView, array: &Uri) -> Result<FolderLock> {
    let lock = view.vfs.lock(array, LockMode::Exclusive)?;
    adopt_pending_locked(view, array, &lock)?;
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::context::Context;
    use crate::format::version::FormatVersion;
    use crate::types::TimeRange;

    const NAME: &str = "__1_1_00000000000000000000000000000001_22";

    /// Returns an array in memory with a claim on the fragment [`NAME`].
    fn claimed() -> (Arc<Vfs>, Uri, Claim) {
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
        let array = Uri::parse("mem://array").expect("uri");
        let name = FragmentName::generate(TimeRange { start: 1, end: 2 }, FormatVersion::WRITTEN);
        let commits = array.join(folders::COMMITS);
        let list = format!("/{}/{NAME}\n", folders::FRAGMENTS);
        let claim = Claim::write(&vfs, &array, &commits, &name, &list).expect("claim");
        (vfs, array, claim)
    }

    #[test]
    fn claims_of_killed_processes_expire() {
        let (vfs, array, claim) = claimed();
        let is_claimed_after = |age: Duration, name: &str| {
            let names = HashSet::from([name]);
            is_claimed_at(&vfs.view(), &array, &names, None, MinAge::new(age)).expect("lists")
        };
        assert!(is_claimed_after(EXPIRES, NAME));
        assert!(!is_claimed_after(EXPIRES, "another fragment"));
        std::thread::sleep(Duration::from_millis(5));
        assert!(!is_claimed_after(Duration::from_millis(1), NAME));
        claim.withdraw(&vfs).expect("removes");
        assert!(!is_claimed_after(EXPIRES, NAME));
    }

    #[test]
    fn a_claim_of_another_operation_is_waited_for() {
        let (vfs, array, claim) = claimed();
        let names = HashSet::from([NAME]);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let seen = ClaimAttempt::new()
                    .wait(&vfs, &array, &names)
                    .expect("waits");
                (seen.is_some(), vfs.is_file(&claim.file).expect("looks up"))
            });
            std::thread::sleep(Duration::from_millis(100));
            claim.withdraw(&vfs).expect("removes");
            assert_eq!(waiting.join().expect("thread"), (true, false));
        });
        let mut claiming = ClaimAttempt::new();
        claiming.waited = LONGEST_WAIT;
        let given_up = claiming.wait(&vfs, &array, &names).expect("waits");
        assert!(given_up.is_none());
    }
}
