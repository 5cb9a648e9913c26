//! Merging is compared with a reference that sorts all cells and looks at each group of equal ones.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::merge_plan::MergePlan;
use super::merge_runs::merge_runs;
use super::merge_runs::{Dedup, MergeRules, SortedRun};
use crate::geometry::{Bounds, CellOrder, Coordinates, Keys, Order};
use crate::schema::{ArraySchema, Dimension, Domain, SchemaDraft};
use crate::types::{ArrayType, Datatype, Layout};

/// The kind of coordinates. Each has 16 distinct ones, in ascending order.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Two small integers: keys fit into a word beside the cell.
    Small,
    /// Three integers over their whole range: keys have three words.
    Wide,
    /// Strings with a long common prefix: keys do not decide.
    Texts,
}

/// The coordinates of cells, by dimension.
struct Columns {
    data: Vec<Vec<u8>>,
    starts: Option<Vec<u64>>,
}

impl Columns {
    fn coordinates(&self) -> Vec<Coordinates<'_>> {
        let starts = self.starts.as_deref();
        let data = self.data.iter();
        data.map(|data| Coordinates { data, starts }).collect()
    }
}

impl Kind {
    fn schema(self) -> ArraySchema {
        let integer = |low: i64, high: i64| {
            let bytes = [low.to_le_bytes(), high.to_le_bytes()].concat();
            Dimension::new("d", Datatype::Int64, Some(&bytes), None).expect("a dimension")
        };
        let dimensions = match self {
            Self::Small => vec![integer(0, 3), integer(0, 3)],
            Self::Wide => (0..3).map(|_| integer(i64::MIN, i64::MAX - 1)).collect(),
            Self::Texts => {
                vec![Dimension::new("d", Datatype::StringAscii, None, None).expect("a dimension")]
            }
        };
        let mut schema = SchemaDraft::new(ArrayType::Sparse, Some(1)).snapshot();
        schema.cell_order = Layout::RowMajor;
        schema.domain = Domain {
            dimensions: dimensions.into_iter().map(Arc::new).collect(),
        };
        schema
    }

    fn columns(self, cells: &[u8]) -> Columns {
        let integers = |value: &dyn Fn(u8) -> i64| -> Vec<u8> {
            cells
                .iter()
                .flat_map(|cell| value(*cell).to_le_bytes())
                .collect()
        };
        match self {
            Self::Small => Columns {
                data: vec![
                    integers(&|cell| i64::from(cell / 4)),
                    integers(&|cell| i64::from(cell % 4)),
                ],
                starts: None,
            },
            Self::Wide => Columns {
                data: vec![
                    integers(&|_| i64::MIN),
                    integers(&|cell| i64::from(cell / 4) - 2),
                    integers(&|cell| (i64::from(cell % 4) - 2) << 60),
                ],
                starts: None,
            },
            Self::Texts => {
                let text = |cell: &u8| format!("a long common prefix {cell:02}");
                let texts: Vec<String> = cells.iter().map(text).collect();
                let mut starts = vec![0];
                for text in &texts {
                    starts.push(starts[starts.len() - 1] + text.len() as u64);
                }
                Columns {
                    data: vec![texts.concat().into_bytes()],
                    starts: Some(starts),
                }
            }
        }
    }
}

/// A tile of a fragment.
#[derive(Clone, Debug)]
struct TestTile {
    source: usize,
    index: u64,
    /// The coordinates of the cells.
    cells: Vec<u8>,
    /// The timestamp of each cell, if the fragment stores them.
    times: Option<Vec<u64>>,
    passing: Option<Vec<u8>>,
    counts: Option<Vec<u64>>,
}

impl TestTile {
    fn time(&self, cell: usize) -> u64 {
        match &self.times {
            Some(times) => times[cell],
            None => fragment_time(self.source),
        }
    }

    fn passes(&self, cell: usize) -> bool {
        self.passing
            .as_ref()
            .is_none_or(|passing| passing[cell] == 1)
    }
}

fn fragment_time(source: usize) -> u64 {
    10 * source as u64 + 5
}

/// Merges with the code under test. Returns the tile and the index of each cell.
fn merged(kind: Kind, rules: &MergeRules, tiles: &[TestTile]) -> Vec<(u32, u32)> {
    let columns: Vec<Columns> = tiles.iter().map(|tile| kind.columns(&tile.cells)).collect();
    let refs: Vec<Vec<Coordinates<'_>>> = columns.iter().map(Columns::coordinates).collect();
    let keys: Vec<Keys> = refs
        .iter()
        .map(|columns| {
            let mut keys = Keys::default();
            rules.order.make_keys(columns, &mut keys).expect("keys");
            keys
        })
        .collect();
    let cells: Vec<Vec<u32>> = tiles
        .iter()
        .map(|tile| (0..tile.cells.len() as u32).collect())
        .collect();
    let times: Vec<Option<Vec<u8>>> = tiles
        .iter()
        .map(|tile| {
            let times = tile.times.as_ref()?;
            Some(times.iter().flat_map(|time| time.to_le_bytes()).collect())
        })
        .collect();
    let runs = tiles.iter().enumerate().map(|(index, tile)| SortedRun {
        tile: index as u32,
        source: tile.source,
        tile_index: tile.index,
        keys: &keys[index],
        columns: refs[index].clone(),
        cells: &cells[index],
        is_sorted: rules.is_stored_order,
        time: fragment_time(tile.source),
        times: times[index].as_deref(),
        passing: tile.passing.as_deref(),
        counts: tile.counts.as_deref(),
    });
    let mut plan = MergePlan::default();
    merge_runs(rules, runs.collect(), &mut plan).expect("memory");
    let mut result = Vec::new();
    for (run, count) in plan.undelivered() {
        for cell in run.start..run.start + run.len {
            result.extend(std::iter::repeat_n((run.tile, cell), count as usize));
        }
    }
    result
}

/// Merges the obvious way: for each coordinates, all of their cells, ordered by age.
fn reference(rules: &MergeRules, tiles: &[TestTile]) -> Vec<(u32, u32)> {
    let mut result = Vec::new();
    for coordinates in 0..16 {
        let mut group: Vec<(usize, usize)> = Vec::new();
        for (index, tile) in tiles.iter().enumerate() {
            let cells = (0..tile.cells.len()).filter(|cell| tile.cells[*cell] == coordinates);
            group.extend(cells.map(|cell| (index, cell)));
        }
        let newest_first = rules.is_stored_order || rules.dedup != Dedup::Off;
        group.sort_by_key(|(index, cell)| {
            let (source, tile) = (tiles[*index].source, tiles[*index].index);
            let age = if newest_first {
                usize::MAX - source
            } else {
                source
            };
            (age, tile, *cell)
        });
        let time = |(index, cell): (usize, usize)| tiles[index].time(cell);
        if rules.dedup != Dedup::Off {
            group.sort_by_key(|cell| std::cmp::Reverse(time(*cell)));
        }
        let passes = |(index, cell): &(usize, usize)| tiles[*index].passes(*cell);
        let kept: Vec<(usize, usize)> = match rules.dedup {
            Dedup::Off => group.into_iter().filter(passes).collect(),
            Dedup::Newest => group.into_iter().take(1).filter(passes).collect(),
            Dedup::NewerThanDeleted => group.into_iter().take_while(passes).collect(),
        };
        for (index, cell) in kept {
            let count = tiles[index]
                .counts
                .as_ref()
                .map_or(1, |counts| counts[cell]);
            let cell = (index as u32, cell as u32);
            result.extend(std::iter::repeat_n(cell, count as usize));
        }
    }
    result
}

/// Returns the tiles of some fragments. Cells of a fragment have distinct coordinates, unless it
/// stores timestamps or `has_dups`.
fn tiles(has_dups: bool, is_sorted: bool) -> impl Strategy<Value = Vec<TestTile>> {
    let bytes = || proptest::option::weighted(0.3, proptest::collection::vec(0u8..2, 40));
    let counts = proptest::option::weighted(0.2, proptest::collection::vec(0u64..4, 40));
    let times = proptest::option::weighted(0.3, proptest::collection::vec(0u64..40, 40));
    let fragment = (
        proptest::collection::vec(0u8..16, 1..24),
        1usize..7,
        bytes(),
        counts,
        times,
    );
    proptest::collection::vec(fragment, 1..7).prop_map(move |fragments| {
        let mut tiles = Vec::new();
        for (source, (mut cells, capacity, passing, counts, times)) in
            fragments.into_iter().enumerate()
        {
            let times = times.filter(|_| !has_dups);
            let keeps_equal = has_dups || times.is_some();
            if is_sorted || !keeps_equal {
                cells.sort_unstable();
            }
            if !keeps_equal {
                cells.dedup();
            }
            for (index, cells) in cells.chunks(capacity).enumerate() {
                let len = cells.len();
                tiles.push(TestTile {
                    source,
                    index: index as u64,
                    cells: cells.to_vec(),
                    times: times.as_ref().map(|times| times[..len].to_vec()),
                    passing: passing.as_ref().map(|passing| passing[..len].to_vec()),
                    counts: counts.as_ref().map(|counts| counts[..len].to_vec()),
                });
            }
        }
        tiles
    })
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::Small, Kind::Wide, Kind::Texts])
}

/// Merges the tiles of one of these kinds in stored or another order, and compares.
fn check(
    kind: Kind,
    dedup: Dedup,
    is_stored_order: bool,
    tiles: &[TestTile],
) -> Result<(), TestCaseError> {
    let schema = kind.schema();
    let order = if is_stored_order {
        CellOrder::global(&schema, Bounds::Domain)
    } else {
        CellOrder::of_domain(&schema, Order::RowMajor, Bounds::Domain)
    };
    let rules = MergeRules {
        order: order.expect("an order"),
        dedup,
        is_stored_order,
    };
    prop_assert_eq!(merged(kind, &rules, tiles), reference(&rules, tiles));
    Ok(())
}

proptest! {
    #[test]
    fn all_cells_are_merged_in_stored_order(kind in kind(), tiles in tiles(true, true)) {
        check(kind, Dedup::Off, true, &tiles)?;
    }

    #[test]
    fn all_cells_are_sorted_in_another_order(kind in kind(), tiles in tiles(true, false)) {
        check(kind, Dedup::Off, false, &tiles)?;
    }

    #[test]
    fn the_newest_of_equal_cells_is_kept(
        kind in kind(),
        is_stored_order: bool,
        tiles in tiles(false, true),
    ) {
        check(kind, Dedup::Newest, is_stored_order, &tiles)?;
    }

    #[test]
    fn cells_newer_than_a_deleted_one_are_kept(
        kind in kind(),
        is_stored_order: bool,
        tiles in tiles(false, true),
    ) {
        check(kind, Dedup::NewerThanDeleted, is_stored_order, &tiles)?;
    }
}

#[test]
fn positive_and_negative_zero_are_different_cells() {
    let domain = [(-1f64).to_le_bytes(), 1f64.to_le_bytes()].concat();
    let dimension = Dimension::new("d", Datatype::Float64, Some(&domain), None);
    let mut schema = SchemaDraft::new(ArrayType::Sparse, Some(1)).snapshot();
    schema.domain = Domain {
        dimensions: vec![Arc::new(dimension.expect("a dimension"))].into(),
    };
    let rules = MergeRules {
        order: CellOrder::global(&schema, Bounds::Domain).expect("an order"),
        dedup: Dedup::Newest,
        is_stored_order: true,
    };
    let data = [(-0f64).to_le_bytes(), 0f64.to_le_bytes()];
    let mut keys = [Keys::default(), Keys::default()];
    for (keys, data) in keys.iter_mut().zip(&data) {
        let columns = [Coordinates::fixed(data)];
        rules.order.make_keys(&columns, keys).expect("keys");
    }
    let runs = [0, 1].map(|source| SortedRun {
        tile: source as u32,
        source,
        tile_index: 0,
        keys: &keys[source],
        columns: vec![Coordinates::fixed(&data[source])],
        cells: &[0],
        is_sorted: true,
        time: source as u64,
        times: None,
        passing: None,
        counts: None,
    });
    let mut plan = MergePlan::default();
    merge_runs(&rules, runs.into(), &mut plan).expect("memory");
    assert_eq!(plan.undelivered().count(), 2);
}
