//! Processes that are killed while they write. The program starts itself again: the child,
//! recognized by [`PLACE`] in its environment, writes one mark after the other until it is killed.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::vfs::{Uri, Vfs};

use crate::marks::{Kind, Marks, WriteMode};

const ARRAY_URI: &str = "TILEDB_RS_CRASH_PLACE";
const FIRST: &str = "TILEDB_RS_CRASH_FIRST";
const KIND: &str = "TILEDB_RS_CRASH_KIND";
const ROUNDS: u64 = 30;

fn marks(uri: &str, kind: Kind) -> Marks {
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::new(&context).expect("vfs");
    Marks::new(&vfs, &Uri::parse(uri).expect("uri"), kind)
}

/// Writes until the process is killed; prints a line for each finished mark.
#[test]
fn writes_until_it_is_killed() {
    let (Ok(uri), Ok(first)) = (std::env::var(ARRAY_URI), std::env::var(FIRST)) else {
        return;
    };
    let kind = match std::env::var(KIND).as_deref() {
        Ok("sparse") => Kind::Sparse,
        _ => Kind::Dense,
    };
    let marks = marks(&uri, kind);
    for mark in first.parse().expect("a number").. {
        let mode = [WriteMode::Rows, WriteMode::TileByTile][mark as usize % 2];
        marks.write(mark, mode).expect("write");
        // Starts with a line feed, because the test harness may have begun a line.
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nmark {mark}").expect("a line");
        out.flush().expect("flush");
    }
}

fn start(uri: &str, kind: Kind, first: u64) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "killed::writes_until_it_is_killed",
            "--nocapture",
        ])
        .env(ARRAY_URI, uri)
        .env(FIRST, first.to_string())
        .env(
            KIND,
            if kind == Kind::Sparse {
                "sparse"
            } else {
                "dense"
            },
        )
        .stdout(Stdio::piped())
        .spawn()
        .expect("a child")
}

/// Kills a child after some time. Returns the last mark that the child reported.
fn kill_after(mut child: Child, time: Duration) -> Option<u64> {
    std::thread::sleep(time);
    child.kill().expect("kill");
    let out = child.stdout.take().expect("its output");
    let last = BufReader::new(out)
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| {
            line.strip_prefix("mark ")
                .and_then(|mark| mark.parse().ok())
        })
        .last();
    child.wait().expect("wait");
    last
}

/// Kills a child after its first write. Returns the time that this write took from the start.
fn time_of_first_write(mut child: Child) -> Duration {
    let start = Instant::now();
    let out = child.stdout.take().expect("its output");
    let mut lines = BufReader::new(out).lines().map_while(Result::ok);
    let written = lines.any(|line| line.starts_with("mark "));
    let time = start.elapsed();
    child.kill().expect("kill");
    child.wait().expect("wait");
    assert!(written, "the child wrote nothing");
    time
}

#[test]
fn a_process_killed_while_it_writes_leaves_a_complete_write_or_none() {
    [Kind::Dense, Kind::Sparse]
        .into_iter()
        .for_each(kill_writers);
}

fn kill_writers(kind: Kind) {
    let folder = tempfile::tempdir().expect("folder");
    let uri = folder.path().join("array").display().to_string();
    let marks = marks(&uri, kind);
    marks.create().expect("create");
    marks.write(1, WriteMode::Rows).expect("write");
    let mut usual = time_of_first_write(start(&uri, kind, 2));
    let (mut newest, mut written) = (marks.read(), 0);
    for round in 0..ROUNDS {
        let child = start(&uri, kind, newest + 1);
        // Up to three times as long as a child needs to start and write once.
        let time = usual.mul_f64((round * 7919 % 1000) as f64 * 3e-3);
        let finished = kill_after(child, time);
        let mark = marks.read();
        assert!(
            mark >= finished.unwrap_or(newest),
            "round {round}: a finished write is gone"
        );
        assert!(
            mark <= finished.unwrap_or(newest) + 1,
            "round {round}: {mark}"
        );
        if mark == newest && time >= usual {
            // The machine has become slower.
            usual *= 2;
        }
        written += mark - newest;
        newest = mark + 1;
        marks
            .write(newest, WriteMode::TileByTile)
            .expect("a later write");
        assert_eq!(marks.read(), newest, "round {round}");
    }
    assert!(written > 0, "no child came to write");
}
