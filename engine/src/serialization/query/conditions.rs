//! Conditions as messages: a tree and, if it is one comparison or a conjunction of comparisons, the
//! list of comparisons that releases before 2.8 read.

use std::sync::Arc;

use crate::condition::{Combination, Comparison, Condition, Operand, Operator};
use crate::error::{QueryMessageError, Result};
use crate::schema::ArraySchema;
use crate::serialization::messages_capnp::{a_s_t_node, condition, condition_clause};
use crate::serialization::ranges::wrong_size;
use crate::serialization::texts::{bytes, length, named, short, text};

/// Fills the message of a condition.
pub(super) fn fill(mut to: condition::Builder<'_>, condition: &Condition) -> Result<()> {
    fill_node(to.reborrow().init_tree(), condition)?;
    let Some(clauses) = clauses_of(condition) else {
        return Ok(());
    };
    let number = length("A condition", clauses.len())?;
    let mut list = to.reborrow().init_clauses(number);
    for (index, clause) in (0..).zip(&clauses) {
        fill_clause(list.reborrow().get(index), clause)?;
    }
    if number > 1 {
        let mut operators = to.init_clause_combination_ops(number - 1);
        for index in 0..number - 1 {
            operators.set(index, Combination::And.name());
        }
    }
    Ok(())
}

/// Returns the comparisons of a condition that is a list of them.
fn clauses_of(condition: &Condition) -> Option<Vec<&Comparison>> {
    match condition {
        Condition::Combined(Combination::And, parts) => {
            parts.iter().map(|part| clause_of(part)).collect()
        }
        other => clause_of(other).map(|leaf| vec![leaf]),
    }
}

/// Returns a comparison that clauses can express.
fn clause_of(condition: &Condition) -> Option<&Comparison> {
    match condition {
        Condition::Leaf(leaf) if !leaf.operator.takes_set() => Some(leaf),
        _ => None,
    }
}

fn fill_node(mut to: a_s_t_node::Builder<'_>, condition: &Condition) -> Result<()> {
    match condition {
        Condition::Combined(combination, parts) => {
            to.set_is_expression(true);
            let number = length("A condition", parts.len())?;
            let mut list = to.reborrow().init_children(number);
            for (index, part) in (0..).zip(parts) {
                fill_node(list.reborrow().get(index), part)?;
            }
            to.set_combination_op(combination.name());
        }
        Condition::Leaf(leaf) => return fill_leaf(to, leaf),
    }
    Ok(())
}

/// Not inlined, so that a level of a condition needs less of the stack.
#[inline(never)]
fn fill_leaf(mut to: a_s_t_node::Builder<'_>, leaf: &Comparison) -> Result<()> {
    to.set_is_expression(false);
    to.set_field_name(short("The name of a field", &leaf.field)?);
    match &leaf.operand {
        // A missing value is a test for null, an empty one a comparison.
        Operand::Null => {}
        Operand::Value(value) => to.set_value(bytes("A value of a condition", value)?),
        Operand::Set { data, offsets } => {
            to.set_value(bytes("A value of a condition", data)?);
            let offsets: Vec<u8> = offsets
                .iter()
                .flat_map(|offset| offset.to_le_bytes())
                .collect();
            to.set_offsets(bytes("A value of a condition", &offsets)?);
        }
    }
    to.set_op(leaf.operator.name());
    to.set_use_enumeration(leaf.by_label);
    Ok(())
}

fn fill_clause(mut to: condition_clause::Builder<'_>, leaf: &Comparison) -> Result<()> {
    to.set_field_name(short("The name of a field", &leaf.field)?);
    if let Operand::Value(value) = &leaf.operand {
        to.set_value(bytes("A value of a condition", value)?);
    }
    to.set_op(leaf.operator.name());
    to.set_use_enumeration(leaf.by_label);
    Ok(())
}

/// Reads the message of a condition.
pub(super) fn parse(from: condition::Reader<'_>, schema: &ArraySchema) -> Result<Arc<Condition>> {
    if from.has_tree() {
        return parse_node(from.get_tree()?, schema).map(Arc::new);
    }
    let mut clauses = from
        .get_clauses()?
        .iter()
        .map(|from| {
            let value = from.has_value().then(|| from.get_value()).transpose()?;
            let comparison = Comparison {
                field: text(from.get_field_name())?.to_owned(),
                operator: named(
                    from.get_op(),
                    "an operator of a condition",
                    Operator::from_name,
                )?,
                operand: value.map_or(Operand::Null, |value| Operand::Value(value.to_vec())),
                by_label: from.get_use_enumeration(),
            };
            leaf(schema, comparison)
        })
        .collect::<Result<Vec<_>>>()?;
    match clauses.len() {
        0 => Err(QueryMessageError::EmptyCondition.into()),
        1 => Ok(Arc::new(clauses.remove(0))),
        _ => {
            let parts = clauses.into_iter().map(Arc::new).collect();
            Ok(Arc::new(Condition::Combined(Combination::And, parts)))
        }
    }
}

/// Reads a node of a tree. The nesting limit of messages bounds the recursion.
fn parse_node(from: a_s_t_node::Reader<'_>, schema: &ArraySchema) -> Result<Condition> {
    if from.get_is_expression() {
        let subject = "a combination of conditions";
        let combination = named(from.get_combination_op(), subject, Combination::from_name)?;
        let children = from
            .get_children()?
            .iter()
            .map(|child| parse_node(child, schema).map(Arc::new))
            .collect::<Result<Vec<_>>>()?;
        if children.len() < 2 {
            return Err(QueryMessageError::EmptyCondition.into());
        }
        return Ok(Condition::Combined(combination, children));
    }
    let operator = named(
        from.get_op(),
        "an operator of a condition",
        Operator::from_name,
    )?;
    let field = text(from.get_field_name())?;
    let value = from.has_value().then(|| from.get_value()).transpose()?;
    let by_label = from.get_use_enumeration();
    if operator.takes_set() {
        let offsets = from.get_offsets()?;
        let (offsets, rest) = offsets.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(wrong_size("An offset", rest.len(), 8));
        }
        let offsets: Vec<u64> = offsets.iter().copied().map(u64::from_le_bytes).collect();
        let set = Condition::is_one_of(field, operator, value.unwrap_or_default(), &offsets)?;
        return Ok(set.by_label(by_label));
    }
    let comparison = Comparison {
        field: field.to_owned(),
        operator,
        operand: value.map_or(Operand::Null, |value| Operand::Value(value.to_vec())),
        by_label,
    };
    leaf(schema, comparison)
}

/// Returns the condition of a received comparison.
fn leaf(schema: &ArraySchema, mut comparison: Comparison) -> Result<Condition> {
    if comparison.field.is_empty() {
        return Err(QueryMessageError::EmptyCondition.into());
    }
    // libtiledb sends a test for null as a comparison with an empty value.
    let has_size = schema
        .attribute(&comparison.field)
        .is_some_and(|attribute| {
            let by_label = comparison.by_label && attribute.enumeration.is_some();
            !attribute.is_var() && !by_label
        });
    let is_empty = matches!(&comparison.operand, Operand::Value(value) if value.is_empty());
    if is_empty && has_size {
        comparison.operand = Operand::Null;
    }
    Ok(Condition::Leaf(comparison))
}
