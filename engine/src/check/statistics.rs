//! The statistics of a tile computed from its cells, one value after the other, to compare them
//! with the stored ones.

use crate::aggregate::TileStatistics;
use crate::schema::StoredField;
use crate::tile::Cells;
use crate::typed;
use crate::types::{Physical, Value};

/// The relative difference up to which sums of floating-point numbers are considered equal: they
/// depend on the order of the additions.
const SUM_TOLERANCE: f64 = 1e-6;

/// Returns the name of a stored statistic that differs from the cells.
pub(super) fn statistics_problem(
    field: &StoredField,
    cells: &Cells,
    stored: &TileStatistics<'_>,
) -> Option<&'static str> {
    if field.nullable {
        let nulls = cells.validity.iter().filter(|valid| **valid == 0);
        if nulls.count() as u64 != stored.nulls {
            return Some("null count");
        }
    }
    if field.cell_val_num != 1 {
        return None;
    }
    typed!(field.datatype.physical(), T => number_problem::<T>(cells, stored))
}

fn number_problem<T: Value>(cells: &Cells, stored: &TileStatistics<'_>) -> Option<&'static str> {
    let is_valid = |cell: usize| cells.validity.get(cell).is_none_or(|valid| *valid != 0);
    let values = cells.data.chunks_exact(T::SIZE).map(T::read).enumerate();
    let values: Vec<T> = values
        .filter_map(|(cell, value)| is_valid(cell).then_some(value))
        .collect();
    if values.is_empty() {
        return None;
    }
    if let Some((least, greatest)) = stored.ends {
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
            let sum: i128 = values.iter().map(|value| integer(*value)).sum();
            let is_signed = T::LEAST.to_f64() < 0.0;
            let stored = if is_signed {
                i128::from(bits.cast_signed())
            } else {
                i128::from(bits)
            };
            sum == stored
        }
    }
}

/// Converts an integer.
fn integer<T: Value>(value: T) -> i128 {
    let least = T::LEAST.to_key();
    let offset = i128::from(value.to_key()) - i128::from(least);
    // Keys of integers ascend by one.
    if T::LEAST.to_f64() < 0.0 {
        offset - (1i128 << (8 * T::SIZE - 1))
    } else {
        offset
    }
}
