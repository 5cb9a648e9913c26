//! The texts of errors of filters.

use tiledb_engine::error::{CodecError, FilterError, PipelineError};

use super::origins::{
    BZIP_EXCEPTION, COMPRESSION_FILTER, DOUBLE_DELTA_EXCEPTION, FILTER, FILTER_PIPELINE,
    GZIP_EXCEPTION, LZ4_EXCEPTION, RLE_EXCEPTION, STATUS_ENCRYPTION, STATUS_FILTER, TILE,
    ZSTD_EXCEPTION,
};
use super::{Text, text};

/// Returns the text of an error of filters and their options.
pub(super) fn filter(cause: &FilterError) -> Text {
    use FilterError as E;
    let origin = match cause {
        E::WebpNotBuilt => FILTER_PIPELINE,
        E::CannotEncrypt { .. } | E::CannotDecrypt => STATUS_ENCRYPTION,
        _ => STATUS_FILTER,
    };
    let message = match cause {
        E::NoOptions { .. } => "Filter does not support options.".to_owned(),
        E::NullOption { filter } => return option(filter, ["invalid", "Invalid"], "option value"),
        E::UnknownOption { filter } => return option(filter, ["unknown", "Unknown"], "option"),
        E::BadReinterpretation { code } => format!("Compression filter error; {code} is not a valid datatype"),
        E::BadScaling { option } => format!("Float scaling filter error; invalid {option} value."),
        E::BadWebpQuality => "Webp filter error; Quality must be in range [0.0, 100.0]".to_owned(),
        E::BadWebpFormat => "Webp filter error; Invalid input format option setting".to_owned(),
        E::BadWebpLossless => "Webp filter error; Lossless compression must be either enabled (1) or disabled (0)".to_owned(),
        E::NoWebpFormat => "Filter option TILEDB_FILTER_WEBP_FORMAT must be set".to_owned(),
        E::WebpEncoding => "Error encoding image data".to_owned(),
        E::WebpNotBuilt => "WebP filter not available; this library instance built with TILEDB_WEBP=OFF".to_owned(),
        E::WebpDepth3 => "Colorspace with no alpha must use extents divisible by 3".to_owned(),
        E::WebpDepth4 => "Colorspace with alpha must use extents divisible by 4".to_owned(),
        E::WebpTooLarge => "Tile extents too large; Max size WebP image is 16383x16383 pixels".to_owned(),
        E::BadKey => "Encryption error; bad key.".to_owned(),
        E::CannotDecrypt => "OpenSSL error; error finalizing decryption. AES_256_GCM: The key is another, or the data is damaged.".to_owned(),
        E::NegativeDelta => "Positive delta filter error: delta is not positive.".to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of pipelines of filters.
pub(super) fn pipeline(cause: &PipelineError) -> Text {
    use PipelineError as E;
    let origin = match cause {
        E::WrongChain { .. } | E::NotFirst { .. } | E::NoOffsets => FILTER_PIPELINE,
        E::ChunkTooLarge => TILE,
        E::OnlyTexts => STATUS_FILTER,
        _ => FILTER,
    };
    let message = match cause {
        E::WrongInput { filter, datatype } => {
            format!("Filter {filter} does not accept input type {datatype}")
        }
        E::WrongChain {
            first,
            datatype,
            second,
        } => format!(
            "Filter {first} produces {datatype} but second filter {second} does not accept this type."
        ),
        E::NotFirst { filter } => format!(
            "{filter} filter must be the first filter to apply when used on a variable length string attribute"
        ),
        E::OnlyTexts => {
            "CompressionFilter error; Dictionary encoding only applies to variable length strings"
                .to_owned()
        }
        E::TooLarge => "Input is too large to be filtered.".to_owned(),
        E::ChunkTooLarge => "Chunk size exceeds uint32_t".to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of compressors.
pub(super) fn codec(cause: &CodecError) -> Text {
    use CodecError as E;
    let origin = match cause {
        E::Bzip2 { .. } => BZIP_EXCEPTION,
        E::DoubleDeltaOverflow | E::DeltaOverflow => DOUBLE_DELTA_EXCEPTION,
        E::GzipLevel { .. } | E::Zlib { .. } | E::Gzip { .. } => GZIP_EXCEPTION,
        E::Lz4 => LZ4_EXCEPTION,
        E::RleInput { .. } => RLE_EXCEPTION,
        E::Zstd { .. } => ZSTD_EXCEPTION,
        _ => COMPRESSION_FILTER,
    };
    let message = match cause {
        E::Bzip2 { code } => format!("BZip compression error: error code {code}"),
        E::DoubleDeltaOverflow => {
            "Cannot compress with DoubleDelta; Some negative double delta is out of bounds"
                .to_owned()
        }
        E::DeltaOverflow => {
            "Cannot compress with DoubleDelta: delta exceeds range of int64_t".to_owned()
        }
        E::GzipLevel { .. } => {
            "Failed compressing with GZip; invalid compression level.".to_owned()
        }
        E::Zlib { code } => format!("Cannot compress with GZIP; error code {code}"),
        E::Gzip { problem } => format!("Cannot compress with GZIP; {problem}"),
        E::Lz4 => "LZ4 compression failed".to_owned(),
        E::RleInput { .. } => "Failed compressing with RLE; invalid input buffer format".to_owned(),
        E::Zstd { problem } => format!("ZStd compression failed: {problem}"),
        _ => cause.to_string(),
    };
    text(origin, message)
}

fn option(filter: &str, [lower, upper]: [&str; 2], subject: &str) -> Text {
    // libtiledb capitalizes the problems of one filter.
    let problem = if filter == "Webp" { upper } else { lower };
    text(
        STATUS_FILTER,
        format!("{filter} filter error; {problem} {subject}"),
    )
}
