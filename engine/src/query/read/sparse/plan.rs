//! Which tiles can hold results.

use std::sync::OnceLock;

use super::tiles::Input;
use crate::context::Context;
use crate::error::Result;
use crate::fragment::{FoundTile, Overlap};

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
