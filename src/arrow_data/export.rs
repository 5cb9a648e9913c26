//! Results of reads as Arrow arrays, which own their buffers.

use tiledb_engine::buffers::{FieldBuffers, FieldSizes};
use tiledb_engine::schema::Enumeration;

use super::abi::{AlignedBytes, ArrowArray, arrow_error};
use super::types::{CellLayout, ColumnType, Conversion};
use crate::prelude::*;

/// The size of an offset in bytes.
const OFFSET: usize = 8;

/// The number of cells of a batch, and the bytes of the variable-length values of each field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capacity {
    pub(crate) cells: usize,
    pub(crate) value_bytes: usize,
}

/// The buffers of a field that a submit fills.
pub(crate) struct ColumnBuffers<'a> {
    column: &'a ColumnType,
    data: AlignedBytes,
    offsets: AlignedBytes,
    validity: AlignedBytes,
}

impl<'a> ColumnBuffers<'a> {
    pub(crate) fn new(column: &'a ColumnType, capacity: Capacity) -> Result<Self> {
        let data = if column.is_var() {
            capacity.value_bytes
        } else {
            capacity.cells.saturating_mul(column.cell_size())
        };
        let offsets = if column.is_var() && column.is_result {
            OFFSET
        } else if column.is_var() {
            (capacity.cells + 1) * OFFSET
        } else {
            0
        };
        let validity = if column.nullable { capacity.cells } else { 0 };
        Ok(Self {
            column,
            data: AlignedBytes::zeroed(data)?,
            offsets: AlignedBytes::zeroed(offsets)?,
            validity: AlignedBytes::zeroed(validity)?,
        })
    }

    /// Returns the buffers for a submit.
    pub(crate) fn buffers(&mut self) -> FieldBuffers<'_> {
        let column = self.column;
        FieldBuffers {
            offsets: column.is_var().then(|| self.offsets.bytes_mut()),
            validity: column.nullable.then(|| self.validity.bytes_mut()),
            ..FieldBuffers::fixed(&column.name, self.data.bytes_mut())
        }
    }

    /// Returns the number of cells that a submit delivered.
    pub(crate) fn cell_num(&self, sizes: &FieldSizes) -> usize {
        let column = self.column;
        if column.is_result {
            1
        } else if column.is_var() {
            // The additional offset is the end of the last cell.
            (sizes.offsets as usize / OFFSET).saturating_sub(1)
        } else {
            sizes.data as usize / column.cell_size().max(1)
        }
    }

    /// Converts the delivered cells to an Arrow array.
    pub(crate) fn into_array(mut self, sizes: &FieldSizes) -> Result<ArrowArray> {
        let cells = self.cell_num(sizes);
        self.data.truncate(sizes.data as usize);
        self.validity.truncate(cells);
        let column = self.column;
        let mut valid = std::mem::take(&mut self.validity);
        if let Some(enumeration) = &column.enumeration {
            valid = checked_indexes(&mut self.data, column, enumeration, valid, cells)?;
        }
        let null_count = valid.bytes().iter().filter(|byte| **byte == 0).count();
        let bits = if null_count > 0 {
            Some(packed(valid.bytes())?)
        } else {
            None
        };
        let values = |data: AlignedBytes| -> Result<ArrowArray> {
            let number = data.len() / column.datatype.size().max(1);
            let data = converted(data, column.value().1)?;
            Ok(ArrowArray::new(
                number,
                0,
                vec![None, Some(data)],
                Vec::new(),
                None,
            ))
        };
        let (buffers, children) = match column.layout() {
            CellLayout::Single => {
                let data = converted(self.data, column.value().1)?;
                (vec![bits, Some(data)], Vec::new())
            }
            CellLayout::FixedBytes(_) => (vec![bits, Some(self.data)], Vec::new()),
            CellLayout::FixedList(_) => (vec![bits], vec![values(self.data)?]),
            CellLayout::Bytes => {
                let offsets = self.offsets_of(cells)?;
                (vec![bits, Some(offsets), Some(self.data)], Vec::new())
            }
            CellLayout::List => {
                let mut offsets = self.offsets_of(cells)?;
                let size = column.datatype.size().max(1) as u64;
                for offset in offsets.bytes_mut().chunks_exact_mut(OFFSET) {
                    let elements = arg::offset(offset) / size;
                    offset.copy_from_slice(&elements.to_le_bytes());
                }
                (vec![bits, Some(offsets)], vec![values(self.data)?])
            }
        };
        let dictionary = column.enumeration.as_deref().map(dictionary).transpose()?;
        Ok(ArrowArray::new(
            cells, null_count, buffers, children, dictionary,
        ))
    }

    /// Takes the offsets of the cells and the end of the last one.
    fn offsets_of(&mut self, cells: usize) -> Result<AlignedBytes> {
        if self.column.is_result {
            let ends = [0, self.data.len() as u64].map(u64::to_le_bytes);
            return AlignedBytes::of(&ends.concat());
        }
        let mut offsets = std::mem::take(&mut self.offsets);
        offsets.truncate((cells + 1) * OFFSET);
        if cells == 0 {
            return AlignedBytes::zeroed(OFFSET);
        }
        Ok(offsets)
    }
}

/// Returns bytes that are 0 or not as bits.
fn packed(bytes: &[u8]) -> Result<AlignedBytes> {
    let mut bits = AlignedBytes::zeroed(bytes.len().div_ceil(8))?;
    for (to, bytes) in bits.bytes_mut().iter_mut().zip(bytes.chunks(8)) {
        for (bit, byte) in bytes.iter().enumerate() {
            *to |= u8::from(*byte != 0) << bit;
        }
    }
    Ok(bits)
}

fn converted(mut data: AlignedBytes, conversion: Conversion) -> Result<AlignedBytes> {
    const WORD: usize = 8;
    let number = |bytes: &[u8]| arg::offset(bytes) as i64;
    // The least number is "not a time", the fill value of datetimes.
    let scaled = |value: i64, factor: i64| match value {
        i64::MIN => Ok(value),
        _ => value
            .checked_mul(factor)
            .ok_or_else(|| arrow_error(format!("the time {value} is too large for Arrow's unit"))),
    };
    match conversion {
        Conversion::None => Ok(data),
        Conversion::Bits => packed(data.bytes()),
        Conversion::Scale(factor) => {
            for bytes in data.bytes_mut().chunks_exact_mut(WORD) {
                let value = scaled(number(bytes), factor)?;
                bytes.copy_from_slice(&value.to_le_bytes());
            }
            Ok(data)
        }
        Conversion::Narrow(factor) => {
            let mut narrow = AlignedBytes::zeroed(data.len() / 2)?;
            let values = data.bytes().chunks_exact(WORD);
            for (to, bytes) in narrow.bytes_mut().chunks_exact_mut(WORD / 2).zip(values) {
                let value = match scaled(number(bytes), factor)? {
                    i64::MIN => i32::MIN,
                    value => i32::try_from(value).map_err(|_| {
                        arrow_error(format!("the time {value} does not fit into 32 bits"))
                    })?,
                };
                to.copy_from_slice(&value.to_le_bytes());
            }
            Ok(narrow)
        }
    }
}

/// Marks indexes without a value of the enumeration as null, because consumers do not check them.
/// Returns the validity.
fn checked_indexes(
    data: &mut AlignedBytes,
    column: &ColumnType,
    enumeration: &Enumeration,
    mut valid: AlignedBytes,
    cells: usize,
) -> Result<AlignedBytes> {
    let size = column.cell_size().max(1);
    let len = enumeration.len() as u64;
    let is_value = |bytes: &[u8]| {
        let mut wide = [0; 8];
        let number = bytes.len().min(8);
        wide[..number].copy_from_slice(&bytes[..number]);
        // Negative indexes are large numbers.
        u64::from_le_bytes(wide) < len
    };
    let all_valid = valid.len() == 0 && data.bytes().chunks_exact(size).all(is_value);
    if all_valid {
        return Ok(valid);
    }
    if valid.len() == 0 {
        valid = AlignedBytes::zeroed(cells)?;
        valid.bytes_mut().fill(1);
    }
    let indexes = data.bytes_mut().chunks_exact_mut(size);
    for (index, valid) in indexes.zip(valid.bytes_mut()) {
        if !is_value(index) {
            index.fill(0);
            *valid = 0;
        }
    }
    Ok(valid)
}

/// Returns the values of an enumeration.
fn dictionary(enumeration: &Enumeration) -> Result<ArrowArray> {
    let column = ColumnType::of_values(enumeration);
    let mut buffers = ColumnBuffers::new(
        &column,
        Capacity {
            cells: 0,
            value_bytes: 0,
        },
    )?;
    buffers.data = AlignedBytes::of(enumeration.data())?;
    let mut sizes = FieldSizes {
        data: enumeration.data().len() as u64,
        ..FieldSizes::default()
    };
    if column.is_var() {
        let ends = [enumeration.data().len() as u64];
        let offsets = enumeration.offsets().iter().chain(&ends);
        let offsets: Vec<u8> = offsets.flat_map(|offset| offset.to_le_bytes()).collect();
        sizes.offsets = offsets.len() as u64;
        buffers.offsets = AlignedBytes::of(&offsets)?;
    }
    buffers.into_array(&sizes)
}
