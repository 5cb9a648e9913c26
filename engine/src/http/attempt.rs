//! One attempt of a request: it is sent, and its response received, with the failure that its
//! status means, or its body, which may be compressed.

use std::fmt::Write as _;
use std::io::{BufReader, Cursor, ErrorKind, Read, Write as _};
use std::ops::ControlFlow;
use std::time::Duration;

use super::exchange::{
    BodySink, BodyTarget, BufferSteps, PartsReader, Request, Requirement, Response,
};
use super::failure::{FailedResponse, Failure};
use crate::memory::tuning::COLLECT_STEP_BYTES;

/// The factor of the timeout of slow requests.
const SLOW: u32 = 20;
/// The maximum size in bytes of the body of an error.
const MAX_ERROR_BYTES: u64 = 64 << 10;

/// Sends a request once and reads the response. `timeout`: the maximum time without a byte from or
/// to the server, if the request is not slow. `is_verbose`: whether the headers are written to the
/// standard error stream.
pub(super) fn send_once(
    agent: &ureq::Agent,
    request: &Request<'_>,
    timeout: Duration,
    is_verbose: bool,
    target: &mut BodyTarget<'_>,
) -> Result<Response, Failure> {
    let mut builder = ureq::http::Request::builder()
        .method(request.method)
        .uri(request.url.text());
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let timeout = if request.is_slow {
        timeout.saturating_mul(SLOW)
    } else {
        timeout
    };
    let has_body = matches!(request.method, "PUT" | "POST" | "PATCH") || !request.body.is_empty();
    let built = |error: ureq::http::Error| {
        Failure::new(
            ErrorKind::InvalidInput,
            format!("the request is invalid: {error}"),
        )
    };
    if is_verbose {
        show_request(request);
    }
    let mut parts = PartsReader::new(request.body, request.more);
    let sent = if !request.more.is_empty() {
        builder = builder.header("content-length", parts.len());
        let body = ureq::SendBody::from_reader(&mut parts);
        let built = builder.body(body).map_err(built)?;
        let configured = agent.configure_request(built);
        agent.run(configured.timeout_per_read(Some(timeout)).build())
    } else if has_body {
        let built = builder.body(request.body).map_err(built)?;
        let configured = agent.configure_request(built);
        agent.run(configured.timeout_per_read(Some(timeout)).build())
    } else {
        let built = builder.body(()).map_err(built)?;
        let configured = agent.configure_request(built);
        agent.run(configured.timeout_per_read(Some(timeout)).build())
    };
    let response =
        sent.map_err(|error| failure_of_transport(&error, request.url.host_and_port()))?;
    let (parts, body) = response.into_parts();
    if is_verbose {
        show_response(&parts);
    }
    receive(parts, body, request, target)
}

/// Returns the failure of a request without a response. It contains the host and port but never the
/// URL.
fn failure_of_transport(error: &ureq::Error, host_and_port: &str) -> Failure {
    use ureq::Error as E;
    let (kind, is_transient, reason) = match error {
        E::Timeout(which) => (ErrorKind::TimedOut, true, format!("timeout: {which}")),
        E::HostNotFound => (
            ErrorKind::NotConnected,
            true,
            "the host was not found".to_owned(),
        ),
        E::Io(error) => {
            // Without the error code of the system: the text of the failure follows.
            let text = error.to_string();
            let reason = text.split(" (os error").next().unwrap_or_default();
            (ErrorKind::ConnectionAborted, true, reason.to_owned())
        }
        E::ConnectionFailed | E::Protocol(_) => {
            (ErrorKind::ConnectionAborted, true, error.to_string())
        }
        E::Rustls(error) => (ErrorKind::ConnectionRefused, false, format!("TLS: {error}")),
        E::Tls(error) => (ErrorKind::ConnectionRefused, false, format!("TLS: {error}")),
        E::BadUri(_) | E::Http(_) => {
            let reason = "the address is not a valid URL".to_owned();
            (ErrorKind::InvalidInput, false, reason)
        }
        other => (ErrorKind::Other, false, other.to_string()),
    };
    let is_certificate = reason.contains("certificate") || reason.contains("Certificate");
    Failure {
        is_transient: is_transient && !is_certificate,
        ..Failure::new(
            kind,
            format!("no response from '{host_and_port}': {reason}"),
        )
    }
}

/// Reads the body of a response, or returns the failure that its status means.
fn receive(
    parts: ureq::http::response::Parts,
    body: ureq::Body,
    request: &Request<'_>,
    target: &mut BodyTarget<'_>,
) -> Result<Response, Failure> {
    // Servers differ in whether a body follows. Dropping it closes the connection.
    let body = if request.method == "OPTIONS" {
        ureq::Body::builder().data(Vec::new())
    } else {
        body
    };
    let status = parts.status.as_u16();
    if !(200..300).contains(&status) && status != request.also_succeeds_with {
        return Err(failure_of(&parts, body, request));
    }
    if let Some(required) = request.required.filter(|required| match required {
        Requirement::Header(name) => !parts.headers.contains_key(*name),
        Requirement::Status(required) => status != *required,
    }) {
        let host = request.url.host_and_port();
        let message =
            format!("the response of '{host}' lacks the {required}: it is not from the service");
        return Err(Failure::transient(ErrorKind::InvalidData, message));
    }
    let reader = body.into_with_config().limit(u64::MAX).reader();
    let mut reader = decoded(reader, encoding_of(&parts, request))?;
    let mut collected = Vec::new();
    match target {
        BodyTarget::Collect => {
            collect(&mut *reader, request, &mut collected)?;
            check_document(request, &collected)?;
        }
        BodyTarget::Stream(sink) => stream(&mut *reader, request, &mut **sink)?,
        BodyTarget::Fill(to) => {
            check_range(&parts, request, to.len())?;
            reader
                .read_exact(to)
                .map_err(|error| interrupted(&error, request))?;
            read_end(&mut *reader);
        }
        BodyTarget::Steps(steps) => {
            check_range(&parts, request, steps.len())?;
            fill_steps(&mut *reader, request, &mut **steps)?;
        }
    }
    Ok(Response::new(status, parts.headers, collected))
}

/// Returns the failure that a response without success describes.
fn failure_of(
    parts: &ureq::http::response::Parts,
    body: ureq::Body,
    request: &Request<'_>,
) -> Failure {
    let mut bytes = Vec::new();
    let reader = body.into_with_config().limit(MAX_ERROR_BYTES).reader();
    // A part of the description is better than nothing.
    if let Ok(reader) = decoded(reader, encoding_of(parts, request)) {
        let _ = reader.take(MAX_ERROR_BYTES - 1).read_to_end(&mut bytes);
    }
    let header = |name: &str| parts.headers.get(name)?.to_str().ok();
    let region = header("x-amz-bucket-region").map(str::to_owned);
    let failure = Failure::of_response(parts.status.as_u16(), &bytes, region);
    Failure {
        response: Some(Box::new(FailedResponse {
            body: String::from_utf8_lossy(&bytes).into_owned(),
            location: header("location").map(str::to_owned),
            date: header("date").map(str::to_owned),
        })),
        // Responses to HEAD have no body; Azure adds a header.
        ..failure.with_code(header("x-ms-error-code").unwrap_or_default())
    }
}

/// Returns the encoding of the body of a response, if the request permits one.
fn encoding_of<'p>(
    parts: &'p ureq::http::response::Parts,
    request: &Request<'_>,
) -> Option<&'p str> {
    let encoding = parts.headers.get("content-encoding")?;
    encoding.to_str().ok().filter(|_| request.decodes)
}

/// Reads the end after the last byte, which lets the connection be used again.
fn read_end(reader: &mut dyn Read) {
    let _ = reader.read(&mut [0]);
}

/// Fills buffers until the end of the body, or until no more are needed. Dropping the reader then
/// closes the connection.
fn fill_steps(
    reader: &mut dyn Read,
    request: &Request<'_>,
    steps: &mut dyn BufferSteps,
) -> Result<(), Failure> {
    steps.begin();
    while let Some(step) = steps.next() {
        reader
            .read_exact(step)
            .map_err(|error| interrupted(&error, request))?;
    }
    if steps.is_complete() {
        read_end(reader);
    }
    Ok(())
}

/// Passes a body to a sink until its end, or until the sink needs no more.
fn stream(
    reader: &mut dyn Read,
    request: &Request<'_>,
    sink: &mut dyn BodySink,
) -> Result<(), Failure> {
    sink.begin();
    let mut step = vec![0; COLLECT_STEP_BYTES];
    loop {
        let size = reader
            .read(&mut step)
            .map_err(|error| interrupted(&error, request))?;
        let received = step.get(..size).unwrap_or_default();
        if received.is_empty() {
            return sink.end();
        }
        if sink.push(received)? == ControlFlow::Break(()) {
            return Ok(());
        }
    }
}

/// Reads a body into memory, which grows as bytes arrive: the announced length is not trusted.
fn collect(reader: &mut dyn Read, request: &Request<'_>, to: &mut Vec<u8>) -> Result<(), Failure> {
    loop {
        let before = to.len();
        if to.try_reserve(COLLECT_STEP_BYTES).is_err() {
            let message = format!("no memory for a response of more than {before} bytes");
            return Err(Failure::new(ErrorKind::OutOfMemory, message));
        }
        let mut step = Read::take(&mut *reader, COLLECT_STEP_BYTES as u64);
        step.read_to_end(to)
            .map_err(|error| interrupted(&error, request))?;
        if to.len() as u64 > request.max_response {
            let message = format!(
                "the response is longer than the {} bytes expected",
                request.max_response
            );
            return Err(Failure::new(ErrorKind::InvalidData, message));
        }
        if to.len() - before < COLLECT_STEP_BYTES {
            return Ok(());
        }
    }
}

/// Checks that a body has the format that the request expects.
fn check_document(request: &Request<'_>, body: &[u8]) -> Result<(), Failure> {
    match request.document {
        Some(format) if !format.matches(body) => {
            let host = request.url.host_and_port();
            let message = format!("the response of '{host}' is not {format}");
            Err(Failure::transient(ErrorKind::InvalidData, message))
        }
        _ => Ok(()),
    }
}

/// Checks that a response contains the requested range of `len` bytes.
fn check_range(
    response: &ureq::http::response::Parts,
    request: &Request<'_>,
    len: usize,
) -> Result<(), Failure> {
    let requested = request.headers.iter().find(|(name, _)| name == "range");
    let Some(start) =
        requested.and_then(|(_, range)| range.strip_prefix("bytes=")?.split('-').next())
    else {
        return Ok(());
    };
    if response.status.as_u16() == 200 {
        // Perhaps the page of a proxy instead of the response of the service.
        let message = "the server does not support ranges of bytes";
        return Err(Failure::transient(ErrorKind::Unsupported, message));
    }
    let returned = response
        .headers
        .get("content-range")
        .and_then(|range| range.to_str().ok()?.strip_prefix("bytes "));
    let Some((first, rest)) = returned.and_then(|range| range.split_once('-')) else {
        return Ok(());
    };
    if first != start {
        // Perhaps the response to another request; the next attempt uses another connection.
        let message = "the server returned another range of bytes";
        return Err(Failure::transient(ErrorKind::InvalidData, message));
    }
    let last = rest
        .split('/')
        .next()
        .and_then(|last| last.parse::<u64>().ok());
    let first = first.parse::<u64>().unwrap_or_default();
    if last.is_some_and(|last| last.saturating_sub(first).saturating_add(1) < len as u64) {
        let message = "the object ends before";
        return Err(Failure::new(ErrorKind::UnexpectedEof, message));
    }
    Ok(())
}

/// Returns the failure of a response whose connection ended early.
fn interrupted(error: &std::io::Error, request: &Request<'_>) -> Failure {
    let message = format!(
        "the response of '{}' ended early: {error}",
        request.url.host_and_port()
    );
    Failure::transient(ErrorKind::ConnectionAborted, message)
}

/// The greatest window of a body compressed with Zstandard, as a power of 2: the memory that
/// decompressing it needs. RFC 9659 sets this limit.
const ZSTD_WINDOW: u32 = 23;

/// Returns a reader of a body that decompresses it according to the header `content-encoding`.
///
/// # Errors
///
/// If the client does not know the encoding, or the first bytes cannot be read.
fn decoded<'r>(
    mut reader: impl Read + 'r,
    encoding: Option<&str>,
) -> Result<Box<dyn Read + 'r>, Failure> {
    let encoding = encoding.unwrap_or_default().trim();
    let is = |name: &str| encoding.eq_ignore_ascii_case(name);
    if encoding.is_empty() || is("identity") {
        return Ok(Box::new(reader));
    }
    let mut head = Vec::new();
    let mut first = Read::take(&mut reader, 2);
    first.read_to_end(&mut head).map_err(|error| {
        let message = format!("the response ended early: {error}");
        Failure::transient(ErrorKind::ConnectionAborted, message)
    })?;
    if head.is_empty() {
        return Ok(Box::new(std::io::empty()));
    }
    let has_header = has_zlib_header(&head);
    let reader = Cursor::new(head).chain(reader);
    if is("gzip") || is("x-gzip") {
        // Reads to the end of the body, after which the connection can be used again.
        return Ok(Box::new(flate2::read::MultiGzDecoder::new(reader)));
    }
    if is("deflate") && has_header {
        return Ok(Box::new(flate2::read::ZlibDecoder::new(reader)));
    }
    if is("deflate") {
        // Some servers send it without the header and the checksum of zlib.
        return Ok(Box::new(flate2::read::DeflateDecoder::new(reader)));
    }
    let unknown = || {
        let message = format!("the encoding '{encoding}' of the response is not supported");
        Failure::new(ErrorKind::InvalidData, message)
    };
    if !is("zstd") {
        return Err(unknown());
    }
    let mut decoder =
        zstd::stream::read::Decoder::with_buffer(BufReader::new(reader)).map_err(|_| unknown())?;
    decoder.window_log_max(ZSTD_WINDOW).map_err(|_| unknown())?;
    Ok(Box::new(decoder))
}

/// Returns whether a body begins with the header of zlib: the method 8 in the first byte, and two
/// bytes that are a multiple of 31.
fn has_zlib_header(head: &[u8]) -> bool {
    match *head {
        [first, second] => {
            let number = 256 * u16::from(first) + u16::from(second);
            first & 0x0f == 8 && number.is_multiple_of(31)
        }
        _ => false,
    }
}

/// The headers whose values are secrets.
const SECRET: [&str; 4] = [
    "authorization",
    "cookie",
    "set-cookie",
    "x-tiledb-rest-api-key",
];

/// Writes the first line and the headers of a request.
fn show_request(request: &Request<'_>) {
    let path = request.url.path();
    let query = request.url.encoded_query();
    let mark = if query.is_empty() { "" } else { "?" };
    let first = format!("{} {path}{mark}{query} HTTP/1.1", request.method);
    let host = [("host", request.url.host_and_port())];
    let headers = request
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    show(&headers_text('>', &first, host.into_iter().chain(headers)));
}

/// Writes the status and the headers of a response.
fn show_response(response: &ureq::http::response::Parts) {
    let first = format!("{:?} {}", response.version, response.status);
    let headers = response
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap_or("?")));
    show(&headers_text('<', &first, headers));
}

/// Writes a text to the standard error stream, as libcurl does.
pub(super) fn show(text: &str) {
    // An error of this stream cannot be reported anywhere.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

fn headers_text<'a>(
    mark: char,
    first: &str,
    headers: impl Iterator<Item = (&'a str, &'a str)>,
) -> String {
    let mut text = format!("{mark} {first}\n");
    for (name, value) in headers {
        let is_secret = SECRET
            .iter()
            .any(|secret| name.eq_ignore_ascii_case(secret));
        let value = if is_secret { "[redacted]" } else { value };
        let _ = writeln!(text, "{mark} {name}: {value}");
    }
    let _ = writeln!(text, "{mark}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &[u8], encoding: Option<&str>) -> std::io::Result<Vec<u8>> {
        let mut found = Vec::new();
        let reader = decoded(body, encoding).map_err(|_| ErrorKind::Unsupported)?;
        reader.take(1 << 20).read_to_end(&mut found)?;
        Ok(found)
    }

    fn compressed(content: &[u8], encoding: &str) -> Vec<u8> {
        let level = flate2::Compression::fast();
        let mut body = Vec::new();
        match encoding {
            "gzip" => flate2::read::GzEncoder::new(content, level).read_to_end(&mut body),
            "deflate" => flate2::read::ZlibEncoder::new(content, level).read_to_end(&mut body),
            "raw" => flate2::read::DeflateEncoder::new(content, level).read_to_end(&mut body),
            _ => return zstd::encode_all(content, 3).expect("compresses"),
        }
        .expect("compresses");
        body
    }

    #[test]
    fn bodies_are_decompressed() {
        let content = b"one two one two one two".repeat(1000);
        assert_eq!(read(&content, None).expect("reads"), content);
        assert_eq!(read(&content, Some("identity")).expect("reads"), content);
        for encoding in ["gzip", "deflate", "zstd"] {
            let body = compressed(&content, encoding);
            assert!(body.len() < content.len());
            assert_eq!(read(&body, Some(encoding)).expect("reads"), content);
        }
    }

    #[test]
    fn deflate_is_read_without_the_header_of_zlib() {
        for content in [&b"one two one two"[..], &[0; 100_000], b""] {
            let body = compressed(content, "raw");
            assert_eq!(read(&body, Some("deflate")).expect("reads"), content);
        }
    }

    #[test]
    fn a_body_without_bytes_is_empty_in_every_encoding() {
        for encoding in ["gzip", "deflate", "zstd"] {
            assert_eq!(read(b"", Some(encoding)).expect("reads"), b"");
        }
    }

    #[test]
    fn bodies_that_are_cut_or_not_compressed_are_errors() {
        for encoding in ["gzip", "deflate", "zstd"] {
            let body = compressed(&[7; 5000], encoding);
            for end in 1..body.len() {
                assert!(read(&body[..end], Some(encoding)).is_err(), "{encoding}");
            }
            assert!(read(b"not compressed", Some(encoding)).is_err());
        }
        assert!(read(b"text", Some("br")).is_err());
        assert!(read(b"text", Some("gzip, zstd")).is_err());
    }

    #[test]
    fn a_window_of_more_than_8_mib_is_an_error() {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).expect("an encoder");
        encoder.long_distance_matching(true).expect("a mode");
        encoder.window_log(27).expect("a window");
        std::io::Write::write_all(&mut encoder, &[0; 1 << 16]).expect("writes");
        let body = encoder.finish().expect("ends");
        assert!(read(&body, Some("zstd")).is_err());
    }

    #[test]
    fn secrets_are_not_shown() {
        let headers = [("Authorization", "Basic xyz"), ("x-own", "1")];
        let text = headers_text('>', "GET / HTTP/1.1", headers.into_iter());
        let expected = "> GET / HTTP/1.1\n> Authorization: [redacted]\n> x-own: 1\n>\n";
        assert_eq!(text, expected);
    }
}
