//! Converts C callbacks to closures of the engine.

use std::ops::ControlFlow;

use tiledb_engine::internal::types::ObjectType;
use tiledb_engine::internal::vfs::{Entry, EntryKind, Uri};

use crate::exception::caught;
use crate::prelude::*;

/// Return value of a callback that ends a listing with an error.
const FAIL: i32 = -1;
/// Return value of a callback that ends a listing without an error.
const STOP: i32 = 0;
/// Return value of a callback that continues a listing.
const CONTINUE: i32 = 1;

fn failed() -> Error {
    Error::usage("LsScan", "Error in user callback")
}

/// Returns the error for a null callback.
fn missing() -> Error {
    Error::usage("C API", "Invalid TileDB object: Callback function is null.")
}

/// Returns the error for a null callback of a listing that is not recursive.
pub(crate) fn missing_for_ls() -> Error {
    Error::usage("C API", "Invalid TileDB object: callback function")
}

/// Interprets the return value of a callback of a listing of names: any value but "continue" ends
/// it.
pub(crate) fn strict(answer: i32) -> Result<ControlFlow<()>> {
    match answer {
        CONTINUE => Ok(ControlFlow::Continue(())),
        FAIL => Err(failed()),
        _ => Ok(ControlFlow::Break(())),
    }
}

/// Interprets the return value of a callback of a recursive listing: only "stop" and "fail" end it.
fn lenient(answer: i32) -> Result<ControlFlow<()>> {
    match answer {
        STOP => Ok(ControlFlow::Break(())),
        FAIL => Err(failed()),
        _ => Ok(ControlFlow::Continue(())),
    }
}

/// Converts a URI to a C string, and returns its length without the terminating zero.
pub(crate) fn uri_c_string(uri: &Uri) -> (CString, usize) {
    let text = c_strings::c_string(uri.as_str());
    let len = text.as_bytes().len();
    (text, len)
}

/// Returns a visitor of objects that calls a C callback. `missing` is the error for a null
/// callback.
pub(crate) unsafe fn object_visitor(
    callback: Option<
        unsafe extern "C-unwind" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32,
    >,
    data: *mut c_void,
    missing: &str,
) -> Result<impl FnMut(&Uri, ObjectType) -> Result<ControlFlow<()>>> {
    let callback = callback.ok_or_else(|| Error::usage("Error", missing))?;
    Ok(move |uri: &Uri, kind: ObjectType| {
        let (text, _) = uri_c_string(uri);
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        strict(caught(|| unsafe {
            callback(text.as_ptr(), kind.code().into(), data)
        })?)
    })
}

/// Returns a visitor of files that calls a C callback.
pub(crate) unsafe fn visitor(
    callback: tiledb_ls_callback_t,
    data: *mut c_void,
) -> Result<impl FnMut(&Uri, &Entry) -> Result<ControlFlow<()>>> {
    let callback = callback.ok_or_else(missing)?;
    Ok(move |uri: &Uri, entry: &Entry| {
        let (text, len) = uri_c_string(uri);
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        lenient(caught(|| unsafe {
            callback(text.as_ptr(), len, entry.size, data)
        })?)
    })
}

/// Returns a visitor of files and folders that calls a C callback with the kind of each.
pub(crate) unsafe fn visitor_v2(
    callback: tiledb_ls_callback_v2_t,
    data: *mut c_void,
) -> Result<impl FnMut(&Uri, &Entry) -> Result<ControlFlow<()>>> {
    let callback = callback.ok_or_else(missing)?;
    Ok(move |uri: &Uri, entry: &Entry| {
        let (text, len) = uri_c_string(uri);
        let is_folder = u8::from(entry.kind == EntryKind::Directory);
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        lenient(caught(|| unsafe {
            callback(text.as_ptr(), len, entry.size, is_folder, data)
        })?)
    })
}
