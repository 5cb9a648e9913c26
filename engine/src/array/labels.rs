//! The arrays of dimension labels: each holds the values of one label, in a folder of the array that it belongs to.

use std::sync::Arc;

use super::create::create;
use super::open::Array;
use super::snapshot::Snapshot;
use crate::error::{Error, Result};
use crate::schema::{ArraySchema, DimensionLabel};
use crate::types::{EncryptionKey, QueryType};
use crate::vfs::{Uri, Vfs};

/// Makes the arrays of the labels of a new array at `uri`, encrypted as that is.
pub(super) fn create_all(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    for label in schema.labels.iter().filter(|label| !label.is_external) {
        let Some(own) = &label.schema else {
            let message =
                "Failed to create array. Dimension labels that are not external must have a schema";
            return Err(Error::usage("Array", message));
        };
        create(vfs, &label.place(uri)?, own, key)?;
    }
    Ok(())
}

impl DimensionLabel {
    /// Where the array of the label is, if the array it belongs to is at `array`. An error for places outside of that
    /// folder that claim to be in it.
    pub fn place(&self, array: &Uri) -> Result<Uri> {
        if !self.uri_is_relative {
            return super::load::parse_uri(&self.uri);
        }
        let mut steps = self.uri.split('/');
        if self.uri.is_empty() || steps.any(|step| matches!(step, "" | "." | "..")) {
            let message = format!(
                "The place '{}' of label '{}' is not one in its array",
                self.uri, self.name
            );
            return Err(Error::usage("DimensionLabel", message));
        }
        Ok(array.join(&self.uri))
    }
}

/// Opens the array of a label as `parent` was opened: at the same times, with the same key and configuration.
pub fn open_label(
    vfs: &Arc<Vfs>,
    parent: &Snapshot,
    label: &DimensionLabel,
    query_type: QueryType,
) -> Result<Arc<Array>> {
    let array = Array::open_beside(vfs, label.place(&parent.uri)?, parent, query_type)?;
    let dimension = parent
        .schema
        .domain
        .dimensions
        .get(label.dimension as usize);
    let dimension = dimension
        .ok_or_else(|| Error::usage("ArraySchema", "The dimension of the label is not there"))?;
    label.check_schema(dimension, &*array.schema()?)?;
    Ok(Arc::new(array))
}
