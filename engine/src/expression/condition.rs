//! The tree of a condition, and its operators.

use std::ops::{BitAnd, BitOr, Not};

use super::scalar::Scalar;
use crate::types::condition::{Combination, MAX_LEVELS, Operator};

/// A condition on the fields of an array, which selects the cells of a read or a delete.
///
/// It is built from [`field`] and the operators `&`, `|` and `!`, or parsed from text:
///
/// ```
/// use tiledb_engine::{Condition, field};
///
/// let condition = field("temperature").gt(20.5) & field("station").is_in(["a", "b"]);
/// let same: Condition = "temperature > 20.5 AND station IN ('a', 'b')".parse()?;
/// # let _ = (condition, same);
/// # Ok::<(), tiledb_engine::Error>(())
/// ```
///
/// Field names and values are checked when the condition is used with an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub(super) node: ConditionNode,
    /// The nesting depth.
    pub(super) levels: usize,
}

/// A part of a condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ConditionNode {
    Compare(FieldName, Operator, Literal),
    Member(FieldName, Vec<Literal>),
    IsNull(FieldName),
    Not(Box<ConditionNode>),
    All(Vec<ConditionNode>),
    Any(Vec<ConditionNode>),
    /// Conditions nested deeper than `MAX_LEVELS`, which is an error when the condition is used.
    TooDeep,
}

/// A value and its position in the text of the condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Literal {
    pub(super) value: Scalar,
    pub(super) position: Option<usize>,
}

impl From<Scalar> for Literal {
    fn from(value: Scalar) -> Self {
        Self {
            value,
            position: None,
        }
    }
}

/// The name of a field, from which conditions are built. Returned by [`field`].
#[derive(Clone, Debug, PartialEq)]
pub struct FieldName {
    pub(super) name: String,
    pub(super) position: Option<usize>,
}

/// Returns the name of an attribute or a dimension, to build conditions from.
pub fn field(name: impl Into<String>) -> FieldName {
    FieldName {
        name: name.into(),
        position: None,
    }
}

impl FieldName {
    fn compare(self, operator: Operator, value: impl Into<Scalar>) -> Condition {
        Condition::of(ConditionNode::Compare(self, operator, value.into().into()))
    }

    /// Returns a condition that values less than `value` satisfy.
    pub fn lt(self, value: impl Into<Scalar>) -> Condition {
        self.compare(Operator::Lt, value)
    }

    /// Returns a condition that values less than or equal to `value` satisfy.
    pub fn le(self, value: impl Into<Scalar>) -> Condition {
        self.compare(Operator::Le, value)
    }

    /// Returns a condition that values greater than `value` satisfy.
    pub fn gt(self, value: impl Into<Scalar>) -> Condition {
        self.compare(Operator::Gt, value)
    }

    /// Returns a condition that values greater than or equal to `value` satisfy.
    pub fn ge(self, value: impl Into<Scalar>) -> Condition {
        self.compare(Operator::Ge, value)
    }

    /// Returns a condition that values equal to `value` satisfy.
    pub fn eq(self, value: impl Into<Scalar>) -> Condition {
        self.compare(Operator::Eq, value)
    }

    /// Returns a condition that values not equal to `value` satisfy, but not null.
    pub fn ne(self, value: impl Into<Scalar>) -> Condition {
        self.compare(Operator::Ne, value)
    }

    /// Returns a condition that the values of a set satisfy.
    pub fn is_in<V: Into<Scalar>>(self, values: impl IntoIterator<Item = V>) -> Condition {
        let values = values.into_iter().map(|value| value.into().into());
        Condition::of(ConditionNode::Member(self, values.collect()))
    }

    /// Returns a condition that values from `low` to `high`, both included, satisfy.
    pub fn between(self, low: impl Into<Scalar>, high: impl Into<Scalar>) -> Condition {
        self.clone().ge(low) & self.le(high)
    }

    /// Returns a condition that null satisfies.
    pub fn is_null(self) -> Condition {
        Condition::of(ConditionNode::IsNull(self))
    }

    /// Returns a condition that everything but null satisfies.
    pub fn is_not_null(self) -> Condition {
        !self.is_null()
    }
}

impl Condition {
    pub(super) fn of(node: ConditionNode) -> Self {
        Self { node, levels: 1 }
    }

    /// Combines two conditions into a list, to which further conditions are appended.
    fn combine(self, other: Self, combination: Combination) -> Self {
        let levels = self.levels.max(other.levels) + 1;
        if levels > MAX_LEVELS {
            return Self {
                node: ConditionNode::TooDeep,
                levels: 1,
            };
        }
        let mut parts = Vec::new();
        let mut nested = 0;
        for side in [self, other] {
            match (side.node, combination) {
                (ConditionNode::All(inner), Combination::And)
                | (ConditionNode::Any(inner), Combination::Or) => {
                    parts.extend(inner);
                    nested = nested.max(side.levels);
                }
                (node, _) => {
                    parts.push(node);
                    nested = nested.max(side.levels + 1);
                }
            }
        }
        let node = match combination {
            Combination::And => ConditionNode::All(parts),
            Combination::Or => ConditionNode::Any(parts),
        };
        Self {
            node,
            levels: nested,
        }
    }
}

impl BitAnd for Condition {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.combine(other, Combination::And)
    }
}

impl BitOr for Condition {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.combine(other, Combination::Or)
    }
}

impl Not for Condition {
    type Output = Self;

    fn not(self) -> Self {
        match self.node {
            ConditionNode::Not(inner) => Self {
                node: *inner,
                levels: self.levels,
            },
            node => Self {
                node: ConditionNode::Not(Box::new(node)),
                levels: self.levels,
            },
        }
    }
}
