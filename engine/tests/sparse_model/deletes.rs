//! What is deleted: random conditions, how they are told to the engine, and which cells they leave.

use std::sync::Arc;

use tiledb_engine::condition::{Combination, Condition, Operator};
use tiledb_engine::schema::ArraySchema;
use tiledb_engine::types::{Datatype, VAR_NUM};

use super::setup::COMPARISONS;
use super::{Cell, Kind, PLACES, Random};

/// A delete.
#[derive(Debug)]
pub(crate) struct Delete {
    pub(crate) at: u64,
    pub(crate) test: Test,
}

impl Delete {
    /// Whether a cell is there after it.
    pub(crate) fn leaves(&self, cell: &Cell, schema: &ArraySchema) -> bool {
        cell.at > self.at || self.test.leaves(cell, schema)
    }
}

/// What is asked of a cell.
#[derive(Debug)]
pub(crate) enum Test {
    /// How an attribute compares with a value; with null for `None`.
    Attribute(usize, Operator, Option<Vec<u8>>),
    /// Whether an attribute is one of these, or none of them.
    Member(usize, Operator, Vec<Vec<u8>>),
    /// How a coordinate compares with another, by its place.
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
        Self::Dimension(dim, random.one_of(&COMPARISONS), random.below(PLACES))
    }

    fn of_attribute(random: &mut Random, schema: &ArraySchema, kinds: &[Kind]) -> Self {
        let at = random.below(schema.attributes.len() as u64) as usize;
        let attribute = &schema.attributes[at];
        let text = attribute.datatype == Datatype::StringAscii;
        if attribute.cell_val_num != 1 && !text {
            return Self::of_dimension(random, kinds);
        }
        if attribute.nullable && random.below(5) == 0 {
            return Self::Attribute(at, Operator::Eq, None);
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
            return Self::Member(at, random.one_of(&[Operator::In, Operator::NotIn]), members);
        }
        let value = value(random);
        Self::Attribute(at, random.one_of(&COMPARISONS), Some(value))
    }

    /// What the engine is told.
    pub(crate) fn condition(&self, schema: &ArraySchema, kinds: &[Kind]) -> Arc<Condition> {
        let name = |at: &usize| &schema.attributes[*at].name;
        let combined = |one: &Self, other: &Self, by| {
            let (one, other) = (one.condition(schema, kinds), other.condition(schema, kinds));
            one.combine(&other, by)
        };
        let condition = match self {
            Self::Attribute(at, operator, value) => {
                Condition::compare(name(at), *operator, value.as_deref())
            }
            Self::Member(at, operator, members) => {
                let lengths = members.iter().map(|member| member.len() as u64);
                let offsets = lengths.scan(0, |end, len| {
                    *end += len;
                    Some(*end - len)
                });
                let offsets: Vec<u64> = offsets.collect();
                Condition::is_one_of(name(at), *operator, &members.concat(), &offsets)
            }
            Self::Dimension(dim, operator, place) => {
                let value = kinds[*dim].coordinate(*place);
                Condition::compare(&format!("d{dim}"), *operator, Some(&value))
            }
            Self::Both(one, other) => combined(one, other, Combination::And),
            Self::Either(one, other) => combined(one, other, Combination::Or),
        };
        Arc::new(condition.expect("a condition"))
    }

    /// Whether a cell stays: it does where the opposite holds, and what compares with a null cell never does.
    fn leaves(&self, cell: &Cell, schema: &ArraySchema) -> bool {
        match self {
            Self::Attribute(at, _, None) => cell.values[*at].1 == 1,
            Self::Attribute(at, operator, Some(value)) => {
                let (bytes, valid) = &cell.values[*at];
                let datatype = schema.attributes[*at].datatype;
                *valid == 1 && compare(datatype, bytes, operator.opposite(), value)
            }
            Self::Member(at, operator, members) => {
                let (bytes, valid) = &cell.values[*at];
                *valid == 1 && members.contains(bytes) == (*operator == Operator::NotIn)
            }
            Self::Dimension(dim, operator, place) => {
                holds(cell.places[*dim], operator.opposite(), *place)
            }
            Self::Both(one, other) => one.leaves(cell, schema) || other.leaves(cell, schema),
            Self::Either(one, other) => one.leaves(cell, schema) && other.leaves(cell, schema),
        }
    }
}
