//! Folders of services that store directories as entries.

use super::backend::{ListDepth, Remote};
use super::store::{Directories, DirectoryContent, ExistingTarget, Location};
use crate::error::Result;
use crate::vfs::Uri;

impl Remote {
    /// Returns the operations on directories, if the service has any and `folder`, the location of
    /// `uri`, is not a whole bucket.
    pub(super) fn directories(
        &self,
        action: &'static str,
        uri: &Uri,
        folder: &Location,
    ) -> Result<Option<&dyn Directories>> {
        if folder.prefix().is_empty() {
            return Ok(None);
        }
        let found = self.store()?.directories(&folder.bucket);
        found.map_err(|failure| failure.into_error(action, uri.as_str()))
    }

    /// Removes everything below a folder, and the folder if it is an entry.
    pub(super) fn remove_folder(&self, action: &'static str, uri: &Uri) -> Result<()> {
        let folder = self.locate(uri)?;
        if let Some(directories) = self.directories(action, uri, &folder)? {
            let removed = directories.remove_directory(&folder, DirectoryContent::Remove);
            return removed
                .map(drop)
                .map_err(|failure| failure.into_error(action, uri.as_str()));
        }
        self.delete_below(action, uri)?;
        if !folder.prefix().is_empty() {
            return Ok(());
        }
        // Only directories are left in the bucket.
        let mut left = Vec::new();
        let has_directories = self.store()?.directories(&folder.bucket);
        let failed =
            |failure: crate::http::failure::Failure| failure.into_error(action, uri.as_str());
        let Some(directories) = has_directories.map_err(failed)? else {
            return Ok(());
        };
        self.pages(action, uri, ListDepth::Folder, |page| {
            left.extend(page.prefixes);
            Ok(true)
        })?;
        for directory in left {
            let directory = folder.with_key(directory);
            let removed = directories.remove_directory(&directory, DirectoryContent::Remove);
            removed.map_err(failed)?;
        }
        Ok(())
    }

    /// Renames a directory to a name at which nothing or an empty directory exists. Returns `false`
    /// if something else exists there.
    pub(super) fn publish_directory(
        &self,
        directories: &dyn Directories,
        from: &Uri,
        to: &Uri,
    ) -> Result<bool> {
        let (source, target) = (self.locate(from)?, self.locate(to)?);
        let published = directories
            .remove_directory(&target, DirectoryContent::Keep)
            .and_then(|_| directories.rename(&source, &target, ExistingTarget::Keep));
        published.map_err(|failure| failure.into_error("move", from.as_str()))
    }
}
