//! The data of pictures of the tiles that a read excludes and reads.

use tiledb_engine::{Array, Datatype, TileUse};

use super::rectangles::{Collector, check_number, name};
use super::{Category, Drawing, category};
use crate::args::{Cells, PictureOptions, Time};
use crate::problem::Result;
use crate::selection::query;

/// The categories, in the order in which they are drawn.
const CATEGORIES: [Category; 5] = [
    category("outside of the ranges", [214, 214, 214], '·'),
    category("hidden by newer tiles", [148, 148, 160], '-'),
    category("excluded by statistics", [65, 105, 190], '░'),
    category("read without results", [235, 140, 30], '▒'),
    category("read", [30, 150, 80], '█'),
];

/// Returns the index of the category of a tile.
fn index(tile: TileUse) -> usize {
    match tile {
        TileUse::Outside => 0,
        TileUse::Hidden => 1,
        TileUse::Excluded => 2,
        TileUse::WithoutResults => 3,
        TileUse::Read => 4,
    }
}

/// Returns the rectangles of all tiles, colored by what a read of cells does with them. The cells
/// of a sparse array are read, which shows tiles without results.
pub(super) fn tiles(array: &Array, options: &PictureOptions) -> Result<Drawing> {
    let schema = array.schema()?;
    let mut collector = Collector::new(&schema, &options.axes)?;
    let found = array.fragments()?;
    check_number(&found)?;
    // One field suffices, because tiles are selected by coordinates and by the condition.
    let attribute = schema
        .attributes()
        .first()
        .map(|attribute| attribute.name.clone());
    let dimension = schema
        .dimensions()
        .first()
        .map(|dimension| dimension.name.clone());
    let column = if schema.is_dense() {
        attribute
    } else {
        dimension
    };
    let cells = Cells {
        columns: column.into_iter().collect(),
        range: options.range.clone(),
        condition: options.condition.clone(),
        time: Time {
            at: options.time.at,
        },
    };
    let mut batches = query(array, &cells)?.batches()?;
    if !schema.is_dense() {
        batches.by_ref().try_for_each(|batch| batch.map(drop))?;
    }
    for (row, (fragment, uses)) in found.iter().zip(batches.tile_uses()?).enumerate() {
        for (bounds, tile) in fragment.tile_bounds()?.iter().zip(uses) {
            collector.add(bounds, row, index(tile) as f64);
        }
    }
    // Excluded tiles are seen if they are smaller than those that are read.
    collector.sort_by_size();
    let title = format!("Tiles of {}", name(array));
    let legend = ("tiles of the read".to_owned(), Datatype::Int64);
    let mut drawing = collector.drawing(title, legend, found.len())?;
    drawing.categories = &CATEGORIES;
    Ok(drawing)
}
