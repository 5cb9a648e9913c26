//! The statistics of a whole fragment, folded from those of its tiles.
//!
//! A tile without a cell that is not null has no say in them. Sums stick at the ends of their type.

use crate::format::fragment::{FieldStats, TileStatsColumn, TileValues};
use crate::typed;
use crate::types::{Physical, Value};

/// How values are compared and summed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Comparison {
    /// As values of this shape.
    Values(Physical),
    /// As text.
    Text,
}

/// Folds what is known of tiles. `cell_num` tells how many cells a tile has.
pub(super) fn fold(
    tiles: &TileStatsColumn,
    comparison: Comparison,
    cell_num: impl Fn(usize) -> u64,
) -> FieldStats {
    let counts = &tiles.null_counts;
    let tells = |tile: usize| {
        counts
            .get(tile)
            .is_none_or(|nulls| *nulls != cell_num(tile))
    };
    let (min, max) = match comparison {
        Comparison::Values(physical) => typed!(physical, T => fold_values::<T>(tiles, tells)),
        Comparison::Text => fold_text(tiles, tells),
    };
    let sums = tiles.sums.iter().enumerate();
    let sums = sums.filter(|(tile, _)| tells(*tile)).map(|(_, sum)| *sum);
    FieldStats {
        min,
        max,
        sum: match comparison {
            Comparison::Text => 0,
            Comparison::Values(Physical::F32 | Physical::F64) => sum_reals(sums),
            Comparison::Values(physical) if is_unsigned(physical) => {
                sums.fold(0, u64::saturating_add)
            }
            Comparison::Values(_) => sum_signed(sums),
        },
        null_count: counts
            .iter()
            .fold(0, |sum, nulls| sum.saturating_add(*nulls)),
    }
}

fn is_unsigned(physical: Physical) -> bool {
    use Physical::{U8, U16, U32, U64};
    matches!(physical, U8 | U16 | U32 | U64)
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

fn fold_values<T: Value>(
    tiles: &TileStatsColumn,
    tells: impl Fn(usize) -> bool,
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
    let pairs = mins.chunks_exact(*size).zip(maxs.chunks_exact(*size));
    for (_, (low, high)) in pairs.enumerate().filter(|(tile, _)| tells(*tile)) {
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

fn fold_text(tiles: &TileStatsColumn, tells: impl Fn(usize) -> bool) -> (Vec<u8>, Vec<u8>) {
    let values = |column| telling_values(column, &tells);
    let min = values(&tiles.mins).min().unwrap_or_default();
    let max = values(&tiles.maxs).max().unwrap_or_default();
    (min.to_vec(), max.to_vec())
}

fn telling_values(
    column: &TileValues,
    tells: impl Fn(usize) -> bool,
) -> impl Iterator<Item = &[u8]> {
    let values = (0u64..).map_while(|tile| column.get(tile)).enumerate();
    values
        .filter(move |(tile, _)| tells(*tile))
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
            mins.push(Some(&bytes[..T::SIZE]));
            max.write(&mut bytes);
            maxs.push(Some(&bytes[..T::SIZE]));
        }
        TileStatsColumn {
            mins,
            maxs,
            sums: sums.to_vec(),
            null_counts: null_counts.to_vec(),
        }
    }

    #[test]
    fn tiles_of_nulls_have_no_say() {
        let tiles = column(&[(5i32, 5), (0, 0), (1, 9)], &[5, 0, 10], &[1, 2, 0]);
        let folded = fold(&tiles, Comparison::Values(Physical::I32), |_| 2);
        assert_eq!(folded.min, 1i32.to_le_bytes());
        assert_eq!(folded.max, 9i32.to_le_bytes());
        assert_eq!((folded.sum, folded.null_count), (15, 3));
    }

    #[test]
    fn nothing_but_nulls_leaves_the_turned_round_ends() {
        let tiles = column(&[(0f32, 0.0)], &[0], &[2]);
        let folded = fold(&tiles, Comparison::Values(Physical::F32), |_| 2);
        assert_eq!(folded.min, f32::MAX.to_le_bytes());
        assert_eq!(folded.max, f32::MIN.to_le_bytes());
    }

    #[test]
    fn sums_stick_at_the_ends() {
        let of = |physical, sums: &[u64]| {
            let tiles = TileStatsColumn {
                sums: sums.to_vec(),
                ..TileStatsColumn::default()
            };
            fold(&tiles, Comparison::Values(physical), |_| 1).sum
        };
        assert_eq!(of(Physical::U8, &[u64::MAX, 3]), u64::MAX);
        let most = i64::MAX as u64;
        assert_eq!(of(Physical::I8, &[most, 3, -9i64 as u64]), most);
        let least = i64::MIN as u64;
        assert_eq!(of(Physical::I64, &[least, -1i64 as u64]), least);
        let reals = [f64::MAX.to_bits(), f64::MAX.to_bits(), 1f64.to_bits()];
        assert_eq!(of(Physical::F64, &reals), f64::MAX.to_bits());
    }

    #[test]
    fn text_is_compared_by_bytes() {
        let mut values = TileValues::new(None);
        for text in [b"bb".as_slice(), b"", b"b"] {
            values.push(Some(text));
        }
        let tiles = TileStatsColumn {
            mins: values.clone(),
            maxs: values,
            null_counts: vec![0, 2, 0],
            ..TileStatsColumn::default()
        };
        let folded = fold(&tiles, Comparison::Text, |_| 2);
        assert_eq!((folded.min, folded.max), (b"b".to_vec(), b"bb".to_vec()));
    }
}
