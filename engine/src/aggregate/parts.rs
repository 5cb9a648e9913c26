//! The parts of the aggregates of a field.

use super::AggregateOperator;

/// The parts that the aggregates of a field need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccumulatedParts {
    /// The sum, for sums and means.
    pub sum: bool,
    /// The minimum and the maximum.
    pub min_max: bool,
}

impl AccumulatedParts {
    /// Adds the parts that an operator needs.
    pub fn add(&mut self, operator: AggregateOperator) {
        match operator {
            AggregateOperator::Sum | AggregateOperator::Mean => self.sum = true,
            AggregateOperator::Min | AggregateOperator::Max => self.min_max = true,
            AggregateOperator::Count | AggregateOperator::NullCount => {}
        }
    }

    /// Returns whether the values of cells are needed, or only their validity.
    pub fn needs_values(&self) -> bool {
        self.sum || self.min_max
    }
}
