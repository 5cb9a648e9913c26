//! Conditions and aggregates of queries, and information about fields.

use std::sync::Arc;

use super::run::Query;
use crate::aggregate::{Aggregate, AggregateOperator};
use crate::condition::{BoundCondition, Condition};
use crate::error::{Error, QueryError, Result};
use crate::format::names::TIMESTAMPS;
use crate::schema::{Field, range_text};
use crate::subarray::Subarray;
use crate::types::{Datatype, NdRange, QueryStatus, QueryType};

/// The origin of a field of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
#[repr(u8)]
pub enum FieldOrigin {
    Attribute = 0,
    Dimension = 1,
    Aggregate = 2,
}

impl FieldOrigin {
    /// Returns the code in the C API.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// Information about a field of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryField {
    /// The datatype of the values.
    pub datatype: Datatype,
    /// The number of values per cell, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether cells may be null.
    pub nullable: bool,
    /// The origin.
    pub origin: FieldOrigin,
}

impl Query {
    /// Sets the condition that cells must satisfy. It is an error after the first submit.
    pub fn set_condition(&mut self, condition: &Arc<Condition>) -> Result<()> {
        if self.query_type() == QueryType::Write {
            return Err(QueryError::ConditionOfWrite.into());
        }
        if self.status() != QueryStatus::Uninitialized {
            // Programs compare this message.
            return Err(QueryError::ConditionAfterSubmit.into());
        }
        self.condition = Some(condition.clone());
        Ok(())
    }

    /// Returns the condition that was set.
    pub fn condition(&self) -> Option<&Arc<Condition>> {
        self.condition.as_ref()
    }

    /// Returns the condition bound to the schema of the array, or `None` if none was set.
    pub(super) fn bound_condition(&self) -> Result<Option<BoundCondition>> {
        let Some(condition) = &self.condition else {
            return Ok(None);
        };
        let labels = |name: &str| self.snapshot.enumeration(&self.vfs, name);
        BoundCondition::bind(condition, self.schema(), labels).map(Some)
    }

    /// Returns an error if a range that was set is not inside the current domain.
    pub(super) fn check_current_domain(&self) -> Result<()> {
        let schema = self.schema();
        let Some(current) = &schema.current_domain else {
            return Ok(());
        };
        for (dim, dimension) in schema.domain.dimensions.iter().enumerate() {
            let datatype = dimension.datatype;
            let set = self.subarray().is_dimension_set(dim);
            let mut ranges = self.subarray().ranges(dim).iter().filter(|_| set);
            let Some(range) = ranges.find(|range| !schema.is_current(dim, range)) else {
                continue;
            };
            let dimensions = schema.domain.dimensions.iter();
            let parts = dimensions.zip(current);
            let parts = parts.map(|(dimension, range)| range_text(dimension.datatype, Some(range)));
            return Err(QueryError::OutsideCurrentDomain {
                range: range_text(datatype, Some(range)),
                dimension: dimension.name.clone(),
                current: parts.collect::<Vec<_>>().join(","),
            }
            .into());
        }
        Ok(())
    }

    /// Restricts dimensions without ranges to the current domain if fragments exceed it.
    pub(super) fn stay_in_current_domain(&mut self) -> Result<()> {
        if let Some(restricted) = self.in_current_domain(&self.subarray)? {
            self.subarray = restricted;
        }
        Ok(())
    }

    /// Returns a subarray whose dimensions without ranges are restricted to the current domain, or
    /// `None` if no fragment exceeds it. Dense arrays are not restricted, because their results
    /// have the shape of the requested ranges.
    pub(super) fn in_current_domain(&self, subarray: &Subarray) -> Result<Option<Subarray>> {
        let schema = self.schema();
        let Some(current) = schema
            .current_domain
            .as_ref()
            .filter(|_| !schema.is_dense())
        else {
            return Ok(None);
        };
        let stays = |domain: &NdRange| {
            let mut ranges = domain.iter().enumerate();
            ranges.all(|(dim, range)| schema.is_current(dim, range))
        };
        let fragments = self.snapshot.fragments.iter();
        let mut domains = fragments.filter_map(|fragment| fragment.non_empty_domain());
        if domains.all(stays) {
            return Ok(None);
        }
        let mut restricted = subarray.clone();
        for (dim, range) in current.iter().enumerate() {
            let dim_index = dim as u32;
            match (subarray.is_dimension_set(dim), range.is_var()) {
                (true, _) => {}
                (_, true) => restricted.add_range_var(dim_index, range.start(), range.end())?,
                (_, false) => restricted.add_range(dim_index, range.start(), range.end())?,
            }
        }
        Ok(Some(restricted))
    }

    /// Creates an operator on a field of the array. It is an error after the first submit.
    pub fn make_aggregate(&self, operator: AggregateOperator, field: &str) -> Result<Aggregate> {
        self.check_not_begun()?;
        self.field(field)?;
        Aggregate::new(self.schema(), operator, field)
    }

    /// Adds an aggregate and names its result. It is an error after the first submit.
    pub fn add_aggregate(&mut self, name: &str, aggregate: &Aggregate) -> Result<()> {
        self.check_not_begun()?;
        if self.aggregate(name).is_some() {
            return Err(QueryError::DuplicateAggregate { name: name.into() }.into());
        }
        self.aggregates.push((name.to_owned(), aggregate.clone()));
        Ok(())
    }

    /// Returns the aggregate with a name.
    pub fn aggregate(&self, name: &str) -> Option<&Aggregate> {
        let found = self.aggregates.iter().find(|(known, _)| known == name);
        found.map(|(_, aggregate)| aggregate)
    }

    fn check_not_begun(&self) -> Result<()> {
        match self.status() {
            QueryStatus::Uninitialized => Ok(()),
            _ => Err(QueryError::TooLate.into()),
        }
    }

    /// Returns information about a field: an attribute, a dimension, the timestamps, or an
    /// aggregate.
    pub fn field(&self, name: &str) -> Result<QueryField> {
        if name == TIMESTAMPS {
            return Ok(QueryField {
                datatype: Datatype::Uint64,
                cell_val_num: 1,
                nullable: false,
                origin: FieldOrigin::Attribute,
            });
        }
        if let Some(field) = self.schema().field(name) {
            let (origin, cell_val_num) = match field {
                Field::Attribute(..) => (FieldOrigin::Attribute, field.cell_val_num()),
                Field::Dimension(..) => (FieldOrigin::Dimension, field.cell_val_num()),
                Field::Coords(_) => (FieldOrigin::Dimension, 1),
            };
            return Ok(QueryField {
                datatype: field.datatype(),
                cell_val_num,
                nullable: field.is_nullable(),
                origin,
            });
        }
        let aggregate = self
            .aggregate(name)
            .ok_or_else(|| Error::from(QueryError::UnknownField { name: name.into() }))?;
        let shape = aggregate.result_shape();
        Ok(QueryField {
            datatype: shape.datatype,
            cell_val_num: shape.cell_val_num,
            nullable: shape.nullable,
            origin: FieldOrigin::Aggregate,
        })
    }
}
