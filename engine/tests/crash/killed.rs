//! Processes that are killed while they write. This program starts itself again: with [`PLACE`] set, it is the one that
//! writes, mark after mark, until it is killed.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::vfs::{Uri, Vfs};

use crate::marks::{Kind, Marks, Way};

const PLACE: &str = "TILEDB_RS_CRASH_PLACE";
const FIRST: &str = "TILEDB_RS_CRASH_FIRST";
const KIND: &str = "TILEDB_RS_CRASH_KIND";
const ROUNDS: u64 = 30;

fn marks(place: &str, kind: Kind) -> Marks {
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::new(&context).expect("vfs");
    Marks::new(&vfs, &Uri::parse(place).expect("uri"), kind)
}

/// Writes until the end of the process; each finished mark is a line.
#[test]
fn writes_until_it_is_killed() {
    let (Ok(place), Ok(first)) = (std::env::var(PLACE), std::env::var(FIRST)) else {
        return;
    };
    let kind = match std::env::var(KIND).as_deref() {
        Ok("sparse") => Kind::Sparse,
        _ => Kind::Dense,
    };
    let marks = marks(&place, kind);
    for mark in first.parse().expect("a number").. {
        let way = [Way::Rows, Way::TileByTile][mark as usize % 2];
        marks.write(mark, way).expect("write");
        // Each in a line of its own, after whatever the test harness has begun.
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nmark {mark}").expect("a line");
        out.flush().expect("flush");
    }
}

fn start(place: &str, kind: Kind, first: u64) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "killed::writes_until_it_is_killed",
            "--nocapture",
        ])
        .env(PLACE, place)
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

/// Kills a child after some time; tells the last mark that it finished.
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

#[test]
fn a_process_killed_while_it_writes_leaves_all_or_nothing() {
    [Kind::Dense, Kind::Sparse]
        .into_iter()
        .for_each(kill_writers);
}

fn kill_writers(kind: Kind) {
    let folder = tempfile::tempdir().expect("folder");
    let place = folder.path().join("array").display().to_string();
    let marks = marks(&place, kind);
    marks.create().expect("create");
    marks.write(1, Way::Rows).expect("write");
    let (mut newest, mut written) = (1, 0);
    for round in 0..ROUNDS {
        let child = start(&place, kind, newest + 1);
        let time = Duration::from_micros(1500 + round * 7919 % 23_000);
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
        written += mark - newest;
        newest = mark + 1;
        marks.write(newest, Way::TileByTile).expect("a later write");
        assert_eq!(marks.read(), newest, "round {round}");
    }
    assert!(written > 0, "no child came to write");
}
