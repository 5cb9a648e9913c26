//! What can be asked of an array without opening it.

use std::sync::Arc;

use super::key;
use super::schemas::Schemas;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::{EncryptionKey, EncryptionType, Timestamp};
use crate::vfs::{Uri, Vfs};

/// Returns the latest schema of the array at `uri`; the key is that of the configuration. An error
/// if there is no array, or the key is wrong.
pub fn load_schema(vfs: &Arc<Vfs>, uri: &Uri, config: &Config) -> Result<Arc<ArraySchema>> {
    let key = key::of_config(config)?;
    let schemas = Schemas::list(vfs, uri, key.as_ref())?;
    schemas.get(Some(schemas.latest(Timestamp::MAX)?))
}

/// Returns whether there is an array at `uri`.
pub fn exists(vfs: &Arc<Vfs>, uri: &Uri) -> Result<bool> {
    Schemas::exist(vfs, uri)
}

/// Returns the key of encrypted arrays that a configuration has.
pub fn configured_key(config: &Config) -> Result<Option<EncryptionKey>> {
    key::of_config(config)
}

/// Returns how the array at `uri` is encrypted; needs no key. An error if there is no array.
pub fn encryption_type(vfs: &Arc<Vfs>, uri: &Uri) -> Result<EncryptionType> {
    let schemas = Schemas::list(vfs, uri, None)?;
    generic::encryption(vfs, &schemas.uri(schemas.latest(Timestamp::MAX)?))
}

/// Returns the place of an array, from a URI or a path.
pub fn parse_uri(text: &str) -> Result<Uri> {
    Uri::parse(text).map_err(|_| {
        let message = "Failed to construct valid URI. Given path is invalid.";
        Error::usage("TileDB internal", message)
    })
}
