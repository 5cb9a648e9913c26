//! Sums of floating-point numbers for the statistics of tiles. libtiledb adds the numbers in order,
//! in double precision, and the sums are equal to its sums bit by bit.

use crate::types::{Value, values_of};

/// The number of sums that are computed side by side.
const LANES: usize = 16;

/// The number of sums of a binade that are computed side by side. With more, the lanes and the
/// constants do not fit into the registers.
const BINADE_LANES: usize = 8;

/// The bits of the exponent of a 32-bit number.
const EXPONENT: u32 = 0x7f80_0000;

/// The number of stored bits of a double below its exponent.
const STORED_BITS: u32 = f64::MANTISSA_DIGITS - 1;

/// The bits of the exponent of a double, from the lowest one on.
const EXPONENT_MASK: u64 = 0x7ff;

/// Adds a number, saturating at the largest finite value. Returns whether the sum is finite.
pub(super) fn add_real(sum: &mut f64, value: f64) -> bool {
    if (*sum < 0.0) == (value < 0.0) && sum.abs() > f64::MAX - value.abs() {
        *sum = if *sum < 0.0 { f64::MIN } else { f64::MAX };
        return false;
    }
    *sum += value;
    true
}

/// Adds 32-bit numbers to `sum` in lanes, several times as fast as in order, where each addition
/// depends on the one before. Returns `None` if another order could have another result.
///
/// `sum` is not negative zero, with which the statistics of a tile never start. No number has an
/// absolute value above `bound`, unless it is not finite.
///
/// All numbers are multiples of a power of two: the lowest bit of the number with the smallest
/// exponent, or of `sum`. If the sum of the absolute values is less than 2^53 of these units, each
/// sum of some of them is a multiple of the unit that a double represents exactly, so that no
/// addition rounds.
#[inline(always)]
pub(super) fn exact_sum(sum: f64, values: &[[u8; 4]], bound: f64) -> Option<f64> {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    let mut least = [u32::MAX; LANES];
    let mut add = |lane: usize, value: [u8; 4]| {
        let value = f32::from_le_bytes(value);
        // Zero has no lowest bit.
        let exponent = if value == 0.0 {
            u32::MAX
        } else {
            value.to_bits() & EXPONENT
        };
        least[lane] = least[lane].min(exponent);
        lanes[lane] += f64::from(value);
    };
    for block in blocks {
        for (lane, value) in block.iter().enumerate() {
            add(lane, *value);
        }
    }
    for (lane, value) in rest.iter().enumerate() {
        add(lane, *value);
    }
    let least = least.into_iter().fold(u32::MAX, u32::min);
    if least == u32::MAX {
        return Some(sum);
    }
    let unit = lowest_bit(least).min(lowest_bit_of_sum(sum));
    if unit < LOWEST_BIT {
        return None;
    }
    let added: f64 = lanes.iter().sum();
    // The rounding of this product is why the limit is half of the largest exact sum.
    let is_exact = bound * values.len() as f64 + sum.abs() < power_of_two(52 + unit);
    (is_exact && added.is_finite()).then_some(sum + added)
}

/// Adds numbers to `sum` in lanes. Returns `None` if another order could have another result. If
/// numbers are infinite or NaN, the result is `None` or not finite.
///
/// No number has an absolute value above `bound`, unless it is not finite.
///
/// Between two powers of two, doubles are the multiples of a unit. While the sum stays there, an
/// addition to it adds the multiple of the unit that is nearest to the number, and sums of these
/// multiples are exact in any order. Only in the middle of two multiples does the rounding depend
/// on the sum.
#[inline(always)]
pub(super) fn sum_in_binade<T: Value>(sum: f64, bytes: &[u8], bound: f64) -> Option<f64> {
    // Within these, no power of two below is subnormal or infinite.
    const EXPONENTS: std::ops::Range<u64> = 64..2046;
    let exponent = sum.to_bits() >> STORED_BITS & EXPONENT_MASK;
    let low = f64::from_bits(exponent << STORED_BITS);
    let unit = low * f64::EPSILON;
    // The unit for each number is more than all roundings, those of this line included.
    let change = (bound + unit) * (bytes.len() / T::SIZE) as f64;
    let stays = sum.abs() - change > low && sum.abs() + change < 2.0 * low;
    if !EXPONENTS.contains(&exponent) || !stays {
        return None;
    }
    // `change` is less than half of `low`, so that sums with this number are in the same range.
    let shift = 1.5 * low;
    let rounded = |value: f64| (value + shift) - shift;
    let blocks = bytes.chunks_exact(BINADE_LANES * T::SIZE);
    let rest = blocks.remainder();
    let (mut sums, mut errors) = ([0.0; BINADE_LANES], [0.0; BINADE_LANES]);
    for block in blocks {
        (0..BINADE_LANES).for_each(|lane| {
            let value = T::read(&block[lane * T::SIZE..][..T::SIZE]).to_f64();
            let multiple = rounded(value);
            sums[lane] += multiple;
            errors[lane] = larger(errors[lane], (value - multiple).abs());
        });
    }
    let (mut added, mut error) = (0.0, 0.0);
    for lane in 0..BINADE_LANES {
        added += sums[lane];
        error = larger(error, errors[lane]);
    }
    for value in values_of::<T>(rest).map(Value::to_f64) {
        added += rounded(value);
        error = larger(error, (value - rounded(value)).abs());
    }
    (error < unit / 2.0).then_some(sum + added)
}

/// Returns the larger number, and `b` if one is NaN, as the instruction of the CPU.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The exponent of the lowest bit of the smallest 32-bit numbers.
const LOWEST_BIT: i32 = f32::MIN_EXP - f32::MANTISSA_DIGITS as i32;

/// Returns the exponent of the lowest bit of 32-bit numbers with these exponent bits.
#[inline(always)]
fn lowest_bit(exponent_bits: u32) -> i32 {
    // Numbers without an exponent have the same lowest bit as those with the smallest one.
    LOWEST_BIT - 1 + (exponent_bits >> (f32::MANTISSA_DIGITS - 1)).max(1) as i32
}

/// Returns the exponent of the lowest bit of a sum that is set, or the maximum if the sum is zero.
#[inline(always)]
fn lowest_bit_of_sum(sum: f64) -> i32 {
    let exponent = (sum.to_bits() >> STORED_BITS & EXPONENT_MASK) as i32;
    let stored = sum.to_bits() & ((1 << STORED_BITS) - 1);
    match (exponent, stored) {
        (0, 0) => i32::MAX,
        // Below every bit of a 32-bit number.
        (0, _) => i32::MIN,
        _ => exponent - 1075 + (stored | 1 << STORED_BITS).trailing_zeros() as i32,
    }
}

/// Returns a power of two between 2^-1022 and 2^1023.
#[inline(always)]
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << STORED_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{baseline, simd_dispatch};
    use proptest::{collection::vec, prelude::*};

    /// Adds the numbers in order.
    fn reference(sum: f64, values: &[f32]) -> f64 {
        values
            .iter()
            .fold(sum, |sum, value| sum + f64::from(*value))
    }

    fn exact_sum_of(sum: f64, values: &[f32]) -> Option<f64> {
        let bound = values.iter().map(|value| f64::from(value.abs()));
        let bound = bound.fold(0.0, f64::max);
        let bytes: Vec<[u8; 4]> = values.iter().map(|value| value.to_le_bytes()).collect();
        let compute = || {
            simd_dispatch(
                #[inline(always)]
                || exact_sum(sum, &bytes, bound),
            )
        };
        let found = compute();
        let plain = baseline::force(compute);
        assert_eq!(found.map(f64::to_bits), plain.map(f64::to_bits));
        found
    }

    #[test]
    fn numbers_of_similar_size_are_summed_in_lanes() {
        let values: Vec<f32> = (0..4096).map(|index| 20.0 + index as f32 / 100.0).collect();
        let sum = exact_sum_of(0.5, &values).expect("an exact sum");
        assert_eq!(sum.to_bits(), reference(0.5, &values).to_bits());
    }

    #[test]
    fn sums_that_depend_on_the_order_are_not_computed_in_lanes() {
        assert_eq!(exact_sum_of(0.0, &[1e30, 1.0, -1e30]), None);
        assert_eq!(exact_sum_of(0.0, &[1.0, f32::MIN_POSITIVE]), None);
        assert_eq!(exact_sum_of(1e-30, &[1.0, 2.0]), None);
        assert_eq!(exact_sum_of(1e300, &[1.0, 2.0]), None);
        assert_eq!(exact_sum_of(0.0, &[f32::NAN, 1.0]), None);
        assert_eq!(exact_sum_of(0.0, &[f32::INFINITY, 1.0]), None);
    }

    #[test]
    fn zeros_and_numbers_without_an_exponent_are_summed_in_lanes() {
        let tiny = f32::from_bits(1);
        for values in [
            &[0.0f32, -0.0, 0.0][..],
            &[],
            &[tiny; 40],
            &[tiny, f32::MIN_POSITIVE],
        ] {
            let sum = exact_sum_of(0.0, values).expect("an exact sum");
            assert_eq!(
                sum.to_bits(),
                reference(0.0, values).to_bits(),
                "{values:?}"
            );
        }
    }

    fn sum_in_binade_of<T: Value>(sum: f64, values: &[T]) -> Option<f64> {
        let bound = values.iter().map(|value| value.to_f64().abs());
        let bound = bound.fold(0.0, f64::max);
        let mut bytes = vec![0; values.len() * T::SIZE];
        for (value, to) in values.iter().zip(bytes.chunks_exact_mut(T::SIZE)) {
            value.write(to);
        }
        let compute = || {
            simd_dispatch(
                #[inline(always)]
                || sum_in_binade::<T>(sum, &bytes, bound),
            )
        };
        let found = compute();
        let plain = baseline::force(compute);
        assert_eq!(found.map(f64::to_bits), plain.map(f64::to_bits));
        found
    }

    #[test]
    fn a_sum_that_stays_between_powers_of_two_is_computed_in_lanes() {
        let values: Vec<f64> = (0..999)
            .map(|index| f64::from(index) / 7.0 - 30.0)
            .collect();
        for start in [1.5e6, -1.5e6, 1.5e20, -1.7e300] {
            let in_order = values.iter().fold(start, |sum, value| sum + value);
            let sum = sum_in_binade_of(start, &values).expect("a sum");
            assert_eq!(sum.to_bits(), in_order.to_bits(), "{start}");
        }
    }

    #[test]
    fn a_sum_that_may_leave_its_powers_of_two_is_not_computed_in_lanes() {
        for start in [0.0, -0.0, 1.0, 2.0, 1048.0, 2047.0, f64::MAX, 1e-310] {
            assert_eq!(
                sum_in_binade_of(start, &[1.0f64 / 3.0; 90]),
                None,
                "{start}"
            );
        }
        assert_eq!(sum_in_binade_of(f64::NAN, &[1.0f64]), None);
        assert_eq!(sum_in_binade_of(f64::INFINITY, &[1.0f64]), None);
    }

    #[test]
    fn a_number_in_the_middle_of_two_multiples_is_added_in_order() {
        let unit = 1024.0 * f64::EPSILON;
        for cell in 0..20 {
            let mut values = [1.0; 20];
            values[cell] += unit / 2.0;
            assert_eq!(sum_in_binade_of(1500.0, &values), None, "{cell}");
            values[cell] += unit / 4.0;
            assert!(sum_in_binade_of(1500.0, &values).is_some(), "{cell}");
        }
    }

    #[test]
    fn a_sum_of_numbers_that_are_not_finite_is_not_finite() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for cell in 0..20 {
                let mut values = [1.0; 20];
                values[cell] = value;
                let bytes: Vec<u8> = values
                    .iter()
                    .flat_map(|value| value.to_le_bytes())
                    .collect();
                let sum = sum_in_binade::<f64>(1500.0, &bytes, 1.0);
                assert!(sum.is_none_or(|sum| !sum.is_finite()), "{value} {cell}");
            }
        }
    }

    proptest! {
        #[test]
        fn sums_in_a_binade_equal_sums_in_order(
            start in prop_oneof![-1e4f64..1e4, (-60i32..60).prop_map(|power| 1.5 * 2f64.powi(power))],
            values in vec((any::<i64>(), 0i32..70), 0..100),
            bits in 0u32..63,
            scale in -80i32..20,
        ) {
            // Numbers with few bits are in the middle of two multiples more often.
            let value = |&(number, power): &(i64, i32)| {
                (number >> bits << bits) as f64 * 2f64.powi(scale - power)
            };
            let values: Vec<f64> = values.iter().map(value).collect();
            if let Some(sum) = sum_in_binade_of(start, &values) {
                let in_order = values.iter().fold(start, |sum, value| sum + value);
                prop_assert_eq!(sum.to_bits(), in_order.to_bits());
            }
            let narrow: Vec<f32> = values.iter().map(|value| *value as f32).collect();
            if let Some(sum) = sum_in_binade_of(start, &narrow) {
                prop_assert_eq!(sum.to_bits(), reference(start, &narrow).to_bits());
            }
        }

        #[test]
        fn sums_in_lanes_equal_sums_in_order(
            start in prop_oneof![Just(0.0), -1e6f64..1e6, any::<f64>()],
            whole_start in any::<bool>(),
            values in vec((-2000i32..2000, -30i32..30), 0..200),
            spread in 0i32..40,
        ) {
            let value = |&(number, power): &(i32, i32)| number as f32 * 2f32.powi(power % (spread + 1));
            let values: Vec<f32> = values.iter().map(value).collect();
            // The sum of a tile is never a negative zero.
            let start = if whole_start { start.trunc() } else { start } + 0.0;
            if let Some(sum) = exact_sum_of(start, &values) {
                prop_assert_eq!(sum.to_bits(), reference(start, &values).to_bits());
            }
        }

        #[test]
        fn sums_of_any_numbers_in_lanes_equal_sums_in_order(
            bits in vec(any::<u32>(), 0..40),
            mask in any::<u32>(),
        ) {
            let values: Vec<f32> = bits.iter().map(|bits| f32::from_bits(bits & mask)).collect();
            if let Some(sum) = exact_sum_of(0.0, &values) {
                prop_assert_eq!(sum.to_bits(), reference(0.0, &values).to_bits());
            }
        }
    }
}
