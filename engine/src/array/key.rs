//! The key of an encrypted array in a configuration.

use crate::config::Config;
use crate::error::{ArrayError, Error, Result};
use crate::types::{EncryptionKey, EncryptionType};
use crate::vfs::Vfs;

/// Returns the key in a configuration; `None` for no encryption. Returns an error for an unknown
/// encryption type or an unsuitable key: a missing key must not lead to unencrypted data.
pub fn of_config(config: &Config) -> Result<Option<EncryptionKey>> {
    let name = config.text("sm.encryption_type").unwrap_or_default();
    let key = config.text("sm.encryption_key").unwrap_or_default();
    match EncryptionType::from_name(&name).ok_or_else(|| {
        Error::from(ArrayError::UnknownEncryption {
            name: name.to_string(),
        })
    })? {
        EncryptionType::NoEncryption if key.is_empty() => Ok(None),
        EncryptionType::Aes256Gcm if EncryptionKey::new(key.as_bytes()).is_some() => {
            Ok(EncryptionKey::new(key.as_bytes()))
        }
        _ => Err(ArrayError::BadKey.into()),
    }
}

/// Returns the key for an array or group that is read without a handle: that of `config`, or else
/// that of the context's configuration.
pub(crate) fn of_config_or_context(vfs: &Vfs, config: &Config) -> Result<Option<EncryptionKey>> {
    match of_array_config(config)? {
        None => of_config(&vfs.context.config),
        key => Ok(key),
    }
}

/// Returns the key in the configuration of an array. Unlike for a context, a type without a key or
/// a key without a type means no encryption.
pub(crate) fn of_array_config(config: &Config) -> Result<Option<EncryptionKey>> {
    let text = |name| config.text(name).unwrap_or_default();
    let none = EncryptionType::NoEncryption.name();
    if text("sm.encryption_key").is_empty() || text("sm.encryption_type") == none {
        Ok(None)
    } else {
        of_config(config)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::tests::{Copy, text};
    use super::super::{Array, create, encryption_type, load_schema};
    use super::*;
    use crate::context::Context;
    use crate::types::QueryType;
    use crate::vfs::{Uri, Vfs};

    #[test]
    fn every_access_to_an_encrypted_array_needs_the_key() {
        let folder = tempfile::tempdir().expect("folder");
        let encrypting = |kind: &str, key: &str| {
            let mut config = Config::new();
            config.set("sm.encryption_type", kind).expect("type");
            config.set("sm.encryption_key", key).expect("key");
            Vfs::new(&Context::new(config).expect("context")).expect("vfs")
        };
        let uri = Uri::parse(folder.path().join("array").to_str().expect("path")).expect("uri");
        let schema = {
            let copy = Copy::of("dense");
            load_schema(&copy.vfs, &copy.uri(), &Config::new()).expect("schema")
        };
        let key = "0123456789abcdef0123456789abcdef";
        let bad_key = "The encryption key does not have the length that its type needs";
        for (kind, key) in [
            ("AES_256_GCM", ""),
            ("NO_ENCRYPTION", key),
            ("AES_256_GCM", &key[1..]),
        ] {
            // No unencrypted array may be created because a key is missing.
            let vfs = encrypting(kind, key);
            assert_eq!(text(create(&vfs, &uri, &schema, None)), bad_key);
            assert!(!folder.path().join("array").exists());
        }
        let vfs = encrypting("AES_256_GCM", key);
        create(&vfs, &uri, &schema, None).expect("made");
        assert_eq!(
            encryption_type(&vfs, &uri).expect("type"),
            EncryptionType::Aes256Gcm
        );
        assert_eq!(
            load_schema(&vfs, &uri, &vfs.context.config)
                .expect("schema")
                .attributes,
            schema.attributes
        );
        let opened = |vfs: &Arc<Vfs>| {
            let array = Array::new(vfs, uri.as_str()).expect("array");
            text(array.open(QueryType::Read))
        };
        assert_eq!(opened(&vfs), "");
        assert_eq!(
            opened(&encrypting("NO_ENCRYPTION", "")),
            "The record is encrypted with AES_256_GCM, but the key is for NO_ENCRYPTION"
        );
        for (kind, key) in [("AES_256_GCM", ""), ("NO_ENCRYPTION", key)] {
            assert_eq!(opened(&encrypting(kind, key)), bad_key);
        }
        let other = encrypting("AES_256_GCM", &key.replace('0', "1"));
        let wrong = "AES_256_GCM: the encryption key is another";
        assert!(opened(&other).starts_with(wrong));
        assert!(text(load_schema(&other, &uri, &other.context.config)).starts_with(wrong));
    }
}
