//! The caller's buffers during a submit: their capacity, the amount written, the cells that are
//! delivered to them together ([`ColumnBatch`]), and the parts that threads write
//! ([`FieldOutput`]).
//!
//! A read divides its result into tasks (the space tiles of a dense read, the tiles or the blocks
//! of a sparse one) and runs them in parallel. Every cell of the result belongs to exactly one
//! task, which tests of `dense` and `sparse/merge_plan` verify. A task writes the cells that
//! belong to it, at their positions in the result, and nothing else.

use crate::buffers::{FieldBuffers, FieldSizes, OffsetsForm};
use crate::tile::SharedBytes;
use crate::types::CellType;

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
    /// By field.
    cell_types: Vec<CellType>,
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
        cell_types: Vec<CellType>,
        form: OffsetsForm,
        buffers: &[FieldBuffers<'_>],
    ) -> Self {
        let sizes = buffers.iter().map(FieldBuffers::sizes);
        let fields = || cell_types.iter().zip(sizes.clone()).enumerate();
        let capacity = fields()
            .map(|(_, (cell_type, sizes))| {
                let cells = if cell_type.is_var() {
                    form.capacity(sizes.offsets)
                } else {
                    sizes.data / cell_type.cell_size().max(1) as u64
                };
                if cell_type.nullable {
                    cells.min(sizes.validity)
                } else {
                    cells
                }
            })
            .min()
            .unwrap_or(0);
        let vars = fields()
            .filter(|(_, (cell_type, _))| cell_type.is_var())
            .map(|(field, (cell_type, sizes))| FilledVarBuffer {
                field,
                capacity: sizes.data.min(form.reach(cell_type.value_size())),
                bytes: 0,
            });
        Self {
            form,
            capacity: usize::try_from(capacity).unwrap_or(usize::MAX),
            cell_num: 0,
            vars: vars.collect(),
            cell_types,
        }
    }

    /// Returns the index of a field among the variable-length fields.
    pub(crate) fn var_position(&self, field: usize) -> Option<usize> {
        self.vars.iter().position(|var| var.field == field)
    }

    /// Adds the cells of a batch to the amount written.
    pub(crate) fn advance<R>(&mut self, batch: &ColumnBatch<R>) {
        self.cell_num += batch.cell_num;
        for (var, offsets) in self.vars.iter_mut().zip(&batch.var_offsets) {
            var.bytes = offsets.last().copied().unwrap_or(var.bytes);
        }
    }

    /// Returns the sizes of the buffers, and writes the additional offset if there is one.
    pub(crate) fn finish(&self, buffers: &mut [FieldBuffers<'_>]) -> Vec<FieldSizes> {
        let cells = self.cell_num as u64;
        self.cell_types
            .iter()
            .zip(buffers)
            .enumerate()
            .map(|(index, (cell_type, buffers))| {
                let mut sizes = FieldSizes {
                    data: cells * cell_type.cell_size() as u64,
                    offsets: 0,
                    validity: if cell_type.nullable { cells } else { 0 },
                };
                let Some(var) = self.vars.iter().find(|var| var.field == index) else {
                    return sizes;
                };
                sizes.data = var.bytes;
                if cells > 0 {
                    sizes.offsets = self.form.size(cells);
                    if let (Some(offsets), true) = (buffers.offsets.as_deref_mut(), self.form.extra)
                    {
                        let form = &self.form;
                        form.put(offsets, self.cell_num, var.bytes, cell_type.value_size());
                    }
                }
                sizes
            })
            .collect()
    }
}

/// Consecutive cells of the result that are delivered together, for all fields. `R` is a run of
/// them from one source: of a tile in a sparse read, a box of the result in a dense one.
#[derive(Debug)]
pub(crate) struct ColumnBatch<R> {
    /// The runs in the order of the result. A run that is delivered several times is repeated.
    pub(crate) runs: Vec<R>,
    /// The index of the first cell in the buffers.
    pub(crate) first_cell: usize,
    pub(crate) cell_num: usize,
    /// By variable-length field: the position in the buffer of the values of each run (in a sparse
    /// read) or cell (in a dense one), and the end of the last one.
    pub(crate) var_offsets: Vec<Vec<u64>>,
    /// Whether the next cell does not fit into the buffers.
    pub(crate) is_full: bool,
    /// How much of the variable-length fields of its tiles fits into memory together.
    pub(crate) fitting: FittingVars,
}

/// How much of the variable-length fields of the tiles of a batch fits into memory together. The
/// rest is decoded tile by tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FittingVars {
    Values,
    /// The starts of the values.
    Starts,
    Nothing,
}

impl<R> ColumnBatch<R> {
    /// Returns a batch without cells.
    pub(crate) fn new(first_cell: usize) -> Self {
        Self {
            runs: Vec::new(),
            first_cell,
            cell_num: 0,
            var_offsets: Vec::new(),
            is_full: false,
            fitting: FittingVars::Values,
        }
    }
}

/// Shares a buffer that has a position for each cell of the result between the tasks of a read,
/// which write the cells that belong to them.
#[expect(
    unsafe_code,
    reason = "states the rule that makes the writes of tasks disjoint"
)]
pub(in crate::read) fn share_with_tasks(bytes: &mut [u8]) -> SharedBytes<'_> {
    // SAFETY: this function is visible in the readers only, whose tasks follow the rule above. A
    // task runs in one thread, and writes one part at a time or parts of different cells.
    unsafe { SharedBytes::new(bytes) }
}

/// The caller's buffers of a field.
#[derive(Clone, Copy, Debug)]
pub(in crate::read) struct FieldOutput<'a> {
    /// Fixed-size cells, or the values of variable-length ones.
    pub(in crate::read) data: SharedBytes<'a>,
    /// The offsets of variable-length cells.
    pub(in crate::read) offsets: SharedBytes<'a>,
    /// A byte for each cell, if the field is nullable.
    pub(in crate::read) validity: Option<SharedBytes<'a>>,
}

impl<'a> FieldOutput<'a> {
    /// Shares the complete buffers of a field.
    pub(in crate::read) fn of_buffers(buffers: &'a mut FieldBuffers<'_>) -> Self {
        Self::new(
            buffers.data.as_deref_mut().unwrap_or_default(),
            buffers.offsets.as_deref_mut().unwrap_or_default(),
            buffers.validity.as_deref_mut(),
        )
    }

    /// Shares parts of the buffers of a field.
    pub(in crate::read) fn new(
        data: &'a mut [u8],
        offsets: &'a mut [u8],
        validity: Option<&'a mut [u8]>,
    ) -> Self {
        Self {
            data: share_with_tasks(data),
            offsets: share_with_tasks(offsets),
            validity: validity.map(share_with_tasks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Datatype, VAR_NUM};

    const FORM: OffsetsForm = OffsetsForm {
        width: 8,
        elements: true,
        extra: true,
    };

    fn cells(datatype: Datatype, is_var: bool, nullable: bool) -> CellType {
        CellType {
            datatype,
            cell_val_num: if is_var { VAR_NUM } else { 2 },
            nullable,
        }
    }

    #[test]
    fn the_smallest_buffer_limits_the_number_of_cells() {
        let (mut data, mut values, mut offsets, mut validity) = ([0; 80], [0; 9], [0; 32], [0; 7]);
        let buffers = [
            FieldBuffers::fixed("a", &mut data),
            FieldBuffers {
                name: "b",
                data: Some(&mut values),
                offsets: Some(&mut offsets),
                validity: Some(&mut validity),
            },
        ];
        let capacity = |cell_types: &[CellType]| {
            FilledBuffers::new(cell_types.to_vec(), FORM, &buffers[..cell_types.len()]).capacity
        };
        assert_eq!(capacity(&[cells(Datatype::Int32, false, false)]), 10);
        // One of the four offsets is the additional one.
        let both = [
            cells(Datatype::Int32, false, false),
            cells(Datatype::Int16, true, true),
        ];
        assert_eq!(capacity(&both), 3);
        assert_eq!(capacity(&[]), 0);
    }

    #[test]
    fn batches_add_up_and_the_additional_offset_follows_them() {
        let (mut values, mut offsets, mut validity) = ([0; 100], [7; 64], [0; 8]);
        let mut buffers = [FieldBuffers {
            name: "b",
            data: Some(&mut values),
            offsets: Some(&mut offsets),
            validity: Some(&mut validity),
        }];
        let cell_types = vec![cells(Datatype::Int16, true, true)];
        let mut filled = FilledBuffers::new(cell_types, FORM, &buffers);
        assert_eq!(filled.finish(&mut buffers), [FieldSizes::default()]);
        for ends in [[0, 4, 10], [10, 12, 40]] {
            let mut batch = ColumnBatch::<()>::new(filled.cell_num);
            (batch.cell_num, batch.var_offsets) = (2, vec![ends.to_vec()]);
            filled.advance(&batch);
        }
        let expected = FieldSizes {
            data: 40,
            offsets: 5 * 8,
            validity: 4,
        };
        assert_eq!(filled.finish(&mut buffers), [expected]);
        // In elements of two bytes.
        assert_eq!(offsets[32..40], 20u64.to_le_bytes());
        assert_eq!(offsets[40..], [7; 24]);
    }
}
