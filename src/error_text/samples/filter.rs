//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{CodecError, FilterError, PipelineError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        FilterError::NoOptions {
            filter: "the_filter",
        }
        .into(),
        FilterError::NullOption {
            filter: "the_filter",
        }
        .into(),
        FilterError::UnknownOption {
            filter: "the_filter",
        }
        .into(),
        FilterError::BadReinterpretation { code: 7001 }.into(),
        FilterError::BadScaling {
            option: "the_option",
        }
        .into(),
        FilterError::BadWebpQuality.into(),
        FilterError::BadWebpFormat.into(),
        FilterError::BadWebpLossless.into(),
        FilterError::NoWebpFormat.into(),
        FilterError::NotAnImage {
            rows: 7001,
            stride: 7014,
            len: 7027,
        }
        .into(),
        FilterError::WebpEncoding.into(),
        FilterError::WebpNotBuilt.into(),
        FilterError::WebpDepth3.into(),
        FilterError::WebpDepth4.into(),
        FilterError::WebpTooLarge.into(),
        FilterError::BadKey.into(),
        FilterError::CannotEncrypt { len: 7001 }.into(),
        FilterError::CannotDecrypt.into(),
        FilterError::WrongScaleSize { size: 7001 }.into(),
        FilterError::NegativeDelta.into(),
        PipelineError::WrongInput {
            filter: "the_filter",
            datatype: "the_datatype",
        }
        .into(),
        PipelineError::WrongChain {
            first: "the_first",
            datatype: "the_datatype",
            second: "the_second",
        }
        .into(),
        PipelineError::NotFirst {
            filter: "the_filter",
        }
        .into(),
        PipelineError::NoOffsets.into(),
        PipelineError::OnlyTexts.into(),
        PipelineError::TooLarge.into(),
        PipelineError::ChunkTooLarge.into(),
        PipelineError::SmallWindow {
            filter: "the_filter",
        }
        .into(),
        PipelineError::PartialValue {
            filter: "the_filter",
            size: 7014,
            len: 7027,
        }
        .into(),
        CodecError::PartialValue {
            codec: "the_codec",
            size: 7014,
            len: 7027,
        }
        .into(),
        CodecError::Bzip2 { code: 7001 }.into(),
        CodecError::DoubleDeltaOverflow.into(),
        CodecError::DeltaOverflow.into(),
        CodecError::GzipLevel { level: 7001 }.into(),
        CodecError::Zlib { code: 7001 }.into(),
        CodecError::Gzip {
            problem: "the_problem".into(),
        }
        .into(),
        CodecError::Lz4.into(),
        CodecError::RleInput {
            cell_size: 7001,
            len: 7014,
        }
        .into(),
        CodecError::Zstd {
            problem: "the_problem".into(),
        }
        .into(),
    ]
}
