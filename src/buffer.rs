//! Buffers: bytes with a datatype, the caller's or the library's own. Messages are passed in them.

use std::sync::Arc;

use tiledb_engine::platform::lock::Mutex;
use tiledb_engine::types::Datatype;

use crate::prelude::*;

/// Bytes with a datatype. They belong to the caller who set them, or to the library.
pub struct tiledb_buffer_handle_t {
    content: Mutex<Content>,
}
/// The name C programs use.
pub type tiledb_buffer_t = tiledb_buffer_handle_t;

struct Content {
    datatype: Datatype,
    bytes: Bytes,
}

enum Bytes {
    /// Set by the caller, who keeps them valid.
    Lent { data: *mut c_void, size: u64 },
    /// The library's.
    Own(Arc<[u8]>),
}

impl tiledb_buffer_handle_t {
    /// A buffer of bytes of the library.
    pub(crate) fn new(bytes: Arc<[u8]>) -> Self {
        Self {
            content: Mutex::new(Content {
                datatype: Datatype::Uint8,
                bytes: Bytes::Own(bytes),
            }),
        }
    }
}

/// Makes a buffer without bytes, of the datatype UINT8.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer Where the new buffer goes. Free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_alloc(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        handle::make(buffer, "buffer", tiledb_buffer_t::new(Arc::default()))
    })
}

/// Frees a buffer, but not bytes that the caller set.
///
/// @param buffer The buffer; null afterwards. Null is fine at both levels.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_free(buffer: *mut *mut tiledb_buffer_t) {
    handle::release(buffer)
}

/// Gets the bytes of a buffer.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The buffer.
/// @param data Becomes the first byte; null where there is none. It is what the caller set, or belongs to the buffer, is
///     not to be changed, and lasts until the buffer is freed or gets other bytes.
/// @param num_bytes Becomes the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The buffer.
/// @param datatype Becomes the datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Sets the bytes of a buffer. They stay the caller's, who keeps them valid as long as the buffer has them.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The buffer.
/// @param data The first byte.
/// @param size The size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
/// @param ctx The context; keeps the error if the call fails.
/// @param buffer The buffer.
/// @param datatype The datatype.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_set_type(
    ctx: *mut tiledb_ctx_t,
    buffer: *mut tiledb_buffer_t,
    datatype: tiledb_datatype_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let buffer = handle::borrow(buffer)?;
        let datatype = arg::known(Datatype::from_code(datatype), "datatype", datatype)?;
        buffer.content.lock().datatype = datatype;
        Ok(())
    })
}
