//! Estimated sizes of random reads, and requests for their plans.

use std::sync::Arc;

use serde_json::Value;
use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::query::Query as EngineQuery;
use tiledb_engine::internal::serialization::{
    self as messages, BufferSize, FieldHeader, MessageEncoding,
};
use tiledb_engine::internal::types::QueryType;
use tiledb_engine::internal::vfs::Vfs;

use super::reads::Read;
use super::{CLIENT, Stored, serialized};
use crate::arrays::{Done, OpenArray, Query, READ, text};
use crate::library::{Library, address};
use crate::message::{CAPNP, JSON, assert_same, normal, take_buffer, with_buffer};
use crate::random::Random;

fn failed(error: tiledb_engine::Error) -> String {
    error.to_string()
}

/// Returns the sizes in bytes that a library estimates for each field of a read.
fn estimates(library: &Library, query: &Query<'_>, read: &Read) -> Done<Vec<[u64; 3]>> {
    let fields = read.fields.iter().map(|field| {
        let mut sizes = [0u64; 3];
        let [first, second, third] = &mut sizes;
        let out = [address(first), address(second), address(third)];
        let (suffix, number) = match (field.is_var, field.is_nullable) {
            (false, false) => ("", 1),
            (false, true) => ("_nullable", 2),
            (true, false) => ("_var", 2),
            (true, true) => ("_var_nullable", 3),
        };
        let name = format!("query_get_est_result_size{suffix}");
        let arguments = [&[query.handle, text(field.name)][..], &out[..number]].concat();
        library.attempt(&name, &arguments)?;
        Ok(sizes)
    });
    fields.collect()
}

/// Returns the message of the estimated sizes in JSON, with the fields in the order of their names
/// and sizes rounded up: libtiledb sends fractions.
fn sizes_in_json(library: &Library, query: &Query<'_>) -> Done<Value> {
    fn round(value: &mut Value) {
        match value {
            Value::Object(object) => object.values_mut().for_each(round),
            Value::Array(values) => values.iter_mut().for_each(round),
            Value::Number(number) => {
                let size = number.as_f64().map(|size| size.ceil() as u64);
                *value = size.into();
            }
            _ => {}
        }
    }
    let mut message = normal(&sizes(library, query, JSON)?)["resultSizes"].take();
    if let Some(entries) = message["entries"].as_array_mut() {
        // libtiledb adds an entry for the coordinates of all dimensions.
        entries.retain(|entry| entry["key"] != "__coords");
        entries.sort_by_key(|entry| entry["key"].to_string());
    }
    round(&mut message);
    Ok(message)
}

fn sizes(library: &Library, query: &Query<'_>, encoding: usize) -> Done<Vec<u8>> {
    let arguments = [query.handle, encoding, 0];
    let buffer = library.try_make("serialize_query_est_result_sizes", &arguments)?;
    Ok(take_buffer(library, buffer))
}

/// Sends the estimated sizes of a read to the other library.
pub(crate) fn check_estimates(libraries: &[Library; 2], stored: &Stored, seed: u64) -> Done {
    for (from, to) in [(0, 1), (1, 0)] {
        let (from, to) = (&libraries[from], &libraries[to]);
        let mut read = Read::random(&mut Random(seed));
        read.aggregates.clear();
        let array = read.open(from, stored)?;
        let query = read.query(&array, from)?;
        let expected = estimates(from, &query, &read)?;
        let json = sizes_in_json(from, &query)?;
        for encoding in [JSON, CAPNP] {
            let message = sizes(from, &query, encoding)?;
            let array = read.open(to, stored)?;
            let other = read.query(&array, to)?;
            with_buffer(to, &message, |buffer| {
                let arguments = [other.handle, encoding, CLIENT, buffer];
                to.attempt("deserialize_query_est_result_sizes", &arguments)
            })?;
            let case = format!("{encoding} from {}, {read:?}", from.name);
            assert_eq!(estimates(to, &other, &read)?, expected, "{case}");
            assert_same(&sizes_in_json(to, &other)?, &json, &case);
        }
    }
    Ok(())
}

/// The engine, which writes the requests for plans that a client sends: the C API does not.
pub(crate) struct Client(Arc<Vfs>);

impl Client {
    pub(crate) fn new() -> Done<Self> {
        let context = Context::new(Config::new()).map_err(failed)?;
        Ok(Self(Vfs::new(&context).map_err(failed)?))
    }

    /// Returns the request for the plan of the query of a message.
    fn plan_request(&self, uri: &str, message: &[u8], encoding: MessageEncoding) -> Done<Vec<u8>> {
        let array = Array::new(&self.0, uri).map_err(failed)?;
        array.open(QueryType::Read).map_err(failed)?;
        let mut query = EngineQuery::new(&Arc::new(array), QueryType::Read).map_err(failed)?;
        let read = messages::read_query(message, &query, MessageEncoding::Capnp);
        let (state, fields) = read.map_err(failed)?;
        query.receive(state);
        let size = |size| BufferSize {
            size,
            original: size,
        };
        let headers: Vec<FieldHeader<'_>> = fields
            .iter()
            .map(|field| FieldHeader {
                name: &field.name,
                data: Some(size(field.originals.data)),
                offsets: field.is_var.then(|| size(field.originals.offsets)),
                validity: field.is_nullable.then(|| size(field.originals.validity)),
            })
            .collect();
        messages::write_query_plan_request(&query, &headers, encoding).map_err(failed)
    }
}

/// Compares the plans that servers of both libraries return for a read of a client of each.
pub(crate) fn check_plan(
    libraries: &[Library; 2],
    stored: &Stored,
    engine: &Client,
    seed: u64,
) -> Done {
    let read = Read::random(&mut Random(seed));
    let uri = &stored.0[read.shape];
    let mut plans: Vec<String> = Vec::new();
    for client in libraries {
        let array = read.open(client, stored)?;
        let query = read.query(&array, client)?;
        let mut buffers = read.buffers();
        for (name, field) in &mut buffers {
            field.set(client, &query, name)?;
        }
        let message = match serialized(client, query.handle, CLIENT) {
            // libtiledb's limit.
            Err(error) if error.contains("Multi-range reads") => continue,
            message => message?,
        };
        for (encoding, form) in [
            (JSON, MessageEncoding::Json),
            (CAPNP, MessageEncoding::Capnp),
        ] {
            let uri_text = uri.to_str().expect("a path");
            let request = engine.plan_request(uri_text, &message, form)?;
            for server in libraries {
                let array = OpenArray::open(server, uri, READ, read.time)?;
                let response = server.try_make("buffer_alloc", &[])?;
                let handled = with_buffer(server, &request, |buffer| {
                    let arguments = [array.handle, encoding, buffer, response];
                    server.attempt("handle_query_plan_request", &arguments)
                });
                let response = take_buffer(server, response);
                if handled
                    .as_ref()
                    .is_err_and(|error| error.contains("Multi-range reads"))
                {
                    continue;
                }
                handled.map_err(|error| {
                    format!("client {}, server {}: {error}", client.name, server.name)
                })?;
                let plan = messages::read_query_plan_response(&response, form).map_err(failed)?;
                plans.push(format!("{plan:?}"));
            }
        }
    }
    assert!(
        plans.windows(2).all(|pair| pair[0] == pair[1]),
        "{read:?}: {plans:#?}"
    );
    Ok(())
}
