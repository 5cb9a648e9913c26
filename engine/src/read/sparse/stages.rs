//! The stages before the merge, which the later ones call.

use super::filter::CellFilter;
use super::tiles::TileLoader;
use crate::context::Context;

/// The stages that load tiles and select their cells, and the context in which they run.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadStages<'a> {
    pub(super) context: &'a Context,
    pub(super) loader: &'a TileLoader,
    pub(super) filter: &'a CellFilter,
}

impl<'a> ReadStages<'a> {
    pub(super) fn new(
        context: &'a Context,
        loader: &'a TileLoader,
        filter: &'a CellFilter,
    ) -> Self {
        Self {
            context,
            loader,
            filter,
        }
    }
}
