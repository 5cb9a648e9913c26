//! The domain: the dimensions of an array, in order.

use std::sync::Arc;

use super::{Dimension, NamedList};
use crate::types::{Datatype, NdRange, Range};

/// The maximum number of dimensions of an array in Hilbert order.
pub const MAX_HILBERT_DIMENSIONS: usize = 16;

/// The dimensions of an array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    /// The dimensions, in order.
    pub dimensions: NamedList<Arc<Dimension>>,
}

impl Domain {
    /// Returns the datatype of all dimensions; `None` if they differ or the domain is empty.
    pub fn datatype(&self) -> Option<Datatype> {
        let first = self.dimensions.first()?.datatype;
        self.dimensions
            .iter()
            .all(|dimension| dimension.datatype == first)
            .then_some(first)
    }

    /// Extends a rectangle, one range per dimension, by another one.
    pub fn expand(&self, rectangle: &mut [Range], other: &[Range]) {
        for ((range, other), dimension) in rectangle.iter_mut().zip(other).zip(&self.dimensions) {
            range.expand(other, dimension.datatype.physical());
        }
    }

    /// Returns the smallest rectangle that contains all others; `None` without any.
    pub fn union<'a>(&self, rectangles: impl IntoIterator<Item = &'a NdRange>) -> Option<NdRange> {
        let mut rectangles = rectangles.into_iter();
        let mut union = rectangles.next()?.clone();
        rectangles.for_each(|rectangle| self.expand(&mut union, rectangle));
        Some(union)
    }

    /// Returns whether two rectangles have coordinates in common.
    pub fn overlap(&self, one: &[Range], other: &[Range]) -> bool {
        one.iter()
            .zip(other)
            .zip(&self.dimensions)
            .all(|((one, other), dimension)| one.overlaps(other, dimension.datatype.physical()))
    }

    /// Returns whether all dimensions have fixed size.
    pub fn is_fixed(&self) -> bool {
        self.dimensions.iter().all(|dimension| !dimension.is_var())
    }
}
