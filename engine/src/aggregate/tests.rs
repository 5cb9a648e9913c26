//! Compares accumulators with simple sums, minima and maxima.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};

use super::*;
use crate::tile::CellsRef;
use crate::typed;
use crate::types::{CellType, Value};

fn field(datatype: Datatype, nullable: bool) -> AggregatedField {
    AggregatedField {
        name: "a".into(),
        cells: CellType {
            nullable,
            ..CellType::single(datatype)
        },
    }
}

fn aggregate(operator: AggregateOperator, field: &AggregatedField) -> Aggregate {
    Aggregate {
        operator,
        field: Some(field.clone()),
    }
}

const ALL: AccumulatedParts = AccumulatedParts {
    sum: true,
    min_max: true,
};

/// Returns random cells. Real numbers are small, so that their sums are exact.
fn random_cells<T: Value>(rng: &mut TestRng, cells: usize, whole: bool) -> Vec<u8> {
    let mut data = vec![0; cells * T::SIZE];
    for cell in data.chunks_exact_mut(T::SIZE) {
        if whole {
            rng.fill_bytes(cell);
        } else if T::SIZE == 4 {
            cell.copy_from_slice(&((rng.next_u32() % 2001) as f32 - 1000.0).to_le_bytes());
        } else {
            cell.copy_from_slice(&(f64::from(rng.next_u32() % 2001) - 1000.0).to_le_bytes());
        }
    }
    data
}

/// Returns the bits of the sum of integers, limited to the range of the datatype of the sum.
fn exact_sum<T: Value>(values: &[T], datatype: Datatype) -> u64 {
    let signed = matches!(sum_datatype(datatype), Datatype::Int64);
    let bias = if signed {
        1i128 << (8 * T::SIZE - 1)
    } else {
        0
    };
    let exact: i128 = values
        .iter()
        .map(|value| i128::from(value.to_key()) - bias)
        .sum();
    if signed {
        i64::try_from(exact).unwrap_or(i64::MAX) as u64
    } else {
        u64::try_from(exact).unwrap_or(u64::MAX)
    }
}

/// Compares the aggregates of random values, masks and validity with those of the values in turn.
fn check<T: Value>(rng: &mut TestRng, datatype: Datatype) {
    let cells = (rng.next_u32() % 9000) as usize;
    let whole = !datatype.is_real();
    let data = random_cells::<T>(rng, cells, whole);
    let (masked, nullable) = (
        rng.next_u32().is_multiple_of(2),
        rng.next_u32().is_multiple_of(2),
    );
    let mut bits = |divisor: u32| {
        (0..cells)
            .map(|_| u8::from(!rng.next_u32().is_multiple_of(divisor)))
            .collect::<Vec<_>>()
    };
    let (selected, validity) = (bits(3), bits(2));
    let field = field(datatype, nullable);
    let column = CellsRef {
        data: &data,
        starts: None,
        validity: nullable.then_some(&validity[..]),
    };
    // In two halves, merged.
    let mut accumulator = Accumulator::new(&field, ALL);
    let mut other = accumulator.empty();
    let half = cells / 2;
    let part = |range: std::ops::Range<usize>| CellsRef {
        data: &data[range.start * T::SIZE..range.end * T::SIZE],
        starts: None,
        validity: column.validity.map(|validity| &validity[range.clone()]),
    };
    let mask = |range: std::ops::Range<usize>| masked.then(|| &selected[range]);
    accumulator.add(&part(0..half), half, mask(0..half));
    other.add(&part(half..cells), cells - half, mask(half..cells));
    accumulator.merge(&other);

    let chosen = |cell: &usize| !masked || selected[*cell] != 0;
    let valid = |cell: &usize| !nullable || validity[*cell] != 0;
    let values: Vec<T> = (0..cells)
        .filter(chosen)
        .filter(valid)
        .map(|cell| T::read(&data[cell * T::SIZE..]))
        .collect();
    let nulls = (0..cells)
        .filter(chosen)
        .filter(|cell| !valid(cell))
        .count() as u64;
    let result = |operator| accumulator.result(&aggregate(operator, &field));
    assert_eq!(
        result(AggregateOperator::NullCount).value,
        nulls.to_le_bytes()
    );
    let sum = result(AggregateOperator::Sum);
    if whole {
        let expected = exact_sum(&values, datatype);
        assert_eq!(sum.value, expected.to_le_bytes(), "{datatype:?} of {cells}");
    } else {
        let exact: f64 = values.iter().map(|value| value.to_f64()).sum();
        assert_eq!(sum.value, exact.to_le_bytes(), "{datatype:?} of {cells}");
        assert_eq!(sum.is_valid, !values.is_empty());
    }
    let min = values.iter().min_by(|a, b| a.order(b));
    let max = values.iter().max_by(|a, b| a.order(b));
    for (operator, expected) in [(AggregateOperator::Min, min), (AggregateOperator::Max, max)] {
        let end = result(operator);
        assert_eq!(end.is_valid, expected.is_some());
        assert_eq!(
            T::read(&end.value),
            expected.copied().unwrap_or_default(),
            "{datatype:?}"
        );
    }
}

#[test]
fn accumulators_match_reference() {
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let numbers = Datatype::ALL.into_iter().filter(|datatype| {
        datatype.is_integer() || datatype.is_real() || *datatype == Datatype::DatetimeDay
    });
    for datatype in numbers {
        for _ in 0..20 {
            typed!(datatype.physical(), T => check::<T>(&mut rng, datatype));
        }
    }
}

fn accumulator_of(datatype: Datatype, data: &[u8]) -> Accumulator {
    let mut accumulator = Accumulator::new(&field(datatype, false), ALL);
    let column = CellsRef {
        data,
        starts: None,
        validity: None,
    };
    accumulator.add(&column, data.len() / datatype.size(), None);
    accumulator
}

#[test]
fn overflowing_sums_of_integers_saturate_and_are_invalid() {
    let sum = |values: &[i64]| {
        let data: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let field = field(Datatype::Int64, true);
        accumulator_of(Datatype::Int64, &data).result(&aggregate(AggregateOperator::Sum, &field))
    };
    let result = |sum: i64, is_valid: bool| AggregateResult {
        value: sum.to_le_bytes().to_vec(),
        is_valid,
    };
    let saturated = result(i64::MAX, false);
    assert_eq!(sum(&[i64::MAX, 1, -5]), result(i64::MAX - 4, true));
    assert_eq!(sum(&[i64::MAX, 1]), saturated);
    assert_eq!(sum(&[i64::MIN, -1]), saturated);
}

/// Returns the result of an operator on real numbers.
fn real_result(operator: AggregateOperator, values: &[f64]) -> f64 {
    let data: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let field = field(Datatype::Float64, false);
    let accumulator = accumulator_of(Datatype::Float64, &data);
    let bytes = accumulator.result(&aggregate(operator, &field)).value;
    f64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

#[test]
fn overflowing_sums_of_real_numbers_are_the_largest_finite_number() {
    let sum = |values: &[f64]| real_result(AggregateOperator::Sum, values);
    assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::MAX);
    assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
    assert_eq!(sum(&[1e308, 1e308, -1.5e308]), 5e307);
    assert_eq!(
        sum(&[f64::MAX, f64::MAX, f64::NEG_INFINITY]),
        f64::NEG_INFINITY
    );
    assert_eq!(sum(&[1.0, f64::INFINITY]), f64::INFINITY);
    assert!(sum(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
}

#[test]
fn means_are_exact_if_the_sum_overflows() {
    let real = |values: &[f64]| real_result(AggregateOperator::Mean, values);
    assert_eq!(real(&[1e308; 4]), 1e308);
    assert_eq!(real(&[f64::MAX, f64::MAX, -f64::MAX, -f64::MAX]), 0.0);
    assert_eq!(real(&[f64::INFINITY, 1.0]), f64::INFINITY);
    assert!(real(&[f64::NAN, 1.0]).is_nan());
    let whole = |datatype: Datatype, bits: u64, cells: usize| {
        let data = bits.to_le_bytes().repeat(cells);
        let field = field(datatype, true);
        let mean =
            accumulator_of(datatype, &data).result(&aggregate(AggregateOperator::Mean, &field));
        assert!(mean.is_valid);
        f64::from_le_bytes(mean.value.try_into().expect("eight bytes"))
    };
    for cells in [1, 2, 9000] {
        assert_eq!(
            whole(Datatype::Int64, i64::MAX as u64, cells),
            i64::MAX as f64
        );
        assert_eq!(
            whole(Datatype::Int64, i64::MIN as u64, cells),
            i64::MIN as f64
        );
        assert_eq!(whole(Datatype::Uint64, u64::MAX, cells), u64::MAX as f64);
    }
}

#[test]
fn minima_ignore_nan_unless_no_other_value_exists() {
    let min = |values: &[f64]| real_result(AggregateOperator::Min, values);
    assert_eq!(min(&[f64::NAN, 2.0, 1.0, f64::NAN]), 1.0);
    assert_eq!(min(&[f64::INFINITY]), f64::INFINITY);
    assert!(min(&[f64::NAN]).is_nan());
    let sum = real_result(AggregateOperator::Sum, &[1.0, f64::NAN]);
    assert!(sum.is_nan(), "sums do not ignore NaN");
}

#[test]
fn tile_statistics_are_used_only_if_sufficient() {
    let field = field(Datatype::Int32, true);
    let (least, greatest) = (3i32.to_le_bytes(), 9i32.to_le_bytes());
    let statistics = TileStatistics {
        cells: 10,
        nulls: 4,
        sum: Some(33),
        min_max: Some((&least, &greatest)),
    };
    let mut accumulator = Accumulator::new(&field, ALL);
    assert!(accumulator.add_statistics(&statistics));
    assert!(!accumulator.add_statistics(&TileStatistics {
        sum: None,
        ..statistics
    }));
    assert!(!accumulator.add_statistics(&TileStatistics {
        min_max: None,
        ..statistics
    }));
    for nulls in [11, u64::MAX] {
        assert!(!accumulator.add_statistics(&TileStatistics {
            nulls,
            ..statistics
        }));
    }
    // If all cells are null, no other statistics exist.
    let nulls = TileStatistics {
        cells: 2,
        nulls: 2,
        sum: None,
        min_max: None,
    };
    assert!(accumulator.add_statistics(&nulls));
    let result = |operator| accumulator.result(&aggregate(operator, &field)).value;
    assert_eq!(result(AggregateOperator::Sum), 33i64.to_le_bytes());
    assert_eq!(result(AggregateOperator::NullCount), 6u64.to_le_bytes());
    assert_eq!(result(AggregateOperator::Mean), 5.5f64.to_le_bytes());
    assert_eq!(result(AggregateOperator::Max), greatest);
}
