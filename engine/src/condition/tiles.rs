//! What the statistics of a tile tell of a condition, before anything is read.
//!
//! Least and greatest values are not believed blindly. Writers of libtiledb 2.14 to 2.30 put those of variable-length
//! text into the wrong tile now and then, so those never rule anything out. Of dense tiles whose cells come in several runs
//! they count nulls wrong, but for numbers; of texts past ASCII, and of other cells of variable length, they count none. Of
//! reals they leave out what came before a NaN; the sum tells whether there was one. Values that a lossy filter changed are
//! not those that statistics tell of.

use super::Operator;
use super::bind::{BoundCondition, Check, Leaf, Test};
use super::cells::holds_text;
use crate::format::fragment::has_min_max;
use crate::fragment::{Fragment, Slot};
use crate::schema::Attribute;
use crate::typed;
use crate::types::{Datatype, Physical, Value};

/// How many cells of a tile satisfy a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// None: the tile need not be fetched.
    None,
    /// Perhaps some: they have to be looked at.
    Some,
    /// All: nothing has to be looked at.
    All,
}

impl Verdict {
    fn of(answer: bool) -> Self {
        if answer { Self::All } else { Self::None }
    }
}

/// What is known of the cells of one field in a tile.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldFacts<'a> {
    /// A value that no cell is less than, and one that none is greater than; null cells have no say. `None` where that is
    /// not known for certain.
    pub ends: Option<(&'a [u8], &'a [u8])>,
    /// How many cells are null; `None` where that is not known. 0 for fields that are not nullable.
    pub null_count: Option<u64>,
}

impl<'a> FieldFacts<'a> {
    /// Nothing is known.
    pub const UNKNOWN: FieldFacts<'static> = FieldFacts {
        ends: None,
        null_count: None,
    };

    /// What a fragment's metadata tells of a tile of an attribute; nothing where it cannot be read or believed.
    pub fn of_tile(fragment: &'a Fragment, slot: Slot, tile: u64) -> Self {
        let Some(attribute) = fragment.schema().attributes.get(slot.0) else {
            return Self::UNKNOWN;
        };
        if attribute.is_var() && !attribute.nullable {
            return Self {
                ends: None,
                null_count: Some(0),
            };
        }
        let Ok(stats) = fragment.tile_stats(slot) else {
            return Self::UNKNOWN;
        };
        let at = usize::try_from(tile).unwrap_or(usize::MAX);
        let null_count = match attribute.nullable {
            true if !counts_nulls(fragment, attribute) => None,
            true => stats.null_counts.get(at).copied(),
            false => Some(0),
        };
        let sum = stats.sums.get(at).copied().map(f64::from_bits);
        let no_nan = || sum.is_some_and(|sum| sum.abs() < f64::MAX);
        let believed = !attribute.is_var()
            && !attribute.filters.is_lossy()
            && (!attribute.datatype.is_real() || no_nan());
        let ends = match believed {
            true => stats.mins.get(tile).zip(stats.maxs.get(tile)),
            false => None,
        };
        Self { ends, null_count }
    }
}

/// Whether the null counts of a nullable attribute can be believed.
pub(crate) fn counts_nulls(fragment: &Fragment, attribute: &Attribute) -> bool {
    let (datatype, values) = (attribute.datatype, attribute.cell_val_num);
    let characters = matches!(datatype, Datatype::Char | Datatype::StringAscii);
    match fragment.is_dense() {
        true => values == 1 && !characters && has_min_max(datatype, values),
        // Those of other texts, and of other cells of variable length, are written as 0.
        false if attribute.is_var() => characters,
        false => characters || !(datatype.is_string() || datatype == Datatype::Any),
    }
}

impl BoundCondition {
    /// What is known of a tile of `cells` cells. `facts` are those of [`Self::fields`], in their order.
    pub fn verdict(&self, facts: &[FieldFacts<'_>], cells: u64) -> Verdict {
        verdict(&self.root, facts, cells)
    }
}

fn verdict(of: &Test, facts: &[FieldFacts<'_>], cells: u64) -> Verdict {
    match of {
        Test::Always(answer) => Verdict::of(*answer),
        Test::Leaf(leaf) => leaf.verdict(facts.get(leaf.column), cells),
        Test::All(parts) => fold(parts, facts, cells, Verdict::None),
        Test::Any(parts) => fold(parts, facts, cells, Verdict::All),
    }
}

/// The verdict of several parts, of which one that is `decisive` decides.
fn fold(parts: &[Test], facts: &[FieldFacts<'_>], cells: u64, decisive: Verdict) -> Verdict {
    let mut uncertain = false;
    for part in parts {
        match verdict(part, facts, cells) {
            found if found == decisive => return decisive,
            Verdict::Some => uncertain = true,
            _ => {}
        }
    }
    match (uncertain, decisive) {
        (true, _) => Verdict::Some,
        (false, Verdict::None) => Verdict::All,
        (false, _) => Verdict::None,
    }
}

impl Leaf {
    fn verdict(&self, facts: Option<&FieldFacts<'_>>, cells: u64) -> Verdict {
        let Some(facts) = facts else {
            return Verdict::Some;
        };
        let (no_nulls, all_nulls) = match facts.null_count {
            Some(nulls) => (nulls == 0, nulls >= cells && cells > 0),
            None => (false, false),
        };
        if let Check::Null(null) = self.check {
            return match (no_nulls, all_nulls) {
                (true, _) => Verdict::of(!null),
                (_, true) => Verdict::of(null),
                _ => Verdict::Some,
            };
        }
        if all_nulls {
            return Verdict::None;
        }
        let Some((least, greatest)) = facts.ends else {
            return Verdict::Some;
        };
        match (self.of_values(least, greatest), no_nulls) {
            (Verdict::All, false) => Verdict::Some,
            (found, _) => found,
        }
    }

    /// What is known of values from `least` to `greatest`.
    fn of_values(&self, least: &[u8], greatest: &[u8]) -> Verdict {
        match &self.check {
            Check::Null(_) => Verdict::Some,
            Check::Number {
                physical,
                characters,
                operator,
                value,
                ..
            } => {
                let size = physical.size();
                if least.len() != size || greatest.len() != size {
                    return Verdict::Some;
                }
                let above = |end: &[u8]| end[0] > 0x7f;
                if *characters && (above(least) || above(greatest)) {
                    return Verdict::Some;
                }
                typed!(*physical, T => numbers::<T>(*operator, least, greatest, value))
            }
            Check::Text { operator, value } if least <= greatest => {
                let at = |end: &[u8]| holds_text(*operator, end, value);
                between(
                    *operator,
                    at(least),
                    at(greatest),
                    least == greatest,
                    || least <= &value[..] && &value[..] <= greatest,
                )
            }
            Check::Member {
                within,
                members,
                physical,
            } => {
                let size = physical.map_or(least.len(), Physical::size);
                if least.len() != size || (physical.is_some() && greatest.len() != size) {
                    return Verdict::Some;
                }
                // Zeros have two signs, which sets tell apart and ends do not.
                let real = matches!(physical, Some(Physical::F32 | Physical::F64));
                if !members.reach(*physical, least, greatest) {
                    return Verdict::of(!within);
                }
                match least == greatest && !real {
                    true => Verdict::of(members.has(least) == *within),
                    false => Verdict::Some,
                }
            }
            Check::Text { .. } => Verdict::Some,
        }
    }
}

fn numbers<T: Value>(operator: Operator, least: &[u8], greatest: &[u8], value: &[u8]) -> Verdict {
    let (least, greatest, value) = (T::read(least), T::read(greatest), T::read(value));
    // Not so for NaN, nor for ends that no value widened.
    if least
        .partial_cmp(&greatest)
        .is_none_or(|order| order.is_gt())
    {
        return Verdict::Some;
    }
    let at = |end: T| match operator {
        Operator::Lt => end < value,
        Operator::Le => end <= value,
        Operator::Gt => end > value,
        Operator::Ge => end >= value,
        Operator::Ne => end != value,
        _ => end == value,
    };
    between(operator, at(least), at(greatest), least == greatest, || {
        least <= value && value <= greatest
    })
}

/// The verdict from what holds at both ends; `reaches` tells whether the value compared with lies between them.
fn between(
    operator: Operator,
    at_least: bool,
    at_greatest: bool,
    single: bool,
    reaches: impl Fn() -> bool,
) -> Verdict {
    match operator {
        Operator::Eq | Operator::Ne if !single => match reaches() {
            true => Verdict::Some,
            false => Verdict::of(operator == Operator::Ne),
        },
        _ if at_least == at_greatest => Verdict::of(at_least),
        _ => Verdict::Some,
    }
}
