//! Copies of arrays and groups, and measurements of forms.

mod program;

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use program::Folder;
use serde_json::Value;
use tiledb_engine::{Array, ArrayType, Context, Datatype, Group, Schema};

/// Returns a folder with the array `t`, which has two fragments, metadata and a later attribute.
fn array() -> Folder {
    let folder = Folder::new();
    let rows = (0..5000).map(|row| format!("{row},text {},{}\n", row % 100, row * 3));
    folder.write("t.csv", &format!("a,b,c\n{}", rows.collect::<String>()));
    folder.output(&["import", "t.csv", "t", "--dimensions", "a"]);
    folder.output(&["import", "t.csv", "t", "--append"]);
    folder.output(&["metadata", "t", "key", "--set", "value"]);
    folder.output(&["evolve", "t", "--add", "d:INT8?"]);
    folder
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.output(&[arguments, &["--json"]].concat());
    serde_json::from_str(&output).expect("JSON")
}

#[test]
fn copies_of_arrays_have_the_same_fragments_cells_and_metadata() {
    let folder = array();
    for verify in ["files", "cells"] {
        let copied = json(&folder, &["cp", "t", verify, "--verify", verify]);
        assert_eq!(copied["verified"], verify);
        assert_eq!(copied["arrays"], 1);
        assert_eq!(
            folder.output(&["diff", "t", verify]),
            "the arrays are equal\n"
        );
        assert_eq!(
            json(&folder, &["fragments", "t"]),
            json(&folder, &["fragments", verify])
        );
        assert_eq!(folder.output(&["metadata", verify, "key"]), "value\n");
        assert_eq!(
            json(&folder, &["check", verify])["findings"],
            Value::Array(Vec::new())
        );
    }
    let error = folder.error(&["cp", "t", "files"], 2);
    assert!(
        error.starts_with("error: something exists at 'files' already\nhint: "),
        "{error}"
    );
    folder.error(&["cp", "none", "x"], 3);
    assert_eq!(folder.names(), ["cells", "files", "t", "t.csv"]);
}

#[test]
fn damaged_arrays_are_not_copied() {
    let folder = array();
    let fragments = std::fs::read_dir(folder.path("t/__fragments")).expect("fragments");
    let fragment = fragments.flatten().next().expect("a fragment").path();
    std::fs::remove_dir_all(fragment).expect("removes");
    let (code, _, errors) = folder.run(&["cp", "t", "copy", "--verify", "cells"]);
    assert_ne!(code, 0, "{errors}");
    assert_eq!(folder.names(), ["t", "t.csv"]);
}

#[test]
fn an_existing_folder_with_files_is_not_a_target() {
    let folder = array();
    std::fs::create_dir(folder.path("mine")).expect("folder");
    folder.write("mine/notes", "text");
    folder.error(&["cp", "t", "mine"], 2);
    assert_eq!(folder.read("mine/notes"), "text");
}

#[test]
fn a_killed_copy_is_not_an_array_and_can_be_repeated() {
    let folder = array();
    for _ in 0..20 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tiledb-rs"))
            .args(["cp", "t", "copy"])
            .current_dir(folder.path("."))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        while !folder.exists("copy") && child.try_wait().expect("a state").is_none() {
            std::thread::yield_now();
        }
        child.kill().expect("kills");
        child.wait().expect("ends");
        let (code, ..) = folder.run(&["info", "copy"]);
        if code == 0 {
            assert_eq!(
                folder.output(&["diff", "t", "copy"]),
                "the arrays are equal\n"
            );
        } else {
            assert_eq!(code, 3);
            folder.output(&["cp", "t", "copy"]);
            let different = folder.output(&["diff", "t", "copy"]);
            assert_eq!(different, "the arrays are equal\n");
        }
        let _ = std::fs::remove_dir_all(folder.path("copy"));
    }
}

#[test]
fn small_samples_are_measured_and_a_form_is_recommended() {
    let folder = array();
    let measured = json(&folder, &["bench", "t", "--sample", "3000"]);
    let candidates = measured["candidates"].as_array().expect("candidates");
    assert!(candidates.len() > 10, "{} candidates", candidates.len());
    assert!(
        measured["sample_cells"]
            .as_u64()
            .is_some_and(|cells| cells > 0)
    );
    for candidate in candidates {
        for name in [
            "bytes",
            "write_seconds",
            "read_all_seconds",
            "read_boxes_seconds",
        ] {
            assert!(
                candidate[name].as_f64().is_some_and(|value| value > 0.0),
                "{candidate}"
            );
        }
    }
    let reason = measured["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("recommendation: "), "{reason}");
    let table = folder.output(&["bench", "t", "--sample", "3000", "--disk"]);
    assert!(
        table.contains("row-major/row-major, capacity 1000") && table.contains("-> "),
        "{table}"
    );
    assert_eq!(folder.names(), ["t", "t.csv"]);
}

/// The centre of an array of which the ends are written has fill values only, which are smaller
/// than noise by orders of magnitude.
#[test]
fn samples_of_dense_arrays_have_written_cells() {
    let folder = Folder::new();
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("x", Datatype::Int32, 0..=999_999, 10_000)
        .attribute("v", Datatype::Int64)
        .build()
        .expect("schema");
    let path = folder.path("a");
    let uri = path.to_str().expect("text");
    Array::create(&context, uri, &schema).expect("create");
    let array = Array::open(&context, uri).expect("open");
    for first in [0, 950_000] {
        let noise = (1..=50_000u64).map(|x| {
            let mixed = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) as i64
        });
        let write = array.write().range("x", first..=first + 49_999);
        write.column("v", noise).submit().expect("write");
    }
    let measured = json(&folder, &["bench", "a", "--sample", "20000"]);
    let candidates = measured["candidates"].as_array().expect("candidates");
    for candidate in candidates {
        let bytes = candidate["bytes"].as_u64().expect("bytes");
        let cells = measured["sample_cells"].as_u64().expect("cells");
        assert!(bytes > cells, "{candidate}");
    }
}

#[test]
fn dense_arrays_are_measured_with_other_extents() {
    let folder = Folder::new();
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (400, 300), }";
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{header:<117}\n").into_bytes());
    npy.extend((0..120_000i32).flat_map(i32::to_le_bytes));
    folder.write_bytes("a.npy", &npy);
    folder.output(&["import", "a.npy", "a"]);
    let measured = json(&folder, &["bench", "a", "--sample", "50000"]);
    let cells = measured["sample_cells"].as_u64().expect("a number");
    assert!((10_000..=50_000).contains(&cells), "{cells}");
    let candidates = measured["candidates"].as_array().expect("candidates");
    for order in ["cell_order", "tile_order"] {
        let orders = candidates
            .iter()
            .map(|candidate| candidate["form"][order].as_str());
        let orders: BTreeSet<_> = orders.collect();
        assert_eq!(orders.len(), 2, "{order}: {orders:?}");
    }
    let sizes = candidates
        .iter()
        .map(|candidate| candidate["bytes"].as_u64().expect("bytes"));
    let (least, most) = sizes.fold((u64::MAX, 0), |(a, b), size| (a.min(size), b.max(size)));
    assert!(
        2 * least < most,
        "filters change the size: {least} to {most}"
    );
    folder.error(&["bench", "none"], 3);
    folder.error(&["bench", "a", "--sample", "0"], 2);
}

#[test]
fn members_are_copied_into_the_folder_of_the_copy_whatever_their_names_are() {
    let folder = array();
    let context = Context::new().expect("context");
    let uri = |name: &str| folder.path(name).to_str().expect("text").to_owned();
    let names = ["../escaped", "/absolute", "__meta", "x/../../y"];
    for (index, name) in names.into_iter().enumerate() {
        let (group, copy) = (format!("g{index}"), format!("copy{index}"));
        Group::create(&context, &uri(&group)).expect("created");
        let opened = Group::open(&context, &uri(&group)).expect("opened");
        opened.add(&uri("t"), Some(name)).expect("added");
        let before = folder.names();
        folder.output(&["cp", &group, &copy]);
        let names = folder.names();
        let new: Vec<_> = names.iter().filter(|name| !before.contains(name)).collect();
        assert_eq!(new, [&copy], "{name}");
        let copied = format!("{copy}/t");
        assert_eq!(
            folder.output(&["diff", "t", &copied]),
            "the arrays are equal\n"
        );
        let members = json(&folder, &["ls", &copy]);
        assert_eq!(members[0]["name"], name);
    }
}

#[test]
fn filters_that_cannot_encode_the_cells_are_left_out() {
    let folder = Folder::new();
    let rows = (0..50).map(|_| format!("{},{}\n", i64::MIN, i64::MAX));
    folder.write(
        "t.csv",
        &format!(
            "a,b\n0,0\n{}9223372036854775807,-9223372036854775808\n",
            rows.collect::<String>()
        ),
    );
    folder.output(&["import", "t.csv", "t"]);
    for option in [&[][..], &["--disk"]] {
        let measured = json(&folder, &[&["bench", "t"], option].concat());
        let candidates = measured["candidates"].as_array().expect("candidates");
        let filters = candidates
            .iter()
            .map(|candidate| &candidate["form"]["filters"]);
        let filters: Vec<_> = filters.filter_map(Value::as_str).collect();
        assert!(filters.contains(&"BITSHUFFLE, ZSTD"), "{filters:?}");
        assert!(!filters.contains(&"DOUBLE_DELTA, ZSTD"), "{filters:?}");
    }
}

#[test]
fn a_failed_copy_of_a_group_leaves_no_folder() {
    let folder = array();
    let context = Context::new().expect("context");
    let uri = |name: &str| folder.path(name).to_str().expect("text").to_owned();
    folder.output(&["cp", "t", "u"]);
    for (group, members) in [("inner", ["u", "t"]), ("outer", ["t", "inner"])] {
        Group::create(&context, &uri(group)).expect("created");
        let opened = Group::open(&context, &uri(group)).expect("opened");
        for member in members {
            opened.add(&uri(member), Some(member)).expect("added");
        }
    }
    std::fs::remove_dir_all(folder.path("u")).expect("removed");
    let before = folder.names();
    let local = format!("file://{}", uri("copy"));
    for target in ["copy", &local] {
        let error = folder.error(&["cp", "outer", target], 2);
        assert!(error.contains("/u', which is not an array"), "{error}");
        assert_eq!(folder.names(), before);
    }
    // A folder that was there stays.
    std::fs::create_dir(folder.path("copy")).expect("created");
    folder.error(&["cp", "outer", "copy"], 2);
    let left = std::fs::read_dir(folder.path("copy")).expect("a folder");
    assert_eq!(left.count(), 0);
}

#[test]
fn dense_arrays_with_large_domains_are_compared_by_their_written_cells() {
    let folder = Folder::new();
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("x", Datatype::Uint64, 0..=u64::MAX - 1000, 100)
        .attribute("a", Datatype::Int32)
        .build()
        .expect("schema");
    for (name, cells) in [
        ("a", vec![(5u64, [1, 2])]),
        ("b", vec![(5, [1, 3]), (900, [4, 5])]),
    ] {
        let uri = folder.path(name).to_str().expect("text").to_owned();
        Array::create(&context, &uri, &schema).expect("created");
        assert_eq!(
            folder.output(&["diff", name, name]),
            "the arrays are equal\n"
        );
        let array = Array::open(&context, &uri).expect("opened");
        for (first, values) in cells {
            let write = array.write().range("x", first..=first + 1);
            write.column("a", values).submit().expect("written");
        }
    }
    let copied = json(&folder, &["cp", "a", "copy", "--verify", "cells"]);
    assert_eq!(copied["verified"], "cells");
    let (code, output, _) = folder.run(&["diff", "a", "b", "--json"]);
    let different: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(code, 1);
    assert_eq!(different["different_cells"], 3);
    assert_eq!(different["cells"][0]["second"]["a"], 3);
    assert_eq!(different["cells"][2]["second"]["x"], 901);
}
