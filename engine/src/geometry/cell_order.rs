//! Order-preserving integer keys of cells: comparing keys compares the cells.
//!
//! A key is a bit string, divided into 64-bit words. Each dimension contributes as many bits as its
//! domain needs. In the global order of a sparse array the key consists of the tile of each
//! dimension, then the position in that tile (or of the Hilbert value and then the coordinates); in
//! row- and column-major order, of the coordinates alone. A string contributes its first eight
//! characters, and dimensions after it in the order cannot contribute: cells with equal keys are
//! compared by their coordinates then.
//!
//! Files sort strings by signed characters, as libtiledb does; row- and column-major reads return
//! them sorted by bytes. The orders differ for characters above 127.
//!
//! Keys are made column by column in blocks of cells, so that the code is selected by datatype only
//! once.

use std::cmp::Ordering;

use super::hilbert::{HILBERT_BITS, Hilbert};
use super::key_axis::{Bounds, KeyAxis, Tiles, key};
use super::keys::{KeyedCells, Keys};
use super::{Coordinates, Order};
use crate::error::{Error, GeometryError, Result};
use crate::memory::tuning::KEY_BLOCK_CELLS;
use crate::schema::ArraySchema;
use crate::typed;
use crate::types::Layout;

/// An order of the cells of a sparse array.
#[derive(Clone, Debug)]
pub struct CellOrder {
    /// The dimensions, in the schema's order.
    axes: Vec<KeyAxis>,
    /// The parts of the key, the most significant first.
    fields: Vec<Field>,
    hilbert: Option<Hilbert>,
    /// The dimensions in the order of tiles.
    tile_order: Vec<usize>,
    /// The number of bits of a key.
    pub(super) bits: u32,
    /// The dimensions to compare if keys are equal, in order.
    undecided: Vec<usize>,
    /// Whether the characters of strings are signed.
    signed: bool,
    /// Whether cells with equal keys can differ in the bytes of their coordinates even if no
    /// dimension is undecided.
    inexact: bool,
}

/// A part of a key.
#[derive(Clone, Copy, Debug)]
struct Field {
    kind: Kind,
    /// The number of bits before it in the key, and its own.
    shift: u32,
    width: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The Hilbert value.
    Hilbert,
    /// The tile number of a dimension.
    Tile(usize),
    /// The position in that tile.
    InTile(usize),
    /// The coordinate, as the distance from the lower bound.
    Whole(usize),
    /// The first eight characters of a string.
    Text(usize),
}

impl CellOrder {
    /// Returns the order in which fragments store cells.
    pub fn global(schema: &ArraySchema, bounds: Bounds) -> Result<Self> {
        let order = |layout| Order::of(layout).unwrap_or(Order::RowMajor);
        let dim_num = schema.dim_num();
        let mut order_of = Self::empty(schema, bounds)?;
        order_of.signed = true;
        if schema.cell_order == Layout::Hilbert {
            let hilbert = Hilbert::new(&schema.domain)
                .ok_or_else(|| Error::from(GeometryError::HilbertDimensions { number: dim_num }))?;
            order_of.hilbert = Some(hilbert);
            order_of.push(Kind::Hilbert, HILBERT_BITS);
            order_of.push_cells(Order::RowMajor, |_| false);
            return Ok(order_of);
        }
        let mut tiled = vec![false; dim_num];
        let mut last_tiled = None;
        order_of.tile_order = order(schema.tile_order).slowest_first(dim_num);
        for dim in order_of.tile_order.clone() {
            let bits = order_of.axes[dim].tile_bits(bounds);
            if bits > 0 {
                order_of.push(Kind::Tile(dim), bits);
                tiled[dim] = true;
                last_tiled = Some(dim);
            }
        }
        // If the position in a tile directly follows the tile number, the two are replaced by the
        // coordinate.
        let cell_order = order(schema.cell_order);
        let first = cell_order
            .slowest_first(dim_num)
            .into_iter()
            .find(|dim| order_of.axes[*dim].cell_bits(tiled[*dim], bounds) > 0);
        if let (Some(dim), true) = (first, first == last_tiled)
            && !order_of.axes[dim].physical.is_real()
            && bounds == Bounds::Domain
            && let Some(tile) = order_of.fields.pop()
        {
            order_of.bits -= tile.width;
            tiled[dim] = false;
        }
        order_of.push_cells(cell_order, |dim| tiled[dim] && bounds == Bounds::Domain);
        Ok(order_of)
    }

    /// Returns row- or column-major order of the whole domain.
    pub fn of_domain(schema: &ArraySchema, order: Order, bounds: Bounds) -> Result<Self> {
        let mut order_of = Self::empty(schema, bounds)?;
        order_of.push_cells(order, |_| false);
        Ok(order_of)
    }

    fn empty(schema: &ArraySchema, bounds: Bounds) -> Result<Self> {
        let axes: Option<Vec<_>> = schema
            .domain
            .dimensions
            .iter()
            .map(|dim| KeyAxis::new(dim, bounds))
            .collect();
        let axes = axes.ok_or_else(|| Error::from(GeometryError::NoDomain))?;
        let inexact = axes.iter().any(|axis| axis.physical.is_real());
        Ok(Self {
            axes,
            fields: Vec::new(),
            hilbert: None,
            tile_order: Vec::new(),
            bits: 0,
            undecided: Vec::new(),
            signed: false,
            inexact,
        })
    }

    fn push(&mut self, kind: Kind, width: u32) {
        if width > 0 {
            let shift = self.bits;
            self.fields.push(Field { kind, shift, width });
            self.bits += width;
        }
    }

    /// Adds the fields of the coordinates, relative to the tile if `tiled` returns true, otherwise
    /// to the domain.
    fn push_cells(&mut self, order: Order, tiled: impl Fn(usize) -> bool) {
        let dims = order.slowest_first(self.axes.len());
        for (index, dim) in dims.iter().copied().enumerate() {
            let axis = &self.axes[dim];
            if axis.var {
                self.push(Kind::Text(dim), 64);
                self.undecided = dims[index..].to_vec();
                return;
            }
            let in_tile = tiled(dim) && !axis.physical.is_real();
            let bits = axis.cell_bits(in_tile, Bounds::Domain);
            self.push(
                if in_tile {
                    Kind::InTile(dim)
                } else {
                    Kind::Whole(dim)
                },
                bits,
            );
        }
    }

    /// Returns the number of dimensions.
    pub fn dim_num(&self) -> usize {
        self.axes.len()
    }

    /// Returns the number of words of a key; at least one.
    pub fn word_num(&self) -> usize {
        (self.bits.div_ceil(64) as usize).max(1)
    }

    /// Returns whether this is Hilbert order.
    pub fn is_hilbert(&self) -> bool {
        self.hilbert.is_some()
    }

    /// Returns whether two cells have the same Hilbert value.
    pub fn same_hilbert_value(&self, a: &Keys, i: usize, b: &Keys, j: usize) -> bool {
        let spare = 64 - HILBERT_BITS;
        let value = |keys: &Keys, cell| keys.word(0).get(cell).map(|word| word >> spare);
        self.is_hilbert() && value(a, i) == value(b, j)
    }

    /// Returns whether keys alone determine the order. Otherwise cells with equal keys must be
    /// compared by [`CellOrder::compare`].
    pub fn keys_decide(&self) -> bool {
        self.undecided.is_empty()
    }

    /// Returns whether texts are in the order of signed characters, as in files.
    pub fn has_signed_texts(&self) -> bool {
        self.signed
    }

    /// Returns whether cells with equal keys have identical coordinates, byte for byte.
    pub fn keys_are_cells(&self) -> bool {
        self.undecided.is_empty() && !self.inexact
    }

    /// Computes the keys of all cells of `columns`, which contains one column per dimension, all of
    /// the same length.
    pub fn make_keys(&self, columns: &[Coordinates<'_>], keys: &mut Keys) -> Result<()> {
        let sizes = self.axes.iter().map(|axis| axis.physical.size());
        let cell_num = columns
            .iter()
            .zip(sizes)
            .map(|(column, size)| column.len(size))
            .min()
            .unwrap_or_default();
        keys.reset(self.word_num(), cell_num)?;
        let mut words: Vec<&mut [u64]> = keys.words_mut().collect();
        self.fill(columns, 0, &mut words);
        Ok(())
    }

    /// Fills `words`, one slice for each word of a key and all of the same length, with the keys of
    /// the cells from `first` on. Multiple threads can make the keys of a large column together.
    pub fn fill(&self, columns: &[Coordinates<'_>], first: usize, words: &mut [&mut [u64]]) {
        let len = words.first().map_or(0, |word| word.len());
        let mut values = [0; KEY_BLOCK_CELLS];
        let mut distances = [0; KEY_BLOCK_CELLS];
        for start in (0..len).step_by(KEY_BLOCK_CELLS) {
            let block_len = KEY_BLOCK_CELLS.min(len - start);
            for word in words.iter_mut() {
                word[start..start + block_len].fill(0);
            }
            let (values, distances) = (&mut values[..block_len], &mut distances[..block_len]);
            let from = first + start;
            let mut distances_of = None;
            for field in &self.fields {
                match field.kind {
                    Kind::Hilbert => {
                        if let Some(hilbert) = &self.hilbert {
                            hilbert.fill(columns, from, values);
                        }
                    }
                    Kind::Text(dim) => {
                        for (index, value) in values.iter_mut().enumerate() {
                            *value = prefix(columns[dim].get(from + index, 1), self.signed);
                        }
                    }
                    Kind::Tile(dim) | Kind::InTile(dim) | Kind::Whole(dim) => {
                        let axis = &self.axes[dim];
                        if distances_of != Some(dim) {
                            axis.distances(&columns[dim], from, distances);
                            distances_of = Some(dim);
                        }
                        match (field.kind, &axis.tiles) {
                            (Kind::Tile(_), Some(tiles)) => {
                                tiles.fill(axis, &columns[dim], from, distances, values);
                            }
                            (Kind::InTile(_), Some(Tiles::Integers { extent, .. })) => {
                                axis.in_tile(*extent, distances, values);
                            }
                            _ => values.copy_from_slice(distances),
                        }
                    }
                }
                field.put(values, start, words);
            }
        }
    }

    /// Compares a cell of `a` with one of `b`.
    #[inline]
    pub fn compare(&self, a: KeyedCells<'_>, i: usize, b: KeyedCells<'_>, j: usize) -> Ordering {
        let keys = a.keys.compare(i, b.keys, j);
        match keys {
            Ordering::Equal if !self.undecided.is_empty() => {
                self.compare_undecided(a.columns, i, b.columns, j)
            }
            decided => decided,
        }
    }

    fn compare_undecided(
        &self,
        a: &[Coordinates<'_>],
        i: usize,
        b: &[Coordinates<'_>],
        j: usize,
    ) -> Ordering {
        self.undecided
            .iter()
            .map(|dim| {
                let axis = &self.axes[*dim];
                let (a, b) = (axis.bytes(&a[*dim], i), axis.bytes(&b[*dim], j));
                if !axis.var {
                    typed!(axis.physical, T => key::<T>(a).cmp(&key::<T>(b)))
                } else if self.signed {
                    compare_signed(a, b)
                } else {
                    a.cmp(b)
                }
            })
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// Compares the tiles of two cells. If the order has no tiles, all cells are in one.
    pub fn compare_tiles(
        &self,
        a: &[Coordinates<'_>],
        i: usize,
        b: &[Coordinates<'_>],
        j: usize,
    ) -> Ordering {
        self.tile_order
            .iter()
            .map(|dim| {
                let axis = &self.axes[*dim];
                axis.tile(&a[*dim], i).cmp(&axis.tile(&b[*dim], j))
            })
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// Returns whether two cells have identical coordinates, byte for byte. Positive and negative
    /// zero are equal in the order, but not here.
    #[inline]
    pub fn same_cell(&self, a: KeyedCells<'_>, i: usize, b: KeyedCells<'_>, j: usize) -> bool {
        if a.keys.compare(i, b.keys, j).is_ne() {
            return false;
        }
        let has_equal_bytes = |dim: usize| {
            let axis = &self.axes[dim];
            axis.bytes(&a.columns[dim], i) == axis.bytes(&b.columns[dim], j)
        };
        match (self.inexact, self.undecided.is_empty()) {
            (false, true) => true,
            (false, false) => self.undecided.iter().copied().all(has_equal_bytes),
            (true, _) => (0..self.axes.len()).all(has_equal_bytes),
        }
    }
}

impl Field {
    /// Writes the values of a block of cells, the first of which has index `start`, to the words.
    fn put(&self, values: &[u64], start: usize, words: &mut [&mut [u64]]) {
        let (word, end) = ((self.shift / 64) as usize, self.shift % 64 + self.width);
        let mut or = |word: usize, left: u32, right: u32| {
            if let Some(to) = words.get_mut(word) {
                for (to, value) in to[start..].iter_mut().zip(values) {
                    *to |= (value >> right) << left;
                }
            }
        };
        match end.checked_sub(64) {
            Some(0) => or(word, 0, 0),
            Some(over) => {
                or(word, 0, over);
                or(word + 1, 64 - over, 0);
            }
            None => or(word, 64 - end, 0),
        }
    }
}

/// Returns the first eight characters as an order-preserving number.
fn prefix(text: &[u8], signed: bool) -> u64 {
    const SIGNS: u64 = 0x8080_8080_8080_8080;
    let len = text.len().min(8);
    let mut bytes = [0; 8];
    bytes[..len].copy_from_slice(&text[..len]);
    let number = u64::from_le_bytes(bytes).swap_bytes();
    // Missing characters are less than every character.
    let present = u64::MAX.checked_shl(64 - 8 * len as u32).unwrap_or(0);
    if signed {
        (number ^ SIGNS) & present
    } else {
        number
    }
}

/// Compares strings by signed characters.
fn compare_signed(a: &[u8], b: &[u8]) -> Ordering {
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => (*a as i8).cmp(&(*b as i8)),
        None => a.len().cmp(&b.len()),
    }
}
