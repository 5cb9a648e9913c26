//! The native module of the Python package `tiledb_rs_sql`: SQL over arrays with Apache DataFusion.
//!
//! The package is apart from `tiledb_rs` because DataFusion is larger than everything else there.
//! The module has its own copy of the engine; arrays at `mem://` of one are unknown to the other.

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
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_ffi::proto::logical_extension_codec::FFI_LogicalExtensionCodec;
use datafusion_ffi::table_provider::FFI_TableProvider;
use futures::StreamExt;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tiledb_datafusion::{TableOptions, TileDbGroup, TileDbTable};
use tiledb_engine::{Error as EngineError, ErrorKind};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// The time between two checks for signals while a query runs.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// The parameters of a configuration, by name.
type Parameters = Vec<(String, String)>;

/// A table of a session: its name, `"array"` or `"group"`, the URI, the timestamps, and the
/// parameters of the configuration.
type Table = (String, String, String, Option<(u64, u64)>, Parameters);

/// Returns the threads of queries. A forked process has threads of its own.
fn runtime() -> PyResult<Arc<Runtime>> {
    static RUNTIME: Mutex<Option<(u32, Arc<Runtime>)>> = Mutex::new(None);
    // The lock is held only by a thread that is attached to Python, so that a forked child, which
    // is forked by such a thread, finds it free.
    let mut known = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((of_process, runtime)) = &*known
        && *of_process == process
    {
        return Ok(runtime.clone());
    }
    let made = Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|problem| PyRuntimeError::new_err(problem.to_string()))?;
    let made = Arc::new(made);
    // The runtime of a parent process cannot be shut down, since its threads do not exist here.
    if let Some((_, inherited)) = known.replace((process, made.clone())) {
        let _ = Box::leak(Box::new(inherited));
    }
    Ok(made)
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
fn complete<T: Send>(
    py: Python<'_>,
    runtime: &Runtime,
    future: impl Future<Output = Result<T, DataFusionError>> + Send,
) -> PyResult<T> {
    let mut future = std::pin::pin!(future);
    loop {
        let wait = || runtime.block_on(async { timeout(SIGNAL_INTERVAL, &mut future).await });
        match py.detach(wait) {
            Ok(result) => return result.map_err(|error| raised(py, &error)),
            Err(_) => py.check_signals()?,
        }
    }
}

fn options(timestamps: Option<(u64, u64)>, parameters: &Parameters) -> TableOptions {
    let mut options = TableOptions::new();
    for (name, value) in parameters {
        options = options.parameter(name, value);
    }
    match timestamps {
        Some((start, end)) => options.timestamps(start..=end),
        None => options,
    }
}

/// The rows of a statement. A query runs when its rows are exported, each time.
#[pyclass(module = "tiledb_rs_sql._native", frozen)]
struct Rows {
    frame: DataFrame,
    runtime: Arc<Runtime>,
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
    /// The stream, until it ends or is interrupted.
    stream: Option<SendableRecordBatchStream>,
    runtime: Arc<Runtime>,
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
        let stream = self.stream.as_mut()?;
        let next = loop {
            if is_exporter && self.checked.elapsed() >= SIGNAL_INTERVAL {
                self.checked = Instant::now();
                if is_interrupted() {
                    self.stream = None;
                    return Some(Err(ArrowError::ComputeError("interrupted".to_owned())));
                }
            }
            let wait = async { timeout(SIGNAL_INTERVAL, stream.next()).await };
            if let Ok(next) = self.runtime.block_on(wait) {
                break next;
            }
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
        let (frame, runtime) = (self.frame.clone(), self.runtime.clone());
        // Errors of the first batch are exceptions by their meaning, and most of the time of a
        // query that groups or sorts can be interrupted.
        let start = async {
            let mut stream = frame.execute_stream().await?;
            let first = stream.next().await.transpose()?;
            Ok((stream, first))
        };
        let (stream, first) = complete(py, &runtime, start)?;
        let batches = Batches {
            schema: stream.schema(),
            stream: first.is_some().then_some(stream),
            first,
            runtime,
            exporter: std::thread::current().id(),
            checked: Instant::now(),
        };
        let exported = FFI_ArrowArrayStream::new(Box::new(batches));
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
    query: &str,
    tables: Vec<Table>,
    parameters: &Parameters,
    timestamps: Option<(u64, u64)>,
) -> Result<DataFrame, DataFusionError> {
    let defaults = options(timestamps, parameters);
    let session: SessionContext = tiledb_datafusion::session(SessionConfig::new(), &defaults);
    for (name, kind, uri, timestamps, parameters) in tables {
        let options = options(timestamps, &parameters);
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
    let frame = session.sql(query).await?;
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
    query: &str,
    tables: Vec<Table>,
    parameters: Parameters,
    timestamps: Option<(u64, u64)>,
) -> PyResult<Rows> {
    let runtime = runtime()?;
    let frame = complete(py, &runtime, run(query, tables, &parameters, timestamps))?;
    Ok(Rows { frame, runtime })
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
    let options = options(timestamps, &parameters);
    let table = py.detach(|| TileDbTable::open(uri, options));
    let table: Arc<dyn TableProvider> = Arc::new(table.map_err(|error| raised(py, &error))?);
    let handle = runtime()?.handle().clone();
    let provider = FFI_TableProvider::new_with_ffi_codec(table, true, Some(handle), codec.clone());
    PyCapsule::new_with_value(py, provider, c"datafusion_table_provider")
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Rows>()?;
    module.add_function(wrap_pyfunction!(sql, module)?)?;
    module.add_function(wrap_pyfunction!(table_provider, module)?)
}
