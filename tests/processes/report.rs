//! Counts of the actions of a process by kind, and its problems.

use std::collections::BTreeMap;
use std::io::Write;

/// Counts by kind. Kinds that begin with `BAD` must not occur.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report(pub(crate) BTreeMap<String, u64>);

const BAD: &str = "BAD ";

/// The mark of the lines in which a process reports its counts.
const MARK: &str = "report\t";

/// The maximum number of different problems of a process; further ones are counted together.
const PROBLEMS: usize = 30;

impl Report {
    pub(crate) fn count(&mut self, kind: impl Into<String>) {
        *self.0.entry(kind.into()).or_default() += 1;
    }

    /// Counts a problem. Numbers and identifiers are removed, so that equal problems are counted
    /// together.
    pub(crate) fn bad(&mut self, problem: &str) {
        let kind = format!("{BAD}{}", without_numbers(problem));
        let others = format!("{BAD}(other problems)");
        let is_known = self.0.contains_key(&kind);
        let is_shown = is_known || self.0.len() < PROBLEMS;
        if is_shown && !is_known {
            // At once: the process may be killed before it reports.
            print_line(1, &kind);
        }
        self.count(if is_shown { kind } else { others });
    }

    /// Counts the result of an operation.
    pub(crate) fn result(&mut self, kind: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.count(kind),
            Err(problem) => self.bad(&format!("{kind}: {problem}")),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (kind, number) in &other.0 {
            *self.0.entry(kind.clone()).or_default() += number;
        }
    }

    pub(crate) fn get(&self, kind: &str) -> u64 {
        self.0.get(kind).copied().unwrap_or(0)
    }

    /// Fails if a problem was counted.
    pub(crate) fn check(&self) {
        let bad: Vec<_> = self
            .0
            .iter()
            .filter(|(kind, _)| kind.starts_with(BAD))
            .collect();
        assert!(bad.is_empty(), "{bad:#?}");
    }

    /// Prints the counts to the standard output, each in a line.
    pub(crate) fn send(&self) {
        for (kind, number) in &self.0 {
            print_line(*number, kind);
        }
    }

    /// Returns the counts in what a process printed.
    pub(crate) fn receive(printed: &str) -> Self {
        let lines = printed.lines().filter_map(|line| {
            let (number, kind) = line.strip_prefix(MARK)?.split_once('\t')?;
            Some((kind.to_owned(), number.parse::<u64>().ok()?))
        });
        let mut report = Self::default();
        for (kind, number) in lines {
            // A problem is printed at once and again at the end.
            let most: &mut u64 = report.0.entry(kind).or_default();
            *most = number.max(*most);
        }
        report
    }
}

/// Prints a count to the standard output as a line.
fn print_line(number: u64, kind: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{MARK}{number}\t{kind}").expect("a line");
    out.flush().expect("a line");
}

/// Replaces numbers and identifiers by `#`.
fn without_numbers(text: &str) -> String {
    let mut kept = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let is_number = word.chars().any(|c| c.is_ascii_digit());
        let end = word.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
        if is_number {
            kept.extend([
                "#",
                word.get(word.len() - 1..)
                    .filter(|_| !end.is_empty())
                    .unwrap_or(""),
            ])
        } else {
            kept.push_str(word)
        }
    }
    kept.replace('\n', " ")
}
