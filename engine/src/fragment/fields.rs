//! The files of one field of a fragment that is being written, and their metadata.

use std::io::IoSlice;
use std::sync::Arc;

use super::FilePart;
use crate::error::{FragmentError, Result};
use crate::format::fragment::{TileStatsColumn, TileValues, has_min_max, has_sum};
use crate::format::names::{FragmentField, FragmentName};
use crate::format::version::FormatVersion;
use crate::schema::{ArraySchema, Attribute, Dimension};
use crate::stats::{Moment, TileCost, TileMeter};
use crate::types::{Datatype, NdRange, Physical, Range, VAR_NUM};
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

/// The length of the least and the greatest values that are stored for the tiles of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum MinMaxLength {
    /// The number of bytes of each.
    Fixed(usize),
    Var,
}

impl MinMaxLength {
    /// Returns the number of bytes of each value; `None` for variable length.
    pub(super) fn fixed_size(self) -> Option<usize> {
        match self {
            Self::Fixed(size) => Some(size),
            Self::Var => None,
        }
    }
}

/// Returns the length of the least and the greatest values of an attribute; `None` if they are not
/// stored.
pub(super) fn min_max_length(attribute: &Attribute) -> Option<MinMaxLength> {
    let (datatype, values) = (attribute.datatype, attribute.cell_val_num);
    has_min_max(datatype, values).then(|| match values {
        VAR_NUM => MinMaxLength::Var,
        values => MinMaxLength::Fixed(datatype.size().saturating_mul(values as usize)),
    })
}

/// The kinds of statistics that the tiles of a slot have.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatsShape {
    /// The length of the least and the greatest value, if tiles have these.
    pub(super) min_max: Option<MinMaxLength>,
    pub(super) sum: bool,
    pub(super) null_count: bool,
    /// The type of the values; `None` for strings.
    pub(super) physical: Option<Physical>,
}

impl StatsShape {
    pub(super) fn of_attribute(attribute: &Attribute) -> Self {
        Self {
            min_max: min_max_length(attribute),
            sum: has_sum(attribute.datatype, attribute.cell_val_num),
            null_count: attribute.nullable,
            physical: number_type(attribute.datatype),
        }
    }

    /// Returns the statistics of a dimension of a sparse fragment. Its least and greatest
    /// coordinates are in the R-tree.
    pub(super) fn of_dimension(dimension: &Dimension) -> Self {
        Self {
            min_max: None,
            sum: has_sum(dimension.datatype, dimension.cell_val_num),
            null_count: false,
            physical: number_type(dimension.datatype),
        }
    }

    /// Returns the statistics of fields that fragments add: timestamps and delete metadata.
    pub(super) fn of_times() -> Self {
        Self {
            min_max: None,
            sum: has_sum(Datatype::Uint64, 1),
            null_count: false,
            physical: number_type(Datatype::Uint64),
        }
    }

    /// Returns the statistics of the slot for zipped coordinates, which contains zeros since
    /// coordinates are no longer zipped.
    pub(super) fn of_coordinates(dimensions: &[Arc<Dimension>]) -> Option<Self> {
        let datatype = dimensions.first()?.datatype;
        let size = datatype.size() * dimensions.len();
        Some(Self {
            min_max: has_min_max(datatype, 1).then_some(MinMaxLength::Fixed(size)),
            sum: has_sum(datatype, 1),
            null_count: false,
            physical: number_type(datatype),
        })
    }

    /// Creates empty statistics.
    pub(super) fn column(&self) -> TileStatsColumn {
        let values = || match self.min_max {
            Some(length) => TileValues::new(length.fixed_size()),
            None => TileValues::default(),
        };
        TileStatsColumn {
            mins: values(),
            maxs: values(),
            ..TileStatsColumn::default()
        }
    }

    pub(super) fn push(&self, column: &mut TileStatsColumn, stats: &TileStats) -> Result<()> {
        if self.min_max.is_some() {
            column.mins.push(stats.min.as_deref())?;
            column.maxs.push(stats.max.as_deref())?;
        }
        if self.sum {
            column
                .sums
                .push(u64::from_le_bytes(stats.sum.unwrap_or_default()));
        }
        if self.null_count {
            column.null_counts.push(stats.null_count);
        }
        Ok(())
    }
}

/// Returns the type of values that are ordered as numbers; `None` for strings.
fn number_type(datatype: Datatype) -> Option<Physical> {
    let is_text = matches!(datatype, Datatype::Char | Datatype::StringAscii);
    (!is_text).then(|| datatype.physical())
}

/// A field that a fragment stores, and its slot in the footer.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotField<'a> {
    pub(super) slot: usize,
    pub(super) field: FragmentField<'a>,
    pub(super) shape: StatsShape,
}

impl<'a> SlotField<'a> {
    /// Returns the attributes, and for a sparse fragment the dimensions, in the order of slots.
    pub(super) fn of_schema(schema: &'a ArraySchema, dense: bool) -> impl Iterator<Item = Self> {
        let attributes = schema
            .attributes
            .iter()
            .enumerate()
            .map(|(slot, attribute)| Self {
                slot,
                field: FragmentField::Attribute(slot, &attribute.name),
                shape: StatsShape::of_attribute(attribute),
            });
        // One slot is that of zipped coordinates.
        let first = schema.attributes.len() + 1;
        attributes.chain(
            schema
                .domain
                .dimensions
                .iter()
                .enumerate()
                .filter(move |_| !dense)
                .map(move |(index, dimension)| Self {
                    slot: first + index,
                    field: FragmentField::Dimension(index, &dimension.name),
                    shape: StatsShape::of_dimension(dimension),
                }),
        )
    }

    /// Returns the fields that fragments add, which follow the dimensions.
    pub(super) fn of_internal(
        schema: &'a ArraySchema,
        fields: impl Iterator<Item = FragmentField<'static>>,
    ) -> impl Iterator<Item = Self> {
        let first = schema.attributes.len() + 1 + schema.domain.dimensions.len();
        fields.enumerate().map(move |(index, field)| Self {
            slot: first + index,
            field,
            shape: StatsShape::of_times(),
        })
    }
}

/// One file of a field, created when the first tile is written.
#[derive(Debug)]
struct FileWriter {
    uri: Uri,
    file: Option<WriteFile>,
    tile_offsets: Vec<u64>,
    size: u64,
    /// The size when the file was opened.
    opened_at: u64,
}

/// A fragment of which some tiles are written.
#[derive(Clone, Debug)]
pub struct UnfinishedFragment {
    /// The name of the folder.
    pub name: FragmentName,
    /// The fields.
    pub fields: Vec<UnfinishedField>,
    /// The MBRs of the tiles of a sparse fragment.
    pub mbrs: Vec<Range>,
    /// The coordinates of the first and the last cell of each tile of a sparse fragment, by
    /// dimension; empty in formats that do not store them.
    pub order_bounds: Vec<Range>,
    /// The bounding box of the cells of a sparse fragment.
    pub non_empty_domain: Option<NdRange>,
}

/// The tiles of a field of an unfinished fragment.
#[derive(Clone, Debug)]
pub struct UnfinishedField {
    /// The slot in the footer.
    pub slot: usize,
    /// The sizes of the files, in the order of [`FilePart`].
    pub sizes: [u64; 3],
    /// The positions of the tiles in the files.
    pub tile_offsets: [Vec<u64>; 3],
    /// The unfiltered sizes of tiles of variable-length values.
    pub var_sizes: Vec<u64>,
    /// The statistics.
    pub stats: TileStatsColumn,
}

impl UnfinishedField {
    /// Returns the slot of each field of a fragment with this schema, and its statistics without
    /// tiles, in the order of the fields of a writer.
    pub fn slots(schema: &ArraySchema) -> impl Iterator<Item = (usize, TileStatsColumn)> {
        let fields = SlotField::of_schema(schema, schema.is_dense());
        fields.map(|field| (field.slot, field.shape.column()))
    }

    /// Clears the values that fields of a shape do not have, which libtiledb fills with zeros.
    fn shaped(mut self, shape: StatsShape) -> Self {
        for (offsets, size) in self.tile_offsets.iter_mut().zip(self.sizes) {
            if size == 0 {
                offsets.clear();
            }
        }
        if self.sizes[FilePart::Var as usize] == 0 {
            self.var_sizes.clear();
        }
        if shape.min_max.is_none() {
            let empty = shape.column();
            (self.stats.mins, self.stats.maxs) = (empty.mins, empty.maxs);
        }
        if !shape.sum {
            self.stats.sums.clear();
        }
        if !shape.null_count {
            self.stats.null_counts.clear();
        }
        self
    }

    /// Returns whether all lists have one element for each tile or are empty, and the positions are
    /// ascending and within the files.
    fn is_consistent(&self) -> bool {
        let tiles = self.tile_offsets[FilePart::Fixed as usize].len();
        let fits = |len: usize| len == 0 || len == tiles;
        let values = |values: &TileValues| match values {
            TileValues::Fixed { size: 0, bytes } => bytes.is_empty(),
            TileValues::Fixed { size, bytes } => fits(bytes.len() / size),
            TileValues::Var { offsets, .. } => fits(offsets.len()),
        };
        let stats = &self.stats;
        let mut parts = self.tile_offsets.iter().zip(self.sizes);
        [
            self.var_sizes.len(),
            stats.sums.len(),
            stats.null_counts.len(),
        ]
        .into_iter()
        .all(fits)
            && values(&stats.mins)
            && values(&stats.maxs)
            && parts.all(|(offsets, size)| {
                let is_inside = offsets.last().is_none_or(|last| *last <= size);
                fits(offsets.len()) && offsets.is_sorted() && is_inside
            })
    }
}

/// The files of one field being written.
#[derive(Debug)]
pub struct FieldWriter {
    name: String,
    pub(super) slot: usize,
    vfs: Arc<Vfs>,
    parts: [FileWriter; 3],
    pub(super) var_sizes: Vec<u64>,
    pub(super) shape: StatsShape,
    pub(super) stats: TileStatsColumn,
    pub(super) meter: Arc<TileMeter>,
}

impl FieldWriter {
    pub(super) fn new(
        vfs: &Arc<Vfs>,
        fragment: &Uri,
        version: FormatVersion,
        field: SlotField<'_>,
    ) -> Self {
        let SlotField { slot, field, shape } = field;
        let name = field.name();
        let part = |part: FilePart| FileWriter {
            uri: fragment.join(&field.file_name(version, part.suffix())),
            file: None,
            tile_offsets: Vec::new(),
            size: 0,
            opened_at: 0,
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
            empty if writer.size > 0 => {
                writer.opened_at = writer.size;
                empty.insert(self.vfs.append(&writer.uri)?)
            }
            empty => empty.insert(self.vfs.create(&writer.uri)?),
        };
        let (start, begun) = (writer.opened_at + file.written, Moment::now());
        file.write_vectored(pieces)?;
        if let Some(time) = begun.elapsed() {
            self.meter.add_storage(time);
        }
        writer.size = writer.opened_at + file.written;
        writer.tile_offsets.push(start);
        Ok(())
    }

    /// Returns the tiles so far.
    pub(super) fn unfinished(&self) -> UnfinishedField {
        UnfinishedField {
            slot: self.slot,
            sizes: FilePart::ALL.map(|part| self.file_size(part)),
            tile_offsets: FilePart::ALL.map(|part| self.tile_offsets(part).to_vec()),
            var_sizes: self.var_sizes.clone(),
            stats: self.stats.clone(),
        }
    }

    /// Continues after these tiles. Returns whether the files have the sizes.
    pub(super) fn resume(&mut self, state: UnfinishedField) -> Result<bool> {
        let state = state.shaped(self.shape);
        if state.slot != self.slot || !state.is_consistent() {
            return Ok(false);
        }
        let offsets = state.tile_offsets.into_iter();
        for ((part, size), offsets) in self.parts.iter_mut().zip(state.sizes).zip(offsets) {
            if size > 0 && (!self.vfs.is_file(&part.uri)? || self.vfs.file_size(&part.uri)? != size)
            {
                return Ok(false);
            }
            (part.size, part.tile_offsets) = (size, offsets);
        }
        (self.var_sizes, self.stats) = (state.var_sizes, state.stats);
        Ok(true)
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
    ///
    /// # Errors
    /// If memory for the minimum or maximum cannot be allocated.
    pub fn add_stats(&mut self, stats: TileStats) -> Result<()> {
        self.shape.push(&mut self.stats, &stats)
    }

    pub(super) fn tile_offsets(&self, part: FilePart) -> &[u64] {
        &self.parts[part as usize].tile_offsets
    }

    pub(super) fn file_size(&self, part: FilePart) -> u64 {
        self.parts[part as usize].size
    }

    /// Removes and returns the open files, which must be synced and closed. The next tile is
    /// appended.
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
