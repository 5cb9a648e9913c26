//! A client: sends requests, and repeats those that failed for a time, within the limits of its
//! options: the number of attempts, their time, and the number of requests in flight.
//!
//! Connections are created by the first request. A forked child starts with its own connections.

use std::collections::HashMap;
use std::fmt;
use std::io::ErrorKind;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::attempt::send_once;
use super::exchange::{BodyTarget, Request, Response};
use super::failure::Failure;
use super::tls::{self, Tls};
use super::transport::{HostResolver, connector, interruptible};
use crate::context::Context;
use crate::platform::lock::PerProcess;
use crate::platform::lock::blocking::{Condvar, StdMutex};
use crate::types::random_fraction;

/// The interval at which a pause checks for a cancellation.
const PAUSE_STEP: Duration = Duration::from_millis(20);

/// The maximum pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// Which failures are repeated, and how pauses grow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum RetryRule {
    /// Failures that may be transient. Pauses double and have a random part, and no attempt begins
    /// after the time that all attempts would take.
    #[default]
    Transient,
    /// Failures that the caller lists. Pauses grow by a factor.
    Listed {
        /// The HTTP statuses.
        statuses: Vec<u16>,
        /// Whether requests without a complete response are repeated.
        without_response: bool,
        /// The growth of a pause, in thousandths.
        growth: u64,
    },
}

/// Options of a client. Clients with equal options share connections.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Options {
    pub(crate) connect_timeout: Duration,
    /// The maximum time without a byte from or to the server.
    pub(crate) request_timeout: Duration,
    /// The number of times that a request is repeated.
    pub(crate) retries: u32,
    /// The pause before the first repetition.
    pub(crate) first_pause: Duration,
    pub(crate) longest_pause: Duration,
    /// Which failures are repeated, and how pauses grow.
    pub(crate) rule: RetryRule,
    /// The maximum number of requests in flight.
    pub(crate) parallel: usize,
    /// The URL of a proxy, perhaps with a password.
    pub(crate) proxy: Option<String>,
    pub(crate) tls: Tls,
    /// The size in bytes of the buffers for received and for sent bytes.
    pub(crate) buffer_size: usize,
    /// Whether the system sends probes on idle connections.
    pub(crate) keepalive: bool,
    /// Whether requests and responses are written to the standard error stream.
    pub(crate) verbose: bool,
}

/// The size in bytes of the buffers of connections by default. The headers of a response must fit.
pub(crate) const BUFFER_BYTES: usize = 64 << 10;

impl Default for Options {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(3),
            retries: 5,
            first_pause: Duration::from_millis(25),
            longest_pause: LONGEST_PAUSE,
            rule: RetryRule::default(),
            parallel: 1,
            proxy: None,
            tls: Tls::default(),
            buffer_size: BUFFER_BYTES,
            keepalive: false,
            verbose: false,
        }
    }
}

/// The first pause after a throttling response.
const THROTTLED_PAUSE: Duration = Duration::from_millis(100);

impl Options {
    /// Returns whether a request is repeated that failed after `attempt` attempts and `elapsed`
    /// time, if the pause before the next attempt is `pause`.
    fn repeats(&self, failure: &Failure, attempt: u32, elapsed: Duration, pause: Duration) -> bool {
        if attempt > self.retries {
            return false;
        }
        match &self.rule {
            RetryRule::Transient => failure.is_transient && elapsed + pause <= self.deadline(),
            RetryRule::Listed {
                statuses,
                without_response,
                ..
            } => match failure.status {
                0 => *without_response && failure.is_transient,
                status => statuses.contains(&status),
            },
        }
    }

    /// Returns the pause after an attempt.
    pub(crate) fn pause(&self, attempt: u32, is_throttled: bool) -> Duration {
        if let RetryRule::Listed { growth, .. } = &self.rule {
            let factor = (*growth as f64 / 1000.0).powi(attempt.saturating_sub(1) as i32);
            let full = self.first_pause.as_secs_f64() * factor;
            return Duration::try_from_secs_f64(full)
                .unwrap_or(self.longest_pause)
                .min(self.longest_pause);
        }
        let first = if is_throttled {
            self.first_pause.max(THROTTLED_PAUSE)
        } else {
            self.first_pause
        };
        let full = first
            .saturating_mul(1 << (attempt - 1).min(16))
            .min(self.longest_pause);
        full.mul_f64(0.5 + 0.5 * random_fraction())
    }

    /// No attempt begins after this time.
    fn deadline(&self) -> Duration {
        let attempt = self.connect_timeout.saturating_add(self.request_timeout);
        attempt.saturating_mul(self.retries.saturating_add(1))
    }
}

/// The connections of a process with the same options.
struct Connections {
    agent: ureq::Agent,
    limiter: Limiter,
}

static CONNECTIONS: PerProcess<StdMutex<HashMap<Options, Arc<Connections>>>> = PerProcess::new();

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
    pub(crate) options: Options,
    /// The context whose cancellation ends requests.
    pub(crate) context: Option<Arc<Context>>,
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
            let attempted = interruptible(Rc::new(self.reporting(cancelled.clone())), || {
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
            wait_until(Instant::now() + pause, &self.reporting(cancelled.clone()))?;
        }
    }

    /// Waits, unless the operation of the calling thread is cancelled.
    pub(crate) fn wait(&self, pause: Duration) -> Result<(), Failure> {
        wait_until(Instant::now() + pause, &self.reporting(self.cancellation()))
    }

    /// Returns whether the operation of the calling thread was cancelled since now.
    fn cancellation(&self) -> impl Fn() -> bool + Clone + use<> {
        let context = self.context.clone().map(|context| {
            let (epoch, by_callback) = (context.cancel_epoch(), context.callback_cancellation());
            (context, epoch, by_callback)
        });
        move || {
            context
                .as_ref()
                .is_some_and(|(context, epoch, by_callback)| {
                    by_callback() || context.check_cancelled(*epoch).is_err()
                })
        }
    }

    /// Returns whether the operation of the calling thread was cancelled, after a call of its
    /// progress callback. The caller must not hold a lock, because the callback may send requests.
    fn reporting<C: Fn() -> bool>(&self, cancelled: C) -> impl Fn() -> bool + use<C> {
        let context = self.context.clone();
        move || {
            let context = context.as_ref();
            cancelled() || context.is_some_and(|context| context.report_progress().is_err())
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
            .acquire(self.options.parallel, cancelled)
            .ok_or_else(Failure::cancelled)?;
        let Options {
            request_timeout,
            verbose,
            ..
        } = self.options;
        let agent = &connections.agent;
        let result = send_once(agent, &signed, request_timeout, verbose, target);
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
    Ok(ureq::Agent::with_parts(
        config,
        connector(options.keepalive),
        HostResolver::default(),
    ))
}

/// The interval at which a waiting thread checks for a cancellation.
const WAIT_STEP: Duration = Duration::from_millis(50);

/// Counts the requests in flight of one process to one service. The limit comes from the
/// configuration. A throttling response halves it; each success raises it again by its reciprocal,
/// like the congestion window of TCP.
#[derive(Default)]
struct Limiter {
    state: StdMutex<InFlight>,
    freed: Condvar,
}

#[derive(Default)]
struct InFlight {
    in_flight: usize,
    /// The limit after throttling; `None` before.
    lowered: Option<f64>,
}

impl InFlight {
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
            state = self.freed.wait_for(state, WAIT_STEP);
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

    fn options(rule: RetryRule) -> Options {
        Options {
            retries: 3,
            first_pause: Duration::from_millis(500),
            rule,
            ..Options::default()
        }
    }

    #[test]
    fn listed_failures_are_repeated_with_growing_pauses() {
        let options = options(RetryRule::Listed {
            statuses: vec![503],
            without_response: false,
            growth: 1250,
        });
        let pauses: Vec<u128> = (1..4).map(|n| options.pause(n, true).as_millis()).collect();
        assert_eq!(pauses, [500, 625, 781]);
        let response = |status| Failure::of_response(status, b"", None);
        let repeats =
            |failure: &Failure| options.repeats(failure, 1, Duration::MAX, Duration::ZERO);
        assert!(repeats(&response(503)));
        assert!(!repeats(&response(502)));
        assert!(!repeats(&Failure::transient(ErrorKind::TimedOut, "late")));
        assert!(!options.repeats(&response(503), 4, Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn transient_failures_are_repeated_until_the_deadline() {
        let options = options(RetryRule::Transient);
        let failure = Failure::of_response(502, b"", None);
        let repeats = |elapsed| options.repeats(&failure, 1, elapsed, Duration::ZERO);
        assert!(repeats(Duration::ZERO));
        assert!(!repeats(options.deadline() + Duration::from_millis(1)));
        let permanent = Failure::of_response(400, b"", None);
        assert!(!options.repeats(&permanent, 1, Duration::ZERO, Duration::ZERO));
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
