//! Divides a box of tiles into smaller boxes. The tiles of each box are consecutive in tile order,
//! and a dense fragment must be a box.

use crate::error::{Result, WriteError};
use crate::geometry::{CellBox, TileGrid};

/// Divides the cells of a box into boxes of consecutive tiles with at most `most` bytes each.
/// `sizes` are the sizes of the tiles in their order. Returns an error if a tile is larger.
pub(super) fn divide(
    grid: &TileGrid,
    cells: &CellBox,
    sizes: &[u64],
    most: u64,
) -> Result<Vec<CellBox>> {
    let tiles = grid.tiles(cells);
    let order = grid.tile_order.slowest_first(tiles.dim_num());
    let mut ends = Vec::with_capacity(sizes.len() + 1);
    ends.push(0u64);
    for size in sizes {
        if *size > most {
            return Err(WriteError::FragmentTooSmall { size: *size, most }.into());
        }
        ends.push(ends.last().unwrap_or(&0).saturating_add(*size));
    }
    let mut boxes = Vec::new();
    let mut start = 0;
    while start < sizes.len() {
        let part = largest_box(&tiles, &order, start, |number| {
            let end = ends.get(start + number);
            end.is_some_and(|end| end - ends[start] <= most)
        });
        start += part.cell_num() as usize;
        boxes.extend(grid.cells(&part).intersection(cells));
    }
    Ok(boxes)
}

/// Returns the largest box of consecutive tiles that begins with the tile `start` and whose number
/// of tiles `fits`.
fn largest_box(
    tiles: &CellBox,
    order: &[usize],
    start: usize,
    fits: impl Fn(usize) -> bool,
) -> CellBox {
    let first_tile = tile_at(tiles, order, start);
    let mut part = CellBox {
        low: first_tile.clone(),
        high: first_tile,
    };
    // Starts with the fastest dimension: a row that fits completely may be followed by others.
    let mut row = 1;
    for dim in order.iter().rev() {
        let left = tiles.high[*dim] - part.low[*dim] + 1;
        let fitting = (1..=left).take_while(|rows| fits(row * *rows as usize));
        let rows = fitting.count() as u64;
        if rows == 0 {
            break;
        }
        part.high[*dim] = part.low[*dim] + rows - 1;
        row *= rows as usize;
        if rows < tiles.len(*dim) {
            break;
        }
    }
    part
}

/// Returns the position of a tile in a box by its index.
fn tile_at(tiles: &CellBox, order: &[usize], number: usize) -> Vec<u64> {
    let mut position = tiles.low.clone();
    let mut rest = number as u64;
    for dim in order.iter().rev() {
        let len = tiles.len(*dim);
        position[*dim] += rest % len;
        rest /= len;
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
    use crate::types::{ArrayType, Datatype, Layout};
    use proptest::prelude::*;

    /// Returns the grid over dimensions that start at 0, with these lengths and extents.
    fn grid(axes: &[(i32, i32)], column_major: bool) -> TileGrid {
        let mut domain = DomainDraft::default();
        for (dim, (len, extent)) in axes.iter().enumerate() {
            let ends = [0, len - 1].map(i32::to_le_bytes).concat();
            let extent = extent.to_le_bytes();
            let name = format!("d{dim}");
            let dimension = Dimension::new(&name, Datatype::Int32, Some(&ends), Some(&extent));
            domain
                .dimensions
                .push(shared(dimension.expect("dimension")));
        }
        let mut draft = SchemaDraft::new(ArrayType::Dense, None);
        draft.set_domain(&shared(domain)).expect("domain");
        if column_major {
            draft.set_tile_order(Layout::ColMajor).expect("order");
        }
        let attribute = Attribute::new("a", Datatype::Int32);
        draft.add_attribute(&shared(attribute)).expect("attribute");
        TileGrid::new(&draft.finish().expect("schema")).expect("grid")
    }

    fn cells(low: &[u64], high: &[u64]) -> CellBox {
        CellBox {
            low: low.to_vec(),
            high: high.to_vec(),
        }
    }

    #[test]
    fn rows_that_fit_are_taken_together_and_others_are_cut() {
        let grid = grid(&[(16, 4), (16, 4)], false);
        let whole = grid.domain();
        let sizes = [84; 16];
        let boxes = |most| divide(&grid, &whole, &sizes, most).expect("boxes");
        assert_eq!(boxes(10_000), std::slice::from_ref(&whole));
        assert_eq!(
            boxes(700),
            [cells(&[0, 0], &[7, 15]), cells(&[8, 0], &[15, 15])]
        );
        assert_eq!(boxes(320).len(), 8);
        assert_eq!(
            boxes(320)[..2],
            [cells(&[0, 0], &[3, 11]), cells(&[0, 12], &[3, 15])]
        );
        let error = divide(&grid, &whole, &sizes, 83).expect_err("too small");
        assert!(
            error.to_string().contains("exceeds the fragment size"),
            "{error}"
        );
    }

    #[test]
    fn a_box_that_ends_in_tiles_is_divided_between_them() {
        let grid = grid(&[(16, 4)], false);
        let boxes = divide(&grid, &cells(&[1], &[8]), &[36; 3], 50).expect("boxes");
        let expected = [(1, 3), (4, 7), (8, 8)].map(|(low, high)| cells(&[low], &[high]));
        assert_eq!(boxes, expected);
    }

    proptest! {
        #[test]
        fn parts_follow_one_another_and_are_small_enough(
            axes in proptest::collection::vec((1i32..12, 1i32..5), 1..4),
            column_major: bool,
            most in 9u64..60,
            seed: u64,
        ) {
            let axes: Vec<_> = axes.iter().map(|(len, extent)| (*len, *extent.min(len))).collect();
            let grid = grid(&axes, column_major);
            let whole = grid.domain();
            let tiles = grid.tiles(&whole);
            let number = tiles.cell_num();
            let sizes: Vec<u64> = (0..number).map(|index| 1 + (seed.rotate_left(index as u32 % 64) ^ index) % 9).collect();
            let boxes = divide(&grid, &whole, &sizes, most).expect("boxes");
            let mut next = 0;
            for part in &boxes {
                let inside = grid.tiles(part);
                let mut bytes = 0;
                inside.for_each_cell(grid.tile_order, |tile| {
                    prop_assert_eq!(grid.tile_position(&tiles, tile), next);
                    bytes += sizes[next as usize];
                    next += 1;
                    Ok(())
                })?;
                prop_assert!(bytes <= most);
            }
            prop_assert_eq!(next, number);
            prop_assert_eq!(boxes.iter().map(CellBox::cell_num).sum::<u64>(), whole.cell_num());
        }
    }
}
