//! Checks of the files of arrays and groups, and the removal of remains.

use std::ops::ControlFlow;

use tiledb_engine::internal::check::{self, Finding};
use tiledb_engine::internal::vfs::Uri;

use crate::callback;
use crate::exception::caught;
use crate::prelude::*;

/// Extension: reads every file of an array or a group and reports what is wrong: schemas,
/// enumerations, commits, deletes, metadata, and all tiles of all fragments with their statistics.
/// The arrays of dimension labels and the members of a group are checked too. Nothing is changed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param uri URI or path of the array or group.
/// @param config The configuration to use, with the key of an encrypted array; null means the
///   configuration of the context.
/// @param callback Called with the severity, the URI of the file, the position in bytes from the
///   start of the damaged record (`UINT64_MAX` if it has none), the problem, and `data`. The
///   strings are valid for the call. It returns 1 to continue, -1 to make the call fail, anything
///   else to end the check.
/// @param data Passed to the callback.
/// @return `TILEDB_OK`, with or without findings; `TILEDB_INVALID_CONTEXT` if `ctx` is null;
///   otherwise `TILEDB_ERR`, for example if there is neither an array nor a group at `uri`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_check(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    config: *mut tiledb_config_t,
    callback: Option<
        unsafe extern "C-unwind" fn(
            tiledb_rs_severity_t,
            *const c_char,
            u64,
            *const c_char,
            *mut c_void,
        ) -> i32,
    >,
    data: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let callback = callback.ok_or_else(callback::missing_for_ls)?;
        let uri = arg::uri_text(uri, "uri")?;
        let mut stopped = false;
        let mut report = |finding: &Finding| {
            let uri = c_strings::c_string(&finding.uri);
            let problem = c_strings::c_string(&finding.problem);
            let position = finding.position.unwrap_or(u64::MAX);
            let severity = finding.severity as tiledb_rs_severity_t;
            let returned =
                caught(|| callback(severity, uri.as_ptr(), position, problem.as_ptr(), data))?;
            stop_unless(callback::strict(returned)?, &mut stopped)
        };
        let checked = check::check(&ctx.vfs, uri, &ctx.config_or(config), &mut report);
        unless_stopped(checked.map(drop), stopped)
    })
}

/// Extension: removes what killed processes left in an array or a group: temporary names, fragments
/// without a commit, lists without effect, and folders of dimension labels that no schema names. No
/// reader at any timestamp sees any of it. Files that a running writer uses, or that are younger
/// than `sm.vacuum.garbage_min_age_ms`, are kept.
///
/// @param ctx The context; stores the error if the call fails.
/// @param uri URI or path of the array or group.
/// @param config The configuration to use; null means the configuration of the context.
/// @param dry_run Nonzero to call the callback only and to remove nothing.
/// @param callback Called with the URI of each file or folder before it is removed, valid for the
///   call, and `data`. It returns 1 to continue, -1 to make the call fail, anything else to end the
///   removal before this file. Null for no calls.
/// @param data Passed to the callback.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_clean(
    ctx: *mut tiledb_ctx_t,
    uri: *const c_char,
    config: *mut tiledb_config_t,
    dry_run: i32,
    callback: Option<unsafe extern "C-unwind" fn(*const c_char, *mut c_void) -> i32>,
    data: *mut c_void,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::uri_text(uri, "uri")?;
        let mut stopped = false;
        let mut report = |uri: &Uri| {
            let Some(callback) = callback else {
                return Ok(());
            };
            let text = c_strings::c_string(uri.as_str());
            let returned = caught(|| callback(text.as_ptr(), data))?;
            stop_unless(callback::strict(returned)?, &mut stopped)
        };
        let config = ctx.config_or(config);
        let cleaned = check::clean(&ctx.vfs, uri, &config, dry_run != 0, &mut report);
        unless_stopped(cleaned, stopped)
    })
}

/// Ends an operation with an error that [`unless_stopped`] removes.
fn stop_unless(next: ControlFlow<()>, stopped: &mut bool) -> Result<()> {
    *stopped = next == ControlFlow::Break(());
    if *stopped {
        Err(Error::cancelled())
    } else {
        Ok(())
    }
}

fn unless_stopped(done: Result<()>, stopped: bool) -> Result<()> {
    match done {
        Err(error) if stopped && error.is_cancelled() => Ok(()),
        done => done,
    }
}
