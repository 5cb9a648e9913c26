//! Groups as messages.

use super::config;
use super::message::{self, MessageEncoding, traversal_limit};
use super::messages_capnp::{group, group_member};
use super::metadata;
use super::texts::{length, named, short, text};
use crate::array::{OwnedMetadataEntry, WithMetadata};
use crate::error::{MessageKind, Result, SerializationError};
use crate::group::{Group, Member};
use crate::types::ObjectType;
use crate::vfs::last_component;

/// Writes a group: its configuration, members and metadata.
pub fn write_group(group: &Group, encoding: MessageEncoding) -> Result<Vec<u8>> {
    message::write::<group::Owned>(MessageKind::Group, encoding, |to| fill(to, group))
}

/// Reads a message into a group. Its members and metadata replace those that the group has.
pub fn read_group(bytes: &[u8], encoding: MessageEncoding, group: &Group) -> Result<()> {
    let limit = traversal_limit(&group.config())?;
    let kind = MessageKind::Group;
    message::read::<group::Owned, _>(kind, encoding, bytes, limit, |from| parse(from, group))
}

fn fill(mut to: group::Builder<'_>, group: &Group) -> Result<()> {
    config::fill(to.reborrow().init_config(), &group.config())?;
    let mut details = to.init_group();
    let members = group.stored_members();
    if !members.is_empty() {
        let number = length("A list of members", members.len())?;
        let mut list = details.reborrow().init_members(number);
        for (index, member) in (0..).zip(&members) {
            fill_member(list.reborrow().get(index), member)?;
        }
    }
    let entries = group.metadata_to_send()?;
    if entries.is_empty() {
        return Ok(());
    }
    metadata::fill(details.init_metadata(), &entries)
}

fn fill_member(mut to: group_member::Builder<'_>, member: &Member) -> Result<()> {
    to.set_type(member.kind.name());
    to.set_uri(short("A URI", &member.uri)?);
    to.set_relative(member.relative);
    let name = member
        .name
        .as_deref()
        .unwrap_or_else(|| last_component(&member.uri));
    to.set_name(short("The name of a member", name)?);
    Ok(())
}

fn parse(from: group::Reader<'_>, group: &Group) -> Result<()> {
    if from.has_config() {
        group.receive_config(&config::parse(from.get_config()?)?);
    }
    if !from.has_group() {
        return Ok(());
    }
    let (members, entries) = parse_details(from.get_group()?)?;
    group.receive_members(members)?;
    match entries {
        Some(entries) if group.is_open() => group.apply_metadata(&entries),
        _ => Ok(()),
    }
}

/// Reads the members of a group, and its metadata if the message has it.
pub(super) fn parse_details(
    details: group::group_details::Reader<'_>,
) -> Result<(Vec<Member>, Option<Vec<OwnedMetadataEntry>>)> {
    let members = details
        .get_members()?
        .iter()
        .map(parse_member)
        .collect::<Result<_>>()?;
    let entries = details
        .has_metadata()
        .then(|| details.get_metadata())
        .transpose()?
        .map(metadata::parse)
        .transpose()?;
    Ok((members, entries))
}

/// Fills the message of a member that is added, which need not have a name.
#[cfg(feature = "rest")]
pub(super) fn fill_changed(mut to: group_member::Builder<'_>, member: &Member) -> Result<()> {
    to.set_type(member.kind.name());
    to.set_uri(short("A URI", &member.uri)?);
    to.set_relative(member.relative);
    if let Some(name) = &member.name {
        to.set_name(short("The name of a member", name)?);
    }
    Ok(())
}

fn parse_member(from: group_member::Reader<'_>) -> Result<Member> {
    for (present, field) in [(from.has_uri(), "uri"), (from.has_type(), "type")] {
        if !present {
            return Err(SerializationError::IncompleteMember { field }.into());
        }
    }
    let name = from.has_name().then(|| text(from.get_name())).transpose()?;
    Ok(Member {
        uri: text(from.get_uri())?.to_owned(),
        kind: named(from.get_type(), "an object type", ObjectType::from_name)?,
        name: name.map(str::to_owned),
        relative: from.get_relative(),
    })
}
