//! Checks the memory of a dense read, without the caller's buffers, against the memory budget.

use super::fields::{AttributeRead, ReadField};
use super::plan::Plan;
use crate::error::{BudgetError, BudgetPurpose, Component, Error, Result};
use crate::fragment::Fragment;
use crate::memory::PARAMETER;
use crate::memory::tuning::CHUNK_CACHE_SHARE;
use crate::schema::ArraySchema;

/// The size of a stored offset in bytes.
const OFFSET: u64 = size_of::<u64>() as u64;

/// Returns the maximum number of cells of a run with variable-length fields: the lengths and starts
/// of its cells take 16 bytes each, at most a quarter of the budget.
pub(super) fn max_var_cells(budget: u64) -> u64 {
    (budget / 64).max(1024)
}

/// Returns the maximum number of bytes of the offsets of tiles that a run keeps in memory.
pub(super) fn max_run_bytes(budget: u64) -> u64 {
    budget / 4
}

fn exceeded(purpose: BudgetPurpose, need: u64, available: u64, budget: u64) -> Error {
    let exceeded = BudgetError {
        component: Component::DenseReader,
        purpose,
        need,
        available,
        budget,
        parameter: PARAMETER,
    };
    exceeded.into()
}

/// Returns the memory that a read needs in bytes: the metadata of the array, the tile offsets, and
/// the largest tile that must be decoded.
pub(super) fn accounted(plan: &Plan, fields: &[ReadField]) -> u64 {
    let needs = [
        Some(opened_bytes(plan)),
        Some(offsets_bytes(plan, fields)),
        largest_tile(plan, fields),
    ];
    needs.into_iter().flatten().fold(0, u64::saturating_add)
}

/// Returns the maximum size in bytes of the cache of decoded chunks: a fraction of the budget, or
/// what the read itself leaves of it.
pub(super) fn cache_bytes(plan: &Plan, fields: &[ReadField], budget: u64) -> u64 {
    let left = budget.saturating_sub(accounted(plan, fields));
    left.min(budget / CHUNK_CACHE_SHARE)
}

/// Returns the size of the metadata of the array.
fn opened_bytes(plan: &Plan) -> u64 {
    (size_of::<ArraySchema>() + plan.views.len() * size_of::<Fragment>()) as u64
}

fn attributes(fields: &[ReadField]) -> impl Iterator<Item = &AttributeRead> {
    fields.iter().filter_map(ReadField::attribute)
}

/// Returns the size of the tile offsets of all fields.
fn offsets_bytes(plan: &Plan, fields: &[ReadField]) -> u64 {
    let files: u64 = attributes(fields).map(file_num).sum();
    let tiles = plan.views.iter().map(|view| view.fragment.tile_num());
    let tiles = tiles.fold(0, u64::saturating_add);
    tiles.saturating_mul(files * OFFSET)
}

/// Returns the size of the largest tile that must be decoded.
fn largest_tile(plan: &Plan, fields: &[ReadField]) -> Option<u64> {
    let decoded = attributes(fields).filter(|field| field.is_filtered());
    let size = |field: &AttributeRead| {
        plan.grid
            .tile_cell_num
            .saturating_mul(field.cell_size as u64)
    };
    decoded.map(size).max().filter(|_| !plan.views.is_empty())
}

/// Returns an error if the budget, in bytes, is smaller than the metadata of the array, the tile
/// offsets, or one tile that must be decoded. Tiles without filters are read into the caller's
/// buffers and need no memory.
pub(super) fn check(plan: &Plan, fields: &[ReadField], budget: u64) -> Result<()> {
    let opened = opened_bytes(plan);
    let Some(left) = budget.checked_sub(opened) else {
        let purpose = BudgetPurpose::OpenArray;
        return Err(exceeded(purpose, opened, budget, budget));
    };
    let offsets = offsets_bytes(plan, fields);
    let Some(left) = left.checked_sub(offsets) else {
        let purpose = BudgetPurpose::TileOffsets;
        return Err(exceeded(purpose, offsets, left, budget));
    };
    match largest_tile(plan, fields) {
        Some(bytes) if bytes > left => Err(exceeded(BudgetPurpose::Tile, bytes, left, budget)),
        _ => Ok(()),
    }
}

/// Returns the number of files of a field, each of which has one offset per tile.
fn file_num(field: &AttributeRead) -> u64 {
    1 + u64::from(field.is_var()) + u64::from(field.attribute.nullable)
}
