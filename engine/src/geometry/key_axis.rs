//! The contribution of a dimension to keys: the distance of a coordinate from the lower bound, and
//! its tile.

use super::Coordinates;
use super::hilbert::real_to_u64;
use crate::schema::Dimension;
use crate::typed;
use crate::types::{Physical, Value};

/// The set of possible coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// The domain. Coordinates outside of it have keys, but these are not in order.
    Domain,
    /// All values of the datatype, for cells that were written without a check of the domain.
    Datatype,
}

/// A dimension, prepared for making keys.
#[derive(Clone, Debug)]
pub(super) struct KeyAxis {
    pub(super) physical: Physical,
    pub(super) var: bool,
    /// The key of the lower bound, and the distance of the last coordinate from it.
    base: u64,
    last: u64,
    pub(super) tiles: Option<Tiles>,
}

/// The space tiles of a dimension.
#[derive(Clone, Debug)]
pub(super) enum Tiles {
    /// Tiles of integer coordinates. The first one starts at the key `low`.
    Integers {
        low: u64,
        mask: u64,
        extent: u64,
    },
    Reals {
        low: f64,
        extent: f64,
    },
}

/// Returns the number of bits needed for numbers up to `last`.
fn bits_of(last: u64) -> u32 {
    64 - last.leading_zeros()
}

/// Returns the key of a coordinate. Positive and negative zero have the same key.
pub(super) fn key<T: Value>(bytes: &[u8]) -> u64 {
    let value = T::read(bytes);
    if value == T::default() {
        T::default().to_key()
    } else {
        value.to_key()
    }
}

/// Returns a mask of as many low bits as the type has.
fn mask_of(physical: Physical) -> u64 {
    u64::MAX >> (64 - 8 * physical.size())
}

impl KeyAxis {
    pub(super) fn new(dimension: &Dimension, bounds: Bounds) -> Option<Self> {
        let physical = dimension.datatype.physical();
        if dimension.is_var() {
            return Some(Self {
                physical,
                var: true,
                base: 0,
                last: 0,
                tiles: None,
            });
        }
        let domain = dimension.domain.as_ref()?;
        let low = typed!(physical, T => key::<T>(domain.start()));
        let high = typed!(physical, T => key::<T>(domain.end()));
        let (base, last) = match bounds {
            Bounds::Domain => (low, high.checked_sub(low)?),
            Bounds::Datatype => (0, mask_of(physical)),
        };
        let extent = dimension.extent.as_deref();
        let tiles = extent.and_then(|extent| Tiles::new(physical, domain.start(), low, extent));
        Some(Self {
            physical,
            var: false,
            base,
            last,
            tiles,
        })
    }

    /// Returns the number of bits of a tile number.
    pub(super) fn tile_bits(&self, bounds: Bounds) -> u32 {
        match (&self.tiles, bounds) {
            (None, _) => 0,
            (Some(Tiles::Integers { mask, extent, .. }), Bounds::Datatype) => {
                bits_of(mask / extent)
            }
            (Some(Tiles::Integers { extent, .. }), Bounds::Domain) => bits_of(self.last / extent),
            (Some(Tiles::Reals { .. }), Bounds::Datatype) => 64,
            (Some(Tiles::Reals { low, extent }), Bounds::Domain) => {
                let high = typed!(self.physical, T => unkey_real::<T>(self.base + self.last));
                if (high - low) / extent < 2f64.powi(63) {
                    bits_of(typed!(self.physical, T => real_tile::<T>(high, *low, *extent)))
                } else {
                    64
                }
            }
        }
    }

    /// Returns the number of bits of a coordinate, relative to its tile or to the domain.
    pub(super) fn cell_bits(&self, in_tile: bool, bounds: Bounds) -> u32 {
        match &self.tiles {
            _ if self.var => 64,
            Some(Tiles::Integers { extent, .. }) if in_tile && bounds == Bounds::Domain => {
                bits_of(self.last.min(extent - 1))
            }
            _ => bits_of(self.last),
        }
    }

    /// Returns the bytes of a coordinate.
    pub(super) fn bytes<'a>(&self, column: &Coordinates<'a>, cell: usize) -> &'a [u8] {
        column.get(cell, self.physical.size())
    }

    /// Returns the tile number of a coordinate.
    pub(super) fn tile(&self, column: &Coordinates<'_>, cell: usize) -> u64 {
        let (mut distance, mut tile) = ([0], [0]);
        if let Some(tiles) = &self.tiles {
            self.distances(column, cell, &mut distance);
            tiles.fill(self, column, cell, &distance, &mut tile);
        }
        tile[0]
    }

    /// Computes the distances of coordinates from the starts of tiles of `extent` coordinates,
    /// given those from the lower bound.
    pub(super) fn in_tile(&self, extent: u64, distances: &[u64], to: &mut [u64]) {
        to.copy_from_slice(distances);
        if extent.is_power_of_two() {
            to.iter_mut().for_each(|value| *value &= extent - 1);
            return;
        }
        divide(to, extent, self.last);
        for (to, distance) in to.iter_mut().zip(distances) {
            *to = distance.wrapping_sub(to.wrapping_mul(extent));
        }
    }

    /// Computes the distances of coordinates from the lower bound.
    pub(super) fn distances(&self, column: &Coordinates<'_>, from: usize, to: &mut [u64]) {
        let size = self.physical.size();
        let bytes = column
            .data
            .get(from * size..(from + to.len()) * size)
            .unwrap_or_default();
        typed!(self.physical, T => fill_distances::<T>(bytes, self.base, self.last, to));
    }
}

fn fill_distances<T: Value>(bytes: &[u8], base: u64, last: u64, to: &mut [u64]) {
    let real = T::PHYSICAL.is_real();
    for (cell, to) in bytes.chunks_exact(T::SIZE).zip(to) {
        // NaN is not in the domain, and is sorted last.
        *to = if real {
            key::<T>(cell).wrapping_sub(base).min(last)
        } else {
            T::read(cell).to_key().wrapping_sub(base)
        };
    }
}

/// Converts the key of a floating-point type to its value.
fn unkey_real<T: Value>(key: u64) -> f64 {
    match T::PHYSICAL {
        Physical::F32 => {
            let key = key as u32;
            f64::from(f32::from_bits(if key >> 31 == 1 {
                key ^ 1 << 31
            } else {
                !key
            }))
        }
        _ => f64::from_bits(if key >> 63 == 1 { key ^ 1 << 63 } else { !key }),
    }
}

/// Returns the tile number of a floating-point coordinate, computed in the precision of the
/// dimension.
#[inline(always)]
fn real_tile<T: Value>(value: f64, low: f64, extent: f64) -> u64 {
    // Rounding a 64-bit sum or quotient of 32-bit numbers yields the same result as 32-bit
    // arithmetic.
    let round = |value: f64| match T::PHYSICAL {
        Physical::F32 => f64::from(value as f32),
        _ => value,
    };
    real_to_u64(round(round(value - low) / extent))
}

impl Tiles {
    fn new(physical: Physical, low_bytes: &[u8], low: u64, extent: &[u8]) -> Option<Self> {
        if extent.len() < physical.size() {
            return None;
        }
        if physical.is_real() {
            let real = |bytes: &[u8]| typed!(physical, T => T::read(bytes).to_f64());
            return Some(Self::Reals {
                low: real(low_bytes),
                extent: real(extent),
            });
        }
        // Extents are positive, so the bytes can be read as an unsigned number.
        let mut bytes = [0; 8];
        bytes[..physical.size()].copy_from_slice(&extent[..physical.size()]);
        let extent = u64::from_le_bytes(bytes);
        (extent > 0).then(|| Self::Integers {
            low,
            mask: mask_of(physical),
            extent,
        })
    }

    /// Computes the tile numbers of a block of cells.
    pub(super) fn fill(
        &self,
        axis: &KeyAxis,
        column: &Coordinates<'_>,
        from: usize,
        distances: &[u64],
        tiles: &mut [u64],
    ) {
        match self {
            Self::Integers { low, mask, extent } => {
                let shift = axis.base.wrapping_sub(*low);
                for (tile, distance) in tiles.iter_mut().zip(distances) {
                    *tile = distance.wrapping_add(shift) & mask;
                }
                divide(tiles, *extent, axis.last);
            }
            Self::Reals { low, extent } => {
                let size = axis.physical.size();
                let bytes = column
                    .data
                    .get(from * size..(from + tiles.len()) * size)
                    .unwrap_or_default();
                typed!(axis.physical, T => fill_real_tiles::<T>(bytes, *low, *extent, tiles));
            }
        }
    }
}

fn fill_real_tiles<T: Value>(bytes: &[u8], low: f64, extent: f64, tiles: &mut [u64]) {
    for (cell, tile) in bytes.chunks_exact(T::SIZE).zip(tiles) {
        *tile = real_tile::<T>(T::read(cell).to_f64(), low, extent);
    }
}

/// Divides numbers up to `max`.
fn divide(values: &mut [u64], divisor: u64, max: u64) {
    if divisor.is_power_of_two() {
        let shift = divisor.trailing_zeros();
        values.iter_mut().for_each(|value| *value >>= shift);
    } else if max <= u64::from(u32::MAX) {
        // The upper half of the product with `2^64 / divisor`, rounded up.
        let factor = u64::MAX / divisor + 1;
        for value in values {
            *value = ((u128::from(*value) * u128::from(factor)) >> 64) as u64;
        }
    } else {
        for value in values {
            // 32-bit division takes half the time.
            *value = match (u32::try_from(*value), u32::try_from(divisor)) {
                (Ok(value), Ok(divisor)) => u64::from(value / divisor),
                _ => *value / divisor,
            };
        }
    }
}
