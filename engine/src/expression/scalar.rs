//! Values without a datatype, and their conversion to the datatype of a field.

use std::fmt;

use super::datetime;
use crate::error::ScalarError;
use crate::typed;
use crate::types::{Datatype, Physical, Value};

/// A single value. It gets a datatype when it is used with a field.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An integer, or the stored number of a datetime or time.
    Integer(i128),
    /// A floating-point number.
    Real(#[cfg_attr(feature = "serde", serde(with = "real"))] f64),
    /// A text, or a datetime or time as text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

macro_rules! from {
    ($($t:ty => $variant:ident),*) => {$(
        impl From<$t> for Scalar {
            fn from(value: $t) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from!(bool => Bool, i8 => Integer, u8 => Integer, i16 => Integer, u16 => Integer, i32 => Integer);
from!(u32 => Integer, i64 => Integer, u64 => Integer, i128 => Integer, f32 => Real, f64 => Real);
from!(&str => Text, String => Text, &String => Text, &[u8] => Bytes, Vec<u8> => Bytes);

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Real(value) => write!(f, "{value}"),
            Self::Text(text) => write!(f, "'{text}'"),
            Self::Bytes(bytes) => {
                write!(f, "X'")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                write!(f, "'")
            }
        }
    }
}

/// Returns whether values of a datatype are opaque bytes.
fn is_opaque(datatype: Datatype) -> bool {
    datatype.is_bytes() || datatype == Datatype::Any
}

/// Writes an integer in the representation of `T`, or returns `None` if it is out of range.
fn integer<T: Value>(value: i128) -> Option<Vec<u8>> {
    let (low, high): (i128, i128) = match T::PHYSICAL {
        Physical::I8 => (i8::MIN.into(), i8::MAX.into()),
        Physical::U8 => (0, u8::MAX.into()),
        Physical::I16 => (i16::MIN.into(), i16::MAX.into()),
        Physical::U16 => (0, u16::MAX.into()),
        Physical::I32 => (i32::MIN.into(), i32::MAX.into()),
        Physical::U32 => (0, u32::MAX.into()),
        Physical::I64 => (i64::MIN.into(), i64::MAX.into()),
        Physical::U64 => (0, u64::MAX.into()),
        Physical::F32 => return Some((value as f32).to_le_bytes().to_vec()),
        Physical::F64 => return Some((value as f64).to_le_bytes().to_vec()),
    };
    let fits = (low..=high).contains(&value);
    fits.then(|| value.to_le_bytes()[..T::SIZE].to_vec())
}

impl Scalar {
    /// Returns the bytes of the value with a datatype, or the problem as a sentence.
    pub fn to_bytes(&self, datatype: Datatype) -> Result<Vec<u8>, ScalarError> {
        match self {
            Self::Bytes(bytes) if datatype.is_byte_text() || is_opaque(datatype) => {
                Ok(bytes.clone())
            }
            Self::Text(text) => self.text_bytes(text, datatype),
            Self::Bool(value) if datatype == Datatype::Bool => Ok(vec![u8::from(*value)]),
            Self::Integer(0 | 1) if datatype == Datatype::Bool => {
                Ok(vec![u8::from(*self == Self::Integer(1))])
            }
            Self::Real(value) => match datatype {
                // A finite number does not become an infinite one.
                Datatype::Float32 if value.is_finite() && !(*value as f32).is_finite() => {
                    Err(ScalarError::OutOfRange {
                        value: value.to_string(),
                        datatype: datatype.name(),
                    })
                }
                Datatype::Float32 => Ok((*value as f32).to_le_bytes().to_vec()),
                Datatype::Float64 => Ok(value.to_le_bytes().to_vec()),
                _ => Err(self.wrong_type(datatype)),
            },
            Self::Integer(value) if is_number(datatype) => {
                typed!(datatype.physical(), T => integer::<T>(*value)).ok_or_else(|| {
                    ScalarError::OutOfRange {
                        value: value.to_string(),
                        datatype: datatype.name(),
                    }
                })
            }
            _ => Err(self.wrong_type(datatype)),
        }
    }

    fn wrong_type(&self, datatype: Datatype) -> ScalarError {
        ScalarError::WrongType {
            value: self.to_string(),
            datatype: datatype.name(),
        }
    }

    fn text_bytes(&self, text: &str, datatype: Datatype) -> Result<Vec<u8>, ScalarError> {
        match datatype {
            _ if datatype.is_byte_text() || is_opaque(datatype) => Ok(text.into()),
            Datatype::StringUtf16 | Datatype::StringUcs2 => {
                Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
            }
            Datatype::StringUtf32 | Datatype::StringUcs4 => Ok(text
                .chars()
                .flat_map(|c| u32::from(c).to_le_bytes())
                .collect()),
            _ if datatype.is_datetime() || datatype.is_time() => {
                match datetime::parse(datatype, text) {
                    Ok(value) => Ok(value.to_le_bytes().to_vec()),
                    Err(problem) => Err(ScalarError::BadTime {
                        text: text.to_owned(),
                        problem,
                    }),
                }
            }
            _ => Err(self.wrong_type(datatype)),
        }
    }

    /// Returns the value that bytes of a datatype represent: one number, or a text or bytes of any
    /// length.
    pub fn from_bytes(datatype: Datatype, bytes: &[u8]) -> Self {
        fn number<T: Value>(bytes: &[u8]) -> i128 {
            let mut word = [0; 16];
            let fill = if T::PHYSICAL.is_signed()
                && bytes.get(T::SIZE - 1).is_some_and(|byte| *byte > 127)
            {
                0xff
            } else {
                0
            };
            word.fill(fill);
            let len = T::SIZE.min(bytes.len());
            word[..len].copy_from_slice(&bytes[..len]);
            i128::from_le_bytes(word)
        }
        match datatype {
            Datatype::Bool => Self::Bool(bytes.first().is_some_and(|byte| *byte != 0)),
            Datatype::Float32 => Self::Real(f32::read(bytes).into()),
            Datatype::Float64 => Self::Real(f64::read(bytes)),
            _ if is_opaque(datatype) => Self::Bytes(bytes.to_vec()),
            _ if datatype.is_byte_text() => match std::str::from_utf8(bytes) {
                Ok(text) => Self::Text(text.to_owned()),
                Err(_) => Self::Bytes(bytes.to_vec()),
            },
            Datatype::StringUtf16 | Datatype::StringUcs2 => {
                let units: Vec<u16> = bytes.chunks_exact(2).map(u16::read).collect();
                Self::Text(String::from_utf16_lossy(&units))
            }
            Datatype::StringUtf32 | Datatype::StringUcs4 => Self::Text(
                bytes
                    .chunks_exact(4)
                    .map(u32::read)
                    .map(|code| char::from_u32(code).unwrap_or('\u{fffd}'))
                    .collect(),
            ),
            _ => Self::Integer(typed!(datatype.physical(), T => number::<T>(bytes))),
        }
    }

    /// Returns the value as text without quotes; datetimes and times in ISO 8601.
    pub fn text(&self, datatype: Datatype) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(value) if datatype.is_datetime() || datatype.is_time() => {
                let value = i64::try_from(*value);
                value.map_or_else(
                    |_| self.to_string(),
                    |value| datetime::format(datatype, value),
                )
            }
            Self::Real(value) if datatype == Datatype::Float32 => (*value as f32).to_string(),
            Self::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            _ => self.to_string(),
        }
    }

    /// Returns a number, or `None` for texts and bytes.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            Self::Integer(value) => Some(*value as f64),
            Self::Real(value) => Some(*value),
            Self::Text(_) | Self::Bytes(_) => None,
        }
    }
}

/// Returns whether a value of a datatype can be written as an integer.
fn is_number(datatype: Datatype) -> bool {
    datatype.is_integer() || datatype.is_real() || datatype.is_datetime() || datatype.is_time()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_conversion_to_bytes_and_back() {
        let cases = [
            (Datatype::Int8, Scalar::Integer(-128)),
            (Datatype::Uint8, Scalar::Integer(255)),
            (Datatype::Int64, Scalar::Integer(i64::MIN.into())),
            (Datatype::Uint64, Scalar::Integer(u64::MAX.into())),
            (Datatype::Float32, Scalar::Real(0.5)),
            (Datatype::Float64, Scalar::Real(-1e300)),
            (Datatype::Bool, Scalar::Bool(true)),
            (Datatype::StringUtf8, Scalar::Text("ä".into())),
            (Datatype::StringUtf16, Scalar::Text("ä𝄞".into())),
            (Datatype::StringUcs4, Scalar::Text("ä𝄞".into())),
            (Datatype::Blob, Scalar::Bytes(vec![0, 255])),
            (Datatype::DatetimeDay, Scalar::Integer(-3)),
        ];
        for (datatype, value) in cases {
            let bytes = value.to_bytes(datatype).expect("a value");
            assert_eq!(Scalar::from_bytes(datatype, &bytes), value, "{datatype:?}");
        }
    }

    #[test]
    fn values_of_other_kinds_are_errors() {
        let problem = |value: Scalar, datatype| {
            let problem = value.to_bytes(datatype);
            problem.expect_err("a mismatch").to_string()
        };
        assert_eq!(
            problem(256.into(), Datatype::Uint8),
            "256 is out of the range of UINT8"
        );
        assert_eq!(
            problem(1.5.into(), Datatype::Int32),
            "1.5 is not a value of INT32"
        );
        assert_eq!(
            problem("x".into(), Datatype::Int32),
            "'x' is not a value of INT32"
        );
        assert_eq!(
            problem(1.into(), Datatype::StringAscii),
            "1 is not a value of STRING_ASCII"
        );
        assert_eq!(
            problem(2.into(), Datatype::Bool),
            "2 is not a value of BOOL"
        );
    }

    #[test]
    fn texts_have_no_quotes() {
        let day = Scalar::from("2024-02-29").to_bytes(Datatype::DatetimeDay);
        let day = Scalar::from_bytes(Datatype::DatetimeDay, &day.expect("a day"));
        assert_eq!(day.text(Datatype::DatetimeDay), "2024-02-29");
        assert_eq!(Scalar::from("a").text(Datatype::StringUtf8), "a");
        assert_eq!(Scalar::from(0.1f32).text(Datatype::Float32), "0.1");
        assert_eq!(Scalar::from(vec![0, 255]).text(Datatype::Blob), "00ff");
    }
}

/// Floating-point numbers in formats of `serde`: those that JSON lacks are the texts `NaN`, `inf`
/// and `-inf`.
#[cfg(feature = "serde")]
mod real {
    use serde::de::{self, Deserializer, Unexpected, Visitor};
    use serde::ser::Serializer;

    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if value.is_finite() {
            serializer.serialize_f64(*value)
        } else {
            serializer.collect_str(value)
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_any(RealVisitor)
    }

    struct RealVisitor;

    impl Visitor<'_> for RealVisitor {
        type Value = f64;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a number, 'NaN', 'inf' or '-inf'")
        }

        fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
            Ok(value)
        }

        fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
            Ok(value as f64)
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<f64, E> {
            Ok(value as f64)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
            match text {
                "NaN" => Ok(f64::NAN),
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                text => Err(E::invalid_value(Unexpected::Str(text), &self)),
            }
        }
    }
}
