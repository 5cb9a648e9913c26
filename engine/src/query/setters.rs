//! Setters and getters of the settings of a query.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::query::Query;
use super::settings::NamedAggregate;
use super::work::{Work, WriteWork};
use crate::aggregate::{Aggregate, AggregateOperator};
use crate::condition::{BoundCondition, Condition};
use crate::config::Config;
use crate::error::{QueryError, Result};
use crate::subarray::Subarray;
use crate::types::{Layout, QueryStatus, QueryType};

impl Query {
    /// Returns the layout.
    pub fn layout(&self) -> Layout {
        self.settings.layout
    }

    /// Sets the layout. It is an error after the first submit.
    pub fn set_layout(&mut self, layout: Layout) -> Result<()> {
        if layout == self.settings.layout {
            return Ok(());
        }
        if self.is_initialized() {
            return Err(QueryError::LayoutAfterSubmit.into());
        }
        self.check_carries_cells("set layout")?;
        if layout == Layout::Hilbert {
            return Err(QueryError::HilbertLayout.into());
        }
        let ordered = matches!(layout, Layout::RowMajor | Layout::ColMajor);
        if self.query_type == QueryType::Write {
            if self.is_dense() && layout == Layout::Unordered {
                return Err(QueryError::UnorderedDense.into());
            }
            if !self.is_dense() && ordered {
                return Err(QueryError::OrderedSparse.into());
            }
        }
        self.settings.layout = layout;
        Ok(())
    }

    /// Returns the subarray.
    pub fn subarray(&self) -> &Subarray {
        &self.settings.subarray
    }

    /// Sets the subarray. It is an error after the first submit.
    pub fn set_subarray(&mut self, subarray: &Subarray) -> Result<()> {
        if self.query_type == QueryType::Write && !self.is_dense() {
            return Err(QueryError::SubarrayOfSparseWrite.into());
        }
        if self.check_carries_cells("").is_err() {
            return Err(QueryError::SubarrayOfType {
                query: self.query_type.name(),
            }
            .into());
        }
        if self.is_initialized() {
            return Err(QueryError::SubarrayAfterSubmit.into());
        }
        if !subarray.fits(self.schema()) {
            return Err(QueryError::OtherSubarray.into());
        }
        self.settings.subarray = subarray.clone();
        self.received.estimates = None;
        self.has_estimate.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.settings.config
    }

    /// Sets the configuration of this query. It is an error after the first submit.
    pub fn set_config(&mut self, config: &Config) -> Result<()> {
        if self.status != QueryStatus::Uninitialized {
            return Err(QueryError::ConfigAfterSubmit.into());
        }
        self.settings.config.inherit(config);
        self.settings.subarray.set_config(config)
    }

    /// Sets the condition that cells must satisfy. It is an error after the first submit.
    pub fn set_condition(&mut self, condition: &Arc<Condition>) -> Result<()> {
        if self.query_type() == QueryType::Write {
            return Err(QueryError::ConditionOfWrite.into());
        }
        if self.status() != QueryStatus::Uninitialized {
            // Programs compare this message.
            return Err(QueryError::ConditionAfterSubmit.into());
        }
        self.settings.condition = Some(condition.clone());
        Ok(())
    }

    /// Returns the condition that was set.
    pub fn condition(&self) -> Option<&Arc<Condition>> {
        self.settings.condition.as_ref()
    }

    /// Returns the condition bound to the schema of the array, or `None` if none was set.
    pub(super) fn bound_condition(&self) -> Result<Option<BoundCondition>> {
        let Some(condition) = &self.settings.condition else {
            return Ok(None);
        };
        let labels = |name: &str| self.snapshot.enumeration(&self.vfs, name);
        BoundCondition::bind(condition, self.schema(), labels).map(Some)
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
        self.settings.aggregates.push(NamedAggregate {
            name: name.to_owned(),
            aggregate: aggregate.clone(),
        });
        Ok(())
    }

    /// Returns the aggregate with a name.
    pub fn aggregate(&self, name: &str) -> Option<&Aggregate> {
        let found = self
            .settings
            .aggregates
            .iter()
            .find(|named| named.name == name);
        found.map(|named| &named.aggregate)
    }

    /// Forgets the buffers. A read or a write in global order that was submitted cannot continue
    /// then; a write without a commit is discarded. The status stays.
    pub fn unset_buffers(&mut self) {
        let continues = match &self.work {
            Work::Read { .. } | Work::Interrupted { .. } => true,
            Work::Write(WriteWork::Global(_) | WriteWork::SparseGlobal(_)) => true,
            Work::Write(WriteWork::Unordered(_)) | Work::Nothing | Work::Unset => false,
        };
        if continues || self.labels.take().is_some() {
            self.work = Work::Unset;
        }
    }

    fn check_not_begun(&self) -> Result<()> {
        match self.status() {
            QueryStatus::Uninitialized => Ok(()),
            _ => Err(QueryError::TooLate.into()),
        }
    }

    /// Returns the aggregates in the order in which they were added.
    pub fn aggregates(&self) -> &[NamedAggregate] {
        &self.settings.aggregates
    }
}
