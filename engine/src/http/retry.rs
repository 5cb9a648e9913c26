//! The rules by which failed requests are repeated.

use std::time::Duration;

use super::failure::Failure;
use super::options::{Options, RetryRule};
use crate::types::random_fraction;

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
