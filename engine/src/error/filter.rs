//! Causes of errors of filters.

/// Causes of errors of filters and their options.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    #[error("The filter {filter} has no options")]
    NoOptions { filter: &'static str },
    #[error("The value of an option of the filter {filter} is missing")]
    NullOption { filter: &'static str },
    #[error("The filter {filter} does not have this option")]
    UnknownOption { filter: &'static str },
    #[error("{code} is not a datatype to which compression can convert values")]
    BadReinterpretation { code: u32 },
    #[error("Float scaling does not accept this {option}")]
    BadScaling { option: &'static str },
    #[error("The quality of WebP must be from 0 to 100")]
    BadWebpQuality,
    #[error("The input format of WebP is not known")]
    BadWebpFormat,
    #[error("Lossless compression of WebP must be 1 or 0")]
    BadWebpLossless,
    #[error("The input format of WebP is not set")]
    NoWebpFormat,
    #[error("WEBP needs {rows} rows of {stride} bytes, but got {len} bytes")]
    NotAnImage { rows: i32, stride: i32, len: usize },
    #[error("The image cannot be encoded")]
    WebpEncoding,
    #[error("The library was built without the filter WebP")]
    WebpNotBuilt,
    #[error("Pixels without alpha need extents that are multiples of 3")]
    WebpDepth3,
    #[error("Pixels with alpha need extents that are multiples of 4")]
    WebpDepth4,
    #[error("The tile extents exceed the largest WebP image, 16383x16383 pixels")]
    WebpTooLarge,
    #[error("The encryption key has a wrong length")]
    BadKey,
    #[error("AES_256_GCM: cannot encrypt {len} bytes")]
    CannotEncrypt { len: u32 },
    #[error("AES_256_GCM: the encryption key is another, or the data is damaged")]
    CannotDecrypt,
    #[error("SCALE_FLOAT takes no values of {size} bytes")]
    WrongScaleSize { size: usize },
    #[error("The values for the filter of positive deltas decrease")]
    NegativeDelta,
}

/// Causes of errors of pipelines of filters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    #[error("The filter {filter} does not accept values of type {datatype}")]
    WrongInput {
        filter: &'static str,
        datatype: &'static str,
    },
    #[error(
        "The filter {first} produces values of type {datatype}, which the next filter {second} does not accept"
    )]
    WrongChain {
        first: &'static str,
        datatype: &'static str,
        second: &'static str,
    },
    #[error("The filter {filter} must be the first one on texts of an attribute")]
    NotFirst { filter: &'static str },
    #[error("A string encoding needs the offsets of the cells")]
    NoOffsets,
    #[error("Dictionary encoding only applies to texts of variable length")]
    OnlyTexts,
    #[error("The input is too large to be filtered")]
    TooLarge,
    #[error("A chunk would be larger than 4 GiB")]
    ChunkTooLarge,
    #[error("The window of the {filter} is smaller than a value")]
    SmallWindow { filter: &'static str },
    #[error("The {filter} needs values of {size} bytes, but got {len} bytes")]
    PartialValue {
        filter: &'static str,
        size: usize,
        len: usize,
    },
}

/// Causes of errors of compressors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    #[error("{codec} needs values of {size} bytes, but got {len} bytes")]
    PartialValue {
        codec: &'static str,
        size: usize,
        len: usize,
    },
    #[error("BZIP2 failed with the code {code}")]
    Bzip2 { code: i64 },
    #[error("A double delta exceeds the range of a 64-bit integer")]
    DoubleDeltaOverflow,
    #[error("A delta exceeds the range of a 64-bit integer")]
    DeltaOverflow,
    #[error("GZIP has no compression level {level}")]
    GzipLevel { level: i64 },
    #[error("GZIP failed with the code {code}")]
    Zlib { code: i64 },
    #[error("GZIP failed: {problem}")]
    Gzip { problem: String },
    #[error("LZ4 failed")]
    Lz4,
    #[error("RLE cannot divide {len} bytes into cells of {cell_size} bytes")]
    RleInput { cell_size: usize, len: usize },
    #[error("ZSTD failed: {problem}")]
    Zstd { problem: String },
}
