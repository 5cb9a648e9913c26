//! The tree of a condition, and its operators.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

use super::scalar::Scalar;
use crate::types::condition::{Combination, MAX_LEVELS, Operator};

/// The words of the grammar, which are no names of fields unless they are in quotes.
pub(super) const KEYWORDS: [&str; 11] = [
    "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "NULL", "TRUE", "FALSE", "INF", "NAN",
];

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

/// The text from which [`Condition::parse`] returns the condition again.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

impl fmt::Display for ConditionNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare(field, operator, literal) => {
                write!(f, "{field} {} ", operator_text(*operator))?;
                literal.fmt(f)
            }
            Self::Member(field, values) => member(f, field, "IN", values),
            Self::IsNull(field) => write!(f, "{field} IS NULL"),
            Self::Not(inner) => match &**inner {
                Self::Member(field, values) if !values.is_empty() => {
                    member(f, field, "NOT IN", values)
                }
                Self::IsNull(field) => write!(f, "{field} IS NOT NULL"),
                inner => write!(f, "NOT ({inner})"),
            },
            Self::All(parts) => joined(f, parts, " AND "),
            Self::Any(parts) => joined(f, parts, " OR "),
            Self::TooDeep => f.write_str("(nested too deep)"),
        }
    }
}

fn operator_text(operator: Operator) -> &'static str {
    match operator {
        Operator::Lt => "<",
        Operator::Le => "<=",
        Operator::Gt => ">",
        Operator::Ge => ">=",
        Operator::Eq => "=",
        Operator::Ne => "!=",
        other => other.name(),
    }
}

fn member(
    f: &mut fmt::Formatter<'_>,
    field: &FieldName,
    operator: &str,
    values: &[Literal],
) -> fmt::Result {
    if values.is_empty() {
        // The grammar has no empty set.
        return write!(f, "({field} IS NULL AND {field} IS NOT NULL)");
    }
    write!(f, "{field} {operator} (")?;
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{value}")?;
    }
    f.write_str(")")
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[ConditionNode], separator: &str) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        match part {
            ConditionNode::All(_) | ConditionNode::Any(_) => write!(f, "({part})")?,
            part => write!(f, "{part}")?,
        }
    }
    Ok(())
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Scalar::Bool(value) => f.write_str(if *value { "TRUE" } else { "FALSE" }),
            Scalar::Text(text) => quoted(f, '\'', text),
            Scalar::Real(value) if value.is_nan() => f.write_str("NAN"),
            // `Debug` prints a decimal point or an exponent, which an integer does not have.
            Scalar::Real(value) => write!(f, "{value:?}"),
            value => value.fmt(f),
        }
    }
}

/// The name as conditions contain it: in double quotes unless it is a word that is no keyword.
impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_word = self
            .name
            .starts_with(|c: char| c == '_' || c.is_alphabetic())
            && self
                .name
                .chars()
                .all(|c| c == '_' || c == '.' || c.is_alphanumeric());
        let keyword = self.name.to_ascii_uppercase();
        if is_word && !KEYWORDS.contains(&keyword.as_str()) {
            return f.write_str(&self.name);
        }
        quoted(f, '"', &self.name)
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, quote: char, text: &str) -> fmt::Result {
    let doubled = [quote, quote].iter().collect::<String>();
    write!(f, "{quote}{}{quote}", text.replace(quote, &doubled))
}
