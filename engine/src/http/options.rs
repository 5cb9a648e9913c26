//! The options of a client, and the rules by which it repeats failed requests.

use std::time::Duration;

use super::failure::Failure;
use super::tls::Tls;
use crate::types::random_fraction;

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
    pub(super) fn repeats(
        &self,
        failure: &Failure,
        attempt: u32,
        elapsed: Duration,
        pause: Duration,
    ) -> bool {
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
        let full = first.saturating_mul(1 << (attempt - 1).min(16));
        let full = full.min(self.longest_pause);
        full.mul_f64(0.5 + 0.5 * random_fraction())
    }

    /// No attempt begins after this time.
    fn deadline(&self) -> Duration {
        let attempt = self.connect_timeout.saturating_add(self.request_timeout);
        attempt.saturating_mul(self.retries.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

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
}
