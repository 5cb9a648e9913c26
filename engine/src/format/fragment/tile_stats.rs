//! The least and the greatest value, the sum and the null count of each tile of a field.
//!
//! ```text
//! mins, maxs     u64 length of the values, u64 length of the variable part, values, variable part;
//!                for variable length the values are u64 offsets into the variable part
//! sums           numbers by tile: i64, u64 or f64, depending on the datatype
//! null counts    numbers by tile
//! ```
//!
//! Fields without such statistics (see [`has_min_max`], [`has_sum`]) have empty ones.
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::{Result, reserve, try_copy, try_reserved};
use crate::types::{Datatype, values_of};

/// The purpose of memory that cannot be allocated.
const PURPOSE: &str = "minima or maxima of tiles";

/// Statistics of a field's tiles. Empty if they are not stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileStatsColumn {
    /// The least value of each tile.
    pub mins: TileValues,
    /// The greatest value of each tile.
    pub maxs: TileValues,
    /// The bits of the sum of each tile: an `i64`, `u64` or `f64`, depending on the field's
    /// datatype.
    pub sums: Vec<u64>,
    /// The number of null cells of each tile.
    pub null_counts: Vec<u64>,
}

/// One value for each tile.
#[derive(Clone, Debug, PartialEq)]
pub enum TileValues {
    /// The concatenated values of `size` bytes each.
    Fixed {
        /// The size of a value in bytes.
        size: usize,
        /// The values.
        bytes: Vec<u8>,
    },
    /// Values of variable size.
    Var {
        /// The start of each value.
        offsets: Vec<u64>,
        /// The values.
        bytes: Vec<u8>,
    },
}

impl Default for TileValues {
    fn default() -> Self {
        Self::Fixed {
            size: 0,
            bytes: Vec::new(),
        }
    }
}

impl TileValues {
    /// Creates an empty list for values of `size` bytes, or of variable size if `size` is `None`.
    pub fn new(size: Option<usize>) -> Self {
        match size {
            Some(size) => Self::Fixed {
                size,
                bytes: Vec::new(),
            },
            None => Self::Var {
                offsets: Vec::new(),
                bytes: Vec::new(),
            },
        }
    }

    /// Returns the value of a tile; `None` if it is not stored.
    pub fn get(&self, tile: u64) -> Option<&[u8]> {
        let tile = usize::try_from(tile).ok()?;
        match self {
            Self::Fixed { size: 0, .. } => None,
            Self::Fixed { size, bytes } => bytes.chunks_exact(*size).nth(tile),
            Self::Var { offsets, bytes } => {
                let start = usize::try_from(*offsets.get(tile)?).ok()?;
                let next = offsets.get(tile + 1).map(|next| usize::try_from(*next));
                bytes.get(start..next.unwrap_or(Ok(bytes.len())).ok()?)
            }
        }
    }

    /// Returns whether there is a value for each of `tile_num` tiles, and nothing else.
    pub fn is_complete(&self, tile_num: u64) -> bool {
        let tile_num = usize::try_from(tile_num).unwrap_or(usize::MAX);
        match self {
            Self::Fixed { size, bytes } => bytes.len() == tile_num.saturating_mul(*size),
            Self::Var { offsets, bytes } => {
                let ends = offsets.iter().skip(1).copied();
                let mut pairs = offsets.iter().zip(ends.chain([bytes.len() as u64]));
                offsets.len() == tile_num && pairs.all(|(start, end)| *start <= end)
            }
        }
    }

    /// Adds the value of the next tile; zeros if it is missing or has the wrong size.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn push(&mut self, value: Option<&[u8]>) -> Result<()> {
        let (Self::Fixed { bytes, .. } | Self::Var { bytes, .. }) = self;
        reserve(PURPOSE, bytes, value.map_or(0, <[u8]>::len))?;
        match self {
            Self::Fixed { size, bytes } => match value.filter(|value| value.len() == *size) {
                Some(value) => bytes.extend_from_slice(value),
                None => bytes.resize(bytes.len() + *size, 0),
            },
            Self::Var { offsets, bytes } => {
                offsets.push(bytes.len() as u64);
                bytes.extend_from_slice(value.unwrap_or_default());
            }
        }
        Ok(())
    }

    /// Reads the values of a field with cells of `size` bytes, or of variable length if `size` is
    /// `None`.
    pub fn read(from: &mut Cursor<'_>, size: Option<usize>) -> Result<Self> {
        let fixed_len = from.u64("length of values")?;
        let var_len = from.u64("length of variable part")?;
        let start = from.clone();
        let values = from.take_u64("values", fixed_len)?;
        let bytes = try_copy(PURPOSE, from.take_u64("variable part", var_len)?)?;
        let unit = size.unwrap_or(8);
        if !values.len().is_multiple_of(unit.max(1)) {
            return Err(start.corrupt(
                "values",
                format!("have {fixed_len} bytes, which is no multiple of {unit}"),
            ));
        }
        Ok(match size {
            Some(size) => Self::Fixed {
                size,
                bytes: try_copy(PURPOSE, values)?,
            },
            None => {
                let mut offsets = try_reserved(PURPOSE, values.len() / 8)?;
                offsets.extend(values_of::<u64>(values));
                Self::Var { offsets, bytes }
            }
        })
    }

    /// Returns the number of bytes that [`Self::write`] writes.
    pub fn record_len(&self) -> usize {
        match self {
            Self::Fixed { bytes, .. } => 16 + bytes.len(),
            Self::Var { offsets, bytes } => 16 + 8 * offsets.len() + bytes.len(),
        }
    }

    /// Writes the values.
    pub fn write(&self, to: &mut Sink) {
        match self {
            Self::Fixed { bytes, .. } => {
                to.u64(bytes.len() as u64);
                to.u64(0);
                to.put(bytes);
            }
            Self::Var { offsets, bytes } => {
                to.u64(8 * offsets.len() as u64);
                to.u64(bytes.len() as u64);
                to.u64s(offsets);
                to.put(bytes);
            }
        }
    }
}

/// Returns whether tiles of an attribute have a least and a greatest value.
pub fn has_min_max(datatype: Datatype, cell_val_num: u32) -> bool {
    let characters = matches!(datatype, Datatype::Char | Datatype::StringAscii);
    match datatype {
        Datatype::Any | Datatype::Blob | Datatype::GeomWkb | Datatype::GeomWkt => false,
        _ if datatype.is_string() && !characters => false,
        _ => cell_val_num == 1 || characters,
    }
}

/// Returns whether tiles of a field have a sum.
pub fn has_sum(datatype: Datatype, cell_val_num: u32) -> bool {
    match datatype {
        Datatype::Any | Datatype::Blob | Datatype::GeomWkb | Datatype::GeomWkt => false,
        _ => cell_val_num == 1 && !datatype.is_string(),
    }
}
