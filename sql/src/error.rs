//! Errors of the engine as DataFusion's.

use datafusion::error::DataFusionError;
use tiledb_engine::Error;

/// Returns an error of an operation on an object as DataFusion's. The text has the URI.
pub(crate) fn engine_error(uri: &str, error: Error) -> DataFusionError {
    if error.to_string().contains(uri) {
        return DataFusionError::External(Box::new(error));
    }
    let context = format!("'{uri}'");
    DataFusionError::External(Box::new(error)).context(context)
}

/// Returns an error of the options of a table or the arguments of a function.
pub(crate) fn usage_error(text: impl Into<String>) -> DataFusionError {
    DataFusionError::Plan(text.into())
}
