//! The test server as a child process.

use std::ffi::{CStr, CString};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// The form of URIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// `tiledb://workspace/teamspace/name`
    Workspaces,
    /// `tiledb://namespace/name`
    Namespaces,
}

/// A running server, which ends when this value is dropped.
pub(crate) struct Server {
    child: Child,
    address: String,
    protocol: Protocol,
}

impl Server {
    /// Starts a server that works with `library` in `folder`. Returns `None` without Python.
    pub(crate) fn start(library: &Path, folder: &Path, protocol: Protocol) -> Option<Self> {
        std::fs::create_dir_all(folder).expect("a folder");
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rest/server.py");
        let mut command = Command::new("python3");
        command.arg(program).arg(library).arg(folder);
        if protocol == Protocol::Namespaces {
            command.arg("--legacy");
        }
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.ok()?;
        let mut address = String::new();
        let output = child.stdout.take().expect("an output");
        BufReader::new(output)
            .read_line(&mut address)
            .expect("the address");
        let address = address.trim().to_owned();
        assert!(address.starts_with("http://"), "the server did not start");
        Some(Self {
            child,
            address,
            protocol,
        })
    }

    /// Returns the address.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the URI that the URIs of objects begin with.
    pub(crate) fn root(&self) -> &'static str {
        match self.protocol {
            Protocol::Workspaces => "tiledb://workspace/teamspace",
            Protocol::Namespaces => "tiledb://space",
        }
    }

    /// Returns whether the server was ended by a signal.
    pub(crate) fn was_killed(&mut self) -> bool {
        let ended = self.child.try_wait().expect("a child");
        ended.is_some_and(|status| status.signal().is_some())
    }

    /// Returns the parameters of a client.
    pub(crate) fn parameters(&self, more: &[(&str, &str)]) -> Vec<(CString, CString)> {
        let defaults = [
            ("rest.server_address", &self.address[..]),
            ("rest.token", "token"),
            ("rest.retry_count", "3"),
            ("rest.retry_initial_delay_ms", "10"),
        ];
        let all = defaults.iter().chain(more);
        let text = |text: &str| CString::new(text).expect("a text");
        all.map(|(name, value)| (text(name), text(value))).collect()
    }

    /// Returns the requests since the last call.
    pub(crate) fn requests(&self) -> Vec<Value> {
        let body = self.exchange("GET", "/control/log", "");
        match serde_json::from_str(&body).expect("a log") {
            Value::Array(requests) => requests,
            other => panic!("{other} is not a list"),
        }
    }

    /// Sets the faults of the next requests.
    pub(crate) fn set_faults(&self, faults: &Value) {
        self.exchange("POST", "/control/faults", &faults.to_string());
    }

    fn exchange(&self, method: &str, path: &str, body: &str) -> String {
        let host = self.address.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).expect("a connection");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a timeout");
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        let (_, body) = response.split_once("\r\n\r\n").expect("a body");
        body.to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Returns parameters as a library takes them.
pub(crate) fn borrowed(parameters: &[(CString, CString)]) -> Vec<(&CStr, &CStr)> {
    let parameters = parameters.iter();
    parameters
        .map(|(name, value)| (name.as_c_str(), value.as_c_str()))
        .collect()
}
