//! Conversion of a condition to the datatypes of a schema.

use std::sync::Arc;

use super::condition::{Condition, ConditionNode, FieldName, Literal};
use crate::error::{ConditionTextError, Error, Result};
use crate::format::names::TIMESTAMPS;
use crate::schema::{ArraySchema, Enumeration, Field};
use crate::types::condition::{Combination, Condition as ByteCondition, MAX_LEVELS, Operator};
use crate::types::{Datatype, VAR_NUM, Value};

impl Condition {
    /// Returns the condition with values of the datatypes of a schema. `enumeration` returns an
    /// enumeration of the schema by name.
    ///
    /// # Errors
    ///
    /// Returns an error if a field does not exist or a value cannot be compared with it. If the
    /// condition was parsed, the error has the position in its text.
    pub fn resolve(
        &self,
        schema: &ArraySchema,
        enumeration: impl FnMut(&str) -> Result<Arc<Enumeration>>,
    ) -> Result<ByteCondition> {
        let mut resolver = Resolver {
            schema,
            enumeration,
        };
        resolver.node(&self.node)
    }
}

struct Resolver<'a, E> {
    schema: &'a ArraySchema,
    enumeration: E,
}

impl<E: FnMut(&str) -> Result<Arc<Enumeration>>> Resolver<'_, E> {
    fn node(&mut self, node: &ConditionNode) -> Result<ByteCondition> {
        match node {
            ConditionNode::Compare(field, operator, literal) => {
                let (datatype, _) = self.operand_type(field)?;
                let value = bytes(literal, field, datatype)?;
                ByteCondition::compare(&field.name, *operator, Some(&value))
            }
            ConditionNode::Member(field, literals) => self.member(field, literals),
            ConditionNode::IsNull(field) => {
                self.operand_type(field)?;
                ByteCondition::compare(&field.name, Operator::Eq, None)
            }
            ConditionNode::Not(inner) => Ok(self.node(inner)?.negate()),
            ConditionNode::All(parts) => self.combined(Combination::And, parts),
            ConditionNode::Any(parts) => self.combined(Combination::Or, parts),
            ConditionNode::TooDeep => {
                Err(ConditionTextError::TooDeep { levels: MAX_LEVELS }.into())
            }
        }
    }

    fn combined(
        &mut self,
        combination: Combination,
        parts: &[ConditionNode],
    ) -> Result<ByteCondition> {
        let parts = parts
            .iter()
            .map(|part| self.node(part).map(Arc::new))
            .collect::<Result<Vec<_>>>()?;
        Ok(ByteCondition::combined(combination, parts))
    }

    fn member(&mut self, field: &FieldName, literals: &[Literal]) -> Result<ByteCondition> {
        let (datatype, fixed_text) = self.operand_type(field)?;
        let values = literals
            .iter()
            .map(|literal| bytes(literal, field, datatype))
            .collect::<Result<Vec<_>>>()?;
        // A set of texts of a fixed length has members of that length only; comparisons pad them.
        if fixed_text && values.len() > 1 {
            let parts = values
                .iter()
                .map(|value| {
                    let part = ByteCondition::compare(&field.name, Operator::Eq, Some(value));
                    part.map(Arc::new)
                })
                .collect::<Result<_>>()?;
            return Ok(ByteCondition::Combined(Combination::Or, parts));
        }
        if let ([value], true) = (&values[..], fixed_text) {
            return ByteCondition::compare(&field.name, Operator::Eq, Some(value));
        }
        let mut data = Vec::new();
        let mut offsets = Vec::with_capacity(values.len());
        for value in values {
            for value in equal_numbers(value, datatype) {
                offsets.push(data.len() as u64);
                data.extend(value);
            }
        }
        ByteCondition::is_one_of(&field.name, Operator::In, &data, &offsets)
    }

    /// Returns the datatype of the values of a field, and whether cells are texts of a fixed
    /// length.
    fn operand_type(&mut self, name: &FieldName) -> Result<(Datatype, bool)> {
        let field = match self.schema.field(&name.name) {
            None if name.name == TIMESTAMPS && !self.schema.is_dense() => {
                return Ok((Datatype::Uint64, false));
            }
            None | Some(Field::Coords(_)) => {
                let unknown = ConditionTextError::UnknownField {
                    name: name.name.clone(),
                };
                return Err(error_at(name.position, unknown));
            }
            Some(field) => field,
        };
        if let Field::Attribute(_, attribute) = &field
            && let Some(enumeration) = &attribute.enumeration
        {
            return Ok(((self.enumeration)(enumeration)?.datatype(), false));
        }
        let datatype = field.datatype();
        let text = datatype == Datatype::Char || datatype.is_string();
        Ok((datatype, text && field.cell_val_num() != VAR_NUM))
    }
}

fn bytes(literal: &Literal, field: &FieldName, datatype: Datatype) -> Result<Vec<u8>> {
    literal.value.to_bytes(datatype).map_err(|cause| {
        let field = field.name.clone();
        error_at(
            literal.position,
            ConditionTextError::WrongValue { cause, field },
        )
    })
}

/// Returns a member of a set with the numbers that are equal to it. Sets compare bytes, but zeros
/// of both signs are equal. NaN, which no comparison selects, is either quiet NaN.
fn equal_numbers(value: Vec<u8>, datatype: Datatype) -> impl Iterator<Item = Vec<u8>> {
    let number = match datatype {
        Datatype::Float32 => f64::from(f32::read(&value)),
        Datatype::Float64 => f64::read(&value),
        _ => 1.0,
    };
    let other_sign = (number == 0.0 || number.is_nan()).then(|| {
        let mut other = value.clone();
        if let Some(highest) = other.last_mut() {
            *highest ^= 0x80;
        }
        other
    });
    [value].into_iter().chain(other_sign)
}

fn error_at(position: Option<usize>, cause: ConditionTextError) -> Error {
    match position {
        Some(position) => Error::condition(position, cause),
        None => cause.into(),
    }
}
