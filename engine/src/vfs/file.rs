//! File handles of the public interface.
//!
//! Opening for writing removes the old file; the new one appears with the first write, or with
//! closing. On object stores an old file stays until closing replaces it, and nothing can be
//! appended. Reading and writing are not refused by mode, but what is written to a handle for
//! reading an object is not stored.

use std::sync::Arc;

use super::Uri;
use super::vfs::{ReadFile, Vfs, WriteFile};
use crate::error::{Result, VfsError};
use crate::platform::lock::Mutex;

/// The mode of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FileMode {
    /// Reading. The file must exist.
    Read = 0,
    /// Writing a new file, which replaces an existing one.
    Write = 1,
    /// Appending.
    Append = 2,
}

impl FileMode {
    /// Returns the mode with a code.
    pub fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            0 => Self::Read,
            1 => Self::Write,
            2 => Self::Append,
            _ => return None,
        })
    }

    /// Returns the name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "VFS_READ",
            Self::Write => "VFS_WRITE",
            Self::Append => "VFS_APPEND",
        }
    }

    /// Returns the mode with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Read, Self::Write, Self::Append]
            .into_iter()
            .find(|mode| mode.name() == name)
    }
}

/// An open file. Calls of several threads are serialized.
#[derive(Debug)]
pub struct FileHandle {
    vfs: Arc<Vfs>,
    uri: Uri,
    mode: FileMode,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    open: bool,
    reader: Option<ReadFile>,
    writer: Option<WriteFile>,
}

impl FileHandle {
    /// Opens a handle.
    #[doc(hidden)]
    pub fn open(vfs: &Arc<Vfs>, uri: Uri, mode: FileMode) -> Result<Self> {
        let reader = if vfs.is_object_store(&uri) {
            Self::open_object(vfs, &uri, mode)?
        } else {
            Self::open_file(vfs, &uri, mode)?
        };
        Ok(Self {
            vfs: vfs.clone(),
            uri,
            mode,
            state: Mutex::new(State {
                open: true,
                reader,
                writer: None,
            }),
        })
    }

    fn open_file(vfs: &Vfs, uri: &Uri, mode: FileMode) -> Result<Option<ReadFile>> {
        let is_file = vfs.is_file(uri)?;
        match mode {
            FileMode::Read if !is_file => {
                return Err(VfsError::MissingFile {
                    uri: uri.to_string(),
                }
                .into());
            }
            FileMode::Write if is_file => vfs.remove_file(uri)?,
            _ => {}
        }
        Ok(None)
    }

    fn open_object(vfs: &Vfs, uri: &Uri, mode: FileMode) -> Result<Option<ReadFile>> {
        match mode {
            FileMode::Read => {
                let file = vfs.open(uri)?;
                // Reading the size checks that the object exists; reads need it too.
                match file.size() {
                    Err(error) if error.is_missing_file() => Err(VfsError::MissingFile {
                        uri: uri.to_string(),
                    }
                    .into()),
                    size => size.map(|_| Some(file)),
                }
            }
            FileMode::Write => Ok(None),
            FileMode::Append => Err(VfsError::AppendToObject {
                uri: uri.to_string(),
            }
            .into()),
        }
    }

    /// Returns whether it was closed.
    pub fn is_closed(&self) -> bool {
        !self.state.lock().open
    }

    /// Fills `to` with the bytes that start at `offset`.
    pub fn read(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        let mut state = self.state("read from")?;
        let reader = match state.reader.take() {
            Some(reader) => reader,
            None => self.vfs.open(&self.uri)?,
        };
        let size = reader.size()?;
        let read = match offset.checked_add(to.len() as u64) {
            Some(end) if end <= size => reader.read_at(offset, to),
            _ => Err(VfsError::BeyondEnd {
                uri: self.uri.to_string(),
                offset,
                len: to.len(),
                size,
            }
            .into()),
        };
        state.reader = Some(reader);
        read
    }

    /// Appends bytes.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        let mut state = self.state("write to")?;
        if state.writer.is_none() {
            state.writer = Some(if self.vfs.is_object_store(&self.uri) {
                self.vfs.create(&self.uri)?
            } else {
                self.vfs.append(&self.uri)?
            });
        }
        match &mut state.writer {
            Some(writer) => writer.write(bytes),
            None => Ok(()),
        }
    }

    /// Makes what was written durable.
    pub fn sync(&self) -> Result<()> {
        let mut state = self.state("sync")?;
        match &mut state.writer {
            Some(writer) => writer.sync(),
            None => self.vfs.sync(&self.uri),
        }
    }

    /// Closes the handle and makes what was written durable. A file opened for writing exists then,
    /// even if nothing was written.
    ///
    /// # Errors
    ///
    /// If what was written could not be stored, the handle is closed nevertheless: another attempt
    /// would store an empty object. If nothing was written, the handle stays open.
    pub fn close(&self) -> Result<()> {
        let mut state = self.state("close")?;
        let is_object = self.vfs.is_object_store(&self.uri);
        let writer = state.writer.take();
        // Storing what was written to a handle for reading would replace the whole object.
        if let Some(mut writer) = writer.filter(|_| !is_object || self.mode != FileMode::Read) {
            let stored = writer.sync().and_then(|()| writer.close());
            stored.inspect_err(|_| state.open = false)?;
        } else if is_object && self.mode == FileMode::Write {
            self.vfs.create(&self.uri)?.close()?;
        }
        if !is_object && self.mode != FileMode::Read && !self.vfs.is_file(&self.uri)? {
            self.vfs.touch(&self.uri)?;
        }
        state.reader = None;
        state.open = false;
        Ok(())
    }

    /// Returns the state of an open handle, or an error that names the rejected operation.
    fn state(&self, action: &str) -> Result<crate::platform::lock::MutexGuard<'_, State>> {
        let state = self.state.lock();
        if state.open {
            return Ok(state);
        }
        Err(VfsError::NotOpen {
            action: action.into(),
            uri: self.uri.to_string(),
        }
        .into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::context::Context;

    fn handle(mode: FileMode, vfs: &Arc<Vfs>) -> Result<FileHandle> {
        FileHandle::open(vfs, Uri::parse("mem://file")?, mode)
    }

    fn vfs() -> Arc<Vfs> {
        let context = Context::new(Config::new()).expect("context");
        Vfs::new(&context).expect("vfs")
    }

    #[test]
    fn a_file_comes_with_the_first_write_or_with_closing() {
        let vfs = vfs();
        let uri = Uri::parse("mem://file").expect("uri");
        let file = handle(FileMode::Write, &vfs).expect("opens");
        assert!(!vfs.is_file(&uri).expect("asks"));
        file.close().expect("closes");
        assert_eq!(vfs.file_size(&uri).ok(), Some(0));
        assert!(file.is_closed());
    }

    #[test]
    fn writing_replaces_and_appending_does_not() {
        let vfs = vfs();
        for (mode, bytes, whole) in [
            (FileMode::Write, "abc", "abc"),
            (FileMode::Append, "de", "abcde"),
            (FileMode::Write, "f", "f"),
        ] {
            let file = handle(mode, &vfs).expect("opens");
            file.write(bytes.as_bytes()).expect("writes");
            let mut first = [0];
            file.read(0, &mut first).expect("reads what it wrote");
            assert_eq!(first[0], whole.as_bytes()[0]);
            file.close().expect("closes");
            let uri = Uri::parse("mem://file").expect("uri");
            assert_eq!(vfs.read_all(&uri).expect("reads"), whole.as_bytes());
        }
    }

    #[test]
    fn a_closed_handle_refuses_everything() {
        let vfs = vfs();
        assert!(handle(FileMode::Read, &vfs).is_err(), "no such file");
        let file = handle(FileMode::Write, &vfs).expect("opens");
        file.close().expect("closes");
        for result in [
            file.close(),
            file.write(b"a"),
            file.read(0, &mut []),
            file.sync(),
        ] {
            let text = result.expect_err("closed").to_string();
            assert!(text.ends_with("because the file is not open"), "{text}");
        }
    }

    #[test]
    #[cfg(feature = "remote")]
    fn a_second_close_after_a_failure_does_not_store_an_empty_object() {
        use crate::vfs::{FaultyStore, StoreLimits};
        let context = Context::new(Config::new()).expect("context");
        let store = FaultyStore::new(StoreLimits::default());
        let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
        let uri = Uri::parse("s3://bucket/key").expect("uri");
        let write = |bytes: &[u8]| {
            let file = FileHandle::open(&vfs, uri.clone(), FileMode::Write).expect("opens");
            file.write(bytes).expect("buffers");
            file
        };
        write(b"old").close().expect("stores");
        let file = write(b"new");
        store.fail_once(store.changes());
        file.close().expect_err("the request fails");
        file.close().expect_err("the handle is closed");
        assert!(file.is_closed());
        assert_eq!(vfs.read_all(&uri).expect("reads"), b"old");
    }

    #[test]
    #[cfg(feature = "remote")]
    fn writing_to_a_handle_for_reading_does_not_replace_an_object() {
        use crate::vfs::{FaultyStore, StoreLimits};
        let context = Context::new(Config::new()).expect("context");
        let store = FaultyStore::new(StoreLimits::default());
        let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
        let uri = Uri::parse("s3://bucket/key").expect("uri");
        vfs.write_all(&uri, b"content").expect("writes");
        let file = FileHandle::open(&vfs, uri.clone(), FileMode::Read).expect("opens");
        file.write(b"x").expect("is ignored");
        file.close().expect("closes");
        assert_eq!(vfs.read_all(&uri).expect("reads"), b"content");
    }

    #[test]
    fn reads_past_the_end_report_both_sizes() {
        let vfs = vfs();
        let file = handle(FileMode::Write, &vfs).expect("opens");
        file.write(b"abc").expect("writes");
        let text = file.read(2, &mut [0; 2]).expect_err("too far").to_string();
        assert!(text.contains("Cannot read 2 bytes at 2 of"), "{text}");
    }

    #[test]
    fn modes_have_names() {
        for mode in [FileMode::Read, FileMode::Write, FileMode::Append] {
            assert_eq!(FileMode::from_name(mode.name()), Some(mode));
            assert_eq!(FileMode::from_code(mode as u32), Some(mode));
        }
        assert_eq!(FileMode::from_name("read"), None);
        assert_eq!(FileMode::from_code(3), None);
    }
}
