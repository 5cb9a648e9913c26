//! The properties of a field that fragments need to store it.

use std::sync::Arc;

use super::{ArraySchema, Attribute};
use crate::filter::FilterList;
use crate::types::{Datatype, VAR_NUM};

/// The properties needed to store and read the cells of a field: of an attribute, of a dimension of
/// a sparse array, or of timestamps and delete metadata that fragments add.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredField {
    /// The name.
    pub name: String,
    /// The datatype of values.
    pub datatype: Datatype,
    /// The number of values per cell, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether cells may be null.
    pub nullable: bool,
    /// The filters of the values.
    pub filters: Arc<FilterList>,
}

impl StoredField {
    /// Returns whether cells have variable length.
    pub fn is_var(&self) -> bool {
        self.cell_val_num == VAR_NUM
    }

    /// Returns the size of a value in bytes.
    pub fn value_size(&self) -> usize {
        self.datatype.size()
    }

    /// Returns the size of a cell in bytes; the size of a value for variable length.
    pub fn cell_size(&self) -> usize {
        match self.cell_val_num {
            VAR_NUM => self.value_size(),
            values => self.value_size() * values as usize,
        }
    }
}

impl From<&Attribute> for StoredField {
    fn from(attribute: &Attribute) -> Self {
        Self {
            name: attribute.name.clone(),
            datatype: attribute.datatype,
            cell_val_num: attribute.cell_val_num,
            nullable: attribute.nullable,
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
            datatype: field.datatype(),
            cell_val_num: field.cell_val_num(),
            nullable: field.is_nullable(),
            filters: self.filters(&field).clone(),
        })
    }
}
