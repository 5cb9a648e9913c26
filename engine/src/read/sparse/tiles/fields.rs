//! The fields of a sparse read, those to deliver and those that only select cells; and the
//! fragments of the read, with their stored tiles by field.

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, ReadError, Result};
use crate::filter::Filter;
use crate::format::names::{COORDINATES, DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS};
use crate::format::version as v;
use crate::fragment::{FieldTiles, FoundTile, Fragment};
use crate::platform::lock::Mutex;
use crate::schema::{ArraySchema, Attribute, Field, StoredField};
use crate::stats::{MeterNames, Stats, TileMeter};
use crate::tile::{Cells, FillValue, unzip};

/// The kind of a field.
#[derive(Clone, Debug)]
pub(crate) enum FieldKind {
    /// An attribute. Older fragments may lack it.
    Attribute(Arc<Attribute>),
    /// A dimension by index.
    Dimension(usize),
    /// All coordinates of a cell, stored consecutively.
    Coordinates,
    /// The timestamp of a cell.
    Timestamps,
    /// The time or the index of the delete of a cell, as stored in its fragment.
    StoredDelete,
    /// The time or the index of the delete of a cell, computed from the deletes of the read.
    ComputedDelete,
}

/// A field of a read.
#[derive(Clone, Debug)]
pub(crate) struct SparseField {
    pub(crate) kind: FieldKind,
    /// The field in the latest schema.
    pub(crate) stored: StoredField,
    /// The size of a value in bytes.
    pub(crate) value_size: usize,
    /// The size in bytes of a cell, or of an offset for variable-length cells.
    pub(crate) cell_size: usize,
}

impl SparseField {
    /// Returns a field by name.
    pub(crate) fn new(schema: &ArraySchema, name: &str) -> Result<Self> {
        let stored = schema
            .stored_field(name)
            .or_else(|| FieldTiles::internal_field(schema, name));
        let kind = match schema.field(name) {
            Some(Field::Attribute(_, attribute)) => Some(FieldKind::Attribute(attribute.clone())),
            Some(Field::Dimension(dim, _)) => Some(FieldKind::Dimension(dim)),
            _ if name == COORDINATES => Some(FieldKind::Coordinates),
            _ if name == TIMESTAMPS => Some(FieldKind::Timestamps),
            _ if [DELETE_TIMESTAMPS, DELETE_CONDITIONS].contains(&name) => {
                Some(FieldKind::ComputedDelete)
            }
            _ => None,
        };
        let (Some(stored), Some(kind)) = (stored, kind) else {
            return Err(ReadError::UnknownField { name: name.into() }.into());
        };
        let cell_size = if stored.cells.is_var() {
            8
        } else {
            stored.cells.cell_size()
        };
        Ok(Self {
            kind,
            value_size: stored.cells.value_size(),
            cell_size,
            stored,
        })
    }

    /// Returns a field of deletes as stored in fragments.
    pub(crate) fn stored_delete(schema: &ArraySchema, name: &str) -> Result<Self> {
        let field = Self::new(schema, name)?;
        Ok(Self {
            kind: FieldKind::StoredDelete,
            ..field
        })
    }

    /// Returns whether the field is computed by the read instead of stored.
    pub(crate) fn is_computed(&self) -> bool {
        matches!(self.kind, FieldKind::ComputedDelete)
    }

    /// Returns the cell that is delivered where no fragment contains one.
    pub(crate) fn fill_value(&self) -> FillValue<'_> {
        let (value, validity): (&[u8], u8) = match &self.kind {
            FieldKind::Attribute(attribute) => (&attribute.fill_value, attribute.fill_validity),
            _ => (&[], 1),
        };
        FillValue {
            value,
            validity: self.stored.cells.nullable.then_some(validity),
            is_var: self.stored.cells.is_var(),
        }
    }
}

/// The fields of a read: those to deliver first, then those that only select cells.
#[derive(Debug)]
pub(crate) struct FieldTable {
    fields: Vec<SparseField>,
    /// The number of fields to deliver.
    pub(crate) output_num: usize,
    /// The index of the field of each dimension.
    pub(crate) dims: Vec<usize>,
    /// The index of the field of timestamps, if timestamps select cells.
    pub(crate) timestamps: Option<usize>,
}

impl FieldTable {
    pub(crate) fn new(fields: Vec<SparseField>, output_num: usize) -> Self {
        let dimension = |(index, field): (usize, &SparseField)| match field.kind {
            FieldKind::Dimension(dim) => Some((dim, index)),
            _ => None,
        };
        let mut dims: Vec<(usize, usize)> =
            fields.iter().enumerate().filter_map(dimension).collect();
        dims.sort_unstable();
        dims.dedup_by_key(|(dim, _)| *dim);
        Self {
            dims: dims.into_iter().map(|(_, index)| index).collect(),
            timestamps: fields
                .iter()
                .position(|field| matches!(field.kind, FieldKind::Timestamps)),
            fields,
            output_num,
        }
    }

    /// Returns the index of a field by name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.fields
            .iter()
            .position(|field| field.stored.name == name)
    }

    /// Returns the fields to deliver.
    pub(crate) fn outputs(&self) -> &[SparseField] {
        &self.fields[..self.output_num]
    }
}

impl Deref for FieldTable {
    type Target = [SparseField];

    fn deref(&self) -> &[SparseField] {
        &self.fields
    }
}

/// The meters that count the tiles of a sparse read.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadMeters {
    attributes: Arc<TileMeter>,
    pub(crate) coordinates: Arc<TileMeter>,
}

impl ReadMeters {
    /// Moves the counts to the statistics.
    pub(crate) fn record(&self, stats: &Stats) {
        self.attributes.record(stats, MeterNames::Attributes);
        self.coordinates.record(stats, MeterNames::Coordinates);
    }

    /// Returns the meter for a field.
    fn meter(&self, kind: &FieldKind) -> &Arc<TileMeter> {
        match kind {
            FieldKind::Dimension(_) | FieldKind::Coordinates => &self.coordinates,
            _ => &self.attributes,
        }
    }
}

/// A fragment of a read and its tiles of the fields.
#[derive(Debug)]
pub(crate) struct FragmentSource {
    pub(crate) fragment: Arc<Fragment>,
    /// Whether some of its cells may be outside the time range.
    pub(crate) filters_times: bool,
    /// The tiles by field; `None` if the fragment was written without it.
    fields: Vec<OnceLock<Option<FieldTiles>>>,
    /// The tiles of combined coordinates.
    combined: OnceLock<Option<FieldTiles>>,
    pub(crate) meters: ReadMeters,
    /// The number of tiles whose offsets are in memory at once, if not all are.
    pub(crate) window: Option<usize>,
    /// The tiles of which no cell was selected.
    without_results: Mutex<HashSet<u64>>,
}

impl FragmentSource {
    pub(crate) fn new(
        fragment: Arc<Fragment>,
        filters_times: bool,
        field_num: usize,
        meters: &ReadMeters,
    ) -> Self {
        Self {
            fragment,
            filters_times,
            fields: (0..field_num).map(|_| OnceLock::new()).collect(),
            combined: OnceLock::new(),
            meters: meters.clone(),
            window: None,
            without_results: Mutex::default(),
        }
    }

    /// Records that no cell of a tile was selected.
    pub(crate) fn note_without_results(&self, tile: u64) {
        self.meters.coordinates.add_excluded();
        self.without_results.lock().insert(tile);
    }

    /// Returns whether no cell of a tile was selected.
    pub(crate) fn is_without_results(&self, tile: u64) -> bool {
        self.without_results.lock().contains(&tile)
    }

    /// Returns whether the coordinates of a cell are stored together.
    pub(crate) fn has_combined_coordinates(&self) -> bool {
        self.fragment.footer.head.version < v::SPLIT_DIMENSIONS
    }

    /// Returns the number of cells of a tile.
    pub(crate) fn cell_num(&self, tile: u64) -> Result<usize> {
        let cells = if tile + 1 == self.fragment.tile_num {
            self.fragment.footer.last_tile_cell_num
        } else {
            self.fragment.schema.capacity
        };
        // The number of cells of a tile has 32 bits.
        match u32::try_from(cells) {
            Ok(cells) => Ok(cells as usize),
            Err(_) => Err(Error::out_of_memory("a tile", cells)),
        }
    }

    /// Returns whether all cells of a tile are in the ranges and the time range.
    pub(crate) fn contains_all(&self, found: FoundTile) -> bool {
        found.whole && !self.filters_times
    }

    /// Returns whether the fragment stores the first and the last cell of each tile, as they are
    /// read: filters that change coordinates do not change these.
    pub(crate) fn has_order_bounds(&self) -> bool {
        let schema = &self.fragment.schema;
        let mut dimensions = schema.domain.dimensions.iter();
        !self.fragment.footer.global_order_bounds.is_empty()
            && dimensions.all(|dimension| !dimension.filters.is_lossy())
    }

    /// Returns the tiles of a field, or `None` if the fragment was written without it or with
    /// combined coordinates.
    pub(crate) fn tiles(&self, index: usize, field: &SparseField) -> Result<Option<&FieldTiles>> {
        let Some(slot) = self.fields.get(index) else {
            return Ok(None);
        };
        if let Some(opened) = slot.get() {
            return Ok(opened.as_ref());
        }
        let tiles = match &field.kind {
            FieldKind::ComputedDelete => None,
            FieldKind::Attribute(attribute) => {
                FieldTiles::open_attribute(&self.fragment, attribute)?
            }
            _ => FieldTiles::open(&self.fragment, &field.stored)?,
        };
        if tiles.is_none()
            && matches!(field.kind, FieldKind::Dimension(_))
            && !self.has_combined_coordinates()
        {
            let problem = format!("of dimension '{}' are missing", field.stored.name);
            return Err(
                Error::corrupt("fragment", "coordinates", 0, problem).with_uri(self.fragment.uri())
            );
        }
        let meter = self.meters.meter(&field.kind);
        let tiles = tiles.map(|tiles| tiles.metered(meter).with_windows(self.window));
        Ok(slot.get_or_init(|| tiles).as_ref())
    }

    /// Returns the coordinates of a tile of a fragment with combined coordinates: all of the first
    /// dimension, then all of the second, and so on.
    pub(crate) fn combined_coordinates(&self, tile: u64, cell_num: usize) -> Result<Cells> {
        let opened = match self.combined.get() {
            Some(opened) => opened,
            None => {
                let stored = self.fragment.schema.stored_field(COORDINATES);
                let tiles = match &stored {
                    Some(stored) => FieldTiles::open(&self.fragment, stored)?,
                    None => None,
                };
                let meter = &self.meters.coordinates;
                let tiles = tiles.map(|tiles| tiles.metered(meter).with_windows(self.window));
                self.combined.get_or_init(|| tiles)
            }
        };
        let Some(tiles) = opened else {
            let problem = "are missing";
            return Err(
                Error::corrupt("fragment", "coordinates", 0, problem).with_uri(self.fragment.uri())
            );
        };
        let mut cells = Cells::default();
        tiles.cells(tile, cell_num, &mut cells)?;
        let schema = &self.fragment.schema;
        // Coordinates are stored by dimension if there is a compressor.
        let filters = &schema.coords_filters.filters;
        let compressed = filters
            .iter()
            .any(|filter| matches!(filter, Filter::Compression(_)));
        if self.fragment.footer.head.version < v::COORDINATES_UNZIPPED && !compressed {
            let size = cells.data.len() / (schema.dim_num() * cell_num).max(1);
            cells.data = unzip(&cells.data, schema.dim_num(), size)?;
        }
        Ok(cells)
    }
}
