//! Imports into a bucket that are killed.

mod program;
#[path = "../../engine/tests/setup/servers.rs"]
mod servers;

use std::process::{Command, Output, Stdio};
use std::time::Instant;

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
    let import = |uri: &str| {
        let output = run(&folder, &server, &["import", "t.csv", uri]);
        assert!(output.status.success(), "{output:?}");
    };
    let whole = format!("{}/whole", server.uri);
    let start = Instant::now();
    import(&whole);
    let duration = start.elapsed();
    let complete = fragments(&folder, &server, &whole);
    assert_eq!(complete, Some(2));
    for moment in 1..=KILLS {
        let uri = format!("{}/killed{moment}", server.uri);
        let importing = command(&folder, &server, &["import", "t.csv", &uri]).spawn();
        let mut importing = importing.expect("the program runs");
        std::thread::sleep(duration * moment / KILLS);
        importing.kill().expect("kills");
        importing.wait().expect("ends");
        match fragments(&folder, &server, &uri) {
            None => import(&uri),
            found => assert_eq!(found, complete),
        }
        assert_eq!(fragments(&folder, &server, &uri), complete);
    }
}
