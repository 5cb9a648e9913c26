//! Merges runs of cells, and removes hidden duplicates: of cells with equal coordinates, the newest
//! is kept.

use super::super::merge_plan::MergePlan;
use super::packed_cells::PackedCells;
use super::sorted_run::{Dedup, MergeRules, RunCell, SortedRun};
use crate::error::{Result, try_reserved};

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
        && !run.has_times()
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
        && !runs.iter().any(SortedRun::has_times);
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
        let cells = run.cells.iter();
        items.extend(cells.map(|cell| {
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
        let is_same = |cell: &RunCell| is_same_cell(rules, runs, first, *cell);
        let (equal, others): (Vec<_>, Vec<_>) = remaining.into_iter().partition(is_same);
        remaining = others;
        let passes = |cell: &RunCell| runs[cell.run as usize].passes(cell.cell);
        kept.extend(equal.into_iter().take_while(passes));
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
