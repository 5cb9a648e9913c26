//! Interoperability with libtiledb: both libraries read arrays of either alike, cell by cell and
//! attribute by attribute, and write files with equal bytes.
//!
//! `TILEDB_UPSTREAM_LIB` names libtiledb's shared library; without it the tests are skipped.
//! `TILEDB_RS_CASES` is the number of random arrays of each kind (default 150 dense; 200, 100 and
//! 40 sparse; 40 with deletes; 15 histories; 20 with labels; 60 whose subarrays change; 60
//! for calls on handles), and of programs on local files (100). A failure prints its seed, which
//! `TILEDB_RS_SEED` repeats.
//! `TILEDB_RS_ARRAY` selects one array of a historical release; by default one in eight of them is
//! tested.

#![expect(clippy::print_stdout, reason = "a test that skips says so")]

mod aggregate;
mod attribute;
mod condition;
mod coordinates;
mod defaults;
mod deletes;
mod dense;
mod empty_parts;
mod encryption;
mod files;
mod filters;
mod handles;
mod labels;
mod library;
mod local_files;
mod parameters;
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
mod subarrays;
mod versions;

use std::ffi::CStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aggregate::Operator;
use encryption::{KEY, is_encrypted};
use library::Library;
use stored::Stored;

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

/// Creates a folder: in memory where possible, since both libraries sync each file.
fn create_folder(name: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    let folder = base.join(format!("tiledb-rs-upstream-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("folder");
    folder
}

/// Runs random cases, each in its own folder, if libtiledb is available. A case returns whether
/// both libraries accepted its array.
fn run_cases(subject: &str, usual: u64, case: impl Fn(&Library, &Library, u64, &Path) -> bool) {
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
    let root = create_folder(subject);
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
            "the {subject} case of seed {seed} failed; see {}",
            folder.display()
        );
        fs::remove_dir_all(&folder).expect("remove");
    }
    fs::remove_dir_all(&root).expect("remove");
    assert!(cases < 10 || read > cases / 2, "most cases are refused");
    println!(
        "{cases} random {subject} arrays agree, {read} of them written and read, seeds {seeds:?}"
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
    let root = create_folder("key");
    let _alone = run_alone();
    let checked = encryption::check(open, &root);
    assert_eq!(checked, 24);
    assert_eq!(encryption::check_groups(&open(Some(KEY)), &root), 8);
    fs::remove_dir_all(&root).expect("remove");
    println!("4 arrays with a key agree, {checked} refusals say the same");
}

#[test]
fn filters_store_empty_parts_as_libtiledb_does() {
    let Some(upstream) = upstream() else {
        return;
    };
    let _alone = run_alone();
    let open = |key: Option<&CStr>| {
        let ours = Library::open(&shared_library::path(), "tiledb_rs", key);
        [ours, Library::open(&upstream, "libtiledb", key)]
    };
    let libraries = [open(None), open(Some(KEY))];
    let most = std::env::var("TILEDB_RS_FILTERS").map_or(2, |most| most.parse().expect("a number"));
    let folder = create_folder("empty");
    let libraries = libraries.each_ref().map(|pair| pair.each_ref());
    let [written, read] = empty_parts::check(libraries, &folder, most);
    fs::remove_dir_all(&folder).expect("remove");
    println!("{written} fields with empty tiles have equal bytes, libtiledb reads {read} of them");
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
fn values_of_parameters_have_the_results_of_libtiledb() {
    let Some(upstream) = upstream() else {
        return;
    };
    let _alone = run_alone();
    let ours = Library::load(&shared_library::path(), "tiledb_rs");
    let theirs = Library::load(&upstream, "libtiledb");
    let contexts = parameters::check(&ours, &theirs);
    println!("all values agree, {contexts} contexts were created");
}

#[test]
fn local_files_of_random_programs_are_alike() {
    run_cases("local-files", 100, local_files::compare);
}

#[test]
fn dense_arrays_of_either_library_are_read_alike() {
    run_cases("dense", 100, dense::compare);
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
    run_cases("delete", 40, deletes::compare);
}

#[test]
fn ranges_are_accepted_and_returned_alike() {
    run_cases("range", 60, subarrays::compare);
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

#[test]
fn calls_on_a_handle_have_the_same_results() {
    run_cases("handle", 60, handles::compare);
}

/// Continues an array of a historical release in this process.
fn continue_array(root: &Path, name: &Path, upstream: &Path) {
    let key = Some(KEY).filter(|_| name.to_string_lossy().contains("encrypted"));
    let ours = Library::open(&shared_library::path(), "tiledb_rs", key);
    let theirs = Library::open(upstream, "libtiledb", key);
    let folder = create_folder("versions");
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
    // libtiledb 2.30 cannot open arrays of version 23.
    let mut readable = versions::arrays(&root);
    readable.retain(|array| !array.starts_with(root.join("v23")));
    for array in readable.into_iter().step_by(every) {
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
    let folder = create_folder("stats");
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
        "the document lacks {undocumented:#?}"
    );
    let unused = documented.iter();
    let unused = unused.filter(|pattern| !missing.iter().any(|name| stats::matches(pattern, name)));
    let unused: Vec<_> = unused.collect();
    assert!(unused.is_empty(), "the document lists {unused:?}");
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
    let folder = create_folder("consolidated");
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
