//! Values that tables and selections can have: missing datetimes, time zones, coordinates at the
//! ends of their datatypes, times of a day, and ranges outside of a domain.

mod program;

use std::fs;
use std::process::Command;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, DurationMicrosecondType, Float16Type};
use arrow_array::{
    ArrayRef, DurationMillisecondArray, DurationNanosecondArray, DurationSecondArray,
    FixedSizeListArray, NullArray, PrimitiveArray, RecordBatch,
};
use arrow_ipc::writer::FileWriter;
use program::Folder;
use tiledb_engine::{Array, ArrayType, Attribute, CellBytes, Context, Datatype, Schema};

/// A floating-point number with 16 bits.
type Half = <Float16Type as ArrowPrimitiveType>::Native;

#[test]
fn csv_columns_with_missing_datetimes_are_datetimes() {
    let folder = Folder::new();
    let rows = "day,time,x\n2024-02-29,2024-02-29T12:00:00+01:00,1.5\nNaT,NaT,nan\n";
    folder.write("in.csv", rows);
    let printed = folder.output(&["import", "in.csv", "a"]);
    for line in ["day: DATETIME_DAY", "time: DATETIME_SEC", "x: FLOAT64"] {
        assert!(printed.contains(line), "{printed}");
    }
    folder.output(&["export", "a", "out.csv", "--columns", "day,time,x"]);
    let expected = "day,time,x\n2024-02-29,2024-02-29T11:00:00,1.5\nNaT,NaT,NaN\n";
    assert_eq!(folder.read("out.csv"), expected);
    folder.output(&["import", "out.csv", "b"]);
    assert_eq!(folder.run(&["diff", "a", "b"]).0, 0);
    let missing = folder.output(&["cat", "a", "--where", "day = 'NaT'", "--format", "csv"]);
    assert_eq!(missing.lines().count(), 2, "{missing}");
}

#[test]
fn zeros_of_both_signs_are_members_of_a_set_with_zero() {
    let folder = Folder::new();
    folder.write("in.csv", "x\n0.0\n-0.0\n1.5\nNaN\n");
    folder.output(&["import", "in.csv", "a"]);
    for (condition, cells) in [
        ("x IN (0, 7)", 2),
        ("x IN (-0.0)", 2),
        ("x NOT IN (0)", 2),
        ("x IN (NAN, 1.5)", 2),
    ] {
        let printed = folder.output(&["cat", "a", "--where", condition, "--format", "csv"]);
        assert_eq!(printed.lines().count(), cells + 1, "{condition}: {printed}");
    }
}

#[test]
fn coordinates_can_be_at_the_ends_of_their_datatypes() {
    let folder = Folder::new();
    for (datatype, low, high) in [
        (
            "INT64",
            i64::MIN.to_string(),
            (i64::MAX - 10_000).to_string(),
        ),
        ("UINT64", "0".into(), (u64::MAX - 10_000).to_string()),
        (
            "INT32",
            i32::MIN.to_string(),
            (i32::MAX - 10_000).to_string(),
        ),
        ("UINT32", "0".into(), (u32::MAX - 10_000).to_string()),
        ("INT16", i16::MIN.to_string(), (i16::MAX - 100).to_string()),
        ("UINT16", "0".into(), (u16::MAX - 100).to_string()),
    ] {
        let rows = format!("k,v\n{low},1\n{high},2\n");
        folder.write("in.csv", &rows);
        let given = format!("k={datatype}");
        let import = [
            "import",
            "in.csv",
            datatype,
            "--dimensions",
            "k",
            "--type",
            &given,
        ];
        folder.output(&import);
        let printed = folder.output(&["cat", datatype, "--format", "csv"]);
        assert_eq!(printed, rows, "{datatype}");
        let range = format!("k={high}..");
        let printed = folder.output(&["cat", datatype, "--range", &range, "--format", "csv"]);
        assert_eq!(printed, format!("k,v\n{high},2\n"));
    }
}

/// Creates a dense array of 100 x 100 cells of which a box of 2 x 3 is written.
fn partly_written(folder: &Folder) {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("y", Datatype::Int64, 0..=1i64 << 60, 1000)
        .dimension("x", Datatype::Int64, 0..=1i64 << 60, 1000)
        .attribute("v", Datatype::Uint8)
        .build()
        .expect("schema");
    let path = folder.path("a");
    let uri = path.to_str().expect("text");
    Array::create(&context, uri, &schema).expect("create");
    let array = Array::open(&context, uri).expect("open");
    let write = array.write().range("y", 5..=6).range("x", 10..=12);
    write.column("v", 1..=6).submit().expect("write");
}

#[test]
fn files_of_dense_arrays_have_the_written_box() {
    let folder = Folder::new();
    partly_written(&folder);
    assert_eq!(
        folder.output(&["export", "a", "a.npy"]),
        "exported 6 cells to a.npy\n"
    );
    let file = folder.read_bytes("a.npy");
    let header = String::from_utf8_lossy(&file);
    assert!(header.contains("(2, 3,)"), "{header}");
    assert_eq!(file[file.len() - 6..], [1, 2, 3, 4, 5, 6]);
    folder.output(&["export", "a", "a.png"]);
    assert!(folder.output(&["import", "a.png", "b"]).contains("[0, 2]"));
    folder.output(&["export", "a", "row.npy", "--range", "y=6"]);
    assert!(folder.read_bytes("row.npy").ends_with(&[4, 5, 6]));
}

#[test]
fn ranges_outside_of_the_domain_are_errors() {
    let folder = Folder::new();
    partly_written(&folder);
    for range in ["y=-5..-1", "y=2000000000000000000"] {
        let error = folder.error(&["cat", "a", "--range", range], 2);
        let expected = format!(
            "error: the range '{range}' is outside of the domain\nhint: the domain of 'y' is 0 to \
             1152921504606846976\n"
        );
        assert_eq!(error, expected);
    }
    let printed = folder.output(&["cat", "a", "--range", "y=-5..5", "--format", "csv"]);
    assert!(printed.ends_with("5,10,1\n5,11,2\n5,12,3\n"), "{printed}");
}

#[test]
fn times_of_a_day_survive_a_parquet_file() {
    let folder = Folder::new();
    folder.write("in.csv", "t\n12:30:00\n23:59:59\n");
    folder.output(&["import", "in.csv", "a", "--type", "t=TIME_SEC"]);
    folder.output(&["export", "a", "a.parquet", "--columns", "t"]);
    let printed = folder.output(&["import", "a.parquet", "b"]);
    assert!(printed.contains("t: TIME_MS"), "{printed}");
    let printed = folder.output(&["cat", "b", "--columns", "t", "--format", "csv"]);
    assert_eq!(printed, "t\n12:30:00.000\n23:59:59.000\n");
}

#[test]
fn durations_survive_parquet_and_arrow_files() {
    let folder = Folder::new();
    let seconds = [Some(-1), Some(1_000_000_000), None];
    let lists = [[-1, 5], [0, 1 << 40], [7, 7]].map(|list| Some(list.map(Some)));
    let columns: [(&str, ArrayRef); 4] = [
        ("s", Arc::new(DurationSecondArray::from(seconds.to_vec()))),
        (
            "ms",
            Arc::new(DurationMillisecondArray::from(vec![0, -1, 1 << 40])),
        ),
        (
            "ns",
            Arc::new(DurationNanosecondArray::from(vec![0, 1, i64::MAX])),
        ),
        (
            "pairs",
            Arc::new(FixedSizeListArray::from_iter_primitive::<
                DurationMicrosecondType,
                _,
                _,
            >(lists, 2)),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("batch");
    let file = fs::File::create(folder.path("in.arrow")).expect("file");
    let mut writer = FileWriter::try_new(file, &batch.schema()).expect("writer");
    writer.write(&batch).expect("batch");
    writer.finish().expect("end");
    folder.output(&["import", "in.arrow", "a"]);
    let fields = ["--columns", "s,ms,ns,pairs", "--format", "csv"];
    let expected = folder.output(&[&["cat", "a"], &fields[..]].concat());
    assert!(expected.contains("277777:46:40"), "{expected}");
    for file in ["out.parquet", "out.arrow"] {
        folder.output(&["export", "a", file, "--columns", "s,ms,ns,pairs"]);
        let printed = folder.output(&["import", file, &format!("of {file}")]);
        for line in [
            "s: TIME_SEC?",
            "ms: TIME_MS",
            "ns: TIME_NS",
            "pairs: TIME_US",
        ] {
            assert!(printed.contains(line), "{file}: {printed}");
        }
        let uri = format!("of {file}");
        let cells = folder.output(&[&["cat", &uri[..]], &fields[..]].concat());
        assert_eq!(cells, expected, "{file}");
    }
}

#[test]
fn single_bytes_and_characters_survive_parquet_and_arrow_files() {
    let folder = Folder::new();
    let uri = folder.path("a").to_str().expect("text").to_owned();
    let context = Context::new().expect("context");
    let mut schema = Schema::builder(ArrayType::Sparse).dimension("d", Datatype::Int32, 0..=9, 10);
    let kinds = Datatype::ALL
        .into_iter()
        .filter(|kind| kind.is_string() || kind.is_bytes());
    let kinds: Vec<Datatype> = kinds.filter(|kind| *kind != Datatype::Any).collect();
    for kind in &kinds {
        let attribute = Attribute::of(kind.name(), *kind).with_values_per_cell(1);
        schema = schema.with_attribute(attribute.expect("one value"));
    }
    let schema = schema.build().expect("schema");
    Array::create(&context, &uri, &schema).expect("create");
    let array = Array::open(&context, &uri).expect("open");
    let mut write = array.write().column("d", [1, 2]);
    for kind in &kinds {
        let data: Vec<u8> = (0..2 * kind.size())
            .map(|index| 65 * u8::from(index.is_multiple_of(kind.size())))
            .collect();
        let cells = CellBytes {
            data: &data,
            offsets: None,
            validity: None,
        };
        write = write.column_bytes(kind.name(), cells);
    }
    write.submit().expect("write");
    for file in ["out.parquet", "out.arrow"] {
        folder.output(&["export", "a", file]);
        for goal in ["none", "balanced"] {
            let uri = format!("{goal} {file}");
            let printed =
                folder.output(&["import", file, &uri, "--dimensions", "d", "--goal", goal]);
            for kind in &kinds {
                assert!(
                    printed.contains(&format!("{}[1]\n", kind.name())),
                    "{printed}"
                );
            }
            let cells = ["--format", "csv"];
            let expected = folder.output(&[&["cat", "a"], &cells[..]].concat());
            assert_eq!(
                folder.output(&[&["cat", &uri[..]], &cells[..]].concat()),
                expected
            );
            folder.output(&["import", file, &uri, "--append"]);
        }
    }
}

#[test]
fn huge_dense_domains_do_not_overflow_the_shape_of_numpy_files() {
    let folder = Folder::new();
    let uri = folder.path("huge").to_str().expect("text").to_owned();
    let context = Context::new().expect("context");
    let mut schema = Schema::builder(ArrayType::Dense);
    for name in ["x", "y"] {
        schema = schema.dimension(name, Datatype::Int64, 0..=1i64 << 40, 10);
    }
    let schema = schema.attribute("a", Datatype::Int32);
    let schema = schema.build().expect("schema");
    Array::create(&context, &uri, &schema).expect("created");
    // No cell was written.
    let printed = folder.output(&["export", "huge", "empty.npy"]);
    assert_eq!(printed, "exported 0 cells to empty.npy\n");
    fs::remove_file(folder.path("empty.npy")).expect("remove");
    // The complete domain is selected, and the file ends at the limit of the shell.
    let command = "ulimit -f 64; exec \"$0\" export huge huge.npy --range x=.. --range y=..";
    let output = Command::new("sh")
        .args(["-c", command])
        .arg(env!("CARGO_BIN_EXE_tiledb-rs"))
        .current_dir(folder.path("."))
        .output()
        .expect("sh runs");
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(4), "{errors}");
    assert!(errors.contains("File too large"), "{errors}");
    assert_eq!(folder.names(), ["huge"]);
}

#[test]
fn columns_without_values_and_of_half_precision_are_imported() {
    let folder = Folder::new();
    let halves = [1.5, -0.25, 65504.0].map(Half::from_f32);
    let halves: PrimitiveArray<Float16Type> = halves.into_iter().map(Some).collect();
    let columns: [(&str, ArrayRef); 2] = [
        ("half", Arc::new(halves)),
        ("nothing", Arc::new(NullArray::new(3))),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let mut file = Vec::new();
    let mut writer = FileWriter::try_new(&mut file, &batch.schema()).expect("header");
    writer.write(&batch).expect("rows");
    writer.finish().expect("end");
    drop(writer);
    folder.write_bytes("in.arrow", &file);
    let printed = folder.output(&["import", "in.arrow", "a"]);
    let expected = "imported 3 cells to a\n  row: UINT64 (dimension)\n  half: FLOAT32\n  \
                    nothing: STRING_UTF8?\n";
    assert_eq!(printed, expected);
    let printed = folder.output(&["cat", "a", "--json", "-n", "2"]);
    for cell in ["\"half\":1.5,\"nothing\":null", "\"half\":-0.25"] {
        assert!(printed.contains(cell), "{printed}");
    }
}
