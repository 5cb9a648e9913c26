//! The datatypes of Arrow's columns.

use arrow_schema::{DataType, Field, TimeUnit};
use tiledb_engine::Datatype;

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
        let of_items = |items: &Field, shape| match single(items.data_type()) {
            Some(datatype) if !items.is_nullable() || !has_text_items(datatype) => {
                Ok(Self { datatype, shape })
            }
            _ => Err(unsupported(
                "lists of numbers, dates and times are supported",
            )),
        };
        if let Some(datatype) = single(datatype) {
            let shape = if datatype.is_string() || datatype.is_bytes() {
                CellShape::Any
            } else {
                CellShape::One
            };
            return Ok(Self { datatype, shape });
        }
        match datatype {
            // All cells are null, as in a column of pandas without values.
            DataType::Null => Ok(Self {
                datatype: Datatype::StringUtf8,
                shape: CellShape::Any,
            }),
            DataType::FixedSizeBinary(size) => Ok(Self {
                datatype: Datatype::Blob,
                shape: CellShape::Fixed(u32::try_from(*size).unwrap_or(1)),
            }),
            DataType::List(items) | DataType::LargeList(items) => of_items(items, CellShape::Any),
            DataType::FixedSizeList(items, size) => {
                of_items(items, CellShape::Fixed(u32::try_from(*size).unwrap_or(1)))
            }
            DataType::Dictionary(_, values) => {
                Self::of(&Field::new(name, (**values).clone(), field.is_nullable()))
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
            _ => Err(unsupported(
                "convert the column to numbers, texts, dates or times",
            )),
        }
    }
}

fn has_text_items(datatype: Datatype) -> bool {
    datatype.is_string() || datatype.is_bytes() || datatype == Datatype::Bool
}

/// Returns the datatype of values of which a cell has one, or a text or bytes.
fn single(datatype: &DataType) -> Option<Datatype> {
    Some(match datatype {
        DataType::Boolean => Datatype::Bool,
        DataType::Int8 => Datatype::Int8,
        DataType::Int16 => Datatype::Int16,
        DataType::Int32 => Datatype::Int32,
        DataType::Int64 => Datatype::Int64,
        DataType::UInt8 => Datatype::Uint8,
        DataType::UInt16 => Datatype::Uint16,
        DataType::UInt32 => Datatype::Uint32,
        DataType::UInt64 => Datatype::Uint64,
        DataType::Float16 | DataType::Float32 => Datatype::Float32,
        DataType::Float64 => Datatype::Float64,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Datatype::StringUtf8,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Datatype::Blob,
        DataType::Date32 => Datatype::DatetimeDay,
        DataType::Date64 => Datatype::DatetimeMs,
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => Datatype::DatetimeSec,
            TimeUnit::Millisecond => Datatype::DatetimeMs,
            TimeUnit::Microsecond => Datatype::DatetimeUs,
            TimeUnit::Nanosecond => Datatype::DatetimeNs,
        },
        DataType::Time32(unit) | DataType::Time64(unit) => match unit {
            TimeUnit::Second => Datatype::TimeSec,
            TimeUnit::Millisecond => Datatype::TimeMs,
            TimeUnit::Microsecond => Datatype::TimeUs,
            TimeUnit::Nanosecond => Datatype::TimeNs,
        },
        _ => return None,
    })
}
