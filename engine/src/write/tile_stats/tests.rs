//! Statistics compared with those of numbers that are added one by one.

use super::*;
use crate::bytes::baseline;
use crate::types::CellType;
use proptest::{collection::vec, prelude::*};

fn field(datatype: Datatype) -> StoredField {
    StoredField {
        name: "a".into(),
        cells: CellType::single(datatype),
        filters: Default::default(),
    }
}

fn stats_of<T: Value>(datatype: Datatype, values: &[T]) -> TileStats {
    of_cells(datatype, values, None)
}

fn bytes_of<T: Value>(values: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * T::SIZE];
    values
        .iter()
        .zip(bytes.chunks_exact_mut(T::SIZE))
        .for_each(|(value, to)| value.write(to));
    bytes
}

fn of_cells<T: Value>(datatype: Datatype, values: &[T], validity: Option<&[u8]>) -> TileStats {
    let bytes = bytes_of(values);
    let field = field(datatype);
    let mut running = TileStatsBuilder::new(&field);
    running.add(&bytes, validity);
    running.finish(&field).expect("statistics")
}

#[test]
fn integer_sums_saturate_at_64_bits() {
    let stats = stats_of(Datatype::Int32, &(-50..100).collect::<Vec<i32>>());
    assert_eq!(stats.min, Some((-50i32).to_le_bytes().to_vec()));
    assert_eq!(stats.max, Some(99i32.to_le_bytes().to_vec()));
    assert_eq!(stats.sum, Some((-50i64..100).sum::<i64>().to_le_bytes()));
    assert_eq!(
        stats_of(Datatype::Int64, &[i64::MAX, 1, -5]).sum,
        Some(i64::MAX.to_le_bytes())
    );
    assert_eq!(
        stats_of(Datatype::Int64, &[i64::MIN, -1, 5]).sum,
        Some(i64::MIN.to_le_bytes())
    );
    assert_eq!(
        stats_of(Datatype::Uint64, &[u64::MAX, 1]).sum,
        Some(u64::MAX.to_le_bytes())
    );
    assert_eq!(
        stats_of(Datatype::Uint8, &[200u8, 100]).sum,
        Some(300u64.to_le_bytes())
    );
}

#[test]
fn floats_are_summed_in_order_and_nan_is_replaced() {
    assert_eq!(Physical::F64, Datatype::Float64.physical());
    let stats = stats_of(Datatype::Float64, &[1.0, f64::NAN, 3.0, 2.0]);
    assert_eq!(stats.min, Some(2f64.to_le_bytes().to_vec()));
    assert_eq!(stats.max, Some(3f64.to_le_bytes().to_vec()));
    assert_eq!(
        stats_of(Datatype::Float64, &[f64::MAX, f64::MAX, -1.0]).sum,
        Some(f64::MAX.to_le_bytes())
    );
    let zeros = stats_of(Datatype::Float64, &[0.0, -0.0]);
    assert_eq!(zeros.min, Some((-0.0f64).to_le_bytes().to_vec()));
}

fn check_nullable<T: Value>(datatype: Datatype, cells: &[(T, u8)]) {
    let (values, validity): (Vec<T>, Vec<u8>) = cells.iter().copied().unzip();
    let valid = cells.iter().filter(|cell| cell.1 != 0);
    let valid: Vec<T> = valid.map(|cell| cell.0).collect();
    let mut expected = stats_of(datatype, &valid);
    expected.null_count = (cells.len() - valid.len()) as u64;
    let found = of_cells(datatype, &values, Some(&validity));
    assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{cells:?}");
}

proptest! {
    #[test]
    fn statistics_of_nullable_values_equal_those_of_the_valid_ones(
        cells in vec((any::<i64>(), 0u8..3), 0..5000),
        shift in 0u32..64,
    ) {
        let cells: Vec<_> = cells.iter().map(|cell| (cell.0 >> shift, cell.1)).collect();
        check_nullable(Datatype::Int64, &cells);
        let unsigned: Vec<_> = cells.iter().map(|cell| (cell.0 as u64, cell.1)).collect();
        check_nullable(Datatype::Uint64, &unsigned);
        let real: Vec<_> = cells.iter().map(|cell| (cell.0 as f32 / 3.0, cell.1)).collect();
        check_nullable(Datatype::Float32, &real);
    }
}

#[test]
fn all_instruction_sets_agree_at_vector_and_block_boundaries() {
    let around = STATS_BLOCK_BYTES / 8 - 2..=STATS_BLOCK_BYTES / 8 + 2;
    for len in (0..100).chain(around) {
        let value = |index: usize| (index * index * 7919 % 100_003) as i64 - 50_000;
        let whole: Vec<i64> = (0..len).map(value).collect();
        let real: Vec<f64> = whole.iter().map(|value| *value as f64 / 3.0).collect();
        let small: Vec<i16> = whole.iter().map(|value| *value as i16).collect();
        let compute = || {
            let stats = [
                stats_of(Datatype::Int64, &whole),
                stats_of(Datatype::Float64, &real),
                stats_of(Datatype::Int16, &small),
            ];
            format!("{stats:?}")
        };
        assert_eq!(compute(), baseline::force(compute), "{len} values");
    }
}

/// Returns the minimum, maximum and sum of numbers, which are compared and added in order.
fn reference<T: Value>(values: &[T]) -> (T, T, f64) {
    let (min, max) = values
        .iter()
        .fold((T::GREATEST, T::LEAST), |current, value| {
            include(current, *value)
        });
    let mut sum = 0.0;
    let mut values = values.iter();
    while values
        .next()
        .is_some_and(|value| add_real(&mut sum, value.to_f64()))
    {}
    (min, max, sum)
}

/// Returns the statistics of values that are added in runs of cells.
fn stats_of_runs<T: Value>(datatype: Datatype, values: &[T], run: usize) -> TileStats {
    let field = field(datatype);
    let mut running = TileStatsBuilder::new(&field);
    let runs: Vec<Vec<u8>> = values.chunks(run).map(bytes_of).collect();
    runs.iter().for_each(|run| running.add(run, None));
    running.finish(&field).expect("statistics")
}

fn check_reals<T: Value>(datatype: Datatype, values: &[T], run: usize) {
    let (min, max, sum) = reference(values);
    let mut expected = [vec![0; T::SIZE], vec![0; T::SIZE]];
    min.write(&mut expected[0]);
    max.write(&mut expected[1]);
    let compute = || stats_of_runs(datatype, values, run);
    for stats in [compute(), baseline::force(compute)] {
        assert_eq!(stats.min.as_ref(), Some(&expected[0]));
        assert_eq!(stats.max.as_ref(), Some(&expected[1]));
        let found = f64::from_le_bytes(stats.sum.expect("a sum"));
        // The sign of NaN depends on the order of the operands of an addition.
        let is_nan = found.is_nan() && sum.is_nan();
        assert!(is_nan || found.to_bits() == sum.to_bits(), "{found} {sum}");
    }
}

proptest! {
    #[test]
    fn statistics_of_reals_equal_those_computed_in_order(
        number in 0usize..200,
        scale in prop_oneof![Just(1.0f32), Just(0.01), Just(1e30), Just(1e-40)],
        special in vec((0usize..200, prop_oneof![
            Just(f32::NAN), Just(0.0), Just(-0.0), Just(f32::INFINITY), Just(f32::NEG_INFINITY),
        ]), 0..4),
    ) {
        let mut values: Vec<f32> = (0..number)
            .map(|index| (index * index * 7919 % 2003) as f32 * scale - scale)
            .collect();
        for (index, value) in special {
            if let Some(slot) = values.get_mut(index) {
                *slot = value;
            }
        }
        check_reals(Datatype::Float32, &values, 200);
        let wide: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
        check_reals(Datatype::Float64, &wide, 200);
    }

    #[test]
    fn statistics_of_reals_in_runs_equal_those_computed_in_order(
        number in 0usize..4000,
        run in 1usize..300,
        divisor in prop_oneof![Just(1.0), Just(3.0), Just(-7.0), Just(1024.0)],
        least in prop_oneof![Just(0.0), Just(1.0), Just(1e-3), Just(-1000.0), Just(1e12)],
    ) {
        let values: Vec<f64> = (0..number)
            .map(|index| (index * index * 7919 % 2003) as f64 / divisor + least)
            .collect();
        check_reals(Datatype::Float64, &values, run);
        let narrow: Vec<f32> = values.iter().map(|value| *value as f32).collect();
        check_reals(Datatype::Float32, &narrow, run);
    }
}

#[test]
fn a_sum_saturates_at_an_infinity_before_a_nan() {
    let values = [1.0, f64::INFINITY, 2.0, f64::NAN, 3.0];
    let largest = Some(f64::MAX.to_le_bytes());
    assert_eq!(stats_of(Datatype::Float64, &values).sum, largest);
    let narrow = values.map(|value| value as f32);
    assert_eq!(stats_of(Datatype::Float32, &narrow).sum, largest);
}
