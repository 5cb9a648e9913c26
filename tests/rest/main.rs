//! Arrays and groups at `tiledb://` URIs: this library and libtiledb as clients of a test server
//! that works with either library, compared with the same operations in a folder.
//!
//! `TILEDB_UPSTREAM_LIB` names libtiledb's shared library; without it only this library is both
//! client and server. The server is a program in Python; without Python the tests are skipped.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "a test that skips says so")]

#[path = "../arrays/mod.rs"]
mod arrays;
mod connections;
mod faults;
mod global_writes;
mod hostile;
mod labels;
#[path = "../upstream/library.rs"]
mod library;
#[path = "../mutation/mod.rs"]
mod mutation;
mod objects;
mod operations;
mod queries;
#[path = "../../engine/tests/random/mod.rs"]
mod random;
mod replay;
mod requests;
mod server;
#[path = "../shared_library/mod.rs"]
mod shared_library;
mod tiledb_py;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

use arrays::TestFolder;
use arrays::schema::{BOUNDED, DENSE, DUPS, ENUMERATED, SPARSE, Shape, WIDE_DENSE, WIDE_SPARSE};
use library::Library;
use operations::Target;
use server::{Protocol, Server};

/// Returns the path of libtiledb, if it is available.
fn upstream() -> Option<PathBuf> {
    let path = std::env::var_os("TILEDB_UPSTREAM_LIB").filter(|path| !path.is_empty());
    path.map(PathBuf::from)
}

/// A library of a client, and one of the server.
#[derive(Clone, Copy, Debug)]
enum Side {
    Ours,
    Upstream,
}

impl Side {
    fn library(self) -> Option<PathBuf> {
        match self {
            Self::Ours => Some(shared_library::path()),
            Self::Upstream => upstream(),
        }
    }
}

/// Runs `body` with a client in a folder and the same client at a server.
///
/// libtiledb as a server ends in rare runs with a corrupted heap. The run is then repeated; that of
/// this library is not.
fn compare(name: &str, client: Side, server: Side, protocol: Protocol, body: impl Fn(&Target<'_>)) {
    let (Some(client), Some(of_server)) = (client.library(), server.library()) else {
        println!("skipped: TILEDB_UPSTREAM_LIB names no libtiledb");
        return;
    };
    let attempts = match server {
        Side::Ours => 1,
        Side::Upstream => 3,
    };
    for attempt in 1..=attempts {
        let folder = TestFolder::new(&format!("rest-{name}"));
        let Some(mut server) = Server::start(&of_server, &folder.path().join("served"), protocol)
        else {
            println!("skipped: Python is not available");
            return;
        };
        let library = Library::load(&client, "the client");
        let parameters = server.parameters(&[]);
        let library = library.with_context(&server::borrowed(&parameters));
        let local = folder.path().join("local");
        std::fs::create_dir_all(&local).expect("a folder");
        let target = Target {
            library: &library,
            remote: Path::new(server.root()),
            local: &local,
            server: &server,
        };
        let result = catch_unwind(AssertUnwindSafe(|| body(&target)));
        let Err(panic) = result else {
            return;
        };
        if attempt == attempts || !server.was_killed() {
            resume_unwind(panic);
        }
        println!("libtiledb ended by a signal in attempt {attempt}");
    }
}

const SHAPES: [(&str, Shape); 7] = [
    ("dense", DENSE),
    ("sparse", SPARSE),
    ("dups", DUPS),
    ("wide-dense", WIDE_DENSE),
    ("wide-sparse", WIDE_SPARSE),
    ("enumerated", ENUMERATED),
    ("bounded", BOUNDED),
];

fn arrays_and_groups(target: &Target<'_>) {
    for (name, shape) in SHAPES {
        operations::array(target, name, shape);
    }
    operations::group(target);
}

#[test]
fn our_client_and_our_server_do_what_a_folder_does() {
    compare(
        "ours",
        Side::Ours,
        Side::Ours,
        Protocol::Workspaces,
        arrays_and_groups,
    );
}

#[test]
fn our_client_and_our_server_do_what_a_folder_does_with_namespaces() {
    compare(
        "legacy",
        Side::Ours,
        Side::Ours,
        Protocol::Namespaces,
        arrays_and_groups,
    );
}

#[test]
fn our_client_and_a_server_of_libtiledb_do_what_a_folder_does() {
    compare(
        "to-upstream",
        Side::Ours,
        Side::Upstream,
        Protocol::Workspaces,
        arrays_and_groups,
    );
}

#[test]
fn our_client_and_a_server_of_libtiledb_with_namespaces_do_what_a_folder_does() {
    compare(
        "to-upstream-legacy",
        Side::Ours,
        Side::Upstream,
        Protocol::Namespaces,
        arrays_and_groups,
    );
}

#[test]
fn the_client_of_libtiledb_and_our_server_do_what_a_folder_does() {
    compare(
        "from-upstream",
        Side::Upstream,
        Side::Ours,
        Protocol::Workspaces,
        arrays_and_groups,
    );
}

#[test]
fn reads_continue_over_several_requests() {
    for (name, server) in [("more", Side::Ours), ("more-upstream", Side::Upstream)] {
        compare(name, Side::Ours, server, Protocol::Workspaces, |target| {
            operations::incomplete(target, "incomplete-dense", WIDE_DENSE);
            operations::incomplete(target, "incomplete-sparse", WIDE_SPARSE);
        });
    }
}

#[test]
fn results_of_several_submits_in_one_response_follow_one_another() {
    compare(
        "parts",
        Side::Ours,
        Side::Ours,
        Protocol::Workspaces,
        |target| {
            let parameters = target
                .server
                .parameters(&[("rest.resubmit_incomplete", "true")]);
            let library = target.library.with_context(&server::borrowed(&parameters));
            let target = Target {
                library: &library,
                ..*target
            };
            operations::incomplete(&target, "parts-dense", WIDE_DENSE);
            operations::incomplete(&target, "parts-sparse", WIDE_SPARSE);
        },
    );
}

#[test]
fn conditions_aggregates_sizes_and_plans_come_from_the_server() {
    for (name, client, server) in [
        ("queries", Side::Ours, Side::Ours),
        ("queries-to-upstream", Side::Ours, Side::Upstream),
        ("queries-from-upstream", Side::Upstream, Side::Ours),
    ] {
        compare(name, client, server, Protocol::Workspaces, |target| {
            let compares_sizes = name == "queries";
            queries::all(target, "dense", WIDE_DENSE, compares_sizes);
            queries::all(target, "sparse", WIDE_SPARSE, compares_sizes);
            queries::all(target, "enumerated", ENUMERATED, compares_sizes);
        });
    }
}

#[test]
fn maintenance_runs_on_the_server() {
    for (name, server) in [
        ("maintain", Side::Ours),
        ("maintain-upstream", Side::Upstream),
    ] {
        compare(name, Side::Ours, server, Protocol::Workspaces, |target| {
            operations::maintenance(target, "maintained");
            operations::deletion(target, "deleted");
        });
    }
}

#[test]
fn arrays_are_opened_by_the_first_protocol_as_well() {
    for (name, server) in [("first", Side::Ours), ("first-upstream", Side::Upstream)] {
        compare(name, Side::Ours, server, Protocol::Namespaces, |target| {
            let parameters = target.server.parameters(&[
                ("rest.use_refactored_array_open", "false"),
                ("rest.use_refactored_array_open_and_query_submit", "false"),
            ]);
            let library = target.library.with_context(&server::borrowed(&parameters));
            let target = Target {
                library: &library,
                ..*target
            };
            arrays_and_groups(&target);
        });
    }
}
