//! The parts of a read, which are disjoint and cut at tile boundaries.
//!
//! The bounding boxes of the parts of a sparse read contain complete tiles, so that no tile belongs
//! to two parts. A dense read is cut into boxes of complete space tiles.

use std::cmp::Ordering;

use datafusion::error::{DataFusionError, Result};
use tiledb_engine::{Array, FragmentDetails, NonEmptyDomain, Scalar, Subarray};

use crate::error::engine_error;
use crate::ranges::{RangeSet, compare};

/// The bounds of a box, both included, for each dimension.
type Bounds = Vec<(Scalar, Scalar)>;

/// The number of disjoint boxes of written cells of a dense array that are read one by one.
const MAX_BOXES: usize = 10_000;
/// The least decoded bytes of a part, unless options state others: smaller reads are not divided.
pub(crate) const MIN_PART_BYTES: u64 = 1 << 20;

/// The most threads that read the metadata of fragments.
const READERS: usize = 16;

/// The closed ranges of each dimension of a read of the engine.
pub(crate) type Ranges = Vec<Vec<(Scalar, Scalar)>>;

/// A part of a read: the cells in its boxes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) boxes: Vec<Ranges>,
    /// The number of cells; of sparse arrays, of the tiles that are read.
    pub(crate) cells: u64,
    /// The number of tiles.
    pub(crate) tiles: u64,
}

/// The parts of a read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    pub(crate) parts: Vec<Part>,
    /// The fragments that have cells in the ranges, and all fragments.
    pub(crate) fragments: u64,
    pub(crate) all_fragments: u64,
}

impl Part {
    /// Returns the least value of the first dimension, if that has integers or times.
    pub(crate) fn start(&self) -> Option<i128> {
        let ranges = self.boxes.iter().filter_map(|ranges| ranges.first());
        let lows = ranges.filter_map(|ranges| Some(&ranges.first()?.0));
        let lows = lows.map(|low| match low {
            Scalar::Integer(low) => Some(*low),
            _ => None,
        });
        lows.collect::<Option<Vec<_>>>()?.into_iter().min()
    }

    /// Returns the cells with values from `low` to `high` in the first dimension. Their number is
    /// exact if all coordinates have a cell, otherwise estimated.
    fn between(&self, low: Option<i128>, high: Option<i128>) -> Self {
        let (mut all, mut kept, mut boxes) = (0_u128, 0_u128, Vec::new());
        for ranges in &self.boxes {
            let Some((first, others)) = ranges.split_first() else {
                continue;
            };
            let inside: Vec<_> = first
                .iter()
                .filter_map(|range| {
                    let (Scalar::Integer(start), Scalar::Integer(end)) = range else {
                        return None;
                    };
                    let start = low.map_or(*start, |low| low.max(*start));
                    let end = high.map_or(*end, |high| high.min(*end));
                    (start <= end).then(|| (start.into(), end.into()))
                })
                .collect();
            all = all.saturating_add(coordinates(ranges));
            if !inside.is_empty() {
                let ranges = [vec![inside], others.to_vec()].concat();
                kept = kept.saturating_add(coordinates(&ranges));
                boxes.push(ranges);
            }
        }
        let share = |number: u64| {
            let share = u128::from(number).saturating_mul(kept).div_ceil(all.max(1));
            u64::try_from(share).unwrap_or(u64::MAX).min(number)
        };
        Self {
            boxes,
            cells: share(self.cells),
            tiles: share(self.tiles),
        }
    }
}

/// Returns the number of coordinates of a box; ranges of other values than integers have one.
fn coordinates(ranges: &Ranges) -> u128 {
    let lengths = ranges.iter().map(|ranges| {
        ranges
            .iter()
            .map(|range| match range {
                (Scalar::Integer(low), Scalar::Integer(high)) => (high - low + 1) as u128,
                _ => 1,
            })
            .fold(0, u128::saturating_add)
    });
    lengths.fold(1, u128::saturating_mul)
}

impl Parts {
    /// Returns parts with the same cells, of which each but the first starts at one of these values
    /// of the first dimension, which has integers or times. A part may be empty.
    pub(crate) fn cut_at(&self, starts: &[i128]) -> Self {
        let parts = (0..=starts.len()).map(|index| {
            let low = index.checked_sub(1).map(|index| starts[index]);
            let high = starts.get(index).map(|start| start - 1);
            let mut cut = Part {
                boxes: Vec::new(),
                cells: 0,
                tiles: 0,
            };
            for part in &self.parts {
                let part = part.between(low, high);
                cut.boxes.extend(part.boxes);
                cut.cells = cut.cells.saturating_add(part.cells);
                cut.tiles = cut.tiles.saturating_add(part.tiles);
            }
            cut
        });
        Self {
            parts: parts.collect(),
            ..*self
        }
    }
}

/// The selection of a read, and its division.
#[derive(Clone, Debug)]
pub(crate) struct Division<'a> {
    pub(crate) ranges: &'a [RangeSet],
    /// The most parts.
    pub(crate) target: usize,
    /// The decoded bytes of a cell.
    pub(crate) cell_bytes: u64,
    /// Whether cells of dense arrays that were not written are read.
    pub(crate) unwritten: bool,
    /// The least decoded bytes of a part.
    pub(crate) min_part_bytes: u64,
}

impl Division<'_> {
    /// Returns the number of parts for this number of cells.
    fn number(&self, cells: u64) -> usize {
        let bytes = cells.saturating_mul(self.cell_bytes);
        let most = usize::try_from(bytes / self.min_part_bytes.max(1)).unwrap_or(usize::MAX);
        self.target.min(most).max(1)
    }

    /// Divides a read of an array.
    pub(crate) fn parts(&self, array: &Array) -> Result<Parts> {
        if array
            .schema()
            .map_err(|error| engine_error(array.uri(), error))?
            .is_dense()
        {
            self.dense(array)
        } else {
            self.sparse(array)
        }
    }

    fn misses(&self, bounds: &Bounds) -> bool {
        let mut dimensions = self.ranges.iter().zip(bounds);
        dimensions.any(|(ranges, (low, high))| ranges.misses(low, high))
    }

    /// Returns the selected ranges in a box; `None` if a dimension has none.
    fn within(&self, bounds: &Bounds) -> Option<Ranges> {
        let dimensions = self.ranges.iter().zip(bounds);
        let ranges: Ranges = dimensions
            .map(|(ranges, (low, high))| ranges.closed_within(low, high))
            .collect();
        let is_empty = ranges.iter().any(Vec::is_empty);
        (!is_empty).then_some(ranges)
    }

    fn sparse(&self, array: &Array) -> Result<Parts> {
        let fragments = array
            .fragments()
            .map_err(|error| engine_error(array.uri(), error))?;
        let mut read = Vec::new();
        for fragment in &fragments {
            let domain = bounds(fragment.non_empty_domain());
            if !domain.is_empty() && !self.misses(&domain) {
                read.push((fragment, domain));
            }
        }
        // The numbers come from storage.
        let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0, u64::saturating_add);
        let cells = sum(&mut read.iter().map(|(fragment, _)| fragment.cell_num()));
        let whole: Vec<Tile> = read
            .iter()
            .map(|(fragment, domain)| Tile {
                bounds: domain.clone(),
                cells: fragment.cell_num(),
                tiles: fragment.tile_num(),
            })
            .collect();
        let number = self.number(cells);
        let mut groups = vec![(0..whole.len()).collect::<Vec<usize>>()];
        let mut tiles = whole;
        // The bounds of fragments are in memory, those of tiles are not.
        if number > 1 {
            groups = cut(&tiles, number);
            if groups.len() < number {
                let fragments: Vec<_> = read.iter().map(|(fragment, _)| *fragment).collect();
                let all = tiles_of(&fragments);
                tiles = all.map_err(|error| engine_error(array.uri(), error))?;
                tiles.retain(|tile| !self.misses(&tile.bounds));
                let cells = sum(&mut tiles.iter().map(|tile| tile.cells));
                groups = cut(&tiles, self.number(cells));
            }
        }
        let mut parts = Vec::with_capacity(groups.len());
        for group in groups {
            let members = || group.iter().filter_map(|index| tiles.get(*index));
            let Some(bounds) = bounding_box(members().map(|tile| &tile.bounds)) else {
                continue;
            };
            if let Some(ranges) = self.within(&bounds) {
                parts.push(Part {
                    boxes: vec![ranges],
                    cells: sum(&mut members().map(|tile| tile.cells)),
                    tiles: sum(&mut members().map(|tile| tile.tiles)),
                });
            }
        }
        Ok(Parts {
            parts,
            fragments: read.len() as u64,
            all_fragments: fragments.len() as u64,
        })
    }

    fn dense(&self, array: &Array) -> Result<Parts> {
        let schema = array
            .schema()
            .map_err(|error| engine_error(array.uri(), error))?;
        let mut grid = Vec::new();
        for dimension in schema.dimensions() {
            let integer = |value: Scalar| match value {
                Scalar::Integer(value) => value,
                _ => 0,
            };
            let (low, high) = dimension.bounds().unwrap_or((0.into(), 0.into()));
            let (low, high) = (integer(low), integer(high));
            let extent = dimension.tile_extent().map_or(high - low + 1, integer);
            grid.push(GridDimension {
                low,
                high,
                extent: extent.max(1),
            });
        }
        let fragments = array
            .fragments()
            .map_err(|error| engine_error(array.uri(), error))?;
        let mut fragment_boxes = Vec::new();
        for fragment in &fragments {
            let bounds = integers(
                fragment
                    .non_empty_domain()
                    .into_iter()
                    .map(|range| range.into_inner()),
            );
            if !bounds.is_empty() {
                fragment_boxes.push(bounds);
            }
        }
        let read = fragment_boxes.iter();
        let read = read.filter(|bounds| !self.misses(&scalars(bounds))).count() as u64;
        let boxes = if self.unwritten {
            let domain: IntegerBox = match schema.current_domain() {
                Some(domain) => integers(domain.into_iter().map(|range| range.into_inner())),
                None => grid
                    .iter()
                    .map(|dimension| (dimension.low, dimension.high))
                    .collect(),
            };
            vec![domain]
        } else {
            union(&fragment_boxes).ok_or_else(|| {
                DataFusionError::Execution(format!(
                    "the written cells of '{}' are in more than {MAX_BOXES} boxes: consolidate the \
                     array, or read all cells of its domain (unwritten_cells)",
                    array.uri()
                ))
            })?
        };
        let total = boxes
            .iter()
            .map(|bounds| self.selected(bounds))
            .fold(0, u128::saturating_add);
        let number = self.number(u64::try_from(total).unwrap_or(u64::MAX));
        // Products with the number of parts fit, also of domains with nearly 2^128 cells.
        let shift = (u128::BITS - total.leading_zeros()).saturating_sub(u64::BITS);
        let scaled = |cells: u128| cells >> shift;
        let mut pieces = Vec::new();
        for bounds in &boxes {
            let share = match total {
                0 => 1,
                _ => (scaled(self.selected(bounds)) * number as u128).div_ceil(scaled(total))
                    as usize,
            };
            // Parts of the selected cells are divided, not parts of the box.
            let Some(ranges) = self.within(&scalars(bounds)) else {
                continue;
            };
            let inner = ranges.iter().map(|ranges| {
                let low = ranges.first().map(|(low, _)| low.clone());
                let high = ranges.last().map(|(_, high)| high.clone());
                (
                    low.unwrap_or_else(|| 0.into()),
                    high.unwrap_or_else(|| 0.into()),
                )
            });
            pieces.extend(cut_box(&integers(inner), &grid, share.max(1)));
        }
        let mut parts: Vec<Part> = Vec::new();
        let (mut taken, mut last) = (0_u128, None);
        for piece in pieces {
            let Some(ranges) = self.within(&scalars(&piece)) else {
                continue;
            };
            let cells = self.selected(&piece);
            let tiles = tile_num(&piece, &grid);
            // The middle of the piece determines its part.
            let slot = scaled(taken.saturating_add(cells / 2)) * number as u128;
            let slot = (slot / scaled(total).max(1)) as usize;
            taken = taken.saturating_add(cells);
            let cells = u64::try_from(cells).unwrap_or(u64::MAX);
            match parts.last_mut() {
                Some(part) if last == Some(slot) => {
                    part.boxes.push(ranges);
                    part.cells = part.cells.saturating_add(cells);
                    part.tiles = part.tiles.saturating_add(tiles);
                }
                _ => parts.push(Part {
                    boxes: vec![ranges],
                    cells,
                    tiles,
                }),
            }
            last = Some(slot);
        }
        Ok(Parts {
            parts,
            fragments: read,
            all_fragments: fragments.len() as u64,
        })
    }

    /// Returns the number of selected cells of a box.
    fn selected(&self, bounds: &IntegerBox) -> u128 {
        let Some(ranges) = self.within(&scalars(bounds)) else {
            return 0;
        };
        coordinates(&ranges)
    }
}

fn bounds(domain: NonEmptyDomain) -> Bounds {
    let ranges = domain.into_iter();
    ranges.map(|range| range.into_inner()).collect()
}

/// Returns the tiles of fragments. Their metadata is read by several threads, because each waits
/// for a request if the array is remote.
fn tiles_of(fragments: &[&FragmentDetails]) -> tiledb_engine::Result<Vec<Tile>> {
    let chunk = fragments.len().div_ceil(READERS).max(1);
    let each = std::thread::scope(|scope| {
        let readers = fragments.chunks(chunk).map(|fragments| {
            scope.spawn(move || {
                let mut tiles = Vec::new();
                for fragment in fragments {
                    add_tiles(fragment, &mut tiles)?;
                }
                Ok(tiles)
            })
        });
        let readers: Vec<_> = readers.collect();
        let tiles = readers.into_iter().map(|reader| match reader.join() {
            Ok(tiles) => tiles,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        tiles.collect::<tiledb_engine::Result<Vec<_>>>()
    });
    Ok(each?.into_iter().flatten().collect())
}

fn add_tiles(fragment: &FragmentDetails, tiles: &mut Vec<Tile>) -> tiledb_engine::Result<()> {
    let (number, mut left) = (fragment.tile_num().max(1), fragment.cell_num());
    let each = left.div_ceil(number);
    for domain in fragment.tile_bounds()? {
        let cells = each.min(left);
        left -= cells;
        tiles.push(Tile {
            bounds: bounds(domain),
            cells,
            tiles: 1,
        });
    }
    Ok(())
}

/// Returns the ranges as a subarray of a schema with these dimensions.
pub(crate) fn subarray<'a>(ranges: &Ranges, dimensions: impl Iterator<Item = &'a str>) -> Subarray {
    let mut subarray = Subarray::new();
    for (name, ranges) in dimensions.zip(ranges) {
        for (low, high) in ranges {
            subarray = subarray.range(name, low.clone()..=high.clone());
        }
    }
    subarray
}

/// A tile, or all tiles of a fragment.
#[derive(Debug)]
struct Tile {
    bounds: Bounds,
    cells: u64,
    tiles: u64,
}

fn bounding_box<'a>(mut boxes: impl Iterator<Item = &'a Bounds>) -> Option<Bounds> {
    let mut all = boxes.next()?.clone();
    for bounds in boxes {
        for ((low, high), (other_low, other_high)) in all.iter_mut().zip(bounds) {
            if compare(other_low, low) == Ordering::Less {
                *low = other_low.clone();
            }
            if compare(other_high, high) == Ordering::Greater {
                *high = other_high.clone();
            }
        }
    }
    Some(all)
}

/// The positions of the bounds of each tile in the order of all bounds, for each dimension: numbers
/// are compared faster than values.
type Ranks = Vec<Vec<(usize, usize)>>;

fn ranks_of(tiles: &[Tile]) -> Ranks {
    let dimensions = tiles.first().map_or(0, |tile| tile.bounds.len());
    let ranks = (0..dimensions).map(|dimension| {
        // The tiles of a fragment are often in order, which the sort detects.
        let bounds = tiles.iter().enumerate().flat_map(|(index, tile)| {
            let (low, high) = &tile.bounds[dimension];
            [(low, index, true), (high, index, false)]
        });
        let mut bounds: Vec<_> = bounds.collect();
        bounds.sort_by(|left, right| compare(left.0, right.0));
        let mut ranks = vec![(0, 0); tiles.len()];
        let (mut rank, mut previous) = (0, None);
        for (value, index, is_low) in bounds {
            if previous.is_some_and(|previous| compare(previous, value) != Ordering::Equal) {
                rank += 1;
            }
            previous = Some(value);
            if is_low {
                ranks[index].0 = rank;
            } else {
                ranks[index].1 = rank;
            }
        }
        ranks
    });
    ranks.collect()
}

/// Divides tiles into at most `number` groups with nearly equal cells, whose bounding boxes are
/// disjoint.
fn cut(tiles: &[Tile], number: usize) -> Vec<Vec<usize>> {
    let mut groups = Vec::new();
    let all = (0..tiles.len()).collect();
    cut_group(tiles, &ranks_of(tiles), all, number, &mut groups);
    groups
}

fn cut_group(
    tiles: &[Tile],
    ranks: &Ranks,
    group: Vec<usize>,
    number: usize,
    groups: &mut Vec<Vec<usize>>,
) {
    let cells = group.iter().map(|index| tiles[*index].cells);
    let total = cells.fold(0, u64::saturating_add);
    if number <= 1 || group.len() <= 1 || total == 0 {
        groups.push(group);
        return;
    }
    let first_number = number / 2;
    let target_cells = (u128::from(total) * first_number as u128 / number as u128) as u64;
    let mut best: Option<(u64, Vec<usize>, usize)> = None;
    for bounds in ranks {
        let low = |index: usize| bounds[index].0;
        let high = |index: usize| bounds[index].1;
        // The parts of a group are sorted already, unless another dimension was cut.
        let mut sorted = group.clone();
        sorted.sort_by_key(|index| low(*index));
        let (mut cells, mut reached) = (0, high(sorted[0]));
        let mut nearest: Option<(u64, usize)> = None;
        for position in 1..sorted.len() {
            let previous = sorted[position - 1];
            cells = tiles[previous].cells.saturating_add(cells);
            reached = reached.max(high(previous));
            let distance = cells.abs_diff(target_cells);
            let is_nearer = nearest.is_none_or(|(least, _)| distance < least);
            if is_nearer && reached < low(sorted[position]) {
                nearest = Some((distance, position));
            }
        }
        if let Some((distance, position)) = nearest
            && best.as_ref().is_none_or(|(least, ..)| distance < *least)
        {
            best = Some((distance, sorted, position));
        }
        // A cut through the first dimension keeps the order of the cells.
        if best
            .as_ref()
            .is_some_and(|(distance, ..)| *distance <= total / 20)
        {
            break;
        }
    }
    let Some((_, mut first, position)) = best else {
        groups.push(group);
        return;
    };
    let second = first.split_off(position);
    let cells = first.iter().map(|index| tiles[*index].cells);
    let cells = cells.fold(0, u64::saturating_add);
    // An unequal cut gives each side the number of parts of its cells.
    let share = (u128::from(cells) * number as u128 + u128::from(total / 2)) / u128::from(total);
    let share = (share as usize).clamp(1, number - 1);
    cut_group(tiles, ranks, first, share, groups);
    cut_group(tiles, ranks, second, number - share, groups);
}

/// The bounds of a box of a dense array, both included.
type IntegerBox = Vec<(i128, i128)>;

#[derive(Clone, Copy, Debug)]
struct GridDimension {
    low: i128,
    high: i128,
    extent: i128,
}

impl GridDimension {
    fn tile(&self, value: i128) -> i128 {
        (value - self.low).div_euclid(self.extent)
    }

    fn first_of(&self, tile: i128) -> i128 {
        self.low + tile * self.extent
    }
}

fn integers(bounds: impl Iterator<Item = (Scalar, Scalar)>) -> IntegerBox {
    let bounds = bounds.filter_map(|bounds| match bounds {
        (Scalar::Integer(low), Scalar::Integer(high)) => Some((low, high)),
        _ => None,
    });
    bounds.collect()
}

fn scalars(bounds: &IntegerBox) -> Bounds {
    let bounds = bounds.iter();
    bounds
        .map(|(low, high)| ((*low).into(), (*high).into()))
        .collect()
}

fn tile_num(bounds: &IntegerBox, grid: &[GridDimension]) -> u64 {
    let numbers = bounds
        .iter()
        .zip(grid)
        .map(|((low, high), dimension)| (dimension.tile(*high) - dimension.tile(*low) + 1) as u64);
    numbers.fold(1, u64::saturating_mul)
}

/// Cuts a box at boundaries of space tiles into at most `number` boxes.
fn cut_box(bounds: &IntegerBox, grid: &[GridDimension], number: usize) -> Vec<IntegerBox> {
    let tiles = |index: usize| -> i128 {
        match (bounds.get(index), grid.get(index)) {
            (Some((low, high)), Some(dimension)) => {
                dimension.tile(*high) - dimension.tile(*low) + 1
            }
            _ => 1,
        }
    };
    let dimensions = 0..bounds.len();
    let enough = dimensions
        .clone()
        .find(|index| tiles(*index) >= number as i128);
    let most = || dimensions.rev().max_by_key(|index| tiles(*index));
    let Some(index) = enough.or_else(most) else {
        return vec![bounds.clone()];
    };
    let (all, dimension) = (tiles(index), grid[index]);
    let number = all.min(number as i128);
    let (low, high) = bounds[index];
    let first = dimension.tile(low);
    let boxes = (0..number).map(|part| {
        let start = dimension.first_of(first + all * part / number).max(low);
        let end = (dimension.first_of(first + all * (part + 1) / number) - 1).min(high);
        let mut piece = bounds.clone();
        piece[index] = (start, end);
        piece
    });
    boxes.collect()
}

/// Returns disjoint boxes with the cells of all boxes; `None` if there are too many.
fn union(boxes: &[IntegerBox]) -> Option<Vec<IntegerBox>> {
    let mut merged: Vec<IntegerBox> = Vec::new();
    for bounds in boxes.iter().rev() {
        let mut pieces = vec![bounds.clone()];
        for other in &merged {
            let left = pieces.into_iter();
            pieces = left.flat_map(|piece| difference(piece, other)).collect();
        }
        for piece in pieces {
            join(&mut merged, piece);
        }
        if merged.len() > MAX_BOXES {
            return None;
        }
    }
    merged.sort_unstable();
    Some(merged)
}

/// Adds a box; joins it to one that it extends in one dimension.
fn join(boxes: &mut Vec<IntegerBox>, mut added: IntegerBox) {
    loop {
        let neighbour = boxes.iter().position(|other| {
            let mut unequal = added
                .iter()
                .zip(other)
                .filter(|(left, right)| left != right);
            match (unequal.next(), unequal.next()) {
                (Some((left, right)), None) => left.1 + 1 == right.0 || right.1 + 1 == left.0,
                _ => false,
            }
        });
        let Some(neighbour) = neighbour else {
            boxes.push(added);
            return;
        };
        let other = boxes.swap_remove(neighbour);
        for (bounds, other) in added.iter_mut().zip(other) {
            *bounds = (bounds.0.min(other.0), bounds.1.max(other.1));
        }
    }
}

/// Returns disjoint boxes with the cells of a box that are not in another.
fn difference(mut bounds: IntegerBox, other: &IntegerBox) -> Vec<IntegerBox> {
    let mut sides = bounds.iter().zip(other);
    if sides.any(|(left, right)| left.1 < right.0 || right.1 < left.0) {
        return vec![bounds];
    }
    let mut parts = Vec::new();
    for index in 0..bounds.len() {
        let ((low, high), (other_low, other_high)) = (bounds[index], other[index]);
        if low < other_low {
            let mut part = bounds.clone();
            part[index] = (low, other_low - 1);
            parts.push(part);
        }
        if high > other_high {
            let mut part = bounds.clone();
            part[index] = (other_high + 1, high);
            parts.push(part);
        }
        bounds[index] = (low.max(other_low), high.min(other_high));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(boxes: &[IntegerBox]) -> Vec<(i128, i128)> {
        let mut cells: Vec<_> = boxes
            .iter()
            .flat_map(|bounds| {
                let (rows, columns) = (bounds[0], bounds[1]);
                (rows.0..=rows.1)
                    .flat_map(move |row| (columns.0..=columns.1).map(move |column| (row, column)))
            })
            .collect();
        cells.sort_unstable();
        cells
    }

    #[test]
    fn cut_parts_have_every_coordinate_once() {
        let part = |boxes: &[IntegerBox]| Part {
            boxes: boxes
                .iter()
                .map(|bounds| {
                    scalars(bounds)
                        .into_iter()
                        .map(|range| vec![range])
                        .collect()
                })
                .collect(),
            cells: cells(boxes).len() as u64,
            tiles: boxes.len() as u64,
        };
        let parts = Parts {
            parts: vec![
                part(&[vec![(0, 9), (0, 3)], vec![(10, 12), (5, 5)]]),
                part(&[vec![(13, 20), (0, 0)]]),
            ],
            fragments: 1,
            all_fragments: 1,
        };
        let all = cells(&[
            vec![(0, 9), (0, 3)],
            vec![(10, 12), (5, 5)],
            vec![(13, 20), (0, 0)],
        ]);
        for starts in [
            vec![],
            vec![11],
            vec![-5, 3],
            vec![4, 13, 14, 40],
            vec![-9, -8],
        ] {
            let cut = parts.cut_at(&starts);
            assert_eq!(cut.parts.len(), starts.len() + 1);
            let mut found = Vec::new();
            for (index, part) in cut.parts.iter().enumerate() {
                let boxes: Vec<IntegerBox> = part
                    .boxes
                    .iter()
                    .map(|ranges| integers(ranges.iter().map(|ranges| ranges[0].clone())))
                    .collect();
                let inside = cells(&boxes);
                assert_eq!(inside.len() as u64, part.cells, "{starts:?}");
                let low = index.checked_sub(1).map(|index| starts[index]);
                let high = starts.get(index);
                assert!(inside.iter().all(|(row, _)| {
                    low.is_none_or(|low| *row >= low) && high.is_none_or(|high| row < high)
                }));
                found.extend(inside);
            }
            assert_eq!(found, all, "{starts:?}");
        }
    }

    #[test]
    fn union_has_every_cell_once() {
        let cases: [Vec<IntegerBox>; 4] = [
            vec![],
            vec![
                vec![(0, 3), (0, 3)],
                vec![(2, 5), (1, 2)],
                vec![(0, 9), (3, 3)],
            ],
            vec![
                vec![(0, 3), (0, 3)],
                vec![(4, 7), (0, 3)],
                vec![(8, 9), (0, 3)],
            ],
            vec![
                vec![(0, 0), (0, 9)],
                vec![(5, 5), (0, 9)],
                vec![(0, 9), (4, 4)],
            ],
        ];
        for boxes in cases {
            let mut all = cells(&boxes);
            all.dedup();
            let union = union(&boxes).expect("few boxes");
            assert_eq!(cells(&union), all, "{boxes:?}");
        }
    }

    #[test]
    fn adjacent_fragments_are_one_box() {
        let boxes: Vec<IntegerBox> = (0..1000).map(|row| vec![(row, row), (0, 9)]).collect();
        assert_eq!(union(&boxes), Some(vec![vec![(0, 999), (0, 9)]]));
    }

    #[test]
    fn boxes_are_cut_between_tiles() {
        let grid = [GridDimension {
            low: 1,
            high: 100,
            extent: 10,
        }; 2];
        let bounds = vec![(5, 95), (1, 100)];
        for number in 1..30 {
            let pieces = cut_box(&bounds, &grid, number);
            assert!(!pieces.is_empty() && pieces.len() <= number);
            assert_eq!(cells(&pieces), cells(std::slice::from_ref(&bounds)));
            for piece in &pieces {
                assert!(piece[0].0 == 5 || (piece[0].0 - 1) % 10 == 0, "{piece:?}");
            }
        }
        assert_eq!(cut_box(&bounds, &grid, 5).len(), 5);
    }

    fn tile(low: i64, high: i64, cells: u64) -> Tile {
        Tile {
            bounds: vec![(low.into(), high.into())],
            cells,
            tiles: 1,
        }
    }

    #[test]
    fn groups_of_tiles_have_disjoint_bounds_and_equal_cells() {
        let tiles: Vec<Tile> = (0..1000)
            .map(|index| tile(10 * index, 10 * index + 9, 100))
            .collect();
        for number in [1, 2, 3, 7, 16, 100] {
            let groups = cut(&tiles, number);
            assert_eq!(groups.len(), number);
            let mut end = -1;
            for group in &groups {
                assert!(
                    group.len().abs_diff(1000 / number) <= 1 + 100 / number,
                    "{number}"
                );
                let low = *group.iter().min().expect("a tile") as i64;
                assert!(low > end);
                end = *group.iter().max().expect("a tile") as i64;
            }
            assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), 1000);
        }
    }

    /// Plans a read of a number of fragments with as many tiles each, on average, for as many
    /// parts: 1000 with `TILEDB_RS_SQL_TILES=1000`, which takes long to write.
    #[test]
    fn parts_of_many_fragments_have_nearly_equal_bytes() {
        use tiledb_engine::{ArrayType, Context, Datatype, Schema};
        let stated = std::env::var("TILEDB_RS_SQL_TILES").ok();
        let number: i64 = stated.and_then(|text| text.parse().ok()).unwrap_or(40);
        let context = Context::new().expect("a context");
        let schema = Schema::builder(ArrayType::Sparse)
            .dimension("id", Datatype::Int64, 0..=4 * number * number, number)
            .attribute("a", Datatype::Uint8)
            .capacity(1)
            .build()
            .expect("a schema");
        Array::create(&context, "mem://many", &schema).expect("an array");
        let array = Array::open(&context, "mem://many").expect("an array");
        let mut tiles = 0;
        for fragment in 0..number {
            let first = fragment * 2 * number;
            let cells = number / 2 + fragment * 7919 % (number + 1);
            tiles += cells as usize;
            let written = array
                .write()
                .column("id", first..first + cells)
                .column("a", (0..cells).map(|cell| cell as u8))
                .submit();
            written.expect("a write");
        }
        let array = Array::open(&context, "mem://many").expect("an array");
        let division = Division {
            ranges: &[RangeSet::all()],
            target: number as usize,
            cell_bytes: 2 * MIN_PART_BYTES / number as u64,
            unwritten: false,
            min_part_bytes: MIN_PART_BYTES,
        };
        let begun = std::time::Instant::now();
        let parts = division.parts(&array).expect("parts").parts;
        let took = begun.elapsed();
        assert_eq!(parts.len(), number as usize);
        let cells = || parts.iter().map(|part| part.cells);
        assert_eq!(cells().sum::<u64>(), tiles as u64);
        let (least, most) = (cells().min().unwrap_or(0), cells().max().unwrap_or(0));
        assert!(most * 10 <= least * 12, "{least} to {most} cells");
        let report = format!("{tiles} tiles, {least} to {most} cells in each part, {took:?}\n");
        std::io::Write::write_all(&mut std::io::stderr(), report.as_bytes()).expect("an output");
    }

    #[test]
    fn tiles_that_overlap_are_not_separated() {
        let tiles = [
            tile(0, 10, 5),
            tile(5, 20, 5),
            tile(20, 30, 5),
            tile(31, 40, 5),
        ];
        assert_eq!(cut(&tiles, 4), [vec![0, 1, 2], vec![3]]);
    }
}
