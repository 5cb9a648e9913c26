//! `ls`, `tree`, `size`, `rm` and `mv`.

use std::collections::HashSet;

use serde_json::{Value, json};
use tiledb_engine::{Array, Context, Group, ObjectType};

use crate::output::{Output, bytes_text};
use crate::problem::{Problem, Result};
use crate::selection::existing;
use crate::table::{Table, plain};

/// Returns the name of a type of objects.
pub(crate) fn kind_text(kind: ObjectType) -> &'static str {
    match kind {
        ObjectType::Array => "array",
        ObjectType::Group => "group",
        ObjectType::Invalid => "missing",
    }
}

/// An array or group in a listing.
pub(crate) struct ListedObject {
    pub(crate) name: String,
    pub(crate) uri: String,
    pub(crate) kind: ObjectType,
}

/// Returns the members of a group, or the objects in a folder.
pub(crate) fn contents(context: &Context, uri: &str) -> Result<Vec<ListedObject>> {
    if context.object_type(uri)? == ObjectType::Group {
        let members = Group::open(context, uri)?.members()?;
        let found = members.into_iter().map(|member| ListedObject {
            name: member.name.unwrap_or_else(|| last(&member.uri).to_owned()),
            uri: member.uri,
            kind: member.kind,
        });
        return Ok(found.collect());
    }
    if !is_folder(context, uri)? {
        return Err(Problem::missing(format!("there is no folder at '{uri}'"))
            .hint("check the path; `tiledb-rs ls .` lists the current folder"));
    }
    let found = context
        .objects(uri)?
        .into_iter()
        .map(|(uri, kind)| ListedObject {
            name: last(&uri).to_owned(),
            uri,
            kind,
        });
    Ok(found.collect())
}

/// Returns whether a folder exists at a URI.
fn is_folder(context: &Context, uri: &str) -> Result<bool> {
    // A bucket without objects is a folder.
    let is_bucket = uri.split_once("://").is_some_and(|(scheme, path)| {
        scheme != "file" && !path.trim_end_matches('/').contains('/')
    });
    Ok(is_bucket || context.exists(&format!("{}/", uri.trim_end_matches('/')))?)
}

/// The groups whose members were listed. Groups may contain each other, or one group in several
/// ways; each is followed once.
struct FollowedGroups<'a> {
    context: &'a Context,
    seen: HashSet<String>,
}

impl<'a> FollowedGroups<'a> {
    /// Starts at a folder, a group or an array.
    fn new(context: &'a Context, uri: &str, kind: ObjectType) -> Result<Self> {
        let mut followed = Self {
            context,
            seen: HashSet::new(),
        };
        if kind == ObjectType::Group {
            followed.insert(Group::open(context, uri)?.uri());
        }
        Ok(followed)
    }

    /// Returns whether a group was not followed before.
    fn insert(&mut self, uri: &str) -> bool {
        self.seen.insert(uri.trim_end_matches('/').to_owned())
    }

    /// Returns the arrays among members, also those of member groups, with names relative to the
    /// first group.
    fn arrays(&mut self, found: Vec<ListedObject>, depth: usize) -> Result<Vec<ListedObject>> {
        let mut arrays = Vec::new();
        for object in found {
            match object.kind {
                ObjectType::Array => arrays.push(object),
                ObjectType::Group if self.insert(&object.uri) => {
                    check_depth(depth, &object.uri)?;
                    let members = contents(self.context, &object.uri)?;
                    for inner in self.arrays(members, depth + 1)? {
                        let name = format!("{}/{}", object.name, inner.name);
                        arrays.push(ListedObject { name, ..inner });
                    }
                }
                ObjectType::Group | ObjectType::Invalid => {}
            }
        }
        Ok(arrays)
    }

    /// Appends the members of a group or folder below its line, and returns them as JSON. The
    /// members of a group that was listed before are `null`.
    fn append_members(&mut self, uri: &str, text: &mut String, indent: &str) -> Result<Vec<Value>> {
        check_depth(indent.chars().count() / INDENT, uri)?;
        let mut json = Vec::new();
        let found = contents(self.context, uri)?;
        for (index, object) in found.iter().enumerate() {
            let is_last = index + 1 == found.len();
            let (mark, below) = if is_last {
                ("└── ", "    ")
            } else {
                ("├── ", "│   ")
            };
            let (name, kind) = (plain(&object.name), kind_text(object.kind));
            let is_group = object.kind == ObjectType::Group;
            let is_repeated = is_group && !self.insert(&object.uri);
            let note = if is_repeated { ", listed above" } else { "" };
            text.push_str(&format!("{indent}{mark}{name} ({kind}{note})\n"));
            let members = match object.kind {
                ObjectType::Group if is_repeated => Value::Null,
                ObjectType::Group => {
                    let indent = format!("{indent}{below}");
                    self.append_members(&object.uri, text, &indent)?.into()
                }
                ObjectType::Array | ObjectType::Invalid => Value::Array(Vec::new()),
            };
            json.push(json!({
                "name": object.name, "type": kind, "uri": object.uri, "members": members,
            }));
        }
        Ok(json)
    }
}

/// Returns an error if groups are nested so deeply that recursion would exhaust the stack.
fn check_depth(depth: usize, uri: &str) -> Result<()> {
    if depth < MAX_DEPTH {
        return Ok(());
    }
    let message = format!("the group '{uri}' is below {MAX_DEPTH} others");
    Err(Problem::usage(message).hint("list this group by itself"))
}

/// Returns the last part of a URI.
pub(super) fn last(uri: &str) -> &str {
    uri.trim_end_matches('/').rsplit('/').next().unwrap_or(uri)
}

/// Lists the objects in a folder or group.
pub(super) fn ls(context: &Context, uri: &str, output: &mut Output) -> Result<()> {
    if context.object_type(uri)? == ObjectType::Array {
        let message = format!("'{uri}' is an array and has no members");
        let hint = format!("`tiledb-rs info {uri}` describes it");
        return Err(Problem::usage(message).hint(hint));
    }
    let found = contents(context, uri)?;
    let json = found.iter();
    let json = json.map(
        |object| json!({"name": object.name, "type": kind_text(object.kind), "uri": object.uri}),
    );
    output.print(&Value::Array(json.collect()), || {
        let lines = found.iter();
        lines
            .map(|object| format!("{:<7} {}\n", kind_text(object.kind), plain(&object.name)))
            .collect()
    })
}

/// The number of groups that may be nested.
const MAX_DEPTH: usize = 128;
/// The number of characters by which members are indented in a tree.
const INDENT: usize = 4;

/// Prints a group with its members.
pub(super) fn tree(context: &Context, uri: &str, output: &mut Output) -> Result<()> {
    let kind = context.object_type(uri)?;
    let mut text = format!(
        "{uri} ({})\n",
        match kind {
            ObjectType::Invalid => "folder",
            kind => kind_text(kind),
        }
    );
    let members = match kind {
        ObjectType::Array => Vec::new(),
        _ => FollowedGroups::new(context, uri, kind)?.append_members(uri, &mut text, "")?,
    };
    let json = json!({"uri": uri, "type": kind_text(kind), "members": members});
    output.print(&json, || text)
}

/// Prints the sizes of arrays.
pub(super) fn size(context: &Context, uri: &str, output: &mut Output) -> Result<()> {
    let kind = context.object_type(uri)?;
    let found = if kind == ObjectType::Array {
        let name = last(uri).to_owned();
        let uri = uri.to_owned();
        vec![ListedObject {
            name,
            uri,
            kind: ObjectType::Array,
        }]
    } else {
        FollowedGroups::new(context, uri, kind)?.arrays(contents(context, uri)?, 0)?
    };
    let header = ["array", "fragments", "cells", "size"];
    let mut table = Table::new(header).right([1, 2, 3]).whole();
    let mut json = Vec::new();
    let mut total = 0;
    for object in &found {
        let opened = Array::open(context, &object.uri).and_then(|array| array.fragments());
        let fragments = opened.map_err(|error| Problem::from(error).within(&object.name))?;
        let sizes = fragments.iter().map(|fragment| fragment.size());
        let size: u64 = sizes.sum::<tiledb_engine::Result<u64>>()?;
        let cells: u64 = fragments.iter().map(|fragment| fragment.cell_num()).sum();
        total += size;
        json.push(json!({
            "name": object.name, "fragments": fragments.len(), "cells": cells, "bytes": size,
        }));
        let (fragments, cells) = (fragments.len().to_string(), cells.to_string());
        table.push(vec![
            object.name.clone(),
            fragments,
            cells,
            bytes_text(size),
        ]);
    }
    let json = json!({"arrays": json, "bytes": total});
    output.print(&json, || {
        format!("{}total: {}\n", table.text(), bytes_text(total))
    })
}

/// Removes an object.
pub(super) fn rm(context: &Context, uri: &str, dry_run: bool, output: &mut Output) -> Result<()> {
    let kind = kind_text(existing(context, uri)?);
    if !dry_run {
        context.remove(uri)?;
    }
    let json = json!({"uri": uri, "type": kind, "removed": !dry_run});
    output.print(&json, || {
        let verb = if dry_run { "would remove" } else { "removed" };
        format!("{verb} {kind} {uri}\n")
    })
}

/// Returns the problem of a new object at a URI where something exists.
pub(super) fn occupied(uri: &str) -> Problem {
    Problem::usage(format!("something exists at '{uri}' already"))
        .hint("choose another URI, or remove it with `tiledb-rs rm`")
}

/// Returns an error if something exists at the target of a move or copy, or if it is in the source.
pub(super) fn check_target(is_free: bool, from: &str, to: &str) -> Result<()> {
    if !is_free {
        return Err(occupied(to));
    }
    let absolute = |uri: &str| {
        if uri.contains("://") {
            return uri.to_owned();
        }
        let path = std::path::absolute(uri).unwrap_or_else(|_| uri.into());
        format!("file://{}", path.display())
    };
    let (source, target) = (absolute(from), absolute(to));
    if target.starts_with(&format!("{}/", source.trim_end_matches('/'))) {
        return Err(Problem::usage(format!("'{to}' is in '{from}'"))
            .hint("choose a URI outside of the source"));
    }
    Ok(())
}

/// Moves an object.
pub(super) fn mv(context: &Context, from: &str, to: &str, output: &mut Output) -> Result<()> {
    let kind = kind_text(existing(context, from)?);
    check_target(context.is_move_target(to)?, from, to)?;
    context.rename(from, to)?;
    let json = json!({"from": from, "to": to, "type": kind});
    output.print(&json, || format!("moved {kind} {from} to {to}\n"))
}
