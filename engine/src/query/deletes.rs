//! Delete queries: a commit file with a condition removes cells of a sparse array.

use std::sync::Arc;

use super::query::Query;
use crate::array;
use crate::condition::{
    BoundCondition, Combination, Comparison, Condition, Operand, Operator, without_labels,
};
use crate::error::{DeleteError, QueryError, Result};
use crate::schema::ArraySchema;
use crate::stats::{Moment, Timer};
use crate::types::condition::MAX_LEVELS;
use crate::types::{QueryStatus, QueryType, unique_timestamp};

impl Query {
    /// Deletes the cells that satisfy the condition, with the timestamp that the array was opened
    /// at or the current time. Each call commits a delete. It is an error if the array is dense or
    /// if the condition is missing or does not match the schema.
    pub fn delete(&mut self) -> Result<()> {
        self.check_open()?;
        if self.query_type != QueryType::Delete {
            let name = self.query_type.name();
            return Err(QueryError::NotADelete { query: name }.into());
        }
        let condition = self.deleted_cells()?;
        if !self.aggregates().is_empty() {
            return Err(DeleteError::WithAggregates.into());
        }
        let begun = Moment::now();
        self.status = QueryStatus::Failed;
        let committed = self.commit_delete(&condition);
        self.metrics.stats.time(Timer::Work, begun);
        committed?;
        self.status = QueryStatus::Completed;
        Ok(())
    }

    /// Returns the condition of the cells to delete. It is an error if the array is dense or if the
    /// condition is missing.
    pub(super) fn deleted_cells(&self) -> Result<Arc<Condition>> {
        if self.is_dense() {
            return Err(DeleteError::DenseArray.into());
        }
        let condition = self.settings.condition.clone();
        condition.ok_or_else(|| DeleteError::NoCondition.into())
    }

    fn commit_delete(&self, condition: &Condition) -> Result<()> {
        self.bound_condition()?;
        let schema = self.schema();
        let labels = |name: &str| self.snapshot.enumeration(&self.vfs, name);
        let kept = kept(&without_labels(condition, schema, labels)?, schema)?;
        let moment = || unique_timestamp(self.snapshot.uri.as_str());
        let timestamp = self.write_timestamp().unwrap_or_else(moment);
        array::write_delete(&self.vfs, &self.snapshot, &kept, timestamp)
    }
}

/// Returns the condition of the remaining cells, in comparisons that the file format can express.
fn kept(deleted: &Condition, schema: &ArraySchema) -> Result<Condition> {
    let mut problem = None;
    let kept = deleted.negate().map(&mut |leaf| {
        storable(leaf, schema).unwrap_or_else(|error| {
            problem.get_or_insert(error);
            Condition::Leaf(leaf.clone())
        })
    });
    match problem {
        Some(error) => Err(error),
        None if kept.levels() > MAX_LEVELS => {
            Err(DeleteError::TooDeep { levels: MAX_LEVELS }.into())
        }
        None => Ok(kept),
    }
}

/// Returns a comparison that the file format can express: it has no null values, and readers reject
/// sets without bytes.
fn storable(leaf: &Comparison, schema: &ArraySchema) -> Result<Condition> {
    match (leaf.operator, &leaf.operand) {
        (Operator::AlwaysTrue | Operator::AlwaysFalse, _) => Err(DeleteError::Constant.into()),
        (Operator::Ne, Operand::Null) => not_null(leaf, schema),
        (_, Operand::Null) => Err(DeleteError::OnlyNull {
            name: leaf.field.clone(),
        }
        .into()),
        (operator, Operand::Set { data, offsets }) if data.is_empty() => {
            let operator = match (offsets.is_empty(), operator) {
                (true, Operator::In) => Operator::AlwaysFalse,
                (true, _) => return not_null(leaf, schema),
                (false, Operator::In) => Operator::Eq,
                (false, _) => Operator::Ne,
            };
            Ok(Condition::Leaf(compared(leaf, operator, Vec::new())))
        }
        _ => Ok(Condition::Leaf(leaf.clone())),
    }
}

/// Returns a condition that all cells of a field satisfy that are not null: equal or not equal to a
/// value.
fn not_null(leaf: &Comparison, schema: &ArraySchema) -> Result<Condition> {
    let field = schema.field(&leaf.field).filter(|field| !field.is_var());
    let value = vec![0; field.map_or(0, |field| field.cell_size()) as usize];
    let either = [Operator::Eq, Operator::Ne];
    let either = either.map(|operator| Condition::Leaf(compared(leaf, operator, value.clone())));
    let labels = |name: &str| Err(DeleteError::UnusedEnumeration { name: name.into() }.into());
    BoundCondition::bind(&either[0], schema, labels)?;
    Ok(Condition::combined(
        Combination::Or,
        either.into_iter().map(Arc::new),
    ))
}

fn compared(leaf: &Comparison, operator: Operator, value: Vec<u8>) -> Comparison {
    Comparison {
        operator,
        operand: Operand::Value(value),
        ..leaf.clone()
    }
}
