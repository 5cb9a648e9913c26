//! The files of one field of a fragment that is being written, and their metadata.

use std::io::IoSlice;
use std::sync::Arc;

use super::FilePart;
use super::stats::ValueOrder;
use crate::error::{FragmentError, Result};
use crate::format::fragment::{TileStatsColumn, TileValues, has_min_max, has_sum};
use crate::format::names::FragmentField;
use crate::format::version::FormatVersion;
use crate::schema::{Attribute, Dimension};
use crate::stats::{Moment, TileCost, TileMeter};
use crate::types::{Datatype, VAR_NUM};
use crate::vfs::{Uri, Vfs, WriteFile};

/// Statistics of one tile of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileStats {
    /// The least value, if it is defined.
    pub min: Option<Vec<u8>>,
    /// The greatest value, if it is defined.
    pub max: Option<Vec<u8>>,
    /// The sum as bytes: an `i64`, `u64` or `f64`, depending on the field's datatype.
    pub sum: Option<[u8; 8]>,
    /// The number of null cells.
    pub null_count: u64,
}

/// The kinds of statistics that the tiles of a slot have.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatsShape {
    /// The size of the least and the greatest value, if tiles have these; `Some(None)` for variable
    /// length.
    pub(super) min_max: Option<Option<usize>>,
    pub(super) sum: bool,
    pub(super) null_count: bool,
    pub(super) comparison: ValueOrder,
}

impl StatsShape {
    pub(super) fn of_attribute(attribute: &Attribute) -> Self {
        let (datatype, values) = (attribute.datatype, attribute.cell_val_num);
        let size = (values != VAR_NUM).then(|| datatype.size().saturating_mul(values as usize));
        Self {
            min_max: has_min_max(datatype, values).then_some(size),
            sum: has_sum(datatype, values),
            null_count: attribute.nullable,
            comparison: comparison(datatype),
        }
    }

    /// Returns the statistics of a dimension of a sparse fragment. Its least and greatest
    /// coordinates are in the R-tree.
    pub(super) fn of_dimension(dimension: &Dimension) -> Self {
        Self {
            min_max: None,
            sum: has_sum(dimension.datatype, dimension.cell_val_num),
            null_count: false,
            comparison: comparison(dimension.datatype),
        }
    }

    /// Returns the statistics of fields that fragments add: timestamps and delete metadata.
    pub(super) fn of_times() -> Self {
        Self {
            min_max: None,
            sum: has_sum(Datatype::Uint64, 1),
            null_count: false,
            comparison: comparison(Datatype::Uint64),
        }
    }

    /// Returns the statistics of the slot for zipped coordinates, which contains zeros since
    /// coordinates are no longer zipped.
    pub(super) fn of_coordinates(dimensions: &[Arc<Dimension>]) -> Option<Self> {
        let datatype = dimensions.first()?.datatype;
        let size = datatype.size() * dimensions.len();
        Some(Self {
            min_max: has_min_max(datatype, 1).then_some(Some(size)),
            sum: has_sum(datatype, 1),
            null_count: false,
            comparison: comparison(datatype),
        })
    }

    /// Creates empty statistics.
    pub(super) fn column(&self) -> TileStatsColumn {
        let values = || self.min_max.map(TileValues::new).unwrap_or_default();
        TileStatsColumn {
            mins: values(),
            maxs: values(),
            ..TileStatsColumn::default()
        }
    }

    pub(super) fn push(&self, column: &mut TileStatsColumn, stats: &TileStats) {
        if self.min_max.is_some() {
            column.mins.push(stats.min.as_deref());
            column.maxs.push(stats.max.as_deref());
        }
        if self.sum {
            column
                .sums
                .push(u64::from_le_bytes(stats.sum.unwrap_or_default()));
        }
        if self.null_count {
            column.null_counts.push(stats.null_count);
        }
    }
}

fn comparison(datatype: Datatype) -> ValueOrder {
    match datatype {
        Datatype::Char | Datatype::StringAscii => ValueOrder::Text,
        _ => ValueOrder::Values(datatype.physical()),
    }
}

/// One file of a field, created when the first tile is written.
#[derive(Debug)]
struct FileWriter {
    uri: Uri,
    file: Option<WriteFile>,
    tile_offsets: Vec<u64>,
    size: u64,
}

/// The files of one field being written.
#[derive(Debug)]
pub struct FieldWriter {
    name: String,
    slot: usize,
    vfs: Arc<Vfs>,
    parts: [FileWriter; 3],
    var_sizes: Vec<u64>,
    shape: StatsShape,
    stats: TileStatsColumn,
    pub(super) meter: Arc<TileMeter>,
}

impl FieldWriter {
    pub(super) fn new(
        vfs: &Arc<Vfs>,
        fragment: &Uri,
        version: FormatVersion,
        slot: usize,
        field: FragmentField<'_>,
        shape: StatsShape,
    ) -> Self {
        let name = field.name();
        let part = |part: FilePart| FileWriter {
            uri: fragment.join(&field.file_name(version, part.suffix())),
            file: None,
            tile_offsets: Vec::new(),
            size: 0,
        };
        Self {
            name: name.to_owned(),
            slot,
            vfs: vfs.clone(),
            parts: FilePart::ALL.map(part),
            var_sizes: Vec::new(),
            stats: shape.column(),
            shape,
            meter: Arc::default(),
        }
    }

    /// Returns the field's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Appends a stored tile and records its position.
    pub fn append(&mut self, part: FilePart, pieces: &mut [IoSlice<'_>]) -> Result<()> {
        let writer = &mut self.parts[part as usize];
        let file = match &mut writer.file {
            Some(file) => file,
            empty => empty.insert(self.vfs.create(&writer.uri)?),
        };
        let (start, since) = (file.position(), Moment::now());
        file.write_vectored(pieces)?;
        if let Some(time) = since.elapsed() {
            self.meter.add_storage(time);
        }
        writer.size = file.position();
        writer.tile_offsets.push(start);
        Ok(())
    }

    /// Counts a tile that was filtered.
    pub fn count(&self, cost: TileCost) {
        self.meter.add(cost);
    }

    /// Records the unfiltered size in bytes of a tile of variable-length values.
    pub fn add_var_size(&mut self, bytes: u64) {
        self.var_sizes.push(bytes);
    }

    /// Records the statistics of a tile; those that the field's tiles do not have are ignored.
    pub fn add_stats(&mut self, stats: TileStats) {
        self.shape.push(&mut self.stats, &stats);
    }

    pub(super) fn slot(&self) -> usize {
        self.slot
    }

    pub(super) fn shape(&self) -> StatsShape {
        self.shape
    }

    pub(super) fn stats(&self) -> &TileStatsColumn {
        &self.stats
    }

    pub(super) fn tile_offsets(&self, part: FilePart) -> &[u64] {
        &self.parts[part as usize].tile_offsets
    }

    pub(super) fn var_sizes(&self) -> &[u64] {
        &self.var_sizes
    }

    pub(super) fn file_size(&self, part: FilePart) -> u64 {
        self.parts[part as usize].size
    }

    /// Removes and returns the open files, which must be synced and closed.
    pub(super) fn take_files(&mut self) -> impl Iterator<Item = WriteFile> {
        self.parts.iter_mut().filter_map(|part| part.file.take())
    }

    /// Returns an error unless every file has this number of tiles.
    pub(super) fn check_tile_num(&self, tile_num: u64) -> Result<()> {
        for part in FilePart::ALL {
            let tiles = self.tile_offsets(part).len() as u64;
            if tiles != tile_num && (tiles > 0 || part == FilePart::Fixed) {
                let name = &self.name;
                return Err(FragmentError::TileNumber {
                    field: name.clone(),
                    tiles,
                    expected: tile_num,
                }
                .into());
            }
        }
        Ok(())
    }
}
