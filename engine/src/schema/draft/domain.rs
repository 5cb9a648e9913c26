//! A domain under construction.

use std::sync::Arc;

use crate::error::{Result, SchemaError};
use crate::schema::{Dimension, Domain, Shared, shared};
use crate::types::Datatype;

/// A domain under construction.
#[derive(Clone, Debug, Default)]
pub struct DomainDraft {
    /// The dimensions, in order.
    pub dimensions: Vec<Shared<Dimension>>,
}

impl DomainDraft {
    /// Creates a draft from a complete domain.
    pub fn of(domain: &Domain) -> Self {
        let dimensions = domain.dimensions.iter();
        Self {
            dimensions: dimensions
                .map(|dimension| shared(Dimension::clone(dimension)))
                .collect(),
        }
    }

    /// Returns a domain with copies of the dimensions as they are now.
    pub fn finish(&self) -> Domain {
        let dimensions = self.dimensions.iter();
        Domain {
            dimensions: dimensions
                .map(|dimension| Arc::new(dimension.read().clone()))
                .collect(),
        }
    }

    /// Returns a dimension by index; `None` for index 0 of an empty domain, for which libtiledb
    /// returns a null handle.
    pub fn dimension_at(&self, index: u32) -> Result<Option<Shared<Dimension>>> {
        match self.dimensions.get(index as usize) {
            Some(dimension) => Ok(Some(dimension.clone())),
            None if self.dimensions.is_empty() && index == 0 => Ok(None),
            None => Err(SchemaError::NoDimension {
                index,
                number: self.dimensions.len(),
            }
            .into()),
        }
    }

    /// Returns a dimension by name; `None` if the domain has no dimensions.
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
            None => Err(SchemaError::UnknownDimension { name: name.into() }.into()),
        }
    }

    /// Returns whether there is a dimension with this name.
    pub fn has_dimension(&self, name: &str) -> bool {
        self.dimensions
            .iter()
            .any(|dimension| dimension.read().name == name)
    }

    /// Returns the datatype of all dimensions; an error if the domain is empty or they differ.
    pub fn datatype(&self) -> Result<Datatype> {
        if self.dimensions.is_empty() {
            return Err(SchemaError::NoCommonType.into());
        }
        match self.finish().datatype() {
            Some(datatype) => Ok(datatype),
            None => Err(SchemaError::MixedDomain.into()),
        }
    }
}
