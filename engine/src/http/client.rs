//! Sends requests: connections of this process, retries, time limits, cancellation, and the number
//! of requests in flight.
//!
//! Connections are created by the first request. A forked child starts with its own connections.
//! The number of requests in flight is limited by the configuration. A throttling response halves
//! the limit; each success raises it again by its reciprocal, like the congestion window of TCP.

use std::collections::HashMap;
use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::exchange::{BodyTarget, PartsReader, Request, Response};
use super::failure::Failure;
use super::interrupt;
use super::options::Options;
use super::receive::receive;
use super::resolve::HostResolver;
use super::{tls, verbose};
use crate::context::Context;
use crate::platform::lock::PerProcess;
use crate::platform::lock::blocking::{Condvar, StdMutex};

/// The factor of the timeout of slow requests.
const SLOW: u32 = 20;
/// The interval at which a pause checks for a cancellation.
const PAUSE_STEP: Duration = Duration::from_millis(20);
/// The interval at which a thread that waits for a permit checks for a cancellation.
const PERMIT_STEP: Duration = Duration::from_millis(50);

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

    /// Called after failures of a request until it returns `true`. Returns whether the next attempt
    /// will be authorized differently, by new credentials for example; then it follows immediately.
    fn renew(&self, _failure: &Failure) -> bool {
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

    /// Returns the number of requests that can begin now.
    pub(crate) fn spare(&self) -> usize {
        let connections = self.connections();
        connections.map_or(0, |connections| {
            connections.limiter.spare(self.options.parallel)
        })
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
                self.attempt(&connections, request, authorizer, &mut target, &cancelled)
            });
            let failure = match attempted {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            if cancelled() {
                return Err(Failure::cancelled());
            }
            if !is_renewed && authorizer.renew(&failure) {
                is_renewed = true;
                continue;
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
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Response, Failure> {
        let mut signed = request.clone();
        authorizer
            .authorize(&mut signed)
            .map_err(Failure::into_unauthorized)?;
        let permit = connections
            .limiter
            .acquire(self.options.parallel, cancelled);
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

/// Counts the requests in flight of one process to one service.
#[derive(Default)]
struct Limiter {
    state: StdMutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    in_flight: usize,
    /// The limit after throttling; `None` before.
    lowered: Option<f64>,
}

impl State {
    /// The number of requests in flight if the configuration permits `most`.
    fn limit(&self, most: usize) -> usize {
        let lowered = self.lowered.map_or(most, |lowered| lowered as usize);
        most.min(lowered).max(1)
    }
}

impl Limiter {
    /// Returns the number of requests that can begin now, if at most `most` are in flight.
    fn spare(&self, most: usize) -> usize {
        let state = self.state.lock();
        state.limit(most).saturating_sub(state.in_flight)
    }

    /// Waits until fewer than `most` requests are in flight and counts one more until the permit is
    /// dropped. Returns `None` once `cancelled` returns true.
    fn acquire(&self, most: usize, cancelled: &dyn Fn() -> bool) -> Option<Permit<'_>> {
        let mut state = self.state.lock();
        loop {
            if state.in_flight < state.limit(most) {
                state.in_flight += 1;
                return Some(Permit {
                    limiter: self,
                    most,
                });
            }
            if cancelled() {
                return None;
            }
            state = self.freed.wait_for(state, PERMIT_STEP);
        }
    }
}

/// A request in flight.
struct Permit<'a> {
    limiter: &'a Limiter,
    most: usize,
}

impl Permit<'_> {
    /// Lowers the limit: the service asks for fewer requests.
    fn throttled(&self) {
        let mut state = self.limiter.state.lock();
        let limit = state.lowered.unwrap_or(self.most as f64);
        state.lowered = Some((limit.min(state.in_flight as f64) / 2.0).max(1.0));
    }

    /// Raises a limit that was lowered.
    fn succeeded(&self) {
        let mut state = self.limiter.state.lock();
        if let Some(limit) = state.lowered {
            let raised = limit + 1.0 / limit;
            state.lowered = (raised < self.most as f64).then_some(raised);
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.limiter.state.lock().in_flight -= 1;
        self.limiter.freed.notify_one();
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
    Ok(ureq::Agent::with_parts(
        config,
        interrupt::connector(options.keepalive),
        HostResolver::default(),
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

    #[test]
    fn throttling_halves_the_limit_and_successes_raise_it() {
        let limiter = Limiter::default();
        let permits: Vec<_> = (0..8)
            .filter_map(|_| limiter.acquire(8, &|| false))
            .collect();
        assert_eq!((limiter.spare(8), limiter.spare(11)), (0, 3));
        permits[0].throttled();
        assert_eq!(limiter.state.lock().lowered, Some(4.0));
        assert_eq!(limiter.spare(11), 0, "the limit is lowered");
        for _ in 0..100 {
            permits[0].succeeded();
        }
        assert_eq!(limiter.state.lock().lowered, None);
        drop(permits);
        assert_eq!(limiter.state.lock().in_flight, 0);
    }

    #[test]
    fn a_request_waits_for_another_to_end() {
        let limiter = Limiter::default();
        let first = limiter.acquire(1, &|| false);
        std::thread::scope(|scope| {
            let second = scope.spawn(|| drop(limiter.acquire(1, &|| false)));
            std::thread::sleep(std::time::Duration::from_millis(5));
            assert!(!second.is_finished());
            drop(first);
            second.join().expect("thread");
        });
    }

    #[test]
    fn a_cancelled_thread_gets_no_permit() {
        let limiter = Limiter::default();
        let first = limiter.acquire(1, &|| true);
        assert!(first.is_some());
        assert!(limiter.acquire(1, &|| true).is_none());
        drop(first);
        assert_eq!(limiter.state.lock().in_flight, 0);
    }
}
