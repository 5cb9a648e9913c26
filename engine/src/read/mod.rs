//! The readers: `dense` and `sparse` arrays, and the conversion of label ranges to index ranges
//! (`labels`).

mod dense;
mod filled_buffers;
mod labels;
mod needed_sizes;
mod selection;
mod sparse;
mod survey;

use crate::buffers::OffsetsForm;
use crate::condition::BoundCondition;
use crate::subarray::Subarray;
use crate::types::Layout;

pub(crate) use dense::DenseRead;
pub(crate) use labels::label_indexes;
pub(crate) use sparse::{DeletedCells, FragmentCoordinates, SparseRead};
pub(crate) use sparse::{check_one_box, relevant_fragment_num};
pub use survey::{ReadSurvey, TileUse};

/// The cells that a read delivers, and their form.
#[derive(Debug)]
pub(crate) struct ReadRequest<'a> {
    /// The cells.
    pub subarray: &'a Subarray,
    /// Their order.
    pub layout: Layout,
    /// The fields.
    pub names: &'a [&'a str],
    /// The format of offsets.
    pub form: OffsetsForm,
    /// The condition that selects cells.
    pub condition: Option<BoundCondition>,
}
