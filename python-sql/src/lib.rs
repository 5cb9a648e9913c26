//! The native module of the Python package `tiledb_rs_sql`: SQL over arrays with Apache DataFusion.
//!
//! The package is apart from `tiledb_rs` because DataFusion is larger than everything else there.
//! The module has its own copy of the engine; arrays at `mem://` of one are unknown to the other.

use std::sync::{Arc, Mutex, PoisonError};

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
use tokio::runtime::{Builder, Runtime};

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

/// Returns the exception for an error: of `tiledb_rs`, by its meaning.
fn raised(py: Python<'_>, error: &DataFusionError) -> PyErr {
    let class = match error.find_root() {
        DataFusionError::SQL(..)
        | DataFusionError::Plan(_)
        | DataFusionError::SchemaError(..)
        | DataFusionError::Configuration(_) => "InvalidArgumentError",
        DataFusionError::NotImplemented(_) => "UnsupportedError",
        DataFusionError::ResourcesExhausted(_) => "OutOfMemoryError",
        _ => "Error",
    };
    let made = py
        .import("tiledb_rs")
        .and_then(|package| package.getattr(class)?.call1((error.to_string(),)));
    made.map_or_else(|problem| problem, PyErr::from_value)
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

/// The batches of a running query, for a thread outside of the runtime.
struct Batches {
    stream: SendableRecordBatchStream,
    runtime: Arc<Runtime>,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.runtime.block_on(self.stream.next())?;
        Some(next.map_err(|error| ArrowError::ExternalError(Box::new(error))))
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.stream.schema()
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
        let stream = py.detach(|| runtime.block_on(frame.execute_stream()));
        let stream = stream.map_err(|error| raised(py, &error))?;
        let batches = Batches { stream, runtime };
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
    let frame = py.detach(|| runtime.block_on(run(query, tables, &parameters, timestamps)));
    let frame = frame.map_err(|error| raised(py, &error))?;
    Ok(Rows { frame, runtime })
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
    let codec = session.call_method0("__datafusion_logical_extension_codec__")?;
    let codec = codec.cast::<PyCapsule>()?;
    let pointer = codec.pointer_checked(Some(c"datafusion_logical_extension_codec"))?;
    // SAFETY: a capsule of this name has a codec, which stays in it.
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
