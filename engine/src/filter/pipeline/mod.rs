//! A filter list bound to a datatype, which encodes and decodes one chunk at a time.
//!
//! Each stage receives data and metadata, both in parts (`parts`), from the previous stage and
//! produces both. When decoding, a stage consumes its own entries from the front of the metadata
//! and leaves the rest for the next stage. Intermediate bytes are in buffers that each thread
//! keeps; the first and the last stage use the caller's buffers.

mod decode;
mod encode;

use std::sync::Arc;

use super::checksum::Checksum;
use super::compress::Compress;
use super::encrypt::Encrypt;
use super::parts::{DecodeInput, EncodeInput, Parts, PartsView};
use super::text::TextEncoding;
use super::transform::Transform;
#[cfg(feature = "webp")]
use super::webp::WebpStage;
use super::windows::{Method, Windows};
use super::{Filter, FilterList, FilterType};
use crate::bytes::ReusableBuffer;
use crate::error::{Error, FilterError, PipelineError, Result};
use crate::types::{Datatype, EncryptionKey};

/// The filters of a field, bound to its datatype.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The filters.
    pub list: Arc<FilterList>,
    /// The first filter, if it encodes strings together with their offsets; `stages` follow it.
    text: Option<TextEncoding>,
    stages: Vec<Stage>,
    /// For each stage, whether filters without effect immediately precede it.
    follows_view: Vec<bool>,
    checks_digests: bool,
}

impl Pipeline {
    /// Binds filters to the datatype of their input. `key` adds encryption at the end, or where the
    /// list contains it.
    pub fn new(
        list: Arc<FilterList>,
        datatype: Datatype,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        Self::for_cells(list, datatype, 1, key)
    }

    /// Binds the filters of variable-length strings. If the first filter can encode the offsets of
    /// the cells as well, it does.
    pub fn for_texts(
        list: Arc<FilterList>,
        datatype: Datatype,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let text = list.filters.first().and_then(TextEncoding::of);
        let skip = usize::from(text.is_some());
        let mut pipeline = Self::bind(list, skip, datatype, datatype.size(), key)?;
        pipeline.text = text;
        Ok(pipeline)
    }

    /// Binds filters to data whose cells are `values_per_cell` values each; 1 for variable-length
    /// data.
    pub fn for_cells(
        list: Arc<FilterList>,
        datatype: Datatype,
        values_per_cell: u32,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let cell_size = datatype.size() * values_per_cell as usize;
        Self::bind(list, 0, datatype, cell_size, key)
    }

    /// Binds the filters after the first `skip`, which do not change the datatype.
    fn bind(
        list: Arc<FilterList>,
        skip: usize,
        datatype: Datatype,
        cell_size: usize,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let mut stages = Vec::with_capacity(list.filters.len() + 1);
        let mut follows_view = Vec::with_capacity(list.filters.len() + 1);
        let (mut input, mut is_view) = (datatype, false);
        for (index, filter) in list.filters.iter().enumerate().skip(skip) {
            match Stage::of(filter, input, cell_size, key)? {
                Some(mut stage) => {
                    if let Stage::Checksum { lossy, .. } = &mut stage {
                        let filters = list.filters.get(index..).unwrap_or_default();
                        *lossy = Self::lossy(filters, input, cell_size)?.map(Box::new);
                    }
                    stages.push(stage);
                    follows_view.push(std::mem::take(&mut is_view));
                }
                None => is_view = true,
            }
            input = filter.output(input);
        }
        if key.is_some() && !list.has(FilterType::Aes256Gcm) {
            stages.push(Stage::Encrypt(Encrypt::new(key)?));
            follows_view.push(is_view);
        }
        Ok(Self {
            list,
            text: None,
            stages,
            follows_view,
            checks_digests: true,
        })
    }

    /// Binds the filters up to the last one that changes values, without checksums; `None` if no
    /// filter changes values.
    fn lossy(filters: &[Filter], input: Datatype, cell_size: usize) -> Result<Option<Self>> {
        let Some(last) = filters.iter().rposition(Filter::is_lossy) else {
            return Ok(None);
        };
        let list = FilterList {
            filters: filters
                .iter()
                .take(last + 1)
                .filter(|filter| {
                    !matches!(
                        filter.kind(),
                        FilterType::ChecksumMd5 | FilterType::ChecksumSha256
                    )
                })
                .cloned()
                .collect(),
            ..FilterList::default()
        };
        Self::bind(Arc::new(list), 0, input, cell_size, None).map(Some)
    }

    /// Returns the pipeline with the verification of digests disabled.
    #[must_use]
    pub fn without_digest_checks(mut self) -> Self {
        self.checks_digests = false;
        self
    }

    /// Returns the pipeline with bit width reduction and positive delta disabled for dates and
    /// times, as early format versions store them.
    #[must_use]
    pub fn without_time_windows(mut self) -> Self {
        let stages = self.stages.into_iter().zip(self.follows_view);
        (self.stages, self.follows_view) = stages
            .filter(|(stage, _)| !matches!(stage, Stage::Windows(windows) if windows.has_times))
            .unzip();
        self
    }

    /// Returns whether stored chunks contain the data unchanged.
    pub fn is_identity(&self) -> bool {
        self.stages.is_empty() && self.text.is_none()
    }

    /// Returns whether tiles contain the offsets of their cells. Such tiles are filtered as a
    /// whole, by `encode_texts` and `decode_texts`, and no offsets tile is stored.
    pub fn includes_offsets(&self) -> bool {
        self.text.is_some()
    }
}

fn bad_len(expected: usize, actual: usize) -> Error {
    Error::corrupt(
        "tile",
        "chunk",
        0,
        format!("holds {actual} bytes, expected {expected}"),
    )
}

/// A filter bound to its input datatype.
#[derive(Clone, Debug)]
enum Stage {
    Compress(Compress),
    Transform(Transform),
    Windows(Windows),
    Checksum {
        checksum: Checksum,
        /// The filters up to the last one that changes values, if one follows.
        lossy: Option<Box<Pipeline>>,
    },
    Encrypt(Encrypt),
    #[cfg(feature = "webp")]
    Webp(WebpStage),
}

impl Stage {
    /// Binds a filter to data of type `input`. Returns `None` if it has no effect.
    fn of(
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
    fn name(&self) -> &'static str {
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

    fn bad_len(&self, expected: usize, actual: usize) -> Error {
        let problem = format!("has {actual} bytes, expected {expected}");
        Error::corrupt(self.name(), "data", 0, problem)
    }

    /// Returns the length of the metadata that encoding will produce.
    fn metadata_len(&self, input: EncodeInput<'_>) -> usize {
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
    fn keeps_data(&self) -> bool {
        matches!(self, Self::Checksum { .. })
    }

    /// Appends the encoded data and its metadata.
    fn encode(&self, input: EncodeInput<'_>, data: &mut Parts, metadata: &mut Parts) -> Result<()> {
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
    fn decoded_len(&self, input: DecodeInput<'_>) -> Result<usize> {
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
    fn decode(
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
    lossy: Option<&Pipeline>,
    input: EncodeInput<'_>,
    metadata: &mut Parts,
) -> Result<()> {
    let mut read = Vec::new();
    if let Some(lossy) = lossy.filter(|_| !input.data.bytes.is_empty()) {
        let stored = lossy.encode_tile(input.data.bytes, &[0])?;
        read = vec![0; input.data.bytes.len()];
        lossy.decode_tile(&stored, &mut read)?;
    }
    let bytes = match lossy {
        Some(_) => &read,
        None => input.data.bytes,
    };
    let ends = input.data.ends;
    let data = PartsView { bytes, ends };
    checksum.encode(EncodeInput { data, ..input }, metadata)
}
