//! The behaviour of the program in a terminal, after signals, on a full disk, with a closed pipe.

mod program;

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use program::Folder;

/// The most time that a command takes to begin its work.
const PATIENCE: Duration = Duration::from_secs(120);
/// The exit code of a command that Ctrl-C interrupted.
const INTERRUPTED: i32 = 130;

/// Returns a folder with a table `t.csv` of this number of rows.
fn table(rows: usize) -> Folder {
    let folder = Folder::new();
    let rows = (0..rows).map(|row| format!("{row},text {row},{}.5\n", row * 7));
    folder.write("t.csv", &format!("a,b,c\n{}", rows.collect::<String>()));
    folder
}

fn program(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiledb-rs"));
    command.args(arguments).current_dir(folder.path("."));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program in a pseudo-terminal; returns its exit code and what the terminal shows.
fn in_terminal(folder: &Folder, arguments: &[&str]) -> (i32, String) {
    const SPAWN: &str = "import os, pty, sys\n\
        sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let output = Command::new("python3")
        .args(["-c", SPAWN, env!("CARGO_BIN_EXE_tiledb-rs")])
        .args(arguments)
        .current_dir(folder.path("."))
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .expect("Python runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().expect("an exit code"), text)
}

#[test]
fn progress_and_colours_appear_in_a_terminal_only() {
    let folder = table(300_000);
    let (code, shown) = in_terminal(&folder, &["import", "t.csv", "t"]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("/300000 rows"), "{shown:?}");
    assert!(shown.contains("imported 300000 cells to t"), "{shown:?}");
    let (code, shown) = in_terminal(&folder, &["info", "none"]);
    assert_eq!(code, 3);
    assert!(
        shown.contains("\x1b[31;1merror:\x1b[0m there is no array"),
        "{shown:?}"
    );
    let (code, shown) = in_terminal(&folder, &["cat", "t", "--format", "arrow"]);
    assert_eq!(code, 2, "{shown:?}");
    let (code, output, errors) = folder.run(&["import", "t.csv", "u"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(!output.contains('\x1b'), "{output:?}");
    assert!(!folder.error(&["info", "none"], 3).contains('\x1b'));
}

/// Waits until a name that contains `part` exists, or the folder `part` in the folder has a file.
/// Returns `false` if the program ends before.
fn wait_for(folder: &Folder, part: &str, child: &mut Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let has_file = || {
            let entries = std::fs::read_dir(folder.path(part));
            entries.is_ok_and(|mut entries| entries.next().is_some())
        };
        if folder.names().iter().any(|name| name.contains(part)) || has_file() {
            return true;
        }
        if child.try_wait().expect("a state").is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("nothing named {part} appears");
}

/// Interrupts a command once a temporary name exists; returns its exit code and errors.
fn interrupt(folder: &Folder, arguments: &[&str], part: &str, signal: &str) -> (i32, String) {
    let mut child = program(folder, arguments)
        .spawn()
        .expect("the program runs");
    assert!(
        wait_for(folder, part, &mut child),
        "{arguments:?} ends too early"
    );
    let id = child.id().to_string();
    let killed = Command::new("kill").args([signal, &id]).status();
    assert!(killed.expect("kill runs").success());
    let output = child.wait_with_output().expect("ends");
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status.code().expect("an exit code"), errors)
}

#[test]
fn interrupted_commands_leave_nothing_and_report_it() {
    let folder = table(1_000_000);
    let expected = "error: interrupted; what was incomplete is removed\n";
    let import = ["import", "t.csv", "t"];
    let found = interrupt(&folder, &import, ".importing-", "-INT");
    assert_eq!(found, (INTERRUPTED, expected.to_owned()));
    assert_eq!(folder.names(), ["t.csv"]);
    let found = interrupt(&folder, &import, ".importing-", "-TERM");
    assert_eq!(found, (143, expected.to_owned()));
    assert_eq!(folder.names(), ["t.csv"]);
    folder.output(&import);
    for file in ["out.csv", "out.parquet", "out.json"] {
        let found = interrupt(&folder, &["export", "t", file], ".tmp", "-INT");
        assert_eq!(found, (INTERRUPTED, expected.to_owned()), "{file}");
        assert_eq!(folder.names(), ["t", "t.csv"]);
    }
    // A signal while the last batch or the end of a file is written.
    for (delay, file) in [
        (100, "out.parquet"),
        (250, "out.arrow"),
        (400, "out.parquet"),
    ] {
        let mut child = program(&folder, &["export", "t", file])
            .spawn()
            .expect("the program runs");
        assert!(wait_for(&folder, ".tmp", &mut child));
        std::thread::sleep(Duration::from_millis(delay));
        if child.try_wait().expect("a state").is_none() {
            let id = child.id().to_string();
            let killed = Command::new("kill").args(["-INT", &id]).status();
            assert!(killed.expect("kill runs").success());
        }
        let output = child.wait_with_output().expect("ends");
        // The file is complete, or does not exist.
        match output.status.code() {
            Some(0) => std::fs::remove_file(folder.path(file)).expect("a file"),
            code => assert_eq!(code, Some(INTERRUPTED), "{file} after {delay} ms"),
        }
        assert_eq!(folder.names(), ["t", "t.csv"]);
    }
    // The schema is copied last; the comparison of the cells follows.
    let copy = ["cp", "t", "copy", "--verify", "cells"];
    let found = interrupt(&folder, &copy, "copy/__schema", "-INT");
    assert_eq!(found, (INTERRUPTED, expected.to_owned()));
    assert_eq!(folder.names(), ["t", "t.csv"]);
}

#[test]
fn an_interrupted_consolidation_leaves_the_array_as_it_was() {
    let folder = table(200_000);
    folder.output(&["import", "t.csv", "t"]);
    folder.output(&["import", "t.csv", "t", "--append"]);
    let fragments = || std::fs::read_dir(folder.path("t/__fragments")).map_or(0, Iterator::count);
    let before = fragments();
    let mut child = program(&folder, &["consolidate", "t"])
        .spawn()
        .expect("the program runs");
    let start = Instant::now();
    while fragments() == before && child.try_wait().expect("a state").is_none() {
        assert!(start.elapsed() < PATIENCE, "no fragment appears");
    }
    let id = child.id().to_string();
    // If the process has ended already, there is nothing to interrupt.
    let _ = Command::new("kill").args(["-INT", &id]).output();
    let output = child.wait_with_output().expect("ends");
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    if output.status.code() != Some(0) {
        assert_eq!(output.status.code(), Some(INTERRUPTED), "{errors}");
        assert_eq!(
            errors,
            "error: interrupted; what was incomplete is removed\n"
        );
        assert_eq!(fragments(), before);
    }
    let checked = folder.output(&["check", "t"]);
    assert!(
        checked.ends_with("0 remains, 0 warning, 0 error\n"),
        "{checked}"
    );
    assert_eq!(
        folder
            .output(&["stats", "t", "--columns", "a"])
            .lines()
            .next(),
        Some("cells: 400000")
    );
}

#[test]
fn exports_to_a_full_disk_fail_and_leave_no_file() {
    let folder = table(20_000);
    folder.output(&["import", "t.csv", "t"]);
    for file in ["out.csv", "out.json", "out.parquet", "out.arrow"] {
        let output = Command::new("sh")
            .args([
                "-c",
                "ulimit -f 16; exec \"$0\" \"$@\"",
                env!("CARGO_BIN_EXE_tiledb-rs"),
            ])
            .args(["export", "t", file])
            .current_dir(folder.path("."))
            .output()
            .expect("sh runs");
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(4), "{file}: {errors}");
        assert!(
            errors.starts_with(&format!("error: cannot write '{file}': File too large")),
            "{errors}"
        );
        assert!(errors.contains("\nhint: free space"), "{errors}");
        assert_eq!(folder.names(), ["t", "t.csv"]);
    }
}

#[test]
fn a_closed_pipe_ends_a_command_without_an_error() {
    let folder = table(100_000);
    folder.output(&["import", "t.csv", "t"]);
    for format in ["csv", "table", "json", "arrow"] {
        let mut child = program(&folder, &["cat", "t", "--format", format])
            .spawn()
            .expect("the program runs");
        let mut start = [0; 8];
        let mut output = child.stdout.take().expect("a pipe");
        output.read_exact(&mut start).expect("a part of the cells");
        drop(output);
        let ended = child.wait_with_output().expect("ends");
        assert_eq!(
            (ended.status.code(), ended.stderr.as_slice()),
            (Some(0), &b""[..]),
            "{format}"
        );
    }
}

/// Runs the program with a command of the shell before it.
fn run_after(folder: &Folder, setting: &str, arguments: &[&str]) {
    let status = Command::new("sh")
        .args(["-c", &format!("{setting}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_tiledb-rs"))
        .args(arguments)
        .current_dir(folder.path("."))
        .stdout(Stdio::null())
        .status();
    assert!(status.expect("sh runs").success(), "{arguments:?}");
}

#[test]
fn exported_files_have_the_permissions_of_the_process_or_of_the_replaced_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = table(10);
    folder.output(&["import", "t.csv", "t"]);
    let mode = |name: &str| {
        let metadata = std::fs::metadata(folder.path(name)).expect("a file");
        metadata.permissions().mode() & 0o777
    };
    for (mask, expected) in [("077", 0o600), ("022", 0o644), ("002", 0o664)] {
        let name = format!("{mask}.csv");
        run_after(&folder, &format!("umask {mask}"), &["export", "t", &name]);
        assert_eq!(mode(&name), expected, "{mask}");
    }
    run_after(&folder, "umask 022", &["export", "t", "077.csv"]);
    assert_eq!(mode("077.csv"), 0o600);
}

#[test]
fn exports_replace_files_only_and_keep_links() {
    let folder = table(10);
    folder.output(&["import", "t.csv", "t"]);
    let socket = std::os::unix::net::UnixListener::bind(folder.path("socket.csv"));
    let _socket = socket.expect("a socket");
    for target in ["socket.csv", "t", "/dev/null"] {
        let error = folder.error(&["export", "t", target, "--format", "csv"], 2);
        let expected = format!("error: '{target}' is not a file\nhint: ");
        assert!(error.starts_with(&expected), "{error}");
    }
    folder.write("file.csv", "old");
    std::os::unix::fs::symlink("file.csv", folder.path("link.csv")).expect("a link");
    folder.output(&["export", "t", "link.csv"]);
    let link = std::fs::symlink_metadata(folder.path("link.csv")).expect("a link");
    assert!(link.is_symlink());
    assert!(folder.read("file.csv").starts_with("row,a,b,c\n"));
    let names = ["file.csv", "link.csv", "socket.csv", "t", "t.csv"];
    assert_eq!(folder.names(), names);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_as_output_is_an_error() {
    let folder = table(10);
    for arguments in [&["completions", "bash"][..], &["man"], &["tree", "."]] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = program(&folder, arguments)
            .stdout(full.expect("the device"))
            .output()
            .expect("the program runs");
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {errors}");
        assert!(errors.contains("No space left"), "{errors}");
    }
}

#[test]
fn maintenance_is_done_if_the_reader_of_the_plan_has_gone() {
    let folder = table(10);
    folder.output(&["import", "t.csv", "t"]);
    folder.output(&["import", "t.csv", "t", "--append"]);
    for (command, left) in [("consolidate", 3), ("vacuum", 1)] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let status = program(&folder, &[command, "t"]).stdout(writer).status();
        assert_eq!(status.expect("runs").code(), Some(0));
        let fragments = std::fs::read_dir(folder.path("t/__fragments")).expect("a folder");
        assert_eq!(fragments.count(), left, "{command}");
    }
}

#[test]
fn writes_of_arrays_to_a_full_disk_fail_with_a_hint_and_leave_nothing() {
    let folder = table(200_000);
    folder.output(&["import", "t.csv", "t"]);
    for arguments in [&["import", "t.csv", "u"][..], &["cp", "t", "u"]] {
        let output = Command::new("sh")
            .args(["-c", "ulimit -f 16; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_tiledb-rs"))
            .args(arguments)
            .current_dir(folder.path("."))
            .output()
            .expect("sh runs");
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {errors}");
        assert!(
            errors.contains("File too large\nhint: free space"),
            "{errors}"
        );
        assert_eq!(folder.names(), ["t", "t.csv"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = table(10);
    folder.output(&["import", "t.csv", "t"]);
    // The first page of the memory of a process cannot be read.
    let file = "/proc/self/mem";
    for arguments in [&["u"][..], &["t", "--append"]] {
        let arguments = [&["import", file, "--format", "csv"], arguments].concat();
        let error = folder.error(&arguments, 4);
        assert!(
            error.starts_with(&format!("error: cannot read '{file}': ")),
            "{error}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn moves_to_another_device_are_errors_with_a_hint() {
    use std::os::unix::fs::MetadataExt;
    let folder = table(10);
    folder.output(&["import", "t.csv", "t"]);
    let device = |path: &std::path::Path| std::fs::metadata(path).map(|metadata| metadata.dev());
    let shared = std::path::Path::new("/dev/shm");
    let Ok(other) = tempfile::TempDir::new_in(shared) else {
        eprintln!("skipped: there is no folder in /dev/shm");
        return;
    };
    if device(shared).ok() == device(&folder.path(".")).ok() {
        eprintln!("skipped: the folder of the test is on the device of /dev/shm");
        return;
    }
    let target = other.path().join("moved");
    let error = folder.error(&["mv", "t", target.to_str().expect("text")], 4);
    assert!(
        error.contains("\nhint: copy it with `tiledb-rs cp`"),
        "{error}"
    );
    assert!(folder.exists("t") && !target.exists());
}
