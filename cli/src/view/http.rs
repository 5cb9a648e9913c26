//! HTTP/1.1 with one request for each connection. Heads and bodies have a bounded size and time;
//! chunked bodies are refused.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// The most bytes of the request line and the headers.
const MAX_HEAD: usize = 16 << 10;
/// The most headers.
const MAX_HEADERS: usize = 64;
/// The most bytes of a body.
const MAX_BODY: usize = 64 << 10;
/// The time within which a request must have arrived.
const ARRIVAL: Duration = Duration::from_secs(10);
/// The most bytes and the time for what a client sends after a refusal. A connection that is closed
/// with unread bytes is reset, and the client may lose the response.
const DRAINED: (usize, Duration) = (256 << 10, Duration::from_millis(300));

/// The headers of all responses. Nothing is loaded from elsewhere, framed or sent elsewhere.
const HEADERS: &str = "Connection: close\r\n\
    Cache-Control: no-store\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Referrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\n\
    X-Frame-Options: DENY\r\n";

/// A request.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path, without the query.
    pub(super) path: String,
    parameters: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// Returns the value of a header with a name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(other, _)| other == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// Returns the first parameter with a name; `None` if it is missing or empty.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        let named = self.parameters.iter().filter(|(other, _)| other == name);
        named
            .map(|(_, value)| value.as_str())
            .find(|value| !value.is_empty())
    }

    /// Returns all parameters with a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self
            .parameters
            .iter()
            .filter(move |(other, _)| other == name);
        named.map(|(_, value)| value.as_str())
    }

    /// Returns a parameter that is a number within bounds.
    pub(super) fn number(&self, name: &str, bounds: (usize, usize), default: usize) -> usize {
        let number = self.parameter(name).and_then(|text| text.parse().ok());
        number.unwrap_or(default).clamp(bounds.0, bounds.1)
    }

    /// Reads a request; returns the response to one that is not accepted. `None` if the client
    /// closed the connection.
    pub(super) fn read(stream: &mut TcpStream) -> Option<Result<Self, Response>> {
        let end = Instant::now() + ARRIVAL;
        let mut bytes = Vec::new();
        loop {
            match parse_head(&bytes) {
                Ok(Some((mut request, head))) => {
                    request.body = bytes.split_off(head);
                    return Some(request.with_body(stream, end));
                }
                Ok(None) => {}
                Err(response) => return Some(Err(response)),
            }
            if bytes.len() >= MAX_HEAD {
                return Some(Err(Response::refusal(431, "the request is too large")));
            }
            match receive(stream, &mut bytes, MAX_HEAD, end) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(response) => return Some(Err(response)),
            }
        }
    }

    /// Reads the rest of the body.
    fn with_body(mut self, stream: &mut TcpStream, end: Instant) -> Result<Self, Response> {
        let bad = |text| Response::refusal(400, text);
        if self.header("transfer-encoding").is_some() {
            return Err(Response::refusal(501, "the body must have a length"));
        }
        let single = [
            "host",
            "content-length",
            "origin",
            "authorization",
            "sec-fetch-site",
            "sec-fetch-mode",
        ];
        for name in single {
            let repeated = self.headers.iter().filter(|(other, _)| other == name);
            if repeated.count() > 1 {
                return Err(bad("a header is repeated"));
            }
        }
        let len = self.header("content-length").unwrap_or("0");
        let digits = !len.is_empty() && len.bytes().all(|byte| byte.is_ascii_digit());
        let len = Some(len).filter(|_| digits);
        let len = len.ok_or_else(|| bad("the length of the body is not a number"))?;
        let len: usize = len.parse().unwrap_or(usize::MAX);
        if len > MAX_BODY {
            return Err(Response::refusal(413, "the body is too large"));
        }
        while self.body.len() < len {
            if receive(stream, &mut self.body, MAX_BODY, end)? == 0 {
                return Err(bad("the body is incomplete"));
            }
        }
        self.body.truncate(len);
        Ok(self)
    }
}

/// Appends the next bytes to `bytes`, up to `max`; returns their number.
fn receive(
    stream: &mut TcpStream,
    bytes: &mut Vec<u8>,
    max: usize,
    end: Instant,
) -> Result<usize, Response> {
    let mut part = [0; 4096];
    let late = || Response::refusal(408, "the request did not arrive in time");
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return Err(late());
        }
        let room = part.len().min(max.saturating_sub(bytes.len()));
        match stream.read(&mut part[..room]) {
            Ok(read) => {
                bytes.extend_from_slice(&part[..read]);
                return Ok(read);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if is_timeout(&error) => return Err(late()),
            // The client has gone.
            Err(_) => return Ok(0),
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

/// Parses the request line and the headers; returns the length of the head, or `None` if it is
/// incomplete.
fn parse_head(bytes: &[u8]) -> Result<Option<(Request, usize)>, Response> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let head = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(head)) => head,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(Response::refusal(431, "the request has too many headers"));
        }
        Err(_) => return Err(Response::refusal(400, "the request is not HTTP/1.1")),
    };
    let bad = |text| Response::refusal(400, text);
    let target = parsed.path.unwrap_or_default();
    if !target.starts_with('/') {
        return Err(bad("the target is not a path"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let parameters = query.split('&').filter(|part| !part.is_empty());
    let parameters = parameters.map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        Some((decoded(name)?, decoded(value)?))
    });
    let parameters: Option<Vec<_>> = parameters.collect();
    let headers = parsed.headers.iter().map(|header| {
        let value = str::from_utf8(header.value).ok()?;
        Some((header.name.to_ascii_lowercase(), value.trim().to_owned()))
    });
    let headers: Option<Vec<_>> = headers.collect();
    let request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        parameters: parameters.ok_or_else(|| bad("a parameter is not UTF-8"))?,
        headers: headers.ok_or_else(|| bad("a header is not UTF-8"))?,
        body: Vec::new(),
    };
    Ok(Some((request, head)))
}

/// Decodes the escapes of a parameter; `None` if the result is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [*rest.next()?, *rest.next()?];
                let digits = digits.map(|digit| char::from(digit).to_digit(16));
                u8::try_from(digits[0]? * 16 + digits[1]?).ok()?
            }
            b'+' => b' ',
            byte => *byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// A response.
#[derive(Debug)]
pub(super) struct Response {
    status: u16,
    media_type: &'static str,
    body: Vec<u8>,
}

impl Response {
    /// Creates a response with a body.
    pub(super) fn new(media_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            media_type,
            body: body.into(),
        }
    }

    /// Creates a response with JSON.
    pub(super) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self {
            status,
            ..Self::new("application/json", value.to_string())
        }
    }

    /// Creates the response to a request that is not accepted.
    pub(super) fn refusal(status: u16, sentence: &str) -> Self {
        Self::json(status, &serde_json::json!({ "error": sentence }))
    }

    /// Returns the length of the body.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// Returns the status line and the headers.
    fn head(&self) -> String {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            413 => "Content Too Large",
            431 => "Request Header Fields Too Large",
            501 => "Not Implemented",
            503 => "Service Unavailable",
            _ => "Internal Server Error",
        };
        format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{HEADERS}\r\n",
            self.status,
            self.media_type,
            self.body.len()
        )
    }

    /// Writes the response and closes the connection.
    pub(super) fn send(&self, stream: &mut TcpStream) {
        let sent = stream.write_all(self.head().as_bytes());
        // The client may have gone.
        let sent = sent.and_then(|()| stream.write_all(&self.body));
        if sent.is_ok() && stream.shutdown(Shutdown::Write).is_ok() {
            let (end, mut left) = (Instant::now() + DRAINED.1, DRAINED.0);
            let mut bytes = [0; 4096];
            let _ = stream.set_read_timeout(Some(DRAINED.1));
            while let Ok(read @ 1..) = stream.read(&mut bytes) {
                left = left.saturating_sub(read);
                if left == 0 || Instant::now() > end {
                    break;
                }
            }
        }
    }
}

/// Starts a response without an end, of which a byte is sent now and then.
pub(super) fn send_stream_head(stream: &mut TcpStream) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{HEADERS}\r\n");
    stream.write_all(head.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Option<(Request, usize)>, Response> {
        parse_head(text.as_bytes())
    }

    #[test]
    fn parameters_and_headers_are_decoded() {
        let text =
            "GET /api/cells?uri=a%2Fb+c&field=x&field=%C3%A4&empty= HTTP/1.1\r\nHost: h\r\n\r\n";
        let (request, head) = parsed(text).expect("valid").expect("complete");
        assert_eq!((request.path.as_str(), head), ("/api/cells", text.len()));
        assert_eq!(request.parameter("uri"), Some("a/b c"));
        assert_eq!(request.all("field").collect::<Vec<_>>(), ["x", "ä"]);
        assert_eq!(request.parameter("empty"), None);
        assert_eq!(request.header("host"), Some("h"));
        assert!(parsed(&text[..text.len() - 2]).expect("valid").is_none());
    }

    #[test]
    fn malformed_heads_are_refused() {
        let status = |text: &str| parsed(text).expect_err("refused").status;
        assert_eq!(status("GET http://x/ HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(status("GET /?a=%zz HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(status("GET /?a=%ff HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nbad header\r\n\r\n"), 400);
        let many = "a: b\r\n".repeat(MAX_HEADERS + 1);
        assert_eq!(status(&format!("GET / HTTP/1.1\r\n{many}\r\n")), 431);
    }
}
