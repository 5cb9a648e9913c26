//! Requests about groups.

use std::sync::Arc;

use super::server::Server;
use super::transport::Call;
use crate::array::{ObjectServer, OwnedMetadataEntry};
use crate::error::{GroupError, RestError, Result};
use crate::group::{GroupMessage, GroupServer, Member};
use crate::object::object_type;
use crate::serialization::{
    read_group_contents, read_metadata, write_group_create, write_group_metadata,
    write_group_request, write_group_update,
};
use crate::types::{ObjectType, QueryType, TimeRange};
use crate::vfs::{Scheme, Uri, Vfs};

/// The server of an open group.
#[derive(Debug)]
struct ServerGroup(Arc<Server>);

impl Server {
    /// Creates a group.
    pub(super) fn create_group(&self, uri: &Uri) -> Result<()> {
        if self.has_group(uri)? {
            let uri = uri.to_string();
            return Err(GroupError::Exists { uri }.into());
        }
        let legacy = self.is_legacy()?;
        let address = self.address_of(uri)?;
        let storage = address.storage.as_deref().unwrap_or_default();
        if !legacy && !storage.is_empty() {
            let uri = storage.to_owned();
            return Err(RestError::OwnStorage { uri }.into());
        }
        let message = write_group_create(self.config(), storage, self.encoding)?;
        let call = if legacy {
            let path = format!("/v2/groups/{}", address.encoded_namespace());
            Call::new("POST", path).set_object(&address)
        } else {
            self.call("POST", "v2/groups", uri, "")?
        };
        self.for_creation().fetch(&call.body(message)).map(drop)
    }

    /// Returns whether a group exists.
    pub(super) fn has_group(&self, uri: &Uri) -> Result<bool> {
        let call = self.call("OPTIONS", "v2/groups", uri, "")?;
        Ok(self.find(&call)?.is_some())
    }

    /// Returns the type of an object.
    pub(super) fn object_type(&self, uri: &Uri) -> Result<ObjectType> {
        if self.has_array(uri)? {
            return Ok(ObjectType::Array);
        }
        if self.has_group(uri)? {
            return Ok(ObjectType::Group);
        }
        Ok(ObjectType::Invalid)
    }

    /// Returns a request about the contents of a group.
    fn contents_call<'a>(&self, method: &'static str, uri: &Uri) -> Result<Call<'a>> {
        let action = if self.is_legacy()? { "" } else { "/contents" };
        self.call(method, "v2/groups", uri, action)
    }

    /// Returns what the server sends of a group that is opened.
    pub(super) fn load_group(
        self: &Arc<Self>,
        uri: &Uri,
        query_type: QueryType,
    ) -> Result<GroupMessage> {
        let config = self.config();
        let call = self
            .contents_call("POST", uri)?
            .body(write_group_request(config, self.encoding)?);
        let message = self.fetch_message(&call, "a group")?;
        let (members, metadata) = read_group_contents(&message, self.encoding, config)?;
        Ok(GroupMessage {
            query_type,
            members,
            metadata,
            server: Arc::new(ServerGroup(self.clone())),
        })
    }
}

impl ObjectServer for ServerGroup {
    fn metadata(&self, uri: &Uri, _: TimeRange) -> Result<Vec<OwnedMetadataEntry>> {
        let server = &self.0;
        let call = server
            .call("POST", "v2/groups", uri, "/metadata")?
            .body(write_group_metadata(server.config(), &[], server.encoding)?);
        let message = server.fetch_message(&call, "metadata")?;
        read_metadata(&message, server.encoding, server.config())
    }

    fn put_metadata(&self, uri: &Uri, _: TimeRange, changes: &[OwnedMetadataEntry]) -> Result<()> {
        let server = &self.0;
        let call = server.call("PUT", "v2/groups", uri, "/metadata")?;
        let message = write_group_metadata(server.config(), changes, server.encoding)?;
        server.fetch(&call.body(message)).map(drop)
    }
}

impl GroupServer for ServerGroup {
    fn change_members(&self, group: &Uri, removed: &[&str], added: &[Member]) -> Result<()> {
        let server = self.0.for_creation();
        let message = write_group_update(server.config(), removed, added, server.encoding)?;
        let call = server.contents_call("PATCH", group)?.body(message);
        server.fetch(&call).map(drop)
    }

    fn member_type(&self, vfs: &Arc<Vfs>, uri: &Uri) -> Result<ObjectType> {
        if uri.scheme() != Scheme::TileDb {
            return object_type(&vfs.view(), uri);
        }
        // Servers with workspaces find the type themselves.
        if !self.0.is_legacy()? {
            return Ok(ObjectType::Invalid);
        }
        self.0.object_type(uri)
    }

    fn delete_group(&self, uri: &Uri, recursive: bool) -> Result<()> {
        let server = &self.0;
        let call = server.call("DELETE", "v2/groups", uri, "/delete")?;
        server
            .fetch(&call.parameter("recursive", recursive.to_string()))
            .map(drop)
    }
}
