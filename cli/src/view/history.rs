//! The events in the life of an array: writes, deletes, evolutions, consolidations.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::{Value, json};
use tiledb_engine::FragmentDetails;

use super::http::Request;
use super::session::{Session, check, for_fragments};
use crate::problem::Result;

/// The most files that are looked at.
const MAX_FILES: usize = 100_000;
/// The most events of a response.
const MAX_EVENTS: usize = 5000;

/// Returns the timestamps in the name of a file or folder, `__START_END_ID`.
fn timestamps(name: &str) -> Option<(u64, u64)> {
    let mut parts = name.strip_prefix("__")?.split('_');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Returns the events in the order of their times.
pub(super) fn history(session: &Session, request: &Request) -> Result<Value> {
    let array = session.array(request)?;
    let mut events = BTreeMap::new();
    let mut add =
        |times: (u64, u64), name: &str, kind: &str, cells: Option<u64>, bytes: Option<u64>| {
            let event = json!({
                "kind": kind, "name": name, "start": times.0, "end": times.1,
                "cells": cells, "bytes": bytes,
            });
            events.insert((times, name.to_owned()), event);
        };
    let fragments = array.fragments()?;
    let sizes = for_fragments(&array, &fragments, FragmentDetails::size)?;
    for (fragment, bytes) in fragments.iter().zip(sizes) {
        let times = fragment.timestamps();
        let kind = if times.start < times.end {
            "consolidation"
        } else {
            "write"
        };
        let cells = fragment.cell_num();
        add(
            (times.start, times.end),
            fragment.name(),
            kind,
            Some(cells),
            Some(bytes),
        );
    }
    for uri in array.replaced_fragments()? {
        let name = uri
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        if let Some(times) = timestamps(name) {
            add(times, name, "replaced", None, None);
        }
    }
    let files = session.context().vfs();
    let (mut seen, mut stopped) = (0, false);
    for (folder, suffix, kind) in [
        ("__schema", "", "evolution"),
        ("__commits", ".del", "delete"),
        ("__meta", "", "metadata"),
    ] {
        let uri = format!("{}/{folder}", array.uri().trim_end_matches('/'));
        let visited = files.walk(&uri, |uri, _| {
            seen += 1;
            stopped |= seen > MAX_FILES || check().is_err();
            let name = uri.rsplit('/').next().unwrap_or_default();
            let is_file = name.ends_with(suffix) && !name.ends_with(".vac");
            if let Some(times) =
                timestamps(name).filter(|_| is_file && !uri.contains("__enumerations"))
            {
                add(times, name, kind, None, None);
            }
            if stopped {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        // Arrays of old formats and arrays on servers do not have the folder.
        stopped |= visited.is_err() && check().is_err();
        if stopped {
            break;
        }
    }
    check()?;
    // The first schema is that of the creation.
    if let Some(first) = events
        .values_mut()
        .find(|event| event["kind"] == "evolution")
    {
        first["kind"] = "creation".into();
    }
    let total = events.len();
    let shown = events.into_values().skip(total.saturating_sub(MAX_EVENTS));
    Ok(json!({
        "events": shown.collect::<Vec<_>>(),
        "total": total,
        "complete": !stopped && total <= MAX_EVENTS,
        "timestamp": array.timestamp(),
    }))
}
