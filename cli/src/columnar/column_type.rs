//! The datatypes of Arrow's columns.

use arrow_schema::{DataType, Field};
use tiledb_engine::{Attribute, Datatype};

use crate::commands::CellShape;
use crate::problem::{Problem, Result};

/// The datatype of the cells that a column of Arrow becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ColumnType {
    pub(crate) datatype: Datatype,
    pub(crate) shape: CellShape,
}

/// Returns whether the values of a column are texts of a dictionary.
pub(crate) fn is_dictionary(datatype: &DataType) -> bool {
    matches!(datatype, DataType::Dictionary(_, values) if is_text(values))
}

fn is_text(datatype: &DataType) -> bool {
    matches!(
        datatype,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

impl ColumnType {
    /// Returns the datatype of a column; that of its values, if it has a dictionary.
    pub(crate) fn of(field: &Field) -> Result<Self> {
        let (name, datatype) = (field.name(), field.data_type());
        let unsupported = |hint: &str| {
            let message = format!("column '{name}' of Arrow's type {datatype} cannot be imported");
            Problem::usage(message).hint(hint)
        };
        match datatype {
            DataType::Dictionary(_, values) => {
                let values = Field::new(name, (**values).clone(), field.is_nullable());
                Self::of(&values.with_metadata(field.metadata().clone()))
            }
            DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => Err(unsupported(
                "TileDB has no decimals; convert the column to FLOAT64, or to INT64 in a smaller unit",
            )),
            DataType::Struct(_) => {
                Err(unsupported("make a column of each member of the structure"))
            }
            _ => {
                let attribute = Attribute::from_arrow(field);
                let attribute = attribute.map_err(|_| {
                    unsupported(
                        "convert the column to numbers, texts, dates or times, or lists of them",
                    )
                })?;
                Ok(Self {
                    datatype: attribute.datatype,
                    shape: CellShape::of(&attribute),
                })
            }
        }
    }

    /// Returns an attribute with cells of this type.
    pub(super) fn attribute(self, name: &str, nullable: bool) -> Result<Attribute> {
        let attribute = Attribute::of(name, self.datatype);
        let attribute = match self.shape {
            CellShape::One => attribute.with_values_per_cell(1)?,
            CellShape::Any => attribute.with_any_number_of_values(),
            CellShape::Fixed(number) => attribute.with_values_per_cell(number)?,
        };
        Ok(if nullable {
            attribute.with_nulls()
        } else {
            attribute
        })
    }
}
