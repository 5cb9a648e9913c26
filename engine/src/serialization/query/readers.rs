//! Reads as messages: ranges, condition and progress, in a field that names the reader.

use super::{conditions, fill_stats, parse_stats, progress, subarrays};
use crate::error::{QueryMessageError, Result};
use crate::query::{Query, QueryMessage, Strategy};
use crate::serialization::messages_capnp::{query, query_reader, reader_index};
use crate::types::Layout;

/// Returns the reader of a query in libtiledb.
fn kind_of(query: &Query) -> Strategy {
    if let Some(state) = query.carried() {
        return state.kind;
    }
    let is_new = |name| query.request().config.get(name).as_deref() == Some("refactored");
    if query.request().schema().is_dense() {
        return if is_new("sm.query.dense.reader") {
            Strategy::Dense
        } else {
            Strategy::Legacy
        };
    }
    let unordered = query.request().layout == Layout::Unordered;
    let merges = unordered || query.request().layout == Layout::GlobalOrder;
    let in_sequence = unordered && query.request().schema().allows_dups;
    if merges && is_new("sm.query.sparse_global_order.reader")
        || in_sequence && is_new("sm.query.sparse_unordered_with_dups.reader")
    {
        Strategy::Index
    } else {
        Strategy::Legacy
    }
}

/// Fills the message of a read.
pub(super) fn fill(to: query::Builder<'_>, query: &Query) -> Result<()> {
    match kind_of(query) {
        Strategy::Index => fill_index(to.init_reader_index(), query),
        Strategy::Dense => fill_ranges(to.init_dense_reader(), query),
        _ => fill_ranges(to.init_reader(), query),
    }
}

fn fill_index(mut to: reader_index::Builder<'_>, query: &Query) -> Result<()> {
    to.set_layout(query.request().layout.name());
    let subarray = to.reborrow().init_subarray();
    subarrays::fill(subarray, query.request())?;
    if let Some(condition) = &query.request().condition {
        conditions::fill(to.reborrow().init_condition(), condition)?;
    }
    fill_stats(to.reborrow().init_stats(), query)?;
    progress::fill_index(to, query)
}

fn fill_ranges(mut to: query_reader::Builder<'_>, query: &Query) -> Result<()> {
    to.set_layout(query.request().layout.name());
    let subarray = to.reborrow().init_subarray();
    subarrays::fill(subarray, query.request())?;
    if let Some(condition) = &query.request().condition {
        conditions::fill(to.reborrow().init_condition(), condition)?;
    }
    fill_stats(to.reborrow().init_stats(), query)?;
    progress::fill_ranges(to, query)
}

/// Reads the message of a read into `received`.
pub(super) fn parse(
    from: query::Reader<'_>,
    query: &Query,
    received: &mut QueryMessage,
) -> Result<()> {
    let schema = query.request().schema();
    if from.has_reader_index() {
        let from = from.get_reader_index()?;
        received.subarray = Some(subarrays::parse(from.get_subarray()?, schema)?);
        if from.has_condition() {
            received.condition = Some(conditions::parse(from.get_condition()?, schema)?);
        }
        if from.has_read_state() {
            received.carried = Some(progress::parse_index(from.get_read_state()?)?);
        }
        received.stats = Some(parse_stats(from.get_stats()?)?);
    } else if from.has_ordered_dim_label_reader() {
        return Err(QueryMessageError::LabelOrder.into());
    } else if from.has_dense_reader() {
        parse_ranges(from.get_dense_reader()?, Strategy::Dense, query, received)?;
    } else {
        parse_ranges(from.get_reader()?, Strategy::Legacy, query, received)?;
    }
    if let Some(subarray) = &mut received.subarray {
        subarray.set_config(&received.config)?;
        // The message has no field for this: clients of both libraries send merged ranges.
        subarray.merges = true;
    }
    Ok(())
}

fn parse_ranges(
    from: query_reader::Reader<'_>,
    kind: Strategy,
    query: &Query,
    received: &mut QueryMessage,
) -> Result<()> {
    let schema = query.request().schema();
    received.subarray = Some(subarrays::parse(from.get_subarray()?, schema)?);
    if from.has_condition() {
        received.condition = Some(conditions::parse(from.get_condition()?, schema)?);
    }
    if from.has_read_state() {
        received.carried = Some(progress::parse_ranges(from.get_read_state()?, kind)?);
    }
    received.stats = Some(parse_stats(from.get_stats()?)?);
    Ok(())
}
