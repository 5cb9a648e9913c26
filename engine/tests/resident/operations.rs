//! The operations, each in a child process, and the peaks of their resident memory.

use tiledb_engine::internal::aggregate::AggregateOperator;
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::SchemaDraft;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};

use super::SMALL_BUDGET;
use super::setup::{self, TestArray, attribute, dimension, filters, schema, text};
use super::written_cells::{Cells, scattered};

/// The size of an array relative to the budget.
const FACTOR: u64 = 20;
const FRAGMENTS: u64 = 20;
/// Columns of the dense array.
const COLUMNS: u64 = 1024;
/// Rows of a dense tile.
const TILE_ROWS: u64 = 64;
/// A number, a text of 6 characters and its offset.
const DENSE_CELL: u64 = 8 + 6 + 8;
/// Two coordinates, and as in dense arrays.
const SPARSE_CELL: u64 = 16 + DENSE_CELL;
/// The number of cells in the buffers of a read.
const READ_CELLS: usize = 1 << 20;
/// The most submits of a read in col-major order with a budget above the small one: each submit
/// decodes all tiles.
const COLUMN_SUBMITS: usize = 8;

/// The task of a child process.
pub(crate) struct Task {
    pub(crate) budget: u64,
    pub(crate) folder: String,
}

/// Sets the subarray of a query of the dense array.
fn set_rows(query: &mut Query, first: u64, last: u64) {
    let mut subarray = Subarray::new(query.request().schema());
    for (dim, (low, high)) in [(first, last), (0, COLUMNS - 1)].into_iter().enumerate() {
        let (low, high) = (low.to_le_bytes(), high.to_le_bytes());
        subarray.add_range(dim as u32, &low, &high).expect("range");
    }
    query.set_subarray(&subarray).expect("subarray");
}

/// Returns a value of `/proc/self/status` in bytes.
fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find(|line| line.starts_with(name));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    1024 * number.expect("a number").parse::<u64>().expect("a number")
}

/// The resident memory before an operation, from which the peak is counted.
struct Baseline(u64);

impl Baseline {
    fn start() -> Self {
        // Sets the peak to the current value.
        std::fs::write("/proc/self/clear_refs", "5").expect("reset");
        Self(status("VmRSS"))
    }

    fn peak(&self) -> u64 {
        status("VmHWM").saturating_sub(self.0)
    }
}

impl Task {
    fn test_array(&self, name: &str) -> TestArray {
        let vfs = setup::vfs(&[("sm.mem.total_budget", &self.budget.to_string())]);
        TestArray::new(&vfs, &format!("{}/{name}", self.folder))
    }

    fn config(&self, more: &[(&str, &str)]) -> Config {
        let mut config = setup::config(more);
        let budget = self.budget.to_string();
        config.set("sm.mem.total_budget", &budget).expect("budget");
        config
    }

    fn dense_rows(&self) -> u64 {
        let cells = FACTOR * self.budget / DENSE_CELL / FRAGMENTS;
        (cells / COLUMNS).next_multiple_of(TILE_ROWS)
    }

    fn sparse_cells(&self) -> u64 {
        FACTOR * self.budget / SPARSE_CELL / FRAGMENTS
    }

    fn dense_schema(&self) -> SchemaDraft {
        let zstd = [FilterType::Zstd];
        let rows = dimension(
            "r",
            Datatype::Int64,
            [0i64, (self.dense_rows() * FRAGMENTS) as i64 - 1],
            TILE_ROWS as i64,
        );
        let columns = dimension(
            "c",
            Datatype::Int64,
            [0i64, COLUMNS as i64 - 1],
            COLUMNS as i64,
        );
        let attributes = [attribute("a", Datatype::Int64, &zstd), text("s", &zstd)];
        schema(ArrayType::Dense, [rows, columns], attributes)
    }

    fn sparse_schema(&self, extents: [i64; 2]) -> SchemaDraft {
        let zstd = [FilterType::Zstd];
        let domain = [0i64, 0xf_ffff];
        let mut dimensions = [("x", extents[0]), ("y", extents[1])]
            .map(|(name, extent)| dimension(name, Datatype::Int64, domain, extent));
        for dimension in &mut dimensions {
            dimension.set_filters(filters(&zstd)).expect("filters");
        }
        let attributes = [attribute("a", Datatype::Int64, &zstd), text("s", &zstd)];
        let mut schema = schema(ArrayType::Sparse, dimensions, attributes);
        schema.set_capacity(5000).expect("capacity");
        schema.set_offsets_filters(filters(&zstd));
        schema
    }

    fn write_dense(&self) -> u64 {
        let test_array = self.test_array("dense");
        test_array.create(&self.dense_schema());
        let (rows, mut peak) = (self.dense_rows(), 0);
        for fragment in 0..FRAGMENTS {
            let first = fragment * rows;
            let cells = Cells::new(first * COLUMNS..(first + rows) * COLUMNS, None);
            let before = Baseline::start();
            let mut query = test_array.query(QueryType::Write);
            set_rows(&mut query, first, first + rows - 1);
            query.write(&cells.fields()).expect("write");
            peak = peak.max(before.peak());
        }
        peak
    }

    fn write_sparse(&self) -> u64 {
        let test_array = self.test_array("sparse");
        test_array.create(&self.sparse_schema([1 << 6, 1 << 20]));
        let (number, mut peak) = (self.sparse_cells(), 0);
        for fragment in 0..FRAGMENTS {
            let first = fragment * number;
            let cells = Cells::new(first..first + number, Some(&scattered));
            let before = Baseline::start();
            let mut query = test_array.query(QueryType::Write);
            query.set_layout(Layout::Unordered).expect("layout");
            query.write(&cells.fields()).expect("write");
            query.finalize().expect("finalize");
            peak = peak.max(before.peak());
        }
        peak
    }

    /// Writes as many scattered cells in one submit as the budget allows: 12 bytes for each, the
    /// index and the offset of its text. The keys of all cells exceed the budget.
    fn write_large(&self) -> u64 {
        let test_array = self.test_array("large");
        test_array.create(&self.sparse_schema([1 << 6, 1 << 20]));
        let most = (self.budget + (12 << 20)) / 12;
        let cells = Cells::new(0..most, Some(&scattered));
        let before = Baseline::start();
        let mut query = test_array.query(QueryType::Write);
        query.set_layout(Layout::Unordered).expect("layout");
        query.write(&cells.fields()).expect("write");
        query.finalize().expect("finalize");
        let peak = before.peak();
        std::fs::remove_dir_all(format!("{}/large", self.folder)).expect("removed");
        peak
    }

    fn write_global(&self) -> u64 {
        let test_array = self.test_array("global");
        test_array.create(&self.sparse_schema([1 << 20; 2]));
        let number = FRAGMENTS * self.sparse_cells();
        let in_rows = |number: u64| [number >> 15, number & 0x7fff];
        let mut query = test_array.query(QueryType::Write);
        query.set_layout(Layout::GlobalOrder).expect("layout");
        let step = number.div_ceil(16);
        let (mut first, mut peak) = (0, 0);
        while first < number {
            let cells = Cells::new(first..(first + step).min(number), Some(&in_rows));
            let before = Baseline::start();
            query.write(&cells.fields()).expect("write");
            peak = peak.max(before.peak());
            first += step;
        }
        query.finalize().expect("finalize");
        std::fs::remove_dir_all(format!("{}/global", self.folder)).expect("removed");
        peak
    }

    /// Reads all cells of an array, or those with small numbers; with a large budget, the first
    /// columns in col-major order.
    fn read(&self, name: &str, layout: Layout, condition: bool) -> u64 {
        let names: &[&str] = if name == "dense" {
            &["a", "s"]
        } else {
            &["x", "y", "a", "s"]
        };
        let mut fixed = vec![vec![1u8; 8 * READ_CELLS]; names.len()];
        let mut texts = vec![1u8; 6 * READ_CELLS];
        let before = Baseline::start();
        let test_array = self.test_array(name);
        let mut query = test_array.query(QueryType::Read);
        query.set_layout(layout).expect("layout");
        self.restrict(&mut query, condition);
        let most = if layout == Layout::ColMajor && self.budget > SMALL_BUDGET {
            COLUMN_SUBMITS
        } else {
            usize::MAX
        };
        let mut cells = 0;
        for _ in 0..most {
            let named = names.iter().zip(&mut fixed);
            let mut buffers: Vec<_> = named
                .map(|(name, data)| FieldBuffers::fixed(name, data))
                .collect();
            if let Some(last) = buffers.last_mut() {
                last.offsets = last.data.take();
                last.data = Some(&mut texts);
            }
            let sizes = query.read(&mut buffers).expect("read");
            let number = sizes[0].data / 8;
            assert!(number > 0 || query.status() == QueryStatus::Completed);
            cells += number;
            if query.status() == QueryStatus::Completed {
                break;
            }
        }
        let peak = before.peak();
        if query.status() != QueryStatus::Completed {
            assert_eq!(layout, Layout::ColMajor);
            return peak;
        }
        let total = self.cells(name);
        let selected = total / 1000 * 500 + (total % 1000).min(500);
        let is_filtered = condition && name == "sparse";
        assert_eq!(cells, if is_filtered { selected } else { total });
        peak
    }

    fn cells(&self, name: &str) -> u64 {
        let cells = if name == "dense" {
            self.dense_rows() * COLUMNS
        } else {
            self.sparse_cells()
        };
        FRAGMENTS * cells
    }

    fn restrict(&self, query: &mut Query, condition: bool) {
        if query.request().schema().is_dense() {
            set_rows(query, 0, FRAGMENTS * self.dense_rows() - 1);
        }
        if condition {
            let value = 500u64.to_le_bytes();
            let condition = Condition::compare("a", Operator::Lt, Some(&value)).expect("condition");
            query
                .set_condition(&std::sync::Arc::new(condition))
                .expect("condition");
        }
    }

    fn aggregate(&self, name: &str, condition: bool) -> u64 {
        let before = Baseline::start();
        let test_array = self.test_array(name);
        let mut query = test_array.query(QueryType::Read);
        let layout = if name == "dense" {
            Layout::RowMajor
        } else {
            Layout::Unordered
        };
        query.set_layout(layout).expect("layout");
        self.restrict(&mut query, condition);
        let operations = [
            ("sum", AggregateOperator::Sum, "a"),
            ("max", AggregateOperator::Max, "s"),
        ];
        for (name, operator, field) in operations {
            let aggregate = query.make_aggregate(operator, field).expect("aggregate");
            query.add_aggregate(name, &aggregate).expect("aggregate");
        }
        let (mut sum, mut offset, mut max) = ([0u8; 8], [0u8; 8], [0u8; 64]);
        let mut texts = FieldBuffers::fixed("max", &mut max);
        texts.offsets = Some(&mut offset);
        let mut buffers = [FieldBuffers::fixed("sum", &mut sum), texts];
        query.read(&mut buffers).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        let peak = before.peak();
        assert_eq!(&max[..6], b"text 9");
        assert!(u64::from_le_bytes(sum) > 0);
        peak
    }

    fn consolidate(&self, name: &str, mode: &str) -> u64 {
        let before = Baseline::start();
        let test_array = self.test_array(name);
        let config = self.config(&[("sm.consolidation.mode", mode)]);
        maintenance::consolidate(&test_array.vfs, test_array.uri.as_str(), &config)
            .expect("consolidated");
        before.peak()
    }

    fn vacuum(&self, name: &str) -> u64 {
        let before = Baseline::start();
        let test_array = self.test_array(name);
        for mode in ["fragments", "commits", "fragment_meta", "array_meta"] {
            let config = self.config(&[("sm.vacuum.mode", mode)]);
            maintenance::vacuum(&test_array.vfs, test_array.uri.as_str(), &config)
                .expect("vacuumed");
        }
        before.peak()
    }

    /// Runs an operation and returns its peak.
    pub(crate) fn run(&self, operation: &str) -> u64 {
        match operation {
            "write-dense" => self.write_dense(),
            "write-sparse" => self.write_sparse(),
            "write-sparse-large" => self.write_large(),
            "write-global" => self.write_global(),
            "read-dense-row" => self.read("dense", Layout::RowMajor, false),
            "read-dense-col" => self.read("dense", Layout::ColMajor, false),
            "read-dense-global" => self.read("dense", Layout::GlobalOrder, false),
            "read-dense-condition" => self.read("dense", Layout::RowMajor, true),
            "read-sparse-unordered" => self.read("sparse", Layout::Unordered, false),
            "read-sparse-row" => self.read("sparse", Layout::RowMajor, false),
            "read-sparse-global" => self.read("sparse", Layout::GlobalOrder, false),
            "read-sparse-condition" => self.read("sparse", Layout::Unordered, true),
            "aggregate-dense" => self.aggregate("dense", true),
            "aggregate-sparse" => self.aggregate("sparse", false),
            "aggregate-sparse-condition" => self.aggregate("sparse", true),
            "consolidate-fragments-dense" => self.consolidate("dense", "fragments"),
            "consolidate-fragments-sparse" => self.consolidate("sparse", "fragments"),
            "vacuum-dense" => self.vacuum("dense"),
            "vacuum-sparse" => self.vacuum("sparse"),
            other => {
                let mode = other.trim_start_matches("consolidate-");
                self.consolidate("sparse", mode)
            }
        }
    }
}
