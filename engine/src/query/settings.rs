//! The settings of a query, which are fixed by its first submit.

use std::sync::Arc;

use super::query::Query;
use super::request::NamedAggregate;
use crate::aggregate::{Aggregate, AggregateOperator};
use crate::condition::Condition;
use crate::config::Config;
use crate::error::{QueryError, Result};
use crate::subarray::Subarray;
use crate::types::{Layout, QueryStatus, QueryType};

impl Query {
    /// Sets the layout. It is an error after the first submit.
    pub fn set_layout(&mut self, layout: Layout) -> Result<()> {
        if layout == self.request.layout {
            return Ok(());
        }
        if self.state.is_initialized() {
            return Err(QueryError::LayoutAfterSubmit.into());
        }
        self.request.check_carries_cells("set layout")?;
        if layout == Layout::Hilbert {
            return Err(QueryError::HilbertLayout.into());
        }
        let ordered = matches!(layout, Layout::RowMajor | Layout::ColMajor);
        if self.request.query_type == QueryType::Write {
            if self.request.is_dense() && layout == Layout::Unordered {
                return Err(QueryError::UnorderedDense.into());
            }
            if !self.request.is_dense() && ordered {
                return Err(QueryError::OrderedSparse.into());
            }
        }
        self.request.layout = layout;
        Ok(())
    }

    /// Sets the subarray. It is an error after the first submit.
    pub fn set_subarray(&mut self, subarray: &Subarray) -> Result<()> {
        if self.request.query_type == QueryType::Write && !self.request.is_dense() {
            return Err(QueryError::SubarrayOfSparseWrite.into());
        }
        if self.request.check_carries_cells("").is_err() {
            return Err(QueryError::SubarrayOfType {
                query: self.request.query_type.name(),
            }
            .into());
        }
        if self.state.is_initialized() {
            return Err(QueryError::SubarrayAfterSubmit.into());
        }
        if !subarray.fits(self.request.schema()) {
            return Err(QueryError::OtherSubarray.into());
        }
        self.request.subarray = subarray.clone();
        self.state.forget_estimates();
        Ok(())
    }

    /// Sets the configuration of this query. It is an error after the first submit.
    pub fn set_config(&mut self, config: &Config) -> Result<()> {
        if self.status() != QueryStatus::Uninitialized {
            return Err(QueryError::ConfigAfterSubmit.into());
        }
        self.request.config.inherit(config);
        self.request.subarray.set_config(config)
    }

    /// Makes the offsets in all buffers the starts of cells ([`Context::config_with_starts`]),
    /// whatever the context is configured to.
    ///
    /// [`Context::config_with_starts`]: crate::context::Context::config_with_starts
    pub(crate) fn use_cell_starts(&mut self) {
        let context = &self.request.vfs.context;
        self.request.config = context.config_with_starts().clone();
    }

    /// Sets the condition that cells must satisfy. It is an error after the first submit.
    pub fn set_condition(&mut self, condition: &Arc<Condition>) -> Result<()> {
        if self.request.query_type == QueryType::Write {
            return Err(QueryError::ConditionOfWrite.into());
        }
        if self.status() != QueryStatus::Uninitialized {
            // Programs compare this message.
            return Err(QueryError::ConditionAfterSubmit.into());
        }
        self.request.condition = Some(condition.clone());
        Ok(())
    }

    /// Creates an operator on a field of the array. It is an error after the first submit.
    pub fn make_aggregate(&self, operator: AggregateOperator, field: &str) -> Result<Aggregate> {
        self.check_not_begun()?;
        self.request.field(field)?;
        Aggregate::new(self.request.schema(), operator, field)
    }

    /// Adds an aggregate and names its result. It is an error after the first submit.
    pub fn add_aggregate(&mut self, name: &str, aggregate: &Aggregate) -> Result<()> {
        self.check_not_begun()?;
        if self.request.aggregate(name).is_some() {
            return Err(QueryError::DuplicateAggregate { name: name.into() }.into());
        }
        self.request.aggregates.push(NamedAggregate {
            name: name.to_owned(),
            aggregate: aggregate.clone(),
        });
        Ok(())
    }

    fn check_not_begun(&self) -> Result<()> {
        match self.status() {
            QueryStatus::Uninitialized => Ok(()),
            _ => Err(QueryError::TooLate.into()),
        }
    }
}
