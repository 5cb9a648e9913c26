//! Which tiles can hold results.

use std::sync::OnceLock;

use super::tiles::Input;
use crate::config::Config;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::fragment::{FoundTile, Overlap};
use crate::types::VAR_NUM;

/// A tile that can hold results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    /// The fragment, by its place in the read.
    pub(super) source: u32,
    pub(super) found: FoundTile,
}

/// The tiles of each fragment, ascending, the oldest fragment first.
pub(super) fn plan(context: &Context, input: &Input) -> Result<Vec<Vec<Planned>>> {
    let found: Vec<OnceLock<Vec<FoundTile>>> =
        input.sources.iter().map(|_| OnceLock::new()).collect();
    context.for_each(input.sources.len(), |at| {
        let _ = found[at].set(tiles_of(input, at)?);
        Ok(())
    })?;
    let found = found.into_iter().map(|found| found.into_inner());
    let planned = found.enumerate().map(|(source, found)| {
        let found = found.unwrap_or_default().into_iter();
        let source = source as u32;
        found.map(|found| Planned { source, found }).collect()
    });
    Ok(planned.collect())
}

fn tiles_of(input: &Input, source: usize) -> Result<Vec<FoundTile>> {
    let fragment = &input.sources[source].fragment;
    let Some(domain) = fragment.non_empty_domain() else {
        return Ok(Vec::new());
    };
    if input.asked.is_all() {
        fragment.check_tile_num()?;
        let tiles = 0..fragment.tile_num();
        return Ok(tiles.map(|tile| FoundTile { tile, whole: true }).collect());
    }
    if input.asked.overlap(domain) == Overlap::None {
        return Ok(Vec::new());
    }
    fragment.find_tiles(|mbr| input.asked.overlap(mbr))
}

/// An error where what is known of the tiles, their places and MBRs, takes more than its share of
/// the budget, the ratio of the parameter `ratio`.
pub(super) fn check_budget(
    input: &Input,
    config: &Config,
    ratio: &'static str,
    budget: u64,
) -> Result<()> {
    let limit = budget as f64 * config.f64(ratio)?;
    let used: u64 = (0..input.sources.len())
        .map(|source| metadata_size(input, source))
        .fold(0, u64::saturating_add);
    if used as f64 <= limit {
        return Ok(());
    }
    Err(Error::budget(
        "SparseIndexReaderBase",
        format!(
            "Cannot set array memory budget ({limit:.6}) because it is smaller than the current memory usage ({used}). \
             Raise sm.mem.total_budget or {ratio}"
        ),
    ))
}

/// What the places and MBRs of a fragment's tiles take in memory, in bytes.
fn metadata_size(input: &Input, source: usize) -> u64 {
    let fragment = &input.sources[source].fragment;
    let dimensions = fragment.schema().domain.dimensions.iter();
    let mbr: u64 = dimensions
        .map(|dimension| match dimension.cell_val_num {
            VAR_NUM => 16,
            _ => 2 * dimension.datatype.size() as u64,
        })
        .sum();
    let files = |field: &super::fields::Field| {
        1 + 2 * u64::from(field.is_var()) + u64::from(field.is_nullable())
    };
    let files: u64 = input.fields.iter().take(input.outputs).map(files).sum();
    fragment.tile_num().saturating_mul(mbr + 8 * files)
}
