//! The texts of errors of reads, estimates and dimension labels of queries.

use tiledb_engine::error::{EstimateError, LabelReadError, QueryLabelError, ReadError};

use super::origins::{
    DENSE_READER, DIMENSION_LABEL_QUERY, ORDERED_DIM_LABEL_READER, QUERY, READER, READER_BASE,
    SPARSE_INDEX_READER_BASE, STATUS_QUERY, SUBARRAY,
};
use super::{Text, parts, text};

/// Returns the text of an error of estimates of result sizes.
pub(super) fn estimate(cause: &EstimateError) -> Text {
    use EstimateError as E;
    let origin = match cause {
        E::Label { .. } => SUBARRAY,
        _ => QUERY,
    };
    let message = match cause {
        E::Unknown { name } => {
            format!("query estimated result size: '{name}' is not an array field")
        }
        E::Nullable { name } => {
            format!("query estimated result size: field '{name}' is not a nonnull array field")
        }
        E::NotVar { name } => {
            format!("query estimated result size: '{name}' is not variable-sized")
        }
        E::NotFixed { name } => format!("query estimated result size: '{name}' is not fixed-sized"),
        E::Label { name } => {
            format!("Cannot get estimated result size; there is no field named '{name}'")
        }
        E::NotAnAttribute { name } => {
            format!("query estimated result size: '{name}' is not the name of an attribute")
        }
        E::NotNullable { name } => {
            format!("query estimated result size: attribute '{name}' is not nullable")
        }
        E::NotARead => {
            "query estimated result size: operation currently supported only for read queries"
                .to_owned()
        }
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of reads.
pub(super) fn read(cause: &ReadError) -> Text {
    use ReadError as E;
    let origin = match cause {
        E::NoDenseBuffers
        | E::NoSubarray
        | E::NoCondition
        | E::UnknownDenseField { .. }
        | E::OutsideDomain { .. } => DENSE_READER,
        E::ManyRanges | E::ValiditySize { .. } => READER_BASE,
        _ => READER,
    };
    let message = match cause {
        E::NoBuffers { ordered } => return no_buffers(*ordered),
        E::NoDenseBuffers => "Cannot initialize dense reader; Buffers not set".to_owned(),
        E::NoSubarray => {
            "Cannot initialize reader; Dense reads must have a subarray set".to_owned()
        }
        E::NoCondition => "sm.query.dense.qc_coords_mode requires a query condition".to_owned(),
        E::ManyRanges => {
            "Cannot initialize reader; Multi-range reads are not supported on a global order query."
                .to_owned()
        }
        E::ValiditySize { name, size, cells } => format!(
            "Buffer sizes check failed; Invalid number of validity cells given for attribute '{name}' ({size} < {cells})"
        ),
        E::UnknownDenseField { name } => E::UnknownField { name: name.clone() }.to_string(),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of reads of dimension labels.
pub(super) fn label_read(cause: &LabelReadError) -> Text {
    use LabelReadError as E;
    let origin = match cause {
        E::OutOfOrder | E::Discontinuous => READER_BASE,
        _ => ORDERED_DIM_LABEL_READER,
    };
    let message = match cause {
        E::NoValues => "Range contained no values".to_owned(),
        E::UnsupportedDomain => {
            "Cannot read ordered label array; Unsupported domain type".to_owned()
        }
        E::Empty => "Cannot read dim label; Dimension label is empty".to_owned(),
        E::OutOfOrder => "Attribute out of order".to_owned(),
        E::Discontinuous => "Discontinuity found in array domain".to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of dimension labels in queries.
pub(super) fn query_label(cause: &QueryLabelError) -> Text {
    use QueryLabelError as E;
    let origin = match cause {
        E::Unknown { .. } => STATUS_QUERY,
        E::WithCondition | E::GlobalOrder | E::SparseDimensions => QUERY,
        _ => DIMENSION_LABEL_QUERY,
    };
    let message = match cause {
        E::Failed { action, label, cause } => format!("Failed to {action} label '{label}'. {cause}", cause = parts(cause)),
        E::WithCondition => "Cannot init query; Using query conditions and dimension labels together is not supported.".to_owned(),
        E::GlobalOrder => "Cannot init query; The global order layout is not supported when querying dimension labels".to_owned(),
        E::SparseDimensions => "Cannot initialize query; Reading dimension label data is not yet supported on sparse arrays with multiple dimensions.".to_owned(),
        E::BufferAndRange => "Failed to add dimension label queries. Cannot set both label buffer and label range on a write query.".to_owned(),
        E::NotConsecutive => "The dimension data must contain consecutive points when writing to a dimension label.".to_owned(),
        E::NotOneRange => "Dimension label writes can only be set for a single range.".to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}

fn no_buffers(ordered: bool) -> Text {
    let origin = if ordered {
        READER
    } else {
        SPARSE_INDEX_READER_BASE
    };
    text(origin, "Cannot initialize reader; Buffers not set")
}
