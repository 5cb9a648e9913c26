//! Sorts unordered sparse cells into the order of the array. Duplicates are an error or are
//! removed.

use super::bounds::{first_outside, outside_error};
use super::check::InputColumn;
use super::cut::CellSequence;
use super::order_check::DuplicateRule;
use super::order_in_parts::{PartSorter, sort_bytes};
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::geometry::{Bounds, CellOrder, Coordinates, KeyedCells, Keys};
use crate::memory::tuning::{EXTRA_ORDER_BYTES, KEY_TASK_CELLS};
use crate::platform::{self, lock::Mutex};
use crate::schema::ArraySchema;

/// The checks of the cells of a sparse write, and the limit of its memory.
#[derive(Clone, Copy, Debug)]
pub struct SparseWriteOptions {
    /// Whether cells outside of the domain are an error.
    pub checks_bounds: bool,
    /// Whether two cells with equal coordinates are an error.
    pub checks_duplicates: bool,
    /// Whether cells of a write in global order that are not in that order are an error.
    pub checks_order: bool,
    /// Whether duplicates are removed instead of being an error.
    pub drops_duplicates: bool,
    /// The memory budget in bytes.
    pub budget_bytes: u64,
    /// Whether the memory of a large sort is returned to the system.
    pub trims_heap: bool,
}

impl SparseWriteOptions {
    /// Returns the options of a configuration.
    pub fn from_config(config: &Config) -> Result<Self> {
        Ok(Self {
            checks_bounds: config.flag("sm.check_coord_oob")?,
            checks_duplicates: config.flag("sm.check_coord_dups")?,
            checks_order: config.flag("sm.check_global_order")?,
            drops_duplicates: config.flag("sm.dedup_coords")?,
            budget_bytes: config.memory_budget()?.limit_bytes(),
            trims_heap: config.flag("sm.mem.malloc_trim").unwrap_or_default(),
        })
    }

    /// Returns the treatment of cells with equal coordinates.
    pub(super) fn duplicate_rule(&self, schema: &ArraySchema) -> DuplicateRule {
        if self.drops_duplicates {
            DuplicateRule::Drop
        } else if self.checks_duplicates && !schema.allows_dups {
            DuplicateRule::Reject
        } else {
            DuplicateRule::Keep
        }
    }

    /// Returns whether all cells are inside the domain. If the check is enabled, a cell outside is
    /// an error.
    pub(super) fn check_bounds(
        &self,
        schema: &ArraySchema,
        columns: &[InputColumn<'_>],
    ) -> Result<bool> {
        match first_outside(schema, columns) {
            Some((cell, dim)) if self.checks_bounds => Err(outside_error(
                &schema.domain.dimensions[dim],
                &columns[dim],
                cell,
            )),
            outside => Ok(outside.is_none()),
        }
    }
}

/// Returns the number of cells of a tile.
pub(super) fn capacity_of(schema: &ArraySchema) -> usize {
    // Schemas of sparse arrays with a capacity of 0 are rejected; this only keeps divisions from
    // panicking.
    usize::try_from(schema.capacity.max(1)).unwrap_or(usize::MAX)
}

/// Returns the order in which cells are written. `columns` are the dimensions, of equal length.
pub(super) fn sequence(
    context: &Context,
    schema: &ArraySchema,
    columns: &[InputColumn<'_>],
    options: SparseWriteOptions,
) -> Result<CellSequence> {
    let cell_num = columns.first().map_or(0, |column| column.cell_num);
    let bounds = if options.check_bounds(schema, columns)? {
        Bounds::Domain
    } else {
        Bounds::Datatype
    };
    let order = CellOrder::global(schema, bounds)?;
    let duplicates = options.duplicate_rule(schema);
    let capacity = capacity_of(schema);
    let limit = options.budget_bytes.saturating_add(EXTRA_ORDER_BYTES);
    if sort_bytes(cell_num as u64, &order) > limit {
        let has_var = schema.attributes.iter().any(|attribute| attribute.is_var());
        let budget = options.budget_bytes;
        let parts = PartSorter::new(context, &order, columns, duplicates, budget, has_var)?;
        let indexes = parts.sort()?;
        if options.trims_heap {
            // The allocator would keep the memory of a part while the tiles are written.
            platform::trim_heap();
        }
        return Ok(CellSequence {
            cell_num: indexes.len(),
            order: Some(indexes),
            capacity,
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
        capacity,
        is_large: false,
    };
    if sorted.ties && duplicates != DuplicateRule::Keep {
        let mut indexes = match sequence.order.take() {
            Some(order) => order,
            None => (0..cell_num as u32).collect(),
        };
        duplicates.apply(&order, cells, &mut indexes, columns, |cell| cell as usize)?;
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
