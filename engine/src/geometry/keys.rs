//! Cells as integers that keep an order: comparing two keys compares the cells.
//!
//! A key is a string of bits, cut into 64-bit words. Each dimension gives it as many bits as its
//! domain needs: for the order of a sparse array first the tile of each dimension, then the place
//! in that tile (or the Hilbert value and then the coordinates); for row- and column-major order
//! the coordinates alone. A text gives its first eight characters, and what stands behind it in the
//! order cannot be in the key: cells of equal keys are then compared by their coordinates.
//!
//! Files hold texts by characters that have a sign, since libtiledb writes them so; row- and
//! column-major reads give them by bytes. The two differ past ASCII.
//!
//! Keys are made column by column, a block of cells at a time; what depends on the datatype is
//! chosen once.

use std::cmp::Ordering;

use super::hilbert::{HILBERT_BITS, Hilbert};
use super::key_axis::{Axis, Tiles, key};
use super::{Coordinates, Order};
use crate::bytes::buffer_pool;
use crate::error::{Error, Result};
use crate::schema::ArraySchema;
use crate::typed;
use crate::types::Layout;

/// Cells of which a field is made before it is put into the words.
const BLOCK: usize = 256;

/// Where coordinates can lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// In the domain. Those that do not have keys too, but these keep no order.
    Domain,
    /// Anywhere in their datatype: cells that were written without a check of the domain.
    Datatype,
}

/// An order of the cells of a sparse array.
#[derive(Clone, Debug)]
pub struct CellOrder {
    /// The dimensions, in the schema's order.
    axes: Vec<Axis>,
    /// What the key consists of, the first decides first.
    fields: Vec<Field>,
    hilbert: Option<Hilbert>,
    /// The dimensions in the order of tiles.
    tile_order: Vec<usize>,
    bits: u32,
    /// The dimensions that decide between cells of equal keys, in order.
    undecided: Vec<usize>,
    /// Whether the characters of texts have a sign.
    signed: bool,
    /// Whether cells of equal keys, none of them undecided, may differ in the bytes of their
    /// coordinates.
    inexact: bool,
}

/// Part of a key.
#[derive(Clone, Copy, Debug)]
struct Field {
    kind: Kind,
    /// The bits before it in the key, and its own.
    at: u32,
    width: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The place on the Hilbert curve.
    Hilbert,
    /// The tile of a dimension.
    Tile(usize),
    /// The place in that tile.
    InTile(usize),
    /// The coordinate, counted from the low end.
    Whole(usize),
    /// The first eight characters.
    Text(usize),
}

impl CellOrder {
    /// Returns the order in which fragments hold their cells.
    pub fn global(schema: &ArraySchema, bounds: Bounds) -> Result<Self> {
        let order = |layout| match layout {
            Layout::ColMajor => Order::ColMajor,
            _ => Order::RowMajor,
        };
        let dim_num = schema.dim_num();
        let mut order_of = Self::empty(schema, bounds)?;
        order_of.signed = true;
        if schema.cell_order == Layout::Hilbert {
            let hilbert = Hilbert::new(&schema.domain).ok_or_else(|| {
                Error::usage(
                    "Domain",
                    format!("No Hilbert order of {dim_num} dimensions"),
                )
            })?;
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
        // Where the place in the tile follows the tile, the two together are the coordinate.
        let cell_order = order(schema.cell_order);
        let first = cell_order
            .slowest_first(dim_num)
            .into_iter()
            .find(|dim| order_of.axes[*dim].cell_bits(tiled[*dim], bounds) > 0);
        if let (Some(dim), true) = (first, first == last_tiled)
            && !order_of.axes[dim].is_real()
            && bounds == Bounds::Domain
            && let Some(tile) = order_of.fields.pop()
        {
            order_of.bits -= tile.width;
            tiled[dim] = false;
        }
        order_of.push_cells(cell_order, |dim| tiled[dim] && bounds == Bounds::Domain);
        Ok(order_of)
    }

    /// Row- or column-major order of the whole domain.
    pub fn of_domain(schema: &ArraySchema, order: Order, bounds: Bounds) -> Result<Self> {
        let mut order_of = Self::empty(schema, bounds)?;
        order_of.push_cells(order, |_| false);
        Ok(order_of)
    }

    fn empty(schema: &ArraySchema, bounds: Bounds) -> Result<Self> {
        let dimensions = schema.domain.dimensions.iter();
        let axes: Option<Vec<_>> = dimensions.map(|dim| Axis::new(dim, bounds)).collect();
        let axes = axes.ok_or_else(|| Error::usage("Domain", "A dimension has no domain"))?;
        let inexact = axes.iter().any(Axis::is_real);
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
            let at = self.bits;
            self.fields.push(Field { kind, at, width });
            self.bits += width;
        }
    }

    /// Returns the fields of the coordinates in a tile (where `tiled` says so) or in the domain.
    fn push_cells(&mut self, order: Order, tiled: impl Fn(usize) -> bool) {
        let dims = order.slowest_first(self.axes.len());
        for (at, dim) in dims.iter().copied().enumerate() {
            let axis = &self.axes[dim];
            if axis.var {
                self.push(Kind::Text(dim), 64);
                self.undecided = dims[at..].to_vec();
                return;
            }
            let in_tile = tiled(dim) && !axis.is_real();
            let bits = axis.cell_bits(in_tile, Bounds::Domain);
            self.push(
                match in_tile {
                    true => Kind::InTile(dim),
                    false => Kind::Whole(dim),
                },
                bits,
            );
        }
    }

    /// Returns the number of dimensions.
    pub fn dim_num(&self) -> usize {
        self.axes.len()
    }

    /// Returns the number of words a key has; at least one.
    pub fn word_num(&self) -> usize {
        (self.bits.div_ceil(64) as usize).max(1)
    }

    /// Returns the number of bits of the last word of a key are never used: the lowest ones.
    pub fn spare_bits(&self) -> u32 {
        self.word_num() as u32 * 64 - self.bits
    }

    /// Returns whether this is the order along a Hilbert curve.
    pub fn is_hilbert(&self) -> bool {
        self.hilbert.is_some()
    }

    /// Returns whether two cells lie on one place of the Hilbert curve.
    pub fn same_hilbert_value(&self, a: &Keys, i: usize, b: &Keys, j: usize) -> bool {
        let spare = 64 - HILBERT_BITS;
        let value = |keys: &Keys, cell| keys.word(0).get(cell).map(|word| word >> spare);
        self.is_hilbert() && value(a, i) == value(b, j)
    }

    /// Returns whether keys alone decide the order. Otherwise cells of equal keys are compared by
    /// [`CellOrder::compare`].
    pub fn keys_decide(&self) -> bool {
        self.undecided.is_empty()
    }

    /// Returns whether cells of equal keys have the same coordinates, byte for byte.
    pub fn keys_are_cells(&self) -> bool {
        self.undecided.is_empty() && !self.inexact
    }

    /// Makes the keys of all cells of `columns`, one for each dimension, all of the same length.
    pub fn make_keys(&self, columns: &[Coordinates<'_>], keys: &mut Keys) -> Result<()> {
        let sizes = self.axes.iter().map(|axis| axis.physical.size());
        let cell_num = columns
            .iter()
            .zip(sizes)
            .map(|(column, size)| column.len(size))
            .min()
            .unwrap_or_default();
        keys.reset(self.word_num(), cell_num)?;
        let mut words: Vec<&mut [u64]> = keys.words.chunks_mut(cell_num.max(1)).collect();
        self.fill(columns, 0, &mut words);
        Ok(())
    }

    /// Fills `words`, one slice for each word of a key and all of the same length, with the keys of
    /// the cells from `first` on: for threads that make the keys of a large column together.
    pub fn fill(&self, columns: &[Coordinates<'_>], first: usize, words: &mut [&mut [u64]]) {
        let len = words.first().map_or(0, |word| word.len());
        let mut block = Blocks::default();
        for start in (0..len).step_by(BLOCK) {
            let here = BLOCK.min(len - start);
            for word in words.iter_mut() {
                word[start..start + here].fill(0);
            }
            self.fill_block(columns, first + start, here, &mut block, |field, values| {
                field.put(values, start, words);
            });
        }
    }

    fn fill_block(
        &self,
        columns: &[Coordinates<'_>],
        from: usize,
        len: usize,
        block: &mut Blocks,
        mut put: impl FnMut(&Field, &[u64]),
    ) {
        let mut known = None;
        for field in &self.fields {
            let values = &mut block.field[..len];
            match field.kind {
                Kind::Hilbert => {
                    if let Some(hilbert) = &self.hilbert {
                        hilbert.fill(columns, from, values);
                    }
                }
                Kind::Text(dim) => {
                    for (at, value) in values.iter_mut().enumerate() {
                        *value = prefix(columns[dim].get(from + at, 1), self.signed);
                    }
                }
                Kind::Tile(dim) | Kind::InTile(dim) | Kind::Whole(dim) => {
                    let axis = &self.axes[dim];
                    let distances = &mut block.distances[..len];
                    if known != Some(dim) {
                        axis.distances(&columns[dim], from, distances);
                        known = Some(dim);
                    }
                    match (field.kind, &axis.tiles) {
                        (Kind::Tile(_), Some(tiles)) => {
                            tiles.fill(axis, &columns[dim], from, distances, values);
                        }
                        (Kind::InTile(_), Some(Tiles::Integers { extent, .. })) => {
                            extent.remainders(distances, values);
                        }
                        _ => values.copy_from_slice(distances),
                    }
                }
            }
            put(field, values);
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
        let compare = |dim: &usize| {
            let axis = &self.axes[*dim];
            let (a, b) = (axis.bytes(&a[*dim], i), axis.bytes(&b[*dim], j));
            match axis.var {
                true if self.signed => compare_signed(a, b),
                true => a.cmp(b),
                false => typed!(axis.physical, T => key::<T>(a).cmp(&key::<T>(b))),
            }
        };
        let mut dims = self.undecided.iter().map(compare);
        dims.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Compares the tiles that two cells are in; all are in one where the order has no tiles.
    pub fn compare_tiles(
        &self,
        a: &[Coordinates<'_>],
        i: usize,
        b: &[Coordinates<'_>],
        j: usize,
    ) -> Ordering {
        let compare = |dim: &usize| {
            let axis = &self.axes[*dim];
            axis.tile(&a[*dim], i).cmp(&axis.tile(&b[*dim], j))
        };
        let mut dims = self.tile_order.iter().map(compare);
        dims.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Returns whether two cells have the same coordinates, byte for byte: the two zeros of reals
    /// are one in the order, but not here.
    #[inline]
    pub fn same_cell(&self, a: KeyedCells<'_>, i: usize, b: KeyedCells<'_>, j: usize) -> bool {
        if a.keys.compare(i, b.keys, j).is_ne() {
            return false;
        }
        let same = |dim: usize| {
            let axis = &self.axes[dim];
            axis.bytes(&a.columns[dim], i) == axis.bytes(&b.columns[dim], j)
        };
        match (self.inexact, self.undecided.is_empty()) {
            (false, true) => true,
            (false, false) => self.undecided.iter().copied().all(same),
            (true, _) => (0..self.axes.len()).all(same),
        }
    }
}

/// Scratch for a block of cells.
#[derive(Debug)]
struct Blocks {
    field: [u64; BLOCK],
    distances: [u64; BLOCK],
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            field: [0; BLOCK],
            distances: [0; BLOCK],
        }
    }
}

impl Field {
    /// Puts the values of a block of cells, the first at `start`, into the words.
    fn put(&self, values: &[u64], start: usize, words: &mut [&mut [u64]]) {
        let (word, end) = ((self.at / 64) as usize, self.at % 64 + self.width);
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

/// Returns the first eight characters, as a number that keeps their order.
fn prefix(text: &[u8], signed: bool) -> u64 {
    const SIGNS: u64 = 0x8080_8080_8080_8080;
    let len = text.len().min(8);
    let mut bytes = [0; 8];
    bytes[..len].copy_from_slice(&text[..len]);
    let number = u64::from_le_bytes(bytes).swap_bytes();
    // What is not there comes before every character.
    let there = u64::MAX.checked_shl(64 - 8 * len as u32).unwrap_or(0);
    match signed {
        true => (number ^ SIGNS) & there,
        false => number,
    }
}

/// Compares texts whose characters have a sign.
fn compare_signed(a: &[u8], b: &[u8]) -> Ordering {
    let mut pairs = a.iter().zip(b);
    match pairs.find(|(a, b)| a != b) {
        Some((a, b)) => (*a as i8).cmp(&(*b as i8)),
        None => a.len().cmp(&b.len()),
    }
}

/// The keys of some cells: word by word, each for all cells.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    words: Vec<u64>,
    cell_num: usize,
}

/// Cells with their keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyedCells<'a> {
    /// The keys.
    pub keys: &'a Keys,
    /// The coordinates, a column for each dimension.
    pub columns: &'a [Coordinates<'a>],
}

impl Drop for Keys {
    fn drop(&mut self) {
        buffer_pool::put_words(std::mem::take(&mut self.words), usize::MAX);
    }
}

impl Keys {
    /// Makes room for `cell_num` keys of `word_num` words; what was there is gone.
    pub fn reset(&mut self, word_num: usize, cell_num: usize) -> Result<()> {
        let len = word_num
            .checked_mul(cell_num)
            .ok_or_else(|| Error::out_of_memory("keys", u64::MAX))?;
        if self.words.capacity() < len {
            self.words = buffer_pool::filled_words("keys", len)?;
        }
        self.words.resize(len, 0);
        self.cell_num = cell_num;
        Ok(())
    }

    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        self.cell_num
    }

    /// Returns the memory they take, in bytes.
    pub fn memory(&self) -> usize {
        8 * self.words.capacity()
    }

    /// Returns whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.cell_num == 0
    }

    /// Returns one word of the keys of all cells. The first decides first.
    pub fn word(&self, at: usize) -> &[u64] {
        let start = at * self.cell_num;
        self.words
            .get(start..start + self.cell_num)
            .unwrap_or_default()
    }

    /// Returns all words, to be filled: a slice for each.
    pub fn words_mut(&mut self) -> impl Iterator<Item = &mut [u64]> {
        self.words.chunks_mut(self.cell_num.max(1))
    }

    /// Compares two keys of the same order.
    #[inline]
    pub fn compare(&self, i: usize, other: &Self, j: usize) -> Ordering {
        let (mut at, mut other_at) = (i, j);
        while at < self.words.len() && other_at < other.words.len() {
            match self.words[at].cmp(&other.words[other_at]) {
                Ordering::Equal => {}
                decided => return decided,
            }
            at += self.cell_num;
            other_at += other.cell_num;
        }
        Ordering::Equal
    }
}
