//! A tile in memory, and the loader of its columns: from storage, from the cache of coordinates, or
//! from fill values.

use std::sync::{Arc, OnceLock};

use super::fields::{FieldKind, FieldTable, FragmentSource, ReadMeters, SparseField};
use crate::condition::FieldStatistics;
use crate::error::{ReadError, Result, reserve, try_vec};
use crate::fragment::{Announcement, CoordinateCache, CoordinateKey, Fragment};
use crate::geometry::{Coordinates, PackedColumn};
use crate::memory::WorkspaceGuard;
use crate::memory::tuning::{CELL_POOL_SHARE, COORDINATE_CACHE_SHARE, MAX_COORDINATE_CACHE_BYTES};
use crate::tile::Cells;

/// The fragments and fields of a read, from which the columns of tiles are loaded. Shared by all
/// stages and threads.
#[derive(Debug)]
pub(crate) struct TileLoader {
    pub(crate) fields: FieldTable,
    /// The fragments, oldest first.
    pub(crate) sources: Vec<FragmentSource>,
    /// The coordinates that were compared with ranges, and their maximum size in bytes.
    coordinate_cache: Arc<CoordinateCache>,
    cache_bytes: usize,
    /// The maximum size in bytes of the buffer pool after a tile was released.
    pool_bytes: usize,
}

impl TileLoader {
    pub(crate) fn new(fields: FieldTable, sources: Vec<FragmentSource>) -> Self {
        Self {
            fields,
            sources,
            coordinate_cache: Arc::default(),
            cache_bytes: MAX_COORDINATE_CACHE_BYTES,
            pool_bytes: usize::MAX,
        }
    }

    /// Sets the cache of coordinates and the memory budget of the read in bytes.
    pub(crate) fn with_cache(self, cache: &Arc<CoordinateCache>, budget: u64) -> Self {
        Self {
            coordinate_cache: cache.clone(),
            cache_bytes: (budget / COORDINATE_CACHE_SHARE).min(MAX_COORDINATE_CACHE_BYTES as u64)
                as usize,
            pool_bytes: usize::try_from(budget / CELL_POOL_SHARE).unwrap_or(usize::MAX),
            ..self
        }
    }

    /// Returns a tile without columns in memory.
    pub(crate) fn tile(&self, source: usize, index: u64) -> Result<Tile> {
        let cell_num = self.sources[source].cell_num(index)?;
        let (field_num, dim_num) = (self.fields.len(), self.fields.dims.len());
        Ok(Tile::new(source, index, cell_num, field_num, dim_num))
    }

    /// Drops the columns of a tile. Their memory is reused.
    pub(crate) fn release(&self, tile: &mut Tile) {
        tile.release(self.pool_bytes);
    }

    /// Drops the cells of a field of a tile, which can be loaded again.
    pub(crate) fn release_field(&self, tile: &mut Tile, field: usize) {
        tile.release_field(field, self.pool_bytes);
    }

    /// Returns the statistics of some fields of a tile.
    pub(crate) fn statistics(
        &self,
        tile: &Tile,
        fields: &[usize],
    ) -> Result<Vec<FieldStatistics<'_>>> {
        let source = &self.sources[tile.source];
        let mbr = source.fragment.mbr(tile.index)?;
        let mut statistics = Vec::with_capacity(fields.len());
        for index in fields {
            let field = &self.fields[*index];
            let stored = source.tiles(*index, field)?;
            statistics.push(match (&field.kind, stored) {
                (FieldKind::Dimension(dim), _) => FieldStatistics {
                    min_max: mbr
                        .get(*dim)
                        .filter(|range| !range.is_var())
                        .map(|range| (range.start(), range.end())),
                    null_count: Some(0),
                },
                (_, Some(stored)) => FieldStatistics::of_tile(stored, tile.index),
                (_, None) => {
                    FieldStatistics::of_fill_value(field.fill_value(), tile.cell_num as u64)
                }
            });
        }
        Ok(statistics)
    }

    /// Returns whether the fragment of a tile stores a field as tiles of its own.
    pub(crate) fn is_stored(&self, tile: &Tile, field: usize) -> Result<bool> {
        let stored = self.sources[tile.source].tiles(field, &self.fields[field])?;
        Ok(stored.is_some())
    }

    /// Returns the packed coordinates of a dimension of a tile, which are stored with the tile.
    /// `None` if they cannot be packed, or are in memory in another form.
    pub(crate) fn packed_column<'t>(
        &self,
        tile: &'t Tile,
        dim: usize,
    ) -> Result<Option<&'t PackedColumn>> {
        let index = self.fields.dims[dim];
        if let Some(column) = tile.packed(dim) {
            return Ok(Some(column));
        }
        let (source, field) = (&self.sources[tile.source], &self.fields[index]);
        if field.stored.cells.is_var() || tile.loaded(index).is_some() {
            return Ok(None);
        }
        let Some(stored) = source.tiles(index, field)? else {
            return Ok(None);
        };
        let key = CoordinateKey {
            fragment: tile.source,
            tile: tile.index,
            dim,
        };
        let column = match self.coordinate_cache.get(&key) {
            Some(column) => column,
            None => {
                let physical = field.stored.cells.datatype.physical();
                let column = stored.packed_column(tile.index, tile.cell_num, physical)?;
                let column = Arc::new(column);
                let (bytes, limit) = (column.memory(), self.cache_bytes);
                self.coordinate_cache.put(key, column.clone(), bytes, limit);
                column
            }
        };
        Ok(Some(tile.packed[dim].get_or_init(|| column)))
    }

    /// Returns the starts of the values of a variable-length field of a tile, and the end of the
    /// last one.
    pub(crate) fn starts<'t>(&self, tile: &'t Tile, index: usize) -> Result<&'t [u64]> {
        if let Some(starts) = tile.loaded_starts(index) {
            return Ok(starts);
        }
        let (source, field) = (&self.sources[tile.source], &self.fields[index]);
        let stored = source.tiles(index, field)?;
        match stored.filter(|tiles| !tiles.includes_offsets()) {
            Some(tiles) => {
                let mut starts = Vec::new();
                tiles.all_starts(tile.index, tile.cell_num, &mut starts)?;
                Ok(tile.starts[index].get_or_init(|| starts))
            }
            None => Ok(&self.column(tile, index)?.starts),
        }
    }

    /// Calls `body` with the starts of the values of a variable-length field of a tile, and the end
    /// of the last one. They are not kept if they are not in memory.
    pub(crate) fn with_starts<T>(
        &self,
        tile: &Tile,
        index: usize,
        body: impl FnOnce(&[u64]) -> Result<T>,
    ) -> Result<T> {
        if let Some(starts) = tile.loaded_starts(index) {
            return body(starts);
        }
        let stored = self.sources[tile.source].tiles(index, &self.fields[index])?;
        let mut cells = WorkspaceGuard::<Cells>::default();
        match stored.filter(|tiles| !tiles.includes_offsets()) {
            Some(tiles) => tiles.all_starts(tile.index, tile.cell_num, &mut cells.starts)?,
            None => self.load(tile, index, &mut cells)?,
        }
        body(&cells.starts)
    }

    /// Returns whether reads of tiles send requests.
    pub(crate) fn is_remote(&self) -> bool {
        let first = self.sources.first();
        first.is_some_and(|source| source.fragment.is_remote())
    }

    /// Begins to load the stored bytes of the first of these tiles, as many as form a group, if
    /// reading them one by one would cost a request each. Returns their number. Tiles are given by
    /// source and index. `is_read` accepts the fields of a tile, which it gets by its position.
    pub(crate) fn prefetch_group(
        &self,
        tiles: impl Iterator<Item = (usize, u64)>,
        is_read: impl Fn(usize, usize) -> bool,
    ) -> Result<usize> {
        let mut number = 0;
        let Some(first) = self.sources.first().filter(|_| self.is_remote()) else {
            return Ok(number);
        };
        let mut announcement = Announcement::default();
        for (source, tile) in tiles {
            if announcement.is_full() {
                break;
            }
            let source = &self.sources[source];
            for (index, field) in self.fields.iter().enumerate() {
                if is_read(number, index)
                    && let Some(stored) = source.tiles(index, field)?
                {
                    announcement.add(stored, tile, |_| true)?;
                }
            }
            number += 1;
        }
        announcement.load(&first.fragment)?;
        Ok(number)
    }

    /// Begins to load the stored bytes of tiles if reading them one by one would cost a request
    /// each: of the fields that `is_read` accepts for the index of a tile in `tiles`.
    pub(crate) fn prefetch(
        &self,
        tiles: &[Tile],
        is_read: impl Fn(usize, usize) -> bool,
    ) -> Result<()> {
        let mut first = 0;
        while self.is_remote() && first < tiles.len() {
            let rest = tiles.get(first..).unwrap_or_default().iter();
            first += self.prefetch_group(
                rest.map(|tile| (tile.source, tile.index)),
                |position, field| is_read(first + position, field),
            )?;
        }
        Ok(())
    }

    /// Returns whether the packed coordinates of a dimension of a tile are in memory.
    pub(crate) fn has_packed(&self, tile: &Tile, dim: usize) -> bool {
        let key = CoordinateKey {
            fragment: tile.source,
            tile: tile.index,
            dim,
        };
        tile.packed(dim).is_some() || self.coordinate_cache.get(&key).is_some()
    }

    /// Returns the cells of a field of a tile, which are stored with the tile.
    pub(crate) fn column<'t>(&self, tile: &'t Tile, field: usize) -> Result<&'t Cells> {
        if let Some(cells) = tile.columns[field].get() {
            return Ok(cells);
        }
        let mut cells = self.pooled_cells(tile, field)?;
        self.load(tile, field, &mut cells)?;
        Ok(tile.columns[field].get_or_init(|| cells))
    }

    /// Loads the cells of a field of a tile.
    pub(crate) fn load(&self, tile: &Tile, index: usize, to: &mut Cells) -> Result<()> {
        let (source, field) = (&self.sources[tile.source], &self.fields[index]);
        if let FieldKind::Dimension(dim) = field.kind
            && let Some(packed) = tile.packed(dim)
        {
            to.clear();
            to.data = try_vec("a tile", tile.cell_num.saturating_mul(field.cell_size))?;
            packed.write(0..tile.cell_num, &mut to.data);
            return Ok(());
        }
        if let Some(tiles) = source.tiles(index, field)? {
            return tiles.cells(tile.index, tile.cell_num, to);
        }
        to.clear();
        match field.kind {
            FieldKind::Dimension(dim) => {
                let combined = match tile.combined.get() {
                    Some(combined) => combined,
                    None => {
                        let combined = source.combined_coordinates(tile.index, tile.cell_num)?;
                        tile.combined.get_or_init(|| combined)
                    }
                };
                let len = field.cell_size * tile.cell_num;
                let column = combined.data.get(dim * len..(dim + 1) * len);
                to.data.extend_from_slice(column.unwrap_or_default());
                Ok(())
            }
            FieldKind::Timestamps => {
                let time = source.fragment.timestamps().start.to_le_bytes();
                reserve("times of cells", &mut to.data, 8 * tile.cell_num)?;
                to.data.extend(time.iter().cycle().take(8 * tile.cell_num));
                Ok(())
            }
            FieldKind::Attribute(_) => to.fill(field.fill_value(), tile.cell_num),
            FieldKind::ComputedDelete => Err(ReadError::ComputedDeletes.into()),
            FieldKind::StoredDelete => Err(ReadError::NoDeletes {
                uri: source.fragment.uri().to_string(),
            }
            .into()),
            FieldKind::Coordinates => Err(ReadError::ComputedCoordinates.into()),
        }
    }

    /// Returns the coordinates of a tile that are in memory, by dimension; empty columns for the
    /// others.
    pub(crate) fn coordinates<'t>(&self, tile: &'t Tile) -> Vec<Coordinates<'t>> {
        self.fields
            .dims
            .iter()
            .map(|field| tile.loaded(*field))
            .map(|cells| cells.map_or(Coordinates::fixed(&[]), Cells::coordinates))
            .collect()
    }

    /// Returns the size of the coordinates of a tile in memory in bytes.
    pub(crate) fn coordinates_size(&self, tile: &Tile) -> Result<u64> {
        let mut bytes = 0u64;
        for field in &self.fields.dims {
            bytes = bytes.saturating_add(self.size(tile, *field)?);
        }
        Ok(bytes)
    }

    /// Returns about how many bytes fields of tiles have in memory, without the values of
    /// variable-length cells.
    pub(crate) fn fixed_bytes<'t>(
        &self,
        tiles: impl IntoIterator<Item = &'t Tile>,
        fields: impl IntoIterator<Item = usize>,
    ) -> u64 {
        let sizes = fields.into_iter().map(|field| self.fields[field].cell_size);
        let cells = tiles
            .into_iter()
            .map(|tile| tile.cell_num as u64)
            .fold(0, u64::saturating_add);
        cells.saturating_mul(sizes.sum::<usize>() as u64)
    }

    /// Returns a reused buffer for the cells of a field of a tile, if one is available.
    fn pooled_cells(&self, tile: &Tile, index: usize) -> Result<Cells> {
        let (cells, field) = (tile.cell_num, &self.fields[index]);
        Ok(if field.stored.cells.is_var() {
            let data = self.var_bytes(tile, index)?;
            Cells::from_pool(usize::try_from(data).unwrap_or(usize::MAX), cells + 1)
        } else {
            Cells::from_pool(cells.saturating_mul(field.cell_size), 0)
        })
    }

    /// Returns the size in bytes of a field of a tile in memory.
    pub(crate) fn size(&self, tile: &Tile, index: usize) -> Result<u64> {
        let field = &self.fields[index];
        let cell_size = field.cell_size as u64 + u64::from(field.stored.cells.nullable);
        let fixed = (tile.cell_num as u64).saturating_mul(cell_size);
        if !field.stored.cells.is_var() {
            return Ok(fixed);
        }
        Ok(fixed.saturating_add(self.var_bytes(tile, index)?))
    }

    /// Returns the size in bytes of what [`starts`](Self::starts) loads.
    pub(crate) fn starts_size(&self, tile: &Tile, index: usize) -> Result<u64> {
        let stored = self.sources[tile.source].tiles(index, &self.fields[index])?;
        match stored.filter(|tiles| !tiles.includes_offsets()) {
            Some(_) => Ok((tile.cell_num as u64).saturating_mul(8)),
            None => self.size(tile, index),
        }
    }

    /// Returns the size in bytes of the variable-length values of a tile from the metadata.
    pub(crate) fn var_bytes(&self, tile: &Tile, index: usize) -> Result<u64> {
        let (source, field) = (&self.sources[tile.source], &self.fields[index]);
        match source.tiles(index, field)? {
            Some(tiles) => Ok(tiles.var_size(tile.index)? as u64),
            None => {
                Ok((tile.cell_num as u64).saturating_mul(field.fill_value().value.len() as u64))
            }
        }
    }
}

/// The coordinates of a sparse fragment.
#[derive(Debug)]
pub(crate) struct FragmentCoordinates {
    loader: TileLoader,
}

impl FragmentCoordinates {
    /// Prepares to read the coordinates of `fragment`.
    pub(crate) fn new(fragment: &Arc<Fragment>) -> Result<Self> {
        let schema = &fragment.schema;
        let fields: Vec<_> = schema
            .domain
            .dimensions
            .iter()
            .map(|dimension| dimension.name.as_str())
            .map(|name| SparseField::new(schema, name))
            .collect::<Result<_>>()?;
        let meters = ReadMeters::default();
        let source = FragmentSource::new(fragment.clone(), false, fields.len(), &meters);
        Ok(Self {
            loader: TileLoader::new(FieldTable::new(fields, 0), vec![source]),
        })
    }

    /// Returns the number of cells of a tile.
    pub(crate) fn cell_num(&self, tile: u64) -> Result<usize> {
        self.loader.sources[0].cell_num(tile)
    }

    /// Returns the coordinates of a tile, one column per dimension.
    pub(crate) fn tile(&self, tile: u64) -> Result<Vec<Cells>> {
        let tile = self.loader.tile(0, tile)?;
        let fields = 0..self.loader.fields.len();
        fields
            .map(|field| {
                let mut cells = Cells::default();
                self.loader.load(&tile, field, &mut cells)?;
                Ok(cells)
            })
            .collect()
    }
}

/// A tile of a fragment. Its columns are loaded on first use by [`super::TileLoader`], possibly by
/// several threads.
#[derive(Debug)]
pub(crate) struct Tile {
    /// The index of the fragment in the read.
    pub(crate) source: usize,
    /// The index of the tile in the fragment.
    pub(crate) index: u64,
    pub(crate) cell_num: usize,
    /// The number of cells in the merge plan that are not delivered yet. A cell that is delivered
    /// several times counts as often.
    pub(crate) undelivered: usize,
    /// Whether some of its cells may be added to the merge plan later.
    pub(crate) is_pending: bool,
    /// The cells by field.
    pub(super) columns: Vec<OnceLock<Cells>>,
    /// By field: the starts of the values of cells, if the values are not in memory.
    pub(super) starts: Vec<OnceLock<Vec<u64>>>,
    /// The packed coordinates by dimension.
    pub(super) packed: Vec<OnceLock<Arc<PackedColumn>>>,
    /// The coordinates of a fragment that stores those of a cell together.
    pub(super) combined: OnceLock<Cells>,
}

impl Tile {
    pub(crate) fn new(
        source: usize,
        index: u64,
        cell_num: usize,
        field_num: usize,
        dim_num: usize,
    ) -> Self {
        Self {
            source,
            index,
            cell_num,
            undelivered: 0,
            is_pending: false,
            columns: (0..field_num).map(|_| OnceLock::new()).collect(),
            starts: (0..field_num).map(|_| OnceLock::new()).collect(),
            packed: (0..dim_num).map(|_| OnceLock::new()).collect(),
            combined: OnceLock::new(),
        }
    }

    /// Returns whether some of its cells may be delivered later.
    pub(crate) fn is_needed(&self) -> bool {
        self.undelivered > 0 || self.is_pending
    }

    /// Returns the cells of a field if they are in memory.
    pub(crate) fn loaded(&self, field: usize) -> Option<&Cells> {
        self.columns[field].get()
    }

    /// Sets the cells of a field that is computed instead of stored. Cells that were set before are
    /// kept.
    pub(crate) fn set_column(&self, field: usize, cells: Cells) {
        let _ = self.columns[field].set(cells);
    }

    /// Returns the starts of the values of a field, and the end of the last one, if they are in
    /// memory.
    pub(crate) fn loaded_starts(&self, field: usize) -> Option<&[u64]> {
        self.columns[field]
            .get()
            .map(|cells| &cells.starts)
            .or(self.starts[field].get())
            .map(Vec::as_slice)
    }

    /// Returns the packed coordinates of a dimension if they are in memory.
    pub(crate) fn packed(&self, dim: usize) -> Option<&PackedColumn> {
        self.packed[dim].get().map(|column| &**column)
    }

    /// Returns the size of its columns in memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        let fields = (0..self.columns.len()).map(|field| self.field_memory(field));
        let packed = self.packed.iter().filter_map(OnceLock::get);
        fields.sum::<usize>()
            + self.combined.get().map_or(0, Cells::memory)
            + packed.map(|column| column.memory()).sum::<usize>()
    }

    /// Returns the size in memory in bytes of the cells of a field, or of the starts of its values.
    pub(crate) fn field_memory(&self, field: usize) -> usize {
        let starts = self.starts[field].get();
        self.columns[field].get().map_or(0, Cells::memory)
            + starts.map_or(0, |starts| 8 * starts.capacity())
    }

    /// Drops the cells of a field.
    fn release_field(&mut self, field: usize, pool_bytes: usize) {
        if let Some(cells) = self.columns[field].take() {
            cells.into_pool(pool_bytes);
        }
        drop(self.starts[field].take());
    }

    /// Drops all columns. The memory of cells goes to the buffer pool, unless the pool would exceed
    /// `pool_bytes`.
    pub(crate) fn release(&mut self, pool_bytes: usize) {
        for field in 0..self.columns.len() {
            self.release_field(field, pool_bytes);
        }
        self.combined = OnceLock::new();
        self.packed
            .iter_mut()
            .for_each(|column| drop(column.take()));
    }
}
