//! Random histories of arrays and groups compared with naive models, on every kind of storage, with
//! changes of storage that fail in between: writes, deletes, schema evolution, consolidation,
//! vacuum, and reads at any timestamp. Attributes are dropped and added again with another type;
//! enumerations are added, extended and dropped; the current domain is expanded; metadata changes;
//! fragments are deleted.
//! A failure prints its seed and its steps.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `TILEDB_RS_CASES` | the number of cases of each test; default 200, on each service 1 |
//! | `TILEDB_RS_SEED` | the only seed |
//! | `TILEDB_RS_STORE` | the only storage: `memory`, `disk`, `faulty-disk`, `s3`, ... |

mod axis;
mod evolution;
mod groups;
mod maintenance;
mod model;
#[path = "../random/mod.rs"]
mod random;
mod reading;
#[path = "../setup/servers.rs"]
mod servers;
#[path = "../setup/mod.rs"]
mod setup;
mod shape;
mod storage;
mod writing;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tiledb_engine::Result;
use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::schema::{Domain, NdRectangle, shared};
use tiledb_engine::internal::types::{ArrayType, Layout, QueryType};

use axis::{Axis, AxisKind};
use model::{Cell, Model, SchemaVersion};
use random::Random;
use setup::TestArray;
use shape::{Shape, filters};
use storage::{Store, StoreKind};

/// The number of coordinates of a dimension, from 0 on.
const SIDE: i32 = 12;
/// The key of encrypted arrays.
const KEY: &str = "0123456789abcdef0123456789abcdef";

struct Case {
    random: Random,
    store: Store,
    array: TestArray,
    is_encrypted: bool,
    dense: bool,
    axes: Vec<Axis>,
    tile_order: Layout,
    cell_order: Layout,
    allows_dups: bool,
    /// The domain, from which rectangles are created.
    domain: Domain,
    /// A timestamp before all changes and after the creation.
    first_time: u64,
    now: u64,
    /// The timestamps of writes before the latest change.
    late: BTreeSet<u64>,
    /// The end of the fragments that may have been consolidated.
    consolidated_until: u64,
    model: Model,
    /// What was done.
    steps: Vec<String>,
    /// The number of changes that failed.
    failures: u64,
}

impl Drop for Case {
    #[expect(clippy::print_stdout, reason = "what was done before a failure")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let array = format!(
                "dense: {}, {:?}, duplicates: {}, orders {:?} {:?}, encrypted: {}",
                self.dense,
                self.axes,
                self.allows_dups,
                self.tile_order,
                self.cell_order,
                self.is_encrypted
            );
            println!("{array}\n{}", self.steps.join("\n"));
        }
    }
}

impl Case {
    fn new(seed: u64, kind: StoreKind) -> Self {
        let mut random = Random(seed);
        let is_encrypted = random.below(5) == 0;
        let key: &[_] = if is_encrypted { &encryption() } else { &[] };
        let store = Store::new(kind, &seed.to_string(), key, &mut random);
        let dense = random.below(2) == 0;
        let axes = Self::random_axes(&mut random, dense);
        let dimensions = axes.iter().enumerate();
        let dimensions =
            dimensions.map(|(index, axis)| axis.dimension(&format!("d{index}"), &mut random));
        let dimensions: Vec<_> = dimensions.collect();
        let kind = if dense {
            ArrayType::Dense
        } else {
            ArrayType::Sparse
        };
        let mut draft = setup::schema(kind, dimensions, []);
        let orders = [Layout::RowMajor, Layout::ColMajor, Layout::Hilbert];
        let tile_order = random.one_of(&orders[..2]);
        let cell_order = random.one_of(&orders[..if dense { 2 } else { 3 }]);
        draft.set_tile_order(tile_order).expect("tile order");
        draft.set_cell_order(cell_order).expect("cell order");
        draft.set_offsets_filters(filters(&mut random, true));
        draft.set_validity_filters(filters(&mut random, false));
        let allows_dups = !dense && random.below(3) == 0;
        if !dense {
            draft.set_allows_dups(allows_dups).expect("duplicates");
            draft.set_capacity(1 + random.below(9)).expect("capacity");
        }
        let shape = Shape::random(&mut random);
        setup::add(&mut draft, shape.attribute(None, &mut random));
        let domain = draft.snapshot().domain;
        let has_text = axes.iter().any(|axis| axis.kind == AxisKind::Text);
        let current = (!has_text && random.below(2) == 0).then(|| {
            axes.iter()
                .map(|_| (0, random.below(6) as i32))
                .collect::<Vec<_>>()
        });
        if let Some(current) = &current {
            let rectangle = rectangle(&domain, &axes, current);
            draft.current_domain = Some(shared(rectangle));
        }
        let array = TestArray::new(&store.vfs, &store.uri);
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
            store,
            array,
            is_encrypted,
            dense,
            axes,
            tile_order,
            cell_order,
            allows_dups,
            domain,
            first_time: now,
            now,
            late: BTreeSet::new(),
            consolidated_until: 0,
            model: Model::new(first, allows_dups),
            steps: Vec::new(),
            failures: 0,
        }
    }

    fn open(&self, query_type: QueryType, from: u64, timestamp: u64) -> Arc<Array> {
        self.array.open_within(query_type, from, timestamp)
    }

    /// Returns the parameters of operations that take the key from their configuration.
    fn key_parameters(&self) -> Vec<(&'static str, String)> {
        let key: &[_] = if self.is_encrypted {
            &encryption()
        } else {
            &[]
        };
        let owned = key.iter().map(|(name, value)| (*name, (*value).to_owned()));
        owned.collect()
    }

    /// Returns the ranges of coordinates in use at the current timestamp.
    fn current(&self) -> Vec<(i32, i32)> {
        let current = self.model.latest().current.clone();
        current.unwrap_or_else(|| vec![(0, SIDE - 1); self.axes.len()])
    }

    /// Runs an operation, in which storage may fail. The array has the old or the new content then,
    /// unless a part of its fragments was deleted, and the operation succeeds when it is repeated.
    fn perform(
        &mut self,
        description: &str,
        run: impl Fn(&TestArray) -> Result<()>,
        apply: impl FnOnce(&mut Model),
    ) -> Result<()> {
        self.steps.push(description.to_owned());
        let mut new = self.model.clone();
        apply(&mut new);
        self.store.inject(&mut self.random);
        let done = run(&self.array);
        let has_failed = self.store.heal();
        self.failures += u64::from(has_failed);
        match done {
            Err(error) if has_failed => {
                self.steps.push(format!("    failed: {error}"));
                let is_partial = description.starts_with("delete fragments");
                if !is_partial && let Err(difference) = self.shows(&self.model) {
                    let shown = self.shows(&new);
                    let shown = shown.map_err(|new| format!("old: {difference}; new: {new}"));
                    shown.expect("the old or the new content");
                } else {
                    run(&self.array)?;
                    self.steps.push("    repeated".to_owned());
                }
            }
            done => done?,
        }
        self.model = new;
        Ok(())
    }

    fn step(&mut self) {
        match self.random.below(40) {
            0..=15 => self.write(),
            16..=19 if !self.dense => self.delete(),
            16..=23 => self.put_metadata(),
            24..=27 => self.evolve(),
            28 => self.delete_all_fragments(),
            29..=30 => self.delete_some_fragments(),
            _ => self.consolidate_or_vacuum(),
        }
    }
}

/// Returns the parameters of encrypted arrays.
fn encryption() -> [(&'static str, &'static str); 2] {
    [
        ("sm.encryption_type", "AES_256_GCM"),
        ("sm.encryption_key", KEY),
    ]
}

/// Returns a configuration with these parameters.
fn config_of(parameters: &[(&'static str, String)]) -> Config {
    let parameters = parameters.iter();
    let parameters: Vec<_> = parameters
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    setup::config(&parameters)
}

/// Returns a rectangle in a domain.
fn rectangle(domain: &Domain, axes: &[Axis], ranges: &[(i32, i32)]) -> NdRectangle {
    let ranges = axes.iter().zip(ranges);
    let ranges = ranges.map(|(axis, range)| axis.range(*range));
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

/// Runs a history. Returns the numbers of steps, evolutions and failures.
fn run(seed: u64, kind: StoreKind) -> [u64; 3] {
    let mut case = Case::new(seed, kind);
    case.write();
    let number = 3 + case.random.below(12);
    for _ in 0..number {
        case.step();
        case.read_latest();
        case.read_past();
    }
    case.check_and_clean();
    case.read_latest();
    case.read_past();
    if matches!(kind, StoreKind::Service(_)) {
        let array = &case.array;
        array.vfs.remove_dir(&array.uri).expect("removes");
    }
    let evolutions = case.model.moments.len() as u64 - 1;
    [number, evolutions, case.failures]
}

/// Returns whether the environment selects a storage.
fn is_selected(kind: StoreKind) -> bool {
    std::env::var("TILEDB_RS_STORE").map_or(true, |name| name == kind.name())
}

#[test]
fn arrays_equal_the_model_at_any_timestamp() {
    let kinds: Vec<StoreKind> = StoreKind::LOCAL
        .into_iter()
        .filter(|kind| is_selected(*kind))
        .collect();
    if kinds.is_empty() {
        return;
    }
    let mut sums = [0; 3];
    let seeds = random::for_each_seed(200, |seed| {
        let numbers = run(seed, kinds[seed as usize % kinds.len()]);
        (0..3).for_each(|index| sums[index] += numbers[index]);
    });
    let cases = seeds.end - seeds.start;
    let [steps, evolved, failures] = sums;
    println!("seeds {seeds:?}: {steps} steps, {evolved} evolutions, {failures} failures");
    assert!(cases < 10 || evolved > cases / 2);
}

#[test]
fn arrays_equal_the_model_on_every_service() {
    for (index, server) in servers::all().iter().enumerate() {
        let kind = StoreKind::Service(server);
        if is_selected(kind) {
            // Another case on each service.
            let first = 1000 * index as u64;
            let seeds = random::for_each_seed(1, |seed| {
                run(first + seed, kind);
            });
            println!("{}: seeds {seeds:?} after {first}", server.kind);
        }
    }
}
