//! The buffers of the fields of a query.

use crate::aggregate::Aggregate;
use crate::buffers::PerBuffer;
use crate::error::{EstimateError, QueryBufferError, Result};
use crate::format::names::TIMESTAMPS;
use crate::schema::{ArraySchema, COORDS};
use crate::types::{CellType, Datatype, QueryType};

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
    pub(super) cells: CellType,
    pub(super) dimension: bool,
    /// Whether the field is a label, whose values are in another array.
    pub(super) label: bool,
}

/// Returns the shape of a field, or `None` if the schema has no field with the name.
pub(super) fn shape_of(schema: &ArraySchema, name: &str) -> Option<FieldShape> {
    if let Some(attribute) = schema.attribute(name) {
        return Some(FieldShape {
            cells: attribute.cell_type(),
            dimension: false,
            label: false,
        });
    }
    if let Some(label) = schema.label(name) {
        return Some(FieldShape {
            cells: label.cell_type(),
            dimension: false,
            label: true,
        });
    }
    let cells = match (schema.dimension(name), schema.domain.dimensions.first()) {
        (Some(dimension), _) => dimension.cell_type(),
        // Combined coordinates and the timestamps of fragments have the shape of dimensions.
        (None, Some(first)) if name == COORDS => CellType::single(first.datatype),
        (None, _) if name == TIMESTAMPS && !schema.is_dense() => CellType::single(Datatype::Uint64),
        (None, _) => return None,
    };
    Some(FieldShape {
        cells,
        dimension: true,
        label: false,
    })
}

/// Returns whether a field has buffers of this kind.
pub(super) fn check_buffer_known(schema: &ArraySchema, name: &str, kind: BufferKind) -> Result<()> {
    match (shape_of(schema, name), kind) {
        (Some(shape), BufferKind::Offsets) if !shape.cells.is_var() => {
            Err(QueryBufferError::GetFixed { name: name.into() }.into())
        }
        (shape, BufferKind::Validity) if !shape.is_some_and(|shape| shape.cells.nullable) => {
            Err(QueryBufferError::GetNotNullable { name: name.into() }.into())
        }
        (None, _) => Err(QueryBufferError::GetUnknown { name: name.into() }.into()),
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
    let Some(shape) = shape_of(schema, name) else {
        let name = name.to_owned();
        return Err(match kind {
            BufferKind::Data => QueryBufferError::UnknownData { name }.into(),
            BufferKind::Offsets => QueryBufferError::UnknownOffsets { name }.into(),
            BufferKind::Validity => QueryBufferError::NotAnAttribute { name }.into(),
        });
    };
    match kind {
        BufferKind::Data if shape.dimension && dense && query_type == QueryType::Write => {
            Err(QueryBufferError::DenseDimension.into())
        }
        BufferKind::Offsets if name == COORDS || name == TIMESTAMPS => {
            Err(QueryBufferError::UnknownOffsets { name: name.into() }.into())
        }
        BufferKind::Offsets if !shape.cells.is_var() && shape.label => {
            Err(QueryBufferError::FixedLabel { name: name.into() }.into())
        }
        BufferKind::Offsets if !shape.cells.is_var() => {
            Err(QueryBufferError::Fixed { name: name.into() }.into())
        }
        BufferKind::Validity if shape.dimension || shape.label => {
            Err(QueryBufferError::NotAnAttribute { name: name.into() }.into())
        }
        BufferKind::Validity if !shape.cells.nullable => {
            Err(QueryBufferError::NotNullable { name: name.into() }.into())
        }
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
    let cause = match kind {
        BufferKind::Data => return Ok(()),
        BufferKind::Offsets if field.is_some_and(|field| field.cells.is_var()) => return Ok(()),
        BufferKind::Validity if field.is_some_and(|field| field.cells.nullable) => return Ok(()),
        BufferKind::Offsets => QueryBufferError::FixedResult { name: name.into() },
        BufferKind::Validity => QueryBufferError::NotNullable { name: name.into() },
    };
    Err(cause.into())
}

/// Checks that a buffer of coordinates is compatible with those of the fields `set`. `is_set`
/// returns whether a field is one of them, without comparing all names.
pub(super) fn check_coordinates<'a>(
    schema: &ArraySchema,
    name: &str,
    mut set: impl Iterator<Item = &'a str>,
    is_set: impl FnOnce(&str) -> bool,
) -> Result<()> {
    if name == COORDS && schema.field(COORDS).is_none() && !schema.is_dense() {
        return Err(QueryBufferError::MixedCoordinates.into());
    }
    let is_dimension = |name: &str| schema.dimension(name).is_some();
    let mixed = if name == COORDS {
        set.any(is_dimension)
    } else {
        is_dimension(name) && is_set(COORDS)
    };
    if mixed {
        Err(QueryBufferError::TwoCoordinates.into())
    } else {
        Ok(())
    }
}

/// Checks that a field with some buffers has all it needs.
pub(super) fn check_complete(
    schema: &ArraySchema,
    name: &str,
    given: PerBuffer<bool>,
) -> Result<()> {
    let Some(shape) = shape_of(schema, name) else {
        return Ok(());
    };
    if shape.cells.is_var() && !given.data {
        return Err(QueryBufferError::NoVarData { name: name.into() }.into());
    }
    if shape.cells.is_var() && !given.offsets {
        return Err(QueryBufferError::NoOffsets { name: name.into() }.into());
    }
    if !given.data {
        return Err(QueryBufferError::NoData { name: name.into() }.into());
    }
    if shape.cells.nullable && !given.validity {
        return Err(QueryBufferError::NoValidity { name: name.into() }.into());
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
    let Some(shape) = shape_of(schema, name) else {
        return Err(EstimateError::Unknown { name: name.into() }.into());
    };
    if var != shape.cells.is_var() {
        let name = name.into();
        return Err(if var {
            EstimateError::NotVar { name }.into()
        } else {
            EstimateError::NotFixed { name }.into()
        });
    }
    if shape.label && !nullable {
        return Err(EstimateError::Label { name: name.into() }.into());
    }
    match (nullable, shape.cells.nullable) {
        (true, false) if shape.dimension || shape.label => {
            Err(EstimateError::NotAnAttribute { name: name.into() }.into())
        }
        (true, false) => Err(EstimateError::NotNullable { name: name.into() }.into()),
        (false, true) => Err(EstimateError::Nullable { name: name.into() }.into()),
        _ => Ok(()),
    }
}
