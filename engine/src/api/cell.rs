//! Conversion between Rust values and cells.

use std::result::Result as StdResult;

use super::field_values::{FieldValues, Records};
use crate::error::{ApiError, Result};
use crate::expression::Scalar;
use crate::types::{Datatype, Physical, Value, values_of};

/// A type that cells can be read as.
///
/// | type | cells |
/// | --- | --- |
/// | `i8` to `u64`, `f32`, `f64` | a number or time of this size and kind; an enumeration's index |
/// | `bool` | `BOOL` |
/// | `String` | strings, datetimes and times in ISO 8601, values of an enumeration |
/// | `Vec<T>` of numbers | cells with several values, bytes (`Vec<u8>`) |
/// | `Option<T>` | nullable cells; other types return an error if a cell is null |
/// | `Scalar` | one value of any datatype |
pub trait FromCell: Sized {
    /// Returns the value of a cell that is not null.
    ///
    /// # Errors
    ///
    /// If the cells have another datatype.
    fn from_cell(values: &FieldValues, cell: usize) -> Result<Self>;

    /// Returns the value of a null cell.
    ///
    /// # Errors
    ///
    /// If the type cannot represent null.
    fn from_null(values: &FieldValues, cell: usize) -> Result<Self> {
        Err(ApiError::NullCell {
            cell,
            field: values.name().into(),
        }
        .into())
    }

    /// Returns the values of all cells.
    ///
    /// # Errors
    ///
    /// As [`from_cell`](FromCell::from_cell) and [`from_null`](FromCell::from_null).
    fn from_cells(values: &FieldValues) -> Result<Vec<Self>> {
        (0..values.len()).map(|cell| values.value(cell)).collect()
    }
}

fn mismatch<T>(values: &FieldValues, requested: &str) -> Result<T> {
    let cells = if values.is_var() {
        " with a variable number of values"
    } else {
        ""
    };
    Err(ApiError::WrongCellType {
        field: values.name().into(),
        datatype: values.datatype().name(),
        cells,
        requested: requested.into(),
    }
    .into())
}

impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(values: &FieldValues, cell: usize) -> Result<Self> {
        T::from_cell(values, cell).map(Some)
    }

    fn from_null(_: &FieldValues, _: usize) -> Result<Self> {
        Ok(None)
    }

    fn from_cells(values: &FieldValues) -> Result<Vec<Self>> {
        if values.validity().contains(&0) {
            return (0..values.len()).map(|cell| values.value(cell)).collect();
        }
        Ok(T::from_cells(values)?.into_iter().map(Some).collect())
    }
}

impl<T: Value> FromCell for Vec<T> {
    fn from_cell(values: &FieldValues, cell: usize) -> Result<Self> {
        let physical = values.datatype().physical();
        // Characters are signed in the format; bytes are what a program expects.
        let is_bytes = T::PHYSICAL == Physical::U8 && physical == Physical::I8;
        if physical != T::PHYSICAL && !(is_bytes && values.datatype() == Datatype::Char) {
            return mismatch(values, std::any::type_name::<Self>());
        }
        Ok(values_of(values.bytes(cell)).collect())
    }
}

impl FromCell for bool {
    fn from_cell(values: &FieldValues, cell: usize) -> Result<Self> {
        if values.datatype() != Datatype::Bool || values.values_per_cell() != Some(1) {
            return mismatch(values, "bool");
        }
        Ok(values.bytes(cell).first().is_some_and(|byte| *byte != 0))
    }
}

impl FromCell for String {
    fn from_cell(values: &FieldValues, cell: usize) -> Result<Self> {
        let datatype = values.value_datatype();
        let text = datatype == Datatype::Char || datatype.is_string();
        if !text && !datatype.is_datetime() && !datatype.is_time() {
            return mismatch(values, "String");
        }
        match values.scalar(cell) {
            Some(Scalar::Bytes(_)) => Err(ApiError::NotUtf8 {
                cell,
                field: values.name().into(),
            }
            .into()),
            Some(scalar) => Ok(scalar.text(datatype)),
            None => mismatch(values, "String"),
        }
    }
}

impl FromCell for Scalar {
    fn from_cell(values: &FieldValues, cell: usize) -> Result<Self> {
        match values.scalar(cell) {
            Some(scalar) => Ok(scalar),
            None => mismatch(values, "Scalar"),
        }
    }
}

impl FieldValues {
    /// Returns the cells as values of a Rust type.
    ///
    /// # Errors
    ///
    /// If the cells have another datatype, or a cell is null and `T` is not an `Option`.
    pub fn values<T: FromCell>(&self) -> Result<Vec<T>> {
        T::from_cells(self)
    }

    /// Returns a cell as a value of a Rust type.
    ///
    /// # Errors
    ///
    /// As [`values`](FieldValues::values), and if the cell does not exist.
    pub fn value<T: FromCell>(&self, cell: usize) -> Result<T> {
        if cell >= self.len() {
            return Err(ApiError::NoCell {
                field: self.name().into(),
                number: self.len(),
                cell,
            }
            .into());
        }
        if self.is_null(cell) {
            return T::from_null(self, cell);
        }
        T::from_cell(self, cell)
    }
}

impl Records {
    /// Returns the cells of a field as values of a Rust type, such as
    /// `records.values::<Option<f64>>("temperature")?`.
    ///
    /// # Errors
    ///
    /// If the field was not read, its cells have another datatype, or a cell is null and `T` is not
    /// an `Option`.
    pub fn values<T: FromCell>(&self, name: &str) -> Result<Vec<T>> {
        self.field(name)?.values()
    }
}

/// A value that can be written to a cell.
///
/// Numbers are converted to the datatype of the field if it can represent them. Texts can be
/// written to strings, to datetimes and times, and to attributes with an enumeration. `None` writes
/// null.
pub trait ToCell {
    /// Appends the bytes of the value with a datatype, or returns `false` for null.
    ///
    /// # Errors
    ///
    /// The problem as a sentence, if the datatype cannot represent the value.
    fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String>;
}

impl<T: ToCell + ?Sized> ToCell for &T {
    fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String> {
        (**self).to_cell(datatype, bytes)
    }
}

impl<T: ToCell> ToCell for Option<T> {
    fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String> {
        match self {
            Some(value) => value.to_cell(datatype, bytes),
            None => Ok(false),
        }
    }
}

impl ToCell for Scalar {
    fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String> {
        bytes.extend(
            self.to_bytes(datatype)
                .map_err(|problem| problem.to_string())?,
        );
        Ok(true)
    }
}

impl ToCell for str {
    fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String> {
        Scalar::from(self).to_cell(datatype, bytes)
    }
}

impl ToCell for String {
    fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String> {
        self.as_str().to_cell(datatype, bytes)
    }
}

impl ToCell for bool {
    fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String> {
        Scalar::from(*self).to_cell(datatype, bytes)
    }
}

/// Returns whether cells are single numbers of a type.
fn are_numbers<T: Value>(values: &FieldValues) -> bool {
    let datatype = values.datatype();
    let is_text = datatype.is_string() || datatype == Datatype::Char;
    datatype.physical() == T::PHYSICAL && !is_text && values.values_per_cell() == Some(1)
}

/// Appends values of one cell whose physical type must be that of the datatype.
fn append<T: Value>(
    values: &[T],
    datatype: Datatype,
    bytes: &mut Vec<u8>,
) -> StdResult<bool, String> {
    let characters = datatype == Datatype::Char && T::PHYSICAL == Physical::U8;
    if datatype.physical() != T::PHYSICAL && !characters {
        let kind = std::any::type_name::<T>();
        return Err(format!(
            "a list of {kind} is not a value of {}",
            datatype.name()
        ));
    }
    for value in values {
        let start = bytes.len();
        bytes.resize(start + T::SIZE, 0);
        value.write(&mut bytes[start..]);
    }
    Ok(true)
}

impl<T: Value> ToCell for [T] {
    fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String> {
        append(self, datatype, bytes)
    }
}

impl<T: Value> ToCell for Vec<T> {
    fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String> {
        append(self, datatype, bytes)
    }
}

impl<T: Value, const N: usize> ToCell for [T; N] {
    fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String> {
        append(self, datatype, bytes)
    }
}

macro_rules! numbers {
    ($($t:ty),*) => {$(
        impl FromCell for $t {
            fn from_cell(values: &FieldValues, cell: usize) -> Result<Self> {
                if !are_numbers::<$t>(values) {
                    return mismatch(values, stringify!($t));
                }
                Ok(<$t>::read(values.bytes(cell)))
            }

            fn from_cells(values: &FieldValues) -> Result<Vec<Self>> {
                let has_null = values.validity().contains(&0);
                if has_null || !are_numbers::<$t>(values) {
                    return (0..values.len()).map(|cell| values.value(cell)).collect();
                }
                Ok(values.data().chunks_exact(<$t>::SIZE).map(<$t>::read).collect())
            }
        }

        impl ToCell for $t {
            fn to_cell(&self, datatype: Datatype, bytes: &mut Vec<u8>) -> StdResult<bool, String> {
                let number = datatype.is_integer() || datatype.is_real();
                if number && datatype.physical() == <$t>::PHYSICAL {
                    bytes.extend_from_slice(&self.to_le_bytes());
                    return Ok(true);
                }
                Scalar::from(*self).to_cell(datatype, bytes)
            }
        }
    )*};
}

numbers!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);
