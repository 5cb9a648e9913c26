//! One filter of a pipeline as it runs, whichever it is: what it gets, what it gives, and which code does it.

use crate::bytes::Room;
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::filter::checksum::Checksum;
use crate::filter::compress::Compress;
use crate::filter::encrypt::Encrypt;
use crate::filter::parts::{Parts, PartsView};
use crate::filter::transform::Transform;
#[cfg(feature = "webp")]
use crate::filter::webp::Pictures;
use crate::filter::windows::{Method, Windows};
use crate::types::{Datatype, EncryptionKey};

#[derive(Clone, Debug)]
pub(super) enum Stage {
    Compress(Compress),
    Transform(Transform),
    Windows(Windows),
    Checksum(Checksum),
    Encrypt(Encrypt),
    #[cfg(feature = "webp")]
    Webp(Pictures),
}

/// What a filter gets when writing.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Unfiltered<'a> {
    pub(in super::super) data: PartsView<'a>,
    pub(in super::super) metadata: PartsView<'a>,
}

/// What a filter gets when reading: all it needs, untrusted.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Filtered<'a> {
    pub(in super::super) data: &'a [u8],
    pub(in super::super) metadata: &'a [u8],
}

/// What a filter did with the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum DataIs {
    /// It stays as it was.
    Kept,
    /// It was written anew.
    Written,
}

/// Where the metadata for the filter before stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum MetadataIs {
    /// In the metadata the filter got, from this byte on.
    From(usize),
    /// Written anew.
    Written,
}

impl Stage {
    /// The filter as it runs on data of `input`; `None` where it does nothing.
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
                let message = format!("Filter {name} does not accept input type {input}");
                return Err(Error::usage("Filter", message));
            }
            Filter::Compression(options) => {
                Self::Compress(Compress::new(options, input, cell_size))
            }
            Filter::Byteshuffle => Self::Transform(Transform::ByteShuffle { value_size }),
            Filter::Bitshuffle => Self::Transform(Transform::BitShuffle { value_size }),
            Filter::Xor => Self::Transform(Transform::Xor { value_size }),
            Filter::ScaleFloat(_) if !matches!(value_size, 4 | 8) => {
                let message = format!("SCALE_FLOAT takes no values of {value_size} bytes");
                return Err(Error::usage("[TileDB::Filter] Error", message));
            }
            Filter::ScaleFloat(options) => Self::Transform(Transform::ScaleFloat {
                real_size: value_size,
                options: *options,
            }),
            Filter::ChecksumMd5 => Self::Checksum(Checksum::Md5),
            Filter::ChecksumSha256 => Self::Checksum(Checksum::Sha256),
            // What is no integer goes through these as it is.
            Filter::BitWidthReduction { .. } | Filter::PositiveDelta { .. }
                if !filter.accepts(input) =>
            {
                return Ok(None);
            }
            // Bytes cannot become narrower.
            Filter::BitWidthReduction { .. } if value_size == 1 => return Ok(None),
            Filter::BitWidthReduction { max_window } => {
                Self::Windows(Windows::new(Method::BitWidth, input, *max_window))
            }
            Filter::PositiveDelta { max_window } => {
                Self::Windows(Windows::new(Method::PositiveDelta, input, *max_window))
            }
            Filter::Aes256Gcm => Self::Encrypt(Encrypt::new(key)?),
            #[cfg(feature = "webp")]
            Filter::Webp(options) => Self::Webp(Pictures::new(options)),
            #[cfg(not(feature = "webp"))]
            Filter::Webp(_) => return Err(no_webp()),
        }))
    }

    /// How errors name it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Compress(compress) => compress.name(),
            Self::Transform(transform) => transform.name(),
            Self::Windows(windows) => windows.name(),
            Self::Checksum(checksum) => checksum.name(),
            Self::Encrypt(_) => Encrypt::NAME,
            #[cfg(feature = "webp")]
            Self::Webp(_) => Pictures::NAME,
        }
    }

    pub(super) fn bad_len(&self, wanted: usize, is: usize) -> Error {
        let problem = format!("is of {is} bytes where {wanted} belong");
        Error::corrupt(self.name(), "data", 0, problem)
    }

    /// The length of the metadata it will give.
    pub(super) fn metadata_len(&self, input: Unfiltered<'_>) -> usize {
        match self {
            Self::Compress(_) => Compress::metadata_len(input),
            Self::Transform(transform) => transform.metadata_len(input),
            Self::Windows(windows) => windows.metadata_len(input),
            Self::Checksum(checksum) => checksum.metadata_len(input),
            Self::Encrypt(_) => Encrypt::metadata_len(input),
            #[cfg(feature = "webp")]
            Self::Webp(_) => Pictures::metadata_len(input),
        }
    }

    pub(super) fn encode(
        &self,
        input: Unfiltered<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<DataIs> {
        match self {
            Self::Compress(compress) => compress.encode(input, data, metadata),
            Self::Transform(transform) => transform.encode(input, data, metadata),
            Self::Windows(windows) => windows.encode(input, data, metadata),
            Self::Checksum(checksum) => checksum.encode(input, metadata),
            Self::Encrypt(encrypt) => encrypt.encode(input, data, metadata),
            #[cfg(feature = "webp")]
            Self::Webp(pictures) => pictures.encode(input, data, metadata),
        }
    }

    /// The length of the data it will give, as its metadata has it; unchecked.
    pub(super) fn decoded_len(&self, input: Filtered<'_>) -> Result<usize> {
        match self {
            Self::Compress(compress) => compress.decoded_len(input),
            Self::Transform(transform) => transform.decoded_len(input),
            Self::Windows(windows) => windows.decoded_len(input),
            Self::Checksum(_) => Ok(0),
            Self::Encrypt(_) => Encrypt::decoded_len(input),
            #[cfg(feature = "webp")]
            Self::Webp(pictures) => Ok(pictures.decoded_len()),
        }
    }

    pub(super) fn decode(
        &self,
        input: Filtered<'_>,
        data: &mut [u8],
        metadata: &mut Room,
        limit: usize,
        checks_digests: bool,
    ) -> Result<(DataIs, MetadataIs)> {
        match self {
            Self::Compress(compress) => compress.decode(input, data, metadata, limit),
            Self::Transform(transform) => transform.decode(input, data),
            Self::Windows(windows) => windows.decode(input, data),
            Self::Checksum(checksum) => checksum.decode(input, checks_digests),
            Self::Encrypt(encrypt) => encrypt.decode(input, data, metadata),
            #[cfg(feature = "webp")]
            Self::Webp(pictures) => pictures.decode(input, data),
        }
    }
}

#[cfg(not(feature = "webp"))]
fn no_webp() -> Error {
    Error::usage(
        "FilterPipeline",
        "WebP filter not available; this library instance built with TILEDB_WEBP=OFF",
    )
}
