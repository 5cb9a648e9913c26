//! Descriptions of fragments.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::aggregate::TileStatistics;
use crate::array::Array as EngineArray;
use crate::condition::counts_nulls;
use crate::error::Result;
use crate::expression::Scalar;
use crate::fragment::{FilePart, Fragment};
use crate::geometry::{CellBox, TileGrid};
use crate::schema::ArraySchema;
use crate::types::{Physical, Range, TimeRange};

/// The bounds of the cells of each dimension, both included.
pub type NonEmptyDomain = Vec<RangeInclusive<Scalar>>;

/// A fragment: the cells of one write or consolidation.
#[derive(Clone, Debug)]
pub struct FragmentDetails {
    fragment: Arc<Fragment>,
}

/// Returns ranges of dimensions as values.
pub(super) fn bounds(schema: &ArraySchema, ranges: &[Range]) -> NonEmptyDomain {
    schema
        .domain
        .dimensions
        .iter()
        .zip(ranges)
        .map(|(dimension, range)| -> RangeInclusive<Scalar> {
            let scalar = |bytes| Scalar::from_bytes(dimension.datatype, bytes);
            scalar(range.start())..=scalar(range.end())
        })
        .collect()
}

impl FragmentDetails {
    pub(super) fn into_fragment(self) -> Arc<Fragment> {
        self.fragment
    }

    /// Returns the URI of its folder.
    pub fn uri(&self) -> &str {
        self.fragment.uri().as_str()
    }

    /// Returns the name of its folder.
    pub fn name(&self) -> &str {
        self.fragment.name().as_str()
    }

    /// Returns the range of the timestamps of its cells, in milliseconds since 1970.
    pub fn timestamps(&self) -> TimeRange {
        self.fragment.timestamps()
    }

    /// Returns the number of cells; for a dense fragment, the number of cells of its tiles.
    pub fn cell_num(&self) -> u64 {
        self.fragment.cell_num()
    }

    /// Returns the number of tiles.
    pub fn tile_num(&self) -> u64 {
        self.fragment.tile_num
    }

    /// Returns whether its cells are dense.
    pub fn is_dense(&self) -> bool {
        self.fragment.footer.dense
    }

    /// Returns the version of the file format.
    pub fn version(&self) -> u32 {
        self.fragment.footer.head.version.0
    }

    /// Returns whether its cells have timestamps of their own, after a consolidation of several
    /// writes.
    pub fn has_timestamps(&self) -> bool {
        self.fragment.footer.has_timestamps
    }

    /// Returns the size of its files in bytes.
    ///
    /// # Errors
    ///
    /// If its metadata cannot be read.
    pub fn size(&self) -> Result<u64> {
        self.fragment.stored_size()
    }

    /// Returns whether it stores values of an attribute. It does not if the attribute was added to
    /// the schema after the write; reads deliver its fill value for these cells then.
    pub fn has_attribute(&self, name: &str) -> bool {
        self.fragment.schema.attribute(name).is_some()
    }

    /// Returns the least and the greatest value of an attribute with one value per cell, without
    /// null and before cells are replaced or deleted. Returns `None` if the fragment has no
    /// reliable statistics, and if a cell may be NaN or infinite.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn attribute_bounds(&self, name: &str) -> Result<Option<(Scalar, Scalar)>> {
        let schema = &self.fragment.schema;
        let Some(attribute) = schema.attribute(name) else {
            return Ok(None);
        };
        let slot = self.fragment.slot(name);
        let stats = match slot.filter(|_| attribute.cell_val_num == 1) {
            Some(slot) => self.fragment.field_stats(slot)?,
            None => None,
        };
        let counted = !attribute.nullable || counts_nulls(&self.fragment, attribute);
        let is_reliable = counted && !attribute.filters.is_lossy();
        let Some(stats) = stats.filter(|_| is_reliable) else {
            return Ok(None);
        };
        // Extremes omit values before a NaN, which the sum reveals.
        let has_no_nan = f64::from_bits(stats.sum).abs() < f64::MAX;
        let size = attribute.datatype.size();
        let has_size = stats.min.len() == size && stats.max.len() == size;
        if !has_size || (attribute.datatype.is_real() && !has_no_nan) {
            return Ok(None);
        }
        let bound = |bytes: &[u8]| Scalar::from_bytes(attribute.datatype, bytes);
        let (least, greatest) = (bound(&stats.min), bound(&stats.max));
        // The initial values of extremes remain if no cell has a value.
        let is_ordered = match (&least, &greatest) {
            (Scalar::Integer(least), Scalar::Integer(greatest)) => least <= greatest,
            (Scalar::Real(least), Scalar::Real(greatest)) => least <= greatest,
            _ => false,
        };
        Ok(is_ordered.then_some((least, greatest)))
    }

    /// Returns the size in bytes of the files of a field: an attribute, a dimension of a sparse
    /// fragment, or an internal field such as `__timestamps`. 0 if the fragment has no files of it.
    pub fn field_size(&self, field: &str) -> u64 {
        let Some(slot) = self.fragment.slot(field) else {
            return 0;
        };
        FilePart::ALL
            .map(|part| self.fragment.file_size(slot, part))
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Returns the mean of the numbers of an attribute in each tile, according to the statistics
    /// that the fragment stores, in the order of [`tile_bounds`](Self::tile_bounds). A tile
    /// without reliable statistics, without numbers, or which the non-empty domain of a dense
    /// fragment does not contain, has none. No cells are read.
    ///
    /// # Errors
    ///
    /// If the statistics cannot be read.
    pub fn tile_means(&self, attribute: &str) -> Result<Vec<Option<f64>>> {
        let schema = &self.fragment.schema;
        let (Some(slot), Some(found)) = (
            self.fragment.slot(attribute),
            schema.attribute(attribute).filter(|found| {
                let is_number = found.datatype.is_integer() || found.datatype.is_real();
                found.cell_val_num == 1 && found.enumeration.is_none() && is_number
            }),
        ) else {
            return Ok(Vec::new());
        };
        let grid = self.dense_grid()?;
        (0..self.tile_num())
            .map(|tile| {
                let is_whole = grid.as_ref().is_none_or(|(grid, cells)| {
                    let tile = grid.tile_at(&grid.tiles(cells), tile);
                    cells.contains(&grid.tile_cells(&tile))
                });
                let cells = self.fragment.tile_cell_num(tile);
                let statistics = if is_whole {
                    TileStatistics::of_tile(&self.fragment, slot, tile, cells)?
                } else {
                    None
                };
                let values = statistics.and_then(|statistics| {
                    let values = cells.checked_sub(statistics.nulls)?;
                    statistics.sum.zip((values > 0).then_some(values))
                });
                Ok(values.map(|(bits, values)| {
                    let sum = match found.datatype.physical() {
                        Physical::F32 | Physical::F64 => f64::from_bits(bits),
                        Physical::U8 | Physical::U16 | Physical::U32 | Physical::U64 => bits as f64,
                        _ => bits.cast_signed() as f64,
                    };
                    sum / values as f64
                }))
            })
            .collect()
    }

    /// Returns the bounds of its cells; empty for an empty fragment.
    pub fn non_empty_domain(&self) -> NonEmptyDomain {
        let domain = self.fragment.footer.non_empty_domain.as_ref();
        bounds(&self.fragment.schema, domain.map_or(&[], Vec::as_slice))
    }

    /// Returns the minimum bounding rectangle of each tile; of a dense fragment, the part of each
    /// tile that its non-empty domain contains.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn tile_bounds(&self) -> Result<Vec<NonEmptyDomain>> {
        if self.is_dense() {
            return self.dense_tile_bounds();
        }
        let rtree = self.fragment.rtree()?;
        Ok((0..rtree.leaf_num())
            .filter_map(|index| rtree.leaf(index))
            .map(|ranges| bounds(&self.fragment.schema, ranges))
            .collect())
    }

    /// Returns the coordinates of the first and of the last cell of each tile in global order;
    /// `None` if the fragment does not store them: dense fragments, and sparse ones before format
    /// version 23.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn order_bounds(&self) -> Result<Option<Vec<[Vec<Scalar>; 2]>>> {
        let dimensions = &self.fragment.schema.domain.dimensions;
        let tiles = (0..self.tile_num()).map(|tile| {
            let Some(ranges) = self.fragment.order_bounds(tile)? else {
                return Ok(None);
            };
            Ok(Some([Range::start, Range::end].map(
                |bound: fn(&Range) -> &[u8]| {
                    dimensions
                        .iter()
                        .zip(&ranges)
                        .map(|(dimension, range)| {
                            Scalar::from_bytes(dimension.datatype, bound(range))
                        })
                        .collect()
                },
            )))
        });
        if self.is_dense() {
            return Ok(None);
        }
        tiles.collect()
    }
}

impl FragmentDetails {
    /// Returns the grid of a dense fragment and the box of its cells; `None` for a sparse or an
    /// empty one.
    fn dense_grid(&self) -> Result<Option<(TileGrid, CellBox)>> {
        if !self.is_dense() {
            return Ok(None);
        }
        let schema = &self.fragment.schema;
        let grid = TileGrid::new(schema)?;
        let domain = self.fragment.footer.non_empty_domain.as_ref();
        let cells = domain.and_then(|domain| grid.to_box(schema, domain));
        Ok(cells.map(|cells| (grid, cells)))
    }

    fn dense_tile_bounds(&self) -> Result<Vec<NonEmptyDomain>> {
        let schema = &self.fragment.schema;
        let Some((grid, cells)) = self.dense_grid()? else {
            return Ok(Vec::new());
        };
        let tiles = grid.tiles(&cells);
        Ok((0..tiles.cell_num())
            .map(|position| {
                let tile = grid.tile_cells(&grid.tile_at(&tiles, position));
                let inside = tile.intersection(&cells).unwrap_or(tile);
                bounds(schema, &grid.to_ranges(schema, &inside))
            })
            .collect())
    }
}

/// Returns the fragments of an open array.
pub(super) fn fragments(array: &EngineArray) -> Result<Vec<FragmentDetails>> {
    let snapshot = array.snapshot()?;
    Ok(snapshot
        .fragments
        .iter()
        .map(|fragment| FragmentDetails {
            fragment: fragment.clone(),
        })
        .collect())
}
