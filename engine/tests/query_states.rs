//! The status of queries after each call, and the calls that are valid in each status, as in
//! libtiledb.

mod setup;

use setup::TestArray;
use setup::column::{CellType, Column, read, write};
use tiledb_engine::internal::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};

/// Creates an array of nullable strings at the coordinates 1 to 4.
fn texts(kind: ArrayType) -> TestArray {
    let test_array = TestArray::in_memory();
    let dimension = setup::dimension("d", Datatype::Int32, [1, 4], 4);
    let mut text = setup::text("t", &[]);
    text.set_nullable(true).expect("nullable");
    test_array.create(&setup::schema(kind, [dimension], [text]));
    test_array
}

fn columns() -> Vec<Column> {
    let cells = ["a", "bb", "", "c"].map(|text| (text, 1));
    vec![
        Column::numbers("d", 1..=4),
        Column::of(CellType::var("t").nullable(), cells),
    ]
}

/// Writes with offsets that exceed the data.
fn write_wrong(query: &mut Query, columns: &[Column]) {
    let offsets: Vec<u8> = [0u64, 9, 9, 9]
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .collect();
    let mut cells: Vec<FieldCells<'_>> = columns.iter().map(Column::cells).collect();
    for field in cells.iter_mut().filter(|field| field.name == "t") {
        field.offsets = Some(&offsets);
    }
    let error = query.write(&cells).expect_err("wrong offsets").to_string();
    let expected = "The offset 9 of cell 1 of attribute 't' is beyond the data of 4 bytes";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_write_whose_first_buffers_are_rejected_has_not_begun() {
    for layout in [Layout::Unordered, Layout::GlobalOrder] {
        let test_array = texts(ArrayType::Sparse);
        let mut query = test_array.query(QueryType::Write);
        query.set_layout(layout).expect("layout");
        write_wrong(&mut query, &columns());
        assert_eq!(query.status(), QueryStatus::Uninitialized, "{layout:?}");
        query.finalize().expect("nothing to finalize");
        for other in [Layout::GlobalOrder, Layout::Unordered, layout] {
            query.set_layout(other).expect("not begun");
        }
        write(&mut query, &columns()).expect("write");
        query.finalize().expect("finalize");
        assert_eq!(query.status(), QueryStatus::Completed);
        let mut capacity = [Column::with_capacity(CellType::var("t").nullable(), 4, 4)];
        let found = read(&mut test_array.query(QueryType::Read), &mut capacity).expect("read");
        assert_eq!(found[0].len(), 4);
    }
}

/// Returns two of the cells of [`columns`] without the columns before `first_column`.
fn two_cells(first_cell: usize, first_column: usize) -> Vec<Column> {
    let d = [1i32, 3][first_cell / 2];
    let cells = [["a", "bb"], ["", "c"]][first_cell / 2].map(|text| (text, 1));
    let mut all = vec![
        Column::numbers("d", d..=d + 1),
        Column::of(CellType::var("t").nullable(), cells),
    ];
    all.split_off(first_column)
}

#[test]
fn a_rejected_submit_in_global_order_keeps_the_cells_before_it() {
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let test_array = texts(kind);
        let first_column = usize::from(kind == ArrayType::Dense);
        let mut query = test_array.query(QueryType::Write);
        query.set_layout(Layout::GlobalOrder).expect("layout");
        write(&mut query, &two_cells(0, first_column)).expect("write");
        write_wrong(&mut query, &columns()[first_column..]);
        assert_eq!(query.status(), QueryStatus::Failed);
        write(&mut query, &two_cells(2, first_column)).expect("write");
        query.finalize().expect("finalize");
        assert_eq!(query.written_num().expect("number"), 1, "{kind:?}");
        let mut query = test_array.query(QueryType::Read);
        let mut all = Subarray::new(query.request().schema());
        all.set_all(&setup::bytes([1, 4])).expect("all");
        query.set_subarray(&all).expect("subarray");
        let mut capacity = [Column::with_capacity(CellType::var("t").nullable(), 4, 4)];
        let found = read(&mut query, &mut capacity).expect("read");
        let expected = ["a", "bb", "", "c"].map(|text| (text.into(), 1));
        assert_eq!(found[0], expected, "{kind:?}");
    }
}

#[test]
fn a_submit_after_the_end_of_a_global_order_write_begins_another_fragment() {
    let test_array = texts(ArrayType::Sparse);
    let mut query = test_array.query(QueryType::Write);
    query.set_layout(Layout::GlobalOrder).expect("layout");
    for first in [0, 2] {
        write(&mut query, &two_cells(first, 0)).expect("write");
        query.finalize().expect("finalize");
    }
    assert_eq!(query.written_num().expect("number"), 2);
    let mut capacity = [Column::with_capacity(CellType::var("t").nullable(), 4, 4)];
    let found = read(&mut test_array.query(QueryType::Read), &mut capacity).expect("read");
    assert_eq!(found[0].len(), 4);
}

#[test]
fn a_submit_fixes_layout_and_subarray() {
    let test_array = texts(ArrayType::Dense);
    let mut query = test_array.query(QueryType::Write);
    write(&mut query, &columns()[1..]).expect("write");
    assert_eq!(query.status(), QueryStatus::Completed);
    assert!(query.set_layout(Layout::ColMajor).is_err());
    let subarray = Subarray::new(query.request().schema());
    assert!(query.set_subarray(&subarray).is_err());
}

#[test]
fn an_unordered_write_is_written_once() {
    let test_array = texts(ArrayType::Sparse);
    let mut query = test_array.query(QueryType::Write);
    write(&mut query, &columns()).expect("write");
    assert!(write(&mut query, &columns()).is_err());
    assert_eq!(query.status(), QueryStatus::InProgress);
    query.finalize().expect("it was written");
    assert_eq!(query.status(), QueryStatus::Completed);
}

#[test]
fn a_completed_read_keeps_its_results() {
    let test_array = texts(ArrayType::Sparse);
    write(&mut test_array.query(QueryType::Write), &columns()).expect("write");
    let mut query = test_array.query(QueryType::Read);
    let mut capacity = [Column::with_capacity(CellType::var("t").nullable(), 4, 4)];
    for _ in 0..2 {
        read(&mut query, &mut capacity).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        assert!(query.has_results());
    }
}

#[test]
fn each_delivered_cell_has_its_validity() {
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let test_array = texts(kind);
        let dense = kind == ArrayType::Dense;
        write(
            &mut test_array.query(QueryType::Write),
            &columns()[usize::from(dense)..],
        )
        .expect("write");
        let mut query = test_array.query(QueryType::Read);
        if dense {
            let mut all = Subarray::new(query.request().schema());
            all.set_all(&setup::bytes([1, 4])).expect("all");
            query.set_subarray(&all).expect("subarray");
        }
        let mut data = [0; 8];
        let mut offsets = [0; 32];
        let mut validity = [0; 4];
        let mut submit = |cells: usize| {
            let mut buffers = FieldBuffers::fixed("t", &mut data);
            buffers.offsets = Some(&mut offsets);
            buffers.validity = Some(&mut validity[..cells]);
            query.read(&mut [buffers]).map(drop)
        };
        let error = submit(3).expect_err("too small").to_string();
        let expected = "The validity of 't' holds 3 cells, but its data for 4";
        assert_eq!(error, expected, "{kind:?}");
        submit(4).expect("read");
        assert_eq!(validity, [1; 4]);
    }
}
