//! The buffers of queries, by field.
//!
//! The caller's pointers are stored. They are converted to slices only during a submit.

use tiledb_engine::internal::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::internal::query::{BufferKind, Query};

use super::caller_buffer::CallerBuffer;
use super::field_list::FieldList;
use crate::arrow_data::{ArrowArray, ArrowSchema, ImportedArray};
use crate::prelude::*;

/// The buffers of one field.
#[derive(Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) data: CallerBuffer,
    pub(crate) offsets: CallerBuffer,
    pub(crate) validity: CallerBuffer,
}

impl Field {
    /// Returns the size of all buffers in bytes.
    pub(crate) fn capacity(&self) -> u64 {
        let buffers = [self.data, self.offsets, self.validity];
        buffers
            .iter()
            .fold(0, |sum, buffer| sum.saturating_add(buffer.capacity))
    }

    /// Returns which buffers are set, as buffers without content.
    pub(super) fn given(&self) -> FieldCells<'_> {
        let given = |buffer: &CallerBuffer| buffer.is_set().then_some(&[][..]);
        FieldCells {
            name: &self.name,
            data: given(&self.data),
            offsets: given(&self.offsets),
            validity: given(&self.validity),
        }
    }

    /// Returns whether no buffer has memory.
    pub(crate) fn is_unallocated(&self) -> bool {
        let buffers = [self.data, self.offsets, self.validity];
        buffers.iter().all(|buffer| buffer.start.is_null())
    }

    /// Creates a field without buffers.
    pub(super) fn without_buffers(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            data: CallerBuffer::NONE,
            offsets: CallerBuffer::NONE,
            validity: CallerBuffer::NONE,
        }
    }

    fn buffer(&self, kind: BufferKind) -> CallerBuffer {
        match kind {
            BufferKind::Data => self.data,
            BufferKind::Offsets => self.offsets,
            BufferKind::Validity => self.validity,
        }
    }

    fn buffer_mut(&mut self, kind: BufferKind) -> &mut CallerBuffer {
        match kind {
            BufferKind::Data => &mut self.data,
            BufferKind::Offsets => &mut self.offsets,
            BufferKind::Validity => &mut self.validity,
        }
    }
}

/// Returns the number of cells of a sparse write, which a buffer of a dimension of fixed size
/// determines.
pub(crate) unsafe fn coordinate_num(query: &Query, fields: &[Field]) -> Option<u64> {
    let dimensions = query.request().schema().domain.dimensions.iter();
    let mut fixed = dimensions.filter(|dimension| !dimension.is_var());
    fixed.find_map(|dimension| {
        let mut fields = fields.iter();
        let field = fields.find(|field| field.name == dimension.name)?;
        // SAFETY: the caller keeps the pointer to the size valid.
        let size = unsafe { field.data.current_size() }?;
        Some(size / dimension.datatype.size() as u64)
    })
}

/// Returns the cells of the buffers of a write with offsets of `width` bytes.
pub(crate) unsafe fn written_cells<'a>(
    query: &Query,
    fields: &'a [Field],
    width: usize,
) -> Result<Vec<FieldCells<'a>>> {
    // SAFETY: the caller keeps the pointers to the sizes valid.
    let cell_num = unsafe { coordinate_num(query, fields) };
    let cells = fields.iter().map(|field| {
        // SAFETY: the caller keeps the buffers valid as long as the result; they are only read.
        unsafe {
            Ok(FieldCells {
                name: &field.name,
                data: field.data.content()?,
                offsets: field.offsets.offsets(width, cell_num)?,
                validity: field.validity.content()?,
            })
        }
    });
    cells.collect()
}

/// Makes sure that no two buffers of a read overlap.
pub(crate) fn separate_buffers(query: &Query, fields: &mut [Field]) -> Result<()> {
    let Err(refused) = reject_overlaps(fields) else {
        return Ok(());
    };
    // The size counts eight bytes per offset, also for 32-bit offsets, as it does for writes.
    if query.request().offset_bits()? != 32 {
        return Err(refused);
    }
    fields.iter_mut().for_each(|field| field.offsets.halve());
    reject_overlaps(fields)
}

/// Returns the buffers of a read, for filling them. They must not overlap.
pub(crate) unsafe fn read_buffers(fields: &[Field]) -> Vec<FieldBuffers<'_>> {
    let buffers = fields.iter().map(|field| {
        // SAFETY: the caller keeps the buffers valid as long as the result, and they do not
        // overlap.
        unsafe {
            FieldBuffers {
                name: &field.name,
                data: field.data.bytes(),
                offsets: field.offsets.bytes(),
                validity: field.validity.bytes(),
            }
        }
    });
    buffers.collect()
}

/// Returns an error if two buffers of a read overlap.
pub(crate) fn reject_overlaps(fields: &[Field]) -> Result<()> {
    let buffers = fields.iter().flat_map(|field| {
        [
            (field, field.data),
            (field, field.offsets),
            (field, field.validity),
        ]
    });
    let mut spans: Vec<(usize, u64, &str)> = buffers
        .filter(|(_, buffer)| buffer.is_set() && buffer.capacity > 0)
        .map(|(field, buffer)| (buffer.start as usize, buffer.capacity, &*field.name))
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

impl tiledb_query_t {
    unsafe fn set_buffer(
        &self,
        name: &str,
        kind: BufferKind,
        start: *mut u8,
        size: *mut u64,
    ) -> Result<()> {
        let mut state = self.state.lock();
        let validity = if kind == BufferKind::Validity {
            "validity "
        } else {
            ""
        };
        let is_null = |subject: &str| {
            let message = format!("Cannot set buffer; {name} {validity}{subject} is null");
            Err(Error::usage("[TileDB::Query] Error", message))
        };
        let set = state.fields.iter().map(|field| &*field.name);
        let is_set = |name: &str| state.fields.find(name).is_some();
        state.query.request().check_coordinates(name, set, is_set)?;
        state.query.check_buffer(name, kind)?;
        if size.is_null() {
            return is_null("buffer size");
        }
        // SAFETY: checked not to be null; otherwise valid by the contract in lib.rs.
        let capacity = unsafe { *size };
        if start.is_null() && capacity > 0 {
            return is_null("buffer");
        }
        let buffer = CallerBuffer {
            start,
            size,
            capacity,
        };
        state.received_names.retain(|received| received != name);
        *state.fields.find_or_add(name).buffer_mut(kind) = buffer;
        Ok(())
    }

    /// Sets the buffers of a write to the children of an Arrow array, which is moved if all of them
    /// are accepted. Otherwise the query keeps the buffers that it has.
    pub(crate) unsafe fn import_arrow(
        &self,
        array: *mut ArrowArray,
        schema: *const ArrowSchema,
    ) -> Result<()> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        let mut imported = unsafe { ImportedArray::new(&self.state.lock().query, array, schema)? };
        let (fields, received_names) = {
            let state = self.state.lock();
            (state.fields.clone(), state.received_names.clone())
        };
        let set = imported.buffers.iter_mut().try_for_each(|buffer| {
            let (start, size) = buffer.pointers();
            // SAFETY: the buffers live as long as the imported array, which the query keeps; after
            // an error they are removed below.
            unsafe { self.set_buffer(&buffer.name, buffer.kind, start, size) }
        });
        let mut state = self.state.lock();
        if let Err(error) = set {
            state.fields = fields;
            state.received_names = received_names;
            return Err(error);
        }
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        unsafe { imported.take(array) };
        let replaced = state.arrow.take();
        let is_stale = |field: &Field| {
            let was_imported = replaced
                .as_ref()
                .is_some_and(|array| array.has(&field.name));
            was_imported && !imported.has(&field.name)
        };
        state.fields.retain(|field| !is_stale(field));
        state.arrow = Some(imported);
        // The program's callback that releases the array may use the query.
        drop(state);
        drop(replaced);
        Ok(())
    }

    fn unset_buffers(&self) {
        let mut state = self.state.lock();
        state.query.unset_buffers();
        state.fields = FieldList::default();
        state.received.clear();
        state.received_names.clear();
        let imported = state.arrow.take();
        // The program's callback that releases the array may use the query.
        drop(state);
        drop(imported);
    }

    fn buffer(&self, name: &str, kind: BufferKind) -> Result<CallerBuffer> {
        let state = self.state.lock();
        state.query.request().check_buffer_known(name, kind)?;
        let field = state.fields.find(name);
        Ok(field.map_or(CallerBuffer::NONE, |field| field.buffer(kind)))
    }
}

/// Gets the buffer that was set for the values of a field.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer Set to the buffer, or to null if it was not set.
/// @param buffer_size Set to the pointer to the size in bytes that was set with the buffer, or to
///   null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_data_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut c_void,
    buffer_size: *mut *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        let found = handle::borrow(query)?.buffer(name, BufferKind::Data)?;
        arg::out(buffer, "buffer")?.set(found.start.cast());
        arg::out(buffer_size, "buffer_size")?.set(found.size);
        Ok(())
    })
}

/// Gets the buffer that was set for the offsets of a field.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer Set to the buffer, or to null if it was not set.
/// @param buffer_size Set to the pointer to the size in bytes that was set with the buffer, or to
///   null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_offsets_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut u64,
    buffer_size: *mut *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        let found = handle::borrow(query)?.buffer(name, BufferKind::Offsets)?;
        arg::out(buffer, "buffer")?.set(found.start.cast());
        arg::out(buffer_size, "buffer_size")?.set(found.size);
        Ok(())
    })
}

/// Gets the buffer that was set for the validity of a field.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer Set to the buffer, or to null if it was not set.
/// @param buffer_size Set to the pointer to the size in bytes that was set with the buffer, or to
///   null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_validity_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut u8,
    buffer_size: *mut *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        let found = handle::borrow(query)?.buffer(name, BufferKind::Validity)?;
        arg::out(buffer, "buffer")?.set(found.start);
        arg::out(buffer_size, "buffer_size")?.set(found.size);
        Ok(())
    })
}

/// Sets the buffer for the values of a field. The buffer and its size must stay valid until the
/// query is freed or another buffer is set for the field. For reads, the size at the time of this
/// call is the capacity of the buffer, and each submit overwrites it with the number of delivered
/// bytes. For writes, the size at the time of the submit is the number of bytes to write.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer The values.
/// @param buffer_size Pointer to the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_data_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut c_void,
    buffer_size: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        let buffer = buffer.cast();
        handle::borrow(query)?.set_buffer(name, BufferKind::Data, buffer, buffer_size)
    })
}

/// Sets the buffer for the offsets of a variable-length field: the start of each cell in the
/// values, by default in bytes and as 64-bit integers (see the parameters `sm.var_offsets.*`). The
/// buffer and its size must stay valid until the query is freed or another buffer is set for the
/// field. For reads, the size at the time of this call is the capacity of the buffer, and each
/// submit overwrites it with the number of delivered bytes. For writes, the size at the time of the
/// submit is the number of bytes to write. It counts eight bytes per offset, also for offsets of 32
/// bits, which occupy half of that.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer The offsets.
/// @param buffer_size Pointer to the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_offsets_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut u64,
    buffer_size: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        let buffer = buffer.cast();
        handle::borrow(query)?.set_buffer(name, BufferKind::Offsets, buffer, buffer_size)
    })
}

/// Sets the buffer for the validity of a nullable attribute: one byte per cell, 0 for null. The
/// buffer and its size must stay valid until the query is freed or another buffer is set for the
/// attribute. For reads, the size at the time of this call is the capacity of the buffer, and each
/// submit overwrites it with the number of delivered bytes. For writes, the size at the time of the
/// submit is the number of bytes to write.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param name The field: an attribute or a dimension.
/// @param buffer The validity.
/// @param buffer_size Pointer to the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_validity_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut u8,
    buffer_size: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        handle::borrow(query)?.set_buffer(name, BufferKind::Validity, buffer, buffer_size)
    })
}

/// Forgets all buffers of a query: of values, offsets and validity, of labels and of aggregates.
/// The query does not use the caller's memory any more, and its status stays.
///
/// Before the first submit, other buffers can be set. Afterwards the buffers of a query cannot
/// change, so it cannot continue: a further submit of a read delivers nothing and completes it, and
/// finalizing a write in global order is an error and discards the write. Unordered writes that
/// were submitted are complete.
///
/// @param query The query.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if `query` is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_unset_buffers(query: *mut tiledb_query_t) -> i32 {
    entry::code_only(|| {
        handle::borrow(query)?.unset_buffers();
        Ok(())
    })
}
