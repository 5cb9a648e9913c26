//! The buffers of queries, set and asked for by field.
//!
//! The caller's pointers are kept, and become slices for the time of a submit alone.

use tiledb_engine::query::BufferKind;

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
    pub(crate) unsafe fn room<'a>(&self) -> Option<&'a mut [u8]> {
        // SAFETY: the caller keeps what it set valid during submits; overlaps were refused.
        self.is_set()
            .then(|| unsafe { slice_mut(self.start, self.room) })
    }

    /// Leaves half of it alone.
    pub(crate) fn halve(&mut self) {
        self.room /= 2;
    }

    /// What the buffer holds now.
    pub(crate) unsafe fn content<'a>(&self) -> Result<Option<&'a [u8]>> {
        // SAFETY: the caller's contract.
        unsafe { self.content_of(|size| size) }
    }

    /// What a buffer of offsets of `width` bytes holds now. Its size counts eight bytes for each, whatever the width.
    pub(crate) unsafe fn offsets<'a>(&self, width: usize) -> Result<Option<&'a [u8]>> {
        // SAFETY: the caller's contract.
        unsafe { self.content_of(|size| size / OFFSET_SIZE * width as u64) }
    }

    /// The bytes that there are by the size the caller tells.
    unsafe fn content_of<'a>(&self, bytes: impl Fn(u64) -> u64) -> Result<Option<&'a [u8]>> {
        if !self.is_set() {
            return Ok(None);
        }
        // SAFETY: the caller keeps what it set valid during submits.
        unsafe { arg::bytes(self.start.cast(), bytes(*self.size), "buffer").map(Some) }
    }

    /// Tells the caller how much was delivered.
    pub(crate) unsafe fn tell(&self, delivered: u64) {
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

/// The bytes that the size of a buffer of offsets to be written counts for each.
const OFFSET_SIZE: u64 = 8;

/// The buffers of one field.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) data: CallerBuffer,
    pub(crate) offsets: CallerBuffer,
    pub(crate) validity: CallerBuffer,
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

/// Two buffers to fill must not share a byte.
pub(crate) fn refuse_overlaps(fields: &[Field]) -> Result<()> {
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
        // SAFETY: not null; the caller's contract.
        let room = unsafe { *size };
        if start.is_null() && room > 0 {
            return is_null("buffer");
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
        state.query.check_buffer_known(name, kind)?;
        let field = state.fields.iter_mut().find(|field| field.name == name);
        Ok(field.map_or(CallerBuffer::NONE, |field| *field.buffer(kind)))
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
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        let found = handle::borrow(query)?.buffer(name, BufferKind::Data)?;
        arg::out(buffer, "buffer")?.set(found.start.cast());
        arg::out(buffer_size, "buffer_size")?.set(found.size);
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        let found = handle::borrow(query)?.buffer(name, BufferKind::Offsets)?;
        arg::out(buffer, "buffer")?.set(found.start.cast());
        arg::out(buffer_size, "buffer_size")?.set(found.size);
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        let found = handle::borrow(query)?.buffer(name, BufferKind::Validity)?;
        arg::out(buffer, "buffer")?.set(found.start);
        arg::out(buffer_size, "buffer_size")?.set(found.size);
        Ok(())
    })
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
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        let buffer = buffer.cast();
        handle::borrow(query)?.set_buffer(name, BufferKind::Data, buffer, buffer_size)
    })
}

/// Sets the buffer for the offsets of a field of variable length: where each cell starts in its
/// values, by default in bytes and as 64-bit integers (`sm.var_offsets.*`). The buffer stays the
/// caller's and must outlive the submits. For reads the size says how much room there is when the
/// buffer is set, and each submit overwrites it with what was delivered; for writes it says how
/// many bytes to take at the submit, eight for each offset: also for offsets of 32 bits, of which the
/// buffer then holds as many in half its size.
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
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        let buffer = buffer.cast();
        handle::borrow(query)?.set_buffer(name, BufferKind::Offsets, buffer, buffer_size)
    })
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
    entry::with_context(ctx, |_ctx| {
        let name = arg::text(name, "name")?;
        handle::borrow(query)?.set_buffer(name, BufferKind::Validity, buffer, buffer_size)
    })
}
