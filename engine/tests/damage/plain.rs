//! Stores the generic tiles of an array uncompressed, so that damage affects the numbers of records
//! and not the checksums of deflate.

use std::collections::HashMap;

use tiledb_engine::internal::bytes::{Cursor, Sink};
use tiledb_engine::internal::filter::FilterList;
use tiledb_engine::internal::format::commits::{
    read_consolidated_commits, write_consolidated_commit,
};
use tiledb_engine::internal::format::fragment::{
    Footer, FooterColumn, FooterHead, FooterLocation, is_length_stored, read_consolidated,
    write_consolidated,
};
use tiledb_engine::internal::format::generic_tile::GenericTileHeader;
use tiledb_engine::internal::format::names::FragmentName;
use tiledb_engine::internal::format::version::{
    FOOTER_NAMES_SCHEMA, FormatVersion, METADATA_FOOTER,
};
use tiledb_engine::internal::format::{filter_list, schema};
use tiledb_engine::internal::schema::ArraySchema;
use tiledb_engine::internal::tile::generic;
use tiledb_engine::internal::types::Datatype;
use tiledb_engine::internal::vfs::Uri;

use super::Files;

/// The columns of a footer that contain offsets of sections.
const SECTIONS: [FooterColumn; 8] = [
    FooterColumn::TileOffsets,
    FooterColumn::VarOffsets,
    FooterColumn::VarSizes,
    FooterColumn::ValidityOffsets,
    FooterColumn::Mins,
    FooterColumn::Maxs,
    FooterColumn::Sums,
    FooterColumn::NullCounts,
];

/// Returns an uncompressed generic tile of a record.
fn plain(record: &[u8]) -> Vec<u8> {
    let len = u32::try_from(record.len()).expect("a short record");
    let mut filters = Sink::new();
    filter_list::write(&FilterList::default(), &mut filters);
    let mut stored = Sink::new();
    stored.u64(1);
    for len in [len, len, 0] {
        stored.u32(len);
    }
    stored.put(record);
    let header = GenericTileHeader {
        version: FormatVersion::WRITTEN,
        stored_size: stored.len() as u64,
        size: record.len() as u64,
        datatype: Datatype::Char,
        cell_size: 1,
        encryption: 0,
        filters: filters.as_slice(),
    };
    let mut to = Sink::new();
    header.write(&mut to);
    to.put(stored.as_slice());
    to.into_bytes()
}

/// Returns a generic tile with its record uncompressed.
fn tile(bytes: &[u8]) -> Vec<u8> {
    plain(&generic::decode(bytes, None).expect("a record"))
}

/// Returns a fragment metadata file with uncompressed records, and its footer. Before format 3, the
/// file is one record.
fn fragment_metadata(
    bytes: &[u8],
    fragment: &Uri,
    schemas: &HashMap<String, ArraySchema>,
) -> (Vec<u8>, Vec<u8>) {
    let version = FragmentName::parse(fragment.name())
        .expect("a name")
        .version();
    if version < METADATA_FOOTER {
        return (tile(bytes), Vec::new());
    }
    let only = schemas
        .values()
        .next()
        .filter(|_| version < FOOTER_NAMES_SCHEMA);
    let location = FooterLocation::find(version, only, bytes).expect("a footer");
    let footer = &bytes[bytes.len() - location.from_end as usize..][..location.len as usize];
    let mut from = Cursor::new("fragment footer", footer);
    let head = FooterHead::read(&mut from).expect("a footer");
    let named = head.schema_name.as_ref().map(|name| &schemas[&**name]);
    let schema = named.or(only).expect("a schema");
    let mut footer = Footer::read(head, &mut from, schema).expect("a footer");
    let mut made = Vec::new();
    let mut moved = |offset: u64| {
        let start = made.len() as u64;
        made.extend(tile(&bytes[offset as usize..]));
        start
    };
    footer.rtree = moved(footer.rtree);
    for column in SECTIONS {
        for slot in 0..footer.columns.slot_num() {
            let offset = moved(footer.columns.get(column, slot));
            footer.columns.set(column, slot, offset);
        }
    }
    footer.fragment_stats = moved(footer.fragment_stats);
    footer.processed_conditions = moved(footer.processed_conditions);
    let mut to = Sink::new();
    footer.write(&mut to, schema);
    made.extend_from_slice(to.as_slice());
    if is_length_stored(footer.head.version, schema) {
        made.extend_from_slice(&(to.len() as u64).to_le_bytes());
    }
    (made, to.into_bytes())
}

/// Returns consolidated commits with uncompressed conditions.
fn commits(bytes: &[u8]) -> Vec<u8> {
    let mut to = Sink::new();
    for entry in read_consolidated_commits(bytes).expect("commits") {
        let condition = entry.condition.map(|(_, condition)| tile(condition));
        write_consolidated_commit(&mut to, entry.name, condition.as_deref());
    }
    to.into_bytes()
}

/// Returns consolidated footers with the current footers of the fragments.
fn footers(bytes: &[u8], known: &HashMap<String, Vec<u8>>) -> Vec<u8> {
    let record = generic::decode(bytes, None).expect("a record");
    let names = read_consolidated(&record).expect("footers").into_iter();
    // Some fragments may have been removed.
    let footers = names.filter_map(|(name, _)| Some((name, known.get(name)?.clone())));
    let footers: Vec<(&str, Vec<u8>)> = footers.collect();
    let mut to = Sink::new();
    write_consolidated(&mut to, &footers);
    plain(to.as_slice())
}

/// Returns whether a file is a schema.
fn is_schema(path: &str) -> bool {
    let in_folder = path.contains("__schema/") && !path.contains("__enumerations/");
    in_folder || path.ends_with("__array_schema.tdb")
}

impl Files {
    /// Stores the records of all files of an array uncompressed.
    pub(super) fn uncompress(&self) {
        let vfs = &self.test_array.vfs;
        let all = self.list();
        let read = |uri| vfs.read_all(uri).expect("file");
        let schemas = all.iter().filter(|(path, _)| is_schema(path));
        let schemas: HashMap<String, ArraySchema> = schemas
            .map(|(_, uri)| {
                let record = generic::decode(&read(uri), None).expect("a schema");
                let schema = schema::read(&record, uri.name()).expect("a schema");
                (uri.name().to_owned(), schema)
            })
            .collect();
        let mut known = HashMap::new();
        for (path, uri) in &all {
            if path.ends_with("__fragment_metadata.tdb") {
                let fragment = uri.parent().expect("a folder");
                let (made, footer) = fragment_metadata(&read(uri), &fragment, &schemas);
                known.insert(fragment.name().to_owned(), footer);
                vfs.write_all(uri, &made).expect("write");
            }
        }
        for (path, uri) in &all {
            let holds_record = path.ends_with(".del")
                || is_schema(path)
                || path.contains("__schema/")
                || path.starts_with("__meta/") && !path.ends_with(".vac");
            let made = match path {
                path if path.ends_with(".con") => commits(&read(uri)),
                path if path.ends_with(".meta") => footers(&read(uri), &known),
                _ if holds_record => tile(&read(uri)),
                _ => continue,
            };
            vfs.write_all(uri, &made).expect("write");
        }
    }
}
