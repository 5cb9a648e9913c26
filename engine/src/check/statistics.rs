//! The statistics of a tile computed from its cells, one value after the other, to compare them
//! with the stored ones.

use crate::aggregate::TileStatistics;
use crate::schema::StoredField;
use crate::tile::Cells;
use crate::typed;
use crate::types::{Physical, Value, values_of};

/// The relative difference up to which sums of floating-point numbers are considered equal: they
/// depend on the order of the additions.
const SUM_TOLERANCE: f64 = 1e-6;

/// Returns the name of a stored statistic that differs from the cells.
pub(super) fn statistics_problem(
    field: &StoredField,
    cells: &Cells,
    stored: &TileStatistics<'_>,
) -> Option<&'static str> {
    if field.cells.nullable
        && cells.validity.iter().filter(|valid| **valid == 0).count() as u64 != stored.nulls
    {
        return Some("null count");
    }
    if field.cells.cell_val_num != 1 {
        return None;
    }
    typed!(field.cells.datatype.physical(), T => number_problem::<T>(cells, stored))
}

fn number_problem<T: Value>(cells: &Cells, stored: &TileStatistics<'_>) -> Option<&'static str> {
    let is_valid = |cell: usize| cells.validity.get(cell).is_none_or(|valid| *valid != 0);
    let values: Vec<T> = values_of::<T>(&cells.data)
        .enumerate()
        .filter_map(|(cell, value)| is_valid(cell).then_some(value))
        .collect();
    if values.is_empty() {
        return None;
    }
    if let Some((least, greatest)) = stored.min_max {
        let (least, greatest) = (T::read(least), T::read(greatest));
        let is_between = |value: &T| *value >= least && *value <= greatest;
        let is_nan = |value: &T| value.partial_cmp(value).is_none();
        let has_ends = values.contains(&least) && values.contains(&greatest);
        if !values.iter().any(is_nan) && (!has_ends || !values.iter().all(is_between)) {
            return Some("minimum or maximum");
        }
    }
    stored
        .sum
        .and_then(|bits| (!has_sum(&values, bits)).then_some("sum"))
}

/// Returns the name of a statistic of a fragment that differs from those of its tiles.
pub(super) fn fragment_problem(
    field: &StoredField,
    tiles: &[TileStatistics<'_>],
    stored: &TileStatistics<'_>,
) -> Option<&'static str> {
    let nulls = tiles
        .iter()
        .fold(0u64, |sum, tile| sum.saturating_add(tile.nulls));
    if field.cells.nullable && nulls != stored.nulls {
        return Some("null count");
    }
    if field.cells.cell_val_num != 1 {
        return None;
    }
    // Tiles in which all cells are null are ignored.
    let tiles: Vec<_> = tiles
        .iter()
        .filter(|tile| tile.nulls < tile.cells)
        .collect();
    typed!(field.cells.datatype.physical(), T => fragment_number_problem::<T>(&tiles, stored))
}

fn fragment_number_problem<T: Value>(
    tiles: &[&TileStatistics<'_>],
    stored: &TileStatistics<'_>,
) -> Option<&'static str> {
    let (first, rest) = tiles.split_first()?;
    let min_max = |tile: &TileStatistics<'_>| {
        tile.min_max
            .map(|(low, high)| (T::read(low), T::read(high)))
    };
    let all = rest.iter().try_fold(min_max(first)?, |(low, high), tile| {
        let (least, greatest) = min_max(tile)?;
        Some((
            if least < low { least } else { low },
            if greatest > high { greatest } else { high },
        ))
    });
    if let (Some(all), Some(stored)) = (
        all.filter(|(low, high)| low.partial_cmp(high).is_some()),
        min_max(stored),
    ) && all != stored
    {
        return Some("minimum or maximum");
    }
    let sums: Option<Vec<u64>> = tiles.iter().map(|tile| tile.sum).collect();
    let (sums, bits) = sums.zip(stored.sum)?;
    (!has_total::<T>(&sums, bits)).then_some("sum")
}

/// Returns whether the total of the sums of tiles has these bits. Saturated sums are not compared.
fn has_total<T: Value>(sums: &[u64], bits: u64) -> bool {
    match T::PHYSICAL {
        Physical::F32 | Physical::F64 => {
            let sums = sums.iter().map(|bits| f64::from_bits(*bits));
            let (sum, size): (f64, f64) = (sums.clone().sum(), sums.map(f64::abs).sum());
            let stored = f64::from_bits(bits);
            !size.is_finite() || !stored.is_finite() || (sum - stored).abs() <= SUM_TOLERANCE * size
        }
        physical if physical.is_signed() => {
            let sum: i128 = sums.iter().map(|bits| i128::from(bits.cast_signed())).sum();
            i64::try_from(sum).map_or(true, |sum| sum == bits.cast_signed())
        }
        _ => {
            let sum: u128 = sums.iter().map(|bits| u128::from(*bits)).sum();
            u64::try_from(sum).map_or(true, |sum| sum == bits)
        }
    }
}

/// Returns whether the sum of the values has these bits.
fn has_sum<T: Value>(values: &[T], bits: u64) -> bool {
    match T::PHYSICAL {
        Physical::F32 | Physical::F64 => {
            let sum: f64 = values.iter().map(|value| value.to_f64()).sum();
            let size: f64 = values.iter().map(|value| value.to_f64().abs()).sum();
            let stored = f64::from_bits(bits);
            !sum.is_finite() || !stored.is_finite() || (sum - stored).abs() <= SUM_TOLERANCE * size
        }
        _ => {
            let sum: i128 = values.iter().map(|value| value.to_i128()).sum();
            let stored = if T::PHYSICAL.is_signed() {
                i128::from(bits.cast_signed())
            } else {
                i128::from(bits)
            };
            sum == stored
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the statistics of three cells with this minimum and maximum and this sum.
    fn three_cells<'a>(min_max: &'a [[u8; 4]; 2], sum: i64, nulls: u64) -> TileStatistics<'a> {
        TileStatistics {
            cells: 3,
            nulls,
            sum: Some(sum.cast_unsigned()),
            min_max: Some((&min_max[0], &min_max[1])),
        }
    }

    #[test]
    fn statistics_of_a_fragment_are_compared_with_those_of_its_tiles() {
        let min_max = |low: i32, high: i32| [low.to_le_bytes(), high.to_le_bytes()];
        let (low, high, both) = (min_max(-5, 2), min_max(0, 9), min_max(-5, 9));
        // The tile of nulls has no values.
        let nulls = min_max(7, 0);
        let tiles = [
            three_cells(&low, -4, 0),
            three_cells(&high, 12, 1),
            three_cells(&nulls, 7, 3),
        ];
        let problem = |stored: &TileStatistics<'_>| {
            let tiles: Vec<_> = tiles
                .iter()
                .filter(|tile| tile.nulls < tile.cells)
                .collect();
            fragment_number_problem::<i32>(&tiles, stored)
        };
        assert_eq!(problem(&three_cells(&both, 8, 4)), None);
        assert_eq!(
            problem(&three_cells(&low, 8, 4)),
            Some("minimum or maximum")
        );
        assert_eq!(problem(&three_cells(&both, 9, 4)), Some("sum"));
        assert_eq!(
            fragment_number_problem::<i32>(&[], &three_cells(&low, 1, 0)),
            None
        );
        let saturated = [three_cells(&low, i64::MAX, 0), three_cells(&low, 2, 0)];
        let saturated: Vec<_> = saturated.iter().collect();
        assert_eq!(
            fragment_number_problem::<i32>(&saturated, &three_cells(&low, 1, 0)),
            None
        );
    }
}
