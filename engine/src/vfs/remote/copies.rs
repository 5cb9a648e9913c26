//! Copies of folders, in an order in which an interrupted copy of an array or group is not taken
//! for a complete one.

use super::backend::{ListDepth, Remote};
use super::store::{Location, refuse_inside};
use crate::error::Result;
use crate::http::failure::Failure;
use crate::vfs::{Uri, is_temporary, temporary_name};

/// The folder of the schemas and enumerations of an array.
const SCHEMAS: &str = "__schema";
/// The folder of enumerations in [`SCHEMAS`].
const ENUMERATIONS: &str = "__enumerations";

/// The names that make a folder an array or a group.
const MARKERS: [&str; 4] = [
    SCHEMAS,
    "__array_schema.tdb",
    "__group",
    "__tiledb_group.tdb",
];

/// The folders of arrays and groups that no creation makes before the marker.
const CONTENT: [&str; 4] = ["__commits", "__fragment_meta", "__fragments", "__meta"];

impl Remote {
    /// Copies objects: each from a location to another one, with its size in bytes.
    fn copy_all(&self, copies: &[(Location, Location, u64)]) -> Result<()> {
        let store = self.store()?;
        self.context
            .for_each_request(store.parallel(), copies.len(), |index| {
                let (from, to, size) = &copies[index];
                store.copy(from, to, *size).map_err(|failure| {
                    let uri = format!("{}://{}/{}", self.scheme.service(), from.bucket, from.key);
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
        refuse_inside(action, from, &source, &target)?;
        let mut copies = Vec::new();
        self.pages(action, from, ListDepth::All, |page| {
            copies.extend(page.objects.into_iter().map(|object| {
                let rest = object.key.strip_prefix(&prefix).unwrap_or_default();
                let to = target.with_key(format!("{new_prefix}{rest}"));
                (source.with_key(object.key), to, object.info.size)
            }));
            Ok(true)
        })?;
        // A copy that is interrupted has no commits, or is not an array or group yet.
        let rank_of = |from: &Location| rank(from.key.strip_prefix(&prefix).unwrap_or_default());
        copies.sort_by_key(|(from, ..)| rank_of(from));
        let schemas = format!("{prefix}{SCHEMAS}/");
        let is_schema =
            |from: &Location| rank_of(from) == CopyRank::Markers && from.key.starts_with(&schemas);
        // Several schemas make an array when all of them are copied.
        let pending = copies.iter().filter(|(from, ..)| is_schema(from)).nth(1);
        let pending =
            pending.map(|_| target.with_key(format!("{new_prefix}{SCHEMAS}/{}", temporary_name())));
        let failed = |failure: Failure| failure.into_error(action, to.as_str());
        if let Some(pending) = &pending {
            self.store()?.put(pending, &[]).map_err(failed)?;
        }
        for step in copies.chunk_by(|one, other| rank_of(&one.0) == rank_of(&other.0)) {
            self.copy_all(step)?;
        }
        if let Some(pending) = &pending {
            self.store()?.delete(pending).map_err(failed)?;
        }
        Ok(copies.into_iter().map(|(from, ..)| from.key).collect())
    }

    /// Removes the objects of a folder that were copied elsewhere: commits first, so that an
    /// interrupted removal leaves arrays without fragments. The rest is removed with one request if
    /// it can contain all, or else the markers after the content, and enumerations after the
    /// schemas that need them.
    pub(super) fn delete_copied(
        &self,
        action: &'static str,
        folder: &Location,
        keys: Vec<String>,
    ) -> Result<()> {
        let prefix = folder.prefix();
        let is_single_request = keys.len() <= self.delete_limit()?;
        let mut stages: [Vec<String>; 5] = Default::default();
        for key in keys {
            let copied_as = rank(key.strip_prefix(&prefix).unwrap_or_default());
            let stage = match copied_as {
                CopyRank::Commits => 0,
                _ if is_single_request => 1,
                CopyRank::Content => 1,
                CopyRank::NestedMarkers => 2,
                CopyRank::Markers => 3,
                CopyRank::Enumerations => 4,
            };
            stages[stage].push(key);
        }
        stages
            .iter()
            .try_for_each(|keys| self.delete_keys(action, &folder.bucket, keys))
    }

    /// Removes what an interrupted copy of an array left in a folder: content without all schemas.
    /// Returns `false`, and removes nothing, if the folder may contain anything else.
    pub(super) fn remove_interrupted_copy(&self, uri: &Uri) -> Result<bool> {
        let (mut has_content, mut has_schemas, mut has_others) = (false, false, false);
        self.visit_names(uri, |name| {
            has_content |= CONTENT.contains(&name);
            has_schemas |= name == SCHEMAS;
            has_others |= !name.starts_with("__") || name != SCHEMAS && MARKERS.contains(&name);
            !has_others
        })?;
        let (mut is_pending, mut has_file) = (false, false);
        if has_schemas && !has_others {
            self.visit_names(&uri.join(SCHEMAS), |name| {
                is_pending |= is_temporary(name);
                has_file |= name != ENUMERATIONS;
                !is_pending
            })?;
        }
        let is_copy = !has_others && (is_pending || has_content && !has_file);
        if is_copy {
            self.delete_below("delete directory", uri)?;
        }
        Ok(is_copy)
    }

    /// Passes the names in a folder to `visit` until it returns `false`.
    fn visit_names(&self, uri: &Uri, mut visit: impl FnMut(&str) -> bool) -> Result<()> {
        let prefix = self.locate(uri)?.prefix();
        self.pages("list directory", uri, ListDepth::Folder, |page| {
            let objects = page.objects.into_iter().map(|object| object.key);
            Ok(page.prefixes.into_iter().chain(objects).all(|key| {
                let name = key.strip_prefix(&prefix).unwrap_or_default();
                visit(name.trim_end_matches('/'))
            }))
        })
    }
}

/// The ranks of objects of a folder, in the order in which they are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CopyRank {
    Content,
    Commits,
    /// The enumerations, without which a schema is not complete.
    Enumerations,
    /// The markers of the arrays and groups in the folder.
    NestedMarkers,
    /// The markers of the folder itself.
    Markers,
}

/// Returns the rank of an object by its name below the folder.
fn rank(name: &str) -> CopyRank {
    let mut parts = name.split('/');
    let first = parts.next().unwrap_or_default();
    if name.contains("__schema/__enumerations/") {
        CopyRank::Enumerations
    } else if MARKERS.contains(&first) {
        CopyRank::Markers
    } else if parts.any(|part| MARKERS.contains(&part)) {
        CopyRank::NestedMarkers
    } else if first == "__commits" || name.contains("/__commits/") {
        CopyRank::Commits
    } else {
        CopyRank::Content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_marks_an_array_is_copied_after_its_content() {
        let names = [
            "__fragments/f/a0.tdb",
            "__commits/f.wrt",
            "__schema/__enumerations/e",
            "__labels/l0/__schema/s",
            "__schema/s",
        ];
        let ranks = [
            CopyRank::Content,
            CopyRank::Commits,
            CopyRank::Enumerations,
            CopyRank::NestedMarkers,
            CopyRank::Markers,
        ];
        assert_eq!(names.map(rank), ranks);
        assert!(ranks.is_sorted());
        let content = rank("member/__fragments/__schema_like/a");
        assert_eq!(content, CopyRank::Content);
        assert_eq!(rank("__group/g"), CopyRank::Markers);
    }
}
