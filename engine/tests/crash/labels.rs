//! Interrupted writes of cells with values of dimension labels. Each of the arrays shows a complete
//! write or none, and a label never shows values whose cells are missing. As in libtiledb, it is
//! not guaranteed that cells have the values of all labels: cells are committed first, then one
//! label after the other.

use std::sync::Arc;

use tiledb_engine::internal::array::{self, Array};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{
    ArrayType, DataOrder, Datatype, Layout, QueryStatus, QueryType,
};
use tiledb_engine::internal::vfs::faulty::{Faulty, Loss};
use tiledb_engine::internal::vfs::{Uri, Vfs};

use crate::fail_after;
use crate::setup::column::{Cell, CellType, Column, read, write};
use crate::setup::{dimension, numbers, schema};

const LENGTH: i64 = 10;

/// An array whose cells and label values contain the mark of the write that stored them.
struct Labelled {
    vfs: Arc<Vfs>,
    uri: Uri,
    kind: ArrayType,
}

/// The marks that a read returns: of the cells and of the values of both labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    cells: i64,
    number: i64,
    text: i64,
}

/// Returns marks that are all equal.
fn all(mark: i64) -> Found {
    Found {
        cells: mark,
        number: mark,
        text: mark,
    }
}

/// Returns the numbers of a field.
fn values(cells: &[Cell]) -> Vec<i64> {
    cells
        .iter()
        .flat_map(|cell| numbers::<i64>(&cell.0))
        .collect()
}

/// Returns the values of the number label, ascending.
fn label_numbers(mark: i64) -> impl Iterator<Item = i64> {
    (0..LENGTH).map(move |index| index * 1000 + mark)
}

/// Returns the values of the text label, ascending.
fn label_texts(mark: i64) -> impl Iterator<Item = String> {
    (0..LENGTH).map(move |index| format!("{index}-{mark:03}"))
}

impl Labelled {
    fn create(kind: ArrayType) -> (Faulty, Self) {
        let backend = Faulty::new();
        let context = Context::new(Config::new()).expect("context");
        let vfs = Vfs::with_backend(&context, Arc::new(backend.clone())).expect("vfs");
        let uri = Uri::parse("mem://array").expect("uri");
        let index = dimension("index", Datatype::Int64, [1, LENGTH], 4);
        let mut draft = schema(kind, [index], [Attribute::new("mark", Datatype::Int64)]);
        for (name, datatype) in [("number", Datatype::Int64), ("text", Datatype::StringAscii)] {
            let added = draft.add_label(0, name, DataOrder::Increasing, datatype);
            added.expect("a label");
        }
        let schema = draft.finish().expect("schema");
        array::create(&vfs, &uri, &schema, None).expect("create");
        (backend, Self { vfs, uri, kind })
    }

    fn query(&self, query_type: QueryType) -> Result<Query> {
        let array = Array::new(&self.vfs, self.uri.as_str())?;
        array.open(query_type)?;
        let mut query = Query::new(&Arc::new(array), query_type)?;
        match (self.kind, query_type) {
            (ArrayType::Sparse, QueryType::Write) => query.set_layout(Layout::Unordered)?,
            _ => {
                query.set_layout(Layout::RowMajor)?;
                let mut subarray = Subarray::new(query.request().schema());
                subarray.add_range(0, &1i64.to_le_bytes(), &LENGTH.to_le_bytes())?;
                query.set_subarray(&subarray)?;
            }
        }
        Ok(query)
    }

    fn write(&self, mark: i64) -> Result<()> {
        let mut query = self.query(QueryType::Write)?;
        let mut columns = vec![
            Column::numbers("mark", (0..LENGTH).map(|_| mark)),
            Column::numbers("number", label_numbers(mark)),
            Column::texts("text", label_texts(mark)),
        ];
        if self.kind == ArrayType::Sparse {
            columns.push(Column::numbers("index", 1..=LENGTH));
        }
        write(&mut query, &columns)?;
        query.finalize()
    }

    fn read(&self) -> Found {
        let mut query = self.query(QueryType::Read).expect("the array opens");
        let cells = LENGTH as usize;
        let mut columns = [
            Column::with_capacity(CellType::fixed("mark", 8), cells, 0),
            Column::with_capacity(CellType::fixed("number", 8), cells, 0),
            Column::with_capacity(CellType::var("text"), cells, 1000),
        ];
        let read = read(&mut query, &mut columns).expect("the array reads");
        assert_eq!(query.status(), QueryStatus::Completed);
        let [marks, of_label] = [0, 1].map(|index| values(&read[index]));
        let texts = read[2].iter().cloned();
        let texts = texts.map(|(text, _)| String::from_utf8(text).expect("text"));
        let texts: Vec<String> = texts.collect();
        let found = Found {
            cells: marks[0],
            number: of_label[0],
            text: texts[0][2..5].parse().expect("a mark"),
        };
        assert_eq!(
            marks,
            vec![found.cells; LENGTH as usize],
            "parts of two writes"
        );
        assert!(
            of_label.into_iter().eq(label_numbers(found.number)),
            "parts of two writes"
        );
        assert!(
            texts.into_iter().eq(label_texts(found.text)),
            "parts of two writes"
        );
        self.check_range(found);
        found
    }

    /// Checks that a range of the label selects the cells that its values belong to.
    fn check_range(&self, found: Found) {
        let array = Array::new(&self.vfs, self.uri.as_str()).expect("array");
        array.open(QueryType::Read).expect("open");
        let mut query = Query::new(&Arc::new(array), QueryType::Read).expect("query");
        query.set_layout(Layout::RowMajor).expect("layout");
        let mut subarray = Subarray::new(query.request().schema());
        let ends = [3000, 5000].map(|value: i64| (value + found.number).to_le_bytes());
        let added = subarray.add_label_range("number", &ends[0], &ends[1]);
        added.expect("a range");
        query.set_subarray(&subarray).expect("subarray");
        let mut marks = [Column::with_capacity(
            CellType::fixed("mark", 8),
            LENGTH as usize,
            0,
        )];
        let read = read(&mut query, &mut marks).expect("the range reads");
        assert_eq!(values(&read[0]), [found.cells; 3]);
    }
}

#[test]
fn labels_never_show_values_of_missing_cells() {
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let (backend, array) = Labelled::create(kind);
        array.write(1).expect("write");
        let (changes, written) = fail_after(&backend, None, || array.write(2));
        written.expect("write");
        assert_eq!(array.read(), all(2));
        let (mut nothing, mut cells_alone, mut whole) = (0, 0, 0);
        for failing in 0..changes {
            let (backend, array) = Labelled::create(kind);
            array.write(1).expect("write");
            let (_, written) = fail_after(&backend, Some(failing), || array.write(2));
            let found = array.read();
            match found {
                found if found == all(1) => nothing += 1,
                found if found == all(2) => whole += 1,
                Found {
                    cells: 2,
                    number,
                    text,
                } if number >= text => cells_alone += 1,
                _ => panic!("change {failing}: {found:?}"),
            }
            assert!(
                written.is_err() || found == all(2),
                "change {failing}: reported as written but lost"
            );
            array.write(3).expect("a later write");
            assert_eq!(array.read(), all(3), "change {failing}");
        }
        println!(
            "{kind:?}: of {changes} failures {nothing} left nothing, {cells_alone} cells without all labels, {whole} all"
        );
        assert!(nothing > 0 && cells_alone > 0, "nothing was tested");
    }
}

#[test]
fn a_finished_write_of_labels_survives_a_loss_of_power() {
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let (backend, array) = Labelled::create(kind);
        array.write(7).expect("write");
        backend.lose_power(Loss::Everything).expect("loses");
        assert_eq!(array.read(), all(7));
    }
}
