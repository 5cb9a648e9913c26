//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{EstimateError, LabelReadError, QueryLabelError, ReadError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        EstimateError::Unknown {
            name: "the_name".into(),
        }
        .into(),
        EstimateError::Nullable {
            name: "the_name".into(),
        }
        .into(),
        EstimateError::NotVar {
            name: "the_name".into(),
        }
        .into(),
        EstimateError::NotFixed {
            name: "the_name".into(),
        }
        .into(),
        EstimateError::Label {
            name: "the_name".into(),
        }
        .into(),
        EstimateError::NotAnAttribute {
            name: "the_name".into(),
        }
        .into(),
        EstimateError::NotNullable {
            name: "the_name".into(),
        }
        .into(),
        EstimateError::NotARead.into(),
        ReadError::NoBuffers { ordered: true }.into(),
        ReadError::NoDenseBuffers.into(),
        ReadError::NoSubarray.into(),
        ReadError::NoCondition.into(),
        ReadError::ManyRanges.into(),
        ReadError::ValiditySize {
            name: "the_name".into(),
            size: 7014,
            cells: 7027,
        }
        .into(),
        ReadError::UnknownField {
            name: "the_name".into(),
        }
        .into(),
        ReadError::UnknownDenseField {
            name: "the_name".into(),
        }
        .into(),
        ReadError::OutsideDomain {
            dimension: "the_dimension".into(),
        }
        .into(),
        ReadError::ComputedDeletes.into(),
        ReadError::NoDeletes {
            uri: "the_uri".into(),
        }
        .into(),
        ReadError::ComputedCoordinates.into(),
        LabelReadError::NoValues.into(),
        LabelReadError::UnsupportedDomain.into(),
        LabelReadError::NoAttribute {
            name: "the_name".into(),
        }
        .into(),
        LabelReadError::Empty.into(),
        LabelReadError::OutOfOrder.into(),
        LabelReadError::Discontinuous.into(),
        QueryLabelError::Failed {
            action: "the_action",
            label: "the_label".into(),
            cause: Error::cancelled(),
        }
        .into(),
        QueryLabelError::Unknown {
            name: "the_name".into(),
        }
        .into(),
        QueryLabelError::WithCondition.into(),
        QueryLabelError::GlobalOrder.into(),
        QueryLabelError::SparseDimensions.into(),
        QueryLabelError::BufferAndRange.into(),
        QueryLabelError::NotConsecutive.into(),
        QueryLabelError::NotOneRange.into(),
        QueryLabelError::NotContinued.into(),
    ]
}
