//! The shared library exports the C API and nothing else, and has libtiledb's soname.
#![expect(clippy::print_stdout, reason = "a test that skips says so")]

mod prototypes;
mod shared_library;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// Functions of earlier releases of libtiledb, which programs built for those releases need.
const EARLIER_FUNCTIONS: [&str; 29] = [
    "tiledb_array_consolidate_with_key",
    "tiledb_array_create_with_key",
    "tiledb_array_delete_array",
    "tiledb_array_delete_fragments",
    "tiledb_array_schema_dump",
    "tiledb_array_schema_load_with_key",
    "tiledb_attribute_dump",
    "tiledb_dimension_dump",
    "tiledb_domain_dump",
    "tiledb_enumeration_dump",
    "tiledb_fragment_info_get_fragment_name",
    "tiledb_group_dump_str",
    "tiledb_group_get_member_by_index",
    "tiledb_group_get_member_by_name",
    "tiledb_query_add_point_ranges",
    "tiledb_query_add_range",
    "tiledb_query_add_range_by_name",
    "tiledb_query_add_range_var",
    "tiledb_query_add_range_var_by_name",
    "tiledb_query_get_range",
    "tiledb_query_get_range_from_name",
    "tiledb_query_get_range_num",
    "tiledb_query_get_range_num_from_name",
    "tiledb_query_get_range_var",
    "tiledb_query_get_range_var_from_name",
    "tiledb_query_get_range_var_size",
    "tiledb_query_get_range_var_size_from_name",
    "tiledb_query_set_subarray",
    "tiledb_query_submit_async",
];

/// Functions of libtiledb 2.31.
const LATER_FUNCTIONS: [&str; 3] = [
    "tiledb_fragment_info_get_global_order_lower_bound",
    "tiledb_fragment_info_get_global_order_upper_bound",
    "tiledb_query_unset_buffers",
];

/// Returns the output of a binutils program on the shared library, or `None` if it is not
/// installed.
fn tool(program: &str, args: &[&str]) -> Option<String> {
    let ran = Command::new(program)
        .args(args)
        .arg(shared_library::path())
        .output();
    let Ok(ran) = ran else {
        println!("skipped: {program} is not installed");
        return None;
    };
    assert!(ran.status.success(), "{program} failed");
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// Returns the exported names of an `nm` listing: the last word of each line, without a version.
fn exported() -> Option<BTreeSet<String>> {
    let listing = tool("nm", &["-D", "--defined-only"])?;
    let names = listing
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    Some(
        names
            .map(|symbol| symbol.split('@').next().unwrap_or(symbol).to_owned())
            .collect(),
    )
}

#[test]
fn exports_are_the_functions_and_objects_of_the_header() {
    let Some(exported) = exported() else { return };
    let functions = prototypes::functions(&prototypes::header("tiledb_rs.h"));
    let mut declared: BTreeSet<String> = functions.into_keys().collect();
    declared.extend(prototypes::variables(&prototypes::header(
        "tiledb_rs_enums.h",
    )));
    let absent: Vec<_> = declared.difference(&exported).collect();
    let surplus: Vec<_> = exported.difference(&declared).collect();
    assert!(absent.is_empty(), "not exported: {absent:#?}");
    assert!(surplus.is_empty(), "not in the header: {surplus:#?}");
    println!("{} symbols", exported.len());
}

#[test]
fn exports_have_every_function_of_libtiledb() {
    let Some(folder) = std::env::var_os("TILEDB_RS_ABI_DIR") else {
        println!("skipped: TILEDB_RS_ABI_DIR is not set");
        return;
    };
    let Some(exported) = exported() else { return };
    let table = PathBuf::from(folder).join("functions.tsv");
    let table = std::fs::read_to_string(table).expect("a table");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let theirs: BTreeSet<String> = rows
        .filter_map(|row| row.split('\t').next())
        .map(str::to_owned)
        .collect();
    let absent: Vec<_> = theirs.difference(&exported).collect();
    assert!(absent.is_empty(), "not exported: {absent:#?}");
    let is_object = |name: &&String| {
        name.starts_with("tiledb_channel_operator_") || *name == "tiledb_aggregate_count"
    };
    let is_own = |name: &&String| name.starts_with("tiledb_rs_");
    let is_earlier = |name: &&String| EARLIER_FUNCTIONS.contains(&name.as_str());
    let is_later = |name: &&String| LATER_FUNCTIONS.contains(&name.as_str());
    let surplus: Vec<_> = exported
        .difference(&theirs)
        .filter(|name| !is_object(name) && !is_own(name) && !is_earlier(name) && !is_later(name))
        .collect();
    assert!(surplus.is_empty(), "not of libtiledb: {surplus:#?}");
    assert_eq!(
        exported.iter().filter(is_earlier).count(),
        EARLIER_FUNCTIONS.len()
    );
    assert_eq!(
        exported.iter().filter(is_later).count(),
        LATER_FUNCTIONS.len()
    );
    assert_eq!(exported.difference(&theirs).filter(is_object).count(), 6);
}

#[test]
fn the_library_has_the_soname_of_libtiledb_and_is_never_unloaded() {
    let Some(section) = tool("readelf", &["--dynamic", "--wide"]) else {
        return;
    };
    assert!(section.contains("soname: [libtiledb.so.2.30]"), "{section}");
    let is_set = |line: &str| line.contains("FLAGS_1") && line.contains("NODELETE");
    assert!(section.lines().any(is_set), "{section}");
}
