//! Fragment info: what the fragments of an array are: names, sizes, domains, times.
//!
//! A fragment is told by its index, from 0, in the order of time.

use tiledb_engine::inspect::{DimensionOf, FragmentInfo, RangeAsked};
use tiledb_engine::types::Range;

use tiledb_engine::array;

use crate::prelude::*;

/// What is known of the fragments of one array. Load it before asking.
pub struct tiledb_fragment_info_handle_t {
    info: FragmentInfo,
    /// Texts that it lends.
    kept: kept::Kept,
}
/// The name C programs use.
pub type tiledb_fragment_info_t = tiledb_fragment_info_handle_t;

/// Writes both ends of a range of fixed size, one after the other.
fn set_both(to: arg::Out<u8>, range: &Range) {
    if let Some(ends) = range.both() {
        to.set_all(ends);
    }
}

/// Makes a fragment info of an array. Nothing is read until `tiledb_fragment_info_load`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where the array is.
/// @param fragment_info Receives the fragment info; free it with `tiledb_fragment_info_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_alloc(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    fragment_info: *mut *mut tiledb_fragment_info_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |ctx| {
            let to = arg::out(fragment_info, "fragment_info").map(|_| fragment_info)?;
            let info = FragmentInfo::new(&ctx.vfs, arg::place(array_uri, "array_uri")?)?;
            let kept = kept::Kept::default();
            handle::make(to, "fragment_info", tiledb_fragment_info_t { info, kept })
        })
    }
}

/// Prints a text that describes the fragments, for people to read.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param out Where to print it; not null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_dump(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    out: *mut libc::FILE,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            kept::print(out, "write fragment info to", &info.info.dump()?)
        })
    }
}

/// Gives a text that describes the fragments, for people to read.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param out Receives the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_dump_str(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    out: *mut *mut tiledb_string_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let text = info.info.dump()?;
            handle::make(out, "out", tiledb_string_t::new(text))
        })
    }
}

/// Frees a fragment info, and with it the texts that its getters lent.
///
/// Accepts null at both levels and leaves null behind.
///
/// @param fragment_info Where the fragment info is; set to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_free(
    fragment_info: *mut *mut tiledb_fragment_info_t,
) {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        handle::release(fragment_info);
    }
}

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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let schema = info.info.schema(fid)?;
            let key = array::configured_key(&info.info.config())?;
            let schema = tiledb_array_schema_t::of(&schema, info.info.array(), key);
            handle::make(array_schema, "array_schema", schema)
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(schema_name, "schema_name")?;
            to.set(info.kept.text(&info.info.schema_name(fid)?));
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(cell_num, "cell_num")?;
            to.set(info.info.cell_num(fid)?);
            Ok(())
        })
    }
}

/// Gives a copy of the parameters of a fragment info.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param config Receives the parameters; free them with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_config(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let found = handle::borrow(fragment_info)?.info.config();
            handle::make(config, "config", tiledb_config_t::new(found))
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(dense, "dense")?;
            to.set(info.info.is_dense(fid)?.into());
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let text = info.info.name(fid)?;
            handle::make(name, "name", tiledb_string_t::new(text))
        })
    }
}

/// Says how many fragments there are.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fragment_num Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fragment_num: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(fragment_num, "fragment_num")?;
            to.set(info.info.fragment_num()?);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(size, "size")?;
            to.set(info.info.size(fid)?);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(uri, "uri")?;
            to.set(info.kept.text(info.info.uri(fid)?.as_str()));
            Ok(())
        })
    }
}

/// Gives the range of a dimension in the bounding rectangle of a tile, by the index of the dimension.
///
/// For dimensions of fixed size in sparse fragments; anything else is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param did The index of the dimension, from 0.
/// @param mbr Receives both ends, one after the other, in the type of the dimension.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    mbr: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(mbr.cast(), "mbr")?;
            let dimension = DimensionOf::Index(did);
            let range = info
                .info
                .mbr_range(fid, mid, dimension, RangeAsked::Fixed)?;
            set_both(to, &range);
            Ok(())
        })
    }
}

/// Gives the range of a dimension in the bounding rectangle of a tile, by the name of the dimension.
///
/// For dimensions of fixed size in sparse fragments; anything else is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param dim_name The name of the dimension.
/// @param mbr Receives both ends, one after the other, in the type of the dimension.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    mbr: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(mbr.cast(), "mbr")?;
            let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
            let range = info
                .info
                .mbr_range(fid, mid, dimension, RangeAsked::Fixed)?;
            set_both(to, &range);
            Ok(())
        })
    }
}

/// Says how many bounding rectangles a fragment has: one per tile in a sparse one, none in a dense one.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mbr_num Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mbr_num: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(mbr_num, "mbr_num")?;
            to.set(info.info.mbr_num(fid)?);
            Ok(())
        })
    }
}

/// Gives the range of a string dimension in the bounding rectangle of a tile, by the index of the dimension.
///
/// Ask for the sizes first. A dimension of fixed size is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param did The index of the dimension, from 0.
/// @param start Receives the lower end.
/// @param end Receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let start = arg::out(start.cast::<u8>(), "start")?;
            let end = arg::out(end.cast::<u8>(), "end")?;
            let dimension = DimensionOf::Index(did);
            let range = info.info.mbr_range(fid, mid, dimension, RangeAsked::Var)?;
            start.set_all(range.start());
            end.set_all(range.end());
            Ok(())
        })
    }
}

/// Gives the range of a string dimension in the bounding rectangle of a tile, by the name of the dimension.
///
/// Ask for the sizes first. A dimension of fixed size is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param dim_name The name of the dimension.
/// @param start Receives the lower end.
/// @param end Receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let start = arg::out(start.cast::<u8>(), "start")?;
            let end = arg::out(end.cast::<u8>(), "end")?;
            let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
            let range = info.info.mbr_range(fid, mid, dimension, RangeAsked::Var)?;
            start.set_all(range.start());
            end.set_all(range.end());
            Ok(())
        })
    }
}

/// Gives the sizes of the ends that `tiledb_fragment_info_get_mbr_var_from_index` gives.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param did The index of the dimension, from 0.
/// @param start_size Receives the size of the lower end in bytes.
/// @param end_size Receives the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    did: u32,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let start = arg::out(start_size, "start_size")?;
            let end = arg::out(end_size, "end_size")?;
            let dimension = DimensionOf::Index(did);
            let range = info
                .info
                .mbr_range(fid, mid, dimension, RangeAsked::VarSize)?;
            start.set(range.start().len() as u64);
            end.set(range.end().len() as u64);
            Ok(())
        })
    }
}

/// Gives the sizes of the ends that `tiledb_fragment_info_get_mbr_var_from_name` gives.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param mid The index of the rectangle, from 0.
/// @param dim_name The name of the dimension.
/// @param start_size Receives the size of the lower end in bytes.
/// @param end_size Receives the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_mbr_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    mid: u32,
    dim_name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let start = arg::out(start_size, "start_size")?;
            let end = arg::out(end_size, "end_size")?;
            let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
            let range = info
                .info
                .mbr_range(fid, mid, dimension, RangeAsked::VarSize)?;
            start.set(range.start().len() as u64);
            end.set(range.end().len() as u64);
            Ok(())
        })
    }
}

/// Gives the range of a dimension in which a fragment has cells, by the index of the dimension.
///
/// For dimensions of fixed size; a string dimension is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param did The index of the dimension, from 0.
/// @param domain Receives both ends, one after the other, in the type of the dimension.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    domain: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(domain.cast(), "domain")?;
            let dimension = DimensionOf::Index(did);
            let range = info
                .info
                .non_empty_range(fid, dimension, RangeAsked::Fixed)?;
            set_both(to, &range);
            Ok(())
        })
    }
}

/// Gives the range of a dimension in which a fragment has cells, by the name of the dimension.
///
/// For dimensions of fixed size; a string dimension is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param dim_name The name of the dimension.
/// @param domain Receives both ends, one after the other, in the type of the dimension.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    domain: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(domain.cast(), "domain")?;
            let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
            let range = info
                .info
                .non_empty_range(fid, dimension, RangeAsked::Fixed)?;
            set_both(to, &range);
            Ok(())
        })
    }
}

/// Gives the range of a string dimension in which a fragment has cells, by the index of the dimension.
///
/// Ask for the sizes first. A dimension of fixed size is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param did The index of the dimension, from 0.
/// @param start Receives the lower end.
/// @param end Receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let start = arg::out(start.cast::<u8>(), "start")?;
            let end = arg::out(end.cast::<u8>(), "end")?;
            let dimension = DimensionOf::Index(did);
            let range = info.info.non_empty_range(fid, dimension, RangeAsked::Var)?;
            start.set_all(range.start());
            end.set_all(range.end());
            Ok(())
        })
    }
}

/// Gives the range of a string dimension in which a fragment has cells, by the name of the dimension.
///
/// Ask for the sizes first. A dimension of fixed size is an error.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param dim_name The name of the dimension.
/// @param start Receives the lower end.
/// @param end Receives the upper end.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let start = arg::out(start.cast::<u8>(), "start")?;
            let end = arg::out(end.cast::<u8>(), "end")?;
            let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
            let range = info.info.non_empty_range(fid, dimension, RangeAsked::Var)?;
            start.set_all(range.start());
            end.set_all(range.end());
            Ok(())
        })
    }
}

/// Gives the sizes of the ends that `tiledb_fragment_info_get_non_empty_domain_var_from_index` gives.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param did The index of the dimension, from 0.
/// @param start_size Receives the size of the lower end in bytes.
/// @param end_size Receives the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    did: u32,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let start = arg::out(start_size, "start_size")?;
            let end = arg::out(end_size, "end_size")?;
            let dimension = DimensionOf::Index(did);
            let range = info
                .info
                .non_empty_range(fid, dimension, RangeAsked::VarSize)?;
            start.set(range.start().len() as u64);
            end.set(range.end().len() as u64);
            Ok(())
        })
    }
}

/// Gives the sizes of the ends that `tiledb_fragment_info_get_non_empty_domain_var_from_name` gives.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, from 0.
/// @param dim_name The name of the dimension.
/// @param start_size Receives the size of the lower end in bytes.
/// @param end_size Receives the size of the upper end in bytes.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_non_empty_domain_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    dim_name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let start = arg::out(start_size, "start_size")?;
            let end = arg::out(end_size, "end_size")?;
            let dimension = DimensionOf::Name(arg::optional_text(dim_name, "dim_name")?);
            let range = info
                .info
                .non_empty_range(fid, dimension, RangeAsked::VarSize)?;
            start.set(range.start().len() as u64);
            end.set(range.end().len() as u64);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(sparse, "sparse")?;
            to.set(info.info.is_sparse(fid)?.into());
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let (start, end) = (arg::out(start, "start")?, arg::out(end, "end")?);
            let range = info.info.timestamps(fid)?;
            start.set(range.start);
            end.set(range.end);
            Ok(())
        })
    }
}

/// Says how many fragments were merged into others and wait for vacuum.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param to_vacuum_num Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_to_vacuum_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    to_vacuum_num: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(to_vacuum_num, "to_vacuum_num")?;
            to.set(info.info.to_vacuum_num());
            Ok(())
        })
    }
}

/// Gives the URI of a fragment that waits for vacuum.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid Which of them, from 0.
/// @param uri Receives the URI, which lives as long as the fragment info.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_to_vacuum_uri(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    uri: *mut *const c_char,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(uri, "uri")?;
            to.set(info.kept.text(info.info.to_vacuum_uri(fid)?.as_str()));
            Ok(())
        })
    }
}

/// Says how many cells all fragments have together. A cell that was written twice counts twice.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param count Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_total_cell_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    count: *mut u64,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(count, "count")?;
            to.set(info.info.total_cell_num()?);
            Ok(())
        })
    }
}

/// Says how many fragments have footers that no consolidated file holds.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param unconsolidated Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_unconsolidated_metadata_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    unconsolidated: *mut u32,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(unconsolidated, "unconsolidated")?;
            to.set(info.info.unconsolidated_metadata_num());
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(version, "version")?;
            to.set(info.info.version(fid)?);
            Ok(())
        })
    }
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
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            let to = arg::out(has, "has")?;
            to.set(info.info.has_consolidated_metadata(fid)?.into());
            Ok(())
        })
    }
}

/// Reads what the fragments of the array are now. Loading again gets newer ones.
///
/// It is an error if the array does not exist.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_load(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe { entry::with_context(ctx, |_| handle::borrow(fragment_info)?.info.load()) }
}

/// Sets the parameters for loading, as timestamps and the key of an encrypted array.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param fragment_info The fragment info.
/// @param config The parameters; copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_set_config(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    // SAFETY: the contract of this layer, stated once in lib.rs.
    unsafe {
        entry::with_context(ctx, |_| {
            let info = handle::borrow(fragment_info)?;
            info.info.set_config(&handle::borrow(config)?.config())
        })
    }
}
