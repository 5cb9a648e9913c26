//! Batches of a read for asynchronous code.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context as TaskContext, Poll};

use futures_core::Stream;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::field_values::Records;
use super::read_query::ReadQuery;
use crate::context::Context as EngineContext;
use crate::error::{ApiError, Error, Result};

/// A stream of the batches of a read, which [`ReadQuery::stream`] returns, and with the feature
/// `arrow` `ReadQuery::record_batch_stream`.
///
/// Each batch is read when it is polled, on a thread for blocking calls of the Tokio runtime that
/// polls the stream. Dropping the stream cancels the read within one tile or one request; other
/// operations of the context continue. After an error the stream ends.
pub struct BatchStream<T> {
    /// The context of this read only, which is cancelled when the stream is dropped.
    private: Arc<EngineContext>,
    /// The context of the array, and the number of its cancellations when the stream was created.
    shared: Arc<EngineContext>,
    epoch: u64,
    is_dropped: Arc<AtomicBool>,
    state: StreamState<T>,
}

/// Returns the next batch.
type NextBatch<T> = Box<dyn FnMut() -> Option<Result<T>> + Send>;

enum StreamState<T> {
    Idle(NextBatch<T>),
    Running(JoinHandle<(NextBatch<T>, Option<Result<T>>)>),
    Done,
}

impl<T> std::fmt::Debug for BatchStream<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchStream").finish_non_exhaustive()
    }
}

impl<T: Send + 'static> BatchStream<T> {
    /// Returns the next batch; `None` after the last one.
    pub async fn next(&mut self) -> Option<Result<T>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Starts to read the next batch on a thread for blocking calls.
    fn start(&self, mut next: NextBatch<T>) -> Result<StreamState<T>> {
        self.shared.check_cancelled(self.epoch)?;
        let runtime = Handle::try_current().map_err(|_| ApiError::NoRuntime)?;
        let is_dropped = self.is_dropped.clone();
        Ok(StreamState::Running(runtime.spawn_blocking(move || {
            let batch = if is_dropped.load(Ordering::Relaxed) {
                None
            } else {
                next()
            };
            (next, batch)
        })))
    }
}

impl<T: Send + 'static> Stream for BatchStream<T> {
    type Item = Result<T>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<T>>> {
        loop {
            match std::mem::replace(&mut self.state, StreamState::Done) {
                StreamState::Done => return Poll::Ready(None),
                StreamState::Idle(next) => match self.start(next) {
                    Ok(running) => self.state = running,
                    Err(error) => return Poll::Ready(Some(Err(error))),
                },
                StreamState::Running(mut task) => match Pin::new(&mut task).poll(context) {
                    Poll::Pending => {
                        self.state = StreamState::Running(task);
                        return Poll::Pending;
                    }
                    Poll::Ready(Ok((next, batch))) => {
                        if matches!(batch, Some(Ok(_))) {
                            self.state = StreamState::Idle(next);
                        }
                        return Poll::Ready(batch);
                    }
                    Poll::Ready(Err(failed)) => match failed.try_into_panic() {
                        Ok(panic) => std::panic::resume_unwind(panic),
                        // The runtime ended before the task began.
                        Err(_) => return Poll::Ready(Some(Err(Error::cancelled()))),
                    },
                },
            }
        }
    }
}

impl<T> Drop for BatchStream<T> {
    fn drop(&mut self) {
        self.is_dropped.store(true, Ordering::Relaxed);
        self.private.cancel();
        if let StreamState::Running(task) = &self.state {
            // A task that has not begun does not begin.
            task.abort();
        }
    }
}

impl ReadQuery {
    /// Returns a stream of the result in batches, for asynchronous code on a Tokio runtime.
    ///
    /// ```
    /// # use tiledb_engine::{Array, ArrayType, Context, Datatype, Result, Schema};
    /// # async fn heights(array: &Array) -> Result<f64> {
    /// let mut stream = array.query().batch_bytes(1 << 20).stream()?;
    /// let mut sum = 0.0;
    /// while let Some(batch) = stream.next().await {
    ///     sum += batch?.values::<f64>("height")?.iter().sum::<f64>();
    /// }
    /// # Ok(sum)
    /// # }
    /// # fn main() -> Result<()> {
    /// # let (context, uri) = (Context::new()?, "mem://heights");
    /// # let schema = Schema::builder(ArrayType::Sparse)
    /// #     .dimension("id", Datatype::Int64, 0..=99, 10)
    /// #     .attribute("height", Datatype::Float64)
    /// #     .build()?;
    /// # Array::create(&context, uri, &schema)?;
    /// # let mut array = Array::open(&context, uri)?;
    /// # array.write().column("id", [1, 2]).column("height", [1.5, 2.0]).submit()?;
    /// # array.reopen()?;
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build().expect("runtime");
    /// # assert_eq!(runtime.block_on(heights(&array))?, 3.5);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the system has not the resources for a context of the read. Names and values that do not
    /// fit the schema of the array are errors of the first batch, and so is a poll without a
    /// runtime.
    pub fn stream(&self) -> Result<BatchStream<Records>> {
        self.stream_of(|query, context| {
            let mut batches = query.batches_in(context)?;
            Ok(Box::new(move || batches.next()))
        })
    }

    /// Returns a stream of the result as Arrow's record batches; see
    /// [`record_batches`](Self::record_batches) and [`stream`](Self::stream).
    ///
    /// # Errors
    ///
    /// As [`stream`](Self::stream).
    #[cfg(feature = "arrow")]
    pub fn record_batch_stream(&self) -> Result<BatchStream<arrow_array::RecordBatch>> {
        self.stream_of(|query, context| {
            let mut batches = query.record_batches_in(context)?;
            Ok(Box::new(move || batches.next_batch()))
        })
    }

    /// Returns a stream of the batches that `open` returns, which is called on a thread for
    /// blocking calls.
    fn stream_of<T: Send + 'static>(
        &self,
        open: impl FnOnce(&Self, &Arc<EngineContext>) -> Result<NextBatch<T>> + Send + 'static,
    ) -> Result<BatchStream<T>> {
        let shared = self.context().clone();
        let private = EngineContext::new(shared.config.clone())?;
        let (query, context) = (self.clone(), private.clone());
        let mut open = Some(open);
        let mut opened: Option<NextBatch<T>> = None;
        let next = move || {
            if let Some(open) = open.take() {
                match open(&query, &context) {
                    Ok(batches) => opened = Some(batches),
                    Err(error) => return Some(Err(error)),
                }
            }
            opened.as_mut().and_then(|next| next())
        };
        Ok(BatchStream {
            epoch: shared.cancel_epoch(),
            shared,
            private,
            is_dropped: Arc::default(),
            state: StreamState::Idle(Box::new(next)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::api::array::Array;
    use crate::api::context::Context;
    use crate::api::schema::Schema;
    use crate::error::ErrorKind;
    use crate::types::{ArrayType, Datatype, Layout};

    const CELLS: i64 = 200_000;

    fn array() -> Array {
        let context = Context::new().expect("context");
        let schema = Schema::builder(ArrayType::Sparse)
            .dimension("id", Datatype::Int64, 0..=CELLS, 1000)
            .attribute("a", Datatype::Int64)
            .capacity(1000)
            .build();
        Array::create(&context, "mem://a", &schema.expect("schema")).expect("create");
        let mut array = Array::open(&context, "mem://a").expect("open");
        let write = array.write().column("id", 0..CELLS).column("a", 0..CELLS);
        write.submit().expect("write");
        array.reopen().expect("reopen");
        array
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("runtime").block_on(future)
    }

    #[test]
    fn a_stream_delivers_the_batches_of_the_read() {
        let array = array();
        let query = array.query().fields(["a"]).batch_bytes(80_000);
        let mut stream = query.stream().expect("stream");
        let (mut batches, mut values) = (0, Vec::<i64>::new());
        run(async {
            while let Some(batch) = stream.next().await {
                values.extend(batch.expect("batch").values::<i64>("a").expect("values"));
                batches += 1;
            }
            assert!(stream.next().await.is_none(), "after the end");
        });
        assert!(batches > 10, "{batches} batches");
        assert!(values.into_iter().eq(0..CELLS));
    }

    #[cfg(feature = "arrow")]
    #[test]
    fn a_stream_delivers_record_batches() {
        let array = array();
        let query = array.query().batch_bytes(160_000);
        let mut stream = query.record_batch_stream().expect("stream");
        let rows = run(async {
            let mut rows = 0;
            while let Some(batch) = stream.next().await {
                rows += batch.expect("batch").num_rows();
            }
            rows
        });
        assert_eq!(rows as i64, CELLS);
    }

    #[test]
    fn errors_of_the_read_are_those_of_the_first_batch() {
        let array = array();
        let mut stream = array.query().fields(["b"]).stream().expect("stream");
        run(async {
            let error = stream.next().await.expect("an item");
            assert!(error.is_err_and(|error| error.is_not_found()));
            assert!(stream.next().await.is_none(), "after the error");
        });
        // Without a runtime.
        let mut stream = array.query().stream().expect("stream");
        let mut context = TaskContext::from_waker(std::task::Waker::noop());
        let polled = Pin::new(&mut stream).poll_next(&mut context);
        assert!(matches!(polled, Poll::Ready(Some(Err(_)))));
    }

    #[test]
    fn cancelling_the_context_ends_a_stream() {
        let array = array();
        let mut stream = array.query().batch_bytes(80_000).stream().expect("stream");
        run(async {
            assert!(stream.next().await.is_some_and(|batch| batch.is_ok()));
            array.context().cancel();
            let error = stream
                .next()
                .await
                .expect("an item")
                .expect_err("cancelled");
            assert_eq!(error.kind(), ErrorKind::Cancelled);
            assert!(stream.next().await.is_none());
        });
        assert_eq!(array.query().count().expect("count"), CELLS as u64);
    }

    #[test]
    fn dropping_a_stream_cancels_its_read_only() {
        let array = array();
        let query = array.query().layout(Layout::Unordered);
        let mut stream = query.stream().expect("stream");
        let private = stream.private.clone();
        let epoch = private.cancel_epoch();
        let is_dropped = stream.is_dropped.clone();
        run(async {
            let mut context = TaskContext::from_waker(std::task::Waker::noop());
            let _ = Pin::new(&mut stream).poll_next(&mut context);
            drop(stream);
        });
        assert!(is_dropped.load(Ordering::Relaxed));
        assert!(private.check_cancelled(epoch).is_err());
        // The task ends: it is the last owner of the context of the read besides this test.
        let start = Instant::now();
        while Arc::strong_count(&private) > 1 {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "the read goes on"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(query.count().expect("not cancelled"), CELLS as u64);
    }
}
