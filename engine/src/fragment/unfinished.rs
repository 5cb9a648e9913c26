//! The state of a fragment of which some tiles are written.

use super::fields::UnfinishedField;
use crate::format::names::FragmentName;
use crate::types::{NdRange, Range};

/// A fragment of which some tiles are written.
#[derive(Clone, Debug)]
pub struct UnfinishedFragment {
    /// The name of the folder.
    pub name: FragmentName,
    /// The fields.
    pub fields: Vec<UnfinishedField>,
    /// The MBRs of the tiles of a sparse fragment.
    pub mbrs: Vec<Range>,
    /// The coordinates of the first and the last cell of each tile of a sparse fragment, by
    /// dimension; empty in formats that do not store them.
    pub order_bounds: Vec<Range>,
    /// The bounding box of the cells of a sparse fragment.
    pub non_empty_domain: Option<NdRange>,
}
