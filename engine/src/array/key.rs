//! The key of an encrypted array, as a configuration has it.

use crate::config::Config;
use crate::error::{Error, Result};
use crate::types::{EncryptionKey, EncryptionType};

/// The key in `sm.encryption_key`, of the type in `sm.encryption_type`; `None` where the key is empty, or where the type is
/// none and `lenient`. An error for an unknown type, or a key that does not fit its type.
pub(crate) fn from_config(config: &Config, lenient: bool) -> Result<Option<EncryptionKey>> {
    let text = config.text("sm.encryption_key").unwrap_or_default();
    if text.is_empty() {
        return Ok(None);
    }
    let name = config.text("sm.encryption_type").unwrap_or_default();
    let unknown = || Error::usage("Error", format!("Invalid EncryptionType {name}"));
    match EncryptionType::from_name(&name).ok_or_else(unknown)? {
        EncryptionType::NoEncryption if lenient => Ok(None),
        EncryptionType::Aes256Gcm if EncryptionKey::new(text.as_bytes()).is_some() => {
            Ok(EncryptionKey::new(text.as_bytes()))
        }
        _ => Err(Error::usage(
            "[TileDB::Encryption] Error",
            "Cannot create key; invalid key length for encryption type.",
        )),
    }
}
