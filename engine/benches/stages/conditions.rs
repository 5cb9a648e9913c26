//! Conditions on cells in memory.

use divan::Bencher;
use divan::counter::ItemsCount;
use tiledb_engine::internal::condition::{BoundCondition, Combination, Condition, Operator};
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::tile::CellsRef;
use tiledb_engine::internal::types::{ArrayType, Datatype};

use crate::data::{mixed, text_of};
use crate::setup::{self, attribute, bytes, dimension, text};

/// The number of cells.
const CELLS: u64 = 1 << 16;

fn select(
    bencher: Bencher<'_, '_>,
    attribute: Attribute,
    condition: &Condition,
    cells: CellsRef<'_>,
) {
    let dimensions = [dimension("x", Datatype::Int64, [0i64, 9], 5)];
    let schema = setup::schema(ArrayType::Sparse, dimensions, [attribute]);
    let schema = schema.finish().expect("schema");
    let never = |_: &str| -> tiledb_engine::Result<_> { unreachable!("no enumerations") };
    let bound = BoundCondition::bind(condition, &schema, never).expect("bound");
    let mut selected = vec![1; CELLS as usize];
    bencher.counter(ItemsCount::new(CELLS)).bench_local(|| {
        selected.fill(1);
        bound.select(&[cells], CELLS as usize, &mut selected);
    });
}

fn numbers() -> Vec<u8> {
    bytes((0..CELLS).map(|index| (mixed(index) >> 32) as u32))
}

fn select_numbers(bencher: Bencher<'_, '_>, condition: &Condition) {
    let data = numbers();
    let cells = CellsRef {
        data: &data,
        starts: None,
        validity: None,
    };
    select(
        bencher,
        attribute("a", Datatype::Uint32, &[]),
        condition,
        cells,
    );
}

fn compare(operator: Operator, value: u32) -> Condition {
    Condition::compare("a", operator, Some(&value.to_le_bytes())).expect("condition")
}

#[divan::bench]
fn compare_numbers(bencher: Bencher<'_, '_>) {
    select_numbers(bencher, &compare(Operator::Lt, 1 << 31));
}

/// Three comparisons, which are evaluated for a block of cells at a time.
#[divan::bench]
fn combine_comparisons(bencher: Bencher<'_, '_>) {
    let [low, high, other] = [
        compare(Operator::Gt, 1 << 29),
        compare(Operator::Lt, 1 << 31),
        compare(Operator::Ne, 5),
    ]
    .map(std::sync::Arc::new);
    let both = low.combine(&high, Combination::And).expect("condition");
    let all = std::sync::Arc::new(both).combine(&other, Combination::And);
    select_numbers(bencher, &all.expect("condition"));
}

#[divan::bench(args = [4, 8, 9, 16, 32, 300, 20_000])]
fn number_in_set(bencher: Bencher<'_, '_>, members: u64) {
    let starts: Vec<u64> = (0..members).map(|index| index * 4).collect();
    let set = bytes((0..members).map(|index| (mixed(index * 3) >> 32) as u32));
    let condition = Condition::is_one_of("a", Operator::In, &set, &starts);
    select_numbers(bencher, &condition.expect("condition"));
}

fn select_texts(bencher: Bencher<'_, '_>, condition: &Condition) {
    let (mut data, mut starts) = (Vec::new(), vec![0]);
    for index in 0..CELLS {
        data.extend_from_slice(text_of(index).as_bytes());
        starts.push(data.len() as u64);
    }
    let cells = CellsRef {
        data: &data,
        starts: Some(&starts),
        validity: None,
    };
    select(bencher, text("a", &[]), condition, cells);
}

#[divan::bench]
fn compare_texts(bencher: Bencher<'_, '_>) {
    let condition = Condition::compare("a", Operator::Lt, Some(b"0000512"));
    select_texts(bencher, &condition.expect("condition"));
}

/// One of `len` characters, which every cell of its length resembles.
#[divan::bench(args = [3, 8, 10])]
fn equal_texts(bencher: Bencher<'_, '_>, len: usize) {
    let value = &text_of(7)[..3];
    let value = format!("{value:0<len$}");
    let condition = Condition::compare("a", Operator::Eq, Some(value.as_bytes()));
    select_texts(bencher, &condition.expect("condition"));
}

#[divan::bench(args = [4, 32, 300])]
fn text_in_set(bencher: Bencher<'_, '_>, members: u64) {
    let (mut set, mut starts) = (Vec::new(), Vec::new());
    for index in 0..members {
        starts.push(set.len() as u64);
        set.extend_from_slice(text_of(index * 5).as_bytes());
    }
    let condition = Condition::is_one_of("a", Operator::In, &set, &starts);
    select_texts(bencher, &condition.expect("condition"));
}
