//! Dimension labels in queries: label ranges are converted to ranges of indexes, and label values
//! are read from the arrays of the labels and written to them.
//!
//! Label values are written before the cells but committed after them, so that they are visible
//! only with their cells.
//!
//! A query that fails while it processes labels remains in progress, as in libtiledb, and can be
//! submitted again.

use std::sync::Arc;

use super::fields;
use super::query::{LabelRead, LabelReads, Query};
use super::request::QueryRequest;
use crate::array::{Array, Snapshot, open_label};
use crate::buffers::{FieldBuffers, FieldCells, FieldSizes, OffsetsForm};
use crate::error::{Cause, Error, QueryError, QueryLabelError, Result};
use crate::fragment::FragmentWriter;
use crate::geometry::Order;
use crate::read::label_indexes;
use crate::schema::{ArraySchema, COORDS, DimensionLabel};
use crate::subarray::Subarray;
use crate::types::{Layout, NdRange, QueryStatus, QueryType, Range, Timestamp, unique_timestamp};
use crate::write::{BoxWrite, check_float_scaling};

/// Adds the operation on a label to an error.
pub(super) fn in_label(action: &'static str, name: &str, error: Error) -> Error {
    let failed = |cause| {
        let label = name.to_owned();
        Error::from(QueryLabelError::Failed {
            action,
            label,
            cause,
        })
    };
    match error.cause() {
        Cause::Budget(_) => failed(error),
        _ if error.is_usage() => failed(error),
        _ => error,
    }
}

impl LabelReads {
    /// Returns the number of delivered values of each label of the schema; 0 for a label that is
    /// not read or whose values are delivered again. Empty without labels.
    pub(super) fn positions(&self, schema: &ArraySchema) -> Vec<u64> {
        if self.reads.is_empty() {
            return Vec::new();
        }
        let position = |label: &DimensionLabel| {
            let read = self.reads.iter().find(|read| read.name == label.name)?;
            let is_incomplete = read.query.status() == QueryStatus::Incomplete;
            read.query.position().filter(|_| is_incomplete)
        };
        schema
            .labels
            .iter()
            .map(|label| position(label).unwrap_or_default().cells)
            .collect()
    }
}

impl LabelRead {
    /// Returns the number of values that successful submits have delivered; 0 if the values are
    /// delivered again.
    fn delivered_values(&self) -> u64 {
        match self.query.status() {
            QueryStatus::Completed => 0,
            _ => self.query.state.delivered_cells(),
        }
    }

    /// Continues after the first `values` values, which is where the read was before a submit that
    /// failed.
    fn interrupt_after(&mut self, values: u64) {
        if self.query.state.has_begun() || values > 0 {
            self.query.state.interrupt_after(values);
            self.query.state.end_submit(false);
        }
    }

    /// Reads as much as fits into the buffers of the label.
    fn read(&mut self, buffers: &mut FieldBuffers<'_>) -> Result<FieldSizes> {
        if self.query.status() == QueryStatus::Completed {
            // Other parts of the read are not complete: the values are delivered again with each
            // submit.
            self.query.state.start_over();
        }
        let mut buffers = buffers.reborrow();
        buffers.name = &self.attribute;
        let sizes = self.query.read(&mut [buffers])?;
        Ok(sizes.first().copied().unwrap_or_default())
    }
}

impl Query {
    /// Returns the subarray with label ranges converted to ranges of indexes. This starts the
    /// query.
    pub(super) fn resolved(&mut self) -> Result<Subarray> {
        if !self.request.subarray.awaits_labels() {
            return Ok(self.request.subarray.clone());
        }
        let opened = self.request.open_label_ranges()?;
        self.state.proceed();
        self.request.resolve_labels(&opened)
    }

    /// Reads cells and label values, as much as fits into the buffers. Returns the sizes in the
    /// order of the buffers.
    pub(super) fn read_with_labels(
        &mut self,
        buffers: &mut [FieldBuffers<'_>],
    ) -> Result<Vec<FieldSizes>> {
        let is_label: Vec<bool> = buffers
            .iter()
            .map(|field| self.request.is_label(field.name))
            .collect();
        if self.status() == QueryStatus::Completed {
            return Ok(Vec::new());
        }
        let mut labels = match self.state.take_labels() {
            Some(labels) => labels,
            None => self.begin_labels(buffers, &is_label)?,
        };
        self.state.proceed();
        let cells = self.state.delivered_cells();
        let values: Vec<u64> = labels
            .reads
            .iter()
            .map(LabelRead::delivered_values)
            .collect();
        let read = self.read_parts(&mut labels, buffers, &is_label);
        if read.is_err() {
            // A part that was read before the error is not delivered either.
            self.state.interrupt_after(cells);
            self.state.proceed();
            self.state.set_has_results(false);
            for (read, values) in labels.reads.iter_mut().zip(values) {
                read.interrupt_after(values);
            }
        }
        self.state.set_labels(labels);
        read
    }

    fn read_parts(
        &mut self,
        labels: &mut LabelReads,
        buffers: &mut [FieldBuffers<'_>],
        is_label: &[bool],
    ) -> Result<Vec<FieldSizes>> {
        let mut cells = FieldBuffers::reborrow_except(buffers, is_label);
        let (mut delivered, mut done, mut results) = (Vec::new(), true, false);
        if !labels.only {
            delivered = self.read_cells(&mut cells)?;
            done = self.status() == QueryStatus::Completed;
            results = self.has_results();
        }
        let cells_done = done;
        let mut delivered = delivered.into_iter();
        let mut sizes = Vec::with_capacity(buffers.len());
        for (field, is_label) in buffers.iter_mut().zip(is_label) {
            if !is_label {
                sizes.push(delivered.next().unwrap_or_default());
                continue;
            }
            let Some(read) = labels.reads.iter_mut().find(|read| read.name == field.name) else {
                sizes.push(FieldSizes::default());
                continue;
            };
            let sizes_read = read.read(field);
            sizes.push(
                sizes_read
                    .map_err(|error| in_label("process data query for", field.name, error))?,
            );
            done &= read.query.status() == QueryStatus::Completed;
            results |= read.query.has_results();
        }
        if cells_done && !done {
            self.state.start_over();
        }
        self.state.set_has_results(results);
        self.state.end_submit(done);
        Ok(sizes)
    }

    /// Converts label ranges, and creates a read for each label with buffers.
    fn begin_labels(
        &mut self,
        buffers: &[FieldBuffers<'_>],
        is_label: &[bool],
    ) -> Result<LabelReads> {
        self.check_open()?;
        self.request.check_label_query()?;
        let only = is_label.iter().all(|is_label| *is_label) && self.request.aggregates.is_empty();
        let any = is_label.contains(&true);
        if !only && any && !self.request.is_dense() && self.request.schema().dim_num() > 1 {
            return Err(QueryLabelError::SparseDimensions.into());
        }
        if !matches!(
            self.status(),
            QueryStatus::Incomplete | QueryStatus::InProgress
        ) {
            // Clients of libtiledb send the state of a reader before the first submit.
            self.state.forget_progress();
        }
        let label_values = self.received_label_values(any)?;
        let resolved = self.resolved()?;
        let mut reads = Vec::new();
        for (field, _) in buffers
            .iter()
            .zip(is_label)
            .filter(|(_, is_label)| **is_label)
        {
            let mut read = self
                .request
                .begin_label(field.name, &resolved)
                .map_err(|error| {
                    self.state.reset();
                    in_label("initialize the data query for", field.name, error)
                })?;
            let mut delivered = self.request.schema().labels.iter().zip(&label_values);
            if let Some((_, values)) = delivered.find(|(label, _)| label.name == field.name)
                && *values > 0
            {
                read.query.state.start_after(*values);
            }
            reads.push(read);
        }
        self.request.subarray = resolved;
        Ok(LabelReads { reads, only })
    }

    /// Returns the number of values of each label that were delivered by the sender of the query;
    /// none if the read starts here.
    fn received_label_values(&self, reads_labels: bool) -> Result<Vec<u64>> {
        if !reads_labels || self.state.progress().is_none() {
            return Ok(Vec::new());
        }
        match self.state.start_position()? {
            Some(position) if self.has_received_label_values() => Ok(position.label_values.clone()),
            // A server of libtiledb does not send the number of values.
            _ => Err(QueryError::ForeignState.into()),
        }
    }
}

impl Query {
    /// Writes cells and label values.
    pub(super) fn write_with_labels(&mut self, cells: &[FieldCells<'_>]) -> Result<()> {
        self.check_open()?;
        let (labels, rest): (Vec<&FieldCells<'_>>, Vec<&FieldCells<'_>>) = cells
            .iter()
            .partition(|field| self.request.is_label(field.name));
        let rest: Vec<FieldCells<'_>> = rest.into_iter().copied().collect();
        let only = match &rest[..] {
            [] => true,
            [one] => self.request.schema().dimension(one.name).is_some() && one.name != COORDS,
            _ => false,
        };
        if !self.request.is_dense() {
            self.request.check_coordinates_set(&rest)?;
            if !only {
                self.request.check_names(&rest)?;
            }
        }
        self.request.check_label_query()?;
        if labels.is_empty() {
            self.request.subarray = self.resolved()?;
        } else if self.request.subarray.label_ranges().next().is_some() {
            return Err(QueryLabelError::BufferAndRange.into());
        }
        let timestamp = self
            .request
            .write_timestamp()
            .unwrap_or_else(|| unique_timestamp(self.request.snapshot.uri.as_str()));
        let form = self.request.written_form()?;
        let mut targets = Vec::with_capacity(labels.len());
        for values in labels {
            let target = self
                .request
                .label_target(values.name, &rest)
                .map_err(|error| in_label("initialize the data query for", values.name, error))?;
            targets.push((values, target));
        }
        let mut written = Vec::with_capacity(targets.len());
        for (values, target) in &targets {
            let writer = target.write(&self.request, values, form, timestamp);
            written.push(writer.map_err(|error| {
                self.state.proceed();
                in_label("process data query for", values.name, error)
            })?);
        }
        // Errors about cells take precedence over errors about labels.
        if !only {
            self.write_cells(&rest)?;
        }
        self.state.proceed();
        // The cells are committed: a cancellation no longer applies to their labels.
        let vfs = self.request.vfs.clone();
        let _end = vfs.context.uncancellable();
        for writer in written {
            writer.finish()?;
        }
        self.state.complete();
        Ok(())
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
        request: &QueryRequest,
        values: &FieldCells<'_>,
        form: OffsetsForm,
        timestamp: Timestamp,
    ) -> Result<FragmentWriter> {
        let Snapshot {
            uri,
            schema,
            session,
            ..
        } = &*self.snapshot;
        let key = session.key.as_ref();
        let values = FieldCells {
            name: &self.attribute,
            ..*values
        };
        fields::check_complete(schema, values.name, values.given())?;
        check_float_scaling(&request.config, schema, &[values], form)?;
        let box_write = BoxWrite {
            schema,
            ranges: &self.ranges,
            order: Order::RowMajor,
            key,
        };
        let vfs = &request.vfs;
        box_write.write(vfs, &[values], form, || {
            FragmentWriter::create(vfs, uri, schema, true, Some(timestamp), key)
                .map(FragmentWriter::in_open_array)
        })
    }
}

impl QueryRequest {
    pub(super) fn label(&self, name: &str) -> Result<&DimensionLabel> {
        self.schema()
            .label(name)
            .ok_or_else(|| Error::from(QueryLabelError::Unknown { name: name.into() }))
    }

    pub(super) fn is_label(&self, name: &str) -> bool {
        self.schema().label(name).is_some()
    }

    /// Returns whether a submit with buffers of these fields involves labels.
    pub(super) fn uses_labels<'a>(&self, mut names: impl Iterator<Item = &'a str>) -> bool {
        let none = self.schema().labels.is_empty();
        !none
            && (self.subarray.label_ranges().next().is_some()
                || names.any(|name| self.is_label(name)))
    }

    pub(super) fn check_label_query(&self) -> Result<()> {
        if self.condition.is_some() {
            return Err(QueryLabelError::WithCondition.into());
        }
        if self.layout == Layout::GlobalOrder {
            return Err(QueryLabelError::GlobalOrder.into());
        }
        Ok(())
    }

    /// Opens the array of a label at the time of the array of the query.
    pub(super) fn open_label(
        &self,
        label: &DimensionLabel,
        query_type: QueryType,
    ) -> Result<Arc<Array>> {
        open_label(&self.vfs, &self.snapshot, label, query_type)
    }

    /// Returns the subarray with label ranges converted to ranges of indexes, without starting the
    /// query.
    pub(super) fn resolved_subarray(&self) -> Result<Subarray> {
        if self.subarray.awaits_labels() {
            self.resolve_labels(&self.open_label_ranges()?)
        } else {
            Ok(self.subarray.clone())
        }
    }

    /// Opens the arrays of the labels that have ranges.
    fn open_label_ranges(&self) -> Result<Vec<Arc<Snapshot>>> {
        let mut opened = Vec::new();
        for (_, requested) in self.subarray.label_ranges() {
            let label = self.label(&requested.name)?;
            let array = self.open_label(label, QueryType::Read);
            opened.push(array.and_then(|array| array.snapshot()).map_err(|error| {
                let action = "initialize the query to read range data from";
                in_label(action, &requested.name, error)
            })?);
        }
        Ok(opened)
    }

    /// Converts the label ranges, whose arrays are `opened`.
    fn resolve_labels(&self, opened: &[Arc<Snapshot>]) -> Result<Subarray> {
        let mut resolved = self.subarray.clone();
        let context = &self.vfs.context;
        let epoch = context.cancel_epoch();
        let label_ranges: Vec<_> = self.subarray.label_ranges().collect();
        let mut found: Vec<Result<Vec<Range>>> = Vec::new();
        for ((_, requested), snapshot) in label_ranges.iter().zip(opened) {
            let name = &requested.name;
            let label = self.label(name)?;
            let indexes = label_indexes(&self.config, snapshot, label, &requested.ranges);
            context.check_cancelled(epoch)?;
            found.push(
                indexes
                    .map_err(|error| in_label("process and update index ranges for", name, error)),
            );
        }
        for ((dim, _), indexes) in label_ranges.iter().zip(found) {
            resolved.resolve_label(*dim, &indexes?)?;
        }
        Ok(resolved)
    }

    /// Returns the ranges of a dimension as a subarray of the array of its label, or `None` for all
    /// of it.
    pub(super) fn indexes_of(
        &self,
        label: &DimensionLabel,
        subarray: &Subarray,
        schema: &Arc<ArraySchema>,
    ) -> Result<Option<Subarray>> {
        let dim = label.dimension as usize;
        if !subarray.is_dimension_set(dim) {
            return Ok(None);
        }
        let mut indexes = Subarray::new(schema);
        indexes.set_config(&self.config)?;
        for range in subarray.ranges(dim) {
            indexes.add_range(0, range.start(), range.end())?;
        }
        Ok(Some(indexes))
    }

    pub(super) fn begin_label(&self, name: &str, subarray: &Subarray) -> Result<LabelRead> {
        let label = self.label(name)?;
        let array = self.open_label(label, QueryType::Read)?;
        let mut query = Query::new(&array, QueryType::Read)?;
        query.set_config(&self.config)?;
        if let Some(indexes) = self.indexes_of(label, subarray, query.request.schema())? {
            query.set_subarray(&indexes)?;
        }
        Ok(LabelRead {
            name: name.to_owned(),
            attribute: label.attribute.clone(),
            query,
        })
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
                let indexes = self
                    .indexes_of(label, &self.subarray, &snapshot.schema)?
                    .unwrap_or_else(|| Subarray::new(&snapshot.schema));
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
