//! The data that the stages of a pipeline exchange.

use super::parts::PartsView;

/// The input of a stage when writing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unfiltered<'a> {
    pub(super) data: PartsView<'a>,
    pub(super) metadata: PartsView<'a>,
}

/// The input of a stage when reading, untrusted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filtered<'a> {
    pub(super) data: &'a [u8],
    pub(super) metadata: &'a [u8],
}

/// The location of the data after a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DataIs {
    /// Unchanged in the input.
    Unchanged,
    /// In the output.
    Written,
}

/// The location of the metadata for the previous filter of the list after decoding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MetadataIs {
    /// In the input's metadata, from this byte on.
    From(usize),
    /// In the output.
    Written,
}
