//! Estimates the number of bytes that a sparse read delivers: the sizes of the tiles that may
//! contain results, weighted by the fraction of their MBRs that is requested.

use super::super::tiles::TileLoader;
use super::TileScan;
use super::range_filter::RangeFilter;
use crate::buffers::FieldSizes;
use crate::error::Result;

/// Estimates the size of a field. It is exact if all cells of the tiles are requested.
pub(crate) fn estimate(
    loader: &TileLoader,
    scan: &TileScan,
    ranges: &RangeFilter,
    index: usize,
) -> Result<FieldSizes> {
    let field = &loader.fields[index];
    let (mut fixed, mut values, mut validity) = (0.0, 0.0, 0.0);
    for scanned in scan.by_fragment().iter().flatten() {
        let source = scanned.source as usize;
        let tile = loader.tile(source, scanned.found.tile)?;
        let share = if scanned.found.whole {
            1.0
        } else {
            ranges.share(loader.sources[source].mbr(tile.index)?)
        };
        let cells = share * tile.cell_num as f64;
        fixed += cells * field.cell_size as f64;
        if field.is_var() {
            values += share * loader.var_bytes(&tile, index)? as f64;
        }
        if field.is_nullable() {
            validity += cells;
        }
    }
    let ceil = |bytes: f64| bytes.ceil() as u64;
    let mut sizes = FieldSizes::default();
    let at_least = |bytes: u64, cell: usize| bytes.max(cell as u64);
    if field.is_var() {
        // Empty without values; otherwise at least one cell.
        if ceil(values) > 0 {
            sizes.data = at_least(ceil(values), field.value_size);
            sizes.offsets = at_least(ceil(fixed), field.cell_size);
        }
    } else if fixed > 0.0 {
        sizes.data = at_least(ceil(fixed), field.cell_size);
    }
    if field.is_nullable() && sizes.data > 0 {
        sizes.validity = at_least(ceil(validity), 1);
    }
    Ok(sizes)
}
