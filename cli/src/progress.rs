//! Progress bars on standard error, if that is a terminal. They disappear at the end of the
//! command, also after an error.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tiledb_engine::Context;

use crate::interrupt;
use crate::problem::Result;

/// A progress bar.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Creates a bar for `total` units, or one without an end if the number is not known.
    pub(crate) fn new(total: Option<u64>, unit: &str) -> Self {
        match total {
            Some(total) => Self::with(
                ProgressBar::new(total),
                &format!("{{bar:40}} {{pos}}/{{len}} {unit}, {{per_sec}}, {{eta}} left"),
            ),
            None => Self::with(
                ProgressBar::new_spinner(),
                &format!("{{spinner}} {{pos}} {unit}, {{per_sec}}"),
            ),
        }
    }

    /// Creates a bar for `total` bytes with the throughput.
    pub(crate) fn bytes(total: u64) -> Self {
        const STYLE: &str =
            "{bar:40} {binary_bytes}/{binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
        Self::with(ProgressBar::new(total), STYLE)
    }

    fn with(bar: ProgressBar, style: &str) -> Self {
        let style = ProgressStyle::with_template(style);
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Sets the number of all units.
    pub(crate) fn set_total(&self, total: u64) {
        self.0.set_length(total);
    }

    /// Sets the number of units that are done.
    pub(crate) fn set(&self, done: u64) {
        self.0.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A bar for the operations of a context, such as a check, until the value is dropped.
#[derive(Debug)]
pub(crate) struct FollowedContext<'a>(&'a Context);

impl<'a> FollowedContext<'a> {
    pub(crate) fn new(context: &'a Context) -> Self {
        let bar = OnceLock::new();
        context.set_progress(move |progress| {
            let total = Some(progress.total).filter(|total| *total > 0);
            let bar = bar.get_or_init(|| Progress::new(total, progress.unit));
            if let Some(total) = total {
                bar.set_total(total);
            }
            bar.set(progress.done);
            if interrupt::is_pending() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        Self(context)
    }

    /// Runs an operation that a signal cancels in order.
    pub(crate) fn run<T>(self, operation: impl FnOnce() -> tiledb_engine::Result<T>) -> Result<T> {
        interrupt::catch();
        let done = operation();
        if done.is_err() {
            interrupt::check()?;
        }
        Ok(done?)
    }
}

impl Drop for FollowedContext<'_> {
    fn drop(&mut self) {
        self.0.clear_progress();
    }
}
