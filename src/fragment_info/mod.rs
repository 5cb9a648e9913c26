//! Fragment info: what the fragments of an array are: names, sizes, domains, times.
//!
//! A fragment is told by its index, from 0, in the order of time. Here is what is asked of all together; beside: what one
//! is (`fragment`), where its cells are (`non_empty_domain`), and where those of its tiles are (`mbr`).

use tiledb_engine::inspect::FragmentInfo;

use crate::prelude::*;

pub mod fragment;
pub mod mbr;
pub mod non_empty_domain;

/// What is known of the fragments of one array. Load it before asking.
pub struct tiledb_fragment_info_handle_t {
    info: FragmentInfo,
    /// Texts that it lends.
    kept: kept::Kept,
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
    entry::with_context(ctx, |ctx| {
        let to = arg::out(fragment_info, "fragment_info").map(|_| fragment_info)?;
        let info = FragmentInfo::new(&ctx.vfs, arg::place(array_uri, "array_uri")?)?;
        let kept = kept::Kept::default();
        handle::make(to, "fragment_info", tiledb_fragment_info_t { info, kept })
    })
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
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        kept::print(out, "write fragment info to", &info.dump()?)
    })
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
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let text = info.dump()?;
        handle::make(out, "out", tiledb_string_t::new(text))
    })
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
    handle::release(fragment_info);
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
    entry::with_context(ctx, |_| {
        let found = handle::borrow(fragment_info)?.info.config();
        handle::make(config, "config", tiledb_config_t::new(found))
    })
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
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(fragment_num, "fragment_num")?;
        to.set(info.fragment_num()?);
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(to_vacuum_num, "to_vacuum_num")?;
        to.set(info.to_vacuum_num());
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let info = handle::borrow(fragment_info)?;
        let to = arg::out(uri, "uri")?;
        to.set(info.kept.text(info.info.to_vacuum_uri(fid)?.as_str()));
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(count, "count")?;
        to.set(info.total_cell_num()?);
        Ok(())
    })
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
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        let to = arg::out(unconsolidated, "unconsolidated")?;
        to.set(info.unconsolidated_metadata_num());
        Ok(())
    })
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
    entry::with_context(ctx, |_| handle::borrow(fragment_info)?.info.load())
}

/// Sets the parameters for loading, as the key of an encrypted array. It is an error after that.
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
    entry::with_context(ctx, |_| {
        let info = &handle::borrow(fragment_info)?.info;
        info.set_config(&handle::borrow(config)?.config())
    })
}
