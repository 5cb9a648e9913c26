//! Contexts of the engine by their configuration.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyImportError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use tiledb_engine::{Config, Context};

use crate::errors::OrRaise;

/// Parameters and their values, in the order of names.
pub(crate) type Parameters = Vec<(String, String)>;

/// The number of contexts with parameters that are kept.
const MAX_CONTEXTS: usize = 16;

/// Returns the parameters of a mapping, and those of an encryption key.
pub(crate) fn parameters(
    config: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
) -> PyResult<Parameters> {
    let mut found = Parameters::new();
    if let Some(config) = config {
        let Some(items) = config.getattr_opt("items")? else {
            let class = config.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "the configuration is a mapping of parameters, not a value of type {class}"
            )));
        };
        for item in items.call0()?.try_iter()? {
            let item = item?;
            let item = item.cast::<PyTuple>()?;
            let text = |index| -> PyResult<String> { item.get_item(index)?.str()?.extract() };
            found.push((text(0)?, text(1)?));
        }
    }
    if let Some(key) = key {
        let key: String = match key.cast::<PyBytes>() {
            Ok(bytes) => String::from_utf8(bytes.as_bytes().to_vec())
                .map_err(|_| PyValueError::new_err("the key is not UTF-8"))?,
            Err(_) => key.extract()?,
        };
        found.push(("sm.encryption_type".into(), "AES_256_GCM".into()));
        found.push(("sm.encryption_key".into(), key));
    }
    found.sort();
    Ok(found)
}

/// The time after which a call looks for signals. Shorter calls do not attach to Python.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// The thread in which Python handles signals, if the module was imported in it. A consumer of a
/// stream may hold the interpreter while other threads read, which therefore must not attach.
static MAIN_THREAD: OnceLock<ThreadId> = OnceLock::new();

thread_local! {
    /// The start of the call of the engine that this thread runs, if it looks for signals.
    static CALL: Cell<Option<Instant>> = const { Cell::new(None) };
    /// The exception of a signal or of a callback that cancelled the call.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Checks that the module is imported in the main interpreter of the process.
///
/// # Errors
///
/// In a sub-interpreter, with which the module would share objects of the main one.
pub(crate) fn check_interpreter(_: Python<'_>) -> PyResult<()> {
    // SAFETY: `Python` proves that the thread is attached to an interpreter, which exists until it
    // detaches.
    let id = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if id == 0 {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "tiledb_rs cannot be imported in a sub-interpreter, only in the main interpreter of a process",
    ))
}

/// Remembers the main thread of Python.
pub(crate) fn find_main_thread(py: Python<'_>) -> PyResult<()> {
    let threading = py.import("threading")?;
    let current = threading.call_method0("get_ident")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    if current.eq(main)? {
        MAIN_THREAD.get_or_init(|| std::thread::current().id());
    }
    Ok(())
}

/// Runs a function with the interpreter. `Python::attach` alone takes a thread for attached while a
/// function of this module runs in it, also if a package that was called from there has released
/// the interpreter and reads a stream.
pub(crate) fn attach<T>(body: impl FnOnce(Python<'_>) -> T) -> T {
    struct Attached(ffi::PyGILState_STATE);
    impl Drop for Attached {
        fn drop(&mut self) {
            // SAFETY: the state is that of the call below, in the same thread.
            unsafe { ffi::PyGILState_Release(self.0) };
        }
    }
    // SAFETY: the interpreter runs, because it has loaded this module.
    let _attached = Attached(unsafe { ffi::PyGILState_Ensure() });
    Python::attach(body)
}

/// Runs a short call of the engine without the interpreter, which other threads can use meanwhile.
/// No thread calls what may wait for a lock of the engine with the interpreter, because the thread
/// with that lock may need the interpreter for signals.
///
/// # Errors
///
/// If a callback raised an exception.
pub(crate) fn detach<T: Send>(py: Python<'_>, call: impl FnOnce() -> T + Send) -> PyResult<T> {
    let result = py.detach(call);
    RAISED.take().map_or(Ok(result), Err)
}

/// Runs a call of the engine as [`detach`], and cancels it if a handler of a signal, such as that
/// of Ctrl-C, raises an exception.
///
/// # Errors
///
/// If a signal or a callback raised an exception.
pub(crate) fn detach_long<T: Send>(
    py: Python<'_>,
    context: &Context,
    call: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (result, raised) = with_signals(context, Instant::now(), || py.detach(call));
    raised.map_or(Ok(result), Err)
}

/// Runs a call of the engine that is cancelled by signals. Returns its result, and the exception
/// that a signal or a callback raised. Only the main thread of Python looks for signals. `start` is
/// the time when the operation began that the call is a part of.
pub(crate) fn with_signals<T>(
    context: &Context,
    start: Instant,
    call: impl FnOnce() -> T,
) -> (T, Option<PyErr>) {
    if MAIN_THREAD.get() != Some(&std::thread::current().id()) {
        return (call(), RAISED.take());
    }
    let outer = CALL.replace(Some(start));
    context.set_progress(|_| match CALL.get() {
        Some(start) if start.elapsed() >= SIGNAL_INTERVAL => {
            attach(|py| py.check_signals()).map_or_else(keep_raised, ControlFlow::Continue)
        }
        _ => ControlFlow::Continue(()),
    });
    let result = call();
    if outer.is_none() {
        context.clear_progress();
    }
    CALL.set(outer);
    (result, RAISED.take())
}

/// Keeps the exception of a callback, with which the call of the engine will end.
pub(crate) fn keep_raised(problem: PyErr) -> ControlFlow<()> {
    RAISED.replace(Some(problem));
    ControlFlow::Break(())
}

/// Creates a context.
pub(crate) fn new_context(parameters: &Parameters) -> tiledb_engine::Result<Context> {
    let mut config = Config::new();
    for (name, value) in parameters {
        config.set(name, value)?;
    }
    Context::with_config(config)
}

/// Returns the context with these parameters. Contexts are shared, so that arrays at `mem://` exist
/// in all of them with equal parameters, and the open of an array creates none.
pub(crate) fn context(py: Python<'_>, parameters: &Parameters) -> PyResult<Context> {
    static DEFAULT: OnceLock<Context> = OnceLock::new();
    static OTHERS: Mutex<Vec<(Parameters, Context)>> = Mutex::new(Vec::new());
    if parameters.is_empty() {
        if let Some(context) = DEFAULT.get() {
            return Ok(context.clone());
        }
        let context = new_context(parameters).or_raise(py)?;
        return Ok(DEFAULT.get_or_init(|| context).clone());
    }
    // The lock is held only while the thread is attached to Python, so that a forked child, which
    // is forked by such a thread, finds it free.
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, context)) = others.iter().find(|(known, _)| known == parameters) {
        return Ok(context.clone());
    }
    let context = new_context(parameters).or_raise(py)?;
    if others.len() == MAX_CONTEXTS {
        others.remove(0);
    }
    others.push((parameters.clone(), context.clone()));
    Ok(context)
}
