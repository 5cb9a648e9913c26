//! The memory of R-trees and tile offsets, which has a share of the memory budget of a read.

use super::super::tiles::{SparseField, TileLoader};
use crate::config::Config;
use crate::error::{BudgetError, BudgetPurpose, Component, Error, Result};
use crate::fragment::{Fragment, WINDOWS};
use crate::types::VAR_NUM;

/// Returns the number of tiles whose offsets may be in memory at once for each file; `None` if all
/// may be. `reader` is the component that errors name.
///
/// # Errors
/// If R-trees and tile offsets take more than their share of the budget, and parts of the offsets
/// are not enough or `sm.partial_tile_offsets_loading` is not set.
pub(crate) fn offsets_window(
    loader: &TileLoader,
    config: &Config,
    reader: Component,
    has_ranges: bool,
) -> Result<Option<usize>> {
    let (fields, sources) = (&loader.fields, &loader.sources);
    // R-trees are needed also without ranges, to put tiles into order.
    let orders_tiles = reader != Component::UnorderedReader;
    let ratio = if orders_tiles {
        "sm.mem.reader.sparse_global_order.ratio_array_data"
    } else {
        "sm.mem.reader.sparse_unordered_with_dups.ratio_array_data"
    };
    let total = config.memory_budget()?.limit_bytes();
    let limit = total as f64 * config.f64(ratio)?;
    let fragments = || sources.iter().map(|source| &source.fragment);
    let rtrees = if has_ranges || orders_tiles {
        fragments()
            .map(|fragment| rtree_size(fragment))
            .fold(0, u64::saturating_add)
    } else {
        0
    };
    let files = |field_num: usize| -> u64 { fields.iter().take(field_num).map(file_num).sum() };
    let outputs = 8 * files(fields.output_num);
    let offsets = fragments()
        .map(|fragment| fragment.tile_num.saturating_mul(outputs))
        .fold(0, u64::saturating_add);
    if rtrees.saturating_add(offsets) as f64 <= limit {
        return Ok(None);
    }
    // The offsets in windows of one tile each.
    let least = 8 * 2 * WINDOWS as u64 * files(fields.len()) * sources.len() as u64;
    let used = rtrees.max(least);
    if used as f64 > limit {
        let is_in_use = has_ranges || least as f64 > limit;
        return Err(metadata_too_large(ratio, is_in_use, used, limit));
    }
    let left = (limit as u64).saturating_sub(rtrees);
    if config.flag("sm.partial_tile_offsets_loading")? {
        // Each window has one number more than tiles.
        let numbers = 8 * WINDOWS as u64 * files(fields.len()) * sources.len() as u64;
        let tiles = (left / numbers.max(1)).saturating_sub(1);
        if tiles > 0 {
            return Ok(usize::try_from(tiles).ok());
        }
    }
    let exceeded = BudgetError {
        component: reader,
        purpose: BudgetPurpose::TileOffsets,
        need: offsets,
        available: left,
        budget: limit as u64,
        parameter: ratio,
    };
    Err(exceeded.into())
}

/// Returns the error for metadata of `used` bytes that may take `limit` bytes.
fn metadata_too_large(ratio: &'static str, is_in_use: bool, used: u64, limit: f64) -> Error {
    let (component, purpose) = if is_in_use {
        (
            Component::SparseReader,
            BudgetPurpose::MetadataInUse { limit },
        )
    } else {
        (Component::FragmentMetadata, BudgetPurpose::RTree)
    };
    let exceeded = BudgetError {
        component,
        purpose,
        need: used,
        available: limit as u64,
        budget: limit as u64,
        parameter: ratio,
    };
    exceeded.into()
}

/// Returns the number of files of a field.
fn file_num(field: &SparseField) -> u64 {
    // Offsets and values of variable length, and the sizes of their tiles.
    1 + 2 * u64::from(field.stored.cells.is_var()) + u64::from(field.stored.cells.nullable)
}

/// Returns the size of a fragment's R-tree in memory, in bytes.
fn rtree_size(fragment: &Fragment) -> u64 {
    let mbr =
        fragment
            .schema
            .domain
            .dimensions
            .iter()
            .map(|dimension| match dimension.cell_val_num {
                VAR_NUM => 16,
                _ => 2 * dimension.datatype.size() as u64,
            });
    fragment.tile_num.saturating_mul(mbr.sum())
}
