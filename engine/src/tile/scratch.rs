//! Buffers that a thread uses again and again.

use std::cell::Cell;

use crate::error::{Result, try_vec};

/// The memory that a thread keeps between reads.
const KEPT: usize = 16 << 20;

/// The buffers.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) stored: Vec<u8>,
    pub(super) data: Vec<u8>,
    pub(super) sink: Vec<u8>,
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

impl Scratch {
    /// Runs `body` with the buffers of this thread.
    pub fn with<T>(body: impl FnOnce(&mut Self) -> T) -> T {
        let mut scratch = SCRATCH.take().unwrap_or_default();
        let answer = body(&mut scratch);
        if scratch.stored.capacity() + scratch.data.capacity() <= KEPT {
            SCRATCH.set(Some(scratch));
        }
        answer
    }

    /// The same, with one more buffer beside them.
    pub fn with_data<T>(body: impl FnOnce(&mut Self, &mut Vec<u8>) -> T) -> T {
        Self::with(|scratch| {
            let mut data = std::mem::take(&mut scratch.data);
            let answer = body(scratch, &mut data);
            scratch.data = data;
            answer
        })
    }
}

/// Returns the first `len` bytes of a buffer that grows when it must; what they hold is undefined
/// but initialised.
pub(super) fn room(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8]> {
    if buffer.len() < len {
        *buffer = try_vec("a tile", len)?;
    }
    Ok(&mut buffer[..len])
}
