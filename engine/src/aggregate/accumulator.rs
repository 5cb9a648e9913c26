//! Accumulates the aggregates of the fields of a query, one field at a time: cell count, null
//! count, sum, minimum and maximum.
//!
//! Integer sums are exact and saturate at 64 bits only in the result. Floating-point sums of finite
//! values saturate at the largest finite value. Means do not depend on that. Minima and maxima
//! ignore NaN unless no other value exists.

use super::numbers::{self, AccumulatedParts, Sum};
use super::{Aggregate, AggregateOperator, AggregateResult, AggregatedField};
use crate::tile::CellsRef;
use crate::typed;
use crate::types::{Datatype, Physical};

/// The reliable statistics of a complete tile of a field.
#[derive(Clone, Copy, Debug)]
pub struct TileStatistics<'a> {
    /// The number of cells.
    pub cells: u64,
    /// The number of null cells.
    pub nulls: u64,
    /// The bits of the sum.
    pub sum: Option<u64>,
    /// The minimum and the maximum.
    pub min_max: Option<(&'a [u8], &'a [u8])>,
}

/// The aggregates of the cells that were added.
#[derive(Clone, Debug)]
pub struct Accumulator {
    /// The datatype of numbers; `None` for strings.
    physical: Option<Physical>,
    cell_size: usize,
    /// The parts that are accumulated.
    pub(crate) parts: AccumulatedParts,
    /// The number of cells that are not null.
    pub(super) cells: u64,
    /// The number of null cells.
    pub(super) nulls: u64,
    pub(super) sum: Sum,
    /// The minimum and the maximum.
    pub(super) min_max: Option<(Vec<u8>, Vec<u8>)>,
}

impl Accumulator {
    /// Returns an empty accumulator.
    pub fn new(field: &AggregatedField, parts: AccumulatedParts) -> Self {
        let number = field.cells.datatype != Datatype::StringAscii;
        let physical = number.then(|| field.cells.datatype.physical());
        Self {
            physical,
            cell_size: field.cells.cell_size(),
            parts,
            cells: 0,
            nulls: 0,
            sum: Sum::zero(physical),
            min_max: None,
        }
    }

    /// Returns an empty accumulator of the same kind.
    #[must_use]
    pub fn empty(&self) -> Self {
        Self {
            cells: 0,
            nulls: 0,
            sum: Sum::zero(self.physical),
            min_max: None,
            ..self.clone()
        }
    }

    /// Adds the first `cells` cells of a column, except those whose byte in `selected` is 0.
    pub fn add(&mut self, column: &CellsRef<'_>, cells: usize, selected: Option<&[u8]>) {
        let validity = column.validity.map(|validity| &validity[..cells]);
        let selected_num = match selected {
            Some(selected) => count(&selected[..cells]),
            None => cells as u64,
        };
        let mut mask = None;
        let valid = match (validity, selected) {
            (None, _) => selected_num,
            (Some(validity), None) => cells as u64 - count_zero(validity),
            (Some(validity), Some(selected)) => {
                let both: Vec<u8> = validity
                    .iter()
                    .zip(selected)
                    .map(|(valid, selected)| u8::from(*valid != 0) & selected)
                    .collect();
                let valid = count(&both);
                mask = Some(both);
                valid
            }
        };
        self.cells += valid;
        self.nulls += selected_num - valid;
        if !self.parts.needs_values() || valid == 0 {
            return;
        }
        let mask = match (&mask, validity, selected) {
            // All cells are selected.
            _ if valid == cells as u64 => None,
            (Some(mask), _, _) => Some(&mask[..]),
            (None, Some(validity), _) => Some(validity),
            (None, None, selected) => selected,
        };
        match self.physical {
            None => self.add_texts(column, cells, mask),
            Some(physical) => {
                let data = &column.data[..cells * self.cell_size];
                typed!(physical, T => numbers::add::<T>(self.parts, &mut self.sum, &mut self.min_max, data, mask));
            }
        }
    }

    fn add_texts(&mut self, column: &CellsRef<'_>, cells: usize, mask: Option<&[u8]>) {
        for cell in 0..cells {
            if mask.is_none_or(|mask| mask[cell] != 0) {
                let text = column.get(cell, self.cell_size);
                self.include_texts(text, text);
            }
        }
    }

    /// Extends the minimum and the maximum to two strings.
    fn include_texts(&mut self, least: &[u8], greatest: &[u8]) {
        let Some((min, max)) = &mut self.min_max else {
            self.min_max = Some((least.to_vec(), greatest.to_vec()));
            return;
        };
        if least < &min[..] {
            min.clear();
            min.extend_from_slice(least);
        }
        if greatest > &max[..] {
            max.clear();
            max.extend_from_slice(greatest);
        }
    }

    /// Adds a complete tile by its statistics. Returns `false` without a change if they are
    /// insufficient.
    pub fn add_statistics(&mut self, statistics: &TileStatistics<'_>) -> bool {
        // Only damaged files have more nulls than cells.
        let Some(valid) = statistics.cells.checked_sub(statistics.nulls) else {
            return false;
        };
        let sufficient = (!self.parts.sum || statistics.sum.is_some())
            && (!self.parts.min_max || statistics.min_max.is_some());
        if !sufficient && valid > 0 {
            return false;
        }
        if let (Some((least, greatest)), true, true) =
            (statistics.min_max, self.parts.min_max, valid > 0)
        {
            match self.physical {
                None => self.include_texts(least, greatest),
                Some(physical) => {
                    if least.len() != physical.size() || greatest.len() != physical.size() {
                        return false;
                    }
                    typed!(physical, T => numbers::include::<T>(&mut self.min_max, least, greatest));
                }
            }
        }
        if let (Some(sum), true) = (statistics.sum, valid > 0) {
            self.sum.add_bits(self.physical, sum);
        }
        self.cells += valid;
        self.nulls += statistics.nulls;
        true
    }

    /// Adds the content of another accumulator of the same kind.
    pub fn merge(&mut self, other: &Self) {
        self.cells += other.cells;
        self.nulls += other.nulls;
        self.sum.merge(&other.sum);
        if let Some((least, greatest)) = &other.min_max {
            match self.physical {
                None => self.include_texts(least, greatest),
                Some(physical) => {
                    typed!(physical, T => numbers::include::<T>(&mut self.min_max, least, greatest));
                }
            }
        }
    }

    /// Returns the result of an aggregate of the field.
    pub fn result(&self, aggregate: &Aggregate) -> AggregateResult {
        let has_values = self.cells > 0;
        match aggregate.operator() {
            AggregateOperator::Count => AggregateResult::number(self.cells + self.nulls),
            AggregateOperator::NullCount => AggregateResult::number(self.nulls),
            AggregateOperator::Sum => {
                let (bits, is_saturated) = self.sum.bits(self.physical);
                AggregateResult {
                    value: bits.to_le_bytes().to_vec(),
                    is_valid: has_values && !is_saturated,
                }
            }
            AggregateOperator::Mean => AggregateResult {
                value: self.sum.mean(self.cells).to_le_bytes().to_vec(),
                is_valid: has_values,
            },
            AggregateOperator::Min => {
                let min = self.min_max.as_ref().map(|(min, _)| min);
                self.least_or_greatest(aggregate, min)
            }
            AggregateOperator::Max => {
                let max = self.min_max.as_ref().map(|(_, max)| max);
                self.least_or_greatest(aggregate, max)
            }
        }
    }

    /// Returns the least or the greatest value as a result; an empty string or zeros without one.
    fn least_or_greatest(&self, aggregate: &Aggregate, value: Option<&Vec<u8>>) -> AggregateResult {
        let none = match (self.physical, aggregate.field()) {
            (None, Some(field)) if field.cells.is_var() => Vec::new(),
            _ => vec![0; self.cell_size],
        };
        AggregateResult {
            value: value.cloned().unwrap_or(none),
            is_valid: self.cells > 0,
        }
    }
}

/// Returns the number of ones among bytes that are 0 or 1.
pub fn count(bits: &[u8]) -> u64 {
    bits.chunks(255)
        .map(|bits| u64::from(bits.iter().fold(0u8, |sum, bit| sum.wrapping_add(*bit))))
        .sum()
}

fn count_zero(bytes: &[u8]) -> u64 {
    bytes
        .chunks(255)
        .map(|bytes| {
            let zeros = bytes
                .iter()
                .fold(0u8, |sum, byte| sum.wrapping_add(u8::from(*byte == 0)));
            u64::from(zeros)
        })
        .sum()
}

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
        self.fields
            .iter()
            .map(|(field, parts)| (*field, Accumulator::new(field, *parts)))
    }

    /// Returns the results in the order of the aggregates. `accumulators` are in the order of the
    /// fields, and `cell_num` is the number of cells.
    pub(crate) fn results(
        &self,
        accumulators: &[&Accumulator],
        cell_num: u64,
    ) -> Vec<AggregateResult> {
        self.aggregates
            .iter()
            .zip(&self.field_indexes)
            .map(|(aggregate, field_index)| match field_index {
                Some(index) => accumulators[*index].result(aggregate),
                None => AggregateResult::number(cell_num),
            })
            .collect()
    }
}
