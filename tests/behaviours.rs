//! `docs/behaviours.md` names tests that exist, and sections of `DIFFERENCES.md` that exist; `docs/commit-protocol.md` names
//! tests that exist, at least one for each rule.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What the last column of the tables names: a test of a file, or a section of `DIFFERENCES.md`.
#[derive(Debug, PartialEq)]
enum Holder<'a> {
    Test { file: &'a str, name: &'a str },
    Section(&'a str),
}

fn read(file: &str) -> Option<String> {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).ok()
}

/// The rows of all tables: behaviour and holders.
fn rows(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let cells = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    cells
        .filter_map(|row| row.split_once(" | "))
        .filter(|(_, holders)| *holders != "---" && *holders != "held by")
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('`')?.strip_suffix('`')
}

/// The holders that a cell names, or what of it is not understood.
fn holders(cell: &str) -> Result<Vec<Holder<'_>>, &str> {
    let mut found = Vec::new();
    for part in cell.split("; ") {
        let (place, names) = part.split_once(": ").ok_or(part)?;
        if place == "DIFFERENCES" {
            found.push(Holder::Section(names));
            continue;
        }
        let file = quoted(place).ok_or(part)?;
        for name in names.split(", ") {
            let name = quoted(name).ok_or(part)?;
            found.push(Holder::Test { file, name });
        }
    }
    Ok(found)
}

/// Whether a file has a test of the name.
fn has_test(file: &str, name: &str) -> bool {
    if file.ends_with(".rs") {
        read(file).is_some_and(|text| {
            let before = text.split_once(&format!("fn {name}("));
            before.is_some_and(|(before, _)| {
                let attributes = before.rsplit("\n\n").next();
                attributes.is_some_and(|it| it.contains("#[test]"))
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
fn what_holds_a_behaviour_exists() {
    let table = read("docs/behaviours.md").expect("the table");
    let differences = read("DIFFERENCES.md").expect("the differences");
    let mut faults = Vec::new();
    let mut number = 0;
    for (behaviour, cell) in rows(&table) {
        number += 1;
        let Ok(holders) = holders(cell).map_err(|part| faults.push(format!("'{part}'"))) else {
            continue;
        };
        let absent = holders.iter().filter(|holder| match holder {
            Holder::Test { file, name } => !has_test(file, name),
            Holder::Section(name) => !differences.contains(&format!("\n## {name}\n")),
        });
        faults.extend(absent.map(|holder| format!("{behaviour}: {holder:?}")));
    }
    assert!(number > 90, "{number} rows");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The rules that a cell names before its first colon: "R1, M2 to M4: why".
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
        for holder in holders(named).expect("tests of a file") {
            let Holder::Test { file, name } = holder else {
                panic!("{named}");
            };
            assert!(has_test(file, name), "{file}: {name}");
        }
        checked.extend(rules(cell).expect("rules"));
    }
    assert_eq!(checked, stated);
}

#[test]
fn a_cell_names_rules_alone_and_in_ranges() {
    let found = rules("R1, C4 to C6, G1: why, M2").expect("rules");
    assert_eq!(found, ["R1", "C4", "C5", "C6", "G1"]);
    assert_eq!(rules("R1, all"), Err("all"));
}

#[test]
fn a_cell_names_tests_of_files_and_sections() {
    let test = |file, name| Holder::Test { file, name };
    assert_eq!(
        holders("`a.c`: `one`, `two`; `b/c.rs`: `three`; DIFFERENCES: All families"),
        Ok(vec![
            test("a.c", "one"),
            test("a.c", "two"),
            test("b/c.rs", "three"),
            Holder::Section("All families")
        ])
    );
    assert_eq!(holders("`a.c`: one"), Err("`a.c`: one"));
}
