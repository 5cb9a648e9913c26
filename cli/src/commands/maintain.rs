//! `consolidate` and `vacuum`: the plan, and its execution.

use serde_json::json;
use tiledb_engine::{Array, Context, MaintenanceMode};

use super::describe::fragment_table;
use crate::args::{Mode, Time};
use crate::output::Output;
use crate::problem::{Problem, Result};
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
    if mode == Mode::Garbage {
        return Err(Problem::usage("garbage cannot be consolidated")
            .hint("`tiledb-rs vacuum --mode garbage` or `tiledb-rs clean` removes it"));
    }
    let mut array = open(context, uri, Time { at: None })?;
    let mode = mode.of_engine();
    let before = array.fragments()?.len();
    let (table, json) = fragment_table(&array)?;
    if !output.json {
        let description = match mode {
            MaintenanceMode::Fragments => format!("{before} fragments to consolidate"),
            _ => format!("{} of {before} fragments to consolidate", mode.name()),
        };
        output.announce(&format!("{description}:\n{}", table.text()))?;
    }
    if !dry_run {
        FollowedContext::new(context).run(|| array.consolidate(mode))?;
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

/// Returns what a vacuum removes, as text. Only for fragments and garbage it is known before.
fn vacuum_plan(mode: MaintenanceMode, replaced: Option<&[String]>) -> String {
    let Some(replaced) = replaced else {
        let description = mode.name();
        return format!("files of {description} that consolidation replaced are to be removed\n");
    };
    let description = match mode {
        MaintenanceMode::Fragments => "replaced fragments",
        _ => "remains of killed processes",
    };
    let names: String = replaced.iter().map(|uri| format!("  {uri}\n")).collect();
    format!("{} {description} to remove\n{names}", replaced.len())
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
    let replaced = match mode {
        MaintenanceMode::Fragments => Some(array.replaced_fragments()?),
        MaintenanceMode::Garbage => Some(context.clean(uri, true)?),
        _ => None,
    };
    if !output.json {
        output.announce(&vacuum_plan(mode, replaced.as_deref()))?;
    }
    if !dry_run {
        FollowedContext::new(context).run(|| array.vacuum(mode))?;
    }
    let planned = replaced.as_ref().map_or(0, Vec::len);
    let left = match mode {
        MaintenanceMode::Fragments => array.replaced_fragments()?.len(),
        MaintenanceMode::Garbage if dry_run => planned,
        _ => 0,
    };
    let json = json!({
        "mode": mode.name(), "executed": !dry_run, "left": left,
        "plan": replaced,
    });
    output.print(&json, || match (dry_run, mode) {
        (true, _) => String::new(),
        (false, MaintenanceMode::Fragments | MaintenanceMode::Garbage) => {
            format!("removed {}\n", planned.saturating_sub(left))
        }
        (false, _) => format!("removed what consolidation of {} replaced\n", mode.name()),
    })
}
