//! The state of a write in global order between submits, with which another query continues it.

use super::field_stream::FieldStream;
use crate::error::{FragmentError, Result, WriteError};
use crate::format::version as v;
use crate::fragment::UnfinishedFragment;

/// The state of a write in global order after complete tiles.
#[derive(Clone, Debug)]
pub struct GlobalWriteState {
    /// The fragment.
    pub fragment: UnfinishedFragment,
    /// The number of cells of each field.
    pub cells: Vec<(String, u64)>,
    /// The coordinates of the last cell of a sparse array, by dimension.
    pub last: Vec<Vec<u8>>,
}

/// Returns the number of cells of each field; `None` if a tile is incomplete.
pub(super) fn cells_of(fields: &[FieldStream], tile_cells: usize) -> Option<Vec<(String, u64)>> {
    fields
        .iter()
        .map(|field| {
            let is_complete = field.cell_num.is_multiple_of(tile_cells as u64);
            is_complete.then(|| (field.name().to_owned(), field.cell_num))
        })
        .collect()
}

/// Continues the fields after these cells. Returns their number.
pub(super) fn resume_fields(
    fields: &mut [FieldStream],
    cells: &[(String, u64)],
    tile_cells: usize,
) -> Result<u64> {
    let mut number = None;
    for field in fields {
        let found = cells.iter().find(|(name, _)| name == field.name());
        let cells = found.map_or(0, |(_, cells)| *cells);
        if !cells.is_multiple_of(tile_cells as u64) || number.is_some_and(|other| other != cells) {
            return Err(WriteError::UnequalFields.into());
        }
        number = Some(cells);
        field.cell_num = cells;
    }
    Ok(number.unwrap_or_default())
}

/// Returns an error unless the fields of a fragment have the tiles of these cells, each with
/// `ranges_per_tile` ranges of its MBR.
pub(super) fn check_tiles(
    fragment: &UnfinishedFragment,
    cells: &[(String, u64)],
    tile_cells: u64,
    ranges_per_tile: usize,
) -> Result<()> {
    let cells = cells.first().map_or(0, |(_, cells)| *cells);
    let expected = cells / tile_cells.max(1);
    let ranges = expected.saturating_mul(ranges_per_tile as u64);
    let has_bounds = fragment.name.version() >= v::OPTIONAL_FOOTER_SECTIONS;
    let bounds = if has_bounds { ranges } else { 0 };
    if fragment
        .fields
        .iter()
        .all(|field| field.tile_offsets[0].len() as u64 == expected)
        && fragment.mbrs.len() as u64 == ranges
        && fragment.order_bounds.len() as u64 == bounds
    {
        return Ok(());
    }
    Err(FragmentError::NotUnfinished {
        uri: fragment.name.as_str().to_owned(),
    }
    .into())
}
