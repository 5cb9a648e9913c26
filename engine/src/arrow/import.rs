//! Arrow arrays as the cells of a write.

use std::collections::HashSet;
use std::ops::Range;

use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::types::{
    CellLayout, Conversion, are_equal, arrow_error, cell_type, layout_of, value_type, values_form,
};
use crate::buffers::{FieldForm, OffsetsForm};
use crate::error::{Error, Result, try_vec};
use crate::schema::{Enumeration, EnumerationValues, greatest_index};
use crate::types::{CellType, Datatype, values_of};

/// The size of a view of a text in bytes.
const VIEW: usize = 16;
/// The longest text that is in its view, after its length.
const INLINE: usize = 12;
/// The purpose of memory in errors.
const PURPOSE: &str = "the cells of an Arrow array";

/// The form of offsets that are looked up: the start of each value and the end of the last one, in
/// bytes.
const ENDS: OffsetsForm = OffsetsForm {
    width: 8,
    elements: false,
    extra: true,
};

/// The cells of a field. Buffers of the array are shared where the layouts agree.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ArrowCells {
    /// The number of cells.
    pub cells: usize,
    /// The values.
    pub data: Buffer,
    /// The starts of cells of variable length.
    pub offsets: Option<Buffer>,
    /// One byte per cell, 0 for null, if the field is nullable.
    pub validity: Option<Buffer>,
}

/// Returns the cells of a field from an array. `offsets` is the form of the offsets.
///
/// # Errors
///
/// If the type of the array does not fit the field, a cell is null that must not be, or a value is
/// not one of the field. The error names the field.
pub fn cells_of(form: &FieldForm, array: &ArrayData, offsets: OffsetsForm) -> Result<ArrowCells> {
    let source = Source {
        form,
        array,
        offsets,
    };
    let imported = source.cells()?;
    let validity = match (form.cells.nullable, imported.validity) {
        (true, Some(validity)) => Some(validity),
        (true, None) => {
            let mut validity = try_vec::<u8>(PURPOSE, array.len())?;
            validity.fill(1);
            Some(Buffer::from_vec(validity))
        }
        (false, Some(validity)) if validity.contains(&0) => {
            return Err(arrow_error(format!(
                "the field '{}' is not nullable, and the array has nulls",
                form.name
            )));
        }
        (false, _) => None,
    };
    Ok(ArrowCells {
        validity,
        ..imported
    })
}

/// An array of one field.
struct Source<'a> {
    form: &'a FieldForm,
    array: &'a ArrayData,
    offsets: OffsetsForm,
}

impl Source<'_> {
    fn mismatch(&self) -> Error {
        let (kind, name) = (self.array.data_type(), &self.form.name);
        let datatype = self.form.cells.datatype.name();
        arrow_error(format!(
            "the Arrow type {kind} does not fit the field '{name}' of type {datatype}"
        ))
    }

    fn damaged(&self, problem: &str) -> Error {
        arrow_error(format!("{problem} of '{}'", self.form.name))
    }

    /// Returns a part of a buffer.
    fn part(&self, buffer: usize, start: usize, len: usize) -> Result<Buffer> {
        part_of(self.array, buffer, start, len).ok_or_else(|| self.damaged("a buffer is too small"))
    }

    /// Returns the cells, with validity if any is null.
    fn cells(&self) -> Result<ArrowCells> {
        let (array, cells) = (self.array, self.array.len());
        if let DataType::Dictionary(..) = array.data_type() {
            return self.dictionary();
        }
        if *array.data_type() == DataType::Null {
            return self.all_null();
        }
        let nulls = array.nulls();
        let (data, offsets) = match &self.form.enumeration {
            Some(enumeration) => (self.enumerated(enumeration)?, None),
            None => self.values()?,
        };
        Ok(ArrowCells {
            cells,
            data,
            offsets,
            validity: nulls.map(validity_of),
        })
    }

    /// Returns null cells, which have values of zeros or, if their length varies, none.
    fn all_null(&self) -> Result<ArrowCells> {
        let (form, cells) = (self.form, self.array.len());
        let size = if form.cells.is_var() {
            0
        } else {
            form.cells.cell_size()
        };
        // The number of cells of this type is not limited by any buffer.
        let offsets = if form.cells.is_var() {
            let ends = try_vec(PURPOSE, cells.saturating_add(1))?;
            Some(self.put_offsets(&ends, 1)?)
        } else {
            None
        };
        Ok(ArrowCells {
            cells,
            data: Buffer::from_vec(try_vec::<u8>(PURPOSE, cells.saturating_mul(size))?),
            offsets,
            validity: Some(Buffer::from_vec(try_vec::<u8>(PURPOSE, cells)?)),
        })
    }

    /// Returns the values and the offsets of a field without an enumeration.
    fn values(&self) -> Result<(Buffer, Option<Buffer>)> {
        let (form, array, cells) = (self.form, self.array, self.array.len());
        let kind = array.data_type();
        let layout = layout_of(form)?;
        // A list of one value in each cell is a field of single values.
        if let (CellLayout::Single, DataType::FixedSizeList(item, 1)) = (&layout, kind)
            && are_equal(&cell_type(form)?, item.data_type())
        {
            return Ok((
                self.items(array.offset(), cells, |cell| cell..cell + 1)?,
                None,
            ));
        }
        if !are_equal(&cell_type(form)?, kind) {
            return Err(self.mismatch());
        }
        match layout {
            CellLayout::Single => Ok((self.fixed(array, 0, cells, array.nulls())?, None)),
            CellLayout::FixedBytes(_) => {
                let size = form.cells.cell_size();
                let start = array.offset().saturating_mul(size);
                Ok((self.part(0, start, cells.saturating_mul(size))?, None))
            }
            CellLayout::FixedList(number) => {
                let number = number as usize;
                let start = array.offset().saturating_mul(number);
                let data = self.items(start, cells.saturating_mul(number), |cell| {
                    cell * number..(cell + 1) * number
                })?;
                Ok((data, None))
            }
            CellLayout::List => {
                let ends = self.ends()?;
                let (first, number) = self.extent(&ends)?;
                let data = self.items(first, number, |cell| {
                    (ends[cell] - ends[0]) as usize..(ends[cell + 1] - ends[0]) as usize
                })?;
                let unit = form.cells.datatype.size() as u64;
                Ok((data, Some(self.put_offsets(&ends, unit)?)))
            }
            CellLayout::Bytes | CellLayout::Text => {
                let (data, offsets) = self.bytes()?;
                Ok((data, Some(offsets)))
            }
            CellLayout::WideText(unit) => self.wide_texts(unit),
        }
    }

    /// Returns `number` values of an array from `start` on as they are stored.
    fn fixed(
        &self,
        array: &ArrayData,
        start: usize,
        number: usize,
        nulls: Option<&NullBuffer>,
    ) -> Result<Buffer> {
        let start = array.offset().saturating_add(start);
        let name = &self.form.name;
        let conversion = match (value_type(self.form.cells.datatype).1, array.data_type()) {
            // Durations have 64 bits.
            (Conversion::Narrow(1), DataType::Duration(_)) => Conversion::None,
            (Conversion::Narrow(factor), DataType::Duration(_)) => Conversion::Scale(factor),
            (conversion, _) => conversion,
        };
        let values = |size: usize| {
            let part = part_of(
                array,
                0,
                start.saturating_mul(size),
                number.saturating_mul(size),
            );
            part.ok_or_else(|| self.damaged("a buffer is too small"))
        };
        let is_null = |index: usize| nulls.is_some_and(|nulls| nulls.is_null(index));
        let divided = |(index, value): (usize, i64), factor: i64| match value {
            i64::MIN => Ok(value),
            _ if value % factor == 0 || is_null(index) => Ok(value / factor),
            _ => Err(arrow_error(format!(
                "the time {value} is not one of the field '{name}' of type {}",
                self.form.cells.datatype.name()
            ))),
        };
        match conversion {
            Conversion::None if *array.data_type() == DataType::Float16 => {
                let halves = values(2)?;
                Ok(Buffer::from_vec(
                    halves
                        .as_chunks()
                        .0
                        .iter()
                        .copied()
                        .map(|bytes| half::f16::from_le_bytes(bytes).to_f32())
                        .collect::<Vec<f32>>(),
                ))
            }
            Conversion::None => values(self.form.cells.datatype.size()),
            Conversion::Bits => {
                let bits = array.buffers().first();
                let bits = bits.filter(|bits| bits.len() * 8 >= start.saturating_add(number));
                let bits = bits.filter(|_| number > 0).map(|bits| bits.as_slice());
                if bits.is_none() && number > 0 {
                    return Err(self.damaged("a buffer is too small"));
                }
                let bit = |bits: &[u8], index: usize| bits[index / 8] >> (index % 8) & 1;
                Ok(Buffer::from_vec(
                    bits.map(|bits| (start..start + number).map(|i| bit(bits, i)))
                        .into_iter()
                        .flatten()
                        .collect::<Vec<u8>>(),
                ))
            }
            Conversion::Scale(factor) => {
                let stored = values(8)?;
                Ok(Buffer::from_vec(
                    values_of::<i64>(&stored)
                        .enumerate()
                        .map(|value| divided(value, factor))
                        .collect::<Result<Vec<i64>>>()?,
                ))
            }
            Conversion::Narrow(factor) => {
                let stored = values(4)?;
                Ok(Buffer::from_vec(
                    values_of::<i32>(&stored)
                        .map(|value| match value {
                            i32::MIN => i64::MIN,
                            value => i64::from(value),
                        })
                        .enumerate()
                        .map(|value| divided(value, factor))
                        .collect::<Result<Vec<i64>>>()?,
                ))
            }
        }
    }

    /// Returns `number` items of the child of a list. `of_cell` returns the items of a cell among
    /// them. Null items are an error, except in null cells.
    fn items(
        &self,
        start: usize,
        number: usize,
        of_cell: impl Fn(usize) -> Range<usize>,
    ) -> Result<Buffer> {
        let items = self.array.child_data().first();
        let items = items.ok_or_else(|| self.damaged("there are no items of the lists"))?;
        if start.saturating_add(number) > items.len() {
            return Err(self.damaged("there are too few items of the lists"));
        }
        if let Some(nulls) = items.nulls()
            && (0..self.array.len()).any(|cell| {
                self.array.is_valid(cell) && of_cell(cell).any(|item| nulls.is_null(start + item))
            })
        {
            let name = &self.form.name;
            return Err(arrow_error(format!("a cell of '{name}' contains a null")));
        }
        let nulls = items.nulls().map(|nulls| nulls.slice(start, number));
        self.fixed(items, start, number, nulls.as_ref())
    }

    /// Returns the start of each cell of variable length and the end of the last one, in the unit
    /// of the array.
    fn ends(&self) -> Result<Vec<u64>> {
        let (array, cells) = (self.array, self.array.len());
        if cells == 0 {
            return Ok(vec![0]);
        }
        let width = if is_narrow(array.data_type()) { 4 } else { 8 };
        let start = array.offset().saturating_mul(width);
        let bytes = self.part(0, start, (cells + 1).saturating_mul(width))?;
        let ends: Vec<u64> = if width == 4 {
            values_of::<u32>(&bytes).map(u64::from).collect()
        } else {
            values_of::<u64>(&bytes).collect()
        };
        if ends.is_sorted() {
            Ok(ends)
        } else {
            let name = &self.form.name;
            Err(arrow_error(format!(
                "the offsets of '{name}' do not ascend"
            )))
        }
    }

    /// Returns the first value of the cells and the number of values.
    fn extent(&self, ends: &[u64]) -> Result<(usize, usize)> {
        let (first, last) = (ends[0], ends[ends.len() - 1]);
        let number =
            |value: u64| usize::try_from(value).map_err(|_| self.damaged("an offset is too large"));
        Ok((number(first)?, number(last - first)?))
    }

    /// Returns offsets in the form of the query, from ends of which a value has `unit` bytes.
    fn put_offsets(&self, ends: &[u64], unit: u64) -> Result<Buffer> {
        let (first, form) = (ends[0], self.offsets);
        let number = self.array.len() + usize::from(form.extra);
        let mut offsets = try_vec::<u8>(PURPOSE, number.saturating_mul(form.width))?;
        let starts = ends[..number].iter().map(|end| (end - first) * unit);
        form.put_all(&mut offsets, starts, self.form.cells.datatype.size());
        Ok(Buffer::from_vec(offsets))
    }

    /// Returns bytes or texts of any length and their offsets.
    fn bytes(&self) -> Result<(Buffer, Buffer)> {
        let (array, form) = (self.array, self.offsets);
        if matches!(array.data_type(), DataType::Utf8View | DataType::BinaryView) {
            return self.views();
        }
        let ends = self.ends()?;
        let (first, len) = self.extent(&ends)?;
        let data = self.part(1, first, len)?;
        let is_same = form.width == 8 && !form.extra && first == 0 && !array.is_empty();
        if is_same && !is_narrow(array.data_type()) {
            let offsets = self.part(0, array.offset() * 8, array.len() * 8)?;
            return Ok((data, offsets));
        }
        Ok((data, self.put_offsets(&ends, 1)?))
    }

    /// Returns the texts of views one after another. Cells that are null are empty.
    fn views(&self) -> Result<(Buffer, Buffer)> {
        let (array, cells) = (self.array, self.array.len());
        let start = array.offset().saturating_mul(VIEW);
        let views = self.part(0, start, cells.saturating_mul(VIEW))?;
        let views = views.as_chunks::<VIEW>().0;
        let value = |(cell, view)| {
            if array.is_valid(cell) {
                view_value(array, view)
            } else {
                Some(&[][..])
            }
        };
        let values = views.iter().enumerate().map(value);
        let values: Vec<&[u8]> = values
            .collect::<Option<_>>()
            .ok_or_else(|| self.damaged("a view is outside of its buffer"))?;
        let (mut ends, mut end) = (Vec::with_capacity(cells + 1), 0);
        ends.push(0);
        for value in &values {
            end += value.len() as u64;
            ends.push(end);
        }
        let data = Buffer::from_vec(values.concat());
        Ok((data, self.put_offsets(&ends, 1)?))
    }

    /// Returns texts in UTF-16 or UTF-32, of which a unit has this number of bytes.
    fn wide_texts(&self, unit: usize) -> Result<(Buffer, Option<Buffer>)> {
        let narrow = Source {
            offsets: ENDS,
            form: self.form,
            array: self.array,
        };
        let narrow_form = FieldForm {
            cells: CellType {
                datatype: Datatype::StringUtf8,
                ..self.form.cells
            },
            ..self.form.clone()
        };
        let (texts, offsets) = Source {
            form: &narrow_form,
            ..narrow
        }
        .bytes()?;
        let ends: Vec<usize> = values_of::<u64>(&offsets).map(|end| end as usize).collect();
        let (mut data, mut starts) = (Vec::<u8>::new(), vec![0]);
        for (cell, range) in ends.windows(2).enumerate() {
            let text = texts.get(range[0]..range[1]).unwrap_or_default();
            let text = str::from_utf8(text)
                .ok()
                .filter(|_| self.array.is_valid(cell));
            let text = match text {
                Some(text) => text,
                None if self.array.is_null(cell) => "",
                None => return Err(self.damaged(&format!("cell {cell} is not UTF-8: a text"))),
            };
            if unit == 2 {
                data.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
            } else {
                data.extend(text.chars().flat_map(|text| u32::from(text).to_le_bytes()));
            }
            starts.push(data.len() as u64);
        }
        Ok((Buffer::from_vec(data), Some(self.put_offsets(&starts, 1)?)))
    }

    /// Returns the indexes in an enumeration of values, or indexes as they are given.
    fn enumerated(&self, enumeration: &Enumeration) -> Result<Buffer> {
        let (form, array) = (self.form, self.array);
        if are_equal(&cell_type(form)?, array.data_type()) {
            return Ok(self.values()?.0);
        }
        let values = values_form(form).unwrap_or_else(|| form.clone());
        if !are_equal(&cell_type(&values)?, array.data_type()) {
            return Err(self.mismatch());
        }
        let targets = targets(&values, array, enumeration)?;
        self.translated(
            (0..array.len()).map(|cell| array.is_valid(cell).then_some(cell)),
            &targets,
            enumeration,
        )
    }

    /// Returns the cells of a dictionary.
    fn dictionary(&self) -> Result<ArrowCells> {
        let (form, array) = (self.form, self.array);
        let values = array
            .child_data()
            .first()
            .ok_or_else(|| self.damaged("there is no dictionary"))?;
        let keys = self.keys()?;
        let Some(enumeration) = &form.enumeration else {
            return self.gathered(values, &keys);
        };
        let described = values_form(form).unwrap_or_else(|| form.clone());
        if !are_equal(&cell_type(&described)?, values.data_type()) {
            return Err(self.mismatch());
        }
        let targets = targets(&described, values, enumeration)?;
        Ok(ArrowCells {
            cells: array.len(),
            data: self.translated(keys.into_iter(), &targets, enumeration)?,
            offsets: None,
            validity: array.nulls().map(validity_of),
        })
    }

    /// Returns the index of the value of each cell in the dictionary; `None` for null.
    fn keys(&self) -> Result<Vec<Option<usize>>> {
        let (array, cells) = (self.array, self.array.len());
        let DataType::Dictionary(keys, _) = array.data_type() else {
            return Err(self.mismatch());
        };
        let width = keys.primitive_width().ok_or_else(|| self.mismatch())?;
        let start = array.offset().saturating_mul(width);
        let bytes = self.part(0, start, cells.saturating_mul(width))?;
        Ok(bytes
            .chunks_exact(width.max(1))
            .enumerate()
            .map(|(cell, key)| {
                let mut wide = [0; 8];
                wide[..width].copy_from_slice(key);
                let key = usize::try_from(u64::from_le_bytes(wide)).unwrap_or(usize::MAX);
                array.is_valid(cell).then_some(key)
            })
            .collect())
    }

    /// Returns the index in the enumeration of each cell, which has one of the `targets`.
    fn translated(
        &self,
        cells: impl Iterator<Item = Option<usize>>,
        targets: &[Option<u64>],
        enumeration: &Enumeration,
    ) -> Result<Buffer> {
        let (name, size) = (&self.form.name, self.form.cells.cell_size());
        let greatest = greatest_index(self.form.cells.datatype);
        let mut indexes = try_vec::<u8>(PURPOSE, self.array.len().saturating_mul(size))?;
        for (to, cell) in indexes.chunks_exact_mut(size.max(1)).zip(cells) {
            let Some(cell) = cell else {
                continue;
            };
            let target = targets.get(cell).copied().flatten().ok_or_else(|| {
                let enumeration = enumeration.name();
                arrow_error(format!(
                    "a value of '{name}' is not in the enumeration '{enumeration}'"
                ))
            })?;
            if target > greatest {
                return Err(arrow_error(format!(
                    "value {target} of the enumeration '{}' cannot be stored in '{name}', whose greatest index is \
                     {greatest}",
                    enumeration.name()
                )));
            }
            to.copy_from_slice(&target.to_le_bytes()[..size]);
        }
        Ok(Buffer::from_vec(indexes))
    }

    /// Returns the values of a dictionary for each cell.
    fn gathered(&self, values: &ArrayData, keys: &[Option<usize>]) -> Result<ArrowCells> {
        let form = self.form;
        let nullable = FieldForm {
            cells: CellType {
                nullable: true,
                ..form.cells
            },
            ..form.clone()
        };
        let labels = cells_of(&nullable, values, ENDS)?;
        let ends = labels.offsets.as_deref().unwrap_or_default().as_chunks().0;
        let ends: Vec<usize> = ends
            .iter()
            .map(|end| u64::from_le_bytes(*end) as usize)
            .collect();
        let size = form.cells.cell_size();
        let (mut data, mut starts, mut validity) = (Vec::<u8>::new(), vec![0], Vec::new());
        for key in keys {
            let valid = labels.validity.as_deref().unwrap_or_default();
            if key.is_some_and(|key| key >= labels.cells) {
                return Err(self.damaged("an index is outside of the dictionary"));
            }
            match key.filter(|key| valid.get(*key).is_some_and(|valid| *valid != 0)) {
                Some(key) => {
                    let range = if form.cells.is_var() {
                        ends[key]..ends[key + 1]
                    } else {
                        key * size..(key + 1) * size
                    };
                    data.extend_from_slice(labels.data.get(range).unwrap_or_default());
                    validity.push(1_u8);
                }
                None => {
                    data.resize(data.len() + if form.cells.is_var() { 0 } else { size }, 0);
                    validity.push(0);
                }
            }
            starts.push(data.len() as u64);
        }
        let offsets = form.cells.is_var().then(|| self.put_offsets(&starts, 1));
        Ok(ArrowCells {
            cells: keys.len(),
            data: Buffer::from_vec(data),
            offsets: offsets.transpose()?,
            validity: Some(Buffer::from_vec(validity)),
        })
    }
}

/// Returns whether offsets have 32 bits.
fn is_narrow(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::Binary | DataType::List(_))
}

/// Returns a part of a buffer of an array, or `None` if it is too small.
fn part_of(array: &ArrayData, buffer: usize, start: usize, len: usize) -> Option<Buffer> {
    if len == 0 {
        return Some(Buffer::from_vec(Vec::<u8>::new()));
    }
    let buffer = array.buffers().get(buffer)?;
    let is_inside = start.checked_add(len)? <= buffer.len();
    is_inside.then(|| buffer.slice_with_length(start, len))
}

/// Returns a byte per cell.
fn validity_of(nulls: &NullBuffer) -> Buffer {
    Buffer::from_vec(nulls.iter().map(u8::from).collect::<Vec<u8>>())
}

/// Returns the text or bytes of a view, or `None` if it is not in its buffer.
fn view_value<'a>(array: &'a ArrayData, view: &'a [u8; VIEW]) -> Option<&'a [u8]> {
    let number = |offset: usize| -> Option<usize> {
        let bytes = view.get(offset..)?.first_chunk::<4>()?;
        usize::try_from(i32::from_le_bytes(*bytes)).ok()
    };
    let len = number(0)?;
    if len <= INLINE {
        return view.get(4..4 + len);
    }
    let start = number(12)?;
    let buffer = array.buffers().get(number(8)?.checked_add(1)?)?;
    buffer.as_slice().get(start..start.checked_add(len)?)
}

/// Returns the index of each value in an enumeration; `None` for nulls and for values that are not
/// in the enumeration.
fn targets(
    form: &FieldForm,
    array: &ArrayData,
    enumeration: &Enumeration,
) -> Result<Vec<Option<u64>>> {
    let mut targets = vec![None; array.len()];
    each_value(form, array, |index, value| {
        targets[index] = enumeration.index_of(value);
    })?;
    Ok(targets)
}

/// Calls a function with the index and the bytes of each value that is not null.
fn each_value(
    form: &FieldForm,
    array: &ArrayData,
    mut function: impl FnMut(usize, &[u8]),
) -> Result<()> {
    let nullable = FieldForm {
        cells: CellType {
            nullable: true,
            ..form.cells
        },
        ..form.clone()
    };
    let values = cells_of(&nullable, array, ENDS)?;
    let data = values.data.as_slice();
    let ends: Option<Vec<usize>> = values.offsets.map(|offsets| {
        let ends = values_of::<u64>(&offsets);
        ends.map(|end| end as usize).collect()
    });
    let size = form.cells.cell_size();
    for index in (0..array.len()).filter(|index| array.is_valid(*index)) {
        let bytes = match &ends {
            None => data.get(index * size..(index + 1) * size),
            Some(ends) => ends
                .get(index..index + 2)
                .and_then(|ends| data.get(ends[0]..ends[1])),
        };
        if let Some(bytes) = bytes {
            function(index, bytes);
        }
    }
    Ok(())
}

/// Returns the enumeration of a field with the values of an array added that it lacks; `None` if it
/// has all of them, or the array has indexes. Values of a dictionary without a cell are not added.
///
/// # Errors
///
/// If the type of the array does not fit the field.
pub fn extended_by(form: &FieldForm, array: &ArrayData) -> Result<Option<Enumeration>> {
    let Some(enumeration) = &form.enumeration else {
        return Ok(None);
    };
    let source = Source {
        form,
        array,
        offsets: ENDS,
    };
    let mut used = vec![true; array.len()];
    let values = match array.data_type() {
        DataType::Null => return Ok(None),
        kind if are_equal(&cell_type(form)?, kind) => return Ok(None),
        DataType::Dictionary(..) => {
            let values = array.child_data().first();
            let values = values.ok_or_else(|| source.damaged("there is no dictionary"))?;
            used = vec![false; values.len()];
            for key in source.keys()?.into_iter().flatten() {
                if let Some(used) = used.get_mut(key) {
                    *used = true;
                }
            }
            values
        }
        _ => array,
    };
    let described = values_form(form).unwrap_or_else(|| form.clone());
    if !are_equal(&cell_type(&described)?, values.data_type()) {
        return Err(source.mismatch());
    }
    let mut known = HashSet::new();
    let (mut data, mut starts) = (Vec::new(), Vec::new());
    each_value(&described, values, |index, value| {
        if used[index] && enumeration.index_of(value).is_none() && known.insert(value.to_vec()) {
            starts.extend((data.len() as u64).to_le_bytes());
            data.extend_from_slice(value);
        }
    })?;
    if known.is_empty() {
        return Ok(None);
    }
    let more = EnumerationValues {
        // The only new value may be the empty text.
        data: Some(&data[..]).filter(|data| !data.is_empty()),
        offsets: Some(&starts[..]).filter(|_| enumeration.is_var()),
    };
    enumeration.extend(more).map(Some)
}
