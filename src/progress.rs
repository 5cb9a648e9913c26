//! The progress of long operations.

use std::ops::ControlFlow;
use std::sync::Arc;

use tiledb_engine::internal::context::{Progress, ProgressCallback};

use crate::exception::caught;
use crate::prelude::*;

/// A callback of a program and its data.
#[derive(Clone, Copy)]
struct Receiver {
    callback:
        unsafe extern "C-unwind" fn(*const c_char, u64, u64, *const c_char, *mut c_void) -> i32,
    data: *mut c_void,
}

// SAFETY: the program states by setting the callback that it can be called, with its data, on each
// thread that runs an operation of the context.
unsafe impl Send for Receiver {}
// SAFETY: see `Send`; the fields are never changed.
unsafe impl Sync for Receiver {}

impl Receiver {
    /// Calls the callback. An exception of the callback cancels the operation as well.
    fn call(&self, progress: &Progress) -> ControlFlow<()> {
        let operation = c_strings::c_string(progress.operation);
        let unit = c_strings::c_string(progress.unit);
        let (done, total) = (progress.done, progress.total);
        let returned = caught(|| {
            // SAFETY: the caller of the setter guarantees that the callback and its data are valid
            // until another callback is set and no operation runs; the strings live for the call.
            unsafe { (self.callback)(operation.as_ptr(), done, total, unit.as_ptr(), self.data) }
        });
        match returned {
            Ok(0) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

/// Extension: sets a callback that receives the progress of long operations of a context: reads,
/// writes, consolidations, vacuums, checks and imports of files. It is called at most ten times per
/// second for an operation, on the thread that runs the operation, so it needs no locks. It applies
/// to operations that begin later.
///
/// A value other than 0 cancels the operation within one tile or one request: the operation returns
/// `TILEDB_ERR` with the error of a cancellation, and the array has the state from before the
/// operation. The callback must not use the query, array or group of the operation.
///
/// @param ctx The context; stores the error if the call fails.
/// @param callback Called with the name of the operation, the number of units that are done, the
///   number of all units or 0 if it is not known, the name of the unit, and `data`. The strings are
///   valid for the call. It returns 0 to continue and another value to cancel. Null for none.
/// @param data Passed to the callback; must stay valid until another callback is set and all
///   operations that began before have ended.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_ctx_set_progress_callback(
    ctx: *mut tiledb_ctx_t,
    callback: Option<
        unsafe extern "C-unwind" fn(*const c_char, u64, u64, *const c_char, *mut c_void) -> i32,
    >,
    data: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let receiver = callback.map(|callback| {
            let receiver = Receiver { callback, data };
            Arc::new(move |progress: &Progress| receiver.call(progress)) as Arc<ProgressCallback>
        });
        ctx.context().set_progress(receiver);
        Ok(())
    })
}
