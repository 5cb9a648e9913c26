//! The header of a generic tile: a self-describing tile.
//!
//! ```text
//! version           u32, the format version in which it was written
//! stored size       u64, the number of bytes after the header
//! size              u64, unfiltered
//! datatype          u8
//! cell size         u64, in bytes
//! encryption        u8
//! filters' length   u32, then the filter list
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::version::FormatVersion;
use crate::types::Datatype;

/// The size in bytes of the fields before the filter list.
pub const FIXED_LEN: usize = 34;

/// The header of a generic tile.
#[derive(Clone, Debug, PartialEq)]
pub struct GenericTileHeader<'a> {
    /// The format version in which it was written.
    pub version: FormatVersion,
    /// The number of bytes after the header.
    pub stored_size: u64,
    /// The unfiltered size in bytes.
    pub size: u64,
    /// The datatype of its cells.
    pub datatype: Datatype,
    /// The size of a cell in bytes.
    pub cell_size: u64,
    /// The code of the encryption.
    pub encryption: u8,
    /// The stored filter list.
    pub filters: &'a [u8],
}

impl<'a> GenericTileHeader<'a> {
    /// Reads a header.
    pub fn read(from: &mut Cursor<'a>) -> Result<Self> {
        let version = FormatVersion(from.u32("version")?);
        let stored_size = from.u64("stored size")?;
        let size = from.u64("size")?;
        let start = from.clone();
        let code = from.u8("datatype")?;
        let Some(datatype) = Datatype::from_code(u32::from(code)) else {
            return Err(start.corrupt("datatype", format!("has the unknown code {code}")));
        };
        let cell_size = from.u64("cell size")?;
        let encryption = from.u8("encryption")?;
        let filters_len = u64::from(from.u32("filters' length")?);
        Ok(Self {
            version,
            stored_size,
            size,
            datatype,
            cell_size,
            encryption,
            filters: from.take_u64("filters", filters_len)?,
        })
    }

    /// Writes a header.
    pub fn write(&self, to: &mut Sink) {
        to.u32(self.version.0);
        to.u64(self.stored_size);
        to.u64(self.size);
        to.u8(self.datatype.code());
        to.u64(self.cell_size);
        to.u8(self.encryption);
        to.u32(u32::try_from(self.filters.len()).unwrap_or(u32::MAX));
        to.put(self.filters);
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    fn sample() -> GenericTileHeader<'static> {
        GenericTileHeader {
            version: FormatVersion::WRITTEN,
            stored_size: 60,
            size: 1000,
            datatype: Datatype::Char,
            cell_size: 1,
            encryption: 0,
            filters: &[0, 0, 1, 0, 0, 0, 0, 0],
        }
    }

    fn bytes() -> Vec<u8> {
        let mut to = Sink::new();
        sample().write(&mut to);
        to.into_bytes()
    }

    #[test]
    fn headers_round_trip() {
        let bytes = bytes();
        let mut from = Cursor::new("generic tile", &bytes);
        assert_eq!(
            GenericTileHeader::read(&mut from).expect("header"),
            sample()
        );
        assert_eq!(from.position(), FIXED_LEN + 8);
    }

    #[test]
    fn a_truncated_header_is_a_located_error() {
        let whole = bytes();
        for cut in 0..whole.len() {
            let read = GenericTileHeader::read(&mut Cursor::new("generic tile", &whole[..cut]));
            assert!(
                read.is_err_and(|error| error.is_corrupt_by(cut)),
                "cut at {cut}"
            );
        }
    }
}
