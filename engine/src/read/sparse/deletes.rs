//! Applies deletes to the cells of a tile.
//!
//! A delete affects the cells that were written up to its timestamp: all cells of a fragment or
//! none, unless the fragment stores timestamps of cells. Consolidated fragments may store which
//! delete removed each cell; the deletes that they list are not evaluated again.
//!
//! A deleted cell still hides older ones with its coordinates, so deletes are applied after the
//! newest cell is known, together with the condition.

use super::fields::SparseField;
use super::tiles::{Input, Tile};
use crate::array::{Delete, Snapshot};
use crate::condition::{BoundCondition, TileMatch};
use crate::error::{Error, Result, try_vec};
use crate::format::names::{DELETE_CONDITIONS, DELETE_TIMESTAMPS};
use crate::fragment::Fragment;
use crate::schema::ArraySchema;
use crate::tile::{Cells, CellsRef};
use crate::types::{Timestamp, Value};
use crate::vfs::Vfs;

/// The time of deletion and the index of the delete of a cell that was not deleted.
const NEVER: u64 = u64::MAX;

/// The treatment of deleted cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deleted {
    /// They are omitted.
    #[default]
    Gone,
    /// They and older cells with their coordinates are omitted; all newer ones are returned, even
    /// hidden ones.
    GoneWithOlder,
    /// They are returned, with the time and the index of the delete.
    Told,
}

/// The deletes of a read and their effect on its fragments.
#[derive(Debug, Default)]
pub(super) struct Deletes {
    /// By index in the snapshot; `None` if no fragment is affected.
    bound: Vec<Option<BoundDelete>>,
    /// By source; empty if nothing is deleted.
    sources: Vec<SourceDeletes>,
    /// The end of the time range of the read.
    end: Timestamp,
    deleted: Deleted,
}

/// A delete that is bound to a schema.
#[derive(Debug)]
struct BoundDelete {
    timestamp: Timestamp,
    /// The condition of the remaining cells.
    kept: BoundCondition,
    /// The indexes in the read of the fields that the condition uses.
    fields: Vec<usize>,
}

/// The effect of deletes on a fragment.
#[derive(Debug, Default)]
struct SourceDeletes {
    tests: Vec<DeleteTest>,
    notes: Option<StoredDeletes>,
}

/// The fields in which a consolidated fragment stores deletes.
#[derive(Debug)]
struct StoredDeletes {
    /// The index in the read of the field with the times.
    timestamps: usize,
    /// The index in the read of the field with the indexes of deletes.
    deletes: usize,
    /// The indexes of these deletes in the snapshot.
    indexes: Vec<u64>,
}

/// A delete that affects a fragment.
#[derive(Clone, Copy, Debug)]
struct DeleteTest {
    delete: usize,
    /// Whether some of the fragment's cells may be newer.
    timed: bool,
}

impl Deletes {
    /// Determines the effect of the deletes of a snapshot on its fragments. The fields that they
    /// use are appended to `fields`.
    pub(super) fn bind(
        vfs: &Vfs,
        snapshot: &Snapshot,
        deleted: Deleted,
        fields: &mut Vec<SparseField>,
    ) -> Result<Self> {
        let mut fragments = snapshot.fragments.iter();
        if snapshot.deletes.is_empty() && !fragments.any(|of| of.has_delete_metadata()) {
            return Ok(Self::default());
        }
        let mut sources = Vec::with_capacity(snapshot.fragments.len());
        for fragment in &snapshot.fragments {
            sources.push(SourceDeletes::new(snapshot, fragment, fields)?);
        }
        let mut is_asked = vec![false; snapshot.deletes.len()];
        for test in sources.iter().flat_map(|of| &of.tests) {
            is_asked[test.delete] = true;
        }
        let deletes = snapshot.deletes.iter().zip(is_asked);
        let bound = deletes.map(|(delete, applies)| {
            let bound = applies.then(|| BoundDelete::new(vfs, snapshot, delete, fields));
            bound.transpose()
        });
        Ok(Self {
            bound: bound.collect::<Result<_>>()?,
            sources,
            end: snapshot.timestamps.end,
            deleted,
        })
    }

    /// Returns whether cells that are older than a deleted one with equal coordinates are deleted
    /// with it.
    pub(super) fn take_older(&self) -> bool {
        self.deleted == Deleted::GoneWithOlder
    }

    /// Returns whether cells of a source may be deleted.
    pub(super) fn touch(&self, source: usize) -> bool {
        self.of(source).is_some() && self.deleted != Deleted::Told
    }

    /// Returns the effect on a source, or `None` if nothing is deleted.
    fn of(&self, source: usize) -> Option<&SourceDeletes> {
        let of = self.sources.get(source);
        of.filter(|of| !of.tests.is_empty() || of.notes.is_some())
    }

    /// Returns whether cells of a tile remain, according to its statistics.
    pub(super) fn tile_match(&self, input: &Input, tile: &Tile) -> Result<TileMatch> {
        let Some(of) = self.of(tile.source).filter(|_| self.touch(tile.source)) else {
            return Ok(TileMatch::All);
        };
        let mut uncertain = of.notes.is_some();
        for test in &of.tests {
            match self.tile_match_of(input, tile, *test)? {
                TileMatch::None => return Ok(TileMatch::None),
                TileMatch::Some => uncertain = true,
                TileMatch::All => {}
            }
        }
        Ok(if uncertain {
            TileMatch::Some
        } else {
            TileMatch::All
        })
    }

    /// Returns whether one delete leaves cells of a tile.
    fn tile_match_of(&self, input: &Input, tile: &Tile, test: DeleteTest) -> Result<TileMatch> {
        let Some(bound) = &self.bound[test.delete] else {
            return Ok(TileMatch::All);
        };
        let statistics = input.statistics(tile, &bound.fields)?;
        Ok(
            match bound.kept.tile_match(&statistics, tile.cell_num as u64) {
                TileMatch::None if test.timed => TileMatch::Some,
                tile_match => tile_match,
            },
        )
    }

    /// Clears the deleted cells of a tile.
    pub(super) fn select(&self, input: &Input, tile: &Tile, selected: &mut [u8]) -> Result<()> {
        let Some(of) = self.of(tile.source).filter(|_| self.touch(tile.source)) else {
            return Ok(());
        };
        if let Some(notes) = &of.notes {
            let times = input.column(tile, notes.timestamps)?;
            for (time, selected) in times.data.chunks_exact(8).zip(&mut *selected) {
                let time = u64::read(time);
                *selected &= u8::from(time > self.end || time == NEVER);
            }
        }
        for test in &of.tests {
            self.keep(input, tile, *test, selected)?;
        }
        Ok(())
    }

    /// Clears the cells of a tile that one delete removes.
    fn keep(
        &self,
        input: &Input,
        tile: &Tile,
        test: DeleteTest,
        selected: &mut [u8],
    ) -> Result<()> {
        let (Some(bound), true) = (&self.bound[test.delete], selected.contains(&1)) else {
            return Ok(());
        };
        match self.tile_match_of(input, tile, test)? {
            TileMatch::All => return Ok(()),
            TileMatch::None => {
                selected.fill(0);
                return Ok(());
            }
            TileMatch::Some => {}
        }
        let columns = bound.fields.iter();
        let columns = columns.map(|index| input.column(tile, *index).map(Cells::as_ref));
        let columns: Vec<CellsRef<'_>> = columns.collect::<Result<_>>()?;
        let Some(times) = input.times.filter(|_| test.timed) else {
            bound.kept.select(&columns, tile.cell_num, selected);
            return Ok(());
        };
        let mut kept: Vec<u8> = try_vec("the cells of a delete", tile.cell_num)?;
        kept.copy_from_slice(selected);
        bound.kept.select(&columns, tile.cell_num, &mut kept);
        let times = input.column(tile, times)?.data.chunks_exact(8);
        for ((selected, kept), time) in selected.iter_mut().zip(kept).zip(times) {
            *selected &= kept | u8::from(u64::read(time) > bound.timestamp);
        }
        Ok(())
    }

    /// Appends the time of deletion of each cell of a tile, or the index of the first delete in the
    /// snapshot.
    pub(super) fn tell(
        &self,
        input: &Input,
        tile: &Tile,
        what: &str,
        to: &mut Cells,
    ) -> Result<()> {
        let mut times: Vec<u64> = try_vec("the times of deletes", tile.cell_num)?;
        let mut deletes: Vec<u64> = try_vec("the deletes of cells", tile.cell_num)?;
        times.fill(NEVER);
        deletes.fill(NEVER);
        let of = self.of(tile.source);
        if let Some(notes) = of.and_then(|of| of.notes.as_ref()) {
            let noted_times = input.column(tile, notes.timestamps)?;
            let noted_deletes = input.column(tile, notes.deletes)?;
            let noted = noted_times.data.chunks_exact(8);
            let noted = noted.zip(noted_deletes.data.chunks_exact(8));
            let cells = times.iter_mut().zip(&mut deletes);
            for ((time, delete), (noted_time, noted_delete)) in cells.zip(noted) {
                *time = u64::read(noted_time);
                let noted_index = usize::try_from(u64::read(noted_delete)).ok();
                let noted_index = noted_index.and_then(|index| notes.indexes.get(index));
                *delete = noted_index.copied().unwrap_or(NEVER);
            }
        }
        let mut kept: Vec<u8> = try_vec("the cells of a delete", tile.cell_num)?;
        for test in of.iter().flat_map(|of| &of.tests) {
            let Some(bound) = &self.bound[test.delete] else {
                continue;
            };
            kept.fill(1);
            self.keep(input, tile, *test, &mut kept)?;
            let cells = times.iter_mut().zip(&mut deletes);
            for ((time, delete), kept) in cells.zip(&kept) {
                if *kept == 0 && bound.timestamp < *time {
                    (*time, *delete) = (bound.timestamp, test.delete as u64);
                }
            }
        }
        let numbers = match what {
            DELETE_TIMESTAMPS => times,
            _ => deletes,
        };
        to.data
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        Ok(())
    }
}

impl SourceDeletes {
    fn new(
        snapshot: &Snapshot,
        fragment: &Fragment,
        fields: &mut Vec<SparseField>,
    ) -> Result<Self> {
        let rewritten = fragment.has_timestamps() || fragment.has_delete_metadata();
        let processed: &[String] = if rewritten {
            fragment.processed_conditions()?
        } else {
            &[]
        };
        // Only the file names are compared: releases write different paths.
        let last = |name: &str| name.rsplit('/').next().map(str::to_owned);
        let processed: Vec<_> = processed.iter().map(|name| last(name)).collect();
        let is_processed = |delete: &Delete| {
            let mut names = processed.iter().flatten();
            names.any(|name| name == delete.name())
        };
        let span = fragment.timestamps();
        let numbered = snapshot.deletes.iter().enumerate();
        let numbered = numbered
            .filter(|(_, delete)| delete.timestamp() >= span.start && !is_processed(delete));
        let numbered = numbered.map(|(index, delete)| DeleteTest {
            delete: index,
            timed: fragment.has_timestamps() && delete.timestamp() <= span.end,
        });
        let notes = fragment.has_delete_metadata().then(|| {
            let index_of = |name: &String| {
                let mut deletes = snapshot.deletes.iter();
                deletes.position(|delete| delete.name() == name)
            };
            let indexes = processed
                .iter()
                .map(|name| name.as_ref().and_then(index_of));
            let indexes = indexes.map(|index| index.map_or(NEVER, |index| index as u64));
            Ok(StoredDeletes {
                timestamps: own_field(&snapshot.schema, DELETE_TIMESTAMPS, fields)?,
                deletes: own_field(&snapshot.schema, DELETE_CONDITIONS, fields)?,
                indexes: indexes.collect(),
            })
        });
        Ok(Self {
            tests: numbered.collect(),
            notes: notes.transpose()?,
        })
    }
}

/// Returns the index of a stored field for deletes, and appends the field if it is missing.
fn own_field(schema: &ArraySchema, name: &str, fields: &mut Vec<SparseField>) -> Result<usize> {
    let is_it = |field: &SparseField| field.stored.name == name && !field.is_stored();
    if let Some(index) = fields.iter().position(is_it) {
        return Ok(index);
    }
    fields.push(SparseField::noted(schema, name)?);
    Ok(fields.len() - 1)
}

impl BoundDelete {
    /// The schema at the time of the delete has the fields of that time; the array may have evolved
    /// since.
    fn new(
        vfs: &Vfs,
        snapshot: &Snapshot,
        delete: &Delete,
        fields: &mut Vec<SparseField>,
    ) -> Result<Self> {
        let condition = delete.condition(vfs, snapshot.key.as_ref())?;
        let bind = |schema: &ArraySchema| {
            BoundCondition::bind(condition, schema, |name| {
                let message = format!("Cannot apply delete; Enumeration {name} is not wanted");
                Err(Error::usage("QueryCondition", message))
            })
        };
        let schemas = delete.schema().into_iter().chain([&snapshot.schema]);
        let mut bound = Err(Error::usage("QueryCondition", "No schema"));
        let mut used = &snapshot.schema;
        for schema in schemas {
            used = schema;
            bound = bind(schema);
            if bound.is_ok() {
                break;
            }
        }
        let kept = bound?;
        let mut indexes = Vec::with_capacity(kept.fields().len());
        for name in kept.fields() {
            let field_read = SparseField::new(used, name)?;
            let same = |field: &SparseField| {
                let (a, b) = (&field.stored, &field_read.stored);
                (&a.name, a.datatype, a.cell_val_num, a.nullable)
                    == (&b.name, b.datatype, b.cell_val_num, b.nullable)
            };
            let known = fields.iter().position(same);
            indexes.push(known.unwrap_or(fields.len()));
            if known.is_none() {
                fields.push(field_read);
            }
        }
        Ok(Self {
            timestamp: delete.timestamp(),
            kept,
            fields: indexes,
        })
    }
}
