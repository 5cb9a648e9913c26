//! Mutated and truncated messages: reading one is an error or succeeds, in every function that
//! reads messages.

use std::path::Path;

use crate::arrays::schema::{self, ENUMERATED, SPARSE};
use crate::arrays::write::Cells;
use crate::arrays::{OpenArray, OpenGroup, READ, c_path, metadata, text};
use crate::library::Library;
use crate::message::{CAPNP, JSON, Kind, serialize, take_buffer, with_buffer};
use crate::random::{self, Random};
use crate::{objects, schemas};

/// A function that reads a message.
#[derive(Clone, Copy)]
enum Reader {
    /// A function that creates an object, and the one that frees it.
    Makes(&'static str, &'static str),
    Array,
    /// A function with an array, the encoding and the message.
    ArrayEncoded(&'static str),
    AllDomains,
    FragmentInfo,
    Group,
    GroupMetadata,
    /// A request on an array with a response.
    Request(&'static str),
}

/// A valid message and what reads it.
struct Sample {
    reader: Reader,
    encoding: usize,
    message: Vec<u8>,
}

/// The objects that messages are read into.
struct Targets<'a> {
    library: &'a Library,
    array: OpenArray<'a>,
    group: OpenGroup<'a>,
    uri: std::ffi::CString,
}

impl Targets<'_> {
    /// Returns whether the message is read.
    fn read(&self, reader: Reader, encoding: usize, message: &[u8]) -> bool {
        let library = self.library;
        let array = self.array.handle;
        with_buffer(library, message, |buffer| match reader {
            Reader::Makes(name, free) => {
                let made = library.try_make(name, &[buffer, encoding, 1]);
                made.map(|made| library.free(free, made)).is_ok()
            }
            Reader::Array => {
                let arguments = [buffer, encoding, 1, text(&self.uri)];
                let made = library.try_make("deserialize_array", &arguments);
                made.map(|made| library.free("array_free", made)).is_ok()
            }
            Reader::ArrayEncoded(name) => library.attempt(name, &[array, encoding, buffer]).is_ok(),
            Reader::AllDomains => {
                let name = "deserialize_array_non_empty_domain_all_dimensions";
                library.attempt(name, &[array, buffer, encoding, 1]).is_ok()
            }
            Reader::FragmentInfo => {
                let info = library.make("fragment_info_alloc", &[text(&self.uri)]);
                let arguments = [buffer, encoding, text(&self.uri), 1, info];
                let read = library.attempt("deserialize_fragment_info", &arguments);
                library.free("fragment_info_free", info);
                read.is_ok()
            }
            Reader::Group => {
                let arguments = [buffer, encoding, 1, self.group.handle];
                library.attempt("deserialize_group", &arguments).is_ok()
            }
            Reader::GroupMetadata => {
                let arguments = [self.group.handle, encoding, buffer];
                let name = "deserialize_group_metadata";
                library.attempt(name, &arguments).is_ok()
            }
            Reader::Request(name) => {
                let response = library.make("buffer_alloc", &[]);
                let arguments = [array, encoding, buffer, response];
                let read = library.attempt(name, &arguments);
                library.free("buffer_free", response);
                read.is_ok()
            }
        })
    }
}

/// Returns valid messages of all kinds.
fn samples(targets: &Targets<'_>) -> Vec<Sample> {
    let library = targets.library;
    let mut samples = Vec::new();
    let mut add = |reader, encoding, message| {
        samples.push(Sample {
            reader,
            encoding,
            message,
        });
    };
    let sent = |noun: &str, arguments: &[usize]| {
        take_buffer(
            library,
            library.make(&format!("serialize_{noun}"), arguments),
        )
    };
    for encoding in [JSON, CAPNP] {
        for seed in 1..6 {
            let schema = schemas::schema(library, &mut Random(seed));
            let message = serialize(library, Kind::Schema, schema, encoding, 1);
            let makes = Reader::Makes("deserialize_array_schema", "array_schema_free");
            add(makes, encoding, message);
            let evolution = schemas::evolution(library, &mut Random(seed));
            let message = serialize(library, Kind::Evolution, evolution, encoding, 1);
            let free = "array_schema_evolution_free";
            let makes = Reader::Makes("deserialize_array_schema_evolution", free);
            add(makes, encoding, message);
        }
        let config = objects::config(library, &mut Random(1));
        let message = serialize(library, Kind::Config, config, encoding, 1);
        add(
            Reader::Makes("deserialize_config", "config_free"),
            encoding,
            message,
        );
        let array = targets.array.handle;
        add(
            Reader::Array,
            encoding,
            sent("array", &[array, encoding, 1]),
        );
        let opens = Reader::Makes("deserialize_array_open", "array_free");
        add(opens, encoding, sent("array_open", &[array, encoding, 1]));
        let message = sent("array_metadata", &[array, encoding]);
        let reads = Reader::ArrayEncoded("deserialize_array_metadata");
        add(reads, encoding, message.clone());
        add(Reader::GroupMetadata, encoding, message);
        let noun = "array_non_empty_domain_all_dimensions";
        add(
            Reader::AllDomains,
            encoding,
            sent(noun, &[array, encoding, 1]),
        );
        let info = library.make("fragment_info_alloc", &[text(&targets.uri)]);
        library.ok("fragment_info_load", &[info]);
        add(
            Reader::FragmentInfo,
            encoding,
            sent("fragment_info", &[info, encoding, 1]),
        );
        add(
            Reader::Group,
            encoding,
            sent("group", &[targets.group.handle, encoding, 1]),
        );
    }
    for (name, request) in [
        (
            "handle_load_enumerations_request",
            r#"{"enumerations":["colors"]}"#,
        ),
        (
            "handle_load_array_schema_request",
            r#"{"includeEnumerations":true}"#,
        ),
        (
            "handle_consolidation_plan_request",
            r#"{"fragmentSize":"100"}"#,
        ),
    ] {
        add(Reader::Request(name), JSON, request.as_bytes().to_vec());
    }
    samples
}

/// Returns a message with a few changed, removed or repeated bytes.
fn mutated(message: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = message.to_vec();
    for _ in 0..1 + random.below(4) {
        let position = random.below(bytes.len() as u64 + 1) as usize;
        match random.below(6) {
            0 => bytes.truncate(position),
            1 => {
                let end = (position + random.below(16) as usize).min(bytes.len());
                bytes.drain(position.min(end)..end);
            }
            2 => {
                let end = (position + random.below(64) as usize).min(bytes.len());
                let part = bytes[position.min(end)..end].to_vec();
                bytes.splice(position..position, part);
            }
            3 => {
                let numbers = [0, 1, 0x7f, 0x80, 0xff];
                if let Some(byte) = bytes.get_mut(position) {
                    *byte = random.one_of(&numbers);
                }
            }
            4 => {
                if let Some(byte) = bytes.get_mut(position) {
                    *byte ^= 1 << random.below(8);
                }
            }
            _ => {
                // A pointer or a number of Cap'n Proto.
                if let Some(word) = bytes.get_mut(position / 8 * 8..position / 8 * 8 + 8) {
                    let number = random.next() >> random.below(64);
                    word.copy_from_slice(&number.to_le_bytes());
                }
            }
        }
    }
    bytes
}

/// Reads damaged messages. Returns how many were read and how many were errors.
pub(crate) fn run(library: &Library, folder: &Path) -> (u64, u64) {
    let uri = c_path(&folder.join("array"));
    let shape = schema::Shape {
        sparse: true,
        ..ENUMERATED
    };
    schema::create(library, &uri, shape).expect("array");
    Cells::new(shape, 3..9, 1)
        .write(library, &uri)
        .expect("cells");
    metadata::change_array(library, &uri, &[(c"a", Some(5))], None).expect("metadata");
    let group = c_path(&folder.join("group"));
    library.ok("group_create", &[text(&group)]);
    schema::create(library, &c_path(&folder.join("member")), SPARSE).expect("member");
    metadata::change_members(library, &group, &[c"../member"], &[]).expect("members");
    let targets = Targets {
        library,
        array: OpenArray::open(library, &uri, READ, None).expect("open"),
        group: OpenGroup::open(library, &group, READ).expect("open"),
        uri,
    };
    let samples = samples(&targets);
    for sample in &samples {
        assert!(targets.read(sample.reader, sample.encoding, &sample.message));
    }
    let (mut read, mut rejected) = (0, 0);
    random::for_each_seed(2000, |seed| {
        let random = &mut Random(seed);
        let sample = &samples[random.below(samples.len() as u64) as usize];
        let message = mutated(&sample.message, random);
        if targets.read(sample.reader, sample.encoding, &message) {
            read += 1;
        } else {
            rejected += 1;
        }
        let error = library.last_error();
        assert!(
            !error.contains("uncaught exception"),
            "seed {seed}: {error}"
        );
    });
    (read, rejected)
}
