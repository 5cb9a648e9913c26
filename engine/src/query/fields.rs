//! The buffers of the fields of a query.

use crate::aggregate::{Aggregate, AggregatedField};
use crate::buffers::{Given, QUERY};
use crate::error::{Error, Result};
use crate::format::names::TIMESTAMPS;
use crate::schema::{ArraySchema, COORDS};
use crate::types::QueryType;

/// A kind of buffer of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// Values.
    Data,
    /// The starts of the cells of a variable-length field.
    Offsets,
    /// Validity.
    Validity,
}

impl BufferKind {
    /// Returns the name of the function that sets the buffer, for error messages.
    pub(super) fn setter(self) -> &'static str {
        match self {
            Self::Data => "set_data_buffer",
            Self::Offsets => "set_offsets_buffer",
            Self::Validity => "set_validity_buffer",
        }
    }
}

/// The properties of a field that determine its buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldShape {
    pub(super) var: bool,
    pub(super) nullable: bool,
    pub(super) dimension: bool,
    /// Whether the field is a label, whose values are in another array.
    pub(super) label: bool,
}

/// Returns the shape of a field, or `None` if the schema has no field with the name.
pub(super) fn shape_of(schema: &ArraySchema, name: &str) -> Option<FieldShape> {
    if let Some(attribute) = schema.attribute(name) {
        return Some(FieldShape {
            var: attribute.is_var(),
            nullable: attribute.nullable,
            dimension: false,
            label: false,
        });
    }
    if let Some(label) = schema.label(name) {
        return Some(FieldShape {
            var: label.is_var(),
            nullable: false,
            dimension: false,
            label: true,
        });
    }
    // Combined coordinates and the timestamps of fragments have the shape of dimensions.
    let own = [COORDS, TIMESTAMPS].contains(&name) && !schema.is_dense();
    let var = match schema.dimension(name) {
        Some(dimension) => dimension.is_var(),
        None if own => false,
        None => return None,
    };
    Some(FieldShape {
        var,
        nullable: false,
        dimension: true,
        label: false,
    })
}

/// Returns whether a field has buffers of this kind.
pub(super) fn check_buffer_known(schema: &ArraySchema, name: &str, kind: BufferKind) -> Result<()> {
    let wrong = |what: String| Err(Error::usage(QUERY, format!("Cannot get buffer; {what}")));
    match (shape_of(schema, name), kind) {
        (Some(shape), BufferKind::Offsets) if !shape.var => {
            wrong(format!("'{name}' is fixed-sized"))
        }
        (shape, BufferKind::Validity) if !shape.is_some_and(|shape| shape.nullable) => {
            wrong(format!("'{name}' is non-nullable"))
        }
        (None, _) => wrong(format!("Invalid attribute/dimension/label name '{name}'")),
        _ => Ok(()),
    }
}

/// Checks that a buffer of this kind may be set for a field.
pub(super) fn check_buffer(
    schema: &ArraySchema,
    query_type: QueryType,
    dense: bool,
    name: &str,
    kind: BufferKind,
) -> Result<()> {
    let wrong = |message: String| Err(Error::usage(QUERY, message));
    let Some(shape) = shape_of(schema, name) else {
        return wrong(match kind {
            BufferKind::Data => {
                format!("Cannot set buffer; Invalid attribute/dimension/label '{name}'")
            }
            BufferKind::Offsets => format!(
                "Cannot set buffer; Invalid buffer name '{name}' (it should be an attribute, dimension, or dimension label)"
            ),
            BufferKind::Validity => {
                format!("Cannot set buffer; Buffer name '{name}' is not an attribute")
            }
        });
    };
    match kind {
        BufferKind::Data if shape.dimension && dense && query_type == QueryType::Write => {
            wrong("Dense write queries cannot set dimension buffers".into())
        }
        BufferKind::Offsets if !shape.var && shape.label => Err(Error::usage(
            "Query",
            format!("[set_offsets_buffer] Input dimension label '{name}' is fixed-sized"),
        )),
        BufferKind::Offsets if !shape.var => wrong(format!(
            "Cannot set buffer; Input attribute/dimension '{name}' is fixed-sized"
        )),
        BufferKind::Validity if shape.dimension || shape.label => wrong(format!(
            "Cannot set buffer; Buffer name '{name}' is not an attribute"
        )),
        BufferKind::Validity if !shape.nullable => wrong(format!(
            "Cannot set buffer; Input attribute '{name}' is not nullable"
        )),
        _ => Ok(()),
    }
}

/// Checks that a buffer of this kind may be set for the result of an aggregate.
pub(super) fn check_result_buffer(
    aggregate: &Aggregate,
    name: &str,
    kind: BufferKind,
) -> Result<()> {
    let field = aggregate.field();
    let lacks = match kind {
        BufferKind::Data => return Ok(()),
        BufferKind::Offsets if field.is_some_and(AggregatedField::is_var) => return Ok(()),
        BufferKind::Validity if field.is_some_and(|field| field.nullable) => return Ok(()),
        BufferKind::Offsets => "var sized",
        BufferKind::Validity => "nullable",
    };
    let message = format!("Cannot set buffer; Input attribute '{name}' is not {lacks}");
    Err(Error::usage(QUERY, message))
}

/// Checks that a buffer of coordinates is compatible with the buffers of the fields `set`.
pub(super) fn check_coordinates<'a>(
    schema: &ArraySchema,
    name: &str,
    mut set: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let wrong = |message: &str| Err(Error::usage(QUERY, message));
    if name == COORDS && schema.field(COORDS).is_none() && !schema.is_dense() {
        return wrong(
            "Cannot set buffer; Setting a buffer for zipped coordinates is not applicable to heterogeneous domains",
        );
    }
    let is_dimension = |name: &str| schema.dimension(name).is_some();
    let mixed = if name == COORDS {
        set.any(is_dimension)
    } else {
        is_dimension(name) && set.any(|known| known == COORDS)
    };
    if mixed {
        wrong(
            "Cannot set separate coordinate buffers and a zipped coordinate buffer in the same query",
        )
    } else {
        Ok(())
    }
}

/// Checks that a field with some buffers has all it needs.
pub(super) fn check_complete(schema: &ArraySchema, name: &str, given: Given) -> Result<()> {
    let Some(shape) = shape_of(schema, name) else {
        return Ok(());
    };
    let wrong = |message: String| Err(Error::usage(QUERY, message));
    if shape.var && !given.data {
        return wrong(format!(
            "Var-Sized input attribute/dimension '{name}' is not set correctly. \nVar size buffer is not set."
        ));
    }
    if shape.var && !given.offsets {
        return wrong(format!(
            "Var-Sized input attribute/dimension '{name}' is not set correctly. \nOffsets buffer is not set."
        ));
    }
    if !given.data {
        return wrong(format!(
            "Fix-Sized input attribute/dimension '{name}' is not set correctly. \nData buffer is not set."
        ));
    }
    if shape.nullable && !given.validity {
        return wrong(format!(
            "Nullable input attribute/dimension '{name}' is not set correctly \nValidity buffer is not set"
        ));
    }
    Ok(())
}

/// Checks that an estimate of this kind is valid for a field.
pub(super) fn check_estimate(
    schema: &ArraySchema,
    name: &str,
    var: bool,
    nullable: bool,
) -> Result<()> {
    let wrong = |what: String| {
        let message = format!("query estimated result size: {what}");
        Err(Error::usage("Query", message))
    };
    let Some(shape) = shape_of(schema, name) else {
        return wrong(format!("'{name}' is not an array field"));
    };
    if var != shape.var {
        // If both are wrong, the error about validity is returned.
        return match (nullable, shape.nullable) {
            (false, true) => wrong(format!("field '{name}' is not a nonnull array field")),
            _ if var => wrong(format!("'{name}' is not variable-sized")),
            _ => wrong(format!("'{name}' is not fixed-sized")),
        };
    }
    if shape.label && !nullable {
        let message = format!("Cannot get estimated result size; there is no field named '{name}'");
        return Err(Error::usage("Subarray", message));
    }
    match (nullable, shape.nullable) {
        (true, false) if shape.dimension || shape.label => {
            wrong(format!("'{name}' is not the name of an attribute"))
        }
        (true, false) => wrong(format!("attribute '{name}' is not nullable")),
        (false, true) => wrong(format!("field '{name}' is not a nonnull array field")),
        _ => Ok(()),
    }
}
