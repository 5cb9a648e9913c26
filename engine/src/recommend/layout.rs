//! The extents of tiles, the capacity, and the order of the cells of a sample.
//!
//! Tiles have the shape of the typical read. Their size minimizes the sum of three ratios: the cost
//! of the typical read and that of a read of all cells, each to the cost of the selected cells
//! alone, and the size of all tiles with their metadata to that of the cells.

use std::cmp::Ordering;
use std::sync::Arc;

use super::costs::Goal;
use super::sample::{Sample, SampleField};
use crate::error::Result;
use crate::schema::{ArraySchema, Dimension, number_text};
use crate::typed;
use crate::types::{Datatype, Layout, Value};

/// The share of the cells that a typical read selects if the caller does not say.
const READ_PART: f64 = 0.01;
/// The number of cells whose decoding takes as long as locating and reading a tile.
const TILE_COST_CELLS: f64 = 2_000.0;
/// The size in bytes of the metadata of a tile for each field: offsets, sizes and statistics, and
/// the headers of its chunks.
const TILE_METADATA_BYTES: f64 = 100.0;
/// The least and the greatest number of cells of a tile, as powers of two.
const TILE_CELL_BITS: (u32, u32) = (10, 20);
/// The most bytes of a field in a tile.
const MAX_TILE_BYTES: f64 = (1 << 20) as f64;

/// The range of a dimension.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// The length of the range.
    len: f64,
    /// The least extent as a part of the range.
    least: f64,
    /// The part that a typical read selects.
    read: f64,
}

/// Sets the extents of a schema, and its capacity if it is sparse. Returns the choice and its
/// figures as texts; `None` if the sample does not have the coordinates of a sparse array.
pub(super) fn set_tiles(
    schema: &mut ArraySchema,
    sample: &Sample<'_>,
    fields: &[SampleField<'_>],
    cells: &[usize],
) -> Result<Option<(String, String)>> {
    let Some(sides) = sides(schema, sample, fields, cells) else {
        return Ok(None);
    };
    let is_dense = schema.is_dense();
    let box_cells: f64 = sides.iter().map(|side| side.len).product();
    let sampled = fields.first().map_or(0, |field| field.cells) as f64;
    let total = match sample.total_cells {
        Some(total) => total as f64,
        None if is_dense => box_cells,
        None => sampled,
    };
    let total = total.max(1.0);
    let (widest, cell_bytes) = field_sizes(schema, fields);
    let field_num = schema.domain.dimensions.len() + schema.attributes.len();
    let tile_cells = tile_cells(&sides, total, (widest, cell_bytes), field_num, sample.goal);
    let parts = tile_sides(&sides, tile_cells / total);
    let mut extents = Vec::new();
    schema.domain.dimensions.update(|dimensions| {
        for ((dimension, side), part) in dimensions.iter_mut().zip(&sides).zip(parts) {
            if let Some(extent) = extent(dimension, *side, part, is_dense) {
                Arc::make_mut(dimension).set_extent(&extent)?;
            }
            extents.push(match &dimension.extent {
                Some(extent) => number_text(dimension.datatype, extent),
                None => "-".to_owned(),
            });
        }
        Result::Ok(())
    })?;
    let mut choice = format!("extents {}", extents.join(" x "));
    if !is_dense {
        schema.capacity = tile_cells as u64;
        choice = format!("capacity {}, {choice}", schema.capacity);
    }
    let (cell_order, tile_order) = (schema.cell_order.name(), schema.tile_order.name());
    choice += &format!(", cell order {cell_order}, tile order {tile_order}");
    let read: Vec<String> = sides
        .iter()
        .map(|side| format!("{:.2}", side.read * 100.0))
        .collect();
    let figures = format!(
        "{total:.0} cells of {cell_bytes:.1} bytes; a typical read has {} % of the range",
        read.join(" x "),
    );
    Ok(Some((choice, figures)))
}

/// Returns the mean size of a cell of the widest field and of all fields, in bytes.
fn field_sizes(draft: &ArraySchema, fields: &[SampleField<'_>]) -> (f64, f64) {
    let sizes = fields.iter().map(|field| {
        let offset = if field.is_var() { 8 * field.cells } else { 0 };
        (field.column.data.len() + offset) as f64 / field.cells.max(1) as f64
    });
    let (mut widest, mut sum) = (1.0f64, 0.0);
    for size in sizes {
        (widest, sum) = (widest.max(size), sum + size);
    }
    // A sample may lack fields.
    (widest, sum.max(draft.attributes.len() as f64))
}

/// Returns the number of cells of a tile.
fn tile_cells(
    sides: &[Side],
    total: f64,
    (widest, cell_bytes): (f64, f64),
    field_num: usize,
    goal: Goal,
) -> f64 {
    let size_weight = match goal {
        Goal::Balanced => 1.0,
        Goal::Size => 8.0,
        Goal::Speed => 0.25,
    };
    let read: f64 = sides.iter().map(|side| side.read).product();
    let cost = |cells: f64| {
        let (mut decoded, mut tiles) = (1.0, 1.0);
        for (side, tile) in sides.iter().zip(tile_sides(sides, cells / total)) {
            decoded *= (side.read + tile).min(1.0);
            tiles *= (side.read / tile + 1.0).min((1.0 / tile).ceil());
        }
        let all_tiles = (total / cells).ceil();
        let selected = (total * read).max(1.0);
        let typical = (total * decoded + tiles * TILE_COST_CELLS) / (selected + TILE_COST_CELLS);
        let all = (total + all_tiles * TILE_COST_CELLS) / (total + TILE_COST_CELLS);
        let metadata = all_tiles * TILE_METADATA_BYTES * field_num as f64;
        typical + all + size_weight * metadata / (total * cell_bytes)
    };
    let (least, greatest) = TILE_CELL_BITS;
    let best = (least..=greatest)
        .map(|bits| f64::from(1u32 << bits))
        .filter(|cells| {
            let is_least = *cells <= f64::from(1u32 << least);
            is_least || (*cells <= total * 2.0 && cells * widest <= MAX_TILE_BYTES)
        })
        .min_by(|one, other| cost(*one).total_cmp(&cost(*other)));
    best.unwrap_or(10_000.0)
}

/// Returns the parts of the ranges that a tile with a part of all cells has: in the proportions of
/// the typical read, if no side is longer than its range.
fn tile_sides(sides: &[Side], volume: f64) -> Vec<f64> {
    let scaled = |scale: f64| -> Vec<f64> {
        sides
            .iter()
            .map(|side| (side.read * scale).clamp(side.least.min(1.0), 1.0))
            .collect()
    };
    let (mut low, mut high) = (-60.0f64, 60.0f64);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        let product: f64 = scaled(middle.exp2()).iter().product();
        if product < volume {
            low = middle;
        } else {
            high = middle;
        }
    }
    scaled(high.exp2())
}

/// Returns the ranges of the dimensions: of dense arrays, their domain, of others the range of the
/// coordinates without the outermost 2 %.
fn sides(
    draft: &ArraySchema,
    sample: &Sample<'_>,
    fields: &[SampleField<'_>],
    cells: &[usize],
) -> Option<Vec<Side>> {
    let dimensions = &draft.domain.dimensions;
    let equal = READ_PART.powf(1.0 / dimensions.len().max(1) as f64);
    let mut sides = Vec::new();
    for (index, dimension) in dimensions.iter().enumerate() {
        let len = if draft.is_dense() {
            let current = draft.current_domain.as_ref();
            let range = current
                .and_then(|ranges| ranges.get(index))
                .or(dimension.domain.as_ref())?;
            typed!(dimension.datatype.physical(), T => {
                let (low, high) = range.values::<T>();
                high.to_f64() - low.to_f64() + 1.0
            })
        } else {
            let field = fields
                .iter()
                .find(|field| field.column.name == dimension.name)?;
            range_of(field, cells)
        };
        let read = sample.read.get(index).copied().unwrap_or(equal);
        let read = if read.is_finite() { read } else { equal };
        let is_real = dimension.datatype.is_real();
        let least = if is_real || dimension.is_var() {
            1e-9
        } else {
            1.0 / len.max(1.0)
        };
        sides.push(Side {
            len,
            least,
            read: read.clamp(least, 1.0),
        });
    }
    Some(sides)
}

/// Returns the length of the range of coordinates, or the number of cells for texts.
fn range_of(field: &SampleField<'_>, cells: &[usize]) -> f64 {
    if field.is_var() {
        return cells.len() as f64;
    }
    typed!(field.datatype.physical(), T => {
        let mut values: Vec<f64> = cells.iter().map(|cell| T::read(field.bytes(*cell)).to_f64()).filter(|value| value.is_finite()).collect();
        values.sort_unstable_by(f64::total_cmp);
        let trimmed = values.len() / 100;
        let low = values.get(trimmed).copied().unwrap_or(0.0);
        let high = values.get((values.len() - trimmed).max(1) - 1).copied().unwrap_or(low);
        let range = (high - low) / 0.98;
        if T::PHYSICAL.is_real() { range.max(f64::MIN_POSITIVE) } else { range + 1.0 }
    })
}

/// Returns the extent of a dimension as bytes of its datatype; `None` if it does not fit the
/// domain, or the dimension has none.
fn extent(dimension: &Dimension, side: Side, part: f64, is_dense: bool) -> Option<Box<[u8]>> {
    dimension.domain.as_ref()?;
    let exact = side.len * part;
    let bytes = match dimension.datatype {
        Datatype::Float32 => (exact as f32).to_le_bytes().to_vec(),
        Datatype::Float64 => exact.to_le_bytes().to_vec(),
        datatype => {
            // Powers of two, but no rest of a tile that is almost as large as the domain.
            let rounded = exact.max(1.0).log2().round().exp2();
            let is_whole = is_dense && rounded > side.len / 1.5;
            let extent = if is_whole { side.len } else { rounded };
            let extent = extent.clamp(1.0, i64::MAX as f64 / 2.0) as u64;
            extent.to_le_bytes()[..datatype.size()].to_vec()
        }
    };
    let fits = dimension.clone().set_extent(&bytes).is_ok();
    fits.then(|| bytes.into_boxed_slice())
}

/// Sorts the cells of a sample of a sparse array as they will be stored. Cells in Hilbert order,
/// and those of dense arrays and of samples without coordinates, stay in their order.
pub(super) fn stored_order(schema: &ArraySchema, fields: &[SampleField<'_>], cells: &mut [usize]) {
    if schema.is_dense() || schema.cell_order == Layout::Hilbert {
        return;
    }
    let coordinates = schema.domain.dimensions.iter().map(|dimension| {
        let field = fields
            .iter()
            .find(|field| field.column.name == dimension.name)?;
        Some((&**dimension, field))
    });
    let Some(coordinates) = coordinates.collect::<Option<Vec<_>>>() else {
        return;
    };
    let ordered = |layout: Layout, order: &mut dyn FnMut(usize) -> Ordering| {
        let number = coordinates.len();
        let indexes: Box<dyn Iterator<Item = usize>> = match layout {
            Layout::ColMajor => Box::new((0..number).rev()),
            _ => Box::new(0..number),
        };
        indexes
            .map(order)
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    let tiles: Vec<Vec<f64>> = coordinates
        .iter()
        .map(|(dimension, field)| tile_numbers(dimension, field, cells))
        .collect();
    let before: Vec<usize> = cells.to_vec();
    let mut positions: Vec<usize> = (0..before.len()).collect();
    positions.sort_by(|one, other| {
        let by_tile = ordered(schema.tile_order, &mut |dimension| match tiles
            .get(dimension)
            .filter(|tiles| !tiles.is_empty())
        {
            Some(tiles) => tiles[*one].total_cmp(&tiles[*other]),
            None => Ordering::Equal,
        });
        by_tile.then_with(|| {
            ordered(schema.cell_order, &mut |dimension| {
                let field = coordinates[dimension].1;
                let (one, other) = (field.bytes(before[*one]), field.bytes(before[*other]));
                if field.is_var() {
                    return one.cmp(other);
                }
                typed!(field.datatype.physical(), T => T::read(one).order(&T::read(other)))
            })
        })
    });
    for (cell, position) in cells.iter_mut().zip(positions) {
        *cell = before[position];
    }
}

/// Returns the number of the space tile of each cell in a dimension; none if it has no tiles.
fn tile_numbers(dimension: &Dimension, field: &SampleField<'_>, cells: &[usize]) -> Vec<f64> {
    let (Some(domain), Some(extent)) = (&dimension.domain, &dimension.extent) else {
        return Vec::new();
    };
    typed!(dimension.datatype.physical(), T => {
        let (low, extent) = (domain.values::<T>().0.to_f64(), T::read(extent).to_f64());
        cells.iter().map(|cell| {
            ((T::read(field.bytes(*cell)).to_f64() - low) / extent).floor()
        }).collect()
    })
}
