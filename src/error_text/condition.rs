//! The texts of errors of conditions and aggregates.

use tiledb_engine::error::{AggregateError, PredicateError};

use super::origins::{
    C_API, COUNT_AGGREGATOR, INPUT_FIELD_VALIDATOR, MIN_MAX_AGGREGATOR, OUTPUT_BUFFER_VALIDATOR,
    QUERY_CONDITION, STATUS_QUERY_CONDITION, SUM_AGGREGATOR, TILEDB_INTERNAL,
};
use super::{Text, text};

/// Returns the text of an error of conditions.
pub(super) fn predicate(cause: &PredicateError) -> Text {
    use PredicateError as E;
    let origin = match cause {
        E::SetOperator
        | E::InternalOperator { .. }
        | E::NotSetOperator
        | E::NoOffsets
        | E::DecreasingOffsets
        | E::OffsetBeyondData { .. }
        | E::TooDeep { .. }
        | E::Coordinates { .. }
        | E::UnorderedEnumeration { .. } => TILEDB_INTERNAL,
        E::MemberSize { .. } | E::UnusedEnumeration { .. } | E::NoSchema => QUERY_CONDITION,
        _ => STATUS_QUERY_CONDITION,
    };
    let message = match cause {
        E::SetOperator => "Invalid query condition operation for set membership.".to_owned(),
        E::InternalOperator { operator } => {
            format!("Invalid use of internal operation: {operator}")
        }
        E::NotSetOperator => {
            "ASTNodeVal invalid set membership operator in set membership constructor.".to_owned()
        }
        E::NoOffsets => {
            "ASTNodeVal set membership offsets size must be greater than zero.".to_owned()
        }
        E::DecreasingOffsets => "ASTNodeVal set membership offsets must not decrease.".to_owned(),
        E::OffsetBeyondData { offset, size } => format!(
            "ASTNodeVal invalid set membership offsets invalid for data size: last offset {offset} is larger than data size {size}"
        ),
        E::TooDeep { levels } => {
            format!("Cannot combine query conditions; They are nested deeper than {levels} levels")
        }
        E::UnknownField { .. } => "Field doesn't exist".to_owned(),
        E::Coordinates { name } => format!("Unknown attribute {name}"),
        E::NullInequality => "Null value can only be used with equality operators".to_owned(),
        E::UnorderedEnumeration { .. } => {
            "Cannot apply an inequality operator against an unordered Enumeration".to_owned()
        }
        E::IndexTooLarge { name, index } => {
            format!("Index {index} of enumeration '{name}' does not fit its attribute")
        }
        E::VarNumbers { name } => format!(
            "Value node non-empty attribute may only be var-sized for ASCII strings: {name}"
        ),
        E::ManyValues { name } => format!(
            "Value node attribute must have one value per cell for non-string fixed size attributes: {name}"
        ),
        E::ValueSize { size, given } => {
            format!("Value node condition value size mismatch: {size} != {given}")
        }
        E::MemberSize { size, given } => {
            format!("Value node set member size mismatch: {size} != {given}")
        }
        E::UnsupportedType { name, datatype } => {
            format!("Unsupported value node attribute type {datatype} on field {name}")
        }
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of aggregates.
pub(super) fn aggregate(cause: &AggregateError) -> Text {
    use AggregateError as E;
    let origin = match cause {
        E::UnknownField { .. } => C_API,
        E::NotNullable { .. } | E::VarNumbers { .. } | E::ManyValues { .. } => {
            INPUT_FIELD_VALIDATOR
        }
        E::NoFixedBuffer
        | E::NoVarBuffer
        | E::BufferSize { .. }
        | E::NoValidity
        | E::ValiditySize { .. }
        | E::CountValidity
        | E::UnexpectedValidity => OUTPUT_BUFFER_VALIDATOR,
        E::TextTooLong { .. } => MIN_MAX_AGGREGATOR,
        _ => TILEDB_INTERNAL,
    };
    let message = match cause {
        E::UnknownField { name } => format!("There is no field {name}"),
        E::NotNullable { .. } => "Aggregate must only be requested for nullable fields.".to_owned(),
        E::UnsupportedType { datatype } => {
            format!("Datatype::{datatype} is not a supported Datatype")
        }
        E::NotNumbers { operator } => {
            format!("{operator} aggregates can only be requested on numeric types")
        }
        E::VarNumbers { .. } => {
            "Aggregate is not supported for var sized non-string fields.".to_owned()
        }
        E::ManyValues { .. } => {
            "Aggregate is not supported for non-string fields with cell_val_num greater than one."
                .to_owned()
        }
        E::NoBuffer { operator } => {
            return text(aggregator(operator), "Result buffer doesn't exist.");
        }
        E::NoFixedBuffer => "Aggregate must have a fixed size buffer.".to_owned(),
        E::NoVarBuffer => "Var sized aggregates must have a var buffer.".to_owned(),
        E::BufferSize { .. } => {
            "Aggregate fixed size buffer should be for one element only.".to_owned()
        }
        E::NoValidity => {
            "Aggregate for nullable attributes must have a validity buffer.".to_owned()
        }
        E::ValiditySize { .. } => {
            "Aggregate validity vector should be for one element only.".to_owned()
        }
        E::CountValidity => "Count aggregates must not have a validity buffer.".to_owned(),
        E::UnexpectedValidity => {
            "Aggregate for non nullable attributes must not have a validity buffer.".to_owned()
        }
        E::TextTooLong { name, size } => {
            format!("Min/max buffer not big enough for {name}. Required: {size}")
        }
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the origin of errors about the buffers of the result of an aggregate.
fn aggregator(operator: &str) -> &'static str {
    match operator {
        "COUNT" | "NULL_COUNT" => COUNT_AGGREGATOR,
        "SUM" | "MEAN" => SUM_AGGREGATOR,
        _ => MIN_MAX_AGGREGATOR,
    }
}
