//! Makes an array's folders and its first schema file.

use std::sync::Arc;

use crate::error::Result;
use crate::schema::ArraySchema;
use crate::types::EncryptionKey;
use crate::vfs::{Uri, Vfs};

/// Makes an array. An existing array or group at `uri` is an error.
pub fn create(
    _vfs: &Arc<Vfs>,
    _uri: &Uri,
    _schema: &ArraySchema,
    _key: Option<&EncryptionKey>,
) -> Result<()> {
    unimplemented!()
}
