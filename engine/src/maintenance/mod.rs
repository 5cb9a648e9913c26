//! Maintenance: consolidation of fragments and small files, and vacuum of what was consolidated.
//!
//! Names change under the exclusive lock on the array or group, after the decision was checked
//! again. A merged file is complete before a list names the files that it replaces; the list stays
//! until the last of them is gone. Readers see the old or the new state meanwhile, and an operation
//! that was killed can be repeated. `docs/commit-protocol.md` states the rules.

mod age;
mod claims;
mod commits;
mod consolidation;
mod dense;
mod division;
mod field_buffer;
mod fragment_metadata;
mod fragments;
mod garbage;
mod metadata;
mod mode;
mod pending;
mod plan;
mod rewrite;
mod selection;
mod vacuum;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::array::{self, key};
use crate::config::Config;
use crate::error::{Error, MaintenanceError, Result};
use crate::format::names::folders;
use crate::format::version::{self as v, FormatVersion};
use crate::stats::Part;
use crate::types::TimeRange;
use crate::vfs::{LockMode, StorageView, Uri, Vfs, last_component};

pub use garbage::{RemainsAction, RemainsAge};
use garbage::{ReportRemains, Sweep};
pub use metadata::{MergedNames, consolidate_metadata, vacuum_metadata};
pub use mode::MaintenanceMode;
pub use plan::ConsolidationPlan;
use selection::SelectionRules;

/// Consolidates the array or group at `uri` in the mode `sm.consolidation.mode`. Does nothing if
/// there is nothing to merge. Returns an error if the array does not exist or the key is wrong.
pub fn consolidate(vfs: &Arc<Vfs>, uri: &str, config: &Config) -> Result<()> {
    let _operation = vfs.context.operation();
    let _tracking = vfs.context.track("consolidate", "cells");
    let mode = MaintenanceMode::from_config(config, mode::CONSOLIDATION)?;
    let uri = parse_array_uri(uri)?;
    let stats = vfs.context.stats.part(Part::Consolidator);
    let _timing = mode.timer().map(|timer| stats.timer(timer));
    with_listing(vfs, &uri, |view| consolidate_in(mode, view, &uri, config))
}

fn consolidate_in(
    mode: MaintenanceMode,
    view: &StorageView,
    uri: &Uri,
    config: &Config,
) -> Result<()> {
    match mode {
        MaintenanceMode::Fragments => fragments::consolidate(view, uri, config),
        MaintenanceMode::FragmentMetadata => fragment_metadata::consolidate(view, uri, config),
        MaintenanceMode::Commits => commits::consolidate(view, uri, config),
        MaintenanceMode::ArrayMetadata => {
            let schema = existing(view, uri, config)?;
            let version = FormatVersion(schema.version).for_writing();
            let form = if version < v::RELATIVE_VACUUM_NAMES {
                MergedNames::Uris
            } else {
                MergedNames::Paths
            };
            let key = key::of_array_config(config)?;
            let span = consolidation_span(config)?;
            consolidate_metadata(view, uri, span, form, version.of_records(), key.as_ref())
        }
        MaintenanceMode::GroupMetadata => {
            check_group(view, uri)?;
            let key = key::of_array_config(config)?;
            let form = MergedNames::Uris;
            let version = FormatVersion::of_config(&view.vfs.context.config)?;
            let span = consolidation_span(config)?;
            consolidate_metadata(view, uri, span, form, version, key.as_ref())
        }
        MaintenanceMode::Garbage => Ok(()),
    }
}

/// Merges the fragments with these names or URIs of the array at `uri` into one. Does nothing for
/// fewer than two. Returns an error if one does not exist, or if cells of other fragments of a
/// dense array would be hidden.
pub fn consolidate_fragments(
    vfs: &Arc<Vfs>,
    uri: &str,
    names: &[&str],
    config: &Config,
) -> Result<()> {
    let _operation = vfs.context.operation();
    let _tracking = vfs.context.track("consolidate", "cells");
    let uri = parse_array_uri(uri)?;
    with_listing(vfs, &uri, |view| {
        fragments::consolidate_named(view, &uri, names, config)
    })
}

/// Calls `body` with the storage as a listing of the array or group shows it. On storage without
/// locks calls it again if a listed file has disappeared.
fn with_listing(
    vfs: &Arc<Vfs>,
    object: &Uri,
    mut body: impl FnMut(&StorageView) -> Result<()>,
) -> Result<()> {
    // The lock is released at once: `body` takes an exclusive one.
    let has_no_locks = match vfs.try_lock(object, LockMode::Shared) {
        Ok(Some(lock)) => !lock.is_held(),
        _ => false,
    };
    if has_no_locks {
        array::open_repeatedly(vfs, object, |_| body(&vfs.snapshot(object)?))
    } else {
        body(&vfs.snapshot(object)?)
    }
}

/// Removes the fragments of the array at `uri` whose timestamps are completely in a time range.
/// Returns an error if the array does not exist or the key is wrong.
pub fn delete_fragments(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    timestamps: TimeRange,
    config: &Config,
) -> Result<()> {
    with_listing(vfs, uri, |view| {
        array::stored_fragments(view, uri, config, timestamps).map_err(array::as_failed_open)?;
        vacuum::delete(view, uri, timestamps, |found| {
            Ok(found.iter().map(|name| name.as_str().to_owned()).collect())
        })
    })
}

/// Removes fragments of the array at `uri` by their URIs or names. If one does not exist, returns
/// an error and removes nothing.
pub fn delete_named_fragments(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    uris: &[&str],
    config: &Config,
) -> Result<()> {
    with_listing(vfs, uri, |view| {
        array::stored_fragments(view, uri, config, TimeRange::ALL)
            .map_err(array::as_failed_open)?;
        vacuum::delete(view, uri, TimeRange::ALL, |found| {
            let mut names: Vec<String> = Vec::with_capacity(uris.len());
            for fragment_uri in uris {
                let name = last_component(fragment_uri);
                if !found.iter().any(|found| found.as_str() == name) {
                    return Err(MaintenanceError::NotAFragment {
                        name: fragment_uri.to_string(),
                    }
                    .into());
                }
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
            Ok(names)
        })
    })
}

/// Vacuums the array or group at `uri` in the mode `sm.vacuum.mode`: removes what consolidation
/// replaced, or what killed processes left.
pub fn vacuum(vfs: &Arc<Vfs>, uri: &str, config: &Config) -> Result<()> {
    let _operation = vfs.context.operation();
    let _tracking = vfs.context.track("vacuum", "fragments");
    let mode = MaintenanceMode::from_config(config, mode::VACUUM)?;
    let uri = Uri::parse(uri).map_err(|_| array::array_not_found())?;
    with_listing(vfs, &uri, |view| vacuum_in(mode, view, &uri, config))
}

fn vacuum_in(mode: MaintenanceMode, view: &StorageView, uri: &Uri, config: &Config) -> Result<()> {
    if mode == MaintenanceMode::GroupMetadata {
        check_group(view, uri)?;
    } else if mode == MaintenanceMode::Garbage && check_group(view, uri).is_ok() {
        return sweep_remains(view, uri, config, RemainsAction::Remove, &mut |_, _| Ok(()));
    } else if !array::exists(view, uri)? {
        return Err(array::array_not_found());
    }
    match mode {
        MaintenanceMode::Fragments => {
            // libtiledb checks the parameters of consolidation here, too.
            SelectionRules::from_config(config)?;
            consolidation_span(config)?;
            vacuum::fragments(view, uri, config)
        }
        MaintenanceMode::FragmentMetadata => fragment_metadata::vacuum(view, uri, config),
        MaintenanceMode::Commits => commits::vacuum(view, uri, config),
        MaintenanceMode::ArrayMetadata | MaintenanceMode::GroupMetadata => {
            vacuum_metadata(view, uri, config)
        }
        MaintenanceMode::Garbage => {
            sweep_remains(view, uri, config, RemainsAction::Remove, &mut |_, _| Ok(()))
        }
    }
}

/// Removes or reports what killed processes left in an array or a group. Calls `report` with each
/// file and folder before it is removed, and with folders that are too young. Returns an error if
/// neither an array nor a group exists, or if `report` returns one.
pub fn sweep_remains(
    view: &StorageView,
    object: &Uri,
    config: &Config,
    action: RemainsAction,
    report: &mut ReportRemains<'_>,
) -> Result<()> {
    let mut sweep = Sweep::new(view, config, action, report)?;
    if check_group(view, object).is_ok() {
        let _lock = view.vfs.lock(object, LockMode::Exclusive)?;
        return sweep.temporaries(object);
    }
    if !array::exists(view, object)? {
        return Err(array::array_not_found());
    }
    garbage::remove_garbage(view, object, config, &mut sweep)
}

/// Returns the time range whose fragments or files a configuration consolidates.
pub(crate) fn consolidation_span(config: &Config) -> Result<TimeRange> {
    Ok(TimeRange {
        start: config.u64("sm.consolidation.timestamp_start")?,
        end: config.u64("sm.consolidation.timestamp_end")?,
    })
}

fn parse_array_uri(uri: &str) -> Result<Uri> {
    Uri::parse(uri).map_err(|_| Error::from(MaintenanceError::BadUri { uri: uri.into() }))
}

fn check_group(view: &StorageView, uri: &Uri) -> Result<()> {
    let is_group = view.is_dir(&uri.join(folders::GROUP_DETAILS))?
        || view.is_file(&uri.join(folders::GROUP_FILE))?;
    if is_group && !array::exists(view, uri)? {
        Ok(())
    } else {
        Err(MaintenanceError::NotAGroup {
            uri: uri.to_string(),
        }
        .into())
    }
}

/// Returns the latest schema of an array, which must exist.
fn existing(
    view: &StorageView,
    uri: &Uri,
    config: &Config,
) -> Result<Arc<crate::schema::ArraySchema>> {
    if !array::exists(view, uri)? {
        return Err(MaintenanceError::NotAnArray {
            uri: uri.to_string(),
        }
        .into());
    }
    array::load_schema_with(view, uri, key::of_array_config(config)?.as_ref())
}
