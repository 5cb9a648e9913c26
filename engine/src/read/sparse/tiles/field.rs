//! The fields of a sparse read: those to deliver, and those that only select cells.

use std::ops::Index;
use std::sync::Arc;

use crate::error::{ReadError, Result};
use crate::format::names::{COORDINATES, DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS};
use crate::fragment::FieldTiles;
use crate::schema::{ArraySchema, Attribute, StoredField};
use crate::tile::FillValue;
use crate::types::CellType;

/// The kind of a field.
#[derive(Clone, Debug)]
pub(crate) enum FieldKind {
    /// An attribute. Older fragments may lack it.
    Attribute(Arc<Attribute>),
    /// A dimension by index.
    Dimension(usize),
    /// All coordinates of a cell, stored consecutively.
    Coordinates,
    /// The timestamp of a cell.
    Timestamps,
    /// The time or the index of the delete of a cell, as stored in its fragment.
    StoredDelete,
    /// The time or the index of the delete of a cell, computed from the deletes of the read.
    ComputedDelete,
}

/// A field of a read.
#[derive(Clone, Debug)]
pub(crate) struct SparseField {
    pub(crate) kind: FieldKind,
    /// The field in the latest schema.
    pub(crate) stored: StoredField,
    /// The size of a value in bytes.
    pub(crate) value_size: usize,
    /// The size in bytes of a cell, or of an offset for variable-length cells.
    pub(crate) cell_size: usize,
}

impl SparseField {
    /// Returns a field by name.
    pub(crate) fn new(schema: &ArraySchema, name: &str) -> Result<Self> {
        let stored = schema.stored_field(name);
        let stored = stored.or_else(|| FieldTiles::internal_field(schema, name));
        let kind = match (schema.attribute(name), schema.domain.dimension_index(name)) {
            (Some(attribute), _) => Some(FieldKind::Attribute(attribute.clone())),
            (None, Some(dim)) => Some(FieldKind::Dimension(dim)),
            (None, None) if name == COORDINATES => Some(FieldKind::Coordinates),
            (None, None) if name == TIMESTAMPS => Some(FieldKind::Timestamps),
            (None, None) if [DELETE_TIMESTAMPS, DELETE_CONDITIONS].contains(&name) => {
                Some(FieldKind::ComputedDelete)
            }
            _ => None,
        };
        let (Some(stored), Some(kind)) = (stored, kind) else {
            return Err(ReadError::UnknownField { name: name.into() }.into());
        };
        let cell_size = if stored.cells.is_var() {
            8
        } else {
            stored.cells.cell_size()
        };
        Ok(Self {
            kind,
            value_size: stored.cells.value_size(),
            cell_size,
            stored,
        })
    }

    /// Returns a field of deletes as stored in fragments.
    pub(crate) fn stored_delete(schema: &ArraySchema, name: &str) -> Result<Self> {
        let field = Self::new(schema, name)?;
        Ok(Self {
            kind: FieldKind::StoredDelete,
            ..field
        })
    }

    /// Returns whether the field is computed by the read instead of stored.
    pub(crate) fn is_computed(&self) -> bool {
        matches!(self.kind, FieldKind::ComputedDelete)
    }

    /// Returns whether cells have a variable length.
    pub(crate) fn is_var(&self) -> bool {
        self.stored.cells.is_var()
    }

    /// Returns whether cells may be null.
    pub(crate) fn is_nullable(&self) -> bool {
        self.stored.cells.nullable
    }

    /// Returns the type of the cells.
    pub(crate) fn cell_type(&self) -> CellType {
        self.stored.cells
    }

    /// Returns the cell that is delivered where no fragment contains one.
    pub(crate) fn fill_value(&self) -> FillValue<'_> {
        let (value, validity): (&[u8], u8) = match &self.kind {
            FieldKind::Attribute(attribute) => (&attribute.fill_value, attribute.fill_validity),
            _ => (&[], 1),
        };
        FillValue {
            value,
            validity: self.is_nullable().then_some(validity),
            is_var: self.is_var(),
        }
    }
}

/// The fields of a read: those to deliver first, then those that only select cells.
#[derive(Debug)]
pub(crate) struct FieldTable {
    fields: Vec<SparseField>,
    /// The number of fields to deliver.
    pub(crate) output_num: usize,
    /// The index of the field of each dimension.
    pub(crate) dims: Vec<usize>,
    /// The index of the field of timestamps, if timestamps select cells.
    pub(crate) timestamps: Option<usize>,
}

impl FieldTable {
    pub(crate) fn new(fields: Vec<SparseField>, output_num: usize) -> Self {
        let position = |dim: usize| {
            let mut kinds = fields.iter().map(|field| &field.kind);
            kinds.position(|kind| matches!(kind, FieldKind::Dimension(other) if *other == dim))
        };
        let is_timestamp = |field: &SparseField| matches!(field.kind, FieldKind::Timestamps);
        Self {
            dims: (0..).map_while(position).collect(),
            timestamps: fields.iter().position(is_timestamp),
            fields,
            output_num,
        }
    }

    /// Returns all fields.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SparseField> {
        self.fields.iter()
    }

    /// Returns the number of fields.
    pub(crate) fn len(&self) -> usize {
        self.fields.len()
    }

    /// Returns the index of a field by name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.fields
            .iter()
            .position(|field| field.stored.name == name)
    }

    /// Returns the fields to deliver.
    pub(crate) fn outputs(&self) -> &[SparseField] {
        &self.fields[..self.output_num]
    }
}

impl Index<usize> for FieldTable {
    type Output = SparseField;

    fn index(&self, index: usize) -> &SparseField {
        &self.fields[index]
    }
}
