//! Parameters that the services have in common.

use std::time::Duration;

use crate::config::Config;
use crate::error::Result;
use crate::http::exchange::encode;
use crate::http::tls::Tls;
use crate::memory::tuning::{DEFAULT_REQUESTS, MAX_REQUESTS};

/// Checks the values of the parameters whose values are not checked when they are set. libtiledb
/// checks them for a context, whether or not it accesses object stores.
pub(in crate::vfs) fn check(config: &Config) -> Result<()> {
    for name in [
        "vfs.azure.block_list_block_size",
        "vfs.azure.max_parallel_ops",
        "vfs.azure.max_retries",
        "vfs.azure.max_retry_delay_ms",
        "vfs.azure.retry_delay_ms",
        "vfs.gcs.max_direct_upload_size",
        "vfs.gcs.max_parallel_ops",
        "vfs.gcs.multi_part_size",
        "vfs.gcs.request_timeout_ms",
    ] {
        config.u64(name)?;
    }
    for name in [
        "vfs.azure.use_block_list_upload",
        "vfs.gcs.use_multi_part_upload",
        "vfs.s3.install_sigpipe_handler",
        "vfs.s3.skip_init",
    ] {
        config.flag(name)?;
    }
    config.u32("vfs.s3.proxy_port")?;
    #[cfg(feature = "s3")]
    super::s3::check(config)?;
    Ok(())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_parameters_are_checked_for_a_context() {
        check(&Config::new()).expect("the defaults");
        for (name, value, reason) in [
            ("vfs.azure.max_retries", "-1", "is not a number"),
            ("vfs.gcs.multi_part_size", "", "is not a number"),
            ("vfs.gcs.use_multi_part_upload", "1", "is neither"),
            ("vfs.s3.skip_init", "", "is neither"),
            ("vfs.s3.proxy_port", "4294967296", "is out of the range"),
            ("vfs.s3.sse", "AES256", "vfs.s3.sse"),
            ("vfs.s3.sse", "kms", "vfs.s3.sse_kms_key_id"),
        ] {
            let mut config = Config::new();
            config.set(name, value).expect("any value can be set");
            let error = check(&config).expect_err("an invalid value").to_string();
            assert!(error.contains(reason), "{name}: {error}");
        }
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
