//! The stored tiles of one field of a fragment.

use std::ops::Range;
use std::sync::Arc;

use super::{FilePart, Fragment, Slot, TileWindows};
use crate::error::{Error, FragmentError, Result, bytes_in_memory, reserve, try_resize};
use crate::filter::Pipeline;
use crate::format::names::{DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS};
use crate::geometry::PackedColumn;
use crate::schema::{ArraySchema, Attribute, StoredField};
use crate::stats::{ReadWatch, TileMeter};
use crate::tile::{
    Cells, ChunkCache, StoredTile, TileCache, TileKey, TileWorkspace, set_starts, values_pipeline,
};
use crate::types::{CellType, Datatype, Physical, values_of};
use crate::vfs::ReadFile;

/// The cache of decoded chunks that reads of a fragment use.
#[derive(Clone, Debug)]
pub struct FieldCache {
    /// The chunks of the open array.
    pub chunks: Arc<ChunkCache>,
    /// The index of the fragment in the snapshot.
    pub fragment: usize,
    /// The maximum size of the cache in bytes.
    pub limit: usize,
}

/// The difference between the validity of the cells that a fragment stores and that of the cells
/// that are read. An attribute that was dropped and added again may differ in it.
#[derive(Clone, Debug)]
enum NullConversion {
    /// Cells are read as they are stored.
    None,
    /// Cells are stored without validity: all are valid.
    AllValid,
    /// Cells are read without validity: null cells have this value.
    Filled(Vec<u8>),
}

/// The stored tiles of a field in a fragment, and the pipelines that decode them.
#[derive(Debug)]
pub struct FieldTiles {
    /// The fragment.
    pub fragment: Arc<Fragment>,
    /// Its index in the fragment's metadata.
    pub slot: Slot,
    /// The size in bytes of a fixed-size cell.
    cell_size: usize,
    fixed: Pipeline,
    var: Option<Pipeline>,
    /// The pipeline of the stored validity.
    validity: Option<Pipeline>,
    nulls: NullConversion,
    meter: Arc<TileMeter>,
    cache: Option<FieldCache>,
    /// Holds tile offsets and sizes, if only a part of them may be in memory.
    windows: Option<Box<TileWindows>>,
}

impl FieldTiles {
    /// Locates a field. Returns `None` if the fragment was written without it.
    pub fn open(fragment: &Arc<Fragment>, expected: &StoredField) -> Result<Option<Self>> {
        Self::locate(fragment, expected, None)
    }

    /// Locates an attribute. Returns `None` if the fragment was written without it, or with another
    /// attribute of its name.
    ///
    /// An attribute that was dropped and added again is the same if the datatype, the number of
    /// values and the enumeration are. If only the nullability differs, cells without validity
    /// become valid, and null cells become fill values.
    pub fn open_attribute(fragment: &Arc<Fragment>, expected: &Attribute) -> Result<Option<Self>> {
        let stored = fragment.schema.attribute(&expected.name);
        match stored {
            Some(stored) if stored.enumeration != expected.enumeration => Ok(None),
            _ => Self::locate(fragment, &expected.into(), Some(&expected.fill_value)),
        }
    }

    /// Locates a field. With a fill value for null cells, its nullability may differ.
    fn locate(
        fragment: &Arc<Fragment>,
        expected: &StoredField,
        fill_value: Option<&[u8]>,
    ) -> Result<Option<Self>> {
        let schema = &fragment.schema;
        let found = schema
            .stored_field(&expected.name)
            .or_else(|| Self::internal_field(schema, &expected.name));
        // If an attribute was dropped and added again with another type, old cells do not belong to
        // it. Types of opaque bytes are interchangeable.
        let is_same_type = |found: &StoredField| {
            (found.cells.datatype == expected.cells.datatype
                || found.cells.datatype.is_bytes() && expected.cells.datatype.is_bytes())
                && found.cells.cell_val_num == expected.cells.cell_val_num
                && (found.cells.nullable == expected.cells.nullable || fill_value.is_some())
        };
        let (Some(field), Some(slot)) = (found.filter(is_same_type), fragment.slot(&expected.name))
        else {
            return Ok(None);
        };
        let nulls = match (field.cells.nullable, expected.cells.nullable, fill_value) {
            (true, false, Some(fill)) => NullConversion::Filled(fill.to_vec()),
            (false, true, _) => NullConversion::AllValid,
            _ => NullConversion::None,
        };
        let key = fragment.key.as_ref();
        let data = values_pipeline(&field, fragment.footer.head.version, key)?;
        let (fixed, var) = if field.cells.is_var() {
            (
                Pipeline::new(schema.offsets_filters.clone(), Datatype::Uint64, key)?,
                Some(data),
            )
        } else {
            (data, None)
        };
        let validity = if field.cells.nullable {
            let filters = schema.validity_filters.clone();
            Some(Pipeline::new(filters, Datatype::Uint8, key)?)
        } else {
            None
        };
        let tiles = Self {
            fragment: Arc::clone(fragment),
            slot,
            cell_size: field.cells.cell_size(),
            fixed,
            var,
            validity,
            nulls,
            meter: Arc::default(),
            cache: None,
            windows: None,
        };
        if fragment.skips_checksums()? {
            return Ok(Some(tiles.without_digest_checks()));
        }
        Ok(Some(tiles))
    }

    /// Sets the meter that counts the tiles.
    #[must_use]
    pub fn metered(self, meter: &Arc<TileMeter>) -> Self {
        Self {
            meter: Arc::clone(meter),
            ..self
        }
    }

    /// Sets the cache of decoded chunks.
    #[must_use]
    pub fn with_cache(self, cache: Option<FieldCache>) -> Self {
        Self { cache, ..self }
    }

    /// Keeps only windows of tile offsets and sizes in memory, each of `len` tiles.
    #[must_use]
    pub fn with_windows(self, len: Option<usize>) -> Self {
        Self {
            windows: len.map(|len| Box::new(TileWindows::new(len))),
            ..self
        }
    }

    /// Disables the verification of digests.
    fn without_digest_checks(self) -> Self {
        Self {
            fixed: self.fixed.without_digest_checks(),
            var: self.var.map(Pipeline::without_digest_checks),
            validity: self.validity.map(Pipeline::without_digest_checks),
            ..self
        }
    }

    /// Returns the description of a field that sparse fragments store in addition to the fields of
    /// the schema; `None` for other names.
    pub fn internal_field(schema: &ArraySchema, name: &str) -> Option<StoredField> {
        let known = [TIMESTAMPS, DELETE_TIMESTAMPS, DELETE_CONDITIONS].contains(&name);
        known.then(|| StoredField {
            name: name.into(),
            cells: CellType::single(Datatype::Uint64),
            filters: schema.coords_filters.clone(),
        })
    }

    /// Returns whether cells have variable length.
    pub fn is_var(&self) -> bool {
        self.var.is_some()
    }

    /// Returns whether cells are read with their validity.
    fn is_nullable(&self) -> bool {
        match self.nulls {
            NullConversion::None => self.validity.is_some(),
            NullConversion::AllValid => true,
            NullConversion::Filled(_) => false,
        }
    }

    /// Decodes the `cell_num` cells of a tile.
    pub fn cells(&self, tile: u64, cell_num: usize, to: &mut Cells) -> Result<()> {
        // The previous content is overwritten; only the lengths matter.
        to.starts.clear();
        if !self.is_nullable() {
            to.validity.clear();
        }
        if self.is_var() {
            self.var_cells(tile, cell_num, to)?;
        } else {
            let len = bytes_in_memory("a tile", cell_num, self.cell_size)?;
            TileWorkspace::with(|workspace| {
                self.read_into(FilePart::Fixed, tile, len, &mut to.data, workspace)
            })?;
        }
        if self.is_nullable() {
            TileWorkspace::with(|workspace| {
                let to = &mut to.validity;
                self.read_into(FilePart::Validity, tile, cell_num, to, workspace)
            })?;
        }
        Ok(())
    }

    /// Decodes a file of a tile of `len` bytes, replacing the content of `to`.
    fn read_into(
        &self,
        part: FilePart,
        tile: u64,
        len: usize,
        to: &mut Vec<u8>,
        workspace: &mut TileWorkspace,
    ) -> Result<()> {
        self.with_tile(part, tile, len, |tile| tile.read_whole_into(to, workspace))
    }

    /// Decodes one of the files of a tile completely: fixed-size values, variable-length values, or
    /// validity.
    pub fn read_part(&self, part: FilePart, tile: u64, to: &mut [u8]) -> Result<()> {
        TileWorkspace::with(|workspace| {
            self.with_tile(part, tile, to.len(), |tile| tile.read_whole(to, workspace))
        })
    }

    /// Decodes the coordinates of a tile into a packed column.
    pub fn packed_column(
        &self,
        tile: u64,
        cell_num: usize,
        physical: Physical,
    ) -> Result<PackedColumn> {
        let len = bytes_in_memory("a tile", cell_num, self.cell_size)?;
        TileWorkspace::with_data(|workspace, data| {
            self.read_into(FilePart::Fixed, tile, len, data, workspace)?;
            PackedColumn::new(physical, data)
        })
    }

    /// Decodes the variable-length values of a tile into `to`, and calls `visit_offsets` with the
    /// stored offsets of its cells.
    pub fn read_values(
        &self,
        tile: u64,
        cell_num: usize,
        to: &mut [u8],
        visit_offsets: impl FnOnce(&[u8]),
    ) -> Result<()> {
        let len = bytes_in_memory("a tile", cell_num, 8)?;
        if self.includes_offsets() {
            let mut cells = Cells::default();
            self.var_cells(tile, cell_num, &mut cells)?;
            let offsets: Vec<u8> = cells
                .starts
                .iter()
                .take(cell_num)
                .flat_map(|start| start.to_le_bytes())
                .collect();
            if cells.data.len() != to.len() {
                return Err(self.bad_offsets(tile));
            }
            to.copy_from_slice(&cells.data);
            visit_offsets(&offsets);
            return Ok(());
        }
        TileWorkspace::with_data(|workspace, offsets| {
            self.read_into(FilePart::Fixed, tile, len, offsets, workspace)?;
            self.with_tile(FilePart::Var, tile, to.len(), |tile| {
                tile.read_whole(to, workspace)
            })?;
            let mut numbers = values_of::<u64>(offsets);
            let first = numbers.next().unwrap_or_default();
            let (mut last, mut ascending) = (first, first == 0);
            for offset in numbers {
                ascending &= last <= offset;
                last = offset;
            }
            if !ascending || last > to.len() as u64 {
                return Err(self.bad_offsets(tile));
            }
            visit_offsets(offsets);
            Ok(())
        })
    }

    /// Returns the error for offsets that do not ascend.
    pub fn bad_offsets(&self, tile: u64) -> Error {
        let problem = format!("of tile {tile} do not ascend within its values");
        Error::corrupt("tile", "offsets", 0, problem).with_uri(self.fragment.uri())
    }

    /// Returns its index in the fragment's metadata if the statistics there are those of the cells
    /// that are read.
    pub fn statistics_slot(&self) -> Option<Slot> {
        match self.nulls {
            NullConversion::None => Some(self.slot),
            _ => None,
        }
    }

    /// Returns the pipeline of one of the field's files.
    fn pipeline(&self, part: FilePart) -> Option<&Pipeline> {
        match part {
            FilePart::Fixed => Some(&self.fixed),
            FilePart::Var => self.var.as_ref(),
            FilePart::Validity => self.validity.as_ref(),
        }
    }

    /// Returns the size of a tile of variable-length values, as they are read.
    pub fn var_size(&self, tile: u64) -> Result<usize> {
        if let NullConversion::Filled(_) = self.nulls {
            let cell_num = usize::try_from(self.fragment.tile_cell_num(tile)).unwrap_or(usize::MAX);
            let mut cells = Cells::default();
            self.var_cells(tile, cell_num, &mut cells)?;
            return Ok(cells.data.len());
        }
        self.stored_var_size(tile)
    }

    /// Returns the unfiltered size of a tile of variable-length values, as they are stored.
    fn stored_var_size(&self, tile: u64) -> Result<usize> {
        let size = self
            .fragment
            .var_size(self.slot, tile, self.windows.as_deref())?;
        usize::try_from(size).map_err(|_| Error::out_of_memory("a tile", size))
    }

    /// Returns the range of a stored tile in its file.
    pub(super) fn stored_range(&self, part: FilePart, tile: u64) -> Result<Range<u64>> {
        self.fragment
            .stored_range(self.slot, part, tile, self.windows.as_deref())
    }

    /// Returns the size of a tile in storage in bytes.
    pub fn stored_size(&self, tile: u64) -> Result<u64> {
        let mut bytes = 0u64;
        for part in self.parts() {
            let range = self.stored_range(part, tile)?;
            bytes = bytes.saturating_add(range.end.saturating_sub(range.start));
        }
        Ok(bytes)
    }

    /// Returns the size of a tile of `cell_num` cells in bytes after decoding.
    pub fn decoded_size(&self, tile: u64, cell_num: u64) -> Result<u64> {
        let mut bytes = 0u64;
        for part in self.parts() {
            bytes = bytes.saturating_add(match part {
                FilePart::Fixed if self.is_var() => cell_num.saturating_mul(8),
                FilePart::Fixed => cell_num.saturating_mul(self.cell_size as u64),
                FilePart::Var => self.var_size(tile)? as u64,
                FilePart::Validity => cell_num,
            });
        }
        Ok(bytes)
    }

    /// Returns whether the values of a tile must be decoded as a whole together with the offsets of
    /// its cells: they include the offsets, and the file of offsets has no content, or the values
    /// of null cells are replaced.
    pub fn includes_offsets(&self) -> bool {
        let is_filled = matches!(self.nulls, NullConversion::Filled(_));
        let var = self.var.as_ref();
        var.is_some_and(|values| is_filled || values.includes_offsets())
    }

    /// Decodes the variable-length values of a whole tile and the start of each cell, which are
    /// checked. Replaces the content of `to` except its validity.
    pub fn var_cells(&self, tile: u64, cell_num: usize, to: &mut Cells) -> Result<()> {
        let NullConversion::Filled(fill) = &self.nulls else {
            return self.stored_var_cells(tile, cell_num, to);
        };
        let (mut stored, mut validity) = (Cells::default(), Vec::new());
        self.stored_var_cells(tile, cell_num, &mut stored)?;
        try_resize("validity", &mut validity, cell_num)?;
        self.read_part(FilePart::Validity, tile, &mut validity)?;
        to.data.clear();
        to.starts.clear();
        reserve("offsets", &mut to.starts, cell_num + 1)?;
        to.starts.push(0);
        for (span, validity) in stored.starts.windows(2).zip(validity) {
            let value = match validity {
                0 => &fill[..],
                _ => &stored.data[span[0] as usize..span[1] as usize],
            };
            reserve("a tile", &mut to.data, value.len())?;
            to.data.extend_from_slice(value);
            to.starts.push(to.data.len() as u64);
        }
        Ok(())
    }

    /// Decodes the cells of a whole tile as they are stored. Replaces the content of `to` except
    /// its validity.
    fn stored_var_cells(&self, tile: u64, cell_num: usize, to: &mut Cells) -> Result<()> {
        let size = self.stored_var_size(tile)?;
        if self.var.as_ref().is_some_and(Pipeline::includes_offsets) {
            return self.with_tile(FilePart::Var, tile, size, |stored| {
                TileWorkspace::with(|workspace| stored.read_texts(cell_num, workspace, to))
            });
        }
        let len = bytes_in_memory("a tile", cell_num, 8)?;
        TileWorkspace::with_data(|workspace, offsets| {
            self.read_into(FilePart::Fixed, tile, len, offsets, workspace)?;
            self.read_into(FilePart::Var, tile, size, &mut to.data, workspace)?;
            if !to.set_starts(offsets) {
                return Err(self.bad_offsets(tile));
            }
            Ok(())
        })
    }

    /// Reads the starts of some cells of a tile of `cell_num` cells, and the end of the last one,
    /// replacing `to`. They are checked to be ascending and within the values. Not for tiles that
    /// include their offsets.
    pub fn starts(
        &self,
        tile: u64,
        cell_num: usize,
        cells: Range<usize>,
        to: &mut Vec<u64>,
    ) -> Result<()> {
        let size = self.var_size(tile)?;
        let len = bytes_in_memory("a tile", cell_num, 8)?;
        // The end of a cell is the start of the next one; for the last cell it is not stored.
        let end = cells.end.saturating_add(1).min(cell_num);
        let mut bytes = Vec::new();
        self.with_tile(FilePart::Fixed, tile, len, |stored| {
            TileWorkspace::with(|workspace| {
                stored.read_span(cells.start * 8..end * 8, workspace, &mut bytes)
            })
        })?;
        to.clear();
        to.extend(values_of::<u64>(&bytes));
        if end == cells.end {
            to.push(size as u64);
        }
        let ascending = to.windows(2).all(|pair| pair[0] <= pair[1]);
        if !ascending || to.last().is_some_and(|last| *last > size as u64) {
            let problem = format!("do not ascend within the tile's {size} bytes");
            return Err(Error::corrupt("tile", "offsets", 0, problem).with_uri(self.fragment.uri()));
        }
        Ok(())
    }

    /// Reads the starts of all cells of a tile, and the end of the last one, using buffers of the
    /// thread. Otherwise like [`Self::starts`].
    pub fn all_starts(&self, tile: u64, cell_num: usize, to: &mut Vec<u64>) -> Result<()> {
        let size = self.var_size(tile)?;
        let len = bytes_in_memory("a tile", cell_num, 8)?;
        let ascending = TileWorkspace::with_data(|workspace, offsets| {
            self.read_into(FilePart::Fixed, tile, len, offsets, workspace)?;
            Ok::<_, Error>(set_starts(offsets, size as u64, to))
        });
        if ascending? {
            Ok(())
        } else {
            Err(self.bad_offsets(tile))
        }
    }

    /// Returns the parts of the field that have a file.
    pub fn parts(&self) -> impl Iterator<Item = FilePart> + '_ {
        FilePart::ALL
            .into_iter()
            .filter(|part| self.pipeline(*part).is_some())
    }

    /// Calls `body` with a tile of `len` bytes, as they are read.
    pub fn with_tile<T>(
        &self,
        part: FilePart,
        tile: u64,
        len: usize,
        body: impl FnOnce(&StoredTile<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut bytes = Vec::new();
        match (&self.nulls, part) {
            (NullConversion::AllValid, FilePart::Validity) => {
                try_resize("validity", &mut bytes, len)?;
                bytes.fill(1);
                self.with_bytes(FilePart::Fixed, tile, len, Some(&bytes), body)
            }
            (NullConversion::Filled(fill), FilePart::Fixed) if !self.is_var() => {
                let mut validity = Vec::new();
                try_resize("validity", &mut validity, len / self.cell_size.max(1))?;
                self.read_part(FilePart::Validity, tile, &mut validity)?;
                self.with_bytes(part, tile, len, None, |stored| {
                    TileWorkspace::with(|workspace| stored.read_whole_into(&mut bytes, workspace))
                })?;
                let cells = bytes.chunks_exact_mut(self.cell_size.max(1));
                for (cell, _) in cells.zip(validity).filter(|(_, validity)| *validity == 0) {
                    cell.copy_from_slice(fill);
                }
                self.with_bytes(part, tile, len, Some(&bytes), body)
            }
            _ => self.with_bytes(part, tile, len, None, body),
        }
    }

    /// Calls `body` with a stored tile of `len` unfiltered bytes, or with `converted` instead of
    /// its bytes.
    fn with_bytes<T>(
        &self,
        part: FilePart,
        tile: u64,
        len: usize,
        converted: Option<&[u8]>,
        body: impl FnOnce(&StoredTile<'_>) -> Result<T>,
    ) -> Result<T> {
        let pipeline = self.pipeline(part).ok_or_else(|| {
            Error::from(FragmentError::MissingFile {
                uri: self.fragment.uri().to_string(),
            })
        })?;
        let file: Arc<ReadFile> = self.fragment.file(self.slot, part)?;
        let range = self.stored_range(part, tile)?;
        let cache = self.cache.as_ref().map(|cache| {
            let key = TileKey {
                fragment: cache.fragment,
                slot: self.slot.0,
                part: part as usize,
                tile,
            };
            TileCache::new(&cache.chunks, key, cache.limit)
        });
        let tile = StoredTile {
            fragment: self.fragment.uri(),
            file: &file,
            range,
            pipeline,
            len,
            cache,
            watch: ReadWatch::start(),
            converted,
        };
        let result = body(&tile);
        // One part of each tile is counted as the tile.
        let is_tile = match part {
            FilePart::Fixed => !self.includes_offsets(),
            FilePart::Var => self.includes_offsets(),
            FilePart::Validity => false,
        };
        tile.watch.finish(&self.meter, is_tile);
        result
    }
}
