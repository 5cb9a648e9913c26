//! How many bytes a dense read will deliver, before it reads: exact for cells of fixed size; for variable-length cells
//! the tiles' sizes in the metadata, by the share of their cells that the read asks for.

use super::fields::{AttributeRead, ReadField};
use super::plan::Plan;
use crate::error::Result;
use crate::query::buffers::FieldSizes;
use crate::space::for_each_position;

/// An estimate for a field of a plan.
pub(super) fn estimate(plan: &Plan, field: &ReadField) -> Result<FieldSizes> {
    let cells = plan.cell_num;
    let read = match field {
        ReadField::Dimension(dim) => {
            let size = plan.schema.domain.dimensions[*dim].datatype.size() as u64;
            return Ok(FieldSizes {
                data: cells.saturating_mul(size),
                ..FieldSizes::default()
            });
        }
        ReadField::Attribute(read) => read,
    };
    let validity = if read.attribute.nullable { cells } else { 0 };
    if !read.is_var() {
        let data = cells.saturating_mul(read.cell_size as u64);
        return Ok(FieldSizes {
            data,
            offsets: 0,
            validity,
        });
    }
    Ok(FieldSizes {
        data: var_bytes(plan, read)?,
        offsets: cells.saturating_mul(8),
        validity,
    })
}

/// The bytes of variable-length cells. Where fragments overlap, the cells of each count.
fn var_bytes(plan: &Plan, read: &AttributeRead) -> Result<u64> {
    let asked = plan.bounds();
    // Of several ranges only a share of the box around them is asked for.
    let share = plan.cell_num as f64 / asked.cell_num().max(1) as f64;
    let (mut bytes, mut covered) = (0.0, 0u64);
    for (at, layer) in plan.layers.iter().enumerate() {
        let (Some(source), Some(cells)) = (
            read.source(&plan.layers, at)?,
            layer.cells.intersection(&asked),
        ) else {
            continue;
        };
        if layer.points.is_some() {
            // Its cells are among those of others, or of none.
            for tile in 0..layer.fragment.tile_num() {
                bytes += source.var_size(&layer.fragment, tile)? as f64;
            }
            continue;
        }
        covered = covered.saturating_add(cells.cell_num());
        let tiles = plan.grid.tiles(&cells);
        let shape: Vec<u64> = (0..tiles.dim_num()).map(|d| tiles.len(d)).collect();
        for_each_position(&shape, plan.grid.tile_order, |place| {
            let tile: Vec<u64> = place
                .iter()
                .zip(&tiles.low)
                .map(|(place, low)| place + low)
                .collect();
            let here = plan
                .grid
                .tile_cells(&tile)
                .intersection(&cells)
                .map_or(0, |cells| cells.cell_num());
            let position = plan.grid.tile_position(&layer.tiles, &tile);
            let size = source.var_size(&layer.fragment, position)?;
            bytes += size as f64 * here as f64 / plan.grid.tile_cell_num as f64;
            Ok::<(), crate::error::Error>(())
        })?;
    }
    let unwritten = asked.cell_num().saturating_sub(covered);
    bytes += unwritten as f64 * read.attribute.fill_value.len() as f64;
    let least = if plan.cell_num > 0 {
        read.value_size as u64
    } else {
        0
    };
    Ok(((bytes * share).ceil() as u64).max(least))
}
