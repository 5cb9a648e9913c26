//! The properties of a field that fragments need to store it.

use std::sync::Arc;

use super::{ArraySchema, Attribute};
use crate::filter::FilterList;
use crate::types::CellType;

/// The properties needed to store and read the cells of a field: of an attribute, of a dimension of
/// a sparse array, or of timestamps and delete metadata that fragments add.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredField {
    /// The name.
    pub name: String,
    /// The type of the cells.
    pub cells: CellType,
    /// The filters of the values.
    pub filters: Arc<FilterList>,
}

impl From<&Attribute> for StoredField {
    fn from(attribute: &Attribute) -> Self {
        Self {
            name: attribute.name.clone(),
            cells: attribute.cell_type(),
            filters: attribute.filters.clone(),
        }
    }
}

impl ArraySchema {
    /// Returns a field as sparse fragments store it. Dense fragments store no dimensions.
    pub fn stored_field(&self, name: &str) -> Option<StoredField> {
        let field = self.field(name)?;
        Some(StoredField {
            name: name.into(),
            cells: field.cell_type(),
            filters: self.filters(&field).clone(),
        })
    }
}
