//! The options of a client.

use std::time::Duration;

use super::tls::Tls;

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
