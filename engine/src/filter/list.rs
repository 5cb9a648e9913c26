//! Descriptions of filters: their kinds, their options, and their text in dumps. Nothing is
//! executed here.

use std::fmt;

use crate::types::{Datatype, kind, real_text};

/// The filters of a field in the order in which they are applied when writing.
///
/// ```
/// use tiledb_engine::{Compression, Compressor, Datatype, Filter, FilterList, FilterType};
///
/// // A filter with its default options, and a compressor with a level.
/// let filters = FilterList {
///     filters: vec![
///         Filter::new(FilterType::Byteshuffle).expect("a filter of schemas"),
///         Filter::Compression(Compression {
///             compressor: Compressor::Zstd,
///             level: 9,
///             reinterpret: Datatype::Any,
///         }),
///     ],
///     ..FilterList::default()
/// };
/// # let _ = filters;
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FilterList {
    /// The filters.
    pub filters: Vec<Filter>,
    /// The maximum chunk size in bytes; 0 for tiles that are not divided. Other values are only
    /// stored: as in libtiledb, tiles are divided at `FilterList::CHUNK_SIZE`.
    pub max_chunk_size: u32,
}

impl FilterList {
    /// The chunk size in bytes, before it is rounded to whole cells.
    pub const CHUNK_SIZE: u32 = 65536;

    /// Returns a list of one filter.
    pub fn of(filter: Filter) -> Self {
        Self {
            filters: vec![filter],
            ..Self::default()
        }
    }

    /// Returns the options of float scaling if it is applied to the values of the field: if no
    /// other filter changes them before.
    pub fn float_scaling(&self) -> Option<&ScaleFloat> {
        match self.filters.iter().find(|filter| {
            !matches!(
                filter.kind(),
                FilterType::None | FilterType::ChecksumMd5 | FilterType::ChecksumSha256
            )
        }) {
            Some(Filter::ScaleFloat(options)) => Some(options),
            _ => None,
        }
    }

    /// Returns whether decoding may return values that differ from those written.
    pub fn is_lossy(&self) -> bool {
        self.filters.iter().any(Filter::is_lossy)
    }

    /// Returns whether one of the filters is of this kind.
    pub fn has(&self, kind: FilterType) -> bool {
        self.filters.iter().any(|filter| filter.kind() == kind)
    }
}

impl Default for FilterList {
    fn default() -> Self {
        Self {
            filters: Vec::new(),
            max_chunk_size: Self::CHUNK_SIZE,
        }
    }
}

/// The number of filters, then one line for each, without a final line break.
impl fmt::Display for FilterList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.filters.len())?;
        self.filters
            .iter()
            .try_for_each(|filter| write!(f, "\n  > {filter}"))
    }
}

kind! {
    /// The kinds of filters. The codes are those of files and of the C API.
    #[non_exhaustive]
    pub enum FilterType {
        None = "NONE",
        Gzip = "GZIP",
        Zstd = "ZSTD",
        Lz4 = "LZ4",
        Rle = "RLE",
        Bzip2 = "BZIP2",
        DoubleDelta = "DOUBLE_DELTA",
        BitWidthReduction = "BIT_WIDTH_REDUCTION",
        Bitshuffle = "BITSHUFFLE",
        Byteshuffle = "BYTESHUFFLE",
        PositiveDelta = "POSITIVE_DELTA",
        Aes256Gcm = "AES_256_GCM",
        ChecksumMd5 = "CHECKSUM_MD5",
        ChecksumSha256 = "CHECKSUM_SHA256",
        Dictionary = "DICTIONARY_ENCODING",
        ScaleFloat = "SCALE_FLOAT",
        Xor = "XOR",
        Deprecated = "DEPRECATED",
        Webp = "WEBP",
        Delta = "DELTA",
    }
}

/// A filter with its options.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Filter {
    /// No operation.
    None,
    /// A compressor.
    Compression(Compression),
    /// Stores integers in as few bytes as their window needs.
    BitWidthReduction {
        /// The size of a window in bytes.
        max_window: u32,
    },
    /// Groups the bits of values by position.
    Bitshuffle,
    /// Groups the bytes of values by position.
    Byteshuffle,
    /// Stores ascending integers as differences.
    PositiveDelta {
        /// The size of a window in bytes.
        max_window: u32,
    },
    /// Stores and verifies an MD5 digest.
    ChecksumMd5,
    /// Stores and verifies a SHA-256 digest.
    ChecksumSha256,
    /// Stores floating-point numbers as scaled integers.
    ScaleFloat(ScaleFloat),
    /// Combines each value with its neighbour by exclusive or.
    Xor,
    /// Stores pixels as WebP images.
    Webp(Webp),
    /// Encrypts. Callers cannot choose it: it occurs in the filter lists of records of encrypted
    /// arrays.
    Aes256Gcm,
}

/// A compressor and its options.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Compression {
    /// The compressor.
    pub compressor: Compressor,
    /// The level, whose meaning depends on the compressor; some have none.
    pub level: i32,
    /// The datatype as which the delta filters interpret values; `Any` means the field's own. Other
    /// compressors keep it unused.
    pub reinterpret: Datatype,
}

/// The compressors. The codes are those of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
#[non_exhaustive]
pub enum Compressor {
    Gzip = 1,
    Zstd = 2,
    Lz4 = 3,
    Rle = 4,
    Bzip2 = 5,
    DoubleDelta = 6,
    Dictionary = 7,
    Delta = 8,
}

impl Compressor {
    /// Returns the filter kind.
    pub fn kind(self) -> FilterType {
        match self {
            Self::Gzip => FilterType::Gzip,
            Self::Zstd => FilterType::Zstd,
            Self::Lz4 => FilterType::Lz4,
            Self::Rle => FilterType::Rle,
            Self::Bzip2 => FilterType::Bzip2,
            Self::DoubleDelta => FilterType::DoubleDelta,
            Self::Dictionary => FilterType::Dictionary,
            Self::Delta => FilterType::Delta,
        }
    }

    /// Returns the code in files.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the compressor with this code in files.
    pub fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::Gzip,
            2 => Self::Zstd,
            3 => Self::Lz4,
            4 => Self::Rle,
            5 => Self::Bzip2,
            6 => Self::DoubleDelta,
            7 => Self::Dictionary,
            8 => Self::Delta,
            _ => return None,
        })
    }

    /// Returns whether its options in files contain a reinterpreted datatype.
    pub fn reinterprets(self) -> bool {
        matches!(self, Self::DoubleDelta | Self::Delta)
    }
}

/// The options of float scaling: a value is stored as the integer `(value - offset) / scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ScaleFloat {
    /// The divisor of values.
    pub scale: f64,
    /// Subtracted before the division.
    pub offset: f64,
    /// The size of the integers in bytes: 1, 2, 4 or 8.
    pub byte_width: u64,
}

/// The options of the WebP filter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Webp {
    /// The quality, from 0 to 100.
    pub quality: f32,
    /// The colour format.
    pub format: WebpFormat,
    /// Whether images are decoded exactly.
    pub lossless: bool,
    /// The tile extents of rows and columns in values; set when a schema is checked.
    pub extents: (u16, u16),
}

/// The colour channels of a pixel, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum WebpFormat {
    None = 0,
    Rgb = 1,
    Bgr = 2,
    Rgba = 3,
    Bgra = 4,
}

impl WebpFormat {
    /// Returns the format with this code.
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::None, Self::Rgb, Self::Bgr, Self::Rgba, Self::Bgra]
            .get(usize::from(code))
            .copied()
    }

    /// Returns the code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the number of values per pixel.
    pub fn depth(self) -> u64 {
        if self < Self::Rgba { 3 } else { 4 }
    }
}

/// The default window of bit width reduction, in bytes.
const BIT_WIDTH_WINDOW: u32 = 256;
/// The default window of positive delta, in bytes.
const POSITIVE_DELTA_WINDOW: u32 = 1024;
/// Selects the compressor's own default level.
const DEFAULT_LEVEL: i32 = -1;

impl Filter {
    /// Returns whether decoding may return values that differ from those written.
    pub(super) fn is_lossy(&self) -> bool {
        match self {
            Self::ScaleFloat(_) => true,
            Self::Webp(options) => !options.lossless,
            _ => false,
        }
    }

    /// Creates a filter with default options. Returns `None` for kinds that callers cannot choose.
    pub fn new(kind: FilterType) -> Option<Self> {
        Some(match kind {
            FilterType::None => Self::None,
            FilterType::Gzip => Self::compression(Compressor::Gzip),
            FilterType::Zstd => Self::compression(Compressor::Zstd),
            FilterType::Lz4 => Self::compression(Compressor::Lz4),
            FilterType::Rle => Self::compression(Compressor::Rle),
            FilterType::Bzip2 => Self::compression(Compressor::Bzip2),
            FilterType::DoubleDelta => Self::compression(Compressor::DoubleDelta),
            FilterType::Dictionary => Self::compression(Compressor::Dictionary),
            FilterType::Delta => Self::compression(Compressor::Delta),
            FilterType::BitWidthReduction => Self::BitWidthReduction {
                max_window: BIT_WIDTH_WINDOW,
            },
            FilterType::Bitshuffle => Self::Bitshuffle,
            FilterType::Byteshuffle => Self::Byteshuffle,
            FilterType::PositiveDelta => Self::PositiveDelta {
                max_window: POSITIVE_DELTA_WINDOW,
            },
            FilterType::ChecksumMd5 => Self::ChecksumMd5,
            FilterType::ChecksumSha256 => Self::ChecksumSha256,
            FilterType::ScaleFloat => Self::ScaleFloat(ScaleFloat {
                scale: 1.0,
                offset: 0.0,
                byte_width: 8,
            }),
            FilterType::Xor => Self::Xor,
            FilterType::Webp => Self::Webp(Webp {
                quality: 100.0,
                format: WebpFormat::None,
                lossless: false,
                extents: (0, 0),
            }),
            FilterType::Aes256Gcm | FilterType::Deprecated => return None,
        })
    }

    /// Returns a compressor at its default level.
    pub fn compression(compressor: Compressor) -> Self {
        Self::compression_at(compressor, DEFAULT_LEVEL)
    }

    /// Returns a compressor at a level.
    pub fn compression_at(compressor: Compressor, level: i32) -> Self {
        Self::Compression(Compression {
            compressor,
            level,
            reinterpret: Datatype::Any,
        })
    }

    /// Returns the kind.
    pub fn kind(&self) -> FilterType {
        match self {
            Self::None => FilterType::None,
            Self::Compression(compression) => compression.compressor.kind(),
            Self::BitWidthReduction { .. } => FilterType::BitWidthReduction,
            Self::Bitshuffle => FilterType::Bitshuffle,
            Self::Byteshuffle => FilterType::Byteshuffle,
            Self::PositiveDelta { .. } => FilterType::PositiveDelta,
            Self::ChecksumMd5 => FilterType::ChecksumMd5,
            Self::ChecksumSha256 => FilterType::ChecksumSha256,
            Self::ScaleFloat(_) => FilterType::ScaleFloat,
            Self::Xor => FilterType::Xor,
            Self::Webp(_) => FilterType::Webp,
            Self::Aes256Gcm => FilterType::Aes256Gcm,
        }
    }
}

/// The text in dumps.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("NoOp"),
            Self::Compression(compression) => {
                let name = match compression.compressor {
                    Compressor::Delta => "DELTA",
                    other => other.kind().name(),
                };
                write!(f, "{name}: COMPRESSION_LEVEL={}", compression.level)?;
                if compression.compressor.reinterprets() {
                    write!(
                        f,
                        ", REINTERPRET_DATATYPE={}",
                        compression.reinterpret.name()
                    )?;
                }
                Ok(())
            }
            Self::BitWidthReduction { max_window } => {
                write!(f, "BitWidthReduction: BIT_WIDTH_MAX_WINDOW={max_window}")
            }
            Self::Bitshuffle => f.write_str("BitShuffle"),
            Self::Byteshuffle => f.write_str("ByteShuffle"),
            Self::PositiveDelta { max_window } => {
                write!(f, "PositiveDelta: POSITIVE_DELTA_MAX_WINDOW={max_window}")
            }
            Self::ChecksumMd5 => f.write_str("ChecksumMD5"),
            Self::ChecksumSha256 => f.write_str("ChecksumSHA256"),
            Self::ScaleFloat(options) => write!(
                f,
                "FloatScalingFilter: BYTE_WIDTH={}, SCALE={}, OFFSET={}",
                options.byte_width,
                real_text(options.scale),
                real_text(options.offset)
            ),
            Self::Xor => f.write_str("XORFilter"),
            Self::Webp(_) => f.write_str("WebpFilter"),
            Self::Aes256Gcm => f.write_str("EncryptionAES256GCM"),
        }
    }
}
