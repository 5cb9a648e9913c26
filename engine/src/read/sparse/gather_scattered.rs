//! Gathers a batch whose cells alternate between tiles, one block of output at a time. All tiles of
//! the batch are in memory.

use std::ops::Range;

use super::batch::CellPiece;
use super::deliver::{Delivery, FieldTarget};
use super::fields::{FieldKind, SparseField};
use super::tiles::Tile;
use crate::context::Context;
use crate::error::Result;
use crate::tile::{Cells, CellsRef};

/// The number of pieces that a thread copies at a time.
const BLOCK: usize = 4096;

/// Consecutive pieces of the result.
struct Block {
    pieces: Range<usize>,
    /// The index of the first cell in the buffers, and the number of cells.
    position: usize,
    cells: usize,
}

/// The cells of a field by tile; `None` for tiles without pieces.
type Columns<'t> = Vec<CellsRef<'t>>;

const NOTHING: CellsRef<'_> = CellsRef {
    data: &[],
    starts: None,
    validity: None,
};

impl Delivery<'_> {
    /// Returns whether the batch should be gathered cell by cell, and the tiles fit into `memory`
    /// bytes.
    pub(super) fn is_scattered(&self, tiles: &[Tile], memory: u64) -> Result<bool> {
        let batch = self.batch;
        if !batch.merged || batch.pieces.len() < BLOCK / 8 || batch.pieces.len() * 4 < batch.cells {
            return Ok(false);
        }
        let mut bytes = 0u64;
        for tile in self.touched(tiles) {
            for field in self.separate_fields() {
                let tile = &tiles[tile];
                if tile.loaded(field).is_none() {
                    let size = (self.input).size(tile.source, tile.tile, tile.cell_num, field)?;
                    bytes = bytes.saturating_add(size);
                }
            }
        }
        Ok(bytes <= memory)
    }

    /// Returns the tiles of the batch.
    fn touched(&self, tiles: &[Tile]) -> Vec<usize> {
        let mut touched = vec![false; tiles.len()];
        for piece in &self.batch.pieces {
            touched[piece.tile as usize] = true;
        }
        (0..tiles.len()).filter(|index| touched[*index]).collect()
    }

    /// Returns the fields to gather.
    fn separate_fields(&self) -> Vec<usize> {
        let input = self.input;
        let is_whole = |field: &usize| matches!(input.fields[*field].kind, FieldKind::Coordinates);
        let mut fields: Vec<usize> = (0..input.outputs)
            .filter(|field| !is_whole(field))
            .collect();
        if (0..input.outputs).any(|field| is_whole(&field)) {
            fields.extend(&input.dims);
        }
        fields
    }

    /// Gathers the fields cell by cell.
    pub(super) fn put_in_order(
        &self,
        context: &Context,
        cancel_epoch: u64,
        tiles: &[Tile],
    ) -> Result<()> {
        let (touched, fields) = (self.touched(tiles), self.separate_fields());
        context.for_each(touched.len() * fields.len(), |index| {
            context.check_cancelled(cancel_epoch)?;
            let (tile, field) = (touched[index / fields.len()], fields[index % fields.len()]);
            self.input.column(&tiles[tile], field).map(drop)
        })?;
        let mut columns: Vec<Columns<'_>> = vec![Vec::new(); self.input.fields.len()];
        for field in fields {
            let loaded = tiles.iter().map(|tile| tile.loaded(field));
            let loaded = loaded.map(|cells| cells.map_or(NOTHING, Cells::as_ref));
            columns[field] = loaded.collect();
        }
        let blocks = self.blocks();
        let outputs = self.input.outputs;
        context.for_each(blocks.len() * outputs, |index| {
            self.put_block(&blocks[index / outputs], index % outputs, &columns);
            Ok(())
        })
    }

    fn blocks(&self) -> Vec<Block> {
        let mut position = self.batch.first;
        let mut first = 0;
        let pieces = self.batch.pieces.chunks(BLOCK);
        let blocks = pieces.map(|pieces| {
            let cells = pieces.iter().map(|piece| piece.len as usize).sum();
            let block = Block {
                pieces: first..first + pieces.len(),
                position,
                cells,
            };
            position += cells;
            first += pieces.len();
            block
        });
        blocks.collect()
    }

    fn put_block(&self, block: &Block, field_index: usize, columns: &[Columns<'_>]) {
        let (field, target) = (&self.input.fields[field_index], &self.targets[field_index]);
        if let FieldKind::Coordinates = field.kind {
            return self.put_zipped(block, field, target, columns);
        }
        let columns = &columns[field_index];
        let pieces = &self.batch.pieces[block.pieces.clone()];
        if field.is_nullable() {
            // SAFETY: each cell of the result belongs to one block, and each block to one call.
            #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
            let to = unsafe { target.validity.part(block.position, block.cells) };
            let validity = |tile: u32| columns[tile as usize].validity.unwrap_or_default();
            put_sized::<1>(pieces, validity, to);
        }
        if target.var.is_some() {
            return self.put_texts(block, field, target, columns);
        }
        let size = field.cell_size;
        // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
        #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
        let to = unsafe { target.data.part(block.position * size, block.cells * size) };
        let data = |tile: u32| columns[tile as usize].data;
        match size {
            1 => put_sized::<1>(pieces, data, to),
            2 => put_sized::<2>(pieces, data, to),
            4 => put_sized::<4>(pieces, data, to),
            8 => put_sized::<8>(pieces, data, to),
            _ => {
                let mut rest = to;
                for piece in pieces {
                    let (from, len) = (piece.start as usize * size, piece.len as usize * size);
                    let (part, later) = rest.split_at_mut(len);
                    part.copy_from_slice(&data(piece.tile)[from..from + len]);
                    rest = later;
                }
            }
        }
    }

    /// Copies variable-length values and their offsets.
    fn put_texts(
        &self,
        block: &Block,
        field: &SparseField,
        target: &FieldTarget<'_>,
        columns: &Columns<'_>,
    ) {
        let output_starts = target.var.map(|var| &self.batch.var_starts[var][..]);
        let output_starts = output_starts.unwrap_or_default();
        let (base, end) = (
            output_starts[block.pieces.start],
            output_starts[block.pieces.end],
        );
        // SAFETY: the values of different blocks do not overlap.
        #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
        let to = unsafe { target.data.part(base as usize, (end - base) as usize) };
        let mut offsets: Vec<u64> = Vec::with_capacity(block.cells);
        let mut done = 0usize;
        for piece in &self.batch.pieces[block.pieces.clone()] {
            let column = &columns[piece.tile as usize];
            if piece.len == 1 {
                let starts = column.starts.unwrap_or_default();
                let cell = piece.start as usize;
                let (from, end) = (starts[cell] as usize, starts[cell + 1] as usize);
                offsets.push(base + done as u64);
                copy_short(column.data, from..end, to, done);
                done += end - from;
                continue;
            }
            let (first, last) = (piece.start as usize, (piece.start + piece.len) as usize);
            let starts = &column.starts.unwrap_or_default()[first..=last];
            let (from, end) = (starts[0] as usize, starts[starts.len() - 1] as usize);
            let bytes = &column.data[from..end];
            to[done..done + bytes.len()].copy_from_slice(bytes);
            let shift = (base + done as u64).wrapping_sub(starts[0]);
            let starts = &starts[..starts.len() - 1];
            offsets.extend(starts.iter().map(|start| start.wrapping_add(shift)));
            done += bytes.len();
        }
        self.put_offsets(
            target,
            field,
            block.position,
            block.cells,
            offsets.into_iter(),
        );
    }

    /// Copies the coordinates of each cell consecutively.
    fn put_zipped(
        &self,
        block: &Block,
        field: &SparseField,
        target: &FieldTarget<'_>,
        columns: &[Columns<'_>],
    ) {
        let (size, cell_size) = (field.value_size, field.cell_size);
        // SAFETY: each cell of the result belongs to one block, and each block to one call.
        #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
        let to = unsafe {
            let (position, len) = (block.position * cell_size, block.cells * cell_size);
            target.data.part(position, len)
        };
        for (dim, dim_field) in self.input.dims.iter().enumerate() {
            let mut targets = to.chunks_exact_mut(cell_size);
            for piece in &self.batch.pieces[block.pieces.clone()] {
                let from = piece.start as usize * size;
                let cells = &columns[*dim_field][piece.tile as usize].data[from..];
                let cells = cells.chunks_exact(size).take(piece.len as usize);
                for (cell, position) in cells.zip(&mut targets) {
                    position[dim * size..(dim + 1) * size].copy_from_slice(cell);
                }
            }
        }
    }
}

fn put_sized<'t, const N: usize>(
    pieces: &[CellPiece],
    column: impl Fn(u32) -> &'t [u8],
    to: &mut [u8],
) {
    let (to, _) = to.as_chunks_mut::<N>();
    if pieces.len() == to.len() {
        // Each piece is one cell.
        for (piece, to) in pieces.iter().zip(to) {
            let (cells, _) = column(piece.tile).as_chunks::<N>();
            *to = cells[piece.start as usize];
        }
        return;
    }
    let mut written = 0;
    for piece in pieces {
        let (cells, _) = column(piece.tile).as_chunks::<N>();
        let (start, len) = (piece.start as usize, piece.len as usize);
        if len == 1 {
            to[written] = cells[start];
        } else {
            to[written..written + len].copy_from_slice(&cells[start..start + len]);
        }
        written += len;
    }
}

/// Copies the bytes `from` to position `index`. The following bytes of `to` may change too; they are
/// written later.
#[inline(always)]
fn copy_short(bytes: &[u8], from: Range<usize>, to: &mut [u8], index: usize) {
    // Most strings fit into a word, which is copied without regard to the length.
    const WORD: usize = 16;
    let word = bytes
        .get(from.start..)
        .and_then(<[u8]>::first_chunk::<WORD>);
    let target = to.get_mut(index..).and_then(<[u8]>::first_chunk_mut);
    match (word, target) {
        (Some(word), Some(target)) if from.len() <= WORD => *target = *word,
        _ => to[index..index + from.len()].copy_from_slice(&bytes[from]),
    }
}
