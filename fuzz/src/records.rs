//! The parsers of records and texts: any input is a value or an error, and a parsed value can be
//! written and parsed again.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tiledb_engine::internal::bytes::{Cursor, Sink};
use tiledb_engine::internal::config::{Config, Profile};
use tiledb_engine::internal::expression;
use tiledb_engine::internal::format::commits::{
    read_condition, read_consolidated_commits, read_names,
};
use tiledb_engine::internal::format::fragment::{
    Footer, FooterHead, FooterLocation, LegacyMetadata, RTree, TileValues, read_consolidated,
    read_fragment_stats, read_numbers, read_processed_conditions,
};
use tiledb_engine::internal::format::group::{read_group, write_group};
use tiledb_engine::internal::format::metadata::read_metadata;
use tiledb_engine::internal::format::version::FormatVersion;
use tiledb_engine::internal::format::{
    enumeration as enumerations, filter_list as filter_lists, schema,
};
use tiledb_engine::internal::schema::{
    ArraySchema, Attribute, Dimension, DomainDraft, SchemaDraft, shared,
};
use tiledb_engine::internal::tile::generic;
use tiledb_engine::internal::types::{ArrayType, Datatype};
use tiledb_engine::internal::vfs::Uri;

/// Fuzzes an array schema.
pub fn array_schema(bytes: &[u8]) {
    if let Ok(found) = schema::read(bytes, "fuzzed") {
        let written = schema::write(&found);
        assert!(
            schema::read(&written, "fuzzed").is_ok(),
            "not read again: {found:?}"
        );
    }
}

/// Fuzzes an enumeration.
pub fn enumeration(bytes: &[u8]) {
    let _ = enumerations::read(bytes);
}

/// Fuzzes the members of a group.
pub fn group_details(bytes: &[u8]) {
    if let Ok((version, members)) = read_group(&mut Cursor::new("group", bytes)) {
        let mut to = Sink::new();
        write_group(&mut to, version, &members.iter().collect::<Vec<_>>());
        let again = read_group(&mut Cursor::new("group", to.as_slice()));
        assert!(
            again.is_ok_and(|(_, again)| again == members),
            "not read again: {members:?}"
        );
    }
}

/// Fuzzes a file of metadata.
pub fn array_metadata(bytes: &[u8]) {
    let _ = read_metadata(&mut Cursor::new("metadata", bytes));
}

/// Fuzzes the condition of a delete.
pub fn delete_condition(bytes: &[u8]) {
    let _ = read_condition(bytes);
}

/// Fuzzes the text of a condition. An error has a position in the text or just after it.
pub fn condition_text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match expression::parse(text) {
        Ok(condition) => drop(!condition.clone() & condition),
        Err(error) => {
            let end = text.chars().count() + 1;
            let found = error.condition_position().unwrap_or_default();
            assert!((1..=end).contains(&found), "{error}");
        }
    }
}

/// Fuzzes a file of consolidated commits.
pub fn consolidated_commits(bytes: &[u8]) {
    let _ = read_consolidated_commits(bytes);
}

/// Fuzzes a list of names of fragments or files.
pub fn name_list(bytes: &[u8]) {
    let _ = read_names(bytes);
}

/// Fuzzes consolidated metadata of fragments.
pub fn consolidated_footers(bytes: &[u8]) {
    let _ = read_consolidated(bytes);
}

/// Fuzzes the start of a fragment's footer.
pub fn fragment_footer(bytes: &[u8]) {
    let _ = FooterHead::read(&mut Cursor::new("fragment footer", bytes));
}

/// Returns the schema of the fragments whose metadata is fuzzed: dimensions of numbers and of
/// strings, an attribute.
fn fragment_schema() -> &'static ArraySchema {
    static SCHEMA: OnceLock<Arc<ArraySchema>> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let [low, high, extent] = [1i32, 60, 4].map(i32::to_le_bytes);
        let domain = [low, high].concat();
        let number = Dimension::new("d", Datatype::Int32, Some(&domain), Some(&extent));
        let text = Dimension::new("t", Datatype::StringAscii, None, None);
        let dimensions = [number, text].map(|dimension| shared(dimension.expect("a dimension")));
        let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
        let dimensions = dimensions.into_iter().collect();
        let domain = shared(DomainDraft { dimensions });
        draft.set_domain(&domain).expect("a domain");
        let attribute = shared(Attribute::new("a", Datatype::Int32));
        draft.add_attribute(&attribute).expect("an attribute");
        Arc::new(draft.finish().expect("a schema"))
    })
}

/// Fuzzes the footer of a fragment and its location in the file.
pub fn fragment_footer_of_schema(bytes: &[u8]) {
    let schema = fragment_schema();
    let mut from = Cursor::new("fragment footer", bytes);
    if let Ok(head) = FooterHead::read(&mut from) {
        let _ = FooterLocation::find(head.version, Some(schema), bytes);
        if let Ok(footer) = Footer::read(head, &mut from, schema) {
            footer.write(&mut Sink::new(), schema);
        }
    }
}

/// Fuzzes a section of the metadata of a fragment: R-tree, values of tiles, statistics, processed
/// conditions, or the metadata of the first format versions. The first byte selects it.
pub fn fragment_section(bytes: &[u8]) {
    let [kind, rest @ ..] = bytes else {
        return;
    };
    let schema = fragment_schema();
    let mut from = Cursor::new("fragment metadata", rest);
    match kind % 8 {
        0 => drop(RTree::read(&mut from, FormatVersion::WRITTEN, schema)),
        1 => drop(RTree::read(&mut from, FormatVersion(4), schema)),
        2 => drop(TileValues::read(&mut from, Some(4))),
        3 => drop(TileValues::read(&mut from, None)),
        4 => drop(read_fragment_stats(&mut from, 6)),
        5 => drop(read_processed_conditions(&mut from)),
        dense => drop(LegacyMetadata::read(&mut from, schema, dense == 6)),
    }
}

/// Fuzzes the offsets of tiles.
pub fn tile_offsets(bytes: &[u8]) {
    let _ = read_numbers(&mut Cursor::new("tile offsets", bytes), "tile offsets");
}

/// Fuzzes a list of filters; the first byte is the format version.
pub fn filter_list(bytes: &[u8]) {
    if let [version, rest @ ..] = bytes {
        let version = FormatVersion(u32::from(*version));
        let _ = filter_lists::read(&mut Cursor::new("filter list", rest), version);
    }
}

/// Fuzzes a generic tile.
pub fn generic_tile(bytes: &[u8]) {
    let _ = generic::decode(bytes, None);
}

/// Fuzzes a URI.
pub fn uri(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(uri) = Uri::parse(text)
    {
        assert!(
            Uri::parse(uri.as_str()).is_ok(),
            "not parsed again: {uri:?}"
        );
        let _ = (uri.name(), uri.parent());
    }
}

/// Fuzzes a configuration file.
pub fn config_file(bytes: &[u8]) {
    let file = folder().join("config");
    fs::write(&file, bytes).expect("a file");
    let _ = Config::new().load(file.to_str().expect("a path in UTF-8"));
}

/// Fuzzes the file of profiles.
pub fn profile_file(bytes: &[u8]) {
    let folder = folder();
    let folder = folder.to_str().expect("a path in UTF-8");
    fs::write(format!("{folder}/profiles.json"), bytes).expect("a file");
    if let Ok(mut profile) = Profile::new(Some("fuzzed"), Some(folder)) {
        let _ = profile.load();
    }
}

/// Returns a folder of this process.
fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tiledb-rs-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}
