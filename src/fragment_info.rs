//! Fragment info: what the fragments of an array are: names, sizes, domains, times.
//!
//! A fragment is told by its index, from 0, in the order of time.

use crate::prelude::*;

/// What is known of the fragments of one array. Load it before asking.
pub struct tiledb_fragment_info_handle_t {
    _later: (),
}
/// The name C programs use.
pub type tiledb_fragment_info_t = tiledb_fragment_info_handle_t;

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
        let _ = (ctx, array_uri, fragment_info);
        entry::not_implemented(ctx, "tiledb_fragment_info_alloc")
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
        let _ = (ctx, fragment_info, out);
        entry::not_implemented(ctx, "tiledb_fragment_info_dump")
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
        let _ = (ctx, fragment_info, out);
        entry::not_implemented(ctx, "tiledb_fragment_info_dump_str")
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
        let _ = (ctx, fragment_info, fid, array_schema);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_array_schema")
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
        let _ = (ctx, fragment_info, fid, schema_name);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_array_schema_name")
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
        let _ = (ctx, fragment_info, fid, cell_num);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_cell_num")
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
        let _ = (ctx, fragment_info, config);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_config")
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
        let _ = (ctx, fragment_info, fid, dense);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_dense")
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
        let _ = (ctx, fragment_info, fid, name);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_fragment_name_v2")
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
        let _ = (ctx, fragment_info, fragment_num);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_fragment_num")
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
        let _ = (ctx, fragment_info, fid, size);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_fragment_size")
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
        let _ = (ctx, fragment_info, fid, uri);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_fragment_uri")
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
        let _ = (ctx, fragment_info, fid, mid, did, mbr);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_from_index")
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
        let _ = (ctx, fragment_info, fid, mid, dim_name, mbr);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_from_name")
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
        let _ = (ctx, fragment_info, fid, mbr_num);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_num")
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
        let _ = (ctx, fragment_info, fid, mid, did, start, end);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_var_from_index")
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
        let _ = (ctx, fragment_info, fid, mid, dim_name, start, end);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_var_from_name")
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
        let _ = (ctx, fragment_info, fid, mid, did, start_size, end_size);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_var_size_from_index")
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
        let _ = (ctx, fragment_info, fid, mid, dim_name, start_size, end_size);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_mbr_var_size_from_name")
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
        let _ = (ctx, fragment_info, fid, did, domain);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_non_empty_domain_from_index")
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
        let _ = (ctx, fragment_info, fid, dim_name, domain);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_non_empty_domain_from_name")
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
        let _ = (ctx, fragment_info, fid, did, start, end);
        entry::not_implemented(
            ctx,
            "tiledb_fragment_info_get_non_empty_domain_var_from_index",
        )
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
        let _ = (ctx, fragment_info, fid, dim_name, start, end);
        entry::not_implemented(
            ctx,
            "tiledb_fragment_info_get_non_empty_domain_var_from_name",
        )
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
        let _ = (ctx, fragment_info, fid, did, start_size, end_size);
        entry::not_implemented(
            ctx,
            "tiledb_fragment_info_get_non_empty_domain_var_size_from_index",
        )
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
        let _ = (ctx, fragment_info, fid, dim_name, start_size, end_size);
        entry::not_implemented(
            ctx,
            "tiledb_fragment_info_get_non_empty_domain_var_size_from_name",
        )
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
        let _ = (ctx, fragment_info, fid, sparse);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_sparse")
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
        let _ = (ctx, fragment_info, fid, start, end);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_timestamp_range")
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
        let _ = (ctx, fragment_info, to_vacuum_num);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_to_vacuum_num")
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
        let _ = (ctx, fragment_info, fid, uri);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_to_vacuum_uri")
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
        let _ = (ctx, fragment_info, count);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_total_cell_num")
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
        let _ = (ctx, fragment_info, unconsolidated);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_unconsolidated_metadata_num")
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
        let _ = (ctx, fragment_info, fid, version);
        entry::not_implemented(ctx, "tiledb_fragment_info_get_version")
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
        let _ = (ctx, fragment_info, fid, has);
        entry::not_implemented(ctx, "tiledb_fragment_info_has_consolidated_metadata")
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
    unsafe {
        let _ = (ctx, fragment_info);
        entry::not_implemented(ctx, "tiledb_fragment_info_load")
    }
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
        let _ = (ctx, fragment_info, config);
        entry::not_implemented(ctx, "tiledb_fragment_info_set_config")
    }
}
