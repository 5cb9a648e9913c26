//! The sizes of buffers that the next cells of a read need.

use super::fields;
use super::query::{CellRead, Query, ReadWork};
use super::request::QueryRequest;
use crate::aggregate::Aggregate;
use crate::buffers::{FieldSizes, NeededSizes};
use crate::error::{EstimateError, QueryBufferError, Result};
use crate::types::{QueryStatus, QueryType};

/// Nothing, exactly.
const NONE: NeededSizes = NeededSizes {
    sizes: FieldSizes {
        data: 0,
        offsets: 0,
        validity: 0,
    },
    cells: 0,
    is_exact: true,
};

impl Query {
    /// Returns the sizes of the buffers of some fields that the next `cells` cells need, or all
    /// remaining cells if they are fewer. The fields are attributes, dimensions, dimension labels,
    /// or results of aggregates, which are one cell.
    ///
    /// Before the first submit the read is planned for these fields, without starting the query.
    /// For few cells the offsets of tiles are read; otherwise only metadata.
    ///
    /// # Errors
    /// If a field does not exist, or if a submit would fail.
    pub fn needed_sizes(&self, names: &[&str], cells: u64) -> Result<Vec<NeededSizes>> {
        if self.request.query_type != QueryType::Read {
            return Err(EstimateError::NotARead.into());
        }
        self.check_open()?;
        for name in names {
            let is_known = self.request.aggregate(name).is_some()
                || fields::shape_of(self.request.schema(), name).is_some();
            if !is_known {
                return Err(EstimateError::Unknown {
                    name: (*name).to_owned(),
                }
                .into());
            }
        }
        if self.status() == QueryStatus::Completed {
            return Ok(vec![NONE; names.len()]);
        }
        let mut of_cells = self.needed_by_cells(names, cells)?.into_iter();
        names
            .iter()
            .map(|name| {
                if let Some(aggregate) = self.request.aggregate(name) {
                    self.request.needed_by_aggregate(aggregate)
                } else if self.request.schema().label(name).is_some() {
                    self.needed_by_label(name, cells)
                } else {
                    Ok(of_cells.next().unwrap_or(NONE))
                }
            })
            .collect()
    }

    /// Returns the sizes for the fields that are neither labels nor aggregates.
    fn needed_by_cells(&self, names: &[&str], cells: u64) -> Result<Vec<NeededSizes>> {
        let names: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| {
                self.request.aggregate(name).is_none()
                    && self.request.schema().label(name).is_none()
            })
            .collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let context = &self.request.vfs.context;
        let Some(CellRead::Open { names: known, read }) = self.state.cells() else {
            let mut read = self.request.planned(&names)?;
            if let Some(CellRead::Interrupted { cells: 1.., .. }) = self.state.cells() {
                read.seek(context, self.state.delivered_cells())?;
            }
            return read.needed_sizes(context, cells);
        };
        let all = read.needed_sizes(context, cells)?;
        names
            .iter()
            .map(|name| {
                let index = known.iter().position(|known| known == name);
                let found = index.and_then(|index| all.get(index).copied());
                found.ok_or_else(|| {
                    QueryBufferError::FieldAfterSubmit {
                        name: (*name).to_owned(),
                    }
                    .into()
                })
            })
            .collect()
    }

    fn needed_by_label(&self, name: &str, cells: u64) -> Result<NeededSizes> {
        let labels = self.state.labels();
        let begun = labels.and_then(|labels| labels.reads.iter().find(|read| read.name == name));
        if let Some(read) = begun.filter(|read| read.query.status() != QueryStatus::Completed) {
            let needed = read.query.needed_sizes(&[&read.attribute], cells)?;
            return Ok(needed.first().copied().unwrap_or(NONE));
        }
        // Values that were delivered are delivered again until the cells are complete.
        let read = self
            .request
            .begin_label(name, &self.request.resolved_subarray()?)?;
        let needed = read.query.needed_sizes(&[&read.attribute], cells)?;
        Ok(needed.first().copied().unwrap_or(NONE))
    }
}

impl QueryRequest {
    /// Plans the delivery of fields as the first submit would.
    pub(super) fn planned(&self, names: &[&str]) -> Result<ReadWork> {
        if self.uses_labels(names.iter().copied()) {
            self.check_label_query()?;
        }
        self.check_current_domain()?;
        let mut subarray = self.resolved_subarray()?;
        if let Some(restricted) = self.in_current_domain(&subarray)? {
            subarray = restricted;
        }
        self.check_plan(&subarray, names)?;
        self.reading(&subarray, names, self.bound_condition()?)
    }

    /// Returns the sizes for the result of an aggregate. The size of the least or greatest string
    /// is not known; it is at most that of the values of the largest tile.
    fn needed_by_aggregate(&self, aggregate: &Aggregate) -> Result<NeededSizes> {
        let shape = aggregate.result_type();
        let mut sizes = FieldSizes {
            data: shape.datatype.size() as u64,
            offsets: 0,
            validity: u64::from(shape.nullable),
        };
        let is_var = shape.is_var();
        if let Some(field) = aggregate.field().filter(|_| aggregate.is_min_or_max()) {
            sizes.data = field.cells.cell_size() as u64;
            if is_var {
                sizes.data = self.planned(&[&field.name])?.largest_value(0)?;
                sizes.offsets = size_of::<u64>() as u64;
            }
        }
        Ok(NeededSizes {
            sizes,
            cells: 1,
            is_exact: !is_var,
        })
    }
}
