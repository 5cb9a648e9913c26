//! Runs the program as a user would and compares output, exit codes and the files that exist.

mod program;

use std::io::Write;

use program::Folder;
use serde_json::{Value, json};

const WEATHER: &str = "month,station,temperature,note,rain\n\
    2024-01-01,Oslo,-4.5,,true\n\
    2024-02-01,Oslo,-2,\"a, b\",false\n\
    2024-01-01,Bergen,1.25,x,true\n\
    2024-02-01,Bergen,,y,false\n";

/// Imports a file with the columns of `WEATHER`.
fn import(folder: &Folder, file: &str, uri: &str) -> String {
    folder.output(&["import", file, uri, "--dimensions", "month,station"])
}

/// Returns a folder with the array `weather`.
fn weather() -> Folder {
    let folder = Folder::new();
    folder.write("weather.csv", WEATHER);
    import(&folder, "weather.csv", "weather");
    folder
}

/// Returns the result of a command with `--json`.
fn json_of(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.output(&[arguments, &["--json"]].concat());
    serde_json::from_str(&output).expect("JSON")
}

#[test]
fn csv_files_are_imported_with_inferred_datatypes() {
    let folder = Folder::new();
    folder.write("weather.csv", WEATHER);
    let expected = "imported 4 cells to weather\n  month: DATETIME_DAY (dimension)\n  \
                    station: STRING_ASCII (dimension)\n  temperature: FLOAT64?\n  \
                    note: STRING_UTF8?\n  rain: BOOL\n";
    assert_eq!(import(&folder, "weather.csv", "weather"), expected);
    let csv = folder.output(&["cat", "weather", "--format", "csv"]);
    let mut rows: Vec<&str> = csv.lines().skip(1).collect();
    let mut written: Vec<&str> = WEATHER.lines().skip(1).collect();
    rows.sort_unstable();
    written.sort_unstable();
    assert_eq!(rows, written);
}

#[test]
fn rows_without_dimensions_keep_their_order() {
    let folder = Folder::new();
    folder.write("t.csv", "b,a\n1,x\n2,\n1,z\n");
    folder.output(&["import", "t.csv", "t", "--type", "b=UINT8"]);
    folder.output(&["export", "t", "back.csv", "--columns", "b,a"]);
    assert_eq!(folder.read("back.csv"), "b,a\n1,x\n2,\n1,z\n");
    let schema = json_of(&folder, &["schema", "t"]);
    assert_eq!(schema["attributes"][0]["datatype"], "UINT8");
    assert_eq!(schema["dimensions"][0]["name"], "row");
}

#[test]
fn cells_are_selected_by_columns_ranges_and_conditions() {
    let folder = weather();
    let condition = "temperature > -3 AND note IS NOT NULL";
    let columns = "month,temperature";
    let table = folder.output(&["cat", "weather", "--columns", columns, "--where", condition]);
    let expected = "month       temperature\n----------  -----------\n\
                    2024-01-01         1.25\n2024-02-01           -2\n";
    assert_eq!(table, expected);
    let cells = json_of(
        &folder,
        &["cat", "weather", "--range", "month=2024-02-01.."],
    );
    let row = |station, temperature: Value, note| {
        json!({
            "month": "2024-02-01", "station": station, "temperature": temperature, "note": note,
            "rain": false,
        })
    };
    let expected = [
        row("Bergen", Value::Null, "y"),
        row("Oslo", json!(-2.0), "a, b"),
    ];
    assert_eq!(cells, json!(expected));
    let none = json_of(&folder, &["cat", "weather", "--where", "temperature > 100"]);
    assert_eq!(none, json!([]));
    let head = folder.output(&["head", "weather", "-n", "1", "--columns", "station"]);
    assert_eq!(head, "station\n-------\nBergen\n");
}

#[test]
fn arrays_and_folders_are_described() {
    let folder = weather();
    let info = json_of(&folder, &["info", "weather"]);
    assert_eq!(info["array_type"], "sparse");
    assert_eq!(
        (&info["stored_cells"], &info["fragments"]),
        (&json!(4), &json!(1))
    );
    assert_eq!(
        info["non_empty_domain"]["station"],
        json!(["Bergen", "Oslo"])
    );
    assert_eq!(json_of(&folder, &["fragments", "weather"])[0]["cells"], 4);
    assert!(
        folder
            .output(&["schema", "weather"])
            .contains("temperature  FLOAT64")
    );
    assert_eq!(folder.output(&["ls", "."]), "array   weather\n");
    assert_eq!(
        folder.output(&["tree", "."]),
        ". (folder)\n└── weather (array)\n"
    );
    let size = json_of(&folder, &["size", "weather"]);
    assert_eq!(size["arrays"][0]["cells"], 4);
    assert_eq!(size["bytes"], info["stored_bytes"]);
}

#[test]
fn metadata_is_set_printed_and_deleted() {
    let folder = weather();
    folder.output(&["metadata", "weather", "source", "--set", "a diary"]);
    assert_eq!(
        folder.output(&["metadata", "weather", "source"]),
        "a diary\n"
    );
    assert_eq!(
        json_of(&folder, &["metadata", "weather"]),
        json!({"source": "a diary"})
    );
    folder.output(&["metadata", "weather", "source", "--delete"]);
    assert_eq!(json_of(&folder, &["metadata", "weather"]), json!({}));
    let error = folder.error(&["metadata", "weather", "source"], 3);
    assert!(
        error.starts_with("error: there is no metadata with key 'source'\nhint: "),
        "{error}"
    );
}

#[test]
fn statistics_have_extremes_means_and_histograms() {
    let folder = weather();
    let stats = json_of(&folder, &["stats", "weather", "--bins", "2"]);
    let temperature = &stats["fields"][2];
    let found = ["min", "max", "mean", "nulls"].map(|name| temperature[name].as_f64());
    assert_eq!(found, [Some(-4.5), Some(1.25), Some(-1.75), Some(1.0)]);
    let cells = |bin: usize| temperature["histogram"][bin]["cells"].as_u64();
    assert_eq!((cells(0), cells(1)), (Some(2), Some(1)));
    assert_eq!(stats["cells"], 4);
}

#[test]
fn maintenance_prints_its_plan_first() {
    let folder = weather();
    let plan = folder.output(&["consolidate", "weather", "--dry-run"]);
    assert!(plan.starts_with("1 fragments to consolidate:\n"), "{plan}");
    let done = json_of(&folder, &["consolidate", "weather"]);
    assert_eq!(
        (&done["fragments_after"], &done["executed"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(json_of(&folder, &["vacuum", "weather"])["left"], 0);
    assert_eq!(
        folder.output(&["vacuum", "weather", "--dry-run"]),
        "0 replaced fragments to remove\n"
    );
}

#[test]
fn check_reports_damage_and_clean_removes_remains() {
    let folder = weather();
    let checked = json_of(&folder, &["check", "weather"]);
    assert_eq!(checked["findings"], json!([]));
    assert!(checked["files"].as_u64() > Some(5), "{checked}");
    assert!(folder.output(&["check", "weather"]).ends_with("0 error\n"));
    assert_eq!(
        folder.output(&["clean", "weather", "--dry-run"]),
        "0 remains to remove\n"
    );
    assert_eq!(
        json_of(&folder, &["clean", "weather"])["remains"],
        json!([])
    );
}

#[test]
fn attributes_are_added_and_dropped() {
    let folder = weather();
    let evolved = [
        "evolve",
        "weather",
        "--add",
        "extra:INT32?",
        "--drop",
        "rain",
    ];
    assert_eq!(
        folder.output(&evolved),
        "added 1 and dropped 1 attributes\n"
    );
    let schema = json_of(&folder, &["schema", "weather"]);
    let names = [0, 1, 2].map(|index: usize| schema["attributes"][index]["name"].clone());
    assert_eq!(names, ["temperature", "note", "extra"]);
    folder.error(&["evolve", "weather", "--add", "x:NUMBER"], 2);
    folder.error(&["evolve", "weather", "--drop", "none"], 2);
    folder.error(&["evolve", "weather", "--add", ":INT8"], 2);
    let twice = ["evolve", "weather", "--drop", "note", "--drop", "note"];
    folder.error(&twice, 2);
}

#[test]
fn differences_of_arrays_are_listed() {
    let folder = weather();
    folder.write("other.csv", &WEATHER.replace("1.25", "1.5"));
    import(&folder, "weather.csv", "same");
    import(&folder, "other.csv", "other");
    assert_eq!(
        folder.output(&["diff", "weather", "same"]),
        "the arrays are equal\n"
    );
    let (code, output, _) = folder.run(&["diff", "weather", "other", "--json"]);
    let found: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!((code, &found["different_cells"]), (1, &json!(1)));
    assert_eq!(found["cells"][0]["second"]["temperature"], 1.5);
}

#[test]
fn objects_are_moved_and_removed() {
    let folder = weather();
    assert_eq!(
        folder.output(&["mv", "weather", "moved"]),
        "moved array weather to moved\n"
    );
    folder.error(&["info", "weather"], 3);
    folder.output(&["rm", "moved", "--dry-run"]);
    assert!(folder.names().contains(&"moved".to_owned()));
    assert_eq!(folder.output(&["rm", "moved"]), "removed array moved\n");
    assert_eq!(folder.names(), ["weather.csv"]);
}

#[test]
fn tables_are_imported_from_the_standard_input() {
    let folder = weather();
    let options = ["--dimensions", "month,station"];
    for format in ["csv", "parquet", "arrow", "arrow-stream"] {
        let file = format!("file.{format}");
        folder.output(&["export", "weather", &file, "--format", format]);
        let expected = folder.output(&["cat", "weather"]);
        for (number, input) in ["-", "/dev/stdin"].iter().enumerate() {
            let uri = format!("{format}{number}");
            let arguments = [&["import", input, &uri, "--format", format][..], &options].concat();
            let (code, output, errors) =
                folder.run_with_input(&arguments, &folder.read_bytes(&file));
            assert_eq!((code, &errors[..]), (0, ""), "{format}");
            assert!(output.starts_with(&format!("imported 4 cells to {uri}\n")));
            assert_eq!(folder.output(&["cat", &uri]), expected, "{format}");
        }
    }
    let rows = "month,station,temperature,note,rain\n2024-03-01,Oslo,1,,true\n";
    let arguments = ["import", "-", "weather", "--format", "csv", "--append"];
    let (code, output, _) = folder.run_with_input(&arguments, rows.as_bytes());
    assert_eq!(code, 0);
    assert!(output.starts_with("appended 1 cells"));
    let error = folder.error(&["import", "-", "new"], 2);
    assert!(error.starts_with("error: the format of '-' is not known\nhint: "));
    assert!(!folder.exists("new"));
}

/// Returns a `.npy` file with this type, shape and content.
fn npy_of(descr: &str, shape: &str, content: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(format!("{header:<117}\n").into_bytes());
    file.extend(content);
    file
}

#[test]
fn numpy_files_of_other_types_and_shapes_are_imported() {
    let folder = Folder::new();
    let times = [[0, 0, 0, 0, 0, 0, 0, 5], [0xff; 8]].concat();
    let cases = [
        (
            "i",
            npy_of(">i2", "2,", &[1, 0, 0xff, 0xfe]),
            "INT16",
            vec![json!(256), json!(-2)],
        ),
        (
            "f",
            npy_of(">f8", "", &[0x3f, 0xf8, 0, 0, 0, 0, 0, 0]),
            "FLOAT64",
            vec![json!(1.5)],
        ),
        (
            "t",
            npy_of(">m8[s]", "2,", &times),
            "TIME_SEC",
            vec![json!(5), json!(-1)],
        ),
        ("b", npy_of("|b1", "", &[1]), "BOOL", vec![json!(true)]),
    ];
    for (name, file, datatype, values) in cases {
        let path = format!("{name}.npy");
        folder.write_bytes(&path, &file);
        let imported = folder.output(&["import", &path, name]);
        assert!(
            imported.ends_with(&format!("  value: {datatype}\n")),
            "{imported}"
        );
        folder.output(&["export", name, "back.npy"]);
        folder.output(&["import", "back.npy", &format!("{name}2")]);
        for array in [name.to_owned(), format!("{name}2")] {
            let cells = json_of(&folder, &["cat", &array]);
            let cells = cells.as_array().or_else(|| cells["cells"].as_array());
            let found: Vec<&Value> = cells
                .expect("cells")
                .iter()
                .map(|cell| &cell["value"])
                .collect();
            if datatype != "TIME_SEC" {
                assert_eq!(found, values.iter().collect::<Vec<_>>(), "{array}");
            }
            assert_eq!(found.len(), values.len(), "{array}");
        }
    }
    let swapped = npy_of(">m8[s]", "2,", &times);
    let plain: Vec<u8> = [5_i64, -1].into_iter().flat_map(i64::to_le_bytes).collect();
    folder.write_bytes("times.npy", &swapped);
    folder.output(&["import", "times.npy", "times"]);
    folder.output(&["export", "times", "out.npy"]);
    assert!(folder.read_bytes("out.npy").ends_with(&plain));
    let error = {
        folder.write_bytes("days.npy", &npy_of("<m8[D]", "2,", &times));
        folder.error(&["import", "days.npy", "days"], 2)
    };
    assert!(error.contains("its type is '<m8[D]'"), "{error}");
}

/// Returns a `.npz` file with these members.
fn npz(members: &[(&str, Vec<u8>)], is_compressed: bool) -> Vec<u8> {
    let mut file = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut file);
    for (name, content) in members {
        let method = if is_compressed {
            rawzip::CompressionMethod::DEFLATE
        } else {
            rawzip::CompressionMethod::STORE
        };
        let (mut entry, config) = archive
            .new_file(name)
            .compression_method(method)
            .start()
            .expect("a member");
        let descriptor = if is_compressed {
            let level = flate2::Compression::default();
            let encoder = flate2::write::DeflateEncoder::new(&mut entry, level);
            let mut writer = config.wrap(encoder);
            writer.write_all(content).expect("content");
            let (encoder, descriptor) = writer.finish().expect("content");
            encoder.finish().expect("content");
            descriptor
        } else {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(content).expect("content");
            writer.finish().expect("content").1
        };
        entry.finish(descriptor).expect("a member");
    }
    archive.finish().expect("a file");
    file
}

#[test]
fn numpy_files_of_several_arrays_become_groups() {
    let folder = Folder::new();
    let numbers: Vec<u8> = (1..=6i32).flat_map(i32::to_le_bytes).collect();
    let members = [
        ("plain.npy", npy(&numbers)),
        ("a/odd name.npy", npy_of(">i2", "2,", &[1, 0, 0, 1])),
        ("__x.npy", npy_of("<f8", "", &1.5_f64.to_le_bytes())),
    ];
    for is_compressed in [false, true] {
        let file = npz(&members, is_compressed);
        folder.write_bytes("a.npz", &file);
        let expected = "imported 9 cells to a\n  plain: d0 INT64 [0, 1], d1 INT64 [0, 2], value INT32\n  \
                        a/odd name: d0 INT64 [0, 1], value INT16\n  __x: d0 INT64 [0, 0], value FLOAT64\n";
        assert_eq!(folder.output(&["import", "a.npz", "a"]), expected);
        folder.output(&["export", "a/plain", "back.npy"]);
        assert!(folder.read_bytes("back.npy").ends_with(&numbers));
        let listed = folder.output(&["ls", "a"]);
        for name in ["plain", "a/odd name", "__x"] {
            assert!(listed.contains(name), "{listed}");
        }
        folder.output(&["rm", "a"]);
        // A damaged member leaves nothing.
        let mut damaged = file.clone();
        let position = damaged.windows(6).position(|part| part == b"\x93NUMPY");
        let position = position.map_or(60, |position| position + 128);
        damaged[position] ^= 0x55;
        folder.write_bytes("damaged.npz", &damaged);
        let (code, _, error) = folder.run(&["import", "damaged.npz", "b"]);
        // Damaged compressed bytes may decompress to something other than a header.
        assert!(code == 4 || is_compressed && code == 2, "{code} {error}");
        assert_eq!(folder.names(), ["a.npz", "back.npy", "damaged.npz"]);
    }
    for content in [
        &b"PK"[..],
        &npz(&[("a.txt", vec![1])], false),
        &npz(&[("a.npy", vec![1])], true),
    ] {
        folder.write_bytes("wrong.npz", content);
        folder.error(&["import", "wrong.npz", "b"], 2);
        assert!(!folder.exists("b"));
    }
    folder.error(&["export", "b", "c.npz"], 3);
}

/// Returns a `.npy` file with the numbers 1 to 6 in two rows.
fn npy(numbers: &[u8]) -> Vec<u8> {
    npy_of("<i4", "2, 3", numbers)
}

#[test]
fn numpy_files_survive_import_and_export() {
    let folder = Folder::new();
    let numbers: Vec<u8> = (1..=6i32).flat_map(i32::to_le_bytes).collect();
    let file = npy(&numbers);
    folder.write_bytes("a.npy", &file);
    let expected =
        "imported 6 cells to a\n  d0: INT64 [0, 1]\n  d1: INT64 [0, 2]\n  value: INT32\n";
    assert_eq!(folder.output(&["import", "a.npy", "a"]), expected);
    folder.output(&["export", "a", "back.npy", "--columns", "value"]);
    let back = folder.read_bytes("back.npy");
    assert!(back.ends_with(&numbers), "{} bytes", back.len());
    assert!(String::from_utf8_lossy(&back).contains("'shape': (2, 3,)"));
    folder.output(&["export", "a", "row.npy", "--range", "d0=1"]);
    let row = folder.read_bytes("row.npy");
    assert!(row.ends_with(&numbers[12..]));
    assert!(String::from_utf8_lossy(&row).contains("'shape': (1, 3,)"));
    folder.write_bytes("short.npy", &file[..file.len() - 1]);
    let error = folder.error(&["import", "short.npy", "b"], 2);
    assert_eq!(error, "error: the file ends before the last value\n");
    assert_eq!(
        folder.names(),
        ["a", "a.npy", "back.npy", "row.npy", "short.npy"]
    );
}

#[test]
fn invalid_arguments_are_errors_with_a_hint_and_leave_no_file() {
    let folder = weather();
    let cases: [(&[&str], i32, &str); 9] = [
        (
            &["info", "none"],
            3,
            "error: there is no array or group at 'none'\nhint: ",
        ),
        (
            &["cat", "weather", "--columns", "x"],
            2,
            "error: there is no field 'x'\nhint: ",
        ),
        (
            &["cat", "weather", "--where", "a >"],
            2,
            "error: Condition: expected the name of a field or a value, found the end; at \
             character 4\nhint: ",
        ),
        (
            &["cat", "weather", "--range", "x=1"],
            2,
            "error: there is no dimension 'x'\nhint: ",
        ),
        (
            &["cat", "weather", "--range", "month=x"],
            2,
            "error: 'x' is not a datetime",
        ),
        (
            &["export", "weather", "a.xyz"],
            2,
            "error: the format of 'a.xyz' is not known\nhint: ",
        ),
        (
            &["export", "weather", "a.npy"],
            2,
            "error: a .npy file has the values of one field\nhint: ",
        ),
        (
            &["import", "none.csv", "new"],
            3,
            "error: cannot open 'none.csv': No such file or directory (os error 2)\nhint: ",
        ),
        (
            &["ls", "weather"],
            2,
            "error: 'weather' is an array and has no members\nhint: ",
        ),
    ];
    for (arguments, code, start) in cases {
        let error = folder.error(arguments, code);
        assert!(error.starts_with(start), "{arguments:?}: {error}");
        assert!(
            !error.contains('\x1b'),
            "colours only on a terminal: {error}"
        );
    }
    folder.write("bad.csv", "a,b\n1,2\n3\n");
    folder.error(&["import", "bad.csv", "bad"], 2);
    folder.write("late.csv", "a\n1\nx\n");
    let error = folder.error(&["import", "late.csv", "late", "--type", "a=INT32"], 2);
    assert_eq!(
        error,
        "error: row 2, column 'a': 'x' is not a value of INT32\n\
         hint: --type a=STRING_UTF8 keeps the cells as texts\n"
    );
    let error = folder.error(&["import", "late.csv", "weather"], 2);
    assert!(
        error.starts_with("error: something exists at 'weather' already\nhint: "),
        "{error}"
    );
    folder.error(&["export", "weather", "nowhere/out.csv"], 3);
    assert_eq!(
        folder.names(),
        ["bad.csv", "late.csv", "weather", "weather.csv"]
    );
    folder.error(&["--config", "x", "ls", "."], 2);
    folder.error(&["unknown"], 2);
}

#[test]
fn completions_and_the_man_page_name_the_commands() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            folder
                .output(&["completions", shell])
                .contains("consolidate"),
            "{shell}"
        );
    }
    let page = folder.output(&["man"]);
    assert!(
        ["Exit codes", "consolidate", "bench", "cp"]
            .iter()
            .all(|part| page.contains(part)),
        "{page}"
    );
    assert!(folder.output(&["--help"]).contains("Exit codes:"));
}

#[test]
fn every_command_prints_json() {
    let folder = weather();
    for arguments in [
        &["tree", "."][..],
        &["ls", "."],
        &["head", "weather"],
        &["rm", "weather", "--dry-run"],
        &["vacuum", "weather", "--mode", "commits"],
        &["consolidate", "weather", "--mode", "fragment-meta"],
        &["export", "weather", "out.csv"],
        &["evolve", "weather", "--add", "c:INT8"],
        &["mv", "weather", "moved"],
    ] {
        json_of(&folder, arguments);
    }
    assert!(folder.read("out.csv").starts_with("month,station,"));
}

#[test]
fn reads_are_explained_before_and_after_they_run() {
    let folder = weather();
    let plan = json_of(&folder, &["explain", "weather", "--plan"]);
    assert_eq!(plan["plan"]["tiles_read"], 1);
    assert!(plan["outcome"].is_null());
    let arguments = [
        "explain",
        "weather",
        "--where",
        "temperature > 0",
        "--columns",
        "note",
    ];
    let done = json_of(&folder, &arguments);
    assert_eq!(done["outcome"]["cells"], 1);
    assert_eq!(done["condition_fields"], json!(["temperature"]));
    let text = folder.output(&arguments);
    assert!(text.contains("complete: 1 cells in 1 submits"), "{text}");
    let excluded = ["explain", "weather", "--where", "temperature > 100"];
    let excluded = json_of(&folder, &excluded);
    assert_eq!(excluded["plan"]["tiles_excluded_by_statistics"], 1);
}

#[test]
fn tables_and_statistics_of_dense_arrays_have_the_box_of_written_cells() {
    let folder = Folder::new();
    let uri = folder.path("huge").to_str().expect("text").to_owned();
    let context = tiledb_engine::Context::new().expect("context");
    let last = u64::MAX - 10;
    let schema = tiledb_engine::Schema::builder(tiledb_engine::ArrayType::Dense)
        .dimension("x", tiledb_engine::Datatype::Uint64, 0..=last, 10)
        .attribute("a", tiledb_engine::Datatype::Int32)
        .build()
        .expect("schema");
    tiledb_engine::Array::create(&context, &uri, &schema).expect("created");
    assert_eq!(folder.output(&["cat", "huge", "--format", "csv"]), "x,a\n");
    assert_eq!(json_of(&folder, &["head", "huge"]), json!([]));

    let array = tiledb_engine::Array::open(&context, &uri).expect("opened");
    let write = array.write().range("x", 5u64..=7).column("a", [1, 2, 3]);
    write.submit().expect("written");
    let cells = json_of(&folder, &["cat", "huge"]);
    assert_eq!(
        cells,
        json!([{"x": 5, "a": 1}, {"x": 6, "a": 2}, {"x": 7, "a": 3}])
    );
    folder.output(&["export", "huge", "huge.csv"]);
    assert_eq!(folder.read("huge.csv"), "x,a\n5,1\n6,2\n7,3\n");
    folder.output(&["export", "huge", "huge.parquet"]);
    let stats = json_of(&folder, &["stats", "huge", "--bins", "2"]);
    assert_eq!(stats["cells"], 3);
    assert_eq!(stats["fields"][0]["histogram"][1]["cells"], 2);
    let explained = json_of(&folder, &["explain", "huge"]);
    assert_eq!(explained["outcome"]["cells"], 3);
    // A range selects unwritten cells, too.
    let range = ["cat", "huge", "--range", "x=7..8", "--format", "csv"];
    assert_eq!(folder.output(&range), "x,a\n7,3\n8,-2147483648\n");
}

#[test]
fn datetimes_of_numpy_files_survive_import_and_export() {
    let folder = Folder::new();
    let header = "{'descr': '<M8[ms]', 'fortran_order': False, 'shape': (3,), }";
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(format!("{header:<117}\n").into_bytes());
    file.extend([0i64, 86_400_000, i64::MIN].map(i64::to_le_bytes).concat());
    folder.write_bytes("t.npy", &file);
    let printed = folder.output(&["import", "t.npy", "t"]);
    assert!(printed.contains("value: DATETIME_MS\n"), "{printed}");
    folder.output(&["export", "t", "back.npy", "--columns", "value"]);
    let back = folder.read_bytes("back.npy");
    assert!(back.ends_with(&file[128..]));
    assert!(String::from_utf8_lossy(&back).contains("'descr': '<M8[ms]'"));
}

#[test]
fn config_describes_the_parameters_and_all_of_them_can_be_set() {
    let folder = Folder::new();
    let parameters = json_of(&folder, &["config"]);
    let parameters = parameters.as_array().expect("a list");
    assert!(parameters.len() > 160, "{}", parameters.len());
    let budget = json_of(&folder, &["config", "total_budget"]);
    assert_eq!(budget[0]["name"], "sm.mem.total_budget");
    assert_eq!(budget[0]["default"], "10737418240");
    assert_eq!(budget[0]["origin"], "libtiledb 2.30");
    let text = folder.output(&["config", "chunk_cache"]);
    assert!(text.starts_with("sm.mem.chunk_cache_size\n"), "{text}");
    assert!(text.contains("default: 67108864; extension"), "{text}");
    // Parameters without a default can be set, too.
    folder.output(&[
        "ls",
        ".",
        "--config",
        "rest.token=x",
        "--config",
        "rest.custom_headers.a=b",
    ]);
    let problem = folder.error(&["config", "nothing"], 2);
    assert!(problem.contains("no parameter has 'nothing'"), "{problem}");
    let problem = folder.error(&["ls", ".", "--config", "sm.mem.total=1"], 2);
    assert!(problem.contains("sm.mem.total_budget"), "{problem}");
}

#[test]
fn imports_choose_a_schema_for_a_goal_and_state_the_reasons() {
    let folder = Folder::new();
    let mut table = String::from("city,value\n");
    for row in 0..40_000 {
        let city = ["Bergen", "Oslo", "Trondheim", "Stavanger"][row * 7 % 11 % 4];
        table.push_str(&format!("{city},{}\n", row % 97));
    }
    folder.write("t.csv", &table);
    let import = |goal: &str| folder.output(&["import", "t.csv", goal, "--goal", goal]);
    for goal in ["balanced", "size", "speed"] {
        let output = import(goal);
        let (_, reasons) = output
            .split_once("the schema was chosen from a sample; see --goal\n")
            .expect("reasons");
        assert!(reasons.contains("city"), "{reasons}");
        assert!(reasons.contains("value"), "{reasons}");
        let schema = json_of(&folder, &["schema", goal]);
        let cities = &schema["attributes"][0];
        assert!(cities["enumeration"].is_string(), "{goal}: {cities}");
    }
    let output = import("none");
    assert!(!output.contains("was chosen"), "{output}");
    let schema = json_of(&folder, &["schema", "none"]);
    assert!(schema["attributes"][0]["enumeration"].is_null(), "{schema}");
    let bytes = |uri: &str| {
        json_of(&folder, &["info", uri])["stored_bytes"]
            .as_u64()
            .expect("bytes")
    };
    assert!(
        bytes("size") <= bytes("none"),
        "{} {}",
        bytes("size"),
        bytes("none")
    );
    assert!(
        bytes("size") <= bytes("speed"),
        "{} {}",
        bytes("size"),
        bytes("speed")
    );
    for goal in ["balanced", "size", "speed"] {
        assert_eq!(
            folder.output(&["cat", goal, "--format", "csv"]),
            folder.output(&["cat", "none", "--format", "csv"])
        );
    }
}
