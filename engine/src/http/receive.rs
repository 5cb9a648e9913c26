//! Receives responses: the failures that their statuses mean, and their bodies.

use std::io::{ErrorKind, Read};

use super::decode::decoded;
use super::document::Required;
use super::exchange::{BodySink, BodyTarget, BufferSteps, Flow, Request, Response};
use super::failure::{FailedResponse, Failure};
use crate::memory::tuning::COLLECT_STEP_BYTES;

/// The maximum size in bytes of the body of an error.
const MAX_ERROR_BYTES: u64 = 64 << 10;

/// Reads the body of a response, or returns the failure that its status means.
pub(super) fn receive(
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
    let is_missing = |required: &Required| match required {
        Required::Header(name) => !parts.headers.contains_key(*name),
        Required::Status(required) => status != *required,
    };
    if let Some(required) = request.required.filter(is_missing) {
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
        if sink.push(received)? == Flow::Stop {
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
    let returned = response.headers.get("content-range");
    let returned = returned.and_then(|range| range.to_str().ok()?.strip_prefix("bytes "));
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
