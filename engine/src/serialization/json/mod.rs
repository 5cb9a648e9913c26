//! Messages as JSON, in both directions, by the schema of the message.
//!
//! Objects have the fields of structs. 64-bit integers are strings, because other readers of JSON
//! round them; bytes are arrays of numbers, and numbers that are not finite are strings. Fields
//! that point to nothing are omitted; unknown fields are ignored.

mod decode;
mod encode;
mod number;
#[cfg(test)]
mod tests;

use capnp::schema::Field;

use crate::error::{Result, SerializationError};

pub(super) use decode::decode;
pub(super) use encode::encode;

/// The annotation with the name of a field in JSON.
const NAME_ANNOTATION: u64 = 0xfa5b_1fd6_1c2e_7c3d;

/// The greatest number of objects and arrays in one another.
const MAX_DEPTH: u32 = 64;

/// The two conventions of libtiledb's messages, which differ in unions and names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonStyle {
    /// Fields have the names of the schema. The active field of a union comes in the order of the
    /// schema; it is omitted if it is the first one and points to nothing.
    Plain,
    /// Fields have the names of annotations. The active field of a union comes last.
    Annotated,
}

/// Returns the name of a field in JSON.
fn name_of(field: Field, style: JsonStyle) -> Result<&'static str> {
    if style == JsonStyle::Annotated
        && let Some(annotation) = field.get_annotations()?.find(NAME_ANNOTATION)
        && let capnp::dynamic_value::Reader::Text(name) = annotation.get_value()?
    {
        return text_of(name);
    }
    text_of(field.get_proto().get_name()?)
}

fn text_of(text: capnp::text::Reader<'_>) -> Result<&str> {
    Ok(text.to_str().map_err(|_| SerializationError::NotUtf8)?)
}
