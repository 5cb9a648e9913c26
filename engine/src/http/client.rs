//! Sends requests: connections of this process, retries, time limits, cancellation.
//!
//! Connections are created by the first request. A forked child starts with its own connections.

use std::collections::HashMap;
use std::fmt;
use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::decode::decoded;
use super::exchange::{BodySink, BodyTarget, Flow, PartsReader, Request, Response};
use super::failure::{FailedResponse, Failure};
use super::interrupt;
use super::limiter::Limiter;
use super::options::Options;
use super::{tls, verbose};
use crate::context::Context;
use crate::memory::tuning::COLLECT_STEP_BYTES;
use crate::platform::lock::PerProcess;
use crate::platform::lock::blocking::StdMutex;

/// The maximum size in bytes of the body of an error.
const MAX_ERROR_BYTES: u64 = 64 << 10;
/// The factor of the timeout of slow requests.
const SLOW: u32 = 20;
/// The interval at which a pause checks for a cancellation.
const PAUSE_STEP: Duration = Duration::from_millis(20);

/// The connections of a process with the same options.
struct Connections {
    agent: ureq::Agent,
    limiter: Limiter,
}

type Registry = StdMutex<HashMap<Options, Arc<Connections>>>;

static CONNECTIONS: PerProcess<Registry> = PerProcess::new();

/// Authorizes requests.
pub(crate) trait Authorizer: Sync {
    /// Adds the date and a signature or token to a request. Called before each attempt. If it
    /// fails, so does the request, without the status of the failure: see
    /// [`Failure::into_unauthorized`].
    fn authorize(&self, request: &mut Request<'_>) -> Result<(), Failure>;

    /// Called after the service rejected the credentials as expired. Returns whether another
    /// attempt will use other credentials.
    fn renew(&self) -> bool {
        false
    }
}

impl<F: Fn(&mut Request<'_>) -> Result<(), Failure> + Sync> Authorizer for F {
    fn authorize(&self, request: &mut Request<'_>) -> Result<(), Failure> {
        self(request)
    }
}

/// The authorizer of requests without credentials.
pub(crate) fn unsigned(_: &mut Request<'_>) -> Result<(), Failure> {
    Ok(())
}

/// Sends requests with some options.
#[derive(Clone)]
pub(crate) struct Client {
    options: Options,
    /// The context whose cancellation ends requests.
    context: Option<Arc<Context>>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Client {
    pub(crate) fn new(options: Options, context: Option<Arc<Context>>) -> Self {
        Self { options, context }
    }

    pub(crate) fn context(&self) -> Option<&Arc<Context>> {
        self.context.as_ref()
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Sends a request until it succeeds, fails with a permanent error, or reaches the limit of
    /// attempts or time.
    pub(crate) fn send(
        &self,
        request: &Request<'_>,
        authorizer: &dyn Authorizer,
        mut target: BodyTarget<'_>,
    ) -> Result<Response, Failure> {
        let connections = self.connections()?;
        let cancelled = self.cancellation();
        let start = Instant::now();
        let mut attempt = 0;
        let mut is_renewed = false;
        loop {
            attempt += 1;
            if cancelled() {
                return Err(Failure::cancelled());
            }
            let attempted = interrupt::interruptible(Box::new(cancelled.clone()), || {
                self.attempt(&connections, request, authorizer, &mut target)
            });
            let failure = match attempted {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            if cancelled() {
                return Err(Failure::cancelled());
            }
            if failure.is_expired() && !is_renewed {
                is_renewed = true;
                if authorizer.renew() {
                    continue;
                }
            }
            let pause = self.options.pause(attempt, failure.is_throttling());
            let elapsed = start.elapsed();
            if !self.options.repeats(&failure, attempt, elapsed, pause) {
                let attempts = attempt;
                return Err(Failure {
                    attempts,
                    ..failure
                });
            }
            wait_until(Instant::now() + pause, &cancelled)?;
        }
    }

    /// Waits, unless the operation of the calling thread is cancelled.
    pub(crate) fn wait(&self, pause: Duration) -> Result<(), Failure> {
        wait_until(Instant::now() + pause, &self.cancellation())
    }

    /// Returns whether the operation of the calling thread was cancelled since now.
    fn cancellation(&self) -> impl Fn() -> bool + Clone + use<> {
        let context = self.context.clone();
        let epoch = context.as_ref().map(|context| context.cancel_epoch());
        move || match (&context, epoch) {
            (Some(context), Some(epoch)) => context.check_cancelled(epoch).is_err(),
            _ => false,
        }
    }

    fn connections(&self) -> Result<Arc<Connections>, Failure> {
        let registry = CONNECTIONS.get();
        if let Some(known) = registry.lock().get(&self.options) {
            return Ok(known.clone());
        }
        let new = Arc::new(Connections {
            agent: agent(&self.options)?,
            limiter: Limiter::default(),
        });
        let mut registry = registry.lock();
        Ok(registry.entry(self.options.clone()).or_insert(new).clone())
    }

    fn attempt(
        &self,
        connections: &Connections,
        request: &Request<'_>,
        authorizer: &dyn Authorizer,
        target: &mut BodyTarget<'_>,
    ) -> Result<Response, Failure> {
        let mut signed = request.clone();
        authorizer
            .authorize(&mut signed)
            .map_err(Failure::into_unauthorized)?;
        let cancelled = self.cancellation();
        let permit = connections
            .limiter
            .acquire(self.options.parallel, &cancelled);
        let permit = permit.ok_or_else(Failure::cancelled)?;
        let result = exchange(&connections.agent, &signed, &self.options, target);
        match &result {
            Ok(_) => permit.succeeded(),
            Err(failure) if failure.is_throttling() => permit.throttled(),
            Err(_) => {}
        }
        result
    }
}

/// Waits until a time. Returns a failure once `cancelled` returns true.
fn wait_until(until: Instant, cancelled: &dyn Fn() -> bool) -> Result<(), Failure> {
    loop {
        let rest = until.saturating_duration_since(Instant::now());
        if cancelled() {
            return Err(Failure::cancelled());
        }
        if rest.is_zero() {
            return Ok(());
        }
        std::thread::sleep(PAUSE_STEP.min(rest));
    }
}

fn agent(options: &Options) -> Result<ureq::Agent, Failure> {
    let proxy = match &options.proxy {
        None => None,
        Some(url) => Some(ureq::Proxy::new(url).map_err(|_| {
            let message = "the parameters of the proxy do not form a URL";
            Failure::new(ErrorKind::InvalidInput, message)
        })?),
    };
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("tiledb-rs/", env!("CARGO_PKG_VERSION")))
        .proxy(proxy)
        .tls_config(tls::config(&options.tls)?)
        .timeout_connect(Some(options.connect_timeout))
        .timeout_resolve(Some(options.connect_timeout))
        .timeout_per_read(Some(options.request_timeout))
        .timeout_per_write(Some(options.request_timeout))
        .max_idle_connections(options.parallel.max(1) * 2)
        .max_idle_connections_per_host(options.parallel.max(1))
        .max_response_header_size(64 << 10)
        .input_buffer_size(options.buffer_size)
        .output_buffer_size(options.buffer_size)
        .build();
    let resolver = ureq::unversioned::resolver::DefaultResolver::default();
    Ok(ureq::Agent::with_parts(
        config,
        interrupt::connector(options.keepalive),
        resolver,
    ))
}

/// Sends a request once and reads the response.
fn exchange(
    agent: &ureq::Agent,
    request: &Request<'_>,
    options: &Options,
    target: &mut BodyTarget<'_>,
) -> Result<Response, Failure> {
    let mut builder = ureq::http::Request::builder()
        .method(request.method)
        .uri(request.url.text());
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let timeout = if request.is_slow {
        options.request_timeout.saturating_mul(SLOW)
    } else {
        options.request_timeout
    };
    let has_body = matches!(request.method, "PUT" | "POST" | "PATCH") || !request.body.is_empty();
    let built = |error: ureq::http::Error| {
        Failure::new(
            ErrorKind::InvalidInput,
            format!("the request is invalid: {error}"),
        )
    };
    if options.verbose {
        verbose::show_request(request);
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
    let response = sent.map_err(|error| of_transport(&error, request.url.host_and_port()))?;
    let (parts, body) = response.into_parts();
    if options.verbose {
        verbose::show_response(&parts);
    }
    receive(parts, body, request, target)
}

fn receive(
    parts: ureq::http::response::Parts,
    body: ureq::Body,
    request: &Request<'_>,
    target: &mut BodyTarget<'_>,
) -> Result<Response, Failure> {
    let status = parts.status.as_u16();
    // Servers differ in whether a body follows. Dropping it closes the connection.
    let body = if request.method == "OPTIONS" {
        ureq::Body::builder().data(Vec::new())
    } else {
        body
    };
    if !(200..300).contains(&status) && status != request.also_succeeds_with {
        let mut bytes = Vec::new();
        let reader = body.into_with_config().limit(MAX_ERROR_BYTES).reader();
        // A part of the description is better than nothing.
        if let Ok(reader) = decoded(reader, encoding_of(&parts, request)) {
            let _ = reader.take(MAX_ERROR_BYTES - 1).read_to_end(&mut bytes);
        }
        let region = parts.headers.get("x-amz-bucket-region");
        let region = region
            .and_then(|region| region.to_str().ok())
            .map(str::to_owned);
        let failure = Failure::of_response(status, &bytes, region);
        // Responses to HEAD have no body; Azure adds a header.
        let code = parts.headers.get("x-ms-error-code");
        let code = code.and_then(|code| code.to_str().ok());
        let location = parts.headers.get("location");
        let location = location.and_then(|location| location.to_str().ok());
        return Err(Failure {
            response: Some(Box::new(FailedResponse {
                body: String::from_utf8_lossy(&bytes).into_owned(),
                location: location.map(str::to_owned),
            })),
            ..failure.with_code(code.unwrap_or_default())
        });
    }
    let reader = body.into_with_config().limit(u64::MAX).reader();
    let mut reader = decoded(reader, encoding_of(&parts, request))?;
    let mut collected = Vec::new();
    match target {
        BodyTarget::Collect => collect(&mut *reader, request, &mut collected)?,
        BodyTarget::Stream(sink) => stream(&mut *reader, request, &mut **sink)?,
        BodyTarget::Fill(to) => {
            check_range(&parts, request, to.len())?;
            reader
                .read_exact(to)
                .map_err(|error| interrupted(&error, request))?;
            // Reading to the end lets the connection be used again.
            let _ = reader.read(&mut [0]);
        }
    }
    Ok(Response::new(status, parts.headers, collected))
}

/// Returns the encoding of the body of a response, if the request permits one.
fn encoding_of<'p>(
    parts: &'p ureq::http::response::Parts,
    request: &Request<'_>,
) -> Option<&'p str> {
    let encoding = parts.headers.get("content-encoding")?;
    encoding.to_str().ok().filter(|_| request.decodes)
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
        let message = "the server does not support ranges of bytes";
        return Err(Failure::new(ErrorKind::Unsupported, message));
    }
    let returned = response.headers.get("content-range");
    let returned = returned.and_then(|range| range.to_str().ok()?.strip_prefix("bytes "));
    let Some((first, rest)) = returned.and_then(|range| range.split_once('-')) else {
        return Ok(());
    };
    if first != start {
        let message = "the server returned another range of bytes";
        return Err(Failure::new(ErrorKind::InvalidData, message));
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

/// Returns the failure of a request without a response. It contains the host and port but never the
/// URL.
fn of_transport(error: &ureq::Error, host_and_port: &str) -> Failure {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::exchange::Url;

    #[test]
    fn the_failure_of_a_request_does_not_contain_the_login_of_its_url() {
        let options = Options {
            retries: 0,
            ..Options::default()
        };
        // Nothing listens at this port.
        let url = Url::parse("http://user:a-secret@127.0.0.1:1/path", "http");
        let request = Request::new("GET", url);
        let sent = Client::new(options, None).send(&request, &unsigned, BodyTarget::Collect);
        let text = sent.err().expect("no response").to_string();
        assert!(text.contains("'127.0.0.1:1'"), "{text}");
        assert!(!text.contains("a-secret"), "{text}");
    }
}
