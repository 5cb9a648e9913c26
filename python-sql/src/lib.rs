//! The native module of the Python package `tiledb_rs_sql`: SQL over arrays with Apache DataFusion.
//!
//! The package is apart from `tiledb_rs` because DataFusion is larger than everything else there.
//! The module has its own copy of the engine; arrays at `mem://` of one are unknown to the other.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::dataframe::DataFrame;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::common::spawn_buffered;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_ffi::proto::logical_extension_codec::FFI_LogicalExtensionCodec;
use datafusion_ffi::table_provider::FFI_TableProvider;
use futures::StreamExt;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tiledb_datafusion::{TableOptions, TileDbGroup, TileDbTable, run_task, wait};
use tiledb_engine::{Config, Context, Error as EngineError, ErrorKind, SharedReader};
use tokio::runtime::{Builder, Handle, Runtime};

/// The time between two checks for signals while a consumer reads batches that are complete.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);
/// The batches that a query computes ahead of its consumer.
const BATCHES_AHEAD: usize = 2;

/// The parameters of a configuration, by name.
type Parameters = Vec<(String, String)>;

/// A table of a session: its name, `"array"` or `"group"`, the URI, the timestamps, and the
/// parameters of the configuration.
type Table = (String, String, String, Option<(u64, u64)>, Parameters);

/// The threads of queries. Threads that compute do not delay the end of the value.
struct Threads {
    /// The process that started them. A forked process does not have them.
    process: u32,
    /// `None` only while the value is dropped.
    runtime: Option<Runtime>,
    handle: Handle,
}

impl Drop for Threads {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else {
            return;
        };
        if self.process == std::process::id() {
            runtime.shutdown_background();
        } else {
            let _ = Box::leak(Box::new(runtime));
        }
    }
}

/// The threads of the queries that begin now, and those of the tables of other packages, which
/// other packages keep.
static OF_QUERIES: Mutex<Option<Arc<Threads>>> = Mutex::new(None);
static OF_TABLES: Mutex<Option<Arc<Threads>>> = Mutex::new(None);

/// Returns the threads of a kind, which start when they are used first.
fn threads(kind: &Mutex<Option<Arc<Threads>>>) -> PyResult<Arc<Threads>> {
    // The lock is held only by a thread that is attached to Python, so that a forked child, which
    // is forked by such a thread, finds it free.
    let mut known = kind.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some(threads) = known.as_ref().filter(|known| known.process == process) {
        return Ok(threads.clone());
    }
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|problem| PyRuntimeError::new_err(problem.to_string()))?;
    let threads = Arc::new(Threads {
        process,
        handle: runtime.handle().clone(),
        runtime: Some(runtime),
    });
    *known = Some(threads.clone());
    Ok(threads)
}

/// Ends the reads and writes of contexts. Operators that compute without a pause keep their
/// threads, and later queries have others.
fn end_queries(_: Python<'_>, contexts: &[Context], threads: &Arc<Threads>) {
    contexts.iter().for_each(Context::cancel);
    let mut known = OF_QUERIES.lock().unwrap_or_else(PoisonError::into_inner);
    known.take_if(|known| Arc::ptr_eq(known, threads));
}

/// Returns the name of the class of `tiledb_rs` for an error of the engine.
fn class_of(kind: ErrorKind) -> &'static str {
    match kind {
        // Queries look up arrays and groups only.
        ErrorKind::NotFound => "ObjectNotFoundError",
        ErrorKind::AlreadyExists => "AlreadyExistsError",
        ErrorKind::InvalidArgument => "InvalidArgumentError",
        ErrorKind::Unsupported => "UnsupportedError",
        ErrorKind::Corrupt => "CorruptError",
        ErrorKind::PermissionDenied => "PermissionDeniedError",
        ErrorKind::OutOfBudget | ErrorKind::OutOfMemory => "OutOfMemoryError",
        ErrorKind::Cancelled => "CancelledError",
        ErrorKind::Busy => "BusyError",
        _ => "StorageError",
    }
}

/// Returns the error of the engine among the causes of an error.
fn engine_error<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a EngineError> {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.find_map(|cause| cause.downcast_ref())
}

/// Returns an exception of a class of `tiledb_rs`.
fn exception(py: Python<'_>, class: &str, text: String) -> PyErr {
    let made = py
        .import("tiledb_rs")
        .and_then(|package| package.getattr(class)?.call1((text,)));
    made.map_or_else(|problem| problem, PyErr::from_value)
}

/// Returns the exception for an error: of `tiledb_rs`, by its meaning.
fn raised(py: Python<'_>, error: &DataFusionError) -> PyErr {
    let class = match (engine_error(error), error.find_root()) {
        (Some(error), _) => class_of(error.kind()),
        (
            None,
            DataFusionError::SQL(..)
            | DataFusionError::Plan(_)
            | DataFusionError::SchemaError(..)
            | DataFusionError::Configuration(_),
        ) => "InvalidArgumentError",
        (None, DataFusionError::NotImplemented(_)) => "UnsupportedError",
        (None, DataFusionError::ResourcesExhausted(_)) => "OutOfMemoryError",
        _ => "Error",
    };
    exception(py, class, error.to_string())
}

/// Runs a future on the threads of queries, until it is complete or a handler of a signal, such as
/// that of Ctrl-C, raises an exception.
fn complete<T: Send + 'static>(
    py: Python<'_>,
    contexts: &[Context],
    threads: &Arc<Threads>,
    future: impl Future<Output = Result<T, DataFusionError>> + Send + 'static,
) -> PyResult<T> {
    let check = || match Python::attach(|py| py.check_signals()) {
        Ok(()) => ControlFlow::Continue(()),
        Err(raised) => ControlFlow::Break(raised),
    };
    match py.detach(|| run_task(&threads.handle, future, check)) {
        ControlFlow::Continue(result) => result.map_err(|error| raised(py, &error)),
        ControlFlow::Break(raised) => {
            end_queries(py, contexts, threads);
            Err(raised)
        }
    }
}

/// Returns a context with parameters of the configuration.
fn context(py: Python<'_>, parameters: &Parameters) -> PyResult<Context> {
    let made = || {
        let mut config = Config::new();
        for (name, value) in parameters {
            config.set(name, value)?;
        }
        Context::with_config(config)
    };
    made().map_err(|error: EngineError| raised(py, &DataFusionError::External(Box::new(error))))
}

fn options(context: &Context, timestamps: Option<(u64, u64)>) -> TableOptions {
    let options = TableOptions::new().context(context);
    match timestamps {
        Some((start, end)) => options.timestamps(start..=end),
        None => options,
    }
}

/// The rows of a statement. A query runs when its rows are exported, each time.
#[pyclass(module = "tiledb_rs_sql._native", frozen)]
struct Rows {
    frame: DataFrame,
    /// The contexts of the tables.
    contexts: Vec<Context>,
}

/// Returns whether a handler of a signal raised an exception. It is raised again in Python, after
/// the exception of the consumer of the rows.
fn is_interrupted() -> bool {
    Python::attach(|py| {
        let is_raised = py.check_signals().is_err();
        if is_raised && let Ok(threads) = py.import("_thread") {
            // Without the module, the exception of the consumer remains.
            let _ = threads.call_method0("interrupt_main");
        }
        is_raised
    })
}

/// The batches of a running query, for a thread outside of the runtime.
struct Batches {
    schema: SchemaRef,
    /// The first batch, which is complete before the rows are exported.
    first: Option<RecordBatch>,
    /// The stream of a task, until it ends or is interrupted.
    stream: Option<SendableRecordBatchStream>,
    contexts: Vec<Context>,
    threads: Arc<Threads>,
    /// The thread that exported the rows. On it, handlers of signals run between batches. Another
    /// thread may be one of a consumer that holds the lock of Python.
    exporter: ThreadId,
    /// The time of the last check for signals.
    checked: Instant,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        let is_exporter = std::thread::current().id() == self.exporter;
        let check = || {
            if is_exporter && is_interrupted() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let stream = self.stream.as_mut()?;
        // A consumer that is slower than the query never waits.
        let is_due = self.checked.elapsed() >= SIGNAL_INTERVAL;
        let checked = if is_due {
            self.checked = Instant::now();
            check()
        } else {
            ControlFlow::Continue(())
        };
        let next = match checked {
            ControlFlow::Continue(()) => wait(stream.next(), check),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        };
        let ControlFlow::Continue(next) = next else {
            self.stream = None;
            Python::attach(|py| end_queries(py, &self.contexts, &self.threads));
            return Some(Err(ArrowError::ComputeError("interrupted".to_owned())));
        };
        match next {
            Some(Ok(batch)) => Some(Ok(batch)),
            Some(Err(error)) => Some(Err(ArrowError::ExternalError(Box::new(error)))),
            None => {
                self.stream = None;
                None
            }
        }
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

#[pymethods]
impl Rows {
    /// Exports the rows as a stream of Arrow.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer converts the types itself, as the interface permits.
        let _ = requested_schema;
        let (frame, threads) = (self.frame.clone(), threads(&OF_QUERIES)?);
        // Errors of the first batch are exceptions by their meaning, and most of the time of a
        // query that groups or sorts can be interrupted.
        let start = async {
            let stream = frame.execute_stream().await?;
            let mut stream = spawn_buffered(stream, BATCHES_AHEAD);
            let first = stream.next().await.transpose()?;
            Ok((stream, first))
        };
        let (stream, first) = complete(py, &self.contexts, &threads, start)?;
        let batches = Batches {
            schema: stream.schema(),
            stream: first.is_some().then_some(stream),
            first,
            contexts: self.contexts.clone(),
            threads,
            exporter: std::thread::current().id(),
            checked: Instant::now(),
        };
        let exported = FFI_ArrowArrayStream::new(Box::new(SharedReader::new(Box::new(batches))));
        PyCapsule::new_with_value(py, exported, c"arrow_array_stream")
    }

    /// Exports the schema of the rows.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let exported = FFI_ArrowSchema::try_from(self.frame.schema().as_arrow())
            .map_err(|problem| PyTypeError::new_err(problem.to_string()))?;
        PyCapsule::new_with_value(py, exported, c"arrow_schema")
    }
}

async fn run(
    query: String,
    tables: Vec<(Table, TableOptions)>,
    defaults: TableOptions,
) -> Result<DataFrame, DataFusionError> {
    let session: SessionContext = tiledb_datafusion::session(SessionConfig::new(), &defaults);
    for ((name, kind, uri, ..), options) in tables {
        if kind == "group" {
            let schema = Arc::new(TileDbGroup::open(&uri, options)?);
            if let Some(catalog) = session.catalog("datafusion") {
                catalog.register_schema(&name, schema)?;
            }
        } else {
            let table = TileDbTable::open(&uri, options)?;
            session.register_table(name.as_str(), Arc::new(table))?;
        }
    }
    let frame = session.sql(&query).await?;
    let changes = matches!(
        frame.logical_plan(),
        LogicalPlan::Dml(_) | LogicalPlan::Ddl(_) | LogicalPlan::Copy(_)
    );
    // A statement that changes an array runs once, not each time that its rows are exported.
    if changes {
        return frame.cache().await;
    }
    Ok(frame)
}

/// Plans a query, or runs another statement.
#[pyfunction]
fn sql(
    py: Python<'_>,
    query: String,
    tables: Vec<Table>,
    parameters: Parameters,
    timestamps: Option<(u64, u64)>,
) -> PyResult<Rows> {
    let defaults = context(py, &parameters)?;
    let mut contexts = vec![defaults.clone()];
    let mut opened = Vec::with_capacity(tables.len());
    for table in tables {
        let (_, _, _, timestamps, own) = &table;
        let context = if *own == parameters {
            defaults.clone()
        } else {
            context(py, own)?
        };
        let options = options(&context, *timestamps);
        contexts.push(context);
        opened.push((table, options));
    }
    let statement = run(query, opened, options(&defaults, timestamps));
    let frame = complete(py, &contexts, &threads(&OF_QUERIES)?, statement)?;
    Ok(Rows { frame, contexts })
}

/// Returns an error if the package of a session has another version of DataFusion than this module:
/// their structures are laid out differently.
fn check_version(session: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = session.py();
    let version: String = py.import("datafusion")?.getattr("__version__")?.extract()?;
    let ours = datafusion_ffi::version();
    let major = version
        .split('.')
        .next()
        .and_then(|major| major.parse::<u64>().ok());
    if major == Some(ours) {
        return Ok(());
    }
    let text = format!("tables need version {ours} of the package datafusion, not {version}");
    Err(exception(py, "UnsupportedError", text))
}

/// Returns an array as the capsule that `datafusion.SessionContext.register_table` accepts.
/// `session` is that session.
#[pyfunction]
fn table_provider<'py>(
    py: Python<'py>,
    uri: &str,
    parameters: Parameters,
    timestamps: Option<(u64, u64)>,
    session: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyCapsule>> {
    check_version(session)?;
    let codec = session.call_method0("__datafusion_logical_extension_codec__")?;
    let codec = codec.cast::<PyCapsule>()?;
    let pointer = codec.pointer_checked(Some(c"datafusion_logical_extension_codec"))?;
    // SAFETY: a capsule of this name has a codec, which stays in it. Its layout is that of the
    // major version of DataFusion, which is the same.
    let codec = unsafe { &*pointer.as_ptr().cast::<FFI_LogicalExtensionCodec>() };
    let options = options(&context(py, &parameters)?, timestamps);
    let table = py.detach(|| TileDbTable::open(uri, options));
    let table: Arc<dyn TableProvider> = Arc::new(table.map_err(|error| raised(py, &error))?);
    let handle = threads(&OF_TABLES)?.handle.clone();
    let provider = FFI_TableProvider::new_with_ffi_codec(table, true, Some(handle), codec.clone());
    PyCapsule::new_with_value(py, provider, c"datafusion_table_provider")
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Rows>()?;
    module.add_function(wrap_pyfunction!(sql, module)?)?;
    module.add_function(wrap_pyfunction!(table_provider, module)?)
}
