//! Cells as text and JSON.

use std::fmt::{Display, LowerExp};

use serde_json::{Number, Value};
use tiledb_engine::{Datatype, FieldValues, Scalar};

/// Returns a value as JSON: numbers that JSON cannot express as text, datetimes in ISO 8601, bytes
/// in hexadecimal.
pub(crate) fn json_of(scalar: &Scalar, datatype: Datatype) -> Value {
    match scalar {
        Scalar::Bool(value) => Value::Bool(*value),
        Scalar::Integer(value) if !datatype.is_datetime() && !datatype.is_time() => {
            let number = Number::from_i128(*value);
            number.map_or_else(|| Value::String(value.to_string()), Value::Number)
        }
        Scalar::Real(value) => {
            let number = if datatype == Datatype::Float32 {
                // The shortest text of the number with 32 bits.
                (*value as f32)
                    .to_string()
                    .parse()
                    .ok()
                    .and_then(Number::from_f64)
            } else {
                Number::from_f64(*value)
            };
            number.map_or_else(|| Value::String(scalar.text(datatype)), Value::Number)
        }
        _ => Value::String(scalar.text(datatype)),
    }
}

/// Returns a cell as JSON.
pub(crate) fn cell_json(values: &FieldValues, cell: usize) -> Value {
    if values.is_null(cell) {
        return Value::Null;
    }
    if let Some(scalar) = values.scalar(cell) {
        return json_of(&scalar, values.value_datatype());
    }
    let datatype = values.datatype();
    let parts = values.bytes(cell).chunks_exact(datatype.size());
    let parts = parts.map(|bytes| json_of(&Scalar::from_bytes(datatype, bytes), datatype));
    Value::Array(parts.collect())
}

/// The most characters of a real number in a table.
const MAX_REAL: usize = 24;

/// Returns a real number as text for a table. One with many digits has an exponent, because tables
/// shorten long cells.
pub(crate) fn real_text(value: impl Display + LowerExp) -> String {
    let text = value.to_string();
    if text.len() > MAX_REAL {
        format!("{value:e}")
    } else {
        text
    }
}

/// Returns a cell as text for a table; `None` for null.
pub(crate) fn table_text(values: &FieldValues, cell: usize) -> Option<String> {
    match values.scalar(cell) {
        Some(Scalar::Real(value)) if values.value_datatype() == Datatype::Float32 => {
            Some(real_text(value as f32))
        }
        Some(Scalar::Real(value)) => Some(real_text(value)),
        _ => values.text(cell),
    }
}

/// Returns whether the cells of a field are numbers, which tables align to the right.
pub(crate) fn is_number(datatype: Datatype) -> bool {
    datatype.is_integer() || datatype.is_real()
}
