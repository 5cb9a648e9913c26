//! Information about the fields of a query.

use super::query::Query;
use crate::error::{Error, QueryError, Result};
use crate::format::names::TIMESTAMPS;
use crate::schema::Field;
use crate::types::Datatype;

/// The origin of a field of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
#[repr(u8)]
pub enum FieldOrigin {
    Attribute = 0,
    Dimension = 1,
    Aggregate = 2,
}

impl FieldOrigin {
    /// Returns the code in the C API.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// Information about a field of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryField {
    /// The datatype of the values.
    pub datatype: Datatype,
    /// The number of values per cell, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether cells may be null.
    pub nullable: bool,
    /// The origin.
    pub origin: FieldOrigin,
}

impl Query {
    /// Returns information about a field: an attribute, a dimension, the timestamps, or an
    /// aggregate.
    pub fn field(&self, name: &str) -> Result<QueryField> {
        if name == TIMESTAMPS {
            return Ok(QueryField {
                datatype: Datatype::Uint64,
                cell_val_num: 1,
                nullable: false,
                origin: FieldOrigin::Attribute,
            });
        }
        if let Some(field) = self.schema().field(name) {
            let (origin, cell_val_num) = match field {
                Field::Attribute(..) => (FieldOrigin::Attribute, field.cell_val_num()),
                Field::Dimension(..) => (FieldOrigin::Dimension, field.cell_val_num()),
                Field::Coords(_) => (FieldOrigin::Dimension, 1),
            };
            return Ok(QueryField {
                datatype: field.datatype(),
                cell_val_num,
                nullable: field.is_nullable(),
                origin,
            });
        }
        let aggregate = self
            .aggregate(name)
            .ok_or_else(|| Error::from(QueryError::UnknownField { name: name.into() }))?;
        let shape = aggregate.result_shape();
        Ok(QueryField {
            datatype: shape.datatype,
            cell_val_num: shape.cell_val_num,
            nullable: shape.nullable,
            origin: FieldOrigin::Aggregate,
        })
    }
}
