//! Contexts of the engine by their configuration.

use std::sync::{Mutex, OnceLock, PoisonError};

use pyo3::exceptions::PyValueError;
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
        for item in config.call_method0("items")?.try_iter()? {
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
