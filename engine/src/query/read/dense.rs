//! A dense read: as much of the result as the buffers hold, from where the last submit stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::columns::{self, with_columns};
use super::estimate::estimate;
use super::fields::{AttributeRead, ReadField};
use super::plan::{Job, Piece, Plan, ResultOrder};
use super::select::{Selected, Selector};
use super::stretch::Part;
use super::tally::{FieldTally, tally};
use super::var::VarStretch;
use crate::context::Context;
use crate::error::{Error, Result, try_vec};
use crate::fragment::{Fragment, Part as FilePart};
use crate::query::aggregate::{Aggregate, Operator, Tally, fields_of};
use crate::query::buffers::{FieldBuffers, FieldSizes, OffsetsForm};
use crate::query::condition::{BoundCondition, Verdict};
use crate::query::subarray::Subarray;
use crate::schema::ArraySchema;
use crate::space::{Order, box_strides};
use crate::stats::Stats;
use crate::tile::{Axis, CellsRef, Scratch, SharedBytes, Walk};
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
    selector: Option<Selector>,
    /// Whether only coordinates are delivered, and only those of selected cells.
    selected_only: bool,
}

/// What is asked of a dense read.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The cells.
    pub subarray: &'a Subarray,
    /// Their order.
    pub layout: Layout,
    /// The fields.
    pub names: &'a [&'a str],
    /// The form of offsets.
    pub form: OffsetsForm,
    /// Which cells keep their values.
    pub condition: Option<BoundCondition>,
    /// Whether only the coordinates of selected cells are delivered.
    pub selected_only: bool,
}

/// Which cells of a stretch keep their values.
enum Selection<'a> {
    Everything,
    /// Those with a bit: cells of variable length have to be measured before any is copied.
    ByCell(Selected),
    /// Those that a condition selects, found out tile by tile.
    ByTile(&'a Selector),
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
    /// Plans a read.
    pub fn new(
        context: &Context,
        schema: &Arc<ArraySchema>,
        fragments: &[Arc<Fragment>],
        asked: Asked<'_>,
    ) -> Result<Self> {
        let Asked {
            subarray, layout, ..
        } = asked;
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
        let fields: Result<Vec<_>> = asked
            .names
            .iter()
            .map(|name| ReadField::new(schema, name, plan.layers.len()))
            .collect();
        let select = |condition| Selector::new(&plan, condition);
        let selector = asked.condition.map(select).transpose()?;
        Ok(Self {
            plan,
            fields: fields?,
            form: asked.form,
            at: 0,
            cancel_epoch: context.cancel_epoch(),
            tiles: AtomicU64::new(0),
            selector,
            selected_only: asked.selected_only,
        })
    }

    /// Computes aggregates of all cells that it is about, delivered or not: the value of each, and whether it is valid.
    pub fn aggregate(
        &self,
        context: &Context,
        aggregates: &[&Aggregate],
        stats: &Stats,
    ) -> Result<Vec<(Vec<u8>, bool)>> {
        let (wanted, places) = fields_of(aggregates);
        let fields = wanted.into_iter().map(|(field, wanted)| {
            Ok(FieldTally {
                field: ReadField::new(&self.plan.schema, &field.name, self.plan.layers.len())?,
                tally: Tally::new(field, wanted),
            })
        });
        let mut fields = fields.collect::<Result<Vec<_>>>()?;
        let selector = self.selector.as_ref();
        let fetched = tally(
            context,
            &self.plan,
            selector,
            &mut fields,
            self.cancel_epoch,
        )?;
        stats.add("num_tiles_read", fetched);
        let results = aggregates.iter().zip(places).map(|(aggregate, place)| {
            match (place, aggregate.operator()) {
                (Some(at), _) => fields[at].tally.result(aggregate),
                // Rows are counted: a condition leaves them all, with fill values.
                (None, Operator::Count) => (self.plan.cell_num.to_le_bytes().to_vec(), true),
                (None, _) => (vec![0; 8], false),
            }
        });
        Ok(results.collect())
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
        if self.selected_only {
            return self.step_selected(context, room, buffers, sizes);
        }
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
        let has_var = |field: &ReadField| matches!(field, ReadField::Attribute(a) if a.is_var());
        let selected = match &self.selector {
            Some(selector) if !self.fields.iter().any(has_var) => Selection::ByTile(selector),
            _ => match self.select(context, end)? {
                Some(selected) => Selection::ByCell(selected),
                None => Selection::Everything,
            },
        };
        let by_cell = match &selected {
            Selection::ByCell(selected) => Some(selected),
            _ => None,
        };
        let mut stretches = Vec::new();
        for (at, field) in self.fields.iter().enumerate() {
            let ReadField::Attribute(read) = field else {
                continue;
            };
            if !read.is_var() {
                continue;
            }
            let parts = self.plan.parts(self.at, end);
            let cells = (end - self.at) as usize;
            let stretch = VarStretch::new(context, &self.plan, read, &parts, cells, by_cell)?;
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
        self.deliver_fixed(context, &parts, cells, &selected, buffers)?;
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
                by_cell,
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
        selected: &Selection<'_>,
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
                    self.run(context, &std::mem::take(&mut jobs), selected, &from_storage)
                } else {
                    Ok(())
                }
            })?;
            self.run(context, &jobs, selected, &from_storage)?;
        }
        Ok(())
    }

    fn run(
        &self,
        context: &Context,
        jobs: &[Job],
        selection: &Selection<'_>,
        fields: &[(&AttributeRead, &Target<'_>)],
    ) -> Result<()> {
        let selected = match selection {
            Selection::Everything => None,
            Selection::ByCell(selected) => Some(selected),
            Selection::ByTile(selector) => {
                return context.for_each(jobs.len(), |at| {
                    context.check_cancelled(self.cancel_epoch)?;
                    self.run_job(&jobs[at], selector, fields)
                });
            }
        };
        context.for_each(jobs.len() * fields.len(), |at| {
            context.check_cancelled(self.cancel_epoch)?;
            let (read, target) = fields[at % fields.len()];
            let mut pieces = jobs[at / fields.len()].pieces.iter();
            pieces.try_for_each(|piece| self.run_piece(piece, selected, read, target))
        })
    }

    /// Delivers the cells of a job, of fixed size, that a condition selects, and fill values for the others: what the
    /// condition looks at is decoded once.
    fn run_job(
        &self,
        job: &Job,
        selector: &Selector,
        fields: &[(&AttributeRead, &Target<'_>)],
    ) -> Result<()> {
        let (plan, mut bits) = (&self.plan, Vec::new());
        with_columns(selector.field_num() + 1, |columns| {
            let (known, other) = columns.split_at_mut(selector.field_num());
            for piece in &job.pieces {
                let share = match piece.fragment {
                    Some(_) => selector.evaluate_in(plan, job, piece, known, &mut bits)?,
                    None => Verdict::None,
                };
                let span = piece.span();
                for (read, target) in fields {
                    match share {
                        Verdict::None => fill(piece, read, target),
                        Verdict::All => self.run_piece(piece, None, read, target)?,
                        Verdict::Some => {
                            let column = match selector.column_of(read) {
                                Some(at) => &mut known[at],
                                None => {
                                    let values = !read.is_var();
                                    other[0].load_attribute(plan, read, piece, span, values)?;
                                    &mut other[0]
                                }
                            };
                            self.tiles.fetch_add(1, Ordering::Relaxed);
                            column.blank(read, &bits);
                            put_column(piece, span.0, read, &column.as_ref(), target);
                        }
                    }
                }
            }
            Ok(())
        })
    }

    fn run_piece(
        &self,
        piece: &Piece,
        selected: Option<&Selected>,
        read: &AttributeRead,
        target: &Target<'_>,
    ) -> Result<()> {
        let share = selected.map_or(Verdict::All, |selected| selected.of_piece(piece));
        let layer = piece
            .fragment
            .filter(|_| share != Verdict::None)
            .map(|at| Ok::<_, Error>((at, read.source(&self.plan.layers, at)?)))
            .transpose()?;
        let Some((at, Some(source))) = layer else {
            fill(piece, read, target);
            return Ok(());
        };
        self.tiles.fetch_add(1, Ordering::Relaxed);
        let fragment = &self.plan.layers[at].fragment;
        let cells = usize::try_from(piece.cell_num).unwrap_or(usize::MAX);
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
        if let Some(validity) = target.validity {
            copy(FilePart::Validity, 1, validity)?;
        }
        if let (Some(selected), Verdict::Some) = (selected, share) {
            blank(piece, selected, read, target);
        }
        Ok(())
    }

    /// What the condition selects of the cells up to `end`; `None` where there is no condition.
    fn select(&self, context: &Context, end: u64) -> Result<Option<Selected>> {
        let Some(selector) = &self.selector else {
            return Ok(None);
        };
        let parts = self.plan.parts(self.at, end);
        let cells = (end - self.at) as usize;
        Ok(Some(selector.select(context, &self.plan, &parts, cells)?))
    }

    /// Delivers the coordinates of as many selected cells as there is room for.
    fn step_selected(
        &mut self,
        context: &Context,
        room: u64,
        buffers: &mut [FieldBuffers<'_>],
        mut sizes: Vec<FieldSizes>,
    ) -> Result<Vec<FieldSizes>> {
        let mut cells = 0u64;
        while !self.is_done() && cells < room {
            let end = self.plan.stretch_end(self.at, VAR_CELLS, MOST_VAR_CELLS);
            let selected = self.select(context, end)?;
            let total = (end - self.at) as usize;
            let wanted = |place: &usize| selected.as_ref().is_none_or(|all| all.has(*place));
            let places: Vec<usize> = (0..total).filter(wanted).collect();
            let taken = places.len().min((room - cells) as usize);
            for ((field, buffers), sizes) in
                self.fields.iter().zip(buffers.iter_mut()).zip(&mut sizes)
            {
                let (ReadField::Dimension(dim), Some(to)) = (field, buffers.data.as_deref_mut())
                else {
                    continue;
                };
                let size = self.plan.schema.domain.dimensions[*dim].datatype.size();
                let mut all: Vec<u8> = try_vec("coordinates", total * size)?;
                let shared = SharedBytes::new(&mut all);
                for part in self.plan.parts(self.at, end) {
                    self.put_coordinates(&part, *dim, shared);
                }
                let to = &mut to[cells as usize * size..];
                for (to, place) in to.chunks_exact_mut(size).zip(&places[..taken]) {
                    to.copy_from_slice(&all[place * size..(place + 1) * size]);
                }
                sizes.data += (taken * size) as u64;
            }
            cells += taken as u64;
            self.at = match places.get(taken) {
                // The first one that found no room is where the next submit goes on.
                Some(place) => self.at + *place as u64,
                None => end,
            };
        }
        Ok(sizes)
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

/// Copies the cells of a piece from a column that starts with cell `first` of its tile.
fn put_column(
    piece: &Piece,
    first: usize,
    read: &AttributeRead,
    column: &CellsRef<'_>,
    target: &Target<'_>,
) {
    for walk in &piece.walks {
        let walk = walk.clone().shifted(first);
        // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
        #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
        unsafe {
            walk.copy(read.cell_size, column.data, target.data);
            if let (Some(from), Some(to)) = (column.validity, target.validity) {
                walk.copy(1, from, to);
            }
        }
    }
}

/// Puts fill values in place of cells that are not selected.
fn blank(piece: &Piece, selected: &Selected, read: &AttributeRead, target: &Target<'_>) {
    for walk in &piece.walks {
        let _: std::result::Result<(), ()> = walk.for_each_run(|_, place, len| {
            let bits = selected.run(place, len);
            // SAFETY: each cell of the result belongs to one piece, and each piece to one call.
            #[expect(unsafe_code, reason = "threads fill one buffer, each its own cells")]
            unsafe {
                if !read.is_var() {
                    let size = read.cell_size;
                    let cells = target.data.part(place * size, len * size);
                    columns::blank(cells, &read.attribute.fill_value, bits);
                }
                if let Some(validity) = target.validity {
                    let cells = validity.part(place, len);
                    columns::blank(cells, &[read.attribute.fill_validity], bits);
                }
            }
            Ok(())
        });
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
