//! Several processes write while another reads: each read sees a complete write or nothing of it.

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::vfs::{Uri, Vfs};

use crate::marks::{CELLS, Kind, Marks, WriteMode};

const ARRAY_URI: &str = "TILEDB_RS_TOGETHER_PLACE";
const FIRST: &str = "TILEDB_RS_TOGETHER_FIRST";
/// The number of writes of each process.
const WRITES: usize = 200;
const WRITERS: usize = 2;

fn marks(uri: &str) -> Marks {
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::new(&context).expect("vfs");
    let uri = Uri::parse(uri).expect("uri");
    Marks::new(&vfs, &uri, Kind::SparseWithDups)
}

/// Writes, in a child process that is recognized by [`PLACE`] in its environment.
#[test]
fn writes_in_a_child_process() {
    let (Ok(uri), Ok(first)) = (std::env::var(ARRAY_URI), std::env::var(FIRST)) else {
        return;
    };
    let first: u64 = first.parse().expect("a number");
    for mark in first..first + WRITES as u64 {
        let mode = [WriteMode::Rows, WriteMode::TileByTile][mark as usize % 2];
        marks(&uri).write(mark, mode).expect("write");
    }
}

fn start(uri: &str, first: usize) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "concurrent_writes::writes_in_a_child_process"])
        .env(ARRAY_URI, uri)
        .env(FIRST, first.to_string())
        .stdout(Stdio::null())
        .spawn()
        .expect("a child")
}

/// Returns the number of visible writes; each must be complete.
fn shown(marks: &Marks) -> usize {
    let mut cells: BTreeMap<u64, usize> = BTreeMap::new();
    for mark in marks.read_all(WRITERS * WRITES) {
        *cells.entry(mark).or_default() += 1;
    }
    let part = cells.iter().find(|(_, cells)| **cells != CELLS);
    assert_eq!(part, None, "a part of a write, or one twice");
    cells.len()
}

#[test]
fn reads_see_complete_writes_while_two_processes_write() {
    let folder = tempfile::tempdir().expect("folder");
    let uri = folder.path().join("array").display().to_string();
    let marks = marks(&uri);
    marks.create().expect("create");
    let mut writers: Vec<Child> = (0..WRITERS)
        .map(|index| start(&uri, index * WRITES))
        .collect();
    let (mut last, mut between) = (0, 0);
    let is_done = |writer: &mut Child| writer.try_wait().expect("a child").is_some();
    while !writers.iter_mut().all(is_done) {
        let seen = shown(&marks);
        assert!(seen >= last, "{seen} writes after {last}");
        between += usize::from(seen > last && seen < WRITERS * WRITES);
        last = seen;
    }
    for mut writer in writers {
        assert!(writer.wait().expect("a child").success());
    }
    assert_eq!(shown(&marks), WRITERS * WRITES);
    assert!(between > 0, "no read came between the writes");
}
