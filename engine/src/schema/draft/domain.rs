//! A domain that is being filled.

use std::sync::Arc;

use super::{Shared, shared};
use crate::error::{Error, Result};
use crate::schema::{Dimension, Domain};
use crate::types::Datatype;

/// A domain that is being filled.
#[derive(Clone, Debug, Default)]
pub struct DomainDraft {
    /// The dimensions, in order.
    pub dimensions: Vec<Shared<Dimension>>,
}

impl DomainDraft {
    /// A draft of a finished domain.
    pub fn of(domain: &Domain) -> Self {
        let dimensions = domain.dimensions.iter();
        Self {
            dimensions: dimensions
                .map(|dimension| shared(Dimension::clone(dimension)))
                .collect(),
        }
    }

    /// The domain as it is now.
    pub fn finish(&self) -> Domain {
        let dimensions = self.dimensions.iter();
        Domain {
            dimensions: dimensions
                .map(|dimension| Arc::new(dimension.read().clone()))
                .collect(),
        }
    }

    /// A dimension by index; `None` for the first of an empty domain.
    pub fn dimension_at(&self, index: u32) -> Result<Option<Shared<Dimension>>> {
        match self.dimensions.get(index as usize) {
            Some(dimension) => Ok(Some(dimension.clone())),
            None if self.dimensions.is_empty() && index == 0 => Ok(None),
            None => Err(Error::usage(
                "C API",
                format!(
                    "Dimension index {index} is out of bounds; valid indices are 0 to {}",
                    (self.dimensions.len() as u32).wrapping_sub(1)
                ),
            )),
        }
    }

    /// A dimension by name; `None` where there are no dimensions.
    pub fn dimension(&self, name: &str) -> Result<Option<Shared<Dimension>>> {
        if self.dimensions.is_empty() {
            return Ok(None);
        }
        let found = self
            .dimensions
            .iter()
            .find(|dimension| dimension.read().name == name);
        match found {
            Some(dimension) => Ok(Some(dimension.clone())),
            None => Err(Error::usage(
                "C API",
                format!("Dimension '{name}' does not exist"),
            )),
        }
    }

    /// Whether there is a dimension of this name.
    pub fn has_dimension(&self, name: &str) -> bool {
        self.dimensions
            .iter()
            .any(|dimension| dimension.read().name == name)
    }

    /// The datatype of all dimensions; an error where there are none or they differ.
    pub fn datatype(&self) -> Result<Datatype> {
        let refused = |why| {
            Err(Error::usage(
                "C API",
                format!("Cannot get domain type; {why}"),
            ))
        };
        if self.dimensions.is_empty() {
            return refused("Domain has no dimensions");
        }
        match self.finish().datatype() {
            Some(datatype) => Ok(datatype),
            None => refused("Not applicable to heterogeneous dimensions"),
        }
    }
}
