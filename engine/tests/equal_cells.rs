//! Cells that share coordinates, all kept: their order does not depend on how many the buffers hold.

use std::sync::Arc;

use tiledb_engine::array::{self, Array};
use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::query::Query;
use tiledb_engine::query::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};
use tiledb_engine::vfs::{Uri, Vfs};

fn bytes(values: impl IntoIterator<Item = i32>) -> Vec<u8> {
    values.into_iter().flat_map(i32::to_le_bytes).collect()
}

fn open(vfs: &Arc<Vfs>, uri: &Uri, query_type: QueryType) -> Arc<Array> {
    let array = Array::new(vfs, uri.as_str()).expect("array");
    array.open(query_type).expect("open");
    Arc::new(array)
}

/// Writes so many cells at one place, with values from `first` on.
fn write(vfs: &Arc<Vfs>, uri: &Uri, cells: usize, first: i32) {
    let array = open(vfs, uri, QueryType::Write);
    let mut query = Query::new(&array, QueryType::Write).expect("query");
    let (places, values) = (bytes(vec![5; cells]), bytes(first..first + cells as i32));
    let field = |name, data| FieldCells {
        name,
        data: Some(data),
        offsets: None,
        validity: None,
    };
    let fields = [field("d", &places[..]), field("a", &values[..])];
    query.write(&fields).expect("write");
}

/// The values in the order of a layout, `room` at a time.
fn read(vfs: &Arc<Vfs>, uri: &Uri, layout: Layout, room: usize) -> Vec<i32> {
    let array = open(vfs, uri, QueryType::Read);
    let mut query = Query::new(&array, QueryType::Read).expect("query");
    query.set_layout(layout).expect("layout");
    let mut found = Vec::new();
    while query.status() != QueryStatus::Completed {
        let mut data = vec![0; 4 * room];
        let fields = &mut [FieldBuffers {
            name: "a",
            data: Some(&mut data),
            offsets: None,
            validity: None,
        }];
        let sizes = query.read(fields).expect("read");
        let cells = data[..sizes[0].data as usize].as_chunks().0.iter();
        found.extend(cells.map(|cell| i32::from_le_bytes(*cell)));
    }
    found
}

#[test]
fn equal_cells_come_in_one_order_whatever_the_buffers() {
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::new(&context).expect("vfs");
    let uri = Uri::parse("mem://equal-cells").expect("uri");
    let (ends, extent) = (bytes([0, 9]), bytes([10]));
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&extent));
    let domain = DomainDraft {
        dimensions: vec![shared(dimension.expect("dimension"))],
    };
    let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
    draft.set_domain(&shared(domain)).expect("domain");
    draft.set_capacity(2).expect("capacity");
    draft.set_allows_dups(true).expect("duplicates");
    let attribute = shared(Attribute::new("a", Datatype::Int32));
    draft.add_attribute(&attribute).expect("attribute");
    array::create(&vfs, &uri, &draft.finish().expect("schema"), None).expect("create");
    write(&vfs, &uri, 9, 0);
    write(&vfs, &uri, 3, 100);
    // The newest fragment first, each as it was written.
    let expected: Vec<i32> = (100..103).chain(0..9).collect();
    for room in 1..14 {
        let found = read(&vfs, &uri, Layout::GlobalOrder, room);
        assert_eq!(found, expected, "{room} at a time");
    }
    let whole = read(&vfs, &uri, Layout::RowMajor, 20);
    for room in 1..14 {
        assert_eq!(read(&vfs, &uri, Layout::RowMajor, room), whole);
    }
}
