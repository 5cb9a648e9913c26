//! Parameters that the services have in common, and environment variables, which tests replace per
//! thread.

use std::time::Duration;

use crate::config::Config;
use crate::error::Result;
use crate::http::exchange::encode;
use crate::http::tls::Tls;
use crate::memory::tuning::{DEFAULT_REQUESTS, MAX_REQUESTS};

/// The time that a parameter gives in milliseconds; 0 is a second.
pub(super) fn milliseconds(config: &Config, parameter: &str) -> Result<Duration> {
    let value = config.u64(parameter)?;
    Ok(Duration::from_millis(if value == 0 { 1000 } else { value }))
}

/// The maximum number of requests in flight.
pub(super) fn parallel(config: &Config, parameter: &'static str) -> Result<usize> {
    if !config.is_set(parameter) {
        return Ok(DEFAULT_REQUESTS);
    }
    Ok(config.u64(parameter)?.clamp(1, MAX_REQUESTS) as usize)
}

/// The size of the parts of uploads, at least `least`; `None` if the flag of uploads in parts is
/// not set.
pub(super) fn part_size(
    config: &Config,
    [flag, size]: [&str; 2],
    least: u64,
) -> Result<Option<u64>> {
    let size = config.u64(size)?.max(least);
    Ok(config.flag(flag)?.then_some(size))
}

/// The URL of the proxy that the parameters for its scheme, host, port, user and password describe.
pub(super) fn proxy(config: &Config, names: [&str; 5]) -> Result<Option<String>> {
    let [scheme, host, port, user, password] =
        names.map(|name| config.get(name).unwrap_or_default());
    if host.is_empty() {
        return Ok(None);
    }
    let login = if user.is_empty() {
        String::new()
    } else {
        format!("{}:{}@", encode(&user), encode(&password))
    };
    let port = match port.as_str() {
        "" | "0" => String::new(),
        port => format!(":{port}"),
    };
    Ok(Some(format!("{scheme}://{login}{host}{port}")))
}

/// The parameters of certificates of a service: whether to verify, a file and a folder. Those of
/// all services count if the service has none.
pub(super) fn tls(config: &Config, names: [&str; 3]) -> Result<Tls> {
    let common = Tls::of(config)?;
    let [verify, file, path] = names;
    let non_empty = |name: &str| config.get(name).filter(|value| !value.is_empty());
    let (file, path) = (non_empty(file), non_empty(path));
    Ok(Tls {
        verifies: common.verifies && config.flag(verify)?,
        ca_file: file.unwrap_or(common.ca_file),
        ca_path: path.unwrap_or(common.ca_path),
    })
}

/// Returns the value of an environment variable that is set and not empty.
pub(super) fn variable(name: &str) -> Option<String> {
    #[cfg(test)]
    if let Some(value) = tests::replaced(name) {
        return value;
    }
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::RefCell;
    use std::collections::HashMap;

    use super::*;

    thread_local! {
        static VARIABLES: RefCell<Option<HashMap<String, String>>> = const { RefCell::new(None) };
    }

    /// Returns the value in the replaced environment of this thread; `None` if it is not replaced.
    pub(super) fn replaced(name: &str) -> Option<Option<String>> {
        VARIABLES.with_borrow(|variables| Some(variables.as_ref()?.get(name).cloned()))
    }

    /// Runs `body` with these environment variables on this thread, and no others.
    pub(in super::super) fn with_variables<R>(
        variables: &[(&str, &str)],
        body: impl FnOnce() -> R,
    ) -> R {
        VARIABLES.set(Some(
            variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        ));
        let result = body();
        VARIABLES.set(None);
        result
    }

    #[test]
    fn requests_in_flight_are_32_unless_the_parameter_is_set() {
        let name = "vfs.s3.max_parallel_ops";
        let mut config = Config::new();
        assert_eq!(parallel(&config, name).expect("a number"), 32);
        config.set(name, "3").expect("a value");
        assert_eq!(parallel(&config, name).expect("a number"), 3);
    }
}
