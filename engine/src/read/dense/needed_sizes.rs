//! The sizes of buffers that the next cells of a dense read need.
//!
//! The number of cells is known. The bytes of variable-length cells come from the sizes of tiles in
//! the metadata: they are exact if complete tiles are read, no fragment hides cells of another, and
//! there is no condition. For few cells the offsets are read.

use super::DenseRead;
use super::copy_var::VarCells;
use super::fields::{AttributeRead, ReadField};
use super::plan::{FragmentView, Plan};
use crate::buffers::NeededSizes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::geometry::for_each_position;
use crate::memory::tuning::MEASURED_CELLS;
use crate::read::needed_sizes::{Amount, needed_sizes};

/// The variable-length values of a result, or of those of its cells that one fragment contains.
#[derive(Clone, Copy, Debug)]
struct ValueBytes {
    values: Amount,
    /// An upper bound of the bytes of one cell.
    largest: u64,
    /// The number of cells.
    cells: u64,
}

impl DenseRead {
    /// Returns the sizes that the next `cells` cells need, or all remaining cells if they are
    /// fewer, in the order of the fields.
    pub(crate) fn needed_sizes(&self, context: &Context, cells: u64) -> Result<Vec<NeededSizes>> {
        let left = self.plan.cell_num.saturating_sub(self.position);
        let number = cells.min(left);
        let cells = Amount {
            number,
            is_exact: !self.selected_only,
        };
        self.fields
            .iter()
            .enumerate()
            .map(|(index, field)| {
                let values = match field {
                    ReadField::Attribute(read) if read.attribute.is_var() && number > 0 => {
                        self.value_bytes(context, index, read, number)?
                    }
                    _ => Amount::NONE,
                };
                let cell_type = field.cell_type(&self.plan.schema);
                Ok(needed_sizes(cell_type, self.form, cells, values))
            })
            .collect()
    }

    /// Returns an upper bound of the bytes of a single value of the field `index`.
    pub(crate) fn largest_value(&self, index: usize) -> Result<u64> {
        match self.fields.get(index) {
            Some(ReadField::Attribute(read)) => Ok(self.all_value_bytes(read)?.largest),
            _ => Ok(0),
        }
    }

    /// Returns the bytes of the values of the next `number` cells of a field.
    fn value_bytes(
        &self,
        context: &Context,
        index: usize,
        read: &AttributeRead,
        number: u64,
    ) -> Result<Amount> {
        let left = self.plan.cell_num - self.position;
        let bytes = self.all_value_bytes(read)?;
        let rest = self.delivered.values_left(bytes.values, index);
        if number == left && rest.is_exact {
            return Ok(rest);
        }
        if number <= MEASURED_CELLS.min(self.max_var_cells()) {
            return self.measured(context, read, number as usize);
        }
        let each = Amount::at_most(number.saturating_mul(bytes.largest));
        Ok(Amount::at_most(rest.number).or_better(each))
    }

    /// Returns the bytes of the values of the next `number` cells from their offsets.
    fn measured(&self, context: &Context, read: &AttributeRead, number: usize) -> Result<Amount> {
        let boxes = self
            .plan
            .boxes(self.position, self.position + number as u64);
        let (_, ends) = VarCells::new(context, &self.plan, read, &boxes, None, 0, 0)?;
        if self.selector.is_none() {
            return Ok(Amount::exact(ends.last().copied().unwrap_or_default()));
        }
        // The condition may replace each cell by the fill value.
        let fill = read.attribute.fill_value.len() as u64;
        Ok(Amount::at_most(
            ends.windows(2)
                .map(|ends| (ends[1] - ends[0]).max(fill))
                .fold(0, u64::saturating_add),
        ))
    }

    /// Returns the bytes of the values of a field in the complete result, from metadata.
    fn all_value_bytes(&self, read: &AttributeRead) -> Result<ValueBytes> {
        let plan = &self.plan;
        plan.load_all_metadata(read)?;
        let fill = read.attribute.fill_value.len() as u64;
        let repetitions = plan
            .axes
            .iter()
            .map(|axis| axis.max_repetitions())
            .fold(1, u64::saturating_mul);
        let (mut values, mut largest) = (Amount::NONE, fill);
        let (mut covered, mut most_covered, mut lacks_field) = (0u64, 0u64, false);
        for (index, view) in plan.views.iter().enumerate() {
            let Some(tiles) = read.in_view(plan, index)? else {
                // Its cells have fill values, and hide those of older fragments.
                lacks_field = true;
                continue;
            };
            let size = |tile: u64| Ok(tiles.var_size(tile)? as u64);
            let of_view = match view.points {
                Some(_) => points_bytes(view, size)?,
                None => view_bytes(plan, view, size)?,
            };
            largest = largest.max(of_view.largest);
            covered = covered.saturating_add(of_view.cells);
            most_covered = most_covered.max(of_view.cells);
            values.add(of_view.values);
        }
        values.number = values.number.saturating_mul(repetitions);
        values.is_exact &= repetitions == 1;
        let filled = if self.selector.is_some() {
            Amount::at_most(plan.cell_num)
        } else if plan.has_disjoint_views() {
            Amount::exact(plan.cell_num.saturating_sub(covered))
        } else if lacks_field {
            Amount::at_most(plan.cell_num)
        } else {
            Amount::at_most(plan.cell_num.saturating_sub(most_covered))
        };
        values.add(Amount {
            number: filled.number.saturating_mul(fill),
            ..filled
        });
        Ok(ValueBytes {
            values,
            largest,
            cells: plan.cell_num,
        })
    }
}

/// Returns the bytes of the values of a sparse fragment. Any number of its cells may be outside of
/// the result.
fn points_bytes(view: &FragmentView, size: impl Fn(u64) -> Result<u64>) -> Result<ValueBytes> {
    let (mut values, mut largest) = (Amount::at_most(0), 0);
    for tile in 0..view.fragment.tile_num {
        let bytes = size(tile)?;
        values.add(Amount::at_most(bytes));
        largest = bytes.max(largest);
    }
    Ok(ValueBytes {
        values,
        largest,
        cells: 0,
    })
}

/// Returns the bytes of the values of the tiles of a dense fragment that contain cells of the
/// result.
fn view_bytes(
    plan: &Plan,
    view: &FragmentView,
    size: impl Fn(u64) -> Result<u64>,
) -> Result<ValueBytes> {
    let by_tile: Vec<Vec<(u64, u64)>> = plan
        .axes
        .iter()
        .zip(&plan.grid.axes)
        .enumerate()
        .map(|(d, (axis, grid))| {
            axis.coordinates_by_tile(grid, view.cells.low[d], view.cells.high[d])
        })
        .collect();
    let cells = by_tile
        .iter()
        .map(|tiles| {
            tiles
                .iter()
                .map(|(_, count)| *count)
                .fold(0, u64::saturating_add)
        })
        .fold(1, u64::saturating_mul);
    let shape: Vec<u64> = by_tile.iter().map(|tiles| tiles.len() as u64).collect();
    let (mut values, mut largest) = (Amount::NONE, 0);
    for_each_position(&shape, plan.grid.tile_order, |position| {
        let tiles_and_counts: Vec<(u64, u64)> = position
            .iter()
            .zip(&by_tile)
            .map(|(index, tiles)| tiles[*index as usize])
            .collect();
        let tile: Vec<u64> = tiles_and_counts.iter().map(|(tile, _)| *tile).collect();
        let bytes = size(plan.grid.tile_position(&view.tiles, &tile))?;
        let is_exact = plan
            .grid
            .axes
            .iter()
            .zip(&tiles_and_counts)
            .all(|(axis, (_, count))| *count == axis.extent);
        values.add(Amount {
            number: bytes,
            is_exact,
        });
        largest = bytes.max(largest);
        Ok::<(), Error>(())
    })?;
    Ok(ValueBytes {
        values,
        largest,
        cells,
    })
}
