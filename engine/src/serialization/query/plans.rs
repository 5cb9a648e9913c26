//! Requests for the plan of a query, and the responses.

use super::Side;
use super::headers::{FieldHeader, MessageField};
use crate::error::{MessageKind, Result};
use crate::query::{Query, QueryMessage, QueryPlan};
use crate::serialization::config;
use crate::serialization::message::{self, DEFAULT_LIMIT, MessageEncoding};
use crate::serialization::messages_capnp::{query_plan_request, query_plan_response};
use crate::serialization::texts::{fill_texts, named, text};
use crate::types::{ArrayType, Layout};

/// Reads a request for the plan of a query for `query`, which is not changed. Returns the state
/// and the buffers of the query of the client, or `None` if the request contains no query.
pub fn read_query_plan_request(
    bytes: &[u8],
    query: &Query,
    encoding: MessageEncoding,
) -> Result<Option<(QueryMessage, Vec<MessageField>)>> {
    let (kind, limit) = (MessageKind::QueryPlanRequest, DEFAULT_LIMIT);
    message::read::<query_plan_request::Owned, _>(kind, encoding, bytes, limit, |from| {
        if !from.has_query() {
            return Ok(None);
        }
        super::parse(from.get_query()?, query, 0).map(Some)
    })
}

/// Writes a request for the plan of a query of a client.
pub fn write_query_plan_request(
    query: &Query,
    fields: &[FieldHeader<'_>],
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::QueryPlanRequest;
    message::write::<query_plan_request::Owned>(kind, encoding, |mut to| {
        config::fill(to.reborrow().init_config(), &query.request().config)?;
        super::fill(to.init_query(), query, fields, Side::Client)
    })
}

/// Reads the plan of a query: its layout, the strategy, the type of the array, and the names of
/// attributes and dimensions.
pub fn read_query_plan_response(bytes: &[u8], encoding: MessageEncoding) -> Result<QueryPlan> {
    let (kind, limit) = (MessageKind::QueryPlanResponse, DEFAULT_LIMIT);
    message::read::<query_plan_response::Owned, _>(kind, encoding, bytes, limit, |from| {
        let names = |list: capnp::text_list::Reader<'_>| {
            list.iter()
                .map(|name| Ok(text(name)?.to_owned()))
                .collect::<Result<Vec<String>>>()
        };
        Ok(QueryPlan {
            layout: named(from.get_query_layout(), "a layout", Layout::from_name)?,
            strategy: text(from.get_strategy_name())?.to_owned(),
            array_type: named(from.get_array_type(), "an array type", ArrayType::from_name)?,
            attributes: names(from.get_attribute_names()?)?,
            dimensions: names(from.get_dimension_names()?)?,
        })
    })
}

/// Writes the plan of a query.
pub fn write_query_plan_response(plan: &QueryPlan, encoding: MessageEncoding) -> Result<Vec<u8>> {
    let kind = MessageKind::QueryPlanResponse;
    message::write::<query_plan_response::Owned>(kind, encoding, |mut to| {
        to.set_query_layout(plan.layout.name());
        to.set_strategy_name(&plan.strategy[..]);
        to.set_array_type(plan.array_type.name());
        if !plan.attributes.is_empty() {
            fill_names(&plan.attributes, |n| to.reborrow().init_attribute_names(n))?;
        }
        if !plan.dimensions.is_empty() {
            fill_names(&plan.dimensions, |n| to.init_dimension_names(n))?;
        }
        Ok(())
    })
}

fn fill_names<'a>(
    names: &[String],
    init: impl FnOnce(u32) -> capnp::text_list::Builder<'a>,
) -> Result<()> {
    fill_texts("A list of fields", "The name of a field", names, init)
}
