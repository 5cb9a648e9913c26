//! Opens the fragments of a listing: with their footers in consolidated metadata, or by the files
//! of the fragments. On an object store, the files with footers are read at the same time as the
//! schema, before the fragments are listed.

use std::sync::Arc;

use hashbrown::HashMap;

use super::schemas::Schemas;
use crate::error::Result;
use crate::format::fragment::read_consolidated;
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::fragment::{Fragment, FragmentLocation, FragmentOpener};
use crate::memory::tuning::{
    FRAGMENTS_PER_TASK, MAX_EARLY_FOOTERS, MIN_FRAGMENTS_OF_FOLDER, REMOTE_METADATA_TAIL_BYTES,
};
use crate::platform::lock::Mutex;
use crate::schema::ArraySchema;
use crate::types::TimeRange;
use crate::vfs::{Entry, Folder, StorageView, Uri};

/// The positions of the footers in the files of consolidated metadata.
#[derive(Debug)]
pub(super) struct ConsolidatedFooters<'a> {
    /// The files, newest first, each with its fragments and the positions of their footers.
    files: Vec<ConsolidatedFile<'a>>,
    /// The index of the next fragment in the newest file. Its fragments are in the order of the
    /// listing, so that it mostly is the one that is searched next.
    next: usize,
    /// The file of the footer of each fragment, and the index in it, once one is not in that order.
    by_name: Option<HashMap<&'a str, (usize, usize)>>,
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
            let fragments = read
                .into_iter()
                .map(|(name, footer)| (name, record.len().saturating_sub(footer.len())));
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
        let (file_index, index) = *by_name.get(name)?;
        let file = files.get(file_index)?;
        let (_, position) = *file.fragments.get(index)?;
        if file_index == 0 {
            self.next = index + 1;
        }
        Some((file.record, position))
    }
}

/// Returns the file of the footer of each fragment, and the index in it. Newer files, which come
/// first, have precedence.
fn by_name<'a>(files: &[ConsolidatedFile<'a>]) -> HashMap<&'a str, (usize, usize)> {
    let number = files.iter().map(|file| file.fragments.len()).sum();
    let mut found = HashMap::with_capacity(number);
    for (file_index, file) in files.iter().enumerate() {
        for (index, (name, _)) in file.fragments.iter().enumerate() {
            found.entry(*name).or_insert((file_index, index));
        }
    }
    found
}

/// Opens fragments. Those that a consolidated file commits, but whose folders do not exist, are
/// left out; the second list contains them.
pub(super) fn open_all(
    opener: &FragmentOpener<'_>,
    array: &Uri,
    fragments: Vec<FragmentLocation>,
    mut footers: ConsolidatedFooters<'_>,
) -> Result<(Vec<Arc<Fragment>>, Vec<Uri>)> {
    // `None` for each fragment that is opened by its own file.
    let mut opened = Vec::with_capacity(fragments.len());
    let mut remaining = Vec::new();
    for location in fragments {
        let found = footers.find(&location);
        let footer = found.and_then(|(record, position)| {
            opener.consolidated_footer(location.name(), record, position)
        });
        let Some((footer, schema)) = footer else {
            remaining.push(location);
            opened.push(None);
            continue;
        };
        let fragment = opener.open_consolidated(location, footer, schema)?;
        opened.push(Some(Arc::new(fragment)));
    }
    let mut removed = Vec::new();
    let others = open_by_files(opener, array, remaining)?;
    let missing = opened.iter_mut().filter(|fragment| fragment.is_none());
    for (target, other) in missing.zip(others) {
        match other {
            Ok(fragment) => *target = Some(fragment),
            Err(uri) => removed.push(uri),
        }
    }
    let opened = opened.into_iter().flatten().collect();
    let opened = without_removed(opener.view, array, opened, &mut removed)?;
    Ok((opened, removed))
}

/// Opens fragments by their own files, in multiple threads if there are many. Returns them in the
/// same order; the folder of each that was removed.
fn open_by_files(
    opener: &FragmentOpener<'_>,
    array: &Uri,
    fragments: Vec<FragmentLocation>,
) -> Result<Vec<std::result::Result<Arc<Fragment>, Uri>>> {
    let vfs = &opener.view.vfs;
    let is_object_store = vfs.is_object_store(array);
    let folder = if fragments.len() < MIN_FRAGMENTS_OF_FOLDER || is_object_store {
        None
    } else {
        Some(vfs.open_folder(&array.join(folders::FRAGMENTS))?)
    };
    let open = |location| open_by_file(opener, folder.as_ref(), location);
    // A thread that waits for requests opens one fragment.
    let per_task = if is_object_store {
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
    let opened: Vec<Mutex<Vec<_>>> = parts.iter().map(|_| Mutex::default()).collect();
    vfs.for_each(array, parts.len(), |index| {
        let part = std::mem::take(&mut *parts[index].lock());
        *opened[index].lock() = part.into_iter().map(open).collect::<Result<_>>()?;
        Ok(())
    })?;
    Ok(opened.into_iter().flat_map(Mutex::into_inner).collect())
}

/// Opens a fragment by its own file. Returns its folder if only a consolidated file commits it and
/// the folder is gone.
fn open_by_file(
    opener: &FragmentOpener<'_>,
    folder: Option<&Folder<'_>>,
    location: FragmentLocation,
) -> Result<std::result::Result<Arc<Fragment>, Uri>> {
    let uri = location.only_consolidated.then(|| location.uri().clone());
    match (opener.open(folder, location), uri) {
        (Err(error), Some(uri)) if error.is_missing_file() => {
            if opener.view.is_dir(&uri)? {
                return Err(error);
            }
            Ok(Err(uri))
        }
        (opened, _) => Ok(Ok(Arc::new(opened?))),
    }
}

/// Moves fragments to `removed` whose folders do not exist, although consolidated files commit them
/// and contain their footers. The folders of all others exist, since their files were read.
fn without_removed(
    view: &StorageView,
    array: &Uri,
    opened: Vec<Arc<Fragment>>,
    removed: &mut Vec<Uri>,
) -> Result<Vec<Arc<Fragment>>> {
    let may_be_removed = |fragment: &Arc<Fragment>| {
        fragment.location.only_consolidated && fragment.has_consolidated_footer
    };
    if !opened.iter().any(may_be_removed) {
        return Ok(opened);
    }
    let by_name: HashMap<&str, usize> = opened
        .iter()
        .enumerate()
        .filter(|(_, fragment)| may_be_removed(fragment))
        .map(|(index, fragment)| (fragment.name().as_str(), index))
        .collect();
    let mut exists: Vec<bool> = opened
        .iter()
        .map(|fragment| !may_be_removed(fragment))
        .collect();
    view.each_name(&array.join(folders::FRAGMENTS), |name| {
        let index = by_name.get(name);
        if let Some(exists) = index.and_then(|index| exists.get_mut(*index)) {
            *exists = true;
        }
    })?;
    drop(by_name);
    Ok(opened
        .into_iter()
        .zip(exists)
        .filter_map(|(fragment, exists)| {
            if !exists {
                removed.push(fragment.uri().clone());
            }
            exists.then_some(fragment)
        })
        .collect())
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

/// Returns the schema in the file `name`. On an object store, the files with the footers of
/// fragments in a time range are read at the same time, and are cached for the open that follows.
///
/// # Errors
///
/// If the schema cannot be read. The open reports errors of metadata files.
pub(super) fn load_schema_and_footers(
    schemas: &Schemas,
    name: &str,
    timestamps: TimeRange,
) -> Result<Arc<ArraySchema>> {
    let (view, array) = (&schemas.view, &schemas.array);
    let files = metadata_files(view, array, timestamps)?;
    let schema = Mutex::new(None);
    view.vfs.for_each(array, 1 + files.len(), |index| {
        match index.checked_sub(1).and_then(|index| files.get(index)) {
            None => *schema.lock() = Some(schemas.get(Some(name))?),
            Some(file) => {
                let file = view.open(file);
                let _ = file.and_then(|file| file.read_tail(REMOTE_METADATA_TAIL_BYTES));
            }
        }
        Ok(())
    })?;
    match schema.into_inner() {
        Some(schema) => Ok(schema),
        None => schemas.get(Some(name)),
    }
}

/// Returns the files with footers that an open reads, if the names in a listing show which these
/// are: consolidated ones, or else the metadata files of fragments of which each has a commit file
/// and is not replaced.
fn metadata_files(view: &StorageView, array: &Uri, timestamps: TimeRange) -> Result<Vec<Uri>> {
    let [commits, footers] =
        [folders::COMMITS, folders::FRAGMENT_META].map(|name| array.join(name));
    let is_listed = |folder: &Uri| view.folder_state(folder).map(|state| state.is_some());
    if !view.vfs.is_object_store(array) || !is_listed(&commits)? || !is_listed(&footers)? {
        return Ok(Vec::new());
    }
    let entries = view.list(&commits)?;
    let consolidated = view.list(&footers)?;
    if !consolidated.is_empty() {
        return Ok(consolidated_files(&footers, &consolidated));
    }
    let mut names = Vec::new();
    for entry in &entries {
        let Some(name) = FragmentName::with_suffix(&entry.name, folders::WRITE) else {
            return Ok(Vec::new());
        };
        if timestamps.contains(name.timestamps()) {
            names.push(name);
        }
        if names.len() > MAX_EARLY_FOOTERS {
            return Ok(Vec::new());
        }
    }
    let folder = array.join(folders::FRAGMENTS);
    Ok(names
        .iter()
        .map(|name| {
            folder
                .join(name.as_str())
                .join(folders::FRAGMENT_METADATA_FILE)
        })
        .collect())
}

/// Returns the files in the folder of consolidated footers that fit in the cache of ends of files.
fn consolidated_files(folder: &Uri, entries: &[Entry]) -> Vec<Uri> {
    entries
        .iter()
        .filter(|entry| {
            entry.name.ends_with(folders::CONSOLIDATED_META)
                && entry.size <= REMOTE_METADATA_TAIL_BYTES
        })
        .take(MAX_EARLY_FOOTERS)
        .map(|entry| folder.join(&entry.name))
        .collect()
}

#[cfg(all(test, feature = "remote"))]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::context::Context;
    use crate::vfs::{FaultyStore, StoreLimits, Vfs};

    #[test]
    fn consolidated_footers_replace_the_files_of_fragments() {
        let context = Context::new(Config::new()).expect("context");
        let store = FaultyStore::new(StoreLimits::default());
        let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
        let array = Uri::parse("s3://bucket/array").expect("uri");
        let fragment = format!("__1_1_{}_22", "a".repeat(32));
        let names = |vfs: &Arc<Vfs>| {
            let listed = vfs.snapshot(&array).expect("lists");
            let files = metadata_files(&listed, &array, TimeRange::ALL).expect("names");
            files
                .iter()
                .map(|file| {
                    let name = file.as_str().strip_prefix(array.as_str());
                    name.unwrap_or_default().to_owned()
                })
                .collect::<Vec<_>>()
        };
        let write = |name: &str, size: usize| {
            vfs.write_all(&array.join(name), &vec![0; size])
                .expect("writes");
        };
        assert!(names(&vfs).is_empty());
        write(&format!("__commits/{fragment}.wrt"), 0);
        let file = format!("/__fragments/{fragment}/__fragment_metadata.tdb");
        assert_eq!(names(&vfs), [file]);
        let most = REMOTE_METADATA_TAIL_BYTES as usize;
        write("__fragment_meta/1.meta", most + 1);
        assert!(names(&vfs).is_empty(), "too large for the cache");
        write("__fragment_meta/2.meta", most);
        write("__fragment_meta/3.tmp", 1);
        assert_eq!(names(&vfs), ["/__fragment_meta/2.meta"]);
    }
}
