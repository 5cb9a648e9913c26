//! `check` and `clean`.

use std::process::ExitCode;

use serde_json::{Value, json};
use tiledb_engine::{Context, Finding, Severity};

use crate::output::Output;
use crate::problem::Result;
use crate::progress::FollowedContext;
use crate::selection::existing;
use crate::table::plain;

/// Prints what is wrong with the files of an array or group.
pub(super) fn check(context: &Context, uri: &str, output: &mut Output) -> Result<ExitCode> {
    existing(context, uri)?;
    let mut findings: Vec<Finding> = Vec::new();
    let bar = FollowedContext::new(context);
    let summary = context.check(uri, |finding| {
        findings.push(finding.clone());
        Ok(())
    })?;
    drop(bar);
    let finding_json = |finding: &Finding| {
        json!({
            "severity": finding.severity.name(), "uri": finding.uri,
            "position": finding.position, "problem": finding.problem,
        })
    };
    let counts = Severity::ALL.map(|severity| (severity.name(), summary.count(severity)));
    let json = json!({
        "files": summary.files, "tiles": summary.tiles,
        "findings": findings.iter().map(finding_json).collect::<Vec<Value>>(),
    });
    output.print(&json, || {
        let lines = findings.iter().map(|finding| {
            let position = finding.position.map(|byte| format!(", byte {byte}"));
            let position = position.unwrap_or_default();
            let Finding { uri, problem, .. } = finding;
            let line = format!("{}: {uri}{position}: {problem}", finding.severity.name());
            plain(&line) + "\n"
        });
        let lines: String = lines.collect();
        let counts = counts.map(|(name, number)| format!("{number} {name}"));
        format!(
            "{lines}{} files and {} tiles read: {}\n",
            summary.files,
            summary.tiles,
            counts.join(", ")
        )
    })?;
    let is_damaged = summary.count(Severity::Error) + summary.count(Severity::Warning) > 0;
    Ok(ExitCode::from(u8::from(is_damaged)))
}

/// Removes what killed processes left.
pub(super) fn clean(
    context: &Context,
    uri: &str,
    dry_run: bool,
    output: &mut Output,
) -> Result<()> {
    existing(context, uri)?;
    let removed = context.clean(uri, dry_run)?;
    let json = json!({ "executed": !dry_run, "remains": removed });
    output.print(&json, || {
        let lines = removed.iter().map(|uri| format!("  {}\n", plain(uri)));
        let lines: String = lines.collect();
        let state = if dry_run { "to remove" } else { "removed" };
        format!("{} remains {state}\n{lines}", removed.len())
    })
}
