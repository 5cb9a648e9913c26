//! Errors of the engine as DataFusion's.

use std::fmt;

use datafusion::error::DataFusionError;
use tiledb_engine::Error;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// An error with what its source does not say.
#[derive(Debug)]
struct TableError {
    text: String,
    source: Source,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for TableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.source.as_ref())
    }
}

/// Returns an error of an operation on an object as DataFusion's. The text is one sentence with the
/// URI; `DataFusionError::context` would add a line.
pub(crate) fn engine_error(uri: &str, error: Error) -> DataFusionError {
    let text = error.to_string();
    if text.contains(uri) {
        return DataFusionError::External(Box::new(error));
    }
    table_error(format!("'{uri}': {text}"), Box::new(error))
}

/// Returns the error of a statement that failed to remove the array that it had created.
pub(crate) fn not_removed_error(uri: &str, error: DataFusionError) -> DataFusionError {
    let source = match error {
        DataFusionError::External(source) => source,
        other => Box::new(other),
    };
    let text = format!("{source}; the new array '{uri}' cannot be removed");
    table_error(text, source)
}

fn table_error(text: String, source: Source) -> DataFusionError {
    DataFusionError::External(Box::new(TableError { text, source }))
}

/// Returns an error of the options of a table or the arguments of a function.
pub(crate) fn usage_error(text: impl Into<String>) -> DataFusionError {
    DataFusionError::Plan(text.into())
}
