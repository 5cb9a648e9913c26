//! Exceptions by meaning.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;
use tiledb_engine::{Error, ErrorKind};

/// Returns the class of `tiledb_rs._errors` for errors of a kind.
fn class_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "NotFoundError",
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

/// Creates an exception of a class of `tiledb_rs._errors`.
pub(crate) fn exception(py: Python<'_>, class: &str, text: String) -> PyErr {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || {
        PyModule::import(py, "tiledb_rs._errors").map(Bound::unbind)
    });
    let made = module.and_then(|module| module.bind(py).getattr(class)?.call1((text,)));
    made.map_or_else(|problem| problem, PyErr::from_value)
}

/// Returns the exception for an error of the engine.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    exception(py, class_name(error.kind()), error.to_string())
}

/// Conversion of the engine's errors to exceptions.
pub(crate) trait OrRaise<T> {
    /// Returns the value or the exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raised(py, &error))
    }
}
