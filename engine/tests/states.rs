//! How queries stand after what was asked of them, and what can be asked of them then: as libtiledb's.

mod setup;

use setup::Place;
use setup::column::{Column, Looks, read, write};
use tiledb_engine::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::query::Query;
use tiledb_engine::subarray::Subarray;
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};

/// An array of texts that may be null, at the places 1 to 4.
fn texts(kind: ArrayType) -> Place {
    let place = Place::in_memory();
    let dimension = setup::dimension("d", Datatype::Int32, [1, 4], 4);
    let mut text = setup::text("t", &[]);
    text.set_nullable(true).expect("nullable");
    place.create(&setup::schema(kind, [dimension], [text]));
    place
}

fn columns() -> Vec<Column> {
    let cells = ["a", "bb", "", "c"].map(|text| (text, 1));
    vec![
        Column::numbers("d", 1..=4),
        Column::of(Looks::var("t").nullable(), cells),
    ]
}

/// The same with offsets that leave the values.
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
    let expected = "offset 9 specified at index 1 for buffer of size 4";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_write_whose_first_buffers_are_wrong_has_not_begun() {
    for layout in [Layout::Unordered, Layout::GlobalOrder] {
        let place = texts(ArrayType::Sparse);
        let mut query = place.query(QueryType::Write);
        query.set_layout(layout).expect("layout");
        write_wrong(&mut query, &columns());
        assert_eq!(query.status(), QueryStatus::Uninitialized, "{layout:?}");
        query.finalize().expect("nothing to end");
        for other in [Layout::GlobalOrder, Layout::Unordered, layout] {
            query.set_layout(other).expect("nothing has begun");
        }
        write(&mut query, &columns()).expect("write");
        query.finalize().expect("finalize");
        assert_eq!(query.status(), QueryStatus::Completed);
        let mut room = [Column::room(Looks::var("t").nullable(), 4, 4)];
        let found = read(&mut place.query(QueryType::Read), &mut room).expect("read");
        assert_eq!(found[0].len(), 4);
    }
}

#[test]
fn a_submit_fixes_layout_and_subarray() {
    let place = texts(ArrayType::Dense);
    let mut query = place.query(QueryType::Write);
    write(&mut query, &columns()[1..]).expect("write");
    assert_eq!(query.status(), QueryStatus::Completed);
    assert!(query.set_layout(Layout::ColMajor).is_err());
    let subarray = Subarray::new(query.schema());
    assert!(query.set_subarray(&subarray).is_err());
}

#[test]
fn an_unordered_write_is_made_once() {
    let place = texts(ArrayType::Sparse);
    let mut query = place.query(QueryType::Write);
    write(&mut query, &columns()).expect("write");
    assert!(write(&mut query, &columns()).is_err());
    assert_eq!(query.status(), QueryStatus::InProgress);
    query.finalize().expect("it was written");
    assert_eq!(query.status(), QueryStatus::Completed);
}

#[test]
fn a_read_that_is_done_keeps_its_results() {
    let place = texts(ArrayType::Sparse);
    write(&mut place.query(QueryType::Write), &columns()).expect("write");
    let mut query = place.query(QueryType::Read);
    let mut room = [Column::room(Looks::var("t").nullable(), 4, 4)];
    for _ in 0..2 {
        read(&mut query, &mut room).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        assert!(query.has_results());
    }
}

#[test]
fn each_cell_that_fits_has_room_for_its_validity() {
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let place = texts(kind);
        let dense = kind == ArrayType::Dense;
        write(
            &mut place.query(QueryType::Write),
            &columns()[usize::from(dense)..],
        )
        .expect("write");
        let mut query = place.query(QueryType::Read);
        if dense {
            let mut all = Subarray::new(query.schema());
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
        let expected = "ReaderBase: Buffer sizes check failed; Invalid number of validity cells given for attribute 't' (3 < 4)";
        assert_eq!(error, expected, "{kind:?}");
        submit(4).expect("read");
        assert_eq!(validity, [1; 4]);
    }
}
