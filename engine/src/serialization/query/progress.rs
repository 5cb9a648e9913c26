//! The progress of reads in messages.
//!
//! libtiledb sends the next cell of each fragment, or the ranges that are left. This library sends
//! the number of delivered cells, and of delivered values of each label, in fields that clients of
//! libtiledb keep: the cells of tiles that do not exist; or, marked by a budget that no reader has,
//! the start of a partition and, for labels, its fragments. A client returns the progress of any
//! server unchanged.

use super::subarrays;
use crate::error::Result;
use crate::query::{Query, ReadPosition, Strategy, StrategyProgress, StrategyState};
use crate::serialization::message;
use crate::serialization::messages_capnp::{
    query_reader, read_state, read_state_index, reader_index,
};
use crate::serialization::texts::length;
use crate::types::QueryStatus;

/// The index of a tile that does not exist, which marks a number of cells.
const COUNT_TILE: u64 = u64::MAX;

/// The index of another tile that does not exist, which marks a number of values of a label.
const LABEL_TILE: u64 = u64::MAX - 1;

/// The budget that marks a number of cells: "TileDBRs".
const COUNT_BUDGET: u64 = u64::from_le_bytes(*b"TileDBRs");

/// Returns the position that a read of this process has to continue at.
fn position(query: &Query) -> Option<ReadPosition> {
    let is_incomplete = query.status() == QueryStatus::Incomplete;
    query.position().filter(|_| is_incomplete)
}

/// Fills the progress of a sparse read.
pub(super) fn fill_index(mut to: reader_index::Builder<'_>, query: &Query) -> Result<()> {
    if let Some(position) = position(query) {
        let other_fragments = query.request().fragment_num().saturating_sub(1);
        let cells = std::iter::once(position.cells).chain(std::iter::repeat_n(0, other_fragments));
        let cells = cells.map(|cells| (COUNT_TILE, cells));
        let values = position.label_values.iter();
        let entries: Vec<(u64, u64)> = cells
            .chain(values.map(|values| (LABEL_TILE, *values)))
            .collect();
        let number = length("A list of fragments", entries.len())?;
        let mut list = to.init_read_state().init_frag_tile_idx(number);
        for (index, (tile, cell)) in (0..).zip(entries) {
            let mut to = list.reborrow().get(index);
            to.set_tile_idx(tile);
            to.set_cell_idx(cell);
        }
        return Ok(());
    }
    match query.carried() {
        Some(state) if state.kind == Strategy::Index => {
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
        let mut subarray = to.reborrow().init_subarray();
        subarrays::fill(subarray.reborrow(), query.request())?;
        if !position.label_values.is_empty() {
            let halves: Vec<u32> = position
                .label_values
                .iter()
                .flat_map(|values| [*values as u32, (values >> 32) as u32])
                .collect();
            subarray.set_relevant_fragments(&halves[..])?;
        }
        to.set_memory_budget_validity(COUNT_BUDGET);
        to.init_state().set_start(position.cells);
        return Ok(());
    }
    match query.carried() {
        Some(state) if state.kind != Strategy::Index => {
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
pub(super) fn parse_index(from: read_state_index::Reader<'_>) -> Result<StrategyState> {
    let mut list = from.get_frag_tile_idx()?.iter();
    let started = from.get_done_adding_result_tiles()
        || list.any(|position| position.get_tile_idx() > 0 || position.get_cell_idx() > 0);
    let first = from.get_frag_tile_idx()?.iter().next();
    let counted = first.filter(|position| position.get_tile_idx() == COUNT_TILE);
    let labels = from
        .get_frag_tile_idx()?
        .iter()
        .filter(|position| position.get_tile_idx() == LABEL_TILE);
    let progress = match counted {
        Some(position) => StrategyProgress::Delivered(ReadPosition {
            cells: position.get_cell_idx(),
            label_values: labels.map(|position| position.get_cell_idx()).collect(),
        }),
        None if started => StrategyProgress::Foreign,
        None => StrategyProgress::None,
    };
    let kind = Strategy::Index;
    let message = message::copy_of::<read_state_index::Owned>(from)?.into();
    Ok(StrategyState {
        kind,
        progress,
        write: None,
        message,
    })
}

/// Reads the progress of a dense or ordered read.
pub(super) fn parse_ranges(from: read_state::Reader<'_>, kind: Strategy) -> Result<StrategyState> {
    let partitioner = from.get_subarray_partitioner()?;
    let progress = if !from.get_initialized() {
        StrategyProgress::None
    } else if partitioner.get_memory_budget_validity() == COUNT_BUDGET {
        let halves = partitioner.get_subarray()?.get_relevant_fragments()?;
        let pairs =
            (0..halves.len() / 2).map(|index| (halves.get(2 * index), halves.get(2 * index + 1)));
        StrategyProgress::Delivered(ReadPosition {
            cells: partitioner.get_state()?.get_start(),
            label_values: pairs
                .map(|(low, high)| u64::from(high) << 32 | u64::from(low))
                .collect(),
        })
    } else {
        StrategyProgress::Foreign
    };
    let message = message::copy_of::<read_state::Owned>(from)?.into();
    Ok(StrategyState {
        kind,
        progress,
        write: None,
        message,
    })
}
