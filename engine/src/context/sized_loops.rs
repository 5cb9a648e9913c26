//! Loops whose amount of work is known: small ones run on the calling thread.

use super::{Context, pool};
use crate::error::Result;
use crate::memory::tuning::MIN_PARALLEL_BYTES;

impl Context {
    /// Runs `body` like [`Context::for_each`], but on the calling thread if the loop decodes,
    /// encodes or copies fewer than [`MIN_PARALLEL_BYTES`] bytes in total.
    pub fn for_each_sized(
        &self,
        bytes: u64,
        count: usize,
        body: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<()> {
        if is_parallel(bytes) {
            return self.for_each(count, body);
        }
        let (epoch, is_tracked) = self.begin_loop()?;
        pool::for_each(1, count, &|index| {
            self.check_continues(epoch, is_tracked)?;
            body(index)
        })
    }

    /// Returns `body` of each index like [`Context::map`], on the threads of
    /// [`Context::for_each_sized`].
    pub fn map_sized<T: Send + Sync>(
        &self,
        bytes: u64,
        count: usize,
        body: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        if is_parallel(bytes) {
            return self.map(count, body);
        }
        let (epoch, is_tracked) = self.begin_loop()?;
        (0..count)
            .map(|index| {
                self.check_continues(epoch, is_tracked)?;
                body(index)
            })
            .collect()
    }

    /// Returns the maximum number of threads of a loop over this many bytes.
    pub fn threads_for(&self, bytes: u64) -> usize {
        if is_parallel(bytes) {
            self.compute_threads()
        } else {
            1
        }
    }
}

fn is_parallel(bytes: u64) -> bool {
    bytes >= MIN_PARALLEL_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::error::Error;
    use crate::platform::lock::Mutex;
    use std::collections::HashSet;
    use std::time::{Duration, Instant};

    fn context() -> std::sync::Arc<Context> {
        let mut config = Config::new();
        config
            .set("sm.compute_concurrency_level", "3")
            .expect("parameter");
        Context::new(config).expect("context")
    }

    /// Returns the number of threads that run a loop of this size whose calls wait for others.
    fn threads_of(bytes: u64) -> usize {
        let threads = Mutex::new(HashSet::new());
        let start = Instant::now();
        let wait = |_| {
            threads.lock().insert(std::thread::current().id());
            while bytes >= MIN_PARALLEL_BYTES
                && threads.lock().len() < 2
                && start.elapsed() < Duration::from_secs(10)
            {
                std::thread::yield_now();
            }
            Ok(())
        };
        context().for_each_sized(bytes, 100, wait).expect("runs");
        threads.lock().len()
    }

    #[test]
    fn small_loops_run_on_the_calling_thread() {
        assert_eq!(threads_of(MIN_PARALLEL_BYTES - 1), 1);
        assert!(threads_of(MIN_PARALLEL_BYTES) > 1);
    }

    #[test]
    fn values_are_in_the_order_of_the_indexes() {
        for bytes in [0, u64::MAX] {
            let squares = context().map_sized(bytes, 50, |index| Ok(index * index));
            let expected: Vec<usize> = (0..50).map(|index| index * index).collect();
            assert_eq!(squares.expect("values"), expected);
        }
    }

    #[test]
    fn errors_and_cancellations_end_small_loops() {
        let context = context();
        let stops = |index| match index {
            3 => Err(Error::cancelled()),
            index => {
                assert!(index < 3, "{index}");
                Ok(())
            }
        };
        assert!(context.for_each_sized(0, 10, stops).is_err());
        assert!(context.map_sized(0, 10, stops).is_err());
    }
}
