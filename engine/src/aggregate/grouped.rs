//! The aggregates of a query, grouped by field: those of a field share one accumulator.

use super::{AccumulatedParts, Accumulator, Aggregate, AggregateResult, AggregatedField};

/// Aggregates grouped by field.
#[derive(Debug)]
pub(crate) struct GroupedAggregates<'a> {
    aggregates: &'a [&'a Aggregate],
    /// The distinct fields, with the parts that their aggregates need.
    fields: Vec<(&'a AggregatedField, AccumulatedParts)>,
    /// By aggregate: the index of its field; `None` for the number of cells.
    field_indexes: Vec<Option<usize>>,
}

impl<'a> GroupedAggregates<'a> {
    /// Groups aggregates by field.
    pub(crate) fn new(aggregates: &'a [&'a Aggregate]) -> Self {
        let mut fields: Vec<(&AggregatedField, AccumulatedParts)> = Vec::new();
        let mut field_indexes = Vec::with_capacity(aggregates.len());
        for aggregate in aggregates {
            let Some(field) = &aggregate.field else {
                field_indexes.push(None);
                continue;
            };
            let known = fields.iter().position(|(known, _)| *known == field);
            let index = known.unwrap_or_else(|| {
                fields.push((field, AccumulatedParts::default()));
                fields.len() - 1
            });
            fields[index].1.add(aggregate.operator);
            field_indexes.push(Some(index));
        }
        Self {
            aggregates,
            fields,
            field_indexes,
        }
    }

    /// Returns the distinct fields, each with an empty accumulator.
    pub(crate) fn accumulators(&self) -> impl Iterator<Item = (&'a AggregatedField, Accumulator)> {
        let fields = self.fields.iter();
        fields.map(|(field, parts)| (*field, Accumulator::new(field, *parts)))
    }

    /// Returns the results in the order of the aggregates. `accumulators` are in the order of the
    /// fields, and `cell_num` is the number of cells.
    pub(crate) fn results(
        &self,
        accumulators: &[&Accumulator],
        cell_num: u64,
    ) -> Vec<AggregateResult> {
        let aggregates = self.aggregates.iter().zip(&self.field_indexes);
        let results = aggregates.map(|(aggregate, field_index)| match field_index {
            Some(index) => accumulators[*index].result(aggregate),
            None => AggregateResult::number(cell_num),
        });
        results.collect()
    }
}
