//! Objects: what is at a URI, and walks over arrays and groups.

use tiledb_engine::object;
use tiledb_engine::types::{ObjectType, WalkOrder};
use tiledb_engine::vfs::Uri;

use crate::callback;
use crate::prelude::*;

/// Calls back for each array and group right below a path, in the order of their names.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param path Where to look.
/// @param callback Called for each object found, with its URI, its type and `data`. The URI is valid during the call.
///   Answers 1 to go on, 0 to stop without an error, -1 to make the call fail.
/// @param data Handed to the callback as it is; may be null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_ls(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    callback: Option<
        unsafe extern "C-unwind" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32,
    >,
    data: *mut c_void,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let why = "Cannot initiate object ls; Invalid callback function";
        let mut visit = callback::object_visitor(callback, data, why)?;
        object::list(&ctx.vfs, arg::place(path, "path")?, &mut visit)
    })
}

/// Moves an array or a group, with all that is in it.
///
/// It is an error if there is no such object.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param old_path Where it is.
/// @param new_path Where it is to be.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_move(
    ctx: *mut tiledb_ctx_t,
    old_path: *const c_char,
    new_path: *const c_char,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let old_path = arg::place(old_path, "old_path")?;
        let new_path = arg::place(new_path, "new_path")?;
        object::move_object(&ctx.vfs, old_path, new_path)
    })
}

/// Removes an array or a group, with all that is in it.
///
/// It is an error if there is no such object: other files are left alone.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param path Where it is.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_remove(ctx: *mut tiledb_ctx_t, path: *const c_char) -> i32 {
    entry::with_context(ctx, |ctx| {
        object::remove(&ctx.vfs, arg::place(path, "path")?)
    })
}

/// Says what is at a path.
///
/// That nothing is there, or something else, is no error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param path The path.
/// @param type Receives the type: `TILEDB_INVALID` for neither array nor group.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    r#type: *mut tiledb_object_t,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let found = arg::out(r#type, "type")?;
        let uri = Uri::parse(arg::place(path, "path")?)?;
        found.set(object::object_type(&ctx.vfs, &uri)?.code().into());
        Ok(())
    })
}

/// Gives the type of an object for its text.
///
/// @param str The text, as "ARRAY".
/// @param object_type Receives the type.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type_from_str(
    str: *const c_char,
    object_type: *mut tiledb_object_t,
) -> capi_return_t {
    entry::plain(|| {
        let value = ObjectType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown object type"))?;
        arg::out(object_type, "object_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gives the text for the type of an object, as "ARRAY".
///
/// @param object_type The type.
/// @param str Receives the text, which lives as long as the library.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type_to_str(
    object_type: tiledb_object_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let value = arg::known(
            ObjectType::from_code(object_type),
            "object type",
            object_type,
        )?;
        arg::out(str, "str")?.set(kept::constant(value.name()));
        Ok(())
    })
}

/// Calls back for each array and group below a path, groups within groups included, each folder's in the order of names.
///
/// Folders that are neither are not looked into.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param path Where to start; the path itself is not reported.
/// @param order Whether a group comes before its members or after them.
/// @param callback Called for each object found, with its URI, its type and `data`. The URI is valid during the call.
///   Answers 1 to go on, 0 to stop without an error, -1 to make the call fail.
/// @param data Handed to the callback as it is; may be null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_walk(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    order: tiledb_walk_order_t,
    callback: Option<
        unsafe extern "C-unwind" fn(*const c_char, tiledb_object_t, *mut c_void) -> i32,
    >,
    data: *mut c_void,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let why = "Cannot initiate walk; Invalid callback function";
        let mut visit = callback::object_visitor(callback, data, why)?;
        let path = arg::place(path, "path")?;
        let order = arg::known(WalkOrder::from_code(order), "walk order", order)?;
        object::walk(&ctx.vfs, path, order, &mut visit)
    })
}

/// Gives the order of a walk for its text.
///
/// @param str The text, as "PREORDER".
/// @param walk_order Receives the order.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_walk_order_from_str(
    str: *const c_char,
    walk_order: *mut tiledb_walk_order_t,
) -> capi_return_t {
    entry::plain(|| {
        let value = WalkOrder::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown walk order"))?;
        arg::out(walk_order, "walk_order")?.set(value.code().into());
        Ok(())
    })
}

/// Gives the text for the order of a walk, as "PREORDER".
///
/// @param walk_order The order.
/// @param str Receives the text, which lives as long as the library.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if there is no such value or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_walk_order_to_str(
    walk_order: tiledb_walk_order_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::plain(|| {
        let value = arg::known(WalkOrder::from_code(walk_order), "walk order", walk_order)?;
        arg::out(str, "str")?.set(kept::constant(value.name()));
        Ok(())
    })
}
