//! Runs the cases of operations: calls are counted without a fault first; each case starts from a
//! copy of the same state.

use std::fs;
use std::path::{Path, PathBuf};

use crate::judge::{Expected, Layouts, Seen, Verdict, judge};
use crate::operations::Operation;
use crate::server::{Reply, Request, Server, Verb};
use crate::shim::Fault;

/// A case of an operation: the number of the call, from 1 on, and what happens there.
pub(crate) type Case = (usize, Fault);

/// The cases to run.
#[derive(Clone, Debug)]
pub(crate) enum Selection {
    All,
    /// This number of cases of each operation.
    Sample(usize),
    One(Case),
}

/// The result for one operation.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) operation: &'static str,
    pub(crate) calls: usize,
    pub(crate) cases: usize,
    /// Cases with problems, each as a line.
    pub(crate) bad: Vec<String>,
    /// Cases in which libtiledb saw a state between old and new.
    pub(crate) windows: usize,
    /// Cases that reported failure although the operation took effect.
    pub(crate) late: usize,
    /// Cases after which a complete vacuum left files.
    pub(crate) left: usize,
}

/// The servers and the folder of one thread.
pub(crate) struct Bench {
    pub(crate) ours: Server,
    pub(crate) theirs: Option<Server>,
    pub(crate) folder: PathBuf,
    /// Whether the library has the mode of vacuum that removes what nothing refers to.
    pub(crate) cleans: bool,
    /// Prints what each step sees.
    pub(crate) verbose: bool,
}

impl Bench {
    /// Runs the cases of an operation.
    pub(crate) fn run(&mut self, operation: &Operation, selection: &Selection) -> Report {
        let mut report = Report {
            operation: operation.name,
            ..Report::default()
        };
        let (expected, calls) = match self.expect(operation) {
            Ok(expected) => expected,
            Err(problem) => {
                report
                    .bad
                    .push(format!("{}: without a fault: {problem}", operation.name));
                return report;
            }
        };
        let cases = selected(&calls, selection);
        report.calls = calls.len();
        report.cases = cases.len();
        for (call, fault) in cases {
            let verdict = self.case(operation, &expected, (call, fault));
            report.windows += usize::from(verdict.window);
            report.late += usize::from(verdict.late);
            report.left += usize::from(!verdict.left.is_empty());
            if !verdict.problems.is_empty() {
                let call_text = calls.get(call - 1).map_or("no such call", String::as_str);
                let problems = verdict.problems.join("; ");
                report.bad.push(format!(
                    "{}/{call}/{fault} ({call_text}): {problems}",
                    operation.name
                ));
            }
        }
        let _ = fs::remove_dir_all(self.folder.join("base"));
        report
    }

    /// Finds out whether the library has the mode of vacuum that removes what nothing refers to.
    pub(crate) fn find_modes(&mut self, operations: &[Operation]) {
        let probe = operations
            .iter()
            .find(|operation| operation.name == "write_first_dense");
        let Some(probe) = probe else { return };
        let folder = self.folder.join("probe");
        fs::create_dir_all(&folder).expect("a folder");
        self.ask(Verb::Prepare, probe, &folder);
        let reply = self.ask(Verb::Vacuum, probe, &folder);
        self.cleans = reply.get("garbage") == Some("");
    }

    fn ask(&mut self, verb: Verb, operation: &Operation, folder: &Path) -> Reply {
        self.ask_with(verb, operation, folder, None)
    }

    fn ask_with(
        &mut self,
        verb: Verb,
        operation: &Operation,
        folder: &Path,
        fault: Option<Case>,
    ) -> Reply {
        let operation = operation.name;
        let reply = self.ours.ask(&Request {
            verb,
            operation,
            folder,
            fault,
        });
        self.show("this library", verb, &reply);
        reply
    }

    /// Returns what libtiledb reads.
    fn theirs(&mut self, operation: &Operation, folder: &Path) -> Option<Reply> {
        let reply = self.theirs.as_mut()?.ask(&Request {
            verb: Verb::Read,
            operation: operation.name,
            folder,
            fault: None,
        });
        self.show("libtiledb", Verb::Read, &reply);
        Some(reply)
    }

    fn show(&self, who: &str, verb: Verb, reply: &Reply) {
        if self.verbose {
            println!("== {who}: {verb:?}: {:?}", reply.crash());
            for (name, text) in reply.below("") {
                println!("-- {name}\n{text}");
            }
        }
    }

    /// Copies the initial state for a case.
    fn copy(&self) -> PathBuf {
        let folder = self.folder.join("case");
        let _ = fs::remove_dir_all(&folder);
        copy(&self.folder.join("base"), &folder).expect("a copy of the state");
        folder
    }

    /// Prepares the initial state, and runs the operation once and twice without a fault. Returns
    /// the calls as well.
    fn expect(&mut self, operation: &Operation) -> Result<(Expected, Vec<String>), String> {
        let base = self.folder.join("base");
        let _ = fs::remove_dir_all(&base);
        fs::create_dir_all(&base).expect("a folder");
        succeeded(&self.ask(Verb::Prepare, operation, &base), "outcome")?;
        let old = self.ask(Verb::Read, operation, &base);

        let folder = self.copy();
        let act = self.ask(Verb::Act, operation, &folder);
        succeeded(&act, "outcome")?;
        let read = self.ask(Verb::Read, operation, &folder);
        let new = read.below("read/");
        agree(&new, self.theirs(operation, &folder))?;
        let settled = self.ask(Verb::Settle, operation, &folder);
        succeeded(&settled, "vacuum")?;
        let theirs = self.theirs(operation, &folder);
        let twice = layouts(&settled, &theirs);
        agree(&settled.below("cleaned/"), theirs)?;

        let folder = self.copy();
        succeeded(&self.ask(Verb::Act, operation, &folder), "outcome")?;
        let vacuumed = self.ask(Verb::Vacuum, operation, &folder);
        succeeded(&vacuumed, "vacuum")?;
        let once = layouts(&vacuumed, &self.theirs(operation, &folder));

        let mut between = Vec::new();
        for step in 0..operation.between.len() {
            let folder = self.copy();
            let step = Some((step, Fault::Kill));
            let reply = self.ask_with(Verb::Between, operation, &folder, step);
            succeeded(&reply, "outcome")?;
            between.push(self.ask(Verb::Read, operation, &folder).below("read/"));
        }
        let expected = Expected {
            between,
            old_layout: old.get("read-layout").unwrap_or_default().to_owned(),
            old: old.below("read/"),
            new,
            new_folders: read.get("read-folders").unwrap_or_default().to_owned(),
            new_layout: read.get("read-layout").unwrap_or_default().to_owned(),
            twice: settled.below("repeated/"),
            second: settled.get("repeat").unwrap_or_default().to_owned(),
            layouts: [once, twice],
            cleans: self.cleans,
        };
        let calls = act.get("calls").unwrap_or_default();
        Ok((expected, calls.lines().map(str::to_owned).collect()))
    }

    fn case(&mut self, operation: &Operation, expected: &Expected, case: Case) -> Verdict {
        let folder = self.copy();
        let act = self.ask_with(Verb::Act, operation, &folder, Some(case));
        let theirs = self.theirs(operation, &folder);
        let settled = self.ask(Verb::Settle, operation, &folder);
        let seen = Seen {
            act,
            theirs,
            settled,
            theirs_after: self.theirs(operation, &folder),
        };
        judge(operation, expected, case, &seen)
    }
}

fn succeeded(reply: &Reply, section: &str) -> Result<(), String> {
    if let Some(crash) = reply.crash() {
        return Err(crash);
    }
    match reply.get(section) {
        Some("") => Ok(()),
        Some(error) => Err(format!("{section}: {error}")),
        None => Err(format!("no {section}")),
    }
}

fn agree(ours: &[(String, String)], theirs: Option<Reply>) -> Result<(), String> {
    match theirs {
        Some(theirs) if theirs.below("read/") != ours => Err(format!(
            "libtiledb reads something else:\n{:#?}\n{ours:#?}",
            theirs.below("read/")
        )),
        _ => Ok(()),
    }
}

fn layouts(settled: &Reply, theirs: &Option<Reply>) -> Layouts {
    let layout = |reply: &Reply, name| reply.get(name).unwrap_or_default().to_owned();
    Layouts {
        ours: layout(settled, "vacuumed-layout"),
        theirs: theirs.as_ref().map(|reply| layout(reply, "read-layout")),
    }
}

/// Returns the cases that a selection takes, in order of the calls.
fn selected(calls: &[String], selection: &Selection) -> Vec<Case> {
    let all: Vec<Case> = calls
        .iter()
        .enumerate()
        .flat_map(|(index, call)| {
            let name = call.split(' ').next().unwrap_or_default();
            let faults = Fault::ALL
                .into_iter()
                .filter(|fault| fault.applies_to(name));
            faults.map(move |fault| (index + 1, fault))
        })
        .collect();
    match *selection {
        Selection::All => all,
        Selection::One(case) => vec![case],
        Selection::Sample(number) => {
            let number = number.min(all.len());
            let sampled_index = |index| (2 * index + 1) * all.len() / (2 * number);
            (0..number).map(|index| all[sampled_index(index)]).collect()
        }
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?
        } else {
            fs::write(&to, fs::read(entry.path())?)?
        }
    }
    Ok(())
}
