//! Processes that run cases, and the test that starts them one after the other.
//!
//! A case is decided by its seed. A test that uses this module has a test function `runs_cases`,
//! which calls [`serve`], and one that calls [`run`]. A worker process reports a finding as a line
//! on standard output: `finding`, seed, operation and text, separated by tabs. Panics are found in
//! its standard error, where a line marks the start of each case. The file of progress holds the
//! seed and the operation, for the time when the process has died.

mod limits;
mod report;

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::library::Library;
use crate::random;
use crate::shared_library;

pub(crate) use report::Report;

// Environment variables that a test sets for its workers.

/// The seeds of a worker, `first..end`. A process without them is not a worker.
const SEEDS: &str = "TILEDB_RS_WORKER_SEEDS";
/// The library that a worker loads.
const LIBRARY: &str = "TILEDB_RS_WORKER_LIBRARY";
/// The path of the file of progress.
const PROGRESS: &str = "TILEDB_RS_WORKER_PROGRESS";
/// Set if a case prints what it does, and keeps its files.
const VERBOSE: &str = "TILEDB_RS_WORKER_VERBOSE";

/// The exit code of a worker whose operation took too long.
const HANGS: i32 = 70;
/// The number of cases of one worker: a new process starts without what earlier cases left in
/// memory.
const BATCH: u64 = 500;

/// The number of cases after which the report is printed.
const REPORTED_CASES: u64 = 20 * BATCH;

/// Returns whether this process is a worker.
pub(crate) fn is_worker() -> bool {
    std::env::var_os(SEEDS).is_some()
}

/// The case that a worker runs, and its operation.
pub(crate) struct Session {
    progress: File,
    seed: Cell<u64>,
    verbose: bool,
    operation: RefCell<String>,
}

impl Session {
    /// Returns the seed of the case.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.get()
    }

    /// Returns whether a case prints what it does.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Runs an operation and returns its result. Errors are expected, unless a panic caused them.
    pub(crate) fn run<T>(
        &self,
        operation: &str,
        body: impl FnOnce() -> Result<T, String>,
    ) -> Option<T> {
        self.operation.replace(operation.to_owned());
        let progress = format!("{}\t{operation:<60}\n", self.seed());
        // Without progress a crash is attributed to the previous operation.
        let _ = self.progress.write_at(progress.as_bytes(), 0);
        limits::start_operation();
        let result = body();
        if self.verbose {
            let shown = result.as_ref().map_or_else(String::as_str, |_| "ok");
            println!("{operation}: {shown}");
        }
        if let Err(error) = &result
            && error.contains("uncaught exception")
        {
            self.find(&format!("panic: {error}"));
        }
        result.ok()
    }

    /// Reports a finding in the current operation.
    pub(crate) fn find(&self, text: &str) {
        let text = text.replace(['\n', '\t'], " ");
        println!(
            "finding\t{}\t{}\t{text}",
            self.seed(),
            self.operation.borrow()
        );
    }
}

/// Runs the cases of this process if it is a worker; otherwise does nothing. `prepare` gets the
/// library, without a context, and runs before memory is limited; `case` runs for each seed.
pub(crate) fn serve<S>(
    prepare: impl FnOnce(&Library) -> S,
    mut case: impl FnMut(&Session, &mut S),
) {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let seeds = variable(SEEDS);
    let Some((first, end)) = seeds.split_once("..") else {
        return;
    };
    let number = |text: &str| text.parse::<u64>().expect("a seed");
    let session = Session {
        progress: File::create(variable(PROGRESS)).expect("the file of progress"),
        seed: Cell::new(0),
        verbose: !variable(VERBOSE).is_empty(),
        operation: RefCell::default(),
    };
    // The library may be in a folder that only this user can read.
    let library = Library::load(Path::new(&variable(LIBRARY)), "the library under test");
    limits::give_up_privileges();
    let mut state = prepare(&library);
    limits::limit_memory();
    limits::watch_operations();
    for seed in number(first)..number(end) {
        session.seed.set(seed);
        eprintln!("case {seed}");
        case(&session, &mut state);
    }
}

/// The parameters of a run.
#[derive(Debug)]
pub(crate) struct Setup {
    /// The library under test.
    pub(crate) library: PathBuf,
    /// A folder for files of the run, which is removed if nothing was found.
    pub(crate) scratch: PathBuf,
    /// Variables of the workers.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// The number of cases unless the environment sets it.
    pub(crate) cases: u64,
}

impl Setup {
    /// Returns the setup of a test by its name.
    pub(crate) fn new(test: &str, cases: u64) -> Self {
        let library = std::env::var_os("TILEDB_RS_LIBRARY");
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let scratch = scratch.join(format!("{test}-{}", std::process::id()));
        fs::create_dir_all(&scratch).expect("a folder");
        Self {
            library: library.map_or_else(shared_library::path, PathBuf::from),
            scratch,
            variables: Vec::new(),
            cases,
        }
    }
}

/// Starts workers, one after the other, for the cases that the environment selects, and collects
/// their findings.
pub(crate) fn run(setup: &Setup) -> Report {
    let mut report = Report::default();
    let seeds = random::seeds(setup.cases);
    // Moves the seeds, which start at 1 otherwise.
    let first = std::env::var("TILEDB_RS_FIRST_SEED").ok();
    let first: u64 = first.and_then(|first| first.parse().ok()).unwrap_or(1);
    let started = Instant::now();
    let (mut next, end) = (seeds.start + first - 1, seeds.end + first - 1);
    while next < end {
        let resume = run_worker(setup, next, end.min(next + BATCH), &mut report);
        let reports = report.cases / REPORTED_CASES;
        report.cases += resume - next;
        report.elapsed = started.elapsed();
        next = resume;
        // A worker that dies leaves a batch incomplete, so the number may skip the multiples.
        if report.cases / REPORTED_CASES > reports {
            println!("{report}");
        }
    }
    if report.findings.is_empty() {
        // Files that cannot be removed are left.
        let _ = fs::remove_dir_all(&setup.scratch);
    }
    report
}

/// Runs the cases `first..end` in a worker. Returns the seed to continue with: `end`, or the seed
/// after the one at which the worker died.
fn run_worker(setup: &Setup, first: u64, end: u64, report: &mut Report) -> u64 {
    let progress = setup.scratch.join("progress");
    let verbose = std::env::var_os("TILEDB_RS_SEED").is_some();
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "runs_cases", "--nocapture", "--test-threads=1"])
        .env(SEEDS, format!("{first}..{end}"))
        .env(LIBRARY, &setup.library)
        .env(PROGRESS, &progress)
        .envs(setup.variables.iter().cloned())
        // Each arena of the allocator reserves 64 MB of address space.
        .env("MALLOC_ARENA_MAX", "1");
    if verbose {
        command.env(VERBOSE, "1");
    }
    let output = command.output().expect("a worker");
    let [text, errors] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    if verbose {
        println!("{text}\n{errors}");
    }
    report.add_findings(&text);
    report.add_panics(&errors);
    if output.status.success() {
        return end;
    }
    let progress = fs::read_to_string(progress).unwrap_or_default();
    let (seed, operation) = progress.split_once('\t').unwrap_or(("", "start"));
    let seed = seed.parse().unwrap_or(first).max(first);
    let operation = operation.lines().next().unwrap_or_default().trim();
    report.add_death(seed, operation, output.status, &errors);
    seed + 1
}
