//! Aggregates of the cells that a query selects.
//!
//! An [`Aggregate`] is an operator on a field. All aggregates of a field share one [`Accumulator`]
//! (`grouped`, `accumulator`, `numbers`). It receives cells or, if a complete tile is selected, the
//! statistics of the tile (`tile_statistics`). `output` writes results to the caller's buffers.

mod accumulator;
mod numbers;
mod output;
#[cfg(test)]
mod tests;
mod tile_statistics;

pub(crate) use accumulator::GroupedAggregates;
pub use accumulator::{Accumulator, TileStatistics, count};
pub use numbers::AccumulatedParts;
pub use output::AggregateResult;
pub(crate) use output::check_output;

use crate::error::{AggregateError, Error, Result};
use crate::schema::{ArraySchema, Field};
use crate::types::{CellType, Datatype, Physical};

/// The operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
#[non_exhaustive]
pub enum AggregateOperator {
    Count,
    Sum,
    Mean,
    Min,
    Max,
    NullCount,
}

impl AggregateOperator {
    /// Returns the name for error messages, such as "NULL_COUNT".
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "COUNT",
            Self::Sum => "SUM",
            Self::Mean => "MEAN",
            Self::Min => "MIN",
            Self::Max => "MAX",
            Self::NullCount => "NULL_COUNT",
        }
    }

    /// Returns the operator with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Count,
            Self::Sum,
            Self::Mean,
            Self::Min,
            Self::Max,
            Self::NullCount,
        ];
        all.into_iter().find(|operator| operator.name() == name)
    }

    /// Returns whether the operator counts cells.
    fn counts(self) -> bool {
        matches!(self, Self::Count | Self::NullCount)
    }
}

/// A field that is aggregated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregatedField {
    /// The name.
    pub name: String,
    /// The type of the cells.
    pub cells: CellType,
}

/// An operator and its field, which is `None` for the cell count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    operator: AggregateOperator,
    field: Option<AggregatedField>,
}

impl Aggregate {
    /// The number of cells.
    pub const COUNT: Self = Self {
        operator: AggregateOperator::Count,
        field: None,
    };

    /// Creates an aggregate of a field. Returns an error if the operator does not support the
    /// datatype.
    pub fn new(schema: &ArraySchema, operator: AggregateOperator, name: &str) -> Result<Self> {
        let field = schema
            .field(name)
            .filter(|field| !matches!(field, Field::Coords(_)));
        let field =
            field.ok_or_else(|| Error::from(AggregateError::UnknownField { name: name.into() }))?;
        let field = AggregatedField {
            name: name.to_owned(),
            cells: field.cell_type(),
        };
        check_field(operator, &field)?;
        Ok(Self {
            operator,
            field: Some(field),
        })
    }

    /// Returns the operator.
    pub fn operator(&self) -> AggregateOperator {
        self.operator
    }

    /// Returns the field.
    pub fn field(&self) -> Option<&AggregatedField> {
        self.field.as_ref()
    }

    /// Returns whether the result is the least or the greatest value.
    pub(crate) fn is_min_or_max(&self) -> bool {
        matches!(
            self.operator,
            AggregateOperator::Min | AggregateOperator::Max
        )
    }

    /// Returns the type of the result.
    pub fn result_type(&self) -> CellType {
        match (self.operator, &self.field) {
            (AggregateOperator::Count | AggregateOperator::NullCount, _) | (_, None) => {
                CellType::single(Datatype::Uint64)
            }
            (AggregateOperator::Mean, Some(field)) => CellType {
                nullable: field.cells.nullable,
                ..CellType::single(Datatype::Float64)
            },
            (AggregateOperator::Sum, Some(field)) => CellType {
                nullable: field.cells.nullable,
                ..CellType::single(sum_datatype(field.cells.datatype))
            },
            (AggregateOperator::Min | AggregateOperator::Max, Some(field)) => field.cells,
        }
    }
}

/// Returns the datatype of a sum of values.
fn sum_datatype(datatype: Datatype) -> Datatype {
    match datatype.physical() {
        Physical::F32 | Physical::F64 => Datatype::Float64,
        Physical::U8 | Physical::U16 | Physical::U32 | Physical::U64 => Datatype::Uint64,
        _ => Datatype::Int64,
    }
}

/// Checks that an operator supports a field.
fn check_field(operator: AggregateOperator, field: &AggregatedField) -> Result<()> {
    let datatype = field.cells.datatype;
    let is_number =
        datatype.is_integer() || datatype.is_real() || datatype.is_datetime() || datatype.is_time();
    match operator {
        AggregateOperator::Count => Ok(()),
        AggregateOperator::NullCount if field.cells.nullable => Ok(()),
        AggregateOperator::NullCount => Err(AggregateError::NotNullable {
            name: field.name.clone(),
        }
        .into()),
        _ if !is_number && datatype != Datatype::StringAscii => {
            Err(AggregateError::UnsupportedType {
                datatype: datatype.name(),
            }
            .into())
        }
        AggregateOperator::Min | AggregateOperator::Max if !is_number => Ok(()),
        AggregateOperator::Sum | AggregateOperator::Mean if !is_number => {
            Err(AggregateError::NotNumbers {
                operator: operator.name(),
            }
            .into())
        }
        _ if field.cells.is_var() => Err(AggregateError::VarNumbers {
            name: field.name.clone(),
        }
        .into()),
        _ if field.cells.cell_val_num != 1 => Err(AggregateError::ManyValues {
            name: field.name.clone(),
        }
        .into()),
        _ => Ok(()),
    }
}
