//! The end of a fragment's metadata file, which one read loads with the footer.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::format::fragment::FooterLocation;
use crate::format::names::FragmentName;
use crate::memory::tuning::{METADATA_TAIL_BYTES, REMOTE_METADATA_TAIL_BYTES};
use crate::schema::ArraySchema;
use crate::vfs::{Uri, Vfs};

/// The end of a metadata file that was read when the fragment was opened.
#[derive(Debug)]
pub(super) struct Tail {
    /// Its position in the file.
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
    /// The footer in `bytes`; empty if it was not kept.
    pub(super) footer: Range<usize>,
}

impl Tail {
    /// Returns the bytes from a position in the file on, if there are any.
    pub(super) fn from(&self, offset: u64) -> Option<&[u8]> {
        let start = usize::try_from(offset.checked_sub(self.offset)?).ok()?;
        self.bytes.get(start..).filter(|bytes| !bytes.is_empty())
    }
}

/// Reads the end of a metadata file and locates the footer in it. `schema` is given for fragments
/// whose footer does not name one.
pub(super) fn read_tail(
    vfs: &Vfs,
    file_uri: &Uri,
    name: &FragmentName,
    schema: Option<&ArraySchema>,
) -> Result<(Tail, Range<usize>)> {
    let file = vfs.open(file_uri)?;
    let read = |from_end: u64| -> Result<Tail> {
        let (bytes, size) = file.read_tail(from_end)?;
        let offset = size.saturating_sub(bytes.len() as u64);
        Ok(Tail {
            offset,
            bytes,
            footer: 0..0,
        })
    };
    let mut tail = read(if vfs.is_object_store(file_uri) {
        REMOTE_METADATA_TAIL_BYTES
    } else {
        METADATA_TAIL_BYTES
    })?;
    let location = FooterLocation::find(name.version(), schema, &tail.bytes)?;
    if location.from_end > tail.bytes.len() as u64 {
        let size = tail.offset + tail.bytes.len() as u64;
        if location.from_end > size {
            let problem = format!("is {}, the file has {size} bytes", location.from_end);
            return Err(Error::corrupt(
                "fragment footer",
                "footer length",
                size,
                problem,
            ));
        }
        tail = read(location.from_end)?;
    }
    let start = tail.bytes.len().saturating_sub(location.from_end as usize);
    let end = start.saturating_add(location.len as usize);
    Ok((tail, start..end))
}
