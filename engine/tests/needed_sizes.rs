//! The sizes of buffers that a read needs, for fields and reads that the random models lack:
//! conditions, aggregates, dimension labels, repeated ranges, and other formats of offsets.

mod setup;

use std::sync::Arc;

use setup::column::{CellType, Column, read, write};
use setup::needed_sizes::check;
use setup::{TestArray, attribute, dimension, text};
use tiledb_engine::internal::aggregate::AggregateOperator;
use tiledb_engine::internal::buffers::{FieldBuffers, FieldSizes};
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{
    ArrayType, DataOrder, Datatype, Layout, QueryStatus, QueryType,
};

const CELLS: i32 = 100;
const PER_TILE: i32 = 10;

/// Returns texts of 0 to 6 bytes.
fn texts() -> impl Iterator<Item = Vec<u8>> {
    (0..CELLS).map(|cell| vec![b'a' + (cell % 26) as u8; (cell % 7) as usize])
}

/// Creates an array with the dimension "d" from 0, the number "a", which ascends, and the nullable
/// text "t".
fn array(kind: ArrayType) -> TestArray {
    let test_array = TestArray::in_memory();
    let line = dimension("d", Datatype::Int32, [0, CELLS - 1], PER_TILE);
    let mut optional = text("t", &[]);
    optional.set_nullable(true).expect("nullable");
    let number = attribute("a", Datatype::Int32, &[]);
    let mut schema = setup::schema(kind, [line], [number, optional]);
    schema.set_capacity(PER_TILE as u64).expect("capacity");
    test_array.create(&schema);
    let mut query = test_array.query(QueryType::Write);
    let cells = texts().enumerate();
    let cells = cells.map(|(cell, text)| (text, u8::from(cell % 3 > 0)));
    let mut columns = vec![
        Column::numbers("a", 0..CELLS),
        Column::of(CellType::var("t").nullable(), cells),
    ];
    if kind == ArrayType::Sparse {
        columns.push(Column::numbers("d", 0..CELLS));
    } else {
        query
            .set_subarray(&ranges(&query, &[(0, CELLS - 1)]))
            .expect("all");
    }
    write(&mut query, &columns).expect("write");
    test_array
}

fn ranges(query: &Query, ranges: &[(i32, i32)]) -> Subarray {
    let mut subarray = Subarray::new(query.request().schema());
    for (low, high) in ranges {
        let added = subarray.add_range(0, &low.to_le_bytes(), &high.to_le_bytes());
        added.expect("a range");
    }
    subarray
}

fn fields() -> [CellType; 3] {
    [
        CellType::fixed("d", 4),
        CellType::fixed("a", 4),
        CellType::var("t").nullable(),
    ]
}

/// Returns a read of ranges with a condition on the number.
fn query(
    test_array: &TestArray,
    layout: Layout,
    selected: &[(i32, i32)],
    condition: Option<(Operator, i32)>,
) -> Query {
    let mut query = test_array.query(QueryType::Read);
    query.set_layout(layout).expect("layout");
    query
        .set_subarray(&ranges(&query, selected))
        .expect("subarray");
    if let Some((operator, value)) = condition {
        let condition = Condition::compare("a", operator, Some(&value.to_le_bytes()));
        let condition = Arc::new(condition.expect("condition"));
        query.set_condition(&condition).expect("condition");
    }
    query
}

const KINDS: [ArrayType; 2] = [ArrayType::Dense, ArrayType::Sparse];
const ALL: [(i32, i32); 1] = [(0, CELLS - 1)];

#[test]
fn sizes_of_complete_tiles_are_exact() {
    for kind in KINDS {
        let test_array = array(kind);
        let is_exact = |ranges: &[(i32, i32)]| {
            check(
                &|| query(&test_array, Layout::RowMajor, ranges, None),
                &fields(),
            )
        };
        assert!(is_exact(&ALL), "{kind:?}");
        assert!(is_exact(&[(20, 39), (60, 69)]), "{kind:?}");
    }
}

#[test]
fn sizes_of_parts_of_sparse_tiles_are_bounds() {
    let test_array = array(ArrayType::Sparse);
    for ranges in [&[(3, 3)][..], &[(5, 17)], &[(5, 7), (50, 90)]] {
        let create = || query(&test_array, Layout::RowMajor, ranges, None);
        assert!(!check(&create, &fields()), "{ranges:?}");
        // Coordinates are unique, so there are at most as many cells as coordinates.
        let coordinates: i32 = ranges.iter().map(|(low, high)| high - low + 1).sum();
        let needed = create().needed_sizes(&["a"], u64::MAX).expect("sizes");
        assert_eq!(needed[0].cells, coordinates as u64, "{ranges:?}");
    }
}

#[test]
fn cells_of_overlapping_ranges_are_counted_for_each_range() {
    for kind in KINDS {
        let test_array = array(kind);
        for ranges in [&[(0, 49), (20, 99)][..], &[(5, 5), (5, 5), (5, 6)]] {
            for layout in [Layout::RowMajor, Layout::ColMajor] {
                check(&|| query(&test_array, layout, ranges, None), &fields());
            }
        }
    }
}

#[test]
fn conditions_make_sizes_bounds_unless_statistics_decide() {
    let test_array = array(ArrayType::Sparse);
    let with =
        |condition| move |array: &TestArray| query(array, Layout::Unordered, &ALL, condition);
    let partial = with(Some((Operator::Lt, 25)));
    assert!(!check(&|| partial(&test_array), &fields()));
    let needed = partial(&test_array).needed_sizes(&["a"], u64::MAX);
    // Seven of ten tiles are excluded by their minimum.
    assert_eq!(needed.expect("sizes")[0].cells, 30);
    let decided = with(Some((Operator::Lt, 30)));
    assert!(check(&|| decided(&test_array), &fields()));
    let none = with(Some((Operator::Lt, 0)));
    assert!(check(&|| none(&test_array), &fields()));
    let dense = array(ArrayType::Dense);
    for limit in [0, 25, 30, 1000] {
        let create = || {
            let condition = Some((Operator::Lt, limit));
            query(&dense, Layout::RowMajor, &[(3, 81)], condition)
        };
        check(&create, &fields());
        let needed = create().needed_sizes(&["a", "t"], u64::MAX);
        let needed = needed.expect("sizes");
        assert!(needed[0].is_exact && !needed[1].is_exact);
    }
}

#[test]
fn offsets_have_the_configured_format() {
    for kind in KINDS {
        let test_array = array(kind);
        let mut query = query(&test_array, Layout::RowMajor, &ALL, None);
        let config = setup::config(&[
            ("sm.var_offsets.bitsize", "32"),
            ("sm.var_offsets.extra_element", "true"),
        ]);
        query.set_config(&config).expect("config");
        let needed = query.needed_sizes(&["t"], u64::MAX).expect("sizes")[0];
        let bytes: usize = texts().map(|text| text.len()).sum();
        let expected = FieldSizes {
            data: bytes as u64,
            offsets: 4 * (CELLS as u64 + 1),
            validity: CELLS as u64,
        };
        assert_eq!((needed.sizes, needed.is_exact), (expected, true));
        let sizes = &needed.sizes;
        let (mut data, mut offsets) = (vec![0; bytes], vec![0; sizes.offsets as usize]);
        let mut validity = vec![0; sizes.validity as usize];
        let mut buffers = [FieldBuffers {
            name: "t",
            data: Some(&mut data),
            offsets: Some(&mut offsets),
            validity: Some(&mut validity),
        }];
        assert_eq!(query.read(&mut buffers).expect("read"), [expected]);
        assert_eq!(query.status(), QueryStatus::Completed);
    }
}

#[test]
fn results_of_aggregates_are_one_cell() {
    for kind in KINDS {
        let test_array = array(kind);
        let mut query = query(&test_array, Layout::RowMajor, &ALL, None);
        for (name, operator, field) in [
            ("sum", AggregateOperator::Sum, "a"),
            ("least", AggregateOperator::Min, "a"),
            ("longest", AggregateOperator::Max, "t"),
            ("nulls", AggregateOperator::NullCount, "t"),
        ] {
            let aggregate = query.make_aggregate(operator, field).expect("aggregate");
            query.add_aggregate(name, &aggregate).expect("added");
        }
        let fields = [
            CellType::fixed("sum", 8),
            CellType::fixed("least", 4),
            CellType::var("longest").nullable(),
            CellType::fixed("nulls", 8),
        ];
        let names = fields.each_ref().map(|field| &field.name[..]);
        let needed = query.needed_sizes(&names, u64::MAX).expect("sizes");
        assert_eq!(needed[0].sizes.data, 8);
        assert_eq!(needed[1].sizes.data, 4);
        assert_eq!((needed[2].sizes.offsets, needed[2].sizes.validity), (8, 1));
        assert!(needed[1].is_exact && !needed[2].is_exact);
        let columns = fields.iter().zip(&needed);
        let columns = columns
            .map(|(field, needed_size)| Column::with_sizes(field.clone(), &needed_size.sizes));
        let mut columns: Vec<Column> = columns.collect();
        let found = read(&mut query, &mut columns).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        assert_eq!(found[2][0].0, b"zzzz", "the greatest text");
        let after = query.needed_sizes(&names, 1).expect("sizes");
        assert!(
            after
                .iter()
                .all(|needed_size| needed_size.sizes == FieldSizes::default())
        );
    }
}

#[test]
fn labels_need_buffers_for_the_selected_indexes() {
    let test_array = TestArray::in_memory();
    let index = dimension("d", Datatype::Int64, [0i64, 7], 2);
    let number = attribute("a", Datatype::Int64, &[]);
    let mut schema = setup::schema(ArrayType::Dense, [index], [number]);
    let added = schema.add_label(0, "l", DataOrder::Increasing, Datatype::Float64);
    added.expect("a label");
    test_array.create(&schema);
    let mut query = test_array.query(QueryType::Write);
    let mut all = Subarray::new(query.request().schema());
    all.set_all(&setup::bytes([0i64, 7])).expect("all");
    query.set_subarray(&all).expect("subarray");
    let columns = [
        Column::numbers("a", 0..8i64),
        Column::numbers("l", (0..8).map(f64::from)),
    ];
    write(&mut query, &columns).expect("write");
    let array = test_array.open(QueryType::Read);
    let create = || {
        let mut query = Query::new(&array, QueryType::Read).expect("query");
        let mut range = Subarray::new(query.request().schema());
        let (low, high) = (2f64.to_le_bytes(), 6f64.to_le_bytes());
        range.add_label_range("l", &low, &high).expect("a range");
        query.set_subarray(&range).expect("subarray");
        query
    };
    let fields = ["a", "l"].map(|name| CellType::fixed(name, 8));
    let mut query = create();
    let needed = query.needed_sizes(&["a", "l"], u64::MAX).expect("sizes");
    assert_eq!(query.status(), QueryStatus::Uninitialized);
    assert!(
        needed
            .iter()
            .all(|needed_size| needed_size.sizes.data == 40 && needed_size.is_exact)
    );
    let columns = fields.iter().zip(&needed);
    let columns =
        columns.map(|(field, needed_size)| Column::with_sizes(field.clone(), &needed_size.sizes));
    let found = read(&mut query, &mut columns.collect::<Vec<_>>()).expect("read");
    assert_eq!((found[0].len(), found[1].len()), (5, 5));
    assert_eq!(query.status(), QueryStatus::Completed);
    // The values are delivered again with each submit until the cells are complete.
    let mut query = create();
    let mut columns = [
        Column::with_capacity(fields[0].clone(), 2, 0),
        Column::with_capacity(fields[1].clone(), 5, 0),
    ];
    read(&mut query, &mut columns).expect("read");
    assert_eq!(query.status(), QueryStatus::Incomplete);
    let needed = query.needed_sizes(&["a", "l"], u64::MAX).expect("sizes");
    assert_eq!((needed[0].sizes.data, needed[1].sizes.data), (24, 40));
}

#[test]
fn sizes_of_unknown_fields_and_of_writes_are_errors() {
    let test_array = array(ArrayType::Sparse);
    let mut query = query(&test_array, Layout::RowMajor, &ALL, None);
    let error = query.needed_sizes(&["d", "unknown"], 1);
    assert!(
        error
            .expect_err("unknown")
            .to_string()
            .contains("'unknown'")
    );
    let mut columns = [Column::with_capacity(CellType::fixed("a", 4), 1, 0)];
    read(&mut query, &mut columns).expect("read");
    let error = query.needed_sizes(&["d"], 1).expect_err("not read");
    assert!(
        error.to_string().contains("after the first submit"),
        "{error}"
    );
    let write = test_array.query(QueryType::Write);
    assert!(write.needed_sizes(&["a"], 1).is_err());
}
