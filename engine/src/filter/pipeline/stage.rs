//! One filter of a pipeline, bound to its input datatype.

use std::sync::Arc;

use crate::bytes::ReusableBuffer;
use crate::error::{Error, FilterError, PipelineError, Result};
use crate::filter::Filter;
use crate::filter::checksum::Checksum;
use crate::filter::compress::Compress;
use crate::filter::encrypt::Encrypt;
use crate::filter::parts::{DecodeInput, EncodeInput, Parts, PartsView};
use crate::filter::transform::Transform;
#[cfg(feature = "webp")]
use crate::filter::webp::WebpStage;
use crate::filter::windows::{Method, Windows};
use crate::types::{Datatype, EncryptionKey};

/// Filters that change values.
pub(super) trait ReadBack: std::fmt::Debug + Send + Sync {
    /// Returns the values that are read after these are stored.
    fn read_back(&self, values: &[u8]) -> Result<Vec<u8>>;
}

/// A filter bound to its input datatype.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    Compress(Compress),
    Transform(Transform),
    Windows(Windows),
    Checksum {
        checksum: Checksum,
        /// The filters up to the last one that changes values, if one follows.
        lossy: Option<Arc<dyn ReadBack>>,
    },
    Encrypt(Encrypt),
    #[cfg(feature = "webp")]
    Webp(WebpStage),
}

impl Stage {
    /// Binds a filter to data of type `input`. Returns `None` if it has no effect.
    pub(super) fn of(
        filter: &Filter,
        input: Datatype,
        cell_size: usize,
        key: Option<&EncryptionKey>,
    ) -> Result<Option<Self>> {
        let value_size = input.size();
        Ok(Some(match filter {
            Filter::None => return Ok(None),
            Filter::Compression(options)
                if options.compressor.reinterprets() && !filter.accepts(input) =>
            {
                let (name, input) = (filter.kind().name(), input.name());
                return Err(PipelineError::WrongInput {
                    filter: name,
                    datatype: input,
                }
                .into());
            }
            Filter::Compression(options) => {
                Self::Compress(Compress::new(options, input, cell_size))
            }
            Filter::Byteshuffle => Self::Transform(Transform::ByteShuffle { value_size }),
            Filter::Bitshuffle => Self::Transform(Transform::BitShuffle { value_size }),
            Filter::Xor => Self::Transform(Transform::Xor { value_size }),
            Filter::ScaleFloat(_) if !matches!(value_size, 4 | 8) => {
                return Err(FilterError::WrongScaleSize { size: value_size }.into());
            }
            Filter::ScaleFloat(options) => Self::Transform(Transform::ScaleFloat {
                real_size: value_size,
                options: *options,
            }),
            Filter::ChecksumMd5 => Self::of_checksum(Checksum::Md5),
            Filter::ChecksumSha256 => Self::of_checksum(Checksum::Sha256),
            // These filters leave data other than integers unchanged.
            Filter::BitWidthReduction { .. } | Filter::PositiveDelta { .. }
                if !filter.accepts(input) =>
            {
                return Ok(None);
            }
            // Single bytes cannot become narrower.
            Filter::BitWidthReduction { .. } if value_size == 1 => return Ok(None),
            Filter::BitWidthReduction { max_window } => {
                Self::Windows(Windows::new(Method::BitWidth, input, *max_window))
            }
            Filter::PositiveDelta { max_window } => {
                Self::Windows(Windows::new(Method::PositiveDelta, input, *max_window))
            }
            Filter::Aes256Gcm => Self::Encrypt(Encrypt::new(key)?),
            #[cfg(feature = "webp")]
            Filter::Webp(options) => Self::Webp(WebpStage::new(options)),
            #[cfg(not(feature = "webp"))]
            Filter::Webp(_) => return Err(FilterError::WebpNotBuilt.into()),
        }))
    }

    fn of_checksum(checksum: Checksum) -> Self {
        Self::Checksum {
            checksum,
            lossy: None,
        }
    }

    /// Returns the name in error messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Compress(compress) => compress.name(),
            Self::Transform(transform) => transform.name(),
            Self::Windows(windows) => windows.name(),
            Self::Checksum { checksum, .. } => checksum.name(),
            Self::Encrypt(_) => Encrypt::NAME,
            #[cfg(feature = "webp")]
            Self::Webp(_) => WebpStage::NAME,
        }
    }

    pub(super) fn bad_len(&self, expected: usize, actual: usize) -> Error {
        let problem = format!("has {actual} bytes, expected {expected}");
        Error::corrupt(self.name(), "data", 0, problem)
    }

    /// Returns the length of the metadata that encoding will produce.
    pub(super) fn metadata_len(&self, input: EncodeInput<'_>) -> usize {
        match self {
            Self::Compress(_) => Compress::metadata_len(input),
            Self::Transform(transform) => transform.metadata_len(input),
            Self::Windows(windows) => windows.metadata_len(input),
            Self::Checksum { checksum, .. } => checksum.metadata_len(input),
            Self::Encrypt(_) => Encrypt::metadata_len(input),
            #[cfg(feature = "webp")]
            Self::Webp(_) => WebpStage::metadata_len(input),
        }
    }

    /// Returns whether the data passes through unchanged: neither encoding nor decoding writes it.
    pub(super) fn keeps_data(&self) -> bool {
        matches!(self, Self::Checksum { .. })
    }

    /// Appends the encoded data and its metadata.
    pub(super) fn encode(
        &self,
        input: EncodeInput<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<()> {
        match self {
            Self::Compress(compress) => compress.encode(input, data, metadata),
            Self::Transform(transform) => transform.encode(input, data, metadata),
            Self::Windows(windows) => windows.encode(input, data, metadata),
            Self::Checksum { checksum, lossy } => {
                encode_checksum(*checksum, lossy.as_deref(), input, metadata)
            }
            Self::Encrypt(encrypt) => encrypt.encode(input, data, metadata),
            #[cfg(feature = "webp")]
            Self::Webp(webp) => webp.encode(input, data, metadata),
        }
    }

    /// Returns the decoded length according to the metadata, which is not verified.
    pub(super) fn decoded_len(&self, input: DecodeInput<'_>) -> Result<usize> {
        match self {
            Self::Compress(compress) => compress.decoded_len(input),
            Self::Transform(transform) => transform.decoded_len(input),
            Self::Windows(windows) => windows.decoded_len(input),
            Self::Checksum { .. } => Ok(0),
            Self::Encrypt(_) => Encrypt::decoded_len(input),
            #[cfg(feature = "webp")]
            Self::Webp(webp) => Ok(webp.decoded_len()),
        }
    }

    /// Decodes into `data`. Returns the position in the metadata of `input` at which that of the
    /// previous filter of the list starts; `None` if it was decoded into `metadata`.
    pub(super) fn decode(
        &self,
        input: DecodeInput<'_>,
        data: &mut [u8],
        metadata: &mut ReusableBuffer,
        limit: usize,
        checks_digests: bool,
    ) -> Result<Option<usize>> {
        match self {
            Self::Compress(compress) => compress.decode(input, data, metadata, limit),
            Self::Transform(transform) => transform.decode(input, data),
            Self::Windows(windows) => windows.decode(input, data),
            Self::Checksum { checksum, .. } => checksum.decode(input, checks_digests),
            Self::Encrypt(encrypt) => encrypt.decode(input, data, metadata),
            #[cfg(feature = "webp")]
            Self::Webp(webp) => webp.decode(input, data),
        }
    }
}

/// Encodes with a checksum. If filters that follow change the values, the digests are those of the
/// values as they are read, since readers compute them of these. libtiledb computes them of the
/// values before, and cannot read its output.
fn encode_checksum(
    checksum: Checksum,
    lossy: Option<&dyn ReadBack>,
    input: EncodeInput<'_>,
    metadata: &mut Parts,
) -> Result<()> {
    let mut read = Vec::new();
    if let Some(lossy) = lossy.filter(|_| !input.data.bytes.is_empty()) {
        read = lossy.read_back(input.data.bytes)?;
    }
    let bytes = match lossy {
        Some(_) => &read,
        None => input.data.bytes,
    };
    let ends = input.data.ends;
    let data = PartsView { bytes, ends };
    checksum.encode(EncodeInput { data, ..input }, metadata)
}
