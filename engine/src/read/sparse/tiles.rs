//! The tiles of a read in memory, and loading of their fields.

use std::sync::{Arc, OnceLock};

use super::deletes::Deletes;
use super::fields::{FieldKind, ReadSource, SparseField};
use super::ranges::RangeFilter;
use crate::condition::BoundCondition;
use crate::error::{Error, Result, reserve, try_vec};
use crate::fragment::{Announcement, CoordinateCache, CoordinateKey};
use crate::geometry::{Coordinates, PackedColumn};
use crate::tile::Cells;
use crate::types::TimeRange;

/// The shared, immutable input of all stages of a read.
#[derive(Debug)]
pub(super) struct Input {
    /// The fields to deliver first, then those that only select cells.
    pub(super) fields: Vec<SparseField>,
    /// The number of fields to deliver.
    pub(super) outputs: usize,
    /// The index of the field of each dimension.
    pub(super) dims: Vec<usize>,
    /// The index of the field of timestamps, if timestamps select cells.
    pub(super) times: Option<usize>,
    /// The fragments, oldest first.
    pub(super) sources: Vec<ReadSource>,
    pub(super) range_filter: RangeFilter,
    pub(super) condition: Option<Conditioned>,
    pub(super) deletes: Deletes,
    /// Cells written outside this range are not visible.
    pub(super) time_range: TimeRange,
    /// The cache of compared coordinates, and its maximum size in bytes.
    kept: Arc<CoordinateCache>,
    kept_bytes: usize,
    /// The maximum size in bytes of unused cell buffers that are kept for reuse.
    spare_bytes: usize,
}

/// A condition, and the fields it looks at.
#[derive(Debug)]
pub(super) struct Conditioned {
    pub(super) condition: BoundCondition,
    pub(super) fields: Vec<usize>,
}

/// The fraction of the memory budget for unused cell buffers.
const SPARE_SHARE: u64 = 32;
/// The maximum size in bytes of packed coordinates that are cached while the array is open, and
/// their fraction of the memory budget.
const KEPT_BYTES: usize = 8 << 20;
const KEPT_SHARE: u64 = 32;

/// A tile of a fragment, and the fields that are in memory.
#[derive(Debug)]
pub(super) struct Tile {
    /// The index of the fragment in the read.
    pub(super) source: usize,
    /// The index of the tile in the fragment.
    pub(super) tile: u64,
    pub(super) cell_num: usize,
    /// The number of its cells that are not delivered yet.
    pub(super) waiting: usize,
    /// The cells by field.
    columns: Vec<OnceLock<Cells>>,
    /// By field: the starts of the values of cells, if the values are not in memory.
    starts: Vec<OnceLock<Vec<u64>>>,
    /// The packed coordinates by dimension.
    narrow: Vec<OnceLock<Arc<PackedColumn>>>,
    /// The tiles of combined coordinates.
    zipped: OnceLock<Cells>,
}

impl Tile {
    pub(super) fn new(input: &Input, source: usize, tile: u64) -> Result<Self> {
        Ok(Self {
            source,
            tile,
            cell_num: input.sources[source].cell_num(tile)?,
            waiting: 0,
            columns: (0..input.fields.len()).map(|_| OnceLock::new()).collect(),
            starts: (0..input.fields.len()).map(|_| OnceLock::new()).collect(),
            narrow: input.dims.iter().map(|_| OnceLock::new()).collect(),
            zipped: OnceLock::new(),
        })
    }

    /// Returns the cells of a field if they are in memory.
    pub(super) fn loaded(&self, field: usize) -> Option<&Cells> {
        self.columns[field].get()
    }

    /// Returns the starts of the values of a field, and the end of the last one, if they are in
    /// memory.
    pub(super) fn known_starts(&self, field: usize) -> Option<&[u64]> {
        let columns = self.columns[field].get().map(|cells| &cells.starts);
        columns.or(self.starts[field].get()).map(Vec::as_slice)
    }

    /// Returns the packed coordinates of a dimension if they are in memory.
    pub(super) fn narrow(&self, dim: usize) -> Option<&PackedColumn> {
        self.narrow[dim].get().map(|column| &**column)
    }

    /// Returns the size of its cells in memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let columns = self.columns.iter().filter_map(OnceLock::get);
        let columns = columns.chain(self.zipped.get()).map(Cells::memory);
        let starts = self.starts.iter().filter_map(OnceLock::get);
        let narrow = self.narrow.iter().filter_map(OnceLock::get);
        columns.sum::<usize>()
            + starts.map(|starts| 8 * starts.capacity()).sum::<usize>()
            + narrow.map(|column| column.memory()).sum::<usize>()
    }
}

impl Input {
    pub(super) fn new(
        fields: Vec<SparseField>,
        outputs: usize,
        sources: Vec<ReadSource>,
        range_filter: RangeFilter,
        condition: Option<BoundCondition>,
        deletes: Deletes,
        time_range: TimeRange,
    ) -> Self {
        let is_dim = |dim: usize| move |field: &SparseField| matches!(field.kind, FieldKind::Dimension(other) if other == dim);
        let dims = (0..).map_while(|dim| fields.iter().position(is_dim(dim)));
        let of_condition = |condition: BoundCondition| {
            let names = condition.fields().iter();
            let slots =
                names.filter_map(|name| fields.iter().position(|field| field.stored.name == *name));
            let slots = slots.collect();
            Conditioned {
                condition,
                fields: slots,
            }
        };
        let is_time = |field: &SparseField| matches!(field.kind, FieldKind::Timestamps);
        Self {
            dims: dims.collect(),
            times: fields.iter().position(is_time),
            condition: condition.map(of_condition),
            deletes,
            fields,
            outputs,
            sources,
            range_filter,
            time_range,
            kept: Arc::default(),
            kept_bytes: KEPT_BYTES,
            spare_bytes: usize::MAX,
        }
    }

    /// Sets the cache of coordinates and the memory budget of the read in bytes.
    pub(super) fn keep(&mut self, kept: &Arc<CoordinateCache>, budget: u64) {
        self.kept = kept.clone();
        self.kept_bytes = (budget / KEPT_SHARE).min(KEPT_BYTES as u64) as usize;
        self.spare_bytes = usize::try_from(budget / SPARE_SHARE).unwrap_or(usize::MAX);
    }

    /// Returns the packed coordinates of a dimension of a tile, which are stored with the tile.
    /// `None` if they cannot be packed, or are in memory in another form.
    pub(super) fn narrow<'t>(
        &self,
        tile: &'t Tile,
        dim: usize,
    ) -> Result<Option<&'t PackedColumn>> {
        let field_index = self.dims[dim];
        if let Some(known) = tile.narrow(dim) {
            return Ok(Some(known));
        }
        let (source, field) = (&self.sources[tile.source], &self.fields[field_index]);
        if field.is_var() || tile.loaded(field_index).is_some() {
            return Ok(None);
        }
        let Some(stored) = source.tiles(field_index, field)? else {
            return Ok(None);
        };
        let cache_key = CoordinateKey {
            fragment: tile.source,
            tile: tile.tile,
            dim,
        };
        let column = match self.kept.get(&cache_key) {
            Some(column) => column,
            None => {
                let physical = field.stored.datatype.physical();
                let column =
                    stored.packed_column(&source.fragment, tile.tile, tile.cell_num, physical)?;
                let column = Arc::new(column);
                self.kept
                    .put(cache_key, column.clone(), column.memory(), self.kept_bytes);
                column
            }
        };
        Ok(Some(tile.narrow[dim].get_or_init(|| column)))
    }

    /// Returns the starts of the values of a variable-length field of a tile, and the end of the
    /// last one.
    pub(super) fn starts<'t>(&self, tile: &'t Tile, field_index: usize) -> Result<&'t [u64]> {
        if let Some(known) = tile.known_starts(field_index) {
            return Ok(known);
        }
        let (source, field) = (&self.sources[tile.source], &self.fields[field_index]);
        match source
            .tiles(field_index, field)?
            .filter(|tiles| !tiles.includes_offsets())
        {
            Some(tiles) => {
                let mut starts = Vec::new();
                tiles.all_starts(&source.fragment, tile.tile, tile.cell_num, &mut starts)?;
                Ok(tile.starts[field_index].get_or_init(|| starts))
            }
            None => Ok(&self.column(tile, field_index)?.starts),
        }
    }

    /// Loads the stored bytes of tiles, if reading them one by one would cost a request each.
    pub(super) fn announce(&self, tiles: &[Tile]) -> Result<()> {
        let Some(first) = self
            .sources
            .first()
            .filter(|source| source.fragment.is_remote())
        else {
            return Ok(());
        };
        let mut announcement = Announcement::default();
        for tile in tiles {
            let source = &self.sources[tile.source];
            for (field_index, field) in self.fields.iter().enumerate() {
                if let Some(stored) = source.tiles(field_index, field)? {
                    announcement.add(&source.fragment, stored, tile.tile)?;
                }
            }
        }
        announcement.load(&first.fragment)
    }

    /// Returns the cells of a field of a tile, which are stored with the tile.
    pub(super) fn column<'t>(&self, tile: &'t Tile, field: usize) -> Result<&'t Cells> {
        if let Some(cells) = tile.columns[field].get() {
            return Ok(cells);
        }
        let mut cells = self.spare(tile, field)?;
        self.load(tile, field, &mut cells)?;
        Ok(tile.columns[field].get_or_init(|| cells))
    }

    /// Loads the cells of a field of a tile.
    pub(super) fn load(&self, tile: &Tile, field_index: usize, to: &mut Cells) -> Result<()> {
        let (source, field) = (&self.sources[tile.source], &self.fields[field_index]);
        if let FieldKind::Dimension(dim) = field.kind
            && let Some(narrow) = tile.narrow(dim)
        {
            to.clear();
            to.data = try_vec("a tile", tile.cell_num.saturating_mul(field.cell_size))?;
            narrow.write(0..tile.cell_num, &mut to.data);
            return Ok(());
        }
        if let Some(tiles) = source.tiles(field_index, field)? {
            return tiles.cells(&source.fragment, tile.tile, tile.cell_num, to);
        }
        to.clear();
        match field.kind {
            FieldKind::Dimension(dim) => {
                let zipped = match tile.zipped.get() {
                    Some(zipped) => zipped,
                    None => {
                        let zipped = source.zipped(tile.tile, tile.cell_num)?;
                        tile.zipped.get_or_init(|| zipped)
                    }
                };
                let len = field.cell_size * tile.cell_num;
                let column = zipped.data.get(dim * len..(dim + 1) * len);
                to.data.extend_from_slice(column.unwrap_or_default());
                Ok(())
            }
            FieldKind::Timestamps => {
                let field_index = source.fragment.timestamps().start.to_le_bytes();
                reserve("times of cells", &mut to.data, 8 * tile.cell_num)?;
                to.data
                    .extend(field_index.iter().cycle().take(8 * tile.cell_num));
                Ok(())
            }
            FieldKind::Attribute(_) => fill(field, tile.cell_num, to),
            FieldKind::Told => self.deletes.tell(self, tile, &field.stored.name, to),
            FieldKind::Noted => Err(Error::usage(
                "Reader",
                format!(
                    "Fragment '{}' lacks its delete metadata",
                    source.fragment.uri()
                ),
            )),
            FieldKind::Coordinates => Err(Error::usage(
                "Reader",
                "Coordinates are made of those of the dimensions",
            )),
        }
    }

    /// Returns the coordinates of a tile that are in memory, by dimension; empty columns for the
    /// others.
    pub(super) fn coordinates<'t>(&self, tile: &'t Tile) -> Vec<Coordinates<'t>> {
        let columns = self.dims.iter().map(|field| tile.loaded(*field));
        columns
            .map(|cells| cells.map_or(Coordinates::fixed(&[]), coordinates))
            .collect()
    }

    /// Returns the size of the coordinates of a tile in memory in bytes.
    pub(super) fn coordinates_size(&self, tile: &Tile) -> Result<u64> {
        let mut bytes = 0u64;
        for field in &self.dims {
            bytes =
                bytes.saturating_add(self.size(tile.source, tile.tile, tile.cell_num, *field)?);
        }
        Ok(bytes)
    }

    /// Drops the cells of a tile. Their memory is reused.
    pub(super) fn forget(&self, tile: &mut Tile) {
        for column in &mut tile.columns {
            if let Some(cells) = column.take() {
                cells.into_pool(self.spare_bytes);
            }
        }
        tile.zipped = OnceLock::new();
        tile.starts
            .iter_mut()
            .for_each(|starts| drop(starts.take()));
        tile.narrow
            .iter_mut()
            .for_each(|column| drop(column.take()));
    }

    /// Returns a reused buffer for the cells of a field of a tile, if one is available.
    fn spare(&self, tile: &Tile, field_index: usize) -> Result<Cells> {
        let (cells, field) = (tile.cell_num, &self.fields[field_index]);
        Ok(if field.is_var() {
            let data = self.var_bytes(tile.source, tile.tile, cells, field_index)?;
            Cells::from_pool(usize::try_from(data).unwrap_or(usize::MAX), cells + 1)
        } else {
            Cells::from_pool(cells.saturating_mul(field.cell_size), 0)
        })
    }

    /// Returns the size in bytes of a field of a tile in memory.
    pub(super) fn size(
        &self,
        source: usize,
        tile: u64,
        cell_num: usize,
        field_index: usize,
    ) -> Result<u64> {
        let field = &self.fields[field_index];
        let cells = cell_num as u64;
        let fixed = cells.saturating_mul(field.cell_size as u64 + u64::from(field.is_nullable()));
        if !field.is_var() {
            return Ok(fixed);
        }
        Ok(fixed.saturating_add(self.var_bytes(source, tile, cell_num, field_index)?))
    }

    /// Returns the size in bytes of the variable-length values of a tile from the metadata.
    pub(super) fn var_bytes(
        &self,
        source: usize,
        tile: u64,
        cell_num: usize,
        field_index: usize,
    ) -> Result<u64> {
        let (source, field) = (&self.sources[source], &self.fields[field_index]);
        match source.tiles(field_index, field)? {
            Some(tiles) => Ok(tiles.var_size(&source.fragment, tile)? as u64),
            None => Ok((cell_num as u64).saturating_mul(field.fill().0.len() as u64)),
        }
    }
}

/// Returns cells as coordinates.
pub(super) fn coordinates(cells: &Cells) -> Coordinates<'_> {
    match cells.as_ref().starts {
        Some(starts) => Coordinates::texts(&cells.data, starts),
        None => Coordinates::fixed(&cells.data),
    }
}

/// Returns cells with the fill value.
fn fill(field: &SparseField, cell_num: usize, to: &mut Cells) -> Result<()> {
    let (value, validity) = field.fill();
    let len = value.len().saturating_mul(cell_num);
    let mut data: Vec<u8> = try_vec("fill values", len)?;
    for cell in data.chunks_exact_mut(value.len().max(1)) {
        cell.copy_from_slice(value);
    }
    to.data = data;
    if field.is_var() {
        to.starts.clear();
        reserve("offsets of fill values", &mut to.starts, cell_num + 1)?;
        let starts = (0..=cell_num as u64).map(|cell| cell * value.len() as u64);
        to.starts.extend(starts);
    }
    if field.is_nullable() {
        reserve("validity of fill values", &mut to.validity, cell_num)?;
        to.validity.resize(cell_num, validity);
    }
    Ok(())
}
