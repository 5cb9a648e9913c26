//! C callbacks as closures of the engine: what their answers mean.

use tiledb_engine::types::ObjectType;
use tiledb_engine::vfs::{Entry, EntryKind, Next, Uri};

use crate::exception::caught;
use crate::prelude::*;

/// What a callback answers to end a listing with an error.
const FAIL: i32 = -1;
/// What it answers to end it without.
const STOP: i32 = 0;
/// What it answers to go on.
const CONTINUE: i32 = 1;

fn failed() -> Error {
    Error::usage("LsScan", "Error in user callback")
}

/// The error for a callback that is null.
fn missing() -> Error {
    Error::usage("C API", "Invalid TileDB object: Callback function is null.")
}

/// The same, as a plain listing words it.
pub(crate) fn missing_for_ls() -> Error {
    Error::usage("C API", "Invalid TileDB object: callback function")
}

/// The answer to a listing of names, where whatever is not "go on" ends it.
pub(crate) fn strict(answer: i32) -> Result<Next> {
    match answer {
        CONTINUE => Ok(Next::Continue),
        FAIL => Err(failed()),
        _ => Ok(Next::Stop),
    }
}

/// The answer to a walk, where only "stop" and "fail" end it.
fn lenient(answer: i32) -> Result<Next> {
    match answer {
        STOP => Ok(Next::Stop),
        FAIL => Err(failed()),
        _ => Ok(Next::Continue),
    }
}

/// A place as text for C, and its length without the zero at the end.
pub(crate) fn place_text(place: &Uri) -> (CString, usize) {
    let text = kept::c_string(place.as_str());
    let len = text.as_bytes().len();
    (text, len)
}

/// The visitor of a walk over objects that asks a C callback. `missing` is the error where that is null.
pub(crate) unsafe fn object_visitor(
    callback: Option<
        unsafe extern "C-unwind" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32,
    >,
    data: *mut c_void,
    missing: &str,
) -> Result<impl FnMut(&Uri, ObjectType) -> Result<Next>> {
    let callback = callback.ok_or_else(|| Error::usage("Error", missing))?;
    Ok(move |place: &Uri, kind: ObjectType| {
        let (text, _) = place_text(place);
        // SAFETY: the caller's contract.
        strict(caught(|| unsafe {
            callback(text.as_ptr(), kind.code().into(), data)
        })?)
    })
}

/// The visitor of a walk that asks a C callback.
pub(crate) unsafe fn visitor(
    callback: tiledb_ls_callback_t,
    data: *mut c_void,
) -> Result<impl FnMut(&Uri, &Entry) -> Result<Next>> {
    let callback = callback.ok_or_else(missing)?;
    Ok(move |place: &Uri, entry: &Entry| {
        let (text, len) = place_text(place);
        // SAFETY: the caller's contract.
        lenient(caught(|| unsafe {
            callback(text.as_ptr(), len, entry.size, data)
        })?)
    })
}

/// The same for a callback that is told what is a folder.
pub(crate) unsafe fn visitor_v2(
    callback: tiledb_ls_callback_v2_t,
    data: *mut c_void,
) -> Result<impl FnMut(&Uri, &Entry) -> Result<Next>> {
    let callback = callback.ok_or_else(missing)?;
    Ok(move |place: &Uri, entry: &Entry| {
        let (text, len) = place_text(place);
        let is_folder = u8::from(entry.kind == EntryKind::Directory);
        // SAFETY: the caller's contract.
        lenient(caught(|| unsafe {
            callback(text.as_ptr(), len, entry.size, is_folder, data)
        })?)
    })
}
