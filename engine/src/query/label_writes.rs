//! Writes of label values to the arrays of the labels.
//!
//! Label values are written before the cells but committed after them, so that they are visible
//! only with their cells.

use std::sync::Arc;

use super::fields;
use super::labels::in_label;
use super::query::Query;
use crate::array::Snapshot;
use crate::buffers::{FieldCells, OffsetsForm};
use crate::error::{QueryLabelError, Result};
use crate::fragment::FragmentWriter;
use crate::geometry::Order;
use crate::schema::COORDS;
use crate::subarray::Subarray;
use crate::types::{NdRange, QueryStatus, QueryType, Timestamp, unique_timestamp};
use crate::write::{BoxWrite, check_float_scaling};

impl Query {
    /// Writes cells and label values.
    pub(super) fn write_with_labels(&mut self, cells: &[FieldCells<'_>]) -> Result<()> {
        self.check_open()?;
        let (labels, rest): (Vec<&FieldCells<'_>>, Vec<&FieldCells<'_>>) =
            cells.iter().partition(|field| self.is_label(field.name));
        let rest: Vec<FieldCells<'_>> = rest.into_iter().copied().collect();
        let only = match &rest[..] {
            [] => true,
            [one] => self.schema().dimension(one.name).is_some() && one.name != COORDS,
            _ => false,
        };
        if !self.is_dense() {
            self.check_coordinates_set(&rest)?;
            if !only {
                self.check_names(&rest)?;
            }
        }
        self.check_label_query()?;
        if labels.is_empty() {
            self.settings.subarray = self.resolved()?;
        } else if self.subarray().label_ranges().next().is_some() {
            return Err(QueryLabelError::BufferAndRange.into());
        }
        let moment = || unique_timestamp(self.snapshot.uri.as_str());
        let timestamp = self.write_timestamp().unwrap_or_else(moment);
        let form = self.written_form()?;
        let mut targets = Vec::with_capacity(labels.len());
        for values in labels {
            let target = self.label_target(values.name, &rest);
            let target = target
                .map_err(|error| in_label("initialize the data query for", values.name, error))?;
            targets.push((values, target));
        }
        let mut written = Vec::with_capacity(targets.len());
        let before = std::mem::replace(&mut self.status, QueryStatus::InProgress);
        for (values, target) in &targets {
            let writer = target.write(self, values, form, timestamp);
            written.push(
                writer.map_err(|error| in_label("process data query for", values.name, error))?,
            );
        }
        // Errors about cells take precedence over errors about labels.
        self.status = before;
        if !only {
            self.write_cells(&rest)?;
        }
        self.status = QueryStatus::InProgress;
        // The cells are committed: a cancellation no longer applies to their labels.
        let vfs = self.vfs.clone();
        let _end = vfs.context().uncancellable();
        for writer in written {
            writer.finish()?;
        }
        self.status = QueryStatus::Completed;
        Ok(())
    }

    /// Returns the target of the values of a label that are written with the cells `rest`.
    fn label_target(&self, name: &str, rest: &[FieldCells<'_>]) -> Result<LabelTarget> {
        let label = self.label(name)?;
        let snapshot = self.open_label(label, QueryType::Write)?.snapshot()?;
        let dimension = &self.schema().domain.dimensions[label.dimension as usize];
        let points = rest.iter().find(|field| field.name == dimension.name);
        let (indexes, why) = match points.and_then(|field| field.data) {
            Some(points) => {
                let mut indexes = Subarray::new(&snapshot.schema);
                indexes.add_points(0, points)?;
                let why = QueryLabelError::NotConsecutive;
                (indexes, why)
            }
            None => {
                let indexes = self.indexes_of(label, self.subarray(), &snapshot.schema)?;
                let indexes = indexes.unwrap_or_else(|| Subarray::new(&snapshot.schema));
                let why = QueryLabelError::NotOneRange;
                (indexes, why)
            }
        };
        Ok(LabelTarget {
            attribute: label.attribute.clone(),
            ranges: indexes.single().ok_or(why)?,
            snapshot,
        })
    }
}

/// The target of label values.
struct LabelTarget {
    attribute: String,
    ranges: NdRange,
    snapshot: Arc<Snapshot>,
}

impl LabelTarget {
    /// Writes the values, which become visible when the fragment is finished.
    fn write(
        &self,
        query: &Query,
        values: &FieldCells<'_>,
        form: OffsetsForm,
        timestamp: Timestamp,
    ) -> Result<FragmentWriter> {
        let Snapshot {
            uri, schema, key, ..
        } = &*self.snapshot;
        let values = FieldCells {
            name: &self.attribute,
            ..*values
        };
        fields::check_complete(schema, values.name, values.given())?;
        check_float_scaling(query.config(), schema, &[values], form)?;
        let box_write = BoxWrite {
            schema,
            ranges: &self.ranges,
            order: Order::RowMajor,
            key: key.as_ref(),
        };
        let vfs = &query.vfs;
        box_write.write(vfs, &[values], form, || {
            FragmentWriter::create(vfs, uri, schema, true, Some(timestamp), key.as_ref())
                .map(FragmentWriter::in_open_array)
        })
    }
}
