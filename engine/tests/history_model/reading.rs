//! Reads cells, enumerations, metadata and the current domain at a timestamp.

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_engine::internal::array::{Array, WithMetadata};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{Layout, QueryStatus, QueryType, Value as _};

use super::model::SchemaVersion;
use super::setup::column::{self, CellType, Column};
use super::shape::{Shape, Value};
use super::{Case, SIDE, coordinates_of_box};

/// More cells than any array of this test has.
const CAPACITY: usize = 2048;

/// A cell of a result.
type Row = (Vec<i32>, Vec<Value>);

impl Case {
    pub(crate) fn read_latest(&mut self) {
        self.read(0, self.now + 5);
    }

    /// Reads at a random timestamp; sparse cells also with a random start timestamp.
    pub(crate) fn read_past(&mut self) {
        let first = self
            .model
            .cells
            .first()
            .map_or(self.now, |cell| cell.timestamp);
        let position = first + self.random.below(self.now + 5 - first);
        let from = match self.random.below(3) {
            0 if !self.dense => first + self.random.below(position + 1 - first),
            _ => 0,
        };
        self.read(from, position);
    }

    fn read(&mut self, from: u64, timestamp: u64) {
        let array = self.open(QueryType::Read, from, timestamp);
        let version = self.model.schema_at(timestamp).clone();
        self.check_schema(&array, &version);
        if from == 0 && timestamp >= self.model.metadata_from {
            self.check_metadata(&array, timestamp);
        }
        let shapes: Vec<Shape> = version.shapes().collect();
        let rows = self.rows(&array, &version, &shapes);
        if self.dense && timestamp < self.model.cells_from {
            return;
        }
        // Values that consolidation may have discarded are read but not compared.
        let sure: Vec<usize> = (0..shapes.len())
            .filter(|index| !self.model.lost.contains(&shapes[*index]))
            .collect();
        let sure_row = |(coordinate, values): &Row| -> Row {
            (
                coordinate.clone(),
                sure.iter().map(|index| values[*index].clone()).collect(),
            )
        };
        let mut found: Vec<Row> = rows.iter().map(sure_row).collect();
        let seen = self.model.seen(from, timestamp);
        let row = |cell: &super::Cell| -> Row {
            let values = shapes.iter().map(|shape| cell.value(*shape));
            (cell.coordinate.clone(), values.collect())
        };
        let mut expected: Vec<Row> = if !self.dense {
            seen.into_iter().map(|cell| sure_row(&row(cell))).collect()
        } else {
            let known: BTreeMap<_, _> = seen
                .into_iter()
                .map(|cell| (&cell.coordinate, cell))
                .collect();
            let fill: Vec<Value> = shapes.iter().map(|shape| shape.fill()).collect();
            let all = coordinates_of_box(&self.whole(&version)).into_iter();
            all.map(|coordinate| match known.get(&coordinate) {
                Some(cell) => sure_row(&row(cell)),
                None => sure_row(&(coordinate, fill.clone())),
            })
            .collect()
        };
        found.sort();
        expected.sort();
        let span = (from.saturating_sub(self.now - 200), timestamp);
        assert!(
            found == expected,
            "{span:?} of now {}: {found:?}, not {expected:?}",
            self.now
        );
    }

    fn check_schema(&self, array: &Array, version: &SchemaVersion) {
        let snapshot = array.snapshot().expect("snapshot");
        let names: Vec<String> = version.shapes().map(Shape::name).collect();
        let attributes = snapshot.schema.attributes.iter();
        let found: Vec<String> = attributes.map(|known| known.name.clone()).collect();
        assert_eq!(found, names);
        for index in 0..4 {
            let name = format!("e{index}");
            let found = array.enumeration(&name).ok().map(|known| {
                let value = |index| known.get(index).expect("value").to_vec();
                (0..known.len() as u64).map(value).collect::<Vec<_>>()
            });
            let expected = version.enumerations.get(&name).map(|texts| {
                let bytes = texts.iter().map(|text| text.clone().into_bytes());
                bytes.collect::<Vec<_>>()
            });
            assert_eq!(found, expected, "{name}");
        }
        for (shape, enumeration) in &version.attributes {
            let mut attributes = snapshot.schema.attributes.iter();
            let known = attributes.find(|known| known.name == shape.name());
            assert_eq!(&known.expect("attribute").enumeration, enumeration);
        }
        if let Some(current) = &version.current {
            for (dim, (low, high)) in current.iter().enumerate() {
                let within = |low, high| {
                    let range = tiledb_engine::internal::types::Range::of(low, high);
                    snapshot.schema.is_current(dim, &range)
                };
                assert!(within(*low, *high));
                assert!(*high == SIDE - 1 || !within(*low, high + 1));
            }
        }
    }

    fn check_metadata(&self, array: &Array, timestamp: u64) {
        let expected = self.model.metadata_at(timestamp);
        let number = array.metadata_num().expect("number");
        let found: BTreeMap<String, u8> = (0..number)
            .map(|index| {
                let read = array.metadata_at(index, |item| (item.key().to_owned(), item.words[0]));
                let (key, word) = read.expect("metadata");
                (key, word as u8)
            })
            .collect();
        let found: BTreeMap<&str, u8> = found
            .iter()
            .map(|(key, value)| (&key[..], *value))
            .collect();
        assert_eq!(found, expected);
    }

    /// Returns the coordinates in use at a timestamp.
    fn whole(&self, version: &SchemaVersion) -> Vec<(i32, i32)> {
        let current = version.current.clone();
        current.unwrap_or_else(|| vec![(0, SIDE - 1); self.dims])
    }

    /// Returns all cells; for dense arrays with their coordinates.
    fn rows(&self, array: &Arc<Array>, version: &SchemaVersion, shapes: &[Shape]) -> Vec<Row> {
        let mut query = Query::new(array, QueryType::Read).expect("query");
        query
            .set_layout(if self.dense {
                Layout::RowMajor
            } else {
                Layout::Unordered
            })
            .expect("layout");
        let mut subarray = Subarray::new(query.request().schema());
        if self.dense {
            for (dim, (low, high)) in self.whole(version).iter().enumerate() {
                let (low, high) = (low.to_le_bytes(), high.to_le_bytes());
                subarray.add_range(dim as u32, &low, &high).expect("range");
            }
        }
        query.set_subarray(&subarray).expect("subarray");
        let dims = (0..self.dims).map(|dim| {
            let cell_type = CellType::fixed(&format!("d{dim}"), 4);
            Column::with_capacity(cell_type, CAPACITY, 0)
        });
        let attributes = shapes.iter().map(|shape| shape.output_column(CAPACITY));
        let mut columns: Vec<Column> = dims.chain(attributes).collect();
        let cells = column::read(&mut query, &mut columns).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        let (coordinates, values) = cells.split_at(self.dims);
        let coordinate = |cell: &column::Cell| i32::read(&cell.0);
        let value = |(bytes, valid): &column::Cell| (*valid == 1).then(|| bytes.clone());
        (0..coordinates[0].len())
            .map(|cell| {
                let coordinates = coordinates.iter().map(|field| coordinate(&field[cell]));
                let values = values.iter().map(|field| value(&field[cell]));
                (coordinates.collect(), values.collect())
            })
            .collect()
    }
}
