//! The server of a context, by its configuration.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::login;
use crate::config::Config;
use crate::context::Context;
use crate::error::{ConfigError, Error, RestError, Result};
use crate::http::client::{BUFFER_BYTES, Client, Options, RetryRule};
use crate::http::exchange::Url;
use crate::http::proxy;
use crate::http::tls::Tls;
use crate::serialization::MessageEncoding;

/// The time within which a connection must be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest time without a byte from or to the server, unless [`TIMEOUT_PARAMETER`] is set.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// The parameter of the longest time without a byte, in milliseconds.
const TIMEOUT_PARAMETER: &str = "rest.request_timeout_ms";
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// The greatest size in bytes of the buffers of a connection, which is that of libcurl.
const MAX_BUFFER_BYTES: usize = 10 << 20;
/// The maximum number of requests that a process sends to a server at a time.
const MAX_REQUESTS: usize = 64;
/// The scheme of addresses without one.
pub(super) const DEFAULT_SCHEME: &str = "https";

/// The server of a context.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) context: Arc<Context>,
    pub(super) client: Client,
    /// The address, without a slash at its end.
    pub(super) address: String,
    pub(super) headers: Vec<(String, String)>,
    /// The encoding of all messages but queries.
    pub(super) encoding: MessageEncoding,
    /// The encodings of responses that the client can decode.
    pub(super) compression: Option<String>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

impl Server {
    /// Returns the server that the configuration of a context names.
    pub(super) fn new(context: &Arc<Context>) -> Result<Arc<Self>> {
        let config = &context.config;
        let address = config.get("rest.server_address").unwrap_or_default();
        let address = address.trim_end_matches('/');
        if address.is_empty() {
            return Err(RestError::NoServer.into());
        }
        let is_json = config.text("rest.server_serialization_format").as_deref() == Some("JSON");
        Ok(Arc::new(Self {
            client: Client::new(options(config, address)?, Some(context.clone())),
            address: address.to_owned(),
            headers: login::headers(context)?,
            encoding: if is_json {
                MessageEncoding::Json
            } else {
                MessageEncoding::Capnp
            },
            compression: compression(config),
            context: context.clone(),
        }))
    }

    /// Returns the configuration of the context.
    pub(super) fn config(&self) -> &Config {
        &self.context.config
    }
}

/// Returns the options of requests to the server at `address`.
fn options(config: &Config, address: &str) -> Result<Options> {
    let mut tls = Tls::of(config)?;
    let ignores = config.get("rest.ignore_ssl_validation").is_some();
    if ignores && config.flag("rest.ignore_ssl_validation")? {
        tls.verifies = false;
    }
    let growth = config.f64("rest.retry_delay_factor")?;
    let retries = config.u64("rest.retry_count")?;
    let is_limited = config
        .get(TIMEOUT_PARAMETER)
        .is_some_and(|text| !text.is_empty());
    let idle = if is_limited {
        Duration::from_millis(config.u64(TIMEOUT_PARAMETER)?.max(1))
    } else {
        IDLE_TIMEOUT
    };
    Ok(Options {
        connect_timeout: CONNECT_TIMEOUT.min(idle),
        request_timeout: idle,
        retries: u32::try_from(retries).unwrap_or(u32::MAX),
        first_pause: Duration::from_millis(config.u64("rest.retry_initial_delay_ms")?),
        longest_pause: LONGEST_PAUSE,
        rule: RetryRule::Listed {
            statuses: retried_statuses(config)?,
            without_response: config.flag("rest.curl.retry_errors")?,
            growth: (growth.clamp(0.0, 1e6) * 1000.0) as u64,
        },
        parallel: MAX_REQUESTS,
        proxy: proxy::of_environment(&Url::parse(address, DEFAULT_SCHEME)),
        tls,
        buffer_size: usize::try_from(config.u64("rest.curl.buffer_size")?)
            .unwrap_or(usize::MAX)
            .clamp(BUFFER_BYTES, MAX_BUFFER_BYTES),
        keepalive: config.flag("rest.curl.tcp_keepalive")?,
        verbose: config.flag("rest.curl.verbose")?,
    })
}

/// Returns the HTTP statuses after which a request is repeated.
fn retried_statuses(config: &Config) -> Result<Vec<u16>> {
    const CODES: &str = "rest.retry_http_codes";
    let value = config.get(CODES).unwrap_or_default();
    value
        .split(',')
        .map(str::trim)
        .filter(|code| !code.is_empty())
        .map(|code| {
            Ok(code.parse().map_err(|_| ConfigError::BadValue {
                key: CODES.to_owned(),
                value: value.clone(),
                cause: Error::from(ConfigError::NotAnInteger {
                    value: code.to_owned(),
                    datatype: "uint32_t",
                }),
            })?)
        })
        .collect()
}

/// Returns the encodings of responses to request. As in libtiledb, names are sent as they are.
fn compression(config: &Config) -> Option<String> {
    let name = config.get("rest.http_compressor")?.to_ascii_lowercase();
    match name.as_str() {
        "none" => None,
        "any" | "" => Some("deflate, gzip, zstd".to_owned()),
        _ => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config_with(parameters: &[(&str, &str)]) -> Config {
        let mut config = Config::new();
        for (name, value) in parameters {
            config.set(name, value).expect("parameter");
        }
        config
    }

    fn options_with(parameters: &[(&str, &str)]) -> Result<Options> {
        options(&config_with(parameters), "server")
    }

    #[test]
    fn parameters_of_connections_have_limits() {
        for (text, expected) in [
            ("1", BUFFER_BYTES),
            ("524288", 524_288),
            ("99999999999", MAX_BUFFER_BYTES),
        ] {
            let options = options_with(&[("rest.curl.buffer_size", text)]).expect("options");
            assert_eq!(options.buffer_size, expected);
            assert!(options.keepalive && !options.verbose);
        }
        let other = config_with(&[
            ("rest.curl.tcp_keepalive", "false"),
            ("rest.curl.verbose", "true"),
        ]);
        let options = options(&other, "server").expect("options");
        assert!(!options.keepalive && options.verbose);
    }

    #[test]
    fn requests_state_the_encodings_that_the_parameter_names() {
        for (name, expected) in [
            ("any", Some("deflate, gzip, zstd")),
            ("ZSTD", Some("zstd")),
            ("gzip", Some("gzip")),
            ("none", None),
        ] {
            let found = compression(&config_with(&[("rest.http_compressor", name)]));
            assert_eq!(found.as_deref(), expected);
        }
    }

    #[test]
    fn parameters_of_requests_that_are_not_numbers_are_errors() {
        for (name, value) in [
            (TIMEOUT_PARAMETER, "soon"),
            (TIMEOUT_PARAMETER, "-1"),
            ("rest.retry_http_codes", "503,5O4"),
            ("rest.retry_http_codes", "503 504"),
        ] {
            let text = match options_with(&[(name, value)]) {
                Err(error) => error.to_string(),
                Ok(_) => String::new(),
            };
            assert!(text.contains(name) && text.contains(value), "{text}");
        }
        let limited = options_with(&[(TIMEOUT_PARAMETER, "1500")]).expect("a number");
        assert_eq!(limited.request_timeout, Duration::from_millis(1500));
        let codes = options_with(&[("rest.retry_http_codes", "503, 504,")]);
        let RetryRule::Listed { statuses, .. } = codes.expect("numbers").rule else {
            panic!("the codes are listed");
        };
        assert_eq!(statuses, [503, 504]);
    }
}
