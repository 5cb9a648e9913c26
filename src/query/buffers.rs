//! The buffers of queries, by field.
//!
//! The caller's pointers are stored. They are converted to slices only during a submit.

use std::borrow::Cow;

use tiledb_engine::buffers::FieldCells;
use tiledb_engine::error::try_vec;
use tiledb_engine::query::BufferKind;
use tiledb_engine::serialization::BufferSize;

use crate::arrow::{ArrowArray, ArrowSchema, ImportedArray};
use crate::prelude::*;

/// A buffer of the caller: pointers to the buffer and to its size, and the size at the time it was
/// set.
#[derive(Clone, Copy)]
pub(crate) struct CallerBuffer {
    start: *mut u8,
    size: *mut u64,
    capacity: u64,
}

impl CallerBuffer {
    /// A buffer that is not set.
    pub(crate) const NONE: Self = Self {
        start: std::ptr::null_mut(),
        size: std::ptr::null_mut(),
        capacity: 0,
    };

    /// Creates a buffer of `capacity` bytes. The pointers must stay valid as long as it is used.
    pub(crate) fn new(start: *mut u8, size: *mut u64, capacity: u64) -> Self {
        Self {
            start,
            size,
            capacity,
        }
    }

    fn is_set(&self) -> bool {
        !self.size.is_null()
    }

    /// Returns whether the buffer has a size but no memory, as a server receives it.
    pub(crate) fn is_unallocated(&self) -> bool {
        self.is_set() && self.start.is_null() && self.capacity > 0
    }

    /// Returns whether content of this size fits into the buffer.
    pub(crate) fn fits(&self, size: u64) -> bool {
        size <= self.capacity && (size == 0 || !self.start.is_null())
    }

    /// Returns the sizes of the buffer for a message.
    pub(crate) unsafe fn header(&self) -> Option<BufferSize> {
        self.is_set().then(|| BufferSize {
            // SAFETY: the caller keeps the pointer to the size valid.
            size: unsafe { *self.size },
            original: self.capacity,
        })
    }

    /// Copies a result to a position after earlier ones, and sets the size to its end.
    pub(crate) unsafe fn put_at(&self, start: u64, content: &[u8]) {
        if !self.is_set() {
            return;
        }
        let end = start.saturating_add(content.len() as u64);
        // SAFETY: the content fits after `start`, and the caller keeps the buffer and its size
        // valid.
        unsafe {
            let whole = slice_mut(self.start, end.min(self.capacity));
            if let Some(to) = whole.get_mut(start as usize..end as usize) {
                to.copy_from_slice(content);
            }
            self.size.write(end);
        }
    }

    /// Copies content that fits to the buffer, and sets its size.
    pub(crate) unsafe fn put(&self, content: &[u8]) {
        if self.is_set() {
            // SAFETY: the content fits, and the caller keeps the buffer and its size valid.
            unsafe {
                if !content.is_empty() {
                    let to = slice_mut(self.start, content.len() as u64);
                    to.copy_from_slice(content);
                }
                self.size.write(content.len() as u64);
            }
        }
    }

    /// Returns a buffer of offsets of `width` bytes for a message. It has eight bytes per offset,
    /// as its size counts them; if the caller's buffer has fewer, it is copied and filled with
    /// zeros.
    pub(crate) unsafe fn sent_offsets<'a>(&self, width: usize) -> Result<Option<Cow<'a, [u8]>>> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        let Some(content) = (unsafe { self.offsets(width) })? else {
            return Ok(None);
        };
        // SAFETY: the buffer is set, and the caller keeps the pointer to the size valid.
        let size = usize::try_from(unsafe { *self.size }).unwrap_or(content.len());
        if size == content.len() {
            return Ok(Some(Cow::Borrowed(content)));
        }
        let mut copy = try_vec("a copy of offsets", size)?;
        if let Some(to) = copy.get_mut(..content.len()) {
            to.copy_from_slice(content);
        }
        Ok(Some(Cow::Owned(copy)))
    }

    /// Returns the buffer for filling it.
    pub(crate) unsafe fn bytes<'a>(&self) -> Option<&'a mut [u8]> {
        // SAFETY: the caller keeps the buffers valid during submits, and overlapping buffers were
        // rejected.
        self.is_set()
            .then(|| unsafe { slice_mut(self.start, self.capacity) })
    }

    /// Returns the first half of the buffer.
    pub(crate) fn halve(&mut self) {
        self.capacity /= 2;
    }

    /// Returns the content of the buffer, of its current size.
    pub(crate) unsafe fn content<'a>(&self) -> Result<Option<&'a [u8]>> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        unsafe { self.content_of(|size| size) }
    }

    /// Returns the content of a buffer of offsets of `width` bytes. Its size counts eight bytes per
    /// offset, regardless of the width.
    pub(crate) unsafe fn offsets<'a>(&self, width: usize) -> Result<Option<&'a [u8]>> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        unsafe { self.content_of(|size| size / OFFSET_SIZE * width as u64) }
    }

    /// Returns the first `size` bytes of the buffer.
    unsafe fn content_of<'a>(&self, bytes: impl Fn(u64) -> u64) -> Result<Option<&'a [u8]>> {
        if !self.is_set() {
            return Ok(None);
        }
        // SAFETY: the caller keeps the buffer and its size valid during submits.
        unsafe { arg::bytes(self.start.cast(), bytes(*self.size), "buffer").map(Some) }
    }

    /// Writes the number of delivered bytes to the caller's size.
    pub(crate) unsafe fn tell(&self, delivered: u64) {
        if self.is_set() {
            // SAFETY: the caller keeps the pointer to the size valid during submits.
            unsafe { self.size.write(delivered) };
        }
    }
}

/// Returns a slice of the caller's memory, an empty one for a null pointer.
unsafe fn slice_mut<'a>(start: *mut u8, len: u64) -> &'a mut [u8] {
    match usize::try_from(len) {
        Ok(len) if len > 0 && !start.is_null() => {
            // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
            unsafe { std::slice::from_raw_parts_mut(start, len.min(isize::MAX as usize)) }
        }
        _ => &mut [],
    }
}

/// The number of bytes per offset in the size of a buffer of offsets to be written.
const OFFSET_SIZE: u64 = 8;

/// The buffers of one field.
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

    fn buffer(&mut self, kind: BufferKind) -> &mut CallerBuffer {
        match kind {
            BufferKind::Data => &mut self.data,
            BufferKind::Offsets => &mut self.offsets,
            BufferKind::Validity => &mut self.validity,
        }
    }
}

/// Returns the cells of the buffers of a write with offsets of `width` bytes.
pub(super) unsafe fn written_cells(fields: &[Field], width: usize) -> Result<Vec<FieldCells<'_>>> {
    let cells = fields.iter().map(|field| {
        // SAFETY: the caller keeps the buffers valid as long as the result; they are only read.
        unsafe {
            Ok(FieldCells {
                name: &field.name,
                data: field.data.content()?,
                offsets: field.offsets.offsets(width)?,
                validity: field.validity.content()?,
            })
        }
    });
    cells.collect()
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
        let is_null = |what: &str| {
            let message = format!("Cannot set buffer; {name} {validity}{what} is null");
            Err(Error::usage("[TileDB::Query] Error", message))
        };
        let set = state.fields.iter().map(|field| &*field.name);
        state.query.check_coordinates(name, set)?;
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
        state.received_names.retain(|own| own != name);
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

    /// Sets the buffers of a write to the children of an Arrow array, which is moved if all of them
    /// are accepted.
    pub(crate) unsafe fn import_arrow(
        &self,
        array: *mut ArrowArray,
        schema: *const ArrowSchema,
    ) -> Result<()> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        let mut imported = unsafe { ImportedArray::new(&self.state.lock().query, array, schema)? };
        self.forget_arrow();
        let mut set = || {
            imported.buffers.iter_mut().try_for_each(|buffer| {
                let (start, size) = buffer.pointers();
                // SAFETY: the buffers live as long as the imported array, which the query keeps.
                unsafe { self.set_buffer(&buffer.name, buffer.kind, start, size) }
            })
        };
        let done = set();
        if done.is_ok() {
            // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
            unsafe { imported.take(array) };
        }
        self.state.lock().arrow = Some(imported);
        if done.is_err() {
            self.forget_arrow();
        }
        done
    }

    /// Removes the buffers that belong to an Arrow array, and releases the array.
    fn forget_arrow(&self) {
        let mut state = self.state.lock();
        if let Some(imported) = state.arrow.take() {
            let is_other = |field: &Field| imported.buffers.iter().all(|of| of.name != field.name);
            state.fields.retain(is_other);
        }
    }

    fn buffer(&self, name: &str, kind: BufferKind) -> Result<CallerBuffer> {
        let mut state = self.state.lock();
        state.query.check_buffer_known(name, kind)?;
        let field = state.fields.iter_mut().find(|field| field.name == name);
        Ok(field.map_or(CallerBuffer::NONE, |field| *field.buffer(kind)))
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
