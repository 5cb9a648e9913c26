//! The arrays of dimension labels: each contains the values of one label, in a subfolder of the
//! array.

use std::sync::Arc;

use super::folder_tree::write_hidden;
use super::key;
use super::open::Array;
use super::schemas::Schemas;
use super::snapshot::Snapshot;
use crate::config::Config;
use crate::error::{Error, LabelError, Result};
use crate::schema::DimensionLabel;
use crate::types::{EncryptionKey, QueryType, new_uuid};
use crate::vfs::{StorageView, Uri, Vfs};

/// The arrays of the labels of a new array, written under temporary names: the index of each label,
/// its folder, and the names below it that are not durable.
#[derive(Debug)]
pub(super) struct LabelFolders(Vec<(usize, Uri, Vec<String>)>);

impl LabelFolders {
    /// Writes the arrays of labels into a temporary folder, with the encryption of the parent
    /// array.
    pub(super) fn write(
        vfs: &Vfs,
        staging: &Uri,
        labels: &[DimensionLabel],
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let internal = labels
            .iter()
            .enumerate()
            .filter(|(_, label)| !label.is_external);
        let mut folders = Vec::new();
        for (index, label) in internal {
            let schema = label.schema.as_ref().ok_or_else(missing_schema)?;
            let folder = staging.join(&format!("label{index}"));
            let names = write_hidden(vfs, &folder, schema, key)?;
            folders.push((index, folder, names));
        }
        Ok(Self(folders))
    }

    /// Publishes each array in the folder of the array at `root`: under the name in its label, or
    /// another if that is taken by a concurrent or incomplete creation. Adds the folders to
    /// `claimed`. Returns the files and folders that must be durable before a schema names them.
    pub(super) fn publish(
        self,
        vfs: &Vfs,
        root: &Uri,
        labels: &mut [DimensionLabel],
        claimed: &mut Vec<Uri>,
    ) -> Result<Vec<Uri>> {
        let mut unsynced = Vec::new();
        for (index, folder, names) in self.0 {
            let Some(label) = labels.get_mut(index) else {
                continue;
            };
            let mut array_uri = label.array_uri(root)?;
            if let Some(parent) = array_uri.parent() {
                vfs.ensure_dir(&parent)?;
            }
            if !vfs.publish_dir_unsynced(&folder, &array_uri)? {
                label.uri = format!("{}_{}", label.uri, new_uuid());
                array_uri = label.array_uri(root)?;
                if !vfs.publish_dir_unsynced(&folder, &array_uri)? {
                    let kind = std::io::ErrorKind::AlreadyExists;
                    return Err(Error::storage("move", array_uri.as_str(), kind.into()));
                }
            }
            unsynced.extend(names.iter().map(|name| array_uri.join(name)));
            unsynced.extend(
                array_uri
                    .parent()
                    .filter(|parent| !unsynced.contains(parent)),
            );
            unsynced.push(array_uri.clone());
            claimed.push(array_uri);
        }
        Ok(unsynced)
    }
}

/// Writes the arrays of labels on an object store, where nothing is renamed: each under the name
/// that its label has, or another if that is taken by a creation that did not end. `made` receives
/// the folders.
pub(super) fn write_objects(
    view: &StorageView,
    root: &Uri,
    labels: &mut [DimensionLabel],
    key: Option<&EncryptionKey>,
    made: &mut Vec<Uri>,
) -> Result<()> {
    for label in labels.iter_mut().filter(|label| !label.is_external) {
        let schema = label.schema.clone().ok_or_else(missing_schema)?;
        if view.is_dir(&label.array_uri(root)?)? {
            label.uri = format!("{}_{}", label.uri, new_uuid());
        }
        let array_uri = label.array_uri(root)?;
        made.push(array_uri.clone());
        write_hidden(&view.vfs, &array_uri, &schema, key)?;
    }
    Ok(())
}

fn missing_schema() -> Error {
    Error::from(LabelError::NotCreated)
}

/// Returns the folders of the labels in all schemas of the array at `uri`. The key is that of
/// `config`.
pub fn label_folders(view: &StorageView, uri: &Uri, config: &Config) -> Result<Vec<Uri>> {
    let key = key::of_config_or_context(&view.vfs, config)?;
    let mut folders = Vec::new();
    for schema in Schemas::list(view, uri, key.as_ref())?.all()? {
        for label in schema.labels.iter().filter(|label| label.uri_is_relative) {
            folders.push(label.array_uri(uri)?);
        }
    }
    Ok(folders)
}

impl DimensionLabel {
    /// Returns the URI of the label's array, given the URI of the parent array. Returns an error
    /// for relative URIs that are outside of the parent's folder.
    pub fn array_uri(&self, array: &Uri) -> Result<Uri> {
        if !self.uri_is_relative {
            return super::schemas::parse_uri(&self.uri);
        }
        let mut steps = self.uri.split('/');
        if self.uri.is_empty() || steps.any(|step| matches!(step, "" | "." | "..")) {
            return Err(LabelError::OutsideArray {
                label: self.name.clone(),
                uri: self.uri.clone(),
            }
            .into());
        }
        Ok(array.join(&self.uri))
    }
}

/// Opens the array of a label with the time range and the key with which `parent` was opened.
pub fn open_label(
    vfs: &Arc<Vfs>,
    parent: &Snapshot,
    label: &DimensionLabel,
    query_type: QueryType,
) -> Result<Arc<Array>> {
    let array = Array::open_like(vfs, label.array_uri(&parent.uri)?, parent, query_type)?;
    let dimension = parent
        .schema
        .domain
        .dimensions
        .get(label.dimension as usize)
        .ok_or_else(|| {
            Error::from(LabelError::DimensionMissing {
                label: label.name.clone(),
            })
        })?;
    label.check_schema(dimension, &*array.schema()?)?;
    Ok(Arc::new(array))
}

#[cfg(test)]
mod tests {
    use super::super::tests::text;
    use super::*;
    use crate::types::{DataOrder, Datatype};

    #[test]
    fn label_uris_cannot_leave_the_array() {
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
        let array_uri = |uri, relative| label(uri, relative).array_uri(&array);
        assert_eq!(
            array_uri("__labels/l0", true).expect("inside").as_str(),
            "mem://array/__labels/l0"
        );
        assert_eq!(
            array_uri("mem://other/l", false)
                .expect("external")
                .as_str(),
            "mem://other/l"
        );
        for uri in ["", "../other", "__labels/../..", "/etc", "a//b", "."] {
            assert!(
                text(array_uri(uri, true)).contains("is not within its array"),
                "{uri}"
            );
        }
    }
}
