//! Write queries: selection of the writer, the written fragments, and commits of deletes.

use std::collections::HashSet;
use std::sync::Arc;

use super::fields;
use super::query::{Query, WriteWork, WrittenFragment};
use super::request::QueryRequest;
use crate::array;
use crate::buffers::{FieldCells, OffsetsForm};
use crate::condition::{
    BoundCondition, Combination, Comparison, Condition, Operand, Operator, without_labels,
};
use crate::error::{
    Component, DeleteError, Error, QueryBufferError, QueryError, Result, WriteBufferError,
    WriteError,
};
use crate::fragment::{FragmentWriter, NewFragment, UnfinishedFragment};
use crate::geometry::Order;
use crate::schema::{ArraySchema, COORDS};
use crate::stats::{MeterNames, Moment, TileMeter, Timer};
use crate::types::condition::MAX_LEVELS;
use crate::types::{Layout, NdRange, QueryStatus, QueryType, Timestamp, unique_timestamp};
use crate::write::{
    BoxWrite, GlobalWrite, GlobalWriteState, SparseGlobalWrite, SparseWriteOptions, UnorderedWrite,
    check_float_scaling, is_about_buffers, split_coordinates, with_coordinates,
};

impl Query {
    /// Returns the number of fragments written so far.
    pub fn written_num(&self) -> Result<u32> {
        if self.request.query_type != QueryType::Write {
            return Err(WriteError::NoFragmentNumber.into());
        }
        Ok(self.written().len() as u32)
    }

    /// Returns a written fragment. `property` describes the request in error messages.
    pub fn written_fragment(&self, index: u64, property: &str) -> Result<&WrittenFragment> {
        if self.request.query_type != QueryType::Write {
            return Err(WriteError::NotAWrite {
                property: property.into(),
            }
            .into());
        }
        let found = usize::try_from(index)
            .ok()
            .and_then(|index| self.written().get(index));
        found.ok_or_else(|| {
            Error::from(WriteError::NoFragment {
                property: property.into(),
                index,
            })
        })
    }

    /// Writes the cells of the buffers and the values of labels.
    pub fn write(&mut self, cells: &[FieldCells<'_>]) -> Result<()> {
        let begun = Moment::now();
        let vfs = self.request.vfs.clone();
        let _operation = vfs.context.operation();
        let _tracking = vfs.context.track("write", "tiles");
        let written = if self
            .request
            .uses_labels(cells.iter().map(|field| field.name))
        {
            self.write_with_labels(cells)
        } else {
            self.write_cells(cells)
        };
        if written.as_ref().is_err_and(Error::is_cancelled) {
            self.state.fail();
        }
        self.stats.time(Timer::Work, begun);
        self.written_tiles.record(&self.stats, MeterNames::Written);
        written
    }

    /// Processes the fields that are not labels.
    pub(super) fn write_cells(&mut self, cells: &[FieldCells<'_>]) -> Result<()> {
        self.request
            .count_fields(cells.iter().map(|field| field.name), &self.stats);
        self.check_open()?;
        self.check_not_unset()?;
        if !self.state.has_begun() {
            self.check_not_complete()?;
        }
        self.check_write_is_here()?;
        for field in cells {
            fields::check_complete(self.request.schema(), field.name, field.given())?;
        }
        self.resume_write()?;
        let form = self.request.written_form()?;
        if self.request.is_dense() {
            self.request.check_names(cells)?;
            check_float_scaling(&self.request.config, self.request.schema(), cells, form)?;
            self.write_dense(cells, form)?;
        } else {
            self.request.check_coordinates_set(cells)?;
            self.request.check_names(cells)?;
            self.check_not_complete()?;
            let fresh = !self.state.has_begun();
            let written = self.write_sparse(cells, form);
            written.inspect_err(|error| self.fail(fresh, error))?;
        }
        self.state.complete();
        Ok(())
    }

    /// Sets the state after a failed write. A write that was `fresh` has not started if its buffers
    /// are invalid.
    fn fail(&mut self, fresh: bool, error: &Error) {
        if !(fresh && is_about_buffers(error)) {
            self.state.fail();
        }
    }

    /// Returns an error if an unordered write was already completed, by this query or by a server;
    /// the query remains in progress then.
    pub(super) fn check_not_complete(&mut self) -> Result<()> {
        let is_complete = match self.state.write() {
            Some(WriteWork::Unordered(write)) => write.is_complete(),
            _ => self.request.is_unordered_write() && self.is_received_write_complete(),
        };
        if is_complete {
            self.state.proceed();
            return Err(WriteError::AllWritten.into());
        }
        Ok(())
    }

    fn write_dense(&mut self, cells: &[FieldCells<'_>], form: OffsetsForm) -> Result<()> {
        let ranges = self
            .request
            .subarray
            .single()
            .ok_or_else(|| Error::from(WriteBufferError::ManyRanges))?;
        match self.request.layout {
            Layout::RowMajor => self.write_ordered(&ranges, Order::RowMajor, cells, form),
            Layout::ColMajor => self.write_ordered(&ranges, Order::ColMajor, cells, form),
            Layout::GlobalOrder => {
                let fresh = !self.state.has_begun();
                if fresh {
                    let key = self.request.snapshot.session.key.as_ref();
                    let begun = GlobalWrite::begin(self.request.schema(), &ranges, key, || {
                        self.request.new_fragment(&self.written_tiles)
                    })?;
                    self.state.set_write(WriteWork::Global(Box::new(begun)));
                }
                if let Some(WriteWork::Global(write)) = self.state.write_mut()
                    && let Err(error) = write.submit(&self.request.vfs, cells, form)
                {
                    if fresh || !write.is_intact {
                        // Dropping it removes what it wrote.
                        self.state.take_write();
                    }
                    self.fail(fresh, &error);
                    return Err(error);
                }
                Ok(())
            }
            Layout::Unordered | Layout::Hilbert => Err(QueryError::UnorderedDense.into()),
        }
    }

    /// Continues a write in global order that another query has started.
    fn resume_write(&mut self) -> Result<()> {
        let carried = self.carried().and_then(|state| state.write.clone());
        let Some(state) = carried.filter(|_| self.request.layout == Layout::GlobalOrder) else {
            return Ok(());
        };
        let state = GlobalWriteState::clone(&state);
        let (schema, key) = (
            self.request.schema(),
            self.request.snapshot.session.key.as_ref(),
        );
        let make = |fragment| self.request.open_unfinished(fragment, &self.written_tiles);
        let work = if self.request.is_dense() {
            let ranges = self
                .request
                .subarray
                .single()
                .ok_or_else(|| Error::from(WriteBufferError::ManyRanges))?;
            let write = GlobalWrite::resume(schema, &ranges, key, state, make)?;
            WriteWork::Global(Box::new(write))
        } else {
            let options = SparseWriteOptions::from_config(&self.request.config)?;
            let write = SparseGlobalWrite::resume(schema, options, key, state, make)?;
            WriteWork::SparseGlobal(Box::new(write))
        };
        self.state.set_write(work);
        Ok(())
    }

    /// Makes the tiles of a write in global order durable, so that a query of a message can
    /// continue it. Does nothing for other queries, for incomplete tiles, and on object stores.
    pub fn release_write(&mut self) -> Result<()> {
        match self.state.write_mut() {
            Some(WriteWork::Global(write)) => write.release(),
            Some(WriteWork::SparseGlobal(write)) => write.release(),
            _ => Ok(()),
        }
    }

    /// Returns the state of a write in global order that was released.
    pub fn global_write_state(&self) -> Option<GlobalWriteState> {
        match self.state.write() {
            Some(WriteWork::Global(write)) => write.state(),
            Some(WriteWork::SparseGlobal(write)) => write.state(),
            _ => None,
        }
    }

    fn write_ordered(
        &mut self,
        ranges: &NdRange,
        order: Order,
        cells: &[FieldCells<'_>],
        form: OffsetsForm,
    ) -> Result<()> {
        let box_write = BoxWrite {
            schema: self.request.schema(),
            ranges,
            order,
            key: self.request.snapshot.session.key.as_ref(),
        };
        let writer = box_write.write(&self.request.vfs, cells, form, || {
            self.request.new_fragment(&self.written_tiles)
        })?;
        self.commit(writer)
    }

    fn commit(&mut self, writer: FragmentWriter) -> Result<()> {
        let timestamps = writer.name().timestamps();
        let uri = writer.finish()?;
        self.state.add_written(WrittenFragment { uri, timestamps });
        Ok(())
    }

    /// Returns an error if the buffers of a write in global order were unset after a submit: it
    /// was discarded.
    fn check_not_unset(&mut self) -> Result<()> {
        if !self.state.is_discarded() {
            return Ok(());
        }
        self.state.fail();
        Err(WriteError::BuffersUnset.into())
    }

    fn write_sparse(&mut self, cells: &[FieldCells<'_>], form: OffsetsForm) -> Result<()> {
        let schema = self.request.schema().clone();
        let coordinates = split_coordinates(&schema, cells)?;
        let cells = with_coordinates(&schema, cells, coordinates.as_deref());
        check_float_scaling(&self.request.config, &schema, &cells, form)?;
        let options = SparseWriteOptions::from_config(&self.request.config)?;
        let (vfs, key) = (
            self.request.vfs.clone(),
            self.request.snapshot.session.key.clone(),
        );
        let begun = self.state.take_write();
        let fresh = begun.is_none();
        let make = || self.request.new_fragment(&self.written_tiles);
        let mut work = match (begun, self.request.layout) {
            (Some(work), _) => work,
            (_, Layout::GlobalOrder) => {
                let begun = SparseGlobalWrite::begin(&schema, options, key.as_ref(), make)?;
                WriteWork::SparseGlobal(Box::new(begun))
            }
            _ => {
                let begun = UnorderedWrite::begin(
                    &vfs,
                    &schema,
                    key.as_ref(),
                    options,
                    &cells,
                    form,
                    make,
                )?;
                let work = WriteWork::Unordered(Box::new(begun));
                return self.keep_unordered(work);
            }
        };
        match &mut work {
            WriteWork::SparseGlobal(write) => {
                let written = write.submit(&vfs, &cells, form);
                if written.is_err() && (fresh || !write.is_intact) {
                    return written;
                }
                self.state.set_write(work);
                written
            }
            WriteWork::Unordered(write) => {
                write.submit(&vfs, &cells, form)?;
                self.keep_unordered(work)
            }
            WriteWork::Global(_) => Err(WriteError::NotSparse.into()),
        }
    }

    /// Stores an unordered write for later submits, and commits it when all fields are written.
    fn keep_unordered(&mut self, mut work: WriteWork) -> Result<()> {
        if let WriteWork::Unordered(write) = &mut work
            && write.is_complete()
            && let Some(fragment) = write.take_fragment()
        {
            self.commit(fragment)?;
        }
        self.state.set_write(work);
        Ok(())
    }

    /// Finalizes a write in global order. Does nothing for other queries, but returns an error if
    /// an unordered write failed.
    pub fn finalize(&mut self) -> Result<()> {
        let begun = Moment::now();
        let ended = self.finalize_work();
        if self.request.query_type == QueryType::Write {
            self.stats.time(Timer::Finalize, begun);
            self.written_tiles.record(&self.stats, MeterNames::Written);
        }
        ended
    }

    fn finalize_work(&mut self) -> Result<()> {
        if self.request.query_type == QueryType::Write {
            self.check_not_unset()?;
        }
        if self.request.is_unordered_write() && self.is_received_write_complete() {
            self.state.complete();
            return Ok(());
        }
        self.check_write_is_here()?;
        self.resume_write()?;
        self.state.forget_progress();
        let vfs = self.request.vfs.clone();
        let _operation = vfs.context.operation();
        let (timestamps, uri) = match self.state.take_write() {
            Some(WriteWork::Global(write)) => {
                self.state.fail();
                (write.timestamps(), write.finish()?)
            }
            Some(WriteWork::SparseGlobal(write)) => {
                self.state.fail();
                (write.timestamps(), write.finish(&self.request.vfs.context)?)
            }
            Some(write) => {
                self.state.set_write(write);
                return self.finalize_other_work();
            }
            None => return self.finalize_other_work(),
        };
        if let Some(uri) = uri {
            self.state.add_written(WrittenFragment { uri, timestamps });
        }
        self.state.complete();
        Ok(())
    }

    /// Sets the state of a query that does not write in global order.
    fn finalize_other_work(&mut self) -> Result<()> {
        match (self.state.write(), self.status()) {
            (Some(WriteWork::Unordered(write)), _) if !write.is_complete() => {
                Err(WriteError::NotAllWritten.into())
            }
            (Some(_), _) => {
                self.state.complete();
                Ok(())
            }
            (
                _,
                QueryStatus::Uninitialized | QueryStatus::Initialized | QueryStatus::InProgress,
            ) => Ok(()),
            (_, QueryStatus::Failed) if self.request.is_unordered_write() => {
                Err(WriteError::NotAllWritten.into())
            }
            _ => {
                self.state.complete();
                Ok(())
            }
        }
    }
}

impl Query {
    /// Deletes the cells that satisfy the condition, with the timestamp that the array was opened
    /// at or the current time. Each call commits a delete. It is an error if the array is dense or
    /// if the condition is missing or does not match the schema.
    pub fn delete(&mut self) -> Result<()> {
        self.check_open()?;
        if self.request.query_type != QueryType::Delete {
            let name = self.request.query_type.name();
            return Err(QueryError::NotADelete { query: name }.into());
        }
        let condition = self.request.deleted_cells()?;
        if !self.request.aggregates.is_empty() {
            return Err(DeleteError::WithAggregates.into());
        }
        let begun = Moment::now();
        self.state.fail();
        let committed = self.request.commit_delete(&condition);
        self.stats.time(Timer::Work, begun);
        committed?;
        self.state.complete();
        Ok(())
    }
}

/// Returns the condition of the remaining cells, in comparisons that the file format can express.
fn kept(deleted: &Condition, schema: &ArraySchema) -> Result<Condition> {
    let mut problem = None;
    let kept = deleted.negate().map(&mut |leaf| {
        storable(leaf, schema).unwrap_or_else(|error| {
            problem.get_or_insert(error);
            Condition::Leaf(leaf.clone())
        })
    });
    match problem {
        Some(error) => Err(error),
        None if kept.levels() > MAX_LEVELS => {
            Err(DeleteError::TooDeep { levels: MAX_LEVELS }.into())
        }
        None => Ok(kept),
    }
}

/// Returns a comparison that the file format can express: it has no null values, and readers reject
/// sets without bytes.
fn storable(leaf: &Comparison, schema: &ArraySchema) -> Result<Condition> {
    match (leaf.operator, &leaf.operand) {
        (Operator::AlwaysTrue | Operator::AlwaysFalse, _) => Err(DeleteError::Constant.into()),
        (Operator::Ne, Operand::Null) => not_null(leaf, schema),
        (_, Operand::Null) => Err(DeleteError::OnlyNull {
            name: leaf.field.clone(),
        }
        .into()),
        (operator, Operand::Set { data, offsets }) if data.is_empty() => {
            let operator = match (offsets.is_empty(), operator) {
                (true, Operator::In) => Operator::AlwaysFalse,
                (true, _) => return not_null(leaf, schema),
                (false, Operator::In) => Operator::Eq,
                (false, _) => Operator::Ne,
            };
            Ok(Condition::Leaf(compared(leaf, operator, Vec::new())))
        }
        _ => Ok(Condition::Leaf(leaf.clone())),
    }
}

/// Returns a condition that all cells of a field satisfy that are not null: equal or not equal to a
/// value.
fn not_null(leaf: &Comparison, schema: &ArraySchema) -> Result<Condition> {
    let field = schema.field(&leaf.field).filter(|field| !field.is_var());
    let value = vec![0; field.map_or(0, |field| field.cell_size()) as usize];
    let either = [Operator::Eq, Operator::Ne]
        .map(|operator| Condition::Leaf(compared(leaf, operator, value.clone())));
    BoundCondition::bind(&either[0], schema, |name| {
        Err(DeleteError::UnusedEnumeration { name: name.into() }.into())
    })?;
    Ok(Condition::combined(
        Combination::Or,
        either.into_iter().map(Arc::new),
    ))
}

fn compared(leaf: &Comparison, operator: Operator, value: Vec<u8>) -> Comparison {
    Comparison {
        operator,
        operand: Operand::Value(value),
        ..leaf.clone()
    }
}

impl QueryRequest {
    /// Returns the format of the offsets of a write.
    pub fn written_form(&self) -> Result<OffsetsForm> {
        OffsetsForm::from_config(&self.config, Component::Writer)
    }

    /// Returns the configured size of an offset in bits.
    pub fn offset_bits(&self) -> Result<u64> {
        self.config.u64("sm.var_offsets.bitsize")
    }

    /// Checks that [`Query::finalize`] can finalize the query.
    pub fn check_may_finalize(&self) -> Result<()> {
        if self.query_type != QueryType::Write || self.layout != Layout::GlobalOrder {
            return Err(WriteError::NotGlobalOrder.into());
        }
        Ok(())
    }

    fn open_unfinished(
        &self,
        fragment: UnfinishedFragment,
        meter: &Arc<TileMeter>,
    ) -> Result<FragmentWriter> {
        let snapshot = &self.snapshot;
        let new = NewFragment::of_write(
            &snapshot.uri,
            &snapshot.schema,
            self.is_dense(),
            fragment.name.timestamps(),
            snapshot.session.key.as_ref(),
        );
        let writer = FragmentWriter::resume(&self.vfs, new, fragment)?;
        Ok(writer.in_open_array().metered(meter))
    }

    /// Returns whether a sparse write has coordinates.
    pub(super) fn check_coordinates_set(&self, cells: &[FieldCells<'_>]) -> Result<()> {
        let schema = self.schema();
        if cells
            .iter()
            .any(|field| field.name == COORDS || schema.dimension(field.name).is_some())
        {
            Ok(())
        } else {
            Err(QueryBufferError::NoCoordinates.into())
        }
    }

    /// Checks that a write has the buffers it needs.
    pub(super) fn check_names(&self, cells: &[FieldCells<'_>]) -> Result<()> {
        let schema = self.schema();
        let set: HashSet<&str> = cells.iter().map(|field| field.name).collect();
        let is_set = |name: &str| set.contains(name);
        let mut dimensions = schema.domain.dimensions.iter();
        let apart = !self.is_dense() && !is_set(COORDS);
        let missing = dimensions.find(|dimension| apart && !is_set(&dimension.name));
        let may_follow = "sm.allow_separate_attribute_writes";
        if !self.is_dense() && self.config.flag(may_follow)? {
            // Attributes may be written after the coordinates.
            return match missing {
                Some(dimension) => Err(QueryBufferError::DimensionMissing {
                    name: dimension.name.clone(),
                }
                .into()),
                None => Ok(()),
            };
        }
        let mut attributes = schema.attributes.iter();
        let missing = missing.map(|dimension| &dimension.name).or_else(|| {
            let missing = attributes.find(|attribute| !is_set(&attribute.name));
            missing.map(|attribute| &attribute.name)
        });
        match missing {
            Some(name) => Err(QueryBufferError::FieldMissing { name: name.clone() }.into()),
            None => Ok(()),
        }
    }

    fn new_fragment(&self, meter: &Arc<TileMeter>) -> Result<FragmentWriter> {
        let snapshot = &self.snapshot;
        let timestamp = self.write_timestamp();
        FragmentWriter::create(
            &self.vfs,
            &snapshot.uri,
            &snapshot.schema,
            self.is_dense(),
            timestamp,
            snapshot.session.key.as_ref(),
        )
        .map(|writer| writer.in_open_array().metered(meter))
    }

    /// Returns the timestamp that the array was opened at for writing; `None` means the time of the
    /// write.
    pub(super) fn write_timestamp(&self) -> Option<Timestamp> {
        Some(self.snapshot.session.timestamps.end).filter(|end| *end != 0 && *end != Timestamp::MAX)
    }

    fn is_unordered_write(&self) -> bool {
        self.query_type == QueryType::Write && self.layout == Layout::Unordered
    }

    /// Returns the condition of the cells to delete. It is an error if the array is dense or if the
    /// condition is missing.
    pub(super) fn deleted_cells(&self) -> Result<Arc<Condition>> {
        if self.is_dense() {
            return Err(DeleteError::DenseArray.into());
        }
        let condition = self.condition.clone();
        condition.ok_or_else(|| DeleteError::NoCondition.into())
    }

    fn commit_delete(&self, condition: &Condition) -> Result<()> {
        self.bound_condition()?;
        let schema = self.schema();
        let kept = kept(
            &without_labels(condition, schema, |name| {
                self.snapshot.enumeration(&self.vfs, name)
            })?,
            schema,
        )?;
        let timestamp = self
            .write_timestamp()
            .unwrap_or_else(|| unique_timestamp(self.snapshot.uri.as_str()));
        let key = self.snapshot.session.key.as_ref();
        let uri = &self.snapshot.uri;
        array::write_delete(&self.vfs, uri, schema, key, &kept, timestamp)
    }
}
