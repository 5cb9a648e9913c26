//! Checks that links in the documents lead to files and headings that exist, that the site has
//! every page, and that pictures are what their texts say.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Adds the pages in a folder and in those below it to `pages`.
fn find_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            find_pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

/// Returns the documents of the repository.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    find_pages(&root().join("docs"), &mut pages);
    for entry in fs::read_dir(root()).expect("the repository") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
            continue;
        }
        let readme = path.join("README.md");
        if readme.is_file() {
            pages.push(readme);
        }
    }
    pages.sort();
    pages
}

/// Returns the text outside of blocks of code, with inline code replaced by spaces.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            prose.push_str(line);
        }
        prose.push('\n');
    }
    prose
}

/// Returns the targets of the links of a page, in the form `[text](target)`.
fn links(text: &str) -> Vec<String> {
    let text = prose(text);
    let parts = text.split("](").skip(1);
    let targets = parts.filter_map(|part| part.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

/// Returns the names by which links refer to the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter_map(|letter| match letter {
            ' ' => Some('-'),
            letter if letter.is_alphanumeric() || letter == '-' || letter == '_' => Some(letter),
            _ => None,
        });
        kept.collect()
    };
    headings.map(anchor).collect()
}

/// Removes `.` and `..` from a path without a look at the file system.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            component => normal.push(component),
        }
    }
    normal
}

#[test]
fn links_of_documents_lead_to_files_and_headings() {
    let mut faults = Vec::new();
    let mut number = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        for target in links(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            number += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = match path {
                "" => page.clone(),
                path => normal(&page.parent().expect("a folder").join(path)),
            };
            let is_page = file.extension().is_some_and(|extension| extension == "md");
            let has_anchor = || {
                anchor.is_empty()
                    || (is_page
                        && anchors(&fs::read_to_string(&file).expect("a page")).contains(anchor))
            };
            if !file.exists() || !has_anchor() {
                faults.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(number > 100, "{number} links");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_site_has_every_page() {
    let summary = root().join("docs/SUMMARY.md");
    let text = fs::read_to_string(&summary).expect("the summary");
    let listed: Vec<PathBuf> = links(&text)
        .iter()
        .map(|target| normal(&root().join("docs").join(target)))
        .collect();
    let unique: BTreeSet<&PathBuf> = listed.iter().collect();
    assert_eq!(unique.len(), listed.len(), "a page is listed twice");
    let pages = pages().into_iter().filter(|page| *page != summary);
    let missing: Vec<_> = pages.filter(|page| !unique.contains(page)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn pictures_are_what_their_texts_say() {
    let script = root().join("docs/pictures/draw");
    let output = Command::new("python3").arg(script).arg("--check").output();
    let output = output.expect("python3 runs");
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{problem}");
}
