//! What the operations of one context share: configuration, limits, cancellation, counters.

use std::sync::Arc;

use crate::config::Config;
use crate::error::Result;

/// A context. Making one costs microseconds and starts no thread.
#[derive(Debug)]
pub struct Context {
    config: Config,
}

impl Context {
    /// A context with this configuration.
    pub fn new(config: Config) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            config: config.frozen(),
        }))
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// How many threads may compute at once for this context, the caller's included.
    pub fn compute_threads(&self) -> usize {
        1
    }

    /// Runs `body` for each index below `count`, on up to [`Context::compute_threads`] threads of the process's pool; the
    /// calling thread helps. The first error ends it. With a count of 1, or a limit of 1, it is a plain loop.
    pub fn for_each(&self, count: usize, body: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
        (0..count).try_for_each(body)
    }

    /// An error when somebody cancelled the tasks since `since` (a value of [`Context::cancel_epoch`]).
    pub fn check_cancelled(&self, _since: u64) -> Result<()> {
        Ok(())
    }

    /// Counts the cancellations so far.
    pub fn cancel_epoch(&self) -> u64 {
        0
    }
}
