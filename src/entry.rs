//! The one way in from C and the one way errors leave, in four forms: with a context, with an error argument, with
//! neither, and returning nothing. All catch panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tiledb_engine::platform::lock::LockedBeforeFork;

use crate::prelude::*;

/// Runs the body of an entry. What catches its panics stands once, in [`catching`], and not in every entry.
fn guarded(body: impl FnOnce() -> Result<()>) -> Result<()> {
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

/// The return code for an error.
fn code_of(error: &Error) -> capi_return_t {
    match error.kind() {
        ErrorKind::OutOfMemory { .. } => TILEDB_OOM,
        _ => TILEDB_ERR,
    }
}

/// Runs the body of an entry that has a context, which keeps the error.
pub(crate) unsafe fn with_context(
    ctx: *mut tiledb_ctx_t,
    body: impl FnOnce(&tiledb_ctx_t) -> Result<()>,
) -> capi_return_t {
    // SAFETY: the caller's contract.
    let Some(ctx) = (unsafe { ctx.as_ref() }) else {
        return TILEDB_INVALID_CONTEXT;
    };
    match guarded(|| body(ctx)) {
        Ok(()) => TILEDB_OK, // an earlier error stays readable
        Err(error) => failed(ctx, error),
    }
}

#[cold]
fn failed(ctx: &tiledb_ctx_t, error: Error) -> capi_return_t {
    // In a forked child a thread of the parent may hold the lock of the last error; then only the code is returned.
    quiet(|| ctx.keep_error(&error));
    code_of(&error)
}

/// Runs the body of an entry that hands its error to the caller.
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
    // SAFETY: not null, and the caller's contract.
    unsafe { error.write(made) };
    code
}

/// Runs the body of an entry that has nowhere to put an error.
pub(crate) fn plain(body: impl FnOnce() -> Result<()>) -> capi_return_t {
    guarded(body).map_or_else(|error| code_of(&error), |()| TILEDB_OK)
}

/// Runs the body of an entry that returns nothing.
pub(crate) fn quiet(body: impl FnOnce()) {
    let _ = guarded(|| {
        body();
        Ok(())
    });
}

fn missing(name: &str) -> Error {
    Error::usage("C API", format!("{name} is not implemented yet"))
}

/// The answer of a function that has a context and does not work yet.
pub(crate) unsafe fn not_implemented(ctx: *mut tiledb_ctx_t, name: &str) -> capi_return_t {
    // SAFETY: the caller's contract.
    unsafe { with_context(ctx, |_| Err(missing(name))) }
}
