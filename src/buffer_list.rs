//! Lists of buffers: the parts of a serialized message.

use std::sync::Arc;

use tiledb_engine::internal::error::try_vec;

use crate::prelude::*;

/// A list of buffers. A list from `tiledb_buffer_list_alloc` is empty.
pub struct tiledb_buffer_list_handle_t {
    parts: Vec<Arc<[u8]>>,
}
/// Name of the type in C programs.
pub type tiledb_buffer_list_t = tiledb_buffer_list_handle_t;

impl tiledb_buffer_list_handle_t {
    /// Creates a list of buffers.
    pub(crate) fn new(parts: Vec<Arc<[u8]>>) -> Self {
        Self { parts }
    }

    fn size_bytes(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    /// Returns the concatenated buffers.
    fn flat(&self) -> Result<Arc<[u8]>> {
        let mut flat = try_vec("a flat buffer list", self.size_bytes())?;
        let mut rest = flat.as_mut_slice();
        for part in &self.parts {
            let (to, after) = rest.split_at_mut(part.len());
            to.copy_from_slice(part);
            rest = after;
        }
        Ok(flat.into())
    }
}

/// Creates an empty list.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer_list Set to the new list. Free it with `tiledb_buffer_list_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_alloc(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *mut *mut tiledb_buffer_list_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let parts = Vec::new();
        handle::make(buffer_list, "buffer_list", tiledb_buffer_list_t { parts })
    })
}

/// Concatenates the buffers of a list into a new buffer.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer_list The list.
/// @param buffer Set to the new buffer. Free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; `TILEDB_OOM`; otherwise
///   `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_flatten(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *mut tiledb_buffer_list_t,
    buffer: *mut *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let buffer_list = handle::borrow(buffer_list)?;
        handle::make(buffer, "buffer", tiledb_buffer_t::new(buffer_list.flat()?))
    })
}

/// Frees a list. Buffers that were obtained from it stay valid.
///
/// @param buffer_list Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_free(buffer_list: *mut *mut tiledb_buffer_list_t) {
    handle::release(buffer_list)
}

/// Gets a buffer of a list. The bytes are not copied.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer_list The list.
/// @param buffer_idx The index of the buffer, starting at 0.
/// @param buffer Set to the buffer. Free it with `tiledb_buffer_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_buffer(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    buffer_idx: u64,
    buffer: *mut *mut tiledb_buffer_t,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let parts = &handle::borrow(buffer_list)?.parts;
        let index = usize::try_from(buffer_idx).ok();
        let part = index.and_then(|index| parts.get(index)).ok_or_else(|| {
            let message = format!("Cannot get buffer {buffer_idx} from buffer list");
            Error::usage("Buffer", format!("{message}; index out of bounds."))
        })?;
        handle::make(buffer, "buffer", tiledb_buffer_t::new(part.clone()))
    })
}

/// Gets the number of buffers of a list.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer_list The list.
/// @param num_buffers Set to the number.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_num_buffers(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    num_buffers: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let buffer_list = handle::borrow(buffer_list)?;
        arg::out(num_buffers, "num_buffers")?.set(buffer_list.parts.len() as u64);
        Ok(())
    })
}

/// Gets the sum of the sizes of the buffers of a list.
///
/// @param ctx The context; stores the error if the call fails.
/// @param buffer_list The list.
/// @param total_size Set to the sum in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_buffer_list_get_total_size(
    ctx: *mut tiledb_ctx_t,
    buffer_list: *const tiledb_buffer_list_t,
    total_size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let buffer_list = handle::borrow(buffer_list)?;
        arg::out(total_size, "total_size")?.set(buffer_list.size_bytes() as u64);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flattened_list_concatenates_its_buffers() {
        let parts = [&b"ab"[..], b"", b"c"].map(Arc::from).to_vec();
        let list = tiledb_buffer_list_t { parts };
        assert_eq!(list.size_bytes(), 3);
        assert_eq!(&*list.flat().expect("flat"), b"abc");
    }
}
