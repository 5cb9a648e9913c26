//! The fields of a sparse read: those that the caller wants, and those that only decide.

use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::format::names::{COORDINATES, DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS};
use crate::format::version as v;
use crate::fragment::{FieldTiles, Fragment};
use crate::schema::{ArraySchema, Attribute, StoredField};
use crate::stats::{Metered, Stats, TileMeter};
use crate::tile::Cells;

/// What a field is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// An attribute; older fragments may lack it.
    Attribute(Arc<Attribute>),
    /// A dimension, by index.
    Dimension(usize),
    /// All coordinates of a cell, one after the other.
    Coordinates,
    /// When a cell was written.
    Timestamps,
    /// When a cell was deleted, or by what, as its fragment noted it.
    Noted,
    /// The same as the deletes of the read tell it.
    Told,
}

/// A field of a read.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) kind: Kind,
    /// As the latest schema has it.
    pub(super) stored: StoredField,
    /// The bytes of a value.
    pub(super) value_size: usize,
    /// The bytes of a cell; of an offset where cells vary in length.
    pub(super) cell_size: usize,
}

impl Field {
    /// A field by name.
    pub(super) fn new(schema: &ArraySchema, name: &str) -> Result<Self> {
        let stored = schema.stored_field(name);
        let stored = stored.or_else(|| FieldTiles::internal_field(schema, name));
        let kind = match (schema.attribute(name), schema.domain.dimension_index(name)) {
            (Some(attribute), _) => Some(Kind::Attribute(attribute.clone())),
            (None, Some(dim)) => Some(Kind::Dimension(dim)),
            (None, None) if name == COORDINATES => Some(Kind::Coordinates),
            (None, None) if name == TIMESTAMPS => Some(Kind::Timestamps),
            (None, None) if [DELETE_TIMESTAMPS, DELETE_CONDITIONS].contains(&name) => {
                Some(Kind::Told)
            }
            _ => None,
        };
        let (Some(stored), Some(kind)) = (stored, kind) else {
            let message = format!("Cannot read field '{name}'; the array has none of that name");
            return Err(Error::usage("Reader", message));
        };
        let cell_size = match stored.is_var() {
            true => 8,
            false => stored.cell_size(),
        };
        Ok(Self {
            kind,
            value_size: stored.value_size(),
            cell_size,
            stored,
        })
    }

    /// When cells were deleted, or by what, as fragments noted it.
    pub(super) fn noted(schema: &ArraySchema, name: &str) -> Result<Self> {
        let field = Self::new(schema, name)?;
        Ok(Self {
            kind: Kind::Noted,
            ..field
        })
    }

    /// Whether no fragment keeps it.
    pub(super) fn is_told(&self) -> bool {
        matches!(self.kind, Kind::Told)
    }

    /// Whether cells vary in length.
    pub(super) fn is_var(&self) -> bool {
        self.stored.is_var()
    }

    /// Whether cells may be null.
    pub(super) fn is_nullable(&self) -> bool {
        self.stored.nullable
    }

    /// The cell that stands for those that nobody wrote, and whether it is valid.
    pub(super) fn fill(&self) -> (&[u8], u8) {
        match &self.kind {
            Kind::Attribute(attribute) => (&attribute.fill_value, attribute.fill_validity),
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
    fn of(&self, kind: &Kind) -> &Arc<TileMeter> {
        match kind {
            Kind::Dimension(_) | Kind::Coordinates => &self.coordinates,
            _ => &self.attributes,
        }
    }
}

/// A fragment of a read, and where it keeps the fields.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) fragment: Arc<Fragment>,
    /// Whether some of its cells may lie outside of the time range.
    pub(super) timed: bool,
    /// By field; `None` where the fragment was written without it.
    fields: Vec<OnceLock<Option<FieldTiles>>>,
    /// Coordinates that are stored together.
    coordinates: OnceLock<Option<FieldTiles>>,
    pub(super) meters: ReadMeters,
    /// The number of tiles whose offsets are in memory at once, if not all are.
    pub(super) window: Option<usize>,
}

impl Source {
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

    /// Whether its coordinates are stored together.
    pub(super) fn is_zipped(&self) -> bool {
        self.fragment.version() < v::SPLIT_DIMENSIONS
    }

    /// The number of cells of a tile.
    pub(super) fn cell_num(&self, tile: u64) -> Result<usize> {
        let cells = match tile + 1 == self.fragment.tile_num() {
            true => self.fragment.last_tile_cell_num(),
            false => self.fragment.schema().capacity,
        };
        // Cells of a tile are counted in 32 bits.
        match u32::try_from(cells) {
            Ok(cells) => Ok(cells as usize),
            Err(_) => Err(Error::out_of_memory("a tile", cells)),
        }
    }

    /// Where the fragment keeps a field; `None` where it was written without it, or with
    /// coordinates together.
    pub(super) fn tiles(&self, at: usize, field: &Field) -> Result<Option<&FieldTiles>> {
        let Some(place) = self.fields.get(at) else {
            return Ok(None);
        };
        if let Some(known) = place.get() {
            return Ok(known.as_ref());
        }
        let found = match field.is_told() {
            true => None,
            false => FieldTiles::open(&self.fragment, &field.stored)?,
        };
        if found.is_none() && matches!(field.kind, Kind::Dimension(_)) && !self.is_zipped() {
            let problem = format!("of dimension '{}' are missing", field.stored.name);
            return Err(
                Error::corrupt("fragment", "coordinates", 0, problem).with_uri(self.fragment.uri())
            );
        }
        let meter = self.meters.of(&field.kind);
        let found = found.map(|tiles| tiles.metered(meter).with_windows(self.window));
        Ok(place.get_or_init(|| found).as_ref())
    }

    /// The coordinates of a tile of a fragment that stores them together: all of the first
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
        // Only a compressor had them by dimension from the first version on.
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

/// Coordinates cell by cell, put dimension after dimension.
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
