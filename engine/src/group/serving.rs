//! Opening groups whose files a server has.

use std::sync::Arc;

use super::details::ChangedAt;
use super::member::Member;
use super::members::Members;
use super::open::{Group, Opened};
use super::served::{GroupServer, ReceivedGroup};
use crate::array::{Metadata, MetadataChanges, MetadataNames, key};
use crate::error::{GroupError, RestError, Result};
use crate::types::{QueryType, TimeRange};

impl Group {
    /// Returns an error if the group cannot be opened on a server: it is open, its configuration
    /// has a key, or the query type is not one of groups.
    pub fn check_open_on_server(&self, query_type: QueryType) -> Result<()> {
        let state = self.state.read();
        if state.open.is_some() {
            return Err(GroupError::AlreadyOpen.into());
        }
        if key::of_array_config(&state.config)?.is_some() {
            return Err(RestError::Encrypted { object: "group" }.into());
        }
        match query_type {
            QueryType::Read | QueryType::Write | QueryType::ModifyExclusive => Ok(()),
            _ => Err(GroupError::UnsupportedQueryType.into()),
        }
    }

    /// Opens the group as its server describes it.
    pub fn receive_served(&self, received: ReceivedGroup) -> Result<()> {
        let mut state = self.state.write();
        if state.open.is_some() {
            return Err(GroupError::AlreadyOpen.into());
        }
        let members = received.members.into_iter().map(Member::into_entry);
        state.open = Some(Opened {
            query_type: received.query_type,
            timestamps: TimeRange::ALL,
            changed_at: ChangedAt::Now,
            members: Members::of(members.collect()),
            key: None,
            until_now: false,
            metadata_names: MetadataNames::default(),
            metadata: Metadata::received(received.metadata),
            changes: MetadataChanges::default(),
            server: Some(received.server),
        });
        Ok(())
    }

    /// Returns the server of the group if it is open and the server has its files.
    pub(super) fn server(&self) -> Option<Arc<dyn GroupServer>> {
        let state = self.state.read();
        state.open.as_ref().and_then(|open| open.server.clone())
    }
}
