//! Sorts unordered sparse cells into the order of the array. Duplicates are an error or are
//! removed.

use crate::memory::tuning::KEY_TASK_CELLS;
use crate::platform::lock::Mutex;

use super::bounds::{cell_text, first_outside, outside_error};
use super::check::InputColumn;
use super::cut::CellSequence;
use crate::config::Config;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::geometry::{Bounds, CellOrder, Coordinates, KeyedCells, Keys};
use crate::schema::ArraySchema;

/// The checks of the cells of a sparse write.
#[derive(Clone, Copy, Debug)]
pub struct CellChecks {
    /// Check that cells are inside the domain.
    pub bounds: bool,
    /// Check that cells are distinct.
    pub duplicates: bool,
    /// Check that the cells of a write in global order are in that order.
    pub order: bool,
    /// Remove duplicates instead of checking for them.
    pub drop_duplicates: bool,
}

impl CellChecks {
    /// Returns the checks that a configuration enables.
    pub fn from_config(config: &Config) -> Result<Self> {
        Ok(Self {
            bounds: config.flag("sm.check_coord_oob")?,
            duplicates: config.flag("sm.check_coord_dups")?,
            order: config.flag("sm.check_global_order")?,
            drop_duplicates: config.flag("sm.dedup_coords")?,
        })
    }

    /// Returns whether duplicates are an error.
    pub(super) fn rejects_duplicates(&self, schema: &ArraySchema) -> bool {
        self.duplicates && !schema.allows_dups && !self.drop_duplicates
    }

    /// Checks that cells are inside the domain if the check is enabled. Returns whether it was.
    pub(super) fn check_bounds(
        &self,
        schema: &ArraySchema,
        columns: &[InputColumn<'_>],
    ) -> Result<bool> {
        match first_outside(schema, columns) {
            Some((cell, dim)) if self.bounds => Err(outside_error(
                &schema.domain.dimensions[dim],
                &columns[dim],
                cell,
            )),
            outside => Ok(outside.is_none()),
        }
    }
}

pub(super) fn duplicate(columns: &[InputColumn<'_>], cell: usize) -> Error {
    Error::usage(
        "[TileDB::Writer] Error",
        format!(
            "Duplicate coordinates {} are not allowed",
            cell_text(columns, cell)
        ),
    )
}

/// Returns the order in which cells are written. `columns` are the dimensions, of equal length.
pub(super) fn sequence(
    context: &Context,
    schema: &ArraySchema,
    columns: &[InputColumn<'_>],
    checks: CellChecks,
) -> Result<CellSequence> {
    let cell_num = columns.first().map_or(0, |column| column.cell_num);
    let bounds = if checks.check_bounds(schema, columns)? {
        Bounds::Domain
    } else {
        Bounds::Datatype
    };
    let coordinates: Vec<_> = columns.iter().map(InputColumn::coordinates).collect();
    let order = CellOrder::global(schema, bounds)?;
    let keys = keys_of(context, &order, &coordinates, cell_num)?;
    let cells = KeyedCells {
        keys: &keys,
        columns: &coordinates,
    };
    let sorted = order.sort(context, cells)?;
    let mut sequence = CellSequence {
        order: sorted.order,
        cell_num,
    };
    if sorted.ties && (checks.rejects_duplicates(schema) || checks.drop_duplicates) {
        let same = |a: u32, b: u32| order.same_cell(cells, a as usize, cells, b as usize);
        let mut indexes = match sequence.order.take() {
            Some(order) => order,
            None => (0..cell_num as u32).collect(),
        };
        if checks.drop_duplicates {
            indexes.dedup_by(|later, earlier| same(*later, *earlier));
        } else if let Some(pair) = indexes.windows(2).find(|pair| same(pair[0], pair[1])) {
            return Err(duplicate(columns, pair[1] as usize));
        }
        sequence.cell_num = indexes.len();
        sequence.order = Some(indexes);
    }
    Ok(sequence)
}

/// Computes the keys of many cells with several threads.
fn keys_of(
    context: &Context,
    order: &CellOrder,
    columns: &[Coordinates<'_>],
    cell_num: usize,
) -> Result<Keys> {
    let mut keys = Keys::default();
    keys.reset(order.word_num(), cell_num)?;
    let mut chunks: Vec<Vec<&mut [u64]>> = Vec::new();
    chunks.resize_with(cell_num.div_ceil(KEY_TASK_CELLS), Vec::new);
    for word in keys.words_mut() {
        for (chunk, part) in chunks.iter_mut().zip(word.chunks_mut(KEY_TASK_CELLS)) {
            chunk.push(part);
        }
    }
    let chunks: Vec<_> = chunks.into_iter().map(Mutex::new).collect();
    context.for_each(chunks.len(), |index| {
        order.fill(columns, index * KEY_TASK_CELLS, &mut chunks[index].lock());
        Ok(())
    })?;
    drop(chunks);
    Ok(keys)
}
