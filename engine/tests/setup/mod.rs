//! What tests of arrays begin with: a storage, numbers as bytes, a schema, an array that is open.
#![allow(dead_code, reason = "each test takes what it needs")]

pub(crate) mod column;

use std::sync::Arc;
use std::time::Duration;

use tiledb_engine::array::{self, Array};
use tiledb_engine::condition::{Condition, Operator};
use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::filter::{Filter, FilterList, FilterType};
use tiledb_engine::maintenance;
use tiledb_engine::query::Query;
use tiledb_engine::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use tiledb_engine::types::{ArrayType, Datatype, QueryType, VAR_NUM, Value};
use tiledb_engine::vfs::{Uri, Vfs};

/// The operators that compare with one value.
pub(crate) const COMPARISONS: [Operator; 6] = [
    Operator::Lt,
    Operator::Le,
    Operator::Gt,
    Operator::Ge,
    Operator::Eq,
    Operator::Ne,
];

/// A configuration with these parameters.
pub(crate) fn config(parameters: &[(&str, &str)]) -> Config {
    let mut config = Config::new();
    for (name, value) in parameters {
        config.set(name, value).expect("parameter");
    }
    config
}

/// A storage, with files in memory of its own.
pub(crate) fn vfs(parameters: &[(&str, &str)]) -> Arc<Vfs> {
    let context = Context::new(config(parameters)).expect("context");
    Vfs::new(&context).expect("vfs")
}

/// Numbers side by side.
pub(crate) fn bytes<T: Value>(numbers: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in numbers {
        let end = bytes.len();
        bytes.resize(end + T::SIZE, 0);
        number.write(&mut bytes[end..]);
    }
    bytes
}

/// The numbers that lie side by side.
pub(crate) fn numbers<T: Value>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::SIZE).map(T::read).collect()
}

/// A dimension of numbers, with its ends and the extent of tiles.
pub(crate) fn dimension<T: Value>(
    name: &str,
    datatype: Datatype,
    ends: [T; 2],
    extent: T,
) -> Dimension {
    let (ends, extent) = (bytes(ends), bytes([extent]));
    Dimension::new(name, datatype, Some(&ends), Some(&extent)).expect("dimension")
}

/// A dimension of texts.
pub(crate) fn texts(name: &str) -> Dimension {
    Dimension::new(name, Datatype::StringAscii, None, None).expect("dimension")
}

/// Filters in their order.
pub(crate) fn filters(kinds: &[FilterType]) -> Arc<FilterList> {
    let mut list = FilterList::default();
    list.filters
        .extend(kinds.iter().filter_map(|kind| Filter::new(*kind)));
    Arc::new(list)
}

/// An attribute with filters.
pub(crate) fn attribute(name: &str, datatype: Datatype, kinds: &[FilterType]) -> Attribute {
    let mut attribute = Attribute::new(name, datatype);
    attribute.set_filters(filters(kinds)).expect("filters");
    attribute
}

/// An attribute of texts of any length, with filters.
pub(crate) fn text(name: &str, kinds: &[FilterType]) -> Attribute {
    let mut attribute = attribute(name, Datatype::StringAscii, kinds);
    attribute.set_cell_val_num(VAR_NUM).expect("variable");
    attribute
}

/// A schema of these dimensions and attributes.
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

/// A place in a storage, and what is done to the array there.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) vfs: Arc<Vfs>,
    pub(crate) uri: Uri,
}

impl Place {
    pub(crate) fn new(vfs: &Arc<Vfs>, uri: &str) -> Self {
        Self {
            vfs: vfs.clone(),
            uri: Uri::parse(uri).expect("uri"),
        }
    }

    /// A place in memory that nothing else knows.
    pub(crate) fn in_memory() -> Self {
        Self::new(&vfs(&[]), "mem://array")
    }

    /// An array here, with the schema.
    pub(crate) fn create(&self, schema: &SchemaDraft) {
        let schema = schema.finish().expect("schema");
        array::create(&self.vfs, &self.uri, &schema, None).expect("create");
    }

    /// The array, opened.
    pub(crate) fn open(&self, query_type: QueryType) -> Arc<Array> {
        self.open_within(query_type, 0, u64::MAX)
    }

    /// The array, opened with a span of time; up to now where that ends at the greatest number.
    pub(crate) fn open_within(&self, query_type: QueryType, from: u64, to: u64) -> Arc<Array> {
        let array = Array::new(&self.vfs, self.uri.as_str()).expect("array");
        array.set_open_timestamp_start(from);
        array.set_open_timestamp_end(to);
        array.open(query_type).expect("open");
        Arc::new(array)
    }

    /// A query of the array as it is now.
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

    /// Merges in a mode.
    pub(crate) fn consolidate(&self, mode: &str) {
        let config = config(&[("sm.consolidation.mode", mode)]);
        maintenance::consolidate(&self.vfs, self.uri.as_str(), &config).expect("consolidated");
    }

    /// Removes in a mode what was merged.
    pub(crate) fn vacuum(&self, mode: &str) {
        let config = config(&[("sm.vacuum.mode", mode)]);
        maintenance::vacuum(&self.vfs, self.uri.as_str(), &config).expect("vacuumed");
    }
}

/// Waits until the clock shows another millisecond, so that what comes next has one of its own.
pub(crate) fn next_millisecond() {
    std::thread::sleep(Duration::from_millis(2));
}
