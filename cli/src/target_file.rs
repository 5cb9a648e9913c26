//! Files that appear under their final name when they are complete.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};

use crate::problem::{Problem, Result};

/// A file that is being written next to its final name. It is removed unless it is finished.
pub(crate) struct TargetFile {
    writer: BufWriter<File>,
    temporary: TempPath,
    path: String,
}

impl TargetFile {
    /// Creates a temporary file in the folder of `path`.
    pub(crate) fn create(path: &str) -> Result<Self> {
        Problem::check_path(path)?;
        let folder = Path::new(path).parent();
        let folder = folder.filter(|parent| !parent.as_os_str().is_empty());
        let file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
        let file = file.map_err(|error| Problem::file("create", path, &error))?;
        // Errors of the file alone do not name the temporary file.
        let (file, temporary) = file.into_parts();
        Ok(Self {
            writer: BufWriter::new(file),
            temporary,
            path: path.to_owned(),
        })
    }

    /// Returns the writer of the content.
    pub(crate) fn writer(&mut self) -> &mut (impl Write + Seek + Send) {
        &mut self.writer
    }

    /// Gives the file its final name.
    pub(crate) fn finish(self) -> Result<()> {
        let failed = |error: &std::io::Error| Problem::file("write", &self.path, error);
        let file = self
            .writer
            .into_inner()
            .map_err(|error| failed(error.error()))?;
        file.sync_all().map_err(|error| failed(&error))?;
        make_readable(&file);
        self.temporary
            .persist(&self.path)
            .map_err(|error| failed(&error.error))
    }
}

/// Gives a file the permissions of other files; temporary files are private.
#[cfg(unix)]
fn make_readable(file: &File) {
    use std::os::unix::fs::PermissionsExt;
    // Without the permissions the file is still complete.
    let _ = file.set_permissions(PermissionsExt::from_mode(0o644));
}

#[cfg(not(unix))]
fn make_readable(_: &File) {}
