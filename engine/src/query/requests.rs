//! What is asked of a query beside buffers: a condition, aggregates; and what it tells of its fields.

use std::sync::Arc;

use super::run::Query;
use crate::aggregate::{Aggregate, Operator};
use crate::buffers::QUERY;
use crate::condition::{BoundCondition, Condition};
use crate::error::{Error, Result};
use crate::format::names::TIMESTAMPS;
use crate::schema::{Field, range_text};
use crate::types::{Datatype, NdRange, QueryStatus, QueryType};

/// Where a field of a query comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
#[repr(u8)]
pub enum FieldOrigin {
    Attribute = 0,
    Dimension = 1,
    Aggregate = 2,
}

impl FieldOrigin {
    /// The code in the C API.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// What a query tells of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryField {
    /// The datatype of values.
    pub datatype: Datatype,
    /// Values per cell, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether cells may be null.
    pub nullable: bool,
    /// Where it comes from.
    pub origin: FieldOrigin,
}

impl Query {
    /// Sets the condition that cells must satisfy; before the first submit.
    pub fn set_condition(&mut self, condition: &Arc<Condition>) -> Result<()> {
        let refused = |what: &str| {
            let message = format!("Cannot set query condition; {what}");
            Err(Error::usage(QUERY, message))
        };
        if self.query_type() == QueryType::Write {
            return refused("Operation not applicable to write queries");
        }
        if self.status() != QueryStatus::Uninitialized {
            // Programs know these words as they are.
            return refused(
                "Setting a query condition on an alreadyinitialized query is not supported.",
            );
        }
        self.condition = Some(condition.clone());
        Ok(())
    }

    /// The condition that was set.
    pub fn condition(&self) -> Option<&Arc<Condition>> {
        self.condition.as_ref()
    }

    /// The condition held against the schema of the array; `None` where none was set.
    pub(super) fn bound_condition(&self) -> Result<Option<BoundCondition>> {
        let Some(condition) = &self.condition else {
            return Ok(None);
        };
        let labels = |name: &str| self.snapshot.enumeration(&self.vfs, name);
        BoundCondition::bind(condition, self.schema(), labels).map(Some)
    }

    /// Errors where a range that was set leaves the part of the domain in use.
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
            let parts = parts.map(|(of, range)| range_text(of.datatype, Some(range)));
            let message = format!(
                "A range {} on dimension '{}' was set outside of the current domain [{}].",
                range_text(datatype, Some(range)),
                dimension.name,
                parts.collect::<Vec<_>>().join(",")
            );
            return Err(Error::usage("Query", message));
        }
        Ok(())
    }

    /// Sets the part of the domain in use on dimensions without ranges, where fragments leave it. Not for dense arrays, whose
    /// results have the shape that was asked for.
    pub(super) fn stay_in_current_domain(&mut self) -> Result<()> {
        let snapshot = self.snapshot.clone();
        let schema = &snapshot.schema;
        let Some(current) = schema
            .current_domain
            .as_ref()
            .filter(|_| !schema.is_dense())
        else {
            return Ok(());
        };
        let stays = |domain: &NdRange| {
            let mut ranges = domain.iter().enumerate();
            ranges.all(|(dim, range)| schema.is_current(dim, range))
        };
        let domains = snapshot
            .fragments
            .iter()
            .filter_map(|of| of.non_empty_domain());
        if domains.into_iter().all(stays) {
            return Ok(());
        }
        for (dim, range) in current.iter().enumerate() {
            let at = dim as u32;
            match (self.subarray.is_dimension_set(dim), range.is_var()) {
                (true, _) => {}
                (_, true) => self
                    .subarray
                    .add_range_var(at, range.start(), range.end())?,
                (_, false) => self.subarray.add_range(at, range.start(), range.end())?,
            }
        }
        Ok(())
    }

    /// An operator on a field, as far as it fits the array; before the first submit.
    pub fn make_aggregate(&self, operator: Operator, field: &str) -> Result<Aggregate> {
        self.check_not_begun()?;
        self.field(field)?;
        Aggregate::new(self.schema(), operator, field)
    }

    /// Has an aggregate computed, and names its result; before the first submit.
    pub fn add_aggregate(&mut self, name: &str, aggregate: &Aggregate) -> Result<()> {
        self.check_not_begun()?;
        if self.aggregate(name).is_some() {
            let message =
                format!("An aggregate operation for output field: {name} already exists.");
            return Err(Error::usage("C API", message));
        }
        self.aggregates.push((name.to_owned(), aggregate.clone()));
        Ok(())
    }

    /// The aggregate whose result has a name.
    pub fn aggregate(&self, name: &str) -> Option<&Aggregate> {
        let found = self.aggregates.iter().find(|(known, _)| known == name);
        found.map(|(_, aggregate)| aggregate)
    }

    fn check_not_begun(&self) -> Result<()> {
        match self.status() {
            QueryStatus::Uninitialized => Ok(()),
            _ => Err(Error::usage(
                "C API",
                "argument `query` is at a too late state of its lifetime",
            )),
        }
    }

    /// What a field is: an attribute, a dimension, the times of cells, or the result of an aggregate.
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
        let aggregate = self.aggregate(name).ok_or_else(|| {
            let message = format!("There is no field {name}");
            Error::usage("C API", message)
        })?;
        let shape = aggregate.result_shape();
        Ok(QueryField {
            datatype: shape.datatype,
            cell_val_num: shape.cell_val_num,
            nullable: shape.nullable,
            origin: FieldOrigin::Aggregate,
        })
    }
}
