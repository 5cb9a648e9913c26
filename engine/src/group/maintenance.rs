//! Consolidation and vacuum of the metadata of groups.

use std::sync::Arc;

use crate::array::key;
use crate::config::Config;
use crate::error::{Error, GroupError, Result};
use crate::format::version::FormatVersion;
use crate::maintenance::{self, MergedNames, consolidation_span};
use crate::object::object_type;
use crate::types::ObjectType;
use crate::vfs::{Uri, Vfs};

/// Merges the metadata files of the group at `uri` in the time range of
/// `sm.consolidation.timestamp_*` into one. Returns an error if the group does not exist or the key
/// is wrong.
pub fn consolidate_metadata(vfs: &Arc<Vfs>, uri: &str, config: &Config) -> Result<()> {
    let group = existing(vfs, "consolidate", uri)?;
    let timestamps = consolidation_span(config)?;
    let key = key::of_array_config(config)?;
    let version = FormatVersion::of_config(&vfs.context.config)?;
    let (form, key) = (MergedNames::Uris, key.as_ref());
    maintenance::consolidate_metadata(&vfs.view(), &group, timestamps, form, version, key)
}

/// Removes the metadata files of the group at `uri` that were merged. Returns an error if the group
/// does not exist.
pub fn vacuum_metadata(vfs: &Arc<Vfs>, uri: &str, config: &Config) -> Result<()> {
    maintenance::vacuum_metadata(&vfs.view(), &existing(vfs, "vacuum", uri)?, config)
}

fn existing(vfs: &Arc<Vfs>, action: &'static str, uri: &str) -> Result<Uri> {
    let uri = Uri::parse(uri).map_err(|_| {
        Error::from(GroupError::BadMetadataUri {
            action,
            uri: uri.into(),
        })
    })?;
    match object_type(&vfs.view(), &uri)? {
        ObjectType::Group => Ok(uri),
        _ => Err(GroupError::NotAGroup {
            action,
            uri: uri.to_string(),
        }
        .into()),
    }
}
