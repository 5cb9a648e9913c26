//! Interoperability with libtiledb: both libraries read arrays of either alike, cell by cell and
//! attribute by attribute, and write files with equal bytes.
//!
//! `TILEDB_UPSTREAM_LIB` names libtiledb's shared library; without it the tests are skipped.
//! `TILEDB_RS_CASES` is the number of random arrays of each kind (default 150 dense; 200, 100 and
//! 40 sparse; 25 with deletes; 15 histories; 20 with labels). A failure prints its seed, which
//! `TILEDB_RS_SEED` repeats. `TILEDB_RS_ARRAY` selects one array of a historical release; by
//! default one in eight of them is tested.

#![expect(clippy::print_stdout, reason = "a test that skips says so")]

mod aggregate;
mod attribute;
mod condition;
mod coordinates;
mod defaults;
mod deletes;
mod encryption;
mod filters;
mod labels;
mod library;
mod query;
#[path = "../../engine/tests/random/mod.rs"]
mod random;
mod read;
#[path = "../shared_library/mod.rs"]
mod shared_library;
mod sparse;
mod sparse_conditions;
mod sparse_read;
mod sparse_spec;
mod spec;
mod stats;
mod stored;
mod versions;

use std::ffi::{CStr, CString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aggregate::Operator;
use attribute::{AttributeSpec, Column};
use condition::ConditionSpec;
use library::Library;
use random::Random;
use read::Read;
use spec::Spec;
use stored::Stored;

/// The file that is written last in a fragment.
const METADATA: &str = "__fragment_metadata.tdb";

/// Returns the files of an array's fragments, oldest first: name and bytes, with the random name of
/// the schema blanked.
fn files(array: &Path) -> Vec<(String, Vec<u8>)> {
    let folders = |path: &Path| -> Vec<PathBuf> {
        let mut found: Vec<_> = fs::read_dir(path)
            .expect("folder")
            .map(|entry| entry.expect("entry").path())
            .collect();
        found.sort();
        found
    };
    let mut files = Vec::new();
    let schema = folders(&array.join("__schema"))
        .into_iter()
        .find(|path| path.is_file())
        .expect("a schema");
    let schema = schema.file_name().expect("name").as_encoded_bytes();
    for fragment in folders(&array.join("__fragments")) {
        for file in folders(&fragment) {
            let name = file
                .file_name()
                .expect("name")
                .to_string_lossy()
                .into_owned();
            let mut bytes = fs::read(&file).expect("file");
            let named = bytes
                .windows(schema.len())
                .position(|window| window == schema);
            if let Some(start) = named.filter(|_| name == METADATA) {
                bytes[start..start + schema.len()].fill(b'_');
            }
            files.push((name, bytes));
        }
    }
    files
}

/// Tests a random dense array. Returns whether it was written: both libraries must accept or reject
/// a write alike.
fn compare(ours: &Library, theirs: &Library, seed: u64, folder: &Path) -> bool {
    let mut spec = Spec::random(seed);
    spec.settle(ours, theirs);
    let paths = [folder.join("ours"), folder.join("theirs")];
    let mut refusals = Vec::new();
    for (library, path) in [ours, theirs].into_iter().zip(&paths) {
        // After a failed write, libtiledb may use freed memory for its other attributes.
        if refusals.iter().any(|refused: &Vec<_>| !refused.is_empty()) && spec.attributes.len() > 1
        {
            return false;
        }
        let mut refused = Vec::new();
        let uri = CString::new(path.to_str().expect("path")).expect("path");
        spec.create(library, &uri);
        for (index, write) in spec.writes.iter().enumerate() {
            assert!(write.cells > 0);
            let written = spec.write(library, &uri, write);
            if let Err(error) = &written {
                refused.push((index, error.clone()));
                break;
            }
            // libtiledb does not order fragments with equal timestamps.
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        if refused.is_empty() {
            compare_reads(&spec, ours, theirs, &uri, seed);
        }
        refusals.push(refused);
    }
    let which = |index: usize| refusals[index].first().map(|(write, _)| *write);
    assert_eq!(
        which(0),
        which(1),
        "who refuses {refusals:?} of {:?}",
        spec.attributes
    );
    if which(0).is_some() {
        return false;
    }
    // The initialization vectors of encryption are random.
    if is_encrypted(seed) || !spec.is_repeatable() {
        return true;
    }
    compare_files(&paths[0], &paths[1], |name| {
        name != METADATA || spec.has_same_statistics()
    });
    true
}

/// Checks that the fragments of two arrays have equal bytes, except for files that `counts`
/// excludes.
fn compare_files(ours: &Path, theirs: &Path, counts: impl Fn(&str) -> bool) {
    let (ours, theirs) = (files(ours), files(theirs));
    assert_eq!(ours.len(), theirs.len(), "the files differ in number");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours.0, theirs.0);
        assert!(
            !counts(&ours.0) || ours.1 == theirs.1,
            "the bytes of {} differ: {} and {}",
            ours.0,
            ours.1.len(),
            theirs.1.len()
        );
    }
}

/// Returns whether the array of a seed is encrypted.
fn is_encrypted(seed: u64) -> bool {
    seed.is_multiple_of(8)
}

const KEY: &CStr = c"0123456789abcdeF0123456789abcdeF";

/// Reads an array with both libraries: completely in each layout, and random parts; with this
/// library also through small buffers.
fn compare_reads(spec: &Spec, ours: &Library, theirs: &Library, uri: &CStr, seed: u64) {
    let mut random = Random(!seed);
    for layout in [0, 1, 2] {
        let read = Read::whole(spec, layout);
        let whole = read.run(spec, ours, uri, read.cells());
        check(&read, &whole, &read.run(spec, theirs, uri, plenty(&read)));
    }
    let dimensions = read::dimensions(spec);
    for _ in 0..2 {
        let read = Read::random(spec, &dimensions, &mut random);
        let whole = read.run(spec, ours, uri, read.cells());
        check(&read, &whole, &read.run(spec, theirs, uri, plenty(&read)));
        let capacity = 1 + random.below(read.cells() as u64) as usize;
        check(&read, &whole, &read.run(spec, ours, uri, capacity));
    }
    for _ in 0..3 {
        compare_conditions(spec, [ours, theirs], uri, &dimensions, &mut random);
    }
}

/// Reads some cells with a condition, through large and small buffers, and computes aggregates of
/// them.
fn compare_conditions(
    spec: &Spec,
    [ours, theirs]: [&Library; 2],
    uri: &CStr,
    dimensions: &[AttributeSpec],
    random: &mut Random,
) {
    let read = Read::random(spec, dimensions, random);
    // If the layout of the read differs from the cell order, libtiledb uses wrong coordinates, and
    // wrong validities in tests for null.
    let in_order = read.layout() == 2 || read.layout() == spec.cell_order;
    let known = spec.attributes.iter();
    let known: Vec<_> = known
        .chain(dimensions.iter().filter(|_| in_order))
        .collect();
    let read = match ConditionSpec::random(random, &known, in_order) {
        Some(condition) if random.below(4) > 0 => read.with_condition(condition),
        _ => read,
    };
    let whole = read.run(spec, ours, uri, read.cells());
    check(&read, &whole, &read.run(spec, theirs, uri, plenty(&read)));
    let capacity = 1 + random.below(read.cells() as u64) as usize;
    check(&read, &whole, &read.run(spec, ours, uri, capacity));
    for field in known {
        for operator in aggregate::operators(field) {
            let result_of = |library, with_cells| {
                let capacity = if with_cells {
                    Some(4 * read.cells())
                } else {
                    None
                };
                aggregate::run(read.query(spec, library, uri), field, operator, capacity)
            };
            let run_alone = result_of(ours, false).expect("never fails");
            // libtiledb uses the statistics of complete tiles, which were computed before a lossy
            // filter.
            let other = if field.filters.has(filters::SCALE_FLOAT) {
                None
            } else {
                result_of(theirs, false)
            };
            if let Some(other) = other {
                assert!(
                    aggregate::agree(
                        spec.has_partial_tiles(),
                        field,
                        operator,
                        &run_alone,
                        &other
                    ),
                    "{operator:?} of {field:?} is {run_alone:?}, not {other:?}: {read:?}"
                );
            }
            let run_alone = Some(run_alone);
            assert_eq!(
                run_alone,
                result_of(ours, true),
                "{operator:?} beside the cells of {field:?}"
            );
        }
    }
}

/// Returns a capacity of more cells than the read has. If libtiledb expects that buffers may be too
/// small, it returns several ranges in parts that are out of order.
fn plenty(read: &Read) -> usize {
    64 * read.cells()
}

/// Checks that two results of a read are equal.
#[track_caller]
fn check(read: &Read, one: &[Column], other: &[Column]) {
    for (field, (one, other)) in one.iter().zip(other).enumerate() {
        let data = one.data.iter().zip(&other.data).position(|(a, b)| a != b);
        let offsets = one
            .offsets
            .iter()
            .zip(&other.offsets)
            .position(|(a, b)| a != b);
        let validity = one
            .validity
            .iter()
            .zip(&other.validity)
            .position(|(a, b)| a != b);
        assert!(
            one == other,
            "field {field} differs at byte {data:?}, offset {offsets:?}, validity {validity:?}: {} and {} bytes, {} and {} offsets of {read:?}",
            one.data.len(),
            other.data.len(),
            one.offsets.len(),
            other.offsets.len(),
        );
    }
}

/// Returns the path of libtiledb, if it is available.
fn upstream() -> Option<PathBuf> {
    let path = std::env::var_os("TILEDB_UPSTREAM_LIB").filter(|path| !path.is_empty());
    if path.is_none() {
        println!("skipped: TILEDB_UPSTREAM_LIB names no libtiledb");
    }
    path.map(PathBuf::from)
}

/// Ensures that one test runs at a time, because libtiledb does not always support several in one
/// process.
fn run_alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs random cases, each in its own folder, if libtiledb is available. A case returns whether
/// both libraries accepted its array.
fn run_cases(what: &str, usual: u64, case: impl Fn(&Library, &Library, u64, &Path) -> bool) {
    let Some(upstream) = upstream() else {
        return;
    };
    let _alone = run_alone();
    let open = |key| {
        let ours = Library::open(&shared_library::path(), "tiledb_rs", key);
        (ours, Library::open(&upstream, "libtiledb", key))
    };
    let (plain, encrypting) = (open(None), open(Some(KEY)));
    let mut read = 0;
    let seeds = random::seeds(usual);
    let cases = seeds.end - seeds.start;
    let root = format!("tiledb-rs-upstream-{what}-{}", std::process::id());
    let root = std::env::temp_dir().join(root);
    for seed in seeds.clone() {
        let folder = root.join(seed.to_string());
        fs::create_dir_all(&folder).expect("folder");
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let (ours, theirs) = if is_encrypted(seed) {
                &encrypting
            } else {
                &plain
            };
            case(ours, theirs, seed, &folder)
        }));
        read += u64::from(run.as_ref().is_ok_and(|read| *read));
        assert!(
            run.is_ok(),
            "the {what} case of seed {seed} failed; see {}",
            folder.display()
        );
        fs::remove_dir_all(&folder).expect("remove");
    }
    fs::remove_dir_all(&root).expect("remove");
    assert!(cases < 10 || read > cases / 2, "most cases are refused");
    println!(
        "{cases} random {what} arrays agree, {read} of them written and read, seeds {seeds:?}"
    );
}

#[test]
fn encrypted_arrays_are_read_by_both_libraries_with_the_key_only() {
    let Some(upstream) = upstream() else {
        return;
    };
    let open = |key: Option<&CStr>| {
        let ours = Library::open(&shared_library::path(), "tiledb_rs", key);
        [ours, Library::open(&upstream, "libtiledb", key)]
    };
    let root = std::env::temp_dir().join(format!("tiledb-rs-upstream-key-{}", std::process::id()));
    fs::create_dir_all(&root).expect("folder");
    let _alone = run_alone();
    let checked = encryption::check(open, &root);
    assert_eq!(checked, 24);
    assert_eq!(encryption::check_groups(&open(Some(KEY)), &root), 8);
    fs::remove_dir_all(&root).expect("remove");
    println!("4 arrays with a key agree, {checked} refusals say the same");
}

#[test]
fn a_new_configuration_has_the_parameters_of_libtiledb() {
    let Some(upstream) = upstream() else {
        return;
    };
    let _alone = run_alone();
    let ours = Library::open(&shared_library::path(), "tiledb_rs", None);
    let theirs = Library::open(&upstream, "libtiledb", None);
    let number = defaults::check(&ours, &theirs);
    println!("{number} parameters agree");
}

#[test]
fn dense_arrays_of_either_library_are_read_alike() {
    run_cases("dense", 100, compare);
}

#[test]
fn sparse_arrays_have_equal_bytes_and_are_read_as_written() {
    run_cases("sparse", 120, |ours, theirs, seed, folder| {
        sparse::compare(ours, theirs, seed, folder);
        true
    });
}

#[test]
fn sparse_arrays_of_libtiledb_are_read_alike() {
    run_cases("sparse-read", 60, sparse_read::compare);
}

#[test]
fn conditions_and_aggregates_of_sparse_arrays_are_equal() {
    run_cases("sparse-condition", 40, sparse_conditions::compare);
}

#[test]
fn arrays_with_deletes_of_either_library_are_read_alike() {
    run_cases("delete", 25, deletes::compare);
}

#[test]
fn labels_of_either_library_are_read_alike() {
    run_cases("label", 20, |ours, theirs, seed, folder| {
        labels::compare(ours, theirs, seed, folder);
        true
    });
}

#[test]
fn equal_histories_of_both_libraries_result_in_equal_arrays() {
    run_cases("life", 15, versions::lives::compare);
}

/// Continues an array of a historical release in this process.
fn continue_array(root: &Path, name: &Path, upstream: &Path) {
    let key = Some(KEY).filter(|_| name.to_string_lossy().contains("encrypted"));
    let ours = Library::open(&shared_library::path(), "tiledb_rs", key);
    let theirs = Library::open(upstream, "libtiledb", key);
    let folder = format!("tiledb-rs-upstream-versions-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    let [taken, refused] = versions::compare(&ours, &theirs, &root.join(name), &folder);
    fs::remove_dir_all(&folder).expect("remove");
    println!("{taken} steps taken, {refused} refused");
}

#[test]
fn arrays_of_every_version_are_continued_alike() {
    const NAME: &str = "arrays_of_every_version_are_continued_alike";
    let Some(root) = std::env::var_os("TILEDB_RS_COMPAT_DIR").map(PathBuf::from) else {
        println!("skipped: TILEDB_RS_COMPAT_DIR names no arrays");
        return;
    };
    let Some(upstream) = upstream() else {
        return;
    };
    if let Some(only) = std::env::var_os("TILEDB_RS_ARRAY") {
        return continue_array(&root, Path::new(&only), &upstream);
    }
    let _alone = run_alone();
    // All of them take minutes.
    let every = match std::env::var_os("TILEDB_RS_CASES") {
        Some(_) => 1,
        None => 8,
    };
    let (mut arrays, mut failed) = (0, Vec::new());
    for array in versions::arrays(&root).into_iter().step_by(every) {
        let name = array.strip_prefix(&root).expect("below").to_owned();
        // Each array has a process of its own, because libtiledb may crash.
        let run = Command::new(std::env::current_exe().expect("this program"))
            .args([NAME, "--exact", "--nocapture"])
            .env("TILEDB_RS_ARRAY", &name)
            .output()
            .expect("a process");
        if !run.status.success() {
            println!("{}", String::from_utf8_lossy(&run.stderr));
            failed.push((name, run.status));
        }
        arrays += 1;
    }
    assert!(
        failed.is_empty(),
        "{} of {arrays} arrays: {failed:?}",
        failed.len()
    );
    assert!(arrays > 0, "no arrays in {}", root.display());
    println!("{arrays} arrays of all versions are gone on with alike");
}

#[test]
fn statistics_have_the_names_of_libtiledb_or_are_documented() {
    let Some(upstream) = upstream() else {
        return;
    };
    let _alone = run_alone();
    let folder = format!("tiledb-rs-upstream-stats-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    fs::create_dir_all(&folder).expect("folder");
    let ours = Library::open(&shared_library::path(), "tiledb_rs", None);
    let theirs = Library::open(&upstream, "libtiledb", None);
    let [ours, theirs] = [&ours, &theirs].map(|library| stats::names(library, &folder));
    // libtiledb counts the listings of `tiledb_vfs_ls` only.
    let extra = ours.difference(&theirs);
    let extra: Vec<_> = extra.filter(|name| *name != "Context.VFS.ls_num").collect();
    assert!(extra.is_empty(), "libtiledb does not report {extra:?}");
    let documented = stats::documented();
    let is_documented = |name: &&String| {
        documented
            .iter()
            .any(|pattern| stats::matches(pattern, name))
    };
    let missing: Vec<_> = theirs.difference(&ours).collect();
    let undocumented: Vec<_> = missing.iter().filter(|name| !is_documented(name)).collect();
    assert!(
        undocumented.is_empty(),
        "DIFFERENCES.md lacks {undocumented:#?}"
    );
    let unused = documented.iter();
    let unused = unused.filter(|pattern| !missing.iter().any(|name| stats::matches(pattern, name)));
    let unused: Vec<_> = unused.collect();
    assert!(unused.is_empty(), "DIFFERENCES.md lists {unused:?}");
    fs::remove_dir_all(&folder).expect("remove");
    println!(
        "{} names are reported by both, {} by libtiledb alone",
        ours.len(),
        missing.len()
    );
}

#[test]
fn aggregates_of_dense_fragments_consolidated_by_libtiledb_match_the_cells() {
    let Some(upstream) = upstream() else {
        return;
    };
    let _alone = run_alone();
    let folder = format!("tiledb-rs-upstream-consolidated-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    fs::create_dir_all(&folder).expect("folder");
    let ours = Library::open(&shared_library::path(), "tiledb_rs", None);
    let theirs = Library::open(&upstream, "libtiledb", None);
    let array = Stored::create(&theirs, &folder, "dense", true, false);
    // The consolidated fragment ends within a tile, and libtiledb's statistics include the rest.
    let mut cells = Vec::new();
    for (first, count) in [(1, 4), (5, 2), (7, 1)] {
        array.write(&theirs, query::ROW_MAJOR, first, count);
        cells.extend(0..count);
    }
    array.maintain(&theirs, "array_consolidate", c"fragments");
    let [attribute, ..] = stored::attributes();
    for (low, high) in (1..=7).flat_map(|low| (low..=12).map(move |high| (low, high))) {
        let selected = &cells[low - 1..high.min(cells.len())];
        for operator in aggregate::operators(&attribute) {
            let query = array.query(&ours, query::READ, query::ROW_MAJOR);
            array.set_range(&query, low as i32, high as i32);
            let result = aggregate::run(query, &attribute, operator, None).expect("a result");
            let sum: i32 = selected.iter().sum();
            let expected = match operator {
                Operator::Sum => i64::from(sum).to_le_bytes().to_vec(),
                Operator::Mean => (f64::from(sum) / selected.len() as f64)
                    .to_le_bytes()
                    .to_vec(),
                Operator::Min => selected.iter().min().expect("cells").to_le_bytes().to_vec(),
                Operator::Max => selected.iter().max().expect("cells").to_le_bytes().to_vec(),
                Operator::NullCount => continue,
            };
            assert_eq!(result.data, expected, "{operator:?} of [{low}, {high}]");
        }
    }
    fs::remove_dir_all(&folder).expect("remove");
}
