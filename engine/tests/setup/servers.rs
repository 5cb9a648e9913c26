//! Object-store servers on loopback, one of each kind per test process.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;

/// A running server. It ends when the process of the test ends, which closes its standard input.
#[derive(Debug)]
pub(crate) struct Server {
    /// The kind: `s3`, `s3-signed`, `azure`, `data-lake` or `gcs`.
    #[allow(dead_code, reason = "not all tests that include this file use it")]
    pub(crate) kind: &'static str,
    /// The URI of a bucket.
    pub(crate) uri: String,
    /// The address: host and port.
    #[allow(dead_code, reason = "not all tests that include this file use it")]
    pub(crate) host: String,
    /// The parameters of contexts that use the server.
    pub(crate) parameters: Vec<(String, String)>,
    /// Whether it verifies signatures.
    #[allow(dead_code, reason = "not all tests that include this file use it")]
    pub(crate) verifies: bool,
    _stdin: ChildStdin,
}

/// Starts a server. Returns `None`, with a message, if it cannot be installed.
#[allow(clippy::print_stderr, reason = "a test that skips says so")]
pub(crate) fn start(kind: &'static str) -> Option<Server> {
    // Tests of crates in several folders of the project use this file.
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut programs = folders.map(|folder| folder.join("tests/object-stores/serve"));
    let program = programs.find(|program| program.exists());
    let program = program.expect("the program is in the project");
    let child = Command::new(program)
        .arg(kind)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            eprintln!("skipped: {kind}: {error}");
            return None;
        }
    };
    let mut line = String::new();
    let stdout = child.stdout.take().expect("a pipe");
    let read = BufReader::new(stdout).read_line(&mut line);
    if read.is_err() || line.is_empty() {
        let status = child.wait().expect("ends");
        assert_eq!(status.code(), Some(77), "the server '{kind}' failed");
        eprintln!("skipped: the server '{kind}' is not available");
        return None;
    }
    let ready: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let parameters = ready["parameters"].as_object().expect("parameters");
    let parameters = parameters
        .iter()
        .map(|(name, value)| (name.clone(), text(value)));
    Some(Server {
        kind,
        uri: text(&ready["uri"]),
        host: text(&ready["host"]),
        parameters: parameters.collect(),
        verifies: matches!(kind, "s3-signed" | "azure" | "data-lake"),
        _stdin: child.stdin.take().expect("a pipe"),
    })
}

/// Returns a server of each kind that can be installed. They are started by the first call.
#[allow(dead_code, reason = "not all tests that include this file use it")]
pub(crate) fn all() -> &'static [Server] {
    static SERVERS: OnceLock<Vec<Server>> = OnceLock::new();
    SERVERS.get_or_init(|| {
        let kinds = ["s3", "s3-signed", "azure", "data-lake", "gcs"];
        std::thread::scope(|scope| {
            let started = kinds.map(|kind| scope.spawn(move || start(kind)));
            let servers = started.map(|thread| thread.join().expect("starts"));
            servers.into_iter().flatten().collect()
        })
    })
}
