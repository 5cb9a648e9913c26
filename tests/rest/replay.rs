//! A server between a client and the test server that records responses, and sends them later,
//! changed as a test wants.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as the key of its response: the operation, the number of its requests before, the
/// method, and the path without its query.
pub(crate) type Key = String;

/// A response, and how it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Whether the connection ends after this number of bytes of the body.
    pub(crate) end: Option<usize>,
    /// Whether the body is sent again and again until the client closes the connection.
    pub(crate) is_endless: bool,
}

impl Reply {
    pub(crate) fn of(status: &str, body: Vec<u8>) -> Self {
        Self {
            status: status.to_owned(),
            headers: vec![("content-length".to_owned(), body.len().to_string())],
            body,
            end: None,
            is_endless: false,
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
    }
}

#[derive(Default)]
struct State {
    recorded: HashMap<Key, Reply>,
    /// The responses that are not those recorded.
    changed: HashMap<Key, Reply>,
    /// The address of the server behind, while responses are recorded.
    behind: Option<String>,
    /// The operation of the next requests, and the number of its requests so far.
    operation: (&'static str, usize),
}

/// A running server. Its threads end with the process.
pub(crate) struct Replay {
    address: String,
    state: Arc<Mutex<State>>,
}

impl Replay {
    /// Starts a server that passes requests to another one and records the responses.
    pub(crate) fn start(behind: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State {
            behind: Some(behind.trim_start_matches("http://").to_owned()),
            ..State::default()
        }));
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                // A client that closes its connection ends the thread with an error.
                thread::spawn(move || drop(serve(stream, &state)));
            }
        });
        Self { address, state }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Begins an operation.
    pub(crate) fn begin(&self, operation: &'static str) {
        self.state.lock().expect("a lock").operation = (operation, 0);
    }

    /// Ends the recording. Returns the responses.
    pub(crate) fn recorded(&self) -> Vec<(Key, Reply)> {
        let mut state = self.state.lock().expect("a lock");
        state.behind = None;
        let mut all: Vec<_> = state.recorded.clone().into_iter().collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    }

    /// Sets the responses that are not those recorded.
    pub(crate) fn change(&self, changed: impl IntoIterator<Item = (Key, Reply)>) {
        self.state.lock().expect("a lock").changed = changed.into_iter().collect();
    }
}

/// Handles the requests of a connection.
fn serve(stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    while let Some((path, head, body)) = receive(&mut reader)? {
        let (key, reply, behind) = {
            let mut state = state.lock().expect("a lock");
            let (operation, number) = state.operation;
            state.operation.1 += 1;
            let key = format!("{operation} {number} {path}");
            let reply = state.changed.get(&key).or_else(|| state.recorded.get(&key));
            (key, reply.cloned(), state.behind.clone())
        };
        let reply = match (behind, reply) {
            (Some(behind), _) => {
                let reply = forward(&behind, &head, &body)?;
                let mut state = state.lock().expect("a lock");
                state.recorded.insert(key, reply.clone());
                reply
            }
            (None, Some(reply)) => reply,
            (None, None) => Reply::of("404 Not Found", Vec::new()),
        };
        if !send(&mut writer, &reply, head.starts_with("OPTIONS"))? {
            return Ok(());
        }
    }
    Ok(())
}

/// Returns the method and path, the head and the body of a request; `None` at the end of the
/// connection.
fn receive(reader: &mut impl BufRead) -> std::io::Result<Option<(String, String, Vec<u8>)>> {
    let mut head = String::new();
    loop {
        let start = head.len();
        if reader.read_line(&mut head)? == 0 {
            return Ok(None);
        }
        if &head[start..] == "\r\n" {
            break;
        }
    }
    let first = head.lines().next().unwrap_or_default();
    let path: Vec<&str> = first.split(['?', ' ']).take(2).collect();
    let lines = head.lines().map(str::to_ascii_lowercase);
    let mut length =
        lines.filter_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.next().unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Some((path.join(" "), head, body)))
}

/// Sends a request to the server behind.
fn forward(behind: &str, head: &str, body: &[u8]) -> std::io::Result<Reply> {
    let mut stream = TcpStream::connect(behind)?;
    let head = head.replacen("\r\n", "\r\nconnection: close\r\n", 1);
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response)?;
    let end = response.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let (head, body) = response.split_at(end.expect("a head") + 4);
    let head = String::from_utf8_lossy(head);
    let status = head.lines().next().and_then(|line| line.split_once(' '));
    Ok(Reply::of(status.expect("a status").1, body.to_vec()))
}

/// Sends a response. Returns whether the connection can be used again.
fn send(writer: &mut TcpStream, reply: &Reply, is_options: bool) -> std::io::Result<bool> {
    let mut head = format!("HTTP/1.1 {}\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let end = reply.end.unwrap_or(reply.body.len()).min(reply.body.len());
    let body = if is_options {
        &[][..]
    } else {
        &reply.body[..end]
    };
    writer.write_all(&[head.as_bytes(), body].concat())?;
    if reply.is_endless {
        loop {
            writer.write_all(body)?;
        }
    }
    let length = reply.body.len().to_string();
    let is_framed = reply
        .headers
        .iter()
        .any(|(name, value)| name == "content-length" && *value == length);
    // A client that reads no body may use the connection again if the body is empty.
    Ok(reply.end.is_none() && is_framed && (!is_options || body.len() == reply.body.len()))
}
