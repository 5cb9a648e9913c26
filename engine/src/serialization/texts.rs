//! Texts, bytes and lists in messages.

use capnp::{text, text_list};

use crate::error::{Result, SerializationError};

/// The greatest number of elements of a list, or of bytes of a text, in Cap'n Proto, which has 29
/// bits for it. A text has one more byte, a null.
const MAX_LENGTH: u64 = (1 << 29) - 2;

/// Returns a text of a message.
pub(super) fn text<'a>(text: capnp::Result<text::Reader<'a>>) -> Result<&'a str> {
    Ok(text?.to_str().map_err(|_| SerializationError::NotUtf8)?)
}

/// Returns the value that a text names. `subject` is the kind of the value with its article, for
/// the error: "a datatype".
pub(super) fn named<'a, T>(
    name: capnp::Result<text::Reader<'a>>,
    subject: &'static str,
    find: impl FnOnce(&'a str) -> Option<T>,
) -> Result<T> {
    let name = text(name)?;
    find(name).ok_or_else(|| {
        let name = name.to_owned();
        SerializationError::UnknownName { subject, name }.into()
    })
}

/// Returns the bytes, or an error if they are too many for a message. `subject` begins the sentence
/// of the error, here and below: "An R-tree".
pub(super) fn bytes<'a>(subject: &'static str, bytes: &'a [u8]) -> Result<&'a [u8]> {
    length(subject, bytes.len())?;
    Ok(bytes)
}

/// Returns the text, or an error if it is too long for a message.
pub(super) fn short<'a>(subject: &'static str, text: &'a str) -> Result<&'a str> {
    length(subject, text.len())?;
    Ok(text)
}

/// Returns the number of elements of a list, or an error if they are too many for a message.
pub(super) fn length(subject: &'static str, len: usize) -> Result<u32> {
    let (size, limit) = (len as u64, MAX_LENGTH);
    match u32::try_from(len) {
        Ok(len) if size <= limit => Ok(len),
        _ => Err(SerializationError::TooLarge {
            subject,
            size,
            limit,
        }
        .into()),
    }
}

/// Fills a list of texts, which `init` creates. `text_subject` is the subject of each text.
pub(super) fn fill_texts<'a>(
    subject: &'static str,
    text_subject: &'static str,
    texts: impl IntoIterator<Item: AsRef<str>, IntoIter: ExactSizeIterator>,
    init: impl FnOnce(u32) -> text_list::Builder<'a>,
) -> Result<()> {
    let texts = texts.into_iter();
    let mut list = init(length(subject, texts.len())?);
    for (index, text) in (0..).zip(texts) {
        list.set(index, short(text_subject, text.as_ref())?);
    }
    Ok(())
}
