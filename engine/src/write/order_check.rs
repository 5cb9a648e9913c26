//! Cells of a write with equal coordinates, and the check that sparse cells are in global order.

use super::bounds::cell_text;
use super::check::InputColumn;
use crate::context::Context;
use crate::error::{Error, Result, WriteError};
use crate::geometry::{CellCopy, CellOrder, KeyedCells, OrderViolations};
use crate::memory::tuning::ORDER_CHECK_TASK_CELLS;
use crate::platform::lock::Mutex;
use crate::schema::ArraySchema;

/// Returns the error for a cell with the coordinates of another.
pub(super) fn duplicate(columns: &[InputColumn<'_>], cell: usize) -> Error {
    Error::from(WriteError::Duplicate {
        cell: cell_text(columns, cell),
    })
}

/// The treatment of cells with equal coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DuplicateRule {
    /// All of them are written.
    Keep,
    /// They are an error.
    Reject,
    /// Only the first one is written.
    Drop,
}

impl DuplicateRule {
    /// Checks the sorted cells `indexes` or removes duplicates. `columns` are the dimensions in the
    /// buffers, and `cell` returns the number of a cell there.
    pub(super) fn apply(
        self,
        order: &CellOrder,
        cells: KeyedCells<'_>,
        indexes: &mut Vec<u32>,
        columns: &[InputColumn<'_>],
        cell: impl Fn(u32) -> usize,
    ) -> Result<()> {
        let are_equal = |a: u32, b: u32| order.same_cell(cells, a as usize, cells, b as usize);
        match self {
            Self::Keep => Ok(()),
            Self::Drop => {
                indexes.dedup_by(|later, earlier| are_equal(*later, *earlier));
                Ok(())
            }
            Self::Reject => match indexes.windows(2).find(|pair| are_equal(pair[0], pair[1])) {
                Some(pair) => Err(duplicate(columns, cell(pair[1]))),
                None => Ok(()),
            },
        }
    }
}

/// Copies a cell of columns of coordinates.
pub(super) fn copy_cell(columns: &[InputColumn<'_>], cell: usize) -> CellCopy {
    CellCopy::new(columns.iter().map(|column| {
        let size = column.field.cells.cell_size();
        let bytes = column.coordinates().get(cell, size).to_vec();
        (bytes, column.field.cells.is_var())
    }))
}

/// Returns the cell with these coordinates, by dimension.
pub(super) fn resumed_cell(schema: &ArraySchema, values: Vec<Vec<u8>>) -> Result<CellCopy> {
    let dimensions = &schema.domain.dimensions;
    let fits = values.len() == dimensions.len()
        && values.iter().zip(dimensions).all(|(value, dimension)| {
            dimension.is_var() || value.len() == dimension.datatype.size()
        });
    if !fits {
        return Err(WriteError::NoLastCell.into());
    }
    Ok(CellCopy::new(
        values
            .into_iter()
            .zip(dimensions)
            .map(|(value, dimension)| (value, dimension.is_var())),
    ))
}

/// Returns the violations among cells that follow `last`, or the first cells for `None`.
pub(super) fn order_violations(
    context: &Context,
    order: &CellOrder,
    columns: &[InputColumn<'_>],
    last: Option<&CellCopy>,
) -> Result<OrderViolations> {
    let coordinates: Vec<_> = columns.iter().map(InputColumn::coordinates).collect();
    let sizes: Vec<_> = columns
        .iter()
        .map(|column| column.field.cells.cell_size())
        .collect();
    let cell_num = columns.first().map_or(0, |column| column.cell_num);
    let mut all = OrderViolations::default();
    if let (Some(last), true) = (last, cell_num > 0) {
        all.find_after(order, last, &coordinates)?;
    }
    let chunks: Vec<Mutex<OrderViolations>> = (0..cell_num.div_ceil(ORDER_CHECK_TASK_CELLS))
        .map(|_| Mutex::default())
        .collect();
    context.for_each(chunks.len(), |index| {
        let start = (index * ORDER_CHECK_TASK_CELLS).saturating_sub(1);
        let end = ((index + 1) * ORDER_CHECK_TASK_CELLS).min(cell_num);
        let part: Vec<_> = coordinates
            .iter()
            .zip(&sizes)
            .map(|(column, size)| column.skip(start, *size))
            .collect();
        let mut found = chunks[index].lock();
        found.find(order, &part, start, end - start)
    })?;
    for found in chunks.into_iter().map(Mutex::into_inner) {
        all.duplicates.extend(found.duplicates);
        all.order = all.order.or(found.order);
    }
    Ok(all)
}

/// Returns the error for a cell that sorts before the previous one, which is `last` for the first
/// cell.
pub(super) fn order_error(
    order: &CellOrder,
    columns: &[InputColumn<'_>],
    last: Option<&CellCopy>,
    cell: usize,
) -> Error {
    let coordinates: Vec<_> = columns.iter().map(InputColumn::coordinates).collect();
    let last = last.map(CellCopy::columns).unwrap_or_default();
    let tiles = match cell {
        0 => order.compare_tiles(&last, 0, &coordinates, 0),
        _ => order.compare_tiles(&coordinates, cell - 1, &coordinates, cell),
    };
    let (hilbert, tiles) = (order.is_hilbert(), tiles.is_gt());
    let text = |cell| cell_text(columns, cell);
    let cause = match cell {
        0 => WriteError::NotAfterLast {
            cell: text(0),
            hilbert,
            tiles,
        },
        _ => WriteError::NotAfter {
            before: text(cell - 1),
            cell: text(cell),
            hilbert,
            tiles,
        },
    };
    cause.into()
}
