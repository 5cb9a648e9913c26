//! Random sequences of calls of the C API.
//!
//! The prototypes of the header determine the arguments: handles of the right type from earlier
//! calls or null; strings, numbers and enumerators that are plausible or extreme; buffers that are
//! small or empty. A sequence starts with a few objects in typical states, and makes calls in
//! random order. The obligations of callers are observed: handles are not used after they were
//! freed (this library and libtiledb detect only null), and memory is as large as stated, unless a
//! size is impossible. No call may crash, hang or panic.
//! | variable | meaning |
//! | --- | --- |
//! | `TILEDB_RS_CASES` | the number of sequences; default: a few hundred |
//! | `TILEDB_RS_FIRST_SEED` | the seed of the first sequence; default 1 |
//! | `TILEDB_RS_SEED` | one sequence, whose calls are printed |
//! | `TILEDB_RS_LIBRARY` | the library under test; default: the one of this build |
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "calls and findings are printed")]
#![expect(
    clippy::print_stderr,
    reason = "marks cases between the panic messages"
)]

mod arguments;
#[path = "../arrays/mod.rs"]
mod arrays;
#[path = "../upstream/library.rs"]
mod library;
mod memory;
mod prepare;
#[path = "../prototypes/mod.rs"]
mod prototypes;
#[path = "../../engine/tests/random/mod.rs"]
mod random;
mod sequence;
#[path = "../shared_library/mod.rs"]
mod shared_library;
mod signature;
#[path = "../workers/mod.rs"]
mod workers;

use sequence::World;
use workers::Setup;

/// The sequences of a run by default.
const CASES: u64 = 300;

/// Makes this program a worker when the test starts it again.
#[test]
fn runs_cases() {
    workers::serve(World::new, |session, world| world.run(session));
}

#[test]
fn sequences_of_calls_neither_crash_nor_panic() {
    if workers::is_worker() {
        return;
    }
    let mut setup = Setup::new("call-sequences", CASES);
    // Profiles are saved in the home folder unless a call names another.
    let home = setup.scratch.clone().into_os_string();
    setup.variables.push(("HOME", home));
    let report = workers::run(&setup);
    println!("{report}");
    assert!(report.cases > 0, "no cases");
    assert!(
        report.findings.is_empty(),
        "repeat with TILEDB_RS_SEED=<seed> cargo test --test call_sequences -- --nocapture"
    );
}

#[test]
fn every_parameter_of_the_header_has_a_kind() {
    let functions = signature::all();
    assert!(functions.len() > 400, "{} functions", functions.len());
    for function in &functions {
        for parameter in &function.parameters {
            assert!(
                parameter.kind != signature::Kind::Unknown,
                "{}: {}",
                function.name,
                parameter.name
            );
        }
    }
}
