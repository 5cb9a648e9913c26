//! Copies a batch tile by tile. Each tile is decoded once per field; a tile whose cells are
//! delivered together and in stored order is decoded into the buffers.

use super::super::tiles::{FieldKind, SparseField, Tile};
use super::batch::PlacedRun;
use super::{FieldTarget, Gather};
use crate::bytes::sized;
use crate::context::Context;
use crate::error::Result;
use crate::fragment::{FilePart, TilePart};
use crate::geometry::PackedColumn;
use crate::memory::WorkspaceGuard;
use crate::tile::{CellRun, Cells, CellsRef, SharedBytes};

/// The runs of one tile.
#[derive(Clone, Copy)]
struct TileRuns<'a> {
    tile: &'a Tile,
    runs: &'a [PlacedRun],
}

impl Gather<'_> {
    /// Copies all fields tile by tile.
    pub(super) fn put_by_tile(&self, context: &Context) -> Result<()> {
        let (placed, groups) = self.batch.by_tile(self.tiles.len());
        let output_num = self.loader.fields.output_num;
        let first_runs = groups.iter().filter_map(|group| placed.get(group.start));
        let tiles =
            first_runs.map(|run| &self.tiles[self.batch.runs[run.index as usize].tile as usize]);
        let bytes = self.loader.fixed_bytes(tiles, 0..output_num);
        context.for_each_sized(bytes, groups.len() * output_num, |task| {
            let runs = &placed[groups[task / output_num].clone()];
            let Some(first) = runs.first() else {
                return Ok(());
            };
            let tile = &self.tiles[self.batch.runs[first.index as usize].tile as usize];
            self.put_field(TileRuns { tile, runs }, task % output_num)
        })
    }

    fn put_field(&self, group: TileRuns<'_>, index: usize) -> Result<()> {
        let (field, target) = (&self.loader.fields[index], &self.targets[index]);
        if let FieldKind::Coordinates = field.kind {
            return self.put_coordinates(group, field, target);
        }
        if let FieldKind::Dimension(dim) = field.kind
            && let Some(column) = group.tile.packed(dim)
        {
            put_packed(group, column, field.cell_size, target);
            return Ok(());
        }
        if group.tile.loaded(index).is_none() {
            if self.put_directly(group, index)? {
                return Ok(());
            }
            // If the tile stays in memory, the next submit need not decode it again.
            let delivered: usize = group.runs.iter().map(|run| run.len as usize).sum();
            let tile = group.tile;
            let stays = self.keeps_tiles && (delivered < tile.undelivered || tile.is_pending);
            if !stays {
                if self.put_chunks(group, index)? {
                    return Ok(());
                }
                let mut cells = WorkspaceGuard::<Cells>::default();
                self.loader.load(tile, index, &mut cells)?;
                self.put(group, field, target, cells.as_ref());
                return Ok(());
            }
        }
        let cells = self.loader.column(group.tile, index)?;
        self.put(group, field, target, cells.as_ref());
        Ok(())
    }

    /// Decodes a complete tile into the buffers. Returns whether that was possible.
    fn put_directly(&self, group: TileRuns<'_>, index: usize) -> Result<bool> {
        let [run] = group.runs else {
            return Ok(false);
        };
        let source = &self.loader.sources[group.tile.source];
        let (field, target) = (&self.loader.fields[index], &self.targets[index]);
        let Some(stored) = source.tiles(index, field)? else {
            return Ok(false);
        };
        if run.start > 0 || run.len as usize != group.tile.cell_num {
            return Ok(false);
        }
        let (fragment, tile) = (&source.fragment, group.tile.index);
        let (first, cells) = (run.position, run.len as usize);
        if let (Some(validity), true) = (target.output.validity, field.is_nullable()) {
            let to = validity.part(first, cells);
            stored.read_part(fragment, FilePart::Validity, tile, to)?;
        }
        let Some(var) = target.var else {
            let size = field.cell_size;
            let to = target.output.data.part(first * size, cells * size);
            return stored
                .read_part(fragment, FilePart::Fixed, tile, to)
                .map(|()| true);
        };
        let offsets = &self.batch.var_offsets[var];
        let (start, end) = (offsets[run.index as usize], offsets[run.index as usize + 1]);
        let to = target.output.data;
        let to = to.part(start as usize, (end - start) as usize);
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

    /// Copies the cells of a tile chunk by chunk. Returns whether that was possible.
    fn put_chunks(&self, group: TileRuns<'_>, index: usize) -> Result<bool> {
        let source = &self.loader.sources[group.tile.source];
        let (field, target) = (&self.loader.fields[index], &self.targets[index]);
        let (runs, tile, fragment) = (group.runs, group.tile.index, &source.fragment);
        let Some(stored) = source.tiles(index, field)? else {
            return Ok(false);
        };
        if stored.includes_offsets() || !do_ascend(runs) {
            return Ok(false);
        }
        let cell_num = group.tile.cell_num;
        let cells = |run: usize| CellRun {
            from: runs[run].start as usize,
            to: runs[run].position,
            len: runs[run].len as usize,
        };
        if let (Some(validity), true) = (target.output.validity, field.is_nullable()) {
            let part = TilePart {
                part: FilePart::Validity,
                tile,
                len: cell_num,
            };
            stored.gather(fragment, part, 1, runs.len(), cells, validity)?;
        }
        let Some(var) = target.var else {
            let size = field.cell_size;
            let part = TilePart {
                part: FilePart::Fixed,
                tile,
                len: cell_num.saturating_mul(size),
            };
            stored.gather(fragment, part, size, runs.len(), cells, target.output.data)?;
            return Ok(true);
        };
        let starts = self.loader.starts(group.tile, index)?;
        let var_offsets = &self.batch.var_offsets[var];
        for run in runs {
            self.put_run_offsets(target, field, run, starts, var_offsets[run.index as usize]);
        }
        let values = |run: usize| {
            let run = &runs[run];
            let (from, end) = (run.start as usize, (run.start + run.len) as usize);
            CellRun {
                from: starts[from] as usize,
                to: var_offsets[run.index as usize] as usize,
                len: (starts[end] - starts[from]) as usize,
            }
        };
        let part = TilePart {
            part: FilePart::Var,
            tile,
            len: stored.var_size(fragment, tile)?,
        };
        stored.gather(fragment, part, 1, runs.len(), values, target.output.data)?;
        Ok(true)
    }

    /// Copies a field from the cells of a tile.
    fn put(
        &self,
        group: TileRuns<'_>,
        field: &SparseField,
        target: &FieldTarget<'_>,
        cells: CellsRef<'_>,
    ) {
        let validity = cells.validity.filter(|_| field.is_nullable());
        if let (Some(validity), Some(to)) = (validity, target.output.validity) {
            put_fixed(group, validity, 1, to);
        }
        let (Some(starts), Some(var)) = (cells.starts, target.var) else {
            return put_fixed(group, cells.data, field.cell_size, target.output.data);
        };
        for run in group.runs {
            let (from, to) = (run.start as usize, (run.start + run.len) as usize);
            let base = self.batch.var_offsets[var][run.index as usize];
            let bytes = &cells.data[starts[from] as usize..starts[to] as usize];
            target.output.data.write(base as usize, bytes);
            self.put_run_offsets(target, field, run, starts, base);
        }
    }

    /// Writes the offsets of the cells of a run, whose values are at `base` in the buffer.
    fn put_run_offsets(
        &self,
        target: &FieldTarget<'_>,
        field: &SparseField,
        run: &PlacedRun,
        starts: &[u64],
        base: u64,
    ) {
        let (from, to) = (run.start as usize, (run.start + run.len) as usize);
        let offsets = starts[from..to].iter();
        let offsets = offsets.map(|start| base + (start - starts[from]));
        self.put_offsets(target, field, run.position, to - from, offsets);
    }

    /// Copies the coordinates of each cell to consecutive bytes.
    fn put_coordinates(
        &self,
        group: TileRuns<'_>,
        field: &SparseField,
        target: &FieldTarget<'_>,
    ) -> Result<()> {
        let size = field.value_size;
        for (dim, dim_field) in self.loader.fields.dims.iter().enumerate() {
            let column = self.loader.column(group.tile, *dim_field)?;
            for run in group.runs {
                let from = run.start as usize * size;
                let cells = &column.data[from..from + run.len as usize * size];
                for (cell, bytes) in cells.chunks_exact(size).enumerate() {
                    let position = (run.position + cell) * field.cell_size + dim * size;
                    target.output.data.write(position, bytes);
                }
            }
        }
        Ok(())
    }
}

/// Copies packed coordinates.
fn put_packed(group: TileRuns<'_>, column: &PackedColumn, size: usize, target: &FieldTarget<'_>) {
    for run in group.runs {
        let (start, len) = (run.start as usize, run.len as usize);
        let to = target.output.data.part(run.position * size, len * size);
        column.write(start..start + len, to);
    }
}

/// Copies cells of `size` bytes.
fn put_fixed(group: TileRuns<'_>, data: &[u8], size: usize, to: SharedBytes<'_>) {
    sized!(size,
        N => put_sized::<N>(group, data, to),
        else => {
            for run in group.runs {
                let from = run.start as usize * size;
                let len = run.len as usize * size;
                to.write(run.position * size, &data[from..from + len]);
            }
        }
    )
}

fn put_sized<const N: usize>(group: TileRuns<'_>, data: &[u8], to: SharedBytes<'_>) {
    let (cells, _) = data.as_chunks::<N>();
    for run in group.runs {
        let from = &cells[run.start as usize..(run.start + run.len) as usize];
        match from {
            // Merged fragments have many runs of single cells.
            [one] => to.write(run.position * N, one),
            many => to.write(run.position * N, many.as_flattened()),
        }
    }
}

/// Returns whether the starts and the ends of runs of a tile ascend.
fn do_ascend(runs: &[PlacedRun]) -> bool {
    let ends = |run: &PlacedRun| (run.start, run.start + run.len);
    runs.windows(2).all(|pair| {
        let (a, b) = (ends(&pair[0]), ends(&pair[1]));
        a.0 <= b.0 && a.1 <= b.1
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::config::Config;
    use crate::filter::{FilterList, Pipeline};
    use crate::read::outputs::share_with_tasks;
    use crate::stats::ReadWatch;
    use crate::tile::{StoredTile, TileLocation, TileWorkspace};
    use crate::types::Datatype;
    use crate::vfs::{Uri, Vfs};

    /// Returns the stored form of an unfiltered tile with chunks of these lengths, whose bytes are
    /// their positions.
    fn stored_tile(lens: &[usize]) -> Vec<u8> {
        let mut stored = (lens.len() as u64).to_le_bytes().to_vec();
        let mut position = 0;
        for len in lens {
            for number in [*len as u32, *len as u32, 0] {
                stored.extend_from_slice(&number.to_le_bytes());
            }
            stored.extend((position..position + len).map(|position| position as u8));
            position += len;
        }
        stored
    }

    /// Returns runs whose starts and ends ascend. They may overlap and be equal.
    fn runs_within(ends: Vec<(usize, usize)>, len: usize) -> Vec<CellRun> {
        let bounds = ends
            .into_iter()
            .map(|(a, b)| (a % (len + 1), b % (len + 1)));
        let (mut starts, mut ends): (Vec<usize>, Vec<usize>) =
            bounds.map(|(a, b)| (a.min(b), a.max(b))).unzip();
        starts.sort_unstable();
        ends.sort_unstable();
        let mut to = 0;
        let runs = starts.into_iter().zip(ends).map(|(from, end)| {
            let run = CellRun {
                from,
                to,
                len: end - from,
            };
            to += run.len;
            run
        });
        runs.collect()
    }

    fn gathered(lens: &[usize], runs: &[CellRun]) -> Vec<u8> {
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("storage");
        let uri = Uri::parse("mem://tile").expect("a URI");
        let stored = stored_tile(lens);
        vfs.write_all(&uri, &stored).expect("written");
        let file = vfs.open(&uri).expect("a file");
        let pipeline = Pipeline::new(Arc::new(FilterList::default()), Datatype::Uint8, None);
        let tile = StoredTile {
            location: TileLocation {
                file: &file,
                fragment: &uri,
                range: 0..stored.len() as u64,
            },
            pipeline: &pipeline.expect("a pipeline"),
            len: lens.iter().sum(),
            cache: None,
            watch: ReadWatch::start(),
            converted: None,
        };
        let mut bytes = vec![0xee; runs.iter().map(|run| run.len).sum()];
        let to = share_with_tasks(&mut bytes);
        TileWorkspace::with(|workspace| {
            tile.gather(1, runs.len(), |run| runs[run], to, workspace)
                .expect("gathered");
        });
        bytes
    }

    proptest! {
        #[test]
        fn runs_that_overlap_are_copied_from_every_chunk(
            lens in proptest::collection::vec(0usize..9, 1..6),
            ends in proptest::collection::vec((0usize..50, 0usize..50), 0..8),
        ) {
            let runs = runs_within(ends, lens.iter().sum());
            let expected: Vec<u8> = runs
                .iter()
                .flat_map(|run| (run.from..run.from + run.len).map(|position| position as u8))
                .collect();
            prop_assert_eq!(gathered(&lens, &runs), expected);
        }
    }
}
