//! The readers of messages: any input is an object or an error. The first byte selects the
//! encoding.

use std::sync::{Arc, OnceLock};

use tiledb_engine::internal::array::{Array, create};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::group::Group;
use tiledb_engine::internal::inspect::FragmentInfo;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{
    ArraySchema, Attribute, Dimension, Domain, DomainDraft, SchemaDraft, shared,
};
use tiledb_engine::internal::serialization::{self as messages, MessageEncoding, Side};
use tiledb_engine::internal::types::{ArrayType, Datatype, QueryType};
use tiledb_engine::internal::vfs::{Uri, Vfs};

/// The encodings of messages.
const ENCODINGS: [MessageEncoding; 2] = [MessageEncoding::Json, MessageEncoding::Capnp];

/// Calls `read` with the encoding and the message of an input.
fn input(bytes: &[u8], read: impl FnOnce(&[u8], MessageEncoding)) {
    if let Some((first, message)) = bytes.split_first() {
        read(message, ENCODINGS[usize::from(*first % 2)]);
    }
}

/// Fuzzes a configuration, which is written and read again.
pub fn config(bytes: &[u8]) {
    input(bytes, |message, encoding| {
        if let Ok(config) = messages::read_config(message, encoding) {
            let written = messages::write_config(&config, encoding).expect("a message");
            assert!(messages::read_config(&written, encoding).is_ok());
        }
    });
}

/// Fuzzes a schema, which is written and read again.
pub fn schema(bytes: &[u8]) {
    input(bytes, |message, encoding| {
        if let Ok((schema, uri)) = messages::read_schema(message, encoding) {
            check_schema(&schema, &uri);
        }
        let _ = messages::read_array_create(message, encoding);
    });
}

fn check_schema(schema: &ArraySchema, uri: &str) {
    for encoding in ENCODINGS {
        let written = messages::write_schema(schema, Some(uri), encoding);
        let written = written.expect("a message");
        let again = messages::read_schema(&written, encoding);
        assert!(again.is_ok(), "{encoding:?}: {again:?}");
    }
}

/// Fuzzes changes of a schema, which are written and read again.
pub fn schema_evolution(bytes: &[u8]) {
    let config = Config::new();
    input(bytes, |message, encoding| {
        let Ok(evolution) = messages::read_schema_evolution(message, encoding, &config) else {
            return;
        };
        if let Ok(written) = messages::write_schema_evolution(&evolution, encoding) {
            let again = messages::read_schema_evolution(&written, encoding, &config);
            assert!(again.is_ok(), "{again:?}");
        }
    });
}

/// Fuzzes metadata.
pub fn metadata(bytes: &[u8]) {
    let config = Config::new();
    input(bytes, |message, encoding| {
        if let Ok(entries) = messages::read_metadata(message, encoding, &config) {
            let written = messages::write_metadata(&entries, encoding).expect("a message");
            let again = messages::read_metadata(&written, encoding, &config);
            assert!(again.is_ok_and(|again| again == entries));
        }
    });
}

/// Fuzzes non-empty domains of a domain of numbers and texts.
pub fn non_empty_domain(bytes: &[u8]) {
    let bounds = [0, 0, 0, 0, 9, 0, 0, 0];
    let numbers = Dimension::new("x", Datatype::Int32, Some(&bounds), None);
    let texts = Dimension::new("t", Datatype::StringAscii, None, None);
    let dimensions = [numbers, texts].into_iter().flatten().map(Arc::new);
    let domain = Domain {
        dimensions: dimensions.collect(),
    };
    input(bytes, |message, encoding| {
        let _ = messages::read_non_empty_domains(message, encoding, &domain);
        let _ = messages::read_non_empty_domain(message, encoding, &domain);
    });
}

/// Fuzzes requests of clients.
pub fn requests(bytes: &[u8]) {
    input(bytes, |message, encoding| {
        let _ = messages::read_array_open(message, encoding);
        let _ = messages::read_load_schema_request(message, encoding);
        let _ = messages::read_load_enumerations_request(message, encoding);
        let _ = messages::read_consolidation_plan_request(message, encoding);
        let _ = messages::read_delete_fragments_request(message, encoding);
        let _ = messages::read_delete_fragments_list_request(message, encoding);
        let _ = messages::read_fragment_info_request(message, encoding);
    });
}

/// Returns storage in memory.
fn vfs() -> &'static Arc<Vfs> {
    static VFS: OnceLock<Arc<Vfs>> = OnceLock::new();
    VFS.get_or_init(|| {
        let context = Context::new(Config::new()).expect("a context");
        Vfs::new(&context).expect("storage")
    })
}

/// Fuzzes an open array, which is written again.
pub fn array(bytes: &[u8]) {
    input(bytes, |message, encoding| {
        if let Ok(array) = messages::read_array(message, encoding, vfs(), "mem://fuzzed") {
            let _ = messages::write_array(&array, true, encoding);
        }
    });
}

/// Fuzzes fragment information, which is written again.
pub fn fragment_info(bytes: &[u8]) {
    let uri = Uri::parse("mem://fuzzed").expect("a URI");
    let info = FragmentInfo::new(vfs(), "mem://fuzzed").expect("a URI");
    input(bytes, |message, encoding| {
        if messages::read_fragment_info(message, encoding, &uri, &info).is_ok() {
            let _ = messages::write_fragment_info(&info, true, encoding);
            let _ = info.dump();
        }
    });
}

/// Fuzzes a group that is open for reading.
pub fn group(bytes: &[u8]) {
    let uri = "mem://group";
    static CREATED: OnceLock<bool> = OnceLock::new();
    CREATED.get_or_init(|| tiledb_engine::internal::group::create(vfs(), uri).is_ok());
    let group = Group::new(vfs(), uri).expect("a URI");
    group.open(QueryType::Read).expect("a group");
    input(bytes, |message, encoding| {
        if messages::read_group(message, encoding, &group).is_ok() {
            let _ = messages::write_group(&group, encoding);
        }
    });
}

/// Fuzzes a query of a sparse array, received by a server and written again.
pub fn query(bytes: &[u8]) {
    let uri = "mem://query";
    static CREATED: OnceLock<bool> = OnceLock::new();
    CREATED.get_or_init(|| create_array(uri).is_ok());
    let Some((first, message)) = bytes.split_first() else {
        return;
    };
    let array = Array::new(vfs(), uri).expect("a URI");
    let encoding = MessageEncoding::Capnp;
    let query_type = match first % 3 {
        0 => QueryType::Read,
        1 => QueryType::Write,
        _ => {
            let config = Config::new();
            let _ = messages::read_array_of_query(message, &array, &config, encoding);
            return;
        }
    };
    array.open(query_type).expect("an array");
    let mut query = Query::new(&Arc::new(array), query_type).expect("a query");
    if let Ok((received, _)) = messages::read_query(message, &query, encoding) {
        query.receive(received);
        let _ = messages::write_query(&query, &[], Side::Server, encoding);
        let _ = messages::write_query(&query, &[], Side::Client, encoding);
    }
}

/// Creates a sparse array in memory.
fn create_array(uri: &str) -> tiledb_engine::Result<()> {
    let bounds = [0, 0, 0, 0, 9, 0, 0, 0];
    let mut draft = SchemaDraft::new(ArrayType::Sparse, Some(1));
    let x = Dimension::new("x", Datatype::Int32, Some(&bounds), None)?;
    let dimensions = vec![shared(x)];
    draft.set_domain(&shared(DomainDraft { dimensions }))?;
    draft.add_attribute(&shared(Attribute::new("a", Datatype::Int32)))?;
    create(vfs(), &Uri::parse(uri)?, &draft.finish()?, None)
}

/// Returns the first inputs of a target with stored objects: the messages of an array or of a
/// group in memory.
pub(crate) fn objects(target: &str) -> Vec<Vec<u8>> {
    let uri = "mem://corpus";
    let created = create_array(uri);
    if created.is_err() && target == "message_array" {
        return Vec::new();
    }
    match target {
        "message_array" => {
            let array = Array::new(vfs(), uri).expect("a URI");
            array.open(QueryType::Read).expect("an array");
            seeds(|encoding| messages::write_array(&array, true, encoding).ok())
        }
        "message_query" => [QueryType::Read, QueryType::Write]
            .into_iter()
            .zip(0u8..)
            .map(|(query_type, first)| {
                let array = Array::new(vfs(), uri).expect("a URI");
                array.open(query_type).expect("an array");
                let query = Query::new(&Arc::new(array), query_type).expect("a query");
                let encoding = MessageEncoding::Capnp;
                let written = messages::write_query(&query, &[], Side::Client, encoding);
                [&[first][..], &written.expect("a message")].concat()
            })
            .collect(),
        "message_fragment_info" => {
            let info = FragmentInfo::new(vfs(), uri).expect("a URI");
            info.load().expect("an array");
            seeds(|encoding| messages::write_fragment_info(&info, true, encoding).ok())
        }
        _ => {
            let uri = "mem://corpus-group";
            tiledb_engine::internal::group::create(vfs(), uri).expect("a group");
            let group = Group::new(vfs(), uri).expect("a URI");
            group.open(QueryType::Read).expect("a group");
            seeds(|encoding| messages::write_group(&group, encoding).ok())
        }
    }
}

/// The first inputs of a target: the message of an object in both encodings.
pub(crate) fn seeds(write: impl Fn(MessageEncoding) -> Option<Vec<u8>>) -> Vec<Vec<u8>> {
    let seeds = (0..).zip(ENCODINGS);
    let seeds = seeds.filter_map(|(first, encoding)| {
        let message = write(encoding)?;
        Some([&[first][..], &message].concat())
    });
    seeds.collect()
}
