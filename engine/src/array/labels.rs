//! The arrays of dimension labels: each holds the values of one label, in a folder of the array
//! that it belongs to.

use std::sync::Arc;

use super::create::write_hidden;
use super::key;
use super::open::Array;
use super::schemas::Schemas;
use super::snapshot::Snapshot;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::schema::DimensionLabel;
use crate::types::{EncryptionKey, QueryType, new_uuid};
use crate::vfs::{Uri, Vfs};

/// The arrays of the labels of a new array, complete under temporary names: the index of each label
/// and its folder.
#[derive(Debug)]
pub(super) struct LabelFolders(Vec<(usize, Uri)>);

impl LabelFolders {
    /// Writes the arrays of labels into a temporary folder, encrypted as the array that they belong
    /// to.
    pub(super) fn write(
        vfs: &Vfs,
        staging: &Uri,
        labels: &[DimensionLabel],
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let own = labels.iter().enumerate();
        let own = own.filter(|(_, label)| !label.is_external);
        let mut folders = Vec::new();
        for (at, label) in own {
            let schema = label.schema.as_ref().ok_or_else(|| {
                let message = "Failed to create array. Dimension labels that are not external must have a schema";
                Error::usage("Array", message)
            })?;
            let folder = staging.join(&format!("label{at}"));
            write_hidden(vfs, &folder, schema, key)?;
            folders.push((at, folder));
        }
        Ok(Self(folders))
    }

    /// Gives each array a name in the array at `root`, durably: the one that its label has, or
    /// another if that is taken by a creation that another process works on or did not end.
    /// `claimed` receives the folders.
    pub(super) fn publish(
        self,
        vfs: &Vfs,
        root: &Uri,
        labels: &mut [DimensionLabel],
        claimed: &mut Vec<Uri>,
    ) -> Result<()> {
        for (at, folder) in self.0 {
            let Some(label) = labels.get_mut(at) else {
                continue;
            };
            let mut place = label.place(root)?;
            if let Some(above) = place.parent() {
                vfs.ensure_dir(&above)?;
            }
            if !vfs.publish_dir(&folder, &place)? {
                label.uri = format!("{}_{}", label.uri, new_uuid());
                place = label.place(root)?;
                if !vfs.publish_dir(&folder, &place)? {
                    let kind = std::io::ErrorKind::AlreadyExists;
                    return Err(Error::storage("move", place.as_str(), kind.into()));
                }
            }
            claimed.push(place);
        }
        Ok(())
    }
}

/// Returns the folders of the labels that any schema of the array at `uri` names. The key is that
/// of the configuration.
pub fn label_folders(vfs: &Arc<Vfs>, uri: &Uri, config: &Config) -> Result<Vec<Uri>> {
    let key = match key::of_array_config(config)? {
        None => key::of_config(vfs.context().config())?,
        key => key,
    };
    let mut folders = Vec::new();
    for schema in Schemas::list(vfs, uri, key.as_ref())?.all()? {
        for label in schema.labels.iter().filter(|label| label.uri_is_relative) {
            folders.push(label.place(uri)?);
        }
    }
    Ok(folders)
}

impl DimensionLabel {
    /// Returns where the array of the label is, if the array it belongs to is at `array`. An error
    /// for places outside of that folder that claim to be in it.
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

/// Opens the array of a label as `parent` was opened: at the same times, with the same key and
/// configuration.
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

#[cfg(test)]
mod tests {
    use super::super::tests::text;
    use super::*;
    use crate::types::{DataOrder, Datatype};

    #[test]
    fn a_label_does_not_lead_out_of_its_array() {
        let label = |uri: &str, uri_is_relative| DimensionLabel {
            dimension: 0,
            name: "l".to_owned(),
            uri: uri.to_owned(),
            uri_is_relative,
            attribute: "label".to_owned(),
            order: DataOrder::Increasing,
            datatype: Datatype::Int32,
            cell_val_num: 1,
            is_external: !uri_is_relative,
            schema: None,
        };
        let array = Uri::parse("mem://array").expect("uri");
        let place = |uri, relative| label(uri, relative).place(&array);
        assert_eq!(
            place("__labels/l0", true).expect("inside").as_str(),
            "mem://array/__labels/l0"
        );
        assert_eq!(
            place("mem://other/l", false).expect("external").as_str(),
            "mem://other/l"
        );
        for uri in ["", "../other", "__labels/../..", "/etc", "a//b", "."] {
            assert!(
                text(place(uri, true)).contains("is not one in its array"),
                "{uri}"
            );
        }
    }
}
