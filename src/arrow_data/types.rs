//! The Arrow types of fields.

use std::sync::Arc;

use tiledb_engine::aggregate::Aggregate;
use tiledb_engine::schema::{ArraySchema, Enumeration, Field};
use tiledb_engine::types::{Datatype, VAR_NUM};

use super::abi::{ArrowSchema, NULLABLE, ORDERED, arrow_error};
use crate::prelude::*;

/// The conversion of stored values to Arrow values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
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
pub(crate) enum CellLayout {
    /// One value per cell.
    Single,
    /// A number of values per cell.
    FixedList(u32),
    /// A number of bytes per cell.
    FixedBytes(u32),
    /// Any number of values per cell.
    List,
    /// Any number of bytes per cell.
    Bytes,
}

/// A field in Arrow.
#[derive(Clone, Debug)]
pub(crate) struct ColumnType {
    pub(crate) name: String,
    pub(crate) datatype: Datatype,
    pub(crate) cell_val_num: u32,
    pub(crate) nullable: bool,
    pub(crate) enumeration: Option<Arc<Enumeration>>,
    /// Whether it is the result of an aggregate: one value, without an additional offset.
    pub(crate) is_result: bool,
}

impl ColumnType {
    /// Returns the type of the result of an aggregate.
    pub(crate) fn of_result(name: &str, aggregate: &Aggregate) -> Self {
        let shape = aggregate.result_shape();
        Self {
            name: name.to_owned(),
            datatype: shape.datatype,
            cell_val_num: shape.cell_val_num,
            nullable: shape.nullable,
            enumeration: None,
            is_result: true,
        }
    }

    /// Returns the type of a field of a schema.
    pub(crate) fn of(
        schema: &ArraySchema,
        name: &str,
        enumeration: impl Fn(&str) -> Result<Arc<Enumeration>>,
    ) -> Result<Self> {
        if schema.label(name).is_some() {
            return Err(arrow_error(format!(
                "'{name}' is a dimension label, which has a value for each coordinate instead of each cell; \
                 read it into buffers"
            )));
        }
        let field = schema.field(name);
        let field = field.ok_or_else(|| arrow_error(format!("there is no field '{name}'")))?;
        let enumerated = match &field {
            Field::Attribute(_, attribute) => attribute.enumeration.as_deref(),
            _ => None,
        };
        Ok(Self {
            name: name.to_owned(),
            datatype: field.datatype(),
            cell_val_num: field.cell_val_num(),
            nullable: field.is_nullable(),
            enumeration: enumerated.map(enumeration).transpose()?,
            is_result: false,
        })
    }

    /// Returns the type of the values of an enumeration.
    pub(crate) fn of_values(enumeration: &Enumeration) -> Self {
        Self {
            name: String::new(),
            datatype: enumeration.datatype(),
            cell_val_num: enumeration.cell_val_num(),
            nullable: false,
            enumeration: None,
            is_result: false,
        }
    }

    pub(crate) fn is_var(&self) -> bool {
        self.cell_val_num == VAR_NUM
    }

    pub(crate) fn cell_size(&self) -> usize {
        self.datatype.size()
            * if self.is_var() {
                1
            } else {
                self.cell_val_num as usize
            }
    }

    /// Returns whether values are characters or bytes.
    fn is_bytes(&self) -> bool {
        let datatype = self.datatype;
        datatype.is_string()
            || matches!(
                datatype,
                Datatype::Char
                    | Datatype::Blob
                    | Datatype::GeomWkb
                    | Datatype::GeomWkt
                    | Datatype::Any
            )
    }

    pub(crate) fn layout(&self) -> CellLayout {
        match (self.is_bytes(), self.cell_val_num) {
            (true, VAR_NUM) => CellLayout::Bytes,
            (true, number) => CellLayout::FixedBytes(number * self.datatype.size() as u32),
            (false, VAR_NUM) => CellLayout::List,
            (false, 1) => CellLayout::Single,
            (false, number) => CellLayout::FixedList(number),
        }
    }

    /// Returns the Arrow type of a value, and the conversion.
    pub(crate) fn value(&self) -> (&'static str, Conversion) {
        value_of(self.datatype)
    }

    /// Returns the Arrow type.
    pub(crate) fn schema(&self) -> ArrowSchema {
        // As most producers of lists describe their values.
        let value = || ArrowSchema::new("item", self.value().0, NULLABLE, Vec::new(), None);
        let mut flags = if self.nullable { NULLABLE } else { 0 };
        if let Some(enumeration) = &self.enumeration {
            // An index without a value, such as a fill value, is null.
            flags = NULLABLE | if enumeration.ordered() { ORDERED } else { 0 };
        }
        let dictionary = self.enumeration.as_deref();
        let dictionary = dictionary.map(|values| Self::of_values(values).schema());
        let (format, children) = match self.layout() {
            CellLayout::Single => (self.value().0.to_owned(), Vec::new()),
            CellLayout::FixedList(number) => (format!("+w:{number}"), vec![value()]),
            CellLayout::FixedBytes(number) => (format!("w:{number}"), Vec::new()),
            CellLayout::List => ("+L".to_owned(), vec![value()]),
            CellLayout::Bytes if is_text(self.datatype) => ("U".to_owned(), Vec::new()),
            CellLayout::Bytes => ("Z".to_owned(), Vec::new()),
        };
        ArrowSchema::new(&self.name, &format, flags, children, dictionary)
    }
}

/// Returns whether strings of the datatype are valid UTF-8.
fn is_text(datatype: Datatype) -> bool {
    matches!(datatype, Datatype::StringAscii | Datatype::StringUtf8)
}

/// Returns the Arrow type of a value of a datatype, and the conversion.
fn value_of(datatype: Datatype) -> (&'static str, Conversion) {
    use Conversion::{Bits, Narrow, None, Scale};
    match datatype {
        Datatype::Int8 => ("c", None),
        Datatype::Uint8 => ("C", None),
        Datatype::Int16 => ("s", None),
        Datatype::Uint16 => ("S", None),
        Datatype::Int32 => ("i", None),
        Datatype::Uint32 => ("I", None),
        Datatype::Uint64 => ("L", None),
        Datatype::Float32 => ("f", None),
        Datatype::Float64 => ("g", None),
        Datatype::Bool => ("b", Bits),
        Datatype::DatetimeWeek => ("tdD", Narrow(7)),
        Datatype::DatetimeDay => ("tdD", Narrow(1)),
        Datatype::DatetimeHr => ("tss:", Scale(3600)),
        Datatype::DatetimeMin => ("tss:", Scale(60)),
        Datatype::DatetimeSec => ("tss:", None),
        Datatype::DatetimeMs => ("tsm:", None),
        Datatype::DatetimeUs => ("tsu:", None),
        Datatype::DatetimeNs => ("tsn:", None),
        Datatype::TimeHr => ("tts", Narrow(3600)),
        Datatype::TimeMin => ("tts", Narrow(60)),
        Datatype::TimeSec => ("tts", Narrow(1)),
        Datatype::TimeMs => ("ttm", Narrow(1)),
        Datatype::TimeUs => ("ttu", None),
        Datatype::TimeNs => ("ttn", None),
        // Arrow has no type with the unit of other datetimes and times.
        _ => ("l", None),
    }
}

/// Returns the datatype that an Arrow type of values has in new attributes.
pub(crate) fn datatype_of(format: &str) -> Option<Datatype> {
    let timestamp = format.split_once(':').map_or(format, |(unit, _)| unit);
    Some(match (format, timestamp) {
        ("c", _) => Datatype::Int8,
        ("C", _) => Datatype::Uint8,
        ("s", _) => Datatype::Int16,
        ("S", _) => Datatype::Uint16,
        ("i", _) => Datatype::Int32,
        ("I", _) => Datatype::Uint32,
        ("l", _) => Datatype::Int64,
        ("L", _) => Datatype::Uint64,
        ("f", _) => Datatype::Float32,
        ("g", _) => Datatype::Float64,
        ("b", _) => Datatype::Bool,
        ("tdD", _) => Datatype::DatetimeDay,
        ("tdm", _) | (_, "tsm") => Datatype::DatetimeMs,
        (_, "tss") => Datatype::DatetimeSec,
        (_, "tsu") => Datatype::DatetimeUs,
        (_, "tsn") => Datatype::DatetimeNs,
        ("tts", _) => Datatype::TimeSec,
        ("ttm", _) => Datatype::TimeMs,
        ("ttu", _) => Datatype::TimeUs,
        ("ttn", _) => Datatype::TimeNs,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datatypes_with_an_arrow_type_are_those_of_new_attributes() {
        for code in 0..=43 {
            let Some(datatype) = Datatype::from_code(code) else {
                continue;
            };
            let (format, conversion) = value_of(datatype);
            let column = ColumnType {
                name: "a".into(),
                datatype,
                cell_val_num: 1,
                nullable: false,
                enumeration: None,
                is_result: false,
            };
            let is_own = !column.is_bytes()
                && (format != "l" || datatype == Datatype::Int64)
                && !matches!(conversion, Conversion::Scale(_))
                && !matches!(conversion, Conversion::Narrow(factor) if factor != 1);
            if is_own {
                assert_eq!(datatype_of(format), Some(datatype), "{datatype:?}");
            }
        }
        assert_eq!(datatype_of("tsn:UTC"), Some(Datatype::DatetimeNs));
        assert_eq!(datatype_of("+s"), None);
    }
}
