//! The caller's buffers during a submit: their capacity and the amount written.

use super::super::tiles::FieldTable;
use crate::buffers::{FieldBuffers, FieldSizes, OffsetsForm};

/// The capacity of the caller's buffers, and the amount written.
#[derive(Debug)]
pub(crate) struct FilledBuffers {
    /// The format of offsets.
    pub(crate) form: OffsetsForm,
    /// The number of cells that fit into all fixed-size buffers.
    pub(crate) capacity: usize,
    /// The number of cells written.
    pub(crate) cell_num: usize,
    /// By variable-length field.
    pub(crate) vars: Vec<FilledVarBuffer>,
}

/// A buffer of variable-length values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilledVarBuffer {
    /// The index of the field.
    pub(crate) field: usize,
    /// The capacity in bytes.
    pub(crate) capacity: u64,
    /// The number of bytes written.
    pub(crate) bytes: u64,
}

impl FilledBuffers {
    /// Returns empty buffers in the order of the fields.
    pub(crate) fn new(
        fields: &FieldTable,
        form: OffsetsForm,
        buffers: &[FieldBuffers<'_>],
    ) -> Self {
        let sizes = buffers.iter().map(FieldBuffers::sizes);
        let fields = || fields.iter().zip(sizes.clone()).enumerate();
        let cells = fields().map(|(_, (field, sizes))| {
            let cells = if field.is_var() {
                form.capacity(sizes.offsets)
            } else {
                sizes.data / field.cell_size.max(1) as u64
            };
            if field.is_nullable() {
                cells.min(sizes.validity)
            } else {
                cells
            }
        });
        let vars = fields().filter(|(_, (field, _))| field.is_var());
        let vars = vars.map(|(index, (field, sizes))| FilledVarBuffer {
            field: index,
            capacity: sizes.data.min(form.reach(field.value_size)),
            bytes: 0,
        });
        Self {
            form,
            capacity: cells.min().unwrap_or(0) as usize,
            cell_num: 0,
            vars: vars.collect(),
        }
    }

    /// Returns the index of a field among the variable-length fields.
    pub(crate) fn var_position(&self, field: usize) -> Option<usize> {
        self.vars.iter().position(|var| var.field == field)
    }

    /// Returns the sizes of the buffers, and writes the additional offset if there is one.
    pub(crate) fn finish(
        &self,
        fields: &FieldTable,
        buffers: &mut [FieldBuffers<'_>],
    ) -> Vec<FieldSizes> {
        let cells = self.cell_num as u64;
        let outputs = fields.outputs().iter().zip(buffers).enumerate();
        let sizes = outputs.map(|(index, (field, buffers))| {
            let mut sizes = FieldSizes {
                data: cells * field.cell_size as u64,
                offsets: 0,
                validity: if field.is_nullable() { cells } else { 0 },
            };
            let Some(var) = self.vars.iter().find(|var| var.field == index) else {
                return sizes;
            };
            sizes.data = var.bytes;
            if cells > 0 {
                sizes.offsets = self.form.size(cells);
                if let (Some(offsets), true) = (buffers.offsets.as_deref_mut(), self.form.extra) {
                    let form = &self.form;
                    form.put(offsets, self.cell_num, var.bytes, field.value_size);
                }
            }
            sizes
        });
        sizes.collect()
    }
}
