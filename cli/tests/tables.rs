//! Import and export of Parquet and Arrow files. The tables of pyarrow are compared if a Python
//! with pyarrow is found: TILEDB_RS_PYTHON, or python3.

mod program;

use std::process::Command;

use program::Folder;

/// Writes tables with columns of all kinds that are supported.
const WRITE: &str = r#"
import datetime, sys
import pyarrow as pa, pyarrow.parquet, pyarrow.feather

rows = 2500
def cells(make):
    return [None if row % 7 == 3 else make(row) for row in range(rows)]

day = datetime.date(2024, 2, 27)
table = pa.table({
    "id": pa.array(range(rows), pa.int64()),
    "i8": pa.array(cells(lambda row: row % 100 - 50), pa.int8()),
    "u16": pa.array(cells(lambda row: row * 11 % 65536), pa.uint16()),
    "u64": pa.array(cells(lambda row: 2**63 + row), pa.uint64()),
    "f32": pa.array(cells(lambda row: row / 4), pa.float32()),
    "f64": pa.array(cells(lambda row: row / 3), pa.float64()),
    "flag": pa.array(cells(lambda row: row % 3 == 0), pa.bool_()),
    "text": pa.array(cells(lambda row: "ä" * (row % 5) + str(row)), pa.string()),
    "long": pa.array(cells(lambda row: f"long {row}"), pa.large_string()),
    "bytes": pa.array(cells(lambda row: bytes([row % 256, 255])), pa.binary()),
    "fixed": pa.array(cells(lambda row: bytes([row % 256] * 3)), pa.binary(3)),
    "day": pa.array(cells(lambda row: day + datetime.timedelta(days=row)), pa.date32()),
    "sec": pa.array(cells(lambda row: row * 86399 - 5000), pa.timestamp("s")),
    "ms": pa.array(cells(lambda row: row), pa.timestamp("ms")),
    "us": pa.array(cells(lambda row: -row), pa.timestamp("us")),
    "ns": pa.array(cells(lambda row: row + 10**18), pa.timestamp("ns")),
    "time": pa.array(cells(lambda row: row * 1000), pa.time64("us")),
    "list": pa.array(cells(lambda row: list(range(row % 4))), pa.list_(pa.float64())),
    "pair": pa.array(cells(lambda row: [row, row + 1]), pa.list_(pa.int32(), 2)),
    "kind": pa.array(cells(lambda row: ["ash", "oak", "elm"][row % 3])).dictionary_encode(),
}, schema=None)
# A column without nulls that cannot have any.
schema = table.schema.set(0, pa.field("id", pa.int64(), nullable=False))
table = table.cast(schema)
pa.parquet.write_table(table, "t.parquet", row_group_size=600)
pa.feather.write_feather(table, "t.arrow", compression="lz4", chunksize=600)
with pa.ipc.new_stream("t.arrows", table.schema) as stream:
    stream.write_table(table, max_chunksize=600)
"#;

/// Compares what the tool wrote with the table, column by column.
const COMPARE: &str = r#"
import sys
import pyarrow as pa, pyarrow.parquet, pyarrow.feather

expected = pa.parquet.read_table("t.parquet")
for name in sys.argv[1:]:
    if name.endswith(".parquet"):
        found = pa.parquet.read_table(name)
    elif name.endswith(".arrows"):
        with pa.ipc.open_stream(name) as stream:
            found = stream.read_all()
    else:
        found = pa.feather.read_table(name)
    assert found.num_rows == expected.num_rows, (name, found.num_rows)
    assert found.column_names == expected.column_names, (name, found.column_names)
    for column in expected.column_names:
        one, other = expected[column], found[column]
        assert pa.types.is_dictionary(one.type) == pa.types.is_dictionary(other.type), column
        # Parquet has no seconds.
        temporal = pa.types.is_temporal(one.type) and column != "sec"
        assert not temporal or one.type == other.type, (name, column, other.type)
        # Python has no type for nanoseconds.
        if column == "ns":
            one, other = one.cast(pa.int64()), other.cast(pa.int64())
        assert one.to_pylist() == other.to_pylist(), (name, column)
        assert expected.schema.field(column).nullable == found.schema.field(column).nullable
print("equal")
"#;

/// Returns a Python with pyarrow.
#[expect(clippy::print_stderr, reason = "a skipped test states why")]
fn python() -> Option<String> {
    let python = std::env::var("TILEDB_RS_PYTHON").unwrap_or_else(|_| "python3".into());
    let found = Command::new(&python)
        .args(["-c", "import pyarrow"])
        .output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    eprintln!("skipped: {python} has no pyarrow; TILEDB_RS_PYTHON selects another one");
    None
}

fn run_python(python: &str, folder: &Folder, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(python)
        .args(["-c", program])
        .args(arguments)
        .current_dir(folder.path("."))
        .output()
        .expect("Python runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn tables_of_pyarrow_survive_import_and_export() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    run_python(&python, &folder, WRITE, &[]);
    let mut exported = Vec::new();
    for file in ["t.parquet", "t.arrow", "t.arrows"] {
        let uri = file.replace('.', "_");
        let printed = folder.output(&["import", file, &uri]);
        for line in [
            "imported 2500 cells to ",
            "  row: UINT64 (dimension)",
            "  id: INT64\n",
            "  u16: UINT16?",
            "  text: STRING_UTF8?",
            "  fixed: BLOB?[3]",
            "  ns: DATETIME_NS?",
            "  time: TIME_US?",
            "  list: FLOAT64?[]",
            "  pair: INT32?[2]",
            "  kind: UINT16? (enumeration of 3 values)",
        ] {
            assert!(printed.contains(line), "{file}: {line} is not in {printed}");
        }
        let columns = printed
            .lines()
            .skip(2)
            .take_while(|line| line.starts_with("  "))
            .map(|line| line.trim().split(':').next());
        let columns: Vec<&str> = columns.flatten().collect();
        let columns = columns.join(",");
        for extension in ["parquet", "arrow", "arrows"] {
            let name = format!("{uri}.{extension}");
            folder.output(&["export", &uri, &name, "--columns", &columns]);
            exported.push(name);
        }
    }
    let exported: Vec<&str> = exported.iter().map(String::as_str).collect();
    assert_eq!(run_python(&python, &folder, COMPARE, &exported), "equal\n");
}

#[test]
fn dates_and_texts_of_parquet_files_become_dimensions() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    run_python(&python, &folder, WRITE, &[]);
    let program = r#"
import pyarrow as pa, pyarrow.parquet
table = pa.parquet.read_table("t.parquet").filter(pa.compute.field("i8").is_valid())
pa.parquet.write_table(table.select(["ns", "kind", "i8", "id"]), "some.parquet")
"#;
    run_python(&python, &folder, program, &[]);
    let arguments = [
        "some.parquet",
        "some",
        "--dimensions",
        "kind,ns",
        "--type",
        "i8=INT32",
    ];
    let printed = folder.output(&[&["import"], &arguments[..]].concat());
    assert!(
        printed.contains("  kind: STRING_ASCII (dimension)"),
        "{printed}"
    );
    assert!(
        printed.contains("  ns: DATETIME_NS (dimension)"),
        "{printed}"
    );
    assert!(printed.contains("  i8: INT32?"), "{printed}");
    let cells = [
        "cat",
        "some",
        "--where",
        "kind = 'oak'",
        "--format",
        "csv",
        "--limit",
        "1",
    ];
    let cells = folder.output(&[&cells[..], &["--columns", "kind,i8,id"]].concat());
    assert_eq!(cells, "kind,i8,id\noak,-49,1\n");
    let error = folder.error(&["import", "t.parquet", "nulls", "--dimensions", "f64"], 2);
    assert!(
        error.starts_with("error: row 4, column 'f64': null is not a value of it\nhint: "),
        "{error}"
    );
}

#[test]
fn columns_that_tiledb_cannot_store_are_errors() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let program = r#"
import decimal
import pyarrow as pa, pyarrow.parquet
amounts = pa.array([decimal.Decimal("1.50")], pa.decimal128(10, 2))
pa.parquet.write_table(pa.table({"amount": amounts}), "decimal.parquet")
pa.parquet.write_table(pa.table({"point": [{"x": 1}]}), "struct.parquet")
"#;
    run_python(&python, &folder, program, &[]);
    let error = folder.error(&["import", "decimal.parquet", "a"], 2);
    let expected = "error: column 'amount' of Arrow's type Decimal128(10, 2) cannot be imported\n\
                    hint: TileDB has no decimals; ";
    assert!(error.starts_with(expected), "{error}");
    let error = folder.error(&["import", "struct.parquet", "a"], 2);
    assert!(
        error.contains("hint: make a column of each member"),
        "{error}"
    );
    assert_eq!(folder.names(), ["decimal.parquet", "struct.parquet"]);
}

const ROWS: &str = "name,n,x,day\na,1,0.5,2024-02-29\n,2,,2024-03-01\nc,3,-1.5,1969-12-31\n";

#[test]
fn tables_survive_export_and_import() {
    let folder = Folder::new();
    folder.write("t.csv", ROWS);
    folder.output(&["import", "t.csv", "t"]);
    for file in ["t.parquet", "t.arrow", "t.feather", "t.arrows", "t.pq"] {
        folder.output(&["export", "t", file, "--columns", "name,n,x,day"]);
        let uri = file.replace('.', "_");
        folder.output(&["import", file, &uri]);
        assert_eq!(
            folder.output(&["diff", "t", &uri]),
            "the arrays are equal\n"
        );
    }
    folder.output(&["export", "t", "none.parquet", "--where", "n > 5"]);
    let error = folder.error(&["import", "none.parquet", "none"], 2);
    assert_eq!(error, "error: the file has no rows\n");
}

#[test]
fn cat_writes_a_stream_of_arrow() {
    let folder = Folder::new();
    folder.write("t.csv", ROWS);
    folder.output(&["import", "t.csv", "t"]);
    let output = Command::new(env!("CARGO_BIN_EXE_tiledb-rs"))
        .args(["cat", "t", "--format", "arrow", "--limit", "2"])
        .current_dir(folder.path("."))
        .output()
        .expect("the program runs");
    folder.write_bytes("two.bin", &output.stdout);
    folder.output(&[
        "import",
        "two.bin",
        "two",
        "--format",
        "arrow-stream",
        "--dimensions",
        "row",
    ]);
    let cells = folder.output(&["cat", "two", "--format", "csv", "--columns", "name,n,x,day"]);
    assert_eq!(cells, "name,n,x,day\na,1,0.5,2024-02-29\n,2,,2024-03-01\n");
}

#[test]
fn files_that_are_not_tables_are_errors() {
    let folder = Folder::new();
    for file in ["bad.parquet", "bad.arrow", "bad.arrows"] {
        folder.write(file, "this is not a table at all, but a text");
        let error = folder.error(&["import", file, "bad"], 2);
        assert!(
            error.starts_with("error: the table cannot be converted: "),
            "{error}"
        );
    }
    assert_eq!(folder.names(), ["bad.arrow", "bad.arrows", "bad.parquet"]);
}

#[test]
fn rows_are_appended_to_arrays_with_the_same_fields() {
    let folder = Folder::new();
    folder.write("t.csv", ROWS);
    folder.output(&["import", "t.csv", "t"]);
    folder.write(
        "more.csv",
        "day,x,n,name\n2025-01-01,7,4,d\n2025-01-02,,5,\n",
    );
    let printed = folder.output(&["import", "more.csv", "t", "--append"]);
    assert!(
        printed.starts_with("appended 2 cells to t\n  row: UINT64 (dimension)\n"),
        "{printed}"
    );
    folder.output(&["export", "t", "t.parquet", "--columns", "name,n,x,day"]);
    folder.output(&["import", "t.parquet", "t", "--append"]);
    let rows = folder.output(&["cat", "t", "--format", "csv"]);
    let five = [
        "a,1,0.5,2024-02-29",
        ",2,,2024-03-01",
        "c,3,-1.5,1969-12-31",
        "d,4,7,2025-01-01",
        ",5,,2025-01-02",
    ];
    let ten = five.iter().chain(&five).enumerate();
    let ten: String = ten.map(|(row, cells)| format!("{row},{cells}\n")).collect();
    assert_eq!(rows, format!("row,name,n,x,day\n{ten}"));
}

#[test]
fn new_texts_are_appended_to_enumerations() {
    let folder = Folder::new();
    let rows = |texts: &[&str], number: usize| {
        let texts = texts.iter().cycle().take(number);
        let rows = texts
            .enumerate()
            .map(|(row, text)| format!("{row},{text}\n"));
        format!("id,tree\n{}", rows.collect::<String>())
    };
    folder.write("t.csv", &rows(&["oak", "ash"], 1000));
    folder.output(&["import", "t.csv", "t"]);
    let schema = folder.output(&["schema", "t"]);
    assert!(schema.contains("enumeration"), "{schema}");
    folder.write("more.csv", &rows(&["elm", "ash", "fir"], 3));
    folder.output(&["import", "more.csv", "u"]);
    folder.output(&["export", "u", "u.parquet", "--columns", "id,tree"]);
    for file in ["more.csv", "u.parquet"] {
        folder.output(&["import", file, "t", "--append"]);
    }
    folder.write("last.csv", &rows(&["yew"], 1));
    folder.output(&["import", "last.csv", "t", "--append"]);
    let trees = folder.output(&["cat", "t", "--format", "csv", "--columns", "tree"]);
    let last: Vec<&str> = trees.lines().rev().take(7).collect();
    let expected = ["yew", "fir", "ash", "elm", "fir", "ash", "elm"];
    assert!(
        last.iter()
            .zip(expected)
            .all(|(line, tree)| line.ends_with(tree)),
        "{last:?}"
    );
}

#[test]
fn rows_that_do_not_fit_an_array_are_not_appended() {
    let folder = Folder::new();
    folder.write("t.csv", ROWS);
    folder.output(&["import", "t.csv", "t"]);
    let before = folder.output(&["cat", "t"]);
    let cases = [
        (
            "name,n,x\na,1,2\n",
            "error: the file has no column for the field 'day'\nhint: ",
        ),
        (
            "name,n,x,day,z\n",
            "error: column 'z' is not a field of the array\nhint: ",
        ),
        (
            "name,n,x,day\na,1,2,2024-01-01\nb,x,1,2024-01-01\n",
            "error: row 2, column 'n': 'x' is not a value of INT64\n",
        ),
        (
            "name,n,x,day\na,,2,2024-01-01\n",
            "error: row 1, column 'n': an empty cell is null, which it cannot be\nhint: ",
        ),
    ];
    for (text, start) in cases {
        folder.write("more.csv", text);
        let error = folder.error(&["import", "more.csv", "t", "--append"], 2);
        assert!(error.starts_with(start), "{error}");
    }
    folder.write("names.csv", "name,n,x,day\na,b,1,2024-01-01\n");
    folder.output(&["import", "names.csv", "names"]);
    folder.output(&[
        "export",
        "names",
        "names.arrow",
        "--columns",
        "name,n,x,day",
    ]);
    let error = folder.error(&["import", "names.arrow", "t", "--append"], 2);
    let expected =
        "error: column 'n' of Arrow's type LargeUtf8 does not fit the field of INT64\nhint: ";
    assert!(error.starts_with(expected), "{error}");
    folder.error(&["import", "more.csv", "none", "--append"], 3);
    let error = folder.error(&["import", "t.npy", "t", "--append"], 3);
    assert!(error.starts_with("error: cannot open 't.npy'"), "{error}");
    assert_eq!(folder.output(&["cat", "t"]), before);
}

#[test]
fn numbers_and_times_of_csv_files_keep_their_values() {
    let folder = Folder::new();
    let rows = "id,x,time\n\
        18446744073709551614,inf,2024-01-01T00:00:00.000001\n\
        9223372036854775808,-inf,2024-01-01T00:00:00.000002\n\
        3,NaN,1969-12-31T23:59:59.999999\n";
    folder.write("t.csv", rows);
    let printed = folder.output(&["import", "t.csv", "t"]);
    let fields = "  id: UINT64\n  x: FLOAT64\n  time: DATETIME_US\n";
    assert!(printed.ends_with(fields), "{printed}");
    folder.output(&["export", "t", "out.csv", "--columns", "id,x,time"]);
    assert_eq!(folder.read("out.csv"), rows);
    // As a dimension, almost all integers are in its domain.
    folder.write("ids.csv", "id,a\n18446744073709541000,1\n5,2\n");
    let printed = folder.output(&["import", "ids.csv", "ids", "--dimensions", "id"]);
    assert!(printed.contains("  id: UINT64 (dimension)\n"), "{printed}");
    let cells = folder.output(&["cat", "ids", "--format", "csv"]);
    assert_eq!(cells, "id,a\n5,2\n18446744073709541000,1\n");
}

#[test]
fn numbers_of_csv_files_that_no_datatype_keeps_are_texts() {
    let folder = Folder::new();
    for (name, cells, datatype) in [
        ("signs", ["-1", "18446744073709551615"], "STRING_UTF8"),
        ("fraction", ["0.5", "9007199254740993"], "STRING_UTF8"),
        (
            "long",
            ["340282366920938463463374607431768211455", "1"],
            "STRING_UTF8",
        ),
        ("infinite", ["1e400", "1.5"], "STRING_UTF8"),
        ("exact", ["0.5", "-9007199254740992"], "FLOAT64"),
        ("power", ["1.5", "100000000000000000000"], "FLOAT64"),
        ("zero", ["-0", "2"], "FLOAT64"),
        ("infinities", ["-inf", "+1.5e3"], "FLOAT64"),
    ] {
        folder.write("in.csv", &format!("x\n{}\n{}\n", cells[0], cells[1]));
        let printed = folder.output(&["import", "in.csv", name, "--goal", "none"]);
        assert!(
            printed.contains(&format!("  x: {datatype}\n")),
            "{name}: {printed}"
        );
        let printed = folder.output(&["cat", name, "--columns", "x", "--format", "csv"]);
        let expected = format!("x\n{}\n{}\n", cells[0], cells[1]);
        assert_eq!(printed, expected.replace("+1.5e3", "1500"), "{name}");
    }
}

#[test]
fn quotes_of_csv_files_are_closed() {
    let folder = Folder::new();
    for (text, row) in [
        ("a,b\n1,\"x\n2,y\n3,z\n", 1),
        ("a,b\n1,x\n2,\"y", 2),
        ("a,b\n1,\"\"\"\n", 1),
    ] {
        folder.write("t.csv", text);
        let error = folder.error(&["import", "t.csv", "t"], 2);
        let expected =
            format!("error: row {row}: a quote is not closed before the end of the file\nhint: ");
        assert!(error.starts_with(&expected), "{error}");
        assert_eq!(folder.names(), ["t.csv"]);
    }
    for (index, text) in [
        "a,b\n1,\"x\"",
        "a,b\r\n1,\"x\ny\"\r\n\r\n",
        "a,b\n1,x\"\n",
        "\u{feff}a,b\n1,\"\"\"\"",
    ]
    .iter()
    .enumerate()
    {
        folder.write("t.csv", text);
        let printed = folder.output(&["import", "t.csv", &index.to_string()]);
        assert!(printed.starts_with("imported 1 cells"), "{printed}");
    }
}

#[test]
fn a_column_has_one_datatype() {
    let folder = Folder::new();
    folder.write("t.csv", ROWS);
    let arguments = [
        "import", "t.csv", "t", "--type", "n=INT8", "--type", "n=INT16",
    ];
    let error = folder.error(&arguments, 2);
    assert!(
        error.starts_with("error: column 'n' has two datatypes\nhint: "),
        "{error}"
    );
}
