//! The fields of a sparse read: those to deliver, and those that only select cells.

use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::format::names::{COORDINATES, DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS};
use crate::format::version as v;
use crate::fragment::{FieldTiles, Fragment};
use crate::schema::{ArraySchema, Attribute, StoredField};
use crate::stats::{Metered, Stats, TileMeter};
use crate::tile::Cells;

/// The kind of a field.
#[derive(Clone, Debug)]
pub(super) enum FieldKind {
    /// An attribute. Older fragments may lack it.
    Attribute(Arc<Attribute>),
    /// A dimension by index.
    Dimension(usize),
    /// All coordinates of a cell, stored consecutively.
    Coordinates,
    /// The timestamp of a cell.
    Timestamps,
    /// The time or the index of the delete of a cell, as stored in its fragment.
    Noted,
    /// The time or the index of the delete of a cell, computed from the deletes of the read.
    Told,
}

/// A field of a read.
#[derive(Clone, Debug)]
pub(super) struct SparseField {
    pub(super) kind: FieldKind,
    /// The field in the latest schema.
    pub(super) stored: StoredField,
    /// The size of a value in bytes.
    pub(super) value_size: usize,
    /// The size in bytes of a cell, or of an offset for variable-length cells.
    pub(super) cell_size: usize,
}

impl SparseField {
    /// Returns a field by name.
    pub(super) fn new(schema: &ArraySchema, name: &str) -> Result<Self> {
        let stored = schema.stored_field(name);
        let stored = stored.or_else(|| FieldTiles::internal_field(schema, name));
        let kind = match (schema.attribute(name), schema.domain.dimension_index(name)) {
            (Some(attribute), _) => Some(FieldKind::Attribute(attribute.clone())),
            (None, Some(dim)) => Some(FieldKind::Dimension(dim)),
            (None, None) if name == COORDINATES => Some(FieldKind::Coordinates),
            (None, None) if name == TIMESTAMPS => Some(FieldKind::Timestamps),
            (None, None) if [DELETE_TIMESTAMPS, DELETE_CONDITIONS].contains(&name) => {
                Some(FieldKind::Told)
            }
            _ => None,
        };
        let (Some(stored), Some(kind)) = (stored, kind) else {
            let message = format!("Cannot read field '{name}'; the array has none of that name");
            return Err(Error::usage("Reader", message));
        };
        let cell_size = if stored.is_var() {
            8
        } else {
            stored.cell_size()
        };
        Ok(Self {
            kind,
            value_size: stored.value_size(),
            cell_size,
            stored,
        })
    }

    /// Returns the field for deletes as stored in fragments.
    pub(super) fn noted(schema: &ArraySchema, name: &str) -> Result<Self> {
        let field = Self::new(schema, name)?;
        Ok(Self {
            kind: FieldKind::Noted,
            ..field
        })
    }

    /// Returns whether the field is computed and not stored.
    pub(super) fn is_stored(&self) -> bool {
        matches!(self.kind, FieldKind::Told)
    }

    /// Returns whether cells have a variable length.
    pub(super) fn is_var(&self) -> bool {
        self.stored.is_var()
    }

    /// Returns whether cells may be null.
    pub(super) fn is_nullable(&self) -> bool {
        self.stored.nullable
    }

    /// Returns the fill value and its validity.
    pub(super) fn fill(&self) -> (&[u8], u8) {
        match &self.kind {
            FieldKind::Attribute(attribute) => (&attribute.fill_value, attribute.fill_validity),
            _ => (&[], 1),
        }
    }
}

/// The meters that count the tiles of a sparse read.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadMeters {
    attributes: Arc<TileMeter>,
    pub(super) coordinates: Arc<TileMeter>,
}

impl ReadMeters {
    /// Moves the counts to the statistics.
    pub(super) fn record(&self, stats: &Stats) {
        self.attributes.record(stats, Metered::Attributes);
        self.coordinates.record(stats, Metered::Coordinates);
    }

    /// Returns the meter for a field.
    fn of(&self, kind: &FieldKind) -> &Arc<TileMeter> {
        match kind {
            FieldKind::Dimension(_) | FieldKind::Coordinates => &self.coordinates,
            _ => &self.attributes,
        }
    }
}

/// A fragment of a read and its tiles of the fields.
#[derive(Debug)]
pub(super) struct ReadSource {
    pub(super) fragment: Arc<Fragment>,
    /// Whether some of its cells may be outside the time range.
    pub(super) timed: bool,
    /// The tiles by field; `None` if the fragment was written without it.
    fields: Vec<OnceLock<Option<FieldTiles>>>,
    /// The tiles of combined coordinates.
    coordinates: OnceLock<Option<FieldTiles>>,
    pub(super) meters: ReadMeters,
    /// The number of tiles whose offsets are in memory at once, if not all are.
    pub(super) window: Option<usize>,
}

impl ReadSource {
    pub(super) fn new(
        fragment: Arc<Fragment>,
        timed: bool,
        fields: usize,
        meters: &ReadMeters,
    ) -> Self {
        Self {
            fragment,
            timed,
            fields: (0..fields).map(|_| OnceLock::new()).collect(),
            coordinates: OnceLock::new(),
            meters: meters.clone(),
            window: None,
        }
    }

    /// Returns whether the coordinates are stored together.
    pub(super) fn is_zipped(&self) -> bool {
        self.fragment.version() < v::SPLIT_DIMENSIONS
    }

    /// Returns the number of cells of a tile.
    pub(super) fn cell_num(&self, tile: u64) -> Result<usize> {
        let cells = if tile + 1 == self.fragment.tile_num() {
            self.fragment.last_tile_cell_num()
        } else {
            self.fragment.schema().capacity
        };
        // The number of cells of a tile has 32 bits.
        match u32::try_from(cells) {
            Ok(cells) => Ok(cells as usize),
            Err(_) => Err(Error::out_of_memory("a tile", cells)),
        }
    }

    /// Returns the tiles of a field, or `None` if the fragment was written without it or with
    /// combined coordinates.
    pub(super) fn tiles(&self, index: usize, field: &SparseField) -> Result<Option<&FieldTiles>> {
        let Some(slot) = self.fields.get(index) else {
            return Ok(None);
        };
        if let Some(known) = slot.get() {
            return Ok(known.as_ref());
        }
        let found = if field.is_stored() {
            None
        } else {
            FieldTiles::open(&self.fragment, &field.stored)?
        };
        if found.is_none() && matches!(field.kind, FieldKind::Dimension(_)) && !self.is_zipped() {
            let problem = format!("of dimension '{}' are missing", field.stored.name);
            return Err(
                Error::corrupt("fragment", "coordinates", 0, problem).with_uri(self.fragment.uri())
            );
        }
        let meter = self.meters.of(&field.kind);
        let found = found.map(|tiles| tiles.metered(meter).with_windows(self.window));
        Ok(slot.get_or_init(|| found).as_ref())
    }

    /// Returns the coordinates of a tile of a fragment with combined coordinates: all of the first
    /// dimension, then all of the second, and so on.
    pub(super) fn zipped(&self, tile: u64, cell_num: usize) -> Result<Cells> {
        let known = match self.coordinates.get() {
            Some(known) => known,
            None => {
                let stored = self.fragment.schema().stored_field(COORDINATES);
                let found = match &stored {
                    Some(stored) => FieldTiles::open(&self.fragment, stored)?,
                    None => None,
                };
                let meter = &self.meters.coordinates;
                let found = found.map(|tiles| tiles.metered(meter).with_windows(self.window));
                self.coordinates.get_or_init(|| found)
            }
        };
        let Some(tiles) = known else {
            let problem = "are missing";
            return Err(
                Error::corrupt("fragment", "coordinates", 0, problem).with_uri(self.fragment.uri())
            );
        };
        let mut cells = Cells::default();
        tiles.cells(&self.fragment, tile, cell_num, &mut cells)?;
        let schema = self.fragment.schema();
        // Coordinates are stored by dimension if there is a compressor.
        let filters = &schema.coords_filters.filters;
        let compressed = filters
            .iter()
            .any(|filter| matches!(filter, Filter::Compression(_)));
        if self.fragment.version() < v::COORDINATES_UNZIPPED && !compressed {
            cells.data = unzip(&cells.data, schema.dim_num(), cell_num);
        }
        Ok(cells)
    }
}

/// Converts coordinates from cell order to dimension order.
fn unzip(cells: &[u8], dim_num: usize, cell_num: usize) -> Vec<u8> {
    let mut columns = Vec::with_capacity(cells.len());
    let size = cells.len() / (dim_num * cell_num).max(1);
    for dim in 0..dim_num {
        for cell in cells.chunks_exact((dim_num * size).max(1)) {
            columns.extend_from_slice(&cell[dim * size..(dim + 1) * size]);
        }
    }
    columns
}
