//! Metadata of arrays and groups as messages.

use super::message::{self, MessageEncoding, traversal_limit};
use super::messages_capnp::array_metadata;
use super::texts::{bytes, length, named, short, text};
use crate::array::OwnedMetadataEntry;
use crate::config::Config;
use crate::error::{MessageKind, Result, SerializationError};
use crate::types::Datatype;

/// Writes metadata: keys with values, and deleted keys.
pub fn write_metadata(
    entries: &[OwnedMetadataEntry],
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::ArrayMetadata;
    message::write::<array_metadata::Owned>(kind, encoding, |to| fill(to, entries))
}

/// Reads metadata. The configuration limits the size of the message.
pub fn read_metadata(
    message: &[u8],
    encoding: MessageEncoding,
    config: &Config,
) -> Result<Vec<OwnedMetadataEntry>> {
    let (kind, limit) = (MessageKind::ArrayMetadata, traversal_limit(config)?);
    message::read::<array_metadata::Owned, _>(kind, encoding, message, limit, parse)
}

/// Fills the message of metadata.
pub(super) fn fill(to: array_metadata::Builder<'_>, entries: &[OwnedMetadataEntry]) -> Result<()> {
    let mut list = to.init_entries(length("Metadata", entries.len())?);
    for (index, entry) in (0..).zip(entries) {
        let mut to = list.reborrow().get(index);
        to.set_key(short("A key of metadata", &entry.key)?);
        let (datatype, value) = match &entry.value {
            Some((datatype, value)) => (*datatype, value.as_slice()),
            // As libtiledb sends a deletion.
            None => (Datatype::Int32, &[][..]),
        };
        to.set_type(datatype.name());
        let number = value.len() / datatype.size();
        to.set_value_num(length("A value of metadata", number)?);
        to.set_value(bytes("A value of metadata", value)?);
        to.set_del(entry.value.is_none());
    }
    Ok(())
}

/// Reads the message of metadata.
pub(super) fn parse(from: array_metadata::Reader<'_>) -> Result<Vec<OwnedMetadataEntry>> {
    from.get_entries()?.iter().map(parse_entry).collect()
}

fn parse_entry(from: array_metadata::metadata_entry::Reader<'_>) -> Result<OwnedMetadataEntry> {
    let datatype = named(from.get_type(), "a datatype", Datatype::from_name)?;
    let value = from.get_value()?;
    let size = value.len() as u64;
    let expected = u64::from(from.get_value_num()) * datatype.size() as u64;
    if size != expected {
        let key = text(from.get_key())?.to_owned();
        return Err(SerializationError::MetadataSize {
            key,
            size,
            expected,
        }
        .into());
    }
    Ok(OwnedMetadataEntry {
        key: text(from.get_key())?.to_owned(),
        value: (!from.get_del()).then(|| (datatype, value.to_vec())),
    })
}
