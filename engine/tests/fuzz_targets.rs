//! Runs the fuzz targets on their first inputs and on random changes of them: neither may panic.
//! Long runs with feedback are those of `fuzz/run`.

#[path = "../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "the programs use another crate")]
mod fuzz;
mod random;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use random::Random;

/// Bytes that lengths and numbers are often wrong with.
const EXTREME_BYTES: [u8; 5] = [0, 1, 0x7f, 0x80, 0xff];

/// Returns one of `inputs` with one to four changes.
fn changed(random: &mut Random, inputs: &[&Vec<u8>]) -> Vec<u8> {
    let mut input = random.one_of(inputs).clone();
    for _ in 0..=random.below(4) {
        let (start, end) = random.range_below(input.len() as u64 + 1);
        let (start, end) = (start as usize, end as usize);
        match random.below(6) {
            0 => input.truncate(end),
            1 => drop(input.drain(start..end.min(start + 16))),
            2 => {
                let copy = input[start..end.min(start + 64)].to_vec();
                drop(input.splice(end..end, copy));
            }
            3 => {
                let other = random.one_of(inputs);
                let tail = random.below(other.len() as u64 + 1) as usize;
                input.truncate(start);
                input.extend_from_slice(&other[tail..]);
            }
            4 => {
                let byte = random.one_of(&EXTREME_BYTES);
                input[start..end.min(start + 8)].fill(byte);
            }
            _ => {
                for byte in &mut input[start..end.min(start + 1)] {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
    input
}

#[test]
fn targets_accept_changed_inputs() {
    let corpus = fuzz::corpus::inputs();
    let names: BTreeSet<_> = fuzz::targets().into_iter().collect();
    assert_eq!(names, corpus.keys().copied().collect());
    for (target, inputs) in &corpus {
        let inputs: Vec<_> = inputs.iter().collect();
        let run = |input: &[u8], seed: Option<u64>| {
            let result = catch_unwind(AssertUnwindSafe(|| fuzz::run(target, input)));
            assert!(result.is_ok(), "{target}, seed {seed:?}: {input:?}");
        };
        for input in &inputs {
            run(input, None);
        }
        for seed in random::seeds(500) {
            run(&changed(&mut Random(seed), &inputs), Some(seed));
        }
    }
}

/// The list of programs in the manifest is the list of targets.
#[test]
fn manifest_lists_all_targets() {
    let manifest = include_str!("../../fuzz/Cargo.toml");
    let programs = manifest.split("[[bin]]\nname = \"").skip(1);
    let programs: BTreeSet<_> = programs.filter_map(|text| text.split('"').next()).collect();
    assert_eq!(programs, fuzz::targets().into_iter().collect());
}
