//! The buffers of a field while fragments are rewritten.

use crate::buffers::{FieldBuffers, FieldCells, FieldSizes};
use crate::error::{Component, MaintenanceError, Result, try_vec};
use crate::memory::Budget;
use crate::memory::tuning::{
    ASSUMED_VAR_BYTES, CONSOLIDATION_PART_BYTES, MIN_CONSOLIDATION_PART_BYTES,
};
use crate::schema::{ArraySchema, StoredField};

/// The buffers of a field between reader and writer.
#[derive(Clone)]
pub(super) struct FieldBuffer {
    pub(super) name: String,
    var: bool,
    nullable: bool,
    cell_size: usize,
    data: Vec<u8>,
    offsets: Vec<u8>,
    validity: Vec<u8>,
    pub(super) sizes: FieldSizes,
}

impl FieldBuffer {
    pub(super) fn new(field: &StoredField) -> Self {
        Self {
            name: field.name.clone(),
            var: field.cells.is_var(),
            nullable: field.cells.nullable,
            cell_size: field.cells.cell_size(),
            data: Vec::new(),
            offsets: Vec::new(),
            validity: Vec::new(),
            sizes: FieldSizes::default(),
        }
    }

    /// Returns the approximate size of a cell in bytes.
    fn weight(&self) -> u64 {
        let data = if self.var {
            8 + ASSUMED_VAR_BYTES
        } else {
            self.cell_size as u64
        };
        data + u64::from(self.nullable)
    }

    /// Resizes the buffers for a number of cells.
    pub(super) fn reserve(&mut self, cells: u64) -> Result<()> {
        let resize = |to: &mut Vec<u8>, len: u64| -> Result<()> {
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            if to.len() < len {
                *to = Vec::new();
                *to = try_vec("a consolidation buffer", len)?;
            }
            Ok(())
        };
        if self.var {
            resize(&mut self.offsets, cells.saturating_mul(8))?;
            resize(
                &mut self.data,
                cells.saturating_mul(ASSUMED_VAR_BYTES).max(1024),
            )?;
        } else {
            resize(&mut self.data, cells.saturating_mul(self.cell_size as u64))?;
        }
        if self.nullable {
            resize(&mut self.validity, cells)
        } else {
            Ok(())
        }
    }

    /// Returns whether buffers that large cells have widened take more than an eighth of the
    /// budget.
    pub(super) fn are_large(buffers: &[Self], budget: &Budget) -> bool {
        let bytes = buffers.iter().map(|buffer| buffer.data.len() as u64);
        let most = CONSOLIDATION_PART_BYTES.max(budget.limit_bytes() / 8);
        bytes.fold(0, u64::saturating_add) > most
    }

    /// Doubles the buffer of variable-length values.
    fn widen(&mut self) -> Result<()> {
        if self.var {
            let len = self.data.len().saturating_mul(2);
            self.data = Vec::new();
            self.data = try_vec("a consolidation buffer", len)?;
        }
        Ok(())
    }

    pub(super) fn buffers(&mut self) -> FieldBuffers<'_> {
        FieldBuffers {
            name: &self.name,
            data: Some(&mut self.data),
            offsets: self.var.then_some(&mut self.offsets),
            validity: self.nullable.then_some(&mut self.validity),
        }
    }

    pub(super) fn cells(&self) -> FieldCells<'_> {
        FieldCells {
            name: &self.name,
            data: self.data.get(..self.sizes.data as usize),
            offsets: self
                .offsets
                .get(..self.sizes.offsets as usize)
                .filter(|_| self.var),
            validity: self
                .validity
                .get(..self.sizes.validity as usize)
                .filter(|_| self.nullable),
        }
    }
}

/// Grows the buffers after a read without progress. Returns an error if that cannot help, or if the
/// buffers would exceed the memory budget.
pub(super) fn widen(buffers: &mut [FieldBuffer], budget: &Budget) -> Result<()> {
    if !buffers.iter().any(|buffer| buffer.var) {
        return Err(MaintenanceError::NoProgress.into());
    }
    let bytes = buffers
        .iter()
        .filter(|buffer| buffer.var)
        .fold(0u64, |sum, buffer| {
            sum.saturating_add(2 * buffer.data.len() as u64)
        });
    if bytes > CONSOLIDATION_PART_BYTES {
        // The buffers are not larger yet; the reservation only checks.
        drop(budget.reserve(Component::Consolidator, "consolidation buffers", bytes)?);
    }
    buffers.iter_mut().try_for_each(FieldBuffer::widen)
}

/// Returns the number of cells that are read and written at a time. Their buffers take at most a
/// quarter of the budget.
pub(super) fn cells_per_part(buffers: &[FieldBuffer], budget: &Budget) -> u64 {
    let weight: u64 = buffers.iter().map(FieldBuffer::weight).sum();
    let bytes = CONSOLIDATION_PART_BYTES
        .min(budget.limit_bytes() / 4)
        .max(MIN_CONSOLIDATION_PART_BYTES);
    (bytes / weight.max(1)).max(1)
}

/// Returns buffers of the stored fields: attributes, and the dimensions of sparse arrays.
pub(super) fn field_buffers(schema: &ArraySchema) -> Vec<FieldBuffer> {
    let attributes = schema
        .attributes
        .iter()
        .map(|attribute| FieldBuffer::new(&attribute.as_ref().into()));
    let dimensions = schema.domain.dimensions.iter();
    let dimensions: Vec<FieldBuffer> = dimensions
        .filter(|_| !schema.is_dense())
        .map(|dimension| FieldBuffer::new(&dimension.as_ref().into()))
        .collect();
    attributes.chain(dimensions).collect()
}
