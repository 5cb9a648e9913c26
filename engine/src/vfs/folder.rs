//! Files below a folder that is kept open, so that opening each does not resolve the folder's path.

use super::Uri;
use super::backend::OpenFolder;
use super::vfs::Vfs;
use crate::error::Result;

/// A folder of which many files are read.
#[derive(Debug)]
pub struct Folder<'a> {
    vfs: &'a Vfs,
    uri: Uri,
    /// The open folder, on storage that has such.
    open: Option<Box<dyn OpenFolder>>,
}

impl Vfs {
    /// Opens a folder to read files below it. A missing folder is not an error: its files are.
    pub fn open_folder(&self, uri: &Uri) -> Result<Folder<'_>> {
        Ok(Folder {
            vfs: self,
            uri: uri.clone(),
            open: self.backend(uri)?.open_folder(uri),
        })
    }
}

impl Folder<'_> {
    /// Returns the URI.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Returns the last bytes, at most `most`, of the file with a relative path, and the size of
    /// the file.
    pub fn read_tail(&self, path: &str, most: u64) -> Result<(Vec<u8>, u64)> {
        let Some(open) = &self.open else {
            return self.vfs.open(&self.uri.join(path))?.read_tail(most);
        };
        let (bytes, size) = open.read_tail(path, most)?;
        self.vfs.count_read(bytes.len());
        Ok((bytes, size))
    }
}
