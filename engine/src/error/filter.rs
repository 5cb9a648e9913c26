//! Errors of filters.

use super::table::{Text, causes};

causes! {
    /// Causes of errors of filters and their options.
    FilterError, "[TileDB::Filter] Error" {
        NoOptions { filter: &'static str }: "The filter {filter} has no options"
            => "Filter does not support options.";
        NullOption { filter: &'static str }: "The value of an option of the filter {filter} is missing"
            => { option_text(filter, ["invalid", "Invalid"], "option value") };
        UnknownOption { filter: &'static str }: "The filter {filter} does not have this option"
            => { option_text(filter, ["unknown", "Unknown"], "option") };
        BadReinterpretation { code: u32 }: "{code} is not a datatype to which compression can convert values"
            => "Compression filter error; {code} is not a valid datatype";
        BadScaling { option: &'static str }: "Float scaling does not accept this {option}"
            => "Float scaling filter error; invalid {option} value.";
        BadWebpQuality: "The quality of WebP must be from 0 to 100"
            => "Webp filter error; Quality must be in range [0.0, 100.0]";
        BadWebpFormat: "The input format of WebP is not known"
            => "Webp filter error; Invalid input format option setting";
        BadWebpLossless: "Lossless compression of WebP must be 1 or 0"
            => "Webp filter error; Lossless compression must be either enabled (1) or disabled (0)";
        NoWebpFormat: "The input format of WebP is not set"
            => "Filter option TILEDB_FILTER_WEBP_FORMAT must be set";
        NotAnImage { rows: i32, stride: i32, len: usize }: "WEBP needs {rows} rows of {stride} bytes, but got {len} bytes";
        WebpEncoding: "The image cannot be encoded"
            => "Error encoding image data";
        WebpNotBuilt [Unsupported]: "The library was built without the filter WebP"
            => ("FilterPipeline", "WebP filter not available; this library instance built with TILEDB_WEBP=OFF");
        WebpDepth3: "Pixels without alpha need extents that are multiples of 3"
            => "Colorspace with no alpha must use extents divisible by 3";
        WebpDepth4: "Pixels with alpha need extents that are multiples of 4"
            => "Colorspace with alpha must use extents divisible by 4";
        WebpTooLarge: "The tile extents exceed the largest WebP image, 16383x16383 pixels"
            => "Tile extents too large; Max size WebP image is 16383x16383 pixels";
        BadKey: "The encryption key has a wrong length"
            => "Encryption error; bad key.";
        CannotEncrypt { len: u32 }: "AES_256_GCM: cannot encrypt {len} bytes"
            => ("[TileDB::Encryption] Error");
        CannotDecrypt [Corrupt]: "AES_256_GCM: the encryption key is another, or the data is damaged"
            => ("[TileDB::Encryption] Error", "OpenSSL error; error finalizing decryption. AES_256_GCM: The key is another, or the data is damaged.");
        WrongScaleSize { size: usize }: "SCALE_FLOAT takes no values of {size} bytes";
        NegativeDelta: "The values for the filter of positive deltas decrease"
            => "Positive delta filter error: delta is not positive.";
    }

    /// Causes of errors of pipelines of filters.
    PipelineError, "Filter" {
        WrongInput { filter: &'static str, datatype: &'static str }: "The filter {filter} does not accept values of type {datatype}"
            => "Filter {filter} does not accept input type {datatype}";
        WrongChain { first: &'static str, datatype: &'static str, second: &'static str }: "The filter {first} produces values of type {datatype}, which the next filter {second} does not accept"
            => ("FilterPipeline", "Filter {first} produces {datatype} but second filter {second} does not accept this type.");
        NotFirst { filter: &'static str }: "The filter {filter} must be the first one on texts of an attribute"
            => ("FilterPipeline", "{filter} filter must be the first filter to apply when used on a variable length string attribute");
        NoOffsets: "A string encoding needs the offsets of the cells"
            => ("FilterPipeline");
        OnlyTexts: "Dictionary encoding only applies to texts of variable length"
            => ("[TileDB::Filter] Error", "CompressionFilter error; Dictionary encoding only applies to variable length strings");
        TooLarge: "The input is too large to be filtered"
            => "Input is too large to be filtered.";
        ChunkTooLarge: "A chunk would be larger than 4 GiB"
            => ("Tile", "Chunk size exceeds uint32_t");
        SmallWindow { filter: &'static str }: "The window of the {filter} is smaller than a value";
        PartialValue { filter: &'static str, size: usize, len: usize }: "The {filter} needs values of {size} bytes, but got {len} bytes";
    }

    /// Causes of errors of compressors.
    CodecError, "CompressionFilter" {
        PartialValue { codec: &'static str, size: usize, len: usize }: "{codec} needs values of {size} bytes, but got {len} bytes";
        Bzip2 { code: i64 }: "BZIP2 failed with the code {code}"
            => ("BZipException", "BZip compression error: error code {code}");
        DoubleDeltaOverflow: "A double delta exceeds the range of a 64-bit integer"
            => ("DoubleDeltaException", "Cannot compress with DoubleDelta; Some negative double delta is out of bounds");
        DeltaOverflow: "A delta exceeds the range of a 64-bit integer"
            => ("DoubleDeltaException", "Cannot compress with DoubleDelta: delta exceeds range of int64_t");
        GzipLevel { level: i64 }: "GZIP has no compression level {level}"
            => ("GZipException", "Failed compressing with GZip; invalid compression level.");
        Zlib { code: i64 }: "GZIP failed with the code {code}"
            => ("GZipException", "Cannot compress with GZIP; error code {code}");
        Gzip { problem: String }: "GZIP failed: {problem}"
            => ("GZipException", "Cannot compress with GZIP; {problem}");
        Lz4: "LZ4 failed"
            => ("LZ4Exception", "LZ4 compression failed");
        RleInput { cell_size: usize, len: usize }: "RLE cannot divide {len} bytes into cells of {cell_size} bytes"
            => ("RLEException", "Failed compressing with RLE; invalid input buffer format");
        Zstd { problem: String }: "ZSTD failed: {problem}"
            => ("ZStdException", "ZStd compression failed: {problem}");
    }
}

fn option_text(filter: &str, [lower, upper]: [&str; 2], subject: &str) -> Text {
    // libtiledb capitalizes the problems of one filter.
    let problem = if filter == "Webp" { upper } else { lower };
    let message = format!("{filter} filter error; {problem} {subject}");
    Text::new("[TileDB::Filter] Error", message)
}
