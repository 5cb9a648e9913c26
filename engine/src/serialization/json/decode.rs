//! JSON to messages.

use capnp::introspect::{Type, TypeVariant};
use capnp::schema::{EnumSchema, Field, StructSchema};
use capnp::schema_capnp::node;
use capnp::{dynamic_list, dynamic_struct, dynamic_value};
use serde_json::{Map, Value};

use super::number::{integer, real};
use super::{JsonStyle, MAX_DEPTH, name_of, text_of};
use crate::error::{Result, SerializationError};

/// The greatest number of elements of a list and of bytes of a text in Cap'n Proto.
const MAX_ELEMENTS: usize = (1 << 29) - 2;

/// Fills a message from JSON. `limit` bounds the size of the message in bytes.
pub(in super::super) fn decode(
    bytes: &[u8],
    root: dynamic_struct::Builder<'_>,
    style: JsonStyle,
    limit: u64,
) -> Result<()> {
    // As in libtiledb, a null byte ends the text.
    let end = bytes.iter().position(|byte| *byte == 0);
    let bytes = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes);
    let value = serde_json::from_slice(bytes).map_err(|error| SerializationError::Json {
        problem: error.to_string(),
    })?;
    let mut decoder = JsonDecoder {
        style,
        limit,
        used: 0,
    };
    decoder.object("message", &value, root, 0)
}

struct JsonDecoder {
    style: JsonStyle,
    /// The greatest size of the message in bytes.
    limit: u64,
    used: u64,
}

/// The scalar that a value has for a type, or its error.
type Scalar<'a> = Result<dynamic_value::Reader<'a>>;

impl JsonDecoder {
    /// Counts memory of the message.
    fn use_bytes(&mut self, bytes: u64) -> Result<()> {
        self.used = self.used.saturating_add(bytes);
        if self.used > self.limit {
            return Err(SerializationError::TraversalLimit { limit: self.limit }.into());
        }
        Ok(())
    }

    fn object(
        &mut self,
        name: &str,
        value: &Value,
        mut to: dynamic_struct::Builder<'_>,
        depth: u32,
    ) -> Result<()> {
        let Value::Object(object) = value else {
            return Err(wrong(name, "an object"));
        };
        check_depth(depth)?;
        for field in fields_of(object, to.get_schema(), self.style)? {
            let (name, value, field) = field;
            if !(value.is_null() && field.get_type().is_pointer_type()) {
                self.field(name, value, field, to.reborrow(), depth)?;
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        name: &str,
        value: &Value,
        field: Field,
        mut to: dynamic_struct::Builder<'_>,
        depth: u32,
    ) -> Result<()> {
        match field.get_type().which() {
            TypeVariant::Struct(schema) => {
                self.use_bytes(struct_size(schema.into())?)?;
                match to.init(field)? {
                    dynamic_value::Builder::Struct(to) => self.object(name, value, to, depth + 1),
                    _ => Err(wrong(name, "an object")),
                }
            }
            TypeVariant::List(element) => {
                let values = self.elements(name, value, element)?;
                match to.initn(field, values.len() as u32)? {
                    dynamic_value::Builder::List(to) => self.list(name, values, to, depth + 1),
                    _ => Err(wrong(name, "a list")),
                }
            }
            TypeVariant::Data => {
                let bytes = self.bytes(name, value)?;
                Ok(to.set(field, dynamic_value::Reader::Data(&bytes))?)
            }
            other => {
                let scalar = self.scalar(name, value, other)?;
                Ok(to.set(field, scalar)?)
            }
        }
    }

    /// Returns the values of an array for a list.
    fn elements<'a>(&mut self, name: &str, value: &'a Value, element: Type) -> Result<&'a [Value]> {
        let Value::Array(values) = value else {
            return Err(wrong(name, "a list"));
        };
        check_len("A list", values.len())?;
        let size = match element.which() {
            TypeVariant::Struct(schema) => struct_size(schema.into())?,
            TypeVariant::Void | TypeVariant::Bool | TypeVariant::Int8 | TypeVariant::UInt8 => 1,
            _ => 8,
        };
        self.use_bytes(size.saturating_mul(values.len() as u64).saturating_add(8))?;
        Ok(values)
    }

    fn list(
        &mut self,
        name: &str,
        values: &[Value],
        mut to: dynamic_list::Builder<'_>,
        depth: u32,
    ) -> Result<()> {
        check_depth(depth)?;
        let element = to.element_type();
        for (index, value) in (0..).zip(values) {
            match element.which() {
                TypeVariant::Struct(_) => match to.reborrow().get(index)? {
                    dynamic_value::Builder::Struct(to) => {
                        self.object(name, value, to, depth + 1)?;
                    }
                    _ => return Err(wrong(name, "an object")),
                },
                TypeVariant::List(inner) => {
                    let values = self.elements(name, value, inner)?;
                    match to.reborrow().init(index, values.len() as u32)? {
                        dynamic_value::Builder::List(to) => {
                            self.list(name, values, to, depth + 1)?;
                        }
                        _ => return Err(wrong(name, "a list")),
                    }
                }
                TypeVariant::Data => {
                    let bytes = self.bytes(name, value)?;
                    to.set(index, dynamic_value::Reader::Data(&bytes))?;
                }
                other => {
                    let scalar = self.scalar(name, value, other)?;
                    to.set(index, scalar)?;
                }
            }
        }
        Ok(())
    }

    fn bytes(&mut self, name: &str, value: &Value) -> Result<Vec<u8>> {
        let Value::Array(values) = value else {
            return Err(wrong(name, "a list of bytes"));
        };
        check_len("A list of bytes", values.len())?;
        self.use_bytes(values.len() as u64 + 8)?;
        values
            .iter()
            .map(|value| integer(value).ok_or_else(|| wrong(name, "a list of bytes")))
            .collect()
    }

    fn scalar<'a>(&mut self, name: &str, value: &'a Value, kind: TypeVariant) -> Scalar<'a> {
        use dynamic_value::Reader as R;
        let no_integer = || wrong(name, "an integer of its type");
        let number = |value| real(value).ok_or_else(|| wrong(name, "a number"));
        Ok(match kind {
            TypeVariant::Void => R::Void,
            TypeVariant::Bool => R::Bool(
                value
                    .as_bool()
                    .ok_or_else(|| wrong(name, "true or false"))?,
            ),
            TypeVariant::Int8 => R::Int8(integer(value).ok_or_else(no_integer)?),
            TypeVariant::Int16 => R::Int16(integer(value).ok_or_else(no_integer)?),
            TypeVariant::Int32 => R::Int32(integer(value).ok_or_else(no_integer)?),
            TypeVariant::Int64 => R::Int64(integer(value).ok_or_else(no_integer)?),
            TypeVariant::UInt8 => R::UInt8(integer(value).ok_or_else(no_integer)?),
            TypeVariant::UInt16 => R::UInt16(integer(value).ok_or_else(no_integer)?),
            TypeVariant::UInt32 => R::UInt32(integer(value).ok_or_else(no_integer)?),
            TypeVariant::UInt64 => R::UInt64(integer(value).ok_or_else(no_integer)?),
            TypeVariant::Float32 => R::Float32(number(value)? as f32),
            TypeVariant::Float64 => R::Float64(number(value)?),
            TypeVariant::Text => {
                let text = value.as_str().ok_or_else(|| wrong(name, "a text"))?;
                check_len("A text", text.len())?;
                self.use_bytes(text.len() as u64 + 8)?;
                R::Text(text.into())
            }
            TypeVariant::Enum(schema) => R::Enum(enumerant(name, value, schema.into())?),
            TypeVariant::Struct(_)
            | TypeVariant::List(_)
            | TypeVariant::Data
            | TypeVariant::AnyPointer
            | TypeVariant::Capability => return Err(wrong(name, "a value of a known type")),
        })
    }
}

fn wrong(name: &str, expected: &'static str) -> crate::error::Error {
    let field = name.to_owned();
    SerializationError::JsonValue { field, expected }.into()
}

fn check_depth(depth: u32) -> Result<()> {
    if depth < MAX_DEPTH {
        return Ok(());
    }
    let problem = format!("more than {MAX_DEPTH} objects and arrays are in one another");
    Err(SerializationError::Json { problem }.into())
}

fn check_len(subject: &'static str, len: usize) -> Result<()> {
    if len <= MAX_ELEMENTS {
        return Ok(());
    }
    let (size, limit) = (len as u64, MAX_ELEMENTS as u64);
    Err(SerializationError::TooLarge {
        subject,
        size,
        limit,
    }
    .into())
}

/// Returns the size of a struct in bytes, with its pointer.
fn struct_size(schema: StructSchema) -> Result<u64> {
    let shape = schema.get_proto().which().map_err(capnp::Error::from)?;
    let node::Struct(shape) = shape else {
        return Ok(8);
    };
    let words = u64::from(shape.get_data_word_count()) + u64::from(shape.get_pointer_count());
    Ok(8 * (words + 1))
}

/// Returns the known fields of an object with their values, in the order of the object.
fn fields_of(
    object: &Map<String, Value>,
    schema: StructSchema,
    style: JsonStyle,
) -> Result<Vec<(&str, &Value, Field)>> {
    let fields = schema.get_fields()?;
    let names: Vec<(&str, Field)> = fields
        .iter()
        .map(|field| Ok((name_of(field, style)?, field)))
        .collect::<Result<_>>()?;
    Ok(object
        .iter()
        .filter_map(|(name, value)| {
            let (_, field) = names.iter().find(|(known, _)| known == name)?;
            Some((name.as_str(), value, *field))
        })
        .collect())
}

fn enumerant(name: &str, value: &Value, schema: EnumSchema) -> Result<dynamic_value::Enum> {
    let expected = "one of the names of its type";
    let text = value.as_str().ok_or_else(|| wrong(name, expected))?;
    for known in schema.get_enumerants()? {
        if text_of(known.get_proto().get_name()?)? == text {
            return Ok(dynamic_value::Enum::new(known.get_ordinal(), schema));
        }
    }
    Err(wrong(name, expected))
}
