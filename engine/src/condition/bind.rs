//! Binds a condition to a schema: finds fields, checks values and converts enumeration values to
//! indexes.

use std::sync::Arc;

use super::compare::{Compare, compare};
use super::members::ValueSet;
use super::{Combination, Comparison, Condition, Operand, Operator, strings};
use crate::error::{Error, PredicateError, Result};
use crate::format::names::TIMESTAMPS;
use crate::platform::lock::OnceValue;
use crate::schema::{ArraySchema, Attribute, Enumeration, Field};
use crate::types::{Datatype, Physical, VAR_NUM};

/// A condition that is bound to a schema.
#[derive(Clone, Debug)]
pub struct BoundCondition {
    fields: Vec<String>,
    pub(super) root: TestNode,
    /// The number of bitmaps that its evaluation needs at once.
    pub(super) depth: usize,
}

/// A node of a bound condition.
#[derive(Clone, Debug)]
pub(super) enum TestNode {
    /// A constant.
    Always(bool),
    /// A comparison.
    Leaf(Leaf),
    /// A conjunction.
    All(Vec<TestNode>),
    /// A disjunction.
    Any(Vec<TestNode>),
}

/// A test of the cells of a column.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The index of the field among those of the condition.
    pub(super) column: usize,
    /// The size of a cell in bytes; 0 for variable-length cells.
    pub(super) cell_size: usize,
    pub(super) check: CellTest,
}

/// A test of a cell.
#[derive(Clone, Debug)]
pub(super) enum CellTest {
    /// Null, or not null.
    Null(bool),
    /// A comparison with a number.
    Number {
        physical: Physical,
        /// Whether stored minima and maxima are ordered differently: as bytes instead of signed
        /// characters.
        characters: bool,
        operator: Operator,
        value: [u8; 8],
        compare: Compare,
    },
    /// A comparison of bytes; for fixed-size cells, with the same number of bytes.
    Text { operator: Operator, value: Vec<u8> },
    /// Membership in a set. `physical` is set for numbers.
    Member {
        is_in: bool,
        members: ValueSet,
        physical: Option<Physical>,
    },
}

/// Returns the timestamps of cells as a field for conditions.
fn timestamps_field() -> &'static Arc<Attribute> {
    static FIELD: OnceValue<Arc<Attribute>> = OnceValue::new();
    FIELD.get_or_init(|| Arc::new(Attribute::new(TIMESTAMPS, Datatype::Uint64)))
}

/// The state of binding.
struct Binder<'a, L> {
    schema: &'a ArraySchema,
    enumeration: L,
    fields: Vec<String>,
}

impl BoundCondition {
    /// Binds a condition to a schema. `enumeration` returns an enumeration of the schema by name.
    pub fn bind(
        condition: &Condition,
        schema: &ArraySchema,
        enumeration: impl FnMut(&str) -> Result<Arc<Enumeration>>,
    ) -> Result<Self> {
        let mut binder = Binder {
            schema,
            enumeration,
            fields: Vec::new(),
        };
        let root = binder.bind(condition)?;
        let depth = root.depth();
        Ok(Self {
            fields: binder.fields,
            root,
            depth,
        })
    }

    /// Returns the names of the fields of the condition, in the order of its columns.
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// Returns the result if it is the same for all cells.
    pub fn always(&self) -> Option<bool> {
        match self.root {
            TestNode::Always(answer) => Some(answer),
            _ => None,
        }
    }
}

/// Returns a condition with enumeration values replaced by indexes, and without null tests that the
/// schema decides. `enumeration` returns an enumeration of the schema by name.
pub fn without_labels(
    condition: &Condition,
    schema: &ArraySchema,
    mut enumeration: impl FnMut(&str) -> Result<Arc<Enumeration>>,
) -> Result<Condition> {
    let mut problem = None;
    let converted = condition.map(&mut |leaf| {
        let converted = leaf_without_labels(leaf, schema, &mut enumeration);
        Condition::Leaf(converted.unwrap_or_else(|error| {
            problem.get_or_insert(error);
            leaf.clone()
        }))
    });
    problem.map_or(Ok(converted), Err)
}

fn leaf_without_labels(
    leaf: &Comparison,
    schema: &ArraySchema,
    enumeration: impl FnOnce(&str) -> Result<Arc<Enumeration>>,
) -> Result<Comparison> {
    let mut converted = Comparison {
        by_label: false,
        ..leaf.clone()
    };
    let always = |answer| {
        if answer {
            Operator::AlwaysTrue
        } else {
            Operator::AlwaysFalse
        }
    };
    let field = schema.field(&leaf.field);
    if leaf.operand == Operand::Null && !field.as_ref().is_some_and(Field::is_nullable) {
        converted.operator = always(leaf.operator != Operator::Eq);
        return Ok(converted);
    }
    let Some(Field::Attribute(_, attribute)) = field.filter(|_| leaf.by_label) else {
        return Ok(converted);
    };
    if let Some(name) = &attribute.enumeration {
        match by_index(leaf, &*enumeration(name)?, attribute.datatype)? {
            Some(operand) => converted.operand = operand,
            None => converted.operator = always(leaf.operator == Operator::Ne),
        }
    }
    Ok(converted)
}

impl TestNode {
    fn depth(&self) -> usize {
        match self {
            Self::Always(_) | Self::Leaf(_) => 0,
            Self::All(parts) => parts.iter().map(Self::depth).max().unwrap_or(0),
            Self::Any(parts) => 2 + parts.iter().map(Self::depth).max().unwrap_or(0),
        }
    }

    /// Combines several tests, omitting those that do not affect the result.
    fn combined(combination: Combination, parts: Vec<Self>) -> Self {
        // The result of a part that determines the result.
        let decides = combination == Combination::Or;
        if parts
            .iter()
            .any(|part| matches!(part, Self::Always(answer) if *answer == decides))
        {
            return Self::Always(decides);
        }
        let mut parts: Vec<_> = parts
            .into_iter()
            .filter(|part| !matches!(part, Self::Always(_)))
            .collect();
        match (parts.len(), combination) {
            (0, _) => Self::Always(!decides),
            (1, _) => parts.remove(0),
            (_, Combination::And) => Self::All(parts),
            (_, Combination::Or) => Self::Any(parts),
        }
    }
}

impl<L: FnMut(&str) -> Result<Arc<Enumeration>>> Binder<'_, L> {
    fn bind(&mut self, condition: &Condition) -> Result<TestNode> {
        match condition {
            Condition::Leaf(leaf) => self.bind_leaf(leaf),
            Condition::Combined(combination, parts) => {
                let parts: Result<Vec<_>> = parts.iter().map(|part| self.bind(part)).collect();
                Ok(TestNode::combined(*combination, parts?))
            }
        }
    }

    fn leaf(&mut self, field: &Field<'_>, check: CellTest) -> TestNode {
        let known = self.fields.iter().position(|name| name == field.name());
        let column = known.unwrap_or_else(|| {
            self.fields.push(field.name().to_owned());
            self.fields.len() - 1
        });
        TestNode::Leaf(Leaf {
            column,
            cell_size: fixed_size(field),
            check,
        })
    }

    /// True for all cells that are not null.
    fn always(&mut self, field: &Field<'_>, answer: bool) -> TestNode {
        if answer && field.is_nullable() {
            self.leaf(field, CellTest::Null(false))
        } else {
            TestNode::Always(answer)
        }
    }

    fn bind_leaf(&mut self, leaf: &Comparison) -> Result<TestNode> {
        let schema = self.schema;
        let field = match schema.field(&leaf.field) {
            // The timestamps of cells are not a field of the schema; readers of sparse arrays
            // provide them.
            None if leaf.field == TIMESTAMPS && !schema.is_dense() => {
                Field::Attribute(0, timestamps_field())
            }
            None => {
                return Err(PredicateError::UnknownField {
                    name: leaf.field.clone(),
                }
                .into());
            }
            Some(Field::Coords(_)) => {
                return Err(PredicateError::Coordinates {
                    name: leaf.field.clone(),
                }
                .into());
            }
            Some(field) => field,
        };
        if leaf.operand == Operand::Null {
            return self.bind_null(&field, leaf.operator);
        }
        match leaf.operator {
            Operator::AlwaysTrue => return Ok(self.always(&field, true)),
            Operator::AlwaysFalse => return Ok(self.always(&field, false)),
            _ => {}
        }
        let enumeration = match &field {
            Field::Attribute(_, attribute) => attribute.enumeration.as_deref(),
            _ => None,
        };
        let (operator, operand) = match enumeration.filter(|_| leaf.by_label) {
            Some(name) => {
                let labels = (self.enumeration)(name)?;
                match by_index(leaf, &labels, field.datatype())? {
                    Some(operand) => (leaf.operator, operand),
                    None => return Ok(self.always(&field, leaf.operator == Operator::Ne)),
                }
            }
            None => (leaf.operator, leaf.operand.clone()),
        };
        check_operand(&field, &operand, enumeration.is_some())?;
        match operand {
            Operand::Null => self.bind_null(&field, operator),
            Operand::Set { data, offsets } => {
                let members = ValueSet::new(members_of(&data, &offsets), fixed_size(&field));
                let is_in = operator == Operator::In;
                if members.is_empty() {
                    Ok(self.always(&field, !is_in))
                } else {
                    let number = !field.datatype().is_byte_text();
                    let check = CellTest::Member {
                        is_in,
                        members,
                        physical: number.then(|| field.datatype().physical()),
                    };
                    Ok(self.leaf(&field, check))
                }
            }
            Operand::Value(value) => Ok(match check_of(&field, operator, value) {
                Ok(check) => self.leaf(&field, check),
                Err(answer) => self.always(&field, answer),
            }),
        }
    }

    fn bind_null(&mut self, field: &Field<'_>, operator: Operator) -> Result<TestNode> {
        match operator {
            // The other tests of a field without nulls.
            _ if !field.is_nullable() => Ok(TestNode::Always(operator != Operator::Eq)),
            Operator::Eq => Ok(self.leaf(field, CellTest::Null(true))),
            Operator::Ne => Ok(self.leaf(field, CellTest::Null(false))),
            _ => Err(PredicateError::NullInequality.into()),
        }
    }
}

/// Returns the size of a cell in bytes, or 0 for variable-length cells.
fn fixed_size(field: &Field<'_>) -> usize {
    match field.cell_val_num() {
        VAR_NUM => 0,
        values => field.datatype().size() * values as usize,
    }
}

/// Returns the values of a set.
fn members_of<'a>(data: &'a [u8], offsets: &'a [u64]) -> impl Iterator<Item = &'a [u8]> {
    let ends = offsets.iter().skip(1).copied();
    let ends = ends.chain([data.len() as u64]);
    offsets.iter().zip(ends).map(|(start, end)| {
        let range = *start as usize..end as usize;
        data.get(range).unwrap_or_default()
    })
}

/// Converts a comparison with an enumeration value to one with an index; `None` if the value is
/// unknown.
fn by_index(
    leaf: &Comparison,
    labels: &Enumeration,
    datatype: Datatype,
) -> Result<Option<Operand>> {
    let inequality = matches!(
        leaf.operator,
        Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge
    );
    if inequality && !labels.ordered() {
        return Err(PredicateError::UnorderedEnumeration {
            name: labels.name().into(),
        }
        .into());
    }
    let size = datatype.size();
    let bytes = |index: u64| {
        let word = index.to_le_bytes();
        let (bytes, rest) = word.split_at(size);
        if rest.iter().all(|byte| *byte == 0) {
            Ok::<_, Error>(bytes.to_vec())
        } else {
            Err(PredicateError::IndexTooLarge {
                name: labels.name().into(),
                index,
            }
            .into())
        }
    };
    match &leaf.operand {
        Operand::Null => Ok(Some(Operand::Null)),
        Operand::Value(label) => match labels.index_of(label) {
            Some(index) => Ok(Some(Operand::Value(bytes(index)?))),
            None => Ok(None),
        },
        Operand::Set { data, offsets } => {
            let mut indexes = Vec::new();
            let mut starts = Vec::new();
            let known = members_of(data, offsets).filter_map(|label| labels.index_of(label));
            for index in known {
                starts.push(indexes.len() as u64);
                indexes.extend(bytes(index)?);
            }
            Ok(Some(Operand::Set {
                data: indexes,
                offsets: starts,
            }))
        }
    }
}

/// Checks that a field can be compared with an operand.
fn check_operand(field: &Field<'_>, operand: &Operand, enumerated: bool) -> Result<()> {
    let (name, datatype) = (field.name(), field.datatype());
    let (text, var) = (datatype.is_byte_text(), field.is_var());
    if var && !text {
        return Err(PredicateError::VarNumbers { name: name.into() }.into());
    }
    if !var && !text && field.cell_val_num() != 1 {
        return Err(PredicateError::ManyValues { name: name.into() }.into());
    }
    let size = field.cell_size();
    match operand {
        Operand::Value(value) if !var && !text && value.len() as u64 != size => {
            return Err(PredicateError::ValueSize {
                size,
                given: value.len(),
            }
            .into());
        }
        Operand::Set { data, offsets } if !var && !enumerated => {
            let wrong = members_of(data, offsets).find(|member| member.len() as u64 != size);
            if let Some(member) = wrong {
                return Err(PredicateError::MemberSize {
                    size,
                    given: member.len(),
                }
                .into());
            }
        }
        _ => {}
    }
    match datatype {
        Datatype::Any
        | Datatype::StringUtf16
        | Datatype::StringUtf32
        | Datatype::StringUcs2
        | Datatype::StringUcs4
        | Datatype::Blob
        | Datatype::GeomWkb
        | Datatype::GeomWkt => Err(PredicateError::UnsupportedType {
            name: name.into(),
            datatype: datatype.name(),
        }
        .into()),
        _ => Ok(()),
    }
}

/// Returns the test of cells for a comparison, or its result if it is the same for all cells that
/// are not null.
fn check_of(
    field: &Field<'_>,
    operator: Operator,
    value: Vec<u8>,
) -> std::result::Result<CellTest, bool> {
    let datatype = field.datatype();
    let one_character = datatype == Datatype::Char && field.cell_val_num() == 1 && value.len() <= 1;
    if datatype.is_byte_text() && !one_character {
        let (operator, value) = match fixed_size(field) {
            0 => (operator, value),
            size => strings::fit(operator, value, size),
        };
        return match operator {
            Operator::AlwaysTrue => Err(true),
            Operator::AlwaysFalse => Err(false),
            _ => Ok(CellTest::Text { operator, value }),
        };
    }
    // For cells with one character, the empty string is the zero character.
    let mut number = [0; 8];
    number[..value.len()].copy_from_slice(&value);
    let physical = datatype.physical();
    Ok(CellTest::Number {
        physical,
        characters: one_character,
        operator,
        value: number,
        compare: compare(physical, operator),
    })
}
