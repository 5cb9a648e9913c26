//! The caller's buffers, as slices for the time of one submit, and the forms that offsets take in them.

use crate::config::Config;
use crate::error::{Error, Result};

/// The origin of errors about queries. Programs compare it.
pub(crate) const QUERY: &str = "[TileDB::Query] Error";

/// The buffers of one field that a read fills. Which are there depends on the field: offsets for variable-length ones,
/// validity for nullable ones.
#[derive(Debug)]
pub struct FieldBuffers<'a> {
    /// The field.
    pub name: &'a str,
    /// The values.
    pub data: Option<&'a mut [u8]>,
    /// Where the cells of a variable-length field start.
    pub offsets: Option<&'a mut [u8]>,
    /// A byte per cell, 0 for null.
    pub validity: Option<&'a mut [u8]>,
}

impl<'a> FieldBuffers<'a> {
    /// The buffer of a field of fixed size.
    pub fn fixed(name: &'a str, data: &'a mut [u8]) -> Self {
        Self {
            name,
            data: Some(data),
            offsets: None,
            validity: None,
        }
    }

    /// The same buffers, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> FieldBuffers<'_> {
        FieldBuffers {
            name: self.name,
            data: self.data.as_deref_mut(),
            offsets: self.offsets.as_deref_mut(),
            validity: self.validity.as_deref_mut(),
        }
    }

    /// Which buffers there are.
    pub(crate) fn given(&self) -> Given {
        Given {
            data: self.data.is_some(),
            offsets: self.offsets.is_some(),
            validity: self.validity.is_some(),
        }
    }

    /// The sizes of the buffers themselves.
    pub(crate) fn sizes(&self) -> FieldSizes {
        let len = |buffer: &Option<&mut [u8]>| buffer.as_ref().map_or(0, |room| room.len() as u64);
        FieldSizes {
            data: len(&self.data),
            offsets: len(&self.offsets),
            validity: len(&self.validity),
        }
    }
}

/// The buffers of one field that a write takes its cells from.
#[derive(Clone, Copy, Debug)]
pub struct FieldCells<'a> {
    /// The field.
    pub name: &'a str,
    /// The values.
    pub data: Option<&'a [u8]>,
    /// Where the cells of a variable-length field start.
    pub offsets: Option<&'a [u8]>,
    /// A byte per cell, 0 for null.
    pub validity: Option<&'a [u8]>,
}

impl<'a> FieldCells<'a> {
    /// The cells of a field of fixed size.
    pub fn fixed(name: &'a str, data: &'a [u8]) -> Self {
        Self {
            name,
            data: Some(data),
            offsets: None,
            validity: None,
        }
    }
}

impl FieldCells<'_> {
    /// Which buffers there are.
    pub(crate) fn given(&self) -> Given {
        Given {
            data: self.data.is_some(),
            offsets: self.offsets.is_some(),
            validity: self.validity.is_some(),
        }
    }
}

/// Which buffers of a field there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(crate) data: bool,
    pub(crate) offsets: bool,
    pub(crate) validity: bool,
}

/// How many bytes a submit put into the buffers of a field, or took from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldSizes {
    /// Of the values.
    pub data: u64,
    /// Of the offsets.
    pub offsets: u64,
    /// Of the validity vector.
    pub validity: u64,
}

/// The form of offsets in the caller's buffers, by `sm.var_offsets.*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetsForm {
    /// The bytes of an offset: 4 or 8.
    pub width: usize,
    /// Whether offsets count values, not bytes.
    pub elements: bool,
    /// Whether an offset one past the last cell closes them.
    pub extra: bool,
}

impl OffsetsForm {
    /// The form that a configuration asks for. `origin` and `who` begin the error: whoever works with these offsets.
    pub fn from_config(config: &Config, origin: &'static str, who: &str) -> Result<Self> {
        let mode = config.get("sm.var_offsets.mode").unwrap_or_default();
        let bits = config.u64("sm.var_offsets.bitsize")?;
        let unsupported = |what: &str| {
            let message =
                format!("Cannot initialize {who}; Unsupported offsets {what} in configuration");
            Err(Error::usage(origin, message))
        };
        if bits != 32 && bits != 64 {
            return unsupported("bitsize");
        }
        if mode != "bytes" && mode != "elements" {
            return unsupported("format");
        }
        Ok(Self {
            width: (bits / 8) as usize,
            elements: mode == "elements",
            extra: config.flag("sm.var_offsets.extra_element")?,
        })
    }

    /// How many cells a buffer of offsets of `len` bytes has room for.
    pub fn capacity(&self, len: u64) -> u64 {
        (len / self.width as u64).saturating_sub(u64::from(self.extra))
    }

    /// The bytes of the offsets of `cells` cells.
    pub fn size(&self, cells: u64) -> u64 {
        (cells + u64::from(self.extra)) * self.width as u64
    }

    /// The largest number of bytes of values that an offset can reach.
    pub fn reach(&self, value_size: usize) -> u64 {
        match (self.width, self.elements) {
            (4, true) => u64::from(u32::MAX).saturating_mul(value_size as u64),
            (4, false) => u64::from(u32::MAX),
            _ => u64::MAX,
        }
    }

    /// Puts an offset, in bytes of values, at place `cell` of a buffer.
    pub fn put(&self, buffer: &mut [u8], cell: usize, bytes: u64, value_size: usize) {
        let offset = if self.elements {
            bytes / value_size as u64
        } else {
            bytes
        };
        let to = &mut buffer[cell * self.width..(cell + 1) * self.width];
        to.copy_from_slice(&offset.to_le_bytes()[..self.width]);
    }

    /// Puts offsets, in bytes of values, side by side from the start of a buffer on.
    pub fn put_all(
        &self,
        buffer: &mut [u8],
        offsets: impl Iterator<Item = u64>,
        value_size: usize,
    ) {
        let scale = if self.elements { value_size as u64 } else { 1 };
        match (self.width, scale) {
            (8, 1) => {
                for (to, offset) in buffer.chunks_exact_mut(8).zip(offsets) {
                    to.copy_from_slice(&offset.to_le_bytes());
                }
            }
            (width, _) => {
                for (to, offset) in buffer.chunks_exact_mut(width).zip(offsets) {
                    to.copy_from_slice(&(offset / scale).to_le_bytes()[..width]);
                }
            }
        }
    }

    /// The first `number` offsets of a buffer, in bytes of values.
    pub fn get_all(&self, buffer: &[u8], number: usize, value_size: usize, to: &mut Vec<u64>) {
        if self.width != 8 || self.elements {
            return to.extend((0..number).map(|cell| self.get(buffer, cell, value_size)));
        }
        let offsets = buffer.as_chunks().0.iter().take(number);
        to.extend(offsets.copied().map(u64::from_le_bytes));
    }

    /// The offset at place `cell` of a buffer, in bytes of values.
    pub fn get(&self, buffer: &[u8], cell: usize, value_size: usize) -> u64 {
        let mut offset = [0; 8];
        offset[..self.width].copy_from_slice(&buffer[cell * self.width..(cell + 1) * self.width]);
        let offset = u64::from_le_bytes(offset);
        if self.elements {
            offset.saturating_mul(value_size as u64)
        } else {
            offset
        }
    }
}
