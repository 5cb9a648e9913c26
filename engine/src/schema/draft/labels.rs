//! The dimension labels of a schema under construction.

use std::sync::Arc;

use super::SchemaDraft;
use crate::error::{Error, LabelError, Result};
use crate::filter::FilterList;
use crate::schema::{DimensionLabel, LABELS_FOLDER};
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
            return Err(LabelError::Unordered.into());
        }
        let Some(domain) = &self.domain else {
            return Err(LabelError::NoDomain.into());
        };
        let domain = domain.read();
        let Some(target) = domain.dimensions.get(dimension as usize) else {
            return Err(LabelError::NoDimension { index: dimension }.into());
        };
        let conflict = if name.is_empty() {
            Some(LabelError::NoName)
        } else if self.has_attribute(name) {
            Some(LabelError::NameOfAttribute { name: name.into() })
        } else if domain.has_dimension(name) {
            Some(LabelError::NameOfDimension { name: name.into() })
        } else if self.base.label(name).is_some() {
            Some(LabelError::NameOfLabel { name: name.into() })
        } else {
            None
        };
        if let Some(conflict) = conflict {
            return Err(conflict.into());
        }
        let target = target.read().clone();
        let label = DimensionLabel::new(
            name,
            self.unused_uri(),
            dimension,
            &target,
            order,
            datatype,
            self.base.timestamps.end,
        )?;
        drop(domain);
        self.properties_mut().labels.push(label);
        Ok(())
    }

    /// Returns a URI in the array's folder for the next label's array.
    fn unused_uri(&self) -> String {
        let labels = &self.base.labels;
        let mut uris = (labels.len()..).map(|number| format!("{LABELS_FOLDER}/l{number}"));
        uris.find(|uri| labels.iter().all(|label| label.uri != *uri))
            .unwrap_or_default()
    }

    /// Returns a label by index.
    pub fn label_at(&self, index: u64) -> Result<&DimensionLabel> {
        let labels = &self.base.labels;
        let found = usize::try_from(index)
            .ok()
            .and_then(|position| labels.get(position));
        found.ok_or_else(|| {
            let number = labels.len();
            Error::from(LabelError::NoLabel { index, number })
        })
    }

    /// Returns a label by name.
    pub fn label(&self, name: &str) -> Result<&DimensionLabel> {
        self.base.label(name).ok_or_else(|| no_label(name))
    }

    fn change_label(
        &mut self,
        name: &str,
        change: impl FnOnce(&mut DimensionLabel) -> Result<()>,
    ) -> Result<()> {
        let labels = &mut self.properties_mut().labels;
        let index = labels.index_of(name).ok_or_else(|| no_label(name))?;
        labels.update(|labels| change(&mut labels[index]))
    }

    /// Sets the filters of the values of a label that was added to this draft.
    pub fn set_label_filters(&mut self, name: &str, filters: Arc<FilterList>) -> Result<()> {
        self.change_label(name, |label| label.set_filters(filters))
    }

    /// Sets the tile extent of a label that was added to this draft: a value of the dimension's
    /// datatype, or `None` for a single tile.
    pub fn set_label_extent(
        &mut self,
        name: &str,
        datatype: Datatype,
        extent: Option<&[u8]>,
    ) -> Result<()> {
        self.change_label(name, |label| label.set_extent(datatype, extent))
    }
}

fn no_label(name: &str) -> Error {
    Error::from(LabelError::Unknown { name: name.into() })
}
