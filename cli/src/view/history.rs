//! The events in the life of an array: writes, deletes, evolutions, consolidations.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use tiledb_engine::{Array, FragmentDetails, Vfs};

use super::http::Request;
use super::outline::{Outline, timestamps};
use super::session::{RequestPart, Session, check, for_fragments};
use crate::problem::Result;

/// The most files of a folder that are looked at.
const MAX_FILES: usize = 100_000;
/// The most events of a response.
const MAX_EVENTS: usize = 5000;

/// The folders of an array whose files are events: name, suffix of the files, kind of the event.
const FOLDERS: [(&str, &str, &str); 3] = [
    ("__schema", "", "evolution"),
    ("__commits", ".del", "delete"),
    ("__meta", "", "metadata"),
];

/// Returns the files of a folder of an array whose names have timestamps and a suffix. Sets
/// `stopped` and ends if they are too many.
fn named_files(
    array: &Array,
    files: &Vfs,
    folder: &str,
    suffix: &str,
    stopped: &AtomicBool,
) -> Vec<((u64, u64), String)> {
    let uri = format!("{}/{folder}", array.uri().trim_end_matches('/'));
    let (mut found, mut seen) = (Vec::new(), 0);
    let visited = files.walk(&uri, |uri, _| {
        seen += 1;
        if seen > MAX_FILES {
            stopped.store(true, Ordering::Relaxed);
        }
        let name = uri.rsplit('/').next().unwrap_or_default();
        let is_file = name.ends_with(suffix) && !name.ends_with(".vac");
        if let Some(times) = timestamps(name).filter(|_| is_file && !uri.contains("__enumerations"))
        {
            found.push((times, name.to_owned()));
        }
        if stopped.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    // Arrays of old formats and arrays on servers do not have the folder.
    visited.map_or_else(|_| Vec::new(), |_| found)
}

/// Returns the events in the order of their times; with the parameter `names`, what the names of
/// files show before fragments are opened.
pub(super) fn history(session: &Session, request: &Request) -> Result<Value> {
    if request.parameter("names").is_some()
        && let Some(outline) = session.outline(request)?
    {
        return Ok(named_history(&outline));
    }
    let array = session.array(request)?;
    if let Some(outline) = session.outline(request)? {
        return complete_history(&array, &outline);
    }
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
    let stopped = AtomicBool::new(false);
    let files = session.context().vfs();
    // All wait for storage, so they run at the same time.
    let request = &RequestPart::new(session.context());
    let (sizes, replaced, named) = thread::scope(|scope| {
        let named = FOLDERS.map(|(folder, suffix, _)| {
            let (array, files, stopped) = (&array, &files, &stopped);
            let find = move || named_files(array, files, folder, suffix, stopped);
            scope.spawn(move || request.run(find))
        });
        let replaced = scope.spawn(|| request.run(|| array.replaced_fragments()));
        let sizes = for_fragments(&array, &fragments, FragmentDetails::size);
        if check().is_err() {
            stopped.store(true, Ordering::Relaxed);
        }
        let named = named.map(|thread| thread.join().unwrap_or_default());
        (sizes, replaced.join(), named)
    });
    for (fragment, bytes) in fragments.iter().zip(sizes?) {
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
    let replaced = replaced.unwrap_or_else(|_| Ok(Vec::new()))?;
    for uri in replaced {
        let name = uri
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        if let Some(times) = timestamps(name) {
            add(times, name, "replaced", None, None);
        }
    }
    for ((_, _, kind), found) in FOLDERS.iter().zip(named) {
        for (times, name) in found {
            add(times, &name, kind, None, None);
        }
    }
    let stopped = stopped.into_inner();
    check()?;
    let is_complete = !stopped;
    Ok(history_json(events.into_values().collect(), is_complete))
}

/// Returns the events that the names of files show, with what the open fragments state. Fragments
/// that were not opened are those that others replaced.
fn complete_history(array: &Array, outline: &Outline) -> Result<Value> {
    let fragments = array.fragments()?;
    let sizes = for_fragments(array, &fragments, FragmentDetails::size)?;
    let open: HashMap<&str, (u64, u64)> = fragments
        .iter()
        .zip(sizes)
        .map(|(fragment, bytes)| (fragment.name(), (fragment.cell_num(), bytes)))
        .collect();
    let events = outline.files.iter().filter_map(|file| {
        let found = open.get(file.name.as_str());
        let kind = match (file.kind, found) {
            ("replaced", Some(_)) if file.start < file.end => "consolidation",
            ("replaced", Some(_)) => "write",
            ("write" | "consolidation", None) => return None,
            (kind, _) => kind,
        };
        let (cells, bytes) = found.copied().unzip();
        Some(json!({
            "kind": kind, "name": file.name, "start": file.start, "end": file.end,
            "cells": cells, "bytes": bytes,
        }))
    });
    Ok(history_json(events.collect(), outline.is_complete))
}

/// Returns the events that the names of files show.
fn named_history(outline: &Outline) -> Value {
    let events = outline.files.iter().map(|file| {
        json!({
            "kind": file.kind, "name": file.name, "start": file.start, "end": file.end,
            "cells": null, "bytes": null,
        })
    });
    history_json(events.collect(), outline.is_complete)
}

fn history_json(mut events: Vec<Value>, is_complete: bool) -> Value {
    // The first schema is that of the creation.
    if let Some(first) = events.iter_mut().find(|event| event["kind"] == "evolution") {
        first["kind"] = "creation".into();
    }
    let total = events.len();
    let shown = events.into_iter().skip(total.saturating_sub(MAX_EVENTS));
    json!({
        "events": shown.collect::<Vec<_>>(),
        "total": total,
        "complete": is_complete && total <= MAX_EVENTS,
    })
}
