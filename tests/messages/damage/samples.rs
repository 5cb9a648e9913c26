//! Valid messages of all kinds.

use serde_json::Value;
use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::serialization::{self as messages, MessageEncoding};
use tiledb_engine::internal::types::{QueryType, TimeRange};
use tiledb_engine::internal::vfs::Vfs;

use super::queries;
use super::readers::{Reader, Stored};
use crate::arrays::{Done, OpenArray, OpenGroup, READ, WRITE, text};
use crate::library::{Library, address};
use crate::message::{CAPNP, JSON, Kind, serialize, take_buffer};
use crate::random::Random;
use crate::{objects, schemas};

/// The valid messages of a function in an encoding.
pub(super) struct Samples {
    pub(super) reader: Reader,
    pub(super) encoding: usize,
    pub(super) messages: Vec<Vec<u8>>,
}

/// The messages that are collected.
#[derive(Default)]
struct Collected(Vec<Samples>);

impl Collected {
    fn add(&mut self, reader: Reader, encoding: usize, mut message: Vec<u8>) {
        if encoding == JSON {
            message = with_few_parameters(&message);
        }
        let is_same =
            |samples: &&mut Samples| samples.reader == reader && samples.encoding == encoding;
        match self.0.iter_mut().find(is_same) {
            Some(samples) => samples.messages.push(message),
            None => self.0.push(Samples {
                reader,
                encoding,
                messages: vec![message],
            }),
        }
    }
}

/// Returns a message in JSON whose configurations have few parameters, so that most changes are of
/// other parts.
fn with_few_parameters(message: &[u8]) -> Vec<u8> {
    fn shorten(value: &mut Value) {
        match value {
            Value::Object(object) => {
                if let Some(Value::Array(entries)) = object.get_mut("entries") {
                    entries.truncate(4);
                }
                object.values_mut().for_each(shorten);
            }
            Value::Array(values) => values.iter_mut().for_each(shorten),
            _ => {}
        }
    }
    let mut value: Value = serde_json::from_slice(message).expect("JSON");
    shorten(&mut value);
    value.to_string().into_bytes()
}

/// Returns valid messages of all functions that read messages.
pub(super) fn all(library: &Library, stored: &Stored) -> Done<Vec<Samples>> {
    let mut to = Collected::default();
    for encoding in [JSON, CAPNP] {
        add_schemas(&mut to, library, encoding);
        for mode in [READ, WRITE] {
            add_array(&mut to, library, stored, encoding, mode)?;
        }
        add_requests(&mut to, stored, encoding)?;
    }
    let [sent, returned] = queries::messages(library, &stored.array)?;
    for message in sent {
        to.add(Reader::QueryOfServer, CAPNP, message.clone());
        to.add(Reader::QueryAndArray, CAPNP, message);
    }
    for message in returned {
        to.add(Reader::QueryOfClient, CAPNP, message);
    }
    Ok(to.0)
}

fn add_schemas(to: &mut Collected, library: &Library, encoding: usize) {
    for seed in 1..20 {
        let schema = schemas::schema(library, &mut Random(seed));
        let message = serialize(library, Kind::Schema, schema, encoding, 1);
        let reader = Reader::Makes("deserialize_array_schema", "array_schema_free");
        to.add(reader, encoding, message);
        let evolution = schemas::evolution(library, &mut Random(seed));
        let message = serialize(library, Kind::Evolution, evolution, encoding, 1);
        let free = "array_schema_evolution_free";
        let reader = Reader::Makes("deserialize_array_schema_evolution", free);
        to.add(reader, encoding, message);
        library.free("array_schema_free", schema);
        library.free(free, evolution);
    }
    let config = objects::config(library, &mut Random(1));
    let message = serialize(library, Kind::Config, config, encoding, 1);
    library.free("config_free", config);
    let reader = Reader::Makes("deserialize_config", "config_free");
    to.add(reader, encoding, message);
}

fn add_array(
    to: &mut Collected,
    library: &Library,
    stored: &Stored,
    encoding: usize,
    mode: usize,
) -> Done {
    let sent = |noun: &str, arguments: &[usize]| {
        let made = library.try_make(&format!("serialize_{noun}"), arguments);
        made.map(|made| take_buffer(library, made))
    };
    for uri in [&stored.array, &stored.dense] {
        let opened = OpenArray::open(library, uri, mode, None)?;
        let array = [opened.handle, encoding, 1];
        to.add(Reader::Array, encoding, sent("array", &array)?);
        let reader = Reader::Makes("deserialize_array_open", "array_free");
        to.add(reader, encoding, sent("array_open", &array)?);
        if mode == WRITE {
            continue;
        }
        let metadata = sent("array_metadata", &array[..2])?;
        to.add(Reader::ArrayMetadata, encoding, metadata.clone());
        to.add(Reader::GroupMetadata, encoding, metadata);
        let noun = "array_non_empty_domain_all_dimensions";
        to.add(Reader::AllDomains, encoding, sent(noun, &array)?);
        let mut domain = [3i64, 8];
        let arguments = [opened.handle, address(&mut domain), 0, encoding, 1];
        let message = sent("array_nonempty_domain", &arguments)?;
        to.add(Reader::Domain, encoding, message);
        let info = library.make("fragment_info_alloc", &[text(uri)]);
        library.ok("fragment_info_load", &[info]);
        let arguments = [info, encoding, 1];
        to.add(
            Reader::FragmentInfo,
            encoding,
            sent("fragment_info", &arguments)?,
        );
        let message = sent("fragment_info_request", &arguments)?;
        to.add(Reader::FragmentInfoRequest, encoding, message);
        library.free("fragment_info_free", info);
    }
    let group = OpenGroup::open(library, &stored.group, mode)?;
    to.add(
        Reader::Group,
        encoding,
        sent("group", &[group.handle, encoding, 1])?,
    );
    Ok(())
}

/// Adds the requests of clients, which the C API does not write.
fn add_requests(to: &mut Collected, stored: &Stored, encoding: usize) -> Done {
    let failed = |error: tiledb_engine::Error| error.to_string();
    let config = Config::new();
    let form = [MessageEncoding::Json, MessageEncoding::Capnp][encoding];
    let context = Context::new(Config::new()).map_err(failed)?;
    let vfs = Vfs::new(&context).map_err(failed)?;
    let uri = stored.array.to_str().expect("a path");
    let array = Array::new(&vfs, uri).map_err(failed)?;
    array.open(QueryType::Read).map_err(failed)?;
    let query = Query::new(&std::sync::Arc::new(array), QueryType::Read).map_err(failed)?;
    let times = TimeRange { start: 1, end: 5 };
    let schema = query.request().schema();
    let created = messages::write_array_create(schema, form).map_err(failed)?;
    to.add(Reader::ArrayCreate, encoding, created);
    let sizes = messages::write_result_sizes(&query, form).map_err(failed)?;
    to.add(Reader::ResultSizes, encoding, sizes);
    let deletion = Reader::Deletion;
    let lists = "handle_array_delete_fragments_list_request";
    let ranges = "handle_array_delete_fragments_timestamps_request";
    for (reader, message) in [
        (
            Reader::Request("handle_load_enumerations_request"),
            messages::write_load_enumerations_request(&config, &["colors"], form),
        ),
        // A message with a configuration only, as the request for a schema has it.
        (
            Reader::Request("handle_load_array_schema_request"),
            messages::write_vacuum_request(&config, form),
        ),
        (
            Reader::Request("handle_consolidation_plan_request"),
            messages::write_consolidation_plan_request(&config, 1000, form),
        ),
        (
            Reader::Request("handle_query_plan_request"),
            messages::write_query_plan_request(&query, &[], form),
        ),
        (
            deletion(lists),
            messages::write_delete_fragments_list_request(&config, &[], form),
        ),
        (
            deletion(lists),
            messages::write_delete_fragments_list_request(
                &config,
                &["__fragments/__1_2_00000000000000000000000000000001_22"],
                form,
            ),
        ),
        (
            deletion(ranges),
            messages::write_delete_fragments_request(&config, times, form),
        ),
    ] {
        to.add(reader, encoding, message.map_err(failed)?);
    }
    Ok(())
}
