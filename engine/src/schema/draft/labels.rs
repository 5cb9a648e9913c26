//! The dimension labels of a schema under construction.

use std::sync::Arc;

use super::{SchemaDraft, check_failed, usage_error};
use crate::error::{Error, Result};
use crate::filter::FilterList;
use crate::schema::dimension_label::LabelDefinition;
use crate::schema::{ArraySchema, DimensionLabel, LABELS_FOLDER};
use crate::types::{DataOrder, Datatype};

impl SchemaDraft {
    /// Adds a label to a dimension.
    pub fn add_label(
        &mut self,
        dimension: u32,
        name: &str,
        order: DataOrder,
        datatype: Datatype,
    ) -> Result<()> {
        if order == DataOrder::Unordered {
            return Err(usage_error(
                "Cannot add dimension label; Unordered dimension labels are not yet supported.",
            ));
        }
        let Some(domain) = &self.domain else {
            return Err(usage_error(
                "Cannot add dimension label; Must set domain before adding dimension labels.",
            ));
        };
        let domain = domain.read();
        let Some(target) = domain.dimensions.get(dimension as usize) else {
            return Err(usage_error(format!(
                "Cannot add a label to dimension {dimension}; Invalid dimension index. "
            )));
        };
        let conflict = if name.is_empty() {
            Some("The name is empty")
        } else if self.has_attribute(name) {
            Some("An attribute with that name already exists")
        } else if domain.has_dimension(name) {
            Some("A dimension with that name already exists")
        } else if self.rest.label(name).is_some() {
            Some("A different label with that name already exists")
        } else {
            None
        };
        if let Some(conflict) = conflict {
            return Err(usage_error(format!(
                "Cannot add a dimension label with name '{name}'. {conflict}."
            )));
        }
        let target = target.read().clone();
        let definition = LabelDefinition {
            dimension,
            name,
            uri: self.unused_uri(),
            order,
            datatype,
        };
        let label = DimensionLabel::new(definition, &target, self.rest.timestamps.end)?;
        drop(domain);
        self.rest.labels.push(label);
        Ok(())
    }

    /// Returns a URI in the array's folder for the next label's array.
    fn unused_uri(&self) -> String {
        let labels = &self.rest.labels;
        let mut uris = (labels.len()..).map(|number| format!("{LABELS_FOLDER}/l{number}"));
        let free = |uri: &String| labels.iter().all(|label| label.uri != *uri);
        uris.find(free).unwrap_or_default()
    }

    /// Returns a label by index.
    pub fn label_at(&self, index: u64) -> Result<&DimensionLabel> {
        let labels = &self.rest.labels;
        let found = usize::try_from(index)
            .ok()
            .and_then(|position| labels.get(position));
        found.ok_or_else(|| {
            let number = labels.len();
            usage_error(format!(
                "Unable to get dimension label reference; Index {index} is out of range, there are {number}."
            ))
        })
    }

    /// Returns a label by name.
    pub fn label(&self, name: &str) -> Result<&DimensionLabel> {
        self.rest.label(name).ok_or_else(|| no_label(name))
    }

    fn label_mut(&mut self, name: &str) -> Result<&mut DimensionLabel> {
        let found = self.rest.labels.iter_mut().find(|label| label.name == name);
        found.ok_or_else(|| no_label(name))
    }

    /// Sets the filters of the values of a label that was added to this draft.
    pub fn set_label_filters(&mut self, name: &str, filters: Arc<FilterList>) -> Result<()> {
        self.label_mut(name)?.set_filters(filters)
    }

    /// Sets the tile extent of a label that was added to this draft: a value of the dimension's
    /// datatype, or `None` for a single tile.
    pub fn set_label_extent(
        &mut self,
        name: &str,
        datatype: Datatype,
        extent: Option<&[u8]>,
    ) -> Result<()> {
        self.label_mut(name)?.set_extent(datatype, extent)
    }
}

fn no_label(name: &str) -> Error {
    usage_error(format!(
        "Unable to get dimension label reference; No dimension label named '{name}'."
    ))
}

/// Checks that every label that belongs to the array has a suitable schema.
pub(super) fn check(schema: &ArraySchema) -> Result<()> {
    for label in schema.labels.iter().filter(|label| !label.is_external) {
        let Some(own) = &label.schema else {
            return Err(check_failed(&format!(
                "Missing dimension label schema for dimension label '{}'.",
                label.name
            )));
        };
        if let Some(dimension) = schema.domain.dimensions.get(label.dimension as usize) {
            label.check_schema(dimension, own)?;
        }
        // Checks changes made to the schema since.
        SchemaDraft::of(own).finish()?;
    }
    Ok(())
}
