//! HTTP requests and responses as their users build and read them.

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;
use std::io::Read;
use std::ops::{ControlFlow, Range};

use super::failure::Failure;

/// A request before it is signed. It has no `Debug`: headers and queries carry secrets.
#[derive(Clone)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'static str,
    pub(crate) url: Url,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: &'a [u8],
    /// The parts of the body after `body`.
    pub(crate) more: &'a [Cow<'a, [u8]>],
    /// Whether the service may need much longer than usual before it responds, as for a bulk
    /// delete.
    pub(crate) is_slow: bool,
    /// The maximum size in bytes of a response that is collected. A longer one is an error.
    pub(crate) max_response: u64,
    /// A status besides 200 to 299 with which the request succeeds; 0 for none.
    pub(crate) also_succeeds_with: u16,
    /// Whether a compressed body of the response is decompressed.
    pub(crate) decodes: bool,
    /// A property of all successful responses of the service. A response without it is from a proxy
    /// between the client and the service, which the request may not have reached.
    pub(crate) required: Option<Requirement>,
    /// The format of the body of successful responses; `None` for any bytes.
    pub(crate) document: Option<Document>,
}

/// The default of [`Request::max_response`], for documents such as a page of a listing.
const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

impl<'a> Request<'a> {
    pub(crate) fn new(method: &'static str, url: Url) -> Self {
        Self {
            method,
            url,
            headers: Vec::new(),
            body: &[],
            more: &[],
            is_slow: false,
            max_response: MAX_DOCUMENT_BYTES,
            also_succeeds_with: 0,
            decodes: false,
            required: None,
            document: None,
        }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.set_header(name, value);
        self
    }

    pub(crate) fn set_header(&mut self, name: &str, value: impl Into<String>) {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.into()));
    }

    pub(crate) fn body(mut self, body: &'a [u8]) -> Self {
        self.body = body;
        self
    }

    /// Requests a range of bytes, which must not be empty.
    pub(crate) fn range(self, range: Range<u64>) -> Self {
        let last = range.end.saturating_sub(1).max(range.start);
        self.header("range", format!("bytes={}-{last}", range.start))
    }

    /// Requests the last bytes of an object, `most` if it is large enough.
    pub(crate) fn tail(self, most: u64) -> Self {
        self.header("range", format!("bytes=-{most}"))
            .max_response(most)
    }

    pub(crate) fn max_response(mut self, bytes: u64) -> Self {
        self.max_response = bytes;
        self
    }

    pub(crate) fn slow(mut self) -> Self {
        self.is_slow = true;
        self
    }

    pub(crate) fn requiring(mut self, required: Requirement) -> Self {
        self.required = Some(required);
        self
    }

    pub(crate) fn document(mut self, format: Document) -> Self {
        self.document = Some(format);
        self
    }
}

/// The parts of a URL. The path is percent-encoded, names and values of the query are not.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    /// Host and, unless it is the default of the scheme, port; perhaps after a login.
    pub(crate) authority: String,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
}

impl Url {
    /// Splits an endpoint into its parts. One without a scheme gets `scheme`.
    pub(crate) fn parse(endpoint: &str, scheme: &str) -> Self {
        let (scheme, rest) = endpoint.split_once("://").unwrap_or((scheme, endpoint));
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = match rest.find('/') {
            Some(end) => rest.split_at(end),
            None => (rest, ""),
        };
        let query = query
            .split('&')
            .filter(|item| !item.is_empty())
            .map(|item| {
                let (name, value) = item.split_once('=').unwrap_or((item, ""));
                (decode(name), decode(value))
            });
        Self {
            scheme: scheme.to_owned(),
            authority: authority.to_owned(),
            path: path.trim_end_matches('/').to_owned(),
            query: query.collect(),
        }
    }

    /// Adds a segment, or several separated by slashes, to the path.
    pub(crate) fn join(mut self, path: &str) -> Self {
        self.path.push('/');
        encode_into(&mut self.path, path, true);
        self
    }

    pub(crate) fn query(mut self, name: &str, value: impl Into<String>) -> Self {
        self.query.push((name.to_owned(), value.into()));
        self
    }

    /// Returns the host and the port, without a login, which is a secret.
    pub(crate) fn host_and_port(&self) -> &str {
        let authority = self.authority.as_str();
        authority
            .rsplit_once('@')
            .map_or(authority, |(_, rest)| rest)
    }

    /// Returns the host without the port, an IPv6 address without its brackets.
    pub(crate) fn host(&self) -> &str {
        let rest = self.host_and_port();
        let (rest, end) = match rest.strip_prefix('[') {
            Some(rest) => (rest, ']'),
            None => (rest, ':'),
        };
        rest.split_once(end).map_or(rest, |(host, _)| host)
    }

    /// Returns whether the host is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host();
        let address = host.parse::<std::net::IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// The encoded query, sorted by name as signatures require.
    pub(crate) fn encoded_query(&self) -> String {
        let mut pairs: Vec<(String, String)> = self
            .query
            .iter()
            .map(|(name, value)| (encode(name), encode(value)))
            .collect();
        pairs.sort();
        let mut text = String::new();
        for (name, value) in pairs {
            if !text.is_empty() {
                text.push('&');
            }
            text.push_str(&name);
            text.push('=');
            text.push_str(&value);
        }
        text
    }

    /// The path, "/" at least.
    pub(crate) fn path(&self) -> &str {
        if self.path.is_empty() {
            "/"
        } else {
            &self.path
        }
    }

    /// The whole URL. It may contain secrets, such as the token of a shared access signature.
    pub(crate) fn text(&self) -> String {
        let query = self.encoded_query();
        let mark = if query.is_empty() { "" } else { "?" };
        format!(
            "{}://{}{}{mark}{query}",
            self.scheme,
            self.authority,
            self.path()
        )
    }
}

/// Percent-encodes a text, slashes included.
pub(crate) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    encode_into(&mut encoded, text, false);
    encoded
}

/// Percent-encodes a text except its slashes.
pub(crate) fn encode_path(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    encode_into(&mut encoded, text, true);
    encoded
}

fn encode_into(to: &mut String, text: &str, keeps_slashes: bool) {
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
        if is_plain || (keeps_slashes && byte == b'/') {
            to.push(char::from(byte));
        } else {
            let _ = write!(to, "%{byte:02X}");
        }
    }
}

/// Decodes percent-encoding and plus signs for blanks. Invalid sequences are kept.
pub(crate) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while let Some(byte) = bytes.get(index) {
        let value = match bytes.get(index..index + 3) {
            Some([b'%', high, low]) => hex_digit(*high).zip(hex_digit(*low)),
            _ => None,
        };
        match value {
            Some((high, low)) => {
                decoded.push(high << 4 | low);
                index += 3;
            }
            None => {
                decoded.push(if *byte == b'+' { b' ' } else { *byte });
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn hex_digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// A successful response, with its body unless that was written to the caller's buffer.
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: ureq::http::HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn new(status: u16, headers: ureq::http::HeaderMap, body: Vec<u8>) -> Self {
        Self {
            status,
            headers,
            body,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The size of the whole object: from the range of a partial response, else the length of the
    /// content. `None` if the response does not contain it.
    pub(crate) fn object_size(&self) -> Option<u64> {
        match self.header("content-range") {
            Some(range) => range.rsplit_once('/')?.1.parse().ok(),
            // The content is a part of the object.
            None if self.status == 206 => None,
            None => self.header("content-length")?.parse().ok(),
        }
    }
}

/// A property of all successful responses to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    Header(&'static str),
    Status(u16),
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(f, "header '{name}'"),
            Self::Status(status) => write!(f, "status {status}"),
        }
    }
}

/// The format of a document in the body of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    Json,
    Xml,
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "JSON",
            Self::Xml => "XML",
        })
    }
}

impl Document {
    /// Returns whether a body begins and ends like a document, which pages that proxies send
    /// instead, and damaged or incomplete bodies, do not.
    pub(crate) fn matches(self, body: &[u8]) -> bool {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let body = body.trim_ascii();
        let begins_with = |start: &[u8]| {
            let found = body.get(..start.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(start))
        };
        match self {
            Self::Json => begins_with(b"{") && body.ends_with(b"}"),
            Self::Xml => {
                let is_page = begins_with(b"<!doctype") || begins_with(b"<html");
                begins_with(b"<") && !is_page && body.ends_with(b">")
            }
        }
    }
}

/// The destination of the body of a successful response.
pub(crate) enum BodyTarget<'b> {
    /// The body is returned.
    Collect,
    /// The body fills this buffer exactly.
    Fill(&'b mut [u8]),
    /// The body fills these buffers exactly, one after another.
    Steps(&'b mut dyn BufferSteps),
    /// The body is passed to a sink as it arrives.
    Stream(&'b mut dyn BodySink),
}

impl BodyTarget<'_> {
    /// Returns the target for one attempt.
    pub(crate) fn reborrow(&mut self) -> BodyTarget<'_> {
        match self {
            Self::Collect => BodyTarget::Collect,
            Self::Fill(to) => BodyTarget::Fill(to),
            Self::Steps(steps) => BodyTarget::Steps(&mut **steps),
            Self::Stream(sink) => BodyTarget::Stream(&mut **sink),
        }
    }
}

/// The buffers for a body of known length.
pub(crate) trait BufferSteps {
    /// Called before the first byte of each attempt; discards what earlier attempts received.
    fn begin(&mut self);

    /// Returns the next buffer. All earlier ones are filled. `None` ends the body, whose other
    /// bytes are not received.
    fn next(&mut self) -> Option<&mut [u8]>;

    /// The length of the body.
    fn len(&self) -> usize;

    /// Returns whether the buffers returned since `begin` are as long as the body.
    fn is_complete(&self) -> bool;
}

/// The receiver of a body.
pub(crate) trait BodySink {
    /// Called before the first byte of each attempt; discards what earlier attempts received.
    fn begin(&mut self);

    /// Takes the next bytes.
    fn push(&mut self, bytes: &[u8]) -> Result<ControlFlow<()>, Failure>;

    /// Called after the last byte. A failure that is transient repeats the request.
    fn end(&mut self) -> Result<(), Failure>;
}

/// Reads the parts of a body one after another.
pub(crate) struct PartsReader<'a> {
    first: &'a [u8],
    more: std::slice::Iter<'a, Cow<'a, [u8]>>,
}

impl<'a> PartsReader<'a> {
    pub(crate) fn new(first: &'a [u8], more: &'a [Cow<'a, [u8]>]) -> Self {
        let more = more.iter();
        Self { first, more }
    }

    /// Returns the number of bytes that are not read yet.
    pub(crate) fn len(&self) -> u64 {
        let more = self.more.clone().map(|part| part.len() as u64);
        self.first.len() as u64 + more.sum::<u64>()
    }
}

impl Read for PartsReader<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        while self.first.is_empty() {
            match self.more.next() {
                Some(part) => self.first = part,
                None => return Ok(0),
            }
        }
        self.first.read(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_sorted_and_encoded() {
        let url = Url::parse("host:80", "http")
            .join("a b/c+ü")
            .query("prefix", "x/ y")
            .query("list-type", "2");
        assert_eq!(
            url.text(),
            "http://host:80/a%20b/c%2B%C3%BC?list-type=2&prefix=x%2F%20y"
        );
    }

    #[test]
    fn invalid_sequences_of_percent_encoding_are_kept() {
        for (text, expected) in [
            ("%2F%c3%Bc+", "/ü "),
            ("%+1%-1%1", "% 1%-1%1"),
            ("%%41%4g%", "%A%4g%"),
        ] {
            assert_eq!(decode(text), expected);
        }
    }

    #[test]
    fn endpoints_keep_their_scheme_path_and_query() {
        let url = Url::parse("https://host/base/?sig=a%2Bb", "http");
        assert_eq!(url.text(), "https://host/base?sig=a%2Bb");
        assert_eq!(Url::parse("host", "http").text(), "http://host/");
    }

    #[test]
    fn hosts_are_found_between_logins_and_ports() {
        for (endpoint, host) in [
            ("http://host:80/path", "host"),
            ("https://host", "host"),
            ("http://[fd00:ec2::23]:80/path", "fd00:ec2::23"),
            ("http://[::1]", "::1"),
            ("http://user:pass@host:80", "host"),
        ] {
            assert_eq!(Url::parse(endpoint, "http").host(), host);
        }
    }

    #[test]
    fn hosts_of_this_machine_are_recognized() {
        for (endpoint, expected) in [
            ("http://127.0.0.1:10000/account", true),
            ("localhost", true),
            ("http://[::1]:80", true),
            ("http://[::1]", true),
            ("http://user:password@127.0.0.1:80", true),
            ("http://127.0.0.1:80@example.com", false),
            ("http://[fd00:ec2::23]/", false),
            ("http://127.0.0.1.example.com", false),
            ("https://account.blob.core.windows.net", false),
        ] {
            let url = Url::parse(endpoint, "http");
            assert_eq!(url.is_loopback(), expected, "{endpoint}");
        }
    }

    #[test]
    fn the_length_of_a_part_is_not_the_size_of_an_object() {
        for (status, range, size) in [
            (200, None, Some(10)),
            (206, Some("bytes 5-14/99"), Some(99)),
            (206, Some("bytes 5-14/*"), None),
            (206, None, None),
        ] {
            let mut headers = ureq::http::HeaderMap::new();
            let value = ureq::http::HeaderValue::from_static;
            headers.insert("content-length", value("10"));
            if let Some(range) = range {
                headers.insert("content-range", value(range));
            }
            let response = Response::new(status, headers, Vec::new());
            assert_eq!(response.object_size(), size, "{range:?}");
        }
    }

    #[test]
    fn decoding_undoes_encoding() {
        for text in ["", "a/b c", "%", "ü+&=", "100%"] {
            assert_eq!(decode(&encode(text)), text);
        }
        assert_eq!(decode("a+b%2"), "a b%2");
    }

    #[test]
    fn pages_of_proxies_and_parts_of_documents_do_not_match() {
        let xml = ["<?xml version='1.0'?><Error/>", "\u{feff}<R/>", "\n <R>"];
        let others = [
            "",
            "<R>a</",
            "{\"a\":1",
            "x<R/>",
            "<!DOCTYPE html><html>",
            " <HTML>",
            "[]",
            "\0",
        ];
        assert!(
            xml.iter()
                .all(|body| Document::Xml.matches(body.as_bytes()))
        );
        assert!(Document::Json.matches(b" {\"a\":1}\n"));
        for body in others {
            assert!(!Document::Xml.matches(body.as_bytes()), "{body}");
            assert!(!Document::Json.matches(body.as_bytes()), "{body}");
        }
    }
}
