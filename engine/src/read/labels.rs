//! Converts ranges of label values to ranges of indexes.
//!
//! The values of a label increase or decrease with the index, so each end of a range is found by
//! two binary searches: for the tile, using the statistics of completely visible tiles, and in the
//! tile. Statistics describe values before filtering, so they are not used with a lossy filter, and
//! those of an infinite value may be the number next to it. In overlapping fragments the values of
//! the newest one are used; the order at the boundaries of fragments is checked first.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::array::Snapshot;
use crate::config::Config;
use crate::error::{BudgetError, BudgetPurpose, Component, Error, LabelReadError, Result};
use crate::fragment::{FieldTiles, Fragment};
use crate::geometry::GridAxis;
use crate::memory::PARAMETER;
use crate::memory::tuning::MAX_LABEL_BYTES;
use crate::schema::{ArraySchema, Dimension, DimensionLabel, StoredField};
use crate::tile::Cells;
use crate::typed;
use crate::types::{DataOrder, Range, Value};

/// A range of indexes whose values are in one fragment, as offsets from the lower end of the
/// domain.
#[derive(Clone, Debug)]
struct Piece {
    indexes: RangeInclusive<u64>,
    source: usize,
}

/// A fragment of the array of a label.
struct Source {
    tiles: FieldTiles,
    low: u64,
    high: u64,
}

/// The visible values of a label.
struct Labels<'a> {
    dimension: &'a Dimension,
    axis: GridAxis,
    sources: Vec<Source>,
    /// The ranges in the order of indexes, without gaps.
    pieces: Vec<Piece>,
    /// The size in bytes of a fixed-size value.
    cell_size: usize,
    /// Whether a lossy filter makes the statistics unreliable.
    is_lossy: bool,
    /// Returns whether a value precedes another in the order of the label.
    precedes: fn(&[u8], &[u8]) -> bool,
    descends: bool,
    /// The minimum, or the maximum of an increasing label, of a tile of infinities: that with which
    /// writers start. Empty for texts.
    initial: Vec<u8>,
    /// The number of cells of a tile.
    tile_cells: usize,
    /// The decoded tiles by source and tile index, and their size in bytes.
    loaded: HashMap<(usize, u64), Cells>,
    loaded_bytes: u64,
    /// The memory budget in bytes.
    budget: u64,
}

fn ascending<T: Value>(a: &[u8], b: &[u8]) -> bool {
    T::read(a) < T::read(b)
}

fn descending<T: Value>(a: &[u8], b: &[u8]) -> bool {
    T::read(b) < T::read(a)
}

fn initial<T: Value>(descends: bool) -> Vec<u8> {
    let mut bytes = vec![0; T::SIZE];
    let value = if descends { T::GREATEST } else { T::LEAST };
    value.write(&mut bytes);
    bytes
}

/// Returns the range of indexes for each range of values in `label_ranges`, within the memory
/// budget of `config`. `snapshot` is a snapshot of the array of the label. It is an error if a
/// range contains no value, if the label has no values, or if they are not in order.
pub(crate) fn label_indexes(
    config: &Config,
    snapshot: &Snapshot,
    label: &DimensionLabel,
    label_ranges: &[Range],
) -> Result<Vec<Range>> {
    let budget = config.memory_budget()?.limit_bytes();
    let mut labels = Labels::new(&snapshot.schema, &snapshot.fragments, label, budget)?;
    labels.check_order()?;
    label_ranges
        .iter()
        .map(|range| labels.find(label, range))
        .collect()
}

impl<'a> Labels<'a> {
    fn new(
        schema: &'a ArraySchema,
        fragments: &'a [Arc<Fragment>],
        label: &DimensionLabel,
        budget: u64,
    ) -> Result<Self> {
        let no_grid = || Error::from(LabelReadError::UnsupportedDomain);
        let dimension = schema.domain.dimensions.first().ok_or_else(no_grid)?;
        let axis = GridAxis::new(dimension).ok_or_else(no_grid)?;
        let field = schema.stored_field(&label.attribute).ok_or_else(|| {
            Error::from(LabelReadError::NoAttribute {
                name: label.attribute.clone(),
            })
        })?;
        let mut sources = Vec::with_capacity(fragments.len());
        for fragment in fragments {
            sources.extend(Source::open(fragment, dimension, &axis, &field)?);
        }
        if sources.is_empty() {
            return Err(LabelReadError::Empty.into());
        }
        let physical = label.datatype.physical();
        let precedes: fn(&[u8], &[u8]) -> bool = match (label.is_var(), label.order) {
            (true, DataOrder::Decreasing) => |a, b| b < a,
            (true, _) => |a, b| a < b,
            (false, DataOrder::Decreasing) => typed!(physical, T => descending::<T>),
            (false, _) => typed!(physical, T => ascending::<T>),
        };
        let descends = label.order == DataOrder::Decreasing;
        let initial = if label.is_var() {
            Vec::new()
        } else {
            typed!(physical, T => initial::<T>(descends))
        };
        let tile_cells = usize::try_from(axis.extent).unwrap_or(usize::MAX);
        Ok(Self {
            dimension,
            pieces: pieces(sources.iter().map(|source| (source.low, source.high)))?,
            axis,
            sources,
            cell_size: label.datatype.size(),
            is_lossy: field.filters.is_lossy(),
            precedes,
            descends,
            initial,
            tile_cells,
            loaded: HashMap::new(),
            loaded_bytes: 0,
            budget,
        })
    }

    /// Checks the order of the values at the boundaries of fragments.
    fn check_order(&mut self) -> Result<()> {
        for next in 1..self.pieces.len() {
            let last = *self.pieces[next - 1].indexes.end();
            let first = *self.pieces[next].indexes.start();
            let before = self.value(last)?.to_vec();
            let precedes = self.precedes;
            let after = self.value(first)?;
            // Values without an order, such as NaN, are accepted, as in writes.
            if before == after || precedes(after, &before) {
                return Err(LabelReadError::OutOfOrder.into());
            }
        }
        Ok(())
    }

    /// Returns the indexes of the values in a range.
    fn find(&mut self, label: &DimensionLabel, range: &Range) -> Result<Range> {
        let (from, to) = match label.order {
            DataOrder::Decreasing => (range.end(), range.start()),
            _ => (range.start(), range.end()),
        };
        let precedes = self.precedes;
        let low = self.first_that(|value| !precedes(value, from))?;
        let after = self.first_that(|value| precedes(to, value))?;
        let last = *self.indexes().end();
        // The predecessor of the first index after the range; the ranges have no gaps.
        let (low, high) = match (low, after) {
            (Some(low), None) => (low, last),
            (Some(low), Some(after)) if after > low => (low, after - 1),
            _ => return Err(LabelReadError::NoValues.into()),
        };
        let size = self.dimension.datatype.size();
        let bytes = |distance| self.axis.coordinate(self.dimension, distance);
        Ok(Range::fixed(&bytes(low)[..size], &bytes(high)[..size]))
    }

    fn indexes(&self) -> RangeInclusive<u64> {
        let first = self
            .pieces
            .first()
            .map_or(0, |piece| *piece.indexes.start());
        let last = self.pieces.last().map_or(0, |piece| *piece.indexes.end());
        first..=last
    }

    /// Returns the first index whose value satisfies `holds`, which is monotonic.
    fn first_that(&mut self, holds: impl Fn(&[u8]) -> bool) -> Result<Option<u64>> {
        let (first, last) = self.indexes().into_inner();
        let extent = self.axis.extent;
        let end_of = |tile: u64| (tile * extent).saturating_add(extent - 1).min(last);
        let (mut low, mut high) = (first / extent, last / extent);
        if !self.tile_end_holds(high, last, &holds)? {
            return Ok(None);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if self.tile_end_holds(middle, end_of(middle), &holds)? {
                high = middle
            } else {
                low = middle + 1
            }
        }
        let (mut low_index, mut found) = ((low * extent).max(first), end_of(low));
        while low_index < found {
            let middle = low_index + (found - low_index) / 2;
            if holds(self.value(middle)?) {
                found = middle
            } else {
                low_index = middle + 1
            }
        }
        Ok(Some(found))
    }

    /// Returns whether the last visible value of a tile, at index `end`, satisfies `holds`. The
    /// statistics are used if they describe this value.
    fn tile_end_holds(
        &mut self,
        tile: u64,
        end: u64,
        holds: impl Fn(&[u8]) -> bool,
    ) -> Result<bool> {
        let source = &self.sources[self.source_of(end)];
        let start = tile * self.axis.extent;
        let whole =
            source.low <= start && source.high >= start.saturating_add(self.axis.extent - 1);
        if whole && !self.is_lossy && end == start + (self.axis.extent - 1) {
            let stats = source.tiles.fragment.tile_stats(source.tiles.slot)?;
            let position = tile - source.low / self.axis.extent;
            let last = if self.descends {
                stats.mins.get(position)
            } else {
                stats.maxs.get(position)
            };
            if let Some(last) = last.filter(|last| *last != self.initial) {
                return Ok(holds(last));
            }
        }
        Ok(holds(self.value(end)?))
    }

    /// Returns the source of the value at an index.
    fn source_of(&self, index: u64) -> usize {
        let piece = self
            .pieces
            .partition_point(|piece| *piece.indexes.end() < index);
        self.pieces[piece].source
    }

    /// Returns the value at an index.
    fn value(&mut self, index: u64) -> Result<&[u8]> {
        let source_index = self.source_of(index);
        let tile = index / self.axis.extent;
        if !self.loaded.contains_key(&(source_index, tile)) {
            if self.loaded_bytes > MAX_LABEL_BYTES.min(self.budget) {
                self.loaded.clear();
                self.loaded_bytes = 0;
            }
            let source = &self.sources[source_index];
            let mut cells = Cells::default();
            let position = tile - source.low / self.axis.extent;
            let tiles = &source.tiles;
            self.check_budget(source, position)?;
            tiles.cells(position, self.tile_cells, &mut cells)?;
            self.loaded_bytes += cells.memory() as u64;
            self.loaded.insert((source_index, tile), cells);
        }
        let cell = (index % self.axis.extent) as usize;
        Ok(self.loaded[&(source_index, tile)]
            .as_ref()
            .get(cell, self.cell_size))
    }

    /// Returns an error if a tile does not fit into the memory budget.
    fn check_budget(&self, source: &Source, tile: u64) -> Result<()> {
        let cell_bytes = if source.tiles.is_var() {
            8
        } else {
            self.cell_size
        };
        let mut bytes = (self.tile_cells as u64).saturating_mul(cell_bytes as u64);
        if source.tiles.is_var() {
            let values = source.tiles.var_size(tile)?;
            bytes = bytes.saturating_add(values as u64);
        }
        if bytes < self.budget {
            Ok(())
        } else {
            let exceeded = BudgetError {
                component: Component::LabelReader,
                purpose: BudgetPurpose::Tile,
                need: bytes,
                available: self.budget,
                budget: self.budget,
                parameter: PARAMETER,
            };
            Err(exceeded.into())
        }
    }
}

impl Source {
    /// Returns a fragment as a source of values, or `None` if it has none.
    fn open(
        fragment: &Arc<Fragment>,
        dimension: &Dimension,
        axis: &GridAxis,
        field: &StoredField,
    ) -> Result<Option<Self>> {
        let domain = fragment
            .footer
            .non_empty_domain
            .as_ref()
            .and_then(|domain| domain.first());
        let (Some(domain), Some(tiles)) = (domain, FieldTiles::open(fragment, field)?) else {
            return Ok(None);
        };
        let (low, high) = axis.span(dimension, domain).ok_or_else(|| {
            let problem = "lies outside of the array's domain";
            Error::corrupt("fragment footer", "non-empty domain", 0, problem)
                .with_uri(fragment.uri())
        })?;
        Ok(Some(Self { tiles, low, high }))
    }
}

/// Returns the ranges of indexes of all sources, each with the newest source that contains it.
/// `sources` are the first and last indexes, from the oldest to the newest source. It is an error
/// if indexes between them have no value.
fn pieces(sources: impl Iterator<Item = (u64, u64)>) -> Result<Vec<Piece>> {
    // The first index of each source, and with `true` the index after its last one. 64 bits may not
    // hold the latter: a domain that was read from a file may contain all integers.
    let mut boundaries: Vec<(u128, bool, usize)> = Vec::new();
    for (source, (low, high)) in sources.enumerate() {
        boundaries.push((u128::from(low), false, source));
        boundaries.push((u128::from(high) + 1, true, source));
    }
    boundaries.sort_unstable();
    let (mut open, mut pieces) = (BTreeSet::new(), Vec::<Piece>::new());
    let mut groups = boundaries.chunk_by(|a, b| a.0 == b.0).peekable();
    while let Some(group) = groups.next() {
        for (_, is_end, source) in group {
            if *is_end {
                open.remove(source)
            } else {
                open.insert(*source)
            };
        }
        let Some(next) = groups.peek() else {
            break;
        };
        let Some(&source) = open.last() else {
            return Err(LabelReadError::Discontinuous.into());
        };
        let (first, last) = (group[0].0 as u64, (next[0].0 - 1) as u64);
        match pieces.last_mut() {
            Some(piece) if piece.source == source => {
                piece.indexes = *piece.indexes.start()..=last;
            }
            _ => pieces.push(Piece {
                indexes: first..=last,
                source,
            }),
        }
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sources: &[(u64, u64)]) -> Vec<(u64, u64, usize)> {
        let pieces = pieces(sources.iter().copied()).expect("no gaps");
        let ends = pieces.into_iter().map(|piece| {
            let (low, high) = piece.indexes.into_inner();
            (low, high, piece.source)
        });
        ends.collect()
    }

    #[test]
    fn newest_of_overlapping_label_fragments_is_used() {
        assert_eq!(found(&[(3, 9)]), [(3, 9, 0)]);
        assert_eq!(found(&[(0, 9), (3, 5)]), [(0, 2, 0), (3, 5, 1), (6, 9, 0)]);
        assert_eq!(found(&[(3, 5), (0, 9)]), [(0, 9, 1)]);
        assert_eq!(found(&[(5, 9), (0, 4)]), [(0, 4, 1), (5, 9, 0)]);
        assert_eq!(
            found(&[(0, 5), (4, 9), (5, 6)]),
            [(0, 3, 0), (4, 4, 1), (5, 6, 2), (7, 9, 1)]
        );
    }

    #[test]
    fn fragments_that_end_at_the_last_index_are_used() {
        let last = u64::MAX;
        assert_eq!(
            found(&[(0, last), (last, last)]),
            [(0, last - 1, 0), (last, last, 1)]
        );
    }

    #[test]
    fn gaps_between_label_fragments_are_an_error() {
        for gap in [[(0, 3), (5, 9)], [(5, 9), (0, 3)]] {
            let error = pieces(gap.into_iter()).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some("An index has no value of the label"));
        }
    }
}
