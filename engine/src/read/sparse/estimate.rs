//! Estimates the number of bytes that a sparse read delivers: the sizes of the tiles that may
//! contain results, weighted by the fraction of their MBRs that is requested.

use super::plan::PlannedTile;
use super::tiles::Input;
use crate::buffers::FieldSizes;
use crate::error::Result;

/// Estimates the size of a field. It is exact if all cells of the tiles are requested.
pub(super) fn estimate(
    input: &Input,
    plan: &[Vec<PlannedTile>],
    field_index: usize,
) -> Result<FieldSizes> {
    let field = &input.fields[field_index];
    let (mut fixed, mut values, mut validity) = (0.0, 0.0, 0.0);
    for planned in plan.iter().flatten() {
        let source_index = planned.source as usize;
        let (source, tile) = (&input.sources[source_index], planned.found.tile);
        let share = if planned.found.whole {
            1.0
        } else {
            let mbr = source.fragment.rtree()?.leaf(tile as usize);
            input.range_filter.share(mbr.unwrap_or_default())
        };
        let cells = source.cell_num(tile)?;
        fixed += share * cells as f64 * field.cell_size as f64;
        if field.is_var() {
            values += share * input.var_bytes(source_index, tile, cells, field_index)? as f64;
        }
        if field.is_nullable() {
            validity += share * cells as f64;
        }
    }
    let ceil = |bytes: f64| bytes.ceil() as u64;
    let mut sizes = FieldSizes::default();
    let least = |bytes: u64, one: usize| bytes.max(one as u64);
    if field.is_var() {
        // Empty without values; otherwise at least one cell.
        if ceil(values) > 0 {
            sizes.data = least(ceil(values), field.value_size);
            sizes.offsets = least(ceil(fixed), field.cell_size);
        }
    } else if fixed > 0.0 {
        sizes.data = least(ceil(fixed), field.cell_size);
    }
    if field.is_nullable() && sizes.data > 0 {
        sizes.validity = least(ceil(validity), 1);
    }
    Ok(sizes)
}
