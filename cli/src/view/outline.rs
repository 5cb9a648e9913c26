//! What the names of the files of an array in an object store show, before fragments are opened:
//! each fragment takes a request, and the names of all files take one for each thousand of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tiledb_engine::{Array, Context, TypedValues};

use super::session::check;
use crate::problem::Result;

/// The most files that are looked at.
const MAX_FILES: usize = 100_000;
/// The most fragments of a response.
const MAX_FRAGMENTS: usize = 1000;
/// The number of fragments that views show first, the newest ones.
const NEWEST: usize = 8;
/// The fragments up to which views show all at once.
const FEW: usize = 2 * NEWEST;

/// An array without its fragments.
#[derive(Debug)]
pub(super) struct Outline {
    /// The array, open at a time range without fragments. It has the schema of `timestamp`.
    pub(super) array: Array,
    /// The time of the state.
    timestamp: u64,
    /// The fragments and the files that are events, in the order of their times.
    pub(super) files: Vec<NamedFile>,
    bytes: u64,
    /// Whether all files were looked at.
    pub(super) is_complete: bool,
}

/// A fragment, or a file that is an event in the life of an array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NamedFile {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) bytes: u64,
}

/// Returns the timestamps in the name of a file or folder, `__START_END_ID`.
pub(super) fn timestamps(name: &str) -> Option<(u64, u64)> {
    let mut parts = name.strip_prefix("__")?.split('_');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Returns whether the files of an array are in an object store.
pub(super) fn has_outline(uri: &str) -> bool {
    let scheme = uri.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| !matches!(scheme, "file" | "mem" | "tiledb"))
}

impl Outline {
    /// Lists the files of an array and opens its schema at the same time. Without a timestamp, the
    /// state is the latest one.
    pub(super) fn open(context: &Context, uri: &str, timestamp: Option<u64>) -> Result<Self> {
        let now = || {
            let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
            elapsed.map_or(u64::MAX - 1, |elapsed| elapsed.as_millis() as u64)
        };
        let timestamp = timestamp.unwrap_or_else(now);
        let (array, listed) = std::thread::scope(|scope| {
            let listing = scope.spawn(|| Listing::of(context, uri));
            // The latest schema of a state does not depend on the beginning of its time range.
            let array = Array::open_at(context, uri, timestamp..=timestamp);
            (array, listing.join())
        });
        let listing = listed.unwrap_or_else(|_| Ok(Listing::default()))?;
        check()?;
        Ok(Self {
            array: array?,
            timestamp,
            files: listing.files(timestamp),
            bytes: listing.bytes,
            is_complete: !listing.is_cut,
        })
    }

    /// Returns the fragments that a read of the state sees, oldest first.
    pub(super) fn fragments(&self) -> impl Iterator<Item = &NamedFile> {
        let is_fragment = |file: &&NamedFile| matches!(file.kind, "write" | "consolidation");
        self.files.iter().filter(is_fragment)
    }

    /// Returns the beginning of a time range with the newest fragments; `None` if the fragments are
    /// few, or the newest ones have the same time.
    pub(super) fn newest_start(&self) -> Option<u64> {
        let mut starts: Vec<u64> = self.fragments().map(|fragment| fragment.start).collect();
        if starts.len() <= FEW {
            return None;
        }
        starts.sort_unstable();
        let start = starts[starts.len() - NEWEST];
        let number = starts.iter().filter(|other| **other >= start).count();
        (number <= FEW).then_some(start)
    }

    /// Returns the metadata of the state.
    pub(super) fn metadata(&self) -> Result<Vec<(String, TypedValues)>> {
        Ok(self.array.metadata_at(..=self.timestamp)?)
    }

    /// Returns the number of fragments, the last ones, and how many of them views show first.
    pub(super) fn json(&self) -> Value {
        let number = self.fragments().count();
        let last = self.fragments().skip(number.saturating_sub(MAX_FRAGMENTS));
        let last = last.map(|fragment| {
            json!({
                "name": fragment.name,
                "start": fragment.start,
                "end": fragment.end,
                "bytes": fragment.bytes,
            })
        });
        let newest = self.newest_start().map_or(0, |start| {
            let newest = self.fragments().filter(|fragment| fragment.start >= start);
            newest.count()
        });
        json!({
            "fragments": number,
            "last_fragments": last.collect::<Vec<_>>(),
            "newest": newest,
            "bytes": self.bytes,
            "complete": self.is_complete,
            "timestamp": self.timestamp,
        })
    }
}

/// The files of an array.
#[derive(Debug, Default)]
struct Listing {
    /// The folders of fragments, with the bytes of their files.
    folders: BTreeMap<String, u64>,
    /// The names of fragments with a commit file.
    committed: BTreeSet<String>,
    /// Whether there are files that commit several fragments.
    has_consolidated_commits: bool,
    /// The time ranges of the fragments that replace others.
    replacing: Vec<(u64, u64)>,
    others: Vec<NamedFile>,
    bytes: u64,
    is_cut: bool,
}

impl Listing {
    fn of(context: &Context, uri: &str) -> Result<Self> {
        let mut listing = Self::default();
        let prefix = format!("{}/", uri.trim_end_matches('/'));
        let mut seen = 0;
        context.vfs().walk(&prefix, |file, entry| {
            seen += 1;
            listing.is_cut = seen > MAX_FILES;
            if listing.is_cut {
                return ControlFlow::Break(());
            }
            if let Some(path) = file.strip_prefix(&prefix) {
                listing.add(path, entry.size);
            }
            ControlFlow::Continue(())
        })?;
        Ok(listing)
    }

    /// Adds a file with its path in the array.
    fn add(&mut self, path: &str, bytes: u64) {
        self.bytes += bytes;
        let parts: Vec<&str> = path.split('/').collect();
        let mut event = |kind, name: &str| {
            if let Some((start, end)) = timestamps(name) {
                let name = name.to_owned();
                self.others.push(NamedFile {
                    kind,
                    name,
                    start,
                    end,
                    bytes,
                });
            }
        };
        match parts[..] {
            ["__fragments", fragment, ..] => {
                *self.folders.entry(fragment.to_owned()).or_default() += bytes;
            }
            ["__commits", file] => match file.rsplit_once('.') {
                Some((fragment, "wrt")) => {
                    self.committed.insert(fragment.to_owned());
                }
                Some((_, "con")) => self.has_consolidated_commits = true,
                Some((_, "del")) => event("delete", file),
                Some((fragment, "vac")) => self.replacing.extend(timestamps(fragment)),
                _ => {}
            },
            ["__schema", file] => event("evolution", file),
            ["__meta", file] if !file.ends_with(".vac") => event("metadata", file),
            // Arrays of old formats have fragments in their folder.
            [file] => match file.rsplit_once('.') {
                Some((fragment, "ok")) => {
                    self.committed.insert(fragment.to_owned());
                }
                Some((fragment, "vac")) => self.replacing.extend(timestamps(fragment)),
                _ => {}
            },
            [fragment, ..] if timestamps(fragment).is_some() => {
                *self.folders.entry(fragment.to_owned()).or_default() += bytes;
            }
            _ => {}
        }
    }

    /// Returns the fragments and events until a time, in the order of their times.
    fn files(&self, until: u64) -> Vec<NamedFile> {
        let is_committed =
            |name: &String| self.has_consolidated_commits || self.committed.contains(name);
        let folders = self.folders.iter().filter(|(name, _)| is_committed(name));
        let fragments = folders.filter_map(|(name, bytes)| {
            let (start, end) = timestamps(name)?;
            let is_replaced = self
                .replacing
                .iter()
                .any(|range| *range != (start, end) && range.0 <= start && end <= range.1);
            let kind = match (is_replaced, start < end) {
                (true, _) => "replaced",
                (false, true) => "consolidation",
                (false, false) => "write",
            };
            Some(NamedFile {
                kind,
                name: name.clone(),
                start,
                end,
                bytes: *bytes,
            })
        });
        let all = self.others.iter().cloned().chain(fragments);
        let mut files: Vec<NamedFile> = all.filter(|file| file.end <= until).collect();
        files.sort_by(|one, other| {
            (one.start, one.end, &one.name).cmp(&(other.start, other.end, &other.name))
        });
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_an_array_are_fragments_and_events() {
        let mut listing = Listing::default();
        for (path, bytes) in [
            ("__schema/__1_1_a", 10),
            ("__schema/__enumerations/x", 10),
            ("__fragments/__2_2_b_22/a0.tdb", 5),
            ("__fragments/__2_2_b_22/__fragment_metadata.tdb", 7),
            ("__fragments/__3_3_c_22/a0.tdb", 1),
            ("__fragments/__2_3_d_22/a0.tdb", 1),
            ("__fragments/__4_4_e_22/a0.tdb", 1),
            ("__commits/__2_2_b_22.wrt", 0),
            ("__commits/__3_3_c_22.wrt", 0),
            ("__commits/__2_3_d_22.wrt", 0),
            ("__commits/__2_3_d_22.vac", 9),
            ("__commits/__5_5_f_22.del", 3),
            ("__meta/__6_6_g", 3),
            ("__meta/__6_6_g.vac", 3),
            ("other", 1),
        ] {
            listing.add(path, bytes);
        }
        assert_eq!(listing.bytes, 60);
        let found = |until| {
            let files = listing.files(until).into_iter();
            files
                .map(|file| (file.kind, file.start, file.end, file.bytes))
                .collect::<Vec<_>>()
        };
        // The fragment of time 4 has no commit.
        assert_eq!(
            found(9),
            [
                ("evolution", 1, 1, 10),
                ("replaced", 2, 2, 12),
                ("consolidation", 2, 3, 1),
                ("replaced", 3, 3, 1),
                ("delete", 5, 5, 3),
                ("metadata", 6, 6, 3),
            ]
        );
        assert_eq!(found(2).len(), 2);
        listing.has_consolidated_commits = true;
        assert_eq!(found(9).len(), 7);
    }

    #[test]
    fn fragments_of_old_formats_are_in_the_folder_of_the_array() {
        let mut listing = Listing::default();
        listing.add("__7_7_a_4.ok", 0);
        listing.add("__7_7_a_4/a.tdb", 8);
        listing.add("__array_schema.tdb", 8);
        let files = listing.files(u64::MAX);
        assert_eq!(files.len(), 1);
        assert_eq!((files[0].kind, files[0].bytes), ("write", 8));
    }
}
