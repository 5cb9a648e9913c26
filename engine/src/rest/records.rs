//! The results of queries as they arrive: records of a size of 8 bytes and a message of that size.

use std::collections::TryReserveError;
use std::ops::ControlFlow;

use capnp::Word;

use crate::error::{Error, RestError, Result};
use crate::http::exchange::BodySink;
use crate::http::failure::Failure;

/// The number of bytes of the size before each message.
const HEAD: usize = size_of::<u64>();
/// The number of bytes to which messages are aligned.
const WORD: usize = size_of::<Word>();

/// Takes records out of the body of a response. At most one record is in memory.
pub(super) struct RecordSink<'a> {
    /// The bytes of the current record, aligned to 8.
    words: Vec<Word>,
    /// The number of bytes received of the current record, including its size.
    received: usize,
    head: [u8; HEAD],
    /// The greatest size of a record.
    max_bytes: u64,
    /// Called when a response begins.
    restart: &'a mut dyn FnMut(),
    /// Takes a message, aligned to 8 bytes. Its result can end the response.
    take: &'a mut dyn FnMut(&[u8]) -> Result<ControlFlow<()>>,
    /// The error that ended the response.
    pub(super) error: Option<Error>,
    /// The number of records so far.
    pub(super) number: u64,
}

impl<'a> RecordSink<'a> {
    /// Creates a sink that passes each message of at most `max_bytes` bytes to `take`.
    pub(super) fn new(
        max_bytes: u64,
        restart: &'a mut dyn FnMut(),
        take: &'a mut dyn FnMut(&[u8]) -> Result<ControlFlow<()>>,
    ) -> Self {
        Self {
            words: Vec::new(),
            received: 0,
            head: [0; HEAD],
            max_bytes,
            restart,
            take,
            error: None,
            number: 0,
        }
    }

    /// Returns the announced size of the current message, once it is known.
    fn announced(&self) -> Option<u64> {
        (self.received >= HEAD).then(|| u64::from_le_bytes(self.head))
    }

    /// Keeps an error of the engine and fails the request for good.
    fn fail(&mut self, error: Error) -> Failure {
        self.error = Some(error);
        Failure::new(std::io::ErrorKind::InvalidData, "the response is invalid")
    }

    /// Takes bytes of the size. Returns the rest.
    fn take_head<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8]> {
        let missing = HEAD.saturating_sub(self.received).min(bytes.len());
        let (head, rest) = bytes.split_at(missing);
        if let Some(to) = self.head.get_mut(self.received..self.received + missing) {
            to.copy_from_slice(head);
        }
        self.received += missing;
        match self.announced() {
            Some(size) if size > self.max_bytes => {
                let most = self.max_bytes;
                Err(RestError::LargeResult { size, most }.into())
            }
            _ => Ok(rest),
        }
    }

    /// Takes bytes of the message. Returns the rest. Memory grows as bytes arrive.
    fn take_content<'b>(&mut self, bytes: &'b [u8], size: u64) -> Result<&'b [u8]> {
        let start = self.received - HEAD;
        let missing = usize::try_from(size)
            .unwrap_or(usize::MAX)
            .saturating_sub(start)
            .min(bytes.len());
        let (content, rest) = bytes.split_at(missing);
        grow(&mut self.words, start + missing)
            .map_err(|_| Error::out_of_memory("results of a query", size))?;
        let to = Word::words_to_bytes_mut(&mut self.words);
        if let Some(to) = to.get_mut(start..start + missing) {
            to.copy_from_slice(content);
        }
        self.received += missing;
        Ok(rest)
    }

    fn consume(&mut self, mut bytes: &[u8]) -> Result<ControlFlow<()>> {
        loop {
            bytes = self.take_head(bytes)?;
            let Some(size) = self.announced() else {
                return Ok(ControlFlow::Continue(()));
            };
            bytes = self.take_content(bytes, size)?;
            if ((self.received - HEAD) as u64) < size {
                return Ok(ControlFlow::Continue(()));
            }
            self.number += 1;
            self.received = 0;
            let message = Word::words_to_bytes(&self.words);
            let message = message
                .get(..usize::try_from(size).unwrap_or_default())
                .unwrap_or_default();
            let flow = (self.take)(message)?;
            self.words.clear();
            if flow == ControlFlow::Break(()) {
                return Ok(ControlFlow::Break(()));
            }
            if bytes.is_empty() {
                return Ok(ControlFlow::Continue(()));
            }
        }
    }
}

impl BodySink for RecordSink<'_> {
    fn begin(&mut self) {
        self.words.clear();
        self.received = 0;
        self.number = 0;
        self.error = None;
        (self.restart)();
    }

    fn push(&mut self, bytes: &[u8]) -> std::result::Result<ControlFlow<()>, Failure> {
        self.consume(bytes).map_err(|error| self.fail(error))
    }

    /// A body that ends within a record was cut off: the request is repeated.
    fn end(&mut self) -> std::result::Result<(), Failure> {
        if self.received == 0 {
            return Ok(());
        }
        let size = self.received as u64;
        let announced = self
            .announced()
            .unwrap_or_default()
            .saturating_add(HEAD as u64);
        self.error = Some(RestError::CutResult { size, announced }.into());
        let message = "the response ends within a record";
        Err(Failure::transient(
            std::io::ErrorKind::UnexpectedEof,
            message,
        ))
    }
}

/// Calls `take` with a copy of a message that is aligned to 8 bytes.
pub(super) fn with_alignment<R>(
    message: &[u8],
    take: impl FnOnce(&[u8]) -> Result<R>,
) -> Result<R> {
    let mut words: Vec<Word> = Vec::new();
    grow(&mut words, message.len())
        .map_err(|_| Error::out_of_memory("the state of a query", message.len() as u64))?;
    let bytes = Word::words_to_bytes_mut(&mut words);
    if let Some(to) = bytes.get_mut(..message.len()) {
        to.copy_from_slice(message);
    }
    take(bytes.get(..message.len()).unwrap_or_default())
}

/// Adds zeros until words contain at least `len` bytes.
fn grow(words: &mut Vec<Word>, len: usize) -> std::result::Result<(), TryReserveError> {
    let missing = len.div_ceil(WORD).saturating_sub(words.len());
    words.try_reserve(missing)?;
    words.resize(words.len() + missing, capnp::word(0, 0, 0, 0, 0, 0, 0, 0));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits a body into messages, received in pieces of `step` bytes.
    fn split(body: &[u8], step: usize, max_bytes: u64) -> (Vec<Vec<u8>>, bool, Option<Error>) {
        let mut found = Vec::new();
        let mut take = |message: &[u8]| {
            assert_eq!(message.as_ptr().align_offset(8), 0);
            found.push(message.to_vec());
            Ok(ControlFlow::Continue(()))
        };
        let mut restart = || {};
        let mut records = RecordSink::new(max_bytes, &mut restart, &mut take);
        records.begin();
        let pushed = body.chunks(step).all(|piece| records.push(piece).is_ok());
        let ended = pushed && records.end().is_ok();
        let error = records.error.take();
        (found, ended, error)
    }

    fn body(messages: &[&[u8]]) -> Vec<u8> {
        let record =
            |message: &&[u8]| [&(message.len() as u64).to_le_bytes()[..], message].concat();
        messages.iter().flat_map(record).collect()
    }

    #[test]
    fn records_are_found_in_pieces_of_any_size() {
        let messages: [&[u8]; 4] = [b"0123456789abcdef", b"", b"x", b"another message"];
        let body = body(&messages);
        for step in 1..=body.len() {
            let (found, ended, error) = split(&body, step, 100);
            assert_eq!(found, messages, "{step}");
            assert!(ended && error.is_none());
        }
    }

    #[test]
    fn a_body_that_is_cut_at_any_byte_is_an_error() {
        let whole = body(&[b"0123456789abcdef"]);
        for size in 1..whole.len() {
            let (found, ended, error) = split(&whole[..size], 3, 100);
            assert!(found.is_empty() && !ended && error.is_some(), "{size}");
        }
    }

    #[test]
    fn a_record_that_exceeds_the_limit_is_an_error_before_its_content() {
        let body = u64::MAX.to_le_bytes();
        let (found, ended, error) = split(&body, 8, 100);
        assert!(found.is_empty() && !ended && error.is_some());
    }
}
