//! The caller's buffers during a submit: their capacity, the amount written, and the cells that are
//! delivered to them together ([`ColumnBatch`]).

use crate::buffers::{FieldBuffers, FieldSizes, OffsetsForm};

/// The layout of the cells of a field in the caller's buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputLayout {
    /// The size of a value in bytes.
    pub(crate) value_size: usize,
    /// The size of a fixed-size cell in bytes.
    pub(crate) cell_size: usize,
    /// Whether cells have a variable length.
    pub(crate) is_var: bool,
    /// Whether cells may be null.
    pub(crate) is_nullable: bool,
}

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
    layouts: Vec<OutputLayout>,
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
        layouts: Vec<OutputLayout>,
        form: OffsetsForm,
        buffers: &[FieldBuffers<'_>],
    ) -> Self {
        let sizes = buffers.iter().map(FieldBuffers::sizes);
        let fields = || layouts.iter().zip(sizes.clone()).enumerate();
        let cells = fields().map(|(_, (layout, sizes))| {
            let cells = if layout.is_var {
                form.capacity(sizes.offsets)
            } else {
                sizes.data / layout.cell_size.max(1) as u64
            };
            if layout.is_nullable {
                cells.min(sizes.validity)
            } else {
                cells
            }
        });
        let capacity = cells.min().unwrap_or(0);
        let vars = fields().filter(|(_, (layout, _))| layout.is_var);
        let vars = vars.map(|(field, (layout, sizes))| FilledVarBuffer {
            field,
            capacity: sizes.data.min(form.reach(layout.value_size)),
            bytes: 0,
        });
        Self {
            form,
            capacity: usize::try_from(capacity).unwrap_or(usize::MAX),
            cell_num: 0,
            vars: vars.collect(),
            layouts,
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
        let outputs = self.layouts.iter().zip(buffers).enumerate();
        let sizes = outputs.map(|(index, (layout, buffers))| {
            let mut sizes = FieldSizes {
                data: cells * layout.cell_size as u64,
                offsets: 0,
                validity: if layout.is_nullable { cells } else { 0 },
            };
            let Some(var) = self.vars.iter().find(|var| var.field == index) else {
                return sizes;
            };
            sizes.data = var.bytes;
            if cells > 0 {
                sizes.offsets = self.form.size(cells);
                if let (Some(offsets), true) = (buffers.offsets.as_deref_mut(), self.form.extra) {
                    let form = &self.form;
                    form.put(offsets, self.cell_num, var.bytes, layout.value_size);
                }
            }
            sizes
        });
        sizes.collect()
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: OffsetsForm = OffsetsForm {
        width: 8,
        elements: true,
        extra: true,
    };

    fn layout(value_size: usize, is_var: bool, is_nullable: bool) -> OutputLayout {
        OutputLayout {
            value_size,
            cell_size: if is_var { 8 } else { 2 * value_size },
            is_var,
            is_nullable,
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
        let capacity = |layouts: &[OutputLayout]| {
            FilledBuffers::new(layouts.to_vec(), FORM, &buffers[..layouts.len()]).capacity
        };
        assert_eq!(capacity(&[layout(4, false, false)]), 10);
        // One of the four offsets is the additional one.
        let both = [layout(4, false, false), layout(2, true, true)];
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
        let layouts = vec![layout(2, true, true)];
        let mut filled = FilledBuffers::new(layouts, FORM, &buffers);
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
