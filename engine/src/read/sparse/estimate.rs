//! How many bytes a sparse read will deliver, before it reads: the sizes of the tiles that can hold
//! results, by the share of their MBRs that is asked for.

use super::plan::Planned;
use super::tiles::Input;
use crate::buffers::FieldSizes;
use crate::error::Result;

/// An estimate for a field: exact where all cells of the tiles are asked for.
pub(super) fn estimate(input: &Input, plan: &[Vec<Planned>], at: usize) -> Result<FieldSizes> {
    let field = &input.fields[at];
    let (mut fixed, mut values, mut validity) = (0.0, 0.0, 0.0);
    for planned in plan.iter().flatten() {
        let place = planned.source as usize;
        let (source, tile) = (&input.sources[place], planned.found.tile);
        let share = match planned.found.whole {
            true => 1.0,
            false => {
                let mbr = source.fragment.rtree()?.leaf(tile as usize);
                input.asked.share(mbr.unwrap_or_default())
            }
        };
        let cells = source.cell_num(tile)?;
        fixed += share * cells as f64 * field.cell_size as f64;
        if field.is_var() {
            values += share * input.var_bytes(place, tile, cells, at)? as f64;
        }
        if field.is_nullable() {
            validity += share * cells as f64;
        }
    }
    let ceil = |bytes: f64| bytes.ceil() as u64;
    let mut sizes = FieldSizes::default();
    let least = |bytes: u64, one: usize| bytes.max(one as u64);
    if field.is_var() {
        // Where there is no value, there is nothing; else there is room for one cell.
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
