//! Functions that print texts to a C stream or return them as C strings.

use tiledb_engine::internal::inspect::FragmentInfo;

use crate::handle::Handle;
use crate::prelude::*;

/// Prints the description of the object of a handle to a stream.
unsafe fn print<T: Handle>(
    ctx: *mut tiledb_ctx_t,
    handle: *const T,
    out: *mut libc::FILE,
    text: impl FnOnce(&T) -> String,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let text = text(handle::borrow(handle)?);
        c_strings::print(out, "write a description to", &text)
    })
}

/// Prints a description of a schema to a stream.
///
/// Deprecated: `tiledb_array_schema_dump_str` returns the description as a string. libtiledb 2.30
/// does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param out The stream; an error if null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_schema_dump(
    ctx: *mut tiledb_ctx_t,
    array_schema: *const tiledb_array_schema_t,
    out: *mut libc::FILE,
) -> capi_return_t {
    print(ctx, array_schema, out, |schema| {
        schema.schema.read().snapshot().to_string()
    })
}

/// Prints a description of an attribute to a stream.
///
/// Deprecated: `tiledb_attribute_dump_str` returns the description as a string. libtiledb 2.30 does
/// not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param attr The attribute.
/// @param out The stream; an error if null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_attribute_dump(
    ctx: *mut tiledb_ctx_t,
    attr: *const tiledb_attribute_t,
    out: *mut libc::FILE,
) -> capi_return_t {
    print(ctx, attr, out, |attribute| {
        attribute.attribute.read().to_string()
    })
}

/// Prints a description of a dimension to a stream.
///
/// Deprecated: `tiledb_dimension_dump_str` returns the description as a string. libtiledb 2.30 does
/// not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param dim The dimension.
/// @param out The stream; an error if null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_dimension_dump(
    ctx: *mut tiledb_ctx_t,
    dim: *const tiledb_dimension_t,
    out: *mut libc::FILE,
) -> capi_return_t {
    print(ctx, dim, out, |dimension| {
        dimension.dimension.read().to_string()
    })
}

/// Prints a description of a domain to a stream.
///
/// Deprecated: `tiledb_domain_dump_str` returns the description as a string. libtiledb 2.30 does
/// not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param domain The domain.
/// @param out The stream; an error if null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_domain_dump(
    ctx: *mut tiledb_ctx_t,
    domain: *const tiledb_domain_t,
    out: *mut libc::FILE,
) -> capi_return_t {
    print(ctx, domain, out, |domain| {
        domain.domain.read().finish().to_string()
    })
}

/// Prints a description of an enumeration to a stream.
///
/// Deprecated: `tiledb_enumeration_dump_str` returns the description as a string. libtiledb 2.30
/// does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param enumeration The enumeration.
/// @param out The stream; an error if null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_enumeration_dump(
    ctx: *mut tiledb_ctx_t,
    enumeration: *mut tiledb_enumeration_t,
    out: *mut libc::FILE,
) -> capi_return_t {
    print(ctx, enumeration, out, |enumeration| {
        enumeration.enumeration.to_string()
    })
}

/// Returns the members of a group as text.
///
/// Deprecated: `tiledb_group_dump_str_v2` returns the text as a `tiledb_string_t`. libtiledb 2.30
/// does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group, open for reading.
/// @param dump_ascii Set to a new text that ends with a zero byte; free it with `free`.
/// @param recursive If not 0, the members of groups among the members are listed, too.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_dump_str(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    dump_ascii: *mut *mut c_char,
    recursive: u8,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = handle::borrow(group)?;
        let out = arg::out(dump_ascii, "dump_ascii")?;
        out.set(c_strings::allocate(&group.group.dump(recursive != 0)?)?);
        Ok(())
    })
}

/// Gets a member of a group by its index. The order of the members is unspecified.
///
/// Deprecated: `tiledb_group_get_member_by_index_v2` returns the texts as `tiledb_string_t`.
/// libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group, open for reading.
/// @param index The index, starting at 0.
/// @param uri Set to the absolute URI; free it with `free`.
/// @param type Set to the type.
/// @param name Set to the name, or null if it has none; free it with `free`.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_by_index(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    index: u64,
    uri: *mut *mut c_char,
    r#type: *mut tiledb_object_t,
    name: *mut *mut c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let output = arg::out(uri, "uri")?;
        let kind = arg::out(r#type, "type")?;
        let named = arg::out(name, "name")?;
        let member = group.member_at(index)?;
        let name = member
            .name
            .as_deref()
            .map(c_strings::allocate)
            .transpose()?;
        output.set(c_strings::allocate(&member.uri)?);
        kind.set(member.kind.code().into());
        named.set(name.unwrap_or(std::ptr::null_mut()));
        Ok(())
    })
}

/// Gets a member of a group by its name.
///
/// Deprecated: `tiledb_group_get_member_by_name_v2` returns the URI as a `tiledb_string_t`.
/// libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param group The group, open for reading.
/// @param name The name.
/// @param uri Set to the absolute URI; free it with `free`.
/// @param type Set to the type.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_group_get_member_by_name(
    ctx: *mut tiledb_ctx_t,
    group: *mut tiledb_group_t,
    name: *const c_char,
    uri: *mut *mut c_char,
    r#type: *mut tiledb_object_t,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let group = &handle::borrow(group)?.group;
        let name = arg::text(name, "name")?;
        let output = arg::out(uri, "uri")?;
        let kind = arg::out(r#type, "type")?;
        let member = group.member_named(name)?;
        output.set(c_strings::allocate(&member.uri)?);
        kind.set(member.kind.code().into());
        Ok(())
    })
}

/// Gets the name of a fragment: the last part of its URI.
///
/// Deprecated: `tiledb_fragment_info_get_fragment_name_v2` returns the name as a `tiledb_string_t`.
/// libtiledb 2.30 does not have this function.
///
/// @param ctx The context; stores the error if the call fails.
/// @param fragment_info The fragment info.
/// @param fid The index of the fragment, starting at 0.
/// @param name Set to the name, which is valid until the fragment info is freed.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[deprecated]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_fragment_info_get_fragment_name(
    ctx: *mut tiledb_ctx_t,
    fragment_info: *mut tiledb_fragment_info_t,
    fid: u32,
    name: *mut *const c_char,
) -> capi_return_t {
    entry::with_context(ctx, |_| {
        let fragment_info = handle::borrow(fragment_info)?;
        let out = arg::out(name, "name")?;
        let fragment = fragment_info.info.fragment(fid, FragmentInfo::URI)?;
        out.set(fragment_info.returned.text(fragment.name().as_str()));
        Ok(())
    })
}
