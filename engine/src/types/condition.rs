//! Query conditions as callers build them and as delete commits store them: names and values that
//! have not been checked against a schema.
//!
//! Comparisons with a null cell are false, whatever the operator; only tests for null match such
//! cells.

use std::convert::Infallible;
use std::sync::Arc;

use crate::error::{PredicateError, Result};

/// The maximum nesting depth of conditions, which bounds recursion.
pub const MAX_LEVELS: usize = 1024;

kind! {
    /// A comparison operator.
    pub enum Operator {
        Lt = "LT",
        Le = "LE",
        Gt = "GT",
        Ge = "GE",
        Eq = "EQ",
        Ne = "NE",
        In = "IN",
        NotIn = "NOT_IN",
        AlwaysTrue (253) = "ALWAYS_TRUE",
        AlwaysFalse (254) = "ALWAYS_FALSE",
    }
}

impl Operator {
    /// Returns the negated operator: for cells that are not null it is true if and only if this one
    /// is false.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::In => Self::NotIn,
            Self::NotIn => Self::In,
            Self::AlwaysTrue => Self::AlwaysFalse,
            Self::AlwaysFalse => Self::AlwaysTrue,
        }
    }

    /// Returns whether the operator compares with a set of values.
    pub fn takes_set(self) -> bool {
        matches!(self, Self::In | Self::NotIn)
    }
}

kind! {
    /// A logical combination of conditions.
    pub enum Combination {
        And = "AND",
        Or = "OR",
    }
}

impl Combination {
    /// Returns the combination of the negated parts in the negation of a condition.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::And => Self::Or,
            Self::Or => Self::And,
        }
    }
}

/// The right-hand side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Tests for null.
    Null,
    /// A value, or the label of an enumeration.
    Value(Vec<u8>),
    /// A set of values.
    Set {
        /// The values, concatenated.
        data: Vec<u8>,
        /// The start of each value in `data`, ascending.
        offsets: Vec<u64>,
    },
}

/// A comparison of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The field.
    pub field: String,
    /// The operator.
    pub operator: Operator,
    /// The right-hand side.
    pub operand: Operand,
    /// For fields with an enumeration: whether values are labels, not the indexes that cells hold.
    pub by_label: bool,
}

/// A condition: a comparison, or several conditions combined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A comparison.
    Leaf(Comparison),
    /// At least two conditions.
    Combined(Combination, Vec<Arc<Condition>>),
}

impl Condition {
    /// Returns the comparison of a field with a value, or with null if `value` is `None`.
    pub fn compare(field: &str, operator: Operator, value: Option<&[u8]>) -> Result<Self> {
        match operator {
            Operator::In | Operator::NotIn => {
                return Err(PredicateError::SetOperator.into());
            }
            Operator::AlwaysTrue | Operator::AlwaysFalse => {
                return Err(PredicateError::InternalOperator {
                    operator: operator.name(),
                }
                .into());
            }
            _ => {}
        }
        let operand = value.map_or(Operand::Null, |value| Operand::Value(value.to_vec()));
        Ok(Self::leaf(field, operator, operand))
    }

    /// Returns the comparison of a field with a set whose values start at `offsets` in `data`.
    pub fn is_one_of(
        field: &str,
        operator: Operator,
        data: &[u8],
        offsets: &[u64],
    ) -> Result<Self> {
        if !operator.takes_set() {
            return Err(PredicateError::NotSetOperator.into());
        }
        if !data.is_empty() && offsets.is_empty() {
            return Err(PredicateError::NoOffsets.into());
        }
        if offsets.windows(2).any(|pair| pair[1] < pair[0]) {
            return Err(PredicateError::DecreasingOffsets.into());
        }
        if let Some(last) = offsets.last().filter(|last| **last > data.len() as u64) {
            return Err(PredicateError::OffsetBeyondData {
                offset: *last,
                size: data.len(),
            }
            .into());
        }
        let operand = Operand::Set {
            data: data.to_vec(),
            offsets: offsets.to_vec(),
        };
        Ok(Self::leaf(field, operator, operand))
    }

    fn leaf(field: &str, operator: Operator, operand: Operand) -> Self {
        Self::Leaf(Comparison {
            field: field.to_owned(),
            operator,
            operand,
            by_label: true,
        })
    }

    /// Combines two conditions. A condition that has the same combination at its root is merged
    /// into the list of its parts.
    pub fn combine(self: &Arc<Self>, other: &Arc<Self>, combination: Combination) -> Result<Self> {
        let combined = Self::combined(combination, [self.clone(), other.clone()]);
        if combined.levels() > MAX_LEVELS {
            return Err(PredicateError::TooDeep { levels: MAX_LEVELS }.into());
        }
        Ok(combined)
    }

    /// Combines conditions without checking the nesting depth. The parts of conditions with the
    /// same combination become parts of the result: libtiledb reads a stored "or" inside of an
    /// "or" as an "and", and never writes one.
    pub fn combined(
        combination: Combination,
        conditions: impl IntoIterator<Item = Arc<Self>>,
    ) -> Self {
        let mut parts = Vec::new();
        for condition in conditions {
            match &*condition {
                Self::Combined(nested, children) if *nested == combination => {
                    parts.extend(children.iter().cloned());
                }
                _ => parts.push(condition),
            }
        }
        Self::Combined(combination, parts)
    }

    /// Returns the nesting depth; 1 for a comparison.
    pub fn levels(&self) -> usize {
        match self {
            Self::Leaf(_) => 1,
            Self::Combined(_, parts) => {
                1 + parts.iter().map(|part| part.levels()).max().unwrap_or(0)
            }
        }
    }

    /// Converts each comparison with `leaf`, and the results of combined conditions with
    /// `combined`, from the inside out. Not recursive: a condition of a file may be nested more
    /// deeply than the stack of a small thread allows.
    pub fn fold<T, E>(
        &self,
        mut leaf: impl FnMut(&Comparison) -> std::result::Result<T, E>,
        mut combined: impl FnMut(Combination, Vec<T>) -> T,
    ) -> std::result::Result<T, E> {
        // The conditions that contain the current one, each with its parts that are left.
        let mut open = Vec::new();
        let mut current = self;
        loop {
            let mut done = match current {
                Self::Leaf(comparison) => leaf(comparison)?,
                Self::Combined(combination, parts) => {
                    let mut left = parts.iter();
                    if let Some(first) = left.next() {
                        open.push((*combination, left, Vec::with_capacity(parts.len())));
                        current = first;
                        continue;
                    }
                    combined(*combination, Vec::new())
                }
            };
            current = loop {
                let Some((combination, mut left, mut parts)) = open.pop() else {
                    return Ok(done);
                };
                parts.push(done);
                if let Some(next) = left.next() {
                    open.push((combination, left, parts));
                    break next;
                }
                done = combined(combination, parts);
            };
        }
    }

    /// Returns a copy with every comparison replaced.
    #[must_use]
    pub fn map(&self, change: &mut dyn FnMut(&Comparison) -> Self) -> Self {
        let Ok(copy) = self.fold(
            |leaf| Ok::<_, Infallible>(change(leaf)),
            |combination, parts| Self::combined(combination, parts.into_iter().map(Arc::new)),
        );
        copy
    }

    /// Returns the negation: operators are negated, "and" and "or" exchanged. A comparison with a
    /// null cell is false in both the condition and its negation.
    #[must_use]
    pub fn negate(&self) -> Self {
        let negate = |leaf: &Comparison| {
            Ok::<_, Infallible>(Self::Leaf(Comparison {
                operator: leaf.operator.opposite(),
                ..leaf.clone()
            }))
        };
        let Ok(negation) = self.fold(negate, |combination, parts| {
            let parts = parts.into_iter().map(Arc::new);
            Self::Combined(combination.opposite(), parts.collect())
        });
        negation
    }

    /// Returns a copy whose values are labels of enumerations if `by_label`, otherwise the indexes
    /// that cells hold.
    #[must_use]
    pub fn by_label(&self, by_label: bool) -> Self {
        self.map(&mut |leaf| {
            Self::Leaf(Comparison {
                by_label,
                ..leaf.clone()
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(field: &str, operator: Operator) -> Arc<Condition> {
        Arc::new(Condition::compare(field, operator, Some(b"1")).expect("a comparison"))
    }

    fn combined(
        a: &Arc<Condition>,
        b: &Arc<Condition>,
        combination: Combination,
    ) -> Arc<Condition> {
        Arc::new(a.combine(b, combination).expect("two conditions"))
    }

    #[test]
    fn equal_combinations_are_merged_into_one_list() {
        let (a, b) = (leaf("a", Operator::Lt), leaf("b", Operator::Eq));
        let both = combined(&a, &b, Combination::And);
        let all = combined(&both, &both, Combination::And);
        assert!(matches!(&*all, Condition::Combined(Combination::And, parts) if parts.len() == 4));
        let either = combined(&a, &both, Combination::Or);
        assert!(
            matches!(&*either, Condition::Combined(Combination::Or, parts) if parts.len() == 2)
        );
    }

    #[test]
    fn replacing_a_comparison_by_an_equal_combination_does_not_nest_it() {
        let (a, b) = (leaf("a", Operator::Lt), leaf("b", Operator::Eq));
        let either = combined(&a, &b, Combination::Or);
        let replaced = either.map(&mut |leaf| match &leaf.field[..] {
            "a" => Condition::Leaf(leaf.clone()),
            _ => (*either).clone(),
        });
        assert!(
            matches!(&replaced, Condition::Combined(Combination::Or, parts) if parts.len() == 3)
        );
    }

    #[test]
    fn negation_changes_every_operator_and_combination() {
        let (a, b) = (leaf("a", Operator::Lt), leaf("b", Operator::Eq));
        let both = combined(&a, &b, Combination::And);
        let opposite = both.negate();
        assert_eq!(
            opposite,
            *combined(
                &leaf("a", Operator::Ge),
                &leaf("b", Operator::Ne),
                Combination::Or
            )
        );
        assert_eq!(opposite.negate(), *both);
    }

    #[test]
    fn nesting_too_deep_is_an_error() {
        let mut deep = leaf("a", Operator::Lt);
        let mut combination = Combination::And;
        for _ in 0..MAX_LEVELS - 1 {
            deep = combined(&deep, &leaf("a", Operator::Lt), combination);
            combination = combination.opposite();
        }
        assert!(deep.combine(&leaf("a", Operator::Lt), combination).is_err());
    }

    #[test]
    fn sets_with_wrong_offsets_are_errors() {
        let set = |offsets: &[u64]| Condition::is_one_of("a", Operator::In, b"abc", offsets);
        assert!(set(&[0, 1, 3]).is_ok());
        for offsets in [&[][..], &[2, 1], &[0, 4]] {
            assert!(set(offsets).is_err(), "{offsets:?}");
        }
        assert!(Condition::is_one_of("a", Operator::Eq, b"abc", &[0]).is_err());
        assert!(Condition::compare("a", Operator::In, Some(b"abc")).is_err());
        assert!(Condition::compare("a", Operator::AlwaysTrue, Some(b"abc")).is_err());
    }
}
