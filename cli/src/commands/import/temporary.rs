//! An array or a group under a temporary name, which gets its final name when it is complete.

use std::time::{SystemTime, UNIX_EPOCH};

use tiledb_engine::{Context, ObjectType};

use crate::problem::Result;

/// An array or a group that is being imported under a temporary name: an import that is killed
/// leaves nothing at the target. It is removed unless it is published.
pub(super) struct TemporaryArray<'a> {
    context: &'a Context,
    pub(super) uri: String,
    target: &'a str,
    published: bool,
}

impl<'a> TemporaryArray<'a> {
    pub(super) fn new(context: &'a Context, target: &'a str) -> Self {
        // Another machine may import into the same bucket.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_millis());
        let id = std::process::id();
        Self {
            context,
            uri: format!("{}.importing-{id}-{now}", target.trim_end_matches('/')),
            target,
            published: false,
        }
    }

    pub(super) fn publish(mut self) -> Result<()> {
        self.context.rename(&self.uri, self.target)?;
        self.published = true;
        Ok(())
    }
}

impl Drop for TemporaryArray<'_> {
    fn drop(&mut self) {
        let exists = || {
            let kind = self.context.object_type(&self.uri);
            matches!(kind, Ok(ObjectType::Array | ObjectType::Group))
        };
        if !self.published && exists() {
            // The error that ended the import is reported.
            let _ = self.context.remove(&self.uri);
        }
    }
}
