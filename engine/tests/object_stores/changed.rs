//! A proxy that changes one response of a server.

use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::proxy::{find, read_request};
use crate::random::Random;

/// Values that replace the text of an element of XML, a value of JSON or the value of a header.
const VALUES: [&str; 24] = [
    "",
    "0",
    "1",
    "-1",
    "+5",
    "007",
    "1e9",
    "4294967296",
    "9223372036854775807",
    "18446744073709551614",
    "18446744073709551615",
    "18446744073709551616",
    "true",
    "false",
    "null",
    "/",
    "//",
    "../..",
    "%2F%",
    "%ff%00%+1",
    "&#xffffff;",
    "\u{feff}\u{10ffff}",
    "Thu, 99 Foo 9999 99:99:99 GMT",
    "9999-99-99T99:99:99.999999999999Z",
];
const RANGES: [&str; 9] = [
    "bytes 0-18446744073709551615/18446744073709551615",
    "bytes 0-0/18446744073709551615",
    "bytes 5-4/3",
    "bytes */0",
    "bytes */18446744073709551615",
    "bytes 0-99/*",
    "bytes -/",
    "0-9/10",
    "bytes 18446744073709551615-0/1",
];
const HEADERS: [&str; 15] = [
    "content-length",
    "content-range",
    "etag",
    "last-modified",
    "date",
    "transfer-encoding",
    "content-encoding",
    "content-type",
    "location",
    "retry-after",
    "x-amz-bucket-region",
    "x-ms-error-code",
    "x-ms-copy-status",
    "x-ms-meta-hdi_isfolder",
    "x-goog-generation",
];
const STATUSES: [&str; 19] = [
    "200 OK",
    "201 Created",
    "202 Accepted",
    "204 No Content",
    "206 Partial Content",
    "301 Moved Permanently",
    "304 Not Modified",
    "307 Temporary Redirect",
    "308 Resume Incomplete",
    "400 Bad Request",
    "403 Forbidden",
    "404 Not Found",
    "409 Conflict",
    "411 Length Required",
    "412 Precondition Failed",
    "416 Range Not Satisfiable",
    "500 Error",
    "503 Slow Down",
    "999 ?",
];
const DOCUMENTS: [&str; 10] = [
    "<Error><Code>InternalError</Code><Message>&lt;</Message></Error>",
    "<Error><Code>PermanentRedirect</Code><Region>&amp;\n</Region></Error>",
    "<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><x>&b;</x>",
    "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
    "<EnumerationResults><Blobs/><NextMarker>x</NextMarker></EnumerationResults>",
    "{\"error\":{\"code\":503,\"errors\":[{\"reason\":\"rateLimitExceeded\"}]}}",
    "{\"items\":[{\"name\":\"/\",\"size\":\"18446744073709551615\"}],\"nextPageToken\":\"\"}",
    "{\"kind\":\"storage#rewriteResponse\",\"done\":true}",
    "<html><body>Login</body></html>",
    "[",
];

/// The state of the case that runs.
#[derive(Default)]
struct State {
    requests: u64,
    /// The number of the response that is changed, and the seed of the change.
    change: Option<(u64, u64)>,
    /// Whether later responses are changed too.
    changes_later: bool,
}

/// A running proxy. It ends with the process.
pub(crate) struct ChangingProxy {
    pub(crate) address: String,
    state: Arc<Mutex<State>>,
}

impl ChangingProxy {
    pub(crate) fn start(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
        let address = listener.local_addr().expect("address").to_string();
        let state = Arc::<Mutex<State>>::default();
        let (shared, server) = (state.clone(), server.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (server, state) = (server.clone(), shared.clone());
                // A client that closes its connection ends the thread with an error.
                std::thread::spawn(move || drop(serve(client, &server, &state)));
            }
        });
        Self { address, state }
    }

    /// Begins a case. Response number `change.0` is changed by the seed `change.1`.
    pub(crate) fn begin(&self, change: Option<(u64, u64)>, changes_later: bool) {
        *self.state.lock().expect("a lock") = State {
            requests: 0,
            change,
            changes_later,
        };
    }

    /// Returns the number of requests of the case.
    pub(crate) fn requests(&self) -> u64 {
        self.state.lock().expect("a lock").requests
    }
}

/// Forwards one request on a connection, which is closed after it.
fn serve(client: TcpStream, server: &str, state: &Mutex<State>) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let mut client = BufReader::new(client);
    let request = read_request(&mut client)?;
    let seed = {
        let mut state = state.lock().expect("a lock");
        let number = state.requests;
        state.requests += 1;
        let later = state.changes_later;
        let changed = |first: u64| number == first || (later && number > first);
        let change = state.change.filter(|(first, _)| changed(*first));
        change.map(|(_, seed)| seed.wrapping_add(number))
    };
    let mut upstream = TcpStream::connect(server)?;
    upstream.set_nodelay(true)?;
    upstream.write_all(&request)?;
    let mut response = Vec::new();
    upstream.read_to_end(&mut response)?;
    if let Some(seed) = seed {
        response = changed(&response, &mut Random(seed));
    }
    client.get_mut().write_all(&response)
}

/// A response in parts.
struct Response {
    status: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Response {
    fn parse(bytes: &[u8]) -> Self {
        let end = find(bytes, b"\r\n\r\n").map_or(bytes.len(), |head| head + 4);
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split_once(' '));
        let headers = lines.filter_map(|line| line.split_once(':'));
        Self {
            status: status.map_or("200 OK", |(_, status)| status).to_owned(),
            headers: headers
                .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
                .collect(),
            body: bytes[end..].to_vec(),
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("HTTP/1.1 {}\r\n", self.status).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend(format!("{name}: {value}\r\n").bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(&self.body);
        bytes
    }
}

fn changed(response: &[u8], random: &mut Random) -> Vec<u8> {
    let mut response = Response::parse(response);
    for _ in 0..random.one_of(&[1, 1, 1, 2, 3]) {
        match random.below(10) {
            0..=4 => change_body(&mut response.body, random),
            5..=7 => change_header(&mut response, random),
            8 => response.status = random.one_of(&STATUSES).to_owned(),
            _ => response.body = random.one_of(&DOCUMENTS).as_bytes().to_vec(),
        }
    }
    // Mostly consistent, so that the content is read.
    let is_chunked = response
        .headers
        .iter()
        .any(|(name, _)| name == "transfer-encoding");
    if !is_chunked && random.below(4) > 0 {
        let length = response.body.len().to_string();
        response.set("content-length", &length);
    }
    response.bytes()
}

fn change_header(response: &mut Response, random: &mut Random) {
    let name = random.one_of(&HEADERS);
    match random.below(6) {
        0 => response.headers.retain(|(known, _)| known != name),
        1 => response.set("content-range", random.one_of(&RANGES)),
        2 => {
            let (name, value) = random.one_of(&[
                ("transfer-encoding", "chunked"),
                ("content-encoding", "gzip"),
                ("content-encoding", "zstd"),
                ("location", "http://127.0.0.1:1/"),
                ("location", "/"),
                ("connection", "keep-alive"),
            ]);
            response.set(name, value);
        }
        3 => {
            let value = random.one_of(&VALUES).to_owned();
            response.headers.push((name.to_owned(), value));
        }
        _ => response.set(name, random.one_of(&VALUES)),
    }
}

/// Returns a part of a document: between the closest delimiters around a random position.
fn token(body: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let is_delimiter = |byte: &u8| b"<>{}[],:".contains(byte);
    let position = random.below(body.len() as u64 + 1) as usize;
    let start = body[..position].iter().rposition(is_delimiter);
    let start = start.map_or(0, |before| before + 1);
    let end = body[start..].iter().position(is_delimiter);
    start..end.map_or(body.len(), |length| start + length)
}

fn change_body(body: &mut Vec<u8>, random: &mut Random) {
    let range = token(body, random);
    match random.below(10) {
        0..=3 => {
            let value = random.one_of(&VALUES);
            let is_json = body.first() == Some(&b'{');
            let value = match random.below(2) {
                0 if is_json => format!("\"{value}\""),
                _ => value.to_owned(),
            };
            drop(body.splice(range, value.bytes()));
        }
        4 => {
            let other = token(body, random);
            let copy = body[other].to_vec();
            drop(body.splice(range, copy));
        }
        5 => body.truncate(range.start),
        6 => {
            let position = random.below(body.len() as u64 + 1) as usize;
            if let Some(byte) = body.get_mut(position) {
                *byte ^= 1 << random.below(8);
            }
        }
        7 => {
            let end = (range.start + random.below(200) as usize).min(body.len());
            let copy = body[range.start..end].to_vec();
            let copies = copy.repeat(1 + random.below(20) as usize);
            drop(body.splice(range.start..range.start, copies));
        }
        8 => {
            let nested = random.one_of(&["<a>", "[", "{\"a\":"]);
            let nested = nested.repeat(random.one_of(&[10, 1000, 100_000]));
            drop(body.splice(range.start..range.start, nested.bytes()));
        }
        _ => {
            let end = (range.start + random.below(64) as usize).min(body.len());
            drop(body.drain(range.start..end));
        }
    }
}
