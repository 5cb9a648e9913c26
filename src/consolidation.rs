//! Consolidation: many fragments become few, and what was replaced is removed.
//!
//! Both take a mode from the configuration, and lock nothing: readers and writers go on while they run.

use tiledb_engine::maintenance::{self, ConsolidationPlan};

use crate::prelude::*;

/// A plan that says which fragments are worth merging with which: nodes, each a list of fragments.
pub struct tiledb_consolidation_plan_t {
    plan: ConsolidationPlan,
    kept: kept::Kept,
}

/// Merges fragments, or small files of one kind, of an array into larger ones.
///
/// `sm.consolidation.mode` says what: `fragments`, `fragment_meta`, `commits`, `array_meta`, or `group_meta` for a group.
/// What was merged stays for readers of the past until `tiledb_array_vacuum` removes it. An array with nothing to merge
/// is no error. For an encrypted array the key stands in `sm.encryption_key`.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where the array is.
/// @param config Parameters for this call, or null for those of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_consolidate(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    config: *mut tiledb_config_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        maintenance::consolidate(
            &ctx.vfs,
            arg::place(array_uri, "array_uri")?,
            &ctx.config_or(config),
        )
    })
}

/// Merges the named fragments of an array into one.
///
/// It is an error if a name is unknown, or if in a dense array a fragment that is not named is older than the newest of
/// them and has cells in the smallest box around theirs.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where the array is.
/// @param fragment_uris The names of the fragments: the last part of their URIs.
/// @param num_fragments How many names there are; of fewer than two nothing is merged.
/// @param config Parameters for this call, or null for those of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        let uri = arg::place(array_uri, "array_uri")?;
        maintenance::consolidate_fragments(&ctx.vfs, uri, &names, &ctx.config_or(config))
    })
}

/// Removes what consolidation has replaced.
///
/// `sm.vacuum.mode` says what: `fragments`, `fragment_meta`, `commits`, `array_meta`, or `group_meta` for a group. When
/// fragments were removed, a dense array can no longer be opened as it was before the last of those that were merged into
/// one was written. Interrupted, it can be run again.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array_uri Where the array is.
/// @param config Parameters for this call, or null for those of the context.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        maintenance::vacuum(&ctx.vfs, uri, &ctx.config_or(config))
    })
}

/// Finds out which fragments of an array are worth merging.
///
/// Fragments whose non-empty domains overlap go together, and small ones join until a node has about the size asked
/// for. Files are not changed.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param array The array, open for reading.
/// @param fragment_size The size of a merged fragment to aim at, in bytes.
/// @param consolidation_plan Receives the plan; free it with `tiledb_consolidation_plan_free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_create_with_mbr(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    fragment_size: u64,
    consolidation_plan: *mut *mut tiledb_consolidation_plan_t,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let array = handle::borrow(array)?;
        let plan = ConsolidationPlan::new(&array.array, fragment_size)?;
        let made = tiledb_consolidation_plan_t {
            plan,
            kept: kept::Kept::default(),
        };
        handle::make(consolidation_plan, "consolidation_plan", made)
    })
}

/// Gives a plan as JSON text: an object with a list of nodes, each a list of objects with the `uri` of a fragment.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param consolidation_plan The plan.
/// @param str Receives the text; free it with `tiledb_consolidation_plan_free_json_str`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_dump_json_str(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *const tiledb_consolidation_plan_t,
    str: *mut *mut c_char,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let plan = handle::borrow(consolidation_plan)?;
        arg::out(str, "str")?.set(kept::given(&plan.plan.dump())?);
        Ok(())
    })
}

/// Frees a plan.
///
/// Accepts null at both levels and leaves null behind.
///
/// Experimental: may change from release to release.
///
/// @param consolidation_plan Where the plan is; set to null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_free(
    consolidation_plan: *mut *mut tiledb_consolidation_plan_t,
) {
    handle::release(consolidation_plan);
}

/// Frees a text from `tiledb_consolidation_plan_dump_json_str`.
///
/// Accepts null at both levels and leaves null behind.
///
/// Experimental: may change from release to release.
///
/// @param str Where the text is; set to null.
/// @return `TILEDB_OK`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_free_json_str(str: *mut *mut c_char) -> i32 {
    kept::free_given(str);
    TILEDB_OK
}

/// Gives the name of one fragment of a node.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param consolidation_plan The plan.
/// @param node_index Which node, from 0.
/// @param fragment_index Which fragment of the node, from 0.
/// @param uri Receives the name, which lives as long as the plan.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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
        arg::out(uri, "uri")?.set(plan.kept.text(name));
        Ok(())
    })
}

/// Says how many fragments a node has.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param consolidation_plan The plan.
/// @param node_index Which node, from 0.
/// @param num_fragments Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
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

/// Says how many nodes a plan has; none if nothing is worth merging.
///
/// Experimental: may change from release to release.
///
/// @param ctx The context; keeps the error if the call fails.
/// @param consolidation_plan The plan.
/// @param num_nodes Receives the count.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; else `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_consolidation_plan_get_num_nodes(
    ctx: *mut tiledb_ctx_t,
    consolidation_plan: *mut tiledb_consolidation_plan_t,
    num_nodes: *mut u64,
) -> i32 {
    entry::with_context(ctx, |_ctx| {
        let plan = handle::borrow(consolidation_plan)?;
        arg::out(num_nodes, "num_nodes")?.set(plan.plan.node_num() as u64);
        Ok(())
    })
}
