//! The reliable statistics of complete tiles and fragments for aggregates.
//!
//! Not reliable are: strings of writers before version 20 or in the wrong tile, minima and maxima
//! affected by NaN, sums that may be saturated, and null counts of dense tiles that were written in
//! several runs. Statistics describe values before filtering, so they are not used for fields with
//! a lossy filter.

use super::TileStatistics;
use crate::condition::counts_nulls;
use crate::error::Result;
use crate::fragment::{Fragment, Slot};
use crate::schema::Attribute;
use crate::types::Datatype;

impl<'a> TileStatistics<'a> {
    /// Returns the statistics of a tile with `cells` cells, or `None` if they are unreliable.
    pub fn of_tile(
        fragment: &'a Fragment,
        slot: Slot,
        tile: u64,
        cells: u64,
    ) -> Result<Option<Self>> {
        let Some(attribute) = known(fragment, slot) else {
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
                ends: stats.mins.get(tile).zip(stats.maxs.get(tile)),
            };
            statistics.believed(attribute)
        }))
    }

    /// Returns the statistics of all cells of an attribute in a fragment, or `None` if they are not
    /// reliable.
    pub fn of_fragment(fragment: &'a Fragment, slot: Slot, cells: u64) -> Result<Option<Self>> {
        let Some(attribute) = known(fragment, slot) else {
            return Ok(None);
        };
        let stats = fragment.field_stats(slot)?;
        Ok(stats.map(|stats| {
            let statistics = Self {
                cells,
                nulls: stats.null_count,
                sum: Some(stats.sum),
                ends: Some((&stats.min, &stats.max)),
            };
            statistics.believed(attribute)
        }))
    }

    fn believed(self, attribute: &Attribute) -> Self {
        if attribute.filters.is_lossy() {
            return Self {
                sum: None,
                ends: None,
                ..self
            };
        }
        let datatype = attribute.datatype;
        let text = matches!(datatype, Datatype::Char | Datatype::StringAscii);
        let sum = self.sum.filter(|bits| match datatype.is_real() {
            _ if text => false,
            true => f64::from_bits(*bits).abs() < f64::MAX,
            false => ![u64::MAX, i64::MAX as u64, i64::MIN as u64].contains(bits),
        });
        let ends = self.ends.filter(|(least, greatest)| {
            !text && least.len() == datatype.size() && greatest.len() == datatype.size()
        });
        Self {
            // Without a sum, the presence of a NaN is unknown.
            ends: ends.filter(|_| !datatype.is_real() || sum.is_some()),
            sum,
            ..self
        }
    }
}

/// Returns the attribute of a slot if its null counts are reliable.
fn known(fragment: &Fragment, slot: Slot) -> Option<&Attribute> {
    let attribute = fragment.schema().attributes.get(slot.0)?;
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
            ends: Some((&least, &greatest)),
        };
        let mut attribute = Attribute::new("a", Datatype::Float64);
        for (kind, lossy) in [(FilterType::Zstd, false), (FilterType::ScaleFloat, true)] {
            let list = FilterList::of(Filter::new(kind).expect("known"));
            attribute.set_filters(list.into()).expect("reals");
            let believed = statistics().believed(&attribute);
            assert_eq!((believed.cells, believed.nulls), (4, 1));
            assert_eq!(believed.sum.is_none(), lossy, "{kind:?}");
            assert_eq!(believed.ends.is_none(), lossy, "{kind:?}");
        }
    }
}
