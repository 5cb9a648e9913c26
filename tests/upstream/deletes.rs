//! Sparse arrays to which each library applies the same writes, deletes, consolidations and
//! vacuums. After each step both libraries read both arrays, at several timestamps, and all results
//! must be equal.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::condition::ConditionSpec;
use crate::library::{Library, address};
use crate::query::{DELETE, Query};
use crate::random::Random;
use crate::sparse_read::SparseRead;
use crate::sparse_spec::SparseSpec;

/// The first timestamp.
const FIRST: u64 = 100;

const NO_CELL: &str = "All tiles should have at least one cell";

/// A step.
#[derive(Debug)]
enum Step {
    /// Writes the fragment with this index at a timestamp.
    Write(usize, u64),
    Delete(ConditionSpec, u64),
    /// Deletes null cells. This library writes the delete into both arrays: libtiledb cannot read
    /// its own.
    DeleteNulls(ConditionSpec, u64),
    /// Consolidates or vacuums with parameters.
    Maintain(&'static str, Vec<(&'static str, &'static str)>),
}

impl Step {
    /// Returns random consolidations and vacuums. Commits are consolidated until their single files
    /// have been vacuumed: afterwards libtiledb would look for the files of deletes.
    fn random_maintenance(random: &mut Random, commits: &mut bool) -> Vec<Self> {
        let mode = match random.below(4) {
            0 if *commits => "commits",
            1 => "fragment_meta",
            _ => "fragments",
        };
        let mut parameters = vec![
            ("sm.consolidation.mode", mode),
            // libtiledb fills the buffer with zeros each time.
            ("sm.consolidation.buffer_size", "20000"),
        ];
        if random.below(4) == 0 {
            parameters.push(("sm.consolidation.purge_deleted_cells", "true"));
        }
        if random.below(4) == 0 {
            let most = random.one_of(&["500", "1500", "5000"]);
            parameters.push(("sm.consolidation.max_fragment_size", most));
        }
        let mut steps = vec![Self::Maintain("array_consolidate", parameters)];
        if random.below(2) == 0 {
            let parameters = vec![("sm.vacuum.mode", mode)];
            steps.push(Self::Maintain("array_vacuum", parameters));
            *commits &= mode != "commits";
        }
        steps
    }

    /// Runs the step. Returns `false` if nothing is consolidated: libtiledb fails if no cell is
    /// left, and both fail if a tile exceeds the fragment size.
    fn run(&self, spec: &SparseSpec, library: &Library, uri: &CStr) -> bool {
        match self {
            Self::Write(index, time) => spec.write_one(library, uri, *index, *time),
            Self::Delete(condition, time) => {
                let deleted = delete(library, uri, condition, *time);
                deleted.unwrap_or_else(|error| panic!("{}: {error}", library.name));
            }
            Self::DeleteNulls(condition, time) => {
                let deleted = delete(library, uri, condition, *time);
                deleted.unwrap_or_else(|error| panic!("{}: {error}", library.name));
            }
            Self::Maintain(function, parameters) => {
                let config = library.make("ctx_get_config", &[]);
                for (name, value) in parameters {
                    let texts = [name, value].map(|text| CString::new(*text).expect("text"));
                    let [name, value] = texts.each_ref().map(|text| text.as_ptr() as usize);
                    let mut error = 0usize;
                    let set = [config, name, value, address(&mut error)];
                    assert_eq!(library.call("config_set", &set), 0, "{}", library.name);
                }
                match library.attempt(function, &[uri.as_ptr() as usize, config]) {
                    Err(error) if error.contains("Consolidation read 0 cells") => return false,
                    Err(error) if error.contains("too small to write a single tile") => {
                        return false;
                    }
                    done => done.unwrap_or_else(|error| panic!("{}: {error}", library.name)),
                }
            }
        }
        true
    }
}

fn delete(
    library: &Library,
    uri: &CStr,
    condition: &ConditionSpec,
    time: u64,
) -> Result<(), String> {
    let query = Query::open_within(library, uri, DELETE, Some((0, time)));
    query.set_condition(condition);
    query.submit()
}

/// Tests one random array.
pub(crate) fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) -> bool {
    let spec = SparseSpec::to_be_read(seed);
    let mut random = Random(seed ^ 0xde1e7e);
    let uri = |name: &str| {
        let path = folder.join(name);
        CString::new(path.to_str().expect("path")).expect("path")
    };
    let pairs = [(ours, uri("ours")), (theirs, uri("theirs"))];
    for (library, uri) in &pairs {
        spec.create(library, uri, false);
    }
    let fields: Vec<_> = spec.fields().collect();
    // All timestamps have the same number of digits, because libtiledb sorts names as strings.
    let (mut now, mut commits) = (FIRST, true);
    for index in 0..spec.write_num() {
        now += 10;
        let mut steps = vec![Step::Write(index, now)];
        let past = FIRST + random.below(now - FIRST);
        if random.below(4) > 0
            && let Some(condition) = ConditionSpec::random(&mut random, &fields, false)
            && !condition.has_empty_set()
        {
            let time = random.one_of(&[now, now + 5, past]);
            steps.push(Step::Delete(condition, time));
        }
        if random.below(2) == 0
            && let Some(condition) = ConditionSpec::on_nulls(&mut random, &fields)
        {
            let time = random.one_of(&[now + 1, now + 6, past]);
            steps.push(Step::DeleteNulls(condition, time));
        }
        if random.below(2) == 0 {
            steps.extend(Step::random_maintenance(&mut random, &mut commits));
        }
        for step in &steps {
            let done = pairs.each_ref().map(|(library, uri)| match step {
                Step::DeleteNulls(..) => step.run(&spec, ours, uri),
                _ => step.run(&spec, library, uri),
            });
            // If no cell is left, libtiledb does not consolidate; vacuum works on the same files.
            if !done[1] {
                break;
            }
        }
        compare_reads(&spec, ours, theirs, &pairs, &mut random, now);
    }
    true
}

/// Reads parts of both arrays at several timestamps with both libraries.
fn compare_reads(
    spec: &SparseSpec,
    ours: &Library,
    theirs: &Library,
    arrays: &[(&Library, CString); 2],
    random: &mut Random,
    now: u64,
) {
    for _ in 0..3 {
        let mut read = SparseRead::random(spec, random);
        let past = FIRST + random.below(now + 10 - FIRST);
        let end = random.one_of(&[now + 20, past]);
        read.span = Some((0, end));
        let capacity = 100 * spec.cell_num();
        let mut results = Vec::new();
        for (_, uri) in arrays {
            for library in [ours, theirs] {
                if library.name == theirs.name && read.is_dangerous(spec) {
                    continue;
                }
                let result = match read.attempt(spec, library, uri, capacity) {
                    // libtiledb reports this for tiles of which every cell was deleted.
                    Err(error) if library.name == theirs.name && error.contains(NO_CELL) => {
                        continue;
                    }
                    result => result.unwrap_or_else(|error| panic!("{}: {error}", library.name)),
                };
                let mut cells = read.cells(spec, &result);
                cells.sort();
                results.push((library.name, uri, cells));
            }
        }
        let (first, others) = results.split_first().expect("an answer");
        for other in others {
            assert!(
                first.2 == other.2,
                "{} cells of {} from {:?}, {} cells of {} from {:?}: {read:?}",
                first.2.len(),
                first.0,
                first.1,
                other.2.len(),
                other.0,
                other.1
            );
        }
    }
}
