//! Queries as messages, and the sizes of the buffers whose content follows them.
//!
//! A client sends the settings of a query, the sizes of its buffers and, of a write, their content.
//! A server returns the state, the progress and, of a read, the results. The progress returns to
//! the server with the next submit.

mod conditions;
mod estimates;
mod global_writes;
mod headers;
mod plans;
mod progress;
mod readers;
mod subarrays;
mod writers;

use super::message::{self, MessageEncoding, traversal_limit};
use super::messages_capnp::{query, stats};
use super::ranges::wrong_size;
use super::texts::{length, named, short, text};
use super::{arrays, config};
use crate::aggregate::{Aggregate, AggregateOperator};
use crate::array::Array;
use crate::config::Config;
use crate::error::{MessageKind, QueryMessageError, Result};
use crate::query::{NamedAggregate, Query, QueryMessage, WrittenFragment};
use crate::schema::ArraySchema;
use crate::stats::SentStats;
use crate::types::{Layout, QueryStatus, QueryType, TimeRange};

pub use estimates::{read_result_sizes, write_result_sizes};
pub use headers::{BufferSize, FieldHeader, MessageField};
pub use plans::{
    read_query_plan_request, read_query_plan_response, write_query_plan_request,
    write_query_plan_response,
};

/// The side that a process is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The process that creates queries.
    Client,
    /// The process that runs them.
    Server,
}

/// Writes a query, without the content of its buffers.
///
/// # Errors
/// If the state cannot be continued by another process.
pub fn write_query(
    query: &Query,
    fields: &[FieldHeader<'_>],
    side: Side,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    let kind = MessageKind::Query;
    message::check_query_encoding(encoding, QueryMessageError::Json { writes: true })?;
    message::write::<query::Owned>(kind, encoding, |to| fill(to, query, fields, side))
}

/// Reads a query for `query`, which is not changed. Returns its state and its buffers.
pub fn read_query(
    bytes: &[u8],
    query: &Query,
    encoding: MessageEncoding,
) -> Result<(QueryMessage, Vec<MessageField>)> {
    let limit = traversal_limit(&query.request().config)?;
    let kind = MessageKind::Query;
    message::check_query_encoding(encoding, QueryMessageError::Json { writes: false })?;
    message::read_with_content::<query::Owned, _>(kind, bytes, limit, |from, start| {
        parse(from, query, start)
    })
}

/// Reads the array of a query into `array`, which is open then. Returns the type of the query.
pub fn read_array_of_query(
    bytes: &[u8],
    array: &Array,
    config: &Config,
    encoding: MessageEncoding,
) -> Result<QueryType> {
    let limit = traversal_limit(config)?;
    let kind = MessageKind::Query;
    message::check_query_encoding(encoding, QueryMessageError::Json { writes: false })?;
    message::read_with_content::<query::Owned, _>(kind, bytes, limit, |from, _| {
        if !from.has_array() {
            return Err(QueryMessageError::NoArray.into());
        }
        arrays::parse(from.get_array()?, array)?;
        named(from.get_type(), "a query type", QueryType::from_name)
    })
}

/// Fills the message of a query.
fn fill(
    mut to: query::Builder<'_>,
    query: &Query,
    fields: &[FieldHeader<'_>],
    side: Side,
) -> Result<()> {
    let is_incomplete = query.status() == QueryStatus::Incomplete;
    if side == Side::Server && is_incomplete && !query.request().aggregates.is_empty() {
        return Err(QueryMessageError::IncompleteAggregates.into());
    }
    to.set_type(query.request().query_type.name());
    to.set_layout(query.request().layout.name());
    to.set_status(query.status().name());
    let array = to.reborrow().init_array();
    arrays::fill(array, &query.request().array, side == Side::Client)?;
    headers::fill(to.reborrow(), fields)?;
    let is_delete = !matches!(
        query.request().query_type,
        QueryType::Read | QueryType::Write
    );
    if !is_delete {
        fill_offsets_form(to.reborrow(), &query.request().config)?;
    }
    match query.request().query_type {
        QueryType::Read => readers::fill(to.reborrow(), query)?,
        QueryType::Write => writers::fill(to.reborrow(), query)?,
        _ => {
            let mut delete = to.reborrow().init_delete();
            if let Some(condition) = &query.request().condition {
                conditions::fill(delete.reborrow().init_condition(), condition)?;
            }
            fill_stats(delete.init_stats(), query)?;
        }
    }
    config::fill(to.reborrow().init_config(), &query.request().config)?;
    to.reborrow().init_stats();
    fill_written(to.reborrow(), query.written())?;
    fill_aggregates(to, &query.request().aggregates)
}

fn fill_offsets_form(mut to: query::Builder<'_>, config: &Config) -> Result<()> {
    let mode = config.get("sm.var_offsets.mode").unwrap_or_default();
    to.set_var_offsets_mode(short("The mode of offsets", &mode)?);
    to.set_var_offsets_add_extra_element(config.flag("sm.var_offsets.extra_element")?);
    let bits = config.u64("sm.var_offsets.bitsize")?;
    to.set_var_offsets_bitsize(i32::try_from(bits).unwrap_or_default());
    Ok(())
}

fn fill_written(to: query::Builder<'_>, written: &[WrittenFragment]) -> Result<()> {
    if written.is_empty() {
        return Ok(());
    }
    let number = length("A list of fragments", written.len())?;
    let mut list = to.init_written_fragment_info(number);
    for (index, fragment) in (0..).zip(written) {
        let mut to = list.reborrow().get(index);
        to.set_uri(short("A URI", fragment.uri.name())?);
        let mut range = to.init_timestamp_range(2);
        range.set(0, fragment.timestamps.start);
        range.set(1, fragment.timestamps.end);
    }
    Ok(())
}

/// Reads the message of a query, whose size is `start`.
fn parse(
    from: query::Reader<'_>,
    query: &Query,
    start: u64,
) -> Result<(QueryMessage, Vec<MessageField>)> {
    let query_type = named(from.get_type(), "a query type", QueryType::from_name)?;
    if query_type != query.request().query_type {
        return Err(QueryMessageError::OtherType {
            query: query.request().query_type.name(),
            message: query_type.name(),
        }
        .into());
    }
    if !from.has_attribute_buffer_headers() {
        return Err(QueryMessageError::NoHeaders.into());
    }
    let mut config = query.request().config.clone();
    if from.has_config() {
        config = config::parse(from.get_config()?)?;
    }
    parse_offsets_form(from, &mut config)?;
    let layout = named(from.get_layout(), "a layout", Layout::from_name)?;
    let status = named(from.get_status(), "a query status", QueryStatus::from_name)?;
    let aggregates = parse_aggregates(from, query.request().schema())?;
    let fields = headers::parse(from, query, &aggregates, start)?;
    let mut received = QueryMessage {
        config,
        layout,
        status,
        subarray: None,
        condition: None,
        aggregates,
        carried: None,
        written: parse_written(from, query)?,
        written_names: Vec::new(),
        has_results: fields.iter().any(MessageField::has_cells),
        stats: None,
    };
    match query_type {
        QueryType::Read => readers::parse(from, query, &mut received)?,
        QueryType::Write => writers::parse(from, query, &mut received)?,
        QueryType::Delete => {
            let delete = from.get_delete()?;
            if delete.has_condition() {
                received.condition = Some(conditions::parse(
                    delete.get_condition()?,
                    query.request().schema(),
                )?);
            }
            received.stats = Some(parse_stats(delete.get_stats()?)?);
        }
        _ => return Err(QueryMessageError::UnsupportedType.into()),
    }
    Ok((received, fields))
}

/// Sets the format of offsets, which a message has besides its configuration.
fn parse_offsets_form(from: query::Reader<'_>, config: &mut Config) -> Result<()> {
    if !matches!(text(from.get_type())?, "READ" | "WRITE") {
        return Ok(());
    }
    if from.has_var_offsets_mode() {
        config.set("sm.var_offsets.mode", text(from.get_var_offsets_mode())?)?;
    }
    let extra = from.get_var_offsets_add_extra_element();
    config.set("sm.var_offsets.extra_element", &extra.to_string())?;
    if from.get_var_offsets_bitsize() > 0 {
        let bits = from.get_var_offsets_bitsize().to_string();
        config.set("sm.var_offsets.bitsize", &bits)?;
    }
    Ok(())
}

fn parse_written(from: query::Reader<'_>, query: &Query) -> Result<Vec<WrittenFragment>> {
    let folder = query.request().written_folder();
    from.get_written_fragment_info()?
        .iter()
        .map(|from| {
            let range = from.get_timestamp_range()?;
            if range.len() != 2 {
                return Err(wrong_size("A time range", range.len() as usize, 2));
            }
            Ok(WrittenFragment {
                uri: folder.join(text(from.get_uri())?),
                timestamps: TimeRange {
                    start: range.get(0),
                    end: range.get(1),
                },
            })
        })
        .collect()
}

/// Fills the messages of the aggregates of a query, which are in one channel.
fn fill_aggregates(to: query::Builder<'_>, aggregates: &[NamedAggregate]) -> Result<()> {
    if aggregates.is_empty() {
        return Ok(());
    }
    let mut channel = to.init_channels(1).get(0);
    channel.set_default(true);
    let number = length("A list of aggregates", aggregates.len())?;
    let mut list = channel.init_aggregates(number);
    for (index, NamedAggregate { name, aggregate }) in (0..).zip(aggregates) {
        let mut to = list.reborrow().get(index);
        to.set_output_field_name(short("The name of a field", name)?);
        to.set_name(aggregate.operator().name());
        if let Some(field) = aggregate.field() {
            to.set_input_field_name(short("The name of a field", &field.name)?);
        }
    }
    Ok(())
}

/// Reads the aggregates of a query.
fn parse_aggregates(from: query::Reader<'_>, schema: &ArraySchema) -> Result<Vec<NamedAggregate>> {
    let mut aggregates: Vec<NamedAggregate> = Vec::new();
    for channel in from.get_channels()? {
        for from in channel.get_aggregates()? {
            let name = text(from.get_output_field_name())?.to_owned();
            let subject = "an aggregate";
            let operator = named(from.get_name(), subject, AggregateOperator::from_name)?;
            let aggregate = if operator == AggregateOperator::Count {
                Aggregate::COUNT
            } else {
                Aggregate::new(schema, operator, text(from.get_input_field_name())?)?
            };
            if aggregates.iter().any(|known| known.name == name) {
                return Err(QueryMessageError::DuplicateAggregate { name }.into());
            }
            aggregates.push(NamedAggregate { name, aggregate });
        }
    }
    Ok(aggregates)
}

/// Fills the message of the statistics of a query.
fn fill_stats(mut to: stats::Builder<'_>, query: &Query) -> Result<()> {
    let sent = query.sent_stats();
    if !sent.counters.is_empty() {
        let number = length("A list of counters", sent.counters.len())?;
        let mut list = to.reborrow().init_counters().init_entries(number);
        for (index, (name, sum)) in (0..).zip(&sent.counters) {
            let mut to = list.reborrow().get(index);
            to.set_key(short("The name of a counter", name)?);
            to.set_value(*sum);
        }
    }
    if !sent.timers.is_empty() {
        let number = length("A list of timers", sent.timers.len())?;
        let mut list = to.init_timers().init_entries(number);
        for (index, (name, seconds)) in (0..).zip(&sent.timers) {
            let mut to = list.reborrow().get(index);
            to.set_key(short("The name of a timer", name)?);
            to.set_value(*seconds);
        }
    }
    Ok(())
}

/// Reads the message of the statistics of a query.
fn parse_stats(from: stats::Reader<'_>) -> Result<SentStats> {
    let mut received = SentStats::default();
    for entry in from.get_counters()?.get_entries()? {
        let name = text(entry.get_key())?.to_owned();
        received.counters.push((name, entry.get_value()));
    }
    for entry in from.get_timers()?.get_entries()? {
        let name = text(entry.get_key())?.to_owned();
        received.timers.push((name, entry.get_value()));
    }
    Ok(received)
}
