//! Objects: the type of the object at a URI, and listings of arrays and groups.

use tiledb_engine::internal::rest::location;
use tiledb_engine::internal::types::{ObjectType, WalkOrder};
use tiledb_engine::internal::vfs::Uri;

use crate::callback;
use crate::prelude::*;

/// Lists the arrays and groups directly below a path, in the order of their names.
///
/// @param ctx The context; stores the error if the call fails.
/// @param path The URI or path to list.
/// @param callback Called for each object found, with its URI, its type and `data`. The URI is
///   valid during the call. Returns 1 to continue, 0 to stop without an error, -1 to make the call
///   fail.
/// @param data Passed to the callback unchanged; may be null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let path = arg::uri_text(path, "path")?;
        location::list_objects(&ctx.vfs, path, &mut visit)
    })
}

/// Moves an array or a group with its contents.
///
/// It is an error if the object does not exist.
///
/// @param ctx The context; stores the error if the call fails.
/// @param old_path URI or path of the object.
/// @param new_path The new URI or path.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_move(
    ctx: *mut tiledb_ctx_t,
    old_path: *const c_char,
    new_path: *const c_char,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let old_path = arg::uri_text(old_path, "old_path")?;
        let new_path = arg::uri_text(new_path, "new_path")?;
        location::move_object(&ctx.vfs, old_path, new_path)
    })
}

/// Removes an array or a group with its contents.
///
/// It is an error if neither an array nor a group exists at the path; other files are not removed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param path URI or path of the object.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_remove(ctx: *mut tiledb_ctx_t, path: *const c_char) -> i32 {
    entry::with_context(ctx, |ctx| {
        let path = arg::uri_text(path, "path")?;
        location::remove_object(&ctx.vfs, path)
    })
}

/// Gets the type of the object at a path.
///
/// A path that does not exist, or that is neither an array nor a group, is not an error.
///
/// @param ctx The context; stores the error if the call fails.
/// @param path The path.
/// @param type Set to the type, or to `TILEDB_INVALID` if the path is neither an array nor a group.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type(
    ctx: *mut tiledb_ctx_t,
    path: *const c_char,
    r#type: *mut tiledb_object_t,
) -> i32 {
    entry::with_context(ctx, |ctx| {
        let found = arg::out(r#type, "type")?;
        let uri = Uri::parse(arg::uri_text(path, "path")?)?;
        let kind = location::object_type(&ctx.vfs, &uri)?;
        found.set(kind.code().into());
        Ok(())
    })
}

/// Converts the name of a value to the type of an object.
///
/// @param str The name, such as "ARRAY".
/// @param object_type Set to the type.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type_from_str(
    str: *const c_char,
    object_type: *mut tiledb_object_t,
) -> capi_return_t {
    entry::code_only(|| {
        let value = ObjectType::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown object type"))?;
        arg::out(object_type, "object_type")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of the type of an object, such as "ARRAY".
///
/// @param object_type The type.
/// @param str Set to a static string.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_object_type_to_str(
    object_type: tiledb_object_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let value = arg::enum_value(
            ObjectType::from_code(object_type),
            "object type",
            object_type,
        )?;
        arg::out(str, "str")?.set(c_strings::constant(value.name()));
        Ok(())
    })
}

/// Lists all arrays and groups below a path recursively. The entries of a folder are listed in the
/// order of their names.
///
/// Folders that are neither arrays nor groups are not searched.
///
/// @param ctx The context; stores the error if the call fails.
/// @param path The URI or path to start from, which is not listed itself.
/// @param order Whether a group comes before its members or after them.
/// @param callback Called for each object found, with its URI, its type and `data`. The URI is
///   valid during the call. Returns 1 to continue, 0 to stop without an error, -1 to make the call
///   fail.
/// @param data Passed to the callback unchanged; may be null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let path = arg::uri_text(path, "path")?;
        let order = arg::enum_value(WalkOrder::from_code(order), "walk order", order)?;
        location::walk_objects(&ctx.vfs, path, order, &mut visit)
    })
}

/// Converts the name of a value to the order of a walk.
///
/// @param str The name, such as "PREORDER".
/// @param walk_order Set to the order.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_walk_order_from_str(
    str: *const c_char,
    walk_order: *mut tiledb_walk_order_t,
) -> capi_return_t {
    entry::code_only(|| {
        let value = WalkOrder::from_name(arg::text(str, "str")?);
        let value = value.ok_or_else(|| Error::usage("C API", "Unknown walk order"))?;
        arg::out(walk_order, "walk_order")?.set(value.code().into());
        Ok(())
    })
}

/// Gets the name of the order of a walk, such as "PREORDER".
///
/// @param walk_order The order.
/// @param str Set to a static string.
/// @return `TILEDB_OK`, or `TILEDB_ERR` if the value is unknown or a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_walk_order_to_str(
    walk_order: tiledb_walk_order_t,
    str: *mut *const c_char,
) -> capi_return_t {
    entry::code_only(|| {
        let value = arg::enum_value(WalkOrder::from_code(walk_order), "walk order", walk_order)?;
        arg::out(str, "str")?.set(c_strings::constant(value.name()));
        Ok(())
    })
}
