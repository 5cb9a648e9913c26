//! Least and greatest value, sum and null count of each tile of a field.

/// What is known of a field's tiles, by tile. Empty columns where nothing is recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileStatsColumn {
    /// The least value of each tile.
    pub mins: TileValues,
    /// The greatest value of each tile.
    pub maxs: TileValues,
    /// The sum of each tile: an `i64`, `u64` or `f64` by the field's datatype, as bytes.
    pub sums: Vec<[u8; 8]>,
    /// The number of null cells of each tile.
    pub null_counts: Vec<u64>,
}

/// One value for each tile.
#[derive(Clone, Debug, PartialEq)]
pub enum TileValues {
    /// Values of `size` bytes, one after the other.
    Fixed {
        /// The size of a value in bytes.
        size: usize,
        /// The values.
        bytes: Vec<u8>,
    },
    /// Values of variable size: where each starts, and their bytes.
    Var {
        /// Where each value starts.
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
    /// The value of a tile; `None` where none is recorded.
    pub fn get(&self, _tile: u64) -> Option<&[u8]> {
        unimplemented!()
    }
}
