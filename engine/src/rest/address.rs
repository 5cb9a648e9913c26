//! The parts of a `tiledb://` URI.

use crate::error::{RestError, Result};
use crate::http::exchange::encode;
use crate::vfs::{Uri, last_component};

const PREFIX: &str = "tiledb://";
/// The form of URIs of servers with workspaces.
const WORKSPACE_FORM: &str = "tiledb://<workspace>/<teamspace>/<array-name-or-uri>";
/// The form of URIs of servers before them.
const NAMESPACE_FORM: &str = "tiledb://<namespace>/<array-name-or-uri>";

/// The parts of a URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// The namespace, or the workspace and the teamspace.
    namespace: String,
    /// The name of the object, or with namespaces the URI of its storage.
    name: String,
    /// The URI of its storage, if it has one.
    pub(super) storage: Option<String>,
}

impl Address {
    /// Splits a URI. `legacy` servers have namespaces instead of workspaces and teamspaces.
    pub(super) fn parse(uri: &Uri, legacy: bool) -> Result<Self> {
        let text = uri.as_str();
        let malformed = || RestError::BadUri {
            uri: text.to_owned(),
            form: if legacy {
                NAMESPACE_FORM
            } else {
                WORKSPACE_FORM
            },
        };
        let rest = text.strip_prefix(PREFIX).ok_or_else(malformed)?;
        let (first, rest) = rest.split_once('/').ok_or_else(malformed)?;
        if first.is_empty() || rest.is_empty() {
            return Err(malformed().into());
        }
        if legacy {
            return Ok(Self {
                namespace: first.to_owned(),
                name: rest.to_owned(),
                storage: Some(rest.to_owned()),
            });
        }
        let (second, name) = rest.split_once('/').ok_or_else(malformed)?;
        if second.is_empty() {
            return Err(malformed().into());
        }
        let namespace = format!("{first}/{second}");
        let Some(start) = storage_start(name) else {
            let name = name.to_owned();
            let storage = None;
            return Ok(Self {
                namespace,
                name,
                storage,
            });
        };
        let (folder, storage) = name.split_at(start);
        Ok(Self {
            namespace,
            name: format!("{folder}{}", last_component(storage)),
            storage: Some(storage.to_owned()),
        })
    }

    /// Returns the key by which redirections are cached.
    pub(super) fn key(&self) -> String {
        format!("{}:{}", self.namespace, self.name)
    }

    /// Returns the namespace as the path of a request has it.
    pub(super) fn encoded_namespace(&self) -> String {
        match self.namespace.split_once('/') {
            Some((workspace, teamspace)) => {
                format!("{}/{}", encode(workspace), encode(teamspace))
            }
            None => encode(&self.namespace),
        }
    }

    /// Returns the namespace and the name as the path of a request has them.
    pub(super) fn encoded(&self) -> String {
        format!("{}/{}", self.encoded_namespace(), encode(&self.name))
    }
}

/// Returns the position of a URI of storage in the name of an object.
fn storage_start(name: &str) -> Option<usize> {
    let end = name.find("://")?;
    let before = name.get(..end)?;
    Some(before.rfind('/').map_or(0, |slash| slash + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(uri: &str, legacy: bool) -> Result<Address> {
        Address::parse(&Uri::parse(uri).expect("uri"), legacy)
    }

    #[test]
    fn a_uri_has_a_workspace_a_teamspace_and_a_name() {
        let address = parse("tiledb://w s/t/folder/a", false).expect("address");
        assert_eq!(address.encoded(), "w%20s/t/folder%2Fa");
        assert_eq!(address.key(), "w s/t:folder/a");
        assert_eq!(address.storage, None);
        let address = parse("tiledb://w/t/folder/s3://bucket/x/a", false).expect("address");
        assert_eq!(address.encoded(), "w/t/folder%2Fa");
        assert_eq!(address.storage.as_deref(), Some("s3://bucket/x/a"));
    }

    #[test]
    fn a_uri_of_a_legacy_server_has_a_namespace_and_a_name_or_a_storage_uri() {
        let address = parse("tiledb://n/a", true).expect("address");
        assert_eq!(address.encoded(), "n/a");
        let address = parse("tiledb://n/s3://bucket/a", true).expect("address");
        assert_eq!(address.encoded(), "n/s3%3A%2F%2Fbucket%2Fa");
    }

    #[test]
    fn a_uri_without_one_of_its_parts_is_an_error() {
        for (uri, legacy) in [
            ("tiledb://", true),
            ("tiledb://n", true),
            ("tiledb://n/", true),
            ("tiledb://w/a", false),
            ("tiledb://w//a", false),
        ] {
            let Ok(parsed) = Uri::parse(uri) else {
                continue;
            };
            assert!(Address::parse(&parsed, legacy).is_err(), "{uri}");
        }
    }
}
