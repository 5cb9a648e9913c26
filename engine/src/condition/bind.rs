//! Binds a condition to a schema: finds fields, checks values and converts enumeration values to
//! indexes.

use std::sync::Arc;

use super::members::ValueSet;
use super::{Combination, Comparison, Condition, Operand, Operator, strings};
use crate::bytes::simd_dispatch;
use crate::error::{Error, PredicateError, Result};
use crate::format::names::TIMESTAMPS;
use crate::platform::lock::OnceValue;
use crate::schema::{ArraySchema, Attribute, Enumeration, Field, greatest_index};
use crate::typed;
use crate::types::{Datatype, Physical, VAR_NUM, Value, values_of};

/// A condition that is bound to a schema.
#[derive(Clone, Debug)]
pub struct BoundCondition {
    /// The names of the fields, in the order of the columns of [`BoundCondition::select`].
    pub fields: Vec<String>,
    /// Shared by clones: cloning the nodes would be recursive.
    pub(super) root: Arc<TestNode>,
    /// The number of bitmaps that its evaluation needs at once.
    pub(super) depth: usize,
}

/// A node of a bound condition.
#[derive(Debug)]
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
    /// Whether the cell is null; with `false`, whether it is not null.
    IsNull(bool),
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
            root: Arc::new(root),
            depth,
        })
    }

    /// Returns the result if it is the same for all cells.
    pub fn always(&self) -> Option<bool> {
        match *self.root {
            TestNode::Always(result) => Some(result),
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
    let always = |result| {
        if result {
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
            .any(|part| matches!(part, Self::Always(result) if *result == decides))
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
        condition.fold(|leaf| self.bind_leaf(leaf), TestNode::combined)
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

    /// Returns a test with the same result for all cells that are not null; comparisons with null
    /// cells are false.
    fn always(&mut self, field: &Field<'_>, result: bool) -> TestNode {
        if result && field.is_nullable() {
            self.leaf(field, CellTest::IsNull(false))
        } else {
            TestNode::Always(result)
        }
    }

    fn bind_leaf(&mut self, leaf: &Comparison) -> Result<TestNode> {
        let field = find_field(self.schema, &leaf.field)?;
        match leaf.operator {
            _ if leaf.operand == Operand::Null => return self.bind_null(&field, leaf.operator),
            Operator::AlwaysTrue => return Ok(self.always(&field, true)),
            Operator::AlwaysFalse => return Ok(self.always(&field, false)),
            _ => {}
        }
        let enumeration = match &field {
            Field::Attribute(_, attribute) => attribute.enumeration.as_deref(),
            _ => None,
        };
        let operand = match enumeration.filter(|_| leaf.by_label) {
            Some(name) => {
                let labels = (self.enumeration)(name)?;
                match by_index(leaf, &labels, field.datatype())? {
                    Some(operand) => operand,
                    None => return Ok(self.always(&field, leaf.operator == Operator::Ne)),
                }
            }
            None => leaf.operand.clone(),
        };
        check_operand(&field, &operand, enumeration.is_some())?;
        Ok(match operand {
            Operand::Null => return self.bind_null(&field, leaf.operator),
            Operand::Set { data, offsets } => {
                let members = ValueSet::new(members_of(&data, &offsets), fixed_size(&field));
                self.bind_set(&field, members, leaf.operator == Operator::In)
            }
            Operand::Value(value) => self.bind_value(&field, leaf.operator, value),
        })
    }

    fn bind_set(&mut self, field: &Field<'_>, members: ValueSet, is_in: bool) -> TestNode {
        if members.is_empty() {
            return self.always(field, !is_in);
        }
        let is_number = !field.datatype().is_byte_text();
        let physical = is_number.then(|| field.datatype().physical());
        let test = CellTest::Member {
            is_in,
            members,
            physical,
        };
        self.leaf(field, test)
    }

    fn bind_value(&mut self, field: &Field<'_>, operator: Operator, value: Vec<u8>) -> TestNode {
        let datatype = field.datatype();
        let one_character =
            datatype == Datatype::Char && field.cell_val_num() == 1 && value.len() <= 1;
        if datatype.is_byte_text() && !one_character {
            let (operator, value) = match fixed_size(field) {
                0 => (operator, value),
                size => strings::fit(operator, value, size),
            };
            return match operator {
                Operator::AlwaysTrue => self.always(field, true),
                Operator::AlwaysFalse => self.always(field, false),
                _ => self.leaf(field, CellTest::Text { operator, value }),
            };
        }
        // For cells with one character, the empty string is the zero character.
        let mut number = [0; 8];
        number[..value.len()].copy_from_slice(&value);
        let physical = datatype.physical();
        let test = CellTest::Number {
            physical,
            characters: one_character,
            operator,
            value: number,
            compare: compare(physical, operator),
        };
        self.leaf(field, test)
    }

    fn bind_null(&mut self, field: &Field<'_>, operator: Operator) -> Result<TestNode> {
        match operator {
            // The other tests of a field without nulls.
            _ if !field.is_nullable() => Ok(TestNode::Always(operator != Operator::Eq)),
            Operator::Eq => Ok(self.leaf(field, CellTest::IsNull(true))),
            Operator::Ne => Ok(self.leaf(field, CellTest::IsNull(false))),
            _ => Err(PredicateError::NullInequality.into()),
        }
    }
}

/// Returns the field of a comparison: an attribute, a dimension or the timestamps of cells.
fn find_field<'a>(schema: &'a ArraySchema, name: &str) -> Result<Field<'a>> {
    match schema.field(name) {
        // The timestamps of cells are not a field of the schema; readers of sparse arrays provide
        // them.
        None if name == TIMESTAMPS && !schema.is_dense() => {
            Ok(Field::Attribute(0, timestamps_field()))
        }
        None => Err(PredicateError::UnknownField { name: name.into() }.into()),
        Some(Field::Coords(_)) => Err(PredicateError::Coordinates { name: name.into() }.into()),
        Some(field) => Ok(field),
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
    let ends = offsets.iter().skip(1).copied().chain([data.len() as u64]);
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
    let greatest = greatest_index(datatype);
    let bytes = |index: u64| {
        if index <= greatest {
            Ok::<_, Error>(index.to_le_bytes()[..size].to_vec())
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

/// Clears the bits of the cells that do not satisfy a comparison.
pub(super) type Compare = fn(value: &[u8; 8], data: &[u8], selected: &mut [u8]);

/// Returns the comparison function for a datatype.
pub(super) fn compare(physical: Physical, operator: Operator) -> Compare {
    typed!(physical, T => compare_of::<T>(operator))
}

fn compare_of<T: Value>(operator: Operator) -> Compare {
    match operator {
        Operator::Lt => |value, data, selected| keep::<T>(value, data, selected, |a, b| a < b),
        Operator::Le => |value, data, selected| keep::<T>(value, data, selected, |a, b| a <= b),
        Operator::Gt => |value, data, selected| keep::<T>(value, data, selected, |a, b| a > b),
        Operator::Ge => |value, data, selected| keep::<T>(value, data, selected, |a, b| a >= b),
        Operator::Ne => |value, data, selected| keep::<T>(value, data, selected, |a, b| a != b),
        _ => |value, data, selected| keep::<T>(value, data, selected, |a, b| a == b),
    }
}

#[inline(always)]
fn keep<T: Value>(value: &[u8; 8], data: &[u8], selected: &mut [u8], holds: impl Fn(T, T) -> bool) {
    let value = T::read(value);
    simd_dispatch(
        #[inline(always)]
        || {
            let cells = values_of::<T>(data);
            for (bit, cell) in selected.iter_mut().zip(cells) {
                *bit &= u8::from(holds(cell, value));
            }
        },
    );
}
