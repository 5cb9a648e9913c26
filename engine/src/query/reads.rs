//! Read queries: restriction to the current domain, selection of the reader, delivered cells, and
//! results of aggregates.

use super::fields;
use super::query::{CellRead, Query, ReadWork};
use super::request::QueryRequest;
use crate::aggregate::{Aggregate, AggregateResult, check_output};
use crate::buffers::{FieldBuffers, FieldSizes, OffsetsForm};
use crate::condition::BoundCondition;
use crate::error::{Component, EstimateError, QueryError, ReadError, Result};
use crate::read::{DeletedCells, DenseRead, ReadRequest, SparseRead, check_one_box};
use crate::schema::{COORDS, range_text};
use crate::stats::{Counter, Moment, Part, Timer};
use crate::subarray::Subarray;
use crate::types::{Layout, QueryStatus, QueryType};

impl Query {
    /// Reads as much as fits into the buffers. Returns the sizes in the order of the buffers, which
    /// is empty after the read is complete.
    pub fn read(&mut self, buffers: &mut [FieldBuffers<'_>]) -> Result<Vec<FieldSizes>> {
        if self.status() == QueryStatus::Completed {
            // The last delivered cells are still in the buffers.
            return Ok(Vec::new());
        }
        if self.state.is_discarded() {
            // Only buffers of the submitted fields can be set, and these were unset.
            self.state.complete();
            self.state.set_has_results(false);
            return Ok(Vec::new());
        }
        let vfs = self.request.vfs.clone();
        let _operation = vfs.context.operation();
        let unit = if self.request.is_dense() {
            "cells"
        } else {
            "tiles"
        };
        let _tracking = vfs.context.track("read", unit);
        let before = self.request.storage_reads();
        let labels = self.state.labels().is_some()
            || self
                .request
                .uses_labels(buffers.iter().map(|field| field.name));
        let read = if labels {
            self.read_with_labels(buffers)
        } else {
            self.read_cells(buffers)
        };
        // On object stores a missing file is noticed when it is read, not when it is opened.
        let read = read.map_err(|error| self.request.snapshot.missing(error));
        match &read {
            Err(error) if error.is_cancelled() => self.state.fail(),
            Err(_) if !labels && self.state.has_begun() => self.state.fail(),
            Err(_) => {}
            Ok(sizes) => self
                .submits
                .add(sizes, before, self.request.storage_reads()),
        }
        read
    }

    /// Processes the fields that are not labels.
    pub(super) fn read_cells(
        &mut self,
        buffers: &mut [FieldBuffers<'_>],
    ) -> Result<Vec<FieldSizes>> {
        self.check_open()?;
        let results: Vec<bool> = buffers
            .iter()
            .map(|field| self.request.aggregate(field.name).is_some())
            .collect();
        for (field, _) in buffers.iter().zip(&results).filter(|(_, result)| !**result) {
            fields::check_complete(self.request.schema(), field.name, field.given())?;
        }
        let begun = match self.state.cells() {
            Some(CellRead::Open { .. }) => Moment::now(),
            Some(CellRead::Interrupted { .. }) => self.restart_read()?,
            None if self.state.write().is_some() || self.state.is_discarded() => {
                return Err(QueryError::NotARead.into());
            }
            None => {
                self.request.check_results(buffers)?;
                let cells = buffers.iter().zip(&results).filter(|(_, result)| !**result);
                self.begin_read(&cells.map(|(field, _)| field).collect::<Vec<_>>())?
            }
        };
        let before = self.state.delivered_cells();
        let sizes = self.deliver(buffers, &results, begun);
        if sizes.is_err() {
            self.state.interrupt_after(before);
        }
        sizes
    }

    /// Delivers the next cells and, after the last ones, the results of aggregates. `results`
    /// states which of the buffers are for these. After an error the reader must not be used.
    fn deliver(
        &mut self,
        buffers: &mut [FieldBuffers<'_>],
        results: &[bool],
        begun: Moment,
    ) -> Result<Vec<FieldSizes>> {
        let Some((names, read)) = self.state.reader_for_submit() else {
            return Err(QueryError::NotARead.into());
        };
        let mut cells = FieldBuffers::reborrow_except(buffers, results);
        let (context, stats) = (&self.request.vfs.context, &self.stats);
        let timer = stats.timer_since(Timer::Work, begun);
        let delivered = if names.is_empty() {
            Vec::new()
        } else {
            read.fill(context, &mut cells, stats)?
        };
        let done = names.is_empty() || read.is_done();
        let computed = if done { self.results()? } else { Vec::new() };
        drop(timer);
        self.state.set_has_results(
            delivered
                .iter()
                .any(|sizes| sizes.data > 0 || sizes.offsets > 0),
        );
        let sizes = self.request.put_results(buffers, delivered, &computed)?;
        self.state.end_submit(done);
        Ok(sizes)
    }

    /// Estimates the number of bytes that a read delivers for a field in all submits. The caller
    /// states the kind of field it expects.
    pub fn estimate(&self, name: &str, var: bool, nullable: bool) -> Result<FieldSizes> {
        let dimensions = &self.request.schema().domain.dimensions;
        if let (COORDS, true, false, Some(first)) = (
            name,
            self.request.is_dense(),
            var || nullable,
            dimensions.first(),
        ) {
            // All dimensions of a dense array have the same datatype.
            let mut sizes = self.estimate(&first.name, false, false)?;
            sizes.data = sizes.data.saturating_mul(dimensions.len() as u64);
            return Ok(sizes);
        }
        fields::check_estimate(self.request.schema(), name, var, nullable)?;
        if self.request.query_type != QueryType::Read {
            return Err(EstimateError::NotARead.into());
        }
        if let Some(sizes) = self.state.estimate(name) {
            return Ok(sizes);
        }
        // The snapshot suffices after the array was closed.
        self.request.vfs.context.check_io_threads()?;
        self.state.note_estimate();
        // The order is irrelevant here, and this layout supports several ranges.
        if self.request.is_dense() {
            let names = [name];
            let request = ReadRequest {
                layout: Layout::RowMajor,
                ..self.request.of_fields(&names, None)?
            };
            self.request.plan_dense(request)?.estimate()
        } else {
            SparseRead::estimate(
                &self.request.vfs.context,
                &self.request.snapshot,
                &self.request.subarray,
                name,
            )
        }
    }

    /// Returns the results of all aggregates in their order.
    fn results(&self) -> Result<Vec<AggregateResult>> {
        if self.request.aggregates.is_empty() {
            return Ok(Vec::new());
        }
        let aggregates: Vec<&Aggregate> = self
            .request
            .aggregates
            .iter()
            .map(|named| &named.aggregate)
            .collect();
        let (context, stats) = (&self.request.vfs.context, &self.stats);
        if let Some(CellRead::Open {
            read: ReadWork::Dense(read),
            ..
        }) = self.state.cells()
        {
            return read.aggregate(context, &aggregates, stats);
        }
        let aggregated: Vec<&str> = aggregates
            .iter()
            .filter_map(|aggregate| aggregate.field())
            .map(|field| &field.name[..])
            .collect();
        let request = ReadRequest {
            // The order is irrelevant here, so cells are not sorted.
            layout: Layout::Unordered,
            ..self
                .request
                .of_fields(&[], self.request.bound_condition()?)?
        };
        let mut read = self.request.plan_sparse(request, &aggregated)?;
        read.aggregate(context, &aggregates, stats)
    }

    /// Plans a read into these buffers. Returns the time after the planning.
    fn begin_read(&mut self, buffers: &[&FieldBuffers<'_>]) -> Result<Moment> {
        let begun = Moment::now();
        let planned = self.plan_read(buffers);
        let end = self.stats.time(Timer::InitState, begun);
        planned.map(|()| end)
    }

    fn plan_read(&mut self, buffers: &[&FieldBuffers<'_>]) -> Result<()> {
        self.request.check_current_domain()?;
        self.stay_in_current_domain()?;
        let names: Vec<&str> = buffers.iter().map(|field| field.name).collect();
        self.request.check_plan(&self.request.subarray, &names)?;
        self.request.check_validity(buffers)?;
        let condition = self.request.bound_condition().inspect_err(|_| {
            self.state.fail();
        })?;
        let mut read = self
            .request
            .reading(&self.request.subarray, &names, condition)?;
        if let Some(position) = self.state.start_position()? {
            read.seek(&self.request.vfs.context, position.cells)?;
        }
        self.request
            .count_fields(names.iter().copied(), &self.stats);
        let names = names.into_iter().map(str::to_owned).collect();
        self.state.open_read(names, read);
        Ok(())
    }

    /// Continues a read whose last submit failed. Returns the time before that.
    fn restart_read(&mut self) -> Result<Moment> {
        let begun = Moment::now();
        let Some(CellRead::Interrupted { names, cells }) = self.state.cells() else {
            return Ok(begun);
        };
        let read_names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut read = self.request.reading(
            &self.request.subarray,
            &read_names,
            self.request.bound_condition()?,
        )?;
        if *cells > 0 {
            read.seek(&self.request.vfs.context, *cells)?;
        }
        let names = names.clone();
        self.state.open_read(names, read);
        Ok(begun)
    }
}

impl Query {
    /// Restricts dimensions without ranges to the current domain if fragments exceed it.
    pub(super) fn stay_in_current_domain(&mut self) -> Result<()> {
        if let Some(restricted) = self.request.in_current_domain(&self.request.subarray)? {
            self.request.subarray = restricted;
        }
        Ok(())
    }
}

impl QueryRequest {
    /// Returns the condition bound to the schema of the array, or `None` if none was set.
    pub(super) fn bound_condition(&self) -> Result<Option<BoundCondition>> {
        let Some(condition) = &self.condition else {
            return Ok(None);
        };
        BoundCondition::bind(condition, self.schema(), |name| {
            self.snapshot.enumeration(&self.vfs, name)
        })
        .map(Some)
    }

    /// Writes the computed results of aggregates to their buffers. Returns the sizes of all
    /// buffers: of the delivered cells, and of the results.
    fn put_results(
        &self,
        buffers: &mut [FieldBuffers<'_>],
        delivered: Vec<FieldSizes>,
        computed: &[AggregateResult],
    ) -> Result<Vec<FieldSizes>> {
        let mut delivered = delivered.into_iter();
        buffers
            .iter_mut()
            .map(|field| {
                let Some(index) = self
                    .aggregates
                    .iter()
                    .position(|named| named.name == field.name)
                else {
                    return Ok(delivered.next().unwrap_or_default());
                };
                match computed.get(index) {
                    Some(result) => result.put(&self.aggregates[index].aggregate, field),
                    // Results are delivered with the last cells; until then their sizes are not
                    // changed.
                    None => Ok(field.sizes()),
                }
            })
            .collect()
    }

    /// Returns the number of read requests of the context so far, and their bytes.
    fn storage_reads(&self) -> (u64, u64) {
        let stats = &self.vfs.context.stats;
        (
            stats.count_of_part(Part::Vfs, Counter::ReadOps),
            stats.count_of_part(Part::Vfs, Counter::ReadBytes),
        )
    }

    /// Returns the request for fields of the subarray in the layout of the query.
    fn of_fields<'a>(
        &'a self,
        names: &'a [&'a str],
        condition: Option<BoundCondition>,
    ) -> Result<ReadRequest<'a>> {
        let reader = if self.is_dense() {
            Component::DenseReader
        } else {
            Component::SparseReader
        };
        Ok(ReadRequest {
            subarray: &self.subarray,
            layout: self.layout,
            names,
            form: OffsetsForm::from_config(&self.config, reader)?,
            condition,
        })
    }

    fn plan_dense(&self, request: ReadRequest<'_>) -> Result<DenseRead> {
        let (snapshot, config) = (&self.snapshot, &self.config);
        let read = DenseRead::new(&self.vfs.context, snapshot, config, request)?;
        let cache_bytes = config.u64("sm.mem.chunk_cache_size")?;
        Ok(read.with_cache(&snapshot.chunk_cache, cache_bytes))
    }

    fn plan_sparse(&self, request: ReadRequest<'_>, aggregated: &[&str]) -> Result<SparseRead> {
        let (snapshot, config) = (&self.snapshot, &self.config);
        SparseRead::new(
            &self.vfs,
            snapshot,
            config,
            request,
            aggregated,
            DeletedCells::Omit,
        )
    }

    /// Checks that each result of an aggregate has the buffers it needs.
    pub(super) fn check_results(&self, buffers: &[FieldBuffers<'_>]) -> Result<()> {
        for named in &self.aggregates {
            let found = buffers.iter().find(|buffers| buffers.name == named.name);
            check_output(&named.aggregate, found)?;
        }
        Ok(())
    }

    /// Plans the delivery of fields from a subarray.
    pub(super) fn reading(
        &self,
        subarray: &Subarray,
        names: &[&str],
        condition: Option<BoundCondition>,
    ) -> Result<ReadWork> {
        let request = ReadRequest {
            subarray,
            ..self.of_fields(names, condition)?
        };
        if self.is_dense() {
            let read = self.plan_dense(request)?;
            read.check_budget()?;
            Ok(ReadWork::Dense(Box::new(read)))
        } else {
            let read = self.plan_sparse(request, &[])?;
            Ok(ReadWork::Sparse(Box::new(read)))
        }
    }

    /// Checks that fields can be read from a subarray in the layout of the query.
    pub(super) fn check_plan(&self, subarray: &Subarray, names: &[&str]) -> Result<()> {
        if self.is_dense() {
            self.check_dense(subarray, names)
        } else {
            self.check_sparse(subarray, names)
        }
    }

    fn check_sparse(&self, subarray: &Subarray, names: &[&str]) -> Result<()> {
        if names.is_empty() && self.aggregates.is_empty() {
            let ordered = matches!(self.layout, Layout::RowMajor | Layout::ColMajor);
            return Err(ReadError::NoBuffers { ordered }.into());
        }
        match self.layout {
            Layout::GlobalOrder => check_one_box(subarray),
            _ => Ok(()),
        }
    }

    fn check_dense(&self, subarray: &Subarray, names: &[&str]) -> Result<()> {
        if names.is_empty() && self.aggregates.is_empty() {
            return Err(ReadError::NoDenseBuffers.into());
        }
        if !subarray.is_set() {
            return Err(ReadError::NoSubarray.into());
        }
        if self.layout == Layout::GlobalOrder && subarray.single().is_none() {
            return Err(ReadError::ManyRanges.into());
        }
        if self.condition.is_none() && self.config.flag("sm.query.dense.qc_coords_mode")? {
            return Err(ReadError::NoCondition.into());
        }
        Ok(())
    }

    /// Returns an error if the validity buffer of a field is for fewer cells than the buffer of
    /// values or of offsets, which counts eight bytes per offset regardless of their width. With
    /// the additional offset any number is accepted, as in libtiledb.
    pub(super) fn check_validity(&self, buffers: &[&FieldBuffers<'_>]) -> Result<()> {
        let extra = self.config.flag("sm.var_offsets.extra_element")?;
        for field in buffers {
            let attribute = self.schema().attribute(field.name);
            let Some(attribute) = attribute.filter(|attribute| attribute.nullable) else {
                continue;
            };
            let sizes = field.sizes();
            let cells = if !attribute.is_var() {
                sizes.data / attribute.cell_size()
            } else if extra {
                0
            } else {
                sizes.offsets / 8
            };
            if sizes.validity < cells {
                return Err(ReadError::ValiditySize {
                    name: field.name.to_owned(),
                    size: sizes.validity,
                    cells,
                }
                .into());
            }
        }
        Ok(())
    }

    /// Returns an error if a range that was set is not inside the current domain.
    pub(super) fn check_current_domain(&self) -> Result<()> {
        let schema = self.schema();
        let Some(current) = &schema.current_domain else {
            return Ok(());
        };
        for (dim, dimension) in schema.domain.dimensions.iter().enumerate() {
            let datatype = dimension.datatype;
            let set = self.subarray.is_dimension_set(dim);
            let Some(range) = self
                .subarray
                .ranges(dim)
                .iter()
                .filter(|_| set)
                .find(|range| !schema.is_current(dim, range))
            else {
                continue;
            };
            let parts = schema
                .domain
                .dimensions
                .iter()
                .zip(current)
                .map(|(dimension, range)| range_text(dimension.datatype, Some(range)));
            return Err(QueryError::OutsideCurrentDomain {
                range: range_text(datatype, Some(range)),
                dimension: dimension.name.clone(),
                current: parts.collect::<Vec<_>>().join(","),
            }
            .into());
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
        if self
            .snapshot
            .fragments
            .iter()
            .filter_map(|fragment| fragment.footer.non_empty_domain.as_ref())
            .all(|domain| {
                domain
                    .iter()
                    .enumerate()
                    .all(|(dim, range)| schema.is_current(dim, range))
            })
        {
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
