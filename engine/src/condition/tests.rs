//! Compares conditions with a simple reference evaluator: all operators on all datatypes, and
//! random trees.

mod binding;

use std::cmp::Ordering;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRng;

use super::*;
use crate::error::Result;
use crate::schema::{ArraySchema, Attribute, Dimension, Domain, Enumeration, EnumerationValues};
use crate::tile::Cells;
use crate::typed;
use crate::types::{ArrayType, Datatype, Layout, Match, TimeRange, VAR_NUM, Value};

/// The bytes of a cell, or null.
type CellValue = Option<Vec<u8>>;

struct Column {
    attribute: Attribute,
    cells: Vec<CellValue>,
}

impl Column {
    fn as_cells(&self) -> Cells {
        let mut cells = Cells::default();
        let fixed = (!self.attribute.is_var()).then(|| self.attribute.cell_size() as usize);
        for value in &self.cells {
            if fixed.is_none() {
                cells.starts.push(cells.data.len() as u64);
            }
            match value {
                Some(value) => cells.data.extend(value),
                // The value of a null cell is unspecified.
                None => cells.data.extend(vec![0x5a; fixed.unwrap_or(3)]),
            }
            if self.attribute.nullable {
                cells.validity.push(u8::from(value.is_some()));
            }
        }
        if fixed.is_none() {
            cells.starts.push(cells.data.len() as u64);
        }
        cells
    }
}

fn schema(attributes: Vec<Attribute>) -> ArraySchema {
    let range: Vec<u8> = [0i32, 9].iter().flat_map(|end| end.to_le_bytes()).collect();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&range), None).expect("a range");
    let domain = Domain {
        dimensions: vec![Arc::new(dimension)].into(),
    };
    ArraySchema {
        version: 22,
        array_type: ArrayType::Sparse,
        tile_order: Layout::RowMajor,
        cell_order: Layout::RowMajor,
        capacity: 10,
        allows_dups: false,
        domain,
        attributes: attributes.into_iter().map(Arc::new).collect(),
        labels: Default::default(),
        enumerations: Default::default(),
        current_domain: None,
        coords_filters: Arc::default(),
        offsets_filters: Arc::default(),
        validity_filters: Arc::default(),
        name: String::new(),
        timestamps: TimeRange { start: 0, end: 0 },
    }
}

fn bind(condition: &Condition, schema: &ArraySchema) -> Result<BoundCondition> {
    BoundCondition::bind(condition, schema, |name| panic!("no enumeration {name}"))
}

/// Evaluates a condition on one cell with the reference evaluator.
fn naive(condition: &Condition, columns: &[Column], cell: usize) -> bool {
    match condition {
        Condition::Combined(Combination::And, parts) => {
            parts.iter().all(|part| naive(part, columns, cell))
        }
        Condition::Combined(Combination::Or, parts) => {
            parts.iter().any(|part| naive(part, columns, cell))
        }
        Condition::Leaf(leaf) => {
            let column = columns
                .iter()
                .find(|column| column.attribute.name == leaf.field)
                .expect("a column");
            let value = column.cells[cell].as_deref();
            match &leaf.operand {
                Operand::Null if leaf.operator == Operator::Eq => value.is_none(),
                Operand::Null => value.is_some(),
                Operand::Value(operand) => value.is_some_and(|value| {
                    let order = naive_order(&column.attribute, value, operand);
                    match leaf.operator {
                        Operator::Lt => order == Some(Ordering::Less),
                        Operator::Le => order.is_some_and(Ordering::is_le),
                        Operator::Gt => order == Some(Ordering::Greater),
                        Operator::Ge => order.is_some_and(Ordering::is_ge),
                        Operator::Eq => order == Some(Ordering::Equal),
                        _ => order != Some(Ordering::Equal),
                    }
                }),
                Operand::Set { data, offsets } => value.is_some_and(|value| {
                    let ends = offsets.iter().skip(1).copied().chain([data.len() as u64]);
                    let mut members = offsets.iter().zip(ends);
                    let found =
                        members.any(|(start, end)| &data[*start as usize..end as usize] == value);
                    found == (leaf.operator == Operator::In)
                }),
            }
        }
    }
}

fn naive_order(attribute: &Attribute, a: &[u8], b: &[u8]) -> Option<Ordering> {
    fn compare<T: Value>(a: &[u8], b: &[u8]) -> Option<Ordering> {
        T::read(a).partial_cmp(&T::read(b))
    }
    let one = attribute.datatype == Datatype::Char && attribute.cell_val_num == 1;
    if attribute.datatype.is_byte_text() && !one {
        Some(a.cmp(b))
    } else {
        typed!(attribute.datatype.physical(), T => compare::<T>(a, b))
    }
}

fn comparable() -> impl Iterator<Item = Datatype> {
    let not = [
        Datatype::Any,
        Datatype::Blob,
        Datatype::GeomWkb,
        Datatype::GeomWkt,
        Datatype::StringUtf16,
        Datatype::StringUtf32,
        Datatype::StringUcs2,
        Datatype::StringUcs4,
    ];
    Datatype::ALL
        .into_iter()
        .filter(move |datatype| !not.contains(datatype))
}

/// Returns one of a few values, which include minima, maxima and special values.
fn a_value(rng: &mut TestRng, attribute: &Attribute) -> Vec<u8> {
    fn special<T: Value>(pick: u32) -> Vec<u8> {
        let mut bytes = vec![0; T::SIZE];
        match pick {
            0 => T::LEAST.write(&mut bytes),
            1 => T::GREATEST.write(&mut bytes),
            2 => bytes.fill(0xff),
            3 => *bytes.last_mut().expect("a byte") = 0x80,
            _ => bytes[0] = pick as u8,
        }
        bytes
    }
    let datatype = attribute.datatype;
    let texts: [&[u8]; 7] = [b"", b"a", b"ab", b"b", b"b\0", b"\0", b"\xff\x01"];
    match attribute.cell_val_num {
        VAR_NUM => texts[(rng.next_u32() % 7) as usize].to_vec(),
        1 => match (datatype.is_real(), rng.next_u32() % 12) {
            (true, 2) if datatype == Datatype::Float32 => f32::NAN.to_le_bytes().to_vec(),
            (true, 2) => f64::NAN.to_le_bytes().to_vec(),
            (_, pick) => typed!(datatype.physical(), T => special::<T>(pick)),
        },
        values => (0..values)
            .map(|_| b"ab\0"[(rng.next_u32() % 3) as usize])
            .collect(),
    }
}

fn a_column(rng: &mut TestRng, name: &str, datatype: Datatype, cells: usize) -> Column {
    let mut attribute = Attribute::new(name, datatype);
    if datatype.is_byte_text() {
        let values = [1, 2, VAR_NUM][(rng.next_u32() % 3) as usize];
        attribute.set_cell_val_num(values).expect("text");
    }
    attribute
        .set_nullable(rng.next_u32().is_multiple_of(2))
        .expect("unordered");
    // A column with few distinct values has tiles that statistics decide.
    let few: Vec<_> = (0..1 + rng.next_u32() % 4)
        .map(|_| a_value(rng, &attribute))
        .collect();
    let nulls = rng.next_u32() % 3;
    let cells = (0..cells)
        .map(|_| {
            let null = attribute.nullable && rng.next_u32() % 2 < nulls;
            (!null).then(|| few[rng.next_u32() as usize % few.len()].clone())
        })
        .collect();
    Column { attribute, cells }
}

fn a_leaf(rng: &mut TestRng, column: &Column) -> Condition {
    let attribute = &column.attribute;
    let name = &attribute.name;
    let code = rng.next_u32() % 9;
    let built = match Operator::from_code(code) {
        Some(operator) if operator.takes_set() => {
            let (mut data, mut offsets) = (Vec::new(), Vec::new());
            for _ in 0..1 + rng.next_u32() % 20 {
                offsets.push(data.len() as u64);
                data.extend(a_value(rng, attribute));
            }
            Condition::is_one_of(name, operator, &data, &offsets)
        }
        Some(operator) => Condition::compare(name, operator, Some(&a_value(rng, attribute))),
        None => {
            let operator = [Operator::Eq, Operator::Ne][(rng.next_u32() % 2) as usize];
            Condition::compare(name, operator, None)
        }
    };
    built.expect("a comparison")
}

fn a_tree(rng: &mut TestRng, columns: &[Column], depth: u32) -> Condition {
    let leaf = depth == 0 || rng.next_u32().is_multiple_of(4);
    let tree = if leaf {
        let column = rng.next_u32() as usize % columns.len();
        a_leaf(rng, &columns[column])
    } else {
        let combination = [Combination::And, Combination::Or][(rng.next_u32() % 2) as usize];
        let mut tree = Arc::new(a_tree(rng, columns, depth - 1));
        for _ in 0..1 + rng.next_u32() % 2 {
            let other = Arc::new(a_tree(rng, columns, depth - 1));
            tree = Arc::new(tree.combine(&other, combination).expect("shallow"));
        }
        Arc::unwrap_or_clone(tree)
    };
    match rng.next_u32() % 5 {
        0 => tree.negate(),
        _ => tree,
    }
}

/// Returns the statistics of a column, if the datatype has any.
fn statistics(column: &Column) -> Option<(Vec<u8>, Vec<u8>)> {
    fn min_max<T: Value>(values: &[&Vec<u8>]) -> Option<(Vec<u8>, Vec<u8>)> {
        let nan = |value: &T| value.partial_cmp(value).is_none();
        if values.iter().any(|value| nan(&T::read(value))) {
            return None;
        }
        let least = values.iter().min_by(|a, b| T::read(a).order(&T::read(b)))?;
        let greatest = values.iter().max_by(|a, b| T::read(a).order(&T::read(b)))?;
        Some((least.to_vec(), greatest.to_vec()))
    }
    let values: Vec<_> = column.cells.iter().flatten().collect();
    if column.attribute.datatype.is_byte_text() {
        Some((values.iter().min()?.to_vec(), values.iter().max()?.to_vec()))
    } else {
        typed!(column.attribute.datatype.physical(), T => min_max::<T>(&values))
    }
}

/// Compares the selection of a condition and its evaluation on statistics with the reference.
fn check(condition: &Condition, columns: &[Column], cells: usize) {
    let attributes = columns.iter().map(|column| column.attribute.clone());
    let schema = schema(attributes.collect());
    let bound = bind(condition, &schema).expect("fits the schema");
    let column_of = |name: &String| columns.iter().find(|column| column.attribute.name == *name);
    let columns_used: Vec<&Column> = bound.fields.iter().filter_map(column_of).collect();
    let stored: Vec<Cells> = columns_used
        .iter()
        .map(|column| column.as_cells())
        .collect();
    let borrowed: Vec<_> = columns_used
        .iter()
        .zip(&stored)
        .map(|(column, cells)| crate::tile::CellsRef {
            data: &cells.data,
            starts: column.attribute.is_var().then_some(&cells.starts[..]),
            validity: column.attribute.nullable.then_some(&cells.validity[..]),
        })
        .collect();
    let before: Vec<u8> = (0..cells).map(|cell| u8::from(cell % 7 != 3)).collect();
    let mut selected = before.clone();
    bound.select(&borrowed, cells, &mut selected);
    let answers: Vec<bool> = (0..cells)
        .map(|cell| naive(condition, columns, cell))
        .collect();
    for cell in 0..cells {
        let expected = before[cell] & u8::from(answers[cell]);
        assert_eq!(selected[cell], expected, "cell {cell} of {condition:?}");
    }
    let min_max: Vec<_> = columns_used
        .iter()
        .map(|column| statistics(column))
        .collect();
    let known: Vec<FieldStatistics<'_>> = columns_used
        .iter()
        .zip(&min_max)
        .map(|(column, min_max)| FieldStatistics {
            min_max: min_max
                .as_ref()
                .map(|(least, greatest)| (&least[..], &greatest[..])),
            null_count: Some(column.cells.iter().filter(|cell| cell.is_none()).count() as u64),
        })
        .collect();
    match bound.tile_match(&known, cells as u64) {
        Match::None => assert!(!answers.contains(&true), "not none: {condition:?}"),
        Match::All => assert!(!answers.contains(&false), "not all: {condition:?}"),
        Match::Some => {}
    }
}

#[test]
fn operators_on_all_datatypes_match_reference() {
    let mut rng = TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha);
    for datatype in comparable() {
        for _ in 0..60 {
            let cells = 1 + (rng.next_u32() % 40) as usize;
            let columns = [a_column(&mut rng, "a", datatype, cells)];
            let leaf = a_leaf(&mut rng, &columns[0]);
            check(&leaf, &columns, cells);
            check(&leaf.negate(), &columns, cells);
        }
    }
}

#[test]
fn random_condition_trees_match_reference() {
    let mut rng = TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha);
    let datatypes: Vec<_> = comparable().collect();
    for round in 0..600 {
        // Sometimes more than one block.
        let cells = if round % 20 == 0 { 5000 } else { 50 };
        let columns: Vec<_> = ["a", "b", "c"]
            .map(|name| {
                let datatype = datatypes[rng.next_u32() as usize % datatypes.len()];
                a_column(&mut rng, name, datatype, cells)
            })
            .into();
        let tree = a_tree(&mut rng, &columns, 6);
        check(&tree, &columns, cells);
    }
}

/// Values of fixed-size cells: consecutive or random; floating-point values include NaN and both
/// zeros.
fn some_values(
    rng: &mut TestRng,
    attribute: &Attribute,
    count: usize,
    dense: bool,
) -> Vec<Vec<u8>> {
    let size = attribute.cell_size() as usize;
    let start = rng.next_u32() % 100;
    let any = |rng: &mut TestRng| (0..size).map(|_| rng.next_u32() as u8).collect();
    let mut values: Vec<Vec<u8>> = (0..count)
        .map(|index| {
            if dense {
                // The values differ in the last bytes, as strings of digits, or in the first, as
                // integers.
                let mut value = vec![b'a'; size];
                let number = (start + index as u32).swap_bytes().to_le_bytes();
                let counting = size.min(4);
                value[size - counting..].copy_from_slice(&number[4 - counting..]);
                if !attribute.datatype.is_byte_text() {
                    value.reverse();
                }
                value
            } else {
                any(rng)
            }
        })
        .collect();
    let strange: &[f64] = &[f64::NAN, -f64::NAN, 0.0, -0.0];
    match attribute.datatype {
        Datatype::Float64 => values.extend(strange.iter().map(|real| real.to_le_bytes().to_vec())),
        Datatype::Float32 => {
            values.extend(
                strange
                    .iter()
                    .map(|real| (*real as f32).to_le_bytes().to_vec()),
            );
        }
        _ => {}
    }
    values
}

#[test]
fn value_sets_of_all_sizes_match_reference() {
    let mut rng = TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha);
    let numbers = comparable().map(|datatype| (datatype, 1));
    let texts = (2..34).map(|size| (Datatype::StringAscii, size));
    for (datatype, values) in numbers.chain(texts) {
        let mut attribute = Attribute::new("a", datatype);
        attribute.set_cell_val_num(values).expect("values");
        for members in [1, 2, 8, 9, 32, 300, 370] {
            let dense = rng.next_u32().is_multiple_of(2);
            let known = some_values(&mut rng, &attribute, 2 * members, dense);
            // The set contains some of half of the values, one of them twice.
            let mut data = known[0].clone();
            let mut offsets = vec![0];
            for _ in 0..members {
                offsets.push(data.len() as u64);
                data.extend(&known[rng.next_u32() as usize % known.len()]);
            }
            let cells =
                (0..200).map(|_| Some(known[rng.next_u32() as usize % known.len()].clone()));
            let columns = [Column {
                attribute: attribute.clone(),
                cells: cells.collect(),
            }];
            for operator in [Operator::In, Operator::NotIn] {
                let set = Condition::is_one_of("a", operator, &data, &offsets).expect("a set");
                check(&set, &columns, 150);
                crate::bytes::baseline::force(|| check(&set, &columns, 150));
            }
        }
    }
}
