//! Opens that race with changes by other processes: listings that are valid for one instant, and
//! opens that are repeated when a listed file has disappeared. `docs/commit-protocol.md` states the
//! rules (R1, R4).

use crate::error::{Error, Result};
use crate::vfs::{Backoff, Entry, FolderLock, FolderState, LockMode, StorageView, Uri, Vfs};

/// The number of attempts to open that may fail, each because another file has disappeared.
const ATTEMPTS: u32 = 16;
/// The number of attempts in succession that may fail on the same file. Then it is missing, not
/// being removed.
const SAME_FILE: u32 = 3;
/// The attempt from which on maintenance is excluded, if the storage has locks.
const EXCLUDES_FROM: u32 = 4;

/// Lists folders of an array or group so that the result is their state at one instant. `list`
/// reads names only; it runs once if none of the folders changes meanwhile. `lock` is a lock on
/// `object` that the caller holds.
///
/// A listing is valid if the states of the folders were the same before and after it, if it was
/// made under a lock, or if it equals the one before. Equal listings cannot show both a fragment
/// and what it replaced without the replacement list: vacuum removes the list last, so that opening
/// the removed fragment fails and the open starts again.
pub(crate) fn list_at_one_instant<T: PartialEq>(
    view: &StorageView,
    object: &Uri,
    folders: &[&Uri],
    lock: Option<&FolderLock>,
    list: impl Fn() -> Result<T>,
) -> Result<T> {
    if lock.is_some_and(FolderLock::is_held) {
        return list();
    }
    let before = states(view, folders);
    let last = list()?;
    if before.is_some() && before == states(view, folders) {
        return Ok(last);
    }
    list_again(view, object, last, list)
}

/// Lists one folder of an array or group like [`list_at_one_instant`], in less time. `complete`
/// converts its entries to the result, and returns whether it listed other folders, whose parent
/// the folder is.
pub(crate) fn list_folder_at_one_instant<T: PartialEq>(
    view: &StorageView,
    object: &Uri,
    folder: &Uri,
    lock: Option<&FolderLock>,
    complete: impl Fn(Vec<Entry>) -> Result<(T, bool)>,
) -> Result<T> {
    let list = || Ok(complete(view.list(folder)?)?.0);
    if lock.is_some_and(FolderLock::is_held) {
        return list();
    }
    let (entries, state) = view.list_with_state(folder)?;
    let (listed, has_others) = complete(entries)?;
    let is_unchanged =
        || states(view, &[folder]).is_some_and(|states| states.first() == state.as_ref());
    if state.is_some() && (!has_others || is_unchanged()) {
        return Ok(listed);
    }
    list_again(view, object, listed, list)
}

/// Lists folders until a listing is valid. `last` is the previous one, which may not be.
fn list_again<T: PartialEq>(
    view: &StorageView,
    object: &Uri,
    mut last: T,
    list: impl Fn() -> Result<T>,
) -> Result<T> {
    let vfs = &view.vfs;
    let epoch = vfs.context.cancel_epoch();
    let mut backoff = Backoff::CHANGING;
    loop {
        let lock = shared_lock(vfs, object);
        let again = list()?;
        if again == last || lock.is_some_and(|lock| lock.is_held()) {
            return Ok(again);
        }
        last = again;
        vfs.context.check_cancelled(epoch)?;
        if backoff.is_over() {
            let reason = "other processes have changed it for a minute";
            let timed_out = std::io::Error::new(std::io::ErrorKind::TimedOut, reason);
            return Err(Error::storage("list", object.as_str(), timed_out));
        }
        backoff.pause(vfs, object)?;
    }
}

/// Returns the states of folders; `None` if the storage cannot report one of them.
fn states(view: &StorageView, folders: &[&Uri]) -> Option<Vec<FolderState>> {
    folders
        .iter()
        .map(|folder| view.folder_state(folder))
        .map(|state| state.ok().flatten())
        .collect()
}

/// Returns a shared lock on an object; `None` if maintenance is in progress, or the lock cannot be
/// taken.
fn shared_lock(vfs: &Vfs, object: &Uri) -> Option<FolderLock> {
    vfs.try_lock(object, LockMode::Shared).ok().flatten()
}

/// Returns whether an error reports damage in a file that another process may be writing.
fn is_being_written(vfs: &Vfs, error: &Error) -> bool {
    let file = error.corrupt_object().and_then(|uri| Uri::parse(uri).ok());
    file.is_some_and(|file| vfs.may_grow(&file))
}

/// Calls `open` again, after a pause, while it fails because a file does not exist: another process
/// may have removed it after it was listed. It is called again as well if a file that was changed
/// just now is damaged: libtiledb writes files under their final names. `open` gets the lock that
/// excludes maintenance in later attempts.
///
/// # Errors
/// The last error, which names the file, after several attempts.
pub(crate) fn open_repeatedly<T>(
    vfs: &Vfs,
    object: &Uri,
    mut open: impl FnMut(Option<&FolderLock>) -> Result<T>,
) -> Result<T> {
    let epoch = vfs.context.cancel_epoch();
    let mut backoff = Backoff::CHANGING;
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
            Err(error) if error.is_missing() || is_being_written(vfs, &error) => error,
            done => return done,
        };
        drop(lock);
        let file = error
            .object()
            .or(error.corrupt_object())
            .unwrap_or_default();
        in_succession = if file == missing {
            in_succession + 1
        } else {
            1
        };
        if in_succession >= SAME_FILE || attempt >= ATTEMPTS {
            return Err(error);
        }
        file.clone_into(&mut missing);
        vfs.context.check_cancelled(epoch)?;
        backoff.pause(vfs, object)?;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::Config;
    use crate::context::Context;

    /// Opens a damaged file whose last change was some time ago until that succeeds or fails.
    /// Returns the number of attempts, of which the second would succeed.
    fn attempts(age: Duration) -> u32 {
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
        let temporary = tempfile::tempdir().expect("folder");
        let path = temporary.path().join("file");
        std::fs::write(&path, "half").expect("file");
        let file = std::fs::File::options().write(true).open(&path);
        let changed = std::time::SystemTime::now() - age;
        let set = file.and_then(|file| file.set_modified(changed));
        set.expect("sets the time");
        let uri = Uri::parse(path.to_str().expect("path")).expect("uri");
        let mut attempts = 0;
        let opened = open_repeatedly(&vfs, &uri, |_| {
            attempts += 1;
            if attempts > 1 {
                return Ok(());
            }
            Err(Error::corrupt("file", "field", 0, "is cut").with_uri(&uri))
        });
        assert_eq!(opened.is_ok(), attempts > 1);
        attempts
    }

    #[test]
    fn a_damaged_file_is_read_again_if_it_was_changed_just_now() {
        assert_eq!(attempts(Duration::ZERO), 2);
        assert_eq!(attempts(Duration::from_secs(10)), 1);
    }
}
