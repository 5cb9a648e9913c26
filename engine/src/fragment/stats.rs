//! Statistics of a whole fragment, aggregated from those of its tiles.
//!
//! Tiles in which all cells are null are ignored. Sums saturate at the limits of their type.

use crate::error::{Result, try_copy};
use crate::format::fragment::{FieldStats, TileStatsColumn, TileValues};
use crate::typed;
use crate::types::{Physical, Value};

/// Aggregates the statistics of tiles of numbers, or of strings if `physical` is `None`. `cell_num`
/// returns the number of cells of a tile.
///
/// # Errors
/// If memory for the minimum or maximum string cannot be allocated.
pub(super) fn aggregate(
    tiles: &TileStatsColumn,
    physical: Option<Physical>,
    cell_num: impl Fn(usize) -> u64,
) -> Result<FieldStats> {
    let counts = &tiles.null_counts;
    let has_values = |tile: usize| {
        counts
            .get(tile)
            .is_none_or(|nulls| *nulls != cell_num(tile))
    };
    let (min, max) = match physical {
        Some(physical) => {
            typed!(physical, T => min_max_of_values::<T>(tiles, has_values))
        }
        None => min_max_of_strings(tiles, has_values)?,
    };
    let sums = tiles
        .sums
        .iter()
        .enumerate()
        .filter(|(tile, _)| has_values(*tile))
        .map(|(_, sum)| *sum);
    Ok(FieldStats {
        min,
        max,
        sum: match physical {
            None => 0,
            Some(physical) if physical.is_real() => sum_reals(sums),
            Some(physical) if physical.is_unsigned() => sums.fold(0, u64::saturating_add),
            Some(_) => sum_signed(sums),
        },
        null_count: counts
            .iter()
            .fold(0, |sum, nulls| sum.saturating_add(*nulls)),
    })
}

fn sum_signed(sums: impl Iterator<Item = u64>) -> u64 {
    let mut total = 0i64;
    for sum in sums {
        let Some(next) = total.checked_add(sum as i64) else {
            return if total < 0 { i64::MIN } else { i64::MAX } as u64;
        };
        total = next;
    }
    total as u64
}

fn sum_reals(sums: impl Iterator<Item = u64>) -> u64 {
    let mut total = 0f64;
    for sum in sums.map(f64::from_bits) {
        if (total < 0.0) == (sum < 0.0) && total.abs() > f64::MAX - sum.abs() {
            return if total < 0.0 { f64::MIN } else { f64::MAX }.to_bits();
        }
        total += sum;
    }
    total.to_bits()
}

/// Returns the least and the greatest value; empty if they are not stored.
fn min_max_of_values<T: Value>(
    tiles: &TileStatsColumn,
    has_values: impl Fn(usize) -> bool,
) -> (Vec<u8>, Vec<u8>) {
    let (TileValues::Fixed { size, bytes: mins }, TileValues::Fixed { bytes: maxs, .. }) =
        (&tiles.mins, &tiles.maxs)
    else {
        return Default::default();
    };
    if *size == 0 {
        return Default::default();
    }
    let (mut min, mut max) = (T::GREATEST, T::LEAST);
    for (_, (low, high)) in mins
        .chunks_exact(*size)
        .zip(maxs.chunks_exact(*size))
        .enumerate()
        .filter(|(tile, _)| has_values(*tile))
    {
        let (low, high) = (T::read(low), T::read(high));
        if low < min {
            min = low;
        }
        if high > max {
            max = high;
        }
    }
    let bytes = |value: T| {
        let mut bytes = vec![0; T::SIZE];
        value.write(&mut bytes);
        bytes
    };
    (bytes(min), bytes(max))
}

fn min_max_of_strings(
    tiles: &TileStatsColumn,
    has_values: impl Fn(usize) -> bool,
) -> Result<(Vec<u8>, Vec<u8>)> {
    let values = |column| values_of(column, &has_values);
    let min = values(&tiles.mins).min().unwrap_or_default();
    let max = values(&tiles.maxs).max().unwrap_or_default();
    let copy = |text| try_copy("the minimum or maximum of a fragment", text);
    Ok((copy(min)?, copy(max)?))
}

fn values_of(
    column: &TileValues,
    has_values: impl Fn(usize) -> bool,
) -> impl Iterator<Item = &[u8]> {
    (0u64..)
        .map_while(|tile| column.get(tile))
        .enumerate()
        .filter(move |(tile, _)| has_values(*tile))
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column<T: Value>(values: &[(T, T)], sums: &[u64], null_counts: &[u64]) -> TileStatsColumn {
        let (mut mins, mut maxs) = (
            TileValues::new(Some(T::SIZE)),
            TileValues::new(Some(T::SIZE)),
        );
        let mut bytes = [0; 8];
        for (min, max) in values {
            min.write(&mut bytes);
            mins.push(Some(&bytes[..T::SIZE])).expect("memory");
            max.write(&mut bytes);
            maxs.push(Some(&bytes[..T::SIZE])).expect("memory");
        }
        TileStatsColumn {
            mins,
            maxs,
            sums: sums.to_vec(),
            null_counts: null_counts.to_vec(),
        }
    }

    #[test]
    fn tiles_of_nulls_are_ignored() {
        let tiles = column(&[(5i32, 5), (0, 0), (1, 9)], &[5, 0, 10], &[1, 2, 0]);
        let stats = aggregate(&tiles, Some(Physical::I32), |_| 2).expect("statistics");
        assert_eq!(stats.min, 1i32.to_le_bytes());
        assert_eq!(stats.max, 9i32.to_le_bytes());
        assert_eq!((stats.sum, stats.null_count), (15, 3));
    }

    #[test]
    fn strings_of_fixed_length_in_tiles_of_nulls_are_ignored() {
        let mut values = TileValues::new(Some(2));
        for text in [b"mm", b"\0\0", b"cc"] {
            values.push(Some(text)).expect("memory");
        }
        let tiles = |null_counts: [u64; 3]| TileStatsColumn {
            mins: values.clone(),
            maxs: values.clone(),
            sums: Vec::new(),
            null_counts: null_counts.to_vec(),
        };
        let stats = aggregate(&tiles([0, 2, 1]), None, |_| 2).expect("statistics");
        assert_eq!((&stats.min[..], &stats.max[..]), (&b"cc"[..], &b"mm"[..]));
        let stats = aggregate(&tiles([2, 2, 1]), None, |_| 2).expect("statistics");
        assert_eq!((&stats.min[..], &stats.max[..]), (&b"cc"[..], &b"cc"[..]));
    }

    #[test]
    fn all_null_tiles_yield_reversed_limits() {
        let tiles = column(&[(0f32, 0.0)], &[0], &[2]);
        let stats = aggregate(&tiles, Some(Physical::F32), |_| 2).expect("statistics");
        assert_eq!(stats.min, f32::MAX.to_le_bytes());
        assert_eq!(stats.max, f32::MIN.to_le_bytes());
    }

    #[test]
    fn sums_saturate() {
        let sum = |physical, sums: &[u64]| {
            let tiles = TileStatsColumn {
                sums: sums.to_vec(),
                ..TileStatsColumn::default()
            };
            aggregate(&tiles, Some(physical), |_| 1)
                .expect("statistics")
                .sum
        };
        assert_eq!(sum(Physical::U8, &[u64::MAX, 3]), u64::MAX);
        let max = i64::MAX as u64;
        assert_eq!(sum(Physical::I8, &[max, 3, -9i64 as u64]), max);
        let least = i64::MIN as u64;
        assert_eq!(sum(Physical::I64, &[least, -1i64 as u64]), least);
        let reals = [f64::MAX.to_bits(), f64::MAX.to_bits(), 1f64.to_bits()];
        assert_eq!(sum(Physical::F64, &reals), f64::MAX.to_bits());
    }

    #[test]
    fn strings_are_compared_by_bytes() {
        let mut values = TileValues::new(None);
        for text in [b"bb".as_slice(), b"", b"b"] {
            values.push(Some(text)).expect("memory");
        }
        let tiles = TileStatsColumn {
            mins: values.clone(),
            maxs: values,
            null_counts: vec![0, 2, 0],
            ..TileStatsColumn::default()
        };
        let stats = aggregate(&tiles, None, |_| 2).expect("statistics");
        assert_eq!((stats.min, stats.max), (b"b".to_vec(), b"bb".to_vec()));
    }
}
