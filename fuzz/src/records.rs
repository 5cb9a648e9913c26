//! The parsers of records and texts: any input is a value or an error, and a parsed value can be
//! written and parsed again.

use std::fs;
use std::path::PathBuf;

use tiledb_engine::ErrorKind;
use tiledb_engine::bytes::{Cursor, Sink};
use tiledb_engine::config::{Config, Profile};
use tiledb_engine::format::commits::{read_condition, read_consolidated_commits, read_names};
use tiledb_engine::format::fragment::{FooterHead, read_consolidated, read_numbers};
use tiledb_engine::format::group::{read_group, write_group};
use tiledb_engine::format::metadata::read_metadata;
use tiledb_engine::format::version::FormatVersion;
use tiledb_engine::format::{enumeration as enumerations, filter_list as filter_lists, schema};
use tiledb_engine::expression;
use tiledb_engine::tile::generic;
use tiledb_engine::vfs::Uri;

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
            let found = match error.kind() {
                ErrorKind::Condition { position, .. } => *position,
                _ => 0,
            };
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
