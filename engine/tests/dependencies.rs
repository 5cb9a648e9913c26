//! Every dependency that a package of the workspace declares is used by its sources.

use std::fs;
use std::path::{Path, PathBuf};

/// A section of a manifest, and the sources that it is for.
type Section = (&'static str, &'static [&'static str]);

/// A package: its folder in the workspace, and the sections of its manifest.
const PACKAGES: [(&str, &[Section]); 4] = [
    (
        "engine",
        &[
            ("[dependencies]", &["src"]),
            ("[dev-dependencies]", &["src", "tests", "benches"]),
        ],
    ),
    (
        "cli",
        &[
            ("[dependencies]", &["src"]),
            ("[dev-dependencies]", &["src", "tests"]),
        ],
    ),
    ("python", &[("[dependencies]", &["src"])]),
    (
        ".",
        &[
            ("[dependencies]", &["src"]),
            ("[build-dependencies]", &["build.rs"]),
            ("[dev-dependencies]", &["src", "tests", "examples"]),
        ],
    ),
];

/// Returns the names of the dependencies in a section of a manifest.
fn declared(manifest: &str, section: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| *line != section).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let named = lines.filter(|line| !line.starts_with('#'));
    named
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.trim().to_owned())
        .collect()
}

/// Returns the name of the library of a dependency in sources.
fn library(dependency: &str) -> String {
    match dependency {
        "md-5" => "md5".to_owned(),
        other => other.replace('-', "_"),
    }
}

fn is_used(path: &Path, library: &str) -> bool {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("folder").flatten();
        return entries
            .into_iter()
            .any(|entry| is_used(&entry.path(), library));
    }
    let is_source = path.extension().is_some_and(|extension| extension == "rs");
    let Some(text) = is_source.then(|| fs::read_to_string(path).ok()).flatten() else {
        return false;
    };
    let (path_start, imported) = (format!("{library}::"), format!("use {library}"));
    text.lines().any(|line| {
        let line = line.trim_start();
        !line.starts_with("//") && (line.contains(&path_start) || line.contains(&imported))
    })
}

#[test]
fn declared_dependencies_are_used() {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut unused = Vec::new();
    for (package, sections) in PACKAGES {
        let folder = workspace.join(package);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("manifest");
        for (section, sources) in sections {
            for dependency in declared(&manifest, section) {
                let library = library(&dependency);
                if !sources
                    .iter()
                    .any(|source| is_used(&folder.join(source), &library))
                {
                    unused.push(format!("{package}: {section} {dependency}"));
                }
            }
        }
    }
    assert!(unused.is_empty(), "declared but not used: {unused:#?}");
}
