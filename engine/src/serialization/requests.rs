//! Requests of clients, and the responses of a server.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::config;
use super::message::{self, DEFAULT_LIMIT, MessageEncoding};
use super::messages_capnp::{
    array_delete_fragments_list_request, array_delete_fragments_timestamps_request, array_open,
    consolidation_plan_request, consolidation_plan_response, load_array_schema_request,
    load_array_schema_response, load_enumerations_request, load_enumerations_response,
};
use super::schema::{self, fill_enumerations};
use super::texts::{length, named, short, text};
use crate::config::Config;
use crate::error::{MessageKind, Result, SerializationError};
use crate::maintenance::ConsolidationPlan;
use crate::schema::{ArraySchema, Enumeration};
use crate::types::{QueryType, TimeRange};

/// Writes a request to open an array: its configuration and the query type.
pub fn write_array_open(
    config: &Config,
    query_type: QueryType,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    message::write::<array_open::Owned>(MessageKind::ArrayOpen, encoding, |mut to| {
        config::fill(to.reborrow().init_config(), config)?;
        to.set_query_type(query_type.name());
        Ok(())
    })
}

/// Reads a request to open an array; `None` for what the message does not have.
pub fn read_array_open(
    bytes: &[u8],
    encoding: MessageEncoding,
) -> Result<(Option<Config>, Option<QueryType>)> {
    let (kind, limit) = (MessageKind::ArrayOpen, DEFAULT_LIMIT);
    message::read::<array_open::Owned, _>(kind, encoding, bytes, limit, |from| {
        let config = from.has_config().then(|| from.get_config()).transpose()?;
        let config = config.map(config::parse).transpose()?;
        let query_type = from
            .has_query_type()
            .then(|| from.get_query_type())
            .map(|name| named(name, "a query type", QueryType::from_name));
        Ok((config, query_type.transpose()?))
    })
}

/// Reads a request for the schemas of an array: the configuration with which to load them.
pub fn read_load_schema_request(bytes: &[u8], encoding: MessageEncoding) -> Result<Config> {
    let (kind, limit) = (MessageKind::LoadArraySchemaRequest, DEFAULT_LIMIT);
    message::read::<load_array_schema_request::Owned, _>(kind, encoding, bytes, limit, |from| {
        if from.has_config() {
            config::parse(from.get_config()?)
        } else {
            Ok(Config::new())
        }
    })
}

/// Writes the latest schema of an array and all its schemas.
pub fn write_load_schema_response(
    latest: &ArraySchema,
    all: &[Arc<ArraySchema>],
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::LoadArraySchemaResponse;
    message::write::<load_array_schema_response::Owned>(kind, encoding, |mut to| {
        schema::fill(to.reborrow().init_schema(), latest, None)?;
        schema::fill_all(to.init_array_schemas_all(), all, None)
    })
}

/// Reads a request for enumerations: their names, or none for all of them.
pub fn read_load_enumerations_request(
    bytes: &[u8],
    encoding: MessageEncoding,
) -> Result<Vec<String>> {
    let (kind, limit) = (MessageKind::LoadEnumerationsRequest, DEFAULT_LIMIT);
    message::read::<load_enumerations_request::Owned, _>(kind, encoding, bytes, limit, |from| {
        from.get_enumerations()?
            .iter()
            .map(|name| Ok(text(name)?.to_owned()))
            .collect()
    })
}

/// Writes enumerations by the name of their schema. The name of a single schema is left out.
pub fn write_load_enumerations_response(
    enumerations: &BTreeMap<String, Vec<Arc<Enumeration>>>,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::LoadEnumerationsResponse;
    message::write::<load_enumerations_response::Owned>(kind, encoding, |to| {
        if let (1, Some(only)) = (enumerations.len(), enumerations.values().next()) {
            let number = length("A list of enumerations", only.len())?;
            return fill_enumerations(to.init_enumerations(number), only);
        }
        if enumerations.is_empty() {
            return Ok(());
        }
        let number = length("A list of schemas", enumerations.len())?;
        let mut entries = to.init_all_enumerations().init_entries(number);
        for (index, (schema, list)) in (0..).zip(enumerations) {
            let mut entry = entries.reborrow().get(index);
            entry.set_key(short("The name of a schema", schema)?);
            let number = length("A list of enumerations", list.len())?;
            fill_enumerations(entry.init_value(number), list)?;
        }
        Ok(())
    })
}

/// Reads a request for a consolidation plan: the greatest size of a fragment in bytes.
pub fn read_consolidation_plan_request(bytes: &[u8], encoding: MessageEncoding) -> Result<u64> {
    let (kind, limit) = (MessageKind::ConsolidationPlanRequest, DEFAULT_LIMIT);
    message::read::<consolidation_plan_request::Owned, _>(kind, encoding, bytes, limit, |from| {
        Ok(from.get_fragment_size())
    })
}

/// Writes a consolidation plan.
pub fn write_consolidation_plan_response(
    plan: &ConsolidationPlan,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::ConsolidationPlanResponse;
    message::write::<consolidation_plan_response::Owned>(kind, encoding, |to| {
        let nodes = &plan.nodes;
        if nodes.is_empty() {
            return Ok(());
        }
        let number = length("A consolidation plan", nodes.len())?;
        let mut list = to.init_fragment_uris_per_node(number);
        for (index, node) in (0..).zip(nodes) {
            let number = length("A consolidation plan", node.len())?;
            let mut names = list.reborrow().init(index, number);
            for (index, name) in (0..).zip(node) {
                names.set(index, short("A URI", name.as_str())?);
            }
        }
        Ok(())
    })
}

/// Reads a request to delete the fragments of a time range.
pub fn read_delete_fragments_request(bytes: &[u8], encoding: MessageEncoding) -> Result<TimeRange> {
    let kind = MessageKind::DeleteFragmentsTimestampsRequest;
    let limit = DEFAULT_LIMIT;
    message::read::<array_delete_fragments_timestamps_request::Owned, _>(
        kind,
        encoding,
        bytes,
        limit,
        |from| {
            Ok(TimeRange {
                start: from.get_start_timestamp(),
                end: from.get_end_timestamp(),
            })
        },
    )
}

/// Reads a request to delete fragments: their URIs relative to the array's folder.
pub fn read_delete_fragments_list_request(
    bytes: &[u8],
    encoding: MessageEncoding,
) -> Result<Vec<String>> {
    let kind = MessageKind::DeleteFragmentsListRequest;
    let limit = DEFAULT_LIMIT;
    message::read::<array_delete_fragments_list_request::Owned, _>(
        kind,
        encoding,
        bytes,
        limit,
        |from| {
            if !from.has_entries() {
                return Err(SerializationError::NoFragments.into());
            }
            from.get_entries()?
                .iter()
                .map(|name| Ok(text(name)?.to_owned()))
                .collect()
        },
    )
}
