//! The grid of space tiles over a dense domain.

use super::cell_box::CellBox;
use super::steps::{Order, box_strides};
use crate::error::{Error, GeometryError, Result};
use crate::schema::{ArraySchema, Dimension};
use crate::typed;
use crate::types::{NdRange, Range, Value};

/// One dimension of the grid.
#[derive(Clone, Debug)]
pub struct GridAxis {
    /// The lower bound of the domain, as an order-preserving key.
    base: u64,
    /// The last coordinate. The domain has one coordinate more than this number.
    pub last: u64,
    /// The number of coordinates in a tile.
    pub extent: u64,
}

/// The grid of a dense array: the shape of tiles, the order of tiles, and the order of cells within
/// a tile.
#[derive(Clone, Debug)]
pub struct TileGrid {
    /// The dimensions.
    pub axes: Vec<GridAxis>,
    /// The order of tiles.
    pub tile_order: Order,
    /// The order of cells in a tile.
    pub cell_order: Order,
    /// The number of cells in a tile.
    pub tile_cell_num: u64,
}

fn key<T: Value>(bytes: &[u8]) -> u64 {
    T::read(bytes).to_key()
}

fn unkey<T: Value>(key: u64, to: &mut [u8; 8]) {
    // The keys of integer types are the values with an inverted sign bit.
    let sign = if T::LEAST.to_f64() < 0.0 {
        1u64 << (8 * T::SIZE - 1)
    } else {
        0
    };
    *to = (key ^ sign).to_le_bytes();
}

fn extent_of<T: Value>(bytes: &[u8]) -> u64 {
    // Extents are positive, so the bytes can be read as an unsigned number.
    let mut raw = [0; 8];
    raw[..T::SIZE].copy_from_slice(&bytes[..T::SIZE]);
    u64::from_le_bytes(raw)
}

impl GridAxis {
    /// Creates the axis of a dimension; `None` if the dimension has no grid.
    pub fn new(dimension: &Dimension) -> Option<Self> {
        let domain = dimension.domain.as_ref()?;
        let physical = dimension.datatype.physical();
        if dimension.datatype.is_real() {
            return None;
        }
        let base = typed!(physical, T => key::<T>(domain.start()));
        let last = typed!(physical, T => key::<T>(domain.end())).checked_sub(base)?;
        let extent = match &dimension.extent {
            Some(extent) if extent.len() >= physical.size() => {
                typed!(physical, T => extent_of::<T>(extent))
            }
            _ => last.saturating_add(1),
        };
        (extent > 0).then_some(Self { base, last, extent })
    }

    /// Returns the index of the last tile.
    pub fn last_tile(&self) -> u64 {
        self.last / self.extent
    }
}

impl TileGrid {
    /// Creates the grid of a dense schema.
    pub fn new(schema: &ArraySchema) -> Result<Self> {
        let order = |layout| Order::of(layout).unwrap_or(Order::RowMajor);
        let axes: Option<Vec<_>> = schema
            .domain
            .dimensions
            .iter()
            .map(|dimension| GridAxis::new(dimension))
            .collect();
        let axes = axes
            .filter(|axes| !axes.is_empty())
            .ok_or_else(|| Error::from(GeometryError::NoGrid))?;
        let cells = axes
            .iter()
            .try_fold(1u64, |cells, axis| cells.checked_mul(axis.extent));
        let tile_cell_num = cells.ok_or_else(|| Error::from(GeometryError::TileTooLarge))?;
        Ok(Self {
            axes,
            tile_order: order(schema.tile_order),
            cell_order: order(schema.cell_order),
            tile_cell_num,
        })
    }

    /// Returns the number of dimensions.
    pub fn dim_num(&self) -> usize {
        self.axes.len()
    }

    /// Returns the whole domain.
    pub fn domain(&self) -> CellBox {
        CellBox {
            low: vec![0; self.dim_num()],
            high: self.axes.iter().map(|axis| axis.last).collect(),
        }
    }

    /// Returns the shape of a tile.
    pub fn tile_shape(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.extent).collect()
    }

    /// Returns the distance in cells between neighbours in each dimension of a tile.
    pub fn tile_strides(&self) -> Vec<u64> {
        box_strides(&self.tile_shape(), self.cell_order)
    }

    /// Converts ranges, one per dimension, to a box. Returns `None` if a bound is outside the
    /// domain or the range is reversed.
    pub fn to_box(&self, schema: &ArraySchema, ranges: &[Range]) -> Option<CellBox> {
        let ends: Option<Vec<(u64, u64)>> = self
            .axes
            .iter()
            .zip(&schema.domain.dimensions)
            .zip(ranges)
            .map(|((axis, dimension), range)| axis.span(dimension, range))
            .collect();
        let (low, high) = ends?.into_iter().unzip();
        Some(CellBox { low, high })
    }

    /// Converts a box to ranges, one per dimension.
    pub fn to_ranges(&self, schema: &ArraySchema, cells: &CellBox) -> NdRange {
        self.axes
            .iter()
            .zip(&schema.domain.dimensions)
            .enumerate()
            .map(|(d, (axis, dimension))| {
                let size = dimension.datatype.size();
                let start = axis.coordinate(dimension, cells.low[d]);
                let end = axis.coordinate(dimension, cells.high[d]);
                Range::fixed(&start[..size], &end[..size])
            })
            .collect()
    }

    /// Returns the tiles that a box overlaps, as a box of tile indexes.
    pub fn tiles(&self, cells: &CellBox) -> CellBox {
        let tile = |ends: &[u64]| {
            ends.iter()
                .zip(&self.axes)
                .map(|(distance, axis)| distance / axis.extent)
                .collect()
        };
        CellBox {
            low: tile(&cells.low),
            high: tile(&cells.high),
        }
    }

    /// Returns the cells of a box of tiles, including those beyond the end of the domain.
    pub fn cells(&self, tiles: &CellBox) -> CellBox {
        CellBox {
            low: self.tile_cells(&tiles.low).low,
            high: self.tile_cells(&tiles.high).high,
        }
    }

    /// Returns the cells of a tile, including those beyond the end of the domain.
    pub fn tile_cells(&self, tile: &[u64]) -> CellBox {
        let low: Vec<u64> = tile
            .iter()
            .zip(&self.axes)
            .map(|(index, axis)| index * axis.extent)
            .collect();
        let high = low
            .iter()
            .zip(&self.axes)
            .map(|(low, axis)| low.saturating_add(axis.extent - 1))
            .collect();
        CellBox { low, high }
    }

    /// Returns the position of a tile among the tiles of a fragment that covers `tiles`.
    pub fn tile_position(&self, tiles: &CellBox, tile: &[u64]) -> u64 {
        let strides = tiles.strides(self.tile_order);
        (0..tile.len())
            .map(|d| (tile[d] - tiles.low[d]).saturating_mul(strides[d]))
            .fold(0, u64::saturating_add)
    }

    /// Returns the tile at a position among the tiles of a fragment that covers `tiles`.
    pub fn tile_at(&self, tiles: &CellBox, position: u64) -> Vec<u64> {
        let strides = tiles.strides(self.tile_order);
        (0..tiles.dim_num())
            .map(|d| tiles.low[d] + position / strides[d].max(1) % tiles.len(d))
            .collect()
    }
}

impl GridAxis {
    /// Converts a range of this dimension to the first and the last coordinate. Returns `None` if
    /// it is not within the domain.
    pub fn span(&self, dimension: &Dimension, range: &Range) -> Option<(u64, u64)> {
        let physical = dimension.datatype.physical();
        let low = typed!(physical, T => key::<T>(range.start())).checked_sub(self.base)?;
        let high = typed!(physical, T => key::<T>(range.end())).checked_sub(self.base)?;
        (low <= high && high <= self.last).then_some((low, high))
    }

    /// Returns the bytes of a coordinate, of which the datatype uses the first.
    pub fn coordinate(&self, dimension: &Dimension, distance: u64) -> [u8; 8] {
        let mut bytes = [0; 8];
        typed!(dimension.datatype.physical(), T => unkey::<T>(self.base.wrapping_add(distance), &mut bytes));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::FilterList;
    use crate::types::Datatype;
    use std::sync::Arc;

    fn dimension<T: Value>(datatype: Datatype, low: T, high: T, extent: T) -> Dimension {
        let mut bytes = vec![0; T::SIZE];
        extent.write(&mut bytes);
        Dimension {
            name: "d".into(),
            datatype,
            cell_val_num: 1,
            domain: Some(Range::of(low, high)),
            extent: Some(bytes.into()),
            filters: Arc::new(FilterList::default()),
        }
    }

    #[test]
    fn coordinates_are_distances_from_the_lower_bound() {
        let dim = dimension(Datatype::Int16, -300i16, 500, 100);
        let axis = GridAxis::new(&dim).expect("axis");
        assert_eq!((axis.last, axis.extent, axis.last_tile()), (800, 100, 8));
        assert_eq!(axis.span(&dim, &Range::of(-300i16, -200)), Some((0, 100)));
        assert_eq!(axis.span(&dim, &Range::of(-301i16, -200)), None);
        assert_eq!(i16::read(&axis.coordinate(&dim, 299)), -1);
        let dim = dimension(Datatype::Uint64, 10u64, u64::MAX - 10, 7);
        let axis = GridAxis::new(&dim).expect("axis");
        assert_eq!(u64::read(&axis.coordinate(&dim, axis.last)), u64::MAX - 10);
    }
}
