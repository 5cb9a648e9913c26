//! The fields of a dense read: their definition in the schema and their files in each fragment.

use std::sync::{Arc, OnceLock};

use super::plan::Plan;
use super::tile_tasks::TileSlice;
use crate::error::{Error, ReadError, Result};
use crate::fragment::{FieldTiles, Fragment};
use crate::schema::{ArraySchema, Attribute};
use crate::stats::TileMeter;
use crate::tile::FillValue;
use crate::types::CellType;

/// A field that a query reads.
#[derive(Debug)]
pub(super) enum ReadField {
    /// A dimension: its coordinates are computed.
    Dimension(usize),
    /// An attribute.
    Attribute(AttributeRead),
}

/// An attribute that a query reads.
#[derive(Debug)]
pub(super) struct AttributeRead {
    pub(super) attribute: Arc<Attribute>,
    /// The size of a value in bytes.
    pub(super) value_size: usize,
    /// The size in bytes of a cell, or of an offset if cells have a variable length.
    pub(super) cell_size: usize,
    /// The tiles in the fragment of each view, opened on first use; `None` if the fragment was
    /// written without the attribute.
    tiles: Vec<OnceLock<Option<FieldTiles>>>,
    meter: Arc<TileMeter>,
}

/// The tiles of an attribute in a fragment.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredAttribute<'a> {
    pub(super) fragment: &'a Arc<Fragment>,
    pub(super) tiles: &'a FieldTiles,
}

impl AttributeRead {
    /// Returns the tiles of the attribute in the fragment of a view, or `None` if the fragment was
    /// written without the attribute.
    pub(super) fn in_view<'a>(
        &'a self,
        plan: &'a Plan,
        index: usize,
    ) -> Result<Option<StoredAttribute<'a>>> {
        let (view, known) = (&plan.views[index], &self.tiles[index]);
        let fragment = &view.fragment;
        let tiles = match known.get() {
            Some(tiles) => tiles,
            None => {
                let found = FieldTiles::open_attribute(fragment, &self.attribute)?;
                let cache = view.cache.clone();
                let found = found.map(|tiles| tiles.metered(&self.meter).with_cache(cache));
                known.get_or_init(|| found)
            }
        };
        let tiles = tiles.as_ref();
        Ok(tiles.map(|tiles| StoredAttribute { fragment, tiles }))
    }

    /// Returns the tiles of the attribute that contain the cells of a slice, or `None` if the cells
    /// have fill values: no fragment contains them, or theirs was written without the attribute.
    pub(super) fn in_slice<'a>(
        &'a self,
        plan: &'a Plan,
        slice: &TileSlice,
    ) -> Result<Option<StoredAttribute<'a>>> {
        match slice.view {
            Some(index) => self.in_view(plan, index),
            None => Ok(None),
        }
    }

    /// Returns whether cells have a variable length.
    pub(super) fn is_var(&self) -> bool {
        self.attribute.is_var()
    }

    /// Returns the cell that is delivered where no fragment contains one.
    pub(super) fn fill_value(&self) -> FillValue<'_> {
        let attribute = &self.attribute;
        FillValue {
            value: &attribute.fill_value,
            validity: attribute.nullable.then_some(attribute.fill_validity),
            is_var: self.is_var(),
        }
    }

    /// Returns whether the tiles must be decoded.
    pub(super) fn is_filtered(&self) -> bool {
        !self.attribute.filters.filters.is_empty()
    }
}

impl ReadField {
    /// Returns the attribute, if the field is one.
    pub(super) fn attribute(&self) -> Option<&AttributeRead> {
        match self {
            Self::Attribute(read) => Some(read),
            Self::Dimension(_) => None,
        }
    }

    /// Returns the type of the cells.
    pub(super) fn cell_type(&self, schema: &ArraySchema) -> CellType {
        match self {
            Self::Attribute(read) => read.attribute.cell_type(),
            Self::Dimension(dim) => CellType::single(schema.domain.dimensions[*dim].datatype),
        }
    }

    /// Returns a field by name. Its tiles are counted by `meter`.
    pub(super) fn new(
        schema: &ArraySchema,
        name: &str,
        views: usize,
        meter: &Arc<TileMeter>,
    ) -> Result<Self> {
        if let Some(attribute) = schema.attribute(name) {
            let value_size = attribute.datatype.size();
            return Ok(Self::Attribute(AttributeRead {
                attribute: attribute.clone(),
                value_size,
                cell_size: if attribute.is_var() {
                    8
                } else {
                    value_size * attribute.cell_val_num as usize
                },
                tiles: (0..views).map(|_| OnceLock::new()).collect(),
                meter: Arc::clone(meter),
            }));
        }
        let dimension = schema.domain.dimension_index(name);
        dimension
            .map(Self::Dimension)
            .ok_or_else(|| Error::from(ReadError::UnknownDenseField { name: name.into() }))
    }
}
