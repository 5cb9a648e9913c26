//! What sparse reads take in memory: an array ten times as large as `sm.mem.total_budget` is read through small buffers, in
//! every layout, each in a process of its own, whose resident memory stays below the budget and a fifth.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use tiledb_engine::array::{self, Array};
use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::filter::{Filter, FilterList, FilterType};
use tiledb_engine::query::Query;
use tiledb_engine::query::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType, VAR_NUM};
use tiledb_engine::vfs::{Uri, Vfs};

const BUDGET: u64 = 10 << 20;
const FRAGMENTS: u64 = 5;
const CELLS: u64 = 540_000;
/// Two coordinates, a number, a text of 6 characters with its offset.
const CELL_BYTES: u64 = 8 + 8 + 8 + 8 + 6;
/// What a process is told of the read it is to do: the folder and the layout.
const TASK: &str = "TILEDB_RS_MEMORY_TASK";
/// The cells that the buffers hold.
const ROOM: usize = 8192;

fn vfs(budget: u64) -> Arc<Vfs> {
    let mut config = Config::new();
    let budget = budget.to_string();
    config.set("sm.mem.total_budget", &budget).expect("budget");
    let context = Context::new(config).expect("context");
    Vfs::new(&context).expect("vfs")
}

/// The coordinates of a cell: scattered over the domain, and of no other cell of any fragment.
fn place(fragment: u64, cell: u64) -> (u64, u64) {
    let number = fragment * CELLS + cell;
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    (mixed >> 20, mixed & 0xf_ffff)
}

fn make(folder: &Path, dups: bool) -> (Arc<Vfs>, Uri) {
    let vfs = vfs(10 << 30);
    let uri = Uri::parse(folder.to_str().expect("text")).expect("uri");
    let zstd = FilterList {
        filters: vec![Filter::new(FilterType::Zstd).expect("filter")],
        ..FilterList::default()
    };
    let zstd = Arc::new(zstd);
    let mut domain = DomainDraft::default();
    for name in ["x", "y"] {
        let ends = [0i64.to_le_bytes(), 0xf_ffffi64.to_le_bytes()].concat();
        let extent = (1i64 << 14).to_le_bytes();
        let dimension = Dimension::new(name, Datatype::Int64, Some(&ends), Some(&extent));
        let mut dimension = dimension.expect("dimension");
        dimension.set_filters(zstd.clone()).expect("filters");
        domain.dimensions.push(shared(dimension));
    }
    let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
    draft.set_domain(&shared(domain)).expect("domain");
    draft.set_capacity(5000).expect("capacity");
    draft.set_allows_dups(dups).expect("duplicates");
    draft.set_offsets_filters(zstd.clone());
    let mut number = Attribute::new("a", Datatype::Int64);
    number.set_filters(zstd.clone()).expect("filters");
    draft.add_attribute(&shared(number)).expect("attribute");
    let mut text = Attribute::new("s", Datatype::StringAscii);
    text.set_cell_val_num(VAR_NUM).expect("variable");
    text.set_filters(zstd).expect("filters");
    draft.add_attribute(&shared(text)).expect("attribute");
    let schema = draft.finish().expect("schema");
    array::create(&vfs, &uri, &schema, None).expect("create");
    for fragment in 0..FRAGMENTS {
        write(&vfs, &uri, fragment);
    }
    (vfs, uri)
}

fn write(vfs: &Arc<Vfs>, uri: &Uri, fragment: u64) {
    let (mut x, mut y, mut a) = (Vec::new(), Vec::new(), Vec::new());
    let (mut offsets, mut s) = (Vec::new(), Vec::new());
    for cell in 0..CELLS {
        let at = place(fragment, cell);
        x.extend_from_slice(&at.0.to_le_bytes());
        y.extend_from_slice(&at.1.to_le_bytes());
        a.extend_from_slice(&value(at).to_le_bytes());
        offsets.extend_from_slice(&(s.len() as u64).to_le_bytes());
        s.extend_from_slice(text(at).as_bytes());
    }
    let array = Array::new(vfs, uri.as_str()).expect("array");
    array.open(QueryType::Write).expect("open");
    let array = Arc::new(array);
    let mut query = Query::new(&array, QueryType::Write).expect("query");
    query.set_layout(Layout::Unordered).expect("layout");
    let fixed = |name, data| FieldCells {
        name,
        data: Some(data),
        offsets: None,
        validity: None,
    };
    let text = FieldCells {
        name: "s",
        data: Some(&s),
        offsets: Some(&offsets),
        validity: None,
    };
    query
        .write(&[fixed("x", &x), fixed("y", &y), fixed("a", &a), text])
        .expect("write");
    query.finalize().expect("finalize");
}

fn value((x, y): (u64, u64)) -> u64 {
    (x >> 14) * 64 + (y >> 14)
}

fn text(at: (u64, u64)) -> String {
    format!("c{:05}", value(at))
}

/// A number of `/proc/self/status`, in bytes.
fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find(|line| line.starts_with(name));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    1024 * number.expect("a number").parse::<u64>().expect("a number")
}

/// Reads all of the array, checks every cell, and answers how many there are and the most that was resident beyond what was
/// before.
fn read(folder: &str, layout: Layout) -> (u64, u64) {
    let vfs = vfs(BUDGET);
    let mut fixed = vec![vec![1u8; 8 * ROOM]; 4];
    let mut texts = vec![1u8; 8 * ROOM];
    let before = status("VmRSS");
    let array = Array::new(&vfs, folder).expect("array");
    array.open(QueryType::Read).expect("open");
    let array = Arc::new(array);
    let mut query = Query::new(&array, QueryType::Read).expect("query");
    query.set_layout(layout).expect("layout");
    let (mut cells, mut last) = (0, None);
    loop {
        let mut buffers: Vec<FieldBuffers<'_>> = ["x", "y", "a", "s"]
            .into_iter()
            .zip(&mut fixed)
            .map(|(name, data)| match name {
                "s" => FieldBuffers {
                    name,
                    data: None,
                    offsets: Some(data),
                    validity: None,
                },
                _ => FieldBuffers {
                    name,
                    data: Some(data),
                    offsets: None,
                    validity: None,
                },
            })
            .collect();
        buffers[3].data = Some(&mut texts);
        let sizes = query.read(&mut buffers).expect("read");
        let number = sizes[0].data as usize / 8;
        assert!(number > 0 || query.status() == QueryStatus::Completed);
        for cell in 0..number {
            let word = |column: usize| {
                let bytes = &fixed[column][8 * cell..8 * cell + 8];
                u64::from_le_bytes(bytes.try_into().expect("eight"))
            };
            let at = (word(0), word(1));
            assert_eq!(word(2), value(at));
            let start = word(3) as usize;
            assert_eq!(&texts[start..start + 6], text(at).as_bytes());
            if layout == Layout::RowMajor {
                assert!(last < Some(at), "{last:?} {at:?}");
                last = Some(at);
            }
        }
        cells += number as u64;
        if query.status() == QueryStatus::Completed {
            return (cells, status("VmHWM").saturating_sub(before));
        }
    }
}

#[test]
fn the_budget_holds_as_resident_memory() {
    const { assert!(FRAGMENTS * CELLS * CELL_BYTES >= 9 * BUDGET) };
    if let Ok(task) = std::env::var(TASK) {
        let (layout, folder) = task.split_once(':').expect("a task");
        let layout = match layout {
            "row" => Layout::RowMajor,
            "global" => Layout::GlobalOrder,
            _ => Layout::Unordered,
        };
        let (cells, bytes) = read(folder, layout);
        assert_eq!(cells, FRAGMENTS * CELLS);
        eprintln!("{task}: {bytes} bytes");
        assert!(bytes <= BUDGET + BUDGET / 5, "{bytes} bytes of {BUDGET}");
        return;
    }
    for dups in [false, true] {
        let folder = tempfile::tempdir().expect("folder");
        let place = folder.path().join("array");
        make(&place, dups);
        for layout in ["unordered", "global", "row"] {
            let output = Command::new(std::env::current_exe().expect("this program"))
                .args([
                    "the_budget_holds_as_resident_memory",
                    "--exact",
                    "--nocapture",
                ])
                .env(TASK, format!("{layout}:{}", place.display()))
                .output()
                .expect("a process");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "duplicates {dups}: {said}");
            eprint!("duplicates {dups}: {said}");
        }
    }
}
