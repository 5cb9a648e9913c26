//! Changes of arrays and groups, which the option `--write` allows.

use serde_json::{Value, json};
use tiledb_engine::{Array, Group, MaintenanceMode, ObjectType};

use super::http::Request;
use super::session::Session;
use crate::problem::{Problem, Result};
use crate::selection::existing;

/// The most bytes of a key of metadata.
const MAX_KEY: usize = 1000;

/// Consolidates or vacuums an array, or changes a value of the metadata of an array or group.
/// Returns a sentence about the result.
pub(super) fn change(session: &Session, request: &Request) -> Result<Value> {
    let uri = session.uri(request)?;
    let action = request.parameter("action").unwrap_or_default();
    let sentence = match action {
        "consolidate" | "vacuum" => maintain(session, uri, action),
        "set" | "delete" => change_metadata(session, uri, request),
        _ => Err(Problem::usage(format!("'{action}' is not a change"))),
    };
    // A change that failed may have taken effect in part.
    session.close(uri);
    Ok(json!({ "text": sentence? }))
}

fn maintain(session: &Session, uri: &str, action: &str) -> Result<String> {
    if existing(session.context(), uri)? != ObjectType::Array {
        return Err(Problem::usage("only arrays have fragments"));
    }
    let mut array = Array::open(session.context(), uri)?;
    if action == "vacuum" {
        let before = array.replaced_fragments()?.len();
        array.vacuum(MaintenanceMode::Fragments)?;
        let left = array.replaced_fragments()?.len();
        let removed = before.saturating_sub(left);
        return Ok(format!("{removed} replaced fragments were removed."));
    }
    let before = array.fragments()?.len();
    array.consolidate(MaintenanceMode::Fragments)?;
    array.reopen()?;
    let after = array.fragments()?.len();
    Ok(format!(
        "The array had {before} fragments and has {after} now."
    ))
}

fn change_metadata(session: &Session, uri: &str, request: &Request) -> Result<String> {
    let key = request.parameter("key").unwrap_or_default();
    if key.is_empty() || key.len() > MAX_KEY {
        return Err(Problem::usage(format!(
            "a key of metadata has 1 to {MAX_KEY} bytes"
        )));
    }
    let text = str::from_utf8(&request.body);
    let text = text.map_err(|_| Problem::usage("the value is not UTF-8"))?;
    let sets = request.parameter("action") == Some("set");
    if existing(session.context(), uri)? == ObjectType::Group {
        let group = Group::open(session.context(), uri)?;
        if sets {
            group.put_metadata(key, text)?;
        } else {
            group.remove_metadata(key)?;
        }
    } else {
        let array = Array::open(session.context(), uri)?;
        if sets {
            array.put_metadata(key, text)?;
        } else {
            array.remove_metadata(key)?;
        }
    }
    let verb = if sets { "set" } else { "deleted" };
    Ok(format!("The metadata '{key}' is {verb}."))
}
