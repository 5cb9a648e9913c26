//! Statistics as JSON text, in the shape that programs of libtiledb read: names from last to first, every timer as its sum
//! and its average in seconds, all counters behind.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use super::{Node, Timing};

/// What an object and its parts recorded, by full names.
#[derive(Default)]
pub(super) struct Report {
    counters: BTreeMap<String, u64>,
    timers: BTreeMap<String, Timing>,
}

impl Report {
    pub(super) fn is_empty(&self) -> bool {
        self.counters.is_empty() && self.timers.is_empty()
    }

    fn take(&mut self, node: &Node, prefix: &str) {
        {
            let recorded = node.recorded.lock();
            for (name, count) in &recorded.counters {
                *self.counters.entry(format!("{prefix}{name}")).or_default() += count;
            }
            for (name, timing) in &recorded.timers {
                let sum = self.timers.entry(format!("{prefix}{name}")).or_default();
                sum.total += timing.total;
                sum.count += timing.count;
            }
        }
        for child in node.children() {
            self.take(&child, &format!("{prefix}{}.", child.name));
        }
    }
}

/// The report of a node and those below it.
pub(super) fn of(node: &Arc<Node>) -> Report {
    let mut names = Vec::new();
    let mut above = Some(node);
    while let Some(node) = above {
        names.push(node.name);
        above = node.parent.as_ref();
    }
    let prefix: String = names.iter().rev().map(|name| format!("{name}.")).collect();
    let mut report = Report::default();
    report.take(node, &prefix);
    report
}

/// A report as a JSON object that starts `indent` steps in; nothing where there is nothing.
pub(super) fn object(report: &Report, indent: usize) -> String {
    if report.is_empty() {
        return String::new();
    }
    let timers = report.timers.iter().rev().map(|(name, timing)| {
        let sum = timing.total.as_secs_f64();
        // Recorded once at least.
        let average = sum / timing.count.max(1) as f64;
        let step = "  ".repeat(indent + 2);
        format!("\"{name}.sum\": {sum},\n{step}\"{name}.avg\": {average}")
    });
    let counters = report.counters.iter().rev();
    let counters = counters.map(|(name, count)| format!("\"{name}\": {count}"));
    let step = "  ".repeat(indent);
    format!(
        "{step}{{\n{},\n{}\n{step}}}",
        members("timers", timers, indent + 1),
        members("counters", counters, indent + 1)
    )
}

/// A named object of ready members.
fn members(name: &str, members: impl Iterator<Item = String>, indent: usize) -> String {
    let step = "  ".repeat(indent);
    let mut text = format!("{step}\"{name}\": {{\n");
    for (at, member) in members.enumerate() {
        let comma = if at > 0 { ",\n" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{step}  {member}");
    }
    if !text.ends_with("{\n") {
        text.push('\n');
    }
    text + &step + "}"
}

/// Reports as a JSON array.
pub(super) fn array(reports: impl Iterator<Item = Report>) -> String {
    let objects: Vec<String> = reports.map(|report| object(&report, 1)).collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}
