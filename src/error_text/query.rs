//! The texts of errors of queries.

use tiledb_engine::config::Release;
use tiledb_engine::error::{DeleteError, QueryBufferError, QueryError};

use super::origins::{
    ARRAY_OPERATIONS, C_API, DELETES, ERROR, QUERY, STATUS_QUERY, STATUS_SERIALIZATION,
    TILEDB_INTERNAL,
};
use super::{Text, text};

/// Returns the text of an error of queries.
pub(super) fn query(cause: &QueryError) -> Text {
    use QueryError as E;
    let origin = match cause {
        E::ArrayClosed | E::OtherType { .. } => ERROR,
        E::SubarrayOfSparseWrite
        | E::SubarrayOfType { .. }
        | E::SubarrayAfterSubmit
        | E::ConfigAfterSubmit
        | E::ArrayNotOpen
        | E::ArrayReopened { .. }
        | E::OutsideCurrentDomain { .. } => QUERY,
        E::NoCells { .. } if Release::current() < Release::V2_31 => STATUS_SERIALIZATION,
        E::DuplicateAggregate { .. } | E::TooLate | E::UnknownField { .. } => C_API,
        _ => STATUS_QUERY,
    };
    let message = match cause {
        E::ArrayClosed => "Cannot create query; Input array is not open".to_owned(),
        E::OtherType { array, query } => format!("Cannot create query; Array query type does not match declared query type: ({array} != {query})"),
        E::LayoutAfterSubmit => "Cannot set layout after initialization".to_owned(),
        E::HilbertLayout => "Cannot set layout; Hilbert order is not applicable to queries".to_owned(),
        E::UnorderedDense => "Unordered writes are only possible for sparse arrays".to_owned(),
        E::OrderedSparse => "Row-major and column-major writes are only possible for dense arrays".to_owned(),
        E::SubarrayOfSparseWrite => "[set_subarray] Setting a subarray is not supported on sparse writes.".to_owned(),
        E::SubarrayOfType { query } => format!("[set_subarray] Setting a subarray is not supported for query type '{query}'."),
        E::SubarrayAfterSubmit => "[set_subarray] Setting a subarray on an already initialized query is not supported.".to_owned(),
        E::OtherSubarray => "[set_subarray] The subarray belongs to another array".to_owned(),
        E::ConfigAfterSubmit => "[set_config] Cannot set config after initialization.".to_owned(),
        E::NoCells { action } => format!("Cannot {action}; Unsupported query type."),
        E::ArrayNotOpen => "Cannot init query; The associated array is not open".to_owned(),
        E::ArrayReopened { array, query } => format!("Cannot init query; Associated array query type does not match query type: ({array} != {query})"),
        E::NotARead => "Query was not begun as a read".to_owned(),
        E::ConditionOfWrite => "Cannot set query condition; Operation not applicable to write queries".to_owned(),
        E::ConditionAfterSubmit => "Cannot set query condition; Setting a query condition on an alreadyinitialized query is not supported.".to_owned(),
        E::OutsideCurrentDomain { range, dimension, current } => format!("A range {range} on dimension '{dimension}' was set outside of the current domain [{current}]."),
        E::DuplicateAggregate { name } => format!("An aggregate operation for output field: {name} already exists."),
        E::TooLate => "argument `query` is at a too late state of its lifetime".to_owned(),
        E::UnknownField { name } => format!("There is no field {name}"),
        E::NotADelete { query } => format!("Queries of type {query} are not supported"),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of deletes.
pub(super) fn delete(cause: &DeleteError) -> Text {
    use DeleteError as E;
    let origin = match cause {
        E::Constant => TILEDB_INTERNAL,
        E::Update { .. } => ARRAY_OPERATIONS,
        _ => DELETES,
    };
    let message = match cause {
        E::DenseArray => "Cannot initialize deletes; Only supported for sparse arrays".to_owned(),
        E::NoCondition => "Cannot initialize deletes; One condition is needed".to_owned(),
        E::WithAggregates => "Cannot initialize deletes; Aggregates are not supported".to_owned(),
        E::TooDeep { .. } => {
            "Cannot initialize deletes; The condition is nested too deep".to_owned()
        }
        E::Constant => "Invalid negation of rewritten query.".to_owned(),
        E::OnlyNull { name } => format!(
            "Cannot initialize deletes; A delete cannot keep only the null cells of '{name}'"
        ),
        E::UnusedEnumeration { name } => {
            format!("Cannot initialize deletes; Enumeration {name} is not wanted")
        }
        E::InConsolidated => {
            "Cannot write a delete in the middle of a fragment consolidated without timestamps."
                .to_owned()
        }
        E::Update { uri } => format!("Cannot apply '{uri}'; Updates are not supported"),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of the buffers of queries.
pub(super) fn query_buffer(cause: &QueryBufferError) -> Text {
    use QueryBufferError as E;
    let origin = match cause {
        E::FixedLabel { .. } | E::LabelAfterSubmit { .. } | E::DimensionMissing { .. } => QUERY,
        _ => STATUS_QUERY,
    };
    let message = match cause {
        E::GetFixed { name } => format!("Cannot get buffer; '{name}' is fixed-sized"),
        E::GetNotNullable { name } => format!("Cannot get buffer; '{name}' is non-nullable"),
        E::GetUnknown { name } => format!("Cannot get buffer; Invalid attribute/dimension/label name '{name}'"),
        E::UnknownData { name } => format!("Cannot set buffer; Invalid attribute/dimension/label '{name}'"),
        E::UnknownOffsets { name } => format!("Cannot set buffer; Invalid buffer name '{name}' (it should be an attribute, dimension, or dimension label)"),
        E::NotAnAttribute { name } => format!("Cannot set buffer; Buffer name '{name}' is not an attribute"),
        E::DenseDimension => "Dense write queries cannot set dimension buffers".to_owned(),
        E::FixedLabel { name } => format!("[set_offsets_buffer] Input dimension label '{name}' is fixed-sized"),
        E::Fixed { name } => format!("Cannot set buffer; Input attribute/dimension '{name}' is fixed-sized"),
        E::NotNullable { name } => format!("Cannot set buffer; Input attribute '{name}' is not nullable"),
        E::FixedResult { name } => format!("Cannot set buffer; Input attribute '{name}' is not var sized"),
        E::MixedCoordinates => "Cannot set buffer; Setting a buffer for zipped coordinates is not applicable to heterogeneous domains".to_owned(),
        E::TwoCoordinates => "Cannot set separate coordinate buffers and a zipped coordinate buffer in the same query".to_owned(),
        E::NoVarData { name } => format!("Var-Sized input attribute/dimension '{name}' is not set correctly. \nVar size buffer is not set."),
        E::NoOffsets { name } => format!("Var-Sized input attribute/dimension '{name}' is not set correctly. \nOffsets buffer is not set."),
        E::NoData { name } => format!("Fix-Sized input attribute/dimension '{name}' is not set correctly. \nData buffer is not set."),
        E::NoValidity { name } => format!("Nullable input attribute/dimension '{name}' is not set correctly \nValidity buffer is not set"),
        E::LabelAfterSubmit { setter, name } => format!("[{setter}] Cannot set buffer for new dimension label '{name}' after initialization"),
        E::FieldAfterSubmit { name } => format!("Cannot set buffer for new attribute/dimension '{name}' after initialization"),
        E::AlreadyWritten { name } => format!("Buffer {name} was already written"),
        E::FieldsMissing => "Writes expect all attributes (and coordinates in the sparse/unordered case) to be set".to_owned(),
        E::NoCoordinates => "Sparse array writes expect the coordinates of the cells to be written".to_owned(),
        E::DimensionMissing { name } => format!("[check_buffer_names] Dimension buffer {name} is not set"),
        _ => cause.to_string(),
    };
    text(origin, message)
}
