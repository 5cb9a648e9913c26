//! Opens that race with changes by other processes: listings that are valid for one instant, and
//! opens that are repeated when a listed file has disappeared. `docs/commit-protocol.md` states the
//! rules (R1, R4).

use std::time::Duration;

use crate::error::{Error, Result};
use crate::vfs::{FolderLock, FolderState, LockMode, Uri, Vfs};

/// The first and the longest pause between two attempts.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];
/// The time for which a listing is repeated while other processes change the folders.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The number of attempts to open that may fail, each because another file has disappeared.
const ATTEMPTS: u32 = 16;
/// The number of attempts in succession that may fail on the same file. Then it is missing, not
/// being removed.
const SAME_FILE: u32 = 3;
/// The attempt from which on maintenance is excluded, if the storage has locks.
const EXCLUDES_FROM: u32 = 4;

/// Increasing pauses between attempts.
struct Pauses {
    next: Duration,
    total: Duration,
}

impl Pauses {
    fn new() -> Self {
        Self {
            next: PAUSES[0],
            total: Duration::ZERO,
        }
    }

    fn wait(&mut self, vfs: &Vfs, uri: &Uri) -> Result<()> {
        vfs.pause(uri, self.next)?;
        self.total += self.next;
        self.next = (self.next * 2).min(PAUSES[1]);
        Ok(())
    }
}

/// Lists folders of an array or group so that the result is their state at one instant. `list`
/// reads names only; it runs once if none of the folders changes meanwhile. `lock` is a lock on
/// `object` that the caller holds.
///
/// A listing is valid if the states of the folders were the same before and after it, if it was
/// made under a lock, or if it equals the one before. Equal listings cannot show both a fragment
/// and what it replaced without the replacement list: vacuum removes the list last, so that opening
/// the removed fragment fails and the open starts again.
pub(crate) fn list_at_one_instant<T: PartialEq>(
    vfs: &Vfs,
    object: &Uri,
    folders: &[&Uri],
    lock: Option<&FolderLock>,
    list: impl Fn() -> Result<T>,
) -> Result<T> {
    if lock.is_some_and(FolderLock::is_held) {
        return list();
    }
    let before = states(vfs, folders);
    let mut last = list()?;
    if before.is_some() && before == states(vfs, folders) {
        return Ok(last);
    }
    let epoch = vfs.context().cancel_epoch();
    let mut pauses = Pauses::new();
    loop {
        let lock = shared_lock(vfs, object);
        let again = list()?;
        if again == last || lock.is_some_and(|lock| lock.is_held()) {
            return Ok(again);
        }
        last = again;
        vfs.context().check_cancelled(epoch)?;
        if pauses.total >= LONGEST_WAIT {
            let reason = "other processes have changed it for a minute";
            let timed_out = std::io::Error::new(std::io::ErrorKind::TimedOut, reason);
            return Err(Error::storage("list", object.as_str(), timed_out));
        }
        pauses.wait(vfs, object)?;
    }
}

/// Returns the states of folders; `None` if the storage cannot report one of them.
fn states(vfs: &Vfs, folders: &[&Uri]) -> Option<Vec<FolderState>> {
    let states = folders.iter().map(|folder| vfs.folder_state(folder));
    states.map(|state| state.ok().flatten()).collect()
}

/// Returns a shared lock on an object; `None` if maintenance is in progress, or the lock cannot be
/// taken.
fn shared_lock(vfs: &Vfs, object: &Uri) -> Option<FolderLock> {
    vfs.try_lock(object, LockMode::Shared).ok().flatten()
}

/// Calls `open` again, after a pause, while it fails because a file does not exist: another process
/// may have removed it after it was listed. `open` gets the lock that excludes maintenance in later
/// attempts.
///
/// # Errors
/// The last error, which names the file, after several attempts.
pub(crate) fn open_repeatedly<T>(
    vfs: &Vfs,
    object: &Uri,
    mut open: impl FnMut(Option<&FolderLock>) -> Result<T>,
) -> Result<T> {
    let epoch = vfs.context().cancel_epoch();
    let mut pauses = Pauses::new();
    let (mut missing, mut in_succession) = (String::new(), 0);
    let mut attempt = 0;
    loop {
        attempt += 1;
        let lock = if attempt >= EXCLUDES_FROM {
            shared_lock(vfs, object)
        } else {
            None
        };
        let error = match open(lock.as_ref()) {
            Err(error) if error.is_missing() => error,
            done => return done,
        };
        drop(lock);
        let file = error.object().unwrap_or_default();
        in_succession = if file == missing {
            in_succession + 1
        } else {
            1
        };
        if in_succession >= SAME_FILE || attempt >= ATTEMPTS {
            return Err(error);
        }
        file.clone_into(&mut missing);
        vfs.context().check_cancelled(epoch)?;
        pauses.wait(vfs, object)?;
    }
}
