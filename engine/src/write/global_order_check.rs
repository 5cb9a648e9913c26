//! Checks that sparse cells are in global order, and finds duplicates.

use crate::memory::tuning::ORDER_CHECK_TASK_CELLS;
use crate::platform::lock::Mutex;

use super::bounds::cell_text;
use super::check::InputColumn;
use crate::context::Context;
use crate::error::{Error, Result, WriteError};
use crate::geometry::{CellOrder, Coordinates, KeyedCells, Keys};
use crate::schema::ArraySchema;

/// A copy of the coordinates of the last cell of a submit.
#[derive(Debug)]
pub(super) struct LastCell(Vec<(Vec<u8>, Option<[u64; 2]>)>);

impl LastCell {
    /// Copies a cell of columns of coordinates.
    pub(super) fn of(columns: &[InputColumn<'_>], cell: usize) -> Self {
        let coordinates = columns.iter().map(|column| {
            let size = column.field.cell_size();
            let bytes = column.coordinates().get(cell, size).to_vec();
            let ends = column.field.is_var().then_some([0, bytes.len() as u64]);
            (bytes, ends)
        });
        Self(coordinates.collect())
    }

    /// Returns the coordinates, by dimension.
    pub(super) fn values(&self) -> Vec<Vec<u8>> {
        self.0.iter().map(|(bytes, _)| bytes.clone()).collect()
    }

    /// Returns the cell with these coordinates.
    pub(super) fn resumed(schema: &ArraySchema, values: Vec<Vec<u8>>) -> Result<Self> {
        let dimensions = &schema.domain.dimensions;
        let fits = values.len() == dimensions.len()
            && values.iter().zip(dimensions).all(|(value, dimension)| {
                dimension.is_var() || value.len() == dimension.datatype.size()
            });
        if !fits {
            return Err(WriteError::NoLastCell.into());
        }
        let cell = values
            .into_iter()
            .zip(dimensions)
            .map(|(value, dimension)| {
                let ends = dimension.is_var().then_some([0, value.len() as u64]);
                (value, ends)
            });
        Ok(Self(cell.collect()))
    }

    fn columns(&self) -> Vec<Coordinates<'_>> {
        let coordinates = self.0.iter().map(|(bytes, ends)| Coordinates {
            data: bytes,
            starts: ends.as_ref().map(|ends| &ends[..]),
        });
        coordinates.collect()
    }
}

/// Cells that violate the order, by index.
#[derive(Debug, Default)]
pub(super) struct OrderViolations {
    /// The cells with the same coordinates as the previous cell, in ascending order.
    pub(super) duplicates: Vec<usize>,
    /// The first cell that sorts before the previous cell.
    pub(super) order: Option<usize>,
}

/// Finds the violations among cells that follow `last`.
pub(super) fn faults(
    context: &Context,
    order: &CellOrder,
    columns: &[InputColumn<'_>],
    last: Option<&LastCell>,
) -> Result<OrderViolations> {
    let coordinates: Vec<_> = columns.iter().map(InputColumn::coordinates).collect();
    let sizes: Vec<_> = columns
        .iter()
        .map(|column| column.field.cell_size())
        .collect();
    let cell_num = columns.first().map_or(0, |column| column.cell_num);
    let mut all = OrderViolations::default();
    if let (Some(last), true) = (last, cell_num > 0) {
        seam(order, last, &coordinates, &mut all)?;
    }
    let chunks: Vec<Mutex<OrderViolations>> = (0..cell_num.div_ceil(ORDER_CHECK_TASK_CELLS))
        .map(|_| Mutex::default())
        .collect();
    context.for_each(chunks.len(), |index| {
        let start = (index * ORDER_CHECK_TASK_CELLS).saturating_sub(1);
        let end = ((index + 1) * ORDER_CHECK_TASK_CELLS).min(cell_num);
        let from = coordinates.iter().zip(&sizes);
        let part: Vec<_> = from
            .map(|(column, size)| column.skip(start, *size))
            .collect();
        check_chunk(order, &part, start, end - start, &mut chunks[index].lock())
    })?;
    for found in chunks.into_iter().map(Mutex::into_inner) {
        all.duplicates.extend(found.duplicates);
        all.order = all.order.or(found.order);
    }
    Ok(all)
}

/// Compare the last cell of the previous submit with the first cell of this one.
fn seam(
    order: &CellOrder,
    last: &LastCell,
    coordinates: &[Coordinates<'_>],
    faults: &mut OrderViolations,
) -> Result<()> {
    let last_columns = last.columns();
    let (mut last_keys, mut keys) = (Keys::default(), Keys::default());
    order.make_keys(&last_columns, &mut last_keys)?;
    keys.reset(order.word_num(), 1)?;
    order.fill(coordinates, 0, &mut keys.words_mut().collect::<Vec<_>>());
    let last = KeyedCells {
        keys: &last_keys,
        columns: &last_columns,
    };
    let first = KeyedCells {
        keys: &keys,
        columns: coordinates,
    };
    let previous = ListedCell {
        cells: last,
        index: 0,
    };
    let current = ListedCell {
        cells: first,
        index: 0,
    };
    compare(order, previous, current, 0, faults);
    Ok(())
}

fn check_chunk(
    order: &CellOrder,
    columns: &[Coordinates<'_>],
    start: usize,
    len: usize,
    faults: &mut OrderViolations,
) -> Result<()> {
    let mut keys = Keys::default();
    keys.reset(order.word_num(), len)?;
    order.fill(columns, 0, &mut keys.words_mut().collect::<Vec<_>>());
    let words = keys.word(0);
    let ascends = |all, (earlier, later): (&u64, &u64)| all & (earlier < later);
    if words.iter().zip(&words[1..]).fold(true, ascends) {
        return Ok(());
    }
    let cells = KeyedCells {
        keys: &keys,
        columns,
    };
    for cell in 1..len {
        let previous = ListedCell {
            cells,
            index: cell - 1,
        };
        let current = ListedCell { cells, index: cell };
        compare(order, previous, current, start + cell, faults);
    }
    Ok(())
}

/// A cell of a list.
#[derive(Clone, Copy)]
struct ListedCell<'a> {
    cells: KeyedCells<'a>,
    index: usize,
}

/// Compares a cell with the previous one. `index` is the index of the second cell in the write.
fn compare(
    order: &CellOrder,
    previous: ListedCell<'_>,
    current: ListedCell<'_>,
    index: usize,
    faults: &mut OrderViolations,
) {
    let (a, i) = (previous.cells, previous.index);
    let (b, j) = (current.cells, current.index);
    let found = order.compare(a, i, b, j);
    if found.is_eq() && order.same_cell(a, i, b, j) {
        faults.duplicates.push(index);
    }
    // Cells with the same Hilbert value may be in any order.
    let same_hilbert_value = || order.same_hilbert_value(a.keys, i, b.keys, j);
    if found.is_gt() && faults.order.is_none() && !same_hilbert_value() {
        faults.order = Some(index);
    }
}

/// Returns the error for a cell that sorts before the previous one, which is `last` for the first
/// cell.
pub(super) fn order_error(
    order: &CellOrder,
    columns: &[InputColumn<'_>],
    last: Option<&LastCell>,
    cell: usize,
) -> Error {
    let coordinates: Vec<_> = columns.iter().map(InputColumn::coordinates).collect();
    let last = last.map(LastCell::columns).unwrap_or_default();
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
