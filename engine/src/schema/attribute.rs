//! Attributes, their fill values, and the rules for setting their properties.

use std::sync::Arc;

use super::{Named, cell_size};
use crate::error::{AttributeError, Error, Result, try_reserved};
use crate::filter::{FilterList, check_datatypes};
use crate::types::{CellType, DataOrder, Datatype, VAR_NUM};

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name; may be empty.
    pub name: String,
    /// The datatype of values.
    pub datatype: Datatype,
    /// The number of values per cell, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether cells may be null.
    pub nullable: bool,
    /// The value returned for cells that were never written; never empty.
    pub fill_value: Vec<u8>,
    /// The validity of cells that were never written.
    pub fill_validity: u8,
    /// The filters of its values.
    pub filters: Arc<FilterList>,
    /// The required order of its values.
    pub order: DataOrder,
    /// The enumeration whose indexes it contains.
    pub enumeration: Option<String>,
}

impl Named for Attribute {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Attribute {
    /// Creates an attribute with one value per cell (any number for the type "any"), not nullable,
    /// without filters.
    #[doc(hidden)]
    pub fn new(name: &str, datatype: Datatype) -> Self {
        let cell_val_num = match datatype {
            Datatype::Any => VAR_NUM,
            _ => 1,
        };
        Self {
            name: name.to_owned(),
            datatype,
            cell_val_num,
            nullable: false,
            fill_value: fill_value_of(datatype),
            fill_validity: 0,
            filters: Arc::default(),
            order: DataOrder::Unordered,
            enumeration: None,
        }
    }

    /// Returns the type of the cells.
    pub fn cell_type(&self) -> CellType {
        CellType {
            datatype: self.datatype,
            cell_val_num: self.cell_val_num,
            nullable: self.nullable,
        }
    }

    /// Returns whether cells are of variable length.
    pub fn is_var(&self) -> bool {
        self.cell_val_num == VAR_NUM
    }

    /// Returns the size of a cell in bytes; `VAR_SIZE` for variable length.
    pub fn cell_size(&self) -> u64 {
        cell_size(self.datatype, self.cell_val_num)
    }

    /// Returns the default fill value of cells with this many values; one value for variable
    /// length. Returns an error if memory cannot be allocated: a cell can have 4 GB.
    pub fn default_fill_value(datatype: Datatype, cell_val_num: u32) -> Result<Vec<u8>> {
        let value = fill_value_of(datatype);
        let values = match cell_val_num {
            VAR_NUM => 1,
            values => values as usize,
        };
        let len = value.len().saturating_mul(values);
        let mut cell = try_reserved("a fill value", len)?;
        cell.extend_from_slice(&value);
        while cell.len() < len {
            cell.extend_from_within(..cell.len().min(len - cell.len()));
        }
        Ok(cell)
    }

    /// Sets the number of values per cell, or `VAR_NUM`, and resets the fill value to the default.
    pub fn set_cell_val_num(&mut self, cell_val_num: u32) -> Result<()> {
        if self.datatype == Datatype::Any && cell_val_num != VAR_NUM {
            return Err(AttributeError::AnyIsVar.into());
        }
        if self.order != DataOrder::Unordered {
            self.check_ordered_values(cell_val_num)?;
        }
        if cell_val_num == 0 {
            return Err(AttributeError::NoValues.into());
        }
        let bytes = u64::from(cell_val_num).saturating_mul(self.datatype.size() as u64);
        if cell_val_num != VAR_NUM && u32::try_from(bytes).is_err() {
            return Err(AttributeError::CellTooLarge {
                values: cell_val_num,
            }
            .into());
        }
        self.fill_value = Self::default_fill_value(self.datatype, cell_val_num)?;
        self.fill_validity = 0;
        self.cell_val_num = cell_val_num;
        Ok(())
    }

    fn check_ordered_values(&self, cell_val_num: u32) -> Result<()> {
        let name = self.datatype.name();
        if self.datatype == Datatype::StringAscii && cell_val_num != VAR_NUM {
            return Err(AttributeError::OrderedTextsAreVar { datatype: name }.into());
        }
        if self.datatype != Datatype::StringAscii && cell_val_num != 1 {
            return Err(AttributeError::OrderedNumbersAreSingle { datatype: name }.into());
        }
        Ok(())
    }

    /// Sets whether cells may be null. The fill value does not change.
    pub fn set_nullable(&mut self, nullable: bool) -> Result<()> {
        if nullable && self.order != DataOrder::Unordered {
            return Err(AttributeError::OrderedIsNotNullable.into());
        }
        self.nullable = nullable;
        Ok(())
    }

    /// Sets the filters. Returns an error if a filter does not accept the datatype of its input.
    pub fn set_filters(&mut self, filters: Arc<FilterList>) -> Result<()> {
        check_datatypes(&filters, self.datatype, self.cell_val_num)?;
        self.filters = filters;
        Ok(())
    }

    /// Sets the fill value and, for nullable attributes only, its validity; returns an error if
    /// `validity` is given for others or missing. `value` is `None` if the caller passed a null
    /// pointer.
    pub fn set_fill_value(&mut self, value: Option<&[u8]>, validity: Option<u8>) -> Result<()> {
        let value = value.ok_or_else(|| Error::from(AttributeError::NoFillValue))?;
        if value.is_empty() {
            return Err(AttributeError::EmptyFillValue.into());
        }
        self.check_nullable("set", validity.is_some())?;
        if !self.is_var() && value.len() as u64 != self.cell_size() {
            return Err(AttributeError::FillValueSize {
                size: value.len(),
                cell_size: self.cell_size(),
            }
            .into());
        }
        self.fill_value = value.to_vec();
        self.fill_validity = validity.unwrap_or(self.fill_validity);
        Ok(())
    }

    /// Returns the fill value and its validity. Returns an error if `nullable` differs from the
    /// attribute.
    pub fn fill_value(&self, nullable: bool) -> Result<(&[u8], u8)> {
        self.check_nullable("get", nullable)?;
        Ok((&self.fill_value, self.fill_validity))
    }

    fn check_nullable(&self, verb: &'static str, expected: bool) -> Result<()> {
        if self.nullable == expected {
            return Ok(());
        }
        let cause = if self.nullable {
            AttributeError::Nullable { verb }
        } else {
            AttributeError::NotNullable { verb }
        };
        Err(cause.into())
    }

    /// Sets the enumeration whose indexes it contains.
    pub fn set_enumeration(&mut self, name: &str) -> Result<()> {
        if name.is_empty() {
            return Err(AttributeError::NoEnumerationName.into());
        }
        self.enumeration = Some(name.to_owned());
        Ok(())
    }
}

/// Returns the default fill value for a single value.
fn fill_value_of(datatype: Datatype) -> Vec<u8> {
    match datatype {
        // Characters are signed in libtiledb; this is the least one.
        Datatype::Char | Datatype::Int8 => i8::MIN.to_le_bytes().to_vec(),
        Datatype::Uint8 => vec![u8::MAX],
        Datatype::Int16 => i16::MIN.to_le_bytes().to_vec(),
        Datatype::Uint16 => u16::MAX.to_le_bytes().to_vec(),
        Datatype::Int32 => i32::MIN.to_le_bytes().to_vec(),
        Datatype::Uint32 => u32::MAX.to_le_bytes().to_vec(),
        Datatype::Uint64 => u64::MAX.to_le_bytes().to_vec(),
        Datatype::Float32 => f32::NAN.to_le_bytes().to_vec(),
        Datatype::Float64 => f64::NAN.to_le_bytes().to_vec(),
        Datatype::Blob | Datatype::Bool | Datatype::GeomWkb | Datatype::GeomWkt | Datatype::Any => {
            vec![0]
        }
        text if text.is_string() => vec![0; text.size()],
        _ => i64::MIN.to_le_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_text<T>(result: Result<T>) -> String {
        result
            .err()
            .map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn changing_the_number_of_values_resets_the_fill_value() {
        let mut attribute = Attribute::new("a", Datatype::Int32);
        attribute
            .set_fill_value(Some(&[1, 2, 3, 4]), None)
            .expect("a cell");
        attribute.set_cell_val_num(2).expect("two");
        assert_eq!(attribute.fill_value, [0, 0, 0, 128, 0, 0, 0, 128]);
        attribute.set_cell_val_num(VAR_NUM).expect("any");
        assert_eq!(attribute.fill_value, [0, 0, 0, 128]);
        assert_eq!(attribute.cell_size(), super::super::VAR_SIZE);
    }

    #[test]
    fn changing_nullability_keeps_the_fill_value() {
        let mut attribute = Attribute::new("a", Datatype::Uint8);
        attribute.set_fill_value(Some(&[7]), None).expect("a cell");
        attribute.set_nullable(true).expect("unordered");
        assert_eq!(attribute.fill_value(true).ok(), Some((&[7][..], 0)));
        assert_eq!(
            error_text(attribute.fill_value(false)),
            "Cannot get a fill value without validity, because the attribute is nullable"
        );
    }

    #[test]
    fn fill_values_of_a_wrong_size_are_errors() {
        let mut attribute = Attribute::new("a", Datatype::Int32);
        for (value, validity, message) in [
            (None, None, "The fill value is missing"),
            (Some(&[][..]), None, "The fill value has no bytes"),
            (
                Some(&[1, 2, 3]),
                None,
                "The fill value has 3 bytes, but a cell has 4",
            ),
            (
                Some(&[1, 2, 3, 4]),
                Some(1),
                "Cannot set a fill value with validity, because the attribute is not nullable",
            ),
        ] {
            let usage_error = error_text(attribute.set_fill_value(value, validity));
            assert_eq!(usage_error, message);
        }
        attribute.set_cell_val_num(VAR_NUM).expect("any");
        assert!(attribute.set_fill_value(Some(&[1, 2, 3]), None).is_ok());
    }

    #[test]
    fn attributes_of_type_any_have_variable_length() {
        let mut any = Attribute::new("a", Datatype::Any);
        assert!(any.is_var() && any.set_cell_val_num(VAR_NUM).is_ok());
        assert_eq!(
            error_text(any.set_cell_val_num(1)),
            "The datatype ANY always has a variable number of values"
        );
        assert_eq!(
            error_text(Attribute::new("a", Datatype::Int8).set_cell_val_num(0)),
            "A cell needs at least one value"
        );
    }

    #[test]
    fn default_fill_values_are_the_limits_of_the_types() {
        for (datatype, value) in [
            (Datatype::Char, vec![128]),
            (Datatype::Uint16, vec![255, 255]),
            (Datatype::Float32, vec![0, 0, 192, 127]),
            (Datatype::TimeNs, i64::MIN.to_le_bytes().to_vec()),
            (Datatype::Bool, vec![0]),
            (Datatype::StringUtf32, vec![0; 4]),
        ] {
            assert_eq!(
                Attribute::default_fill_value(datatype, VAR_NUM).ok(),
                Some(value),
                "{datatype:?}"
            );
        }
    }
}
