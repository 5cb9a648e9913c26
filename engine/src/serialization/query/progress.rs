//! The progress of reads in messages.
//!
//! libtiledb sends the next cell of each fragment, or the ranges that are left. This library sends
//! the number of delivered cells in fields of these messages, because clients of libtiledb keep
//! them: the cells of a tile that does not exist, or the budget of a reader that has none. A client
//! returns the progress of any server unchanged.

use super::subarrays;
use crate::error::Result;
use crate::query::{CarriedKind, CarriedProgress, CarriedState, Query};
use crate::serialization::message;
use crate::serialization::messages_capnp::{
    query_reader, read_state, read_state_index, reader_index,
};
use crate::serialization::texts::length;
use crate::types::QueryStatus;

/// The index of a tile that does not exist, which marks a number of cells.
const COUNT_TILE: u64 = u64::MAX;

/// The budget that marks a number of cells: "TileDBRs".
const COUNT_BUDGET: u64 = u64::from_le_bytes(*b"TileDBRs");

/// Returns the number of cells that a read of this process delivered and has to continue at.
fn position(query: &Query) -> Option<u64> {
    let is_incomplete = query.status() == QueryStatus::Incomplete;
    query.delivered_cells().filter(|_| is_incomplete)
}

/// Fills the progress of a sparse read.
pub(super) fn fill_index(mut to: reader_index::Builder<'_>, query: &Query) -> Result<()> {
    if let Some(position) = position(query) {
        let fragments = query.fragment_num().max(1);
        let number = length("A list of fragments", fragments)?;
        let mut list = to.init_read_state().init_frag_tile_idx(number);
        for index in 0..number {
            let mut to = list.reborrow().get(index);
            to.set_tile_idx(COUNT_TILE);
            to.set_cell_idx(if index == 0 { position } else { 0 });
        }
        return Ok(());
    }
    match query.carried() {
        Some(state) if state.kind == CarriedKind::Index => {
            message::with_copy::<read_state_index::Owned, _>(&state.message, |state| {
                Ok(to.set_read_state(state)?)
            })
        }
        _ => {
            to.reborrow().init_read_state().init_frag_tile_idx(0);
            Ok(())
        }
    }
}

/// Fills the progress of a dense or ordered read.
pub(super) fn fill_ranges(mut to: query_reader::Builder<'_>, query: &Query) -> Result<()> {
    if let Some(position) = position(query) {
        let mut state = to.init_read_state();
        state.set_initialized(true);
        let mut to = state.init_subarray_partitioner();
        subarrays::fill(
            to.reborrow().init_subarray(),
            query.subarray(),
            query.layout(),
        )?;
        to.set_memory_budget_validity(COUNT_BUDGET);
        to.init_state().set_start(position);
        return Ok(());
    }
    match query.carried() {
        Some(state) if state.kind != CarriedKind::Index => {
            message::with_copy::<read_state::Owned, _>(&state.message, |state| {
                Ok(to.set_read_state(state)?)
            })
        }
        _ => {
            to.init_read_state();
            Ok(())
        }
    }
}

/// Reads the progress of a sparse read.
pub(super) fn parse_index(from: read_state_index::Reader<'_>) -> Result<CarriedState> {
    let mut list = from.get_frag_tile_idx()?.iter();
    let started = from.get_done_adding_result_tiles()
        || list.any(|position| position.get_tile_idx() > 0 || position.get_cell_idx() > 0);
    let first = from.get_frag_tile_idx()?.iter().next();
    let counted = first.filter(|position| position.get_tile_idx() == COUNT_TILE);
    let progress = match counted {
        Some(position) => CarriedProgress::Delivered(position.get_cell_idx()),
        None if started => CarriedProgress::Foreign,
        None => CarriedProgress::None,
    };
    let kind = CarriedKind::Index;
    let message = message::copy_of::<read_state_index::Owned>(from)?.into();
    Ok(CarriedState {
        kind,
        progress,
        write: None,
        message,
    })
}

/// Reads the progress of a dense or ordered read.
pub(super) fn parse_ranges(
    from: read_state::Reader<'_>,
    kind: CarriedKind,
) -> Result<CarriedState> {
    let partitioner = from.get_subarray_partitioner()?;
    let progress = if !from.get_initialized() {
        CarriedProgress::None
    } else if partitioner.get_memory_budget_validity() == COUNT_BUDGET {
        CarriedProgress::Delivered(partitioner.get_state()?.get_start())
    } else {
        CarriedProgress::Foreign
    };
    let message = message::copy_of::<read_state::Owned>(from)?.into();
    Ok(CarriedState {
        kind,
        progress,
        write: None,
        message,
    })
}
