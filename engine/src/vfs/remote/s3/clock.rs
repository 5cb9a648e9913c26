//! The time for signatures, which the service compares with its own.

use std::sync::atomic::{AtomicI64, Ordering};

use super::super::time;
use crate::http::failure::Failure;
use crate::types::{Timestamp, now};

/// A difference of the clocks up to this, in milliseconds, does not explain a refusal: the service
/// accepts 15 minutes.
const TOLERATED: u64 = 300_000;

/// The clock of the service, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct ServiceClock {
    /// The milliseconds by which it is ahead of the clock of this machine.
    ahead: AtomicI64,
}

impl ServiceClock {
    /// Returns the time of the service in milliseconds since 1970.
    pub(super) fn now(&self) -> Timestamp {
        now().saturating_add_signed(self.ahead.load(Ordering::Relaxed))
    }

    /// Takes over the time of the service if it refused a request because the clock of this machine
    /// is wrong. Returns whether it did.
    pub(super) fn follow(&self, failure: &Failure) -> bool {
        // Responses to HEAD have no code.
        let is_refused = failure.code == "RequestTimeTooSkewed"
            || failure.status == 403 && failure.code.is_empty();
        let response = failure.response.as_ref().filter(|_| is_refused);
        let date = response.and_then(|response| time::parse(response.date.as_deref()?));
        let Some(date) = date else {
            return false;
        };
        let here = now();
        let is_wrong = here.abs_diff(date) > TOLERATED;
        if is_wrong {
            let ahead = (date as i64).saturating_sub(here as i64);
            self.ahead.store(ahead, Ordering::Relaxed);
        }
        is_wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::failure::FailedResponse;

    fn refused(code: &str, date: &str) -> Failure {
        Failure {
            code: code.to_owned(),
            response: Some(Box::new(FailedResponse {
                body: String::new(),
                location: None,
                date: Some(date.to_owned()),
            })),
            ..Failure::of_response(403, b"", None)
        }
    }

    #[test]
    fn the_time_of_a_service_that_refuses_that_of_this_machine_is_used() {
        const DATE: &str = "Sun, 30 Aug 2015 12:36:00 GMT";
        let service = time::parse(DATE).expect("a time");
        for code in ["RequestTimeTooSkewed", ""] {
            let clock = ServiceClock::default();
            assert!(clock.follow(&refused(code, DATE)));
            assert!(clock.now().abs_diff(service) < 60_000);
        }
    }

    #[test]
    fn other_refusals_do_not_change_the_time() {
        let clock = ServiceClock::default();
        assert!(!clock.follow(&refused("AccessDenied", "Sun, 30 Aug 2015 12:36:00 GMT")));
        assert!(!clock.follow(&refused("", &time::format(now()))));
        assert!(!clock.follow(&refused("", "no date")));
        assert!(now().abs_diff(clock.now()) < 60_000);
    }
}
