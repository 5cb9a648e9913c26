//! The Arrow types of fields.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, TimeUnit};

use crate::buffers::FieldForm;
use crate::error::{Error, Result};
use crate::schema::Attribute;
use crate::types::{CellType, Datatype, VAR_NUM};

/// The key of the metadata of an Arrow field with the name of its datatype, such as
/// `DATETIME_YEAR`. Fields have it if their Arrow type alone means another datatype.
pub const DATATYPE_KEY: &str = "tiledb.datatype";

/// The conversion of stored values to Arrow values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conversion {
    /// The bytes are equal.
    None,
    /// A byte per value becomes a bit.
    Bits,
    /// 64-bit numbers are multiplied by a factor.
    Scale(i64),
    /// 64-bit numbers are multiplied by a factor and stored with 32 bits.
    Narrow(i64),
}

/// The layout of the cells of a field in Arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellLayout {
    /// One value per cell.
    Single,
    /// A number of values per cell.
    FixedList(i32),
    /// A number of bytes per cell.
    FixedBytes(i32),
    /// Any number of values per cell.
    List,
    /// Any number of bytes per cell.
    Bytes,
    /// Text in UTF-8.
    Text,
    /// Text of which a character has this number of bytes or more, in UTF-16 or UTF-32.
    WideText(usize),
}

/// Returns an error of the exchange with Arrow.
pub fn arrow_error(message: impl Into<String>) -> Error {
    Error::usage("Arrow", message)
}

/// Returns whether values are characters or bytes.
fn is_bytes(datatype: Datatype) -> bool {
    datatype.is_string()
        || datatype.is_bytes()
        || matches!(datatype, Datatype::Char | Datatype::Any)
}

/// Returns the layout of the cells of a field.
pub(super) fn layout_of(form: &FieldForm) -> Result<CellLayout> {
    use CellLayout::{Bytes, FixedBytes, FixedList, List, Single, Text, WideText};
    let (datatype, number) = (form.cells.datatype, form.cells.cell_val_num);
    let size = |unit: usize| {
        let size = (number as usize).checked_mul(unit);
        size.and_then(|size| i32::try_from(size).ok())
            .ok_or_else(|| {
                arrow_error(format!(
                    "the field '{}' has {number} values per cell, more than an Arrow type can have",
                    form.name
                ))
            })
    };
    Ok(match (is_bytes(datatype), number) {
        (true, VAR_NUM) => match datatype {
            Datatype::StringAscii | Datatype::StringUtf8 => Text,
            _ if datatype.is_string() && datatype.size() > 1 => WideText(datatype.size()),
            _ => Bytes,
        },
        (true, _) => FixedBytes(size(datatype.size())?),
        (false, VAR_NUM) => List,
        (false, 1) => Single,
        (false, _) => FixedList(size(1)?),
    })
}

/// Returns the Arrow type of a value of a datatype, and the conversion.
pub(super) fn value_type(datatype: Datatype) -> (DataType, Conversion) {
    use Conversion::{Bits, Narrow, None, Scale};
    let timestamp = |unit| DataType::Timestamp(unit, Option::None);
    match datatype {
        Datatype::Int8 => (DataType::Int8, None),
        Datatype::Uint8 => (DataType::UInt8, None),
        Datatype::Int16 => (DataType::Int16, None),
        Datatype::Uint16 => (DataType::UInt16, None),
        Datatype::Int32 => (DataType::Int32, None),
        Datatype::Uint32 => (DataType::UInt32, None),
        Datatype::Uint64 => (DataType::UInt64, None),
        Datatype::Float32 => (DataType::Float32, None),
        Datatype::Float64 => (DataType::Float64, None),
        Datatype::Bool => (DataType::Boolean, Bits),
        Datatype::DatetimeWeek => (DataType::Date32, Narrow(7)),
        Datatype::DatetimeDay => (DataType::Date32, Narrow(1)),
        Datatype::DatetimeHr => (timestamp(TimeUnit::Second), Scale(3600)),
        Datatype::DatetimeMin => (timestamp(TimeUnit::Second), Scale(60)),
        Datatype::DatetimeSec => (timestamp(TimeUnit::Second), None),
        Datatype::DatetimeMs => (timestamp(TimeUnit::Millisecond), None),
        Datatype::DatetimeUs => (timestamp(TimeUnit::Microsecond), None),
        Datatype::DatetimeNs => (timestamp(TimeUnit::Nanosecond), None),
        Datatype::TimeHr => (DataType::Time32(TimeUnit::Second), Narrow(3600)),
        Datatype::TimeMin => (DataType::Time32(TimeUnit::Second), Narrow(60)),
        Datatype::TimeSec => (DataType::Time32(TimeUnit::Second), Narrow(1)),
        Datatype::TimeMs => (DataType::Time32(TimeUnit::Millisecond), Narrow(1)),
        Datatype::TimeUs => (DataType::Time64(TimeUnit::Microsecond), None),
        Datatype::TimeNs => (DataType::Time64(TimeUnit::Nanosecond), None),
        // Arrow has no type with the unit of other datetimes and times. Their fields have the name
        // of the datatype as metadata.
        _ => (DataType::Int64, None),
    }
}

/// Returns the duration that a value of a datatype of times is, and the conversion; `None` for
/// other datatypes, and for units that Arrow does not have.
pub(super) fn duration_type(datatype: Datatype) -> Option<(DataType, Conversion)> {
    let (unit, conversion) = match datatype {
        Datatype::TimeHr => (TimeUnit::Second, Conversion::Scale(3600)),
        Datatype::TimeMin => (TimeUnit::Second, Conversion::Scale(60)),
        Datatype::TimeSec => (TimeUnit::Second, Conversion::None),
        Datatype::TimeMs => (TimeUnit::Millisecond, Conversion::None),
        Datatype::TimeUs => (TimeUnit::Microsecond, Conversion::None),
        Datatype::TimeNs => (TimeUnit::Nanosecond, Conversion::None),
        _ => return None,
    };
    Some((DataType::Duration(unit), conversion))
}

/// Returns the Arrow type of the cells of a field, regardless of its enumeration.
pub(super) fn cell_type(form: &FieldForm) -> Result<DataType> {
    cell_type_of(form, value_type(form.cells.datatype).0)
}

/// Returns the Arrow type of the cells of a field whose values have a type.
pub(super) fn cell_type_of(form: &FieldForm, value: DataType) -> Result<DataType> {
    // As most producers of lists describe their values.
    let item = |value| -> FieldRef { Arc::new(Field::new("item", value, true)) };
    Ok(match layout_of(form)? {
        CellLayout::Single => value,
        CellLayout::FixedList(number) => DataType::FixedSizeList(item(value), number),
        CellLayout::FixedBytes(size) => DataType::FixedSizeBinary(size),
        CellLayout::List => DataType::LargeList(item(value)),
        CellLayout::Text | CellLayout::WideText(_) => DataType::LargeUtf8,
        CellLayout::Bytes => DataType::LargeBinary,
    })
}

/// Returns the description of the values of the enumeration of a field.
pub(super) fn values_form(form: &FieldForm) -> Option<FieldForm> {
    let enumeration = form.enumeration.as_ref()?;
    Some(FieldForm {
        name: form.name.clone(),
        cells: CellType {
            datatype: enumeration.datatype(),
            cell_val_num: enumeration.cell_val_num(),
            nullable: false,
        },
        enumeration: None,
    })
}

/// Returns the Arrow field for a field: its type, with the values of an enumeration as a
/// dictionary.
///
/// # Errors
///
/// If no Arrow type can express it.
pub fn arrow_field(form: &FieldForm) -> Result<Field> {
    let cells = cell_type(form)?;
    let Some(values) = values_form(form) else {
        let field = Field::new(&form.name, cells, form.cells.nullable);
        return Ok(with_datatype(field, form));
    };
    if !cells.is_dictionary_key_type() {
        let datatype = form.cells.datatype.name();
        return Err(arrow_error(format!(
            "the field '{}' of {datatype} has an enumeration, and its cells cannot be the indexes of an Arrow \
             dictionary",
            form.name
        )));
    }
    let kind = DataType::Dictionary(cells.into(), cell_type(&values)?.into());
    // An index without a value, such as a fill value, is null.
    let field = Field::new(&form.name, kind, true);
    let is_ordered = form
        .enumeration
        .as_ref()
        .is_some_and(|enumeration| enumeration.ordered());
    Ok(with_datatype(
        field.with_dict_is_ordered(is_ordered),
        &values,
    ))
}

/// A field of a read.
#[derive(Clone, Debug)]
pub struct ReadColumn {
    /// The field.
    pub form: FieldForm,
    /// Whether it is the result of an aggregate, of which there is one value.
    pub is_result: bool,
    /// Whether times are durations instead of times of a day.
    pub has_durations: bool,
    /// Whether the indexes of an enumeration are delivered instead of its values.
    pub has_indexes: bool,
}

impl ReadColumn {
    /// Returns the Arrow type of the values, and the conversion to it.
    pub(super) fn value_type(&self) -> (DataType, Conversion) {
        let datatype = self.form.cells.datatype;
        let duration = duration_type(datatype).filter(|_| self.has_durations);
        duration.unwrap_or_else(|| value_type(datatype))
    }

    /// Returns the Arrow field.
    ///
    /// # Errors
    ///
    /// If no Arrow type can express it.
    pub fn field(&self) -> Result<Field> {
        let field = arrow_field(&self.form)?;
        if self.has_indexes && self.form.enumeration.is_some() {
            return Ok(Field::new(&self.form.name, cell_type(&self.form)?, true));
        }
        if !self.has_durations || self.form.enumeration.is_some() {
            return Ok(field);
        }
        Ok(field.with_data_type(cell_type_of(&self.form, self.value_type().0)?))
    }
}

/// Adds the name of the datatype if the Arrow type alone means another one.
fn with_datatype(field: Field, form: &FieldForm) -> Field {
    let plain = form_of(&field);
    if plain.is_ok_and(|plain| {
        (plain.cells.datatype, plain.cells.cell_val_num)
            == (form.cells.datatype, form.cells.cell_val_num)
    }) {
        return field;
    }
    let name = form.cells.datatype.name().to_owned();
    field.with_metadata(HashMap::from([(DATATYPE_KEY.to_owned(), name)]))
}

/// Returns the datatype that values of an Arrow type have in new fields, if they are numbers, dates
/// or times.
fn value_datatype(kind: &DataType) -> Option<Datatype> {
    Some(match kind {
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
        DataType::Date32 => Datatype::DatetimeDay,
        DataType::Date64 => Datatype::DatetimeMs,
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => Datatype::DatetimeSec,
            TimeUnit::Millisecond => Datatype::DatetimeMs,
            TimeUnit::Microsecond => Datatype::DatetimeUs,
            TimeUnit::Nanosecond => Datatype::DatetimeNs,
        },
        DataType::Time32(unit) | DataType::Time64(unit) | DataType::Duration(unit) => match unit {
            TimeUnit::Second => Datatype::TimeSec,
            TimeUnit::Millisecond => Datatype::TimeMs,
            TimeUnit::Microsecond => Datatype::TimeUs,
            TimeUnit::Nanosecond => Datatype::TimeNs,
        },
        _ => return None,
    })
}

/// Returns the field that an Arrow field becomes; of a dictionary, a field with its values.
///
/// # Errors
///
/// If no datatype can store its values.
pub fn form_of(field: &Field) -> Result<FieldForm> {
    let kind = match field.data_type() {
        DataType::Dictionary(_, values) => values,
        kind => kind,
    };
    let unknown = || {
        let name = field.name();
        arrow_error(format!(
            "the Arrow type {kind} of the field '{name}' has no datatype"
        ))
    };
    let count = |number: i32| u32::try_from(number).ok().filter(|number| *number > 0);
    let (datatype, cell_val_num) = match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
            (Datatype::StringUtf8, VAR_NUM)
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
            (Datatype::Blob, VAR_NUM)
        }
        DataType::FixedSizeBinary(size) => (Datatype::Blob, count(*size).ok_or_else(unknown)?),
        DataType::List(item) | DataType::LargeList(item) => (
            value_datatype(item.data_type()).ok_or_else(unknown)?,
            VAR_NUM,
        ),
        DataType::FixedSizeList(item, number) => {
            let datatype = value_datatype(item.data_type()).ok_or_else(unknown)?;
            (datatype, count(*number).ok_or_else(unknown)?)
        }
        _ => (value_datatype(kind).ok_or_else(unknown)?, 1),
    };
    let plain = FieldForm {
        name: field.name().clone(),
        cells: CellType {
            datatype,
            cell_val_num,
            nullable: field.is_nullable() || *kind == DataType::Null,
        },
        enumeration: None,
    };
    let Some(stated) = field.metadata().get(DATATYPE_KEY) else {
        return Ok(plain);
    };
    let stated = stated_form(&plain, stated)
        .filter(|form| cell_type(form).is_ok_and(|expected| are_equal(&expected, kind)));
    stated.ok_or_else(|| {
        arrow_error(format!(
            "the metadata '{DATATYPE_KEY}' of the field '{}' does not fit its Arrow type {kind}",
            field.name()
        ))
    })
}

/// Returns a field with the datatype of this name.
fn stated_form(plain: &FieldForm, name: &str) -> Option<FieldForm> {
    let datatype = Datatype::from_name(name)?;
    let cell_val_num = match plain.cells.datatype {
        // The number is that of bytes.
        Datatype::Blob if plain.cells.cell_val_num != VAR_NUM => {
            plain.cells.cell_val_num / u32::try_from(datatype.size()).ok()?
        }
        _ => plain.cells.cell_val_num,
    };
    Some(FieldForm {
        cells: CellType {
            datatype,
            cell_val_num,
            ..plain.cells
        },
        ..plain.clone()
    })
}

/// Returns whether two types have equal values: lengths of offsets, views, time zones and names of
/// items do not matter.
pub(super) fn are_equal(expected: &DataType, given: &DataType) -> bool {
    use DataType::{
        Binary, BinaryView, Duration, FixedSizeList, LargeBinary, LargeList, LargeUtf8, List,
        Time32, Time64, Timestamp, Utf8, Utf8View,
    };
    match (expected, given) {
        (
            LargeUtf8 | LargeBinary,
            Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView,
        ) => true,
        (LargeList(one), List(other) | LargeList(other)) => {
            are_equal(one.data_type(), other.data_type())
        }
        (FixedSizeList(one, number), FixedSizeList(other, other_number)) => {
            number == other_number && are_equal(one.data_type(), other.data_type())
        }
        (Timestamp(one, _), Timestamp(other, _)) => one == other,
        (Timestamp(TimeUnit::Millisecond, _), DataType::Date64) => true,
        (Time32(one) | Time64(one), Duration(other)) => one == other,
        (DataType::Float32, DataType::Float16) => true,
        (one, other) => one == other,
    }
}

/// Returns the attribute that an Arrow field becomes. A dictionary becomes an attribute with the
/// datatype of the indexes.
///
/// # Errors
///
/// If no datatype can store its values.
pub fn attribute_of(field: &Field) -> Result<Attribute> {
    let form = match field.data_type() {
        DataType::Dictionary(keys, _) => {
            let indexes = Field::new(field.name(), (**keys).clone(), field.is_nullable());
            form_of(&indexes)?
        }
        _ => form_of(field)?,
    };
    let mut attribute = Attribute::new(&form.name, form.cells.datatype);
    attribute.set_cell_val_num(form.cells.cell_val_num)?;
    attribute.set_nullable(form.cells.nullable)?;
    Ok(attribute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_datatype_has_an_arrow_type_from_which_it_is_restored() {
        for datatype in Datatype::ALL {
            for cell_val_num in [1, 3, VAR_NUM] {
                for nullable in [false, true] {
                    let form = FieldForm {
                        name: "a".into(),
                        cells: CellType {
                            datatype,
                            cell_val_num,
                            nullable,
                        },
                        enumeration: None,
                    };
                    let field = arrow_field(&form).expect("a field");
                    let restored = form_of(&field).expect("a datatype");
                    assert_eq!(restored.cells.datatype, datatype, "{field:?}");
                    assert_eq!(restored.cells.cell_val_num, cell_val_num, "{field:?}");
                    assert_eq!(restored.cells.nullable, nullable, "{field:?}");
                }
            }
        }
    }

    #[test]
    fn types_without_a_datatype_are_errors_that_name_the_field() {
        for kind in [
            DataType::Decimal128(10, 2),
            DataType::Struct([].into()),
            DataType::Interval(arrow_schema::IntervalUnit::DayTime),
            DataType::FixedSizeBinary(0),
        ] {
            let error = form_of(&Field::new("price", kind, false)).expect_err("no datatype");
            assert!(error.to_string().contains("'price'"), "{error}");
        }
        let wrong = Field::new("w", DataType::Int32, false);
        let wrong = wrong.with_metadata(HashMap::from([(
            DATATYPE_KEY.to_owned(),
            "BLOB".to_owned(),
        )]));
        let error = form_of(&wrong).expect_err("metadata does not fit");
        assert!(error.to_string().contains("'w'"), "{error}");
        let huge = FieldForm {
            name: "huge".into(),
            cells: CellType {
                cell_val_num: u32::MAX - 1,
                ..CellType::single(Datatype::Int8)
            },
            enumeration: None,
        };
        let error = arrow_field(&huge).expect_err("too many values");
        assert!(error.to_string().contains("'huge'"), "{error}");
    }
}
