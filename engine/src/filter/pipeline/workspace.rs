//! The buffers between stages, which each thread keeps.

use std::cell::RefCell;

use crate::filter::parts::Parts;

/// The output of one stage and input of the next.
#[derive(Debug, Default)]
pub(super) struct StageBuffers {
    pub(super) data: Parts,
    pub(super) metadata: Parts,
    /// Whether `data` is the current data; otherwise it is still the caller's.
    pub(super) holds_data: bool,
}

impl StageBuffers {
    pub(super) fn clear(&mut self) {
        self.data.clear();
        self.metadata.clear();
        self.holds_data = false;
    }
}

/// The buffers of one pipeline run. Stages read `input` and write `output`.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub(super) input: StageBuffers,
    pub(super) output: StageBuffers,
}

/// The maximum size of each buffer that a thread keeps: a few chunks, since undivided tiles can be
/// large.
pub(in super::super) const MAX_KEPT_BYTES: usize = 1 << 20;

impl Workspace {
    pub(super) fn shrink(&mut self) {
        for buffers in [&mut self.input, &mut self.output] {
            for parts in [&mut buffers.data, &mut buffers.metadata] {
                parts.bytes.shrink(MAX_KEPT_BYTES);
            }
        }
    }
}

thread_local! {
    pub(super) static WORKSPACE: RefCell<Workspace> = RefCell::default();
}
