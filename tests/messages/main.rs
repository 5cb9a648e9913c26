//! Messages: both libraries read what either wrote and write it again alike, as JSON and as Cap'n
//! Proto; and damaged messages are errors.
//!
//! `TILEDB_UPSTREAM_LIB` names libtiledb's shared library; without it only damage is tested.
//! `TILEDB_RS_CASES` is the number of random objects of each kind (schemas, evolutions, metadata,
//! arrays, groups, queries), and of damaged messages for each function and encoding; by default 20
//! to 100. A failure prints its seed, which `TILEDB_RS_SEED` repeats; `TILEDB_RS_FIRST_SEED` is the
//! first of the seeds.

#![expect(clippy::print_stdout, reason = "a test that skips says so")]

#[path = "../arrays/mod.rs"]
mod arrays;
#[allow(dead_code, reason = "shared with the comparison with libtiledb")]
#[path = "../upstream/attribute.rs"]
mod attribute;
#[allow(dead_code, reason = "shared with the comparison with libtiledb")]
#[path = "../upstream/condition.rs"]
mod condition;
#[allow(dead_code, reason = "shared with the comparison with libtiledb")]
#[path = "../upstream/coordinates.rs"]
mod coordinates;
mod damage;
mod domains;
#[allow(dead_code, reason = "shared with the comparison with libtiledb")]
#[path = "../upstream/filters.rs"]
mod filters;
#[path = "../upstream/library.rs"]
mod library;
mod message;
mod metadata;
#[path = "../mutation/mod.rs"]
mod mutation;
mod objects;
mod queries;
#[allow(dead_code, reason = "shared with the comparison with libtiledb")]
#[path = "../upstream/query.rs"]
mod query;
#[path = "../../engine/tests/random/mod.rs"]
mod random;
mod random_arrays;
mod requests;
mod schemas;
#[path = "../shared_library/mod.rs"]
mod shared_library;
#[allow(dead_code, reason = "shared with the comparison with libtiledb")]
#[path = "../upstream/sparse_spec.rs"]
mod sparse_spec;
#[allow(dead_code, reason = "shared with the comparison with libtiledb")]
#[path = "../upstream/spec.rs"]
mod spec;

use std::path::{Path, PathBuf};

use arrays::TestFolder;
use library::Library;
use message::{CAPNP, JSON, Kind, assert_same, deserialize, is_single_segment, normal, serialize};
use random::Random;

fn ours() -> Library {
    Library::open(&shared_library::path(), "tiledb_rs", None)
}

/// Returns both libraries; `None` without libtiledb.
fn both() -> Option<[Library; 2]> {
    let Some(path) = std::env::var_os("TILEDB_UPSTREAM_LIB") else {
        println!("skipped: TILEDB_UPSTREAM_LIB is not set");
        return None;
    };
    let theirs = Library::open(&PathBuf::from(path), "libtiledb", None);
    Some([ours(), theirs])
}

/// Makes an object with each library, sends it to the other one in both encodings, and compares
/// what that sends back.
fn check_exchange(
    libraries: &[Library; 2],
    kind: Kind,
    client_side: usize,
    make: impl Fn(&Library) -> usize,
) {
    let [ours, theirs] = libraries;
    for (from, to) in [(ours, theirs), (theirs, ours)] {
        let object = make(from);
        for encoding in [JSON, CAPNP] {
            let sent = serialize(from, kind, object, encoding, client_side);
            let received = deserialize(to, kind, &sent, encoding)
                .unwrap_or_else(|error| panic!("{} reads {kind:?}: {error}", to.name));
            let json = serialize(from, kind, object, JSON, client_side);
            if kind.is_written_once(&json) && to.name == theirs.name {
                to.free(kind.free(), received);
                continue;
            }
            let again = serialize(to, kind, received, JSON, client_side);
            let case = format!("from {}", from.name);
            assert_same(&normal(&again), &normal(&json), &case);
            let repeatable = is_single_segment(&sent) && kind.is_repeatable(&json);
            // libtiledb writes another name of a schema that is not stored.
            if encoding == CAPNP && repeatable && from.name == ours.name {
                let again = serialize(to, kind, received, CAPNP, client_side);
                assert!(again == sent, "bytes of {kind:?} from {}", from.name);
            }
            to.free(kind.free(), received);
        }
        from.free(kind.free(), object);
    }
}

#[test]
fn schemas_are_read_by_either_library() {
    let Some(libraries) = both() else { return };
    let seeds = random::for_each_seed(100, |seed| {
        for client_side in [1, 0] {
            check_exchange(&libraries, Kind::Schema, client_side, |library| {
                schemas::schema(library, &mut Random(seed))
            });
        }
    });
    println!("schemas: {}", seeds.count());
}

#[test]
fn schema_evolutions_are_read_by_either_library() {
    let Some(libraries) = both() else { return };
    let seeds = random::for_each_seed(100, |seed| {
        check_exchange(&libraries, Kind::Evolution, 1, |library| {
            schemas::evolution(library, &mut Random(seed))
        });
    });
    println!("schema evolutions: {}", seeds.count());
}

#[test]
fn configurations_are_read_by_either_library() {
    let Some(libraries) = both() else { return };
    let seeds = random::for_each_seed(20, |seed| {
        check_exchange(&libraries, Kind::Config, 1, |library| {
            objects::config(library, &mut Random(seed))
        });
    });
    println!("configurations: {}", seeds.count());
}

#[test]
fn arrays_and_groups_are_read_by_either_library() {
    let Some(libraries) = both() else { return };
    let folder = TestFolder::new("messages");
    objects::check(&libraries, folder.path()).expect("arrays");
}

#[test]
fn random_arrays_and_groups_are_read_by_either_library() {
    let Some(libraries) = both() else { return };
    let folder = TestFolder::new("object-messages");
    let loading = objects::Loading::new(&libraries);
    let seeds = random::for_each_seed(20, |seed| {
        let checked = objects::check_random(&libraries, &loading, folder.path(), seed);
        checked.expect("an array and a group");
    });
    println!("arrays and groups: {}", seeds.count());
}

#[test]
fn metadata_is_read_by_either_library() {
    let Some(libraries) = both() else { return };
    let folder = TestFolder::new("metadata-messages");
    let seeds = random::for_each_seed(100, |seed| {
        metadata::check_metadata(&libraries, folder.path(), seed).expect("metadata");
    });
    println!("metadata: {}", seeds.count());
}

#[test]
fn metadata_of_groups_is_stored_by_either_library() {
    let Some(libraries) = both() else { return };
    let folder = TestFolder::new("group-metadata-messages");
    let seeds = random::for_each_seed(20, |seed| {
        metadata::check_group_metadata(&libraries, folder.path(), seed).expect("metadata");
    });
    println!("metadata of groups: {}", seeds.count());
}

#[test]
fn requests_to_create_arrays_are_read_by_either_library() {
    let Some(libraries) = both() else { return };
    let seeds = random::for_each_seed(50, |seed| {
        domains::check_create(&libraries, seed).expect("a request");
    });
    println!("requests to create arrays: {}", seeds.count());
}

#[test]
fn bounds_of_dimensions_are_read_by_either_library() {
    let Some(libraries) = both() else { return };
    let folder = TestFolder::new("domain-messages");
    let seeds = random::for_each_seed(100, |seed| {
        domains::check_bounds(&libraries, folder.path(), seed).expect("bounds");
    });
    println!("non-empty domains: {}", seeds.count());
}

/// Runs a check of requests about stored arrays.
fn check_requests(
    name: &str,
    usual: u64,
    check: impl Fn(&[Library; 2], &requests::Arrays, &Path, u64) -> arrays::Done,
) {
    let Some(libraries) = both() else { return };
    let folder = TestFolder::new(&name.replace(' ', "-"));
    let arrays = requests::Arrays::create(&libraries, folder.path()).expect("arrays");
    let seeds = random::for_each_seed(usual, |seed| {
        check(&libraries, &arrays, folder.path(), seed).expect("a request");
    });
    println!("{name}: {}", seeds.count());
}

#[test]
fn requests_have_the_same_responses() {
    check_requests("requests", 50, |libraries, arrays, _, seed| {
        requests::check_request(libraries, arrays, seed)
    });
}

#[test]
fn requests_to_open_arrays_are_read_by_either_library() {
    check_requests("requests to open", 20, |libraries, arrays, _, seed| {
        requests::check_open(libraries, arrays, seed)
    });
}

#[test]
fn requests_for_fragment_info_are_read_by_either_library() {
    check_requests("requests for info", 20, |libraries, arrays, _, seed| {
        requests::check_fragment_info_request(libraries, arrays, seed)
    });
}

#[test]
fn requests_to_delete_fragments_delete_the_same() {
    check_requests("requests to delete", 20, requests::check_deletion);
}

#[test]
fn missing_fields_of_schemas_are_accepted_alike() {
    let Some(libraries) = both() else { return };
    let seeds = random::for_each_seed(50, |seed| {
        message::check_missing_fields(&libraries, &mut Random(seed));
    });
    println!("schemas without fields: {}", seeds.count());
}

#[test]
fn queries_have_the_same_results_through_messages() {
    let Some(libraries) = both() else { return };
    let folder = TestFolder::new("query-messages");
    let stored = queries::Stored::create(&libraries, folder.path()).expect("arrays");
    let seeds = random::for_each_seed(50, |seed| {
        queries::check_read(&libraries, &stored, seed);
    });
    println!("reads: {}", seeds.count());
}

#[test]
fn estimated_sizes_are_read_by_either_library() {
    let Some(libraries) = both() else { return };
    let folder = TestFolder::new("estimate-messages");
    let stored = queries::Stored::create(&libraries, folder.path()).expect("arrays");
    let seeds = random::for_each_seed(50, |seed| {
        queries::check_estimates(&libraries, &stored, seed).expect("estimates");
    });
    println!("estimated sizes: {}", seeds.count());
}

#[test]
fn servers_return_the_same_plans() {
    let Some(libraries) = both() else { return };
    let folder = TestFolder::new("plan-messages");
    let stored = queries::Stored::create(&libraries, folder.path()).expect("arrays");
    let engine = queries::Client::new().expect("a client");
    let seeds = random::for_each_seed(50, |seed| {
        queries::check_plan(&libraries, &stored, &engine, seed).expect("plans");
    });
    println!("plans: {}", seeds.count());
}

#[test]
fn servers_change_arrays_as_clients_ask() {
    let Some(libraries) = both() else { return };
    let folder = TestFolder::new("change-messages");
    let seeds = random::for_each_seed(50, |seed| {
        queries::check_change(&libraries, folder.path(), seed).expect("a change");
    });
    println!("writes and deletes: {}", seeds.count());
}

#[test]
fn damaged_messages_are_errors() {
    let folder = TestFolder::new("damaged-messages");
    let damage::Counts { read, rejected } = damage::run(&ours(), folder.path());
    println!("damaged messages: {read} read, {rejected} rejected");
    assert!(rejected > 0);
}
