//! `THIRD-PARTY.md` lists the crates that cargo links into the library, with their licences, and
//! `python/THIRD-PARTY.md` and `python-sql/THIRD-PARTY.md` those in the native modules of the
//! Python packages.

use std::collections::BTreeSet;
use std::process::Command;

/// Name, version and licence.
type Row = (String, String, String);

/// Returns the crates that are linked into a package; `None` if cargo needs the network to find
/// them.
fn linked(package: &str) -> Option<BTreeSet<Row>> {
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "--package",
            package,
            "--edges",
            "normal,no-proc-macro",
        ])
        .args(["--prefix", "none", "--format", "{p}|{l}"])
        .output()
        .expect("cargo runs");
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let rows = text.lines().map(|line| {
        let (package, licence) = line
            .trim_end_matches(" (*)")
            .split_once('|')
            .expect("two columns");
        let mut words = package.split(' ');
        let (name, version) = (
            words.next().expect("a name"),
            words.next().expect("a version"),
        );
        let version = version.trim_start_matches('v');
        (
            name.to_owned(),
            version.to_owned(),
            licence.trim().replace('/', " OR "),
        )
    });
    Some(rows.filter(|row| !row.0.starts_with("tiledb")).collect())
}

#[test]
fn every_crate_in_the_library_is_listed_with_its_licence() {
    compare(include_str!("../THIRD-PARTY.md"), "tiledb_rs");
}

#[test]
fn every_crate_in_the_python_module_is_listed_with_its_licence() {
    compare(include_str!("../python/THIRD-PARTY.md"), "tiledb-python");
}

#[test]
fn every_crate_in_the_python_module_for_sql_is_listed_with_its_licence() {
    compare(
        include_str!("../python-sql/THIRD-PARTY.md"),
        "tiledb-python-sql",
    );
}

/// Compares a list with what is linked into a package.
#[expect(clippy::print_stdout, reason = "says that the test was skipped")]
fn compare(text: &str, package: &str) {
    let rows = text.lines().filter(|line| line.starts_with("| ")).skip(2);
    let listed: BTreeSet<Row> = rows
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            (
                cells[1].to_owned(),
                cells[2].to_owned(),
                cells[3].to_owned(),
            )
        })
        .collect();
    assert!(listed.len() > 20, "{listed:?}");
    let Some(linked) = linked(package) else {
        println!("skipped: cargo cannot tell what it links without the network");
        return;
    };
    let missing: Vec<_> = linked.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&linked).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "missing {missing:#?}\nstale {stale:#?}"
    );
}
