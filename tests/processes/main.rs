//! Processes that write, read, consolidate and vacuum one array or group at the same time.
//!
//! Three writers publish their commits in shared memory. Two readers open the object repeatedly;
//! every read contains each cell that was committed before the open exactly once, with the right
//! value. Two processes consolidate in all modes, another vacuums in all modes. No open fails; a
//! read from an array that was opened before a vacuum may fail with an error about the vacuum. The
//! rules are in `docs/commit-protocol.md`. On an object store, which has no locks, processes are
//! also killed and started again.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `TILEDB_RS_PROCESSES_SECONDS` | the seconds for each of the objects |
//! | `TILEDB_RS_LIBRARY` | the library under test; default: the one of this build |
//! | `TILEDB_UPSTREAM_LIB` | libtiledb's shared library, which reads at the end |
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "a test that skips says so")]

mod array;
#[path = "../arrays/mod.rs"]
mod arrays;
mod group;
#[path = "../upstream/library.rs"]
mod library;
mod log;
mod report;
mod roles;
#[path = "../shared_library/mod.rs"]
mod shared_library;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arrays::TestFolder;
use log::Log;
use report::Report;
use roles::{Object, Process, Role};

/// Seconds for each of four runs, unless the environment says otherwise.
const SECONDS: u64 = 5;
/// The interval at which a process is killed.
const KILL_INTERVAL: Duration = Duration::from_millis(1500);
/// The exit code of `tests/object-stores/serve` if the server cannot be installed.
const SKIPPED: i32 = 77;
/// The time in which a process must exit after it was stopped.
const PATIENCE: Duration = Duration::from_secs(120);

/// The role of a process, its object, its folder and its library; makes this program that process.
const ROLE: &str = "TILEDB_RS_PROCESSES_ROLE";

/// Runs a role if a test started this program for it.
#[test]
fn plays_a_role() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let fields: Vec<&str> = role.split('\t').collect();
    let [role, object, folder, library] = fields[..] else {
        panic!("not a role: {role}");
    };
    let role = Role::ALL[role.parse::<usize>().expect("a role")];
    let object = Object::ALL[object.parse::<usize>().expect("an object")];
    let mut process = Process::new(Path::new(library), object, Path::new(folder));
    process.run(role);
    process.report.send();
}

#[test]
fn processes_share_a_sparse_array() {
    share(Object::Sparse);
}

#[test]
fn processes_share_a_dense_array() {
    share(Object::Dense);
}

#[test]
fn reads_within_the_minimum_age_do_not_fail() {
    share(Object::Kept);
}

#[test]
fn processes_share_a_group() {
    share(Object::Group);
}

#[test]
fn processes_share_arrays_on_s3() {
    share_on("s3");
}

#[test]
fn processes_share_arrays_on_azure() {
    share_on("azure");
}

#[test]
fn processes_share_arrays_on_gcs() {
    share_on("gcs");
}

/// Runs this program again with a server.
fn share_on(kind: &str) {
    let _turn = turn();
    let serve = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/object-stores/serve");
    let ran = Command::new(serve)
        .arg(kind)
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", "shares_on_an_object_store", "--nocapture"])
        .stdin(Stdio::null())
        .status();
    match ran.expect("a program").code() {
        Some(SKIPPED) => println!("skipped: the server is not available"),
        code => assert_eq!(code, Some(0)),
    }
}

#[test]
fn shares_on_an_object_store() {
    if roles::object_store().is_some() && std::env::var(ROLE).is_err() {
        share(Object::Duplicates);
        share(Object::Sparse);
        share(Object::Dense);
    }
}

/// Runs the processes on an object, and checks their reports and the remaining files.
fn share(object: Object) {
    let _turn = turn();
    let seconds = std::env::var("TILEDB_RS_PROCESSES_SECONDS");
    let seconds = seconds.map_or(SECONDS, |text| text.parse().expect("a number of seconds"));
    let ours = library();
    let theirs = std::env::var_os("TILEDB_UPSTREAM_LIB").filter(|path| !path.is_empty());
    let shared = TestFolder::new(&format!("processes-{object:?}"));
    let folder = shared.path();
    let mut creator = Process::new(&ours, object, folder);
    creator.create();

    let log = Log::open(folder);
    let workers = Role::ALL
        .iter()
        .enumerate()
        .filter(|(_, role)| role.shares());
    let mut workers: Vec<_> = workers
        .map(|(index, role)| (*role, start(index, object, folder, &ours)))
        .collect();
    let mut reports: Vec<(String, Report)> = Vec::new();
    let until = Instant::now() + Duration::from_secs(seconds);
    for round in 0.. {
        std::thread::sleep(KILL_INTERVAL.min(until.saturating_duration_since(Instant::now())));
        if Instant::now() >= until {
            break;
        }
        let next = round % workers.len();
        let (role, worker) = &mut workers[next];
        if roles::object_store().is_some() && role.may_be_killed(object) {
            reports.push((format!("{role:?}, killed"), kill(worker)));
            let index = Role::ALL.iter().position(|one| one == role);
            *worker = start(index.expect("a role"), object, folder, &ours);
        }
    }
    log.stop();
    let deadline = Instant::now() + PATIENCE;
    let ended: Vec<(String, Report)> = workers
        .into_iter()
        .map(|(role, worker)| (format!("{role:?}"), end(worker, deadline)))
        .collect();
    reports.extend(ended);
    let checker = Role::ALL.iter().position(|role| *role == Role::Checker);
    let checker = checker.expect("a checker");
    let mut check = |name: &str, library: &Path| {
        let checked = end(
            start(checker, object, folder, library),
            Instant::now() + PATIENCE,
        );
        reports.push((name.to_owned(), checked));
    };
    check("at the end", &ours);
    if let Some(theirs) = &theirs {
        check("libtiledb at the end", Path::new(theirs));
    }
    creator.vacuum_once(false);
    check("after a vacuum", &ours);
    if let Some(theirs) = &theirs {
        check("libtiledb after a vacuum", Path::new(theirs));
    }
    reports.push(("last vacuum".to_owned(), creator.report));
    report(object, &reports, &log);
    judge(object, &reports);
}

/// If several processes create the same array or group at the same time, one succeeds and the
/// object is complete.
#[test]
fn one_of_several_creators_succeeds() {
    let _turn = turn();
    for object in [Object::Sparse, Object::Dense, Object::Group] {
        let ours = library();
        let shared = TestFolder::new(&format!("processes-{object:?}"));
        let folder = shared.path();
        let creators = Role::ALL.iter().enumerate();
        let creators = creators.filter(|(_, role)| matches!(role, Role::Creator(_)));
        let creators: Vec<_> = creators
            .map(|(index, role)| (*role, start(index, object, folder, &ours)))
            .collect();
        let deadline = Instant::now() + PATIENCE;
        let reports: Vec<_> = creators
            .into_iter()
            .map(|(role, creator)| (format!("{role:?}"), end(creator, deadline)))
            .collect();
        report(object, &reports, &Log::open(folder));
        let mut all = Report::default();
        reports.iter().for_each(|(_, report)| all.add(report));
        all.check();
        assert_eq!(all.get("complete objects"), roles::CREATIONS);
        if object == Object::Group {
            // libtiledb reports success, too, if the group exists.
            continue;
        }
        assert_eq!(all.get("creates"), roles::CREATIONS, "{object:?}");
    }
}

/// Returns the library under test.
fn library() -> PathBuf {
    let ours = std::env::var_os("TILEDB_RS_LIBRARY");
    ours.map_or_else(shared_library::path, PathBuf::from)
}

/// Ensures that one test of this program runs at a time, because each starts many processes.
fn turn() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process in the role of that number.
fn start(role: usize, object: Object, folder: &Path, library: &Path) -> Child {
    let object = Object::ALL
        .iter()
        .position(|candidate| *candidate == object);
    let object = object.expect("an object");
    let role = format!(
        "{role}\t{object}\t{}\t{}",
        folder.display(),
        library.display()
    );
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "plays_a_role", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process")
}

/// Kills a process, and returns the problems that it reported.
fn kill(process: &mut Child) -> Report {
    process.kill().expect("a process");
    let mut printed = String::new();
    let out = process.stdout.as_mut().expect("its output");
    out.read_to_string(&mut printed).expect("its output");
    process.wait().expect("a process");
    let mut report = Report::receive(&printed);
    report.count("kills");
    report
}

/// Waits for a process to end, and returns what it counted.
fn end(mut process: Child, deadline: Instant) -> Report {
    let mut ended = None;
    while ended.is_none() && Instant::now() < deadline {
        ended = process.try_wait().expect("a process");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Its output fits into the pipe.
    if ended.is_none() {
        let _ = process.kill();
    }
    let mut printed = String::new();
    let mut out = process.stdout.take().expect("its output");
    out.read_to_string(&mut printed).expect("its output");
    let _ = process.wait();
    let mut report = Report::receive(&printed);
    match ended {
        None => report.bad("the process hangs"),
        Some(status) if !status.success() => report.bad(&format!("the process ends: {status}")),
        Some(_) => {}
    }
    report
}

/// Prints the counts of the processes in spite of the output capture of the test harness.
fn report(object: Object, reports: &[(String, Report)], log: &Log) {
    let mut out = format!("{object:?}: committed {:?}\n", log.committed());
    for (name, report) in reports {
        for (kind, number) in &report.0 {
            out += &format!("{name:24} {number:>8} {kind}\n");
        }
    }
    std::io::stderr().write_all(out.as_bytes()).expect("stderr");
}

/// Checks that nothing bad was counted and that every process did some work.
fn judge(object: Object, reports: &[(String, Report)]) {
    let mut all = Report::default();
    reports.iter().for_each(|(_, report)| all.add(report));
    for (name, report) in reports {
        if name.ends_with("killed") {
            continue;
        }
        if name.starts_with("Writer") {
            assert!(report.get("writes") > 0, "{name} wrote nothing");
        }
        if name.starts_with("Reader") || name.contains("at the end") || name.contains("after") {
            // On a busy machine each read of a process may come after a vacuum.
            let reads = report.get("reads") + report.get("reads after a vacuum");
            assert!(report.get("opens") > 0 && reads > 0, "{name} read nothing");
        }
    }
    let readers = reports
        .iter()
        .filter(|(name, _)| name.starts_with("Reader"));
    let reads: u64 = readers.map(|(_, report)| report.get("reads")).sum();
    assert!(reads > 0, "the readers completed no read");
    for mode in object.modes() {
        for work in ["consolidations", "vacuums"] {
            assert!(
                all.get(&format!("{work} of {mode}")) > 0,
                "no {work} of {mode}"
            );
        }
    }
    all.check();
}
