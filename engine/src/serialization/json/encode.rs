//! Messages to JSON.

use capnp::schema::Field;
use capnp::{dynamic_list, dynamic_struct, dynamic_value};

use super::number::number_text;
use super::{JsonStyle, name_of};
use crate::error::{Result, SerializationError};

/// Returns a message as JSON, without white space.
pub(in super::super) fn encode(
    root: dynamic_struct::Reader<'_>,
    style: JsonStyle,
) -> Result<Vec<u8>> {
    let mut encoder = JsonEncoder {
        text: Vec::new(),
        style,
    };
    encoder.object(root)?;
    Ok(encoder.text)
}

struct JsonEncoder {
    /// UTF-8 if all texts of the message are.
    text: Vec<u8>,
    style: JsonStyle,
}

impl JsonEncoder {
    fn object(&mut self, value: dynamic_struct::Reader<'_>) -> Result<()> {
        self.text.push(b'{');
        let start = self.text.len();
        let mut active = self.active_field(value)?;
        for field in value.get_schema().get_non_union_fields()? {
            if self.style == JsonStyle::Plain
                && let Some(member) = active
                && member.get_index() < field.get_index()
            {
                self.member(value, member, start)?;
                active = None;
            }
            if value.has(field)? {
                self.member(value, field, start)?;
            }
        }
        if let Some(member) = active {
            self.member(value, member, start)?;
        }
        self.text.push(b'}');
        Ok(())
    }

    /// Returns the active field of a union, unless it is omitted.
    fn active_field(&self, value: dynamic_struct::Reader<'_>) -> Result<Option<Field>> {
        let Some(field) = value.which()? else {
            return Ok(None);
        };
        let is_first = field.get_proto().get_discriminant_value() == 0;
        let omitted = self.style == JsonStyle::Plain && is_first && !value.has(field)?;
        Ok((!omitted).then_some(field))
    }

    /// Writes a name and a value; `start` is where the object starts.
    fn member(
        &mut self,
        value: dynamic_struct::Reader<'_>,
        field: Field,
        start: usize,
    ) -> Result<()> {
        if self.text.len() > start {
            self.text.push(b',');
        }
        self.string(name_of(field, self.style)?.as_bytes());
        self.text.push(b':');
        if self.style == JsonStyle::Plain && !value.has(field)? {
            self.text.extend_from_slice(b"null");
            return Ok(());
        }
        self.value(value.get(field)?)
    }

    fn value(&mut self, value: dynamic_value::Reader<'_>) -> Result<()> {
        use dynamic_value::Reader as R;
        match value {
            R::Void => self.text.extend_from_slice(b"null"),
            R::Bool(value) => self.raw(value),
            R::Int8(value) => self.raw(value),
            R::Int16(value) => self.raw(value),
            R::Int32(value) => self.raw(value),
            R::UInt8(value) => self.raw(value),
            R::UInt16(value) => self.raw(value),
            R::UInt32(value) => self.raw(value),
            R::Int64(value) => self.raw(format_args!("\"{value}\"")),
            R::UInt64(value) => self.raw(format_args!("\"{value}\"")),
            R::Float32(value) => self.real(f64::from(value)),
            R::Float64(value) => self.real(value),
            R::Text(text) => self.string(text.as_bytes()),
            R::Data(bytes) => self.bytes(bytes),
            R::Enum(value) => match value.get_enumerant()? {
                Some(known) => self.string(known.get_proto().get_name()?.as_bytes()),
                None => self.raw(value.get_value()),
            },
            R::Struct(value) => self.object(value)?,
            R::List(list) => self.list(list)?,
            R::AnyPointer(_) | R::Capability(_) => {
                let problem = "a value without a type".to_owned();
                return Err(SerializationError::Json { problem }.into());
            }
        }
        Ok(())
    }

    fn list(&mut self, list: dynamic_list::Reader<'_>) -> Result<()> {
        self.text.push(b'[');
        for (index, value) in list.iter().enumerate() {
            if index > 0 {
                self.text.push(b',');
            }
            self.value(value?)?;
        }
        self.text.push(b']');
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.text.push(b'[');
        for (index, byte) in bytes.iter().enumerate() {
            if index > 0 {
                self.text.push(b',');
            }
            self.raw(byte);
        }
        self.text.push(b']');
    }

    fn real(&mut self, value: f64) {
        if value.is_nan() {
            self.string(b"NaN");
        } else if value.is_infinite() {
            let text: &[u8] = if value > 0.0 {
                b"Infinity"
            } else {
                b"-Infinity"
            };
            self.string(text);
        } else {
            self.text.extend_from_slice(number_text(value).as_bytes());
        }
    }

    fn raw(&mut self, value: impl std::fmt::Display) {
        use std::io::Write as _;
        // Writing to a vector cannot fail.
        let _ = write!(self.text, "{value}");
    }

    fn string(&mut self, bytes: &[u8]) {
        self.text.push(b'"');
        for &byte in bytes {
            let short = match byte {
                b'"' => b'"',
                b'\\' => b'\\',
                8 => b'b',
                12 => b'f',
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                0..32 => {
                    self.raw(format_args!("\\u{byte:04x}"));
                    continue;
                }
                _ => {
                    self.text.push(byte);
                    continue;
                }
            };
            self.text.extend_from_slice(&[b'\\', short]);
        }
        self.text.push(b'"');
    }
}
