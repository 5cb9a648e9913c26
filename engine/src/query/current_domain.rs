//! Ranges of a query and the current domain of its array.

use super::query::Query;
use crate::error::{QueryError, Result};
use crate::schema::range_text;
use crate::subarray::Subarray;
use crate::types::NdRange;

impl Query {
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
        if let Some(restricted) = self.in_current_domain(self.subarray())? {
            self.settings.subarray = restricted;
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
}
