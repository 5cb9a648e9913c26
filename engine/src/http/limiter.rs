//! The number of requests in flight.
//!
//! The limit comes from the configuration. A throttling response halves it; each success raises it
//! again by its reciprocal, like the congestion window of TCP.

use std::time::Duration;

use crate::platform::lock::blocking::{Condvar, StdMutex};

/// The interval at which a waiting thread checks for a cancellation.
const STEP: Duration = Duration::from_millis(50);

/// Counts the requests in flight of one process to one service.
#[derive(Default)]
pub(crate) struct Limiter {
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
    pub(crate) fn spare(&self, most: usize) -> usize {
        let state = self.state.lock();
        state.limit(most).saturating_sub(state.in_flight)
    }

    /// Waits until fewer than `most` requests are in flight and counts one more until the permit is
    /// dropped. Returns `None` once `cancelled` returns true.
    pub(crate) fn acquire(&self, most: usize, cancelled: &dyn Fn() -> bool) -> Option<Permit<'_>> {
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
            state = self.freed.wait_for(state, STEP);
        }
    }
}

/// A request in flight.
pub(crate) struct Permit<'a> {
    limiter: &'a Limiter,
    most: usize,
}

impl Permit<'_> {
    /// Lowers the limit: the service asks for fewer requests.
    pub(crate) fn throttled(&self) {
        let mut state = self.limiter.state.lock();
        let limit = state.lowered.unwrap_or(self.most as f64);
        state.lowered = Some((limit.min(state.in_flight as f64) / 2.0).max(1.0));
    }

    /// Raises a limit that was lowered.
    pub(crate) fn succeeded(&self) {
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
