//! The readers: `dense` and `sparse` arrays, and the conversion of label ranges to index ranges
//! (`labels`).

mod dense;
mod filled_buffers;
mod labels;
mod needed_sizes;
mod selection;
mod sparse;
mod survey;

pub(crate) use dense::{DenseRead, ReadRequest};
pub(crate) use labels::label_indexes;
pub(crate) use sparse::{DeletedCells, FragmentCoordinates, SparseRead, SparseRequest};
pub(crate) use sparse::{check_one_box, relevant_fragment_num};
pub use survey::{ReadSurvey, TileUse};
