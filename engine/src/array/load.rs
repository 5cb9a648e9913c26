//! Properties of an array that can be read without opening it.

use std::sync::Arc;

use super::key;
use super::schemas::Schemas;
use crate::config::Config;
use crate::error::{ArrayError, Error, Result};
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::{EncryptionKey, EncryptionType, Timestamp};
use crate::vfs::{Uri, Vfs};

/// Returns the latest schema of the array at `uri`. The key is that of `config`. Returns an error
/// if the array does not exist or the key is wrong.
pub fn load_schema(vfs: &Arc<Vfs>, uri: &Uri, config: &Config) -> Result<Arc<ArraySchema>> {
    load_schema_with(vfs, uri, key::of_config(config)?.as_ref())
}

/// Returns the latest schema of the array at `uri`. Returns an error if the array does not exist or
/// the key is wrong.
pub(crate) fn load_schema_with(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    key: Option<&EncryptionKey>,
) -> Result<Arc<ArraySchema>> {
    let schemas = Schemas::list(&vfs.snapshot_or_this(uri)?, uri, key)?;
    schemas.get(Some(schemas.latest(Timestamp::MAX)?))
}

/// The schemas of an array.
#[derive(Clone, Debug)]
pub struct ListedSchemas {
    /// The latest schema.
    pub latest: Arc<ArraySchema>,
    /// All schemas, in order of evolution.
    pub all: Vec<Arc<ArraySchema>>,
}

/// Returns the schemas of the array at `uri`. The key is that of `config`.
pub fn list_schemas(vfs: &Arc<Vfs>, uri: &Uri, config: &Config) -> Result<ListedSchemas> {
    let key = key::of_config_or_context(vfs, config)?;
    let schemas = Schemas::list(&vfs.snapshot_or_this(uri)?, uri, key.as_ref())?;
    Ok(ListedSchemas {
        latest: schemas.get(Some(schemas.latest(Timestamp::MAX)?))?,
        all: schemas.all()?,
    })
}

/// Returns whether an array exists at `uri`.
pub fn exists(vfs: &Arc<Vfs>, uri: &Uri) -> Result<bool> {
    Schemas::exist(vfs, uri)
}

/// Returns the key of encrypted arrays in a configuration.
pub fn configured_key(config: &Config) -> Result<Option<EncryptionKey>> {
    key::of_config(config)
}

/// Returns the encryption type of the array at `uri`, without a key. Returns an error if the array
/// does not exist.
pub fn encryption_type(vfs: &Arc<Vfs>, uri: &Uri) -> Result<EncryptionType> {
    let schemas = Schemas::list(&vfs.snapshot(uri)?, uri, None)?;
    generic::encryption(vfs, &schemas.uri(schemas.latest(Timestamp::MAX)?))
}

/// Parses the URI or path of an array.
pub fn parse_uri(text: &str) -> Result<Uri> {
    Uri::parse(text).map_err(|_| Error::from(ArrayError::BadUri { uri: text.into() }))
}
