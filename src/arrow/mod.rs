//! Exchange with Apache Arrow through its C data interface: results of reads as streams of arrays,
//! arrays as buffers of writes, and schemas.
//!
//! This file contains the functions, `stream` a read as a stream. The module `arrow_data` has the
//! structures of Arrow and converts cells.

mod stream;

use std::sync::Arc;

use tiledb_engine::internal::arrow::{arrow_error, arrow_field, attribute_of};
use tiledb_engine::internal::query::BufferKind;
use tiledb_engine::internal::recommend::recommend;
use tiledb_engine::internal::schema::{DomainDraft, Enumeration, SchemaDraft, Shared};
use tiledb_engine::{Goal, Sample, SampleColumn};

use crate::arrow_data::{ArrowArray, ArrowArrayStream, ArrowSchema, ImportedArray, form_of};
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
        let fields = names.map(|name| arrow_field(&form_of(&described, name, enumeration)?));
        to.set(ArrowSchema::of(fields.collect::<Result<Vec<_>>>()?)?);
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
        if schema.release.is_none() {
            return Err(arrow_error("the type is not a struct of fields"));
        }
        let mut attributes = Vec::new();
        for field in schema.fields()? {
            let name = field.name();
            let draft = handle.schema.read();
            let is_dimension = |domain: &Shared<DomainDraft>| domain.read().has_dimension(name);
            if !draft.domain().is_some_and(is_dimension) {
                attributes.push(attribute_of(&field)?);
            }
        }
        handle.schema.write().add_attributes(attributes)
    })
}

/// Extension: recommends a schema for cells like those of a sample: the extents of tiles and the
/// capacity for the typical read, an enumeration for each attribute with texts of few values, and
/// the filters of all fields of the sample. Names, datatypes, domains and orders are those of the
/// draft, and so is what the sample has no cells of.
///
/// The result depends on the arguments only, not on the machine: filters are compared by the size
/// of the encoded sample, and by times that were measured in advance. At most 2^18 cells of the
/// sample are looked at.
///
/// @param ctx The context; stores the error if the call fails.
/// @param draft A schema with all dimensions and attributes. It is not changed.
/// @param goal What the schema is chosen for: "balanced", "size" or "speed"; null means "balanced".
/// @param total_cells The number of cells that the array will have; 0 if it is not known.
/// @param typical_read For each dimension the part of its range that a typical read selects, from 0
///   to 1; null means 1 % of the cells, and the same part of each dimension.
/// @param sample Cells, an Arrow struct array whose children have the names of fields: for a sparse
///   array, of all dimensions; of a dense array, of attributes. The caller keeps it. Cells that
///   are stored together should be together. An attribute with an enumeration needs a dictionary.
/// @param sample_type The type of the sample. The caller keeps it.
/// @param array_schema Set to the schema; free it with `tiledb_array_schema_free`.
/// @param reasons Set to a text with a line for each choice, its reason and figures; free it with
///   `tiledb_string_free`. May be null.
/// @return `TILEDB_OK`; `TILEDB_INVALID_CONTEXT` if `ctx` is null; otherwise `TILEDB_ERR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_rs_schema_recommend(
    ctx: *mut tiledb_ctx_t,
    draft: *mut tiledb_array_schema_t,
    goal: *const c_char,
    total_cells: u64,
    typical_read: *const f64,
    sample: *const ArrowArray,
    sample_type: *const ArrowSchema,
    array_schema: *mut *mut tiledb_array_schema_t,
    reasons: *mut *mut tiledb_string_t,
) -> capi_return_t {
    entry::with_context(ctx, |ctx| {
        let handle = handle::borrow(draft)?;
        let goal = match arg::optional_text(goal, "goal")? {
            None => Goal::Balanced,
            Some(name) => Goal::from_name(name).ok_or_else(|| {
                let message = format!("'{name}' is not balanced, size or speed");
                Error::usage("SchemaRecommend", message)
            })?,
        };
        let to = arg::out(array_schema, "array_schema")?;
        let described = handle.finish_for_array(ctx)?;
        let enumeration = |name: &str| -> Result<Arc<Enumeration>> {
            Ok(handle.enumeration(ctx, name)?.enumeration.clone())
        };
        let cells = ImportedArray::of_sample(&described, enumeration, sample, sample_type)?;
        let starts: Vec<Vec<u64>> = cells
            .buffers
            .iter()
            .map(|buffer| match buffer.kind {
                BufferKind::Offsets => buffer.bytes().chunks_exact(8).map(arg::offset).collect(),
                _ => Vec::new(),
            })
            .collect();
        let mut columns: Vec<SampleColumn<'_>> = Vec::new();
        for (buffer, starts) in cells.buffers.iter().zip(&starts) {
            // The data of a field precedes its offsets and its validity.
            match (buffer.kind, columns.last_mut()) {
                (BufferKind::Offsets, Some(column)) => column.offsets = Some(starts),
                (BufferKind::Validity, Some(column)) => column.validity = Some(buffer.bytes()),
                _ => columns.push(SampleColumn {
                    name: &buffer.name,
                    data: buffer.bytes(),
                    ..SampleColumn::default()
                }),
            }
        }
        let mut chosen = Sample::new().goal(goal);
        if total_cells > 0 {
            chosen = chosen.total_cells(total_cells);
        }
        if !typical_read.is_null() {
            let dimensions = described.domain.dimensions.len();
            let parts = std::slice::from_raw_parts(typical_read, dimensions);
            chosen = chosen.typical_read(parts.iter().copied());
        }
        chosen = columns.into_iter().fold(chosen, Sample::column);
        let recommendation = recommend(&described, &chosen)?;
        if !reasons.is_null() {
            let lines = recommendation.reasons.iter();
            let lines: String = lines.map(|reason| format!("{reason}\n")).collect();
            handle::make(reasons, "reasons", tiledb_string_t::new(lines))?;
        }
        let schema = SchemaDraft::of(recommendation.array_schema());
        to.give(tiledb_array_schema_t::new(schema));
        Ok(())
    })
}
