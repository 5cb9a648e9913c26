//! The dimensions of strided copies.

/// One dimension of a strided copy, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyAxis {
    /// The number of cells.
    pub len: usize,
    /// The stride in the source.
    pub from: usize,
    /// The stride in the destination.
    pub to: usize,
}
