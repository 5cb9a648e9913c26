//! The domain: the dimensions of an array, in order.

use std::sync::Arc;

use super::Dimension;
use crate::types::Datatype;

/// The dimensions of an array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Domain {
    /// The dimensions, in order.
    pub dimensions: Vec<Arc<Dimension>>,
}

impl Domain {
    /// The number of dimensions.
    pub fn dim_num(&self) -> usize {
        self.dimensions.len()
    }

    /// A dimension by name.
    pub fn dimension(&self, name: &str) -> Option<&Arc<Dimension>> {
        self.dimensions
            .iter()
            .find(|dimension| dimension.name == name)
    }

    /// The index of a dimension by name.
    pub fn dimension_index(&self, name: &str) -> Option<usize> {
        self.dimensions
            .iter()
            .position(|dimension| dimension.name == name)
    }

    /// The datatype of all dimensions; `None` where they differ or there are none.
    pub fn datatype(&self) -> Option<Datatype> {
        let first = self.dimensions.first()?.datatype;
        self.dimensions
            .iter()
            .all(|dimension| dimension.datatype == first)
            .then_some(first)
    }

    /// Whether all dimensions are of fixed size.
    pub fn is_fixed(&self) -> bool {
        self.dimensions.iter().all(|dimension| !dimension.is_var())
    }
}
