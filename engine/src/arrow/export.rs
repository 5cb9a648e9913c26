//! Results of reads as Arrow arrays.

use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{ArrowError, DataType};
use crossbeam::queue::ArrayQueue;

use super::types::{
    CellLayout, Conversion, ReadColumn, arrow_error, cell_type_of, layout_of, value_type,
    values_form,
};
use crate::buffers::{FieldBuffers, FieldForm, FieldSizes, PerBuffer};
use crate::error::{Result, try_vec};
use crate::memory::pool;
use crate::schema::Enumeration;
use crate::types::values_of;

/// The size of an offset in bytes.
const OFFSET: usize = 8;
/// The purpose of memory in errors.
const PURPOSE: &str = "an Arrow buffer";
/// The values that are compared with a limit by one loop without branches.
const COMPARED_AT_ONCE: usize = 4096;

/// Memory of arrays that were dropped, for the next batch of the same read. When the read ends, or
/// has more of it than it can use, other operations may use it.
#[derive(Debug)]
pub(super) struct FreedBuffers(ArrayQueue<Vec<u8>>);

impl Default for FreedBuffers {
    /// Returns an empty queue for one buffer of each batch.
    fn default() -> Self {
        Self(ArrayQueue::new(2))
    }
}

impl Drop for FreedBuffers {
    fn drop(&mut self) {
        while let Some(buffer) = self.0.pop() {
            pool::put_bytes(buffer, usize::MAX);
        }
    }
}

impl FreedBuffers {
    fn put(&self, buffer: Vec<u8>) {
        if let Err(buffer) = self.0.push(buffer) {
            pool::put_bytes(buffer, usize::MAX);
        }
    }

    /// Returns `len` bytes of unspecified content.
    fn take(&self, len: usize) -> Result<Vec<u8>> {
        while let Some(mut buffer) = self.0.pop() {
            if buffer.len() >= len {
                buffer.truncate(len);
                return Ok(buffer);
            }
        }
        let mut buffer = pool::take_bytes(len);
        if buffer.capacity() < len {
            return try_vec(PURPOSE, len);
        }
        buffer.resize(len, 0);
        Ok(buffer)
    }

    /// Returns the first `len` bytes of a buffer as a buffer of an array, whose memory returns to
    /// the queue when the last array with it is dropped.
    fn lend(self: &Arc<Self>, bytes: Vec<u8>, len: usize) -> Buffer {
        let to = self.clone();
        let owned = bytes::Bytes::from_owner(LentBuffer { bytes, to });
        Buffer::from(owned).slice_with_length(0, len)
    }
}

/// Memory of an array.
struct LentBuffer {
    bytes: Vec<u8>,
    to: Arc<FreedBuffers>,
}

impl AsRef<[u8]> for LentBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for LentBuffer {
    fn drop(&mut self) {
        self.to.put(std::mem::take(&mut self.bytes));
    }
}

/// The buffers of a field that submits fill, one after another.
pub(super) struct ColumnBuffers<'a> {
    form: &'a FieldForm,
    /// The Arrow type of the values, and the conversion to it.
    value: (DataType, Conversion),
    freed: PerBuffer<Arc<FreedBuffers>>,
    /// The values of the enumeration.
    labels: Option<ArrayData>,
    /// Whether the field is the result of an aggregate: one value, without an additional offset.
    is_result: bool,
    data: Vec<u8>,
    offsets: Vec<u8>,
    validity: Vec<u8>,
    /// The cells and the bytes of values that were delivered.
    cells: usize,
    filled: usize,
}

impl<'a> ColumnBuffers<'a> {
    /// Allocates buffers for `cells` cells and, if their length varies, `value_bytes` bytes of
    /// values.
    pub(super) fn new(
        column: &'a ReadColumn,
        freed: &PerBuffer<Arc<FreedBuffers>>,
        labels: Option<&ArrayData>,
        cells: usize,
        value_bytes: usize,
    ) -> Result<Self> {
        let mut buffers = Self {
            form: &column.form,
            value: column.value_type(),
            freed: freed.clone(),
            labels: labels.cloned(),
            is_result: column.is_result,
            data: Vec::new(),
            offsets: Vec::new(),
            validity: Vec::new(),
            cells: 0,
            filled: 0,
        };
        let lens = buffers.lens(cells, value_bytes);
        buffers.data = freed.data.take(lens.data)?;
        buffers.offsets = freed.offsets.take(lens.offsets)?;
        buffers.validity = freed.validity.take(lens.validity)?;
        if let Some(first) = buffers.offsets.first_chunk_mut::<OFFSET>() {
            *first = [0; OFFSET];
        }
        Ok(buffers)
    }

    /// Returns the lengths of the buffers.
    fn lens(&self, cells: usize, value_bytes: usize) -> PerBuffer<usize> {
        let form = self.form;
        let (data, offsets) = if form.cells.is_var() {
            let offsets = if self.is_result {
                1
            } else {
                cells.saturating_add(1)
            };
            (value_bytes, offsets.saturating_mul(OFFSET))
        } else {
            (cells.saturating_mul(form.cells.cell_size()), 0)
        };
        PerBuffer {
            data,
            offsets,
            validity: if form.cells.nullable { cells } else { 0 },
        }
    }

    /// Enlarges the buffers for `cells` cells and `value_bytes` bytes of values; keeps the cells.
    pub(super) fn grow(&mut self, cells: usize, value_bytes: usize) -> Result<()> {
        let lens = self.lens(cells, value_bytes);
        for (buffer, len) in [
            (&mut self.data, lens.data),
            (&mut self.offsets, lens.offsets),
            (&mut self.validity, lens.validity),
        ] {
            let more = len.saturating_sub(buffer.len());
            crate::error::reserve_exact(PURPOSE, buffer, more)?;
            buffer.resize(buffer.len() + more, 0);
        }
        Ok(())
    }

    /// Returns the buffers for a submit, after the cells that were delivered.
    pub(super) fn buffers(&mut self) -> FieldBuffers<'_> {
        let form = self.form;
        let offsets = self.offsets.get_mut(self.cells * OFFSET..);
        let validity = self.validity.get_mut(self.cells..);
        FieldBuffers {
            name: &form.name,
            data: self.data.get_mut(self.filled..),
            offsets: offsets.filter(|_| form.cells.is_var()),
            validity: validity.filter(|_| form.cells.nullable),
        }
    }

    /// Returns the number of cells of a submit.
    fn delivered(&self, sizes: &FieldSizes) -> usize {
        if self.is_result {
            1
        } else if self.form.cells.is_var() {
            // The additional offset is the end of the last cell.
            (sizes.offsets as usize / OFFSET).saturating_sub(1)
        } else {
            sizes.data as usize / self.form.cells.cell_size().max(1)
        }
    }

    /// Adds the cells of a submit; returns their number.
    pub(super) fn add(&mut self, sizes: &FieldSizes) -> usize {
        let cells = self.delivered(sizes);
        let values = (self.filled / self.form.cells.datatype.size().max(1)) as u64;
        if self.form.cells.is_var() && values > 0 {
            let added = self
                .offsets
                .get_mut(self.cells * OFFSET..)
                .unwrap_or_default()
                .as_chunks_mut()
                .0;
            for offset in added.iter_mut().take(cells + 1) {
                *offset = (u64::from_le_bytes(*offset).wrapping_add(values)).to_le_bytes();
            }
        }
        self.cells += cells;
        self.filled += sizes.data as usize;
        cells
    }

    /// Returns the name of the field.
    pub(super) fn name(&self) -> &str {
        &self.form.name
    }

    /// Returns the number of cells that were delivered.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// Converts the delivered cells to an Arrow array.
    pub(super) fn into_array(mut self) -> Result<ArrayData> {
        let (form, cells) = (self.form, self.cells);
        let mut nulls = if form.cells.nullable {
            valid_bits(&self.validity, cells)
        } else {
            None
        };
        self.freed.validity.put(std::mem::take(&mut self.validity));
        self.filled = self.filled.min(self.data.len());
        if let Some(enumeration) = &form.enumeration {
            let indexes = &mut self.data[..self.filled];
            nulls = checked_indexes(indexes, form, enumeration, nulls, cells);
        }
        if self.is_result && form.cells.is_var() {
            let values = self.filled / form.cells.datatype.size().max(1);
            self.offsets = [0, values as u64].map(u64::to_le_bytes).concat();
        }
        let data = self.freed.data.lend(self.data, self.filled);
        let ends = (cells + 1) * OFFSET;
        let offsets = form
            .cells
            .is_var()
            .then(|| self.freed.offsets.lend(self.offsets, ends));
        let indexes = array_of(form, self.value, cells, data, offsets, nulls)?;
        let Some(labels) = self.labels else {
            return Ok(indexes);
        };
        let keys = indexes.data_type().clone();
        let kind = DataType::Dictionary(keys.into(), labels.data_type().clone().into());
        let builder = indexes.into_builder().data_type(kind);
        let built = builder.add_child_data(labels).build();
        built.map_err(|error| failed(form, &error))
    }
}

/// Returns bits from bytes that are 0 or not; `None` if no byte is 0.
fn valid_bits(bytes: &[u8], cells: usize) -> Option<NullBuffer> {
    let bytes = bytes.get(..cells).unwrap_or(bytes);
    let all_valid = bytes
        .chunks(COMPARED_AT_ONCE)
        .all(|block| block.iter().fold(u8::MAX, |least, byte| least.min(*byte)) > 0);
    (!all_valid).then(|| NullBuffer::new(bits(bytes)))
}

fn bits(bytes: &[u8]) -> BooleanBuffer {
    const LOW: u64 = u64::from_le_bytes([0x7F; 8]);
    // The product moves the lowest bit of byte `i` to bit `56 + i`.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (groups, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let last = (!rest.is_empty()).then_some(last);
    let bits: Vec<u8> = groups
        .iter()
        .copied()
        .chain(last)
        .map(|group| {
            let group = u64::from_le_bytes(group);
            let not_zero = (((group & LOW) + LOW) | group) & !LOW;
            ((not_zero >> 7).wrapping_mul(GATHER) >> 56) as u8
        })
        .collect();
    BooleanBuffer::new(Buffer::from_vec(bits), 0, bytes.len())
}

fn failed(form: &FieldForm, error: &ArrowError) -> crate::error::Error {
    let problem = match error {
        ArrowError::InvalidArgumentError(problem) => problem.clone(),
        other => other.to_string(),
    };
    arrow_error(format!(
        "the field '{}' has no Arrow array: {problem}",
        form.name
    ))
}

/// Returns an array of cells. The offsets count values and have one more for the end.
fn array_of(
    form: &FieldForm,
    (kind, conversion): (DataType, Conversion),
    cells: usize,
    data: Buffer,
    offsets: Option<Buffer>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayData> {
    let build = |builder: ArrayDataBuilder| {
        let built = builder.align_buffers(true).build();
        built.map_err(|error| failed(form, &error))
    };
    let items = |data: Buffer| {
        let number = data.len() / form.cells.datatype.size().max(1);
        let data = converted(form, data, conversion, None)?;
        build(
            ArrayData::builder(kind.clone())
                .len(number)
                .add_buffer(data),
        )
    };
    let layout = layout_of(form)?;
    let (data, offsets) = match (layout, offsets) {
        (CellLayout::WideText(unit), Some(offsets)) => {
            let (data, offsets) = narrow_texts(form, unit, &data, &offsets)?;
            (data, Some(offsets))
        }
        (_, offsets) => (data, offsets),
    };
    let builder = ArrayData::builder(cell_type_of(form, kind.clone())?).len(cells);
    let builder = match layout {
        CellLayout::Single => {
            builder.add_buffer(converted(form, data, conversion, nulls.as_ref())?)
        }
        CellLayout::FixedBytes(_) => builder.add_buffer(data),
        CellLayout::FixedList(_) => builder.add_child_data(items(data)?),
        CellLayout::List => builder.add_buffers(offsets).add_child_data(items(data)?),
        CellLayout::Bytes | CellLayout::Text | CellLayout::WideText(_) => {
            builder.add_buffers(offsets).add_buffer(data)
        }
    };
    build(builder.nulls(nulls))
}

/// Returns the values of the enumeration of a field, if it has one.
pub(super) fn labels_of(form: &FieldForm) -> Result<Option<ArrayData>> {
    let (Some(enumeration), Some(form)) = (&form.enumeration, values_form(form)) else {
        return Ok(None);
    };
    let size = form.cells.datatype.size().max(1) as u64;
    let offsets = enumeration.is_var().then(|| {
        let ends = [enumeration.data().len() as u64];
        let offsets: Vec<u64> = enumeration
            .offsets()
            .iter()
            .chain(&ends)
            .map(|offset| offset / size)
            .collect();
        Buffer::from_vec(offsets)
    });
    let data = Buffer::from(enumeration.data());
    let value = value_type(form.cells.datatype);
    array_of(&form, value, enumeration.len(), data, offsets, None).map(Some)
}

/// Returns values as Arrow has them. Null values may have any content.
fn converted(
    form: &FieldForm,
    data: Buffer,
    conversion: Conversion,
    nulls: Option<&NullBuffer>,
) -> Result<Buffer> {
    let numbers = || data.as_chunks().0.iter().copied().map(i64::from_le_bytes);
    let all_between = |low: i64, high: i64| {
        let block = |block: &[[u8; 8]]| {
            let bounds = block
                .iter()
                .copied()
                .map(i64::from_le_bytes)
                .fold((low, high), |(least, greatest), number| {
                    (least.min(number), greatest.max(number))
                });
            bounds == (low, high)
        };
        data.as_chunks().0.chunks(COMPARED_AT_ONCE).all(block)
    };
    let is_null = |index: usize| nulls.is_some_and(|nulls| nulls.is_null(index));
    let too_large = |value: i64, unit: &str| {
        arrow_error(format!(
            "the time {value} of the field '{}' {unit}",
            form.name
        ))
    };
    // The least number is "not a time", the fill value of datetimes.
    let scaled = |(index, value): (usize, i64), factor: i64| match value {
        i64::MIN => Ok(value),
        _ => match value.checked_mul(factor) {
            Some(value) => Ok(value),
            None if is_null(index) => Ok(0),
            None => Err(too_large(value, "is too large for Arrow's unit")),
        },
    };
    match conversion {
        Conversion::None => Ok(data),
        Conversion::Bits => Ok(bits(&data).into_inner()),
        Conversion::Scale(factor) if all_between((i64::MIN + 1) / factor, i64::MAX / factor) => {
            let values: Vec<i64> = numbers().map(|value| value * factor).collect();
            Ok(Buffer::from_vec(values))
        }
        Conversion::Narrow(factor)
            if all_between(
                i64::from(i32::MIN + 1) / factor,
                i64::from(i32::MAX) / factor,
            ) =>
        {
            let values: Vec<i32> = numbers().map(|value| (value * factor) as i32).collect();
            Ok(Buffer::from_vec(values))
        }
        Conversion::Scale(factor) => Ok(Buffer::from_vec(
            numbers()
                .enumerate()
                .map(|value| scaled(value, factor))
                .collect::<Result<Vec<i64>>>()?,
        )),
        Conversion::Narrow(factor) => {
            let values =
                numbers()
                    .enumerate()
                    .map(|(index, value)| match scaled((index, value), factor)? {
                        i64::MIN => Ok(i32::MIN),
                        wide => match i32::try_from(wide) {
                            Ok(narrow) if narrow != i32::MIN => Ok(narrow),
                            _ if is_null(index) => Ok(0),
                            _ => Err(too_large(value, "does not fit into 32 bits")),
                        },
                    });
            Ok(Buffer::from_vec(values.collect::<Result<Vec<i32>>>()?))
        }
    }
}

/// Converts texts in UTF-16 or UTF-32 to UTF-8; the offsets count characters' units.
fn narrow_texts(
    form: &FieldForm,
    unit: usize,
    data: &[u8],
    offsets: &[u8],
) -> Result<(Buffer, Buffer)> {
    let invalid = |cell: usize| {
        let (name, datatype) = (&form.name, form.cells.datatype.name());
        arrow_error(format!(
            "cell {cell} of the field '{name}' is not valid text of {datatype}"
        ))
    };
    let ends: Vec<usize> = values_of::<u64>(offsets)
        .map(|end| (end as usize).saturating_mul(unit))
        .collect();
    let (mut texts, mut starts) = (String::new(), Vec::with_capacity(ends.len()));
    starts.push(0_i64);
    for (cell, range) in ends.windows(2).enumerate() {
        let bytes = data.get(range[0]..range[1]).ok_or_else(|| invalid(cell))?;
        if unit == 2 {
            for character in char::decode_utf16(values_of::<u16>(bytes)) {
                texts.push(character.map_err(|_| invalid(cell))?);
            }
        } else {
            for code in values_of::<u32>(bytes) {
                texts.push(char::from_u32(code).ok_or_else(|| invalid(cell))?);
            }
        }
        starts.push(texts.len() as i64);
    }
    Ok((
        Buffer::from_vec(texts.into_bytes()),
        Buffer::from_vec(starts),
    ))
}

/// Makes indexes without a value of the enumeration null, because consumers do not check them.
fn checked_indexes(
    indexes: &mut [u8],
    form: &FieldForm,
    enumeration: &Enumeration,
    nulls: Option<NullBuffer>,
    cells: usize,
) -> Option<NullBuffer> {
    let size = form.cells.cell_size().max(1);
    let len = enumeration.len() as u64;
    let all_are_values = match size {
        1 => all_below(indexes, len, u8::from_le_bytes),
        2 => all_below(indexes, len, u16::from_le_bytes),
        4 => all_below(indexes, len, u32::from_le_bytes),
        8 => all_below(indexes, len, u64::from_le_bytes),
        // No integer has another size.
        _ => false,
    };
    if all_are_values {
        return nulls;
    }
    let is_value = |bytes: &[u8]| {
        let mut wide = [0; 8];
        let number = bytes.len().min(8);
        wide[..number].copy_from_slice(&bytes[..number]);
        // Negative indexes are large numbers.
        u64::from_le_bytes(wide) < len
    };
    let mut valid: Vec<bool> = match &nulls {
        Some(nulls) => nulls.iter().collect(),
        None => vec![true; cells],
    };
    for (index, valid) in indexes.chunks_exact_mut(size).zip(&mut valid) {
        if !is_value(index) {
            index.fill(0);
            *valid = false;
        }
    }
    Some(NullBuffer::from(valid))
}

/// Returns whether all numbers of `N` bytes are less than a limit. Negative ones are large.
/// Integers of their own size have more lanes in a vector than wide ones.
fn all_below<const N: usize, T: Copy + Default + Ord + Into<u64>>(
    bytes: &[u8],
    limit: u64,
    number: impl Fn([u8; N]) -> T,
) -> bool {
    let (numbers, _) = bytes.as_chunks();
    numbers.chunks(COMPARED_AT_ONCE).all(|block| {
        let numbers = block.iter().map(|bytes| number(*bytes));
        numbers.fold(T::default(), T::max).into() < limit
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_those_of_bytes_that_are_not_zero(
            bytes in proptest::collection::vec(prop_oneof![Just(0), any::<u8>()], 0..70),
        ) {
            let expected: Vec<bool> = bytes.iter().map(|byte| *byte != 0).collect();
            let found: Vec<bool> = bits(&bytes).iter().collect();
            prop_assert_eq!(&found, &expected);
            let nulls = valid_bits(&bytes, bytes.len());
            prop_assert_eq!(nulls.is_none(), expected.iter().all(|is_valid| *is_valid));
        }

        #[test]
        fn limits_of_numbers_are_those_of_each_number(
            numbers in proptest::collection::vec(any::<u16>(), 0..40),
            limit in 0..=1_u64 << 16,
        ) {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            let expected = numbers.iter().all(|number| u64::from(*number) < limit);
            prop_assert_eq!(all_below(&bytes, limit, u16::from_le_bytes), expected);
        }
    }
}
