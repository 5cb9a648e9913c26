//! A dense read: as much of the result as the buffers hold, from where the last submit stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::estimate::estimate;
use super::fields::{AttributeRead, ReadField};
use super::plan::{Job, Piece, Plan, ResultOrder};
use super::stretch::Part;
use super::var::VarStretch;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::fragment::{Fragment, Part as FilePart};
use crate::query::buffers::{FieldBuffers, FieldSizes, OffsetsForm};
use crate::query::subarray::Subarray;
use crate::schema::ArraySchema;
use crate::space::{Order, box_strides};
use crate::stats::Stats;
use crate::tile::{Axis, Scratch, SharedBytes, Walk};
use crate::types::Layout;

/// The cells of variable-length fields whose offsets are held at once: their memory is used again while it is in the cache.
const VAR_CELLS: u64 = 1 << 18;
/// The most, where tiles are larger.
const MOST_VAR_CELLS: u64 = 1 << 21;
/// How many jobs are planned before they run.
const JOBS: usize = 512;

/// A dense read between submits.
#[derive(Debug)]
pub struct DenseRead {
    plan: Plan,
    fields: Vec<ReadField>,
    form: OffsetsForm,
    /// The first cell of the result that was not delivered.
    at: u64,
    cancel_epoch: u64,
    /// How many stored tiles the current submit looked into.
    tiles: AtomicU64,
}

/// The buffers of a field while several threads fill them.
struct Target<'a> {
    data: SharedBytes<'a>,
    validity: Option<SharedBytes<'a>>,
}

fn order_of(layout: Layout) -> ResultOrder {
    match layout {
        Layout::RowMajor => ResultOrder::Boxed(Order::RowMajor),
        Layout::ColMajor => ResultOrder::Boxed(Order::ColMajor),
        _ => ResultOrder::Global,
    }
}

impl DenseRead {
    /// Plans a read of `names`.
    pub fn new(
        context: &Context,
        schema: &Arc<ArraySchema>,
        fragments: &[Arc<Fragment>],
        subarray: &Subarray,
        layout: Layout,
        names: &[&str],
        form: OffsetsForm,
    ) -> Result<Self> {
        let mut order = order_of(layout);
        if order == ResultOrder::Global && subarray.single().is_none() {
            if layout == Layout::GlobalOrder {
                return Err(Error::usage(
                    "ReaderBase",
                    "Cannot initialize reader; Multi-range reads are not supported on a global order query.",
                ));
            }
            order = ResultOrder::Boxed(Order::RowMajor);
        }
        let plan = Plan::new(schema, fragments, subarray, order)?;
        let fields: Result<Vec<_>> = names
            .iter()
            .map(|name| ReadField::new(schema, name, plan.layers.len()))
            .collect();
        Ok(Self {
            plan,
            fields: fields?,
            form,
            at: 0,
            cancel_epoch: context.cancel_epoch(),
            tiles: AtomicU64::new(0),
        })
    }

    /// How many bytes it will deliver for its first field, all submits together.
    pub fn estimate(&self) -> Result<FieldSizes> {
        match self.fields.first() {
            Some(field) => estimate(&self.plan, field),
            None => Ok(FieldSizes::default()),
        }
    }

    /// Whether everything was delivered.
    pub fn is_done(&self) -> bool {
        self.at >= self.plan.cell_num
    }

    /// Fills the buffers, which come in the order of the names the read was planned with.
    pub fn step(
        &mut self,
        context: &Context,
        buffers: &mut [FieldBuffers<'_>],
        stats: &Stats,
    ) -> Result<Vec<FieldSizes>> {
        stats.add("loop_num", 1);
        let mut sizes = vec![FieldSizes::default(); self.fields.len()];
        let room = self.capacity(buffers);
        let has_var = self
            .fields
            .iter()
            .any(|field| matches!(field, ReadField::Attribute(a) if a.is_var()));
        let mut cells = 0;
        while !self.is_done() && cells < room {
            let left = room - cells;
            let (wanted, most) = match has_var {
                true => (left.min(VAR_CELLS), left.min(MOST_VAR_CELLS)),
                false => (left, left),
            };
            let end = self.plan.stretch_end(self.at, wanted, most);
            let taken = self.deliver(context, end, cells, buffers, &mut sizes)?;
            self.at += taken;
            cells += taken;
            if self.at < end {
                break;
            }
        }
        self.close(cells, buffers, &mut sizes);
        stats.add("num_tiles_read", self.tiles.swap(0, Ordering::Relaxed));
        stats.add("result_num", cells);
        Ok(sizes)
    }

    /// How many cells the buffers of fixed size have room for.
    fn capacity(&self, buffers: &[FieldBuffers<'_>]) -> u64 {
        let len = |buffer: &Option<&mut [u8]>| buffer.as_ref().map_or(0, |buffer| buffer.len());
        let room = |(field, buffers): (&ReadField, &FieldBuffers<'_>)| match field {
            ReadField::Dimension(dim) => {
                (len(&buffers.data) / self.plan.schema.domain.dimensions[*dim].datatype.size())
                    as u64
            }
            ReadField::Attribute(read) => {
                let cells = match read.is_var() {
                    true => self.form.capacity(len(&buffers.offsets)),
                    false => (len(&buffers.data) / read.cell_size) as u64,
                };
                if read.attribute.nullable {
                    cells.min(len(&buffers.validity) as u64)
                } else {
                    cells
                }
            }
        };
        self.fields.iter().zip(buffers).map(room).min().unwrap_or(0)
    }

    /// Delivers the cells up to `end`, or fewer where variable-length values do not fit; they follow `cells` others.
    fn deliver(
        &self,
        context: &Context,
        end: u64,
        cells: u64,
        buffers: &mut [FieldBuffers<'_>],
        sizes: &mut [FieldSizes],
    ) -> Result<u64> {
        let mut taken = end - self.at;
        let mut stretches = Vec::new();
        for (at, field) in self.fields.iter().enumerate() {
            let ReadField::Attribute(read) = field else {
                continue;
            };
            if !read.is_var() {
                continue;
            }
            let parts = self.plan.parts(self.at, end);
            let stretch =
                VarStretch::new(context, &self.plan, read, &parts, (end - self.at) as usize)?;
            let data = buffers[at]
                .data
                .as_ref()
                .map_or(0, |data| data.len() as u64);
            let room = data.min(self.form.reach(read.value_size)) - sizes[at].data;
            taken = taken.min(stretch.fitting(room));
            stretches.push((at, stretch));
        }
        if taken == 0 {
            return Ok(0);
        }
        let parts: Vec<Part> = self.plan.parts(self.at, self.at + taken);
        self.deliver_fixed(context, &parts, cells, buffers)?;
        for (at, stretch) in stretches {
            let ReadField::Attribute(read) = &self.fields[at] else {
                continue;
            };
            let (used, field) = (sizes[at].data, &mut buffers[at]);
            let (Some(data), Some(offsets)) =
                (field.data.as_deref_mut(), field.offsets.as_deref_mut())
            else {
                continue;
            };
            for cell in 0..taken as usize {
                let start = used + stretch.start(cell);
                self.form
                    .put(offsets, cells as usize + cell, start, read.value_size);
            }
            let bytes = stretch.start(taken as usize);
            let to = &mut data[used as usize..(used + bytes) as usize];
            stretch.copy(
                context,
                &self.plan,
                read,
                taken as usize,
                SharedBytes::new(to),
            )?;
            sizes[at].data += bytes;
        }
        Ok(taken)
    }

    /// Delivers everything of fixed size: values, validity vectors, coordinates.
    fn deliver_fixed(
        &self,
        context: &Context,
        parts: &[Part],
        cells: u64,
        buffers: &mut [FieldBuffers<'_>],
    ) -> Result<()> {
        let mut targets = Vec::with_capacity(self.fields.len());
        for (field, buffers) in self.fields.iter().zip(buffers) {
            let mut target = Target {
                data: SharedBytes::new(&mut []),
                validity: None,
            };
            let (cell_size, nullable, var) = match field {
                ReadField::Dimension(dim) => (
                    self.plan.schema.domain.dimensions[*dim].datatype.size(),
                    false,
                    false,
                ),
                ReadField::Attribute(read) => {
                    (read.cell_size, read.attribute.nullable, read.is_var())
                }
            };
            if let (Some(data), false) = (buffers.data.as_deref_mut(), var) {
                target.data = SharedBytes::new(&mut data[cells as usize * cell_size..]);
            }
            if let (Some(validity), true) = (buffers.validity.as_deref_mut(), nullable) {
                target.validity = Some(SharedBytes::new(&mut validity[cells as usize..]));
            }
            targets.push(target);
        }
        let from_storage: Vec<(&AttributeRead, &Target<'_>)> = self
            .fields
            .iter()
            .zip(&targets)
            .filter_map(|(field, target)| match field {
                ReadField::Attribute(read) if !read.is_var() || read.attribute.nullable => {
                    Some((read, target))
                }
                _ => None,
            })
            .collect();
        for part in parts {
            for (field, target) in self.fields.iter().zip(&targets) {
                if let ReadField::Dimension(dim) = field {
                    self.put_coordinates(part, *dim, target.data);
                }
            }
            if from_storage.is_empty() {
                continue;
            }
            let mut jobs = Vec::new();
            self.plan.for_each_job(part, |job| {
                jobs.push(job);
                if jobs.len() == JOBS {
                    self.run(context, &std::mem::take(&mut jobs), &from_storage)
                } else {
                    Ok(())
                }
            })?;
            self.run(context, &jobs, &from_storage)?;
        }
        Ok(())
    }

    fn run(
        &self,
        context: &Context,
        jobs: &[Job],
        fields: &[(&AttributeRead, &Target<'_>)],
    ) -> Result<()> {
        context.for_each(jobs.len() * fields.len(), |at| {
            context.check_cancelled(self.cancel_epoch)?;
            let (read, target) = fields[at % fields.len()];
            jobs[at / fields.len()]
                .iter()
                .try_for_each(|piece| self.run_piece(piece, read, target))
        })
    }

    fn run_piece(&self, piece: &Piece, read: &AttributeRead, target: &Target<'_>) -> Result<()> {
        let layer = piece
            .fragment
            .map(|at| Ok::<_, Error>((at, read.source(&self.plan.layers, at)?)))
            .transpose()?;
        let Some((at, Some(source))) = layer else {
            fill(piece, read, target);
            return Ok(());
        };
        self.tiles.fetch_add(1, Ordering::Relaxed);
        let fragment = &self.plan.layers[at].fragment;
        let cells = usize::try_from(self.plan.grid.tile_cell_num).unwrap_or(usize::MAX);
        let copy = |part: FilePart, size: usize, to: SharedBytes<'_>| {
            let len = cells
                .checked_mul(size)
                .filter(|len| isize::try_from(*len).is_ok());
            let len = len.ok_or(Error::OutOfMemory {
                what: "a tile",
                bytes: u64::MAX,
            })?;
            source.with_tile(fragment, part, piece.tile, len, |tile| {
                // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
                #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
                Scratch::with(|scratch| unsafe { tile.copy_cells(size, &piece.walks, to, scratch) })
            })
        };
        if !read.is_var() {
            copy(FilePart::Fixed, read.cell_size, target.data)?;
        }
        match target.validity {
            Some(validity) => copy(FilePart::Validity, 1, validity),
            None => Ok(()),
        }
    }

    /// Puts the coordinates of a part into a buffer: they change along one dimension alone.
    fn put_coordinates(&self, part: &Part, dim: usize, to: SharedBytes<'_>) {
        let shape: Vec<u64> = (0..part.cells.dim_num())
            .map(|d| part.cells.len(d))
            .collect();
        let strides = box_strides(&shape, part.order);
        let axis = |d: usize| Axis {
            len: shape[d] as usize,
            from: usize::from(d == dim),
            to: strides[d] as usize,
        };
        let walk = Walk::new((0..shape.len()).map(axis).collect(), 0, part.start as usize);
        let size = self.plan.schema.domain.dimensions[dim].datatype.size();
        // SAFETY: nobody else writes this buffer now.
        #[expect(unsafe_code, reason = "the buffer is shared with no thread here")]
        unsafe {
            walk.copy(size, &self.plan.coordinates(part, dim), to);
        }
    }

    /// Notes the sizes, and closes offsets with the extra element.
    fn close(&self, cells: u64, buffers: &mut [FieldBuffers<'_>], sizes: &mut [FieldSizes]) {
        for ((field, buffers), sizes) in self.fields.iter().zip(buffers).zip(sizes) {
            match field {
                ReadField::Dimension(dim) => {
                    sizes.data =
                        cells * self.plan.schema.domain.dimensions[*dim].datatype.size() as u64;
                }
                ReadField::Attribute(read) => {
                    if read.is_var() {
                        sizes.offsets = if cells == 0 { 0 } else { self.form.size(cells) };
                        if let (Some(offsets), true) =
                            (buffers.offsets.as_deref_mut(), self.form.extra && cells > 0)
                        {
                            self.form
                                .put(offsets, cells as usize, sizes.data, read.value_size);
                        }
                    } else {
                        sizes.data = cells * read.cell_size as u64;
                    }
                    if read.attribute.nullable {
                        sizes.validity = cells;
                    }
                }
            }
        }
    }
}

/// Fills cells that nobody wrote.
fn fill(piece: &Piece, read: &AttributeRead, target: &Target<'_>) {
    for walk in &piece.walks {
        let walk = walk.spread();
        // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
        #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
        unsafe {
            if !read.is_var() {
                walk.copy(read.cell_size, &read.attribute.fill_value, target.data);
            }
            if let Some(validity) = target.validity {
                walk.copy(1, &[read.attribute.fill_validity], validity);
            }
        }
    }
}
