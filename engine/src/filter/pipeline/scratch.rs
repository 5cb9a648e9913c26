//! The memory between filters, which each thread keeps.

use std::cell::RefCell;

use crate::filter::parts::Parts;

/// What a filter hands to the next one.
#[derive(Debug, Default)]
pub(super) struct Side {
    pub(super) data: Parts,
    pub(super) metadata: Parts,
    /// Whether `data` is what counts; else it is the caller's.
    pub(super) holds_data: bool,
}

impl Side {
    pub(super) fn clear(&mut self) {
        self.data.clear();
        self.metadata.clear();
        self.holds_data = false;
    }
}

#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) input: Side,
    pub(super) output: Side,
}

/// A thread keeps no more bytes of a kind than a few chunks' worth; tiles in one piece can be large.
pub(in super::super) const KEPT: usize = 1 << 20;

impl Scratch {
    pub(super) fn shrink(&mut self) {
        for side in [&mut self.input, &mut self.output] {
            for parts in [&mut side.data, &mut side.metadata] {
                parts.bytes.shrink(KEPT);
            }
        }
    }
}

thread_local! {
    pub(super) static SCRATCH: RefCell<Scratch> = RefCell::default();
}
