//! Queries: buffers of fields, submits, what came of them.

use std::sync::Arc;

use parking_lot::Mutex;
use tiledb_engine::array::Array;
use tiledb_engine::query::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::query::{BufferKind, Query};
use tiledb_engine::types::{QueryStatus, QueryType};

use crate::prelude::*;

/// A buffer of the caller: where it starts, where its size stands, and the size when it was set.
#[derive(Clone, Copy)]
pub(crate) struct CallerBuffer {
    start: *mut u8,
    size: *mut u64,
    room: u64,
}

impl CallerBuffer {
    const NONE: Self = Self {
        start: std::ptr::null_mut(),
        size: std::ptr::null_mut(),
        room: 0,
    };

    fn is_set(&self) -> bool {
        !self.size.is_null()
    }

    /// The buffer to fill.
    unsafe fn room<'a>(&self) -> Option<&'a mut [u8]> {
        // SAFETY: the caller keeps what it set valid during submits; overlaps were refused.
        self.is_set()
            .then(|| unsafe { slice_mut(self.start, self.room) })
    }

    /// What the buffer holds now.
    unsafe fn content<'a>(&self) -> Result<Option<&'a [u8]>> {
        if !self.is_set() {
            return Ok(None);
        }
        // SAFETY: the caller keeps what it set valid during submits.
        unsafe { arg::bytes(self.start.cast(), *self.size, "buffer").map(Some) }
    }

    /// Tells the caller how much was delivered.
    unsafe fn tell(&self, delivered: u64) {
        if self.is_set() {
            // SAFETY: the caller keeps the size valid during submits.
            unsafe { self.size.write(delivered) };
        }
    }
}

/// A slice of the caller's memory; an empty one where there is none.
unsafe fn slice_mut<'a>(start: *mut u8, len: u64) -> &'a mut [u8] {
    match usize::try_from(len) {
        Ok(len) if len > 0 && !start.is_null() => {
            // SAFETY: the caller's contract.
            unsafe { std::slice::from_raw_parts_mut(start, len.min(isize::MAX as usize)) }
        }
        _ => &mut [],
    }
}

/// The buffers of one field.
pub(crate) struct Field {
    name: String,
    data: CallerBuffer,
    offsets: CallerBuffer,
    validity: CallerBuffer,
}

impl Field {
    fn buffer(&mut self, kind: BufferKind) -> &mut CallerBuffer {
        match kind {
            BufferKind::Data => &mut self.data,
            BufferKind::Offsets => &mut self.offsets,
            BufferKind::Validity => &mut self.validity,
        }
    }
}

/// What of a query changes.
pub(crate) struct QueryState {
    query: Query,
    fields: Vec<Field>,
}

// SAFETY: the pointers are the caller's buffers, used under the lock and only during submits.
unsafe impl Send for QueryState {}

/// A query: what it does, and the caller's buffers.
pub struct tiledb_query_t {
    pub(crate) state: Mutex<QueryState>,
    kept: kept::Kept,
}

/// Adds the new value of a field to an update.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param field_name The attribute.
/// @param update_value The new value.
/// @param update_value_size Its size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_update_value(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    field_name: *const c_char,
    update_value: *const c_void,
    update_value_size: u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, field_name, update_value, update_value_size);
        entry::not_implemented(ctx, "tiledb_query_add_update_value")
    }
}

impl tiledb_query_t {
    fn new(array: &Arc<Array>, query_type: QueryType) -> Result<Self> {
        let state = QueryState {
            query: Query::new(array, query_type)?,
            fields: Vec::new(),
        };
        Ok(Self {
            state: Mutex::new(state),
            kept: kept::Kept::default(),
        })
    }

    unsafe fn set_buffer(
        &self,
        name: &str,
        kind: BufferKind,
        start: *mut u8,
        size: *mut u64,
    ) -> Result<()> {
        let mut state = self.state.lock();
        let wrong = |message: &str| Err(Error::usage("[TileDB::Query] Error", message));
        state.query.check_buffer(name, kind)?;
        if size.is_null() {
            return wrong("Cannot set buffer; a buffer size is null");
        }
        // SAFETY: not null; the caller's contract.
        let room = unsafe { *size };
        if start.is_null() && room > 0 {
            return wrong("Cannot set buffer; a buffer is null");
        }
        let buffer = CallerBuffer { start, size, room };
        if let Some(field) = state.fields.iter_mut().find(|field| field.name == name) {
            *field.buffer(kind) = buffer;
            return Ok(());
        }
        let none = CallerBuffer::NONE;
        let mut field = Field {
            name: name.to_owned(),
            data: none,
            offsets: none,
            validity: none,
        };
        *field.buffer(kind) = buffer;
        state.fields.push(field);
        Ok(())
    }

    fn buffer(&self, name: &str, kind: BufferKind) -> Result<CallerBuffer> {
        let mut state = self.state.lock();
        state.query.check_buffer(name, kind)?;
        let field = state.fields.iter_mut().find(|field| field.name == name);
        Ok(field.map_or(CallerBuffer::NONE, |field| *field.buffer(kind)))
    }

    /// Submits with slices of the caller's buffers, made for this call alone.
    unsafe fn submit(&self) -> Result<()> {
        let QueryState { query, fields } = &mut *self.state.lock();
        if query.query_type() == QueryType::Write {
            let mut cells = Vec::with_capacity(fields.len());
            for field in fields {
                // SAFETY: the caller's buffers, only read.
                let (data, offsets, validity) = unsafe {
                    (
                        field.data.content()?,
                        field.offsets.content()?,
                        field.validity.content()?,
                    )
                };
                cells.push(FieldCells {
                    name: &field.name,
                    data,
                    offsets,
                    validity,
                });
            }
            return query.write(&cells);
        }
        refuse_overlaps(fields)?;
        let mut buffers = Vec::with_capacity(fields.len());
        for field in &*fields {
            // SAFETY: the caller's buffers, which do not overlap.
            let (data, offsets, validity) = unsafe {
                (
                    field.data.room(),
                    field.offsets.room(),
                    field.validity.room(),
                )
            };
            buffers.push(FieldBuffers {
                name: &field.name,
                data,
                offsets,
                validity,
            });
        }
        let delivered = query.read(&mut buffers)?;
        for (field, sizes) in fields.iter().zip(delivered) {
            // SAFETY: the caller's sizes.
            unsafe {
                field.data.tell(sizes.data);
                field.offsets.tell(sizes.offsets);
                field.validity.tell(sizes.validity);
            }
        }
        Ok(())
    }
}

/// Two buffers to fill must not share a byte.
fn refuse_overlaps(fields: &[Field]) -> Result<()> {
    let buffers = fields.iter().flat_map(|field| {
        [
            (field, field.data),
            (field, field.offsets),
            (field, field.validity),
        ]
    });
    let mut spans: Vec<(usize, u64, &str)> = buffers
        .filter(|(_, buffer)| buffer.is_set() && buffer.room > 0)
        .map(|(field, buffer)| (buffer.start as usize, buffer.room, &*field.name))
        .collect();
    spans.sort_unstable();
    for pair in spans.windows(2) {
        if (pair[0].0 as u64).saturating_add(pair[0].1) > pair[1].0 as u64 {
            return Err(Error::usage(
                "[TileDB::Query] Error",
                format!("Buffers of '{}' and '{}' overlap", pair[0].2, pair[1].2),
            ));
        }
    }
    Ok(())
}

/// Makes a query on an array, which must be open for `query_type`.
///
/// The array may be closed or freed before the query; a submit then fails. Free the query with
/// `tiledb_query_free`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array An open array.
/// @param query_type What the query does; must be what the array is open for.
/// @param query Receives the query, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_alloc(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
    query: *mut *mut tiledb_query_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let array = handle::borrow(array)?;
            let to = arg::out(query, "query")?;
            let query_type = arg::query_type(query_type)?;
            to.set(Box::into_raw(Box::new(tiledb_query_t::new(
                &array.array,
                query_type,
            )?)));
            Ok(())
        })
    }
}

/// Ends a write in global order and makes it visible. Nothing happens for other queries.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            handle::borrow(query)?.state.lock().query.finalize()
        })
    }
}

/// Frees a query and sets the pointer to null. Null is fine at both levels. A write in global order
/// that was not finalized leaves nothing behind.
///
/// @param query The query to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_free(query: *mut *mut tiledb_query_t) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(query);
    }
}

/// Makes another handle of the array that the query was made for.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param array Receives the array, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_array(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?.state.lock().query.array().clone();
            handle::make(array, "array", tiledb_array_t::new(found))
        })
    }
}

/// Makes a copy of the configuration of the query.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param config Receives the configuration, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?.state.lock().query.config().clone();
            handle::make(config, "config", tiledb_config_t::new(found))
        })
    }
}

/// Tells the buffer that was set for the values of a field.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer Receives the buffer, null where none is set.
/// @param buffer_size Receives the pointer to its size in bytes, null where none is set.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_data_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut c_void,
    buffer_size: *mut *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let name = arg::text(name, "name")?;
            let found = handle::borrow(query)?.buffer(name, BufferKind::Data)?;
            arg::out(buffer, "buffer")?.set(found.start.cast());
            arg::out(buffer_size, "buffer_size")?.set(found.size);
            Ok(())
        })
    }
}

/// Estimates how many bytes a read delivers for a field of fixed size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size Receives the bytes of the values.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let state = handle::borrow(query)?.state.lock();
            let to_data = arg::out(size, "size")?;
            let sizes = state
                .query
                .estimate(arg::text(name, "name")?, false, false)?;
            to_data.set(sizes.data);
            Ok(())
        })
    }
}

/// Estimates how many bytes a read delivers for a nullable attribute of fixed size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size_val Receives the bytes of the values.
/// @param size_validity Receives the bytes of the validity.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let state = handle::borrow(query)?.state.lock();
            let (to_data, to_validity) = (
                arg::out(size_val, "size_val")?,
                arg::out(size_validity, "size_validity")?,
            );
            let sizes = state
                .query
                .estimate(arg::text(name, "name")?, false, true)?;
            to_data.set(sizes.data);
            to_validity.set(sizes.validity);
            Ok(())
        })
    }
}

/// Estimates how many bytes a read delivers for a field of variable size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size_off Receives the bytes of the offsets.
/// @param size_val Receives the bytes of the values.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let state = handle::borrow(query)?.state.lock();
            let (to_offsets, to_data) = (
                arg::out(size_off, "size_off")?,
                arg::out(size_val, "size_val")?,
            );
            let sizes = state
                .query
                .estimate(arg::text(name, "name")?, true, false)?;
            to_offsets.set(sizes.offsets);
            to_data.set(sizes.data);
            Ok(())
        })
    }
}

/// Estimates how many bytes a read delivers for a nullable attribute of variable size.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param size_off Receives the bytes of the offsets.
/// @param size_val Receives the bytes of the values.
/// @param size_validity Receives the bytes of the validity.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let state = handle::borrow(query)?.state.lock();
            let (to_offsets, to_data, to_validity) = (
                arg::out(size_off, "size_off")?,
                arg::out(size_val, "size_val")?,
                arg::out(size_validity, "size_validity")?,
            );
            let sizes = state.query.estimate(arg::text(name, "name")?, true, true)?;
            to_offsets.set(sizes.offsets);
            to_data.set(sizes.data);
            to_validity.set(sizes.validity);
            Ok(())
        })
    }
}

/// Tells how many fragments a write has made.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param num Receives the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    num: *mut u32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let written = handle::borrow(query)?.state.lock().query.written_num()?;
            arg::out(num, "num")?.set(written);
            Ok(())
        })
    }
}

/// Tells when a fragment that a write has made counts as written, in milliseconds since 1970.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param idx The index of the fragment, from 0.
/// @param t1 Receives the first time.
/// @param t2 Receives the last time.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    idx: u64,
    t1: *mut u64,
    t2: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let state = handle::borrow(query)?.state.lock();
            let found = state
                .query
                .written_fragment(idx, "fragment timestamp range")?
                .timestamps;
            let (t1, t2) = (arg::out(t1, "t1")?, arg::out(t2, "t2")?);
            t1.set(found.start);
            t2.set(found.end);
            Ok(())
        })
    }
}

/// Lends the URI of a fragment that a write has made.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param idx The index of the fragment, from 0.
/// @param uri Receives the URI, valid as long as the query.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    idx: u64,
    uri: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            let found = query
                .state
                .lock()
                .query
                .written_fragment(idx, "fragment URI")?
                .uri
                .clone();
            arg::out(uri, "uri")?.set(query.kept.text(found.as_str()));
            Ok(())
        })
    }
}

/// Tells the order of cells.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param query_layout Receives the layout.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_layout: *mut tiledb_layout_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let layout = handle::borrow(query)?.state.lock().query.layout();
            arg::out(query_layout, "query_layout")?.set(layout.code().into());
            Ok(())
        })
    }
}

/// Tells the buffer that was set for the offsets of a field.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer Receives the buffer, null where none is set.
/// @param buffer_size Receives the pointer to its size in bytes, null where none is set.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_offsets_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut u64,
    buffer_size: *mut *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let name = arg::text(name, "name")?;
            let found = handle::borrow(query)?.buffer(name, BufferKind::Offsets)?;
            arg::out(buffer, "buffer")?.set(found.start.cast());
            arg::out(buffer_size, "buffer_size")?.set(found.size);
            Ok(())
        })
    }
}

/// Tells how many fragments the query has to look at.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param relevant_fragment_num Receives the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_relevant_fragment_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    relevant_fragment_num: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?
                .state
                .lock()
                .query
                .relevant_fragment_num();
            arg::out(relevant_fragment_num, "relevant_fragment_num")?.set(found);
            Ok(())
        })
    }
}

/// Tells what the context of the query has counted and timed, as JSON.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param stats_json Receives the text; free it with `tiledb_stats_free_str`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_stats(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    stats_json: *mut *mut c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let text = handle::borrow(query)?.state.lock().query.stats();
            arg::out(stats_json, "stats_json")?.set(kept::given(&text)?);
            Ok(())
        })
    }
}

/// Tells how far the query has come.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param status Receives the status.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status: *mut tiledb_query_status_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?.state.lock().query.status();
            arg::out(status, "status")?.set(found.code().into());
            Ok(())
        })
    }
}

/// Tells why the query is incomplete: buffers too small, or the memory budget.
///
/// Status: experimental.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param status_details Receives the reason.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status_details(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status_details: *mut tiledb_query_status_details_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let reason = handle::borrow(query)?.state.lock().query.reason();
            let details = tiledb_query_status_details_t {
                incomplete_reason: reason.code().into(),
            };
            arg::out(status_details, "status_details")?.set(details);
            Ok(())
        })
    }
}

/// Makes a copy of what the query reads or writes.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param subarray Receives the subarray, which the caller owns.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    subarray: *mut *mut tiledb_subarray_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let ranges = handle::borrow(query)?.state.lock().query.subarray().clone();
            handle::make(subarray, "subarray", tiledb_subarray_t::new(ranges))
        })
    }
}

/// Tells what the query does.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param query_type Receives the query type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_type(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?.state.lock().query.query_type();
            arg::out(query_type, "query_type")?.set(found.code().into());
            Ok(())
        })
    }
}

/// Tells the buffer that was set for the validity of a field.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer Receives the buffer, null where none is set.
/// @param buffer_size Receives the pointer to its size in bytes, null where none is set.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_validity_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut u8,
    buffer_size: *mut *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let name = arg::text(name, "name")?;
            let found = handle::borrow(query)?.buffer(name, BufferKind::Validity)?;
            arg::out(buffer, "buffer")?.set(found.start);
            arg::out(buffer_size, "buffer_size")?.set(found.size);
            Ok(())
        })
    }
}

/// Tells whether the last submit of a read delivered any cell.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param has_results Receives 1 or 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_has_results(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    has_results: *mut i32,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let found = handle::borrow(query)?.state.lock().query.has_results();
            arg::out(has_results, "has_results")?.set(i32::from(found));
            Ok(())
        })
    }
}

/// Sets the condition that cells of a read, or of a delete, must meet; the query keeps a copy.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param cond The condition.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_condition(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    cond: *const tiledb_query_condition_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        let _ = (ctx, query, cond);
        entry::not_implemented(ctx, "tiledb_query_set_condition")
    }
}

/// Sets parameters for this query alone. Only before the first submit.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param config The configuration.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut tiledb_config_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            let config = handle::borrow(config)?.config();
            query.state.lock().query.set_config(&config)
        })
    }
}

/// Sets the buffer for the values of a field. The buffer stays the caller's and must outlive the
/// submits. For reads the size says how much room there is when the buffer is set, and each submit
/// overwrites it with what was delivered; for writes it says how many bytes to take at the submit.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer The values.
/// @param buffer_size Its size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_data_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut c_void,
    buffer_size: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let name = arg::text(name, "name")?;
            let buffer = buffer.cast();
            handle::borrow(query)?.set_buffer(name, BufferKind::Data, buffer, buffer_size)
        })
    }
}

/// Sets the order of cells in the buffers. Default: row-major for dense arrays, unordered for
/// sparse ones. Only before the first submit.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param layout `TILEDB_ROW_MAJOR`, `TILEDB_COL_MAJOR`, `TILEDB_GLOBAL_ORDER` or
///   `TILEDB_UNORDERED`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    layout: tiledb_layout_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            query.state.lock().query.set_layout(arg::layout(layout)?)
        })
    }
}

/// Sets the buffer for the offsets of a field of variable length: where each cell starts in its
/// values, by default in bytes and as 64-bit integers (`sm.var_offsets.*`). The buffer stays the
/// caller's and must outlive the submits. For reads the size says how much room there is when the
/// buffer is set, and each submit overwrites it with what was delivered; for writes it says how
/// many bytes to take at the submit.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer The offsets.
/// @param buffer_size Its size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_offsets_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut u64,
    buffer_size: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let name = arg::text(name, "name")?;
            let buffer = buffer.cast();
            handle::borrow(query)?.set_buffer(name, BufferKind::Offsets, buffer, buffer_size)
        })
    }
}

/// Sets what the query reads or writes; the query keeps a copy. Dense reads need one; dense writes
/// without one write the whole domain; sparse writes take none.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param subarray The subarray.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    subarray: *const tiledb_subarray_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            let subarray = handle::borrow(subarray)?;
            query
                .state
                .lock()
                .query
                .set_subarray(&subarray.ranges.read())
        })
    }
}

/// Sets the buffer for the validity of a nullable attribute: a byte per cell, 0 for null. The
/// buffer stays the caller's and must outlive the submits. For reads the size says how much room
/// there is when the buffer is set, and each submit overwrites it with what was delivered; for
/// writes it says how many bytes to take at the submit.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer The validity.
/// @param buffer_size Its size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_validity_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut u8,
    buffer_size: *mut u64,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let name = arg::text(name, "name")?;
            handle::borrow(query)?.set_buffer(name, BufferKind::Validity, buffer, buffer_size)
        })
    }
}

/// Finds the value of a text that `tiledb_query_status_to_str` gives.
///
/// @param str The text.
/// @param query_status Receives the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_status_from_str(
    str: *const c_char,
    query_status: *mut tiledb_query_status_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = QueryStatus::from_name(arg::text(str, "str")?);
            let value = value.ok_or_else(|| Error::usage("C API", "Unknown query status"))?;
            arg::out(query_status, "query_status")?.set(value.code().into());
            Ok(())
        })
    }
}

/// Lends the text of a query status, valid for ever.
///
/// @param query_status The value.
/// @param str Receives the text.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_status_to_str(
    query_status: tiledb_query_status_t,
    str: *mut *const c_char,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = arg::known(
                QueryStatus::from_code(query_status),
                "query status",
                query_status,
            )?;
            arg::out(str, "str")?.set(kept::constant(value.name()));
            Ok(())
        })
    }
}

/// Reads or writes. A read that does not fit the buffers delivers what fits and stays incomplete:
/// empty the buffers and submit again for what follows. A write in global order takes the next
/// cells at each submit and ends with `tiledb_query_finalize`; other writes are complete, and
/// visible, when this returns.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::with_context(ctx, |_ctx| handle::borrow(query)?.submit()) }
}

/// Submits the last cells of a write in global order and ends it.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param query The query.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit_and_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_ctx| {
            let query = handle::borrow(query)?;
            query.state.lock().query.check_may_finalize()?;
            query.submit()?;
            query.state.lock().query.finalize()
        })
    }
}

/// Finds the value of a text that `tiledb_query_type_to_str` gives.
///
/// @param str The text.
/// @param query_type Receives the value.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_type_from_str(
    str: *const c_char,
    query_type: *mut tiledb_query_type_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = QueryType::from_name(arg::text(str, "str")?);
            let value = value.ok_or_else(|| Error::usage("C API", "Unknown query type"))?;
            arg::out(query_type, "query_type")?.set(value.code().into());
            Ok(())
        })
    }
}

/// Lends the text of what a query does, valid for ever.
///
/// @param query_type The value.
/// @param str Receives the text.
/// @return `TILEDB_OK`, or `TILEDB_ERR` for an unknown value or a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_type_to_str(
    query_type: tiledb_query_type_t,
    str: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::plain(|| {
            let value = arg::known(QueryType::from_code(query_type), "query type", query_type)?;
            arg::out(str, "str")?.set(kept::constant(value.name()));
            Ok(())
        })
    }
}
