//! The cells of fragments, read in the order in which they are stored and written as one fragment, a bounded part at a
//! time.

use std::sync::Arc;

use super::fragments::{FRAGMENTS, Merging};
use crate::array::{Delete, Snapshot};
use crate::error::{Error, Result, try_vec};
use crate::format::names::FragmentName;
use crate::format::version::{self as v, FormatVersion};
use crate::fragment::{FieldTiles, Fragment, FragmentWriter, NewFragment};
use crate::query::buffers::{FieldBuffers, FieldCells, FieldSizes, OffsetsForm};
use crate::query::read::{Asked, Deleted, DenseRead, SparseRead, SparseWanted};
use crate::query::subarray::Subarray;
use crate::query::write::{BoxWrite, Checks, SparseGlobalWrite};
use crate::schema::{ArraySchema, StoredField};
use crate::space::{CellBox, Order, TileGrid, for_each_position};
use crate::types::{Layout, TimeRange};

/// The form of offsets on the way.
const FORM: OffsetsForm = OffsetsForm {
    width: 8,
    elements: false,
    extra: false,
};
/// The most bytes that one part of the cells has, unless a tile has more.
const PART: u64 = 16 << 20;
/// What a cell of variable length is taken to have, in bytes, until its buffer turns out to be too small.
const VAR_GUESS: u64 = 16;

/// A field on its way.
struct Carrier {
    name: String,
    var: bool,
    nullable: bool,
    cell_size: usize,
    data: Vec<u8>,
    offsets: Vec<u8>,
    validity: Vec<u8>,
    sizes: FieldSizes,
}

impl Carrier {
    fn new(field: &StoredField) -> Self {
        Self {
            name: field.name.clone(),
            var: field.is_var(),
            nullable: field.nullable,
            cell_size: field.cell_size(),
            data: Vec::new(),
            offsets: Vec::new(),
            validity: Vec::new(),
            sizes: FieldSizes::default(),
        }
    }

    /// The bytes of a cell, more or less.
    fn weight(&self) -> u64 {
        let data = match self.var {
            true => 8 + VAR_GUESS,
            false => self.cell_size as u64,
        };
        data + u64::from(self.nullable)
    }

    /// Makes room for so many cells.
    fn reserve(&mut self, cells: u64) -> Result<()> {
        let resize = |to: &mut Vec<u8>, len: u64| -> Result<()> {
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            if to.len() < len {
                *to = Vec::new();
                *to = try_vec("a consolidation buffer", len)?;
            }
            Ok(())
        };
        if self.var {
            resize(&mut self.offsets, cells.saturating_mul(8))?;
            resize(&mut self.data, cells.saturating_mul(VAR_GUESS).max(1024))?;
        } else {
            resize(&mut self.data, cells.saturating_mul(self.cell_size as u64))?;
        }
        match self.nullable {
            true => resize(&mut self.validity, cells),
            false => Ok(()),
        }
    }

    /// Doubles the room for values of variable length.
    fn widen(&mut self) -> Result<()> {
        if self.var {
            let len = self.data.len().saturating_mul(2);
            self.data = Vec::new();
            self.data = try_vec("a consolidation buffer", len)?;
        }
        Ok(())
    }

    fn buffers(&mut self) -> FieldBuffers<'_> {
        FieldBuffers {
            name: &self.name,
            data: Some(&mut self.data),
            offsets: self.var.then_some(&mut self.offsets),
            validity: self.nullable.then_some(&mut self.validity),
        }
    }

    fn cells(&self) -> FieldCells<'_> {
        FieldCells {
            name: &self.name,
            data: self.data.get(..self.sizes.data as usize),
            offsets: self
                .offsets
                .get(..self.sizes.offsets as usize)
                .filter(|_| self.var),
            validity: self
                .validity
                .get(..self.sizes.validity as usize)
                .filter(|_| self.nullable),
        }
    }
}

/// Makes more room after a read that brought nothing. An error where that cannot help.
fn widen(carriers: &mut [Carrier]) -> Result<()> {
    if !carriers.iter().any(|carrier| carrier.var) {
        let message = "Consolidation read 0 cells, no progress can be made";
        return Err(Error::usage(FRAGMENTS, message));
    }
    carriers.iter_mut().try_for_each(Carrier::widen)
}

fn cells_per_part(carriers: &[Carrier]) -> u64 {
    let weight: u64 = carriers.iter().map(Carrier::weight).sum();
    (PART / weight.max(1)).max(1)
}

/// What is written as one fragment.
pub(super) struct Merged<'a> {
    /// Oldest first.
    pub(super) fragments: &'a [Arc<Fragment>],
    /// Those that were looked at together with the fragments, oldest first.
    pub(super) deletes: &'a [Arc<Delete>],
    /// What happens to the cells that they took.
    pub(super) deleted: Deleted,
    /// When the fragment counts as written.
    pub(super) timestamps: TimeRange,
}

/// Writes the cells of fragments as one. `before_commit` is told its name when all but the commit is there. Answers whether
/// there was a cell.
pub(super) fn rewrite(
    merging: &Merging<'_>,
    merged: &Merged<'_>,
    before_commit: impl FnOnce(&FragmentName) -> Result<()>,
) -> Result<bool> {
    let schema = &merging.schema;
    let dense = schema.is_dense();
    let version = FormatVersion(schema.version).for_writing();
    let markers: Vec<String> = merged
        .deletes
        .iter()
        .map(|delete| delete.marker())
        .collect();
    let new = NewFragment {
        array: merging.array,
        schema,
        dense,
        timestamps: merged.timestamps,
        has_timestamps: !dense && version >= v::TIMESTAMP_FILES,
        has_delete_metadata: !dense && merged.deleted == Deleted::Told,
        processed: &markers,
        key: merging.key.as_ref(),
    };
    match dense {
        true => rewrite_dense(merging, merged.fragments, new, before_commit),
        false => rewrite_sparse(merging, merged, new, before_commit),
    }
}

fn rewrite_sparse(
    merging: &Merging<'_>,
    merged: &Merged<'_>,
    new: NewFragment<'_>,
    before_commit: impl FnOnce(&FragmentName) -> Result<()>,
) -> Result<bool> {
    let (vfs, schema) = (merging.vfs, &merging.schema);
    // A fragment that tells the times of its cells keeps those that newer ones hide.
    let mut reading = ArraySchema::clone(schema);
    reading.allows_dups |= new.has_timestamps && merged.deleted != Deleted::GoneWithOlder;
    let reading = Arc::new(reading);
    let key = merging.key.as_ref();
    let snapshot = Snapshot::of_fragments(
        merging.array,
        &reading,
        merged.fragments,
        merged.deletes,
        merging.config,
        key,
    );
    let mut carriers = carriers(schema, true);
    let writer = FragmentWriter::make(vfs, new)?;
    let own = writer.own_fields();
    let own = own.filter_map(|field| FieldTiles::own(schema, field.name()));
    carriers.extend(own.map(|field| Carrier::new(&field)));
    let names: Vec<String> = carriers
        .iter()
        .map(|carrier| carrier.name.clone())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut read = SparseRead::new(
        vfs,
        &snapshot,
        merging.config,
        &Subarray::new(&reading),
        SparseWanted {
            names: &names,
            beside: &[],
            layout: Layout::GlobalOrder,
            form: FORM,
            condition: None,
            deleted: merged.deleted,
        },
    )?;
    let unchecked = Checks {
        bounds: false,
        duplicates: false,
        order: false,
        drop_duplicates: false,
    };
    let mut write = SparseGlobalWrite::begin(schema, unchecked, key, || Ok(writer))?;
    let per_part = cells_per_part(&carriers);
    carriers
        .iter_mut()
        .try_for_each(|carrier| carrier.reserve(per_part))?;
    let stats = vfs.context().stats().child("Consolidator");
    let mut any = false;
    while !read.is_done() {
        let mut buffers: Vec<_> = carriers.iter_mut().map(Carrier::buffers).collect();
        let sizes = read.step(vfs.context(), &mut buffers, &stats)?;
        drop(buffers);
        let got = sizes
            .iter()
            .any(|sizes| sizes.data > 0 || sizes.offsets > 0);
        if !got && !read.is_done() {
            widen(&mut carriers)?;
            continue;
        }
        for (carrier, sizes) in carriers.iter_mut().zip(sizes) {
            carrier.sizes = sizes;
        }
        any |= got;
        let cells: Vec<_> = carriers.iter().map(Carrier::cells).collect();
        write.submit(vfs, &cells, FORM)?;
    }
    if any {
        before_commit(write.name())?;
    }
    Ok(write.finish()?.is_some())
}

/// The fields that are stored: attributes, and dimensions of sparse arrays.
fn carriers(schema: &ArraySchema, dimensions: bool) -> Vec<Carrier> {
    let attributes = schema
        .attributes
        .iter()
        .map(|attribute| Carrier::new(&attribute.as_ref().into()));
    let names = schema.domain.dimensions.iter().filter(|_| dimensions);
    let dimensions = names.filter_map(|dimension| schema.stored_field(&dimension.name));
    let dimensions: Vec<Carrier> = dimensions.map(|field| Carrier::new(&field)).collect();
    attributes.chain(dimensions).collect()
}

fn rewrite_dense(
    merging: &Merging<'_>,
    fragments: &[Arc<Fragment>],
    new: NewFragment<'_>,
    before_commit: impl FnOnce(&FragmentName) -> Result<()>,
) -> Result<bool> {
    let (vfs, schema) = (merging.vfs, &merging.schema);
    let key = merging.key.as_ref();
    let snapshot =
        Snapshot::of_fragments(merging.array, schema, fragments, &[], merging.config, key);
    let Some(domain) = snapshot.non_empty_domain() else {
        return Ok(false);
    };
    let grid = TileGrid::new(schema)?;
    let outside = || Error::usage(FRAGMENTS, "A fragment lies outside of the array's domain");
    let cells = grid.to_box(schema, domain).ok_or_else(outside)?;
    let mut carriers = carriers(schema, false);
    let mut writer = FragmentWriter::make(vfs, new)?;
    let per_part = cells_per_part(&carriers);
    for_each_part(&grid, &cells, per_part, |part| {
        let ranges = grid.to_ranges(schema, part);
        read_box(merging, fragments, &mut carriers, part, &ranges)?;
        let of = BoxWrite {
            schema,
            ranges: &ranges,
            order: Order::RowMajor,
            key,
        };
        let cells: Vec<_> = carriers.iter().map(Carrier::cells).collect();
        of.append(vfs, &cells, FORM, &mut writer)
    })?;
    writer.set_non_empty_domain(domain.clone());
    before_commit(writer.name())?;
    writer.finish()?;
    Ok(true)
}

/// Brings the cells of a box.
fn read_box(
    merging: &Merging<'_>,
    fragments: &[Arc<Fragment>],
    carriers: &mut [Carrier],
    part: &CellBox,
    ranges: &[crate::types::Range],
) -> Result<()> {
    let (context, schema) = (merging.vfs.context(), &merging.schema);
    let mut subarray = Subarray::new(schema);
    for (dim, range) in ranges.iter().enumerate() {
        subarray.add_range(dim as u32, range.start(), range.end())?;
    }
    let names: Vec<String> = carriers
        .iter()
        .map(|carrier| carrier.name.clone())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let stats = context.stats().child("Consolidator");
    carriers
        .iter_mut()
        .try_for_each(|carrier| carrier.reserve(part.cell_num()))?;
    loop {
        let asked = Asked {
            subarray: &subarray,
            layout: Layout::RowMajor,
            names: &names,
            form: FORM,
            condition: None,
            selected_only: false,
        };
        let mut read = DenseRead::new(context, schema, fragments, asked)?;
        let mut buffers: Vec<_> = carriers.iter_mut().map(Carrier::buffers).collect();
        let sizes = read.step(context, &mut buffers, &stats)?;
        drop(buffers);
        if read.is_done() {
            for (carrier, sizes) in carriers.iter_mut().zip(sizes) {
                carrier.sizes = sizes;
            }
            return Ok(());
        }
        widen(carriers)?;
    }
}

/// Calls `visit` with boxes that follow one another in the order of the tiles, each of whole tiles but for the ends of
/// `cells`, and of no more than `most` cells, or one tile.
fn for_each_part(
    grid: &TileGrid,
    cells: &CellBox,
    most: u64,
    mut visit: impl FnMut(&CellBox) -> Result<()>,
) -> Result<()> {
    let tiles = grid.tiles(cells);
    let order = grid.tile_order.slowest_first(tiles.dim_num());
    // The dimension that is cut: all faster ones are taken whole, all slower ones a tile at a time.
    let mut cut = order.len() - 1;
    let mut step = grid.tile_cell_num.max(1);
    while cut > 0 {
        let whole = step.saturating_mul(tiles.len(order[cut]));
        if whole > most {
            break;
        }
        step = whole;
        cut -= 1;
    }
    let run = (most / step).clamp(1, tiles.len(order[cut]));
    let mut counts = vec![1u64; tiles.dim_num()];
    for (at, dim) in order.iter().enumerate() {
        if at < cut {
            counts[*dim] = tiles.len(*dim);
        } else if at == cut {
            counts[*dim] = tiles.len(*dim).div_ceil(run);
        }
    }
    for_each_position(&counts, grid.tile_order, |at| {
        let mut part = tiles.clone();
        for (place, dim) in order.iter().enumerate().take(cut + 1) {
            let len = if place == cut { run } else { 1 };
            part.low[*dim] = tiles.low[*dim] + at[*dim] * len;
            part.high[*dim] = (part.low[*dim] + len - 1).min(tiles.high[*dim]);
        }
        let whole = CellBox {
            low: grid.tile_cells(&part.low).low,
            high: grid.tile_cells(&part.high).high,
        };
        match whole.intersection(cells) {
            Some(inside) => visit(&inside),
            None => Ok(()),
        }
    })
}
