//! Copies of arrays, within a storage or between two. The files are copied as they are, so that the
//! copy has the same fragments, timestamps and key.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::object_type;
use super::walk::parse_path;
use crate::array::{CommitScope, Commits, FOLDERS};
use crate::error::{Error, ObjectError, Result};
use crate::format::names::{FragmentName, folders};
use crate::memory::tuning::COPY_BUFFER_BYTES;
use crate::types::ObjectType;
use crate::vfs::{Entry, EntryKind, FolderLock, LockMode, Uri, Vfs, is_temporary, temporary_name};

/// The number of listings during which commits may change.
const ATTEMPTS: u32 = 100;
/// The pause between two listings.
const PAUSE: Duration = Duration::from_millis(20);

/// The state of a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyProgress {
    /// The bytes that were copied.
    pub copied: u64,
    /// The bytes of the copy that were read again and compared.
    pub verified: u64,
    /// The size of all files in bytes.
    pub total: u64,
    /// The number of files.
    pub files: u64,
}

/// A file to copy.
#[derive(Clone, Debug)]
struct CopyFile {
    /// The name below the root.
    name: String,
    size: u64,
}

impl CopyFile {
    fn stage(&self) -> CopyStage {
        let top = self.name.split('/').next().unwrap_or_default();
        match top {
            folders::SCHEMAS | folders::ROOT_SCHEMA => CopyStage::Marker,
            folders::COMMITS => CopyStage::Commit,
            _ if top.ends_with(folders::OK) => CopyStage::Commit,
            _ => CopyStage::Content,
        }
    }
}

/// The stages of a copy, in their order. The schemas make the folder an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CopyStage {
    Content,
    Commit,
    Marker,
}

/// Copies the array at `from` to `to`, where nothing may exist, and compares the copy with the
/// source. The copy becomes an array when everything else is complete. Writes that are committed
/// after the call began are not in it.
///
/// # Errors
///
/// If no array exists at `from`, anything exists at `to`, the copy differs, `report` returns
/// `false`, or storage fails. What was copied is removed then.
pub fn copy_array(
    vfs: &Arc<Vfs>,
    from: &str,
    to: &str,
    report: &(dyn Fn(CopyProgress) -> bool + Sync),
) -> Result<u64> {
    let (source, target) = (
        parse_path("copy", "", from)?,
        parse_path("copy", "to ", to)?,
    );
    if object_type(&vfs.view(), &source)? != ObjectType::Array {
        let (action, path) = ("copy", from.into());
        return Err(ObjectError::NotAnArray { action, path }.into());
    }
    let _lock = prepare(vfs, &target)?;
    let mut files = list(vfs, &source)?;
    files.sort_by_key(CopyFile::stage);
    let total = files
        .iter()
        .fold(0_u64, |sum, file| sum.saturating_add(file.size));
    let mut copy = ArrayCopy {
        vfs,
        source,
        target,
        hidden: temporary_name(),
        hidden_file: temporary_name(),
        files,
        report,
        total,
        copied: AtomicU64::new(0),
        verified: AtomicU64::new(0),
        done: false,
    };
    copy.run()?;
    copy.done = true;
    Ok(total)
}

/// Returns whether [`copy_array`] accepts a target: nothing exists there, or only what an
/// interrupted copy left.
///
/// # Errors
///
/// If storage fails.
pub fn is_copy_target(vfs: &Arc<Vfs>, uri: &Uri) -> Result<bool> {
    if vfs.is_file(uri)? {
        return Ok(false);
    }
    if !vfs.is_dir(uri)? {
        return Ok(true);
    }
    Ok(object_type(&vfs.view(), uri)? == ObjectType::Invalid && are_remains(&vfs.list(uri)?))
}

/// Returns whether the entries of a folder, which is neither an array nor a group, are all such as
/// a copy of an array makes before its schemas. The folder of schemas contains enumerations then.
fn are_remains(entries: &[Entry]) -> bool {
    entries.iter().all(|entry| {
        let name = entry.name.as_str();
        FOLDERS.contains(&name)
            || name == folders::SCHEMAS
            || is_temporary(name)
            || FragmentName::parse(name).is_some()
    })
}

/// Checks that nothing exists at `target`, removes what a killed copy left there, and returns a
/// lock that excludes other copies.
fn prepare(vfs: &Arc<Vfs>, target: &Uri) -> Result<Option<FolderLock>> {
    let exists = || {
        let path = target.to_string();
        Err(ObjectError::TargetExists { path }.into())
    };
    let has_renames = !vfs.is_object_store(target);
    if has_renames {
        vfs.create_dir_unsynced(target)?;
    }
    let lock = if has_renames {
        vfs.try_lock(target, LockMode::Exclusive)?
    } else {
        None
    };
    if object_type(&vfs.view(), target)? != ObjectType::Invalid || has_renames && lock.is_none() {
        return exists();
    }
    let view = vfs.view();
    let entries = view.list_own(target)?;
    if !are_remains(&entries) {
        return exists();
    }
    let (folders, files): (Vec<_>, Vec<_>) = entries
        .iter()
        .partition(|entry| entry.kind == EntryKind::Directory);
    let uris = |entries: Vec<&Entry>| -> Vec<Uri> {
        entries
            .into_iter()
            .map(|entry| target.join(&entry.name))
            .collect()
    };
    // Commits first: without them, no fragment of another array can appear in the copy.
    let (commits, folders): (Vec<Uri>, Vec<Uri>) = uris(folders)
        .into_iter()
        .partition(|uri| uri.name() == folders::COMMITS);
    vfs.remove_files_if_any(&uris(files))?;
    view.remove_dirs_if_any(&commits)?;
    view.remove_dirs_if_any(&folders)?;
    Ok(lock)
}

/// Lists the files of the committed fragments and all other files of an array. Commits are listed
/// before and after: while they are equal, no file of the array was removed.
fn list(vfs: &Arc<Vfs>, root: &Uri) -> Result<Vec<CopyFile>> {
    let epoch = vfs.context.cancel_epoch();
    let view = &vfs.view();
    let commits = || Commits::read(view, root, CommitScope::all(None));
    let mut before = commits()?;
    for _ in 0..ATTEMPTS {
        let files = files(vfs, root, &before.fragment_names(view)?)?;
        let after = commits()?;
        if before.folder.entries == after.folder.entries
            && before.root.entries == after.root.entries
        {
            return Ok(files);
        }
        before = after;
        vfs.context.check_cancelled(epoch)?;
        vfs.pause(root, PAUSE)?;
    }
    let reason = "other processes change it";
    let timed_out = std::io::Error::new(std::io::ErrorKind::TimedOut, reason);
    Err(Error::storage("list", root.as_str(), timed_out))
}

fn files(vfs: &Vfs, root: &Uri, committed: &HashSet<String>) -> Result<Vec<CopyFile>> {
    let start = root.as_str().trim_end_matches('/').len() + 1;
    let mut found = Vec::new();
    vfs.walk(root, &mut |uri, entry| {
        let name = uri.as_str().get(start..).unwrap_or_default();
        let name = name.trim_end_matches('/');
        if entry.kind == EntryKind::File && is_part(name, committed) {
            let (name, size) = (name.to_owned(), entry.size);
            found.push(CopyFile { name, size });
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Returns whether a file below the root of an array belongs to it, in contrast to files of the
/// user, of writers at work, and of killed processes.
fn is_part(name: &str, committed: &HashSet<String>) -> bool {
    let mut parts = name.split('/');
    let top = parts.next().unwrap_or_default();
    if !top.starts_with("__") || name.split('/').any(is_temporary) {
        return false;
    }
    let fragment = match top {
        folders::FRAGMENTS => parts.next().unwrap_or_default(),
        // Formats before 12 keep fragments in the root.
        _ if parts.next().is_some() => top,
        _ => return true,
    };
    FragmentName::parse(fragment).is_none() || committed.contains(fragment)
}

/// A copy at work. Dropping it before the end removes what was written.
struct ArrayCopy<'a> {
    vfs: &'a Arc<Vfs>,
    source: Uri,
    target: Uri,
    /// The temporary name of the folder of schemas on storage with renames, and of a file in it on
    /// object stores.
    hidden: String,
    /// The temporary name of the schema of an old array, on storage with renames.
    hidden_file: String,
    files: Vec<CopyFile>,
    /// Receives the state, and returns whether the copy continues.
    report: &'a (dyn Fn(CopyProgress) -> bool + Sync),
    total: u64,
    copied: AtomicU64,
    verified: AtomicU64,
    done: bool,
}

impl ArrayCopy<'_> {
    fn run(&self) -> Result<()> {
        let has_renames = !self.vfs.is_object_store(&self.target);
        if has_renames {
            self.create_folders()?;
        }
        for stage in [CopyStage::Content, CopyStage::Commit] {
            self.copy(&self.in_stage(stage))?;
        }
        let markers = self.in_stage(CopyStage::Marker);
        if has_renames {
            self.copy(&markers)?;
            return self.publish();
        }
        // Several schemas make an array when all of them are copied.
        if markers.len() <= 1 {
            return self.copy(&markers);
        }
        let pending = self.pending_schemas();
        self.vfs.touch(&pending)?;
        self.copy(&markers)?;
        self.vfs.remove_file_if_any(&pending).map(drop)
    }

    /// Returns the file that an object store has while several schemas are copied.
    fn pending_schemas(&self) -> Uri {
        self.target.join(folders::SCHEMAS).join(&self.hidden)
    }

    fn in_stage(&self, stage: CopyStage) -> Vec<&CopyFile> {
        self.files
            .iter()
            .filter(|file| file.stage() == stage)
            .collect()
    }

    /// Creates all folders. Their names are not durable.
    fn create_folders(&self) -> Result<()> {
        for name in FOLDERS {
            self.vfs.create_new_dir(&self.target.join(name))?;
        }
        // The folders of files sort after those that they are in.
        let folders = self.folders_of_files();
        folders
            .iter()
            .try_for_each(|folder| self.vfs.create_new_dir(folder).map(drop))
    }

    /// Returns the target and every folder below it that has a file in it or below it, sorted.
    fn folders_of_files(&self) -> Vec<Uri> {
        // Without a separator at the end, as the folders of files are.
        let mut folders: BTreeMap<_, _> = self
            .target
            .join(&self.hidden)
            .parent()
            .into_iter()
            .map(|uri| (uri.to_string(), uri))
            .collect();
        for file in &self.files {
            let mut folder = self.target_of(file).parent();
            while let Some(next) = folder.take_if(|next| !folders.contains_key(next.as_str())) {
                folder = next.parent();
                folders.insert(next.to_string(), next);
            }
        }
        folders.into_values().collect()
    }

    /// Returns where a file is written.
    fn target_of(&self, file: &CopyFile) -> Uri {
        if self.vfs.is_object_store(&self.target) {
            return self.target.join(&file.name);
        }
        match file.name.strip_prefix(folders::SCHEMAS) {
            Some(below) => self.target.join(&format!("{}{below}", self.hidden)),
            None if file.name == folders::ROOT_SCHEMA => self.target.join(&self.hidden_file),
            None => self.target.join(&file.name),
        }
    }

    /// Copies files and compares them with their sources, on several threads.
    fn copy(&self, files: &[&CopyFile]) -> Result<()> {
        let busy = if self.vfs.is_object_store(&self.target) {
            &self.target
        } else {
            &self.source
        };
        self.vfs.for_each(busy, files.len(), |index| {
            let Some(file) = files.get(index) else {
                return Ok(());
            };
            let (from, to) = (self.source.join(&file.name), self.target_of(file));
            let written = self.copy_file(&from, &to, file.size)?;
            let read = self.hash(&to, file.size, &self.verified, |_| Ok(()))?;
            if written == read {
                return Ok(());
            }
            let path = to.to_string();
            Err(ObjectError::CopyDiffers { path }.into())
        })
    }

    fn copy_file(&self, from: &Uri, to: &Uri, size: u64) -> Result<[u8; 32]> {
        let mut target = self.vfs.create(to)?;
        let hash = self.hash(from, size, &self.copied, |bytes| target.write(bytes))?;
        if self.vfs.is_object_store(to) {
            target.sync()?;
        }
        target.close()?;
        Ok(hash)
    }

    /// Returns the hash of a file, which must have this size, and passes its content to `take`.
    fn hash(
        &self,
        uri: &Uri,
        size: u64,
        counter: &AtomicU64,
        mut take: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<[u8; 32]> {
        let file = self.vfs.open(uri)?;
        if file.size()? != size {
            let path = uri.to_string();
            return Err(ObjectError::CopyDiffers { path }.into());
        }
        let mut hash = Sha256::new();
        let most = COPY_BUFFER_BYTES as u64;
        let mut buffer = vec![0; usize::try_from(size.min(most)).unwrap_or(COPY_BUFFER_BYTES)];
        let mut offset = 0;
        while offset < size {
            let len = (size - offset).min(most);
            let part = &mut buffer[..usize::try_from(len).unwrap_or(COPY_BUFFER_BYTES)];
            file.read_at(offset, part)?;
            hash.update(&*part);
            take(part)?;
            offset += len;
            counter.fetch_add(len, Ordering::Relaxed);
            self.check()?;
        }
        Ok(hash.finalize().into())
    }

    /// Reports the state, and returns an error if the copy shall end.
    fn check(&self) -> Result<()> {
        let progress = CopyProgress {
            copied: self.copied.load(Ordering::Relaxed),
            verified: self.verified.load(Ordering::Relaxed),
            total: self.total,
            files: self.files.len() as u64,
        };
        if (self.report)(progress) {
            Ok(())
        } else {
            Err(Error::cancelled())
        }
    }

    /// Makes everything durable in one round of syncs, and then gives the schemas their final name,
    /// which makes the folder an array.
    fn publish(&self) -> Result<()> {
        let mut copied: Vec<Uri> = self.files.iter().map(|file| self.target_of(file)).collect();
        copied.extend(self.folders_of_files());
        copied.extend(self.target.parent());
        self.vfs.sync_all(&copied)?;
        let has = |start: &str| self.files.iter().any(|file| file.name.starts_with(start));
        if has(folders::ROOT_SCHEMA) {
            let hidden = self.target.join(&self.hidden_file);
            let schema = self.target.join(folders::ROOT_SCHEMA);
            self.vfs.rename("move", &hidden, &schema)?;
            self.vfs.sync(&self.target)?;
        }
        let hidden = self.target.join(&self.hidden);
        let schemas = self.target.join(folders::SCHEMAS);
        if !has(folders::SCHEMAS) || self.vfs.publish_dir(&hidden, &schemas)? {
            return Ok(());
        }
        let path = self.target.to_string();
        Err(ObjectError::TargetExists { path }.into())
    }
}

impl Drop for ArrayCopy<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        // The first error is reported. Without its schemas, what remains is not an array.
        let files: Vec<Uri> = self.files.iter().map(|file| self.target_of(file)).collect();
        let _ = self.vfs.remove_files_if_any(&files);
        if self.vfs.is_object_store(&self.target) {
            let _ = self.vfs.remove_file_if_any(&self.pending_schemas());
        } else {
            for name in FOLDERS.iter().chain([&&*self.hidden]) {
                let _ = self.vfs.remove_dir_if_any(&self.target.join(name));
            }
            let _ = self.vfs.remove_empty_dir(&self.target);
        }
    }
}
