//! The stream interface of Arrow.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array as _, RecordBatch, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tiledb_engine::{Array, Context, Error, PlainReader, RecordBatches, SharedReader, Timestamp};

use crate::context::{attach, with_signals};
use crate::errors::raised;

/// An error of the engine, or of a stream of Arrow.
#[derive(Debug)]
pub(crate) enum ArrowProblem {
    Engine(Error),
    Arrow(ArrowError),
}

impl From<Error> for ArrowProblem {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<ArrowError> for ArrowProblem {
    fn from(error: ArrowError) -> Self {
        Self::Arrow(error)
    }
}

impl ArrowProblem {
    /// Returns the exception.
    pub(crate) fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Engine(error) => raised(py, &error),
            Self::Arrow(error) => PyValueError::new_err(error.to_string()),
        }
    }
}

/// The decoded batches of a stream.
pub(crate) type StreamReader = PlainReader<ArrowArrayStreamReader>;

/// Returns the reader of an object with the method `__arrow_c_stream__`.
pub(crate) fn reader(object: &Bound<'_, PyAny>) -> PyResult<StreamReader> {
    let Some(stream) = object.getattr_opt("__arrow_c_stream__")? else {
        let name = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "an object of type {name} is no stream of Arrow"
        )));
    };
    let capsule = stream.call0()?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name has a stream, which the reader takes out of it.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr().cast()) };
    reader
        .map(PlainReader::new)
        .map_err(|problem| PyValueError::new_err(problem.to_string()))
}

/// Record batches of another schema, to which the columns of a reader are reduced.
struct Cast {
    reader: Box<dyn RecordBatchReader + Send>,
    columns: Vec<usize>,
    schema: SchemaRef,
}

impl Iterator for Cast {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.and_then(|batch| batch.project(&self.columns)))
    }
}

impl RecordBatchReader for Cast {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

thread_local! {
    /// The exception of a signal that ended a stream, between [`keep_signal`] and [`kept_signal`].
    static KEPT: RefCell<Option<Option<PyErr>>> = const { RefCell::new(None) };
}

/// Starts to keep the exception of a signal that ends a stream in this thread, so that the caller
/// of the consumer can raise it instead of the consumer's own exception.
#[pyfunction]
pub(crate) fn keep_signal() {
    KEPT.set(Some(None));
}

/// Returns the exception that was kept since [`keep_signal`], and keeps no further one.
#[pyfunction]
pub(crate) fn kept_signal() -> Option<PyErr> {
    KEPT.take().flatten()
}

/// Record batches of a read that ends if a handler of a signal raises an exception.
struct Interruptible {
    batches: RecordBatches,
    context: Context,
    start: Instant,
}

impl Iterator for Interruptible {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (batch, raised) = with_signals(&self.context, self.start, || self.batches.next());
        let Some(problem) = raised else {
            return batch;
        };
        let error = attach(|py| {
            // Its text is made before Python handles the signal again, in which none can be made.
            let error = ArrowError::ExternalError(problem.to_string().into());
            let is_interrupt = problem.is_instance_of::<PyKeyboardInterrupt>(py);
            KEPT.with_borrow_mut(|kept| match kept {
                Some(kept) => *kept = Some(problem),
                // The consumer has an exception of its own, after which Python handles the signal.
                // SAFETY: the function may be called by any thread in any state.
                None if is_interrupt => unsafe { ffi::PyErr_SetInterrupt() },
                None => {}
            });
            error
        });
        Some(Err(error))
    }
}

impl RecordBatchReader for Interruptible {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }
}

/// A reader without batches.
struct Empty(SchemaRef);

impl Iterator for Empty {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        None
    }
}

impl RecordBatchReader for Empty {
    fn schema(&self) -> SchemaRef {
        self.0.clone()
    }
}

/// Returns the batches of a read as a capsule; an empty stream if `has_cells` is false. Names and
/// the order of columns follow a requested schema, types only if they are those of the array, as
/// the interface permits.
pub(crate) fn stream_capsule<'py>(
    py: Python<'py>,
    context: Context,
    batches: RecordBatches,
    has_cells: bool,
    requested: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut reader: Box<dyn RecordBatchReader + Send> = if has_cells {
        Box::new(Interruptible {
            batches,
            context,
            start: Instant::now(),
        })
    } else {
        Box::new(Empty(batches.schema()))
    };
    if let Some(requested) = requested {
        let capsule = requested.cast::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(c"arrow_schema"))?;
        // SAFETY: a capsule of this name has a schema, which stays in it.
        let schema = unsafe { &*pointer.as_ptr().cast::<FFI_ArrowSchema>() };
        let selected = arrow_schema::Schema::try_from(schema)
            .map_err(|problem| PyValueError::new_err(problem.to_string()))?;
        let schema = reader.schema();
        let columns: Result<Vec<usize>, _> = selected
            .fields()
            .iter()
            .map(|field| schema.index_of(field.name()))
            .collect();
        if let Ok(columns) = columns {
            let schema = schema.project(&columns);
            let schema = schema.map_err(|problem| PyValueError::new_err(problem.to_string()))?;
            reader = Box::new(Cast {
                reader,
                columns,
                schema: Arc::new(schema),
            });
        }
    }
    // Packages release the interpreter while they read a batch, and threads may share a stream.
    let stream = FFI_ArrowArrayStream::new(Box::new(SharedReader::new(reader)));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// Returns a schema of Arrow as a capsule.
pub(crate) fn schema_capsule<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
) -> PyResult<Bound<'py, PyCapsule>> {
    let exported = FFI_ArrowSchema::try_from(&**schema)
        .map_err(|problem| PyValueError::new_err(problem.to_string()))?;
    PyCapsule::new_with_value(py, exported, c"arrow_schema")
}

/// Writes the batches of a reader; returns the number of cells. Batches are collected to fragments
/// of about `fragment_bytes` bytes. Values that are new in an enumeration are added to it first.
pub(crate) fn write(
    mut array: Array,
    reader: StreamReader,
    timestamp: Option<Timestamp>,
    fragment_bytes: usize,
) -> Result<u64, ArrowProblem> {
    let schema = reader.schema();
    let (mut pending, mut bytes, mut cells) = (Vec::new(), 0, 0);
    let mut store = |pending: &mut Vec<RecordBatch>| -> Result<(), ArrowProblem> {
        let batch = match &pending[..] {
            [batch] => batch.clone(),
            batches => concat_batches(&schema, batches)?,
        };
        pending.clear();
        if batch.num_rows() == 0 {
            return Ok(());
        }
        array.extend_enumerations(&batch)?;
        let mut write = array.write().record_batch(&batch);
        if let Some(timestamp) = timestamp {
            write = write.at(timestamp);
        }
        write.submit()?;
        Ok(())
    };
    for batch in reader {
        let batch = batch?;
        cells += batch.num_rows() as u64;
        bytes += slice_bytes(&batch);
        pending.push(batch);
        if bytes >= fragment_bytes {
            store(&mut pending)?;
            bytes = 0;
        }
    }
    if !pending.is_empty() {
        store(&mut pending)?;
    }
    Ok(cells)
}

/// Returns the size of the cells of a batch, whose buffers may be parts of larger ones.
fn slice_bytes(batch: &RecordBatch) -> usize {
    let columns = batch.columns().iter();
    let sizes = columns.map(|column| {
        let size = column.to_data().get_slice_memory_size();
        size.unwrap_or_else(|_| column.get_array_memory_size())
    });
    sizes.sum()
}
