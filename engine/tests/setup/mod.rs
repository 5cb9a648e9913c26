//! Helpers of the tests: storage, conversion of numbers, schemas, arrays.
#![allow(dead_code, reason = "each test takes what it needs")]

pub(crate) mod column;
pub(crate) mod needed_sizes;

use std::sync::Arc;
use std::time::Duration;

use tiledb_engine::internal::array::{self, Array};
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::filter::{Filter, FilterList, FilterType};
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use tiledb_engine::internal::types::{ArrayType, Datatype, QueryType, VAR_NUM, Value};
use tiledb_engine::internal::vfs::{Uri, Vfs};

/// The operators that compare with a single value.
pub(crate) const COMPARISONS: [Operator; 6] = [
    Operator::Lt,
    Operator::Le,
    Operator::Gt,
    Operator::Ge,
    Operator::Eq,
    Operator::Ne,
];

/// Returns a configuration with these parameters.
pub(crate) fn config(parameters: &[(&str, &str)]) -> Config {
    let mut config = Config::new();
    for (name, value) in parameters {
        config.set(name, value).expect("parameter");
    }
    config
}

/// Returns a file system with its own files in memory.
pub(crate) fn vfs(parameters: &[(&str, &str)]) -> Arc<Vfs> {
    let context = Context::new(config(parameters)).expect("context");
    Vfs::new(&context).expect("vfs")
}

/// Returns the bytes of consecutive numbers.
pub(crate) fn bytes<T: Value>(numbers: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in numbers {
        let end = bytes.len();
        bytes.resize(end + T::SIZE, 0);
        number.write(&mut bytes[end..]);
    }
    bytes
}

/// Returns the numbers in a byte array.
pub(crate) fn numbers<T: Value>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::SIZE).map(T::read).collect()
}

/// Returns a dimension of numbers with its domain and tile extent.
pub(crate) fn dimension<T: Value>(
    name: &str,
    datatype: Datatype,
    ends: [T; 2],
    extent: T,
) -> Dimension {
    let (ends, extent) = (bytes(ends), bytes([extent]));
    Dimension::new(name, datatype, Some(&ends), Some(&extent)).expect("dimension")
}

/// Returns a dimension of strings.
pub(crate) fn texts(name: &str) -> Dimension {
    Dimension::new(name, Datatype::StringAscii, None, None).expect("dimension")
}

/// Returns a filter list.
pub(crate) fn filters(kinds: &[FilterType]) -> Arc<FilterList> {
    let mut list = FilterList::default();
    list.filters
        .extend(kinds.iter().filter_map(|kind| Filter::new(*kind)));
    Arc::new(list)
}

/// Returns an attribute with filters.
pub(crate) fn attribute(name: &str, datatype: Datatype, kinds: &[FilterType]) -> Attribute {
    let mut attribute = Attribute::new(name, datatype);
    attribute.set_filters(filters(kinds)).expect("filters");
    attribute
}

/// Returns an attribute of variable-length strings with filters.
pub(crate) fn text(name: &str, kinds: &[FilterType]) -> Attribute {
    let mut attribute = attribute(name, Datatype::StringAscii, kinds);
    attribute.set_cell_val_num(VAR_NUM).expect("variable");
    attribute
}

/// Returns a schema with these dimensions and attributes.
pub(crate) fn schema(
    kind: ArrayType,
    dimensions: impl IntoIterator<Item = Dimension>,
    attributes: impl IntoIterator<Item = Attribute>,
) -> SchemaDraft {
    let dimensions = dimensions.into_iter().map(shared).collect();
    let mut draft = SchemaDraft::new(kind, None);
    draft
        .set_domain(&shared(DomainDraft { dimensions }))
        .expect("domain");
    attributes
        .into_iter()
        .for_each(|attribute| add(&mut draft, attribute));
    draft
}

/// Adds an attribute to a schema.
pub(crate) fn add(schema: &mut SchemaDraft, attribute: Attribute) {
    schema.add_attribute(&shared(attribute)).expect("attribute");
}

/// The URI of an array in a storage, and operations on the array.
#[derive(Clone, Debug)]
pub(crate) struct TestArray {
    pub(crate) vfs: Arc<Vfs>,
    pub(crate) uri: Uri,
}

impl TestArray {
    pub(crate) fn new(vfs: &Arc<Vfs>, uri: &str) -> Self {
        Self {
            vfs: vfs.clone(),
            uri: Uri::parse(uri).expect("uri"),
        }
    }

    /// Returns an array URI in a new storage in memory.
    pub(crate) fn in_memory() -> Self {
        Self::new(&vfs(&[]), "mem://array")
    }

    /// Creates the array.
    pub(crate) fn create(&self, schema: &SchemaDraft) {
        let schema = schema.finish().expect("schema");
        array::create(&self.vfs, &self.uri, &schema, None).expect("create");
    }

    /// Opens the array.
    pub(crate) fn open(&self, query_type: QueryType) -> Arc<Array> {
        self.open_within(query_type, 0, u64::MAX)
    }

    /// Opens the array for a range of timestamps. `u64::MAX` means the current time.
    pub(crate) fn open_within(&self, query_type: QueryType, from: u64, to: u64) -> Arc<Array> {
        let array = Array::new(&self.vfs, self.uri.as_str()).expect("array");
        array.set_open_timestamp_start(from);
        array.set_open_timestamp_end(to);
        array.open(query_type).expect("open");
        Arc::new(array)
    }

    /// Creates a query of the array at the current time.
    pub(crate) fn query(&self, query_type: QueryType) -> Query {
        Query::new(&self.open(query_type), query_type).expect("query")
    }

    /// Deletes the cells that satisfy a condition.
    pub(crate) fn delete(&self, condition: Condition) {
        let mut query = self.query(QueryType::Delete);
        let condition = Arc::new(condition);
        query.set_condition(&condition).expect("condition");
        query.delete().expect("delete");
    }

    /// Consolidates in a mode.
    pub(crate) fn consolidate(&self, mode: &str) {
        let config = config(&[("sm.consolidation.mode", mode)]);
        maintenance::consolidate(&self.vfs, self.uri.as_str(), &config).expect("consolidated");
    }

    /// Vacuums in a mode.
    pub(crate) fn vacuum(&self, mode: &str) {
        let config = config(&[("sm.vacuum.mode", mode)]);
        maintenance::vacuum(&self.vfs, self.uri.as_str(), &config).expect("vacuumed");
    }
}

/// Waits until the clock shows another millisecond, so that the next change has a timestamp of its
/// own.
pub(crate) fn next_millisecond() {
    std::thread::sleep(Duration::from_millis(2));
}
