//! Schemas, conditions and values in formats of the crate `serde`.
//!
//! Names, such as those of datatypes, are in `names`; filters derive the traits where they are
//! defined.

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{self, Serialize, Serializer};

use super::schema::Schema;
use crate::error::{ApiError, Error};
use crate::expression::Condition;
use crate::schema::{ArraySchema, SchemaDraft};
use crate::serialization::{MessageEncoding, read_schema, write_schema};

/// A condition is its text.
impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// A schema has the fields of the JSON that TileDB servers exchange. The enumerations of the schema
/// of an array must have been loaded ([`Array::enumeration`](crate::Array::enumeration)).
impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json_of(&self.0)
            .map_err(ser::Error::custom)?
            .serialize(serializer)
    }
}

fn json_of(schema: &ArraySchema) -> Result<serde_json::Value, Error> {
    let unloaded = schema
        .enumerations
        .iter()
        .find(|enumeration| enumeration.loaded().is_none());
    if let Some(enumeration) = unloaded {
        return Err(ApiError::UnloadedEnumeration {
            name: enumeration.name.clone(),
        }
        .into());
    }
    let json = write_schema(schema, None, MessageEncoding::Json)?;
    serde_json::from_slice(&json).map_err(bad_json)
}

fn bad_json(error: serde_json::Error) -> Error {
    ApiError::BadSchemaText {
        problem: error.to_string(),
    }
    .into()
}

/// The schema is checked as one that is built.
impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = serde_json::Value::deserialize(deserializer)?;
        schema_of(&json).map_err(de::Error::custom)
    }
}

fn schema_of(json: &serde_json::Value) -> Result<Schema, Error> {
    let json = serde_json::to_vec(json).map_err(bad_json)?;
    let (schema, _) = read_schema(&json, MessageEncoding::Json)?;
    let schema = SchemaDraft::of(&Arc::new(schema)).finish_loaded()?;
    Ok(Schema(Arc::new(schema)))
}
