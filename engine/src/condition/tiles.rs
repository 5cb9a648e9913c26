//! Evaluates conditions on the statistics of tiles, before any tile is read.
//!
//! Statistics are used only where they are reliable. libtiledb 2.14 to 2.30 sometimes stores minima
//! and maxima of variable-length strings in the wrong tile, so they are not used. It miscounts
//! nulls of dense tiles that were written in several runs, except for numbers, and it counts no
//! nulls of strings that are not ASCII and of other variable-length cells. Releases 2.12 to 2.18
//! omit values from the minima and maxima of nullable characters in dense tiles. Minima and maxima
//! of floating-point numbers omit values before a NaN; a NaN sum reveals that. Statistics describe
//! values before filtering, so they are not used with lossy filters.

use super::Operator;
use super::bind::{BoundCondition, CellTest, Leaf, TestNode};
use super::strings::holds_text;
use crate::format::fragment::has_min_max;
use crate::fragment::{FieldTiles, Fragment};
use crate::schema::Attribute;
use crate::tile::FillValue;
use crate::typed;
use crate::types::{Datatype, Match, Physical, Value};

/// The reliable statistics of a field in a tile.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldStatistics<'a> {
    /// A lower and an upper bound of the cells that are not null; `None` if unknown.
    pub min_max: Option<(&'a [u8], &'a [u8])>,
    /// The number of null cells, 0 for fields that are not nullable; `None` if unknown.
    pub null_count: Option<u64>,
}

impl<'a> FieldStatistics<'a> {
    /// The statistics of a tile about which nothing is known.
    pub const UNKNOWN: FieldStatistics<'static> = FieldStatistics {
        min_max: None,
        null_count: None,
    };

    /// Returns the statistics of a tile of `cells` fill values.
    pub fn of_fill_value(fill: FillValue<'_>, cells: u64) -> FieldStatistics<'static> {
        let is_null = fill.validity == Some(0);
        FieldStatistics {
            min_max: None,
            null_count: Some(if is_null { cells } else { 0 }),
        }
    }

    /// Returns the reliable statistics of a tile of an attribute from the metadata of its fragment.
    pub fn of_tile(tiles: &'a FieldTiles, tile: u64) -> Self {
        let fragment = &tiles.fragment;
        let Some(slot) = tiles.statistics_slot() else {
            return Self::UNKNOWN;
        };
        let Some(attribute) = fragment.schema.attributes.get(slot.0) else {
            return Self::UNKNOWN;
        };
        if attribute.is_var() && !attribute.nullable {
            return Self {
                min_max: None,
                null_count: Some(0),
            };
        }
        let Ok(stats) = fragment.tile_stats(slot) else {
            return Self::UNKNOWN;
        };
        let index = usize::try_from(tile).unwrap_or(usize::MAX);
        let null_count = if !attribute.nullable {
            Some(0)
        } else if counts_nulls(fragment, attribute) {
            stats.null_counts.get(index).copied()
        } else {
            None
        };
        let sum = stats.sums.get(index).copied().map(f64::from_bits);
        let is_reliable = !attribute.is_var()
            && null_count.is_some()
            && !attribute.filters.is_lossy()
            && (!attribute.datatype.is_real() || sum.is_some_and(|sum| sum.abs() < f64::MAX));
        let min_max = if is_reliable {
            stats.mins.get(tile).zip(stats.maxs.get(tile))
        } else {
            None
        };
        Self {
            min_max,
            null_count,
        }
    }
}

/// Returns whether the null counts of a nullable attribute are reliable.
pub(crate) fn counts_nulls(fragment: &Fragment, attribute: &Attribute) -> bool {
    let (datatype, values) = (attribute.datatype, attribute.cell_val_num);
    let characters = matches!(datatype, Datatype::Char | Datatype::StringAscii);
    if fragment.footer.dense {
        return values == 1 && !characters && has_min_max(datatype, values);
    }
    // libtiledb writes 0 for other strings and other variable-length cells.
    let is_number = !attribute.is_var() && !datatype.is_string() && datatype != Datatype::Any;
    characters || is_number
}

impl BoundCondition {
    /// Evaluates the condition on a tile of `cells` cells. `statistics` are the statistics of
    /// [`Self::fields`], in their order.
    pub fn tile_match(&self, statistics: &[FieldStatistics<'_>], cells: u64) -> Match {
        tile_match(&self.root, statistics, cells)
    }
}

fn tile_match(node: &TestNode, statistics: &[FieldStatistics<'_>], cells: u64) -> Match {
    match node {
        TestNode::Always(result) => Match::of(*result),
        TestNode::Leaf(leaf) => leaf.tile_match(statistics.get(leaf.column), cells),
        TestNode::All(parts) => fold(parts, statistics, cells, Match::None),
        TestNode::Any(parts) => fold(parts, statistics, cells, Match::All),
    }
}

/// Combines several results; one that is `decisive` determines the result.
fn fold(
    parts: &[TestNode],
    statistics: &[FieldStatistics<'_>],
    cells: u64,
    decisive: Match,
) -> Match {
    let mut uncertain = false;
    for part in parts {
        match tile_match(part, statistics, cells) {
            found if found == decisive => return decisive,
            Match::Some => uncertain = true,
            _ => {}
        }
    }
    match (uncertain, decisive) {
        (true, _) => Match::Some,
        (false, Match::None) => Match::All,
        (false, _) => Match::None,
    }
}

impl Leaf {
    fn tile_match(&self, statistics: Option<&FieldStatistics<'_>>, cells: u64) -> Match {
        let Some(statistics) = statistics else {
            return Match::Some;
        };
        let (no_nulls, all_nulls) = match statistics.null_count {
            Some(nulls) => (nulls == 0, nulls >= cells && cells > 0),
            None => (false, false),
        };
        if let CellTest::IsNull(null) = self.check {
            return match (no_nulls, all_nulls) {
                (true, _) => Match::of(!null),
                (_, true) => Match::of(null),
                _ => Match::Some,
            };
        }
        if all_nulls {
            return Match::None;
        }
        let Some((least, greatest)) = statistics.min_max else {
            return Match::Some;
        };
        match (self.match_values(least, greatest), no_nulls) {
            (Match::All, false) => Match::Some,
            (found, _) => found,
        }
    }

    /// Evaluates a comparison on values from `least` to `greatest`.
    fn match_values(&self, least: &[u8], greatest: &[u8]) -> Match {
        match &self.check {
            CellTest::IsNull(_) => Match::Some,
            CellTest::Number {
                physical,
                characters,
                operator,
                value,
                ..
            } => {
                let size = physical.size();
                if least.len() != size || greatest.len() != size {
                    return Match::Some;
                }
                let is_not_ascii = |end: &[u8]| end[0] > 0x7f;
                if *characters && (is_not_ascii(least) || is_not_ascii(greatest)) {
                    return Match::Some;
                }
                typed!(*physical, T => match_numbers::<T>(*operator, least, greatest, value))
            }
            CellTest::Text { operator, value } if least <= greatest => {
                let holds = |end: &[u8]| holds_text(*operator, end, value);
                let is_between = least <= &value[..] && &value[..] <= greatest;
                let ends_hold = [holds(least), holds(greatest)];
                match_ends(*operator, ends_hold, least == greatest, is_between)
            }
            CellTest::Member {
                is_in,
                members,
                physical,
            } => {
                let size = physical.map_or(least.len(), Physical::size);
                if least.len() != size || (physical.is_some() && greatest.len() != size) {
                    return Match::Some;
                }
                // Sets distinguish the signs of zero; minima and maxima do not.
                let real = physical.is_some_and(Physical::is_real);
                if !members.has_between(*physical, least, greatest) {
                    return Match::of(!is_in);
                }
                if least == greatest && !real {
                    Match::of(members.has(least) == *is_in)
                } else {
                    Match::Some
                }
            }
            CellTest::Text { .. } => Match::Some,
        }
    }
}

fn match_numbers<T: Value>(
    operator: Operator,
    least: &[u8],
    greatest: &[u8],
    value: &[u8],
) -> Match {
    let (least, greatest, value) = (T::read(least), T::read(greatest), T::read(value));
    // Except for NaN and for the initial values of minima and maxima.
    if least
        .partial_cmp(&greatest)
        .is_none_or(|order| order.is_gt())
    {
        return Match::Some;
    }
    let holds_at = |end: T| match operator {
        Operator::Lt => end < value,
        Operator::Le => end <= value,
        Operator::Gt => end > value,
        Operator::Ge => end >= value,
        Operator::Ne => end != value,
        _ => end == value,
    };
    let is_between = least <= value && value <= greatest;
    let ends_hold = [holds_at(least), holds_at(greatest)];
    match_ends(operator, ends_hold, least == greatest, is_between)
}

/// Returns the result of a comparison for all values of a tile. `ends_hold` are its results for the
/// least and the greatest value, which may be equal; `is_between` is whether the operand is between
/// them.
fn match_ends(
    operator: Operator,
    ends_hold: [bool; 2],
    are_equal: bool,
    is_between: bool,
) -> Match {
    match (operator, ends_hold) {
        (Operator::Eq | Operator::Ne, _) if !are_equal && is_between => Match::Some,
        (Operator::Eq | Operator::Ne, _) if !are_equal => Match::of(operator == Operator::Ne),
        (_, [least, greatest]) if least == greatest => Match::of(least),
        _ => Match::Some,
    }
}
