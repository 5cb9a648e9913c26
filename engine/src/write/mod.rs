//! The write pipeline: check, order, divide into tiles, encode, append.
//!
//! `check` converts the caller's buffers to columns of cells, or returns an error. Dense writes:
//! `box_write` divides the columns of a box into space tiles; `global` writes cells in global order
//! in several submits. Sparse writes: `unordered` sorts cells (`order`) and divides them into tiles
//! (`cut`); `global_sparse` checks that cells are in global order (`order_check`) and writes
//! them in several submits. All pass tiles to `tile_encoder`, which computes statistics, applies
//! filters and appends the tile. Nothing is visible before the commit.

mod bounds;
mod box_write;
mod check;
mod cut;
mod field_stream;
mod global;
mod global_sparse;
mod global_state;
mod order;
mod order_check;
mod order_in_parts;
mod real_sum;
mod text_min_max;
mod tile_encoder;
mod tile_stats;
mod unordered;
mod values_order;

pub use bounds::bounds_of;
pub use box_write::BoxWrite;
pub use check::{check_float_scaling, is_about_buffers, split_coordinates, with_coordinates};
pub use global::GlobalWrite;
pub use global_sparse::SparseGlobalWrite;
pub use global_state::GlobalWriteState;
pub use order::SparseWriteOptions;
pub use unordered::UnorderedWrite;
pub use values_order::reject_ordered;

use crate::error::{Error, Result, WriteError, WriterKind};
use crate::fragment::{FieldWriter, FragmentWriter};

/// Returns the files of a field of a new fragment, or the error of a writer if the fragment does
/// not have the field.
fn field_writer<'a>(
    fragment: &'a mut FragmentWriter,
    name: &str,
    writer: WriterKind,
) -> Result<&'a mut FieldWriter> {
    fragment.field(name).ok_or_else(|| {
        Error::from(WriteError::NoField {
            name: name.into(),
            writer,
        })
    })
}
