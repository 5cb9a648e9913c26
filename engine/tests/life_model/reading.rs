//! What an array says at a moment: cells, enumerations, metadata, current domain.

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_engine::array::{Array, WithMetadata};
use tiledb_engine::query::Query;
use tiledb_engine::subarray::Subarray;
use tiledb_engine::types::{Layout, QueryStatus, QueryType, Value as _};

use super::model::Moment;
use super::setup::column::{self, Column, Looks};
use super::shape::{Shape, Value};
use super::{Case, SIDE, box_places};

/// More cells than any array here has.
const ROOM: usize = 2048;

/// A cell of a result.
type Row = (Vec<i32>, Vec<Value>);

impl Case {
    pub(crate) fn read_latest(&mut self) {
        self.read(0, self.now + 5);
    }

    /// Reads as of some moment of the past; sparse cells also from some moment on.
    pub(crate) fn travel(&mut self) {
        let first = self.model.cells.first().map_or(self.now, |cell| cell.at);
        let at = first + self.random.below(self.now + 5 - first);
        let from = match self.random.below(3) {
            0 if !self.dense => first + self.random.below(at + 1 - first),
            _ => 0,
        };
        self.read(from, at);
    }

    fn read(&mut self, from: u64, at: u64) {
        let array = self.open(QueryType::Read, from, at);
        let moment = self.model.at(at).clone();
        self.check_schema(&array, &moment);
        if from == 0 && at >= self.model.metadata_from {
            self.check_metadata(&array, at);
        }
        let shapes: Vec<Shape> = moment.shapes().collect();
        let rows = self.rows(&array, &moment, &shapes);
        if self.dense && at < self.model.cells_from {
            return;
        }
        // What merging may have lost is read, but nothing is expected of it.
        let sure: Vec<usize> = (0..shapes.len())
            .filter(|at| !self.model.lost.contains(&shapes[*at]))
            .collect();
        let of = |(place, values): &Row| -> Row {
            (
                place.clone(),
                sure.iter().map(|at| values[*at].clone()).collect(),
            )
        };
        let mut found: Vec<Row> = rows.iter().map(of).collect();
        let seen = self.model.seen(from, at);
        let row = |cell: &super::Cell| -> Row {
            let values = shapes.iter().map(|shape| cell.value(*shape));
            (cell.place.clone(), values.collect())
        };
        let mut expected: Vec<Row> = if !self.dense {
            seen.into_iter().map(|cell| of(&row(cell))).collect()
        } else {
            let known: BTreeMap<_, _> = seen.into_iter().map(|cell| (&cell.place, cell)).collect();
            let fill: Vec<Value> = shapes.iter().map(|shape| shape.fill()).collect();
            let all = box_places(&self.whole(&moment)).into_iter();
            all.map(|place| match known.get(&place) {
                Some(cell) => of(&row(cell)),
                None => of(&(place, fill.clone())),
            })
            .collect()
        };
        found.sort();
        expected.sort();
        let span = (from.saturating_sub(self.now - 200), at);
        assert!(
            found == expected,
            "{span:?} of now {}: {found:?}, not {expected:?}",
            self.now
        );
    }

    fn check_schema(&self, array: &Array, moment: &Moment) {
        let snapshot = array.snapshot().expect("snapshot");
        let names: Vec<String> = moment.shapes().map(Shape::name).collect();
        let attributes = snapshot.schema.attributes.iter();
        let found: Vec<String> = attributes.map(|known| known.name.clone()).collect();
        assert_eq!(found, names);
        for at in 0..4 {
            let name = format!("e{at}");
            let found = array.enumeration(&name).ok().map(|known| {
                let value = |at| known.get(at).expect("value").to_vec();
                (0..known.len() as u64).map(value).collect::<Vec<_>>()
            });
            let expected = moment.enumerations.get(&name).map(|texts| {
                let bytes = texts.iter().map(|text| text.clone().into_bytes());
                bytes.collect::<Vec<_>>()
            });
            assert_eq!(found, expected, "{name}");
        }
        for (shape, enumeration) in &moment.attributes {
            let mut attributes = snapshot.schema.attributes.iter();
            let known = attributes.find(|known| known.name == shape.name());
            assert_eq!(&known.expect("attribute").enumeration, enumeration);
        }
        if let Some(current) = &moment.current {
            for (dim, (low, high)) in current.iter().enumerate() {
                let within = |low, high| {
                    let range = tiledb_engine::types::Range::of(low, high);
                    snapshot.schema.is_current(dim, &range)
                };
                assert!(within(*low, *high));
                assert!(*high == SIDE - 1 || !within(*low, high + 1));
            }
        }
    }

    fn check_metadata(&self, array: &Array, at: u64) {
        let expected = self.model.metadata_at(at);
        let number = array.metadata_num().expect("number");
        let found: BTreeMap<String, u8> = (0..number)
            .map(|at| {
                let read = array.metadata_at(at, |item| (item.key().to_owned(), item.words[0]));
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

    /// The coordinates in use at a moment.
    fn whole(&self, moment: &Moment) -> Vec<(i32, i32)> {
        let current = moment.current.clone();
        current.unwrap_or_else(|| vec![(0, SIDE - 1); self.dims])
    }

    /// All cells, those of dense arrays with the places that they have.
    fn rows(&self, array: &Arc<Array>, moment: &Moment, shapes: &[Shape]) -> Vec<Row> {
        let mut query = Query::new(array, QueryType::Read).expect("query");
        query
            .set_layout(if self.dense {
                Layout::RowMajor
            } else {
                Layout::Unordered
            })
            .expect("layout");
        let mut subarray = Subarray::new(query.schema());
        if self.dense {
            for (dim, (low, high)) in self.whole(moment).iter().enumerate() {
                let (low, high) = (low.to_le_bytes(), high.to_le_bytes());
                subarray.add_range(dim as u32, &low, &high).expect("range");
            }
        }
        query.set_subarray(&subarray).expect("subarray");
        let dims = (0..self.dims).map(|dim| {
            let looks = Looks::fixed(&format!("d{dim}"), 4);
            Column::room(looks, ROOM, 0)
        });
        let attributes = shapes.iter().map(|shape| shape.room(ROOM));
        let mut columns: Vec<Column> = dims.chain(attributes).collect();
        let cells = column::read(&mut query, &mut columns).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        let (places, values) = cells.split_at(self.dims);
        let coordinate = |cell: &column::Cell| i32::read(&cell.0);
        let value = |(bytes, valid): &column::Cell| (*valid == 1).then(|| bytes.clone());
        (0..places[0].len())
            .map(|cell| {
                let places = places.iter().map(|field| coordinate(&field[cell]));
                let values = values.iter().map(|field| value(&field[cell]));
                (places.collect(), values.collect())
            })
            .collect()
    }
}
