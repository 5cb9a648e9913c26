//! Requests about groups.

use std::sync::Arc;

use super::arrays::ArrayServer;
use super::call::Call;
use super::server::Server;
use crate::array::{
    ArrayMessage, ObjectServer, OwnedMetadataEntry, SchemaEnumerations, ServerOpen,
};
use crate::error::Result;
use crate::group::{GroupMessage, GroupServer, Member};
use crate::object::object_type;
use crate::schema::ArraySchema;
use crate::serialization::{
    read_group_contents, read_metadata, write_group_metadata, write_group_request,
    write_group_update,
};
use crate::types::{NdRange, ObjectType, QueryType, TimeRange};
use crate::vfs::{Scheme, Uri, Vfs};

/// The server of an open group.
#[derive(Debug)]
struct ServerGroup {
    arrays: ArrayServer,
}

impl Server {
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
}

impl ArrayServer {
    /// Returns what the server sends of a group that is opened.
    pub(super) fn load_group(&self, uri: &Uri, query_type: QueryType) -> Result<GroupMessage> {
        let server = &self.server;
        let config = server.config();
        let call = server.contents_call("POST", uri)?;
        let call = call.body(write_group_request(config, server.encoding)?);
        let message = server.fetch_message(&call, "a group")?;
        let (members, metadata) = read_group_contents(&message, server.encoding, config)?;
        let arrays = Self {
            server: server.clone(),
            vfs: self.vfs.clone(),
        };
        Ok(GroupMessage {
            query_type,
            members,
            metadata,
            server: Arc::new(ServerGroup { arrays }),
        })
    }
}

impl ServerGroup {
    fn server(&self) -> &Arc<Server> {
        &self.arrays.server
    }
}

impl ObjectServer for ServerGroup {
    fn open(&self, uri: &Uri, request: &ServerOpen) -> Result<ArrayMessage> {
        self.arrays.open(uri, request)
    }

    fn metadata(&self, uri: &Uri, _: TimeRange) -> Result<Vec<OwnedMetadataEntry>> {
        let server = self.server();
        let call = server.call("POST", "v2/groups", uri, "/metadata")?;
        let call = call.body(write_group_metadata(server.config(), &[], server.encoding)?);
        let message = server.fetch_message(&call, "metadata")?;
        read_metadata(&message, server.encoding, server.config())
    }

    fn put_metadata(&self, uri: &Uri, _: TimeRange, changes: &[OwnedMetadataEntry]) -> Result<()> {
        let server = self.server();
        let call = server.call("PUT", "v2/groups", uri, "/metadata")?;
        let message = write_group_metadata(server.config(), changes, server.encoding)?;
        server.fetch(&call.body(message)).map(drop)
    }

    fn non_empty_domain(
        &self,
        uri: &Uri,
        timestamps: TimeRange,
        schema: &ArraySchema,
    ) -> Result<Option<NdRange>> {
        self.arrays.non_empty_domain(uri, timestamps, schema)
    }

    fn enumerations(
        &self,
        uri: &Uri,
        timestamps: TimeRange,
        latest: &str,
        names: &[&str],
    ) -> Result<Vec<SchemaEnumerations>> {
        self.arrays.enumerations(uri, timestamps, latest, names)
    }
}

impl GroupServer for ServerGroup {
    fn change_members(&self, group: &Uri, removed: &[&str], added: &[Member]) -> Result<()> {
        let server = self.server().for_creation();
        let message = write_group_update(server.config(), removed, added, server.encoding)?;
        let call = server.contents_call("PATCH", group)?.body(message);
        server.fetch(&call).map(drop)
    }

    fn member_type(&self, vfs: &Arc<Vfs>, uri: &Uri) -> Result<ObjectType> {
        if uri.scheme() != Scheme::TileDb {
            return object_type(&vfs.view(), uri);
        }
        // Servers with workspaces find the type themselves.
        if !self.server().is_legacy()? {
            return Ok(ObjectType::Invalid);
        }
        self.server().object_type(uri)
    }

    fn delete_group(&self, uri: &Uri, recursive: bool) -> Result<()> {
        let server = self.server();
        let call = server.call("DELETE", "v2/groups", uri, "/delete")?;
        server
            .fetch(&call.parameter("recursive", recursive.to_string()))
            .map(drop)
    }

    fn as_objects(&self) -> &dyn ObjectServer {
        self
    }
}
