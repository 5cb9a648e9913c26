//! Changes of a schema.

use std::sync::Arc;

use super::schema::Schema;
use crate::error::{ApiError, Error, Result};
use crate::expression::Scalar;
use crate::schema::{Attribute, Domain, Enumeration, NdRectangle, SchemaEvolution, shared};

impl SchemaEvolution {
    /// Creates a list of changes without changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Expands the current domain of an array to these bounds, one pair for each dimension.
    ///
    /// # Errors
    ///
    /// If a bound is not a value of its dimension, or the number of bounds is wrong.
    pub fn expand_to(&mut self, schema: &Schema, bounds: &[(Scalar, Scalar)]) -> Result<()> {
        let rectangle = rectangle(&schema.0.domain, bounds)?;
        self.expand_current_domain(Some(shared(rectangle)))
    }

    /// Adds an attribute.
    ///
    /// # Errors
    ///
    /// If one with its name was added before.
    pub fn with_attribute(mut self, attribute: Attribute) -> Result<Self> {
        self.add_attribute(attribute)?;
        Ok(self)
    }

    /// Drops an attribute. Readers at earlier times still have it.
    #[must_use]
    pub fn without_attribute(mut self, name: &str) -> Self {
        self.drop_attribute(name);
        self
    }

    /// Adds an enumeration, for attributes that are added.
    ///
    /// # Errors
    ///
    /// If one with its name was added before.
    pub fn with_enumeration(mut self, enumeration: Enumeration) -> Result<Self> {
        self.add_enumeration(&Arc::new(enumeration))?;
        Ok(self)
    }

    /// Replaces an enumeration by one with more values ([`Enumeration::with_texts`]).
    ///
    /// # Errors
    ///
    /// If an enumeration with its name was extended before.
    pub fn with_extended_enumeration(mut self, enumeration: Enumeration) -> Result<Self> {
        self.extend_enumeration(&Arc::new(enumeration))?;
        Ok(self)
    }
}

/// Returns the box with these bounds, one pair for each dimension.
pub(super) fn rectangle(domain: &Domain, bounds: &[(Scalar, Scalar)]) -> Result<NdRectangle> {
    if bounds.len() != domain.dimensions.len() {
        return Err(ApiError::BoundNumber {
            dimensions: domain.dimensions.len(),
            given: bounds.len(),
        }
        .into());
    }
    let mut rectangle = NdRectangle::new(domain.clone())?;
    for (index, ((low, high), dimension)) in bounds.iter().zip(&domain.dimensions).enumerate() {
        let bytes = |bound: &Scalar| {
            let bytes = bound.to_bytes(dimension.datatype);
            bytes.map_err(Error::from)
        };
        rectangle.set_range(index as u32, &bytes(low)?, &bytes(high)?)?;
    }
    Ok(rectangle)
}
