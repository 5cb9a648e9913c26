//! Cells that are delivered together, for all fields.

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
