//! Sorts unordered sparse cells into the order of the array. Duplicates are an error or are
//! removed.

use crate::memory::tuning::{EXTRA_ORDER_BYTES, KEY_TASK_CELLS};
use crate::platform::{self, lock::Mutex};

use super::bounds::{first_outside, outside_error};
use super::check::InputColumn;
use super::cut::CellSequence;
use super::duplicates::DuplicateCheck;
use super::order_in_parts::{OrderMemory, PartSorter, sort_bytes};
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
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
    /// The memory budget in bytes.
    pub budget_bytes: u64,
    /// Return the memory of a large sort to the system.
    pub trims_heap: bool,
}

impl CellChecks {
    /// Returns the checks that a configuration enables.
    pub fn from_config(config: &Config) -> Result<Self> {
        Ok(Self {
            bounds: config.flag("sm.check_coord_oob")?,
            duplicates: config.flag("sm.check_coord_dups")?,
            order: config.flag("sm.check_global_order")?,
            drop_duplicates: config.flag("sm.dedup_coords")?,
            budget_bytes: config.memory_budget()?.limit_bytes(),
            trims_heap: config.flag("sm.mem.malloc_trim").unwrap_or_default(),
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

/// Returns whether the memory for sorting cells exceeds a budget.
fn exceeds_budget(cell_num: usize, order: &CellOrder, budget_bytes: u64) -> bool {
    sort_bytes(cell_num as u64, order) > budget_bytes.saturating_add(EXTRA_ORDER_BYTES)
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
    let order = CellOrder::global(schema, bounds)?;
    let rejects = checks.rejects_duplicates(schema);
    let duplicates = DuplicateCheck::new(columns, rejects, checks.drop_duplicates);
    if exceeds_budget(cell_num, &order, checks.budget_bytes) {
        let memory = OrderMemory {
            budget_bytes: checks.budget_bytes,
            has_var: schema.attributes.iter().any(|attribute| attribute.is_var()),
        };
        let parts = PartSorter::new(context, &order, columns, duplicates, memory)?;
        let indexes = parts.sort()?;
        if checks.trims_heap {
            // The allocator would keep the memory of a part while the tiles are written.
            platform::trim_heap();
        }
        return Ok(CellSequence {
            cell_num: indexes.len(),
            order: Some(indexes),
            is_large: true,
        });
    }
    let coordinates: Vec<_> = columns.iter().map(InputColumn::coordinates).collect();
    let keys = keys_of(context, &order, &coordinates, cell_num)?;
    let cells = KeyedCells {
        keys: &keys,
        columns: &coordinates,
    };
    let sorted = order.sort(context, cells)?;
    let mut sequence = CellSequence {
        order: sorted.order,
        cell_num,
        is_large: false,
    };
    if sorted.ties && (duplicates.is_enabled()) {
        let mut indexes = match sequence.order.take() {
            Some(order) => order,
            None => (0..cell_num as u32).collect(),
        };
        duplicates.apply(&order, cells, &mut indexes, |cell| cell as usize)?;
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
