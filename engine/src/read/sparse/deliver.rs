//! Copies a batch to the caller's buffers. Each tile is decoded once per field; a tile whose cells
//! are delivered together and in stored order is decoded into the buffers.

use super::batch::{Batch, FilledBuffers, PlacedPiece};
use super::fields::{FieldKind, SparseField};
use super::tiles::{Input, Tile};
use crate::buffers::{FieldBuffers, OffsetsForm};
use crate::context::Context;
use crate::error::Result;
use crate::fragment::{FilePart, TilePart};
use crate::geometry::PackedColumn;
use crate::memory::Pooled;
use crate::tile::{CellRun, Cells, CellsRef, SharedBytes};

/// The buffers of a field, shared by several threads.
pub(super) struct FieldTarget<'a> {
    pub(super) data: SharedBytes<'a>,
    offsets: SharedBytes<'a>,
    pub(super) validity: SharedBytes<'a>,
    /// The index of the field among the variable-length fields.
    pub(super) var: Option<usize>,
}

/// The state of the delivery of a batch.
pub(super) struct Delivery<'a> {
    pub(super) input: &'a Input,
    pub(super) batch: &'a Batch,
    form: OffsetsForm,
    pub(super) targets: Vec<FieldTarget<'a>>,
    /// Whether tiles with undelivered cells may stay in memory.
    keep: bool,
}

/// The pieces of one tile.
#[derive(Clone, Copy)]
struct Group<'a> {
    tile: &'a Tile,
    pieces: &'a [PlacedPiece],
}

/// Delivers a batch. Tiles with undelivered cells stay in memory if they take at most `memory`
/// bytes.
#[expect(
    clippy::too_many_arguments,
    reason = "everything that a read is meets here"
)]
pub(super) fn emit(
    context: &Context,
    cancel_epoch: u64,
    input: &Input,
    tiles: &[Tile],
    batch: &Batch,
    form: OffsetsForm,
    filled: &FilledBuffers,
    buffers: &mut [FieldBuffers<'_>],
    memory: u64,
) -> Result<()> {
    let mut targets = Vec::with_capacity(input.outputs);
    for (index, buffers) in buffers.iter_mut().enumerate() {
        targets.push(FieldTarget {
            data: SharedBytes::new(buffers.data.as_deref_mut().unwrap_or_default()),
            offsets: SharedBytes::new(buffers.offsets.as_deref_mut().unwrap_or_default()),
            validity: SharedBytes::new(buffers.validity.as_deref_mut().unwrap_or_default()),
            var: filled.vars.iter().position(|var| var.field == index),
        });
    }
    let held_bytes: u64 = tiles.iter().map(|tile| tile.memory() as u64).sum();
    let delivery = Delivery {
        input,
        batch,
        form,
        targets,
        keep: held_bytes <= memory,
    };
    if delivery.is_scattered(tiles, memory.saturating_sub(held_bytes))? {
        return delivery.put_in_order(context, cancel_epoch, tiles);
    }
    let (placed, groups) = batch.by_tile(tiles.len());
    let outputs = input.outputs;
    context.for_each(groups.len() * outputs, |index| {
        context.check_cancelled(cancel_epoch)?;
        let pieces = &placed[groups[index / outputs].clone()];
        let Some(first) = pieces.first() else {
            return Ok(());
        };
        let tile = &tiles[batch.pieces[first.index as usize].tile as usize];
        delivery.put_field(Group { tile, pieces }, index % outputs)
    })
}

impl Delivery<'_> {
    fn put_field(&self, group: Group<'_>, field_index: usize) -> Result<()> {
        let (field, target) = (&self.input.fields[field_index], &self.targets[field_index]);
        if let FieldKind::Coordinates = field.kind {
            return self.put_coordinates(group, field, target);
        }
        if let FieldKind::Dimension(dim) = field.kind
            && let Some(column) = group.tile.narrow(dim)
        {
            self.put_narrow(group, column, field.cell_size, target);
            return Ok(());
        }
        if group.tile.loaded(field_index).is_none() {
            if self.put_directly(group, field_index)? {
                return Ok(());
            }
            // The next submit need not decode them again.
            let delivered: usize = group.pieces.iter().map(|piece| piece.len as usize).sum();
            let stays = self.keep && delivered < group.tile.waiting;
            if !stays {
                if self.gather(group, field_index)? {
                    return Ok(());
                }
                let mut cells = Pooled::<Cells>::default();
                self.input.load(group.tile, field_index, &mut cells)?;
                self.put(group, field, target, cells.as_ref());
                return Ok(());
            }
        }
        let cells = self.input.column(group.tile, field_index)?;
        self.put(group, field, target, cells.as_ref());
        Ok(())
    }

    /// Decodes a complete tile into the buffers. Returns whether that was possible.
    fn put_directly(&self, group: Group<'_>, field_index: usize) -> Result<bool> {
        let [piece] = group.pieces else {
            return Ok(false);
        };
        let source = &self.input.sources[group.tile.source];
        let (field, target) = (&self.input.fields[field_index], &self.targets[field_index]);
        let Some(stored) = source.tiles(field_index, field)? else {
            return Ok(false);
        };
        if piece.start > 0 || piece.len as usize != group.tile.cell_num {
            return Ok(false);
        }
        let (fragment, tile) = (&source.fragment, group.tile.tile);
        let (first, cells) = (piece.position, piece.len as usize);
        if field.is_nullable() {
            // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
            #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
            let to = unsafe { target.validity.part(first, cells) };
            stored.read_part(fragment, FilePart::Validity, tile, to)?;
        }
        let Some(var) = target.var else {
            let size = field.cell_size;
            // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
            #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
            let to = unsafe { target.data.part(first * size, cells * size) };
            return stored
                .read_part(fragment, FilePart::Fixed, tile, to)
                .map(|()| true);
        };
        let output_starts = &self.batch.var_starts[var];
        let field_index = piece.index as usize;
        let (start, end) = (output_starts[field_index], output_starts[field_index + 1]);
        // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
        #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
        let to = unsafe { target.data.part(start as usize, (end - start) as usize) };
        let put = |offsets: &[u8]| {
            let numbers = offsets.chunks_exact(8);
            let numbers =
                numbers.map(|offset| u64::from_le_bytes(offset.try_into().unwrap_or_default()));
            let offsets = numbers.map(|offset| start + offset);
            self.put_offsets(target, field, first, cells, offsets);
        };
        stored.read_values(fragment, tile, cells, to, put)?;
        Ok(true)
    }

    /// Copies packed coordinates.
    fn put_narrow(
        &self,
        group: Group<'_>,
        column: &PackedColumn,
        size: usize,
        target: &FieldTarget<'_>,
    ) {
        for piece in group.pieces {
            let (start, len) = (piece.start as usize, piece.len as usize);
            // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
            #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
            let to = unsafe { target.data.part(piece.position * size, len * size) };
            column.write(start..start + len, to);
        }
    }

    /// Copies the cells of a tile chunk by chunk. Returns whether that was possible.
    fn gather(&self, group: Group<'_>, field_index: usize) -> Result<bool> {
        let source = &self.input.sources[group.tile.source];
        let (field, target) = (&self.input.fields[field_index], &self.targets[field_index]);
        let (pieces, tile, fragment) = (group.pieces, group.tile.tile, &source.fragment);
        let Some(stored) = source.tiles(field_index, field)? else {
            return Ok(false);
        };
        let ends = |piece: &PlacedPiece| (piece.start, piece.start + piece.len);
        let ascends = |pair: &[PlacedPiece]| {
            let (a, b) = (ends(&pair[0]), ends(&pair[1]));
            a.0 <= b.0 && a.1 <= b.1
        };
        if stored.includes_offsets() || !pieces.windows(2).all(ascends) {
            return Ok(false);
        }
        let cell_num = group.tile.cell_num;
        let run = |field_index: usize| CellRun {
            from: pieces[field_index].start as usize,
            to: pieces[field_index].position,
            len: pieces[field_index].len as usize,
        };
        let number = pieces.len();
        if field.is_nullable() {
            let part = TilePart {
                part: FilePart::Validity,
                tile,
                len: cell_num,
            };
            // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
            #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
            unsafe {
                stored.gather(fragment, part, 1, number, run, target.validity)?;
            }
        }
        let Some(var) = target.var else {
            let size = field.cell_size;
            let part = TilePart {
                part: FilePart::Fixed,
                tile,
                len: cell_num.saturating_mul(size),
            };
            // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
            #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
            unsafe {
                stored.gather(fragment, part, size, number, run, target.data)?;
            }
            return Ok(true);
        };
        let starts = self.input.starts(group.tile, field_index)?;
        let output_starts = &self.batch.var_starts[var];
        for piece in pieces {
            let (from, to) = (piece.start as usize, (piece.start + piece.len) as usize);
            let base = output_starts[piece.index as usize];
            let offsets = starts[from..to].iter();
            let offsets = offsets.map(|start| base + (start - starts[from]));
            self.put_offsets(target, field, piece.position, to - from, offsets);
        }
        let values = |field_index: usize| {
            let piece = &pieces[field_index];
            let (from, end) = (piece.start as usize, (piece.start + piece.len) as usize);
            CellRun {
                from: starts[from] as usize,
                to: output_starts[piece.index as usize] as usize,
                len: (starts[end] - starts[from]) as usize,
            }
        };
        let part = TilePart {
            part: FilePart::Var,
            tile,
            len: stored.var_size(fragment, tile)?,
        };
        // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
        #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
        unsafe {
            stored.gather(fragment, part, 1, number, values, target.data)?;
        }
        Ok(true)
    }

    /// Writes the offsets of consecutive cells to the caller's buffer, starting at index `first`.
    pub(super) fn put_offsets(
        &self,
        target: &FieldTarget<'_>,
        field: &SparseField,
        first: usize,
        cells: usize,
        offsets: impl Iterator<Item = u64>,
    ) {
        let width = self.form.width;
        // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
        #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
        let to = unsafe { target.offsets.part(first * width, cells * width) };
        self.form.put_all(to, offsets, field.value_size);
    }

    fn put(
        &self,
        group: Group<'_>,
        field: &SparseField,
        target: &FieldTarget<'_>,
        cells: CellsRef<'_>,
    ) {
        if let Some(validity) = cells.validity.filter(|_| field.is_nullable()) {
            self.put_fixed(group, validity, 1, target.validity);
        }
        let (Some(starts), Some(var)) = (cells.starts, target.var) else {
            return self.put_fixed(group, cells.data, field.cell_size, target.data);
        };
        for piece in group.pieces {
            let (from, to) = (piece.start as usize, (piece.start + piece.len) as usize);
            let base = self.batch.var_starts[var][piece.index as usize];
            let bytes = &cells.data[starts[from] as usize..starts[to] as usize];
            // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
            #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
            unsafe { target.data.part(base as usize, bytes.len()) }.copy_from_slice(bytes);
            let offsets = starts[from..to]
                .iter()
                .map(|start| base + (start - starts[from]));
            self.put_offsets(target, field, piece.position, to - from, offsets);
        }
    }

    fn put_fixed(&self, group: Group<'_>, data: &[u8], size: usize, to: SharedBytes<'_>) {
        match size {
            1 => self.put_sized::<1>(group, data, to),
            2 => self.put_sized::<2>(group, data, to),
            4 => self.put_sized::<4>(group, data, to),
            8 => self.put_sized::<8>(group, data, to),
            _ => {
                for piece in group.pieces {
                    let from = piece.start as usize * size;
                    let len = piece.len as usize * size;
                    // SAFETY: each cell of the result belongs to one piece, and each piece to one
                    // call.
                    #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
                    unsafe { to.part(piece.position * size, len) }
                        .copy_from_slice(&data[from..from + len]);
                }
            }
        }
    }

    fn put_sized<const N: usize>(&self, group: Group<'_>, data: &[u8], to: SharedBytes<'_>) {
        let (cells, _) = data.as_chunks::<N>();
        for piece in group.pieces {
            let from = &cells[piece.start as usize..(piece.start + piece.len) as usize];
            // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
            #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
            let to = unsafe { to.part(piece.position * N, from.len() * N) };
            match from {
                // Merged fragments have many pieces of single cells.
                [one] => to.copy_from_slice(one),
                many => to.copy_from_slice(many.as_flattened()),
            }
        }
    }

    /// Copies the coordinates of a cell consecutively.
    fn put_coordinates(
        &self,
        group: Group<'_>,
        field: &SparseField,
        target: &FieldTarget<'_>,
    ) -> Result<()> {
        let size = field.value_size;
        for (dim, dim_field) in self.input.dims.iter().enumerate() {
            let column = self.input.column(group.tile, *dim_field)?;
            for piece in group.pieces {
                let from = piece.start as usize * size;
                let cells = &column.data[from..from + piece.len as usize * size];
                for (cell, bytes) in cells.chunks_exact(size).enumerate() {
                    let position = (piece.position + cell) * field.cell_size + dim * size;
                    // SAFETY: each cell of the result belongs to one piece, and each piece to one
                    // call.
                    #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
                    unsafe { target.data.part(position, size) }.copy_from_slice(bytes);
                }
            }
        }
        Ok(())
    }
}
