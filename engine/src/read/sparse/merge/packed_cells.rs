//! Cells of several tiles as integers, whose order is that of the cells.

/// A cell of a tile, with the index of the tile in the read.
pub(super) type CellAt = (u32, u32);

/// Cells as integers: the differing bits of their keys, then the tile, then the cell in the tile.
pub(super) struct PackedCells {
    pub(super) items: Vec<u64>,
    /// The number of bits of the cell. Bits from `low` to `high` are the key, those between are the
    /// tile.
    pub(super) cell_bits: u32,
    pub(super) low: u32,
    pub(super) high: u32,
    /// The indexes of the tiles.
    pub(super) tile_indexes: Vec<u32>,
    /// Whether a cell hides the following ones with an equal key.
    pub(super) hides: bool,
}

impl PackedCells {
    pub(super) fn key(&self, item: u64) -> u64 {
        item.checked_shr(self.low).unwrap_or(0)
    }

    /// Returns the cells that are kept, and passes hidden ones to `hide`.
    pub(super) fn cells(&self, mut hide: impl FnMut(CellAt)) -> impl Iterator<Item = CellAt> {
        let cell_mask = (1u64 << self.cell_bits) - 1;
        let slot_mask = (1u64 << (self.low - self.cell_bits)) - 1;
        let mut before = None;
        self.items.iter().filter_map(move |item| {
            let slot = (item >> self.cell_bits) & slot_mask;
            let cell = (self.tile_indexes[slot as usize], (item & cell_mask) as u32);
            let key = Some(self.key(*item));
            if self.hides && std::mem::replace(&mut before, key) == key {
                hide(cell);
                return None;
            }
            Some(cell)
        })
    }

    /// Returns the cells that are kept, and those that are hidden.
    pub(super) fn left(&self) -> (Vec<CellAt>, Vec<CellAt>) {
        let mut hidden = Vec::new();
        let mut left = Vec::with_capacity(self.items.len());
        left.extend(self.cells(|cell| hidden.push(cell)));
        (left, hidden)
    }
}

/// Returns the number of bits for indexes less than `number`.
pub(super) fn bits_of(number: usize) -> u32 {
    usize::BITS - number.saturating_sub(1).leading_zeros()
}
