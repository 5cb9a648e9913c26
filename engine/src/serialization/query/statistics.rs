//! The statistics of a query as messages.

use crate::error::Result;
use crate::query::Query;
use crate::serialization::messages_capnp::stats;
use crate::serialization::texts::{length, short, text};
use crate::stats::SentStats;

/// Fills the message of the statistics of a query.
pub(super) fn fill(mut to: stats::Builder<'_>, query: &Query) -> Result<()> {
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
pub(super) fn parse(from: stats::Reader<'_>) -> Result<SentStats> {
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
