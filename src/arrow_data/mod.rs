//! The structures of Arrow's C data interface, and arrays as buffers of writes. The module `arrow`
//! of the engine has the correspondence of fields and Arrow types.

mod abi;
mod import;

use std::sync::Arc;

use tiledb_engine::internal::arrow::arrow_error;
use tiledb_engine::internal::buffers::FieldForm;
use tiledb_engine::internal::schema::{ArraySchema, Enumeration};

pub use abi::{ArrowArray, ArrowArrayStream, ArrowSchema};
pub(crate) use import::ImportedArray;

use crate::prelude::*;

/// Returns the description of a dimension or an attribute of a schema.
pub(crate) fn form_of(
    schema: &ArraySchema,
    name: &str,
    enumeration: impl Fn(&str) -> Result<Arc<Enumeration>>,
) -> Result<FieldForm> {
    if schema.label(name).is_some() {
        return Err(arrow_error(format!(
            "'{name}' is a dimension label, which has a value for each coordinate instead of each cell; \
             read it into buffers"
        )));
    }
    let form = FieldForm::of(schema, name, enumeration)?;
    form.ok_or_else(|| arrow_error(format!("there is no field '{name}'")))
}
