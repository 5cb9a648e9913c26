//! Exchange with Apache Arrow through its C data interface: results of reads as streams of arrays,
//! arrays as buffers of writes, and schemas.
//!
//! This file contains the functions, `stream` a read as a stream. The module `arrow_data` has the
//! structures of Arrow and converts cells.

mod stream;

use std::sync::Arc;

use tiledb_engine::schema::{Attribute, DomainDraft, Enumeration, Shared};
use tiledb_engine::types::VAR_NUM;

use crate::arrow_data::{
    ArrowArray, ArrowArrayStream, ArrowSchema, ColumnType, NULLABLE, arrow_error, datatype_of,
};
use crate::prelude::*;
use stream::ArrowRead;

/// Extension: exports the results of a read as a stream of Arrow arrays, each a struct of the
/// fields. The stream submits the query whenever a batch is requested, and an incomplete submit is
/// continued by the next batch. Batches own their buffers: they stay valid after the stream, the
/// query, the array and the context have been freed.
///
/// If the query has aggregates, the stream has one batch with one row: their results. Cells cannot
/// be exported by the same query. Dimension labels cannot be exported.
///
/// The query must not have been submitted, and buffers need not be set. Its offsets get the format
/// of Arrow: `sm.var_offsets.*` of the configuration of the query is changed.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query. It may be freed before the stream, and must not be submitted by others.
/// @param names The names of `field_num` attributes and dimensions, or of the results of all
///   aggregates of the query.
/// @param field_num The number of fields; 0 for all attributes and, of sparse arrays, dimensions,
///   or for all results.
/// @param batch_bytes The approximate size of a batch in bytes; 0 for 16 MiB. A batch is larger if
///   a single cell needs more.
/// @param stream Set to the stream, an uninitialized structure; the caller releases it with its
///   callback.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_query_export_arrow(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    names: *const *const c_char,
    field_num: u64,
    batch_bytes: u64,
    stream: *mut ArrowArrayStream,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let query = handle::borrow(query)?;
        let names = arg::texts(names, field_num, "names")?;
        let to = arg::out(stream, "stream")?;
        let read = ArrowRead::new(&query.state, &names, batch_bytes)?;
        to.set(read.into_stream());
        Ok(())
    })
}

/// Extension: sets the buffers of a write to the children of an Arrow struct array, each a field
/// with its name. Values are not copied where the layouts agree: numbers, and strings with 64-bit
/// offsets. Validity and booleans are unpacked, 32-bit offsets and dates extended, strings of views
/// joined, and values of dictionaries looked up in the enumeration of the attribute.
///
/// @param ctx The context; stores the error if the call fails.
/// @param query The query, a write. Other buffers of these fields are replaced.
/// @param array The array. After a success it belongs to the query, which releases it when it is
///   freed or gets another array: `release` of the structure is set to null.
/// @param schema The type of the array. The caller keeps it.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`, for
///   example if a type does not fit the datatype of the field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_query_import_arrow(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    array: *mut ArrowArray,
    schema: *const ArrowSchema,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        handle::borrow(query)?.import_arrow(array, schema)
    })
}

/// Extension: describes the cells of an array schema as an Arrow type: a struct of the dimensions
/// and attributes.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema.
/// @param schema Set to the type, an uninitialized structure; the caller releases it with its
///   callback.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_array_schema_to_arrow(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    schema: *mut ArrowSchema,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let handle = handle::borrow(array_schema)?;
        let to = arg::out(schema, "schema")?;
        let described = handle.finish()?;
        let enumeration = |name: &str| -> Result<Arc<Enumeration>> {
            Ok(handle.enumeration(ctx, name)?.enumeration.clone())
        };
        let dimensions = described
            .domain
            .dimensions
            .iter()
            .map(|dimension| &dimension.name);
        let names = dimensions.chain(described.attributes.iter().map(|attribute| &attribute.name));
        let columns = names.map(|name| ColumnType::of(&described, name, enumeration));
        let children = columns.map(|column| column.map(|column| column.schema()));
        let children = children.collect::<Result<Vec<_>>>()?;
        to.set(ArrowSchema::new("", "+s", 0, children, None));
        Ok(())
    })
}

/// Extension: adds an attribute for each child of an Arrow struct type that has not the name of a
/// dimension. Children with a dictionary become attributes of the type of the indexes, without an
/// enumeration.
///
/// @param ctx The context; stores the error if the call fails.
/// @param array_schema The schema, with its domain.
/// @param schema The type. The caller keeps it.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`, for
///   example if a type has no datatype. Then no attribute was added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_array_schema_add_arrow(
    ctx: *mut tiledb_ctx_t,
    array_schema: *mut tiledb_array_schema_t,
    schema: *const ArrowSchema,
) -> capi_return_t {
    entry::with_context(ctx, |_ctx| {
        let handle = handle::borrow(array_schema)?;
        let schema = arg::dereference(schema, "schema")?;
        if schema.release.is_none() || schema.format()? != "+s" {
            return Err(arrow_error("the type is not a struct of fields"));
        }
        let mut attributes = Vec::new();
        for child in schema.children()? {
            let name = child.name()?;
            let draft = handle.schema.read();
            let is_dimension = |domain: &Shared<DomainDraft>| domain.read().has_dimension(name);
            if !draft.domain().is_some_and(is_dimension) {
                attributes.push(attribute_of(child)?);
            }
        }
        handle.schema.write().add_attributes(attributes)
    })
}

/// Returns the attribute for an Arrow type.
unsafe fn attribute_of(schema: &ArrowSchema) -> Result<Attribute> {
    use tiledb_engine::types::Datatype::{Blob, StringUtf8};
    // SAFETY: the caller passes a valid schema.
    let (name, format) = unsafe { (schema.name()?, schema.format()?) };
    let unknown = || {
        arrow_error(format!(
            "the Arrow type '{format}' of '{name}' has no datatype"
        ))
    };
    let number = |text: &str| text.parse::<u32>().map_err(|_| unknown());
    let child = || -> Result<_> {
        // SAFETY: as above.
        let children = unsafe { schema.children()? };
        let child = children.first().ok_or_else(unknown)?;
        // SAFETY: as above.
        datatype_of(unsafe { child.format()? }).ok_or_else(unknown)
    };
    let (datatype, values) = match format.split_once(':') {
        Some(("w", bytes)) => (Blob, number(bytes)?),
        Some(("+w", values)) => (child()?, number(values)?),
        _ => match format {
            "u" | "U" | "vu" => (StringUtf8, VAR_NUM),
            "z" | "Z" | "vz" => (Blob, VAR_NUM),
            "+l" | "+L" => (child()?, VAR_NUM),
            _ => (datatype_of(format).ok_or_else(unknown)?, 1),
        },
    };
    let mut attribute = Attribute::new(name, datatype);
    attribute.set_cell_val_num(values)?;
    attribute.set_nullable(schema.flags & NULLABLE != 0)?;
    Ok(attribute)
}
