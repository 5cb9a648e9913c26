//! The buffers between stages, which are reused.

use crate::filter::parts::Parts;
use crate::memory::{Workspace, WorkspaceKind};

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
pub(super) struct StageWorkspace {
    pub(super) input: StageBuffers,
    pub(super) output: StageBuffers,
}

impl Workspace for StageWorkspace {
    const KIND: WorkspaceKind = WorkspaceKind::Pipeline;

    fn memory(&self) -> usize {
        let buffers = [&self.input, &self.output];
        let parts = buffers
            .into_iter()
            .flat_map(|buffers| [&buffers.data, &buffers.metadata]);
        parts.map(|parts| parts.bytes.memory()).sum()
    }
}
