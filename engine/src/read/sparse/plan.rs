//! Finds the tiles that may contain results.

use std::sync::OnceLock;

use super::fields::SparseField;
use super::tiles::Input;
use crate::config::Config;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::fragment::{FoundTile, Fragment, Overlap, TileWindows, WINDOWS};
use crate::types::VAR_NUM;

/// A tile that may contain results.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedTile {
    /// The index of the fragment in the read.
    pub(super) source: u32,
    pub(super) found: FoundTile,
}

/// Returns the tiles of each fragment in ascending order, the oldest fragment first.
pub(super) fn plan(context: &Context, input: &Input) -> Result<Vec<Vec<PlannedTile>>> {
    let found: Vec<OnceLock<Vec<FoundTile>>> =
        input.sources.iter().map(|_| OnceLock::new()).collect();
    context.for_each(input.sources.len(), |index| {
        let _ = found[index].set(tiles_of(input, index)?);
        Ok(())
    })?;
    let found = found.into_iter().map(|found| found.into_inner());
    let planned = found.enumerate().map(|(source, found)| {
        let found = found.unwrap_or_default().into_iter();
        let source = source as u32;
        found.map(|found| PlannedTile { source, found }).collect()
    });
    Ok(planned.collect())
}

fn tiles_of(input: &Input, source: usize) -> Result<Vec<FoundTile>> {
    let fragment = &input.sources[source].fragment;
    let Some(domain) = fragment.non_empty_domain() else {
        return Ok(Vec::new());
    };
    if input.range_filter.is_all() {
        let windows = input.sources[source].window.map(|_| TileWindows::new(1));
        fragment.check_tile_num(windows.as_ref())?;
        let tiles = 0..fragment.tile_num();
        return Ok(tiles.map(|tile| FoundTile { tile, whole: true }).collect());
    }
    if input.range_filter.overlap(domain) == Overlap::None {
        return Ok(Vec::new());
    }
    fragment.find_tiles(|mbr| input.range_filter.overlap(mbr))
}

/// The share of the memory budget for R-trees and tile offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct MetadataBudget {
    /// The parameter that sets the share.
    pub(super) ratio: &'static str,
    /// The component that errors name, as in libtiledb.
    pub(super) reader: &'static str,
    /// Whether the read has ranges.
    pub(super) has_ranges: bool,
    /// Whether R-trees are needed also without ranges, to put tiles into order.
    pub(super) orders_tiles: bool,
}

/// Returns the number of tiles whose offsets may be in memory at once for each file; `None` if all
/// may be.
///
/// # Errors
/// If R-trees and tile offsets take more than their share of the budget, and parts of the offsets
/// are not enough or `sm.partial_tile_offsets_loading` is not set.
pub(super) fn offsets_window(
    input: &Input,
    config: &Config,
    budget: MetadataBudget,
) -> Result<Option<usize>> {
    let MetadataBudget { ratio, reader, .. } = budget;
    let total = config.memory_budget()?.limit_bytes();
    let limit = total as f64 * config.f64(ratio)?;
    let sources = || input.sources.iter().map(|source| &source.fragment);
    let rtrees = if budget.has_ranges || budget.orders_tiles {
        let sizes = sources().map(|fragment| rtree_size(fragment));
        sizes.fold(0, u64::saturating_add)
    } else {
        0
    };
    let files = |fields: usize| -> u64 { input.fields.iter().take(fields).map(files_of).sum() };
    let outputs = 8 * files(input.outputs);
    let offsets = sources().map(|fragment| fragment.tile_num().saturating_mul(outputs));
    let offsets = offsets.fold(0, u64::saturating_add);
    if rtrees.saturating_add(offsets) as f64 <= limit {
        return Ok(None);
    }
    // The offsets in windows of one tile each.
    let least = 8 * 2 * WINDOWS as u64 * files(input.fields.len()) * input.sources.len() as u64;
    let used = rtrees.max(least);
    if used as f64 > limit {
        let is_in_use = budget.has_ranges || least as f64 > limit;
        return Err(metadata_too_large(budget, is_in_use, used, limit));
    }
    let left = limit as u64 - rtrees;
    if config.flag("sm.partial_tile_offsets_loading")? {
        // Each window has one number more than tiles.
        let numbers = 8 * WINDOWS as u64 * files(input.fields.len()) * input.sources.len() as u64;
        let tiles = (left / numbers.max(1)).saturating_sub(1);
        if tiles > 0 {
            return Ok(usize::try_from(tiles).ok());
        }
    }
    let message = format!(
        "Cannot load tile offsets, computed size ({offsets}) is larger than available memory ({left}), increase memory budget. \
         Total budget for array data ({}). Raise sm.mem.total_budget or {ratio}",
        limit as u64
    );
    Err(Error::budget(reader, message))
}

/// Returns the error for metadata of `used` bytes that may take `limit` bytes, worded as in
/// libtiledb.
fn metadata_too_large(budget: MetadataBudget, is_in_use: bool, used: u64, limit: f64) -> Error {
    let ratio = budget.ratio;
    if is_in_use {
        let message = format!(
            "Cannot set array memory budget ({limit:.6}) because it is smaller than the current memory usage ({used}). \
             Raise sm.mem.total_budget or {ratio}"
        );
        return Error::budget("SparseIndexReaderBase", message);
    }
    let limit = limit as u64;
    let message = format!(
        "Cannot load R-tree; Insufficient memory budget; Needed {used} but only had {limit} from budget {limit}. \
         Raise sm.mem.total_budget or {ratio}"
    );
    Error::budget("FragmentMetadata", message)
}

/// Returns the number of files of a field.
fn files_of(field: &SparseField) -> u64 {
    // Offsets and values of variable length, and the sizes of their tiles.
    1 + 2 * u64::from(field.is_var()) + u64::from(field.is_nullable())
}

/// Returns the size of a fragment's R-tree in memory, in bytes.
fn rtree_size(fragment: &Fragment) -> u64 {
    let dimensions = fragment.schema().domain.dimensions.iter();
    let mbr = dimensions.map(|dimension| match dimension.cell_val_num {
        VAR_NUM => 16,
        _ => 2 * dimension.datatype.size() as u64,
    });
    fragment.tile_num().saturating_mul(mbr.sum())
}
