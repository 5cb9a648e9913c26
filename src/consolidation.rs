//! Consolidation merges fragments or small files into larger ones; vacuum removes the replaced
//! ones.
//!
//! The configuration selects the mode of both. Readers and writers can work while they run.

use tiledb_engine::internal::maintenance::ConsolidationPlan;
use tiledb_engine::internal::rest::location;

use crate::prelude::*;

/// A consolidation plan: a list of nodes. The fragments of a node should be merged with each other.
pub struct tiledb_consolidation_plan_t {
    plan: ConsolidationPlan,
    returned: c_strings::GetterValues,
}

/// Merges fragments, or small files of one kind, of an array into larger ones.
///
/// `sm.consolidation.mode` selects what is merged: `fragments`, `fragment_meta`, `commits`,
/// `array_meta`, or `group_meta` for a group. Replaced fragments and files are kept for reads at
/// earlier times until `tiledb_array_vacuum` removes them. Does nothing if there is nothing to
/// merge. The key of an encrypted array is taken from `sm.encryption_key`.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param config The configuration to use; null means the configuration of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_consolidate(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let uri = arg::uri_text(array_uri, "array_uri")?;
        location::consolidate(&ctx.vfs, uri, &ctx.config_or(config))
    })
}

/// Merges the named fragments of an array into one.
///
/// It is an error if a name is unknown. In a dense array, it is an error if a fragment that is not
/// named is older than the newest named one and has cells in the bounding box of the named ones.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param fragment_uris The names of the fragments, which are the last parts of their URIs.
/// @param num_fragments The number of names. Does nothing if it is less than 2.
/// @param config The configuration to use; null means the configuration of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_consolidate_fragments(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    fragment_uris: *mut *const c_char,
    num_fragments: u64,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let names = arg::texts(fragment_uris.cast_const(), num_fragments, "fragment_uris")?;
        let uri = arg::uri_text(array_uri, "array_uri")?;
        location::consolidate_fragments(&ctx.vfs, uri, &names, &ctx.config_or(config))
    })
}

/// Removes the fragments or files that consolidation has replaced.
///
/// `sm.vacuum.mode` selects what is removed: `fragments`, `fragment_meta`, `commits`, `array_meta`,
/// or `group_meta` for a group. After fragments were removed, a dense array can no longer be opened
/// at a time before the end of the time range of the consolidated fragment. An interrupted vacuum
/// can be repeated.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_uri URI or path of the array.
/// @param config The configuration to use; null means the configuration of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_vacuum(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        if array_uri.is_null() {
            return Err(Error::usage(
                "FragmentConsolidator",
                "Cannot vacuum fragments; Array name cannot be null",
            ));
        }
        let uri = arg::text(array_uri, "array_uri")?;
        location::vacuum(&ctx.vfs, uri, &ctx.config_or(config))
    })
}

/// Creates a plan of which fragments of an array to merge.
///
/// Fragments with overlapping non-empty domains are in the same node. Small fragments are added to
/// a node until it has about the requested size. No file is changed.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array The array, open for reading.
/// @param fragment_size The desired size of a consolidated fragment in bytes.
/// @param consolidation_plan Set to the plan; free it with `tiledb_consolidation_plan_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_create_with_mbr(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    fragment_size: u64,
    consolidation_plan: *mut *mut tiledb_consolidation_plan_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let array = &handle::borrow(array)?.array;
        let plan = location::consolidation_plan(array, fragment_size)?;
        let new_handle = tiledb_consolidation_plan_t {
            plan,
            returned: c_strings::GetterValues::default(),
        };
        handle::make(consolidation_plan, "consolidation_plan", new_handle)
    })
}

/// Gets a plan as JSON text: an object with a list of nodes. Each node is a list of objects with
/// the `uri` of a fragment.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param consolidation_plan The plan.
/// @param str Set to the text; free it with `tiledb_consolidation_plan_free_json_str`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_dump_json_str(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *const tiledb_consolidation_plan_t,
    str: *mut *mut c_char,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let plan = handle::borrow(consolidation_plan)?;
        arg::out(str, "str")?.set(c_strings::allocate(&plan.plan.dump())?);
        Ok(())
    })
}

/// Frees a plan.
///
/// Experimental: this function may change in any release.
///
/// @param consolidation_plan Pointer to the handle, which is set to null. Null and a pointer to
///   null are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_free(
    consolidation_plan: *mut *mut tiledb_consolidation_plan_t,
) {
    handle::release(consolidation_plan);
}

/// Frees a string from `tiledb_consolidation_plan_dump_json_str`.
///
/// Experimental: this function may change in any release.
///
/// @param str Pointer to the string, which is set to null. Null and a pointer to null are ignored.
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_free_json_str(str: *mut *mut c_char) -> i32 {
    c_strings::free_allocated(str);
    TILEDB_OK
}

/// Gets the name of a fragment of a node.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param consolidation_plan The plan.
/// @param node_index The index of the node, starting at 0.
/// @param fragment_index The index of the fragment in the node, starting at 0.
/// @param uri Set to the name, valid until the plan is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    node_index: u64,
    fragment_index: u64,
    uri: *mut *const c_char,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let plan = handle::borrow(consolidation_plan)?;
        let name = plan.plan.fragment(node_index, fragment_index)?;
        arg::out(uri, "uri")?.set(plan.returned.text(name));
        Ok(())
    })
}

/// Gets the number of fragments of the node.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param consolidation_plan The plan.
/// @param node_index The index of the node, starting at 0.
/// @param num_fragments Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_num_fragments(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    node_index: u64,
    num_fragments: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let plan = handle::borrow(consolidation_plan)?;
        let fragments = plan.plan.fragments(node_index)?;
        arg::out(num_fragments, "num_fragments")?.set(fragments.len() as u64);
        Ok(())
    })
}

/// Gets the number of nodes of a plan; 0 if no fragments should be merged.
///
/// Experimental: this function may change in any release.
///
/// @param ctx The context; stores the error if the call fails.
/// @param consolidation_plan The plan.
/// @param num_nodes Set to the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_num_nodes(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    num_nodes: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let plan = handle::borrow(consolidation_plan)?;
        arg::out(num_nodes, "num_nodes")?.set(plan.plan.nodes.len() as u64);
        Ok(())
    })
}
