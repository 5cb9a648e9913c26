//! Buffers: bytes with a datatype, owned by the caller or by the library. They contain messages.

use std::sync::Arc;

use tiledb_engine::internal::platform::lock::Mutex;
use tiledb_engine::internal::types::Datatype;

use crate::prelude::*;

/// Bytes with a datatype, owned by the caller that set them or by the library.
pub struct tiledb_buffer_handle_t {
    content: Mutex<Content>,
}
/// Name of the type in C programs.
pub type tiledb_buffer_t = tiledb_buffer_handle_t;

struct Content {
    datatype: Datatype,
    bytes: Bytes,
}

enum Bytes {
    /// Bytes that the caller owns.
    Lent { data: *mut c_void, size: u64 },
    /// Bytes that the library owns.
    Own(Arc<[u8]>),
}

impl tiledb_buffer_handle_t {
    /// Creates a buffer that owns bytes.
    pub(crate) fn new(bytes: Arc<[u8]>) -> Self {
        Self {
            content: Mutex::new(Content {
                datatype: Datatype::Uint8,
                bytes: Bytes::Own(bytes),
            }),
        }
    }

    /// Creates a buffer that owns a message.
    pub(crate) fn of_message(message: Vec<u8>) -> Self {
        Self::new(message.into())
    }

    /// Replaces the bytes by a message, which the buffer owns.
    pub(crate) fn set_message(&self, message: Vec<u8>) {
        self.content.lock().bytes = Bytes::Own(message.into());
    }

    /// Passes the bytes to `read`. Other threads may set other bytes meanwhile, but bytes that a
    /// caller set must stay valid.
    pub(crate) unsafe fn read<R>(&self, read: impl FnOnce(&[u8]) -> Result<R>) -> Result<R> {
        let (data, size) = {
            let content = self.content.lock();
            match &content.bytes {
                Bytes::Lent { data, size } => (*data, *size),
                Bytes::Own(bytes) => {
                    let bytes = bytes.clone();
                    drop(content);
                    return read(&bytes);
                }
            }
        };
        // SAFETY: the caller set bytes that satisfy the contract in lib.rs.
        read(unsafe { arg::bytes(data, size, "buffer") }?)
    }
}

/// Creates an empty buffer with the datatype `TILEDB_UINT8`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer Set to the new buffer. Free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_alloc(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        handle::make(buffer, "buffer", tiledb_buffer_t::new(Arc::default()))
    })
}

/// Frees a buffer, but not the bytes that the caller set.
///
/// @param buffer Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_free(buffer: *mut *mut tiledb_buffer_t) {
    handle::release(buffer)
}

/// Gets the bytes of a buffer.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The buffer.
/// @param data Set to a pointer to the bytes, or to null if the buffer is empty. It is the pointer
///   that the caller set, or memory of the buffer that must not be changed and is valid until the
///   buffer is freed or other bytes are set.
/// @param num_bytes Set to the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_get_data(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    data: *mut *mut c_void,
    num_bytes: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let content = handle::borrow(buffer)?.content.lock();
        let (data, num_bytes) = (arg::out(data, "data")?, arg::out(num_bytes, "num_bytes")?);
        let (first, size) = match &content.bytes {
            Bytes::Lent { data, size } => (*data, *size),
            Bytes::Own(bytes) if bytes.is_empty() => (std::ptr::null_mut(), 0),
            Bytes::Own(bytes) => (bytes.as_ptr().cast_mut().cast(), bytes.len() as u64),
        };
        data.set(first);
        num_bytes.set(size);
        Ok(())
    })
}

/// Gets the datatype of a buffer.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The buffer.
/// @param datatype Set to the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_get_type(
    ctx: *mut tiledb_ctx_t,
    buffer: *const tiledb_buffer_t,
    datatype: *mut tiledb_datatype_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let content = handle::borrow(buffer)?.content.lock();
        arg::out(datatype, "datatype")?.set(u32::from(content.datatype.code()));
        Ok(())
    })
}

/// Sets the bytes of a buffer. They are not copied and must stay valid until the buffer is freed or
/// other bytes are set.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The buffer.
/// @param data The bytes; the caller keeps ownership.
/// @param size The size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_set_data(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut tiledb_buffer_t,
    data: *mut c_void,
    size: u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let buffer = handle::borrow(buffer)?;
        buffer.content.lock().bytes = Bytes::Lent { data, size };
        Ok(())
    })
}

/// Sets the datatype of a buffer. The bytes do not change.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer The buffer.
/// @param datatype The datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_set_type(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut tiledb_buffer_t,
    datatype: tiledb_datatype_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let buffer = handle::borrow(buffer)?;
        let datatype = arg::enum_value(Datatype::from_code(datatype), "datatype", datatype)?;
        buffer.content.lock().datatype = datatype;
        Ok(())
    })
}
