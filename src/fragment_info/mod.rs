//! Fragment info: names, sizes, domains and timestamps of the fragments of an array.
//!
//! A fragment is identified by its index, starting at 0, in the order of timestamps. This file
//! contains the handle and the functions on all fragments. Other files: one fragment (`fragment`),
//! its `non_empty_domain`, and the bounding rectangles of its tiles (`mbr`).

use tiledb_engine::internal::inspect::FragmentInfo;
use tiledb_engine::internal::rest::location;

use crate::prelude::*;

pub mod fragment;
pub mod mbr;
pub mod non_empty_domain;

/// Information about the fragments of an array. Call `tiledb_fragment_info_load` before the
/// getters.
pub struct tiledb_fragment_info_handle_t {
    pub(crate) info: FragmentInfo,
    /// Strings that getters returned; the fragment info owns them.
    pub(crate) returned: c_strings::GetterValues,
}

/// Name of the type in C programs.
pub type tiledb_fragment_info_t = tiledb_fragment_info_handle_t;

/// Creates a fragment info for an array. Storage is not accessed before
/// `tiledb_fragment_info_load`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param fragment_info Set to the fragment info; free it with `tiledb_fragment_info_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_alloc(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    fragment_info: *mut *mut tiledb_fragment_info_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let to = arg::out(fragment_info, "fragment_info").map(|_| fragment_info)?;
        let info = FragmentInfo::new(&ctx.vfs, arg::uri_text(array_uri, "array_uri")?)?;
        let returned = c_strings::GetterValues::default();
        handle::make(
            to,
            "fragment_info",
            tiledb_fragment_info_t { info, returned },
        )
    })
}

/// Prints a description of the fragments to a stream.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param out The stream, which must not be null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_dump(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    out: *mut libc::FILE,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        c_strings::print(out, "write fragment info to", &info.dump()?)
    })
}

/// Gets a description of the fragments as text.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param out Set to the text; free it with `tiledb_string_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_dump_str(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *const tiledb_fragment_info_t,
    out: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let text = info.dump()?;
        handle::make(out, "out", tiledb_string_t::new(text))
    })
}

/// Frees a fragment info and the strings that its getters returned.
///
/// @param fragment_info Pointer to the handle, which is set to null. Null and a pointer to null are
///   ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_free(
    fragment_info: *mut *mut tiledb_fragment_info_t,
) {
    handle::release(fragment_info);
}

/// Gets a copy of the configuration of a fragment info.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param config Set to the configuration; free it with `tiledb_config_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_config(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    config: *mut *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let found = handle::borrow(fragment_info)?.info.config();
        handle::make(config, "config", tiledb_config_t::new(found))
    })
}

/// Gets the number of fragments.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fragment_num Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fragment_num: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(fragment_num, "fragment_num")?;
        to.set(info.fragment_num()?);
        Ok(())
    })
}

/// Gets the number of fragments that were replaced by consolidation and can be vacuumed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param to_vacuum_num Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_to_vacuum_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    to_vacuum_num: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(to_vacuum_num, "to_vacuum_num")?;
        to.set(info.to_vacuum_num());
        Ok(())
    })
}

/// Gets the URI of a fragment that was replaced by consolidation and can be vacuumed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index among these fragments, starting at 0.
/// @param uri Set to the URI, valid until the fragment info is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_to_vacuum_uri(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    uri: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = handle::borrow(fragment_info)?;
        let to = arg::out(uri, "uri")?;
        to.set(info.returned.text(info.info.to_vacuum_uri(fid)?.as_str()));
        Ok(())
    })
}

/// Gets the number of cells of all fragments. A cell that was written twice counts twice.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param count Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_total_cell_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    count: *mut u64,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(count, "count")?;
        to.set(info.total_cell_num()?);
        Ok(())
    })
}

/// Gets the number of fragments whose footers are not in a consolidated metadata file.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param unconsolidated Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_unconsolidated_metadata_num(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    unconsolidated: *mut u32,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(unconsolidated, "unconsolidated")?;
        to.set(info.unconsolidated_metadata_num());
        Ok(())
    })
}

/// Reads the information about the current fragments of the array. Call it again to include newer
/// ones.
///
/// It is an error if the array does not exist.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_load(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        location::load_fragment_info(info)
    })
}

/// Sets the configuration for loading, for example the key of an encrypted array. It is an error
/// after the fragment info was loaded.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param config The configuration; it is copied.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_set_config(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        info.set_config(&handle::borrow(config)?.config())
    })
}
