//! Aggregates that a read computes.

use std::fmt;

use super::batches::{Batches, FieldStore};
use super::field_values::FieldValues;
use super::read_query::ReadQuery;
use crate::aggregate::{Aggregate as BoundAggregate, AggregateOperator};
use crate::buffers::FieldForm;
use crate::error::{ApiError, Result};
use crate::query::Query;
use crate::types::Layout;

/// An aggregate of the cells that a read selects, for [`ReadQuery::aggregate`].
///
/// `Sum` and `Mean` accept numbers, datetimes and times; `Min` and `Max` also strings of
/// `STRING_ASCII`; `NullCount` nullable fields. Numbers need one value per cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Aggregate {
    operator: AggregateOperator,
    field: String,
}

impl Aggregate {
    /// Creates an aggregate of a field with an operator. `Count` ignores the field.
    pub fn new(operator: AggregateOperator, field: impl Into<String>) -> Self {
        let field = field.into();
        Self { operator, field }
    }

    /// Returns the number of cells.
    pub fn count() -> Self {
        Self::new(AggregateOperator::Count, "")
    }

    /// Returns the sum of the values of a field.
    pub fn sum(field: impl Into<String>) -> Self {
        Self::new(AggregateOperator::Sum, field)
    }

    /// Returns the mean of the values of a field.
    pub fn mean(field: impl Into<String>) -> Self {
        Self::new(AggregateOperator::Mean, field)
    }

    /// Returns the least value of a field.
    pub fn min(field: impl Into<String>) -> Self {
        Self::new(AggregateOperator::Min, field)
    }

    /// Returns the greatest value of a field.
    pub fn max(field: impl Into<String>) -> Self {
        Self::new(AggregateOperator::Max, field)
    }

    /// Returns the number of cells that are null in a field.
    pub fn null_count(field: impl Into<String>) -> Self {
        Self::new(AggregateOperator::NullCount, field)
    }

    /// Returns the operator.
    pub fn operator(&self) -> AggregateOperator {
        self.operator
    }

    /// Returns the name of the field; empty for the number of cells.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Adds the aggregate to a query; returns the form of its result.
    fn add_to(&self, query: &mut Query, name: String) -> Result<FieldForm> {
        let bound = match self.operator {
            AggregateOperator::Count => BoundAggregate::COUNT,
            _ => query.make_aggregate(self.operator, &self.field)?,
        };
        query.add_aggregate(&name, &bound)?;
        Ok(FieldForm {
            name,
            cells: bound.result_type(),
            enumeration: None,
        })
    }
}

impl fmt::Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.operator.name(), self.field)
    }
}

impl<T: Into<String>> From<(AggregateOperator, T)> for Aggregate {
    fn from((operator, field): (AggregateOperator, T)) -> Self {
        Self::new(operator, field)
    }
}

impl ReadQuery {
    /// Returns the number of cells that the read delivers. No cells are read if tile statistics
    /// suffice.
    ///
    /// In sparse arrays these are the cells that the ranges and the condition select. A read of a
    /// dense array delivers every cell of its ranges, with fill values for those that are not
    /// written or do not satisfy the condition, so all of them are counted, while other aggregates
    /// are those of the written cells that satisfy it.
    ///
    /// # Errors
    ///
    /// If names or values do not fit the schema of the array, or storage fails.
    pub fn count(&self) -> Result<u64> {
        let results = self.aggregate(&[Aggregate::count()])?;
        results.first().ok_or(ApiError::NoCells)?.value(0)
    }

    /// Computes aggregates of fields, in one pass over the selected cells. The result has a single
    /// value for each; it is null if no cell has a value. What
    /// [`Aggregate::count`] counts in dense arrays is described at [`Self::count`].
    /// Tile statistics are used if they suffice.
    ///
    /// ```
    /// # use tiledb_engine::{Aggregate, Array, ArrayType, Context, Datatype, Result, Schema};
    /// # fn main() -> Result<()> {
    /// # let (context, uri) = (Context::new()?, "mem://sales");
    /// # let schema = Schema::builder(ArrayType::Sparse)
    /// #     .dimension("day", Datatype::Int32, 1..=365, 30)
    /// #     .attribute("amount", Datatype::Int64)
    /// #     .build()?;
    /// # Array::create(&context, uri, &schema)?;
    /// # let mut array = Array::open(&context, uri)?;
    /// # array.write().column("day", [1, 2, 3]).column("amount", [5, 7, 9]).submit()?;
    /// # array.reopen()?;
    /// let query = array.query().range("day", 1..=2);
    /// let results = query.aggregate(&[Aggregate::sum("amount"), Aggregate::max("amount")])?;
    /// assert_eq!(results[0].value::<i64>(0)?, 12);
    /// assert_eq!(results[1].value::<i64>(0)?, 7);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If a field does not exist or its datatype does not support the operator, names or values do
    /// not fit the schema of the array, or storage fails.
    pub fn aggregate<A>(&self, aggregates: &[A]) -> Result<Vec<FieldValues>>
    where
        A: Clone + Into<Aggregate>,
    {
        let mut query = self.query()?;
        if self.layout.is_none() && !query.request().schema().is_dense() {
            query.set_layout(Layout::Unordered)?;
        }
        let mut buffers = Vec::new();
        for (index, aggregate) in aggregates.iter().enumerate() {
            let aggregate: Aggregate = aggregate.clone().into();
            let form = aggregate.add_to(&mut query, format!("{aggregate} {index}"))?;
            buffers.push(FieldStore::single(form)?);
        }
        if buffers.is_empty() {
            return Ok(Vec::new());
        }
        let mut batches = Batches {
            query,
            buffers,
            done: false,
        };
        let result = batches.next().transpose()?.unwrap_or_default();
        Ok(result.fields)
    }
}
