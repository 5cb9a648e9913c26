//! Damaged arrays and groups.
//!
//! Each case copies an array or a group, mutates its files and runs every operation on the copy:
//! reads, dumps, consolidation, vacuum, deletes, removal. Arrays of earlier format versions come
//! from `TILEDB_RS_COMPAT_DIR`, others are written by the test. Cases run in child processes with
//! 512 MB of address space and 10 s of processor time per operation. A case fails if a process
//! dies, a panic occurs, an operation hangs, a file outside the object changes, or cells with a
//! checksum are delivered with other values.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `TILEDB_RS_CASES` | the number of cases; default: a few hundred |
//! | `TILEDB_RS_FIRST_SEED` | the seed of the first case; default 1 |
//! | `TILEDB_RS_SEED` | one case, which is printed; files are kept |
//! | `TILEDB_RS_DAMAGE_ARRAYS` | arrays of an earlier run, as a failure prints them |
//! | `TILEDB_RS_LIBRARY` | the library under test; default: the one of this build |
//! | `TILEDB_RS_COMPAT_DIR` | arrays of earlier format versions |
//! | `ASAN_OPTIONS` | set for AddressSanitizer, which needs unlimited address space |
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "findings are printed")]
#![expect(
    clippy::print_stderr,
    reason = "marks cases between the panic messages"
)]

#[path = "../arrays/mod.rs"]
mod arrays;
mod case;
mod cells;
mod expectation;
#[path = "../upstream/library.rs"]
mod library;
mod made;
mod mutation;
mod numbers;
mod operations;
#[path = "../../engine/tests/random/mod.rs"]
mod random;
mod records;
#[path = "../shared_library/mod.rs"]
mod shared_library;
mod single_operations;
mod source;
mod special;
#[path = "../workers/mod.rs"]
mod workers;

use std::path::PathBuf;

use case::World;
use workers::Setup;

/// The cases of a run by default.
const CASES: u64 = 250;

/// Makes this program a worker when the test starts it again.
#[test]
fn runs_cases() {
    workers::serve(World::new, |session, world| world.run_case(session));
}

#[test]
fn damaged_objects_are_errors_or_do_no_harm() {
    if workers::is_worker() {
        return;
    }
    let mut setup = Setup::new("damage", CASES);
    let arrays = std::env::var_os("TILEDB_RS_DAMAGE_ARRAYS").map_or_else(
        || {
            let arrays = setup.scratch.join("arrays");
            made::write_all(&setup.library, &arrays);
            arrays
        },
        PathBuf::from,
    );
    let mut folders = vec![arrays.clone()];
    folders.extend(std::env::var_os("TILEDB_RS_COMPAT_DIR").map(PathBuf::from));
    let folders = std::env::join_paths(&folders).expect("paths without a colon");
    setup.variables.push((case::ARRAYS, folders));
    let report = workers::run(&setup);
    println!("{report}");
    assert!(report.cases > 0, "no cases");
    assert!(
        report.findings.is_empty(),
        "repeat with TILEDB_RS_DAMAGE_ARRAYS={} TILEDB_RS_SEED=<seed> cargo test --test damage -- --nocapture",
        arrays.display()
    );
}
