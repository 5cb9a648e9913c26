//! Memory of sparse reads: an array ten times as large as `sm.mem.total_budget` is read through
//! small buffers in every layout. Each read runs in a process of its own, whose resident memory
//! must not exceed the budget by more than a fifth. Consolidation of large texts in processes with
//! little address space returns an error instead of aborting.
#![cfg(target_os = "linux")]

mod setup;

use std::path::Path;
use std::process::Command;

use setup::column::{Column, write};
use setup::{TestArray, attribute, dimension, filters, schema, text};
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};

const BUDGET: u64 = 10 << 20;
const FRAGMENTS: u64 = 5;
const CELLS: u64 = 540_000;
/// Two coordinates, a number, a text of 6 characters with its offset.
const CELL_BYTES: u64 = 8 + 8 + 8 + 8 + 6;
/// The environment variable with the layout and folder of a child process.
const TASK: &str = "TILEDB_RS_MEMORY_TASK";
/// The capacity of the buffers in cells.
const CAPACITY: usize = 8192;

fn place_with(budget: u64, folder: &str) -> TestArray {
    let vfs = setup::vfs(&[("sm.mem.total_budget", &budget.to_string())]);
    TestArray::new(&vfs, folder)
}

/// Returns the coordinates of a cell: scattered over the domain and unique among all fragments.
fn coordinates_of(fragment: u64, cell: u64) -> (u64, u64) {
    let number = fragment * CELLS + cell;
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    (mixed >> 20, mixed & 0xf_ffff)
}

fn make(folder: &Path, dups: bool) {
    let test_array = place_with(10 << 30, folder.to_str().expect("text"));
    let zstd = [FilterType::Zstd];
    let mut dimensions =
        ["x", "y"].map(|name| dimension(name, Datatype::Int64, [0i64, 0xf_ffff], 1 << 14));
    for dimension in &mut dimensions {
        dimension.set_filters(filters(&zstd)).expect("filters");
    }
    let attributes = [attribute("a", Datatype::Int64, &zstd), text("s", &zstd)];
    let mut schema = schema(ArrayType::Sparse, dimensions, attributes);
    schema.set_capacity(5000).expect("capacity");
    schema.set_allows_dups(dups).expect("duplicates");
    schema.set_offsets_filters(filters(&zstd));
    test_array.create(&schema);
    for fragment in 0..FRAGMENTS {
        write_cells(&test_array, fragment);
    }
}

fn write_cells(test_array: &TestArray, fragment: u64) {
    let cells: Vec<(u64, u64)> = (0..CELLS)
        .map(|cell| coordinates_of(fragment, cell))
        .collect();
    let columns = [
        Column::numbers("x", cells.iter().map(|index| index.0)),
        Column::numbers("y", cells.iter().map(|index| index.1)),
        Column::numbers("a", cells.iter().map(|index| value(*index))),
        Column::texts("s", cells.iter().map(|index| text_of(*index))),
    ];
    let mut query = test_array.query(QueryType::Write);
    query.set_layout(Layout::Unordered).expect("layout");
    write(&mut query, &columns).expect("write");
    query.finalize().expect("finalize");
}

fn value((x, y): (u64, u64)) -> u64 {
    (x >> 14) * 64 + (y >> 14)
}

fn text_of(coordinates: (u64, u64)) -> String {
    format!("c{:05}", value(coordinates))
}

/// Returns a value of `/proc/self/status` in bytes.
fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find(|line| line.starts_with(name));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    1024 * number.expect("a number").parse::<u64>().expect("a number")
}

/// Reads the whole array and checks every cell. Returns the number of cells and the increase of
/// resident memory in bytes.
fn read(folder: &str, layout: Layout) -> (u64, u64) {
    let test_array = place_with(BUDGET, folder);
    let mut fixed = vec![vec![1u8; 8 * CAPACITY]; 4];
    let mut texts = vec![1u8; 8 * CAPACITY];
    let before = status("VmRSS");
    let mut query = test_array.query(QueryType::Read);
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
                _ => FieldBuffers::fixed(name, data),
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
            let coordinates = (word(0), word(1));
            assert_eq!(word(2), value(coordinates));
            let start = word(3) as usize;
            assert_eq!(&texts[start..start + 6], text_of(coordinates).as_bytes());
            if layout == Layout::RowMajor {
                assert!(last < Some(coordinates), "{last:?} {coordinates:?}");
                last = Some(coordinates);
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
        let array_folder = folder.path().join("array");
        make(&array_folder, dups);
        for layout in ["unordered", "global", "row"] {
            let output = Command::new(std::env::current_exe().expect("this program"))
                .args([
                    "the_budget_holds_as_resident_memory",
                    "--exact",
                    "--nocapture",
                ])
                .env(TASK, format!("{layout}:{}", array_folder.display()))
                .output()
                .expect("a process");
            let messages = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "duplicates {dups}: {messages}");
            eprint!("duplicates {dups}: {messages}");
        }
    }
}

/// The environment variable with the folder of a child process that consolidates.
const TEXTS_TASK: &str = "TILEDB_RS_MEMORY_TEXTS_TASK";
/// The numbers of bytes of two large texts.
const TEXT_BYTES: [usize; 2] = [40 << 20, 20 << 20];

/// Writes a large text to a cell of each of two fragments.
fn make_large_texts(folder: &Path) {
    let test_array = place_with(1 << 30, folder.to_str().expect("text"));
    let dimensions = [dimension("x", Datatype::Int64, [0i64, 9], 10)];
    let attributes = [text("s", &[])];
    test_array.create(&schema(ArrayType::Sparse, dimensions, attributes));
    for (x, bytes) in (0u64..).zip(TEXT_BYTES) {
        let letter = if x == 0 { "a" } else { "b" };
        let columns = [
            Column::numbers("x", [x]),
            Column::texts("s", [letter.repeat(bytes)]),
        ];
        let mut query = test_array.query(QueryType::Write);
        query.set_layout(Layout::Unordered).expect("layout");
        write(&mut query, &columns).expect("write");
        query.finalize().expect("finalize");
    }
}

/// A consolidation of large texts in a process of its own, with sizes in bytes.
struct LargeTexts {
    result: String,
    /// The address space before it and at most.
    address_space: [u64; 2],
    /// The increase of resident memory.
    resident: u64,
}

/// Consolidates in a process with an address space of `limit` bytes.
fn consolidate_within(limit: Option<u64>, folder: &Path) -> LargeTexts {
    let limit = limit.map_or("unlimited".to_string(), |bytes| (bytes >> 10).to_string());
    let output = Command::new("sh")
        .args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &limit])
        .arg(std::env::current_exe().expect("this program"))
        .args([
            "large_texts_never_abort_a_process_without_memory",
            "--exact",
            "--nocapture",
        ])
        .env(TEXTS_TASK, folder)
        .output()
        .expect("a process");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{limit} KiB: {messages}");
    let line = messages.lines().find_map(|line| line.strip_prefix("task "));
    let mut words = line.expect("a result").splitn(4, ' ');
    let mut number = || {
        let word = words.next().expect("a number");
        word.parse::<u64>().expect("bytes")
    };
    LargeTexts {
        address_space: [number(), number()],
        resident: number(),
        result: words.next().expect("a result").to_string(),
    }
}

#[test]
fn large_texts_never_abort_a_process_without_memory() {
    if let Ok(folder) = std::env::var(TEXTS_TASK) {
        let test_array = place_with(1 << 30, &folder);
        let config = setup::config(&[("sm.mem.total_budget", &(1u64 << 30).to_string())]);
        let (before, resident) = (status("VmSize"), status("VmRSS"));
        let merged = maintenance::consolidate(&test_array.vfs, test_array.uri.as_str(), &config);
        let result = merged.map_or_else(|error| error.to_string(), |_| "consolidated".into());
        let resident = status("VmHWM") - resident;
        eprintln!("\ntask {before} {} {resident} {result}", status("VmPeak"));
        return;
    }
    let folder = tempfile::tempdir().expect("folder");
    let unlimited = folder.path().join("unlimited");
    make_large_texts(&unlimited);
    let merged = consolidate_within(None, &unlimited);
    assert_eq!(merged.result, "consolidated");
    let [before, peak] = merged.address_space;
    // The tile of both texts, and its encoded form or the minimum and maximum: twice as many bytes.
    let most = TEXT_BYTES.iter().sum::<usize>() as u64 * 3;
    assert!(merged.resident < most, "{} bytes", merged.resident);
    let limited = folder.path().join("limited");
    make_large_texts(&limited);
    let mut refused = 0;
    for step in 4..=32 {
        let limit = before + (peak - before) * step / 32;
        let LargeTexts { result, .. } = consolidate_within(Some(limit), &limited);
        eprintln!("{limit} bytes: {result}");
        if result == "consolidated" {
            break;
        }
        assert!(
            result.contains("Cannot allocate"),
            "{limit} bytes: {result}"
        );
        refused += 1;
    }
    assert!(refused > 0, "{before} to {peak} bytes");
}
