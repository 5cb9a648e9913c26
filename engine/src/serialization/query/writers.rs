//! Writes as messages: ranges, checks of cells, and the progress of writes of several submits.

use std::sync::Arc;

use super::{fill_stats, global_writes, parse_stats, subarrays};
use crate::config::Config;
use crate::error::Result;
use crate::query::{Query, QueryMessage, Strategy, StrategyProgress, StrategyState};
use crate::serialization::message;
use crate::serialization::messages_capnp::{
    global_write_state, query, unordered_writer_state, writer,
};
use crate::serialization::texts::{fill_texts, text};
use crate::serialization::values;
use crate::subarray::Subarray;
use crate::types::Layout;

/// Fills the message of a write.
pub(super) fn fill(mut to: query::Builder<'_>, query: &Query) -> Result<()> {
    let mut writer = to.reborrow().init_writer();
    let config = &query.request().config;
    writer.set_check_coord_dups(config.flag("sm.check_coord_dups")?);
    writer.set_check_coord_o_o_b(config.flag("sm.check_coord_oob")?);
    writer.set_dedup_coords(config.flag("sm.dedup_coords")?);
    let subarray = writer.reborrow().init_subarray_ranges();
    subarrays::fill(subarray, query.request())?;
    fill_stats(writer.reborrow().init_stats(), query)?;
    fill_progress(writer, query)?;
    let names = query.written_names();
    if !names.is_empty() {
        fill_texts("A list of fields", "The name of a field", names, |n| {
            to.init_written_buffers(n)
        })?;
    }
    Ok(())
}

fn fill_progress(mut to: writer::Builder<'_>, query: &Query) -> Result<()> {
    let carried = query.carried();
    match query.request().layout {
        Layout::GlobalOrder => match carried {
            Some(state) if state.kind == Strategy::GlobalWrite => {
                message::with_copy::<global_write_state::Owned, _>(&state.message, |state| {
                    Ok(to.set_global_write_state_v1(state)?)
                })
            }
            _ if query.is_writing() => {
                let to = to.init_global_write_state_v1();
                let state = query.global_write_state();
                state.map_or(Ok(()), |state| {
                    global_writes::fill(to, &state, query.request().schema())
                })
            }
            _ => Ok(()),
        },
        Layout::Unordered => match carried {
            Some(state) if state.kind == Strategy::UnorderedWrite => {
                message::with_copy::<unordered_writer_state::Owned, _>(&state.message, |state| {
                    Ok(to.set_unordered_writer_state(state)?)
                })
            }
            _ => {
                to.init_unordered_writer_state()
                    .set_is_coords_pass(!query.is_writing());
                Ok(())
            }
        },
        _ => Ok(()),
    }
}

/// Reads the message of a write into `received`.
pub(super) fn parse(
    from: query::Reader<'_>,
    query: &Query,
    received: &mut QueryMessage,
) -> Result<()> {
    let writer = from.get_writer()?;
    let config = &mut received.config;
    set_flag(config, "sm.check_coord_dups", writer.get_check_coord_dups())?;
    set_flag(config, "sm.check_coord_oob", writer.get_check_coord_o_o_b())?;
    set_flag(config, "sm.dedup_coords", writer.get_dedup_coords())?;
    received.carried = parse_progress(writer, query, received.layout)?;
    received.stats = Some(parse_stats(writer.get_stats()?)?);
    received.written_names = from
        .get_written_buffers()?
        .iter()
        .map(|name| Ok(text(name)?.to_owned()))
        .collect::<Result<_>>()?;
    if !query.request().schema().is_dense() {
        return Ok(());
    }
    if writer.has_subarray_ranges() {
        let subarray = subarrays::parse(writer.get_subarray_ranges()?, query.request().schema())?;
        received.subarray = Some(subarray);
    } else if writer.has_subarray() {
        // Of a client before 1.8.
        let mut subarray = Subarray::new(query.request().schema());
        let datatype = query
            .request()
            .schema()
            .domain
            .dimensions
            .first()
            .map(|dimension| dimension.datatype);
        if let Some(datatype) = datatype {
            subarray.set_all(&values::parse(writer.get_subarray()?, datatype)?)?;
        }
        received.subarray = Some(subarray);
    }
    Ok(())
}

fn set_flag(config: &mut Config, name: &str, value: bool) -> Result<()> {
    config.set(name, &value.to_string())
}

fn parse_progress(
    from: writer::Reader<'_>,
    query: &Query,
    layout: Layout,
) -> Result<Option<StrategyState>> {
    if layout == Layout::GlobalOrder && from.has_global_write_state_v1() {
        let state = from.get_global_write_state_v1()?;
        return Ok(Some(StrategyState {
            kind: Strategy::GlobalWrite,
            progress: StrategyProgress::Foreign,
            write: global_writes::parse(state, query.request().schema())?.map(Arc::new),
            message: message::copy_of::<global_write_state::Owned>(state)?.into(),
        }));
    }
    if layout != Layout::Unordered || !from.has_unordered_writer_state() {
        return Ok(None);
    }
    let state = from.get_unordered_writer_state()?;
    let started = !state.get_is_coords_pass() || state.has_frag_meta();
    Ok(Some(StrategyState {
        kind: Strategy::UnorderedWrite,
        progress: if started {
            StrategyProgress::Foreign
        } else {
            StrategyProgress::None
        },
        write: None,
        message: message::copy_of::<unordered_writer_state::Owned>(state)?.into(),
    }))
}
