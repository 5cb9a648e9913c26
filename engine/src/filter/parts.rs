//! The data that one filter passes to the next: data and metadata, each divided into contiguous
//! parts, and the buffers for them, which are reused.

use crate::bytes::{Cursor, ReusableBuffer};
use crate::error::{Error, PipelineError, Result};
use crate::memory::{Workspace, WorkspaceKind};

/// A buffer divided into contiguous parts.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) bytes: ReusableBuffer,
    /// The end of each part.
    pub(super) ends: Vec<usize>,
}

impl Parts {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(super) fn view(&self) -> PartsView<'_> {
        PartsView {
            bytes: &self.bytes,
            ends: &self.ends,
        }
    }

    /// Ends a part at the current end of the buffer.
    pub(super) fn end_part(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Appends parts unchanged.
    pub(super) fn append(&mut self, parts: PartsView<'_>) -> Result<()> {
        let base = self.bytes.len();
        self.bytes.put(parts.bytes)?;
        self.ends.extend(parts.ends.iter().map(|end| base + end));
        Ok(())
    }

    pub(super) fn put_u32(&mut self, value: u32) -> Result<()> {
        self.bytes.put(&value.to_le_bytes())
    }
}

/// A borrowed view of parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartsView<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) ends: &'a [usize],
}

impl<'a> PartsView<'a> {
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (bytes, ends) = (self.bytes, self.ends);
        [0].into_iter()
            .chain(ends.iter().copied())
            .zip(ends)
            .map(move |(start, end)| bytes.get(start..*end).unwrap_or_default())
    }
}

/// Converts a length or a count of parts to its type in stored chunks.
pub(super) fn u32_of(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| Error::from(PipelineError::TooLarge))
}

/// The input of a stage when writing.
#[derive(Clone, Copy, Debug)]
pub(super) struct EncodeInput<'a> {
    pub(super) data: PartsView<'a>,
    pub(super) metadata: PartsView<'a>,
}

/// The input of a stage when reading, untrusted.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecodeInput<'a> {
    pub(super) data: &'a [u8],
    pub(super) metadata: &'a [u8],
}

/// The header of the metadata of compression and encryption: the numbers of metadata and of data
/// parts, u32 each, and an entry for each part, metadata first, which begins with the original
/// length u32.
pub(super) struct PartsHeader<'a> {
    pub(super) metadata_parts: usize,
    pub(super) data_parts: usize,
    /// At the next entry.
    pub(super) entries: Cursor<'a>,
}

impl<'a> PartsHeader<'a> {
    /// Writes the numbers of the parts of an input.
    pub(super) fn write_numbers(input: EncodeInput<'_>, to: &mut Parts) -> Result<()> {
        to.put_u32(u32_of(input.metadata.count())?)?;
        to.put_u32(u32_of(input.data.count())?)
    }

    /// Reads the numbers of parts. `filter` is the name of the filter.
    pub(super) fn read(filter: &'static str, from: &'a [u8], entry_len: usize) -> Result<Self> {
        let mut entries = Cursor::new(filter, from);
        let metadata_parts = entries.u32("number of metadata parts")? as usize;
        let data_parts = entries.u32("number of data parts")? as usize;
        if metadata_parts.saturating_add(data_parts) > entries.left() / entry_len {
            return Err(entries.corrupt("number of parts", "exceeds the number of entries"));
        }
        Ok(Self {
            metadata_parts,
            data_parts,
            entries,
        })
    }

    /// Returns the length of the data according to the entries, which is not verified.
    pub(super) fn data_len(mut self, entry_len: usize) -> Result<usize> {
        let skipped = entry_len * self.metadata_parts;
        self.entries.skip("entries of parts", skipped)?;
        let mut len = 0usize;
        for _ in 0..self.data_parts {
            len = len.saturating_add(self.entries.u32("original length")? as usize);
            self.entries.skip("entry of a part", entry_len - 4)?;
        }
        Ok(len)
    }
}

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
