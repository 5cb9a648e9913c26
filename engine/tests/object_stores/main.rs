//! Arrays on object stores: every operation on each service, with random faults of the network, and
//! with responses that a hostile server changed.
//!
//! The servers are started by the tests, which skip services whose server cannot be installed.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `TILEDB_RS_FAULTS` | the number of faults that are injected; default 60 |
//! | `TILEDB_RS_FAULTS_SEED` | the seed of their order |
//! | `TILEDB_RS_CASES` | the number of changed responses of each service; default 40 |
//! | `TILEDB_RS_SEED` | the only seed of a changed response |

mod changed;
mod hostile;
mod proxy;
#[path = "../random/mod.rs"]
mod random;
#[path = "../setup/servers.rs"]
mod servers;
#[path = "../setup/mod.rs"]
mod setup;

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proxy::Proxy;
use servers::Server;
use setup::column::{CellType, Column, read, write};
use setup::{TestArray, attribute, dimension, numbers, schema};
use tiledb_engine::internal::array::{Array, WithMetadata};
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::group::{self, Group};
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::object;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_engine::internal::vfs::{FaultyStore, StoreLimits, Uri, Vfs};

/// Cells of each fragment.
const CELLS: i32 = 300;
const FRAGMENTS: i32 = 4;

/// Returns the virtual file system of a server, with some parameters.
fn vfs(server: &Server, parameters: &[(&str, &str)]) -> Arc<Vfs> {
    let server_parameters = server.parameters.iter();
    let server_parameters = server_parameters.map(|(name, value)| (name.as_str(), value.as_str()));
    let all: Vec<_> = server_parameters
        .chain(parameters.iter().copied())
        .collect();
    setup::vfs(&all)
}

fn write_fragment(test_array: &TestArray, fragment: i32) {
    setup::next_millisecond();
    let first = fragment * CELLS / 2;
    let mut query = test_array.query(QueryType::Write);
    query.set_layout(Layout::Unordered).expect("layout");
    let keys = first..first + CELLS;
    let columns = [
        Column::numbers("key", keys.clone()),
        Column::numbers("value", keys.map(|key| key * 10 + fragment)),
    ];
    write(&mut query, &columns).expect("write");
    query.finalize().expect("finalize");
}

/// Reads all values. Each cell must have the value of the last fragment that contains it.
fn check_cells(test_array: &TestArray, fragments: i32) {
    let mut query = test_array.query(QueryType::Read);
    query.set_layout(Layout::GlobalOrder).expect("layout");
    let mut buffers = [Column::with_capacity(CellType::fixed("value", 4), 5000, 0)];
    let cells = read(&mut query, &mut buffers).expect("read");
    let values: Vec<i32> = cells[0]
        .iter()
        .flat_map(|cell| numbers::<i32>(&cell.0))
        .collect();
    let last_key = (fragments - 1) * CELLS / 2 + CELLS;
    let expected: Vec<i32> = (0..last_key)
        .map(|key| key * 10 + (key / (CELLS / 2)).min(fragments - 1))
        .collect();
    assert!(
        values == expected,
        "{} cells instead of {}",
        values.len(),
        expected.len()
    );
}

/// Creates an array, writes, reads, consolidates, vacuums and removes it.
fn work_on_array(vfs: &Arc<Vfs>, uri: &str) {
    let test_array = TestArray::new(vfs, uri);
    let key = dimension("key", Datatype::Int32, [0, 100_000], 1000);
    let value = attribute("value", Datatype::Int32, &[FilterType::Zstd]);
    let mut draft = schema(ArrayType::Sparse, [key], [value]);
    draft.set_capacity(50).expect("capacity");
    test_array.create(&draft);
    for fragment in 0..FRAGMENTS {
        write_fragment(&test_array, fragment);
        check_cells(&test_array, fragment + 1);
    }
    let array = test_array.open(QueryType::Write);
    let bytes = 7_i32.to_le_bytes();
    array
        .put_metadata(Some("name"), Datatype::Int32, &bytes)
        .expect("metadata");
    array.close().expect("close");
    for mode in ["commits", "fragment_meta", "array_meta", "fragments"] {
        test_array.consolidate(mode);
        check_cells(&test_array, FRAGMENTS);
        test_array.vacuum(mode);
        check_cells(&test_array, FRAGMENTS);
    }
    let array = test_array.open(QueryType::Read);
    assert_eq!(array.metadata_num().expect("metadata"), 1);
    let fragments = vfs
        .list(&test_array.uri.join("__fragments"))
        .expect("lists");
    assert_eq!(fragments.len(), 1, "vacuum removes folders too");
    vfs.remove_dir(&test_array.uri).expect("removes");
    assert!(!vfs.is_dir(&test_array.uri).expect("looks up"));
    test_array.create(&draft);
    write_fragment(&test_array, 0);
    object::remove_array(vfs, uri).expect("removes");
    assert!(!vfs.is_dir(&test_array.uri).expect("looks up"));
}

/// Writes, reads, copies, moves and removes files.
fn work_on_files(vfs: &Arc<Vfs>, uri: &str) {
    let folder = Uri::parse(uri).expect("uri");
    let bytes: Vec<u8> = (0..6_000_000_u32).map(|index| (index / 7) as u8).collect();
    let (file, moved) = (folder.join("file"), folder.join("moved"));
    vfs.write_all(&file, &bytes).expect("writes");
    assert!(
        vfs.read_all(&file).expect("reads") == bytes,
        "the content differs"
    );
    vfs.copy_file(&file, &folder.join("copy")).expect("copies");
    vfs.rename("move_file", &file, &moved).expect("moves");
    assert!(!vfs.is_file(&file).expect("looks up"));
    let open = vfs.open(&moved).expect("opens");
    let mut part = vec![0; 100_000];
    open.read_at(5_000_000, &mut part).expect("reads");
    assert!(part == bytes[5_000_000..5_100_000], "the content differs");
    assert_eq!(vfs.list(&folder).expect("lists").len(), 2);
    vfs.remove_dir(&folder).expect("removes");
    assert_eq!(vfs.list(&folder).expect("lists").len(), 0);
}

#[test]
fn arrays_and_files_work_on_every_service() {
    for server in servers::all() {
        let vfs = vfs(server, &[]);
        work_on_array(&vfs, &format!("{}/works/array", server.uri));
        work_on_files(&vfs, &format!("{}/works/files", server.uri));
    }
}

#[test]
fn an_array_can_be_a_whole_bucket() {
    for server in servers::all() {
        let (scheme, _) = server.uri.split_once("://").expect("a scheme");
        for (bucket, end) in [("whole-bucket", ""), ("bucket-with-slash", "/")] {
            let vfs = vfs(server, &[]);
            let bucket = Uri::parse(&format!("{scheme}://{bucket}")).expect("uri");
            vfs.create_bucket(&bucket).expect("creates");
            let test_array = TestArray::new(&vfs, &format!("{bucket}{end}"));
            let key = dimension("key", Datatype::Int32, [0, 100_000], 1000);
            let value = attribute("value", Datatype::Int32, &[]);
            test_array.create(&schema(ArrayType::Sparse, [key], [value]));
            for fragment in 0..2 {
                write_fragment(&test_array, fragment);
            }
            test_array.consolidate("fragments");
            test_array.vacuum("fragments");
            check_cells(&test_array, 2);
            let elsewhere = Uri::parse(&format!("{}/moved", server.uri)).expect("uri");
            vfs.touch(&elsewhere.join("file")).expect("touches");
            assert!(!vfs.publish_dir(&elsewhere, &bucket).expect("keeps both"));
            check_cells(&test_array, 2);
            object::remove_array(&vfs, test_array.uri.as_str()).expect("removes");
            let is_empty = vfs.is_empty_bucket(&bucket).expect("lists");
            assert!(is_empty, "{}", server.kind);
            group::create(&vfs, test_array.uri.as_str()).expect("creates");
            let members = Group::new(&vfs, test_array.uri.as_str()).expect("group");
            members.open(QueryType::ModifyExclusive).expect("opens");
            members
                .delete(test_array.uri.as_str(), true)
                .expect("removes");
            let is_empty = vfs.is_empty_bucket(&bucket).expect("lists");
            assert!(is_empty, "{}", server.kind);
            vfs.remove_bucket(&bucket).expect("removes");
        }
    }
}

/// The commit of several fragments is looked up after it was written, not in an older listing.
#[test]
fn fragments_of_a_divided_consolidation_stay_on_every_service() {
    for server in servers::all() {
        let vfs = vfs(server, &[]);
        let test_array = TestArray::new(&vfs, &format!("{}/divided", server.uri));
        let key = dimension("key", Datatype::Int32, [0, 100_000], 1000);
        let value = attribute("value", Datatype::Int32, &[]);
        let mut draft = schema(ArrayType::Sparse, [key], [value]);
        draft.set_capacity(50).expect("capacity");
        test_array.create(&draft);
        for fragment in 0..FRAGMENTS {
            write_fragment(&test_array, fragment);
        }
        let limit = setup::config(&[("sm.consolidation.max_fragment_size", "2000")]);
        maintenance::consolidate(&vfs, test_array.uri.as_str(), &limit).expect("consolidated");
        check_cells(&test_array, FRAGMENTS);
        test_array.vacuum("fragments");
        check_cells(&test_array, FRAGMENTS);
        let fragments = test_array.uri.join("__fragments");
        let number = vfs.list(&fragments).expect("lists").len();
        assert!(number > 1, "{}: {number} fragments", server.kind);
        vfs.remove_dir(&test_array.uri).expect("removes");
    }
}

#[test]
fn the_metadata_of_a_fragment_is_one_request_after_its_footer_was_consolidated() {
    const ROWS: i32 = 10;
    let context = Context::new(setup::config(&[])).expect("context");
    let store = FaultyStore::new(StoreLimits::default());
    let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
    let test_array = TestArray::new(&vfs, "s3://bucket/array");
    let row = dimension("row", Datatype::Int32, [0, ROWS - 1], 1);
    let number = attribute("number", Datatype::Int32, &[]);
    let draft = schema(ArrayType::Dense, [row], [number, setup::text("text", &[])]);
    test_array.create(&draft);
    let select = |query: &mut Query, low: i32, high: i32| {
        let mut subarray = Subarray::new(query.request().schema());
        let range = subarray.add_range(0, &low.to_le_bytes(), &high.to_le_bytes());
        range.expect("range");
        query.set_subarray(&subarray).expect("subarray");
    };
    for row in 0..ROWS {
        setup::next_millisecond();
        let mut query = test_array.query(QueryType::Write);
        select(&mut query, row, row);
        let columns = [
            Column::numbers("number", [row]),
            Column::texts("text", [format!("text {row}")]),
        ];
        write(&mut query, &columns).expect("write");
        query.finalize().expect("finalize");
    }
    test_array.consolidate("fragment_meta");
    // Without what the consolidation left in the cache.
    let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
    let mut query = TestArray::new(&vfs, "s3://bucket/array").query(QueryType::Read);
    select(&mut query, 0, ROWS - 1);
    let before = store.requests();
    query.estimate("text", true, false).expect("estimates");
    let estimated = store.requests();
    assert_eq!(estimated - before, ROWS as u64);
    let mut buffers = [
        Column::with_capacity(CellType::fixed("number", 4), ROWS as usize, 0),
        Column::with_capacity(CellType::var("text"), ROWS as usize, 1000),
    ];
    let cells = read(&mut query, &mut buffers).expect("read");
    assert_eq!(cells[1][3].0, b"text 3");
    // Numbers, offsets and texts of each fragment.
    assert_eq!(store.requests() - estimated, 3 * ROWS as u64);
}

#[test]
fn what_an_interrupted_move_left_is_replaced() {
    for server in servers::all()
        .iter()
        .filter(|server| server.kind != "data-lake")
    {
        let vfs = vfs(server, &[]);
        let [from, to] = ["from", "to"].map(|name| format!("{}/moves/{name}", server.uri));
        let (source, target) = (
            Uri::parse(&from).expect("uri"),
            Uri::parse(&to).expect("uri"),
        );
        let test_array = TestArray::new(&vfs, &from);
        let key = dimension("key", Datatype::Int32, [0, 100_000], 1000);
        let value = attribute("value", Datatype::Int32, &[FilterType::Zstd]);
        test_array.create(&schema(ArrayType::Sparse, [key], [value]));
        write_fragment(&test_array, 0);
        assert!(object::is_move_target(&vfs, &target).expect("looks up"));
        // A file that no array has is kept.
        vfs.touch(&target.join("notes")).expect("touches");
        assert!(!object::is_move_target(&vfs, &target).expect("looks up"));
        object::move_object(&vfs, &from, &to).expect_err("a file is there");
        vfs.remove_dir(&target).expect("removes");
        for folder in ["__fragments", "__commits"] {
            let copied = vfs.copy_dir(&source.join(folder), &target.join(folder));
            copied.expect("copies");
            vfs.touch(&target.join(folder).join("other"))
                .expect("touches");
            assert!(object::is_move_target(&vfs, &target).expect("looks up"));
        }
        object::move_object(&vfs, &from, &to).expect("moves");
        assert!(!vfs.is_dir(&source).expect("looks up"));
        assert!(
            !vfs.is_file(&target.join("__commits/other"))
                .expect("looks up")
        );
        check_cells(&TestArray::new(&vfs, &to), 1);
        assert!(!object::is_move_target(&vfs, &target).expect("looks up"));
    }
}

/// Calls `act` with storage on a server. The response to the first request with this method and
/// text is lost.
fn losing_response(
    server: &Server,
    method: &'static str,
    part: &'static str,
    act: impl Fn(&Arc<Vfs>),
) {
    let proxy = Proxy::losing(&server.host, method, part);
    let parameters = server.parameters.iter();
    let parameters: Vec<(&str, String)> = parameters
        .map(|(name, value)| (name.as_str(), value.replace(&server.host, &proxy.address)))
        .collect();
    let parameters: Vec<(&str, &str)> = parameters
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    act(&setup::vfs(&parameters));
    assert_eq!(proxy.injected(), 1, "{} {method} {part}", server.kind);
}

#[test]
fn a_request_that_took_effect_without_a_response_succeeds() {
    for server in servers::all() {
        let folder = Uri::parse(&format!("{}/lost", server.uri)).expect("uri");
        let (scheme, _) = server.uri.split_once("://").expect("a scheme");
        let bucket = Uri::parse(&format!("{scheme}://lost-response")).expect("uri");
        let [create, remove, complete] = match server.kind {
            "gcs" => [("POST", "/storage/v1/b?"), ("DELETE", "/b/"), ("", "")],
            "azure" | "data-lake" => [
                ("PUT", "restype=container"),
                ("DELETE", "restype=container"),
                ("PUT", "comp=blocklist"),
            ],
            _ => [("PUT", " /"), ("DELETE", " /"), ("POST", "uploadId=")],
        };
        losing_response(server, create.0, create.1, |vfs| {
            vfs.create_bucket(&bucket).expect(server.kind);
            assert!(vfs.is_bucket(&bucket).expect("looks up"));
        });
        losing_response(server, remove.0, remove.1, |vfs| {
            vfs.remove_bucket(&bucket).expect(server.kind);
            assert!(!vfs.is_bucket(&bucket).expect("looks up"));
        });
        if server.kind != "gcs" {
            let file = folder.join("large");
            losing_response(server, complete.0, complete.1, |vfs| {
                let bytes: Vec<u8> = (0..11 << 20).map(|index: u32| (index / 7) as u8).collect();
                vfs.write_all(&file, &bytes).expect(server.kind);
                assert!(vfs.read_all(&file).expect("reads") == bytes);
            });
        }
        if server.kind == "azure" {
            let file = folder.join("unfinished");
            losing_response(server, complete.0, complete.1, |vfs| {
                let mut sink = vfs.create(&file).expect("creates");
                sink.write(&vec![7; 50 << 20]).expect("writes");
                // A process that is killed does not drop its files.
                Box::leak(Box::new(sink));
                assert_eq!(vfs.abort_uploads(&folder).expect("aborts"), 1);
                assert!(!vfs.is_file(&file).expect("looks up"), "nothing is left");
                assert!(vfs.uploads(&folder).expect("lists").is_empty());
            });
        }
        if server.kind == "data-lake" {
            let [from, to] = ["from", "to"].map(|name| folder.join(name));
            losing_response(server, "PUT", "mode=legacy", |vfs| {
                vfs.touch(&from.join("file")).expect("touches");
                assert!(vfs.publish_dir(&from, &to).expect("moves"));
                assert!(vfs.is_file(&to.join("file")).expect("looks up"));
                assert!(!vfs.is_dir(&from).expect("looks up"));
            });
        }
    }
}

/// Writes cells with these keys and their values.
fn write_keys(test_array: &TestArray, keys: std::ops::Range<i32>) -> Result<()> {
    setup::next_millisecond();
    let array = Arc::new(Array::new(&test_array.vfs, test_array.uri.as_str())?);
    array.open(QueryType::Write)?;
    let mut query = Query::new(&array, QueryType::Write)?;
    query.set_layout(Layout::Unordered)?;
    let columns = [
        Column::numbers("key", keys.clone()),
        Column::numbers("value", keys),
    ];
    write(&mut query, &columns)?;
    query.finalize()
}

/// Reads all values, sorted.
fn read_values(test_array: &TestArray) -> Result<Vec<i32>> {
    let array = Arc::new(Array::new(&test_array.vfs, test_array.uri.as_str())?);
    array.open(QueryType::Read)?;
    let mut query = Query::new(&array, QueryType::Read)?;
    query.set_layout(Layout::Unordered)?;
    let mut buffers = [Column::with_capacity(CellType::fixed("value", 4), 5000, 0)];
    let cells = read(&mut query, &mut buffers)?;
    let mut values: Vec<i32> = cells[0]
        .iter()
        .flat_map(|cell| numbers::<i32>(&cell.0))
        .collect();
    values.sort_unstable();
    Ok(values)
}

#[test]
fn writers_and_maintenance_share_an_array_on_a_slow_and_faulty_network() {
    const WRITERS: i32 = 2;
    const WRITES: i32 = 8;
    const KEYS: i32 = 10;
    let server = servers::all().iter().find(|server| server.kind == "s3");
    let Some(server) = server else { return };
    let seed = number("TILEDB_RS_FAULTS_SEED", 1);
    let proxy = Proxy::slow(&server.host, 20, seed, Duration::from_millis(50));
    let parameters = [
        ("vfs.s3.endpoint_override", proxy.address.as_str()),
        ("vfs.s3.request_timeout_ms", "400"),
        ("vfs.s3.connect_max_tries", "10"),
    ];
    let uri = format!("{}/shared", server.uri);
    // Each thread has its own connections, as a process has.
    let open = || TestArray::new(&vfs(server, &parameters), &uri);
    let key = dimension("key", Datatype::Int32, [0, 100_000], 1000);
    let value = attribute("value", Datatype::Int32, &[]);
    open().create(&schema(ArrayType::Sparse, [key], [value]));
    let running = AtomicI32::new(WRITERS);
    let (acknowledged, failed) = (Mutex::new(Vec::new()), AtomicI32::new(0));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (running, acknowledged, open) = (&running, &acknowledged, &open);
            scope.spawn(move || {
                let test_array = open();
                for round in 0..WRITES {
                    let first = (writer * WRITES + round) * KEYS;
                    if write_keys(&test_array, first..first + KEYS).is_ok() {
                        acknowledged
                            .lock()
                            .expect("lock")
                            .extend(first..first + KEYS);
                    }
                }
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        for mode in ["consolidate", "vacuum", "read"] {
            let (running, acknowledged, failed, open) = (&running, &acknowledged, &failed, &open);
            scope.spawn(move || {
                let test_array = open();
                let (vfs, uri) = (&test_array.vfs, test_array.uri.as_str());
                while running.load(Ordering::SeqCst) > 0 {
                    let before = acknowledged.lock().expect("lock").clone();
                    let done = match mode {
                        "consolidate" => maintenance::consolidate(vfs, uri, &setup::config(&[])),
                        "vacuum" => maintenance::vacuum(vfs, uri, &setup::config(&[])),
                        _ => read_values(&test_array).map(|seen| {
                            let is_seen = |key: &i32| seen.binary_search(key).is_ok();
                            assert!(before.iter().all(is_seen), "{seen:?} after {before:?}");
                        }),
                    };
                    failed.fetch_add(i32::from(done.is_err()), Ordering::SeqCst);
                }
            });
        }
    });
    let mut acknowledged = acknowledged.into_inner().expect("lock");
    acknowledged.sort_unstable();
    let test_array = TestArray::new(&vfs(server, &[]), &uri);
    let seen = read_values(&test_array).expect("reads");
    assert!(proxy.injected() > 0);
    assert!(
        acknowledged
            .iter()
            .all(|key| seen.binary_search(key).is_ok())
    );
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    eprintln!(
        "{} keys are acknowledged and {} read; {} operations failed, {} faults",
        acknowledged.len(),
        seen.len(),
        failed.into_inner(),
        proxy.injected()
    );
    maintenance::consolidate(&test_array.vfs, &uri, &setup::config(&[])).expect("consolidates");
    maintenance::vacuum(&test_array.vfs, &uri, &setup::config(&[])).expect("vacuums");
    assert_eq!(read_values(&test_array).expect("reads"), seen);
}

#[test]
fn objects_below_an_array_that_are_not_its_own_cost_no_requests() {
    let context = Context::new(setup::config(&[])).expect("context");
    let requests = |others: usize| {
        let store = FaultyStore::new(StoreLimits::default());
        let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
        for other in 0..others {
            let file = format!("s3://bucket/array/notes/{other}");
            vfs.touch(&Uri::parse(&file).expect("uri"))
                .expect("touches");
        }
        let test_array = TestArray::new(&vfs, "s3://bucket/array");
        let key = dimension("key", Datatype::Int32, [0, 100_000], 1000);
        let value = attribute("value", Datatype::Int32, &[]);
        let before = store.requests();
        test_array.create(&schema(ArrayType::Sparse, [key], [value]));
        for first in [0, 10] {
            write_keys(&test_array, first..first + 10).expect("writes");
        }
        assert_eq!(read_values(&test_array).expect("reads").len(), 20);
        test_array.consolidate("fragments");
        test_array.vacuum("fragments");
        object::remove_array(&vfs, "s3://bucket/array").expect("removes");
        store.requests() - before
    };
    let (many, few) = (requests(100_000), requests(10));
    assert!(many < 2 * few, "{many} requests instead of {few}");
}

/// Returns the number in an environment variable.
fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name);
    text.map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn random_faults_lose_nothing() {
    let (faults, seed) = (
        number("TILEDB_RS_FAULTS", 60),
        number("TILEDB_RS_FAULTS_SEED", 1),
    );
    let servers = servers::all().iter().filter(|server| server.kind == "s3");
    for server in servers {
        let proxy = Proxy::start(&server.host, 8, seed, Duration::from_millis(700));
        let parameters = [
            ("vfs.s3.endpoint_override", proxy.address.as_str()),
            ("vfs.s3.request_timeout_ms", "500"),
            ("vfs.s3.connect_max_tries", "30"),
            ("vfs.s3.connect_scale_factor", "2"),
            ("vfs.s3.max_parallel_ops", "8"),
        ];
        let vfs = vfs(server, &parameters);
        let mut round = 0;
        while proxy.injected() < faults {
            let base = format!("{}/faults-{seed}-{round}", server.uri);
            work_on_array(&vfs, &format!("{base}/array"));
            work_on_files(&vfs, &format!("{base}/files"));
            round += 1;
            if round % 20 == 0 {
                eprintln!("{round} rounds, {} faults", proxy.injected());
            }
        }
        // Repeated requests may have begun more uploads than were completed.
        let bucket = Uri::parse(&server.uri).expect("uri");
        vfs.abort_uploads(&bucket).expect("aborts");
        assert!(vfs.uploads(&bucket).expect("lists").is_empty());
    }
}
