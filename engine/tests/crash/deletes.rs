//! Deletes among writes, merged with or without their cells, vacuumed and killed anywhere: what was deleted never comes
//! back, and nothing else goes.

use std::collections::BTreeMap;
use std::sync::Arc;

use tiledb_engine::array::{self, Array};
use tiledb_engine::condition::{Condition, Operator};
use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::error::Result;
use tiledb_engine::maintenance;
use tiledb_engine::query::Query;
use tiledb_engine::schema::Attribute;
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};
use tiledb_engine::vfs::faulty::Faulty;
use tiledb_engine::vfs::{Uri, Vfs};

use crate::fail_after;
use crate::random::{Random, seeds};
use crate::setup::column::{Column, Looks, read, write};
use crate::setup::{config, dimension, numbers, schema};

/// How many places there are.
const PLACES: usize = 12;
/// A size that each tile fits in, and not many.
const LARGE: u64 = 600;
/// How many of them a write fills.
const FILLED: usize = 5;

/// What a place holds, where it holds something.
type Cells = BTreeMap<i32, i32>;

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<i32>),
    /// What is less than this, or what is not.
    Delete(Operator, i32),
    /// A mode, whether it purges, and the size of fragments.
    Consolidate(&'static str, bool, u64),
    Vacuum(&'static str),
}

const MODES: [&str; 3] = ["fragments", "fragments", "commits"];

/// A sparse array of numbers, without duplicates; every change has a millisecond of its own.
struct Numbered {
    vfs: Arc<Vfs>,
    uri: Uri,
}

impl Numbered {
    fn create(backend: &Faulty) -> Result<Self> {
        let context = Context::new(Config::new())?;
        let vfs = Vfs::with_backend(&context, Arc::new(backend.clone()))?;
        let uri = Uri::parse("mem://array")?;
        let place = dimension("place", Datatype::Int32, [1, PLACES as i32], 4);
        let number = Attribute::new("number", Datatype::Int32);
        let mut schema = schema(ArrayType::Sparse, [place], [number]);
        schema.set_capacity(3)?;
        array::create(&vfs, &uri, &schema.finish()?, None)?;
        Ok(Self { vfs, uri })
    }

    fn query(&self, query_type: QueryType, at: u64) -> Result<Query> {
        let array = Array::new(&self.vfs, self.uri.as_str())?;
        array.set_open_timestamp_end(at);
        array.open(query_type)?;
        Query::new(&Arc::new(array), query_type)
    }

    fn run(&self, step: &Step, at: u64) -> Result<()> {
        let uri = self.uri.as_str();
        match step {
            Step::Write(places) => {
                let columns = [
                    Column::numbers("place", places.iter().copied()),
                    Column::numbers("number", places.iter().map(|place| number(*place, at))),
                ];
                write(&mut self.query(QueryType::Write, at)?, &columns)
            }
            Step::Delete(operator, than) => {
                let condition = Condition::compare("number", *operator, Some(&than.to_le_bytes()))?;
                let mut query = self.query(QueryType::Delete, at)?;
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
        let room = |name| Column::room(Looks::fixed(name, 4), PLACES, 0);
        let mut columns = [room("place"), room("number")];
        let cells = read(&mut query, &mut columns).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        let number = |cell: &(Vec<u8>, u8)| numbers::<i32>(&cell.0)[0];
        let found = cells[0].iter().zip(&cells[1]);
        let found: Vec<_> = found
            .map(|(place, of)| (number(place), number(of)))
            .collect();
        let cells: Cells = found.iter().copied().collect();
        assert_eq!(cells.len(), found.len(), "a place comes twice: {found:?}");
        cells
    }
}

/// The number that a write at a time puts at a place.
fn number(place: i32, at: u64) -> i32 {
    (place * 7 + at as i32 * 5) % 20
}

/// What a step makes of the cells.
fn applied(step: &Step, at: u64, cells: &Cells) -> Cells {
    let mut cells = cells.clone();
    match step {
        Step::Write(places) => {
            let written = places.iter().map(|place| (*place, number(*place, at)));
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
            let first = random.below(PLACES as u64) as usize;
            let places = (first..first + FILLED).map(|at| (at % PLACES) as i32 + 1);
            Step::Write(places.collect())
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

/// Runs the steps, the last of them failing after so many changes of storage; answers how many it made.
fn killed(seed: u64, len: usize, failing: Option<u64>) -> u64 {
    let backend = Faulty::new();
    let array = Numbered::create(&backend).expect("create");
    let mut random = Random(seed);
    let mut cells = Cells::new();
    let mut made = 0;
    for at in 0..len {
        let time = at as u64 + 1;
        let step = random_step(&mut random);
        let failing = failing.filter(|_| at + 1 == len);
        let (changes, done) = fail_after(&backend, failing, || array.run(&step, time));
        made = changes;
        if failing.is_none() {
            done.as_ref().expect("done");
        }
        let seen = array.read();
        let after = applied(&step, time, &cells);
        let what = format!("seed {seed}, step {at} {step:?}, killed after {failing:?}");
        assert!(
            seen == after || (done.is_err() && seen == cells),
            "{what}: {seen:?} of {cells:?}"
        );
        cells = seen;
    }
    if failing.is_some() {
        // What was killed can be done again, and the array goes on.
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
fn what_was_deleted_stays_so_whatever_is_merged_vacuumed_or_killed() {
    for seed in seeds(60) {
        let len = 3 + (seed % 8) as usize;
        for failing in 0..killed(seed, len, None) {
            killed(seed, len, Some(failing));
        }
    }
}
