//! What a query deletes: the cells of a sparse array that satisfy a condition, by a commit that says which cells stay.

use super::condition::{BoundCondition, Comparison, Condition, Operand, Operator, without_labels};
use super::run::{Query, wrong};
use crate::array;
use crate::error::{Error, Result};
use crate::schema::ArraySchema;
use crate::types::{QueryStatus, QueryType, now};

fn refused(message: &str) -> Error {
    Error::usage("Deletes", format!("Cannot initialize deletes; {message}"))
}

impl Query {
    /// Deletes the cells that satisfy the condition, as of the time that the array was opened at, or now. Each call commits
    /// a delete. An error where the array is dense, or the condition is missing or does not fit it.
    pub fn delete(&mut self) -> Result<()> {
        self.check_open()?;
        if self.query_type != QueryType::Delete {
            let name = self.query_type.name();
            return Err(wrong(format!("Queries of type {name} are not supported")));
        }
        if self.is_dense() {
            return Err(refused("Only supported for sparse arrays"));
        }
        if !self.aggregates.is_empty() {
            return Err(refused("Aggregates are not supported"));
        }
        let Some(condition) = self.condition.clone() else {
            return Err(refused("One condition is needed"));
        };
        let worker = self.worker.clone();
        let _timer = worker.timer("dowork");
        self.status = QueryStatus::Failed;
        self.bound_condition()?;
        let schema = self.schema();
        let labels = |name: &str| self.snapshot.enumeration(&self.vfs, name);
        let kept = kept(&without_labels(&condition, schema, labels)?, schema)?;
        let timestamp = self.write_timestamp().unwrap_or_else(now);
        array::write_delete(&self.vfs, &self.snapshot, &kept, timestamp)?;
        self.status = QueryStatus::Completed;
        Ok(())
    }
}

/// What a delete of these cells keeps, in comparisons that commits can hold.
fn kept(deleted: &Condition, schema: &ArraySchema) -> Result<Condition> {
    let mut problem = None;
    let kept = deleted.negate().map(&mut |leaf| {
        storable(leaf, schema).unwrap_or_else(|error| {
            problem.get_or_insert(error);
            leaf.clone()
        })
    });
    match problem {
        Some(error) => Err(error),
        None => Ok(kept),
    }
}

/// A comparison that a commit can hold: it has no word for null, but all cells that compare at all are those that are not
/// null.
fn storable(leaf: &Comparison, schema: &ArraySchema) -> Result<Comparison> {
    match (leaf.operator, &leaf.operand) {
        (Operator::AlwaysTrue | Operator::AlwaysFalse, _) => Err(Error::usage(
            "TileDB internal",
            "Invalid negation of rewritten query.",
        )),
        (Operator::Ne, Operand::Null) => {
            let field = schema.field(&leaf.field);
            let size = field
                .filter(|field| !field.is_var())
                .map_or(0, |field| field.cell_size());
            let value = vec![0; size as usize];
            let compared = Comparison {
                operand: Operand::Value(value),
                ..leaf.clone()
            };
            let fits = |name: &str| Err(refused(&format!("Enumeration {name} is not wanted")));
            BoundCondition::bind(&Condition::Leaf(compared.clone()), schema, fits)?;
            Ok(Comparison {
                operator: Operator::AlwaysTrue,
                ..compared
            })
        }
        (_, Operand::Null) => Err(refused(&format!(
            "A delete cannot keep only the null cells of '{}'",
            leaf.field
        ))),
        _ => Ok(leaf.clone()),
    }
}
