//! Aggregates as messages.

use crate::aggregate::{Aggregate, AggregateOperator};
use crate::error::{QueryMessageError, Result};
use crate::query::NamedAggregate;
use crate::schema::ArraySchema;
use crate::serialization::messages_capnp::query;
use crate::serialization::texts::{length, named, short, text};

/// Fills the messages of the aggregates of a query, which are in one channel.
pub(super) fn fill(to: query::Builder<'_>, aggregates: &[NamedAggregate]) -> Result<()> {
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
pub(super) fn parse(from: query::Reader<'_>, schema: &ArraySchema) -> Result<Vec<NamedAggregate>> {
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
