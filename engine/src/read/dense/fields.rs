//! The fields of a dense read: their definition in the schema, their files in each fragment, and
//! the memory that reading them needs.

use std::sync::{Arc, OnceLock};

use super::plan::Plan;
use super::tile_tasks::TileSlice;
use crate::error::{Error, ReadError, Result};
use crate::fragment::{FieldCache, FieldTiles, Fragment};
use crate::memory::tuning::CHUNK_CACHE_SHARE;
use crate::schema::{ArraySchema, Attribute};
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
}

impl AttributeRead {
    /// Returns the tiles of the attribute in the fragment of a view, or `None` if the fragment was
    /// written without the attribute.
    pub(super) fn in_view(&self, plan: &Plan, index: usize) -> Result<Option<&FieldTiles>> {
        let (view, known) = (&plan.views[index], &self.tiles[index]);
        if let Some(tiles) = known.get() {
            return Ok(tiles.as_ref());
        }
        let found = FieldTiles::open_attribute(&view.fragment, &self.attribute)?;
        let cache = plan.cache.as_ref().map(|(chunks, limit)| FieldCache {
            chunks: Arc::clone(chunks),
            fragment: view.index,
            limit: *limit,
        });
        let found = found.map(|tiles| tiles.metered(&plan.meter).with_cache(cache));
        Ok(known.get_or_init(|| found).as_ref())
    }

    /// Returns the tiles of the attribute that contain the cells of a slice, or `None` if the cells
    /// have fill values: no fragment contains them, or theirs was written without the attribute.
    pub(super) fn in_slice(&self, plan: &Plan, slice: &TileSlice) -> Result<Option<&FieldTiles>> {
        match slice.view {
            Some(index) => self.in_view(plan, index),
            None => Ok(None),
        }
    }

    /// Returns the cell that is delivered where no fragment contains one.
    pub(super) fn fill_value(&self) -> FillValue<'_> {
        let attribute = &self.attribute;
        FillValue {
            value: &attribute.fill_value,
            validity: attribute.nullable.then_some(attribute.fill_validity),
            is_var: self.attribute.is_var(),
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

    /// Returns a field by name.
    pub(super) fn new(plan: &Plan, name: &str) -> Result<Self> {
        if let Some(attribute) = plan.schema.attribute(name) {
            let value_size = attribute.datatype.size();
            return Ok(Self::Attribute(AttributeRead {
                attribute: attribute.clone(),
                value_size,
                cell_size: if attribute.is_var() {
                    8
                } else {
                    value_size * attribute.cell_val_num as usize
                },
                tiles: plan.views.iter().map(|_| OnceLock::new()).collect(),
            }));
        }
        let dimension = plan.schema.domain.dimension_index(name);
        dimension
            .map(Self::Dimension)
            .ok_or_else(|| Error::from(ReadError::UnknownDenseField { name: name.into() }))
    }
}

/// Returns the memory that a read needs in bytes: the metadata of the array, the tile offsets, and
/// the largest tile that must be decoded.
pub(super) fn accounted_bytes(plan: &Plan, fields: &[ReadField]) -> u64 {
    let needs = [
        Some(opened_bytes(plan)),
        Some(offsets_bytes(plan, fields)),
        largest_tile(plan, fields),
    ];
    needs.into_iter().flatten().fold(0, u64::saturating_add)
}

/// Returns the maximum size in bytes of the cache of decoded chunks: a fraction of the budget, or
/// what the read itself leaves of it.
pub(super) fn cache_bytes(plan: &Plan, fields: &[ReadField], budget: u64) -> u64 {
    let left = budget.saturating_sub(accounted_bytes(plan, fields));
    left.min(budget / CHUNK_CACHE_SHARE)
}

/// Returns the size of the metadata of the array.
pub(super) fn opened_bytes(plan: &Plan) -> u64 {
    (size_of::<ArraySchema>() + plan.views.len() * size_of::<Fragment>()) as u64
}

fn attributes(fields: &[ReadField]) -> impl Iterator<Item = &AttributeRead> {
    fields.iter().filter_map(ReadField::attribute)
}

/// Returns the size of the tile offsets of all fields.
pub(super) fn offsets_bytes(plan: &Plan, fields: &[ReadField]) -> u64 {
    let files: u64 = attributes(fields).map(file_num).sum();
    let tiles = plan
        .views
        .iter()
        .map(|view| view.fragment.tile_num)
        .fold(0, u64::saturating_add);
    tiles.saturating_mul(files * size_of::<u64>() as u64)
}

/// Returns the size of the largest tile that must be decoded.
pub(super) fn largest_tile(plan: &Plan, fields: &[ReadField]) -> Option<u64> {
    let decoded = attributes(fields).filter(|field| field.is_filtered());
    decoded
        .map(|field| {
            plan.grid
                .tile_cell_num
                .saturating_mul(field.cell_size as u64)
        })
        .max()
        .filter(|_| !plan.views.is_empty())
}

/// Returns the number of files of a field, each of which has one offset per tile.
fn file_num(field: &AttributeRead) -> u64 {
    1 + u64::from(field.attribute.is_var()) + u64::from(field.attribute.nullable)
}
