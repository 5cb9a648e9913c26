//! Random conditions that are built with the C API of either library.

use crate::attribute::{AttributeSpec, VAR};
use crate::library::Library;
use crate::random::Random;

/// A condition that both libraries build.
#[derive(Debug)]
pub(crate) enum ConditionSpec {
    /// Compares a field with a value, or with null.
    Compare(std::ffi::CString, u32, Option<Vec<u8>>),
    /// Tests whether a field is in a set, or not in it.
    Set(std::ffi::CString, u32, Vec<Vec<u8>>),
    /// Combines two conditions.
    Both(Box<ConditionSpec>, Box<ConditionSpec>, u32),
    /// Negates a condition.
    Not(Box<ConditionSpec>),
}

const EQ: u32 = 4;
const NE: u32 = 5;
const IN: u32 = 6;

/// Returns whether libtiledb compares fields of this type correctly: of several characters it
/// compares only the first.
fn is_compared(field: &AttributeSpec) -> bool {
    match (field.datatype, field.cell_val_num) {
        (4, 1 | VAR) | (11 | 12, _) => true,
        (0..=3 | 5..=10 | 18..=39 | 41, values) => values == 1,
        _ => false,
    }
}

impl ConditionSpec {
    /// Returns a comparison of a field of 32-bit integers.
    pub(crate) fn less(field: &std::ffi::CStr, than: i32) -> Self {
        const LT: u32 = 0;
        Self::Compare(field.to_owned(), LT, Some(than.to_le_bytes().to_vec()))
    }

    /// Returns a condition on some of the fields; `None` if none can be compared. `tests_nulls`
    /// allows tests for null.
    pub(crate) fn random(
        random: &mut Random,
        fields: &[&AttributeSpec],
        tests_nulls: bool,
    ) -> Option<Self> {
        let fits = |field: &&AttributeSpec| is_compared(field) || (tests_nulls && field.nullable);
        let fields: Vec<_> = fields.iter().copied().filter(fits).collect();
        (!fields.is_empty()).then(|| Self::tree(random, &fields, tests_nulls, 4))
    }

    fn tree(random: &mut Random, fields: &[&AttributeSpec], tests_nulls: bool, depth: u32) -> Self {
        if depth == 0 || random.below(3) == 0 {
            return Self::leaf(random, fields, tests_nulls);
        }
        if random.below(6) == 0 {
            return Self::Not(Box::new(Self::tree(random, fields, tests_nulls, depth - 1)));
        }
        let one = Box::new(Self::tree(random, fields, tests_nulls, depth - 1));
        let other = Box::new(Self::tree(random, fields, tests_nulls, depth - 1));
        Self::Both(one, other, random.below(2) as u32)
    }

    fn leaf(random: &mut Random, fields: &[&AttributeSpec], tests_nulls: bool) -> Self {
        let field = random.one_of(fields);
        let name = field.name.clone();
        if !is_compared(field) || (tests_nulls && random.below(8) == 0) {
            return Self::Compare(name, random.one_of(&[EQ, NE]), None);
        }
        let operator = random.below(8) as u32;
        if operator < IN {
            return Self::Compare(name, operator, Some(a_value(random, field)));
        }
        let number = 1 + random.below(12);
        let members = (0..number).map(|_| a_value(random, field)).collect();
        Self::Set(name, operator, members)
    }

    /// Returns a condition on cells that are null in one of the fields; `None` if no field that
    /// libtiledb compares is nullable.
    pub(crate) fn on_nulls(random: &mut Random, fields: &[&AttributeSpec]) -> Option<Self> {
        let fits = |field: &&&AttributeSpec| field.nullable && is_compared(field);
        let nullable: Vec<_> = fields.iter().filter(fits).collect();
        if nullable.is_empty() {
            return None;
        }
        let null = Self::Compare(random.one_of(&nullable).name.clone(), EQ, None);
        let condition = Self::random(random, fields, false)?;
        Some(Self::Both(Box::new(condition), Box::new(null), 0))
    }

    /// Returns whether a set has only empty values. libtiledb cannot read deletes with such a set.
    pub(crate) fn has_empty_set(&self) -> bool {
        match self {
            Self::Compare(..) => false,
            Self::Set(_, _, members) => members.iter().all(Vec::is_empty),
            Self::Both(one, other, _) => one.has_empty_set() || other.has_empty_set(),
            Self::Not(condition) => condition.has_empty_set(),
        }
    }

    pub(crate) fn make(&self, library: &Library) -> usize {
        match self {
            Self::Compare(name, operator, value) => {
                let condition = library.make("query_condition_alloc", &[]);
                let (index, len) = match value {
                    // An empty vector has no valid address.
                    Some(value) if value.is_empty() => (name.as_ptr() as usize, 0),
                    Some(value) => (value.as_ptr() as usize, value.len()),
                    None => (0, 0),
                };
                library.ok(
                    "query_condition_init",
                    &[
                        condition,
                        name.as_ptr() as usize,
                        index,
                        len,
                        *operator as usize,
                    ],
                );
                condition
            }
            Self::Set(name, operator, members) => {
                let data = members.concat();
                let mut starts = vec![0u64];
                for member in &members[..members.len() - 1] {
                    starts.push(starts[starts.len() - 1] + member.len() as u64);
                }
                let index = if data.is_empty() {
                    0
                } else {
                    data.as_ptr() as usize
                };
                library.make(
                    "query_condition_alloc_set_membership",
                    &[
                        name.as_ptr() as usize,
                        index,
                        data.len(),
                        starts.as_ptr() as usize,
                        8 * starts.len(),
                        *operator as usize,
                    ],
                )
            }
            Self::Both(one, other, combination) => {
                let sides = [one.make(library), other.make(library)];
                library.make(
                    "query_condition_combine",
                    &[sides[0], sides[1], *combination as usize],
                )
            }
            Self::Not(condition) => {
                library.make("query_condition_negate", &[condition.make(library)])
            }
        }
    }
}

/// Returns a value like those of the cells.
fn a_value(random: &mut Random, field: &AttributeSpec) -> Vec<u8> {
    let values = match field.cell_val_num {
        VAR => random.below(4) as u32,
        values => values,
    };
    if let Some((low, len)) = field.coordinates {
        let index = low.wrapping_add(random.below(len) as i64);
        return index.to_le_bytes()[..field.size].to_vec();
    }
    let most = if random.below(2) == 0 { 4 } else { 100 };
    let bytes = values as usize * field.size;
    (0..bytes).map(|_| random.below(most) as u8 + 1).collect()
}
