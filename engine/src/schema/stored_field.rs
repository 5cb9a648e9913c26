//! A field as fragments store it, whatever it is in the schema.

use std::sync::Arc;

use super::{ArraySchema, Attribute};
use crate::filter::FilterList;
use crate::types::{Datatype, VAR_NUM};

/// What storing and reading the cells of a field need to know: of an attribute, of a dimension of a sparse array, or of
/// what fragments keep beside them.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredField {
    /// The name.
    pub name: String,
    /// The datatype of values.
    pub datatype: Datatype,
    /// Values per cell, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether cells may be null.
    pub nullable: bool,
    /// The filters of the values.
    pub filters: Arc<FilterList>,
}

impl StoredField {
    /// Whether cells vary in length.
    pub fn is_var(&self) -> bool {
        self.cell_val_num == VAR_NUM
    }

    /// The bytes of a value.
    pub fn value_size(&self) -> usize {
        self.datatype.size()
    }

    /// The bytes of a cell; of a value where cells vary in length.
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
    /// A field by name, as sparse fragments store it; dense ones store no dimension.
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
