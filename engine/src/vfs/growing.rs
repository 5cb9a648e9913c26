//! Reading of files that another process writes under their final names, as libtiledb does on local
//! file systems. `docs/commit-protocol.md` states the rule (R4).

use std::time::Duration;

use super::vfs::Vfs;
use super::{Scheme, Uri};
use crate::error::Result;
use crate::types::{Timestamp, now};

/// The age in milliseconds below which a damaged file may be one that a process is writing.
const WRITTEN_FOR: Timestamp = 2000;
/// The pause before an incomplete file is read again. Each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// The longest pause, which is about half of the time for which a file is read again. Writing a
/// small file takes less than a millisecond, unless its process has to wait for a CPU.
const LONGEST_PAUSE: Duration = Duration::from_millis(32);

impl Vfs {
    /// Returns whether another process may be writing a file under its final name: a local one that
    /// was changed just now. Files in object stores and in memory are never seen incomplete.
    pub fn may_grow(&self, file: &Uri) -> bool {
        file.scheme() == Scheme::File
            && self
                .modified(file)
                .is_ok_and(|changed| now().abs_diff(changed) < WRITTEN_FOR)
    }

    /// Returns the content of a file, which is read again for a short time while it is incomplete
    /// and may grow. The content may be incomplete all the same.
    pub fn read_complete(
        &self,
        file: &Uri,
        is_complete: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<u8>> {
        let epoch = self.context().cancel_epoch();
        let mut pause = FIRST_PAUSE;
        loop {
            let content = self.read_all(file)?;
            if is_complete(&content) || pause > LONGEST_PAUSE || !self.may_grow(file) {
                return Ok(content);
            }
            self.context().check_cancelled(epoch)?;
            self.pause(file, pause)?;
            pause *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::context::Context;

    /// Reads a file, whose last change was some time ago, until it is complete. Returns the content
    /// and the number of reads, of which the third finds it complete.
    fn read_growing(age: Duration) -> (Vec<u8>, u32) {
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
        let temporary = tempfile::tempdir().expect("folder");
        let path = temporary.path().join("file");
        std::fs::write(&path, "").expect("file");
        let file = std::fs::File::options().write(true).open(&path);
        let changed = std::time::SystemTime::now() - age;
        let set = file.and_then(|file| file.set_modified(changed));
        set.expect("sets the time");
        let uri = Uri::parse(path.to_str().expect("path")).expect("uri");
        let reads = std::cell::Cell::new(0);
        let content = vfs.read_complete(&uri, |content| {
            reads.set(reads.get() + 1);
            if reads.get() == 2 {
                std::fs::write(&path, "all").expect("written");
            }
            content == b"all"
        });
        (content.expect("content"), reads.get())
    }

    #[test]
    fn an_incomplete_file_is_read_again_if_it_was_changed_just_now() {
        assert_eq!(read_growing(Duration::ZERO), (b"all".to_vec(), 3));
        assert_eq!(read_growing(Duration::from_secs(10)), (Vec::new(), 1));
    }

    #[test]
    fn a_file_that_stays_incomplete_is_read_for_a_short_time() {
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
        let temporary = tempfile::tempdir().expect("folder");
        let path = temporary.path().join("file");
        std::fs::write(&path, "half").expect("file");
        let uri = Uri::parse(path.to_str().expect("path")).expect("uri");
        let reads = std::cell::Cell::new(0);
        let content = vfs.read_complete(&uri, |_| {
            reads.set(reads.get() + 1);
            false
        });
        assert_eq!(
            (content.expect("content"), reads.get()),
            (b"half".to_vec(), 7)
        );
    }
}
