//! Reads of ranges that are divided while they arrive.
//!
//! A range begins with one request, which fills its pieces from the first one on. If the rest will
//! take long at the rate of the response, other requests take pieces from the last one on, and the
//! first request ends where it meets them. So a fast store gets one request, and a store that gives
//! each connection a part of the bandwidth gets several.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::http::exchange::BufferSteps;
use crate::memory::tuning::{
    COLLECT_STEP_BYTES, MIN_SLOW_REST, RATE_SAMPLE_BYTES, SLOW_REST_LATENCIES,
};
use crate::platform::lock::Mutex;

/// A piece of a range, with the buffer for its bytes.
pub(super) struct Piece<'b> {
    offset: u64,
    pub(super) bytes: &'b mut [u8],
}

impl Piece<'_> {
    pub(super) fn range(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.bytes.len() as u64)
    }
}

/// The pieces of a range that no request has taken, in order.
pub(super) struct Pieces<'b> {
    left: Mutex<VecDeque<Piece<'b>>>,
    len: usize,
}

impl<'b> Pieces<'b> {
    /// Divides the buffer `to` of a range that starts at `offset` into pieces of `longest` bytes.
    pub(super) fn new(offset: u64, to: &'b mut [u8], longest: usize) -> Self {
        let len = to.len();
        let mut start = offset;
        let pieces = to.chunks_mut(longest.max(1)).map(|bytes| {
            let offset = start;
            start = start.saturating_add(bytes.len() as u64);
            Piece { offset, bytes }
        });
        Self {
            left: Mutex::new(pieces.collect()),
            len,
        }
    }

    /// Returns the number of pieces that are left.
    pub(super) fn number(&self) -> usize {
        self.left.lock().len()
    }

    /// Takes the last piece.
    pub(super) fn take_last(&self) -> Option<Piece<'b>> {
        self.left.lock().pop_back()
    }

    fn take_first(&self) -> Option<Piece<'b>> {
        self.left.lock().pop_front()
    }

    fn bytes_left(&self) -> usize {
        self.left.lock().iter().map(|piece| piece.bytes.len()).sum()
    }

    /// Drops the pieces, because a request failed.
    pub(super) fn clear(&self) {
        self.left.lock().clear();
    }
}

/// The buffers for the body of the request for the whole range.
pub(super) struct FirstRequest<'p, 'b> {
    pieces: &'p Pieces<'b>,
    /// The pieces that it has taken, and the position in them.
    taken: Vec<Piece<'b>>,
    piece: usize,
    filled: usize,
    received: usize,
    created: Instant,
    began: Instant,
    /// Begins other requests for pieces. Returns whether there are any.
    divide: &'p dyn Fn() -> bool,
    is_divided: bool,
}

impl<'p, 'b> FirstRequest<'p, 'b> {
    pub(super) fn new(pieces: &'p Pieces<'b>, divide: &'p dyn Fn() -> bool) -> Self {
        let now = Instant::now();
        Self {
            pieces,
            taken: Vec::new(),
            piece: 0,
            filled: 0,
            received: 0,
            created: now,
            began: now,
            divide,
            is_divided: false,
        }
    }

    fn divide_if_slow(&mut self) {
        if self.is_divided || self.received < RATE_SAMPLE_BYTES {
            return;
        }
        let left = self.pieces.bytes_left();
        let latency = self.began.duration_since(self.created);
        if left > 0 && is_slow(latency, self.began.elapsed(), self.received, left) {
            self.is_divided = (self.divide)();
        }
    }
}

impl BufferSteps for FirstRequest<'_, '_> {
    fn begin(&mut self) {
        (self.piece, self.filled, self.received) = (0, 0, 0);
        self.began = Instant::now();
    }

    fn next(&mut self) -> Option<&mut [u8]> {
        self.divide_if_slow();
        let current = self.taken.get(self.piece);
        if current.is_some_and(|piece| piece.bytes.len() == self.filled) {
            self.piece += 1;
            self.filled = 0;
        }
        if self.piece == self.taken.len() {
            self.taken.push(self.pieces.take_first()?);
        }
        let bytes = &mut *self.taken.get_mut(self.piece)?.bytes;
        let end = self.filled.saturating_add(COLLECT_STEP_BYTES);
        let step = bytes.get_mut(self.filled..)?;
        let len = step.len().min(end - self.filled);
        self.filled += len;
        self.received += len;
        step.get_mut(..len)
    }

    fn len(&self) -> usize {
        self.pieces.len
    }

    fn is_complete(&self) -> bool {
        self.received == self.pieces.len
    }
}

/// Returns whether the rest of a response will take long. `latency`: the time to its first byte;
/// `elapsed`: the time in which the `received` bytes arrived.
fn is_slow(latency: Duration, elapsed: Duration, received: usize, rest: usize) -> bool {
    let expected = elapsed.as_secs_f64() * rest as f64 / received.max(1) as f64;
    expected > MIN_SLOW_REST.as_secs_f64()
        && expected > latency.as_secs_f64() * f64::from(SLOW_REST_LATENCIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Receives a body until it ends; byte `n` of the range is `n`.
    fn receive(request: &mut FirstRequest<'_, '_>) -> usize {
        request.begin();
        let mut received = 0;
        while let Some(step) = request.next() {
            for byte in step {
                *byte = received as u8;
                received += 1;
            }
        }
        received
    }

    #[test]
    fn only_responses_with_much_left_are_slow() {
        let ms = Duration::from_millis;
        let mb = 1_000_000;
        // 30 MB at 90 MB/s take 333 ms.
        assert!(is_slow(ms(30), ms(11), mb, 30 * mb));
        assert!(is_slow(ms(100), ms(11), mb, 30 * mb));
        assert!(!is_slow(ms(120), ms(11), mb, 30 * mb), "3 latencies");
        assert!(!is_slow(ms(1), ms(11), mb, 13 * mb), "little time");
        assert!(!is_slow(ms(30), ms(1), mb, 30 * mb), "a high rate");
        assert!(!is_slow(ms(0), ms(0), 0, 0));
    }

    #[test]
    fn an_undivided_request_fills_all_pieces() {
        let mut bytes = [0; 10];
        let pieces = Pieces::new(100, &mut bytes, 4);
        assert_eq!((pieces.number(), pieces.bytes_left()), (3, 10));
        let mut request = FirstRequest::new(&pieces, &|| true);
        assert_eq!(request.len(), 10);
        assert_eq!(receive(&mut request), 10);
        assert!(request.is_complete());
        assert_eq!(pieces.number(), 0);
        assert_eq!(bytes, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn a_request_ends_where_others_begin_also_after_a_retry() {
        let mut bytes = [0xff; 10];
        let pieces = Pieces::new(100, &mut bytes, 4);
        let last = pieces.take_last().expect("a piece");
        assert_eq!(last.range(), 108..110);
        let mut request = FirstRequest::new(&pieces, &|| true);
        for _ in 0..2 {
            assert_eq!(receive(&mut request), 8);
            assert!(!request.is_complete());
        }
        assert_eq!(bytes, [0, 1, 2, 3, 4, 5, 6, 7, 0xff, 0xff]);
    }

    #[test]
    fn a_slow_response_is_divided_once_others_can_begin() {
        let len = 3 * RATE_SAMPLE_BYTES;
        let mut bytes = vec![0; len];
        let pieces = Pieces::new(0, &mut bytes, RATE_SAMPLE_BYTES);
        let attempts = std::cell::Cell::new(0);
        let divide = || {
            attempts.set(attempts.get() + 1);
            attempts.get() == 2
        };
        let mut request = FirstRequest::new(&pieces, &divide);
        request.begin();
        // As if the response had begun a second ago.
        let earlier = request.began.checked_sub(Duration::from_secs(1));
        request.began = earlier.expect("the machine runs longer");
        request.created = request.began;
        while request.next().is_some() {}
        assert_eq!(attempts.get(), 2);
    }
}
