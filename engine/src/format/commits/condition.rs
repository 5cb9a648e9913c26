//! The condition of a delete commit.
//!
//! Cells that satisfy the stored condition remain: it is the negation of the condition that the
//! caller passed.
//!
//! ```text
//! kind        u8, 0 or 1
//! 0, several conditions
//!   combined  u8, 0 (and) or 1 (or)
//!   number    u64
//!   each      a condition
//! 1, a comparison
//!   operator  u8
//!   field     u32 length, then that many bytes
//!   value     u64 length, then that many bytes; length 0 for null;
//!             of a set the concatenated values
//!   starts    u64 length in bytes, then the start of each value of a set, u64 each; sets only
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use std::sync::Arc;

use crate::bytes::{Cursor, Sink};
use crate::error::{Result, check_memory, reserve, try_copy, try_reserved, try_text};
use crate::types::condition::{Combination, Comparison, Condition, MAX_LEVELS, Operand, Operator};

const COMBINED: u8 = 0;
const COMPARISON: u8 = 1;
/// The minimum size of a condition in bytes.
const MIN_SIZE: usize = 10;

/// The purpose of memory that cannot be allocated.
const PURPOSE: &str = "a condition";

/// A condition with the two counts of its `Arc`.
type SharedCondition = (Condition, [usize; 2]);

/// Reads the condition of a delete commit. Values are those of cells; for enumerations, indexes.
pub fn read_condition(record: &[u8]) -> Result<Condition> {
    let mut from = Cursor::new("delete condition", record);
    let condition = read(&mut from)?;
    from.end()?;
    Ok(condition)
}

/// Reads a condition. Not recursive, so that nested conditions do not exceed the stack.
fn read(from: &mut Cursor<'_>) -> Result<Condition> {
    // The conditions that contain the current one, each with its number of parts.
    let mut open: Vec<(Combination, usize, Vec<Arc<Condition>>)> = Vec::new();
    loop {
        let start = from.clone();
        let mut done = match from.u8("kind")? {
            COMPARISON => Condition::Leaf(read_comparison(from)?),
            COMBINED if open.len() + 1 < MAX_LEVELS => {
                let (combination, number) = read_combination(from)?;
                let parts = try_reserved(PURPOSE, number)?;
                reserve(PURPOSE, &mut open, 1)?;
                open.push((combination, number, parts));
                continue;
            }
            COMBINED => return Err(start.corrupt("kind", "is nested too deep")),
            other => return Err(start.corrupt("kind", format!("is {other}, not 0 or 1"))),
        };
        loop {
            let Some((combination, number, mut parts)) = open.pop() else {
                return Ok(done);
            };
            // An `Arc` that cannot be allocated would end the process.
            check_memory::<SharedCondition>(PURPOSE)?;
            parts.push(Arc::new(done));
            if parts.len() < number {
                open.push((combination, number, parts));
                break;
            }
            done = Condition::Combined(combination, parts);
        }
    }
}

/// Reads how conditions are combined, and their number.
fn read_combination(from: &mut Cursor<'_>) -> Result<(Combination, usize)> {
    let start = from.clone();
    let code = u32::from(from.u8("combination")?);
    let Some(combination) = Combination::from_code(code) else {
        return Err(start.corrupt("combination", format!("is {code}, not 0 or 1")));
    };
    let start = from.clone();
    let number = from.count("number", MIN_SIZE)?;
    if number < 2 {
        return Err(start.corrupt("number", format!("is {number}, less than 2")));
    }
    Ok((combination, number))
}

fn read_comparison(from: &mut Cursor<'_>) -> Result<Comparison> {
    let start = from.clone();
    let code = from.u8("operator")?;
    let Some(operator) = Operator::from_code(code.into()) else {
        return Err(start.corrupt("operator", format!("is {code}")));
    };
    let start = from.clone();
    let len = from.count_u32("field", 1)?;
    let Ok(field) = std::str::from_utf8(from.take("field", len)?) else {
        return Err(start.corrupt("field", "is not UTF-8"));
    };
    let len = from.u64("value")?;
    let value = try_copy("a value of a condition", from.take_u64("value", len)?)?;
    let operand = if operator.takes_set() {
        let start = from.clone();
        let len = from.count("starts", 1)?;
        let offsets = from.u64s("starts", len / 8)?;
        let are_valid = len.is_multiple_of(8)
            && offsets.is_sorted()
            && offsets
                .last()
                .is_none_or(|last| *last <= value.len() as u64)
            && (value.is_empty() || !offsets.is_empty());
        if !are_valid {
            return Err(start.corrupt("starts", "do not ascend within the values"));
        }
        Operand::Set {
            data: value,
            offsets,
        }
    } else {
        Operand::Value(value)
    };
    Ok(Comparison {
        field: try_text("a field of a condition", field)?,
        operator,
        operand,
        by_label: false,
    })
}

/// Writes a condition. For enumerations, its values must be indexes.
pub fn write_condition(to: &mut Sink, condition: &Condition) {
    match condition {
        Condition::Combined(combination, parts) => {
            to.u8(COMBINED);
            to.u8(combination.code());
            to.u64(parts.len() as u64);
            parts.iter().for_each(|part| write_condition(to, part));
        }
        Condition::Leaf(leaf) => {
            to.u8(COMPARISON);
            to.u8(leaf.operator.code());
            to.text_u32(&leaf.field);
            let (value, offsets) = match &leaf.operand {
                Operand::Null => (&[][..], &[][..]),
                Operand::Value(value) => (&value[..], &[][..]),
                Operand::Set { data, offsets } => (&data[..], &offsets[..]),
            };
            to.u64(value.len() as u64);
            to.put(value);
            if leaf.operator.takes_set() {
                to.u64(8 * offsets.len() as u64);
                to.u64s(offsets);
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test that panics has failed")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(condition: &Condition) -> Vec<u8> {
        let mut to = Sink::new();
        write_condition(&mut to, condition);
        to.into_bytes()
    }

    fn conditions() -> impl Strategy<Value = Condition> {
        let name = "[a-z\u{e4}]{0,4}";
        let bytes = proptest::collection::vec(any::<u8>(), 0..6);
        const OPERATORS: &[Operator] = &[
            Operator::Lt,
            Operator::Le,
            Operator::Gt,
            Operator::Ge,
            Operator::Eq,
            Operator::Ne,
            Operator::AlwaysTrue,
            Operator::AlwaysFalse,
        ];
        let value = (name, bytes, proptest::sample::select(OPERATORS)).prop_map(
            |(field, value, operator)| Comparison {
                field,
                operator,
                operand: Operand::Value(value),
                by_label: false,
            },
        );
        let members = proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..4), 0..4);
        let set = (name, members, any::<bool>()).prop_map(|(field, members, is_in)| {
            let mut data = Vec::new();
            let mut offsets = Vec::new();
            for member in members {
                offsets.push(data.len() as u64);
                data.extend(member);
            }
            let operator = if is_in { Operator::In } else { Operator::NotIn };
            Comparison {
                field,
                operator,
                operand: Operand::Set { data, offsets },
                by_label: false,
            }
        });
        let leaf = prop_oneof![value, set].prop_map(Condition::Leaf);
        leaf.prop_recursive(3, 12, 4, |inner| {
            let parts = proptest::collection::vec(inner.prop_map(Arc::new), 2..4);
            let combination = prop_oneof![Just(Combination::And), Just(Combination::Or)];
            (combination, parts)
                .prop_map(|(combination, parts)| Condition::Combined(combination, parts))
        })
    }

    proptest! {
        #[test]
        fn conditions_round_trip(condition in conditions()) {
            prop_assert_eq!(read_condition(&written(&condition)).expect("condition"), condition);
        }

        #[test]
        fn truncated_or_extended_records_are_errors(condition in conditions()) {
            let mut record = written(&condition);
            for cut in 0..record.len() {
                prop_assert!(read_condition(&record[..cut]).is_err(), "cut at {}", cut);
            }
            record.push(0);
            prop_assert!(read_condition(&record).is_err());
        }

        #[test]
        fn changed_bytes_never_panic(condition in conditions(), byte: u8, index: prop::sample::Index) {
            let mut record = written(&condition);
            let index = index.index(record.len());
            record[index] = byte;
            if let Ok(read) = read_condition(&record) {
                prop_assert_eq!(written(&read), record);
            }
        }
    }

    #[test]
    fn a_comparison_has_the_documented_bytes() {
        // a >= 5: the remaining cells after a delete of a < 5.
        let record = [
            &[1, 3, 1, 0, 0, 0, b'a', 4, 0, 0, 0, 0, 0, 0, 0][..],
            &5i32.to_le_bytes(),
        ]
        .concat();
        let condition = read_condition(&record).expect("condition");
        let Condition::Leaf(leaf) = &condition else {
            panic!("{condition:?}");
        };
        assert_eq!((leaf.field.as_str(), leaf.operator), ("a", Operator::Ge));
        assert_eq!(leaf.operand, Operand::Value(vec![5, 0, 0, 0]));
        assert_eq!(written(&condition), record);
    }

    #[test]
    fn conditions_nested_too_deep_are_errors() {
        let mut record = Vec::new();
        for _ in 0..100_000 {
            record.extend([0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
        }
        assert!(read_condition(&record).is_err());
    }
}
