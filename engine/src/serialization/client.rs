//! Requests that a client writes, and the responses that it reads.

use std::sync::Arc;

use super::config;
use super::groups;
use super::message::{self, DEFAULT_LIMIT, MessageEncoding, traversal_limit};
use super::messages_capnp::{
    array_consolidation_request, array_create_request, array_delete_fragments_list_request,
    array_delete_fragments_timestamps_request, array_vacuum_request, consolidation_plan_request,
    consolidation_plan_response, group, group_create, group_metadata, group_update,
    load_enumerations_request, load_enumerations_response, rest_capabilities,
};
use super::metadata;
use super::schema;
use super::texts::{fill_texts, length, short, text};
use crate::array::OwnedMetadataEntry;
use crate::config::Config;
use crate::error::{MessageKind, Result};
use crate::group::Member;
use crate::schema::{ArraySchema, Enumeration};
use crate::types::TimeRange;

/// Writes a request to create an array whose storage the server chooses.
pub fn write_array_create(schema: &ArraySchema, encoding: MessageEncoding) -> Result<Vec<u8>> {
    let kind = MessageKind::ArrayCreate;
    message::write::<array_create_request::Owned>(kind, encoding, |mut to| {
        to.set_uri("");
        schema::fill(to.init_schema(), schema, None)
    })
}

/// Writes a request for enumerations; without names, for all of them.
pub fn write_load_enumerations_request(
    config: &Config,
    names: &[&str],
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::LoadEnumerationsRequest;
    message::write::<load_enumerations_request::Owned>(kind, encoding, |mut to| {
        config::fill(to.reborrow().init_config(), config)?;
        fill_texts("A list of enumerations", "A name", names, |n| {
            to.init_enumerations(n)
        })
    })
}

/// Reads the enumerations of a response, each list with the name of its schema. `latest` is the
/// name of the latest schema, to which those without the name of a schema belong.
pub fn read_load_enumerations_response(
    bytes: &[u8],
    latest: &str,
    encoding: MessageEncoding,
    config: &Config,
) -> Result<Vec<(String, Vec<Arc<Enumeration>>)>> {
    let kind = MessageKind::LoadEnumerationsResponse;
    let limit = traversal_limit(config)?;
    message::read::<load_enumerations_response::Owned, _>(kind, encoding, bytes, limit, |from| {
        let mut found = Vec::new();
        if from.has_enumerations() {
            let list = from
                .get_enumerations()?
                .iter()
                .map(|from| Ok(Arc::new(schema::parse_enumeration(from)?)));
            found.push((latest.to_owned(), list.collect::<Result<_>>()?));
        }
        if from.has_all_enumerations() {
            for entry in from.get_all_enumerations()?.get_entries()? {
                let list = entry
                    .get_value()?
                    .iter()
                    .map(|from| Ok(Arc::new(schema::parse_enumeration(from)?)));
                let schema = text(entry.get_key())?.to_owned();
                found.push((schema, list.collect::<Result<_>>()?));
            }
        }
        Ok(found)
    })
}

/// Writes a request to consolidate an array; without names, the fragments that the configuration
/// selects.
pub fn write_consolidation_request(
    config: &Config,
    fragments: &[&str],
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::ConsolidationRequest;
    message::write::<array_consolidation_request::Owned>(kind, encoding, |mut to| {
        config::fill(to.reborrow().init_config(), config)?;
        if fragments.is_empty() {
            return Ok(());
        }
        fill_texts("A list of fragments", "A name", fragments, |n| {
            to.init_fragments(n)
        })
    })
}

/// Writes a request to vacuum an array.
pub fn write_vacuum_request(config: &Config, encoding: MessageEncoding) -> Result<Vec<u8>> {
    let kind = MessageKind::VacuumRequest;
    message::write::<array_vacuum_request::Owned>(kind, encoding, |to| {
        config::fill(to.init_config(), config)
    })
}

/// Writes a request for a consolidation plan.
pub fn write_consolidation_plan_request(
    config: &Config,
    fragment_size: u64,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::ConsolidationPlanRequest;
    message::write::<consolidation_plan_request::Owned>(kind, encoding, |mut to| {
        to.set_fragment_size(fragment_size);
        config::fill(to.init_config(), config)
    })
}

/// Reads a consolidation plan: the names of the fragments of each node.
pub fn read_consolidation_plan_response(
    bytes: &[u8],
    encoding: MessageEncoding,
) -> Result<Vec<Vec<String>>> {
    let (kind, limit) = (MessageKind::ConsolidationPlanResponse, DEFAULT_LIMIT);
    message::read::<consolidation_plan_response::Owned, _>(kind, encoding, bytes, limit, |from| {
        from.get_fragment_uris_per_node()?
            .iter()
            .map(|node| {
                node?
                    .iter()
                    .map(|name| Ok(text(name)?.to_owned()))
                    .collect()
            })
            .collect()
    })
}

/// Writes a request to delete the fragments of a time range.
pub fn write_delete_fragments_request(
    config: &Config,
    timestamps: TimeRange,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::DeleteFragmentsTimestampsRequest;
    message::write::<array_delete_fragments_timestamps_request::Owned>(kind, encoding, |mut to| {
        to.set_start_timestamp(timestamps.start);
        to.set_end_timestamp(timestamps.end);
        config::fill(to.init_config(), config)
    })
}

/// Writes a request to delete fragments by their URIs relative to the array.
pub fn write_delete_fragments_list_request(
    config: &Config,
    names: &[&str],
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::DeleteFragmentsListRequest;
    message::write::<array_delete_fragments_list_request::Owned>(kind, encoding, |mut to| {
        config::fill(to.reborrow().init_config(), config)?;
        fill_texts("A list of fragments", "A name", names, |n| {
            to.init_entries(n)
        })
    })
}

/// Writes a request for the contents of a group.
pub fn write_group_request(config: &Config, encoding: MessageEncoding) -> Result<Vec<u8>> {
    message::write::<group::Owned>(MessageKind::Group, encoding, |mut to| {
        config::fill(to.reborrow().init_config(), config)?;
        to.init_group();
        Ok(())
    })
}

/// Reads the contents of a group: its members, and its metadata if the message has it.
pub fn read_group_contents(
    bytes: &[u8],
    encoding: MessageEncoding,
    config: &Config,
) -> Result<(Vec<Member>, Option<Vec<OwnedMetadataEntry>>)> {
    let (kind, limit) = (MessageKind::Group, traversal_limit(config)?);
    message::read::<group::group_details::Owned, _>(kind, encoding, bytes, limit, |from| {
        groups::parse_details(from)
    })
}

/// Writes metadata of a group, or a request for it without entries.
pub fn write_group_metadata(
    config: &Config,
    entries: &[OwnedMetadataEntry],
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::GroupMetadata;
    message::write::<group_metadata::Owned>(kind, encoding, |mut to| {
        config::fill(to.reborrow().init_config(), config)?;
        if entries.is_empty() {
            return Ok(());
        }
        metadata::fill(to.init_metadata(), entries)
    })
}

/// Writes changes of the members of a group.
pub fn write_group_update(
    config: &Config,
    removed: &[&str],
    added: &[Member],
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::GroupUpdate;
    message::write::<group_update::Owned>(kind, encoding, |mut to| {
        config::fill(to.reborrow().init_config(), config)?;
        let mut to = to.init_group_update();
        if !removed.is_empty() {
            fill_texts("A list of members", "A name", removed, |n| {
                to.reborrow().init_members_to_remove(n)
            })?;
        }
        if !added.is_empty() {
            let number = length("A list of members", added.len())?;
            let mut list = to.init_members_to_add(number);
            for (index, member) in (0..).zip(added) {
                groups::fill_changed(list.reborrow().get(index), member)?;
            }
        }
        Ok(())
    })
}

/// Writes a request to create a group. `storage` is empty if the server chooses it.
pub fn write_group_create(
    config: &Config,
    storage: &str,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::GroupCreate;
    message::write::<group_create::Owned>(kind, encoding, |mut to| {
        config::fill(to.reborrow().init_config(), config)?;
        to.init_group_details().set_uri(short("A URI", storage)?);
        Ok(())
    })
}

/// Returns an error unless a message states the versions of a server.
pub fn check_capabilities(bytes: &[u8], encoding: MessageEncoding) -> Result<()> {
    let (kind, limit) = (MessageKind::Capabilities, DEFAULT_LIMIT);
    message::read::<rest_capabilities::Owned, _>(kind, encoding, bytes, limit, |from| {
        from.get_deployed_tile_d_b_version()?;
        Ok(())
    })
}
