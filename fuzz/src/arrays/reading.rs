//! Reads everything of an array that may be damaged. Errors are expected, panics are not.

use std::sync::Arc;

use tiledb_engine::Result;
use tiledb_engine::internal::aggregate::AggregateOperator;
use tiledb_engine::internal::array::{Array, WithMetadata};
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::inspect::FragmentInfo;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::ArraySchema;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{Layout, QueryStatus, QueryType};

use super::setup::TestArray;
use super::setup::column::{Column, fields, read};

/// The capacity of each buffer in cells and, for variable-length cells, in bytes. A read needs
/// several submits.
const CELLS: usize = 7;
const BYTES: usize = 64;
/// The maximum number of submits of a query: damaged files may state any number of cells.
const MAX_SUBMITS: usize = 12;
const LAYOUTS: [Layout; 4] = [
    Layout::RowMajor,
    Layout::ColMajor,
    Layout::GlobalOrder,
    Layout::Unordered,
];

/// Reads schemas, metadata, fragment information and cells. If `maintained`, consolidates and
/// vacuums afterwards.
pub(super) fn read_everything(test_array: &TestArray, maintained: bool) {
    let _ = inspect(test_array);
    let Ok(array) = open(test_array) else {
        return;
    };
    let _ = read_metadata(&array);
    for layout in LAYOUTS {
        let _ = read_cells(&array, layout, Part::Everything);
    }
    let _ = read_cells(&array, Layout::RowMajor, Part::Half);
    let _ = read_cells(&array, Layout::Unordered, Part::Condition);
    let _ = aggregate(&array);
    // The cells of a dense array are as many as its domain, which may be damaged.
    let sparse = array.schema().is_ok_and(|schema| !schema.is_dense());
    let _ = array.close();
    if maintained && sparse {
        maintain(test_array);
    }
}

fn inspect(test_array: &TestArray) -> Result<()> {
    let info = FragmentInfo::new(&test_array.vfs, test_array.uri.as_str())?;
    info.load()?;
    for fragment in 0..info.fragment_num()? {
        let _ = info.mbr_num(fragment)?;
        let _ = info.fragment(fragment, FragmentInfo::URI)?.stored_size()?;
    }
    info.dump().map(drop)
}

fn open(test_array: &TestArray) -> Result<Arc<Array>> {
    let array = Array::new(&test_array.vfs, test_array.uri.as_str())?;
    array.open(QueryType::Read)?;
    Ok(Arc::new(array))
}

fn read_metadata(array: &Array) -> Result<()> {
    let _ = array.load_enumerations_of_all_schemas();
    for index in 0..array.metadata_num()? {
        array.metadata_at(index, |item| item.num)?;
    }
    array.non_empty_domain().map(drop)
}

/// The cells that a read selects.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Everything,
    /// The first half of the non-empty domain of the first dimension, as bytes.
    Half,
    Condition,
}

fn read_cells(array: &Arc<Array>, layout: Layout, part: Part) -> Result<()> {
    let mut query = Query::new(array, QueryType::Read)?;
    query.set_layout(layout)?;
    restrict(array, &mut query, part)?;
    let schema = query.request().schema().clone();
    // A damaged schema may state cells that are larger than these buffers.
    let fields =
        fields(&schema).filter(|cell_type| cell_type.size.is_none_or(|size| size <= BYTES));
    let columns = fields.map(|cell_type| Column::with_capacity(cell_type, CELLS, BYTES));
    let mut columns: Vec<_> = columns.collect();
    for _ in 0..MAX_SUBMITS {
        let filled = read(&mut query, &mut columns)?;
        let is_empty = filled.iter().all(Vec::is_empty);
        if query.status() != QueryStatus::Incomplete || is_empty {
            break;
        }
    }
    Ok(())
}

fn restrict(array: &Arc<Array>, query: &mut Query, part: Part) -> Result<()> {
    let schema = query.request().schema().clone();
    let mut subarray = Subarray::new(&schema);
    if (schema.is_dense() || part == Part::Half)
        && let Some(domain) = array.non_empty_domain()?
    {
        for (dim, range) in domain.iter().enumerate() {
            let end = if part == Part::Half && dim == 0 {
                range.start()
            } else {
                range.end()
            };
            if schema.domain.dimensions[dim].is_var() {
                subarray.add_range_var(dim as u32, range.start(), end)?;
            } else {
                subarray.add_range(dim as u32, range.start(), end)?;
            }
        }
        query.set_subarray(&subarray)?;
    }
    if part == Part::Condition
        && let Some(condition) = condition(&schema)?
    {
        query.set_condition(&Arc::new(condition))?;
    }
    Ok(())
}

/// Returns a condition on the first attribute.
fn condition(schema: &ArraySchema) -> Result<Option<Condition>> {
    let Some(attribute) = schema.attributes.first() else {
        return Ok(None);
    };
    let value = vec![1; attribute.datatype.size()];
    let operator = Operator::Ge;
    Condition::compare(&attribute.name, operator, Some(&value)).map(Some)
}

fn aggregate(array: &Arc<Array>) -> Result<()> {
    let mut query = Query::new(array, QueryType::Read)?;
    let layout = if query.request().schema().is_dense() {
        Layout::RowMajor
    } else {
        Layout::Unordered
    };
    query.set_layout(layout)?;
    restrict(array, &mut query, Part::Everything)?;
    let Some(attribute) = query.request().schema().attributes.first().cloned() else {
        return Ok(());
    };
    let sum = query.make_aggregate(AggregateOperator::Sum, &attribute.name)?;
    query.add_aggregate("sum", &sum)?;
    let (mut to, mut validity) = ([0; 8], [0]);
    let mut buffers = FieldBuffers::fixed("sum", &mut to);
    buffers.validity = attribute.nullable.then_some(&mut validity[..]);
    query.read(&mut [buffers]).map(drop)
}

fn maintain(test_array: &TestArray) {
    use super::setup::config;
    use tiledb_engine::internal::maintenance::{consolidate, vacuum};

    let uri = test_array.uri.as_str();
    for mode in ["fragments", "fragment_meta", "commits", "array_meta"] {
        let merged = config(&[("sm.consolidation.mode", mode)]);
        let _ = consolidate(&test_array.vfs, uri, &merged);
        let _ = vacuum(&test_array.vfs, uri, &config(&[("sm.vacuum.mode", mode)]));
    }
    if let Ok(array) = open(test_array) {
        let _ = read_cells(&array, Layout::GlobalOrder, Part::Everything);
    }
}
