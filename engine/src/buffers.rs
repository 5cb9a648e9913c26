//! The caller's buffers as slices, valid during one submit, and the formats of offsets.

use std::sync::Arc;

use crate::config::Config;
use crate::error::{Component, ConfigError, Result};
use crate::schema::{ArraySchema, Enumeration, Field};
use crate::types::CellType;

/// The description of a field.
#[derive(Clone, Debug)]
pub struct FieldForm {
    /// The name.
    pub name: String,
    /// The type of the cells, which are indexes if there is an enumeration.
    pub cells: CellType,
    /// The enumeration whose values the cells refer to.
    pub enumeration: Option<Arc<Enumeration>>,
}

impl FieldForm {
    /// Returns the description of a dimension, an attribute or a dimension label of a schema;
    /// `None` if it has no such field. `enumeration` returns the enumeration with a name.
    pub fn of(
        schema: &ArraySchema,
        name: &str,
        enumeration: impl Fn(&str) -> Result<Arc<Enumeration>>,
    ) -> Result<Option<Self>> {
        if let Some(label) = schema.label(name) {
            return Ok(Some(Self {
                name: name.to_owned(),
                cells: label.cell_type(),
                enumeration: None,
            }));
        }
        let Some(field) = schema.field(name) else {
            return Ok(None);
        };
        let enumerated = match &field {
            Field::Attribute(_, attribute) => attribute.enumeration.as_deref(),
            _ => None,
        };
        Ok(Some(Self {
            name: name.to_owned(),
            cells: field.cell_type(),
            enumeration: enumerated.map(enumeration).transpose()?,
        }))
    }
}

/// The buffers of one field that a read fills. Variable-length fields have offsets, nullable fields
/// have validity.
#[derive(Debug)]
pub struct FieldBuffers<'a> {
    /// The field.
    pub name: &'a str,
    /// The values.
    pub data: Option<&'a mut [u8]>,
    /// The starts of the cells of a variable-length field.
    pub offsets: Option<&'a mut [u8]>,
    /// One byte per cell, 0 for null.
    pub validity: Option<&'a mut [u8]>,
}

impl<'a> FieldBuffers<'a> {
    /// Returns the buffer of a fixed-size field.
    pub fn fixed(name: &'a str, data: &'a mut [u8]) -> Self {
        Self {
            name,
            data: Some(data),
            offsets: None,
            validity: None,
        }
    }

    /// Returns the buffers of the fields whose item in `excluded` is false.
    pub(crate) fn reborrow_except<'b>(
        buffers: &'b mut [FieldBuffers<'_>],
        excluded: &[bool],
    ) -> Vec<FieldBuffers<'b>> {
        buffers
            .iter_mut()
            .zip(excluded)
            .filter(|(_, is_excluded)| !**is_excluded)
            .map(|(field, _)| field.reborrow())
            .collect()
    }

    /// Returns the buffers with a shorter lifetime.
    pub fn reborrow(&mut self) -> FieldBuffers<'_> {
        FieldBuffers {
            name: self.name,
            data: self.data.as_deref_mut(),
            offsets: self.offsets.as_deref_mut(),
            validity: self.validity.as_deref_mut(),
        }
    }

    /// Returns the kinds of buffers that are set.
    pub(crate) fn given(&self) -> PerBuffer<bool> {
        PerBuffer {
            data: self.data.is_some(),
            offsets: self.offsets.is_some(),
            validity: self.validity.is_some(),
        }
    }

    /// Returns the sizes of the buffers.
    pub(crate) fn sizes(&self) -> FieldSizes {
        let len =
            |buffer: &Option<&mut [u8]>| buffer.as_ref().map_or(0, |bytes| bytes.len() as u64);
        FieldSizes {
            data: len(&self.data),
            offsets: len(&self.offsets),
            validity: len(&self.validity),
        }
    }
}

/// The buffers of one field of a write.
#[derive(Clone, Copy, Debug)]
pub struct FieldCells<'a> {
    /// The field.
    pub name: &'a str,
    /// The values.
    pub data: Option<&'a [u8]>,
    /// The starts of the cells of a variable-length field.
    pub offsets: Option<&'a [u8]>,
    /// One byte per cell, 0 for null.
    pub validity: Option<&'a [u8]>,
}

impl<'a> FieldCells<'a> {
    /// Returns the cells of a fixed-size field.
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
    /// Returns the kinds of buffers that are set.
    pub(crate) fn given(&self) -> PerBuffer<bool> {
        PerBuffer {
            data: self.data.is_some(),
            offsets: self.offsets.is_some(),
            validity: self.validity.is_some(),
        }
    }
}

/// Something for each buffer of a field, such as its size or its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerBuffer<T> {
    /// For the values.
    pub data: T,
    /// For the offsets.
    pub offsets: T,
    /// For the validity.
    pub validity: T,
}

/// The sizes of the buffers of a field in bytes: their capacity, or the number of bytes that a
/// submit wrote to or read from them.
pub type FieldSizes = PerBuffer<u64>;

/// The sizes of the buffers of a field that a number of cells needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NeededSizes {
    /// The sizes in bytes.
    pub sizes: FieldSizes,
    /// The number of cells.
    pub cells: u64,
    /// Whether these are the sizes of exactly these cells; otherwise they are upper bounds.
    pub is_exact: bool,
}

/// The format of offsets in the caller's buffers, from `sm.var_offsets.*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetsForm {
    /// The size of an offset in bytes: 4 or 8.
    pub width: usize,
    /// Whether offsets count values instead of bytes.
    pub elements: bool,
    /// Whether an additional offset marks the end of the last cell.
    pub extra: bool,
}

impl OffsetsForm {
    /// Starts of cells in bytes, each of 8 bytes.
    pub const STARTS: Self = Self {
        width: 8,
        elements: false,
        extra: false,
    };

    /// Returns the format that a configuration selects. Errors name the component.
    pub fn from_config(config: &Config, component: Component) -> Result<Self> {
        let mode = config.get("sm.var_offsets.mode").unwrap_or_default();
        let bits = config.u64("sm.var_offsets.bitsize")?;
        if bits != 32 && bits != 64 {
            return Err(ConfigError::BadOffsetsBits { component, bits }.into());
        }
        if mode != "bytes" && mode != "elements" {
            let mode = mode.to_owned();
            return Err(ConfigError::BadOffsetsMode { component, mode }.into());
        }
        Ok(Self {
            width: (bits / 8) as usize,
            elements: mode == "elements",
            extra: config.flag("sm.var_offsets.extra_element")?,
        })
    }

    /// Returns the number of cells whose offsets fit into `len` bytes.
    pub fn capacity(&self, len: u64) -> u64 {
        (len / self.width as u64).saturating_sub(u64::from(self.extra))
    }

    /// Returns the size of the offsets of `cells` cells in bytes.
    pub fn size(&self, cells: u64) -> u64 {
        let offsets = cells.saturating_add(u64::from(self.extra));
        offsets.saturating_mul(self.width as u64)
    }

    /// Returns the largest size of values that an offset can represent.
    pub fn reach(&self, value_size: usize) -> u64 {
        match (self.width, self.elements) {
            (4, true) => u64::from(u32::MAX).saturating_mul(value_size as u64),
            (4, false) => u64::from(u32::MAX),
            _ => u64::MAX,
        }
    }

    /// Writes the offset of a cell, given in bytes of values, to a buffer.
    pub fn put(&self, buffer: &mut [u8], cell: usize, bytes: u64, value_size: usize) {
        let offset = if self.elements {
            bytes / value_size as u64
        } else {
            bytes
        };
        let to = &mut buffer[cell * self.width..(cell + 1) * self.width];
        to.copy_from_slice(&offset.to_le_bytes()[..self.width]);
    }

    /// Writes consecutive offsets, given in bytes of values, to the start of a buffer.
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

    /// Returns the first `number` offsets of a buffer in bytes of values.
    pub fn get_all(&self, buffer: &[u8], number: usize, value_size: usize, to: &mut Vec<u64>) {
        if self.width != 8 || self.elements {
            return to.extend((0..number).map(|cell| self.get(buffer, cell, value_size)));
        }
        to.extend(
            buffer
                .as_chunks()
                .0
                .iter()
                .take(number)
                .copied()
                .map(u64::from_le_bytes),
        );
    }

    /// Returns the offset of a cell in a buffer in bytes of values.
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
