//! Checks that `docs/behaviours.md` names existing tests and sections of `docs/differences/`, that
//! these name existing tests, and that `docs/commit-protocol.md` names existing tests,
//! at least one per rule.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A reference of an entry: a test of a file, or a section of `docs/differences/`.
#[derive(Debug, PartialEq)]
enum Reference<'a> {
    Test { file: &'a str, name: &'a str },
    Section(&'a str),
}

fn read(file: &str) -> Option<String> {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).ok()
}

/// Returns the pages of all differences.
fn differences() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/differences");
    let entries = fs::read_dir(folder).expect("the folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<_> = paths
        .map(|path| fs::read_to_string(path).expect("a page"))
        .collect();
    pages.extend(read("DIFFERENCES.md"));
    pages
}

/// Returns the entries of a document: the items of its list, and the items below each of them,
/// joined by "; ".
fn entries(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(behaviour) = line.strip_prefix("- ") {
            found.push((behaviour.to_owned(), String::new()));
        } else if let (Some((_, references)), Some(item)) =
            (found.last_mut(), line.strip_prefix("  - "))
        {
            if !references.is_empty() {
                references.push_str("; ");
            }
            references.push_str(item);
        } else if let (Some((behaviour, references)), true) =
            (found.last_mut(), line.starts_with("  "))
        {
            let item = if references.is_empty() {
                behaviour
            } else {
                references
            };
            item.push(' ');
            item.push_str(line.trim_start());
        }
    }
    found
}

/// Returns the rows of all tables: their first two cells.
fn rows(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let cells = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    cells
        .filter_map(|row| row.split_once(" | "))
        .filter(|(_, second)| *second != "---")
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('`')?.strip_suffix('`')
}

/// Parses references. The error is the text that was not understood.
fn references(text: &str) -> Result<Vec<Reference<'_>>, &str> {
    let mut found = Vec::new();
    for part in text.split("; ") {
        let (target, names) = part.split_once(": ").ok_or(part)?;
        if target == "DIFFERENCES" {
            found.push(Reference::Section(names));
            continue;
        }
        let file = quoted(target).ok_or(part)?;
        for name in names.split(", ") {
            let name = quoted(name).ok_or(part)?;
            found.push(Reference::Test { file, name });
        }
    }
    Ok(found)
}

/// Returns whether a file has a test of this name.
fn has_test(file: &str, name: &str) -> bool {
    if file.ends_with(".rs") {
        read(file).is_some_and(|text| {
            let before = text.split_once(&format!("fn {name}("));
            before.is_some_and(|(before, _)| {
                let attributes = before.rsplit("\n\n").next();
                attributes.is_some_and(|attributes| attributes.contains("#[test]"))
            })
        })
    } else {
        read(&format!("capi-tests/{file}")).is_some_and(|text| {
            ["TEST(", "TEST_WITH(ctx, "]
                .iter()
                .any(|kind| text.contains(&format!("{kind}{name})")))
        })
    }
}

#[test]
fn named_tests_and_sections_exist() {
    let text = read("docs/behaviours.md").expect("the behaviours");
    let differences = differences().concat();
    let mut faults = Vec::new();
    let mut number = 0;
    for (behaviour, listed) in entries(&text) {
        number += 1;
        let Ok(references) = references(&listed).map_err(|part| faults.push(format!("'{part}'")))
        else {
            continue;
        };
        let absent = references.iter().filter(|reference| match reference {
            Reference::Test { file, name } => !has_test(file, name),
            Reference::Section(name) => !differences.contains(&format!("\n## {name}\n")),
        });
        faults.extend(absent.map(|reference| format!("{behaviour}: {reference:?}")));
    }
    assert!(number > 90, "{number} entries");
    let long: Vec<&str> = text.lines().filter(|line| line.len() > 120).collect();
    assert!(long.is_empty(), "lines of more than 120 columns: {long:#?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn differences_name_existing_tests() {
    let mut faults = Vec::new();
    let mut number = 0;
    for page in differences() {
        let long: Vec<&str> = page.lines().filter(|line| line.len() > 140).collect();
        assert!(long.is_empty(), "lines of more than 140 columns: {long:#?}");
        for (feature, parts) in entries(&page) {
            let Some((parts, tests)) = parts.split_once("tests: ") else {
                assert!(!parts.contains("this library: "), "{feature} has no tests");
                continue;
            };
            number += 1;
            assert!(parts.contains("this library: "), "{feature}: {parts}");
            let exists = match references(tests) {
                Ok(references) => references.iter().all(|reference| match reference {
                    Reference::Test { file, name } => has_test(file, name),
                    Reference::Section(_) => false,
                }),
                // A program without named tests.
                Err(file) => {
                    quoted(file).is_some_and(|file| read(&format!("capi-tests/{file}")).is_some())
                }
            };
            if !exists {
                faults.push(format!("{feature}: {tests}"));
            }
        }
    }
    assert!(number > 260, "{number} differences with tests");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the rules that a cell names before its first colon: "R1, M2 to M4: why".
fn rules(cell: &str) -> Result<Vec<String>, &str> {
    let names = cell.split(':').next().unwrap_or_default();
    let mut found = Vec::new();
    for part in names.split(", ") {
        let (first, last) = part.split_once(" to ").unwrap_or((part, part));
        let number = |name: &str| name.get(1..).and_then(|number| number.parse::<u32>().ok());
        let (Some(from), Some(to)) = (number(first), number(last)) else {
            return Err(part);
        };
        let letter = first.get(..1).unwrap_or_default();
        found.extend((from..=to).map(|number| format!("{letter}{number}")));
    }
    Ok(found)
}

#[test]
fn each_rule_of_the_commit_protocol_has_tests_that_exist() {
    let text = read("docs/commit-protocol.md").expect("the protocol");
    let is_rule = |name: &&str| {
        let mut chars = name.chars();
        chars
            .next()
            .is_some_and(|letter| letter.is_ascii_uppercase())
            && name.len() > 1
            && chars.all(|digit| digit.is_ascii_digit())
    };
    let stated = text.lines().filter_map(|line| line.split_once(". "));
    let stated = stated.map(|(name, _)| name).filter(is_rule);
    let stated: BTreeSet<String> = stated.map(str::to_owned).collect();
    assert!(stated.len() > 25, "{stated:?}");
    let (_, tests) = text.split_once("\n## Tests\n").expect("the tests");
    let mut checked = BTreeSet::new();
    for (named, cell) in rows(tests).filter(|(named, _)| *named != "test") {
        for reference in references(named).expect("tests of a file") {
            let Reference::Test { file, name } = reference else {
                panic!("{named}");
            };
            assert!(has_test(file, name), "{file}: {name}");
        }
        checked.extend(rules(cell).expect("rules"));
    }
    assert_eq!(checked, stated);
}

#[test]
fn rules_are_parsed_singly_and_in_ranges() {
    let found = rules("R1, C4 to C6, G1: why, M2").expect("rules");
    assert_eq!(found, ["R1", "C4", "C5", "C6", "G1"]);
    assert_eq!(rules("R1, all"), Err("all"));
}

#[test]
fn entries_are_parsed_with_continued_lines() {
    let text = "# Title\n\ntext\n\n- one\n  line\n  - `a`: `b`,\n    `c`\n  - D: e\n- two\n  - f\n";
    let expected = [("one line", "`a`: `b`, `c`; D: e"), ("two", "f")];
    let expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(entries(text), expected);
}

#[test]
fn tests_and_sections_are_parsed() {
    let test = |file, name| Reference::Test { file, name };
    assert_eq!(
        references("`a.c`: `one`, `two`; `b/c.rs`: `three`; DIFFERENCES: All families"),
        Ok(vec![
            test("a.c", "one"),
            test("a.c", "two"),
            test("b/c.rs", "three"),
            Reference::Section("All families")
        ])
    );
    assert_eq!(references("`a.c`: one"), Err("`a.c`: one"));
}
