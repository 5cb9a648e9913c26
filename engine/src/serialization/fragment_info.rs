//! Information about fragments as messages.

use std::sync::Arc;

use super::arrays::folder_uri;
use super::message::{self, DEFAULT_LIMIT, MessageEncoding, traversal_limit};
use super::messages_capnp::{fragment_info, fragment_info_request, single_fragment_info};
use super::schema;
use super::texts::{fill_texts, length, text};
use super::{config, fragments};
use crate::array::StoredFragments;
use crate::config::Config;
use crate::error::{MessageKind, Result, SerializationError};
use crate::format::names::folders;
use crate::fragment::{Fragment, FragmentMessage};
use crate::inspect::FragmentInfo;
use crate::schema::ArraySchema;
use crate::types::TimeRange;
use crate::vfs::Uri;

/// Writes a request for information about fragments.
pub fn write_fragment_info_request(config: &Config, encoding: MessageEncoding) -> Result<Vec<u8>> {
    let kind = MessageKind::FragmentInfoRequest;
    message::write::<fragment_info_request::Owned>(kind, encoding, |to| {
        config::fill(to.init_config(), config)
    })
}

/// Reads a request for information about fragments: its configuration, if it has one.
pub fn read_fragment_info_request(
    bytes: &[u8],
    encoding: MessageEncoding,
) -> Result<Option<Config>> {
    let (kind, limit) = (MessageKind::FragmentInfoRequest, DEFAULT_LIMIT);
    message::read::<fragment_info_request::Owned, _>(kind, encoding, bytes, limit, |from| {
        let config = from.has_config().then(|| from.get_config()).transpose()?;
        config.map(config::parse).transpose()
    })
}

/// Writes information about the fragments of an array. If `client_side`, the schemas have
/// the URI of the array.
pub fn write_fragment_info(
    info: &FragmentInfo,
    client_side: bool,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let (kind, uri) = (MessageKind::FragmentInfo, folder_uri(&info.array));
    message::write::<fragment_info::Owned>(kind, encoding, |to| {
        fill(to, info, client_side.then_some(uri.as_str()))
    })
}

/// Reads information about the fragments of the array at `array`.
pub fn read_fragment_info(
    bytes: &[u8],
    encoding: MessageEncoding,
    array: &Uri,
    info: &FragmentInfo,
) -> Result<()> {
    let limit = traversal_limit(&info.vfs.context.config)?;
    let kind = MessageKind::FragmentInfo;
    message::read::<fragment_info::Owned, _>(kind, encoding, bytes, limit, |from| {
        parse(from, array, info)
    })
}

fn fill(mut to: fragment_info::Builder<'_>, info: &FragmentInfo, uri: Option<&str>) -> Result<()> {
    let loaded = info.loaded()?;
    let (latest, all) = info.schemas()?;
    schema::fill(to.reborrow().init_array_schema_latest(), &latest, uri)?;
    schema::fill_all(to.reborrow().init_array_schemas_all(), &all, uri)?;
    let number = length("A list of fragments", loaded.fragments.len())?;
    let mut list = to.reborrow().init_fragment_info(number);
    for (index, fragment) in (0..).zip(&loaded.fragments) {
        let mut to = list.reborrow().get(index);
        to.set_array_schema_name(fragment.schema_name());
        fragments::fill(to.reborrow().init_meta(), fragment)?;
        to.set_fragment_size(fragment.stored_size()?);
    }
    fill_texts(
        "A list of fragments",
        "The name of a fragment",
        loaded.replaced.iter().map(Uri::name),
        |n| to.init_to_vacuum(n),
    )
}

fn parse(from: fragment_info::Reader<'_>, array: &Uri, info: &FragmentInfo) -> Result<()> {
    let all: Vec<Arc<ArraySchema>> = schema::parse_all(from.get_array_schemas_all()?)?
        .into_iter()
        .map(Arc::new)
        .collect();
    let latest = Arc::new(schema::parse(from.get_array_schema_latest()?)?);
    let received = from.get_fragment_info()?.iter();
    let received = received.map(|from| {
        let received = parse_fragment(from, array, &all)?;
        Fragment::of_message(&info.vfs, None, received).map(Arc::new)
    });
    let folder = array.join(folders::FRAGMENTS);
    let replaced = from
        .get_to_vacuum()?
        .iter()
        .map(|name| Ok(folder.join(text(name)?)));
    let fragments = StoredFragments {
        timestamps: TimeRange::ALL,
        fragments: received.collect::<Result<_>>()?,
        replaced: replaced.collect::<Result<_>>()?,
        deletes: Vec::new(),
    };
    info.receive(fragments, latest, all);
    Ok(())
}

fn parse_fragment(
    from: single_fragment_info::Reader<'_>,
    array: &Uri,
    schemas: &[Arc<ArraySchema>],
) -> Result<FragmentMessage> {
    let name = text(from.get_array_schema_name())?;
    let schema = schemas.iter().find(|schema| schema.name == name);
    let schema = schema.ok_or_else(|| SerializationError::UnknownName {
        subject: "a schema of the message",
        name: name.to_owned(),
    })?;
    let mut received = fragments::parse(from.get_meta()?, array, schema)?;
    received.size = Some(from.get_fragment_size());
    Ok(received)
}
