//! The findings of the workers of a run.

use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// The seeds that a report lists for each kind of finding.
const SHOWN: usize = 8;

/// The result of a run.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) cases: u64,
    pub(crate) elapsed: Duration,
    /// The seeds of each kind of finding.
    pub(crate) findings: BTreeMap<String, Vec<u64>>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed.as_secs_f64();
        writeln!(
            f,
            "{} cases in {seconds:.1} s, {} kinds of findings",
            self.cases,
            self.findings.len()
        )?;
        for (finding, seeds) in &self.findings {
            let shown = &seeds[..seeds.len().min(SHOWN)];
            writeln!(f, "{} times: {finding}\n    seeds {shown:?}", seeds.len())?;
        }
        Ok(())
    }
}

impl Report {
    /// Adds a finding. Findings that differ only in numbers are of one kind.
    fn add(&mut self, seed: u64, text: &str) {
        let mut kind = String::new();
        for letter in text.chars().take(400) {
            match (letter.is_ascii_digit(), kind.ends_with('#')) {
                (true, true) => {}
                (true, false) => kind.push('#'),
                (false, _) => kind.push(letter),
            }
        }
        self.add_as(seed, kind, text);
    }

    fn add_as(&mut self, seed: u64, kind: String, text: &str) {
        let seeds = self.findings.entry(kind).or_default();
        if seeds.is_empty() {
            println!("seed {seed}: {text}");
        }
        seeds.push(seed);
    }

    /// Adds the findings in the output of a worker.
    pub(super) fn add_findings(&mut self, text: &str) {
        for line in text.lines() {
            if let Some(("finding", rest)) = line.split_once('\t')
                && let [seed, operation, text] = rest.splitn(3, '\t').collect::<Vec<_>>()[..]
            {
                self.add(seed.parse().unwrap_or(0), &format!("{operation}: {text}"));
            }
        }
    }

    /// Adds the panics in the standard error of a worker, each by its position in the sources.
    pub(super) fn add_panics(&mut self, text: &str) {
        let mut seed = 0;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(number) = line.strip_prefix("case ") {
                seed = number.parse().unwrap_or(0);
            } else if let Some((_, position)) = line.split_once("panicked at ") {
                let message = lines.next().unwrap_or_default();
                let text = format!("panic at {position} {message}");
                self.add_as(seed, format!("panic at {position}"), &text);
            }
        }
    }

    /// Adds the end of a worker that did not finish.
    pub(super) fn add_death(
        &mut self,
        seed: u64,
        operation: &str,
        status: ExitStatus,
        errors: &str,
    ) {
        let how = match (status.code(), status.signal()) {
            (Some(super::HANGS), _) => "takes too long".to_owned(),
            (Some(code), _) => format!("ends with code {code}"),
            (_, signal) => format!("dies of signal {}", signal.unwrap_or(0)),
        };
        let mut lines = errors.lines().filter(|line| !line.starts_with("case "));
        // AddressSanitizer states the error first, with addresses that differ between processes.
        let error = lines
            .clone()
            .find_map(|line| line.split_once("ERROR: AddressSanitizer"))
            .and_then(|(_, error)| error.split(" on address").next());
        let last = lines
            .rfind(|line| !line.trim().is_empty())
            .unwrap_or_default();
        self.add(
            seed,
            &format!("{operation}: {how}; {} {last}", error.unwrap_or_default()),
        );
    }
}
