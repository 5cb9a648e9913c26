//! Estimates the number of bytes that a dense read delivers. It is exact for fixed-size cells. For
//! variable-length cells it uses the sizes of tiles in the metadata, weighted by the fraction of
//! their cells that is read.

use super::fields::{AttributeRead, ReadField};
use super::plan::Plan;
use super::result::boxes_of;
use crate::buffers::FieldSizes;
use crate::error::Result;
use crate::geometry::CellBox;
use crate::memory::tuning::MAX_ESTIMATED_BOXES;

/// Estimates the size of a field.
pub(super) fn estimate(plan: &Plan, field: &ReadField) -> Result<FieldSizes> {
    let cells = plan.cell_num;
    let read = match field {
        ReadField::Dimension(_) | ReadField::Coordinates => {
            let size = field.cell_type(&plan.schema).cell_size() as u64;
            return Ok(FieldSizes {
                data: cells.saturating_mul(size),
                ..FieldSizes::default()
            });
        }
        ReadField::Attribute(read) => read,
    };
    let validity = if read.attribute.nullable { cells } else { 0 };
    if !read.attribute.is_var() {
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

/// Estimates the size of variable-length cells. Overlapping fragments are all counted. The result
/// is at least the size of fill values.
fn var_bytes(plan: &Plan, read: &AttributeRead) -> Result<u64> {
    plan.load_all_metadata(read)?;
    let mut bytes = 0.0;
    for (view_index, view) in plan.views.iter().enumerate() {
        if let (Some(tiles), true) = (read.in_view(plan, view_index)?, view.points.is_some()) {
            // Its cells are in other fragments or in none.
            for tile in 0..view.fragment.tile_num {
                bytes += tiles.var_size(tile)? as f64;
            }
        }
    }
    match boxes_of(&plan.axes, MAX_ESTIMATED_BOXES) {
        Some(boxes) => {
            for selected in boxes {
                bytes += box_bytes(plan, read, &selected)?;
            }
        }
        None => {
            let bounds = &plan.bounds;
            let share = plan.cell_num as f64 / bounds.cell_num().max(1) as f64;
            bytes += box_bytes(plan, read, bounds)? * share;
        }
    }
    let fill = read.attribute.fill_value.len().max(read.value_size) as u64;
    Ok((bytes.ceil() as u64).max(plan.cell_num.saturating_mul(fill)))
}

/// Estimates the size of the cells of a dense fragment in a box. Tiles are stored completely, so
/// all their cells are counted.
fn box_bytes(plan: &Plan, read: &AttributeRead, selected: &CellBox) -> Result<f64> {
    let mut bytes = 0.0;
    for (view_index, view) in plan.views.iter().enumerate() {
        let (Some(stored), Some(tiles), None) = (
            read.in_view(plan, view_index)?,
            plan.grid.tiles(selected).intersection(&view.tiles),
            &view.points,
        ) else {
            continue;
        };
        tiles.for_each_cell(plan.grid.tile_order, |tile| {
            let cells = plan.grid.tile_cells(tile).intersection(selected);
            let cells = cells.map_or(0, |cells| cells.cell_num());
            let position = plan.grid.tile_position(&view.tiles, tile);
            let size = stored.var_size(position)?;
            bytes += size as f64 * cells as f64 / plan.grid.tile_cell_num as f64;
            Ok::<(), crate::error::Error>(())
        })?;
    }
    Ok(bytes)
}
