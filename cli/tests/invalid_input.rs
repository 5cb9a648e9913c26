//! Invalid input, and arrays in unusual states: errors with a hint and an exit code,
//! and no file that was not there before.

mod program;

use program::Folder;
use serde_json::{Value, json};
use tiledb_engine::{Array, ArrayType, Attribute, CellBytes, Config, Context, Datatype, Schema};

fn json_of(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.output(&[arguments, &["--json"]].concat());
    serde_json::from_str(&output).expect("JSON")
}

/// Returns a folder with the sparse array `t` of three rows.
fn table() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", "x,a\n1,10\n2,20\n3,30\n");
    folder.output(&["import", "t.csv", "t", "--dimensions", "x"]);
    folder
}

/// Creates an array with the dimension `x` from 0 to 9 and the attribute `a`; writes `cells` cells
/// if there are any.
fn create(context: &Context, folder: &Folder, name: &str, kind: ArrayType, cells: i32) {
    let schema = Schema::builder(kind)
        .dimension("x", Datatype::Int32, 0..=9, 5)
        .attribute("a", Datatype::Int32)
        .build()
        .expect("schema");
    let path = folder.path(name);
    let uri = path.to_str().expect("text");
    Array::create(context, uri, &schema).expect("created");
    if cells > 0 {
        let array = Array::open(context, uri).expect("opened");
        let write = array.write().column("a", 0..cells);
        let write = match kind {
            ArrayType::Dense => write,
            ArrayType::Sparse => write.column("x", 0..cells),
        };
        write.submit().expect("written");
    }
}

/// Runs commands that must fail with a code, a sentence that contains a text, and a hint.
fn fail(folder: &Folder, cases: &[(&[&str], i32, &str)]) {
    for (arguments, code, text) in cases {
        let error = folder.error(arguments, *code);
        assert!(error.starts_with("error: "), "{arguments:?}: {error}");
        assert!(error.contains(text), "{arguments:?}: {error}");
        assert!(error.contains("\nhint: "), "{arguments:?}: {error}");
    }
}

#[test]
fn missing_objects_are_errors_of_every_command() {
    let folder = Folder::new();
    for command in [
        "info",
        "schema",
        "fragments",
        "metadata",
        "ls",
        "tree",
        "size",
        "head",
        "cat",
        "stats",
        "explain",
        "check",
        "clean",
        "consolidate",
        "vacuum",
        "rm",
        "bench",
    ] {
        let error = folder.error(&[command, "none"], 3);
        assert!(
            error.starts_with("error: there is no ") && error.contains("'none'\nhint: "),
            "{command}: {error}"
        );
    }
    for arguments in [
        &["mv", "none", "to"][..],
        &["cp", "none", "to"],
        &["diff", "none", "none"],
        &["draw", "array", "none"],
        &["evolve", "none", "--drop", "a"],
        &["export", "none", "out.csv"],
    ] {
        let error = folder.error(arguments, 3);
        assert!(error.contains("\nhint: "), "{arguments:?}: {error}");
    }
    folder.write("file", "text");
    let error = folder.error(&["ls", "file"], 3);
    assert!(
        error.starts_with("error: there is no folder at 'file'"),
        "{error}"
    );
    assert_eq!(folder.names(), ["file"]);
}

#[test]
fn targets_that_exist_or_are_in_the_source_are_errors() {
    let folder = table();
    let before = folder.output(&["tree", "."]);
    folder.write("file.csv", "a\n1\n");
    let exists = "exists at ";
    fail(
        &folder,
        &[
            (&["mv", "t", "t"], 2, exists),
            (&["mv", "t", "file.csv"], 2, exists),
            (&["mv", "t", "t/inner"], 2, "'t/inner' is in 't'"),
            (&["cp", "t", "./t/"], 2, exists),
            (&["cp", "t", "t/inner"], 2, "'t/inner' is in 't'"),
            (&["import", "file.csv", "file.csv"], 2, exists),
            (&["import", "file.csv", "t"], 2, exists),
            (
                &["import", ".", "new", "--format", "csv"],
                2,
                "'.' is a folder, not a file",
            ),
        ],
    );
    folder.output(&["cp", "t", "t_copy"]);
    folder.output(&["rm", "t_copy"]);
    assert_eq!(folder.output(&["tree", "."]), before);
    assert_eq!(folder.read("file.csv"), "a\n1\n");
}

#[test]
fn wrong_parameters_and_numbers_are_errors() {
    let folder = table();
    fail(
        &folder,
        &[
            (
                &["--config", "sm.mem.total_budgt=1", "info", "t"],
                2,
                "no parameter 'sm.mem.total_budgt'",
            ),
            (
                &["--config", "region=x", "info", "t"],
                2,
                "no parameter 'region'",
            ),
            (
                &["consolidate", "t", "--mode", "garbage"],
                2,
                "garbage cannot be consolidated",
            ),
            (
                &["metadata", "t", "none", "--delete"],
                3,
                "no metadata with key 'none'",
            ),
        ],
    );
    let error = folder.error(&["--config", "region=x", "info", "t"], 2);
    assert!(error.contains("did you mean vfs.s3.region?"), "{error}");
    for arguments in [&["info", "t", "--at", "-1"][..], &["head", "t", "-n", "-1"]] {
        let error = folder.error(arguments, 2);
        assert!(error.contains("invalid value '-1'"), "{error}");
    }
    assert_eq!(
        folder.output(&["cat", "t", "-n", "0", "--format", "csv"]),
        "x,a\n"
    );
    assert_eq!(folder.output(&["cat", "t", "-n", "0"]).lines().count(), 2);
}

#[test]
fn empty_files_of_every_format_are_errors() {
    let folder = Folder::new();
    for extension in ["csv", "parquet", "arrow", "arrows", "npy", "png", "tiff"] {
        let name = format!("empty.{extension}");
        folder.write(&name, "");
        let error = folder.error(&["import", &name, "new"], 2);
        assert!(error.starts_with("error: the "), "{name}: {error}");
        folder.write(&name, "neither a table nor a picture, but a text\n");
        if extension != "csv" {
            folder.error(&["import", &name, "new"], 2);
        }
    }
    assert!(!folder.exists("new"));
}

#[test]
fn errors_of_files_do_not_contain_temporary_names() {
    let folder = table();
    let error = folder.error(&["export", "t", "nowhere/out.csv"], 3);
    let expected = "error: cannot create 'nowhere/out.csv': No such file or directory (os error 2)\n\
                    hint: check the path of the file\n";
    assert_eq!(error, expected);
    fail(
        &folder,
        &[
            (
                &["export", "t", "s3://bucket/out.csv"],
                2,
                "is not the path of a local file",
            ),
            (
                &["import", "s3://bucket/t.csv", "u"],
                2,
                "is not the path of a local file",
            ),
        ],
    );
}

#[test]
fn keys_that_are_missing_or_wrong_are_errors_with_a_hint() {
    let folder = Folder::new();
    let mut config = Config::new();
    let key = "0123456789abcdef0123456789abcdef";
    config
        .set("sm.encryption_type", "AES_256_GCM")
        .expect("set");
    config.set("sm.encryption_key", key).expect("set");
    let context = Context::with_config(config).expect("context");
    create(&context, &folder, "secret", ArrayType::Dense, 10);
    fail(
        &folder,
        &[
            (&["head", "secret"], 2, "encrypted with AES_256_GCM"),
            (&["check", "secret"], 2, "encrypted with AES_256_GCM"),
            (&["size", "."], 2, "secret: The record is encrypted"),
        ],
    );
    let encrypted = |key: &str| {
        let key = format!("sm.encryption_key={key}");
        folder.run(&[
            "head",
            "secret",
            "-n",
            "1",
            "--config",
            "sm.encryption_type=AES_256_GCM",
            "--config",
            &key,
        ])
    };
    assert_eq!(encrypted(key).0, 0);
    let (code, output, error) = encrypted(&key.replace('0', "1"));
    assert_eq!((code, output.as_str()), (2, ""), "{error}");
}

#[test]
fn arrays_without_cells_have_no_statistics() {
    let folder = Folder::new();
    let context = Context::new().expect("context");
    for (name, kind) in [("dense", ArrayType::Dense), ("sparse", ArrayType::Sparse)] {
        create(&context, &folder, name, kind, 0);
        let stats = json_of(&folder, &["stats", name, "--bins", "3"]);
        assert_eq!(stats["cells"], 0, "{name}");
        let fields = stats["fields"].as_array().expect("fields");
        assert!(
            fields.iter().all(|field| field.get("min").is_none()),
            "{stats}"
        );
        let text = folder.output(&["stats", name]);
        assert!(!text.contains("NaN"), "{text}");
        for picture in ["fragments", "tiles", "array", "timeline"] {
            let error = folder.error(&["draw", picture, name], 2);
            assert!(error.contains("to draw"), "{error}");
        }
    }
}

#[test]
fn sizes_include_the_members_of_member_groups() {
    let folder = Folder::new();
    let context = Context::new().expect("context");
    create(&context, &folder, "a", ArrayType::Dense, 10);
    create(&context, &folder, "b", ArrayType::Sparse, 10);
    let uri = |name: &str| folder.path(name).to_str().expect("text").to_owned();
    for (group, member) in [("inner", "b"), ("outer", "a")] {
        tiledb_engine::Group::create(&context, &uri(group)).expect("created");
        let opened = tiledb_engine::Group::open(&context, &uri(group)).expect("opened");
        opened.add(&uri(member), Some(member)).expect("added");
        if group == "outer" {
            opened.add(&uri("inner"), Some("inner")).expect("added");
        }
    }
    let size = json_of(&folder, &["size", "outer"]);
    let names = size["arrays"].as_array().expect("arrays").iter();
    let names: Vec<_> = names
        .map(|array| array["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["a", "inner/b"]);
}

#[test]
fn cells_are_compared_by_their_coordinates() {
    let folder = table();
    folder.write("u.csv", "x,a\n0,5\n1,10\n3,31\n");
    folder.output(&["import", "u.csv", "u", "--dimensions", "x"]);
    let (code, output, _) = folder.run(&["diff", "t", "u", "--json"]);
    let found: Value = serde_json::from_str(&output).expect("JSON");
    let expected = json!([
        {"first": null, "second": {"x": 0, "a": 5}},
        {"first": {"x": 2, "a": 20}, "second": null},
        {"first": {"x": 3, "a": 30}, "second": {"x": 3, "a": 31}},
    ]);
    assert_eq!((code, &found["cells"]), (1, &expected));
    assert_eq!(found["different_cells"], 3);
    folder.output(&["evolve", "u", "--add", "b:INT8"]);
    let (_, output, _) = folder.run(&["diff", "t", "u"]);
    assert!(output.contains("> attribute 'b': Type: INT8\n"), "{output}");
}

#[test]
fn texts_with_control_characters_do_not_change_the_terminal() {
    let folder = Folder::new();
    folder.write("t.csv", "name,a\n\u{1b}[31mred,x\u{1b}]0;title\u{7}\n");
    folder.output(&["import", "t.csv", "t", "--dimensions", "name"]);
    for command in ["head", "info", "fragments", "stats"] {
        let text = folder.output(&[command, "t"]);
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
        assert!(text.contains("\\u{1b}[31mred"), "{text:?}");
    }
    let csv = folder.output(&["cat", "t", "--format", "csv"]);
    assert!(csv.contains("\u{1b}[31mred"), "{csv:?}");
}

#[test]
fn plans_of_vacuums_are_printed_in_every_mode() {
    let folder = table();
    for mode in [
        "fragments",
        "fragment-meta",
        "commits",
        "array-meta",
        "garbage",
    ] {
        let plan = folder.output(&["vacuum", "t", "--mode", mode, "--dry-run"]);
        assert!(plan.contains("remove"), "{mode}: {plan}");
    }
    let plan = json_of(&folder, &["vacuum", "t", "--mode", "garbage", "--dry-run"]);
    assert_eq!(plan["plan"], json!([]));
}

#[test]
fn groups_that_contain_each_other_are_listed_once() {
    let folder = Folder::new();
    let context = Context::new().expect("context");
    create(&context, &folder, "a", ArrayType::Sparse, 10);
    let uri = |name: &str| folder.path(name).to_str().expect("text").to_owned();
    for name in ["one", "two"] {
        tiledb_engine::Group::create(&context, &uri(name)).expect("created");
    }
    for name in ["one", "two"] {
        let group = tiledb_engine::Group::open(&context, &uri(name)).expect("opened");
        for member in ["a", "one", "two"] {
            group.add(&uri(member), Some(member)).expect("added");
        }
    }
    let text = folder.output(&["tree", "one"]);
    assert_eq!(
        text.matches("one (group, listed above)").count(),
        2,
        "{text}"
    );
    assert_eq!(text.matches("a (array)").count(), 2, "{text}");
    let members = &json_of(&folder, &["tree", "one"])["members"];
    let members = members.as_array().expect("members").iter();
    let two = members.clone().find(|member| member["name"] == "two");
    assert_eq!(
        two.expect("a member")["members"].as_array().map(Vec::len),
        Some(3)
    );
    let mut repeated = members.filter(|member| member["name"] == "one");
    assert!(repeated.all(|member| member["members"].is_null()));
    let size = json_of(&folder, &["size", "one"]);
    let names = size["arrays"].as_array().expect("arrays").iter();
    let names: Vec<_> = names.filter_map(|array| array["name"].as_str()).collect();
    assert_eq!(names, ["a", "two/a"]);
}

#[test]
fn names_of_members_with_control_characters_do_not_change_the_terminal() {
    let folder = table();
    let context = Context::new().expect("context");
    let uri = |name: &str| folder.path(name).to_str().expect("text").to_owned();
    tiledb_engine::Group::create(&context, &uri("g")).expect("created");
    let group = tiledb_engine::Group::open(&context, &uri("g")).expect("opened");
    let name = "\u{1b}[31mred\nline";
    group.add(&uri("t"), Some(name)).expect("added");
    for command in ["ls", "tree"] {
        let text = folder.output(&[command, "g"]);
        assert!(text.contains("\\u{1b}[31mred line"), "{text:?}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
    assert_eq!(json_of(&folder, &["ls", "g"])[0]["name"], name);
}

#[test]
fn statistics_of_extreme_numbers_are_numbers() {
    let folder = Folder::new();
    let most = u64::MAX;
    let rows = format!("a,b,c\n{most},inf,1e308\n{most},1,-1e308\n1,-1,NaN\n");
    folder.write("t.csv", &rows);
    folder.output(&["import", "t.csv", "t"]);
    let stats = json_of(&folder, &["stats", "t", "--bins", "2"]);
    // The sum of the integers exceeds 64 bits.
    assert_eq!(
        stats["fields"][1]["mean"].as_f64(),
        Some(12297829382473034410.0)
    );
    for (field, ends) in [(2, [-1.0, 1.0]), (3, [-1e308, 1e308])] {
        let bins = &stats["fields"][field]["histogram"];
        let found = [&bins[0]["from"], &bins[1]["to"]].map(Value::as_f64);
        assert_eq!(found, ends.map(Some), "{bins}");
        let cells = [0, 1].map(|bin| bins[bin]["cells"].as_u64());
        assert_eq!(cells, [Some(1); 2], "{bins}");
    }
    let text = folder.output(&["stats", "t"]);
    assert!(text.contains("  12297829380000000000"), "{text}");
    let text = folder.output(&["stats", "t", "--bins", "2", "--columns", "c"]);
    assert!(text.contains("  -1e308    1e308"), "{text}");
    assert!(text.contains("-1.000000e308 .. 0.000000  "), "{text}");
    let text = folder.output(&["cat", "t", "--columns", "c"]);
    assert_eq!(text, "     c\n------\n 1e308\n-1e308\n   NaN\n");
}

#[test]
fn fields_with_several_numbers_per_cell_have_no_histogram() {
    let folder = Folder::new();
    let uri = folder.path("t").to_str().expect("text").to_owned();
    let context = Context::new().expect("context");
    let several = Attribute::of("several", Datatype::Int32).with_any_number_of_values();
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("x", Datatype::Int32, 0..=9, 5)
        .with_attribute(several);
    Array::create(&context, &uri, &schema.build().expect("schema")).expect("created");
    let array = Array::open(&context, &uri).expect("opened");
    let cells = CellBytes {
        data: &[0; 12],
        offsets: Some(&[0, 8]),
        validity: None,
    };
    let write = array.write().column("x", 0..2);
    let write = write.column_bytes("several", cells);
    write.submit().expect("written");
    let stats = json_of(&folder, &["stats", "t", "--bins", "2"]);
    assert!(stats["fields"][0]["histogram"].is_array(), "{stats}");
    assert!(stats["fields"][1].get("histogram").is_none(), "{stats}");
}

#[test]
fn histograms_of_dense_arrays_have_the_cells_that_satisfy_the_condition() {
    let folder = Folder::new();
    let context = Context::new().expect("context");
    create(&context, &folder, "t", ArrayType::Dense, 10);
    let condition = ["stats", "t", "--bins", "2", "--where", "a >= 4"];
    let stats = json_of(&folder, &condition);
    let bins = &stats["fields"][0]["histogram"];
    let cells = [0, 1].map(|bin| bins[bin]["cells"].as_u64());
    assert_eq!(cells, [Some(3), Some(3)], "{bins}");
}
