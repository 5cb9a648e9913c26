//! Requests to create arrays and non-empty domains, of arrays with random schemas.

use std::ffi::{CStr, CString};
use std::path::Path;

use serde_json::{Value, json};

use crate::arrays::{Done, OpenArray, READ, c_path, text};
use crate::library::{Library, address};
use crate::message::{CAPNP, JSON, Kind, assert_same, normal, serialize, take_buffer, with_buffer};
use crate::random::Random;
use crate::schemas;

/// Returns the schema of a request to create an array, as a message in JSON.
fn schema_of_request(library: &Library, request: &[u8], encoding: usize) -> Done<Value> {
    let (mut storage, mut schema) = (0usize, 0usize);
    with_buffer(library, request, |buffer| {
        let out = [address(&mut storage), address(&mut schema)];
        let arguments = [buffer, encoding, 0, out[0], out[1]];
        library.attempt("deserialize_array_create", &arguments)
    })?;
    let again = serialize(library, Kind::Schema, schema, JSON, 0);
    library.free("string_free", storage);
    library.free("array_schema_free", schema);
    Ok(normal(&again))
}

/// Compares what both libraries read from requests to create an array of a random schema: with the
/// schema of either library, and in both encodings.
pub(crate) fn check_create(libraries: &[Library; 2], seed: u64) -> Done {
    let [ours, _] = libraries;
    for from in libraries {
        let schema = schemas::schema(from, &mut Random(seed));
        let message = serialize(from, Kind::Schema, schema, JSON, 0);
        from.free("array_schema_free", schema);
        let expected = normal(&message);
        let schema: Value = serde_json::from_slice(&message).expect("JSON");
        let request = json!({"schema": schema, "uri": "mem://storage"}).to_string();
        for to in libraries {
            let received = schema_of_request(to, request.as_bytes(), JSON)?;
            let case = format!("a request from {} in {}", from.name, to.name);
            assert_same(&received, &expected, &case);
        }
        if from.name != ours.name {
            continue;
        }
        for (encoding, request) in [JSON, CAPNP].into_iter().zip(requests_of(&message)?) {
            for to in libraries {
                let received = schema_of_request(to, &request, encoding)?;
                assert_same(&received, &expected, &format!("{encoding} in {}", to.name));
            }
        }
    }
    Ok(())
}

/// Returns the requests that a client of this library sends in both encodings.
fn requests_of(schema: &[u8]) -> Done<[Vec<u8>; 2]> {
    use tiledb_engine::internal::serialization::{
        MessageEncoding, read_schema, write_array_create,
    };
    let failed = |error: tiledb_engine::Error| error.to_string();
    let (schema, _) = read_schema(schema, MessageEncoding::Json).map_err(failed)?;
    let write = |encoding| write_array_create(&schema, encoding).map_err(failed);
    Ok([
        write(MessageEncoding::Json)?,
        write(MessageEncoding::Capnp)?,
    ])
}

/// The codes of the datatypes of bounds, with their sizes in bytes.
const TYPES: [(usize, usize); 11] = [
    (0, 4),
    (1, 8),
    (2, 4),
    (3, 8),
    (5, 1),
    (6, 1),
    (7, 2),
    (8, 2),
    (9, 4),
    (10, 8),
    (25, 8),
];

/// Returns a value of a datatype, which is often one at a limit.
fn bound(random: &mut Random, datatype: usize, size: usize) -> Vec<u8> {
    let reals = [
        0.0,
        -0.0,
        1.0 / 3.0,
        -1.5e300,
        5e-324,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    match datatype {
        2 => (random.one_of(&reals) as f32).to_le_bytes().to_vec(),
        3 => random.one_of(&reals).to_le_bytes().to_vec(),
        _ => {
            let bits = 8 * size as u32;
            let greatest = u64::MAX >> (64 - bits);
            let numbers = [0, 1, greatest >> 1, (greatest >> 1) + 1, greatest, 100];
            let number = match random.below(2) {
                0 => random.one_of(&numbers),
                _ => random.next() & greatest,
            };
            number.to_le_bytes()[..size].to_vec()
        }
    }
}

/// Creates a sparse array whose dimensions have one datatype.
fn create(library: &Library, uri: &CStr, datatype: usize, size: usize, dimensions: usize) -> Done {
    let domain = library.try_make("domain_alloc", &[])?;
    let ends = [bytes_of(datatype, size, 1), bytes_of(datatype, size, 9)].concat();
    for index in 0..dimensions {
        let name = CString::new(format!("d{index}")).expect("a name");
        let arguments = [text(&name), datatype, ends.as_ptr() as usize, 0];
        let dimension = library.try_make("dimension_alloc", &arguments)?;
        library.attempt("domain_add_dimension", &[domain, dimension])?;
        library.free("dimension_free", dimension);
    }
    let schema = library.try_make("array_schema_alloc", &[1])?;
    library.attempt("array_schema_set_domain", &[schema, domain])?;
    library.attempt("array_create", &[text(uri), schema])?;
    library.free("array_schema_free", schema);
    library.free("domain_free", domain);
    Ok(())
}

fn bytes_of(datatype: usize, size: usize, number: u8) -> Vec<u8> {
    match datatype {
        2 => f32::from(number).to_le_bytes().to_vec(),
        3 => f64::from(number).to_le_bytes().to_vec(),
        _ => u64::from(number).to_le_bytes()[..size].to_vec(),
    }
}

/// Returns a value as it is after JSON, which has one form of values that are not a number.
fn canonical(datatype: usize, bounds: &[u8]) -> Vec<u8> {
    let size = if datatype == 2 { 4 } else { 8 };
    let mut bounds = bounds.to_vec();
    if matches!(datatype, 2 | 3) {
        for value in bounds.chunks_exact_mut(size) {
            let exponent = u16::from_le_bytes([value[size - 2], value[size - 1]]) & 0x7fff;
            let limit = if size == 4 { 0x7f80 } else { 0x7ff0 };
            if exponent > limit {
                value[size - 1] &= 0x7f;
            }
        }
    }
    bounds
}

/// Sends random bounds of dimensions of one datatype.
pub(crate) fn check_bounds(libraries: &[Library; 2], folder: &Path, seed: u64) -> Done {
    let random = &mut Random(seed);
    let (datatype, size) = random.one_of(&TYPES);
    let dimensions = 1 + random.below(3) as usize;
    let name = format!("type{datatype}-{dimensions}");
    let uri = c_path(&folder.join(&name));
    if !folder.join(&name).exists() {
        create(&libraries[0], &uri, datatype, size, dimensions)?;
    }
    let mut bounds: Vec<u8> = Vec::new();
    for _ in 0..2 * dimensions {
        bounds.extend(bound(random, datatype, size));
    }
    let is_empty = usize::from(random.below(8) == 0);
    let arrays = [
        OpenArray::open(&libraries[0], &uri, READ, None)?,
        OpenArray::open(&libraries[1], &uri, READ, None)?,
    ];
    for encoding in [JSON, CAPNP] {
        let mut messages = Vec::new();
        for (from, array) in libraries.iter().zip(&arrays) {
            let arguments = [
                array.handle,
                bounds.as_ptr() as usize,
                is_empty,
                encoding,
                0,
            ];
            let buffer = from.try_make("serialize_array_nonempty_domain", &arguments)?;
            messages.push(take_buffer(from, buffer));
        }
        if encoding == JSON {
            assert_same(&normal(&messages[0]), &normal(&messages[1]), "bounds");
        } else {
            assert_eq!(messages[0], messages[1], "type {datatype}");
        }
        for message in &messages {
            for (to, array) in libraries.iter().zip(&arrays) {
                let (mut received, mut empty) = (vec![0xee_u8; bounds.len()], 7i32);
                with_buffer(to, message, |buffer| {
                    let out = [received.as_mut_ptr() as usize, address(&mut empty)];
                    let arguments = [array.handle, buffer, encoding, 1, out[0], out[1]];
                    to.attempt("deserialize_array_nonempty_domain", &arguments)
                })?;
                assert_eq!(empty as usize, is_empty, "{}", to.name);
                if is_empty == 0 {
                    // libtiledb copies the bounds of the first dimension only.
                    let is_ours = to.name == libraries[0].name;
                    let known = if is_ours { bounds.len() } else { 2 * size };
                    let [received, sent] =
                        [&received, &bounds].map(|bounds| canonical(datatype, &bounds[..known]));
                    assert_eq!(received, sent, "type {datatype} in {}", to.name);
                }
            }
        }
    }
    Ok(())
}
