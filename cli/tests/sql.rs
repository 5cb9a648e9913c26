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

/// The rows of a long table are printed in blocks.
#[test]
fn long_table_has_one_header_and_one_end() {
    let folder = Folder::new();
    let table = folder.output(&["sql", "SELECT value FROM generate_series(1, 25000)"]);
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines[..3], ["+-------+", "| value |", "+-------+"]);
    assert_eq!(lines[25_003..], ["+-------+"]);
    let mut values: Vec<u64> = lines[3..25_003]
        .iter()
        .map(|line| line.trim_matches(['|', ' ']).parse().expect("a number"))
        .collect();
    values.sort_unstable();
    assert!((1..=25_000).eq(values));
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

#[test]
#[cfg(target_os = "linux")]
fn full_disks_and_closed_pipes_are_reported_as_such() {
    let folder = weather();
    let names = folder.names();
    let rows = "SELECT value AS a, value * value % 999983 AS b FROM generate_series(1, 100000)";
    let sql = |redirection: &str, arguments: &[&str]| {
        let script = format!("ulimit -f 16; exec \"$0\" \"$@\" {redirection}");
        let output = std::process::Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_tiledb-rs"), "sql", rows])
            .args(arguments)
            .current_dir(folder.path(""))
            .output()
            .expect("sh runs");
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        (output.status.code(), errors)
    };
    for file in ["rows.csv", "rows.parquet", "rows.arrow"] {
        let (code, errors) = sql("", &["-o", file]);
        assert_eq!(code, Some(4), "{errors}");
        let sentence = format!("error: cannot write '{file}': File too large");
        assert!(errors.starts_with(&sentence), "{errors}");
        assert!(errors.contains("\nhint: free space"), "{errors}");
    }
    let (code, errors) = sql("", &["-o", "rows"]);
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("File too large"), "{errors}");
    assert_eq!(folder.names(), names);
    for form in ["--csv", "--json"] {
        let (code, errors) = sql("> /dev/full", &[form]);
        assert_eq!(code, Some(4), "{form}: {errors}");
        assert!(errors.contains("No space left"), "{errors}");
        let (code, errors) = sql("| head -c 8", &[form]);
        assert_eq!((code, errors.as_str()), (Some(0), ""), "{form}");
    }
}

#[test]
fn array_is_not_stored_where_something_exists() {
    let folder = weather();
    let names = folder.names();
    for target in [".", "weather"] {
        let (code, _, errors) = folder.run(&["sql", "SELECT 1 AS id", "-o", target]);
        assert_eq!(code, 2, "{errors}");
        let sentence = format!("error: something exists at '{target}' already");
        assert!(errors.starts_with(&sentence), "{errors}");
        assert_eq!(folder.names(), names);
    }
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

/// A join by inequality, which takes minutes and computes for long without a pause.
#[cfg(target_os = "linux")]
const LONG: &str = "SELECT count(*) FROM generate_series(1, 2000000) a \
    JOIN generate_series(1, 2000000) b ON a.value % 7 < b.value % 5";

/// A query that takes days, and pauses between batches.
#[cfg(target_os = "linux")]
const ENDLESS: &str = "SELECT sum(a.value * b.value + c.value) FROM generate_series(1, 1000000) a \
    CROSS JOIN generate_series(1, 1000000) b CROSS JOIN generate_series(1, 1000) c";

/// The time after which an interrupt has had no effect. It is shorter than the queries.
#[cfg(target_os = "linux")]
const LIMIT: std::time::Duration = std::time::Duration::from_secs(20);

/// Runs the program, which must end after an interrupt.
#[cfg(target_os = "linux")]
fn interrupt(folder: &Folder, arguments: &[&str]) {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tiledb-rs"))
        .args(arguments)
        .current_dir(folder.path(""))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program runs");
    while !handles_interrupts(child.id()) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let begun = std::time::Instant::now();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill runs").success());
    let code = child.wait().expect("a status").code();
    assert_eq!(code, Some(130), "{arguments:?}");
    assert!(begun.elapsed() < LIMIT, "{arguments:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn interrupted_query_ends_before_it_is_complete() {
    let folder = weather();
    interrupt(&folder, &["sql", ENDLESS]);
    interrupt(&folder, &["sql", LONG]);
}

#[test]
#[cfg(target_os = "linux")]
fn interrupted_statement_leaves_no_file_and_no_array() {
    let folder = weather();
    let before = (
        folder.names(),
        folder.output(&["fragments", "weather", "--json"]),
    );
    let rows = "SELECT a.value * 1000000 + b.value AS id, a.value AS a \
                FROM generate_series(1, 1000000) a CROSS JOIN generate_series(1, 1000000) b";
    for target in ["rows.csv", "rows.arrow", "rows.parquet"] {
        interrupt(&folder, &["sql", rows, "-o", target]);
    }
    // These keep their rows in memory.
    let row = LONG.replace("count(*)", "count(*) AS id, 'Oslo' AS s, 1.5 AS x");
    interrupt(&folder, &["sql", &row, "-o", "rows"]);
    for statement in [
        format!("COPY ({rows}) TO 'rows.csv'"),
        format!("COPY ({rows}) TO 'rows.parquet'"),
        format!("COPY ({row}) TO 'rows' STORED AS TILEDB"),
        format!("INSERT INTO t SELECT DATE '2024-05-01', CAST(id AS VARCHAR), x FROM ({row})"),
    ] {
        interrupt(&folder, &["sql", &statement, "--table", "t=weather"]);
    }
    let after = (
        folder.names(),
        folder.output(&["fragments", "weather", "--json"]),
    );
    assert_eq!(after, before);
}

/// The prompt of the program in a terminal.
#[cfg(target_os = "linux")]
struct Prompt {
    child: std::process::Child,
    output: std::process::ChildStdout,
    text: String,
}

#[cfg(target_os = "linux")]
impl Prompt {
    fn write(&mut self, text: &str) {
        use std::io::Write;
        let input = self.child.stdin.as_mut().expect("an input");
        input
            .write_all(text.as_bytes())
            .expect("the terminal reads");
        input.flush().expect("the terminal reads");
    }

    /// Reads the output up to a text.
    fn read_to(&mut self, end: &str) {
        use std::io::Read;
        let mut bytes = [0; 4096];
        while !self.text.contains(end) {
            let number = self.output.read(&mut bytes).expect("an output");
            assert!(number > 0, "no '{end}' in: {}", self.text);
            self.text
                .push_str(&String::from_utf8_lossy(&bytes[..number]));
        }
        let after = self.text.split_once(end).map(|(_, after)| after.to_owned());
        self.text = after.unwrap_or_default();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn prompt_continues_after_an_interrupted_query() {
    use std::process::Stdio;
    let folder = Folder::new();
    // Some shells end with the status of an interrupt that their program has treated.
    let program = format!("exec {} sql", env!("CARGO_BIN_EXE_tiledb-rs"));
    let terminal = std::process::Command::new("script")
        .args(["-qec", &program, "/dev/null"])
        .current_dir(folder.path(""))
        .env("HOME", folder.path(""))
        .env("TERM", "dumb")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = terminal else {
        eprintln!("skipped: there is no program 'script'");
        return;
    };
    let output = child.stdout.take().expect("an output");
    let mut prompt = Prompt {
        child,
        output,
        text: String::new(),
    };
    prompt.read_to("sql>");
    for query in [LONG, ENDLESS] {
        prompt.write(&format!("{query};\r"));
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let begun = std::time::Instant::now();
        prompt.write("\x03");
        prompt.read_to("interrupted");
        prompt.read_to("sql>");
        prompt.write("SELECT 40 + 2 AS answer;\r");
        prompt.read_to("42");
        prompt.read_to("sql>");
        assert!(begun.elapsed() < LIMIT, "{query}");
    }
    prompt.write("\x04");
    let status = prompt.child.wait().expect("a status");
    assert!(status.success(), "{status}");
}
