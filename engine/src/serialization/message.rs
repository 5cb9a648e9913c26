//! Writing and reading a message in either encoding.

use capnp::message::{Builder, HeapAllocator, ReaderOptions};
use capnp::traits::{Owned, SetterInput};
use capnp::{Word, dynamic_struct, dynamic_value, serialize};

use super::json::{self, JsonStyle};
use crate::config::Config;
use crate::error::{
    Cause, Error, MessageKind, QueryMessageError, Result, SerializationError, try_reserved,
};

/// The encoding of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageEncoding {
    /// JSON, in UTF-8.
    Json,
    /// Cap'n Proto, unpacked: a table of segments, then the segments.
    Capnp,
    /// An unknown code; writing and reading a message return an error for it.
    Unknown(u32),
}

impl MessageEncoding {
    /// Returns the encoding with this code.
    pub fn from_code(code: u32) -> Self {
        match code {
            0 => Self::Json,
            1 => Self::Capnp,
            other => Self::Unknown(other),
        }
    }
}

/// The size in bytes that the Cap'n Proto form of a message in JSON can have.
const JSON_LIMIT: u64 = 2 << 30;

/// The limit of the bytes that reading a message traverses, as a multiple of its size: more than
/// parts that are read repeatedly need, and less than lists of elements without a size can pretend
/// to contain.
const MAX_PASSES: usize = 16;
/// The memory in bytes that reading a message may traverse by default, as in Cap'n Proto: enough
/// for messages that are always small.
pub(super) const DEFAULT_LIMIT: u64 = 64 << 20;
/// The memory that reading any message may traverse, in bytes.
const MIN_TRAVERSED: usize = 64 << 10;

/// Returns the memory in bytes that reading a message may traverse by a configuration, which bounds
/// what pointers to shared or overlapping parts can cost.
pub(super) fn traversal_limit(config: &Config) -> Result<u64> {
    config.u64("rest.capnp_traversal_limit")
}

/// Returns the options for reading a message of `size` bytes.
fn reader_options(limit: u64, size: usize) -> ReaderOptions {
    let mut options = ReaderOptions::new();
    let passes = size.saturating_mul(MAX_PASSES);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let bytes = limit.min(passes.saturating_add(MIN_TRAVERSED));
    options.traversal_limit_in_words(Some(bytes / 8));
    options
}

/// Returns the convention of a message in JSON.
fn style_of(kind: MessageKind) -> JsonStyle {
    match kind {
        MessageKind::ArrayOpen
        | MessageKind::FragmentInfoRequest
        | MessageKind::Group
        | MessageKind::GroupUpdate
        | MessageKind::GroupCreate
        | MessageKind::QueryPlanRequest => JsonStyle::Annotated,
        _ => JsonStyle::Plain,
    }
}

/// Writes a message of type `T`, which `fill` fills.
pub(super) fn write<T>(
    kind: MessageKind,
    encoding: MessageEncoding,
    fill: impl FnOnce(T::Builder<'_>) -> Result<()>,
) -> Result<Vec<u8>>
where
    T: Owned,
    for<'a> T::Reader<'a>: Into<dynamic_value::Reader<'a>>,
{
    let mut message = Builder::new_default();
    let written = fill(message.init_root()).and_then(|()| {
        let root = message.get_root_as_reader::<T::Reader<'_>>()?;
        encode(&message, root.into(), kind, encoding)
    });
    written.map_err(|cause| SerializationError::Write { kind, cause }.into())
}

fn encode(
    message: &Builder<HeapAllocator>,
    root: dynamic_value::Reader<'_>,
    kind: MessageKind,
    encoding: MessageEncoding,
) -> Result<Vec<u8>> {
    match (encoding, root) {
        (MessageEncoding::Json, dynamic_value::Reader::Struct(root)) => {
            json::encode(root, style_of(kind))
        }
        (MessageEncoding::Unknown(code), _) => {
            Err(SerializationError::UnknownEncoding { code }.into())
        }
        _ => Ok(serialize::write_message_to_words(message)),
    }
}

/// Reads a message of type `T` with `parse`.
pub(super) fn read<T, R>(
    kind: MessageKind,
    encoding: MessageEncoding,
    bytes: &[u8],
    limit: u64,
    parse: impl FnOnce(T::Reader<'_>) -> Result<R>,
) -> Result<R>
where
    T: Owned,
    for<'a> T::Builder<'a>: Into<dynamic_value::Builder<'a>>,
{
    let read = match encoding {
        MessageEncoding::Json => {
            let mut message = Builder::new_default();
            fill_from_json(message.init_root::<T::Builder<'_>>().into(), bytes, kind)
                .and_then(|()| parse(message.get_root_as_reader()?))
        }
        MessageEncoding::Capnp => read_capnp(bytes, |aligned| {
            let mut rest = aligned;
            let options = reader_options(limit, aligned.len());
            let message = serialize::read_message_from_flat_slice(&mut rest, options)?;
            parse(message.get_root()?)
        }),
        MessageEncoding::Unknown(code) => Err(SerializationError::UnknownEncoding { code }.into()),
    };
    read.map_err(|cause| wrapped(kind, cause))
}

/// Returns an error if messages of queries do not have this encoding: `json` for JSON.
pub(super) fn check_query_encoding(
    encoding: MessageEncoding,
    json: QueryMessageError,
) -> Result<()> {
    match encoding {
        MessageEncoding::Json => Err(json.into()),
        MessageEncoding::Capnp => Ok(()),
        MessageEncoding::Unknown(code) => Err(SerializationError::UnknownEncoding { code }.into()),
    }
}

/// Reads a message of type `T` in Cap'n Proto that is followed by other bytes. `parse` also gets
/// the size of the message.
pub(super) fn read_with_content<T: Owned, R>(
    kind: MessageKind,
    bytes: &[u8],
    limit: u64,
    parse: impl FnOnce(T::Reader<'_>, u64) -> Result<R>,
) -> Result<R> {
    if !is_aligned(bytes) {
        return Err(wrapped(kind, SerializationError::Unaligned.into()));
    }
    let read = || {
        let mut rest = bytes;
        let options = reader_options(limit, bytes.len());
        let message = serialize::read_message_from_flat_slice(&mut rest, options)?;
        let size = bytes.len() - rest.len();
        parse(message.get_root()?, size as u64)
    };
    read().map_err(|cause| wrapped(kind, cause))
}

/// Returns a part of a message as a message of its own.
pub(super) fn copy_of<T: Owned>(part: T::Reader<'_>) -> Result<Vec<u8>>
where
    for<'a> T::Reader<'a>: SetterInput<T>,
{
    let mut message = Builder::new_default();
    message.set_root(part)?;
    Ok(serialize::write_message_to_words(&message))
}

/// Passes a part of a message that [`copy_of`] copied to `parse`.
pub(super) fn with_copy<T: Owned, R>(
    copy: &[u8],
    parse: impl FnOnce(T::Reader<'_>) -> Result<R>,
) -> Result<R> {
    read_capnp(copy, |aligned| {
        let mut rest = aligned;
        let mut options = ReaderOptions::new();
        options.traversal_limit_in_words(None);
        let message = serialize::read_message_from_flat_slice(&mut rest, options)?;
        parse(message.get_root()?)
    })
}

/// Marks an error as the cause of a message that could not be read. Values that a configuration
/// does not accept are reported as if they were set.
fn wrapped(kind: MessageKind, cause: Error) -> Error {
    if matches!(cause.cause(), Cause::Config(_)) {
        return cause;
    }
    SerializationError::Read { kind, cause }.into()
}

fn fill_from_json(root: dynamic_value::Builder<'_>, bytes: &[u8], kind: MessageKind) -> Result<()> {
    let dynamic_value::Builder::Struct(root): dynamic_value::Builder<'_> = root else {
        return Ok(());
    };
    let root: dynamic_struct::Builder<'_> = root;
    json::decode(bytes, root, style_of(kind), JSON_LIMIT)
}

/// Passes the bytes to `read`, aligned to words.
fn read_capnp<R>(bytes: &[u8], read: impl FnOnce(&[u8]) -> Result<R>) -> Result<R> {
    // As in libtiledb, bytes after the last whole word are ignored.
    let whole = bytes.get(..bytes.len() / 8 * 8).unwrap_or_default();
    if is_aligned(whole) {
        return read(whole);
    }
    let mut words: Vec<Word> = try_reserved("a message", whole.len() / 8)?;
    words.resize(whole.len() / 8, capnp::word(0, 0, 0, 0, 0, 0, 0, 0));
    Word::words_to_bytes_mut(&mut words).copy_from_slice(whole);
    read(Word::words_to_bytes(&words))
}

/// Returns whether bytes are aligned to 8, as queries must be.
pub(super) fn is_aligned(bytes: &[u8]) -> bool {
    bytes.as_ptr().align_offset(8) == 0
}

#[cfg(test)]
mod tests {
    use super::super::read_config;
    use super::*;

    /// Returns the message of a configuration with this number of entries, which have no size.
    fn entries_without_size(number: u64) -> Vec<u8> {
        // The table of segments; the root with one pointer; a list of structures; its tag.
        let words = [3 << 32, 1 << 48, 1 | 7 << 32, number << 2];
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    #[test]
    fn lists_of_elements_without_a_size_are_bounded_by_the_message() {
        let read = |number| {
            let message = entries_without_size(number);
            read_config(&message, MessageEncoding::Capnp).map(|_| ())
        };
        let passes = |number| match read(number) {
            Ok(()) => true,
            Err(error) => !format!("{error:?}").contains("Read limit exceeded"),
        };
        assert!(passes(1000));
        assert!(!passes(1 << 20));
        assert!(!passes((1 << 29) - 1));
    }
}
