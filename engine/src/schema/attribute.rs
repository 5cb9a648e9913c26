//! Attributes, their fill values, and what may be set on them.

use std::sync::Arc;

use super::cell_size;
use crate::error::{Error, Result, try_reserved};
use crate::filter::{FilterList, check_datatypes};
use crate::types::{DataOrder, Datatype, VAR_NUM};

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name; may be empty.
    pub name: String,
    /// The datatype of values.
    pub datatype: Datatype,
    /// Values per cell, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether cells may be null.
    pub nullable: bool,
    /// What unwritten cells read as; never empty.
    pub fill_value: Vec<u8>,
    /// The validity of unwritten cells.
    pub fill_validity: u8,
    /// The filters of its values.
    pub filters: Arc<FilterList>,
    /// The order its values are in.
    pub order: DataOrder,
    /// The enumeration whose indexes it holds.
    pub enumeration: Option<String>,
}

fn refused(message: impl Into<String>) -> Error {
    Error::usage("Attribute", message)
}

impl Attribute {
    /// An attribute of one value per cell (any number of the type "any"), not nullable, without filters.
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

    /// Whether cells are of variable length.
    pub fn is_var(&self) -> bool {
        self.cell_val_num == VAR_NUM
    }

    /// The size of a cell in bytes; `VAR_SIZE` where it varies.
    pub fn cell_size(&self) -> u64 {
        cell_size(self.datatype, self.cell_val_num)
    }

    /// What unwritten cells of so many values read as unless somebody chose something else; one value where the number
    /// varies. An error where there is no memory for them: a cell may have 4 GB.
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

    /// Sets the number of values per cell, or `VAR_NUM`; the fill value becomes the default again.
    pub fn set_cell_val_num(&mut self, cell_val_num: u32) -> Result<()> {
        if self.datatype == Datatype::Any && cell_val_num != VAR_NUM {
            return Err(refused(
                "Cannot set number of values per cell; Attribute datatype `ANY` is always variable-sized",
            ));
        }
        if self.order != DataOrder::Unordered {
            self.check_ordered_values(cell_val_num)?;
        }
        if cell_val_num == 0 {
            return Err(refused("Cannot set zero values per cell"));
        }
        let bytes = u64::from(cell_val_num).saturating_mul(self.datatype.size() as u64);
        if cell_val_num != VAR_NUM && u32::try_from(bytes).is_err() {
            return Err(refused(format!(
                "Cannot set {cell_val_num} values per cell; A cell may not be larger than a chunk of 4 GB"
            )));
        }
        self.fill_value = Self::default_fill_value(self.datatype, cell_val_num)?;
        self.fill_validity = 0;
        self.cell_val_num = cell_val_num;
        Ok(())
    }

    fn check_ordered_values(&self, cell_val_num: u32) -> Result<()> {
        let name = self.datatype.name();
        if self.datatype == Datatype::StringAscii && cell_val_num != VAR_NUM {
            return Err(refused(format!(
                "Cannot set number of values per cell; Ordered attributes with datatype '{name}' must have `cell_val_num=constants::var_num`."
            )));
        }
        if self.datatype != Datatype::StringAscii && cell_val_num != 1 {
            return Err(refused(format!(
                "Ordered attributes with datatype '{name}' must have `cell_val_num=1`."
            )));
        }
        Ok(())
    }

    /// Sets whether cells may be null. The fill value stays.
    pub fn set_nullable(&mut self, nullable: bool) -> Result<()> {
        if nullable && self.order != DataOrder::Unordered {
            return Err(refused(
                "Cannot set to nullable; An ordered attribute cannot be nullable.",
            ));
        }
        self.nullable = nullable;
        Ok(())
    }

    /// Sets the filters; an error where one does not take the datatype it would get.
    pub fn set_filters(&mut self, filters: Arc<FilterList>) -> Result<()> {
        check_datatypes(&filters, self.datatype, self.cell_val_num)?;
        self.filters = filters;
        Ok(())
    }

    /// Sets the fill value, and its validity where the attribute is nullable: `None` and `Some` must agree with that.
    /// `value` is `None` where the caller gave none.
    pub fn set_fill_value(&mut self, value: Option<&[u8]>, validity: Option<u8>) -> Result<()> {
        let wrong = |what| refused(format!("Cannot set fill value; {what}"));
        let value = value.ok_or_else(|| wrong("Input value cannot be null"))?;
        if value.is_empty() {
            return Err(wrong("Input size cannot be 0"));
        }
        self.check_nullable("set", validity.is_some())?;
        if !self.is_var() && value.len() as u64 != self.cell_size() {
            return Err(wrong("Input size is not the same as cell size"));
        }
        self.fill_value = value.to_vec();
        self.fill_validity = validity.unwrap_or(self.fill_validity);
        Ok(())
    }

    /// The fill value and its validity; `nullable` says which of the two kinds of attribute the caller takes it for.
    pub fn fill_value(&self, nullable: bool) -> Result<(&[u8], u8)> {
        self.check_nullable("get", nullable)?;
        Ok((&self.fill_value, self.fill_validity))
    }

    fn check_nullable(&self, verb: &str, expected: bool) -> Result<()> {
        if self.nullable == expected {
            return Ok(());
        }
        let is = if self.nullable { "is" } else { "is not" };
        Err(refused(format!(
            "Cannot {verb} fill value; Attribute {is} nullable"
        )))
    }

    /// Sets the enumeration whose indexes it holds.
    pub fn set_enumeration(&mut self, name: &str) -> Result<()> {
        if name.is_empty() {
            return Err(refused("Invalid enumeration name, name must not be empty."));
        }
        self.enumeration = Some(name.to_owned());
        Ok(())
    }
}

/// The default fill value of one value.
fn fill_value_of(datatype: Datatype) -> Vec<u8> {
    match datatype {
        // The original's characters are signed; the least is this.
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

    fn refusal<T>(result: Result<T>) -> String {
        result
            .err()
            .map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn another_number_of_values_resets_the_fill_value() {
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
    fn nullability_keeps_the_fill_value() {
        let mut attribute = Attribute::new("a", Datatype::Uint8);
        attribute.set_fill_value(Some(&[7]), None).expect("a cell");
        attribute.set_nullable(true).expect("unordered");
        assert_eq!(attribute.fill_value(true).ok(), Some((&[7][..], 0)));
        assert_eq!(
            refusal(attribute.fill_value(false)),
            "Attribute: Cannot get fill value; Attribute is nullable"
        );
    }

    #[test]
    fn fill_values_that_are_no_cell_are_refused() {
        let mut attribute = Attribute::new("a", Datatype::Int32);
        for (value, validity, told) in [
            (None, None, "Input value cannot be null"),
            (Some(&[][..]), None, "Input size cannot be 0"),
            (
                Some(&[1, 2, 3]),
                None,
                "Input size is not the same as cell size",
            ),
            (Some(&[1, 2, 3, 4]), Some(1), "Attribute is not nullable"),
        ] {
            let refused = refusal(attribute.set_fill_value(value, validity));
            assert_eq!(refused, format!("Attribute: Cannot set fill value; {told}"));
        }
        attribute.set_cell_val_num(VAR_NUM).expect("any");
        assert!(attribute.set_fill_value(Some(&[1, 2, 3]), None).is_ok());
    }

    #[test]
    fn any_is_always_of_variable_length() {
        let mut any = Attribute::new("a", Datatype::Any);
        assert!(any.is_var() && any.set_cell_val_num(VAR_NUM).is_ok());
        assert_eq!(
            refusal(any.set_cell_val_num(1)),
            "Attribute: Cannot set number of values per cell; Attribute datatype `ANY` is always variable-sized"
        );
        assert_eq!(
            refusal(Attribute::new("a", Datatype::Int8).set_cell_val_num(0)),
            "Attribute: Cannot set zero values per cell"
        );
    }

    #[test]
    fn default_fill_values_are_the_ends_of_the_types() {
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
