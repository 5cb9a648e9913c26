//! Queries on arrays whose files a server has: the server runs them, and the results are copied to
//! the caller's buffers as they arrive.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::ControlFlow;

use tiledb_engine::internal::buffers::{FieldSizes, OffsetsForm};
use tiledb_engine::internal::error::{QueryMessageError, RestError};
use tiledb_engine::internal::rest::{self, QueryCall, QueryStep};
use tiledb_engine::internal::serialization::{
    BufferSize, MessageEncoding, MessageField, Side, read_query, write_query,
};
use tiledb_engine::internal::types::{Layout, QueryStatus, QueryType};

use super::QueryState;
use super::buffers::{Field, written_cells};
use super::field_list::FieldList;
use super::messages::headers;
use crate::prelude::*;

/// The content of the records of one response so far.
#[derive(Default)]
struct Records {
    /// The bytes that they have filled, by field.
    filled: Vec<(String, FieldSizes)>,
    /// Whether no record may follow: the query is complete, or the last record had no results.
    ended: bool,
}

/// The part of a buffer that a result goes to.
struct BufferPart<'a> {
    caller: &'a Field,
    sizes: FieldSizes,
    offsets: Vec<u8>,
    data: &'a [u8],
    validity: &'a [u8],
}

impl QueryState {
    /// Has the server read, write or delete.
    pub(super) unsafe fn submit_to_server(&mut self, step: QueryStep) -> Result<()> {
        if !self.query.check_sendable()? {
            return Ok(());
        }
        let given = self.fields.iter().map(Field::given);
        self.query.check_sent_fields(&given.collect::<Vec<_>>())?;
        let query = &self.query;
        if query.request().query_type == QueryType::Write
            && query.request().layout == Layout::GlobalOrder
        {
            // SAFETY: the caller keeps the buffers valid and unchanged during the submit.
            return unsafe { self.submit_in_tiles(step) };
        }
        // SAFETY: the caller keeps the buffers valid and unchanged during the submit.
        unsafe { self.run_on_server(step) }
    }

    /// Sends the complete tiles of a write in global order, or all cells with the last submit.
    unsafe fn submit_in_tiles(&mut self, step: QueryStep) -> Result<()> {
        let QueryState {
            query,
            fields,
            partial,
            ..
        } = self;
        let width = query.request().written_form()?.width;
        // SAFETY: the caller keeps the buffers valid and unchanged during the submit.
        let cells = unsafe { written_cells(query, fields, width)? };
        let split = partial.split(query, &cells, step == QueryStep::SubmitAndFinalize)?;
        if split.sends() {
            let rest = split.rest()?;
            let sent = partial.content(&split)?;
            let fields: Vec<&Field> = fields.iter().collect();
            // SAFETY: the caller keeps the pointers to the sizes valid.
            let mut headers = unsafe { headers(&fields) };
            for (header, field) in headers.iter_mut().zip(&sent) {
                let set = |buffer: &mut Option<BufferSize>, size| {
                    if let Some(buffer) = buffer {
                        buffer.size = size;
                    }
                };
                set(&mut header.data, field.sizes.data);
                set(&mut header.offsets, field.sizes.offsets);
                set(&mut header.validity, field.sizes.validity);
            }
            let encoding = MessageEncoding::Capnp;
            let message = write_query(query, &headers, Side::Client, encoding)?;
            let mut parts = vec![Cow::Owned(message)];
            parts.extend(sent.into_iter().flat_map(|field| field.parts));
            let call = QueryCall::new(query)?;
            let max_bytes = query.request().max_message()?;
            let mut take = |message: &[u8]| {
                let (received, _) = read_query(message, query, encoding)?;
                query.receive_step(received, &[]);
                Ok(ControlFlow::Continue(()))
            };
            rest::run_query(&call, step, parts, max_bytes, &mut || {}, &mut take)?;
            *partial = rest;
        } else {
            partial.append(&split)?;
            query.begin_served();
        }
        Ok(())
    }

    /// Has the server complete a write. It has nothing to do unless the write has to continue.
    pub(super) unsafe fn finalize_on_server(&mut self) -> Result<()> {
        let query = &self.query;
        match (query.request().query_type, query.status()) {
            (QueryType::Write, QueryStatus::Uninitialized | QueryStatus::Completed)
                if query.request().layout != Layout::GlobalOrder =>
            {
                Ok(())
            }
            (QueryType::Write, QueryStatus::Uninitialized) if self.partial.is_empty() => Ok(()),
            (QueryType::Write, _) if query.request().layout == Layout::GlobalOrder => {
                Err(RestError::FinalizeAlone.into())
            }
            // SAFETY: as for this function.
            (QueryType::Write, _) => unsafe { self.run_on_server(QueryStep::Finalize) },
            _ => Ok(()),
        }
    }

    /// Initializes the query by the plan of the server, and returns that as JSON.
    pub(super) unsafe fn plan_on_server(&mut self) -> Result<String> {
        // SAFETY: as for this function.
        let request = unsafe { self.plan_request()? };
        let plan = rest::query_plan(&self.query, request)?;
        let names: Vec<&str> = self.fields.iter().map(|field| &field.name[..]).collect();
        Ok(self.query.initialize_by(&plan, &names))
    }

    /// Sends the query to the server, and copies the results of a read to the caller's buffers.
    unsafe fn run_on_server(&mut self, step: QueryStep) -> Result<()> {
        let before = self.query.served_progress();
        let call = QueryCall::new(&self.query)?;
        let form = match self.query.request().query_type {
            QueryType::Read => Some(self.query.request().result_form()?),
            _ => None,
        };
        // SAFETY: the caller keeps the buffers valid and unchanged during the call.
        let parts = unsafe { self.message_parts(MessageEncoding::Capnp, Side::Client)? };
        let capacities = self.fields.iter().map(Field::capacity);
        let max_bytes = capacities.fold(self.query.request().max_message()?, u64::saturating_add);
        let records: RefCell<Records> = RefCell::default();
        let mut take = |message: &[u8]| {
            // SAFETY: the caller keeps the buffers and their sizes valid.
            unsafe { self.receive_record(message, form, &mut records.borrow_mut()) }
        };
        let mut restart = || *records.borrow_mut() = Records::default();
        let run = rest::run_query(&call, step, parts, max_bytes, &mut restart, &mut take);
        if run.is_err() {
            self.query.restore_progress(before);
        }
        run
    }

    /// Sets the state from a record of a response. Results follow those of earlier records; if they
    /// do not fit, the read is incomplete after the earlier ones.
    unsafe fn receive_record(
        &mut self,
        bytes: &[u8],
        form: Option<OffsetsForm>,
        records: &mut Records,
    ) -> Result<ControlFlow<()>> {
        let (received, fields) = read_query(bytes, &self.query, MessageEncoding::Capnp)?;
        if records.ended {
            return Err(RestError::RecordAfterEnd.into());
        }
        records.ended = received.status != QueryStatus::Incomplete || !received.has_results;
        let filled = &mut records.filled;
        let names: Vec<&str> = self.fields.iter().map(|field| &field.name[..]).collect();
        let Some(form) = form else {
            self.query.receive_step(received, &names);
            return Ok(ControlFlow::Continue(()));
        };
        // The sizes of the buffers of a missing field would be those before the submit.
        let has = |name: &str| fields.iter().any(|field| field.name == name);
        if !names.iter().all(|name| has(name)) {
            let content = "the results of a field";
            return Err(RestError::NoData { content }.into());
        }
        let mut placed: Vec<BufferPart<'_>> = Vec::with_capacity(fields.len());
        for field in &fields {
            if placed.iter().any(|known| known.caller.name == field.name) {
                let name = field.name.clone();
                return Err(QueryMessageError::DuplicateField { name }.into());
            }
            match place(&self.fields, field, bytes, form, filled)? {
                Some(part) => placed.push(part),
                None if filled.is_empty() => {
                    let name = field.name.clone();
                    return Err(QueryMessageError::BufferTooSmall { name }.into());
                }
                None => {
                    self.query.stop_for_buffers();
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        for part in &placed {
            let start = start_of(part, form);
            // SAFETY: the results fit, and the caller keeps the buffers and their sizes valid.
            unsafe {
                part.caller.offsets.put_at(start, &part.offsets);
                part.caller.data.put_at(part.sizes.data, part.data);
                part.caller
                    .validity
                    .put_at(part.sizes.validity, part.validity);
            }
        }
        let ends = placed.iter().map(|part| {
            let sizes = FieldSizes {
                data: part.sizes.data + part.data.len() as u64,
                offsets: start_of(part, form) + part.offsets.len() as u64,
                validity: part.sizes.validity + part.validity.len() as u64,
            };
            (part.caller.name.clone(), sizes)
        });
        *filled = ends.collect();
        self.query.receive_step(received, &names);
        Ok(ControlFlow::Continue(()))
    }

    /// Requests the estimated sizes of results from the server, unless they are known.
    pub(super) unsafe fn load_estimates(&mut self) -> Result<()> {
        if !self.query.needs_estimates() {
            return Ok(());
        }
        // SAFETY: the caller keeps the buffers valid and unchanged during the call.
        let parts = unsafe { self.message_parts(MessageEncoding::Capnp, Side::Client)? };
        let estimates = rest::load_estimates(&self.query, parts)?;
        self.query.receive_estimates(estimates);
        Ok(())
    }
}

/// Returns where the offsets of a part begin: the extra offset of earlier results is replaced.
fn start_of(part: &BufferPart<'_>, form: OffsetsForm) -> u64 {
    let extra = if form.extra { form.width as u64 } else { 0 };
    part.sizes.offsets.saturating_sub(extra)
}

/// Returns where the results of a field go after earlier ones; `None` if they do not fit.
fn place<'a>(
    fields: &'a FieldList,
    field: &MessageField,
    bytes: &'a [u8],
    form: OffsetsForm,
    filled: &[(String, FieldSizes)],
) -> Result<Option<BufferPart<'a>>> {
    let Some(caller) = fields.find(&field.name) else {
        return Ok(None);
    };
    let content = field.content(bytes)?;
    field.check_offsets(&content, form)?;
    let earlier = filled.iter().find(|(name, _)| *name == field.name);
    let sizes = earlier.map_or_else(FieldSizes::default, |(_, sizes)| *sizes);
    let part = BufferPart {
        caller,
        sizes,
        offsets: shifted(content.offsets, sizes.data / field.offset_unit(form), form)?,
        data: content.data,
        validity: content.validity,
    };
    let fits = caller
        .offsets
        .fits(start_of(&part, form) + part.offsets.len() as u64)
        && caller.data.fits(sizes.data + part.data.len() as u64)
        && caller
            .validity
            .fits(sizes.validity + part.validity.len() as u64);
    Ok(fits.then_some(part))
}

/// Returns offsets plus the number of bytes or elements before them.
fn shifted(offsets: &[u8], shift: u64, form: OffsetsForm) -> Result<Vec<u8>> {
    let mut shifted = tiledb_engine::internal::error::try_vec("offsets of results", offsets.len())?;
    shifted.copy_from_slice(offsets);
    if shift == 0 {
        return Ok(shifted);
    }
    for offset in shifted.chunks_exact_mut(form.width) {
        let mut value = [0; 8];
        if let Some(to) = value.get_mut(..form.width) {
            to.copy_from_slice(offset);
        }
        let value = u64::from_le_bytes(value).wrapping_add(shift).to_le_bytes();
        offset.copy_from_slice(value.get(..form.width).unwrap_or_default());
    }
    Ok(shifted)
}
