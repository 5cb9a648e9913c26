//! The command `sql`, if the tool has the feature.
#![cfg(feature = "sql")]

mod program;

use program::Folder;

/// Returns a folder with the array `weather`.
fn weather() -> Folder {
    let folder = Folder::new();
    let table = "month,station,temperature\n2024-01-01,Oslo,-4.5\n2024-02-01,Oslo,-2\n\
                 2024-01-01,Bergen,1.25\n2024-02-01,Bergen,\n";
    folder.write("weather.csv", table);
    folder.output(&[
        "import",
        "weather.csv",
        "weather",
        "--dimensions",
        "month,station",
    ]);
    folder
}

const BY_STATION: &str = "SELECT station, count(temperature) AS n, min(month) AS first \
    FROM weather GROUP BY station ORDER BY station";

#[test]
fn rows_are_printed_as_a_table_as_csv_and_as_json() {
    let folder = weather();
    let query = |options: &[&str]| {
        let command = ["sql", BY_STATION, "--table", "weather=weather"];
        folder.output(&[&command, options].concat())
    };
    let csv = "station,n,first\nBergen,1,2024-01-01\nOslo,2,2024-01-01\n";
    assert_eq!(query(&["--csv"]), csv);
    let json: serde_json::Value = serde_json::from_str(&query(&["--json"])).expect("JSON");
    assert_eq!(json[1]["station"], "Oslo");
    assert_eq!(json[1]["n"], 2);
    let table = query(&[]);
    assert!(table.contains("| Bergen  | 1 | 2024-01-01 |"), "{table}");
}

#[test]
fn rows_are_stored_in_files_and_arrays() {
    let folder = weather();
    for target in ["rows.parquet", "rows.arrow", "rows.csv", "rows"] {
        let query = "SELECT month, temperature FROM tiledb('weather') WHERE station = 'Oslo'";
        let output = folder.output(&["sql", query, "-o", target]);
        assert_eq!(output, format!("wrote 2 rows to {target}\n"));
    }
    assert_eq!(folder.read("rows.csv").lines().count(), 3);
    let sum = "SELECT sum(temperature) AS sum FROM tiledb('rows')";
    assert_eq!(folder.output(&["sql", sum, "--csv"]), "sum\n-6.5\n");
}

#[test]
fn mistakes_are_errors_of_one_sentence() {
    let folder = weather();
    for (query, code, part) in [
        ("SELECT * FROM tiledb('nothing')", 3, "nothing"),
        ("SELECT wind FROM tiledb('weather')", 2, "wind"),
        ("SELEKT 1", 2, "SELEKT"),
    ] {
        let problem = folder.error(&["sql", query], code);
        assert!(problem.contains(part), "{problem}");
    }
    folder.error(&["sql", "SELECT 1", "--table", "weather"], 2);
}

/// Returns whether a process has a handler of SIGINT.
#[cfg(target_os = "linux")]
fn handles_interrupts(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_some_and(|mask| mask & 2 != 0)
}

#[test]
#[cfg(target_os = "linux")]
fn interrupted_query_ends_before_it_is_complete() {
    let folder = weather();
    // It would take days.
    let query = "SELECT sum(a.value * b.value + c.value) FROM generate_series(1, 1000000) a \
                 CROSS JOIN generate_series(1, 1000000) b CROSS JOIN generate_series(1, 1000) c";
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tiledb-rs"))
        .args(["sql", query])
        .current_dir(folder.path(""))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program runs");
    while !handles_interrupts(child.id()) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill runs").success());
    assert_eq!(child.wait().expect("a status").code(), Some(130));
}
