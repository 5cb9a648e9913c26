//! Deletes: random conditions, their conversion to engine conditions, and the cells that remain.

use std::sync::Arc;

use tiledb_engine::internal::condition::{Combination, Condition, Operator};
use tiledb_engine::internal::schema::ArraySchema;
use tiledb_engine::internal::types::{Datatype, VAR_NUM};

use super::setup::COMPARISONS;
use super::{COORDINATES, Cell, Kind, Random};

/// A delete.
#[derive(Debug)]
pub(crate) struct Delete {
    pub(crate) timestamp: u64,
    pub(crate) test: Test,
}

impl Delete {
    /// Returns whether a cell remains after the delete.
    pub(crate) fn retains(&self, cell: &Cell, schema: &ArraySchema) -> bool {
        cell.timestamp > self.timestamp || self.test.retains(cell, schema)
    }
}

/// A condition on a cell.
#[derive(Debug)]
pub(crate) enum Test {
    /// Compares an attribute with a value, or with null for `None`.
    Attribute(usize, Operator, Option<Vec<u8>>),
    /// Checks whether an attribute is one of these values, or none of them.
    Member(usize, Operator, Vec<Vec<u8>>),
    /// Compares a coordinate with another, given by its index.
    Dimension(usize, Operator, u64),
    Both(Box<Test>, Box<Test>),
    Either(Box<Test>, Box<Test>),
}

fn holds<T: PartialOrd>(one: T, operator: Operator, other: T) -> bool {
    match operator {
        Operator::Lt => one < other,
        Operator::Le => one <= other,
        Operator::Gt => one > other,
        Operator::Ge => one >= other,
        Operator::Eq => one == other,
        _ => one != other,
    }
}

fn compare(datatype: Datatype, one: &[u8], operator: Operator, other: &[u8]) -> bool {
    match datatype {
        Datatype::Int32 => {
            let number = |bytes: &[u8]| i32::from_le_bytes(bytes.try_into().expect("4 bytes"));
            holds(number(one), operator, number(other))
        }
        Datatype::Float64 => {
            let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("8 bytes"));
            holds(number(one), operator, number(other))
        }
        _ => holds(one, operator, other),
    }
}

impl Test {
    pub(crate) fn random(random: &mut Random, schema: &ArraySchema, kinds: &[Kind]) -> Self {
        match random.below(8) {
            0 => {
                let part = |random: &mut Random| Box::new(Self::random(random, schema, kinds));
                Self::Both(part(random), part(random))
            }
            1 => {
                let part = |random: &mut Random| Box::new(Self::random(random, schema, kinds));
                Self::Either(part(random), part(random))
            }
            2..=6 => Self::of_attribute(random, schema, kinds),
            _ => Self::of_dimension(random, kinds),
        }
    }

    fn of_dimension(random: &mut Random, kinds: &[Kind]) -> Self {
        let dim = random.below(kinds.len() as u64) as usize;
        Self::Dimension(dim, random.one_of(&COMPARISONS), random.below(COORDINATES))
    }

    fn of_attribute(random: &mut Random, schema: &ArraySchema, kinds: &[Kind]) -> Self {
        let index = random.below(schema.attributes.len() as u64) as usize;
        let attribute = &schema.attributes[index];
        let text = attribute.datatype == Datatype::StringAscii;
        if attribute.cell_val_num != 1 && !text {
            return Self::of_dimension(random, kinds);
        }
        if attribute.nullable && random.below(5) == 0 {
            return Self::Attribute(index, Operator::Eq, None);
        }
        let value = |random: &mut Random| -> Vec<u8> {
            let len = match attribute.cell_val_num {
                VAR_NUM => random.below(4) as usize,
                _ => attribute.datatype.size(),
            };
            (0..len).map(|_| random.below(7) as u8).collect()
        };
        if random.below(5) == 0 {
            let members = (0..1 + random.below(4)).map(|_| value(random)).collect();
            return Self::Member(
                index,
                random.one_of(&[Operator::In, Operator::NotIn]),
                members,
            );
        }
        let value = value(random);
        Self::Attribute(index, random.one_of(&COMPARISONS), Some(value))
    }

    /// Returns the condition for the engine.
    pub(crate) fn condition(&self, schema: &ArraySchema, kinds: &[Kind]) -> Arc<Condition> {
        let name = |index: &usize| &schema.attributes[*index].name;
        let combined = |one: &Self, other: &Self, combination| {
            let (one, other) = (one.condition(schema, kinds), other.condition(schema, kinds));
            one.combine(&other, combination)
        };
        let condition = match self {
            Self::Attribute(index, operator, value) => {
                Condition::compare(name(index), *operator, value.as_deref())
            }
            Self::Member(index, operator, members) => {
                let lengths = members.iter().map(|member| member.len() as u64);
                let offsets = lengths.scan(0, |end, len| {
                    *end += len;
                    Some(*end - len)
                });
                let offsets: Vec<u64> = offsets.collect();
                Condition::is_one_of(name(index), *operator, &members.concat(), &offsets)
            }
            Self::Dimension(dim, operator, coordinate_index) => {
                let value = kinds[*dim].coordinate(*coordinate_index);
                Condition::compare(&format!("d{dim}"), *operator, Some(&value))
            }
            Self::Both(one, other) => combined(one, other, Combination::And),
            Self::Either(one, other) => combined(one, other, Combination::Or),
        };
        Arc::new(condition.expect("a condition"))
    }

    /// Returns whether a cell remains. Comparisons with null cells are false, so null cells remain.
    fn retains(&self, cell: &Cell, schema: &ArraySchema) -> bool {
        match self {
            Self::Attribute(index, _, None) => cell.values[*index].1 == 1,
            Self::Attribute(index, operator, Some(value)) => {
                let (bytes, valid) = &cell.values[*index];
                let datatype = schema.attributes[*index].datatype;
                *valid == 1 && compare(datatype, bytes, operator.opposite(), value)
            }
            Self::Member(index, operator, members) => {
                let (bytes, valid) = &cell.values[*index];
                *valid == 1 && members.contains(bytes) == (*operator == Operator::NotIn)
            }
            Self::Dimension(dim, operator, coordinate_index) => holds(
                cell.coordinate_indexes[*dim],
                operator.opposite(),
                *coordinate_index,
            ),
            Self::Both(one, other) => one.retains(cell, schema) || other.retains(cell, schema),
            Self::Either(one, other) => one.retains(cell, schema) && other.retains(cell, schema),
        }
    }
}
