//! Groups on servers.

use std::sync::Arc;

use super::member::Member;
use crate::array::{ObjectServer, OwnedMetadataEntry};
use crate::error::Result;
use crate::types::{ObjectType, QueryType};
use crate::vfs::{Uri, Vfs};

/// The server of a group, which has the files.
pub trait GroupServer: ObjectServer {
    /// Removes members by URI and adds members.
    fn change_members(&self, group: &Uri, removed: &[&str], added: &[Member]) -> Result<()>;

    /// Returns the type of an object that becomes a member.
    fn member_type(&self, vfs: &Vfs, uri: &Uri) -> Result<ObjectType>;

    /// Removes the group at `uri`.
    fn delete_group(&self, uri: &Uri, recursive: bool) -> Result<()>;

    /// Returns the server as one of arrays and groups.
    fn as_objects(&self) -> &dyn ObjectServer;
}

/// A group as a server sends it when it is opened.
#[derive(Debug)]
pub struct ReceivedGroup {
    /// The query type.
    pub query_type: QueryType,
    /// The members.
    pub members: Vec<Member>,
    /// The metadata, if the server sent it.
    pub metadata: Option<Vec<OwnedMetadataEntry>>,
    /// The server.
    pub server: Arc<dyn GroupServer>,
}
