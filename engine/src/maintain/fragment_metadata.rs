//! The footers of many fragments into one file.

use std::sync::Arc;

use crate::lock::Mutex;

use super::existing;
use crate::array::{key, stored_fragments};
use crate::bytes::Sink;
use crate::config::Config;
use crate::error::Result;
use crate::format::fragment::write_consolidated;
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::tile::generic;
use crate::types::TimeRange;
use crate::vfs::{EntryKind, Uri, Vfs};

/// Writes one file of the footers of all visible fragments that have one. Nothing where there are fewer than two.
pub(super) fn consolidate(vfs: &Arc<Vfs>, array: &Uri, config: &Config) -> Result<()> {
    let schema = existing(vfs, array, config)?;
    let version = FormatVersion(schema.version).for_writing();
    let mut fragments = stored_fragments(vfs, array, config, TimeRange::ALL)?.fragments;
    fragments.retain(|fragment| fragment.name().version() >= v::METADATA_FOOTER);
    let (Some(first), Some(last), true) =
        (fragments.first(), fragments.last(), fragments.len() > 1)
    else {
        return Ok(());
    };
    let span = TimeRange {
        start: first.timestamps().start,
        end: last.timestamps().end,
    };
    let footers: Vec<Mutex<Vec<u8>>> = fragments.iter().map(|_| Mutex::default()).collect();
    vfs.context().for_each(fragments.len(), |at| {
        *footers[at].lock() = fragments[at].footer_bytes()?;
        Ok(())
    })?;
    let named: Vec<_> = fragments
        .iter()
        .zip(footers)
        .map(|(fragment, footer)| {
            let name = match version >= v::RELATIVE_CONSOLIDATED_NAMES {
                true => fragment.name().as_str(),
                false => fragment.uri().as_str(),
            };
            (name, footer.into_inner())
        })
        .collect();
    let mut record = Sink::new();
    write_consolidated(&mut record, &named);
    let folder = match version >= v::COMMITS_FOLDER {
        true => array.join(folders::FRAGMENT_META),
        false => array.clone(),
    };
    vfs.create_dir(&folder)?;
    let name = FragmentName::generate(span, version);
    let name = format!("{}{}", name.as_str(), folders::CONSOLIDATED_META);
    let key = key::of_array_config(config)?;
    let file = folder.join(&name);
    generic::publish(vfs, array, &file, record.as_slice(), key.as_ref())
}

/// Removes all such files but those that reach furthest in time.
pub(super) fn vacuum(vfs: &Vfs, array: &Uri) -> Result<()> {
    let mut files = Vec::new();
    for folder in [array.join(folders::FRAGMENT_META), array.clone()] {
        for entry in vfs.list(&folder)? {
            let ours =
                entry.kind == EntryKind::File && entry.name.ends_with(folders::CONSOLIDATED_META);
            if let Some(name) = FragmentName::parse(&entry.name).filter(|_| ours) {
                files.push((name.timestamps().end, folder.join(&entry.name)));
            }
        }
    }
    let latest = files.iter().map(|(end, _)| *end).max();
    for (end, uri) in &files {
        if Some(*end) != latest {
            vfs.remove_file(uri)?;
        }
    }
    Ok(())
}
