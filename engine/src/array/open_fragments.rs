//! Opens the fragments of a listing: with their footers in consolidated metadata, or by the files
//! of the fragments.

use std::sync::Arc;

use hashbrown::HashMap;

use super::listing::ListedFragment;
use crate::error::Result;
use crate::format::fragment::read_consolidated;
use crate::format::names::folders;
use crate::format::version as v;
use crate::fragment::{Fragment, FragmentLocation, FragmentOpener};
use crate::memory::tuning::{FRAGMENTS_PER_TASK, MIN_FRAGMENTS_OF_FOLDER};
use crate::platform::lock::Mutex;
use crate::vfs::{Folder, Uri, Vfs};

/// The positions of the footers in the files of consolidated metadata.
#[derive(Debug)]
pub(super) struct ConsolidatedFooters<'a> {
    /// The files, newest first, each with its fragments and the positions of their footers.
    files: Vec<ConsolidatedFile<'a>>,
    /// The index of the next fragment in the newest file. Its fragments are in the order of the
    /// listing, so that it mostly is the one that is searched next.
    next: usize,
    /// The footer of each fragment, once one is not in that order.
    by_name: Option<HashMap<&'a str, FooterIndex>>,
}

/// The indexes of a footer in the files of consolidated metadata.
#[derive(Clone, Copy, Debug)]
struct FooterIndex {
    /// The index of the file.
    file: usize,
    /// The index among the fragments of the file.
    fragment: usize,
}

#[derive(Debug)]
struct ConsolidatedFile<'a> {
    record: &'a Arc<Vec<u8>>,
    fragments: Vec<(&'a str, usize)>,
}

impl<'a> ConsolidatedFooters<'a> {
    /// Reads the positions in files, the newest of which is the first.
    pub(super) fn read(records: &'a [Arc<Vec<u8>>], uris: &[Uri]) -> Result<Self> {
        let read = |(record, uri): (&'a Arc<Vec<u8>>, &Uri)| {
            let read = read_consolidated(record).map_err(|error| error.with_uri(uri))?;
            let position = |footer: &[u8]| record.len().saturating_sub(footer.len());
            let fragments = read.into_iter();
            let fragments = fragments.map(|(name, footer)| (name, position(footer)));
            Ok(ConsolidatedFile {
                record,
                fragments: fragments.collect(),
            })
        };
        Ok(Self {
            files: records.iter().zip(uris).map(read).collect::<Result<_>>()?,
            next: 0,
            by_name: None,
        })
    }

    /// Returns the record that contains the footer of a fragment, and the position in it. Newer
    /// files have precedence.
    fn find(&mut self, location: &FragmentLocation) -> Option<(&'a Arc<Vec<u8>>, usize)> {
        let newest = self.files.first()?;
        let name = if location.name().version() >= v::RELATIVE_CONSOLIDATED_NAMES {
            location.name().as_str()
        } else {
            location.uri().as_str()
        };
        let expected = newest.fragments.get(self.next);
        if let Some((_, position)) = expected.filter(|(expected, _)| *expected == name) {
            self.next += 1;
            return Some((newest.record, *position));
        }
        let files = &self.files;
        let by_name = self.by_name.get_or_insert_with(|| by_name(files));
        let index = *by_name.get(name)?;
        let file = files.get(index.file)?;
        let (_, position) = *file.fragments.get(index.fragment)?;
        if index.file == 0 {
            self.next = index.fragment + 1;
        }
        Some((file.record, position))
    }
}

/// Returns the footer of each fragment. Newer files, which come first, have precedence.
fn by_name<'a>(files: &[ConsolidatedFile<'a>]) -> HashMap<&'a str, FooterIndex> {
    let number = files.iter().map(|file| file.fragments.len()).sum();
    let mut found = HashMap::with_capacity(number);
    for (file_index, file) in files.iter().enumerate() {
        for (fragment, (name, _)) in file.fragments.iter().enumerate() {
            found.entry(*name).or_insert(FooterIndex {
                file: file_index,
                fragment,
            });
        }
    }
    found
}

/// An opened fragment, and whether only a consolidated file commits it.
struct OpenedFragment {
    fragment: Arc<Fragment>,
    only_consolidated: bool,
}

/// Opens fragments. Those that a consolidated file commits, but whose folders do not exist, are
/// left out.
pub(super) fn open_all(
    opener: &FragmentOpener<'_>,
    array: &Uri,
    fragments: Vec<ListedFragment>,
    mut footers: ConsolidatedFooters<'_>,
) -> Result<Vec<Arc<Fragment>>> {
    let mut opened = Vec::with_capacity(fragments.len());
    // The index of each fragment that is opened by its own file.
    let mut remaining = Vec::new();
    for listed in fragments {
        let found = footers.find(&listed.location);
        let footer = found.and_then(|(record, position)| {
            opener.consolidated_footer(listed.location.name(), record, position)
        });
        let Some(footer) = footer else {
            remaining.push((opened.len(), listed));
            opened.push(None);
            continue;
        };
        let fragment = opener.open_consolidated(listed.location, footer)?;
        opened.push(Some(OpenedFragment {
            fragment: Arc::new(fragment),
            only_consolidated: listed.only_consolidated,
        }));
    }
    for (index, fragment) in open_by_files(opener, array, remaining)? {
        if let Some(target) = opened.get_mut(index) {
            *target = fragment;
        }
    }
    without_removed(opener.vfs, array, opened.into_iter().flatten().collect())
}

/// The index of a fragment in the listing, and the opened fragment; `None` if it was removed.
type OpenedAt = (usize, Option<OpenedFragment>);

/// Opens fragments by their own files, in multiple threads if there are many.
fn open_by_files(
    opener: &FragmentOpener<'_>,
    array: &Uri,
    fragments: Vec<(usize, ListedFragment)>,
) -> Result<Vec<OpenedAt>> {
    let folder = if fragments.len() < MIN_FRAGMENTS_OF_FOLDER || opener.vfs.is_object_store(array) {
        None
    } else {
        Some(opener.vfs.open_folder(&array.join(folders::FRAGMENTS))?)
    };
    let open = |(index, listed)| Ok((index, open_by_file(opener, folder.as_ref(), listed)?));
    // A thread that waits for requests opens one fragment.
    let per_task = if opener.vfs.is_object_store(array) {
        1
    } else {
        FRAGMENTS_PER_TASK
    };
    if fragments.len() <= per_task {
        return fragments.into_iter().map(open).collect();
    }
    let parts: Vec<Mutex<Vec<_>>> = in_parts(fragments, per_task)
        .into_iter()
        .map(Mutex::new)
        .collect();
    let opened: Vec<Mutex<Vec<OpenedAt>>> = parts.iter().map(|_| Mutex::default()).collect();
    opener.vfs.for_each(array, parts.len(), |index| {
        let part = std::mem::take(&mut *parts[index].lock());
        *opened[index].lock() = part.into_iter().map(open).collect::<Result<_>>()?;
        Ok(())
    })?;
    Ok(opened.into_iter().flat_map(Mutex::into_inner).collect())
}

/// Opens a fragment by its own file. Returns `None` if only a consolidated file commits it and its
/// folder is gone.
fn open_by_file(
    opener: &FragmentOpener<'_>,
    folder: Option<&Folder<'_>>,
    listed: ListedFragment,
) -> Result<Option<OpenedFragment>> {
    let only_consolidated = listed.only_consolidated;
    let uri = only_consolidated.then(|| listed.location.uri().clone());
    match (opener.open_below(folder, listed.location), uri) {
        (Err(error), Some(uri)) if error.is_missing_file() => {
            if opener.vfs.is_dir(&uri)? {
                return Err(error);
            }
            Ok(None)
        }
        (opened, _) => Ok(Some(OpenedFragment {
            fragment: Arc::new(opened?),
            only_consolidated,
        })),
    }
}

/// Removes fragments whose folders do not exist, although consolidated files commit them and
/// contain their footers. The folders of all others exist, since their files were read.
fn without_removed(
    vfs: &Vfs,
    array: &Uri,
    opened: Vec<OpenedFragment>,
) -> Result<Vec<Arc<Fragment>>> {
    let may_be_removed = |opened: &OpenedFragment| {
        opened.only_consolidated && opened.fragment.has_consolidated_footer()
    };
    if !opened.iter().any(may_be_removed) {
        return Ok(opened.into_iter().map(|opened| opened.fragment).collect());
    }
    let uncertain = opened.iter().enumerate();
    let uncertain = uncertain.filter(|(_, opened)| may_be_removed(opened));
    let by_name: HashMap<&str, usize> = uncertain
        .map(|(index, opened)| (opened.fragment.name().as_str(), index))
        .collect();
    let mut exists: Vec<bool> = opened
        .iter()
        .map(|opened| !may_be_removed(opened))
        .collect();
    vfs.each_name(&array.join(folders::FRAGMENTS), |name| {
        let index = by_name.get(name);
        if let Some(exists) = index.and_then(|index| exists.get_mut(*index)) {
            *exists = true;
        }
    })?;
    drop(by_name);
    let existing = opened.into_iter().zip(exists);
    let existing = existing.filter(|(_, exists)| *exists);
    Ok(existing.map(|(opened, _)| opened.fragment).collect())
}

fn in_parts<T>(all: Vec<T>, per_task: usize) -> Vec<Vec<T>> {
    let mut parts = Vec::with_capacity(all.len().div_ceil(per_task));
    let mut all = all.into_iter();
    loop {
        let part: Vec<T> = all.by_ref().take(per_task).collect();
        if part.is_empty() {
            return parts;
        }
        parts.push(part);
    }
}
