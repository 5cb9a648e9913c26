//! Deletes between writes, consolidation with and without purging, and vacuum, interrupted at any
//! change of storage: deleted cells never reappear and no other cell is lost.

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_engine::internal::array::{self, Array};
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};
use tiledb_engine::internal::vfs::faulty::Faulty;
use tiledb_engine::internal::vfs::{Uri, Vfs};

use crate::fail_after;
use crate::random::{Random, seeds};
use crate::setup::column::{CellType, Column, read, write};
use crate::setup::{config, dimension, numbers, schema};

/// The number of coordinates.
const COORDINATES: usize = 12;
/// A fragment size that holds a few tiles.
const LARGE: u64 = 600;
/// The number of cells of a write.
const FILLED: usize = 5;

/// The value at each coordinate that has a cell.
type Cells = BTreeMap<i32, i32>;

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<i32>),
    /// Deletes the values below the number, or all others.
    Delete(Operator, i32),
    /// Consolidates: the mode, whether deleted cells are purged, and the maximum fragment size.
    Consolidate(&'static str, bool, u64),
    Vacuum(&'static str),
}

const MODES: [&str; 3] = ["fragments", "fragments", "commits"];

/// A sparse array of numbers without duplicates. Each change has its own timestamp.
struct Numbered {
    vfs: Arc<Vfs>,
    uri: Uri,
}

impl Numbered {
    fn create(backend: &Faulty) -> Result<Self> {
        let context = Context::new(Config::new())?;
        let vfs = Vfs::with_backend(&context, Arc::new(backend.clone()))?;
        let uri = Uri::parse("mem://array")?;
        let coordinate = dimension("coordinate", Datatype::Int32, [1, COORDINATES as i32], 4);
        let number = Attribute::new("number", Datatype::Int32);
        let mut schema = schema(ArrayType::Sparse, [coordinate], [number]);
        schema.set_capacity(3)?;
        array::create(&vfs, &uri, &schema.finish()?, None)?;
        Ok(Self { vfs, uri })
    }

    fn query(&self, query_type: QueryType, timestamp: u64) -> Result<Query> {
        let array = Array::new(&self.vfs, self.uri.as_str())?;
        array.set_open_timestamp_end(timestamp);
        array.open(query_type)?;
        Query::new(&Arc::new(array), query_type)
    }

    fn run(&self, step: &Step, timestamp: u64) -> Result<()> {
        let uri = self.uri.as_str();
        match step {
            Step::Write(coordinates) => {
                let columns = [
                    Column::numbers("coordinate", coordinates.iter().copied()),
                    Column::numbers(
                        "number",
                        coordinates
                            .iter()
                            .map(|coordinate| number(*coordinate, timestamp)),
                    ),
                ];
                write(&mut self.query(QueryType::Write, timestamp)?, &columns)
            }
            Step::Delete(operator, than) => {
                let condition = Condition::compare("number", *operator, Some(&than.to_le_bytes()))?;
                let mut query = self.query(QueryType::Delete, timestamp)?;
                query.set_condition(&Arc::new(condition))?;
                query.delete()
            }
            Step::Consolidate(mode, purge, most) => {
                let config = config(&[
                    ("sm.consolidation.max_fragment_size", &most.to_string()),
                    ("sm.consolidation.mode", mode),
                    ("sm.consolidation.purge_deleted_cells", &purge.to_string()),
                ]);
                maintenance::consolidate(&self.vfs, uri, &config)
            }
            Step::Vacuum(mode) => {
                maintenance::vacuum(&self.vfs, uri, &config(&[("sm.vacuum.mode", mode)]))
            }
        }
    }

    fn read(&self) -> Cells {
        let mut query = self.query(QueryType::Read, u64::MAX - 1).expect("open");
        query.set_layout(Layout::GlobalOrder).expect("layout");
        let output_column = |name| Column::with_capacity(CellType::fixed(name, 4), COORDINATES, 0);
        let mut columns = [output_column("coordinate"), output_column("number")];
        let cells = read(&mut query, &mut columns).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        let number = |cell: &(Vec<u8>, u8)| numbers::<i32>(&cell.0)[0];
        let found = cells[0].iter().zip(&cells[1]);
        let found: Vec<_> = found
            .map(|(coordinate, value)| (number(coordinate), number(value)))
            .collect();
        let cells: Cells = found.iter().copied().collect();
        assert_eq!(
            cells.len(),
            found.len(),
            "a coordinate occurs twice: {found:?}"
        );
        cells
    }
}

/// Returns the number that a write at a timestamp stores at a coordinate.
fn number(coordinate: i32, timestamp: u64) -> i32 {
    (coordinate * 7 + timestamp as i32 * 5) % 20
}

/// Returns the cells after a step.
fn applied(step: &Step, timestamp: u64, cells: &Cells) -> Cells {
    let mut cells = cells.clone();
    match step {
        Step::Write(coordinates) => {
            let written = coordinates
                .iter()
                .map(|coordinate| (*coordinate, number(*coordinate, timestamp)));
            cells.extend(written);
        }
        Step::Delete(Operator::Lt, than) => cells.retain(|_, number| *number >= *than),
        Step::Delete(_, than) => cells.retain(|_, number| *number < *than),
        Step::Consolidate(..) | Step::Vacuum(_) => {}
    }
    cells
}

fn random_step(random: &mut Random) -> Step {
    match random.below(6) {
        0 | 1 => {
            let first = random.below(COORDINATES as u64) as usize;
            let coordinates = (first..first + FILLED).map(|index| (index % COORDINATES) as i32 + 1);
            Step::Write(coordinates.collect())
        }
        2 => Step::Delete(Operator::Lt, random.below(8) as i32),
        3 => Step::Delete(Operator::Ge, 12 + random.below(8) as i32),
        4 => {
            let (mode, purge) = (random.one_of(&MODES), random.below(2) == 0);
            Step::Consolidate(mode, purge, random.one_of(&[LARGE, 1000, u64::MAX]))
        }
        _ => Step::Vacuum(random.one_of(&MODES)),
    }
}

/// Runs the steps; storage fails after `failing` changes of the last one. Returns the number of its
/// changes.
fn interrupted(seed: u64, len: usize, failing: Option<u64>) -> u64 {
    let backend = Faulty::new();
    let array = Numbered::create(&backend).expect("create");
    let mut random = Random(seed);
    let mut cells = Cells::new();
    let mut made = 0;
    for index in 0..len {
        let time = index as u64 + 1;
        let step = random_step(&mut random);
        let failing = failing.filter(|_| index + 1 == len);
        let (changes, done) = fail_after(&backend, failing, || array.run(&step, time));
        made = changes;
        if failing.is_none() {
            done.as_ref().expect("done");
        }
        let seen = array.read();
        let after = applied(&step, time, &cells);
        let case = format!("seed {seed}, step {index} {step:?}, interrupted after {failing:?}");
        assert!(
            seen == after || (done.is_err() && seen == cells),
            "{case}: {seen:?} of {cells:?}"
        );
        cells = seen;
    }
    if failing.is_some() {
        // The failed step can be repeated, and further steps succeed.
        for step in [
            Step::Vacuum("fragments"),
            Step::Vacuum("commits"),
            Step::Consolidate("fragments", false, LARGE),
            Step::Consolidate("commits", false, LARGE),
            Step::Vacuum("commits"),
            Step::Vacuum("fragments"),
        ] {
            array.run(&step, 0).expect("upkeep");
            assert_eq!(array.read(), cells, "seed {seed}, {step:?} after a kill");
        }
    }
    made
}

#[test]
fn deleted_cells_never_reappear_after_interrupted_consolidation_and_vacuum() {
    for seed in seeds(60) {
        let len = 3 + (seed % 8) as usize;
        for failing in 0..interrupted(seed, len, None) {
            interrupted(seed, len, Some(failing));
        }
    }
}
