//! Reads by the Rust API, against reads into buffers that exist already, as programs in C have
//! them.

use std::sync::Arc;

use divan::{Bencher, black_box};
use tiledb_engine::internal::array::Array as EngineArray;
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::context::Context as EngineContext;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{Layout, QueryType};
use tiledb_engine::internal::vfs::Vfs;
use tiledb_engine::{Array, ArrayType, Config, Context, Datatype, Schema};

/// The rows and columns of the array, and the attributes with their sizes.
const ROWS: i64 = 4096;
const COLUMNS: i64 = 2048;
const FIELDS: [(&str, Datatype, usize); 4] = [
    ("a", Datatype::Int64, 8),
    ("b", Datatype::Float64, 8),
    ("c", Datatype::Int32, 4),
    ("d", Datatype::Float32, 4),
];
/// The rows and columns of the box that starts at `BOX_START`.
const BOX: usize = 32;
const BOX_START: i64 = 1000;

/// An array of 8 M rows of four columns, in files.
struct Measured {
    array: Array,
    engine: Arc<EngineArray>,
    _folder: tempfile::TempDir,
}

fn measured() -> Measured {
    let folder = tempfile::tempdir().expect("folder");
    let uri = folder.path().join("array");
    let uri = uri.to_str().expect("a path");
    let mut config = Config::new();
    config
        .set("sm.compute_concurrency_level", "1")
        .expect("set");
    config.set("sm.io_concurrency_level", "1").expect("set");
    let context = Context::with_config(config.clone()).expect("context");
    let mut schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int64, 0..=ROWS - 1, 256)
        .dimension("column", Datatype::Int64, 0..=COLUMNS - 1, 256);
    for (name, datatype, _) in FIELDS {
        schema = schema.attribute(name, datatype);
    }
    Array::create(&context, uri, &schema.build().expect("schema")).expect("create");
    let array = Array::open(&context, uri).expect("open");
    let cells = 0..ROWS * COLUMNS;
    array
        .write()
        .column("a", cells.clone())
        .column("b", cells.clone().map(|cell| cell as f64))
        .column("c", cells.clone().map(|cell| cell as i32))
        .column("d", cells.map(|cell| cell as f32))
        .submit()
        .expect("write");
    let vfs = Vfs::new(&EngineContext::new(config).expect("context")).expect("vfs");
    let engine = EngineArray::new(&vfs, uri).expect("array");
    engine.open(QueryType::Read).expect("open");
    Measured {
        array: Array::open(&context, uri).expect("open"),
        engine: Arc::new(engine),
        _folder: folder,
    }
}

impl Measured {
    /// Reads fields of a box into buffers.
    fn read(&self, names: &[&str], ranges: [[i64; 2]; 2], buffers: &mut [Vec<u8>]) {
        let mut query = Query::new(&self.engine, QueryType::Read).expect("query");
        query.set_layout(Layout::RowMajor).expect("layout");
        let mut subarray = Subarray::new(query.request().schema());
        for (dimension, [low, high]) in (0..).zip(ranges) {
            let (low, high) = (low.to_le_bytes(), high.to_le_bytes());
            subarray.add_range(dimension, &low, &high).expect("range");
        }
        query.set_subarray(&subarray).expect("subarray");
        let fields = names.iter().zip(buffers);
        let mut fields: Vec<_> = fields
            .map(|(name, buffer)| FieldBuffers::fixed(name, buffer))
            .collect();
        query.read(&mut fields).expect("read");
    }
}

/// Reads all rows of all columns into buffers that are used again.
#[divan::bench]
fn all_rows_into_buffers(bencher: Bencher<'_, '_>) {
    let measured = measured();
    let cells = (ROWS * COLUMNS) as usize;
    let mut buffers: Vec<Vec<u8>> = FIELDS
        .iter()
        .map(|field| vec![0; cells * field.2])
        .collect();
    let names = FIELDS.map(|field| field.0);
    // The first read makes the system provide the memory of the buffers.
    measured.read(&names, [[0, ROWS - 1], [0, COLUMNS - 1]], &mut buffers);
    bencher.bench_local(|| {
        measured.read(&names, [[0, ROWS - 1], [0, COLUMNS - 1]], &mut buffers);
        black_box(&buffers);
    });
}

/// Reads all rows of all columns as record batches of 16 MiB.
#[cfg(feature = "arrow")]
#[divan::bench]
fn all_rows_as_record_batches(bencher: Bencher<'_, '_>) {
    let measured = measured();
    let query = measured.array.query();
    bencher.bench_local(|| {
        let mut rows = 0;
        for batch in query.record_batches().expect("batches") {
            rows += black_box(batch.expect("batch")).num_rows();
        }
        assert_eq!(rows as i64, ROWS * COLUMNS);
    });
}

/// Reads a box of 32 x 32 cells into a buffer that is used again.
#[divan::bench]
fn box_into_buffer(bencher: Bencher<'_, '_>) {
    let measured = measured();
    let mut buffers = [vec![0; BOX * BOX * 8]];
    let range = [BOX_START, BOX_START + BOX as i64 - 1];
    bencher.bench_local(|| {
        measured.read(&["a"], [range, range], &mut buffers);
        black_box(&buffers);
    });
}

/// Reads a box of 32 x 32 cells into a slice.
#[divan::bench]
fn box_into_slice(bencher: Bencher<'_, '_>) {
    let measured = measured();
    let mut cells = vec![0_i64; BOX * BOX];
    let last = BOX_START + BOX as i64 - 1;
    bencher.bench_local(|| {
        let query = measured.array.query();
        let query = query
            .range("row", BOX_START..=last)
            .range("column", BOX_START..=last);
        query.read_into("a", &mut cells).expect("read");
        black_box(&cells);
    });
}
