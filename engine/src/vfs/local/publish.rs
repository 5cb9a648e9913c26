//! Files that appear under their final name complete, in one step.

use std::io::{self, ErrorKind, Write};

use super::Local;
use crate::error::{Error, Result};
use crate::memory::with_descriptor;
use crate::platform::{self, UnnamedFile};
use crate::vfs::backend::{Backend, OpenMode, StagedFile};
use crate::vfs::{Uri, temporary_name};

/// A written file that gets its name later: one without a name or, if the file system does not
/// support this, one with a temporary name in `staging`, which a crash can leave behind.
#[derive(Debug)]
pub(super) struct LocalStaged<'a> {
    local: &'a Local,
    staging: Uri,
    uri: Uri,
    bytes: &'a [u8],
    /// The file, if it was created without a name. Its name appears in the folder that had the path
    /// when the file was created, even if another folder has the path later.
    file: Option<UnnamedFile>,
    /// The name until it is published, if it has one.
    temporary: Option<Uri>,
}

impl<'a> LocalStaged<'a> {
    pub(super) fn write(
        local: &'a Local,
        staging: &Uri,
        uri: &Uri,
        bytes: &'a [u8],
    ) -> Result<Self> {
        let mut file = Self {
            local,
            staging: staging.clone(),
            uri: uri.clone(),
            bytes,
            file: None,
            temporary: None,
        };
        match file.write_unnamed() {
            Ok(true) => {}
            Ok(false) => file.write_temporary()?,
            Err(error) => return Err(file.failed("write to file", error)),
        }
        Ok(file)
    }

    fn failed(&self, action: &'static str, error: io::Error) -> Error {
        Error::storage(action, self.uri.as_str(), error)
    }

    /// Writes a file without a name. Returns `false` if the file system does not support that.
    fn write_unnamed(&mut self) -> io::Result<bool> {
        let Some(parent) = self.uri.parent() else {
            return Err(ErrorKind::IsADirectory.into());
        };
        let Some(unnamed) =
            with_descriptor(|| platform::create_unnamed(parent.path(), self.local.file_mode))?
        else {
            return Ok(false);
        };
        let mut file = unnamed.file();
        file.write_all(self.bytes)?;
        self.file = Some(unnamed);
        Ok(true)
    }

    /// Writes a file with a temporary name.
    fn write_temporary(&mut self) -> Result<()> {
        let temporary = self.staging.join(&temporary_name());
        self.temporary = Some(temporary.clone());
        let mut sink = self.local.create(&temporary, OpenMode::Replace)?;
        sink.write_vectored(&mut [io::IoSlice::new(self.bytes)])?;
        sink.close()
    }
}

impl StagedFile for LocalStaged<'_> {
    fn sync(&mut self) -> Result<()> {
        // An empty file has no content; it becomes durable with its name.
        if self.bytes.is_empty() || !self.local.syncs_files() {
            return Ok(());
        }
        match &self.file {
            Some(unnamed) => unnamed
                .file()
                .sync_all()
                .map_err(|error| self.failed("sync file", error)),
            None => self
                .local
                .sync(self.temporary.as_ref().unwrap_or(&self.uri)),
        }
    }

    fn publish(&mut self) -> Result<()> {
        if let Some(unnamed) = &self.file {
            let named = unnamed.publish(self.uri.name());
            if named.map_err(|error| self.failed("write to file", error))? {
                return Ok(());
            }
            self.file = None;
            self.write_temporary()?;
            self.sync()?;
        }
        if let Some(temporary) = &self.temporary {
            self.local.rename(temporary, &self.uri)?;
            self.temporary = None;
        }
        Ok(())
    }
}

impl Drop for LocalStaged<'_> {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // If the file remains, readers ignore it and vacuum removes it.
            let _ = std::fs::remove_file(temporary.path());
        }
    }
}
