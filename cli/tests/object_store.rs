//! Imports into a bucket that are killed, and copies to, from, within and between buckets.

mod program;
#[path = "../../engine/tests/setup/servers.rs"]
mod servers;

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use program::Folder;
use serde_json::Value;
use servers::Server;

const ROWS: u32 = 250_000;
/// The moments of an import at which it is killed.
const KILLS: u32 = 6;
/// The exit code if an array does not exist.
const MISSING: i32 = 3;

fn command(folder: &Folder, server: &Server, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiledb-rs"));
    command.args(arguments).current_dir(folder.path("."));
    for (name, value) in &server.parameters {
        let variable = format!("TILEDB_{}", name.to_uppercase().replace('.', "_"));
        command.env(variable, value);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Folder, server: &Server, arguments: &[&str]) -> Output {
    let output = command(folder, server, arguments).output();
    output.expect("the program runs")
}

/// Returns the number of fragments; `None` if the array does not exist.
fn fragments(folder: &Folder, server: &Server, uri: &str) -> Option<usize> {
    let output = run(folder, server, &["fragments", uri, "--json"]);
    if output.status.code() == Some(MISSING) {
        return None;
    }
    assert!(output.status.success(), "{output:?}");
    let listed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let listed = listed.get("fragments").unwrap_or(&listed);
    Some(listed.as_array().expect("fragments").len())
}

#[test]
fn a_killed_import_leaves_no_array_or_the_complete_one_and_can_be_repeated() {
    let Some(server) = servers::start("s3") else {
        return;
    };
    let folder = Folder::new();
    let rows = (0..ROWS).map(|row| format!("{row},{}\n", row * 7));
    folder.write("t.csv", &format!("a,b\n{}", rows.collect::<String>()));
    let whole = format!("{}/whole", server.uri);
    let start = Instant::now();
    output(&folder, &server, &["import", "t.csv", &whole]);
    let duration = start.elapsed();
    let complete = fragments(&folder, &server, &whole);
    assert_eq!(complete, Some(2));
    for moment in 1..=KILLS {
        let uri = format!("{}/killed{moment}", server.uri);
        let import = command(&folder, &server, &["import", "t.csv", &uri]);
        kill_after(duration * moment / KILLS, import);
        match fragments(&folder, &server, &uri) {
            None => repeat(&folder, &server, &["import", "t.csv", &uri]),
            found => assert_eq!(found, complete),
        }
        assert_eq!(fragments(&folder, &server, &uri), complete);
    }
}

/// Starts a command, kills it after `duration`, and waits for its end.
fn kill_after(duration: Duration, mut command: Command) {
    let mut started = command.spawn().expect("the program runs");
    std::thread::sleep(duration);
    started.kill().expect("kills");
    started.wait().expect("ends");
}

/// Repeats a command that was killed. The server may carry out the last request of the killed
/// process late; then the target is complete and exists.
fn repeat(folder: &Folder, server: &Server, arguments: &[&str]) {
    let repeated = run(folder, server, arguments);
    let exists = String::from_utf8_lossy(&repeated.stderr).contains("exists");
    assert!(repeated.status.success() || exists, "{repeated:?}");
}

#[test]
fn a_killed_copy_or_move_leaves_a_complete_array_and_can_be_repeated() {
    let Some(server) = servers::start("s3") else {
        return;
    };
    let folder = Folder::new();
    let [first, second] = ["first", "second"].map(|name| format!("{}/{name}", server.uri));
    create_array(&folder, &server, "t");
    for verb in ["cp", "mv"] {
        output(&folder, &server, &["cp", "t", &first]);
        let start = Instant::now();
        output(&folder, &server, &[verb, &first, &second]);
        let duration = start.elapsed();
        for moment in 1..=KILLS {
            // The array is at `second` only, or at both.
            output(&folder, &server, &["rm", &second]);
            if fragments(&folder, &server, &first).is_none() {
                output(&folder, &server, &["cp", "t", &first]);
            }
            let command = command(&folder, &server, &[verb, &first, &second]);
            kill_after(duration * moment / KILLS, command);
            if fragments(&folder, &server, &second).is_none() {
                repeat(&folder, &server, &[verb, &first, &second]);
            }
            let differences = output(&folder, &server, &["diff", "t", &second]);
            assert_eq!(differences, "the arrays are equal\n", "{verb} {moment}");
            let checked = json(&folder, &server, &["check", &second]);
            assert_eq!(
                checked["findings"],
                Value::Array(Vec::new()),
                "{verb} {moment}"
            );
        }
        for uri in [&first, &second] {
            run(&folder, &server, &["rm", uri]);
        }
    }
}

fn output(folder: &Folder, server: &Server, arguments: &[&str]) -> String {
    let output = run(folder, server, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn json(folder: &Folder, server: &Server, arguments: &[&str]) -> Value {
    let text = output(folder, server, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).expect("JSON")
}

/// Creates the array `uri` with two fragments, metadata and a later attribute.
fn create_array(folder: &Folder, server: &Server, uri: &str) {
    let rows = (0..5000).map(|row| format!("{row},text {},{}\n", row % 100, row * 3));
    folder.write("t.csv", &format!("a,b,c\n{}", rows.collect::<String>()));
    output(
        folder,
        server,
        &["import", "t.csv", uri, "--dimensions", "a"],
    );
    output(folder, server, &["import", "t.csv", uri, "--append"]);
    output(folder, server, &["metadata", uri, "key", "--set", "value"]);
    output(folder, server, &["evolve", uri, "--add", "d:INT8?"]);
}

#[test]
fn arrays_and_groups_are_copied_to_from_and_within_s3() {
    copies_on("s3");
}

#[test]
fn arrays_and_groups_are_copied_to_from_and_within_azure() {
    copies_on("azure");
}

#[test]
fn arrays_and_groups_are_copied_to_from_and_within_azure_with_directories() {
    copies_on("data-lake");
}

#[test]
fn arrays_and_groups_are_copied_to_from_and_within_google_cloud_storage() {
    copies_on("gcs");
}

fn copies_on(kind: &'static str) {
    let Some(server) = servers::start(kind) else {
        return;
    };
    copy_array(&server, &server.uri, &server.uri);
    copy_group(&server);
}

#[test]
fn arrays_are_copied_between_services() {
    let kinds = ["s3", "azure", "gcs"];
    let [Some(mut server), Some(second), Some(third)] = kinds.map(servers::start) else {
        return;
    };
    // The parameters of the services differ in their names.
    server.parameters.extend(second.parameters.clone());
    server.parameters.extend(third.parameters.clone());
    copy_array(&server, &server.uri, &second.uri);
    copy_array(&server, &second.uri, &third.uri);
    copy_array(&server, &third.uri, &server.uri);
}

/// Copies an array from a local folder to a bucket, from there to another one, and back.
fn copy_array(server: &Server, one: &str, other: &str) {
    let folder = Folder::new();
    create_array(&folder, server, "t");
    let (first, second) = (format!("{one}/first"), format!("{other}/second"));
    let fragments = json(&folder, server, &["fragments", "t"]);
    for (from, to) in [("t", first.as_str()), (&first, &second), (&second, "back")] {
        let copied = json(&folder, server, &["cp", from, to, "--verify", "cells"]);
        assert_eq!(
            (&copied["verified"], &copied["arrays"]),
            (&"cells".into(), &1.into())
        );
        let differences = output(&folder, server, &["diff", "t", to]);
        assert_eq!(differences, "the arrays are equal\n");
        assert_eq!(json(&folder, server, &["fragments", to]), fragments);
        assert_eq!(output(&folder, server, &["metadata", to, "key"]), "value\n");
        let checked = json(&folder, server, &["check", to]);
        assert_eq!(checked["findings"], Value::Array(Vec::new()), "{to}");
    }
    let again = run(&folder, server, &["cp", "t", &first]);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    for copy in [&first, &second] {
        output(&folder, server, &["rm", copy]);
        assert_eq!(self::fragments(&folder, server, copy), None, "{copy}");
    }
}

/// Copies a group from a local folder to the bucket and back, after which the members of the first
/// one are not needed.
fn copy_group(server: &Server) {
    let folder = Folder::new();
    let context = tiledb_engine::Context::new().expect("context");
    let uri = |name: &str| folder.path(name).to_string_lossy().into_owned();
    for group in ["g", "g/inner"] {
        tiledb_engine::Group::create(&context, &uri(group)).expect("created");
    }
    create_array(&folder, server, "g/inner/a");
    create_array(&folder, server, "elsewhere");
    let add = |group: &str, path: &str, name: &str| {
        let group = tiledb_engine::Group::open(&context, &uri(group)).expect("opened");
        group.add_relative(path, Some(name)).expect("added");
    };
    add("g", "inner", "inner");
    add("g/inner", "a", "a");
    let group = tiledb_engine::Group::open(&context, &uri("g")).expect("opened");
    group.add(&uri("elsewhere"), Some("b")).expect("added");
    group.put_metadata("key", "value").expect("stored");

    let remote = format!("{}/groups/g", server.uri);
    let copied = json(&folder, server, &["cp", "g", &remote, "--verify", "cells"]);
    assert_eq!(copied["arrays"], 2, "{copied}");
    assert_eq!(copied["groups"], 2, "{copied}");
    // The copy does not need the members of its source.
    for name in ["g", "elsewhere"] {
        std::fs::rename(folder.path(name), folder.path(&format!("moved-{name}"))).expect("moved");
    }
    let back = json(&folder, server, &["cp", &remote, "back"]);
    assert_eq!(
        (&back["arrays"], &back["groups"]),
        (&copied["arrays"], &copied["groups"])
    );
    let members = json(&folder, server, &["ls", "back"]);
    let names = members.to_string();
    assert!(
        names.contains("inner") && names.contains("\"b\""),
        "{names}"
    );
    assert_eq!(
        output(&folder, server, &["metadata", "back", "key"]),
        "value\n"
    );
    for array in ["back/inner/a", "back/b"] {
        let differences = output(&folder, server, &["diff", "moved-elsewhere", array]);
        assert_eq!(differences, "the arrays are equal\n", "{array}");
    }
}
