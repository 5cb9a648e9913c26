//! Credentials that expire, and the order in which their sources are tried.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::store::StoreResult;
use crate::http::failure::Failure;
use crate::platform::lock::Mutex;
use crate::types::{Timestamp, now};

/// Credentials are renewed this long before they expire, in milliseconds.
const RENEWED_BEFORE: Timestamp = 300_000;
/// The minimum time between two renewals while credentials are valid.
const BETWEEN_RENEWALS: Duration = Duration::from_secs(10);
/// The time after a failure during which the sources are not tried again.
const FAILED_FOR: Duration = Duration::from_secs(10);

/// Credentials with a time of expiry.
pub(super) trait Expiry {
    /// Returns the time of expiry in milliseconds since 1970; `None` if they do not expire.
    fn expires(&self) -> Option<Timestamp>;
}

/// Credentials that are loaded when they are first needed, and again before they expire. The times
/// of attempts are independent of the clock, which may be set back.
pub(super) struct RenewableToken<T> {
    /// The credentials, and when they were loaded.
    current: Mutex<Option<(Instant, Arc<T>)>>,
    /// Whether any were loaded.
    was_loaded: AtomicBool,
    /// The last failure, and when it happened.
    failed: Mutex<Option<(Instant, Failure)>>,
}

impl<T> Default for RenewableToken<T> {
    fn default() -> Self {
        Self {
            current: Mutex::default(),
            was_loaded: AtomicBool::new(false),
            failed: Mutex::default(),
        }
    }
}

/// Returns whether credentials last longer than a time in milliseconds from now.
fn last_longer(credentials: &impl Expiry, time: Timestamp) -> bool {
    let needed_until = now().saturating_add(time);
    credentials
        .expires()
        .is_none_or(|expires| expires > needed_until)
}

impl<T: Expiry> RenewableToken<T> {
    /// Returns credentials that have not expired; `load` loads new ones. Several threads may load
    /// them at the same time.
    ///
    /// # Errors
    ///
    /// If `load` fails, or has failed within the last 10 seconds, and all known credentials have
    /// expired.
    pub(super) fn get(&self, load: impl FnOnce() -> StoreResult<T>) -> StoreResult<Arc<T>> {
        let known = self.current.lock().clone();
        if let Some((loaded, known)) = &known {
            let is_new = loaded.elapsed() < BETWEEN_RENEWALS;
            if last_longer(&**known, RENEWED_BEFORE) || (is_new && last_longer(&**known, 0)) {
                return Ok(known.clone());
            }
        }
        let renewed = match self.recent_failure() {
            Some(failure) => Err(failure),
            None => self.renew(load),
        };
        renewed.or_else(|failure| {
            // Credentials that still last are used until the sources work again.
            let known = known.map(|(_, known)| known);
            known
                .filter(|known| last_longer(&**known, 0))
                .ok_or(failure)
        })
    }

    /// Returns the last failure if the sources are not tried again yet.
    fn recent_failure(&self) -> Option<Failure> {
        let (time, failure) = self.failed.lock().clone()?;
        (time.elapsed() < FAILED_FOR).then_some(failure)
    }

    /// Loads credentials, and keeps them or the failure.
    fn renew(&self, load: impl FnOnce() -> StoreResult<T>) -> StoreResult<Arc<T>> {
        match load() {
            Ok(loaded) => {
                let loaded = Arc::new(loaded);
                *self.current.lock() = Some((Instant::now(), loaded.clone()));
                self.was_loaded.store(true, Ordering::Relaxed);
                Ok(loaded)
            }
            Err(failure) => {
                if !failure.is_cancelled {
                    *self.failed.lock() = Some((Instant::now(), failure.clone()));
                }
                Err(failure)
            }
        }
    }

    /// Drops credentials that a service rejected as expired. Returns whether any were loaded: new
    /// ones will be, also if a concurrent request has dropped them already. Credentials without a
    /// known end may have one, such as those that another program writes to a file.
    pub(super) fn discard(&self) -> bool {
        *self.current.lock() = None;
        self.was_loaded.load(Ordering::Relaxed)
    }
}

/// A source of credentials: its name in errors, and a function that returns `None` if the source is
/// not configured.
pub(super) type CredentialSource<'a, T> = (&'a str, &'a dyn Fn() -> StoreResult<Option<T>>);

/// Returns the credentials of the first source that has some.
///
/// # Errors
///
/// If no source has any, the error lists the sources and why each failed.
pub(super) fn first_of<T>(sources: &[CredentialSource<'_, T>]) -> StoreResult<T> {
    let mut tried = vec!["the parameters: none".to_owned()];
    for (name, source) in sources {
        match source() {
            Ok(Some(found)) => return Ok(found),
            Ok(None) => tried.push(format!("{name}: none")),
            Err(failure) if failure.is_cancelled => return Err(failure),
            Err(failure) => tried.push(format!("{name}: {failure}")),
        }
    }
    let message = format!("no credentials were found; tried {}", tried.join("; "));
    Err(Failure::new(ErrorKind::PermissionDenied, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct TestCredentials(Option<Timestamp>);

    impl Expiry for TestCredentials {
        fn expires(&self) -> Option<Timestamp> {
            self.0
        }
    }

    fn lasting(milliseconds: u64) -> StoreResult<TestCredentials> {
        Ok(TestCredentials(Some(now() + milliseconds)))
    }

    fn failing() -> StoreResult<TestCredentials> {
        Err(Failure::new(ErrorKind::Other, "out of order"))
    }

    #[test]
    fn credentials_are_loaded_once_until_they_expire() {
        let renewed = RenewableToken::default();
        let first = renewed.get(|| lasting(3_600_000)).expect("loads");
        let second = renewed.get(failing).expect("is kept");
        assert!(Arc::ptr_eq(&first, &second));
        assert!(renewed.discard());
        assert!(renewed.get(failing).is_err());
        assert!(
            renewed.get(|| lasting(3_600_000)).is_err(),
            "failed recently"
        );
    }

    #[test]
    fn sources_are_tried_again_some_time_after_a_failure() {
        let renewed = RenewableToken::default();
        assert!(renewed.get(failing).is_err());
        let failed_since = Instant::now().checked_sub(FAILED_FOR).expect("a time");
        if let Some((time, _)) = renewed.failed.lock().as_mut() {
            *time = failed_since;
        }
        assert!(renewed.get(|| lasting(3_600_000)).is_ok());
    }

    #[test]
    fn short_credentials_are_used_while_they_last() {
        let renewed = RenewableToken::default();
        let first = renewed.get(|| lasting(60_000)).expect("loads");
        let second = renewed.get(failing).expect("was loaded recently");
        assert!(Arc::ptr_eq(&first, &second));
        let expired = RenewableToken::default();
        expired.get(|| lasting(0)).expect("loads");
        let new = expired.get(|| lasting(3_600_000)).expect("loads again");
        assert!(new.expires() > Some(now()));
        assert!(expired.get(failing).is_ok());
    }

    #[test]
    fn credentials_without_an_end_are_loaded_again_after_they_were_rejected() {
        let renewed = RenewableToken::default();
        assert!(!renewed.discard());
        let first = renewed.get(|| Ok(TestCredentials(None))).expect("loads");
        assert!(renewed.discard());
        let second = renewed
            .get(|| Ok(TestCredentials(None)))
            .expect("loads again");
        assert!(!Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn concurrent_requests_with_rejected_credentials_are_all_repeated() {
        let renewed = RenewableToken::default();
        renewed.get(|| lasting(3_600_000)).expect("loads");
        assert!(renewed.discard());
        assert!(renewed.discard(), "the second request was rejected as well");
        assert!(renewed.get(|| lasting(3_600_000)).is_ok());
    }

    #[test]
    fn an_error_lists_all_sources() {
        let sources: [CredentialSource<'_, ()>; 2] = [
            ("one", &|| Ok(None)),
            ("two", &|| {
                Err(Failure::new(ErrorKind::NotFound, "no answer"))
            }),
        ];
        let failure = first_of(&sources).expect_err("none");
        assert_eq!(
            failure.message,
            "no credentials were found; tried the parameters: none; one: none; two: no answer"
        );
    }
}
