//! `consolidate` and `vacuum`: the plan, and its execution.

use serde_json::{Value, json};
use tiledb_engine::{Array, Context, MaintenanceMode};

use super::describe::fragment_table;
use crate::args::{Mode, Time};
use crate::output::Output;
use crate::problem::Result;
use crate::progress::FollowedContext;
use crate::selection::open;

impl Mode {
    fn of_engine(self) -> MaintenanceMode {
        match self {
            Self::Fragments => MaintenanceMode::Fragments,
            Self::FragmentMeta => MaintenanceMode::FragmentMetadata,
            Self::Commits => MaintenanceMode::Commits,
            Self::ArrayMeta => MaintenanceMode::ArrayMetadata,
            Self::Garbage => MaintenanceMode::Garbage,
        }
    }
}

/// Merges fragments or small files.
pub(super) fn consolidate(
    context: &Context,
    uri: &str,
    mode: Mode,
    dry_run: bool,
    output: &mut Output,
) -> Result<()> {
    let mut array = open(context, uri, Time { at: None })?;
    let mode = mode.of_engine();
    let before = array.fragments()?.len();
    let (table, json) = fragment_table(&array)?;
    if !output.json {
        let what = match mode {
            MaintenanceMode::Fragments => format!("{before} fragments to consolidate"),
            _ => format!("{} of {before} fragments to consolidate", mode.name()),
        };
        output.text(&format!("{what}:\n{}", table.text()))?;
    }
    if !dry_run {
        let _bar = FollowedContext::new(context);
        array.consolidate(mode)?;
    }
    array.reopen()?;
    let after = array.fragments()?.len();
    let json = json!({
        "mode": mode.name(), "plan": json, "executed": !dry_run,
        "fragments_before": before, "fragments_after": after,
    });
    output.print(&json, || {
        if dry_run {
            return String::new();
        }
        format!("fragments: {before} before, {after} now\n")
    })
}

/// Removes what consolidation replaced.
pub(super) fn vacuum(
    context: &Context,
    uri: &str,
    mode: Mode,
    dry_run: bool,
    output: &mut Output,
) -> Result<()> {
    let array: Array = open(context, uri, Time { at: None })?;
    let mode = mode.of_engine();
    let replaced = if mode == MaintenanceMode::Fragments {
        array.replaced_fragments()?
    } else {
        Vec::new()
    };
    if !output.json && mode == MaintenanceMode::Fragments {
        let names = replaced.iter().map(|uri| format!("  {uri}\n"));
        let names: String = names.collect();
        output.text(&format!(
            "{} replaced fragments to remove\n{names}",
            replaced.len()
        ))?;
    }
    if !dry_run {
        let _bar = FollowedContext::new(context);
        array.vacuum(mode)?;
    }
    let left = match mode {
        MaintenanceMode::Fragments => array.replaced_fragments()?.len(),
        _ => 0,
    };
    let json = json!({
        "mode": mode.name(), "executed": !dry_run, "left": left,
        "plan": replaced.iter().map(|uri| json!(uri)).collect::<Vec<Value>>(),
    });
    output.print(&json, || match (dry_run, mode) {
        (true, _) => String::new(),
        (false, MaintenanceMode::Fragments) => format!("removed {}\n", replaced.len() - left),
        (false, _) => format!("removed what consolidation of {} replaced\n", mode.name()),
    })
}
