//! The fields of a dense read: their definition in the schema, their tiles in each fragment, which
//! are announced so that many requests are in flight before the first tile is decoded, and the
//! memory that reading them needs.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::plan::Plan;
use super::tile_tasks::{TileSlice, TileTask};
use crate::error::{Error, ReadError, Result};
use crate::fragment::{Announcement, FieldCache, FieldTiles, FilePart, Fragment};
use crate::memory::tuning::{CHUNK_CACHE_SHARE, REMOTE_FRAGMENTS};
use crate::schema::{ArraySchema, Attribute, Field};
use crate::tile::FillValue;
use crate::types::CellType;

/// A field that a query reads.
#[derive(Debug)]
pub(super) enum ReadField {
    /// A dimension: its coordinates are computed.
    Dimension(usize),
    /// The coordinates of all dimensions as one value: in results, not in conditions.
    Coordinates,
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
            Self::Dimension(_) | Self::Coordinates => None,
        }
    }

    /// Returns the dimensions whose coordinates a cell has, none if the field is an attribute.
    pub(super) fn dimensions(&self, schema: &ArraySchema) -> Range<usize> {
        match self {
            Self::Dimension(dim) => *dim..dim + 1,
            Self::Coordinates => 0..schema.dim_num(),
            Self::Attribute(_) => 0..0,
        }
    }

    /// Returns the type of the cells.
    pub(super) fn cell_type(&self, schema: &ArraySchema) -> CellType {
        match self {
            Self::Attribute(read) => read.attribute.cell_type(),
            Self::Dimension(dim) => CellType::single(schema.domain.dimensions[*dim].datatype),
            Self::Coordinates => Field::Coords(&schema.domain).cell_type(),
        }
    }

    /// Returns a field to deliver by name: also the zipped coordinates.
    pub(super) fn delivered(plan: &Plan, name: &str) -> Result<Self> {
        match plan.schema.field(name) {
            Some(Field::Coords(_)) => Ok(Self::Coordinates),
            _ => Self::new(plan, name),
        }
    }

    /// Returns an attribute or a dimension by name.
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
        let dimension = plan.schema.domain.dimensions.index_of(name);
        dimension
            .map(Self::Dimension)
            .ok_or_else(|| Error::from(ReadError::UnknownDenseField { name: name.into() }))
    }
}

/// The parts of the tiles of an attribute that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TileParts {
    All,
    /// Values of fixed size and validity.
    Fixed,
    /// The offsets of variable-length values.
    Offsets,
    /// Variable-length values.
    Values,
}

impl TileParts {
    fn include(self, read: &AttributeRead, tiles: &FieldTiles, part: FilePart) -> bool {
        match self {
            Self::All => true,
            Self::Fixed => part == FilePart::Validity || !read.attribute.is_var(),
            // The values are decoded with the offsets.
            Self::Offsets if tiles.includes_offsets() => true,
            Self::Offsets => part == FilePart::Fixed,
            Self::Values => part == FilePart::Var && !tiles.includes_offsets(),
        }
    }
}

impl Plan {
    /// Returns whether reads of tiles send requests.
    pub(super) fn is_remote(&self) -> bool {
        let first = self.views.first();
        first.is_some_and(|view| view.fragment.is_remote())
    }

    /// Calls `run` with groups of tasks, and the number of tasks before each. If reads send
    /// requests, the tiles of `fields` that a group needs are announced before `run` gets the group
    /// before it.
    pub(super) fn for_each_announced(
        &self,
        tasks: &[TileTask],
        fields: &[(&AttributeRead, TileParts)],
        mut run: impl FnMut(usize, &[TileTask]) -> Result<()>,
    ) -> Result<()> {
        if !self.is_remote() {
            return run(0, tasks);
        }
        let (mut before, mut rest) = (0, tasks);
        let mut first = self.announce(rest, fields)?;
        while !rest.is_empty() {
            let (group, after) = rest.split_at(first);
            first = self.announce(after, fields)?;
            run(before, group)?;
            before += group.len();
            rest = after;
        }
        Ok(())
    }

    /// Begins to load the tiles of fields that the first tasks need, as many as form a group.
    /// Returns the number of these tasks.
    pub(super) fn announce(
        &self,
        tasks: &[TileTask],
        fields: &[(&AttributeRead, TileParts)],
    ) -> Result<usize> {
        let Some(first) = self.views.first().filter(|_| self.is_remote()) else {
            return Ok(tasks.len());
        };
        let mut announcement = Announcement::default();
        let mut number = 0;
        for (index, task) in tasks.iter().enumerate() {
            if announcement.is_full() {
                break;
            }
            number += 1;
            for slice in &task.slices {
                let Some(view) = slice.view else {
                    continue;
                };
                if !self.views[view].fragment.has_metadata() {
                    self.load_metadata(tasks.get(index..).unwrap_or_default())?;
                }
                for (read, parts) in fields {
                    if let Some(tiles) = read.in_view(self, view)? {
                        announcement
                            .add(tiles, slice.tile, |part| parts.include(read, tiles, part))?;
                    }
                }
            }
        }
        announcement.load(&first.fragment)?;
        Ok(number)
    }

    /// Loads the metadata of all fragments that have an attribute, at the same time.
    pub(super) fn load_all_metadata(&self, read: &AttributeRead) -> Result<()> {
        if !self.is_remote() {
            return Ok(());
        }
        let mut fragments: Vec<&Fragment> = Vec::new();
        for (index, view) in self.views.iter().enumerate() {
            if !view.fragment.has_metadata() && read.in_view(self, index)?.is_some() {
                fragments.push(&view.fragment);
            }
        }
        Fragment::load_metadata(&fragments)
    }

    /// Loads the metadata of the first fragments that tasks read, at the same time.
    fn load_metadata(&self, tasks: &[TileTask]) -> Result<()> {
        let mut fragments: Vec<&Fragment> = Vec::new();
        for slice in tasks.iter().flat_map(|task| &task.slices) {
            let fragment = slice.view.map(|view| &*self.views[view].fragment);
            let missing = fragment.filter(|fragment| !fragment.has_metadata());
            let Some(missing) = missing else { continue };
            if fragments.iter().all(|known| !std::ptr::eq(*known, missing)) {
                fragments.push(missing);
            }
            if fragments.len() == REMOTE_FRAGMENTS {
                break;
            }
        }
        Fragment::load_metadata(&fragments)
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
