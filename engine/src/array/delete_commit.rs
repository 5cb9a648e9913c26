//! Writing the commit of a delete.

use std::sync::Arc;

use super::commits::{CommitScope, Commits};
use super::instant::open_repeatedly;
use super::snapshot::Snapshot;
use crate::bytes::Sink;
use crate::error::{DeleteError, Result};
use crate::format::commits::write_condition;
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::fragment::{FragmentLocation, OpenedObject, publish_record};
use crate::types::condition::Condition;
use crate::types::{TimeRange, Timestamp};
use crate::vfs::Vfs;

/// Commits a delete of cells written until `timestamp`, in milliseconds, that do not satisfy a
/// condition. Returns an error if the timestamp is within a fragment that does not store the
/// timestamps of its cells.
pub fn write_delete(
    vfs: &Arc<Vfs>,
    snapshot: &Snapshot,
    remaining: &Condition,
    timestamp: Timestamp,
) -> Result<()> {
    let array = &snapshot.uri;
    let timestamps = TimeRange::at(timestamp);
    let view = &vfs.view();
    let fragments = open_repeatedly(vfs, array, |lock| {
        let commits = Commits::read(view, array, CommitScope::all(lock))?;
        commits.fragments(view)
    })?;
    if fragments
        .iter()
        .map(FragmentLocation::name)
        .any(|name| name.version() < v::TIMESTAMP_FILES && name.timestamps().contains(timestamps))
    {
        return Err(DeleteError::InConsolidated.into());
    }
    let mut record = Sink::new();
    write_condition(&mut record, remaining);
    let version = FormatVersion(snapshot.schema.version).for_writing();
    let name = FragmentName::generate(timestamps, version);
    let name = format!("{}{}", name.as_str(), folders::DELETE);
    let key = snapshot.session.key.as_ref();
    let file = array.join(folders::COMMITS).join(&name);
    let opened = OpenedObject {
        uri: array,
        schema_name: &snapshot.schema.name,
    };
    publish_record(
        vfs,
        opened,
        &file,
        record.as_slice(),
        version.of_records(),
        key,
    )
}
