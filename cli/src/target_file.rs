//! Files that appear under their final name when they are complete.

use std::fs::{self, File, Metadata};
use std::io::{BufWriter, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempPath};

use crate::problem::{Problem, Result};

/// A file that is being written next to its final name. It is removed unless it is finished.
pub(crate) struct TargetFile {
    writer: BufWriter<File>,
    temporary: TempPath,
    /// The path as the user wrote it, for errors.
    path: String,
    /// The path of the file that is created or replaced.
    target: PathBuf,
}

impl TargetFile {
    /// Creates a temporary file in the folder of `path`. Returns an error if something other than a
    /// file, such as a device, has this path: the final name would replace it.
    pub(crate) fn create(path: &str) -> Result<Self> {
        Problem::check_path(path)?;
        let failed = |error| Problem::file("create", path, &error);
        let existing = match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => {
                return Err(Problem::usage(format!("'{path}' is not a file")).hint(
                    "give the name of a new file; `tiledb-rs cat --format csv` prints cells",
                ));
            }
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let target = match &existing {
            // A symbolic link stays, and its target is replaced.
            Some(_) => fs::canonicalize(path).map_err(failed)?,
            None => path.into(),
        };
        let folder = target.parent();
        let folder = folder.filter(|parent| !parent.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let file = builder(existing.as_ref()).tempfile_in(folder);
        let file = file.map_err(failed)?;
        // Errors of the file alone do not name the temporary file.
        let (file, temporary) = file.into_parts();
        Ok(Self {
            writer: BufWriter::new(file),
            temporary,
            path: path.to_owned(),
            target,
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
        self.temporary
            .persist(&self.target)
            .map_err(|error| failed(&error.error))
    }
}

/// Returns a builder of temporary files, which are private by default. The file gets the
/// permissions of the file that it replaces, or those that the mask of the process gives new files.
#[cfg(unix)]
fn builder(existing: Option<&Metadata>) -> Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mode = existing.map_or(0o666, |metadata| metadata.permissions().mode() & 0o666);
    let mut builder = Builder::new();
    builder.permissions(PermissionsExt::from_mode(mode));
    builder
}

#[cfg(not(unix))]
fn builder(_: Option<&Metadata>) -> Builder<'static, 'static> {
    Builder::new()
}
