//! Consolidation and vacuum in random order, interrupted at any change of storage: readers always
//! see the newest finished write.

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::maintenance;

use crate::marks::{Kind, Marks, WriteMode};
use crate::random::{Random, seeds};
use crate::{fail_after, storage};

/// The modes of consolidation and vacuum.
const MODES: [&str; 4] = ["commits", "fragment_meta", "array_meta", "fragments"];
const VACUUM_MODES: [&str; 4] = ["commits", "fragment_meta", "array_meta", "fragments"];

#[derive(Clone, Copy, Debug)]
enum Step {
    Write(u64),
    Consolidate(&'static str),
    Vacuum(&'static str),
}

fn random_step(random: &mut Random, mark: u64) -> Step {
    match random.below(5) {
        0 | 1 => Step::Write(mark),
        2 | 3 => Step::Consolidate(random.one_of(&MODES)),
        _ => Step::Vacuum(random.one_of(&VACUUM_MODES)),
    }
}

fn run(marks: &Marks, step: Step) -> Result<()> {
    let mut config = Config::new();
    match step {
        Step::Write(mark) => marks.write(mark, WriteMode::Rows),
        Step::Consolidate(mode) => {
            config.set("sm.consolidation.mode", mode)?;
            maintenance::consolidate(marks.vfs(), marks.uri().as_str(), &config)
        }
        Step::Vacuum(mode) => {
            config.set("sm.vacuum.mode", mode)?;
            maintenance::vacuum(marks.vfs(), marks.uri().as_str(), &config)
        }
    }
}

/// Runs the steps; storage fails after `failing` changes of the last one. Returns the number of its
/// changes.
fn interrupted(seed: u64, len: usize, failing: Option<u64>) -> u64 {
    let (backend, marks) = storage(Kind::Dense);
    marks.create().expect("create");
    marks.write(1, WriteMode::Rows).expect("write");
    let mut random = Random(seed);
    let mut mark = 1;
    let mut made = 0;
    for index in 0..len {
        let step = random_step(&mut random, mark + 1);
        let failing = failing.filter(|_| index + 1 == len);
        let (changes, done) = fail_after(&backend, failing, || run(&marks, step));
        made = changes;
        if failing.is_none() {
            done.as_ref().expect("done");
        }
        let seen = marks.read();
        let case = format!("seed {seed}, step {index} {step:?}, interrupted after {failing:?}");
        match step {
            Step::Write(new) if done.is_ok() => assert_eq!(seen, new, "{case}"),
            Step::Write(new) => assert!(seen == mark || seen == new, "{case}: {seen}"),
            _ => assert_eq!(seen, mark, "{case}"),
        }
        mark = seen;
    }
    if failing.is_some() {
        // The failed step can be repeated, and further steps succeed.
        for mode in VACUUM_MODES {
            run(&marks, Step::Vacuum(mode)).expect("vacuum");
            assert_eq!(
                marks.read(),
                mark,
                "seed {seed}, vacuum {mode} after a kill"
            );
        }
        run(&marks, Step::Write(mark + 1)).expect("write");
        assert_eq!(marks.read(), mark + 1);
    }
    made
}

#[test]
fn interrupted_consolidation_and_vacuum_lose_no_cell() {
    for seed in seeds(60) {
        let len = 2 + (seed % 9) as usize;
        for failing in 0..interrupted(seed, len, None) {
            interrupted(seed, len, Some(failing));
        }
    }
}

#[test]
fn a_pending_list_whose_fragment_is_not_committed_removes_nothing() {
    let (_, marks) = storage(Kind::Dense);
    marks.create().expect("create");
    marks.write(1, WriteMode::Rows).expect("write");
    let folder = marks.uri().join("__commits");
    let commits = marks.vfs().list(&folder).expect("listing");
    let fragment = commits[0].name.trim_end_matches(".wrt").to_owned();
    let list = folder
        .join("__pending")
        .join("__1_2_00000000000000000000000000000000_22.vac");
    let names = format!("/__fragments/{fragment}\n");
    let published = marks
        .vfs()
        .publish_file(marks.uri(), &list, names.as_bytes());
    published.expect("list");
    run(&marks, Step::Vacuum("fragments")).expect("vacuum");
    assert_eq!(marks.read(), 1);
    // A list that names its own fragment hides nothing either.
    let list = folder.join(&format!("{fragment}.vac"));
    let names = format!("/__fragments/{fragment}\n");
    marks
        .vfs()
        .write_all(&list, names.as_bytes())
        .expect("list");
    run(&marks, Step::Vacuum("fragments")).expect("vacuum");
    assert_eq!(marks.read(), 1);
}
