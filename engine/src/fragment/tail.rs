//! The end of a fragment's metadata file, which one read loads with the footer.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::format::fragment::FooterLocation;
use crate::format::names::FragmentName;
use crate::memory::tuning::{METADATA_TAIL_BYTES, REMOTE_METADATA_TAIL_BYTES};
use crate::schema::ArraySchema;
use crate::vfs::{Uri, Vfs};

/// The end of a metadata file that was read when the fragment was opened.
#[derive(Debug)]
pub(super) struct Tail {
    /// The size of the file.
    pub(super) file_size: u64,
    /// Its position in the file.
    pub(super) offset: u64,
    pub(super) bytes: Arc<Vec<u8>>,
    /// The footer in `bytes`.
    pub(super) footer: Range<usize>,
}

impl Tail {
    /// Returns the bytes from a position in the file to the footer, if there are any.
    pub(super) fn bytes_from(&self, offset: u64) -> Option<&[u8]> {
        let start = usize::try_from(offset.checked_sub(self.offset)?).ok()?;
        let bytes = self.bytes.get(start..self.footer.start);
        bytes.filter(|bytes| !bytes.is_empty())
    }

    /// Returns the bytes of the footer.
    pub(super) fn footer_bytes(&self) -> &[u8] {
        self.bytes.get(self.footer.clone()).unwrap_or_default()
    }
}

/// Reads the end of a metadata file and locates the footer in it. `schema` is given for fragments
/// whose footer does not name one. `read_end` reads the last bytes of the file, at most as many as
/// its argument, and returns the size of the file with them; it is called with `most` first.
pub(super) fn read_tail(
    name: &FragmentName,
    schema: Option<&ArraySchema>,
    most: u64,
    read_end: impl Fn(u64) -> Result<(Vec<u8>, u64)>,
) -> Result<Tail> {
    let (mut bytes, size) = read_end(most)?;
    let location = FooterLocation::find(name.version(), schema, &bytes)?;
    if location.from_end > bytes.len() as u64 {
        if location.from_end > size {
            let problem = format!("is {}, the file has {size} bytes", location.from_end);
            return Err(Error::corrupt(
                "fragment footer",
                "footer length",
                size,
                problem,
            ));
        }
        (bytes, _) = read_end(location.from_end)?;
    }
    let start = bytes.len().saturating_sub(location.from_end as usize);
    let end = start.saturating_add(location.len as usize);
    Ok(Tail {
        file_size: size,
        offset: size.saturating_sub(bytes.len() as u64),
        bytes: Arc::new(bytes),
        footer: start..end,
    })
}

/// Returns the number of bytes to read first from the end of a metadata file.
pub(super) fn first_tail_bytes(vfs: &Vfs, uri: &Uri) -> u64 {
    if vfs.is_object_store(uri) {
        REMOTE_METADATA_TAIL_BYTES
    } else {
        METADATA_TAIL_BYTES
    }
}
