//! What one fragment is: its name and place, its schema and version, its sizes and times.

use tiledb_engine::array;

use crate::prelude::*;

/// Gives the schema that a fragment was written with.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param array_schema Receives the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_array_schema(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let schema = info.schema(fid)?;
        let key = array::configured_key(&info.config())?;
        let schema = tiledb_array_schema_t::of(&schema, info.array(), key);
        handle::make(array_schema, "array_schema", schema)
    })
}

/// Gives the name of the schema that a fragment was written with: the last part of the URI of its file.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param schema_name Receives the name, which lives as long as the fragment info.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_array_schema_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    schema_name: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = handle::borrow(fragment_info)?;
        let to = arg::out(schema_name, "schema_name")?;
        to.set(info.kept.text(&info.info.schema_name(fid)?));
        Ok(())
    })
}

/// Says how many cells a fragment has: in a dense one, those of the tiles it covers.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param cell_num Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_cell_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    cell_num: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(cell_num, "cell_num")?;
        to.set(info.cell_num(fid)?);
        Ok(())
    })
}

/// Says whether a fragment is dense.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param dense Receives 1 if it is, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_dense(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dense: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(dense, "dense")?;
        to.set(info.is_dense(fid)?.into());
        Ok(())
    })
}

/// Gives the name of a fragment: the last part of its URI.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param name Receives the name; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_name_v2(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let text = info.name(fid)?;
        handle::make(name, "name", tiledb_string_t::new(text))
    })
}

/// Gives the size of all files of a fragment.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param size Receives the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_size(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    size: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(size, "size")?;
        to.set(info.size(fid)?);
        Ok(())
    })
}

/// Gives the URI of a fragment.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param uri Receives the URI, which lives as long as the fragment info.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    uri: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = handle::borrow(fragment_info)?;
        let to = arg::out(uri, "uri")?;
        to.set(info.kept.text(info.info.uri(fid)?.as_str()));
        Ok(())
    })
}

/// Says whether a fragment is sparse.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param sparse Receives 1 if it is, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_sparse(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    sparse: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(sparse, "sparse")?;
        to.set(info.is_sparse(fid)?.into());
        Ok(())
    })
}

/// Says when a fragment was written, or from when to when those it was merged from were.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param start Receives the earlier end, in milliseconds since 1970-01-01T00:00:00Z.
/// @param end Receives the later end, in milliseconds since 1970-01-01T00:00:00Z.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    start: *mut u64,
    end: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let (start, end) = (arg::out(start, "start")?, arg::out(end, "end")?);
        let range = info.timestamps(fid)?;
        start.set(range.start);
        end.set(range.end);
        Ok(())
    })
}

/// Gives the format version of a fragment.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param version Receives the version.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_version(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    version: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(version, "version")?;
        to.set(info.version(fid)?);
        Ok(())
    })
}

/// Says whether a consolidated file holds the footer of a fragment.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param has Receives 1 if one does, else 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_has_consolidated_metadata(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    has: *mut i32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(has, "has")?;
        to.set(info.has_consolidated_metadata(fid)?.into());
        Ok(())
    })
}
