//! Copies of folders.

use std::io::ErrorKind;

use super::backend::Remote;
use super::store::Location;
use crate::error::{Error, Result};
use crate::vfs::Uri;

impl Remote {
    /// Copies objects given by their keys and sizes to other keys.
    fn copy_all(&self, pairs: &[(Location, Location, u64)]) -> Result<()> {
        let store = self.store()?;
        self.shared
            .for_each(store.parallel(), pairs.len(), &|index| {
                let (from, to, size) = &pairs[index];
                store.copy(from, to, *size).map_err(|failure| {
                    let uri = format!("{}://{}/{}", self.shared.prefix(), from.bucket, from.key);
                    failure.into_error("copy", &uri)
                })
            })
    }

    /// Copies everything below a folder. Returns the keys that were copied.
    pub(super) fn copy_folder(
        &self,
        action: &'static str,
        from: &Uri,
        to: &Uri,
    ) -> Result<Vec<String>> {
        let (source, target) = (self.locate(from)?, self.locate(to)?);
        let (prefix, new_prefix) = (source.prefix(), target.prefix());
        if source.bucket == target.bucket && new_prefix.starts_with(&prefix) {
            return Err(Error::storage(
                action,
                from.as_str(),
                ErrorKind::InvalidInput.into(),
            ));
        }
        let mut pairs = Vec::new();
        self.pages(action, from, false, |page| {
            pairs.extend(page.objects.into_iter().map(|object| {
                let rest = object.key.strip_prefix(&prefix).unwrap_or_default();
                let new = target.with_key(format!("{new_prefix}{rest}"));
                (source.with_key(object.key.clone()), new, object.info.size)
            }));
            Ok(true)
        })?;
        // A copy that is interrupted has no commits, or is not an array or group yet.
        self.copy_all(&pairs)?;
        Ok(pairs.into_iter().map(|(from, ..)| from.key).collect())
    }
}
