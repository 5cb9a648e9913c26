//! Runs the commands of pages in `docs/` and compares their output and the pictures they write.

mod program;

use std::fs;
use std::path::{Path, PathBuf};

use program::Folder;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// Returns the arguments of a command line, whose quotes are not part of them.
fn arguments(line: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            arguments.push(part.to_owned());
        } else {
            arguments.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    arguments
}

/// Returns the commands of the tour with their output.
fn steps(tour: &str) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for block in tour.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("a block");
        for line in block.lines() {
            match (line.strip_prefix("$ tiledb-rs "), steps.last_mut()) {
                (Some(command), _) => steps.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => {
                    output.push_str(line);
                    output.push('\n');
                }
                (None, None) => panic!("output without a command: {line}"),
            }
        }
    }
    steps
}

/// Returns whether a line is the expected one, in which `…` stands for any text.
fn is_line(line: &str, expected: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(rest) = line.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut rest = rest;
    let mut is_open = false;
    for part in parts {
        is_open = true;
        if part.is_empty() {
            rest = "";
            continue;
        }
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        is_open = false;
        rest = after;
    }
    is_open || rest.is_empty()
}

/// Returns whether an output is the expected one, in which the line `…` stands for any lines.
fn is_output(output: &[&str], expected: &[&str]) -> bool {
    match expected.split_first() {
        None => output.is_empty(),
        Some((&"…", rest)) => (0..=output.len()).any(|start| is_output(&output[start..], rest)),
        Some((first, rest)) => output
            .split_first()
            .is_some_and(|(line, others)| is_line(line, first) && is_output(others, rest)),
    }
}

/// Runs the commands of a page in a folder with its tables.
fn assert_page(page: &str, fewest: usize) {
    let folder = Folder::new();
    for file in ["first.csv", "second.csv"] {
        let table = fs::read_to_string(docs().join("tour").join(file)).expect("the table");
        folder.write(file, &table);
    }
    let steps = steps(&fs::read_to_string(docs().join(page)).expect("the page"));
    assert!(steps.len() >= fewest, "{} commands", steps.len());
    for (command, expected) in steps {
        let arguments = arguments(&command);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = folder.output(&arguments);
        let lines: Vec<&str> = output.lines().collect();
        let expected: Vec<&str> = expected.lines().collect();
        assert!(
            is_output(&lines, &expected),
            "tiledb-rs {command} printed\n{output}"
        );
    }
}

#[test]
fn the_commands_of_the_page_on_upkeep_print_what_it_says() {
    assert_page("upkeep.md", 8);
}

#[test]
fn the_commands_of_the_page_on_parquet_print_what_it_says() {
    assert_page("from-parquet.md", 8);
}

#[test]
fn the_commands_of_the_tour_print_what_it_says() {
    let folder = Folder::new();
    let table = fs::read_to_string(docs().join("tour/nottingham.csv")).expect("the table");
    folder.write("nottingham.csv", &table);
    let tour = fs::read_to_string(docs().join("tour.md")).expect("the tour");
    let steps = steps(&tour);
    assert!(steps.len() >= 10, "{} commands", steps.len());
    for (command, expected) in steps {
        let arguments = arguments(&command);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        assert_eq!(folder.output(&arguments), expected, "tiledb-rs {command}");
    }
    let committed = fs::read_to_string(docs().join("tour/nottingham.svg")).expect("the picture");
    let is_unchanged = folder.read("nottingham.svg") == committed;
    assert!(
        is_unchanged,
        "docs/tour/nottingham.svg differs from what the tour writes"
    );
}
