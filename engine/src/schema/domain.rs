//! The domain: the dimensions of an array, in order.

use std::sync::Arc;

use super::Dimension;
use crate::types::Datatype;

/// The maximum number of dimensions of an array in Hilbert order.
pub const MAX_HILBERT_DIMENSIONS: usize = 16;

/// The dimensions of an array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    /// The dimensions, in order.
    pub dimensions: Vec<Arc<Dimension>>,
}

impl Domain {
    /// Returns the number of dimensions.
    pub fn dim_num(&self) -> usize {
        self.dimensions.len()
    }

    /// Returns a dimension by name.
    pub fn dimension(&self, name: &str) -> Option<&Arc<Dimension>> {
        self.dimensions
            .iter()
            .find(|dimension| dimension.name == name)
    }

    /// Returns the index of a dimension by name.
    pub fn dimension_index(&self, name: &str) -> Option<usize> {
        self.dimensions
            .iter()
            .position(|dimension| dimension.name == name)
    }

    /// Returns the datatype of all dimensions; `None` if they differ or the domain is empty.
    pub fn datatype(&self) -> Option<Datatype> {
        let first = self.dimensions.first()?.datatype;
        self.dimensions
            .iter()
            .all(|dimension| dimension.datatype == first)
            .then_some(first)
    }

    /// Returns whether all dimensions have fixed size.
    pub fn is_fixed(&self) -> bool {
        self.dimensions.iter().all(|dimension| !dimension.is_var())
    }
}
