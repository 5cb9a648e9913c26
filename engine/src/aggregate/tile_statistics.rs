//! The reliable statistics of complete tiles and fragments for aggregates.
//!
//! Not reliable are: strings of writers before version 20 or in the wrong tile, minima and maxima
//! affected by NaN, sums that were or may have been saturated, and null counts of dense tiles that
//! were written in several runs. Statistics describe values before filtering, so they are not used
//! for fields with a lossy filter.

use super::TileStatistics;
use crate::condition::counts_nulls;
use crate::error::Result;
use crate::fragment::{Fragment, Slot};
use crate::schema::Attribute;
use crate::typed;
use crate::types::{Datatype, Physical, Value};

impl<'a> TileStatistics<'a> {
    /// Returns the statistics of a tile with `cells` cells, or `None` if they are unreliable.
    pub fn of_tile(
        fragment: &'a Fragment,
        slot: Slot,
        tile: u64,
        cells: u64,
    ) -> Result<Option<Self>> {
        let Some(attribute) = with_reliable_nulls(fragment, slot) else {
            return Ok(None);
        };
        let stats = fragment.tile_stats(slot)?;
        let index = usize::try_from(tile).unwrap_or(usize::MAX);
        let nulls = if attribute.nullable {
            stats.null_counts.get(index).copied()
        } else {
            Some(0)
        };
        Ok(nulls.map(|nulls| {
            let statistics = Self {
                cells,
                nulls,
                sum: stats.sums.get(index).copied(),
                min_max: stats.mins.get(tile).zip(stats.maxs.get(tile)),
            };
            statistics.only_reliable(attribute)
        }))
    }

    /// Returns the statistics of all cells of an attribute in a fragment, or `None` if they are not
    /// reliable.
    pub fn of_fragment(fragment: &'a Fragment, slot: Slot, cells: u64) -> Result<Option<Self>> {
        let Some(attribute) = with_reliable_nulls(fragment, slot) else {
            return Ok(None);
        };
        let stats = fragment.field_stats(slot)?;
        Ok(stats.map(|stats| {
            let statistics = Self {
                cells,
                nulls: stats.null_count,
                sum: Some(stats.sum),
                min_max: Some((&stats.min, &stats.max)),
            };
            statistics.only_reliable(attribute)
        }))
    }

    /// Removes the statistics that are not reliable for the attribute.
    fn only_reliable(self, attribute: &Attribute) -> Self {
        if attribute.filters.is_lossy() {
            return Self {
                sum: None,
                min_max: None,
                ..self
            };
        }
        let datatype = attribute.datatype;
        let text = matches!(datatype, Datatype::Char | Datatype::StringAscii);
        // The other values may be those of saturated sums.
        let is_exact = |bits: u64| {
            if datatype.is_real() {
                f64::from_bits(bits).abs() < f64::MAX
            } else {
                ![u64::MAX, i64::MAX as u64, i64::MIN as u64].contains(&bits)
            }
        };
        let sum = self.sum.filter(|bits| !text && is_exact(*bits));
        let min_max = self.min_max.filter(|(least, greatest)| {
            !text && least.len() == datatype.size() && greatest.len() == datatype.size()
        });
        let sum = sum.filter(|_| {
            min_max.is_some_and(|(least, greatest)| {
                typed!(datatype.physical(), T => reveals_saturation::<T>(self.cells, least, greatest))
            })
        });
        Self {
            // Without a sum, the presence of a NaN is unknown.
            min_max: min_max.filter(|_| !datatype.is_real() || sum.is_some()),
            sum,
            ..self
        }
    }
}

/// Returns whether the stored sum of `cells` values between `least` and `greatest` is exact unless
/// it is a limit of its type. Writers continue with the limit after a sum exceeds the type. If all
/// values have one sign, the sum remains there; otherwise later values and the sums of other tiles
/// hide that, unless no sum of some of the values can exceed the type.
fn reveals_saturation<T: Value>(cells: u64, least: &[u8], greatest: &[u8]) -> bool {
    match T::PHYSICAL {
        Physical::U8 | Physical::U16 | Physical::U32 | Physical::U64 => true,
        Physical::F32 | Physical::F64 => {
            let [least, greatest] = [least, greatest].map(|bytes| T::read(bytes).to_f64());
            let largest = least.abs().max(greatest.abs());
            least >= 0.0 || greatest <= 0.0 || cells as f64 * largest < f64::MAX
        }
        _ => {
            // Keys of signed integers are shifted by half their range.
            let zero = 1 << (8 * T::SIZE - 1);
            let value = |bytes| i128::from(T::read(bytes).to_key()) - zero;
            let [least, greatest] = [least, greatest].map(value);
            let fits = |value: i128| i64::try_from(value * i128::from(cells)).is_ok();
            least >= 0 || greatest <= 0 || (fits(least) && fits(greatest))
        }
    }
}

/// Returns the attribute of a slot if its null counts are reliable.
fn with_reliable_nulls(fragment: &Fragment, slot: Slot) -> Option<&Attribute> {
    let attribute = fragment.schema.attributes.get(slot.0)?;
    (!attribute.nullable || counts_nulls(fragment, attribute)).then_some(attribute)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::{Filter, FilterList, FilterType};

    #[test]
    fn only_null_counts_are_used_with_lossy_filters() {
        let (least, greatest) = (1f64.to_le_bytes(), 3f64.to_le_bytes());
        let statistics = || TileStatistics {
            cells: 4,
            nulls: 1,
            sum: Some(6f64.to_bits()),
            min_max: Some((&least, &greatest)),
        };
        let mut attribute = Attribute::new("a", Datatype::Float64);
        for (kind, lossy) in [(FilterType::Zstd, false), (FilterType::ScaleFloat, true)] {
            let list = FilterList::of(Filter::new(kind).expect("known"));
            attribute.set_filters(list.into()).expect("reals");
            let reliable = statistics().only_reliable(&attribute);
            assert_eq!((reliable.cells, reliable.nulls), (4, 1));
            assert_eq!(reliable.sum.is_none(), lossy, "{kind:?}");
            assert_eq!(reliable.min_max.is_none(), lossy, "{kind:?}");
        }
    }

    #[test]
    fn sums_that_may_hide_a_saturated_one_are_not_used() {
        let keeps_sum = |datatype, min_max: [[u8; 8]; 2]| {
            let statistics = TileStatistics {
                cells: 4,
                nulls: 0,
                sum: Some(1),
                min_max: Some((&min_max[0], &min_max[1])),
            };
            let statistics = statistics.only_reliable(&Attribute::new("a", datatype));
            statistics.sum.is_some()
        };
        let integers =
            |min_max: [i64; 2]| keeps_sum(Datatype::Int64, min_max.map(i64::to_le_bytes));
        assert!(integers([0, i64::MAX]));
        assert!(integers([i64::MIN, 0]));
        assert!(integers([-1, i64::MAX / 4]));
        assert!(!integers([-1, i64::MAX / 4 + 1]));
        assert!(!integers([i64::MIN, i64::MAX]));
        assert!(keeps_sum(Datatype::Uint64, [[0; 8], [0xff; 8]]));
        let reals = |min_max: [f64; 2]| keeps_sum(Datatype::Float64, min_max.map(f64::to_le_bytes));
        assert!(reals([-1e300, 1e300]));
        assert!(reals([0.0, f64::MAX]));
        assert!(!reals([-1e308, 1.0]));
        assert!(!reals([f64::NEG_INFINITY, f64::INFINITY]));
    }
}
