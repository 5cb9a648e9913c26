//! The dimension labels of a schema that is being filled.

use std::sync::Arc;

use super::{SchemaDraft, check_failed, refused};
use crate::error::{Error, Result};
use crate::filter::FilterList;
use crate::schema::{ArraySchema, DimensionLabel, LABELS_FOLDER};
use crate::types::{DataOrder, Datatype};

impl SchemaDraft {
    /// Adds a label to the dimension of an index.
    pub fn add_label(
        &mut self,
        dimension: u32,
        name: &str,
        order: DataOrder,
        datatype: Datatype,
    ) -> Result<()> {
        if order == DataOrder::Unordered {
            return Err(refused(
                "Cannot add dimension label; Unordered dimension labels are not yet supported.",
            ));
        }
        let Some(domain) = &self.domain else {
            return Err(refused(
                "Cannot add dimension label; Must set domain before adding dimension labels.",
            ));
        };
        let domain = domain.read();
        let Some(of) = domain.dimensions.get(dimension as usize) else {
            return Err(refused(format!(
                "Cannot add a label to dimension {dimension}; Invalid dimension index. "
            )));
        };
        let taken = match () {
            () if name.is_empty() => Some("The name is empty"),
            () if self.has_attribute(name) => Some("An attribute with that name already exists"),
            () if domain.has_dimension(name) => Some("A dimension with that name already exists"),
            () if self.rest.label(name).is_some() => {
                Some("A different label with that name already exists")
            }
            () => None,
        };
        if let Some(taken) = taken {
            return Err(refused(format!(
                "Cannot add a dimension label with name '{name}'. {taken}."
            )));
        }
        let of = of.read().clone();
        let kind = (order, datatype);
        let made = DimensionLabel::new(
            (dimension, &of),
            name,
            self.free_place(),
            kind,
            self.rest.timestamps.end,
        )?;
        drop(domain);
        self.rest.labels.push(made);
        Ok(())
    }

    /// Where the array of the next label goes, in the folder of the array.
    fn free_place(&self) -> String {
        let labels = &self.rest.labels;
        let mut places = (labels.len()..).map(|number| format!("{LABELS_FOLDER}/l{number}"));
        let free = |place: &String| labels.iter().all(|label| label.uri != *place);
        places.find(free).unwrap_or_default()
    }

    /// A label by index.
    pub fn label_at(&self, index: u64) -> Result<&DimensionLabel> {
        let labels = &self.rest.labels;
        let found = usize::try_from(index).ok().and_then(|at| labels.get(at));
        found.ok_or_else(|| {
            let number = labels.len();
            refused(format!(
                "Unable to get dimension label reference; There is none of index {index}, of {number}."
            ))
        })
    }

    /// A label by name.
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

    /// Sets the tile extent of a label that was added to this draft: a value of the dimension's datatype, `None` for one
    /// tile.
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
    refused(format!(
        "Unable to get dimension label reference; No dimension label named '{name}'."
    ))
}

/// Every label that is the array's own must bring the schema that its array is made of.
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
        // What was set on it since is looked at here.
        SchemaDraft::of(own).finish()?;
    }
    Ok(())
}
