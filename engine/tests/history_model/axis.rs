//! A dimension. Coordinates are represented by their indexes in ascending order.

use tiledb_engine::internal::schema::Dimension;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{Datatype, Range};

use super::SIDE;
use super::random::Random;
use super::setup::{self, column::CellType};
use super::shape::filters;

/// The type of the coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AxisKind {
    Int,
    /// The domain has negative coordinates.
    Short,
    Real,
    Text,
}

/// A dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) kind: AxisKind,
    /// The tile extent in coordinates.
    pub(crate) extent: i32,
}

/// Strings in ascending order.
const TEXTS: [&str; SIDE as usize] = [
    "", "a", "aa", "ab", "abc", "b", "ba", "c", "cc", "d", "da", "zz",
];

fn short(index: i32) -> i16 {
    index as i16 - 6
}

fn real(index: i32) -> f64 {
    f64::from(index) * 0.75 - 3.0
}

impl Axis {
    pub(crate) fn random(random: &mut Random, kind: AxisKind) -> Self {
        let extent = match kind {
            AxisKind::Int | AxisKind::Short => random.one_of(&[1, 3, 4, 5, SIDE]),
            AxisKind::Real => 4,
            AxisKind::Text => SIDE,
        };
        Self { kind, extent }
    }

    /// Returns the dimension with random filters.
    pub(crate) fn dimension(self, name: &str, random: &mut Random) -> Dimension {
        let mut dimension = match self.kind {
            AxisKind::Int => setup::dimension(name, Datatype::Int32, [0, SIDE - 1], self.extent),
            AxisKind::Short => {
                let ends = [short(0), short(SIDE - 1)];
                setup::dimension(name, Datatype::Int16, ends, self.extent as i16)
            }
            AxisKind::Real => {
                setup::dimension(name, Datatype::Float64, [real(0), real(SIDE - 1)], 3.0)
            }
            AxisKind::Text => setup::texts(name),
        };
        let is_number = matches!(self.kind, AxisKind::Int | AxisKind::Short);
        dimension
            .set_filters(filters(random, is_number))
            .expect("filters");
        dimension
    }

    pub(crate) fn cell_type(self, name: &str) -> CellType {
        match self.kind {
            AxisKind::Int => CellType::fixed(name, 4),
            AxisKind::Short => CellType::fixed(name, 2),
            AxisKind::Real => CellType::fixed(name, 8),
            AxisKind::Text => CellType::var(name),
        }
    }

    /// Returns the bytes of a coordinate.
    pub(crate) fn bytes(self, index: i32) -> Vec<u8> {
        match self.kind {
            AxisKind::Int => index.to_le_bytes().to_vec(),
            AxisKind::Short => short(index).to_le_bytes().to_vec(),
            AxisKind::Real => real(index).to_le_bytes().to_vec(),
            AxisKind::Text => TEXTS[index as usize].as_bytes().to_vec(),
        }
    }

    /// Returns the index of a coordinate that was written.
    pub(crate) fn index(self, bytes: &[u8]) -> i32 {
        let found = (0..SIDE).find(|index| self.bytes(*index) == bytes);
        found.expect("a coordinate that was written")
    }

    /// Returns a range of coordinates other than strings.
    pub(crate) fn range(self, (low, high): (i32, i32)) -> Range {
        match self.kind {
            AxisKind::Int => Range::of(low, high),
            AxisKind::Short => Range::of(short(low), short(high)),
            AxisKind::Real => Range::of(real(low), real(high)),
            AxisKind::Text => panic!("strings have no current domain here"),
        }
    }

    pub(crate) fn add_range(self, subarray: &mut Subarray, dim: usize, (low, high): (i32, i32)) {
        let (low, high) = (self.bytes(low), self.bytes(high));
        let added = match self.kind {
            AxisKind::Text => subarray.add_range_var(dim as u32, &low, &high),
            _ => subarray.add_range(dim as u32, &low, &high),
        };
        added.expect("range");
    }
}
