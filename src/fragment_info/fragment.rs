//! Properties of one fragment: name, URI, schema, version, sizes and timestamps.

use tiledb_engine::internal::array;
use tiledb_engine::internal::inspect::FragmentInfo;

use crate::prelude::*;

/// Gets the schema that a fragment was written with.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param array_schema Set to the schema; free it with `tiledb_array_schema_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_array_schema(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let fragment = info.fragment(fid, "get array schema")?;
        let key = array::key::of_config(&info.config())?;
        let schema = tiledb_array_schema_t::of(&fragment.schema, &info.array, key);
        handle::make(array_schema, "array_schema", schema)
    })
}

/// Gets the name of the schema that a fragment was written with: the last part of the URI of its
/// file.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param schema_name Set to the name, valid until the fragment info is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let fragment = info.info.fragment(fid, "get array schema name")?;
        to.set(info.returned.text(fragment.schema_name()));
        Ok(())
    })
}

/// Gets the number of cells of a fragment. For a dense fragment, it is the number of cells of its
/// tiles.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param cell_num Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        to.set(info.fragment(fid, FragmentInfo::URI)?.cell_num());
        Ok(())
    })
}

/// Checks whether a fragment is dense.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param dense Set to 1 if it is, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let fragment = info.fragment(fid, "check if fragment is dense")?;
        to.set(fragment.footer.dense.into());
        Ok(())
    })
}

/// Gets the name of a fragment: the last part of its URI.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param name Set to the name; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_name_v2(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    name: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let fragment = info.fragment(fid, FragmentInfo::URI)?;
        let text = fragment.name().as_str().to_owned();
        handle::make(name, "name", tiledb_string_t::new(text))
    })
}

/// Gets the total size of the files of a fragment.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param size Set to the size in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        to.set(info.fragment(fid, FragmentInfo::URI)?.stored_size()?);
        Ok(())
    })
}

/// Gets the URI of a fragment.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param uri Set to the URI, valid until the fragment info is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let fragment = info.info.fragment(fid, FragmentInfo::URI)?;
        to.set(info.returned.text(fragment.uri().as_str()));
        Ok(())
    })
}

/// Checks whether a fragment is sparse.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param sparse Set to 1 if it is, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let fragment = info.fragment(fid, "check if fragment is sparse")?;
        to.set((!fragment.footer.dense).into());
        Ok(())
    })
}

/// Gets the timestamp range of a fragment. Both ends are equal unless it is a consolidated
/// fragment.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param start Set to the start in milliseconds since 1970-01-01 UTC.
/// @param end Set to the end in milliseconds since 1970-01-01 UTC.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let range = info.fragment(fid, FragmentInfo::URI)?.timestamps();
        start.set(range.start);
        end.set(range.end);
        Ok(())
    })
}

/// Gets the format version of a fragment.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param version Set to the version.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let fragment = info.fragment(fid, "get version")?;
        to.set(fragment.footer.head.version.0);
        Ok(())
    })
}

/// Checks whether the footer of a fragment is in a consolidated metadata file.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param has Set to 1 if it is, otherwise 0.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
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
        let action = "check if fragment has consolidated metadata";
        to.set(info.fragment(fid, action)?.has_consolidated_footer.into());
        Ok(())
    })
}
