//! Applies deletes to the cells of a tile.
//!
//! A delete affects the cells that were written up to its timestamp: all cells of a fragment or
//! none, unless the fragment stores timestamps of cells. Consolidated fragments may store which
//! delete removed each cell; the deletes that they list are not evaluated again.
//!
//! A deleted cell still hides older ones with its coordinates, so deletes are applied after the
//! newest cell is known, together with the condition.

use std::sync::Arc;

use super::super::tiles::{FieldKind, SparseField, Tile, TileLoader};
use crate::array::{Delete, Snapshot};
use crate::condition::BoundCondition;
use crate::error::{Error, PredicateError, Result, reserve, try_vec};
use crate::format::names::{DELETE_CONDITIONS, DELETE_TIMESTAMPS};
use crate::fragment::Fragment;
use crate::schema::ArraySchema;
use crate::tile::{Cells, CellsRef};
use crate::types::{Match, Timestamp, Value};
use crate::vfs::Vfs;

/// The time of deletion and the index of the delete of a cell that was not deleted.
const NEVER: u64 = u64::MAX;

/// The treatment of deleted cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DeletedCells {
    /// They are omitted.
    #[default]
    Omit,
    /// They and older cells with their coordinates are omitted; all newer ones are returned, even
    /// hidden ones.
    OmitWithOlder,
    /// They are returned, with the time and the index of the delete.
    Report,
}

/// The deletes of a read and their effect on its fragments.
#[derive(Debug, Default)]
pub(crate) struct Deletes {
    /// By index in the snapshot; `None` if no fragment is affected.
    bound: Vec<Option<BoundDelete>>,
    /// By source; empty if nothing is deleted.
    sources: Vec<SourceDeletes>,
    /// The end of the time range of the read.
    end: Timestamp,
    deleted: DeletedCells,
}

/// A delete that is bound to a schema.
#[derive(Debug)]
struct BoundDelete {
    timestamp: Timestamp,
    /// The condition of the remaining cells.
    condition: BoundCondition,
    /// The indexes in the read of the fields that the condition uses.
    fields: Vec<usize>,
}

/// The effect of deletes on a fragment.
#[derive(Debug, Default)]
struct SourceDeletes {
    /// The deletes to evaluate.
    tests: Vec<DeleteTest>,
    /// The deletes of cells that the fragment stores.
    stored: Option<StoredDeletes>,
}

/// The fields in which a consolidated fragment stores deletes.
#[derive(Debug)]
struct StoredDeletes {
    /// The index in the read of the field with the times.
    timestamps: usize,
    /// The index in the read of the field with the indexes of deletes.
    deletes: usize,
    /// By index in the fragment: the index in the snapshot, or [`NEVER`].
    snapshot_indexes: Vec<u64>,
}

/// A delete that affects a fragment.
#[derive(Clone, Copy, Debug)]
struct DeleteTest {
    /// The index of the delete in the snapshot.
    delete: usize,
    /// Whether some of the fragment's cells may be newer.
    compares_times: bool,
}

impl Deletes {
    /// Determines the effect of the deletes of a snapshot on its fragments. The fields that they
    /// use are appended to `fields`.
    pub(crate) fn bind(
        vfs: &Arc<Vfs>,
        snapshot: &Snapshot,
        deleted: DeletedCells,
        fields: &mut Vec<SparseField>,
    ) -> Result<Self> {
        let mut fragments = snapshot.fragments.iter();
        if snapshot.deletes.is_empty()
            && !fragments.any(|fragment| fragment.footer.has_delete_metadata)
        {
            return Ok(Self::default());
        }
        let mut sources = Vec::with_capacity(snapshot.fragments.len());
        for fragment in &snapshot.fragments {
            sources.push(SourceDeletes::new(snapshot, fragment, fields)?);
        }
        let mut is_tested = vec![false; snapshot.deletes.len()];
        for test in sources.iter().flat_map(|source| &source.tests) {
            is_tested[test.delete] = true;
        }
        let bound = snapshot
            .deletes
            .iter()
            .zip(is_tested)
            .map(|(delete, is_tested)| {
                let bound = is_tested.then(|| BoundDelete::new(vfs, snapshot, delete, fields));
                bound.transpose()
            });
        Ok(Self {
            bound: bound.collect::<Result<_>>()?,
            sources,
            end: snapshot.session.timestamps.end,
            deleted,
        })
    }

    /// Returns whether cells that are older than a deleted one with equal coordinates are deleted
    /// with it.
    pub(crate) fn hides_older(&self) -> bool {
        self.deleted == DeletedCells::OmitWithOlder
    }

    /// Returns whether cells of a source may be deleted.
    pub(crate) fn affects(&self, source: usize) -> bool {
        self.source_deletes(source).is_some() && self.deleted != DeletedCells::Report
    }

    /// Returns the indexes of the fields that decide which cells of a source are deleted.
    pub(crate) fn compared_fields(&self, source: usize) -> impl Iterator<Item = &usize> {
        let deletes = self.source_deletes(source).into_iter();
        deletes.flat_map(|deletes| {
            let stored = deletes.stored.iter().map(|stored| &stored.timestamps);
            let bound = deletes
                .tests
                .iter()
                .filter_map(|test| self.bound[test.delete].as_ref());
            stored.chain(bound.flat_map(|bound| &bound.fields))
        })
    }

    /// Returns the effect on a source, or `None` if nothing is deleted.
    fn source_deletes(&self, source: usize) -> Option<&SourceDeletes> {
        let deletes = self.sources.get(source);
        deletes.filter(|deletes| !deletes.tests.is_empty() || deletes.stored.is_some())
    }

    /// Returns whether cells of a tile remain, according to its statistics.
    pub(crate) fn match_tile(&self, loader: &TileLoader, tile: &Tile) -> Result<Match> {
        let Some(deletes) = self
            .source_deletes(tile.source)
            .filter(|_| self.affects(tile.source))
        else {
            return Ok(Match::All);
        };
        let mut is_uncertain = deletes.stored.is_some();
        for test in &deletes.tests {
            match self.match_delete(loader, tile, *test)? {
                Match::None => return Ok(Match::None),
                Match::Some => is_uncertain = true,
                Match::All => {}
            }
        }
        Ok(if is_uncertain {
            Match::Some
        } else {
            Match::All
        })
    }

    /// Returns whether cells of a tile remain after one delete, according to its statistics.
    fn match_delete(&self, loader: &TileLoader, tile: &Tile, test: DeleteTest) -> Result<Match> {
        let Some(bound) = &self.bound[test.delete] else {
            return Ok(Match::All);
        };
        let statistics = loader.statistics(tile, &bound.fields)?;
        let cell_num = tile.cell_num as u64;
        Ok(match bound.condition.tile_match(&statistics, cell_num) {
            Match::None if test.compares_times => Match::Some,
            by_statistics => by_statistics,
        })
    }

    /// Clears the deleted cells of a tile.
    pub(crate) fn select(&self, loader: &TileLoader, tile: &Tile, mask: &mut [u8]) -> Result<()> {
        let Some(deletes) = self
            .source_deletes(tile.source)
            .filter(|_| self.affects(tile.source))
        else {
            return Ok(());
        };
        if let Some(stored) = &deletes.stored {
            let times = loader.column(tile, stored.timestamps)?;
            for (time, selected) in times.data.chunks_exact(8).zip(&mut *mask) {
                let time = u64::read(time);
                *selected &= u8::from(time > self.end || time == NEVER);
            }
        }
        deletes
            .tests
            .iter()
            .try_for_each(|test| self.apply(loader, tile, *test, mask))
    }

    /// Clears the cells of a tile that one delete removes.
    fn apply(
        &self,
        loader: &TileLoader,
        tile: &Tile,
        test: DeleteTest,
        mask: &mut [u8],
    ) -> Result<()> {
        let (Some(bound), true) = (&self.bound[test.delete], mask.contains(&1)) else {
            return Ok(());
        };
        match self.match_delete(loader, tile, test)? {
            Match::All => return Ok(()),
            Match::None => {
                mask.fill(0);
                return Ok(());
            }
            Match::Some => {}
        }
        let columns: Vec<CellsRef<'_>> = bound
            .fields
            .iter()
            .map(|field| loader.column(tile, *field).map(Cells::as_ref))
            .collect::<Result<_>>()?;
        let Some(times) = loader.fields.timestamps.filter(|_| test.compares_times) else {
            bound.condition.select(&columns, tile.cell_num, mask);
            return Ok(());
        };
        let mut remaining: Vec<u8> = try_vec("the cells of a delete", tile.cell_num)?;
        remaining.copy_from_slice(mask);
        bound
            .condition
            .select(&columns, tile.cell_num, &mut remaining);
        let times = loader.column(tile, times)?.data.chunks_exact(8);
        for ((selected, remains), time) in mask.iter_mut().zip(remaining).zip(times) {
            *selected &= remains | u8::from(u64::read(time) > bound.timestamp);
        }
        Ok(())
    }

    /// Computes the fields that report deletes, if the read delivers them: the time of deletion of
    /// each cell of a tile, and the index of the first delete in the snapshot.
    pub(crate) fn load_columns(&self, loader: &TileLoader, tile: &Tile) -> Result<()> {
        let fields = &loader.fields;
        let outputs = fields.outputs().iter().enumerate();
        let computed: Vec<(usize, &SparseField)> =
            outputs.filter(|(_, field)| field.is_computed()).collect();
        if computed.is_empty() {
            return Ok(());
        }
        let (times, deletes) = self.first_deletes(loader, tile)?;
        for (index, field) in computed {
            let values = if field.stored.name == DELETE_TIMESTAMPS {
                &times
            } else {
                &deletes
            };
            let mut cells = Cells::default();
            reserve("the deletes of cells", &mut cells.data, 8 * tile.cell_num)?;
            let bytes = values.iter().flat_map(|value| value.to_le_bytes());
            cells.data.extend(bytes);
            tile.set_column(index, cells);
        }
        Ok(())
    }

    /// Returns the time of deletion of each cell of a tile, and the index of the first delete in
    /// the snapshot.
    fn first_deletes(&self, loader: &TileLoader, tile: &Tile) -> Result<(Vec<u64>, Vec<u64>)> {
        let mut times: Vec<u64> = try_vec("the times of deletes", tile.cell_num)?;
        let mut deletes: Vec<u64> = try_vec("the deletes of cells", tile.cell_num)?;
        times.fill(NEVER);
        deletes.fill(NEVER);
        let Some(source_deletes) = self.source_deletes(tile.source) else {
            return Ok((times, deletes));
        };
        if let Some(stored) = &source_deletes.stored {
            let stored_times = loader.column(tile, stored.timestamps)?;
            let stored_deletes = loader.column(tile, stored.deletes)?;
            let pairs = stored_times
                .data
                .chunks_exact(8)
                .zip(stored_deletes.data.chunks_exact(8));
            let cells = times.iter_mut().zip(&mut deletes);
            for ((time, delete), (stored_time, stored_delete)) in cells.zip(pairs) {
                *time = u64::read(stored_time);
                let index = usize::try_from(u64::read(stored_delete)).ok();
                let index = index.and_then(|index| stored.snapshot_indexes.get(index));
                *delete = index.copied().unwrap_or(NEVER);
            }
        }
        let mut remaining: Vec<u8> = try_vec("the cells of a delete", tile.cell_num)?;
        for test in &source_deletes.tests {
            let Some(bound) = &self.bound[test.delete] else {
                continue;
            };
            remaining.fill(1);
            self.apply(loader, tile, *test, &mut remaining)?;
            for ((time, delete), remains) in times.iter_mut().zip(&mut deletes).zip(&remaining) {
                if *remains == 0 && bound.timestamp < *time {
                    (*time, *delete) = (bound.timestamp, test.delete as u64);
                }
            }
        }
        Ok((times, deletes))
    }
}

impl SourceDeletes {
    /// Determines which deletes of a snapshot affect a fragment.
    fn new(
        snapshot: &Snapshot,
        fragment: &Fragment,
        fields: &mut Vec<SparseField>,
    ) -> Result<Self> {
        let rewritten = fragment.footer.has_timestamps || fragment.footer.has_delete_metadata;
        let processed: &[String] = if rewritten {
            fragment.processed_conditions()?
        } else {
            &[]
        };
        // Only the file names are compared: releases write different paths.
        let processed: Vec<_> = processed
            .iter()
            .map(|name| name.rsplit('/').next().map(str::to_owned))
            .collect();
        let span = fragment.timestamps();
        let tests = snapshot
            .deletes
            .iter()
            .enumerate()
            .filter(|(_, delete)| {
                delete.timestamp >= span.start
                    && !processed.iter().flatten().any(|name| *name == delete.name)
            })
            .map(|(index, delete)| DeleteTest {
                delete: index,
                compares_times: fragment.footer.has_timestamps && delete.timestamp <= span.end,
            });
        let stored = fragment.footer.has_delete_metadata.then(|| {
            let position = |name: &String| {
                let mut deletes = snapshot.deletes.iter();
                deletes.position(|delete| delete.name == *name)
            };
            let indexes = processed
                .iter()
                .map(|name| name.as_ref().and_then(position))
                .map(|index| index.map_or(NEVER, |index| index as u64));
            Ok::<_, Error>(StoredDeletes {
                timestamps: stored_field(&snapshot.schema, DELETE_TIMESTAMPS, fields)?,
                deletes: stored_field(&snapshot.schema, DELETE_CONDITIONS, fields)?,
                snapshot_indexes: indexes.collect(),
            })
        });
        Ok(Self {
            tests: tests.collect(),
            stored: stored.transpose()?,
        })
    }
}

/// Returns the index of a stored field for deletes, and appends the field if it is missing.
fn stored_field(schema: &ArraySchema, name: &str, fields: &mut Vec<SparseField>) -> Result<usize> {
    if let Some(index) = fields
        .iter()
        .position(|field| field.stored.name == name && !field.is_computed())
    {
        return Ok(index);
    }
    fields.push(SparseField::stored_delete(schema, name)?);
    Ok(fields.len() - 1)
}

impl BoundDelete {
    /// Binds a delete to the schema of its time, because the array may have evolved since, or else
    /// to that of the snapshot.
    fn new(
        vfs: &Arc<Vfs>,
        snapshot: &Snapshot,
        delete: &Delete,
        fields: &mut Vec<SparseField>,
    ) -> Result<Self> {
        let parsed = delete.condition(vfs, snapshot.session.key.as_ref())?;
        let bind = |schema: &ArraySchema| {
            BoundCondition::bind(parsed, schema, |name| {
                Err(PredicateError::UnusedEnumeration { name: name.into() }.into())
            })
        };
        let schemas = delete.schema.as_ref().into_iter().chain([&snapshot.schema]);
        let mut bound = Err(PredicateError::NoSchema.into());
        let mut bound_schema = &snapshot.schema;
        for schema in schemas {
            bound_schema = schema;
            bound = bind(schema);
            if bound.is_ok() {
                break;
            }
        }
        let condition = bound?;
        let mut indexes = Vec::with_capacity(condition.fields.len());
        for name in &condition.fields {
            let compared = SparseField::new(bound_schema, name)?;
            let definition = |field: &SparseField| match &field.kind {
                FieldKind::Attribute(attribute) => Some((
                    attribute.fill_value.clone(),
                    attribute.fill_validity,
                    attribute.enumeration.clone(),
                )),
                _ => None,
            };
            let is_same = |field: &SparseField| {
                let (a, b) = (&field.stored, &compared.stored);
                (
                    &a.name,
                    a.cells.datatype,
                    a.cells.cell_val_num,
                    a.cells.nullable,
                ) == (
                    &b.name,
                    b.cells.datatype,
                    b.cells.cell_val_num,
                    b.cells.nullable,
                ) && definition(field) == definition(&compared)
            };
            let index = fields.iter().position(is_same);
            indexes.push(index.unwrap_or(fields.len()));
            if index.is_none() {
                fields.push(compared);
            }
        }
        Ok(Self {
            timestamp: delete.timestamp,
            condition,
            fields: indexes,
        })
    }
}
