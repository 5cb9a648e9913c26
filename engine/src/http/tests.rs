//! Exchanges with servers that send given bytes.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::client::{Client, Options, unsigned};
use super::exchange::{BodyTarget, Request, Response, Url};
use super::failure::Failure;

use crate::config::Config;
use crate::context::Context;

/// A server on a thread of its own.
struct Server {
    address: String,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Starts a server that passes each connection to `serve`.
    fn start(serve: impl Fn(TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let connections = Arc::new(AtomicUsize::new(0));
        let number = connections.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                number.fetch_add(1, Ordering::SeqCst);
                serve(stream.expect("a connection"));
            }
        });
        Self {
            address,
            connections,
        }
    }

    /// Starts a server that sends `response` to each request and keeps connections open.
    fn responding(response: Vec<u8>) -> Self {
        Self::start(move |mut stream| {
            while read_request(&mut stream) {
                stream.write_all(&response).expect("sends");
            }
        })
    }

    fn send(&self, context: Option<Arc<Context>>) -> Result<Response, Failure> {
        send(&self.address, None, context)
    }
}

/// Sends a request once.
fn send(
    address: &str,
    proxy: Option<String>,
    context: Option<Arc<Context>>,
) -> Result<Response, Failure> {
    let options = Options {
        retries: 0,
        proxy,
        ..Options::default()
    };
    let mut request = Request::new("GET", Url::parse(address, "http"));
    request.decodes = true;
    Client::new(options, context).send(&request, &unsigned, BodyTarget::Collect)
}

/// Reads the headers of a request. Returns whether there was one.
fn read_request(stream: &mut TcpStream) -> bool {
    request_of(stream).is_some()
}

/// Returns the first line and the headers of a request.
fn request_of(stream: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while !bytes.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => bytes.push(byte[0]),
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns a response with a compressed body, in chunks or with its length.
fn compressed(encoding: &str, body: &[u8], is_chunked: bool) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: {encoding}\r\n");
    let parts = if is_chunked {
        let middle = body.len() / 2;
        let mut parts = b"transfer-encoding: chunked\r\n\r\n".to_vec();
        for part in [&body[..middle], &body[middle..]] {
            parts.extend(format!("{:x}\r\n", part.len()).into_bytes());
            parts.extend(part);
            parts.extend(b"\r\n");
        }
        parts.extend(b"0\r\n\r\n");
        parts
    } else {
        let length = format!("content-length: {}\r\n\r\n", body.len());
        [length.as_bytes(), body].concat()
    };
    [head.as_bytes(), &parts].concat()
}

#[test]
fn connections_are_used_again_after_compressed_responses() {
    let content = b"one two three ".repeat(500);
    let level = flate2::Compression::fast();
    let (mut gzip, mut deflate) = (Vec::new(), Vec::new());
    flate2::read::GzEncoder::new(&content[..], level)
        .read_to_end(&mut gzip)
        .expect("compresses");
    flate2::read::ZlibEncoder::new(&content[..], level)
        .read_to_end(&mut deflate)
        .expect("compresses");
    let zstd = zstd::encode_all(&content[..], 3).expect("compresses");
    for (encoding, body) in [("gzip", gzip), ("deflate", deflate), ("zstd", zstd)] {
        for is_chunked in [false, true] {
            let server = Server::responding(compressed(encoding, &body, is_chunked));
            for _ in 0..3 {
                let response = server.send(None).expect("a response");
                assert!(response.body == content);
            }
            let number = server.connections.load(Ordering::SeqCst);
            assert_eq!(number, 1, "{encoding}, chunked: {is_chunked}");
        }
    }
}

#[test]
fn responses_of_other_forms_are_read() {
    for (response, expected) in [
        ("HTTP/1.0 200 OK\r\n\r\nbody", Some("body")),
        (
            "HTTP/1.1 200\r\ncontent-length: 4\r\n\r\nbody",
            Some("body"),
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody",
            Some("body"),
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4;x=y\r\nbody\r\n0\r\nx: y\r\n\r\n",
            Some("body"),
        ),
        ("HTTP/1.1 204 No Content\r\n\r\n", Some("")),
        ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nbody", None),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbody\r\n",
            None,
        ),
        ("HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\nbody", None),
        ("SSH-2.0-server\r\n\r\n", None),
        ("", None),
    ] {
        let server = Server::start(move |mut stream| {
            if read_request(&mut stream) {
                stream.write_all(response.as_bytes()).expect("sends");
            }
        });
        let found = server.send(None).ok().map(|response| response.body);
        assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{response}");
    }
}

#[test]
fn headers_that_are_too_long_are_an_error() {
    let header = format!("x: {}\r\n", "y".repeat(100_000));
    let response = format!("HTTP/1.1 200 OK\r\n{header}content-length: 0\r\n\r\n");
    let server = Server::responding(response.into_bytes());
    assert!(server.send(None).is_err());
}

#[test]
fn a_reset_is_not_the_end_of_a_body_without_a_length() {
    let server = Server::start(|mut stream| {
        stream
            .write_all(b"HTTP/1.1 200 OK\r\n\r\na part")
            .expect("sends");
        std::thread::sleep(Duration::from_millis(100));
        // Closing a connection with bytes that were not read resets it.
    });
    let failure = server.send(None).err().expect("a failure");
    assert!(failure.is_transient, "{failure}");
}

#[test]
fn a_cancellation_is_not_the_end_of_a_body_without_a_length() {
    let context = Context::new(Config::new()).expect("a context");
    let other = context.clone();
    let server = Server::start(move |mut stream| {
        read_request(&mut stream);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\n\r\na part")
            .expect("sends");
        std::thread::sleep(Duration::from_millis(200));
        // The request has begun, however slow the machine is.
        other.cancel();
        std::thread::sleep(Duration::from_secs(2));
    });
    let failure = server.send(Some(context)).err().expect("a failure");
    assert!(failure.is_cancelled, "{failure}");
}

#[test]
fn a_connection_that_the_server_closed_meanwhile_is_replaced() {
    let server = Server::start(|mut stream| {
        if read_request(&mut stream) {
            let response = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody";
            stream.write_all(response).expect("sends");
        }
    });
    for _ in 0..3 {
        assert_eq!(server.send(None).expect("a response").body, b"body");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.connections.load(Ordering::SeqCst), 3);
}

#[test]
fn requests_to_a_proxy_ask_for_a_tunnel() {
    let proxy = Server::start(|mut stream| {
        let tunnel = request_of(&mut stream).expect("a request");
        assert!(
            tunnel.starts_with("CONNECT server.invalid:8080 "),
            "{tunnel}"
        );
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").expect("sends");
        let request = request_of(&mut stream).expect("a request");
        assert!(request.starts_with("GET /path "), "{request}");
        let response = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody";
        stream.write_all(response).expect("sends");
    });
    let response = send(
        "http://server.invalid:8080/path",
        Some(proxy.address.clone()),
        None,
    );
    assert_eq!(response.expect("a response").body, b"body");
}
