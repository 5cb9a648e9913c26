//! Checks of the stored files of arrays and groups, and the removal of remains.
//!
//! A check reads every file: schemas, enumerations, commits, deletes, metadata, and each tile of
//! each fragment, whether a reader sees the fragment or not. It changes nothing. What is wrong is
//! reported as [`Finding`]s; an error ends the check only if the object does not exist, memory is
//! exhausted or the operation is cancelled. A file that another process removes meanwhile is not
//! reported.

mod array;
mod fragment;
mod group;
mod order;
mod report;
mod statistics;
mod tile;

use std::sync::Arc;

use crate::array::array_not_found;
use crate::config::Config;
use crate::error::Result;
use crate::maintenance::{self, RemainsAction, RemainsAge};
use crate::object::object_type;
use crate::types::ObjectType;
use crate::vfs::{Uri, Vfs};

pub use report::{CheckSummary, Finding, Severity};

use report::FindingReport;

/// Checks the array or group at `uri`, the arrays of its labels, and the members of a group. Calls
/// `report` with each finding, on the calling thread.
///
/// # Errors
///
/// Returns an error if the object does not exist, the key is wrong, memory is exhausted, the
/// operation is cancelled, or `report` returns an error.
pub fn check(
    vfs: &Arc<Vfs>,
    uri: &str,
    config: &Config,
    report: &mut dyn FnMut(&Finding) -> Result<()>,
) -> Result<CheckSummary> {
    let _operation = vfs.context.operation();
    let _tracking = vfs.context.track("check", "tiles");
    let uri = Uri::parse(uri)?;
    let mut report = FindingReport::new(report);
    match object_type(&vfs.view(), &uri)? {
        ObjectType::Array => array::check(vfs, &uri, config, &mut report)?,
        ObjectType::Group => group::check(vfs, &uri, config, &mut report)?,
        ObjectType::Invalid => return Err(array_not_found()),
    }
    Ok(report.summary)
}

/// Removes the remains in the array or group at `uri`: what killed processes left and no reader at
/// any timestamp sees. Calls `report` with the URI of each. A dry run removes nothing. Files that
/// are younger than `sm.vacuum.garbage_min_age_ms` of `config`, or that a running writer has
/// locked, are kept.
///
/// # Errors
///
/// Returns an error if the object does not exist, storage fails, or `report` returns an error.
pub fn clean(
    vfs: &Arc<Vfs>,
    uri: &str,
    config: &Config,
    dry_run: bool,
    report: &mut dyn FnMut(&Uri) -> Result<()>,
) -> Result<()> {
    let _operation = vfs.context.operation();
    let uri = Uri::parse(uri)?;
    let action = if dry_run {
        RemainsAction::Report
    } else {
        RemainsAction::Remove
    };
    maintenance::sweep_remains(
        &vfs.view(),
        &uri,
        config,
        action,
        &mut |uri, age| match age {
            RemainsAge::Removable => report(uri),
            RemainsAge::TooYoung => Ok(()),
        },
    )
}
