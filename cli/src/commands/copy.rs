//! `cp`: copies arrays and groups, also between two kinds of storage.

use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::json;
use tiledb_engine::{Context, Group, ObjectType};

use super::diff::different_cells;
use super::objects::{check_target, kind_text, last};
use crate::args::{Time, Verification};
use crate::interrupt;
use crate::output::{Output, bytes_text};
use crate::problem::{Problem, Result};
use crate::progress::Progress;
use crate::selection::{existing, open};

/// The deepest group that is copied.
const MAX_DEPTH: usize = 32;

/// Copies an object.
pub(super) fn cp(
    context: &Context,
    from: &str,
    to: &str,
    verify: Verification,
    output: &mut Output,
) -> Result<()> {
    let kind = existing(context, from)?;
    check_target(context.is_copy_target(to)?, from, to)?;
    interrupt::catch();
    let mut copy = ObjectCopy {
        context,
        verify,
        bar: Progress::bytes(0),
        made: Vec::new(),
        folders: Vec::new(),
        groups: HashSet::new(),
        bytes: 0,
        arrays: 0,
        group_num: 0,
    };
    copy.object(kind, from, to, 0)?;
    copy.made.clear();
    copy.folders.clear();
    let (arrays, groups, bytes) = (copy.arrays, copy.group_num, copy.bytes);
    drop(copy);
    let verified = match verify {
        Verification::Files => "files",
        Verification::Cells => "cells",
    };
    let json = json!({
        "from": from, "to": to, "type": kind_text(kind), "arrays": arrays, "groups": groups,
        "bytes": bytes, "verified": verified,
    });
    output.print(&json, || {
        let (kind, size) = (kind_text(kind), bytes_text(bytes));
        format!("copied {kind} {from} to {to}: {arrays} arrays, {size}, {verified} verified\n")
    })
}

/// A copy at work. Dropping it removes the objects and folders that were made, unless the lists
/// were cleared.
struct ObjectCopy<'a> {
    context: &'a Context,
    verify: Verification,
    bar: Progress,
    made: Vec<String>,
    /// The local folders of groups that did not exist before.
    folders: Vec<PathBuf>,
    /// The groups that are being copied.
    groups: HashSet<String>,
    bytes: u64,
    arrays: u64,
    group_num: u64,
}

impl ObjectCopy<'_> {
    fn object(&mut self, kind: ObjectType, from: &str, to: &str, depth: usize) -> Result<()> {
        interrupt::check()?;
        match kind {
            ObjectType::Array => self.array(from, to),
            ObjectType::Group => self.group(from, to, depth),
            ObjectType::Invalid => Err(Problem::missing(format!(
                "the member '{from}' of a group does not exist"
            ))
            .hint("remove it from the group first")),
        }
    }

    fn array(&mut self, from: &str, to: &str) -> Result<()> {
        let (done, bar) = (2 * self.bytes, &self.bar);
        let copied = self.context.copy_array(from, to, |progress| {
            bar.set_total(done + 2 * progress.total);
            bar.set(done + progress.copied + progress.verified);
            !interrupt::is_pending()
        });
        if copied.is_err() {
            interrupt::check()?;
        }
        self.bytes += copied?;
        self.arrays += 1;
        self.made.push(to.to_owned());
        if self.verify == Verification::Files {
            return Ok(());
        }
        let time = Time { at: None };
        let (first, second) = (
            open(self.context, from, time)?,
            open(self.context, to, time)?,
        );
        let different = different_cells(&first, &second)?;
        if different.number > 0 {
            let number = different.number;
            let message = format!("{number} cells of the copy '{to}' differ; it is removed");
            return Err(Problem::damage(message)
                .hint("the source may have changed during the copy; copy it again"));
        }
        Ok(())
    }

    /// Copies the members of a group, then the group itself. Members outside of its folder become
    /// members in the folder of the copy.
    fn group(&mut self, from: &str, to: &str, depth: usize) -> Result<()> {
        let group = Group::open(self.context, from)?;
        if depth > MAX_DEPTH || !self.groups.insert(group.uri().to_owned()) {
            let message = format!("the group '{from}' contains itself, or groups are too deep");
            return Err(Problem::usage(message).hint("copy its members one by one"));
        }
        self.folders.extend(new_local_folder(to));
        let root = group.uri().trim_end_matches('/');
        let mut members: Vec<(String, Option<String>)> = Vec::new();
        for member in group.members()? {
            let path = member_path(root, &member.uri, member.name.as_deref())?;
            if members.iter().any(|(other, _)| *other == path) {
                let message = format!("two members of the group '{from}' are named '{path}'");
                return Err(Problem::usage(message).hint("copy its members one by one"));
            }
            let target = format!("{}/{path}", to.trim_end_matches('/'));
            self.object(member.kind, &member.uri, &target, depth + 1)?;
            members.push((path, member.name));
        }
        Group::create(self.context, to)?;
        self.made.push(to.to_owned());
        let copy = Group::open(self.context, to)?;
        for (path, name) in &members {
            copy.add_relative(path, name.as_deref())?;
        }
        for (key, value) in group.metadata()? {
            copy.put_metadata(&key, value)?;
        }
        self.groups.remove(group.uri());
        self.group_num += 1;
        Ok(())
    }
}

/// Returns the path of a folder on a local disk that does not exist.
fn new_local_folder(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let path = PathBuf::from(path);
    (!uri.contains("://") || uri.starts_with("file://"))
        .then_some(path)
        .filter(|path| !path.exists())
}

/// Returns the path of a member in the folder of the copy: that in the folder of the group, or else
/// its name or the last part of its URI. Names are stored texts: a path that leaves the folder of
/// the copy, or that a file of the copied group has, is not used.
fn member_path(root: &str, uri: &str, name: Option<&str>) -> Result<String> {
    let is_inside = |path: &&str| {
        let parts = path.split('/');
        let reserved = ["", ".", "..", "__group", "__meta", "__tiledb_group.tdb"];
        !path.contains('\\') && parts.into_iter().all(|part| !reserved.contains(&part))
    };
    let below = uri
        .strip_prefix(root)
        .and_then(|rest| rest.strip_prefix('/'));
    let paths = [below, name, Some(last(uri))].into_iter().flatten();
    let path = paths.map(|path| path.trim_end_matches('/')).find(is_inside);
    path.map(str::to_owned).ok_or_else(|| {
        Problem::usage(format!(
            "the member '{uri}' of a group has no name for its copy"
        ))
        .hint("copy it by itself")
    })
}

impl Drop for ObjectCopy<'_> {
    fn drop(&mut self) {
        for uri in self.made.iter().rev() {
            // The error that ended the copy is reported. A group is removed with its members.
            let _ = self.context.remove(uri);
        }
        for folder in self.folders.iter().rev() {
            // A group whose members were not all copied is a folder only. It is kept if it has
            // something else.
            let _ = std::fs::remove_dir(folder);
        }
    }
}
