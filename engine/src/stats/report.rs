//! Statistics as JSON text, in the shape that programs of libtiledb read: names from last to first, every timer as its sum
//! and its average in seconds, all counters behind.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use super::names::Part;
use super::table::Table;

/// What some parts recorded, by full names.
#[derive(Default)]
pub(super) struct Report {
    counters: BTreeMap<String, u64>,
    /// How long together, and how many times.
    timers: BTreeMap<String, (Duration, u64)>,
}

impl Report {
    pub(super) fn is_empty(&self) -> bool {
        self.counters.is_empty() && self.timers.is_empty()
    }

    /// Adds what a part recorded, which is in the table.
    pub(super) fn take(&mut self, part: Part, table: &Table) {
        let full = |name: &str| format!("{}{name}", part.prefix());
        let counters = table.counters();
        self.counters
            .extend(counters.map(|(counter, sum)| (full(counter.name()), sum)));
        let timers = table.timers();
        self.timers
            .extend(timers.map(|(timer, total, count)| (full(timer.name()), (total, count))));
    }
}

/// A report as a JSON object that starts `indent` steps in; nothing where there is nothing.
pub(super) fn object(report: &Report, indent: usize) -> String {
    if report.is_empty() {
        return String::new();
    }
    let timers = report.timers.iter().rev().map(|(name, (total, count))| {
        let sum = total.as_secs_f64();
        // Recorded once at least.
        let average = sum / *count as f64;
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
