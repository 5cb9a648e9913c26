//! Faults at every system call that changes, reads, lists or looks up files.
//!
//! For each operation that writes, a process is killed at a system call, or killed after half of a
//! write, or the call fails. An operation that reads must fail or read the same as without a fault.
//! Then this library and libtiledb read the state, which must be the old
//! or the new one; the operation is repeated and must succeed; vacuum must not change the state.
//! `docs/commit-protocol.md` states what a commit may leave, and which additional states libtiledb
//! may see.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `TILEDB_RS_FAULTS` | `all` cases, those of an operation, or a number for each; default: 5 |
//! | `TILEDB_RS_FAULTS_CASE` | `operation/call/fault`: one case, printed in full |
//! | `TILEDB_RS_LIBRARY` | the library under test; default: the one of this build |
//! | `TILEDB_UPSTREAM_LIB` | libtiledb's shared library; without it only this library reads |
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "a replayed case is printed")]

#[path = "../arrays/mod.rs"]
mod arrays;
mod judge;
mod left_behind;
#[path = "../upstream/library.rs"]
mod library;
mod operations;
mod run;
mod server;
#[path = "../shared_library/mod.rs"]
mod shared_library;
mod shim;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use arrays::TestFolder;
use operations::Operation;
use run::{Bench, Report, Selection};
use server::Server;
use shim::Fault;

/// The cases of each operation that run by default.
const SAMPLE: usize = 5;

/// Makes this program a server when the test starts it again.
#[test]
fn serves_requests() {
    if let Some(library) = std::env::var_os(server::SERVE) {
        server::serve(Path::new(&library));
    }
}

#[test]
fn faults_leave_the_old_or_the_new_state() {
    if std::env::var_os(server::SERVE).is_some() {
        return;
    }
    let (operations, selection) = selection();
    let folder = TestFolder::new("faults");
    let reports = run(&operations, &selection, folder.path());
    print(&reports);
    let bad: usize = reports.iter().map(|report| report.bad.len()).sum();
    let cases: usize = reports.iter().map(|report| report.cases).sum();
    assert!(cases > 0, "no cases");
    assert_eq!(bad, 0, "cases with problems");
}

/// Returns the operations and cases that the environment selects.
fn selection() -> (Vec<Operation>, Selection) {
    let operations = operations::all();
    let named = |name: &str| -> Vec<Operation> {
        let named = operations::all()
            .into_iter()
            .filter(|operation| operation.name == name);
        let named: Vec<_> = named.collect();
        assert!(!named.is_empty(), "no operation {name}");
        named
    };
    if let Ok(case) = std::env::var("TILEDB_RS_FAULTS_CASE") {
        let fields: Vec<&str> = case.split('/').collect();
        let [name, call, fault] = fields[..] else {
            panic!("TILEDB_RS_FAULTS_CASE is operation/call/fault, not {case}");
        };
        let fault = Fault::parse(fault).expect("the name of a fault");
        let call = call.parse().expect("the number of a call");
        return (named(name), Selection::One((call, fault)));
    }
    match std::env::var("TILEDB_RS_FAULTS").as_deref() {
        Ok("all") => (operations, Selection::All),
        Ok(text) => match text.parse() {
            Ok(number) => (operations, Selection::Sample(number)),
            Err(_) => (named(text), Selection::All),
        },
        Err(_) => (operations, Selection::Sample(SAMPLE)),
    }
}

/// Runs the cases on two threads, each with its own servers.
fn run(operations: &[Operation], selection: &Selection, folder: &Path) -> Vec<Report> {
    let ours = std::env::var_os("TILEDB_RS_LIBRARY");
    let ours = ours.map_or_else(shared_library::path, PathBuf::from);
    let theirs = std::env::var_os("TILEDB_UPSTREAM_LIB").filter(|path| !path.is_empty());
    if theirs.is_none() {
        print_uncaptured("libtiledb does not read the states: TILEDB_UPSTREAM_LIB is not set\n");
    }
    let shim = shim::compile(folder);
    let next = Mutex::new(operations.iter().enumerate());
    let reports = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..2.min(operations.len()) {
            let (ours, theirs, shim, next, reports) = (&ours, &theirs, &shim, &next, &reports);
            scope.spawn(move || {
                let mut bench = Bench {
                    ours: Server::start(ours, Some(shim)),
                    theirs: theirs
                        .as_ref()
                        .map(|path| Server::start(Path::new(path), None)),
                    folder: folder.join(thread.to_string()),
                    cleans: false,
                    verbose: matches!(selection, Selection::One(_)),
                };
                bench.find_modes(&operations::all());
                loop {
                    let taken = next.lock().expect("the list").next();
                    let Some((index, operation)) = taken else {
                        break;
                    };
                    let report = bench.run(operation, selection);
                    reports.lock().expect("the reports").push((index, report));
                }
            });
        }
    });
    let mut reports = reports.into_inner().expect("the reports");
    reports.sort_by_key(|(index, _)| *index);
    reports.into_iter().map(|(_, report)| report).collect()
}

fn print(reports: &[Report]) {
    let mut out = format!(
        "{:36} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}\n",
        "operation", "calls", "faults", "bad", "window", "late", "left"
    );
    let mut sums = [0; 6];
    for report in reports {
        let bad = report.bad.len();
        let row = [
            report.calls,
            report.cases,
            bad,
            report.windows,
            report.late,
            report.left,
        ];
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum += number;
        }
        out += &line(report.operation, row);
    }
    out += &line("all", sums);
    out += "window: libtiledb sees replaced fragments of arrays with duplicates, or the size of an uncommitted file\n";
    out += "late: failure is reported although the operation took effect\n";
    out += "left: a complete vacuum leaves files that nothing refers to\n";
    for bad in reports.iter().flat_map(|report| &report.bad) {
        out += &format!("{bad}\n");
    }
    print_uncaptured(&out);
}

fn line(name: &str, [calls, faults, bad, windows, late, left]: [usize; 6]) -> String {
    format!("{name:36} {calls:>6} {faults:>6} {bad:>6} {windows:>6} {late:>6} {left:>6}\n")
}

/// Prints a text in spite of the output capture of the test harness.
fn print_uncaptured(text: &str) {
    std::io::stderr()
        .write_all(text.as_bytes())
        .expect("stderr");
}
