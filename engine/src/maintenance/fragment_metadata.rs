//! Consolidation and vacuum of fragment metadata: the footers of many fragments in one file.

use std::collections::HashSet;
use std::sync::Arc;

use super::age::MinAge;
use super::claims::lock_for_maintenance;
use super::existing;
use super::garbage::remove_temporaries;
use crate::array::{current_fragments, key, stored_fragments};
use crate::bytes::Sink;
use crate::config::Config;
use crate::error::Result;
use crate::format::fragment::write_consolidated;
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::fragment::Fragment;
use crate::tile::generic;
use crate::types::TimeRange;
use crate::vfs::{EntryKind, StorageView, Uri, Vfs};

/// The number of attempts to read the footers while other processes remove fragments.
const ATTEMPTS: u32 = 8;

/// Writes the footers of all visible fragments to one file. Does nothing for fewer than two.
pub(super) fn consolidate(view: &StorageView, array: &Uri, config: &Config) -> Result<()> {
    let schema = existing(view, array, config)?;
    let version = FormatVersion(schema.version).for_writing();
    for attempt in 1.. {
        let view = match attempt {
            1 => view.clone(),
            _ => view.vfs.snapshot(array)?,
        };
        match merge(&view, array, config, version, attempt == ATTEMPTS) {
            Ok(true) => break,
            Err(error) if attempt == ATTEMPTS || !error.is_missing() => return Err(error),
            Ok(false) | Err(_) => {}
        }
    }
    Ok(())
}

/// Writes the footers to one file. Returns `false`, and writes nothing, if a fragment was removed
/// after its footer was read. The last attempt excludes other maintenance from its beginning; on
/// storage without locks it does not check: readers ignore footers of invisible fragments.
fn merge(
    view: &StorageView,
    array: &Uri,
    config: &Config,
    version: FormatVersion,
    is_last_attempt: bool,
) -> Result<bool> {
    let vfs = &view.vfs;
    let mut lock = None;
    if is_last_attempt {
        lock = Some(lock_for_maintenance(view, array)?);
    }
    let mut fragments = stored_fragments(view, array, config, TimeRange::ALL)?.fragments;
    fragments.retain(|fragment| fragment.name().version() >= v::METADATA_FOOTER);
    let (Some(oldest), Some(newest), true) =
        (fragments.first(), fragments.last(), fragments.len() > 1)
    else {
        return Ok(true);
    };
    let span = TimeRange {
        start: oldest.timestamps().start,
        end: newest.timestamps().end,
    };
    let record = footers_record(vfs, array, &fragments, version)?;
    let folder = if version >= v::COMMITS_FOLDER {
        array.join(folders::FRAGMENT_META)
    } else {
        array.clone()
    };
    let name = FragmentName::generate(span, version);
    let name = format!("{}{}", name.as_str(), folders::CONSOLIDATED_META);
    let key = key::of_array_config(config)?;
    let file = folder.join(&name);
    let lock = match lock {
        Some(lock) => lock,
        None => lock_for_maintenance(view, array)?,
    };
    let listed = vfs.snapshot(array)?;
    let current = current_fragments(&listed, array, TimeRange::ALL, Some(&lock))?;
    let current: HashSet<&str> = current.iter().map(FragmentName::as_str).collect();
    if !is_last_attempt
        && !fragments
            .iter()
            .all(|fragment| current.contains(fragment.name().as_str()))
    {
        return Ok(false);
    }
    let version = version.of_records();
    generic::publish(vfs, array, &file, record.as_slice(), version, key.as_ref())?;
    Ok(true)
}

/// Returns the content of a file with the footers of fragments.
fn footers_record(
    vfs: &Vfs,
    array: &Uri,
    fragments: &[Arc<Fragment>],
    version: FormatVersion,
) -> Result<Sink> {
    let footers = vfs.map(array, fragments.len(), |index| {
        fragments[index].footer_bytes()
    })?;
    let named: Vec<_> = fragments
        .iter()
        .map(|fragment| {
            if version >= v::RELATIVE_CONSOLIDATED_NAMES {
                fragment.name().as_str()
            } else {
                fragment.uri().as_str()
            }
        })
        .zip(footers)
        .collect();
    let mut record = Sink::new();
    write_consolidated(&mut record, &named);
    Ok(record)
}

/// Removes all consolidated metadata files but the latest.
pub(super) fn vacuum(view: &StorageView, array: &Uri, config: &Config) -> Result<()> {
    let age = MinAge::of_replaced(config)?;
    let _lock = lock_for_maintenance(view, array)?;
    let mut files = Vec::new();
    for folder in [array.join(folders::FRAGMENT_META), array.clone()] {
        for entry in view.list(&folder)? {
            let name = FragmentName::with_suffix(&entry.name, folders::CONSOLIDATED_META);
            if let Some(name) = name.filter(|_| entry.kind == EntryKind::File) {
                files.push((name.timestamps().end, folder.join(&entry.name)));
            }
        }
    }
    let latest = files.iter().map(|(end, _)| *end).max();
    let (newest, older): (Vec<_>, Vec<_>) = files.iter().partition(|(end, _)| Some(*end) == latest);
    let mut is_replaced = false;
    for (_, uri) in newest {
        is_replaced |= age.has_passed(view, uri)?;
    }
    for (_, uri) in older.iter().filter(|_| is_replaced) {
        view.vfs.remove_file_if_any(uri)?;
    }
    remove_temporaries(view, array, config)
}
