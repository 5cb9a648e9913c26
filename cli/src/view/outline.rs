//! Outlines of arrays in object stores, from the names of their files alone. To open an array takes
//! a request for each fragment, and to list the names one for each thousand files. All states of an
//! array are opened from one listing.

use std::collections::BTreeSet;
use std::ops::{RangeInclusive, RangeToInclusive};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tiledb_engine::{Array, ArrayListing, Context, TypedValues};

use super::session::{RequestPart, check};
use crate::problem::{Problem, Result};

/// The most files that are looked at.
const MAX_FILES: usize = 100_000;
/// The most fragments of a response.
const MAX_FRAGMENTS: usize = 1000;
/// The number of fragments that views show first, the newest ones.
const NEWEST: usize = 8;
/// The fragments up to which views show all at once.
const FEW: usize = 2 * NEWEST;
/// The folders of an array that are listed; the last one is that of the array.
const FOLDERS: [&str; 5] = ["__commits", "__fragments", "__schema", "__meta", ""];

/// The fragments and events of a state of an array.
#[derive(Debug)]
pub(super) struct Outline {
    listing: Arc<Listing>,
    /// The time of the state.
    pub(super) timestamp: u64,
    /// The fragments and the files that are events, in the order of their times.
    pub(super) files: Vec<NamedFile>,
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
    /// Creates the outline of the state at a time; without one, of the latest state.
    pub(super) fn new(listing: Arc<Listing>, timestamp: Option<u64>) -> Self {
        let timestamp = timestamp.unwrap_or(listing.timestamp);
        Self {
            timestamp,
            files: listing.files(timestamp),
            is_complete: !listing.is_cut,
            listing,
        }
    }

    /// Returns the files that the array is opened from.
    pub(super) fn listing(&self) -> &Listing {
        &self.listing
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

    /// Returns the beginning of a time range with few fragments, or without fragments, in which the
    /// array has the schema of the state.
    pub(super) fn schema_start(&self) -> u64 {
        match self.newest_start() {
            Some(start) => start,
            None if self.fragments().count() <= FEW => 0,
            None => self.timestamp,
        }
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
            "complete": self.is_complete,
            "timestamp": self.timestamp,
        })
    }
}

/// The files of an array.
#[derive(Debug, Default)]
pub(super) struct Listing {
    files: Option<ArrayListing>,
    /// The time at which it was listed.
    timestamp: u64,
    /// The folders of fragments.
    folders: BTreeSet<String>,
    /// The names of fragments with a commit file.
    committed: BTreeSet<String>,
    /// Whether there are files that commit several fragments.
    has_consolidated_commits: bool,
    /// The time ranges of the fragments that replace others.
    replacing: Vec<(u64, u64)>,
    others: Vec<NamedFile>,
    is_cut: bool,
}

impl Listing {
    /// Lists the files of an array. Folders that the listing does not contain, because it is long,
    /// are listed at the same time.
    pub(super) fn new(context: &Context, uri: &str) -> Result<Self> {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
        let timestamp = elapsed.map_or(u64::MAX - 1, |elapsed| elapsed.as_millis() as u64);
        let files = ArrayListing::new(context, uri)?;
        check()?;
        let request = &RequestPart::new(context);
        let lists = std::thread::scope(|scope| {
            let threads = FOLDERS.map(|folder| {
                let files = &files;
                scope.spawn(move || request.run(|| files.entries(folder)))
            });
            threads.map(std::thread::ScopedJoinHandle::join)
        });
        let mut listing = Self {
            files: Some(files),
            timestamp,
            ..Self::default()
        };
        let mut seen = 0;
        for (folder, entries) in FOLDERS.iter().zip(lists) {
            let entries = entries.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            for entry in entries? {
                seen += 1;
                listing.is_cut |= seen > MAX_FILES;
                if !listing.is_cut {
                    listing.add(folder, entry.name.trim_end_matches('/'));
                }
            }
        }
        check()?;
        Ok(listing)
    }

    fn array(&self) -> Result<&ArrayListing> {
        let files = self.files.as_ref();
        files.ok_or_else(|| Problem::usage("the array was not listed"))
    }

    /// Opens the array in a range of timestamps.
    pub(super) fn open_at(&self, timestamps: RangeInclusive<u64>) -> Result<Array> {
        Ok(self.array()?.open_at(timestamps)?)
    }

    /// Returns the metadata that was written until a time.
    pub(super) fn metadata_at(
        &self,
        timestamps: RangeToInclusive<u64>,
    ) -> Result<Vec<(String, TypedValues)>> {
        Ok(self.array()?.metadata_at(timestamps)?)
    }

    /// Returns the sum of the sizes of the files, if all are listed.
    pub(super) fn bytes(&self) -> Option<u64> {
        let (_, bytes) = self.files.as_ref()?.size()?;
        Some(bytes)
    }

    /// Adds a file or a folder in a folder of the array; of old formats, in that of the array.
    fn add(&mut self, folder: &str, name: &str) {
        let mut event = |kind| {
            if let Some((start, end)) = timestamps(name) {
                let name = name.to_owned();
                self.others.push(NamedFile {
                    kind,
                    name,
                    start,
                    end,
                });
            }
        };
        match (folder, name.rsplit_once('.')) {
            ("__commits", Some((fragment, "wrt"))) | ("", Some((fragment, "ok"))) => {
                self.committed.insert(fragment.to_owned());
            }
            ("__commits", Some((_, "con"))) => self.has_consolidated_commits = true,
            ("__commits", Some((_, "del"))) => event("delete"),
            ("__commits" | "", Some((fragment, "vac"))) => {
                self.replacing.extend(timestamps(fragment));
            }
            ("__schema", None) => event("evolution"),
            ("__meta", None) => event("metadata"),
            ("__fragments" | "", None) if timestamps(name).is_some() => {
                self.folders.insert(name.to_owned());
            }
            _ => {}
        }
    }

    /// Returns the fragments and events until a time, in the order of their times.
    fn files(&self, until: u64) -> Vec<NamedFile> {
        let is_committed =
            |name: &String| self.has_consolidated_commits || self.committed.contains(name);
        let folders = self.folders.iter().filter(|name| is_committed(name));
        let fragments = folders.filter_map(|name| {
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
        for (folder, name) in [
            ("__schema", "__1_1_a"),
            ("__schema", "__enumerations"),
            ("__fragments", "__2_2_b_22"),
            ("__fragments", "__3_3_c_22"),
            ("__fragments", "__2_3_d_22"),
            ("__fragments", "__4_4_e_22"),
            ("__commits", "__2_2_b_22.wrt"),
            ("__commits", "__3_3_c_22.wrt"),
            ("__commits", "__2_3_d_22.wrt"),
            ("__commits", "__2_3_d_22.vac"),
            ("__commits", "__5_5_f_22.del"),
            ("__meta", "__6_6_g"),
            ("__meta", "__6_6_g.vac"),
            ("", "__meta"),
            ("", "other"),
        ] {
            listing.add(folder, name);
        }
        let found = |listing: &Listing, until| {
            let files = listing.files(until).into_iter();
            files
                .map(|file| (file.kind, file.start, file.end))
                .collect::<Vec<_>>()
        };
        // The fragment of time 4 has no commit.
        assert_eq!(
            found(&listing, 9),
            [
                ("evolution", 1, 1),
                ("replaced", 2, 2),
                ("consolidation", 2, 3),
                ("replaced", 3, 3),
                ("delete", 5, 5),
                ("metadata", 6, 6),
            ]
        );
        assert_eq!(found(&listing, 2).len(), 2);
        listing.has_consolidated_commits = true;
        assert_eq!(found(&listing, 9).len(), 7);
    }

    #[test]
    fn fragments_of_old_formats_are_in_the_folder_of_the_array() {
        let mut listing = Listing::default();
        for name in ["__7_7_a_4.ok", "__7_7_a_4", "__array_schema.tdb"] {
            listing.add("", name);
        }
        let files = listing.files(u64::MAX);
        assert_eq!(files.len(), 1);
        assert_eq!((files[0].kind, files[0].start), ("write", 7));
    }
}
