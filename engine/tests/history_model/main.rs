//! Random histories of arrays compared with a naive model: writes, deletes, schema evolution,
//! consolidation, vacuum, and reads at any timestamp. Attributes are dropped and added again with
//! another type; enumerations are added, extended and dropped; the current domain is expanded;
//! metadata changes. `TILEDB_RS_CASES` is the number of cases (default 150). A failure prints its
//! seed, which `TILEDB_RS_SEED` repeats.

mod consolidation;
mod evolution;
mod model;
#[path = "../random/mod.rs"]
mod random;
mod reading;
#[path = "../setup/mod.rs"]
mod setup;
mod shape;

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_engine::internal::array::{Array, WithMetadata};
use tiledb_engine::internal::condition::Condition;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{Domain, NdRectangle, shared};
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType, Range};

use model::{Cell, Delete, Model, SchemaVersion};
use random::Random;
use setup::TestArray;
use setup::column::{Column, write};
use shape::Shape;

/// The number of coordinates of a dimension, from 0 on.
const SIDE: i32 = 12;

struct Case {
    random: Random,
    array: TestArray,
    dense: bool,
    dims: usize,
    allows_dups: bool,
    /// The domain, from which rectangles are created.
    domain: Domain,
    now: u64,
    model: Model,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let dense = random.below(2) == 0;
        let dims = 1 + random.below(2) as usize;
        let dimensions = (0..dims).map(|index| {
            let extent = random.one_of(&[1, 3, 4, 5, SIDE]);
            let name = format!("d{index}");
            setup::dimension(&name, Datatype::Int32, [0, SIDE - 1], extent)
        });
        let dimensions: Vec<_> = dimensions.collect();
        let kind = if dense {
            ArrayType::Dense
        } else {
            ArrayType::Sparse
        };
        let mut draft = setup::schema(kind, dimensions, []);
        let allows_dups = !dense && random.below(3) == 0;
        if !dense {
            draft.set_allows_dups(allows_dups).expect("duplicates");
            draft.set_capacity(1 + random.below(9)).expect("capacity");
        }
        let shape = Shape::random(&mut random);
        setup::add(&mut draft, shape.attribute(None));
        let domain = draft.snapshot().domain;
        let current = (random.below(2) == 0).then(|| {
            (0..dims)
                .map(|_| (0, random.below(6) as i32))
                .collect::<Vec<_>>()
        });
        if let Some(current) = &current {
            let rectangle = rectangle(&domain, current);
            draft.set_current_domain(Some(shared(rectangle)));
        }
        let array = TestArray::in_memory();
        array.create(&draft);
        // The schema has the current time. All other timestamps are later and have as many digits.
        let now = std::time::UNIX_EPOCH.elapsed().expect("clock").as_millis() as u64 + 1000;
        let first = SchemaVersion {
            timestamp: 0,
            attributes: vec![(shape, None)],
            enumerations: BTreeMap::new(),
            current,
        };
        Self {
            random,
            array,
            dense,
            dims,
            allows_dups,
            domain,
            now,
            model: Model::new(first, allows_dups),
        }
    }

    fn open(&self, query_type: QueryType, from: u64, timestamp: u64) -> Arc<Array> {
        self.array.open_within(query_type, from, timestamp)
    }

    /// Returns the ranges of coordinates in use at the current timestamp.
    fn current(&self) -> Vec<(i32, i32)> {
        let current = self.model.latest().current.clone();
        current.unwrap_or_else(|| vec![(0, SIDE - 1); self.dims])
    }

    /// Writes some cells, in some cases with the timestamp of the previous change; the later change
    /// counts then.
    fn write(&mut self) {
        self.now += self.random.one_of(&[0, 10, 10, 10]);
        let current = self.current();
        let mut coordinates: Vec<Vec<i32>> = Vec::new();
        let mut ranges = Vec::new();
        if self.dense {
            for (low, high) in &current {
                let (first, last) = self.random.range_below((high - low + 1) as u64);
                ranges.push((low + first as i32, low + last as i32));
            }
            coordinates = coordinates_of_box(&ranges);
        } else {
            for _ in 0..1 + self.random.below(15) {
                let coordinate = current
                    .iter()
                    .map(|(low, high)| low + self.random.below((high - low + 1) as u64) as i32);
                let coordinate: Vec<i32> = coordinate.collect();
                if self.allows_dups || !coordinates.contains(&coordinate) {
                    coordinates.push(coordinate);
                }
            }
        }
        let shapes: Vec<Shape> = self.model.latest().shapes().collect();
        let cells: Vec<Cell> = coordinates
            .into_iter()
            .map(|coordinate| Cell {
                coordinate,
                timestamp: self.now,
                values: shapes
                    .iter()
                    .map(|shape| (*shape, shape.random_value(&mut self.random)))
                    .collect(),
            })
            .collect();
        let array = self.open(QueryType::Write, 0, self.now);
        let mut query = Query::new(&array, QueryType::Write).expect("query");
        if self.dense {
            let mut subarray = Subarray::new(query.request().schema());
            for (dim, (low, high)) in ranges.iter().enumerate() {
                let (low, high) = (low.to_le_bytes(), high.to_le_bytes());
                subarray.add_range(dim as u32, &low, &high).expect("range");
            }
            query.set_subarray(&subarray).expect("subarray");
            query.set_layout(Layout::RowMajor).expect("layout");
        } else {
            query.set_layout(Layout::Unordered).expect("layout");
        }
        let mut columns = Vec::new();
        for dim in (0..self.dims).filter(|_| !self.dense) {
            let coordinates = cells.iter().map(|cell| cell.coordinate[dim]);
            columns.push(Column::numbers(&format!("d{dim}"), coordinates));
        }
        for shape in &shapes {
            let values = cells.iter().map(|cell| &cell.values[shape]);
            columns.push(shape.column(values));
        }
        write(&mut query, &columns).expect("write");
        query.finalize().expect("finalize");
        assert_eq!(query.status(), QueryStatus::Completed);
        self.model.cells.extend(cells);
    }

    /// Deletes by an attribute whose values no consolidation has discarded.
    fn delete(&mut self) {
        self.now += 10;
        let latest = self.model.latest();
        let known = latest
            .shapes()
            .filter(|shape| shape.is_number() && !self.model.lost.contains(shape));
        let known: Vec<Shape> = known.collect();
        if known.is_empty() {
            return;
        }
        let shape = self.random.one_of(&known);
        let operator = self.random.one_of(&setup::COMPARISONS);
        let bound = self.random.below(7) as i32;
        let array = self.open(QueryType::Delete, 0, self.now);
        let mut query = Query::new(&array, QueryType::Delete).expect("query");
        let value = bound.to_le_bytes();
        let condition = Condition::compare(&shape.name(), operator, Some(&value));
        let condition = Arc::new(condition.expect("condition"));
        query.set_condition(&condition).expect("condition");
        query.delete().expect("delete");
        self.model.deletes.push(Delete {
            timestamp: self.now,
            shape,
            operator,
            bound,
        });
    }

    fn put_metadata(&mut self) {
        self.now += self.random.one_of(&[0, 10, 10, 10]);
        let array = self.open(QueryType::Write, 0, self.now);
        for _ in 0..1 + self.random.below(3) {
            let key = format!("key {}", self.random.below(4));
            let value = (self.random.below(3) > 0).then(|| self.random.below(200) as u8);
            match value {
                Some(value) => array.put_metadata(Some(&key), Datatype::Uint8, &[value]),
                None => array.delete_metadata(Some(&key)),
            }
            .expect("metadata");
            self.model.metadata.push((self.now, key, value));
        }
        array.close().expect("close");
    }

    fn step(&mut self) {
        match self.random.below(10) {
            0..=3 => self.write(),
            4 if !self.dense => self.delete(),
            4 | 5 => self.put_metadata(),
            6 | 7 => self.evolve(),
            _ => self.consolidate_or_vacuum(),
        }
    }
}

/// Returns a rectangle in a domain.
fn rectangle(domain: &Domain, ranges: &[(i32, i32)]) -> NdRectangle {
    let ranges = ranges.iter().map(|(low, high)| Range::of(*low, *high));
    NdRectangle::of(domain.clone(), ranges.collect())
}

/// Returns the coordinates of all cells of a box in row-major order.
fn coordinates_of_box(ranges: &[(i32, i32)]) -> Vec<Vec<i32>> {
    let mut coordinates = vec![Vec::new()];
    for (low, high) in ranges {
        let longer = coordinates.iter().flat_map(|coordinate: &Vec<i32>| {
            (*low..=*high).map(move |index| [&coordinate[..], &[index]].concat())
        });
        coordinates = longer.collect();
    }
    coordinates
}

#[test]
fn arrays_equal_the_model_at_any_timestamp() {
    let (mut steps, mut evolved) = (0, 0);
    let seeds = random::for_each_seed(150, |seed| {
        let mut case = Case::new(seed);
        case.write();
        let number = 3 + case.random.below(10);
        for _ in 0..number {
            case.step();
            case.read_latest();
            case.read_past();
        }
        steps += number;
        evolved += case.model.moments.len() as u64 - 1;
    });
    let cases = seeds.end - seeds.start;
    println!("histories of the seeds {seeds:?}: {steps} steps, {evolved} evolutions");
    assert!(cases < 10 || evolved > cases / 2);
}
