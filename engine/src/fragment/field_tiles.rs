//! The stored tiles of one field of a fragment.

use std::ops::Range;
use std::sync::Arc;

use super::{Fragment, Part, Slot};
use crate::error::{Error, Result, bytes_in_memory, try_resize};
use crate::filter::Pipeline;
use crate::format::names::{DELETE_CONDITIONS, DELETE_TIMESTAMPS, TIMESTAMPS};
use crate::geometry::Narrow;
use crate::schema::{ArraySchema, StoredField};
use crate::tile::{
    Cells, Run, Scratch, SharedBytes, Source, StoredTile, set_starts, values_pipeline,
};
use crate::types::{Datatype, Physical};
use crate::vfs::ReadFile;

/// Where a fragment keeps a field, and what undoes its filters.
#[derive(Debug)]
pub struct FieldTiles {
    slot: Slot,
    /// The bytes of a cell of fixed size.
    cell_size: usize,
    fixed: Pipeline,
    var: Option<Pipeline>,
    validity: Option<Pipeline>,
}

impl FieldTiles {
    /// Finds a field; `None` if the fragment was written without it.
    pub fn open(fragment: &Fragment, wanted: &StoredField) -> Result<Option<Self>> {
        let schema = fragment.schema();
        let found = schema
            .stored_field(&wanted.name)
            .or_else(|| Self::own(schema, &wanted.name));
        // An attribute that was dropped and added again with another shape has none of the old
        // cells; what bytes mean is no shape.
        let same = |found: &StoredField| {
            (found.datatype == wanted.datatype
                || found.datatype.is_bytes() && wanted.datatype.is_bytes())
                && found.cell_val_num == wanted.cell_val_num
                && found.nullable == wanted.nullable
        };
        let (Some(field), Some(slot)) = (found.filter(same), fragment.slot(&wanted.name)) else {
            return Ok(None);
        };
        let key = fragment.key();
        let data = values_pipeline(&field, fragment.version(), key)?;
        let (fixed, var) = if field.is_var() {
            (
                Pipeline::new(schema.offsets_filters.clone(), Datatype::Uint64, key)?,
                Some(data),
            )
        } else {
            (data, None)
        };
        let validity = if field.nullable {
            let filters = schema.validity_filters.clone();
            Some(Pipeline::new(filters, Datatype::Uint8, key)?)
        } else {
            None
        };
        let tiles = Self {
            slot,
            cell_size: field.cell_size(),
            fixed,
            var,
            validity,
        };
        if fragment.skips_checksums()? {
            return Ok(Some(tiles.without_digest_checks()));
        }
        Ok(Some(tiles))
    }

    /// The same, but digests are not compared when reading.
    fn without_digest_checks(self) -> Self {
        Self {
            fixed: self.fixed.without_digest_checks(),
            var: self.var.map(Pipeline::without_digest_checks),
            validity: self.validity.map(Pipeline::without_digest_checks),
            ..self
        }
    }

    /// What sparse fragments keep beside the fields of the schema.
    pub fn own(schema: &ArraySchema, name: &str) -> Option<StoredField> {
        let known = [TIMESTAMPS, DELETE_TIMESTAMPS, DELETE_CONDITIONS].contains(&name);
        known.then(|| StoredField {
            name: name.into(),
            datatype: Datatype::Uint64,
            cell_val_num: 1,
            nullable: false,
            filters: schema.coords_filters.clone(),
        })
    }

    /// Returns whether cells vary in length.
    pub fn is_var(&self) -> bool {
        self.var.is_some()
    }

    /// Decodes the `cell_num` cells of a tile. The one place where the stored tiles of a field
    /// become cells.
    pub fn cells(
        &self,
        fragment: &Fragment,
        tile: u64,
        cell_num: usize,
        to: &mut Cells,
    ) -> Result<()> {
        // What the memory held is written over; only its length counts.
        to.starts.clear();
        if self.validity.is_none() {
            to.validity.clear();
        }
        let len = |size: usize| bytes_in_memory("a tile", cell_num, size);
        if self.folds_offsets() {
            self.folded_cells(fragment, tile, cell_num, to)?;
            if self.validity.is_some() {
                try_resize("validity", &mut to.validity, cell_num)?;
                self.read_part(fragment, Part::Validity, tile, &mut to.validity)?;
            }
            return Ok(());
        }
        Scratch::with_data(|scratch, offsets| {
            let mut read = |part, len, to: &mut Vec<u8>| {
                self.with_tile(fragment, part, tile, len, |tile| {
                    tile.read_whole_into(to, scratch)
                })
            };
            if self.is_var() {
                let size = self.var_size(fragment, tile)?;
                read(Part::Fixed, len(8)?, offsets)?;
                read(Part::Var, size, &mut to.data)?;
                if !to.set_starts(offsets) {
                    return Err(self.bad_offsets(fragment, tile));
                }
            } else {
                read(Part::Fixed, len(self.cell_size)?, &mut to.data)?;
            }
            if self.validity.is_some() {
                read(Part::Validity, cell_num, &mut to.validity)?;
            }
            Ok(())
        })
    }

    /// Decodes one of the files of a tile, all of it, to if it is wanted: values of fixed size,
    /// values of variable length, or validity.
    pub fn read_part(
        &self,
        fragment: &Fragment,
        part: Part,
        tile: u64,
        to: &mut [u8],
    ) -> Result<()> {
        Scratch::with(|scratch| {
            self.with_tile(fragment, part, tile, to.len(), |tile| {
                tile.read_whole(to, scratch)
            })
        })
    }

    /// Returns the coordinates of a tile in as few bytes as they need: `cell_num` of them, of this
    /// shape.
    pub fn narrow(
        &self,
        fragment: &Fragment,
        tile: u64,
        cell_num: usize,
        physical: Physical,
    ) -> Result<Narrow> {
        let len = bytes_in_memory("a tile", cell_num, self.cell_size)?;
        Scratch::with_data(|scratch, data| {
            self.with_tile(fragment, Part::Fixed, tile, len, |tile| {
                tile.read_whole_into(data, scratch)
            })?;
            Narrow::new(physical, data)
        })
    }

    /// Copies runs of cells of one of the files of a tile to if they are wanted: `number` runs,
    /// whose both ends ascend, of cells of `size` bytes.
    ///
    /// # Safety
    /// Nobody else reads or writes the cells of the destination that the runs touch.
    #[expect(unsafe_code, reason = "several threads fill one buffer")]
    pub unsafe fn gather(
        &self,
        fragment: &Fragment,
        (part, tile, len): (Part, u64, usize),
        size: usize,
        number: usize,
        run: impl Fn(usize) -> Run,
        to: SharedBytes<'_>,
    ) -> Result<()> {
        self.with_tile(fragment, part, tile, len, |stored| {
            // SAFETY: the caller's promise.
            Scratch::with(|scratch| unsafe { stored.gather(size, number, run, to, scratch) })
        })
    }

    /// Decodes the variable-length values of a tile to if they are wanted, and hands out the
    /// offsets of its cells, as they are stored.
    pub fn read_values(
        &self,
        fragment: &Fragment,
        tile: u64,
        cell_num: usize,
        to: &mut [u8],
        tell: impl FnOnce(&[u8]),
    ) -> Result<()> {
        let len = bytes_in_memory("a tile", cell_num, 8)?;
        if self.folds_offsets() {
            let mut cells = Cells::default();
            self.folded_cells(fragment, tile, cell_num, &mut cells)?;
            let starts = cells.starts.iter().take(cell_num);
            let offsets: Vec<u8> = starts.flat_map(|start| start.to_le_bytes()).collect();
            if cells.data.len() != to.len() {
                return Err(self.bad_offsets(fragment, tile));
            }
            to.copy_from_slice(&cells.data);
            tell(&offsets);
            return Ok(());
        }
        Scratch::with_data(|scratch, offsets| {
            self.with_tile(fragment, Part::Fixed, tile, len, |tile| {
                tile.read_whole_into(offsets, scratch)
            })?;
            self.with_tile(fragment, Part::Var, tile, to.len(), |tile| {
                tile.read_whole(to, scratch)
            })?;
            let numbers = offsets.chunks_exact(8);
            let mut numbers =
                numbers.map(|offset| u64::from_le_bytes(offset.try_into().unwrap_or_default()));
            let first = numbers.next().unwrap_or_default();
            let (mut last, mut sound) = (first, first == 0);
            for offset in numbers {
                sound &= last <= offset;
                last = offset;
            }
            if !sound || last > to.len() as u64 {
                return Err(self.bad_offsets(fragment, tile));
            }
            tell(offsets);
            Ok(())
        })
    }

    /// Returns the error for offsets that cannot be.
    pub fn bad_offsets(&self, fragment: &Fragment, tile: u64) -> Error {
        let problem = format!("of tile {tile} do not ascend within its values");
        Error::corrupt("tile", "offsets", 0, problem).with_uri(fragment.uri())
    }

    /// Its place in the fragment's lists.
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// Returns the pipeline of one of its files.
    fn pipeline(&self, part: Part) -> Option<&Pipeline> {
        match part {
            Part::Fixed => Some(&self.fixed),
            Part::Var => self.var.as_ref(),
            Part::Validity => self.validity.as_ref(),
        }
    }

    /// Returns the size in memory of a tile of variable-length values.
    pub fn var_size(&self, fragment: &Fragment, tile: u64) -> Result<usize> {
        let size = fragment.var_size(self.slot, tile)?;
        usize::try_from(size).map_err(|_| Error::out_of_memory("a tile", size))
    }

    /// Returns whether the values of a tile hold the offsets of its cells: then it is decoded
    /// whole, and its file of offsets holds nothing.
    pub fn folds_offsets(&self) -> bool {
        self.var.as_ref().is_some_and(Pipeline::folds_offsets)
    }

    /// The cells of a whole tile whose values hold their offsets: the values and where each cell
    /// starts, checked. `to` is filled anew; its validity stays as it was.
    pub fn folded_cells(
        &self,
        fragment: &Fragment,
        tile: u64,
        cell_num: usize,
        to: &mut Cells,
    ) -> Result<()> {
        let size = self.var_size(fragment, tile)?;
        self.with_tile(fragment, Part::Var, tile, size, |stored| {
            Scratch::with(|scratch| stored.read_texts(cell_num, scratch, to))
        })
    }

    /// Where some cells of a tile of `cell_num` cells start in its values, and the end of the last:
    /// ascending, and within the values. Not for tiles that fold their offsets. `to` is filled
    /// anew.
    pub fn starts(
        &self,
        fragment: &Fragment,
        tile: u64,
        cell_num: usize,
        cells: Range<usize>,
        to: &mut Vec<u64>,
    ) -> Result<()> {
        let size = self.var_size(fragment, tile)?;
        let len = bytes_in_memory("a tile", cell_num, 8)?;
        // The end of a cell is the start of the next; the last one has none.
        let end = cells.end.saturating_add(1).min(cell_num);
        let mut bytes = Vec::new();
        self.with_tile(fragment, Part::Fixed, tile, len, |stored| {
            Scratch::with(|scratch| stored.read_span(cells.start * 8..end * 8, scratch, &mut bytes))
        })?;
        to.clear();
        to.extend(bytes.as_chunks().0.iter().copied().map(u64::from_le_bytes));
        if end == cells.end {
            to.push(size as u64);
        }
        let ascending = to.windows(2).all(|pair| pair[0] <= pair[1]);
        if !ascending || to.last().is_some_and(|last| *last > size as u64) {
            let problem = format!("do not ascend within the tile's {size} bytes");
            return Err(Error::corrupt("tile", "offsets", 0, problem).with_uri(fragment.uri()));
        }
        Ok(())
    }

    /// Where all cells of a tile start in its values, and the end of the last, in memory of the
    /// thread first. Else as [`Self::starts`].
    pub fn all_starts(
        &self,
        fragment: &Fragment,
        tile: u64,
        cell_num: usize,
        to: &mut Vec<u64>,
    ) -> Result<()> {
        let size = self.var_size(fragment, tile)?;
        let len = bytes_in_memory("a tile", cell_num, 8)?;
        let sound = Scratch::with_data(|scratch, offsets| {
            self.with_tile(fragment, Part::Fixed, tile, len, |tile| {
                tile.read_whole_into(offsets, scratch)
            })?;
            Ok(set_starts(offsets, size as u64, to))
        });
        match sound? {
            true => Ok(()),
            false => Err(self.bad_offsets(fragment, tile)),
        }
    }

    /// Calls `body` with a stored tile of `len` bytes in memory.
    pub fn with_tile<T>(
        &self,
        fragment: &Fragment,
        part: Part,
        tile: u64,
        len: usize,
        body: impl FnOnce(&StoredTile<'_>) -> Result<T>,
    ) -> Result<T> {
        let pipeline = self.pipeline(part).ok_or_else(|| {
            Error::usage(
                "Reader",
                format!("Fragment '{}' lacks a file of the field", fragment.uri()),
            )
        })?;
        let file: Arc<ReadFile> = fragment.file(self.slot, part)?;
        let range = fragment.stored_range(self.slot, part, tile)?;
        let source = Source {
            file: &file,
            place: fragment.uri(),
            range,
        };
        body(&StoredTile {
            source,
            pipeline,
            len,
        })
    }
}
