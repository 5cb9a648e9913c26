//! Calls that serialize and deserialize objects, and texts of messages without what is random.

use std::ptr::null;

use serde_json::Value;

use crate::library::{Library, address, bytes_of};
use crate::random::Random;
use crate::schemas;

pub(crate) const JSON: usize = 0;
pub(crate) const CAPNP: usize = 1;

/// The objects that messages create.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Config,
    Evolution,
    Schema,
}

impl Kind {
    fn noun(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Evolution => "array_schema_evolution",
            Self::Schema => "array_schema",
        }
    }

    /// Returns the function that frees an object.
    pub(crate) fn free(self) -> &'static str {
        match self {
            Self::Config => "config_free",
            Self::Evolution => "array_schema_evolution_free",
            Self::Schema => "array_schema_free",
        }
    }

    /// Returns whether libtiledb cannot write an object that it has read: it drops the domain of an
    /// expanded current domain.
    pub(crate) fn is_written_once(self, json: &[u8]) -> bool {
        self == Self::Evolution && String::from_utf8_lossy(json).contains("ndRectangle")
    }

    /// Returns whether an object always has the same bytes. libtiledb writes enumerations and the
    /// names in an evolution in the order of a hash table, and generates names.
    pub(crate) fn is_repeatable(self, json: &[u8]) -> bool {
        let json = String::from_utf8_lossy(json);
        self == Self::Config || (self == Self::Schema && json.matches("pathName").count() < 2)
    }
}

/// Returns the bytes of a buffer, which is freed.
pub(crate) fn take_buffer(library: &Library, buffer: usize) -> Vec<u8> {
    let (mut data, mut size) = (null::<u8>(), 0u64);
    library.ok(
        "buffer_get_data",
        &[buffer, address(&mut data), address(&mut size)],
    );
    let bytes = bytes_of(data, size as usize);
    library.free("buffer_free", buffer);
    bytes
}

/// Calls `body` with a buffer of these bytes.
pub(crate) fn with_buffer<T>(library: &Library, bytes: &[u8], body: impl FnOnce(usize) -> T) -> T {
    // Words, so that Cap'n Proto messages are aligned.
    let mut words: Vec<u64> = bytes
        .chunks(8)
        .map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        })
        .collect();
    let buffer = library.make("buffer_alloc", &[]);
    let data = words.as_mut_ptr() as usize;
    library.ok("buffer_set_data", &[buffer, data, bytes.len()]);
    let result = body(buffer);
    library.free("buffer_free", buffer);
    result
}

pub(crate) fn serialize(
    library: &Library,
    kind: Kind,
    object: usize,
    encoding: usize,
    client_side: usize,
) -> Vec<u8> {
    let name = format!("serialize_{}", kind.noun());
    let buffer = library.make(&name, &[object, encoding, client_side]);
    take_buffer(library, buffer)
}

pub(crate) fn deserialize(
    library: &Library,
    kind: Kind,
    message: &[u8],
    encoding: usize,
) -> Result<usize, String> {
    let name = format!("deserialize_{}", kind.noun());
    with_buffer(library, message, |buffer| {
        library.try_make(&name, &[buffer, encoding, 1])
    })
}

/// Returns whether a Cap'n Proto message has one segment, whose bytes do not depend on how a
/// library allocates memory.
pub(crate) fn is_single_segment(message: &[u8]) -> bool {
    message.get(..4) == Some(&[0; 4])
}

/// Returns the value of a message in JSON with generated names blanked, lists in the order of hash
/// tables sorted, and without what libtiledb takes from the domain before it is complete.
pub(crate) fn normal(json: &[u8]) -> Value {
    let mut value: Value = serde_json::from_slice(json).expect("JSON");
    normalize("", &mut value);
    value
}

/// The lists that libtiledb writes in the order of a hash table.
const UNORDERED: [&str; 8] = [
    "enumerations",
    "enumerationPathMap",
    "attributesToDrop",
    "attributesToAdd",
    "enumerationsToAdd",
    "enumerationsToDrop",
    "enumerationsToExtend",
    "members",
];

/// The maps that libtiledb writes in the order of a hash table.
const MAPS: [&str; 3] = ["arraySchemasAll", "allEnumerations", "enumerationPathMap"];

fn normalize(name: &str, value: &mut Value) {
    match value {
        Value::Object(object) => {
            if name == "domain" {
                object.remove("cellOrder");
                object.remove("tileOrder");
            }
            if MAPS.contains(&name)
                && let Some(Value::Array(entries)) = object.get_mut("entries")
            {
                for entry in &mut *entries {
                    if let Value::Array(values) = &mut entry["value"] {
                        values.sort_by_key(ToString::to_string);
                    }
                }
                entries.sort_by_key(|entry| entry["key"].to_string());
            }
            for (name, value) in object.iter_mut() {
                normalize(name, value);
            }
        }
        Value::Array(values) => {
            values.iter_mut().for_each(|value| normalize("", value));
            if UNORDERED.contains(&name) {
                values.sort_by_key(ToString::to_string);
            }
        }
        // libtiledb drops the slash at the end of some URIs.
        Value::String(text) if text.starts_with("file:") => {
            *text = text.trim_end_matches('/').to_owned();
        }
        Value::String(text) => *text = blanked(text),
        _ => {}
    }
}

/// Panics with the first difference of two messages.
pub(crate) fn assert_same(left: &Value, right: &Value, case: &str) {
    if let Some(difference) = difference("", left, right) {
        panic!("{case}: {difference}");
    }
}

fn difference(path: &str, left: &Value, right: &Value) -> Option<String> {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let names = left.keys().chain(right.keys());
            let null = Value::Null;
            names.into_iter().find_map(|name| {
                let values = [left, right].map(|object| object.get(name).unwrap_or(&null));
                difference(&format!("{path}.{name}"), values[0], values[1])
            })
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let values = left.iter().zip(right).enumerate();
            values.into_iter().find_map(|(index, (left, right))| {
                difference(&format!("{path}[{index}]"), left, right)
            })
        }
        _ => (left != right).then(|| format!("{path}: {left} and {right}")),
    }
}

/// Replaces identifiers of 32 hexadecimal digits, and removes a slash before the name of a schema
/// that is not stored.
fn blanked(text: &str) -> String {
    let parts = text.trim_start_matches('/').split('_');
    let is_id = |part: &str| part.len() == 32 && part.bytes().all(|b| b.is_ascii_hexdigit());
    if !parts.clone().any(is_id) {
        return text.to_owned();
    }
    let parts = parts.map(|part| if is_id(part) { "ID" } else { part });
    parts.collect::<Vec<_>>().join("_")
}

/// The fields of schemas that a message need not have.
const OPTIONAL: [&str; 12] = [
    "allowsDuplicates",
    "coordsFilterPipeline",
    "currentDomain",
    "enumerations",
    "filterPipeline",
    "name",
    "offsetFilterPipeline",
    "order",
    "timestampRange",
    "uri",
    "validityFilterPipeline",
    "version",
];

/// Removes fields of a random schema, and compares what both libraries make of the rest.
pub(crate) fn check_missing_fields(libraries: &[Library; 2], random: &mut Random) {
    let [ours, theirs] = libraries;
    let schema = schemas::schema(ours, random);
    let json = serialize(ours, Kind::Schema, schema, JSON, 1);
    ours.free("array_schema_free", schema);
    let mut value: Value = serde_json::from_slice(&json).expect("JSON");
    let missing: Vec<&str> = OPTIONAL
        .into_iter()
        .filter(|_| random.below(4) == 0)
        .collect();
    remove(&mut value, &missing);
    let json = value.to_string();
    let found = [ours, theirs].map(|library| {
        let schema = deserialize(library, Kind::Schema, json.as_bytes(), JSON)?;
        let again = serialize(library, Kind::Schema, schema, JSON, 0);
        library.free("array_schema_free", schema);
        let mut again = normal(&again);
        if missing.contains(&"name") {
            // libtiledb leaves the name empty.
            remove(&mut again, &["name"]);
        }
        Ok::<_, String>(again)
    });
    let [ours, theirs] = found;
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => assert_same(&ours, &theirs, &format!("without {missing:?}")),
        (Err(_), Err(_)) => {}
        other => panic!("without {missing:?}: {other:?}\n{json}"),
    }
}

fn remove(value: &mut Value, missing: &[&str]) {
    match value {
        Value::Object(object) => {
            object.retain(|name, _| !missing.contains(&name.as_str()));
            object.values_mut().for_each(|value| remove(value, missing));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| remove(value, missing)),
        _ => {}
    }
}
