//! Files of the engine do not import each other in cycles.
//!
//! A file depends on the files that define the names of its `use` declarations and of its paths
//! that begin with `crate`, `super` or `self`. Names are followed through the `use` declarations of
//! other files. Re-exports of files below the own folder and tests are not dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A path of modules and names, from the root of the crate.
type Names = Vec<String>;

/// A name that a `use` declaration brings into a file.
struct Import {
    /// The path that the name stands for.
    path: Names,
    /// The name, which differs from the end of the path after `as`.
    name: String,
    is_exported: bool,
}

/// A source file.
struct File {
    path: String,
    uses: Vec<Import>,
    /// Other paths in it.
    mentions: Vec<Names>,
}

/// All files by their modules.
type Files = BTreeMap<Names, File>;

fn names(path: &str) -> Names {
    let parts = path.split("::").map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the source text without comments, without visibilities such as `pub(in super::super)`,
/// and without the test module at its end.
fn code(text: &str) -> String {
    let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..tests].lines();
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join("\n");
    code.replace("pub(in super::super)", "pub")
}

/// Appends the paths of a `use` tree, each with the name that it gets.
fn flatten(prefix: &[String], tree: &str, to: &mut Vec<(Names, String)>) {
    let Some((start, rest)) = tree.split_once('{') else {
        let (path, alias) = match tree.split_once(" as ") {
            Some((path, alias)) => (path, Some(alias.trim().to_owned())),
            None => (tree, None),
        };
        let path = [prefix, &names(path)].concat();
        if path.len() > prefix.len() {
            let name = alias.or_else(|| path.last().cloned());
            to.extend(name.map(|name| (path, name)));
        }
        return;
    };
    let prefix = [prefix, &names(start)].concat();
    let body = &rest[..rest.rfind('}').unwrap_or(rest.len())];
    let (mut depth, mut from) = (0, 0);
    for (index, character) in body.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                flatten(&prefix, &body[from..index], to);
                from = index + 1;
            }
            _ => {}
        }
    }
    flatten(&prefix, &body[from..], to);
}

/// Converts a path to one from the root. Returns `None` for paths of other crates.
fn absolute(module: &[String], path: &[String], files: &BTreeSet<Names>) -> Option<Names> {
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => {
            let ups = path.iter().take_while(|name| *name == "super").count();
            let up = module.len().checked_sub(ups)?;
            Some([&module[..up], &path[ups..]].concat())
        }
        first => {
            let child = [module, &[first.to_owned()]].concat();
            files.contains(&child).then(|| [module, path].concat())
        }
    }
}

fn parse(module: &[String], path: String, text: &str, all: &BTreeSet<Names>) -> File {
    let code = code(text);
    let (mut uses, mut other) = (Vec::new(), String::new());
    let mut rest = code.as_str();
    while let Some(index) = rest.find("use ") {
        let line = rest[..index].rfind('\n').map_or(0, |newline| newline + 1);
        let visibility = rest[line..index].trim();
        let is_use = visibility.is_empty() || visibility.starts_with("pub");
        let end = rest[index..]
            .find(';')
            .map_or(rest.len(), |end| index + end);
        if !is_use {
            other.push_str(&rest[..index + 4]);
            rest = &rest[index + 4..];
            continue;
        }
        other.push_str(&rest[..line]);
        let mut paths = Vec::new();
        flatten(&[], &rest[index + 4..end], &mut paths);
        let imports = paths.into_iter().filter_map(|(path, name)| {
            Some(Import {
                path: absolute(module, &path, all)?,
                name,
                is_exported: !visibility.is_empty(),
            })
        });
        uses.extend(imports);
        rest = &rest[end..];
    }
    other.push_str(rest);
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = other
        .split(|c| !is_name(c))
        .filter(|word| word.contains("::"));
    let starts = ["crate", "super", "self"];
    let mentions = words
        .map(names)
        .filter(|path| starts.contains(&path[0].as_str()));
    let mentions = mentions
        .filter_map(|path| absolute(module, &path, all))
        .collect();
    File {
        path,
        uses,
        mentions,
    }
}

fn list(root: &Path, folder: &Path, to: &mut Vec<(Names, String, String)>) {
    for entry in fs::read_dir(folder).expect("folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(root, &path, to);
            continue;
        }
        let below = path.strip_prefix(root).expect("below the root");
        let below = below.to_str().expect("text").replace('\\', "/");
        let mut module: Names = below
            .trim_end_matches(".rs")
            .split('/')
            .map(str::to_owned)
            .collect();
        if below.ends_with("mod.rs") || below == "lib.rs" {
            module.pop();
        }
        to.push((module, below, fs::read_to_string(&path).expect("text")));
    }
}

/// Returns the module of the file that defines a path.
fn resolve(path: &[String], files: &Files, depth: usize) -> Option<Names> {
    let len = (0..=path.len())
        .rev()
        .find(|len| files.contains_key(&path[..*len]))?;
    let module = path[..len].to_vec();
    if let Some(name) = path.get(len).filter(|_| depth < 8) {
        let mut uses = files[&module].uses.iter();
        let import = uses.find(|import| import.name == *name);
        if let Some(import) = import.filter(|import| import.path != path) {
            return resolve(&[&import.path, &path[len + 1..]].concat(), files, depth + 1);
        }
    }
    Some(module)
}

/// Returns the files that each file depends on.
fn dependencies(files: &Files) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut all = BTreeMap::new();
    for (module, file) in files {
        let exports = |path: &Names| path.starts_with(module) && file.path.ends_with("mod.rs");
        let used = file.uses.iter();
        let used = used.map(|import| (&import.path, import.is_exported));
        let paths = used.chain(file.mentions.iter().map(|path| (path, false)));
        let modules = paths.filter_map(|(path, exported)| {
            let found = resolve(path, files, 0).filter(|found| !found.is_empty())?;
            let is_own = found == *module || (exported && exports(&found));
            (!is_own).then(|| files[&found].path.as_str())
        });
        all.insert(file.path.as_str(), modules.collect());
    }
    all
}

/// Returns all files that can be reached from a file.
fn reachable<'a>(from: &str, edges: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        for next in &edges[file] {
            if found.insert(*next) {
                open.push(next);
            }
        }
    }
    found
}

#[test]
fn files_do_not_import_each_other_in_cycles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    list(&root, &root, &mut sources);
    let modules = sources
        .iter()
        .map(|(module, _, _)| module.clone())
        .collect();
    let files: Files = sources
        .into_iter()
        .map(|(module, path, text)| (module.clone(), parse(&module, path, &text, &modules)))
        .collect();
    let edges = dependencies(&files);
    let reached: BTreeMap<_, _> = edges
        .keys()
        .map(|file| (*file, reachable(file, &edges)))
        .collect();
    let mut cycles = BTreeSet::new();
    for (file, found) in reached.iter().filter(|(file, found)| found.contains(*file)) {
        let cycle = found.iter().filter(|other| reached[*other].contains(file));
        cycles.insert(cycle.copied().collect::<Vec<_>>());
    }
    assert!(cycles.is_empty(), "cycles of imports: {cycles:#?}");
}
