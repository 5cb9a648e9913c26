//! The programs that the command `view` writes: what they print is compared with the cells that the
//! page shows.
#![cfg(feature = "view")]

mod program;
mod viewer;

use std::path::Path;
use std::process::Command;

use program::Folder;
use serde_json::Value;
use tiledb_engine::{Datatype, Scalar};
use viewer::{Viewer, create_arrays, create_edge_arrays};

/// Returns whether a field that a program printed is a cell of the page.
fn is_cell(text: &str, cell: &Value, datatype: &str) -> bool {
    let Some(shown) = cell.as_str() else {
        return text == "null";
    };
    let number = |text: &str| text.parse::<f64>().expect("a number");
    match datatype {
        "FLOAT32" => number(text) as f32 == number(shown) as f32,
        // Zeros of different signs differ. All NaNs are equal.
        "FLOAT64" => {
            let (one, other) = (number(text), number(shown));
            one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
        }
        "BOOL" => (text == "1") == (shown == "true"),
        _ if datatype.starts_with("DATETIME") => {
            // Programs in C print datetimes as they are stored.
            let datatype = Datatype::from_name(datatype).expect("a datatype");
            let stored = Scalar::from(shown).to_bytes(datatype).expect("a datetime");
            Scalar::from_bytes(datatype, &stored)
                == Scalar::Integer(text.parse().expect("a number"))
        }
        _ => text == shown,
    }
}

/// Checks that the lines of a program are the cells of a page.
fn check_lines(output: &str, page: &Value, program: &str) {
    let columns = page["columns"].as_array().expect("columns");
    let rows = page["rows"].as_array().expect("rows");
    let lines: Vec<&str> = output.split_terminator('\n').collect();
    assert_eq!(lines.len(), rows.len(), "{program}\n{output}");
    for (line, row) in lines.iter().zip(rows) {
        let texts: Vec<&str> = line.split('\t').collect();
        let cells = row.as_array().expect("cells");
        assert_eq!(texts.len(), cells.len(), "{line}");
        for ((text, cell), column) in texts.iter().zip(cells).zip(columns) {
            let datatype = column["datatype"].as_str().expect("a datatype");
            let labels = ["oak", "a\"sh"];
            // Values of enumerations are their indexes.
            let label = labels.iter().position(|label| cell == label);
            let is_label = label.is_some_and(|index| *text == index.to_string());
            assert!(
                is_label || is_cell(text, cell, datatype),
                "{text:?} {cell} {datatype}\n{program}"
            );
        }
    }
}

/// Compiles and runs a program in C; returns its output.
fn output_of_c(folder: &Folder, text: &str, library: &Path) -> String {
    folder.write("read.c", text);
    let named = folder.path("libtiledb.so.2.30");
    if !named.exists() {
        // The library has the name of libtiledb, by which the program finds it.
        std::os::unix::fs::symlink(library, &named).expect("link");
    }
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let link = format!("-Wl,-rpath,{}", folder.path(".").display());
    let compiled = Command::new("gcc")
        .args(["-Wall", "-Wextra", "-Werror", "-I"])
        .arg(include)
        .arg(folder.path("read.c"))
        .arg("-o")
        .arg(folder.path("read"))
        .arg("-L")
        .arg(library.parent().expect("a folder"))
        .args(["-ltiledb_rs", &link])
        .output()
        .expect("gcc");
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{errors}\n{text}");
    let output = Command::new(folder.path("read")).output().expect("runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}\n{text}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
#[cfg(unix)]
fn programs_print_the_cells_of_the_page() {
    let folder = Folder::new();
    let arrays = create_arrays(&folder.path("."));
    let edges = create_edge_arrays(&folder.path("."));
    let program = Path::new(env!("CARGO_BIN_EXE_tiledb-rs"));
    let library = program.with_file_name("libtiledb_rs.so");
    if !library.exists() {
        println!("skipped: {} was not built", library.display());
    }
    let python = std::env::var("TILEDB_RS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let import = Command::new(&python)
        .args(["-c", "import tiledb_rs, pandas"])
        .output();
    let has_python = import.is_ok_and(|import| import.status.success());
    if !has_python {
        println!("skipped: {python} has no module tiledb_rs");
    }
    let viewers = [&arrays, &edges].map(|root| Viewer::start(root, &[]));
    let (mut in_python, mut expected) = (String::new(), Vec::new());
    let text_name = "name \u{202e}\"?\\";
    let text_range = format!("{text_name}= ..a");
    for (root, array, selection) in [
        (&edges, "negative", &[("range", "row=-50..-20")][..]),
        (
            &edges,
            "negative",
            &[
                ("range", "row=-50..-20"),
                ("range", "column=-3"),
                ("field", "s"),
                ("field", "w"),
            ],
        ),
        (&edges, "texts", &[]),
        (&edges, "texts", &[("range", &text_range)]),
        (
            &edges,
            "texts",
            &[("where", "kind = 'oak' AND note IS NOT NULL")],
        ),
        (&edges, "signed", &[]),
        (&edges, "signed", &[("range", "d=-9223372036854775808..0")]),
        (
            &edges,
            "unsigned",
            &[("range", "d=1..18446744073709550615")],
        ),
        (&edges, "reals", &[("range", "x=1e-323..1.7e308")]),
        (
            &arrays,
            "dates",
            &[
                ("range", "day=1975-01-01..1975-02-01"),
                ("where", "rain > 1"),
            ],
        ),
        (
            &arrays,
            "dates",
            &[
                ("range", "day=1975-01-01..1975-01-03"),
                ("range", "day=1976-02-01..1976-02-04"),
            ],
        ),
        (
            &arrays,
            "sparse",
            &[
                ("range", "x=0..2000"),
                ("where", "value > 100"),
                ("at", "1700000060000"),
            ],
        ),
        (
            &arrays,
            "dense",
            &[("range", "row=5..6"), ("range", "column=1..30")],
        ),
        (&arrays, "cube", &[("range", "time=3"), ("range", "y=0..1")]),
        (&arrays, "labelled", &[]),
    ] {
        let uri = format!("{root}/{array}");
        let parameters = [&[("uri", uri.as_str())], selection].concat();
        let viewer = if root == &arrays {
            &viewers[0]
        } else {
            &viewers[1]
        };
        let programs = viewer.data("program", &parameters);
        let is_repeated = selection
            .iter()
            .filter(|(name, _)| *name == "range")
            .count()
            == 2
            && array == "dates";
        // A page has one range of its first dimension.
        let page = if is_repeated {
            let pages = [1, 2].map(|index| {
                let parameters = [
                    &[("uri", uri.as_str()), ("count", "500")],
                    &selection[index - 1..index],
                ]
                .concat();
                viewer.data("cells", &parameters)
            });
            let mut all = pages[0].clone();
            let more = pages[1]["rows"].as_array().expect("rows").clone();
            all["rows"].as_array_mut().expect("rows").extend(more);
            all
        } else {
            viewer.data("cells", &[&parameters[..], &[("count", "500")]].concat())
        };
        let rows = page["rows"].as_array().expect("rows").len();
        assert!((1..500).contains(&rows), "{array} {selection:?}: {rows}");
        let text = |language: &str| programs[language].as_str().expect("a program");
        if library.exists() {
            check_lines(&output_of_c(&folder, text("C"), &library), &page, text("C"));
        }
        let shell = text("Shell").trim_end();
        let command = format!("{shell} --format csv").replacen(
            "tiledb-rs",
            program.to_str().expect("UTF-8"),
            1,
        );
        let output = Command::new("sh")
            .args(["-c", &command])
            .output()
            .expect("sh");
        assert!(output.status.success(), "{command}: {output:?}");
        let records = csv::Reader::from_reader(&output.stdout[..]).into_records();
        assert_eq!(records.filter_map(Result::ok).count(), rows, "{command}");
        // One process runs all programs, which import the same modules.
        in_python.push_str(text("Python"));
        in_python.push_str("print('rows:', len(table))\n");
        expected.push(rows.to_string());
        if cfg!(feature = "sql") {
            let output = folder.output(&["sql", text("SQL"), "--csv"]);
            let records = csv::Reader::from_reader(output.as_bytes()).into_records();
            assert_eq!(
                records.filter_map(Result::ok).count(),
                rows,
                "{}",
                text("SQL")
            );
        }
    }
    if has_python {
        let output = Command::new(&python).args(["-c", &in_python]).output();
        let output = output.expect("python");
        assert!(output.status.success(), "{in_python}: {output:?}");
        let output = String::from_utf8(output.stdout).expect("UTF-8");
        let found = output
            .lines()
            .filter_map(|line| line.strip_prefix("rows: "));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{in_python}");
    }
}
