//! Makes the first inputs of each target: valid records, filtered chunks, texts and arrays.

use std::collections::{BTreeMap, BTreeSet};

use tiledb_engine::internal::array::OwnedMetadataEntry;
use tiledb_engine::internal::bytes::Sink;
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::filter::{Filter, Pipeline, Texts};
use tiledb_engine::internal::format::commits::read_consolidated_commits;
use tiledb_engine::internal::format::filter_list;
use tiledb_engine::internal::format::group::{GroupMember, GroupVersion, write_group};
use tiledb_engine::internal::schema::{Attribute, SchemaDraft, SchemaEvolution};
use tiledb_engine::internal::serialization::{self as messages_of, MessageEncoding};
use tiledb_engine::internal::tile::generic;
use tiledb_engine::internal::types::{
    ArrayType, Datatype, EncryptionKey, ObjectType, QueryType, Range,
};

use super::{FILTERS, TEXT_ENCODINGS, arrays, list, messages};

/// The inputs of each target.
#[derive(Default)]
struct Corpus(BTreeMap<&'static str, BTreeSet<Vec<u8>>>);

impl Corpus {
    fn add(&mut self, target: &'static str, input: impl Into<Vec<u8>>) {
        self.0.entry(target).or_default().insert(input.into());
    }
}

/// Returns the inputs of each target.
pub fn inputs() -> BTreeMap<&'static str, BTreeSet<Vec<u8>>> {
    let mut corpus = Corpus::default();
    add_texts(&mut corpus);
    add_filters(&mut corpus);
    add_groups(&mut corpus);
    add_arrays(&mut corpus);
    add_messages(&mut corpus);
    corpus.0
}

fn add_texts(corpus: &mut Corpus) {
    let conditions = [
        "a > 3 AND b = 'x'",
        "NOT (a <= -1.5e3 OR \"full name\" IS NOT NULL)",
        "a IN (1, 0xff, 3) AND b NOT IN ('it''s', X'00ff')",
        "t BETWEEN '2024-02-29T12:30:00.5' AND '12:30' OR x <> TRUE",
        "a == INF OR 5 >= b OR c != NAN",
    ];
    let uris = [
        "mem://a/b",
        "file:///tmp/a%20b/../c",
        "s3://bucket/key?versionId=1",
        "azure://account/container/blob",
        "gs://bucket/a//b/",
        "tiledb://space/array",
        "relative/./path",
    ];
    let configs = [
        "sm.mem.total_budget 1000\n# comment\nvfs.s3.region us-east-1\n",
        "sm.io_concurrency_level\t4\n\n  rest.token   abc def\n",
    ];
    let profiles = [
        r#"{"fuzzed":{"rest.username":"one","rest.password":"secret"}}"#,
        r#"{"fuzzed":{"a":"\u0041\n"},"other":{}}"#,
    ];
    let all: [(&'static str, &[&str]); 4] = [
        ("condition_text", &conditions),
        ("uri", &uris),
        ("config_file", &configs),
        ("profile_file", &profiles),
    ];
    for (target, texts) in all {
        for text in texts {
            corpus.add(target, *text);
        }
    }
}

/// Adds chunks that the filters encoded, in the form that [`super::values`] takes.
fn add_filters(corpus: &mut Corpus) {
    let values: Vec<u8> = (0..64u64).flat_map(|n| (n * n / 3).to_le_bytes()).collect();
    for (target, kind) in FILTERS {
        let key = EncryptionKey::new(&[7; 32]).filter(|_| Filter::new(kind).is_none());
        for (which, datatype) in super::DATATYPES.into_iter().enumerate() {
            let pipeline = Pipeline::new(list(kind), datatype, key.as_ref());
            let stored = pipeline.and_then(|pipeline| pipeline.encode_tile(&values, &[0]));
            // The number of chunks, then the lengths of a chunk: original, filtered, metadata.
            if let Ok(stored) = stored
                && let Some((lengths, chunk)) = stored.get(8..).and_then(|b| b.split_at_checked(12))
            {
                let mut input = vec![which as u8, lengths[0], lengths[1], lengths[8]];
                input.extend_from_slice(chunk);
                corpus.add(target, input);
            }
            corpus.add(target, [&[which as u8, 0, 2, 0], &values[..]].concat());
        }
    }
    let words = b"one\0one\0two\0\0three\0three";
    let starts = [0, 4, 8, 12, 13, 19, 24];
    for (target, kind) in TEXT_ENCODINGS {
        let texts = Texts {
            values: words,
            starts: &starts,
        };
        let pipeline = Pipeline::for_texts(list(kind), Datatype::StringAscii, None);
        if let Ok(stored) = pipeline.and_then(|pipeline| pipeline.encode_texts(texts)) {
            let input = [&[starts.len() as u8 - 1, words.len() as u8], &stored[..]];
            corpus.add(target, input.concat());
        }
        corpus.add(target, [&[6, 24], &words[..]].concat());
    }
    for (_, kind) in FILTERS {
        let mut to = Sink::new();
        filter_list::write(&list(kind), &mut to);
        corpus.add("filter_list", [&[22], to.as_slice()].concat());
    }
}

fn add_groups(corpus: &mut Corpus) {
    let members = [0, 1].map(|index| GroupMember {
        kind: ObjectType::Group,
        relative: true,
        uri: format!("member{index}"),
        name: (index == 1).then(|| "name".to_owned()),
        removed: false,
    });
    for version in [GroupVersion::Whole, GroupVersion::Changes] {
        let mut record = Sink::new();
        write_group(&mut record, version, &members.each_ref());
        corpus.add("group_details", record.as_slice());
    }
}

/// Adds messages of objects.
fn add_messages(corpus: &mut Corpus) {
    let mut add = |target, write: &dyn Fn(MessageEncoding) -> Option<Vec<u8>>| {
        for seed in messages::seeds(write) {
            corpus.add(target, seed);
        }
    };
    let config = Config::new();
    add("message_config", &|encoding| {
        messages_of::write_config(&config, encoding).ok()
    });
    let schema = SchemaDraft::new(ArrayType::Sparse, Some(1)).snapshot();
    add("message_schema", &|encoding| {
        messages_of::write_schema(&schema, Some("mem://a"), encoding).ok()
    });
    let mut evolution = SchemaEvolution::default();
    evolution.drop_attribute("a");
    let _ = evolution.add_attribute(Attribute::new("b", Datatype::Int32));
    add("message_schema_evolution", &|encoding| {
        messages_of::write_schema_evolution(&evolution, encoding).ok()
    });
    let entries = [OwnedMetadataEntry {
        key: "k".to_owned(),
        value: Some((Datatype::Uint8, vec![1, 2])),
    }];
    add("message_metadata", &|encoding| {
        messages_of::write_metadata(&entries, encoding).ok()
    });
    let bounds = vec![Range::of(1i32, 5), Range::var(b"a", b"bc")];
    add("message_non_empty_domain", &|encoding| {
        messages_of::write_non_empty_domains(Some(&bounds), encoding).ok()
    });
    add("message_requests", &|encoding| {
        messages_of::write_array_open(&config, QueryType::Read, encoding).ok()
    });
    for target in [
        "message_array",
        "message_fragment_info",
        "message_group",
        "message_query",
    ] {
        for seed in messages::objects(target) {
            corpus.add(target, seed);
        }
    }
}

/// Adds the files of the arrays and the records in them.
fn add_arrays(corpus: &mut Corpus) {
    for (which, array) in arrays::originals().iter().enumerate() {
        let which = which as u8;
        corpus.add("array_patches", [which]);
        corpus.add("array_patches", [which | 0x80]);
        for position in [0u16, 9, 30, 61] {
            let mut patches = vec![which];
            for file in 0..16u8 {
                patches.extend([file, file]);
                patches.extend(position.to_le_bytes());
                patches.extend(u64::from(file).to_le_bytes());
                corpus.add("array_patches", patches.as_slice());
                patches.truncate(1);
            }
        }
        let files = array
            .iter()
            .filter_map(|(path, bytes)| Some((path, bytes.as_ref()?)));
        for (file, (path, bytes)) in files.enumerate() {
            let input = [&[which, file as u8], &bytes[..]].concat();
            corpus.add("array_files", input);
            add_records(corpus, path, bytes);
        }
    }
}

/// Adds a file of an array to the target for its records.
fn add_records(corpus: &mut Corpus, path: &str, bytes: &[u8]) {
    let record = || generic::decode(bytes, None).ok();
    let name = path.rsplit('/').next().unwrap_or_default();
    let target = if path.contains("__enumerations/") {
        Some("enumeration")
    } else if path.contains("__schema/") {
        Some("array_schema")
    } else if path.starts_with("__meta/") {
        Some("array_metadata")
    } else if name.ends_with(".del") {
        Some("delete_condition")
    } else if name.ends_with(".meta") {
        Some("consolidated_footers")
    } else {
        None
    };
    if name.ends_with(".vac") || name.ends_with(".ign") {
        corpus.add("name_list", bytes);
    } else if name.ends_with(".con") {
        corpus.add("consolidated_commits", bytes);
        for entry in read_consolidated_commits(bytes).unwrap_or_default() {
            let condition = entry.condition.map(|(_, tile)| generic::decode(tile, None));
            if let Some(Ok(condition)) = condition {
                corpus.add("delete_condition", condition);
            }
        }
    } else if let Some(target) = target
        && let Some(record) = record()
    {
        corpus.add("generic_tile", bytes);
        corpus.add(target, record);
    } else if name == "__fragment_metadata.tdb" {
        add_fragment_metadata(corpus, bytes);
    }
}

/// Adds the sections and the footer of a metadata file. Sections are generic tiles in sequence.
fn add_fragment_metadata(corpus: &mut Corpus, bytes: &[u8]) {
    let mut sections = Vec::new();
    for start in 0..bytes.len() {
        if let Ok(record) = generic::decode(&bytes[start..], None) {
            sections.push(record);
        }
    }
    for record in sections {
        corpus.add("tile_offsets", record.as_slice());
        for kind in 0..8u8 {
            corpus.add("fragment_section", [&[kind], &record[..]].concat());
        }
    }
    // The length of the footer is stored after it.
    let length = bytes.last_chunk().map(|length| u64::from_le_bytes(*length));
    let start = length.and_then(|length| bytes.len().checked_sub(8 + length as usize));
    if let Some(footer) = start.and_then(|start| bytes.get(start..)) {
        for target in ["fragment_footer", "fragment_footer_of_schema"] {
            corpus.add(target, footer);
        }
    }
}
