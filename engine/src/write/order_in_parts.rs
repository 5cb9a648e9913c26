//! Sorts the cells of a write whose keys do not fit into the memory budget.
//!
//! Only the permutation is kept: 4 bytes per cell. Cells are distributed to buckets by the bits of
//! their keys, which are computed block by block and again for each pass. Buckets that fit into the
//! memory together are sorted with all their keys. A larger bucket is distributed again.

use super::check::InputColumn;
use super::cut::pick;
use super::order_check::DuplicateRule;
use crate::context::Context;
use crate::error::{BudgetError, BudgetPurpose, Component, Error, GeometryError, Result, try_vec};
use crate::geometry::{CellOrder, KeyedCells, Keys};
use crate::memory::PARAMETER;
use crate::memory::tuning::{EXTRA_ORDER_BYTES, KEY_TASK_CELLS, ORDER_PART_BYTES};
use crate::tile::Cells;

/// The number of buckets per pass.
const BUCKETS: usize = 1 << BUCKET_BITS;
const BUCKET_BITS: u32 = 12;
/// The memory of a cell in addition to the cells that are sorted together: its index in the
/// permutation and the number of its bucket.
const CELL_BYTES: u64 = 4 + 2;
/// The memory of a cell when a column of variable-length cells is written: its index and its
/// offset.
const VAR_CELL_BYTES: u64 = 4 + 8;

/// Returns the memory in bytes of sorting cells: their keys, two numbers for each, and their index.
pub(super) fn sort_bytes(cell_num: u64, order: &CellOrder) -> u64 {
    let words = order.word_num() as u64 + 2;
    cell_num.saturating_mul(8 * words + 4)
}

/// Sorts cells with a bounded number of keys in memory.
pub(super) struct PartSorter<'a> {
    context: &'a Context,
    order: &'a CellOrder,
    columns: &'a [InputColumn<'a>],
    duplicates: DuplicateRule,
    /// The number of cells that are sorted together.
    part_cells: usize,
}

/// The bits of a key by which cells are distributed.
struct BucketBits {
    word: usize,
    min: u64,
    shift: u32,
}

impl BucketBits {
    /// Returns the bucket of a cell by its key word `word`.
    fn bucket(&self, word: u64) -> usize {
        (word.saturating_sub(self.min) >> self.shift) as usize % BUCKETS
    }
}

impl<'a> PartSorter<'a> {
    /// Creates a sorter of the cells of `columns`, the dimensions. `has_var` is whether a field has
    /// cells of variable length, whose offsets are in memory with the order.
    ///
    /// # Errors
    /// Returns an error if what is needed for each cell and the smallest part exceed the budget.
    pub(super) fn new(
        context: &'a Context,
        order: &'a CellOrder,
        columns: &'a [InputColumn<'a>],
        duplicates: DuplicateRule,
        budget_bytes: u64,
        has_var: bool,
    ) -> Result<Self> {
        let cell_num = columns.first().map_or(0, |column| column.cell_num);
        if u32::try_from(cell_num).is_err() {
            return Err(GeometryError::TooManyCells { number: cell_num }.into());
        }
        let coordinate_bytes: u64 = columns.iter().map(InputColumn::average_cell_bytes).sum();
        // The sort of a part, its coordinates, and the copy of its indexes.
        let part_cell_bytes = sort_bytes(1, order) + coordinate_bytes + 4;
        let fixed = CELL_BYTES * cell_num as u64;
        let sorting = fixed + part_cell_bytes * KEY_TASK_CELLS as u64;
        let smallest = if has_var {
            sorting.max(VAR_CELL_BYTES * cell_num as u64)
        } else {
            sorting
        };
        let limit = budget_bytes.saturating_add(EXTRA_ORDER_BYTES);
        if smallest > limit {
            return Err(Error::from(BudgetError {
                component: Component::Writer,
                purpose: BudgetPurpose::Other("the order of the cells of a submit"),
                need: smallest,
                available: limit,
                budget: budget_bytes,
                parameter: PARAMETER,
            }));
        }
        let part_cells = (limit - fixed).min(ORDER_PART_BYTES) / part_cell_bytes;
        Ok(Self {
            context,
            order,
            columns,
            duplicates,
            part_cells: usize::try_from(part_cells).unwrap_or(usize::MAX),
        })
    }

    /// Returns the indexes of all cells in order, without the duplicates to remove.
    pub(super) fn sort(&self) -> Result<Vec<u32>> {
        let cell_num = self.columns.first().map_or(0, |column| column.cell_num);
        let mut indexes: Vec<u32> = try_vec("cell order", cell_num)?;
        indexes
            .iter_mut()
            .zip(0..)
            .for_each(|(to, cell)| *to = cell);
        let kept = self.sort_indexes(&mut indexes)?;
        indexes.truncate(kept);
        Ok(indexes)
    }

    /// Sorts the cells with these indexes. Returns the number of cells that remain, at the start.
    fn sort_indexes(&self, indexes: &mut [u32]) -> Result<usize> {
        if indexes.len() <= self.part_cells {
            return self.sort_part(indexes);
        }
        let Some(bits) = self.differing_bits(indexes)? else {
            // Cells with equal keys cannot be divided further.
            return self.sort_part(indexes);
        };
        let ends = self.distribute(indexes, &bits)?;
        let (mut kept, mut start) = (0, 0);
        for (bucket, end) in ends.iter().enumerate() {
            let next = ends.get(bucket + 1);
            if next.is_some_and(|next| next - start <= self.part_cells) {
                continue;
            }
            let remaining = self.sort_indexes(&mut indexes[start..*end])?;
            indexes.copy_within(start..start + remaining, kept);
            (kept, start) = (kept + remaining, *end);
        }
        Ok(kept)
    }

    /// Calls `visit` with the position of each block of cells and its keys.
    fn for_each_block(&self, indexes: &[u32], mut visit: impl FnMut(usize, &Keys)) -> Result<()> {
        let (mut columns, mut keys) = (Vec::new(), Keys::default());
        for (block, indexes) in indexes.chunks(KEY_TASK_CELLS).enumerate() {
            self.gather(indexes, &mut columns, &mut keys)?;
            visit(block * KEY_TASK_CELLS, &keys);
        }
        Ok(())
    }

    /// Returns the highest bits in which the keys differ; `None` if all are equal.
    fn differing_bits(&self, indexes: &[u32]) -> Result<Option<BucketBits>> {
        let mut bounds = vec![(u64::MAX, 0); self.order.word_num()];
        self.for_each_block(indexes, |_, keys| {
            for (word, (min, max)) in bounds.iter_mut().enumerate() {
                for value in keys.word(word) {
                    *min = (*min).min(*value);
                    *max = (*max).max(*value);
                }
            }
        })?;
        let differing = bounds
            .into_iter()
            .enumerate()
            .find(|(_, (min, max))| min < max);
        Ok(differing.map(|(word, (min, max))| BucketBits {
            word,
            min,
            shift: (64 - (max - min).leading_zeros()).saturating_sub(BUCKET_BITS),
        }))
    }

    /// Reorders the cells by bucket. Returns the ends of the buckets.
    fn distribute(&self, indexes: &mut [u32], bits: &BucketBits) -> Result<Vec<usize>> {
        let mut buckets: Vec<u16> = try_vec("cell order", indexes.len())?;
        let mut ends = vec![0; BUCKETS];
        self.for_each_block(indexes, |first, keys| {
            let words = keys.word(bits.word).iter();
            for (bucket, word) in buckets[first..].iter_mut().zip(words) {
                *bucket = bits.bucket(*word) as u16;
                ends[usize::from(*bucket)] += 1;
            }
        })?;
        let mut next = Vec::with_capacity(BUCKETS);
        let mut start = 0;
        for end in &mut ends {
            next.push(start);
            start += *end;
            *end = start;
        }
        // Each swap moves one cell to its bucket.
        for bucket in 0..BUCKETS {
            while next[bucket] < ends[bucket] {
                let position = next[bucket];
                let target = usize::from(buckets[position]);
                buckets.swap(position, next[target]);
                indexes.swap(position, next[target]);
                next[target] += 1;
            }
        }
        Ok(ends)
    }

    /// Copies the coordinates of cells to `columns` and computes their keys.
    fn gather(&self, indexes: &[u32], columns: &mut Vec<Cells>, keys: &mut Keys) -> Result<()> {
        columns.resize_with(self.columns.len(), Cells::default);
        for (column, cells) in self.columns.iter().zip(&mut *columns) {
            pick(cells, column, indexes)?;
        }
        let coordinates: Vec<_> = columns.iter().map(Cells::coordinates).collect();
        self.order.make_keys(&coordinates, keys)
    }

    /// Sorts cells with all their keys in memory.
    fn sort_part(&self, indexes: &mut [u32]) -> Result<usize> {
        // Equal cells stay in the order of the buffers.
        indexes.sort_unstable();
        let (mut columns, mut keys) = (Vec::new(), Keys::default());
        self.gather(indexes, &mut columns, &mut keys)?;
        let coordinates: Vec<_> = columns.iter().map(Cells::coordinates).collect();
        let cells = KeyedCells {
            keys: &keys,
            columns: &coordinates,
        };
        let sorted = self.order.sort(self.context, cells)?;
        let ties = sorted.ties;
        let mut local = match sorted.order {
            Some(order) => order,
            None if ties => (0..).take(indexes.len()).collect(),
            None => return Ok(indexes.len()),
        };
        if ties {
            let cell = |local: u32| indexes[local as usize] as usize;
            self.duplicates
                .apply(self.order, cells, &mut local, self.columns, cell)?;
        }
        let ordered: Vec<u32> = local.iter().map(|cell| indexes[*cell as usize]).collect();
        indexes[..ordered.len()].copy_from_slice(&ordered);
        Ok(ordered.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{columns, dimensions};
    use super::*;
    use crate::buffers::{FieldCells, OffsetsForm};
    use crate::config::Config;
    use crate::geometry::Bounds;
    use crate::schema::{ArraySchema, Dimension, DomainDraft, SchemaDraft, shared};
    use crate::types::{ArrayType, Datatype};

    /// Returns a schema with a dimension of numbers and one of strings.
    fn schema() -> ArraySchema {
        let domain = [0i64, i64::MAX - 1000].map(i64::to_le_bytes).concat();
        let extent = 1000i64.to_le_bytes();
        let number = Dimension::new("d", Datatype::Int64, Some(&domain), Some(&extent));
        let text = Dimension::new("t", Datatype::StringAscii, None, None);
        let dimensions = [number, text].map(|dimension| shared(dimension.expect("dimension")));
        let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
        let dimensions = dimensions.into_iter().collect();
        let domain = shared(DomainDraft { dimensions });
        draft.set_domain(&domain).expect("domain");
        let attribute = crate::schema::Attribute::new("a", Datatype::Int32);
        draft.add_attribute(&shared(attribute)).expect("attribute");
        draft.finish().expect("schema")
    }

    /// Sorts cells with `spread` different numbers in parts. Compares with a sort by comparison.
    fn check(cell_num: u64, spread: u64, rule: DuplicateRule, part_cells: usize) {
        let cell = |index: u64| {
            let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            (
                mixed % spread * (i64::MAX as u64 / spread / 2),
                format!("{:02}", mixed % 7),
            )
        };
        let cells: Vec<_> = (0..cell_num).map(cell).collect();
        let numbers: Vec<u8> = cells.iter().flat_map(|cell| cell.0.to_le_bytes()).collect();
        let texts: Vec<u8> = cells.iter().flat_map(|cell| cell.1.bytes()).collect();
        let offsets: Vec<u8> = (0..cell_num)
            .flat_map(|index| (2 * index).to_le_bytes())
            .collect();
        let buffers = [
            FieldCells::fixed("d", &numbers),
            FieldCells {
                offsets: Some(&offsets),
                ..FieldCells::fixed("t", &texts)
            },
        ];
        let schema = schema();
        let form = OffsetsForm::from_config(&Config::new(), Component::Writer).expect("form");
        let columns = columns(dimensions(&schema), &buffers, form).expect("columns");
        let context = Context::new(Config::new()).expect("context");
        let order = CellOrder::global(&schema, Bounds::Domain).expect("order");
        let sorter = PartSorter {
            context: &context,
            order: &order,
            columns: &columns,
            duplicates: rule,
            part_cells,
        };
        let mut expected: Vec<u32> = (0..cell_num as u32).collect();
        expected.sort_by_key(|index| &cells[*index as usize]);
        if rule == DuplicateRule::Drop {
            expected.dedup_by_key(|index| &cells[*index as usize]);
        }
        assert_eq!(sorter.sort().expect("sorted"), expected);
    }

    #[test]
    fn parts_of_any_size_are_sorted_alike() {
        for (spread, rule) in [
            (1 << 40, DuplicateRule::Keep),
            (1000, DuplicateRule::Keep),
            (1000, DuplicateRule::Drop),
            (3, DuplicateRule::Drop),
            (1, DuplicateRule::Keep),
        ] {
            for part_cells in [1, 50, 4000, 1 << 20] {
                check(10_000, spread, rule, part_cells);
            }
        }
        // More than one block of keys.
        check(150_000, 5000, DuplicateRule::Drop, 20_000);
    }

    #[test]
    fn cells_that_exceed_the_budget_are_an_error_with_the_parameter() {
        let numbers = vec![0; 8 << 21];
        let offsets = vec![0; 8 << 21];
        let buffers = [
            FieldCells::fixed("d", &numbers),
            FieldCells {
                offsets: Some(&offsets),
                ..FieldCells::fixed("t", &[])
            },
        ];
        let schema = schema();
        let form = OffsetsForm::from_config(&Config::new(), Component::Writer).expect("form");
        let columns = columns(dimensions(&schema), &buffers, form).expect("columns");
        let context = Context::new(Config::new()).expect("context");
        let order = CellOrder::global(&schema, Bounds::Domain).expect("order");
        let duplicates = DuplicateRule::Keep;
        let sorter = |budget_bytes| {
            PartSorter::new(&context, &order, &columns, duplicates, budget_bytes, false).map(drop)
        };
        sorter(32 << 20).expect("enough memory");
        let text = sorter(1 << 20).expect_err("too little memory").to_string();
        for part in ["16252928 bytes", "1048576 bytes", "sm.mem.total_budget"] {
            assert!(text.contains(part), "{text}");
        }
    }
}
