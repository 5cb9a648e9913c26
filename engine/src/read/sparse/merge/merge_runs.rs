//! Merges runs of cells, and removes hidden duplicates: of cells with equal coordinates, the newest
//! is kept. Cells are packed into integers whose order is theirs, if their keys permit that.

use super::super::merge_plan::MergePlan;
use crate::error::{Result, try_reserved};
use crate::geometry::{CellOrder, Coordinates, KeyedCells, Keys, sort_by_bits};
use crate::memory::pool;
use crate::memory::tuning::MAX_COMPARED_RUNS;
use crate::types::Value;

/// Appends the cells of all runs to the plan in order.
pub(super) fn merge_runs(
    rules: &MergeRules,
    runs: Vec<SortedRun<'_>>,
    plan: &mut MergePlan,
) -> Result<()> {
    for cluster in clusters(rules, runs) {
        merge_cluster(rules, cluster, plan)?;
    }
    Ok(())
}

/// Groups runs so that all cells of a group precede those of the next.
fn clusters<'a>(rules: &MergeRules, mut runs: Vec<SortedRun<'a>>) -> Vec<Vec<SortedRun<'a>>> {
    runs.retain(|run| !run.cells.is_empty());
    if runs.is_empty() {
        return Vec::new();
    }
    if !rules.is_stored_order {
        // Unsorted runs are sorted together.
        return vec![runs];
    }
    let ends = |run: &SortedRun<'_>| run.ends().unwrap_or_default();
    let compare = |a: &SortedRun<'_>, i: usize, b: &SortedRun<'_>, j: usize| {
        rules.order.compare(a.keyed(), i, b.keyed(), j)
    };
    if runs.len() > 1 {
        runs.sort_by(|a, b| compare(a, ends(a).0, b, ends(b).0));
    }
    let mut clusters: Vec<Vec<SortedRun<'_>>> = Vec::new();
    // The run of the last cluster whose end is the largest, by its index in the cluster.
    let mut furthest = 0;
    for run in runs {
        let Some(cluster) = clusters.last_mut() else {
            clusters.push(vec![run]);
            continue;
        };
        let last = &cluster[furthest];
        let order_of_last = |cell: usize| compare(last, ends(last).1, &run, cell);
        let overlaps = order_of_last(ends(&run).0).is_ge();
        let is_further = order_of_last(ends(&run).1).is_lt();
        if !overlaps {
            furthest = 0;
            clusters.push(vec![run]);
            continue;
        }
        if is_further {
            furthest = cluster.len();
        }
        cluster.push(run);
    }
    clusters
}

/// Appends the cells of overlapping runs to the plan in order.
fn merge_cluster(
    rules: &MergeRules,
    mut runs: Vec<SortedRun<'_>>,
    plan: &mut MergePlan,
) -> Result<()> {
    if let [run] = &runs[..]
        && run.is_sorted
        && run.times.is_none()
    {
        let cells = run.cells.iter();
        append(
            &runs,
            cells.map(|cell| RunCell {
                run: 0,
                cell: *cell,
            }),
            plan,
        );
        return Ok(());
    }
    sort_by_age(rules, &mut runs);
    let keeps_first = rules.dedup == Dedup::Newest
        && rules.order.keys_are_cells()
        && runs.iter().all(|run| run.times.is_none());
    let (cells, equals_previous) = match PackedCells::new(rules, &runs)? {
        Some(mut packed) => {
            packed.sort(runs.len(), rules.is_stored_order)?;
            if keeps_first || rules.dedup == Dedup::Off {
                plan.reserve(packed.len());
                if keeps_first {
                    append(&runs, packed.first_cells(), plan);
                } else {
                    append(&runs, packed.cells(), plan);
                }
                packed.recycle();
                return Ok(());
            }
            (packed.cells().collect(), packed.equals_previous())
        }
        None => sort_by_keys(rules, &runs)?,
    };
    let kept = match rules.dedup {
        Dedup::Off => cells,
        _ => dedup(rules, &runs, cells, &equals_previous),
    };
    append(&runs, kept.into_iter(), plan);
    Ok(())
}

/// Orders runs so that the first of equal cells is the one to keep or to deliver first.
fn sort_by_age(rules: &MergeRules, runs: &mut [SortedRun<'_>]) {
    // Of equal cells the newest is kept, so the newest fragment is first. If all are kept, the
    // newest is first in global order, as in libtiledb, and the oldest in other orders. Those of
    // one fragment are in storage order.
    let newest_first = rules.dedup != Dedup::Off || rules.is_stored_order;
    runs.sort_by_key(|run| {
        let age = if newest_first {
            usize::MAX - run.source
        } else {
            run.source
        };
        (age, run.tile_index)
    });
}

/// Sorts cells by the first words of their keys, and then by complete keys. Returns for each
/// whether it equals the previous one.
fn sort_by_keys(rules: &MergeRules, runs: &[SortedRun<'_>]) -> Result<(Vec<RunCell>, Vec<bool>)> {
    let cell_num = runs.iter().map(|run| run.cells.len()).sum();
    let mut items: Vec<(u64, RunCell)> = try_reserved("cell order", cell_num)?;
    for (index, run) in (0u32..).zip(runs) {
        let words = run.keys.word(0);
        items.extend(run.cells.iter().map(|cell| {
            let run_cell = RunCell {
                run: index,
                cell: *cell,
            };
            (words[*cell as usize], run_cell)
        }));
    }
    let is_exact = rules.order.word_num() == 1 && rules.order.keys_decide();
    let compare = |(a, cell_a): &(u64, RunCell), (b, cell_b): &(u64, RunCell)| {
        a.cmp(b)
            .then_with(|| compare_cells(rules, runs, *cell_a, *cell_b))
    };
    if is_exact {
        items.sort_by_key(|(word, _)| *word)
    } else {
        items.sort_by(compare)
    }
    let mut equals_previous = vec![false; items.len()];
    for (pair, equals) in items.windows(2).zip(equals_previous.iter_mut().skip(1)) {
        *equals = pair[0].0 == pair[1].0 && (is_exact || compare(&pair[0], &pair[1]).is_eq());
    }
    let cells = items.into_iter().map(|(_, cell)| cell).collect();
    Ok((cells, equals_previous))
}

fn compare_cells(
    rules: &MergeRules,
    runs: &[SortedRun<'_>],
    a: RunCell,
    b: RunCell,
) -> std::cmp::Ordering {
    let (a_run, b_run) = (runs[a.run as usize].keyed(), runs[b.run as usize].keyed());
    let (a_cell, b_cell) = (a.cell as usize, b.cell as usize);
    rules.order.compare(a_run, a_cell, b_run, b_cell)
}

/// Returns whether two cells with equal keys have equal coordinates: the two floating-point zeros
/// have equal keys.
fn is_same_cell(rules: &MergeRules, runs: &[SortedRun<'_>], a: RunCell, b: RunCell) -> bool {
    let (a_run, b_run) = (runs[a.run as usize].keyed(), runs[b.run as usize].keyed());
    let (a_cell, b_cell) = (a.cell as usize, b.cell as usize);
    rules.order.same_cell(a_run, a_cell, b_run, b_cell)
}

/// Returns the cells of sorted cells that are not hidden.
fn dedup(
    rules: &MergeRules,
    runs: &[SortedRun<'_>],
    cells: Vec<RunCell>,
    equals_previous: &[bool],
) -> Vec<RunCell> {
    if !equals_previous.contains(&true) {
        return cells;
    }
    let mut kept = Vec::with_capacity(cells.len());
    let mut first = 0;
    while first < cells.len() {
        let equal = equals_previous[first + 1..]
            .iter()
            .take_while(|equal| **equal);
        let end = first + 1 + equal.count();
        match &cells[first..end] {
            [one] => kept.push(*one),
            group if rules.dedup == Dedup::NewerThanDeleted => {
                keep_newer_than_deleted(rules, runs, group, &mut kept);
            }
            group => keep_newest(rules, runs, group, &mut kept),
        }
        first = end;
    }
    kept
}

/// Appends the newest cell of each coordinates among cells with equal keys.
fn keep_newest(
    rules: &MergeRules,
    runs: &[SortedRun<'_>],
    group: &[RunCell],
    kept: &mut Vec<RunCell>,
) {
    let first = kept.len();
    let time = |cell: RunCell| runs[cell.run as usize].time(cell.cell);
    for cell in group {
        let mut newest = kept[first..].iter_mut();
        match newest.find(|newest| is_same_cell(rules, runs, **newest, *cell)) {
            None => kept.push(*cell),
            Some(newest) if time(*cell) > time(*newest) => *newest = *cell,
            Some(_) => {}
        }
    }
}

/// Appends the cells that are newer than any deleted one with the same coordinates, among cells
/// with equal keys.
fn keep_newer_than_deleted(
    rules: &MergeRules,
    runs: &[SortedRun<'_>],
    group: &[RunCell],
    kept: &mut Vec<RunCell>,
) {
    let mut remaining = group.to_vec();
    remaining.sort_by_key(|cell| std::cmp::Reverse(runs[cell.run as usize].time(cell.cell)));
    while let Some(first) = remaining.first().copied() {
        let (equal, others): (Vec<_>, Vec<_>) = remaining
            .into_iter()
            .partition(|cell| is_same_cell(rules, runs, first, *cell));
        remaining = others;
        kept.extend(
            equal
                .into_iter()
                .take_while(|cell| runs[cell.run as usize].passes(cell.cell)),
        );
    }
}

/// Appends cells in order, without those that do not pass.
fn append(runs: &[SortedRun<'_>], cells: impl Iterator<Item = RunCell>, plan: &mut MergePlan) {
    let tiles: Vec<u32> = runs.iter().map(|run| run.tile).collect();
    let passes = |cell: &RunCell| runs[cell.run as usize].passes(cell.cell);
    if runs.iter().any(|run| run.counts.is_some()) {
        for RunCell { run, cell } in cells.filter(passes) {
            let counts = runs[run as usize].counts;
            let count = counts.and_then(|counts| counts.get(cell as usize).copied());
            plan.push_cell(tiles[run as usize], cell, count.unwrap_or(1));
        }
        return;
    }
    let tile = |RunCell { run, cell }: RunCell| (tiles[run as usize], cell);
    if runs.iter().any(|run| run.passing.is_some()) {
        plan.extend_cells(cells.filter(passes).map(tile));
    } else {
        plan.extend_cells(cells.map(tile));
    }
}

/// The order of merged cells, and which of them are kept.
#[derive(Debug)]
pub(super) struct MergeRules {
    pub(super) order: CellOrder,
    pub(super) dedup: Dedup,
    /// Whether fragments store their cells in this order.
    pub(super) is_stored_order: bool,
}

/// Which of the cells with equal coordinates are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dedup {
    /// All of them.
    Off,
    /// The newest one.
    Newest,
    /// All that are newer than the newest deleted one.
    NewerThanDeleted,
}

/// Cells of one tile that are merged with those of others.
#[derive(Debug)]
pub(super) struct SortedRun<'a> {
    /// The index of the tile among those in memory.
    pub(super) tile: u32,
    /// The index of the fragment in the read and of the tile in the fragment. Later fragments are
    /// newer.
    pub(super) source: usize,
    pub(super) tile_index: u64,
    /// The keys and the coordinates of all cells of the tile.
    pub(super) keys: &'a Keys,
    pub(super) columns: Vec<Coordinates<'a>>,
    /// The cells of the run.
    pub(super) cells: &'a [u32],
    /// Whether they are in order.
    pub(super) is_sorted: bool,
    /// The timestamp of all cells, unless each has one.
    pub(super) time: u64,
    /// The little-endian timestamp of each cell of the tile. Cells of one fragment may hide one
    /// another then.
    pub(super) times: Option<&'a [u8]>,
    /// A byte per cell of the tile, 1 if it is delivered unless it is hidden; `None` if all are.
    pub(super) passing: Option<&'a [u8]>,
    /// The number of times each cell of the tile is delivered; `None` if each is delivered once.
    pub(super) counts: Option<&'a [u64]>,
}

/// A cell of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunCell {
    /// The index of the run.
    pub(super) run: u32,
    /// The index of the cell in its tile.
    pub(super) cell: u32,
}

impl SortedRun<'_> {
    pub(super) fn keyed(&self) -> KeyedCells<'_> {
        KeyedCells {
            keys: self.keys,
            columns: &self.columns,
        }
    }

    pub(super) fn time(&self, cell: u32) -> u64 {
        match self.times {
            None => self.time,
            Some(times) => u64::read(times.get(cell as usize * 8..).unwrap_or_default()),
        }
    }

    pub(super) fn passes(&self, cell: u32) -> bool {
        self.passing
            .is_none_or(|passing| passing[cell as usize] != 0)
    }

    /// Returns the first and the last cell.
    pub(super) fn ends(&self) -> Option<(usize, usize)> {
        Some((*self.cells.first()? as usize, *self.cells.last()? as usize))
    }
}

/// Cells as integers: the differing bits of their keys, then the run, then the cell in its tile.
pub(super) struct PackedCells {
    items: Vec<u64>,
    /// The number of bits of the cell. Bits from `low` to `high` are the key, those between are the
    /// run.
    cell_bits: u32,
    low: u32,
    high: u32,
}

impl PackedCells {
    /// Packs the cells of runs. Returns `None` if keys do not determine the order or do not fit
    /// into an integer.
    pub(super) fn new(rules: &MergeRules, runs: &[SortedRun<'_>]) -> Result<Option<Self>> {
        if rules.order.word_num() > 1 || !rules.order.keys_decide() {
            return Ok(None);
        }
        let runs = || runs.iter().map(|run| (run.keys.word(0), run.cells));
        let first = runs()
            .find_map(|(words, cells)| Some(words[*cells.first()? as usize]))
            .unwrap_or_default();
        let differing = runs().fold(0, |all, (words, cells)| {
            if cells.len() == words.len() {
                words.iter().fold(all, |all, word| all | (word ^ first))
            } else {
                cells
                    .iter()
                    .fold(all, |all, cell| all | (words[*cell as usize] ^ first))
            }
        });
        let leading = differing.leading_zeros().min(63);
        let trailing = differing.trailing_zeros() % 64;
        let largest = runs().map(|(words, _)| words.len()).max();
        let cell_bits = bits_of(largest.unwrap_or_default());
        let low = cell_bits + bits_of(runs().count());
        let high = 64 - leading - trailing + low;
        if high > 64 {
            return Ok(None);
        }
        let cell_num = runs().map(|(_, cells)| cells.len()).sum();
        let mut items = pool::filled_words("cell order", cell_num)?;
        let mut rest = &mut items[..];
        for (run, (words, cells)) in runs().enumerate() {
            let run = (run as u64) << cell_bits;
            let pack =
                |word: u64, cell: u64| (word << leading >> leading >> trailing) << low | run | cell;
            let (packed, later) = rest.split_at_mut(cells.len());
            rest = later;
            // If all cells of a tile are selected, they are not looked up one by one; the order is
            // irrelevant for sorting.
            if cells.len() == words.len() {
                for ((item, word), cell) in packed.iter_mut().zip(words).zip(0..) {
                    *item = pack(*word, cell);
                }
                continue;
            }
            for (item, cell) in packed.iter_mut().zip(cells) {
                *item = pack(words[*cell as usize], u64::from(*cell));
            }
        }
        Ok(Some(Self {
            items,
            cell_bits,
            low,
            high,
        }))
    }

    /// Sorts the cells. `run_num` is the number of runs, which are sorted if `are_sorted`.
    pub(super) fn sort(&mut self, run_num: usize, are_sorted: bool) -> Result<()> {
        // The sort of the standard library merges a few sorted runs faster than a radix sort.
        if are_sorted && run_num <= MAX_COMPARED_RUNS {
            self.items.sort();
            return Ok(());
        }
        sort_by_bits(&mut self.items, self.low, self.high)
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns all cells in their order.
    pub(super) fn cells(&self) -> impl Iterator<Item = RunCell> + '_ {
        self.items.iter().map(|item| self.unpack(*item))
    }

    /// Returns the first of each group of cells with equal keys.
    pub(super) fn first_cells(&self) -> impl Iterator<Item = RunCell> + '_ {
        let mut previous = None;
        self.items.iter().filter_map(move |item| {
            let key = Some(self.key(*item));
            let is_first = std::mem::replace(&mut previous, key) != key;
            is_first.then(|| self.unpack(*item))
        })
    }

    /// Returns for each cell whether its key equals that of the previous one.
    pub(super) fn equals_previous(&self) -> Vec<bool> {
        let later = self
            .items
            .windows(2)
            .map(|pair| self.key(pair[0]) == self.key(pair[1]));
        self.items
            .first()
            .map(|_| false)
            .into_iter()
            .chain(later)
            .collect()
    }

    /// Puts the memory into the buffer pool.
    pub(super) fn recycle(self) {
        pool::put_words(self.items, usize::MAX);
    }

    fn key(&self, item: u64) -> u64 {
        item.checked_shr(self.low).unwrap_or(0)
    }

    fn unpack(&self, item: u64) -> RunCell {
        let cell_mask = (1u64 << self.cell_bits) - 1;
        let run_mask = (1u64 << (self.low - self.cell_bits)) - 1;
        let run = (item >> self.cell_bits) & run_mask;
        RunCell {
            run: run as u32,
            cell: (item & cell_mask) as u32,
        }
    }
}

/// Returns the number of bits for indexes less than `number`.
fn bits_of(number: usize) -> u32 {
    usize::BITS - number.saturating_sub(1).leading_zeros()
}
