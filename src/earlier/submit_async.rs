//! Submits with a callback.

use std::thread;

use crate::exception::caught;
use crate::prelude::*;

/// The callback of a submit and its argument.
struct Callback {
    function: unsafe extern "C-unwind" fn(*mut c_void),
    argument: *mut c_void,
}

// SAFETY: the caller of `tiledb_query_submit_async` allows calls of another thread.
unsafe impl Send for Callback {}

impl Callback {
    fn call(self) {
        // SAFETY: the caller keeps the argument valid until the callback is called.
        let called = caught(|| unsafe { (self.function)(self.argument) });
        // No caller is left that could receive an exception.
        drop(called);
    }
}

/// Submits a query, and calls a function in another thread after that succeeded. The submit is
/// complete when this function returns; the callback may run later.
///
/// Deprecated: use `tiledb_query_submit`. libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query.
/// @param callback The function; null for none. An exception that it throws is ignored.
/// @param callback_data The argument of the function, which must be valid until it is called.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit_async(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    callback: Option<unsafe extern "C-unwind" fn(*mut c_void)>,
    callback_data: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        handle::borrow(query)?.submit()?;
        if let Some(function) = callback {
            let callback = Callback {
                function,
                argument: callback_data,
            };
            // A program may hold a lock that the callback takes.
            thread::Builder::new()
                .spawn(move || callback.call())
                .map_err(|error| Error::usage("C API", error.to_string()))?;
        }
        Ok(())
    })
}
