//! The queue of pieces that are not delivered yet, in the order of the result, and the size of a
//! batch: as much as fits into the buffers and the memory budget.

use std::ops::Range;

use super::tiles::{Input, Tile};
use crate::buffers::{FieldBuffers, OffsetsForm};
use crate::context::Context;
use crate::error::Result;

/// The maximum number of pieces in a batch: enough for all threads, and small enough for the
/// caches.
const PIECES: usize = 1 << 15;
/// The maximum number of pieces if all are of one tile.
const MOST_PIECES: usize = 1 << 17;

/// Cells of a tile that are consecutive in the tile and in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellPiece {
    /// The index of the tile among those of the read.
    pub(super) tile: u32,
    /// The first cell.
    pub(super) start: u32,
    pub(super) len: u32,
}

/// The pieces that are not delivered yet.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pieces: Vec<CellPiece>,
    /// The first undelivered piece; those before it were delivered.
    next: usize,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.next >= self.pieces.len()
    }

    /// Replaces the delivered pieces by new ones.
    pub(super) fn refill(&mut self) -> &mut Vec<CellPiece> {
        self.pieces.drain(..self.next);
        self.next = 0;
        &mut self.pieces
    }

    fn waiting(&self) -> &[CellPiece] {
        &self.pieces[self.next..]
    }

    /// Removes the pieces that a batch delivered.
    pub(super) fn pass(&mut self, batch: &Batch) {
        let Some((last, whole)) = batch.pieces.split_last() else {
            return;
        };
        self.next += whole.len();
        let piece = &mut self.pieces[self.next];
        piece.start += last.len;
        piece.len -= last.len;
        if piece.len == 0 {
            self.next += 1;
        }
    }
}

/// The capacity of the caller's buffers, and the amount written.
#[derive(Debug)]
pub(super) struct FilledBuffers {
    /// The number of cells that fit into all fixed-size buffers.
    pub(super) capacity: usize,
    pub(super) cells: usize,
    /// By variable-length field: the index of the field, the capacity for values, and the amount
    /// written, in bytes.
    pub(super) vars: Vec<FilledVarBuffer>,
}

/// A buffer of variable-length values.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilledVarBuffer {
    pub(super) field: usize,
    pub(super) capacity: u64,
    pub(super) bytes: u64,
}

impl FilledBuffers {
    /// Returns empty buffers in the order of the fields.
    pub(super) fn new(input: &Input, form: OffsetsForm, buffers: &[FieldBuffers<'_>]) -> Self {
        let sizes = buffers.iter().map(FieldBuffers::sizes);
        let fields = || input.fields.iter().zip(sizes.clone()).enumerate();
        let cells = fields().map(|(_, (field, sizes))| {
            let cells = if field.is_var() {
                form.capacity(sizes.offsets)
            } else {
                sizes.data / field.cell_size.max(1) as u64
            };
            if field.is_nullable() {
                cells.min(sizes.validity)
            } else {
                cells
            }
        });
        let vars = fields().filter(|(_, (field, _))| field.is_var());
        let vars = vars.map(|(index, (field, sizes))| FilledVarBuffer {
            field: index,
            capacity: sizes.data.min(form.reach(field.value_size)),
            bytes: 0,
        });
        Self {
            capacity: cells.min().unwrap_or(0) as usize,
            cells: 0,
            vars: vars.collect(),
        }
    }
}

/// Pieces that are delivered together.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) pieces: Vec<CellPiece>,
    /// The index of the first cell in the buffers.
    pub(super) first: usize,
    /// Whether the cells of several tiles were merged.
    pub(super) merged: bool,
    /// By variable-length field: the position of the values of each piece, and the end of the last
    /// one.
    pub(super) var_starts: Vec<Vec<u64>>,
    pub(super) cells: usize,
    /// Whether the next cell does not fit into the buffers.
    pub(super) is_full: bool,
}

impl Batch {
    /// Takes from the queue what fits into the buffers. `memory` limits the values of
    /// variable-length fields, which are loaded if pieces were `merged`, because a tile is then
    /// accessed repeatedly.
    pub(super) fn take(
        context: &Context,
        input: &Input,
        tiles: &[Tile],
        queue: &Queue,
        filled: &FilledBuffers,
        (memory, merged): (u64, bool),
    ) -> Result<Self> {
        let mut batch = Self {
            first: filled.cells,
            merged,
            ..Self::default()
        };
        let mut space = filled.capacity - filled.cells;
        let has_vars = !filled.vars.is_empty();
        // The size of the values of each tile that is not read completely.
        let mut is_measured = vec![false; if has_vars { tiles.len() } else { 0 }];
        let mut bytes = 0u64;
        let waiting = queue.waiting();
        batch.pieces.reserve(waiting.len().min(PIECES));
        for piece in waiting {
            let len = (piece.len as usize).min(space);
            if len == 0 {
                batch.is_full = true;
                break;
            }
            if batch.pieces.len() >= PIECES {
                // A tile that is delivered completely is decoded into the buffers.
                let same = batch
                    .pieces
                    .last()
                    .is_some_and(|last| last.tile == piece.tile);
                if !same || batch.pieces.len() >= MOST_PIECES {
                    break;
                }
            }
            let taken = CellPiece {
                len: len as u32,
                ..*piece
            };
            if has_vars && !is_measured[taken.tile as usize] && !is_whole(tiles, &taken) {
                let more = var_size(input, &tiles[piece.tile as usize], filled)?;
                if bytes > 0 && bytes.saturating_add(more) > memory {
                    break;
                }
                bytes = bytes.saturating_add(more);
                is_measured[piece.tile as usize] = true;
            }
            batch.pieces.push(taken);
            batch.cells += len;
            space -= len;
        }
        if has_vars {
            batch.measure(context, input, tiles, filled, &is_measured)?;
        }
        Ok(batch)
    }

    /// Computes the positions of the values of each piece, and ends the batch when a buffer of
    /// values is full.
    fn measure(
        &mut self,
        context: &Context,
        input: &Input,
        tiles: &[Tile],
        filled: &FilledBuffers,
        is_measured: &[bool],
    ) -> Result<()> {
        let is_measured: Vec<&Tile> = tiles
            .iter()
            .zip(is_measured)
            .filter_map(|(tile, is_measured)| is_measured.then_some(tile))
            .collect();
        context.for_each(is_measured.len() * filled.vars.len(), |index| {
            let var = &filled.vars[index % filled.vars.len()];
            let tile = is_measured[index / filled.vars.len()];
            if self.merged {
                input.column(tile, var.field).map(drop)
            } else {
                input.starts(tile, var.field).map(drop)
            }
        })?;
        let mut fitting = self.pieces.len();
        for var in &filled.vars {
            let starts = tiles.iter().map(|tile| tile.known_starts(var.field));
            let starts: Vec<Option<&[u64]>> = starts.collect();
            let mut starts_of_var = Vec::with_capacity(self.pieces.len() + 1);
            let mut start = var.bytes;
            starts_of_var.push(start);
            // At most one piece after the last one that fits is measured.
            for piece in self.pieces.iter().take(fitting + 1) {
                let bytes = match starts[piece.tile as usize] {
                    Some(starts) => span(starts, piece.start, piece.len),
                    None => {
                        let tile = &tiles[piece.tile as usize];
                        input.var_bytes(tile.source, tile.tile, tile.cell_num, var.field)?
                    }
                };
                start = start.saturating_add(bytes);
                starts_of_var.push(start);
                if start > var.capacity {
                    break;
                }
            }
            let ends = starts_of_var.get(1..).unwrap_or_default();
            fitting = fitting.min(ends.partition_point(|end| *end <= var.capacity));
            self.var_starts.push(starts_of_var);
        }
        if fitting < self.pieces.len() {
            let tile = &tiles[self.pieces[fitting].tile as usize];
            self.cut(input, tile, filled, fitting)?;
        }
        self.cells = self.pieces.iter().map(|piece| piece.len as usize).sum();
        Ok(())
    }

    /// Ends the batch in or before piece `index` if a buffer of values is full.
    fn cut(
        &mut self,
        input: &Input,
        tile: &Tile,
        filled: &FilledBuffers,
        index: usize,
    ) -> Result<()> {
        let piece = self.pieces[index];
        let mut len = piece.len;
        for (var, starts_of_var) in filled.vars.iter().zip(&self.var_starts) {
            let starts = input.starts(tile, var.field)?;
            let cells = &starts[piece.start as usize..=(piece.start + piece.len) as usize];
            let space = var.capacity.saturating_sub(starts_of_var[index]);
            let fitting = cells.partition_point(|start| start - cells[0] <= space);
            len = len.min(fitting.saturating_sub(1) as u32);
        }
        self.is_full = true;
        self.pieces.truncate(index + usize::from(len > 0));
        for (var, starts_of_var) in filled.vars.iter().zip(&mut self.var_starts) {
            starts_of_var.truncate(index + 1);
            if len > 0 {
                let starts = input.starts(tile, var.field)?;
                starts_of_var.push(starts_of_var[index] + span(starts, piece.start, len));
            }
        }
        if let Some(last) = self.pieces.get_mut(index) {
            last.len = len;
        }
        Ok(())
    }

    /// Returns the pieces grouped by tile.
    pub(super) fn by_tile(&self, tiles: usize) -> (Vec<PlacedPiece>, Vec<Range<usize>>) {
        // A counting sort, because there are many pieces of single cells.
        let mut ends = vec![0u32; tiles + 1];
        for piece in &self.pieces {
            ends[piece.tile as usize + 1] += 1;
        }
        for index in 0..tiles {
            ends[index + 1] += ends[index];
        }
        let starts = ends.clone();
        let mut placed = vec![PlacedPiece::default(); self.pieces.len()];
        let mut position = self.first;
        for (index, piece) in (0u32..).zip(&self.pieces) {
            let end = &mut ends[piece.tile as usize];
            placed[*end as usize] = PlacedPiece {
                position,
                index,
                start: piece.start,
                len: piece.len,
            };
            *end += 1;
            position += piece.len as usize;
        }
        let groups = starts
            .windows(2)
            .map(|pair| pair[0] as usize..pair[1] as usize);
        (placed, groups.filter(|group| !group.is_empty()).collect())
    }
}

/// A piece of a tile and its position in the buffers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlacedPiece {
    /// The index of its first cell in the buffers.
    pub(super) position: usize,
    /// The index of the piece in the batch.
    pub(super) index: u32,
    /// The first cell in the tile.
    pub(super) start: u32,
    pub(super) len: u32,
}

/// Returns whether a piece is a complete tile.
pub(super) fn is_whole(tiles: &[Tile], piece: &CellPiece) -> bool {
    piece.start == 0 && piece.len as usize == tiles[piece.tile as usize].cell_num
}

/// Returns the size of a number of cells in bytes.
fn span(starts: &[u64], start: u32, len: u32) -> u64 {
    starts[(start + len) as usize] - starts[start as usize]
}

/// Returns the size in bytes of the variable-length values of a tile that must be in memory.
fn var_size(input: &Input, tile: &Tile, filled: &FilledBuffers) -> Result<u64> {
    let mut bytes = 0u64;
    for var in &filled.vars {
        let size = input.size(tile.source, tile.tile, tile.cell_num, var.field)?;
        bytes = bytes.saturating_add(size);
    }
    Ok(bytes)
}
