//! Rewrites the cells of fragments: they are read in storage order and written as one fragment, in
//! parts of bounded size. `dense` contains the part for dense arrays.

use std::sync::Arc;

use super::consolidation::{Consolidation, Decision};
use super::dense;
use super::field_buffer::{FieldBuffer, cells_per_part, field_buffers, widen};
use crate::array::Snapshot;
use crate::buffers::OffsetsForm;
use crate::context::Context;
use crate::error::Result;
use crate::format::names::FragmentName;
use crate::format::version as v;
use crate::fragment::{FieldTiles, FragmentWriter, NewFragment};
use crate::memory::Budget;
use crate::platform::lock::Mutex;
use crate::read::{DeletedCells, ReadRequest, SparseRead};
use crate::schema::ArraySchema;
use crate::stats::{Part, TileMeter};
use crate::subarray::Subarray;
use crate::types::{Layout, TimeRange};
use crate::vfs::{Uri, Vfs};
use crate::write::{SparseGlobalWrite, SparseWriteOptions};

/// Writes the cells of fragments as one fragment, or as several. `before_commit` is called with the
/// name of the first one when everything but the commit is written; if it returns `false`, nothing
/// is committed. Returns the fragments, which is empty without cells.
pub(super) fn rewrite(
    consolidation: &Consolidation<'_>,
    decision: &Decision<'_>,
    deleted: DeletedCells,
    timestamps: TimeRange,
    before_commit: impl FnOnce(&FragmentName) -> Result<bool>,
) -> Result<Vec<Uri>> {
    let schema = &consolidation.schema;
    let dense = schema.is_dense();
    let markers: Vec<String> = decision
        .deletes
        .iter()
        .map(|delete| delete.marker())
        .collect();
    let new = NewFragment {
        array: consolidation.array,
        schema,
        dense,
        timestamps,
        after: decision.fragments.last().map(|fragment| fragment.name()),
        before: decision.next.map(|fragment| fragment.name()),
        has_timestamps: !dense && consolidation.version() >= v::CONSOLIDATED_TIMES,
        has_delete_metadata: !dense && deleted == DeletedCells::Report,
        processed: &markers,
        key: consolidation.key.as_ref(),
    };
    if dense {
        dense::rewrite(consolidation, decision.fragments, new, before_commit)
    } else {
        rewrite_sparse(consolidation, decision, deleted, new, before_commit)
    }
}

/// No checks: the cells come from fragments.
const UNCHECKED: SparseWriteOptions = SparseWriteOptions {
    checks_bounds: false,
    checks_duplicates: false,
    checks_order: false,
    drops_duplicates: false,
    budget_bytes: u64::MAX,
    trims_heap: false,
};

/// Reads the next cells into buffers. Returns `false` if all cells have been read.
fn read_cells(
    context: &Context,
    read: &mut SparseRead,
    field_buffers: &mut [FieldBuffer],
    budget: &Budget,
) -> Result<bool> {
    let stats = context.stats.part(Part::Reader);
    while !read.is_done() {
        let mut buffers: Vec<_> = field_buffers.iter_mut().map(FieldBuffer::buffers).collect();
        let nested = context.track("read", "tiles");
        let before = read.delivered_cells();
        let sizes = read.fill(context, &mut buffers, &stats)?;
        drop((nested, buffers));
        let cells = read.delivered_cells() - before;
        context.progress("cells", |progress| progress.done += cells)?;
        let has_progress = sizes
            .iter()
            .any(|sizes| sizes.data > 0 || sizes.offsets > 0);
        if !has_progress && !read.is_done() {
            widen(field_buffers, budget)?;
            continue;
        }
        for (buffer, sizes) in field_buffers.iter_mut().zip(sizes) {
            buffer.sizes = sizes;
        }
        return Ok(true);
    }
    Ok(false)
}

/// Writes all cells of a read. While cells are written, the next ones are read into the other
/// buffers, because a part of reading uses one thread: the order of cells is determined one by one.
/// Buffers that large cells have widened to a part of the budget are used alone.
fn copy_cells(
    vfs: &Arc<Vfs>,
    read: &mut SparseRead,
    write: SparseGlobalWrite,
    buffers: [&mut [FieldBuffer]; 2],
    budget: &Budget,
) -> Result<SparseGlobalWrite> {
    let context = &vfs.context;
    let [mut full, mut empty] = buffers;
    let write = Mutex::new(write);
    let submit = |field_buffers: &[FieldBuffer]| {
        let cells: Vec<_> = field_buffers.iter().map(FieldBuffer::cells).collect();
        write.lock().submit(vfs, &cells, OffsetsForm::STARTS)
    };
    let mut has_cells = read_cells(context, read, full, budget)?;
    while has_cells {
        let written = &*full;
        if read.is_done() {
            submit(written)?;
            break;
        }
        if FieldBuffer::are_large(written, budget) {
            // The next cells of this size are not in memory beside these.
            submit(written)?;
            has_cells = read_cells(context, read, full, budget)?;
            continue;
        }
        has_cells = context.join(
            || read_cells(context, read, empty, budget),
            || submit(written),
        )?;
        std::mem::swap(&mut full, &mut empty);
    }
    Ok(write.into_inner())
}

/// Begins a read of fields of the fragments in global order. Without `keeps_hidden_cells`, cells
/// with the coordinates of newer ones are left out unless the array allows duplicates.
fn read_in_global_order(
    consolidation: &Consolidation<'_>,
    decision: &Decision<'_>,
    deleted: DeletedCells,
    names: &[&str],
    keeps_hidden_cells: bool,
) -> Result<SparseRead> {
    let mut schema = ArraySchema::clone(&consolidation.schema);
    schema.allows_dups |= keeps_hidden_cells;
    let schema = Arc::new(schema);
    let snapshot = Snapshot::of_fragments(
        consolidation.array,
        &schema,
        decision.fragments,
        decision.deletes,
        consolidation.key.as_ref(),
    );
    SparseRead::new(
        consolidation.vfs,
        &snapshot,
        consolidation.config,
        ReadRequest {
            subarray: &Subarray::new(&schema),
            layout: Layout::GlobalOrder,
            names,
            form: OffsetsForm::STARTS,
            condition: None,
        },
        &[],
        deleted,
    )
}

fn rewrite_sparse(
    consolidation: &Consolidation<'_>,
    decision: &Decision<'_>,
    deleted: DeletedCells,
    new: NewFragment<'_>,
    before_commit: impl FnOnce(&FragmentName) -> Result<bool>,
) -> Result<Vec<Uri>> {
    let (vfs, schema) = (consolidation.vfs, &consolidation.schema);
    // A fragment with timestamps of cells keeps cells that newer ones hide.
    let keeps_hidden_cells = new.has_timestamps && deleted != DeletedCells::OmitWithOlder;
    let mut field_buffers = field_buffers(schema);
    let written = Arc::<TileMeter>::default();
    let writer = FragmentWriter::create_locked(vfs, new)?.metered(&written);
    let internal_fields = writer.internal_fields();
    let internal_fields =
        internal_fields.filter_map(|field| FieldTiles::internal_field(schema, field.name()));
    field_buffers.extend(internal_fields.map(|field| FieldBuffer::new(&field)));
    let names: Vec<String> = field_buffers
        .iter()
        .map(|buffer| buffer.name.clone())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut read =
        read_in_global_order(consolidation, decision, deleted, &names, keeps_hidden_cells)?;
    let key = consolidation.key.as_ref();
    let mut write = SparseGlobalWrite::begin(schema, UNCHECKED, key, || Ok(writer))?;
    if let Some(max_bytes) = consolidation.max_fragment_size()? {
        write.split_at(max_bytes);
    }
    let budget = consolidation.config.memory_budget()?;
    let mut next_buffers = field_buffers.clone();
    // Cells are read into one half of the buffers and written from the other one.
    let per_part = cells_per_part(&field_buffers, &budget).div_ceil(2);
    field_buffers
        .iter_mut()
        .chain(&mut next_buffers)
        .try_for_each(|buffer| buffer.reserve(per_part))?;
    let cells = decision
        .fragments
        .iter()
        .map(|fragment| fragment.cell_num());
    let total = cells.fold(0, u64::saturating_add);
    vfs.context
        .progress("cells", |progress| progress.total += total)?;
    let buffers = [field_buffers.as_mut_slice(), next_buffers.as_mut_slice()];
    let write = copy_cells(vfs, &mut read, write, buffers, &budget)?;
    // The last tile of large cells needs this memory.
    drop((read, field_buffers, next_buffers));
    let finished = write.finish_all(&vfs.context, before_commit);
    consolidation.record_step(&written);
    finished
}
