//! All files of an array, whether a reader sees them or not, for checks.

use std::sync::Arc;

use super::commits::{CommitScope, Commits};
use super::deletes;
use super::instant::open_repeatedly;
use super::key;
use super::schemas::Schemas;
use crate::config::Config;
use crate::error::{Cause, Result};
use crate::fragment::{Fragment, FragmentOpener};
use crate::schema::ArraySchema;
use crate::types::{EncryptionKey, TimeRange, Timestamp};
use crate::vfs::{StorageView, Uri, Vfs};

/// The files of an array at the time of listing.
#[derive(Debug)]
pub struct ArrayFiles {
    view: StorageView,
    array: Uri,
    /// The key of an encrypted array.
    pub key: Option<EncryptionKey>,
    schemas: Schemas,
    commits: Commits,
}

impl ArrayFiles {
    /// Lists an array. The key is that of `config`, or else that of the context.
    ///
    /// # Errors
    ///
    /// Returns an error if the array does not exist, or if a list of commits cannot be read.
    pub fn list(vfs: &Arc<Vfs>, array: &Uri, config: &Config) -> Result<Self> {
        let view = vfs.view();
        let key = key::of_config_or_context(vfs, config)?;
        Ok(Self {
            schemas: Schemas::list(&view, array, key.as_ref())?,
            commits: all_commits(&view, array)?,
            view,
            array: array.clone(),
            key,
        })
    }

    /// Returns an error if the array is encrypted with another key, or without one.
    pub fn check_key(&self) -> Result<()> {
        let latest = self.schemas.latest(Timestamp::MAX)?;
        match self.schemas.get(Some(latest)) {
            Ok(_) => Ok(()),
            Err(error) => match error.cause() {
                Cause::Corrupt { .. } | Cause::Storage { .. } => Ok(()),
                _ => Err(error),
            },
        }
    }

    /// Returns the schema files, each with its content or the reason why it cannot be read.
    pub fn schemas(&self) -> Result<Vec<(Uri, Result<Arc<ArraySchema>>)>> {
        let names = self.schemas.file_names()?;
        Ok(names
            .into_iter()
            .map(|name| (self.schemas.uri(&name), self.schemas.get(Some(&name))))
            .collect())
    }

    /// Returns all committed fragments, including those that others replace: the URI of the folder,
    /// and the fragment, opened by its own file, or the reason why it cannot be opened. A fragment
    /// that only a consolidated file commits and that was removed since is not returned.
    pub fn fragments(&self) -> Result<Vec<(Uri, Result<Fragment>)>> {
        let schema = |name: Option<&str>| self.schemas.get(name);
        let opener = FragmentOpener {
            view: &self.view,
            key: self.key.as_ref(),
            common_schema: None,
            schema: &schema,
        };
        let mut found = Vec::new();
        for committed in self.commits.fragments(&self.view)? {
            let uri = committed.uri().clone();
            if committed.only_consolidated && !self.view.is_dir(&uri)? {
                continue;
            }
            found.push((uri, opener.open(None, committed)));
        }
        Ok(found)
    }

    /// Returns whether another process has removed a committed fragment since the listing. A vacuum
    /// removes the commit before the files, or the folder if only a consolidated file commits it.
    pub fn is_removed(&self, fragment: &Uri) -> Result<bool> {
        let commits = all_commits(&self.view, &self.array)?;
        let committed = commits.fragments(&self.view)?;
        let mut committed = committed.iter();
        match committed.find(|committed| committed.name().as_str() == fragment.name()) {
            Some(committed) => Ok(committed.only_consolidated && !self.view.is_dir(fragment)?),
            None => Ok(true),
        }
    }

    /// Returns the names of the delete commits, each with the reason why it cannot be read.
    pub fn deletes(&self) -> Result<Vec<(Uri, Result<()>)>> {
        let deletes = deletes::deletes(&self.commits, TimeRange::ALL, |_| Ok(None))?;
        Ok(deletes
            .iter()
            .filter(|delete| !delete.is_update())
            .map(|delete| {
                let condition = delete.condition(&self.view.vfs, self.key.as_ref());
                let uri = self.array.join(&delete.marker());
                (uri, condition.map(drop))
            })
            .collect())
    }
}

/// Reads all commits. Another process may remove a consolidated file after it was listed.
fn all_commits(view: &StorageView, array: &Uri) -> Result<Commits> {
    open_repeatedly(&view.vfs, array, |lock| {
        Commits::read(view, array, CommitScope::all(lock))
    })
}
