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

/// The latest schema of the array at `uri`; the key is that of the storage's configuration. An error where there is no
/// array, or the key is wrong.
pub fn load_schema(vfs: &Arc<Vfs>, uri: &Uri) -> Result<Arc<ArraySchema>> {
    let key = key::from_config(vfs.context().config(), false)?;
    let schemas = Schemas::list(vfs, uri, key.as_ref())?;
    schemas.get(Some(schemas.latest(Timestamp::MAX)))
}

/// The key of encrypted arrays that a configuration has.
pub fn configured_key(config: &Config) -> Result<Option<EncryptionKey>> {
    key::from_config(config, false)
}

/// How the array at `uri` is encrypted; needs no key. An error where there is no array.
pub fn encryption_type(vfs: &Arc<Vfs>, uri: &Uri) -> Result<EncryptionType> {
    let schemas = Schemas::list(vfs, uri, None)?;
    generic::encryption(vfs, &schemas.uri(schemas.latest(Timestamp::MAX)))
}

/// The place of an array, from a URI or a path.
pub fn parse_uri(text: &str) -> Result<Uri> {
    Uri::parse(text).map_err(|_| {
        let message = "Failed to construct valid URI. Given path is invalid.";
        Error::usage("TileDB internal", message)
    })
}
