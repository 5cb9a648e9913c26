//! Queries on arrays whose files a server has: the server runs them, and the results are copied to
//! the caller's buffers as they arrive.

use std::cell::RefCell;

use tiledb_engine::buffers::{FieldSizes, OffsetsForm};
use tiledb_engine::error::{QueryMessageError, RestError};
use tiledb_engine::rest::{self, QueryCall, QueryStep, RecordFlow};
use tiledb_engine::serialization::{MessageEncoding, ReceivedField, Side, read_query};
use tiledb_engine::types::{Layout, QueryStatus, QueryType};

use super::QueryState;
use super::buffers::Field;
use crate::prelude::*;

/// The size in bytes that the message of a query can have in addition to the caller's buffers: it
/// contains the metadata of the fragments.
const MAX_MESSAGE_BYTES: u64 = 2 << 30;

/// The bytes that the records of one response have filled so far, by field.
type Filled = Vec<(String, FieldSizes)>;

/// The part of a buffer that a result goes to.
struct Placed<'a> {
    own: &'a Field,
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
        if step == QueryStep::Submit && self.query.query_type() == QueryType::Write {
            // SAFETY: the caller keeps the pointers to the sizes valid.
            let cells = unsafe { self.cell_num()? };
            self.query.check_whole_tiles(cells)?;
        }
        // SAFETY: the caller keeps the buffers valid and unchanged during the submit.
        unsafe { self.run_on_server(step) }
    }

    /// Completes a write. The server has nothing to do unless the write has to continue.
    pub(super) unsafe fn finalize_on_server(&mut self) -> Result<()> {
        let query = &self.query;
        match (query.query_type(), query.status()) {
            (QueryType::Write, QueryStatus::Uninitialized | QueryStatus::Completed)
                if query.layout() != Layout::GlobalOrder =>
            {
                Ok(())
            }
            (QueryType::Write, QueryStatus::Uninitialized) => Ok(()),
            (QueryType::Write, _) if query.layout() == Layout::GlobalOrder => {
                Err(RestError::FinalizeAlone.into())
            }
            // SAFETY: the caller keeps the buffers valid and unchanged during the call.
            (QueryType::Write, _) => unsafe { self.run_on_server(QueryStep::Finalize) },
            _ => Ok(()),
        }
    }

    unsafe fn run_on_server(&mut self, step: QueryStep) -> Result<()> {
        let call = QueryCall::new(&self.query)?;
        let form = match self.query.query_type() {
            QueryType::Read => Some(self.query.result_form()?),
            _ => None,
        };
        // SAFETY: the caller keeps the buffers valid and unchanged during the call.
        let parts = unsafe { self.message_parts(MessageEncoding::Capnp, Side::Client)? };
        let most = self.fields.iter().map(Field::capacity);
        let most = most.fold(MAX_MESSAGE_BYTES, u64::saturating_add);
        let filled: RefCell<Filled> = RefCell::default();
        let mut take = |message: &[u8]| {
            // SAFETY: the caller keeps the buffers and their sizes valid.
            unsafe { self.receive_record(message, form, &mut filled.borrow_mut()) }
        };
        let mut restart = || filled.borrow_mut().clear();
        rest::run_query(&call, step, parts, most, &mut take, &mut restart)
    }

    /// Sets the state from a record of a response. Results follow those of earlier records; if they
    /// do not fit, the read is incomplete after the earlier ones.
    unsafe fn receive_record(
        &mut self,
        bytes: &[u8],
        form: Option<OffsetsForm>,
        filled: &mut Filled,
    ) -> Result<RecordFlow> {
        let (received, fields) = read_query(bytes, &self.query, MessageEncoding::Capnp)?;
        let Some(form) = form else {
            self.query.receive_step(received);
            return Ok(RecordFlow::Continue);
        };
        let mut placed = Vec::with_capacity(fields.len());
        for field in &fields {
            match place(&self.fields, field, bytes, form, filled)? {
                Some(part) => placed.push(part),
                None if filled.is_empty() => {
                    let name = field.name.clone();
                    return Err(QueryMessageError::BufferTooSmall { name }.into());
                }
                None => {
                    self.query.stop_for_buffers();
                    return Ok(RecordFlow::Stop);
                }
            }
        }
        for part in &placed {
            let start = start_of(part, form);
            // SAFETY: the results fit, and the caller keeps the buffers and their sizes valid.
            unsafe {
                part.own.offsets.put_at(start, &part.offsets);
                part.own.data.put_at(part.sizes.data, part.data);
                part.own.validity.put_at(part.sizes.validity, part.validity);
            }
        }
        let ends = placed.iter().map(|part| {
            let sizes = FieldSizes {
                data: part.sizes.data + part.data.len() as u64,
                offsets: start_of(part, form) + part.offsets.len() as u64,
                validity: part.sizes.validity + part.validity.len() as u64,
            };
            (part.own.name.clone(), sizes)
        });
        *filled = ends.collect();
        self.query.receive_step(received);
        Ok(RecordFlow::Continue)
    }

    /// Returns the number of cells of the buffers of a write.
    unsafe fn cell_num(&self) -> Result<u64> {
        let mut most = 0;
        for field in &self.fields {
            // SAFETY: the caller keeps the pointers to the sizes valid.
            let (data, offsets) = unsafe { (field.data.header(), field.offsets.header()) };
            most = most.max(match (offsets, data) {
                (Some(offsets), _) => offsets.size / 8,
                (None, Some(data)) => data.size / self.query.cell_size(&field.name).max(1),
                (None, None) => 0,
            });
        }
        Ok(most)
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

    /// Requests the plan of the query from the server.
    pub(crate) unsafe fn plan_of_server(&mut self) -> Result<String> {
        // SAFETY: the caller keeps the pointers to the sizes valid.
        let request = unsafe { self.plan_request()? };
        let plan = rest::query_plan(&self.query, request)?;
        let names: Vec<&str> = self.fields.iter().map(|field| &field.name[..]).collect();
        Ok(self.query.initialize_by(&plan, &names))
    }
}

/// Returns where the offsets of a part begin: the extra offset of earlier results is replaced.
fn start_of(part: &Placed<'_>, form: OffsetsForm) -> u64 {
    let extra = if form.extra { form.width as u64 } else { 0 };
    part.sizes.offsets.saturating_sub(extra)
}

/// Returns where the results of a field go after earlier ones; `None` if they do not fit.
fn place<'a>(
    own: &'a [Field],
    field: &ReceivedField,
    bytes: &'a [u8],
    form: OffsetsForm,
    filled: &Filled,
) -> Result<Option<Placed<'a>>> {
    let Some(own) = own.iter().find(|own| own.name == field.name) else {
        return Ok(None);
    };
    let content = field.content(bytes)?;
    let earlier = filled.iter().find(|(name, _)| *name == field.name);
    let sizes = earlier.map_or_else(FieldSizes::default, |(_, sizes)| *sizes);
    let part = Placed {
        own,
        sizes,
        offsets: shifted(content.offsets, sizes.data / field.offset_unit(form), form)?,
        data: content.data,
        validity: content.validity,
    };
    let fits = own
        .offsets
        .fits(start_of(&part, form) + part.offsets.len() as u64)
        && own.data.fits(sizes.data + part.data.len() as u64)
        && own
            .validity
            .fits(sizes.validity + part.validity.len() as u64);
    Ok(fits.then_some(part))
}

/// Returns offsets plus the number of bytes or elements before them.
fn shifted(offsets: &[u8], shift: u64, form: OffsetsForm) -> Result<Vec<u8>> {
    let mut shifted = tiledb_engine::error::try_vec("offsets of results", offsets.len())?;
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
