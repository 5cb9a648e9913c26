//! Wrappers for the bodies of exported functions. They catch panics and report errors: in a
//! context, in an error argument, as a code only, or not at all.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tiledb_engine::internal::config::Release;
use tiledb_engine::internal::platform::lock::LockedBeforeFork;

use crate::prelude::*;

/// Runs the body of an exported function. The code that catches panics is in [`catching`], so that
/// it is not instantiated for every function.
pub(crate) fn guarded(body: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut body = Some(body);
    catching(&mut || body.take().map_or(Ok(()), |body| body()))
}

#[inline(never)]
fn catching(body: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        if let Some(locked) = panic.downcast_ref::<LockedBeforeFork>() {
            return Err(Error::usage("C API", locked.to_string()));
        }
        let text = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(Error::usage(
            "Error",
            format!("Internal TileDB uncaught exception; {text}"),
        ))
    })
}

/// Returns the return code for an error.
fn code_of(error: &Error) -> capi_return_t {
    match error.cause() {
        Cause::OutOfMemory { .. } => TILEDB_OOM,
        _ => TILEDB_ERR,
    }
}

/// Runs the body of a function with a context, which stores the error.
pub(crate) unsafe fn with_context(
    ctx: *mut tiledb_ctx_t,
    body: impl FnOnce(&tiledb_ctx_t) -> Result<()>,
) -> capi_return_t {
    // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
    let Some(ctx) = (unsafe { ctx.as_ref() }) else {
        return TILEDB_INVALID_CONTEXT;
    };
    match guarded(|| body(ctx)) {
        Ok(()) => TILEDB_OK, // an earlier error stays readable
        Err(error) => failed(ctx, error),
    }
}

/// Runs the body of a function that frees a handle. Until 2.30 it needs a context, which stores the
/// error; since 2.31 the context is ignored.
pub(crate) unsafe fn freeing(
    ctx: *mut tiledb_ctx_t,
    body: impl FnOnce() -> Result<()>,
) -> capi_return_t {
    if Release::current() < Release::V2_31 {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        return unsafe { with_context(ctx, |_| body()) };
    }
    match guarded(body) {
        Ok(()) => TILEDB_OK,
        Err(error) => code_of(&error),
    }
}

#[cold]
fn failed(ctx: &tiledb_ctx_t, error: Error) -> capi_return_t {
    // In a forked child a thread of the parent may hold the lock of the last error; then only the
    // code is returned.
    no_result(|| ctx.keep_error(&error));
    code_of(&error)
}

/// Runs the body of a function with an error argument.
pub(crate) unsafe fn with_error(
    error: *mut *mut tiledb_error_t,
    body: impl FnOnce() -> Result<()>,
) -> capi_return_t {
    if error.is_null() {
        return TILEDB_INVALID_ERROR;
    }
    let (made, code) = match guarded(body) {
        Ok(()) => (std::ptr::null_mut(), TILEDB_OK),
        Err(problem) => (tiledb_error_t::boxed(&problem), code_of(&problem)),
    };
    // SAFETY: checked not to be null; otherwise valid by the contract in lib.rs.
    unsafe { error.write(made) };
    code
}

/// Runs the body of a function that reports errors by its return code only.
pub(crate) fn code_only(body: impl FnOnce() -> Result<()>) -> capi_return_t {
    guarded(body).map_or_else(|error| code_of(&error), |()| TILEDB_OK)
}

/// Runs the body of a function that returns nothing.
pub(crate) fn no_result(body: impl FnOnce()) {
    let _ = guarded(|| {
        body();
        Ok(())
    });
}
