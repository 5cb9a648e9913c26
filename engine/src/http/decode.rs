//! Compressed bodies of responses.

use std::io::{BufReader, Cursor, ErrorKind, Read};

use super::failure::Failure;

/// The greatest window of a body compressed with Zstandard, as a power of 2: the memory that
/// decompressing it needs. RFC 9659 sets this limit.
const ZSTD_WINDOW: u32 = 23;

/// Returns a reader of a body that decompresses it according to the header `content-encoding`.
///
/// # Errors
///
/// If the client does not know the encoding, or the first bytes cannot be read.
pub(super) fn decoded<'r>(
    mut reader: impl Read + 'r,
    encoding: Option<&str>,
) -> Result<Box<dyn Read + 'r>, Failure> {
    let encoding = encoding.unwrap_or_default().trim();
    let is = |name: &str| encoding.eq_ignore_ascii_case(name);
    if encoding.is_empty() || is("identity") {
        return Ok(Box::new(reader));
    }
    let mut head = Vec::new();
    let mut first = Read::take(&mut reader, 2);
    first.read_to_end(&mut head).map_err(|error| {
        let message = format!("the response ended early: {error}");
        Failure::transient(ErrorKind::ConnectionAborted, message)
    })?;
    if head.is_empty() {
        return Ok(Box::new(std::io::empty()));
    }
    let has_header = has_zlib_header(&head);
    let reader = Cursor::new(head).chain(reader);
    if is("gzip") || is("x-gzip") {
        // Reads to the end of the body, after which the connection can be used again.
        return Ok(Box::new(flate2::read::MultiGzDecoder::new(reader)));
    }
    if is("deflate") && has_header {
        return Ok(Box::new(flate2::read::ZlibDecoder::new(reader)));
    }
    if is("deflate") {
        // Some servers send it without the header and the checksum of zlib.
        return Ok(Box::new(flate2::read::DeflateDecoder::new(reader)));
    }
    let unknown = || {
        let message = format!("the encoding '{encoding}' of the response is not supported");
        Failure::new(ErrorKind::InvalidData, message)
    };
    if !is("zstd") {
        return Err(unknown());
    }
    let decoder = zstd::stream::read::Decoder::with_buffer(BufReader::new(reader));
    let mut decoder = decoder.map_err(|_| unknown())?;
    decoder.window_log_max(ZSTD_WINDOW).map_err(|_| unknown())?;
    Ok(Box::new(decoder))
}

/// Returns whether a body begins with the header of zlib: the method 8 in the first byte, and two
/// bytes that are a multiple of 31.
fn has_zlib_header(head: &[u8]) -> bool {
    match *head {
        [first, second] => {
            let number = 256 * u16::from(first) + u16::from(second);
            first & 0x0f == 8 && number.is_multiple_of(31)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &[u8], encoding: Option<&str>) -> std::io::Result<Vec<u8>> {
        let mut found = Vec::new();
        let reader = decoded(body, encoding).map_err(|_| ErrorKind::Unsupported)?;
        reader.take(1 << 20).read_to_end(&mut found)?;
        Ok(found)
    }

    fn compressed(content: &[u8], encoding: &str) -> Vec<u8> {
        let level = flate2::Compression::fast();
        let mut body = Vec::new();
        match encoding {
            "gzip" => flate2::read::GzEncoder::new(content, level).read_to_end(&mut body),
            "deflate" => flate2::read::ZlibEncoder::new(content, level).read_to_end(&mut body),
            "raw" => flate2::read::DeflateEncoder::new(content, level).read_to_end(&mut body),
            _ => return zstd::encode_all(content, 3).expect("compresses"),
        }
        .expect("compresses");
        body
    }

    #[test]
    fn bodies_are_decompressed() {
        let content = b"one two one two one two".repeat(1000);
        assert_eq!(read(&content, None).expect("reads"), content);
        assert_eq!(read(&content, Some("identity")).expect("reads"), content);
        for encoding in ["gzip", "deflate", "zstd"] {
            let body = compressed(&content, encoding);
            assert!(body.len() < content.len());
            assert_eq!(read(&body, Some(encoding)).expect("reads"), content);
        }
    }

    #[test]
    fn deflate_is_read_without_the_header_of_zlib() {
        for content in [&b"one two one two"[..], &[0; 100_000], b""] {
            let body = compressed(content, "raw");
            assert_eq!(read(&body, Some("deflate")).expect("reads"), content);
        }
    }

    #[test]
    fn a_body_without_bytes_is_empty_in_every_encoding() {
        for encoding in ["gzip", "deflate", "zstd"] {
            assert_eq!(read(b"", Some(encoding)).expect("reads"), b"");
        }
    }

    #[test]
    fn bodies_that_are_cut_or_not_compressed_are_errors() {
        for encoding in ["gzip", "deflate", "zstd"] {
            let body = compressed(&[7; 5000], encoding);
            for end in 1..body.len() {
                assert!(read(&body[..end], Some(encoding)).is_err(), "{encoding}");
            }
            assert!(read(b"not compressed", Some(encoding)).is_err());
        }
        assert!(read(b"text", Some("br")).is_err());
        assert!(read(b"text", Some("gzip, zstd")).is_err());
    }

    #[test]
    fn a_window_of_more_than_8_mib_is_an_error() {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).expect("an encoder");
        encoder.long_distance_matching(true).expect("a mode");
        encoder.window_log(27).expect("a window");
        std::io::Write::write_all(&mut encoder, &[0; 1 << 16]).expect("writes");
        let body = encoder.finish().expect("ends");
        assert!(read(&body, Some("zstd")).is_err());
    }
}
