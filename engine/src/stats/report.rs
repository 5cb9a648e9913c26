//! Statistics as JSON text, formatted as libtiledb does: timers first, each as its sum and its
//! average in seconds, then counters; names in descending order.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use super::names::Part;
use super::table::Table;

/// The statistics of some components, by full names.
#[derive(Default)]
pub(super) struct Report {
    counters: BTreeMap<String, u64>,
    /// The total of each timer, and the number of times that it was measured.
    timers: BTreeMap<String, (Duration, u64)>,
}

impl Report {
    pub(super) fn is_empty(&self) -> bool {
        self.counters.is_empty() && self.timers.is_empty()
    }

    /// Adds the table of a component.
    pub(super) fn take(&mut self, part: Part, table: &Table) {
        let full = |name: &str| format!("{}{name}", part.name());
        let counters = table.counters();
        self.counters
            .extend(counters.map(|(counter, sum)| (full(counter.name()), sum)));
        let timers = table.timers();
        self.timers
            .extend(timers.map(|(timer, total, count)| (full(timer.name()), (total, count))));
    }
}

/// Formats a report as a JSON object, indented by `indent` steps. An empty report is an empty
/// string.
pub(super) fn object(report: &Report, indent: usize) -> String {
    if report.is_empty() {
        return String::new();
    }
    let timers = report.timers.iter().rev().map(|(name, (total, count))| {
        let sum = total.as_secs_f64();
        // `count` is at least 1.
        let average = sum / *count as f64;
        let step = "  ".repeat(indent + 2);
        format!("\"{name}.sum\": {sum},\n{step}\"{name}.avg\": {average}")
    });
    let counters = report
        .counters
        .iter()
        .rev()
        .map(|(name, count)| format!("\"{name}\": {count}"));
    let step = "  ".repeat(indent);
    format!(
        "{step}{{\n{},\n{}\n{step}}}",
        members("timers", timers, indent + 1),
        members("counters", counters, indent + 1)
    )
}

/// Formats a named JSON object from its formatted members.
fn members(name: &str, members: impl Iterator<Item = String>, indent: usize) -> String {
    let step = "  ".repeat(indent);
    let mut text = format!("{step}\"{name}\": {{\n");
    for (index, member) in members.enumerate() {
        let comma = if index > 0 { ",\n" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{step}  {member}");
    }
    if !text.ends_with("{\n") {
        text.push('\n');
    }
    text + &step + "}"
}

/// Formats reports as a JSON array.
pub(super) fn array(reports: impl Iterator<Item = Report>) -> String {
    let objects: Vec<String> = reports.map(|report| object(&report, 1)).collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}
