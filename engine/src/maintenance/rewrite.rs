//! Rewrites the cells of fragments: they are read in storage order and written as one fragment, in
//! parts of bounded size. `dense` contains the part for dense arrays.

use std::sync::Arc;

use super::dense;
use super::fragments::{ArrayToConsolidate, FRAGMENTS};
use crate::array::{Delete, Snapshot};
use crate::buffers::{FieldBuffers, FieldCells, FieldSizes, OffsetsForm};
use crate::error::{Error, Result, try_vec};
use crate::format::names::FragmentName;
use crate::format::version::{self as v, FormatVersion};
use crate::fragment::{FieldTiles, Fragment, FragmentWriter, NewFragment};
use crate::memory::Budget;
use crate::memory::tuning::{
    ASSUMED_VAR_BYTES, CONSOLIDATION_PART_BYTES, MIN_CONSOLIDATION_PART_BYTES,
};
use crate::read::{DeletedCells, SparseRead, SparseRequest};
use crate::schema::{ArraySchema, StoredField};
use crate::stats::{Counter, Metered, Part, TileMeter};
use crate::subarray::Subarray;
use crate::types::{Layout, TimeRange};
use crate::vfs::Uri;
use crate::write::{CellChecks, SparseGlobalWrite};

/// The format of offsets between reader and writer.
pub(super) const FORM: OffsetsForm = OffsetsForm {
    width: 8,
    elements: false,
    extra: false,
};

/// The buffers of a field between reader and writer.
pub(super) struct FieldBuffer {
    pub(super) name: String,
    var: bool,
    nullable: bool,
    cell_size: usize,
    data: Vec<u8>,
    offsets: Vec<u8>,
    validity: Vec<u8>,
    pub(super) sizes: FieldSizes,
}

impl FieldBuffer {
    pub(super) fn new(field: &StoredField) -> Self {
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

    /// Returns the approximate size of a cell in bytes.
    fn weight(&self) -> u64 {
        let data = if self.var {
            8 + ASSUMED_VAR_BYTES
        } else {
            self.cell_size as u64
        };
        data + u64::from(self.nullable)
    }

    /// Resizes the buffers for a number of cells.
    pub(super) fn reserve(&mut self, cells: u64) -> Result<()> {
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
            resize(
                &mut self.data,
                cells.saturating_mul(ASSUMED_VAR_BYTES).max(1024),
            )?;
        } else {
            resize(&mut self.data, cells.saturating_mul(self.cell_size as u64))?;
        }
        if self.nullable {
            resize(&mut self.validity, cells)
        } else {
            Ok(())
        }
    }

    /// Doubles the buffer of variable-length values.
    fn widen(&mut self) -> Result<()> {
        if self.var {
            let len = self.data.len().saturating_mul(2);
            self.data = Vec::new();
            self.data = try_vec("a consolidation buffer", len)?;
        }
        Ok(())
    }

    pub(super) fn buffers(&mut self) -> FieldBuffers<'_> {
        FieldBuffers {
            name: &self.name,
            data: Some(&mut self.data),
            offsets: self.var.then_some(&mut self.offsets),
            validity: self.nullable.then_some(&mut self.validity),
        }
    }

    pub(super) fn cells(&self) -> FieldCells<'_> {
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

/// Grows the buffers after a read without progress. Returns an error if that cannot help, or if the
/// buffers would exceed the memory budget.
pub(super) fn widen(buffers: &mut [FieldBuffer], budget: &Budget) -> Result<()> {
    if !buffers.iter().any(|buffer| buffer.var) {
        let message = "Consolidation read 0 cells, no progress can be made";
        return Err(Error::usage(FRAGMENTS, message));
    }
    let var = buffers.iter().filter(|buffer| buffer.var);
    let bytes = var.fold(0u64, |sum, buffer| {
        sum.saturating_add(2 * buffer.data.len() as u64)
    });
    if bytes > CONSOLIDATION_PART_BYTES {
        // The buffers are not larger yet; the reservation only checks.
        drop(budget.reserve(FRAGMENTS, "consolidation buffers", bytes)?);
    }
    buffers.iter_mut().try_for_each(FieldBuffer::widen)
}

/// Returns the number of cells that are read and written at a time. Their buffers take at most a
/// quarter of the budget.
pub(super) fn cells_per_part(buffers: &[FieldBuffer], budget: &Budget) -> u64 {
    let weight: u64 = buffers.iter().map(FieldBuffer::weight).sum();
    let bytes = CONSOLIDATION_PART_BYTES
        .min(budget.limit_bytes() / 4)
        .max(MIN_CONSOLIDATION_PART_BYTES);
    (bytes / weight.max(1)).max(1)
}

/// The input of a consolidated fragment.
pub(super) struct ConsolidatedFragment<'a> {
    /// The fragments, oldest first.
    pub(super) fragments: &'a [Arc<Fragment>],
    /// The next newer fragment.
    pub(super) next: Option<&'a Arc<Fragment>>,
    /// The deletes that were listed with the fragments, oldest first.
    pub(super) deletes: &'a [Arc<Delete>],
    /// The treatment of deleted cells.
    pub(super) deleted: DeletedCells,
    /// The timestamps of the fragment.
    pub(super) timestamps: TimeRange,
}

/// Writes the cells of fragments as one fragment, or as several. `before_commit` is called with the
/// name of the first one when everything but the commit is written; if it returns `false`, nothing
/// is committed. Returns the fragments, which is empty without cells.
pub(super) fn rewrite(
    merging: &ArrayToConsolidate<'_>,
    merged: &ConsolidatedFragment<'_>,
    before_commit: impl FnOnce(&FragmentName) -> Result<bool>,
) -> Result<Vec<Uri>> {
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
        after: merged.fragments.last().map(|fragment| fragment.name()),
        before: merged.next.map(|fragment| fragment.name()),
        has_timestamps: !dense && version >= v::CONSOLIDATED_TIMES,
        has_delete_metadata: !dense && merged.deleted == DeletedCells::Report,
        processed: &markers,
        key: merging.key.as_ref(),
    };
    if dense {
        dense::rewrite(merging, merged.fragments, new, before_commit)
    } else {
        rewrite_sparse(merging, merged, new, before_commit)
    }
}

/// Returns the maximum size of the tiles of a new fragment, if it is limited. A limit requires a
/// file that commits several fragments at once.
pub(super) fn largest(merging: &ArrayToConsolidate<'_>) -> Result<Option<u64>> {
    let most = merging.config.u64("sm.consolidation.max_fragment_size")?;
    let together = FormatVersion(merging.schema.version).for_writing() >= v::COMMITS_FOLDER;
    Ok((most < u64::MAX && together).then_some(most))
}

fn rewrite_sparse(
    merging: &ArrayToConsolidate<'_>,
    merged: &ConsolidatedFragment<'_>,
    new: NewFragment<'_>,
    before_commit: impl FnOnce(&FragmentName) -> Result<bool>,
) -> Result<Vec<Uri>> {
    let (vfs, schema) = (merging.vfs, &merging.schema);
    // A fragment with timestamps of cells keeps cells that newer ones hide.
    let mut reading = ArraySchema::clone(schema);
    reading.allows_dups |= new.has_timestamps && merged.deleted != DeletedCells::OmitWithOlder;
    let reading = Arc::new(reading);
    let key = merging.key.as_ref();
    let snapshot = Snapshot::of_fragments(
        merging.array,
        &reading,
        merged.fragments,
        merged.deletes,
        key,
    );
    let mut field_buffers = field_buffers(schema, true);
    let written = Arc::<TileMeter>::default();
    let writer = FragmentWriter::create_locked(vfs, new)?.metered(&written);
    let own = writer.internal_fields();
    let own = own.filter_map(|field| FieldTiles::internal_field(schema, field.name()));
    field_buffers.extend(own.map(|field| FieldBuffer::new(&field)));
    let names: Vec<String> = field_buffers
        .iter()
        .map(|buffer| buffer.name.clone())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut read = SparseRead::new(
        vfs,
        &snapshot,
        merging.config,
        &Subarray::new(&reading),
        SparseRequest {
            names: &names,
            aggregate_names: &[],
            layout: Layout::GlobalOrder,
            form: FORM,
            condition: None,
            deleted: merged.deleted,
        },
    )?;
    let unchecked = CellChecks {
        bounds: false,
        duplicates: false,
        order: false,
        drop_duplicates: false,
    };
    let mut write = SparseGlobalWrite::begin(schema, unchecked, key, || Ok(writer))?;
    if let Some(most) = largest(merging)? {
        write.split_at(most);
    }
    let budget = merging.config.memory_budget()?;
    let per_part = cells_per_part(&field_buffers, &budget);
    field_buffers
        .iter_mut()
        .try_for_each(|buffer| buffer.reserve(per_part))?;
    let stats = vfs.context().stats().part(Part::Reader);
    while !read.is_done() {
        let mut buffers: Vec<_> = field_buffers.iter_mut().map(FieldBuffer::buffers).collect();
        let sizes = read.fill(vfs.context(), &mut buffers, &stats)?;
        drop(buffers);
        let got = sizes
            .iter()
            .any(|sizes| sizes.data > 0 || sizes.offsets > 0);
        if !got && !read.is_done() {
            widen(&mut field_buffers, &budget)?;
            continue;
        }
        for (buffer, sizes) in field_buffers.iter_mut().zip(sizes) {
            buffer.sizes = sizes;
        }
        let cells: Vec<_> = field_buffers.iter().map(FieldBuffer::cells).collect();
        write.submit(vfs, &cells, FORM)?;
    }
    let finished = write.finish_all(vfs.context(), before_commit);
    let stats = vfs.context().stats();
    written.record(&stats.part(Part::Writer), Metered::Written);
    stats
        .part(Part::Consolidator)
        .add(Counter::ConsolidationSteps, 1);
    finished
}

/// Returns the stored fields: attributes, and the dimensions of sparse arrays.
pub(super) fn field_buffers(schema: &ArraySchema, dimensions: bool) -> Vec<FieldBuffer> {
    let attributes = schema
        .attributes
        .iter()
        .map(|attribute| FieldBuffer::new(&attribute.as_ref().into()));
    let names = schema.domain.dimensions.iter().filter(|_| dimensions);
    let dimensions = names.filter_map(|dimension| schema.stored_field(&dimension.name));
    let dimensions: Vec<FieldBuffer> = dimensions.map(|field| FieldBuffer::new(&field)).collect();
    attributes.chain(dimensions).collect()
}
