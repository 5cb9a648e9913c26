//! Numbers in JSON.

use serde_json::Value;

use crate::types::real_text_with_digits;

/// Returns the text of a finite number: 15 significant digits if they are enough to read the same
/// number, otherwise 17, with an exponent if that is shorter.
pub(super) fn number_text(value: f64) -> String {
    let short = real_text_with_digits(value, 15);
    let exact = short.parse().is_ok_and(|read: f64| read == value);
    let text = if exact {
        short
    } else {
        real_text_with_digits(value, 17)
    };
    text.replace('+', "")
}

/// Returns the integer of a number without a fraction or of a text, if it is one of type `T`.
pub(super) fn integer<T: TryFrom<i128>>(value: &Value) -> Option<T> {
    let integer = match value {
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(integer), _) => i128::from(integer),
            (_, Some(integer)) => i128::from(integer),
            _ => whole(number.as_f64()?)?,
        },
        Value::String(text) => integer_of_text(text)?,
        _ => return None,
    };
    T::try_from(integer).ok()
}

/// Returns a number without a fraction as an integer, unless it is beyond 64 bits.
fn whole(value: f64) -> Option<i128> {
    const LIMIT: f64 = 18_446_744_073_709_551_616.0;
    (value.fract() == 0.0 && value.abs() < LIMIT).then_some(value as i128)
}

/// Reads a decimal or, after `0x`, a hexadecimal integer.
fn integer_of_text(text: &str) -> Option<i128> {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let hexadecimal = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"));
    let magnitude = match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(sign * i128::from(magnitude))
}

/// Returns a floating-point number: a number, a text such as "Infinity", or NaN for null.
pub(super) fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(f64::NAN),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}
