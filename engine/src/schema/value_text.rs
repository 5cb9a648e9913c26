//! Values and ranges as text, for dumps and errors.

use crate::typed;
use crate::types::{Datatype, Physical, Range, Value, real_text};

/// Formats a number for dumps.
pub(super) fn number<T: Value>(bytes: &[u8]) -> String {
    let value = T::read(bytes);
    match T::PHYSICAL {
        Physical::F32 | Physical::F64 => real_text(value.to_f64()),
        _ => format!("{value:?}"),
    }
}

/// Formats a number for dumps and errors.
pub(crate) fn number_text(datatype: Datatype, bytes: &[u8]) -> String {
    typed!(datatype.physical(), T => number::<T>(bytes))
}

/// Formats a value for dumps: numbers in decimal, characters as such if they are printable,
/// otherwise as hexadecimal escapes.
pub(super) fn value_text(datatype: Datatype, bytes: &[u8]) -> String {
    match datatype {
        text if text.is_string() || matches!(text, Datatype::Char | Datatype::Any) => {
            let code = bytes
                .iter()
                .rev()
                .fold(0u32, |code, byte| code << 8 | u32::from(*byte));
            match u8::try_from(code) {
                Ok(byte) if byte == b' ' || byte.is_ascii_graphic() => char::from(byte).to_string(),
                _ => format!("\\x{code:0width$x}", width = 2 * bytes.len()),
            }
        }
        Datatype::Blob | Datatype::GeomWkb | Datatype::GeomWkt => {
            bytes.iter().map(|byte| char::from(*byte)).collect()
        }
        other => typed!(other.physical(), T => number::<T>(bytes)),
    }
}

/// Formats a range for dumps.
pub(crate) fn range_text(datatype: Datatype, range: Option<&Range>) -> String {
    match range {
        None => "null".to_owned(),
        Some(range) if range.is_var() => {
            let bound = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            format!("[{}, {}]", bound(range.start()), bound(range.end()))
        }
        Some(range) => {
            let bound = |bytes| typed!(datatype.physical(), T => number::<T>(bytes));
            format!("[{}, {}]", bound(range.start()), bound(range.end()))
        }
    }
}
