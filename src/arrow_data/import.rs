//! Arrow arrays as the buffers of a write.

use std::ops::Range;
use std::sync::Arc;

use tiledb_engine::buffers::OffsetsForm;
use tiledb_engine::query::{BufferKind, Query};
use tiledb_engine::schema::{ArraySchema, Enumeration, greatest_index};
use tiledb_engine::types::QueryType;

use super::abi::{AlignedBytes, ArrowArray, ArrowSchema, arrow_error};
use super::types::{CellLayout, ColumnType};
use super::values::{Bytes, ImportedValues, part_of, single, slice, validity_of};
use super::views;
use crate::prelude::*;

/// A buffer of a field, and its size, whose address stays the same.
pub(crate) struct ImportedBuffer {
    pub(crate) name: String,
    pub(crate) kind: BufferKind,
    bytes: Bytes,
    size: Box<u64>,
}

impl ImportedBuffer {
    /// Returns the pointers that a query needs.
    pub(crate) fn pointers(&mut self) -> (*mut u8, *mut u64) {
        // Writes do not change the buffers.
        (self.bytes.start_and_len().0.cast_mut(), &raw mut *self.size)
    }

    /// Returns the bytes, which are valid until the program releases the array.
    pub(crate) unsafe fn bytes(&self) -> &[u8] {
        let (start, len) = self.bytes.start_and_len();
        // SAFETY: the caller has not released the array.
        unsafe { slice(start, len) }
    }
}

/// An Arrow array whose buffers a query uses. It is released when it is dropped.
pub(crate) struct ImportedArray {
    array: ArrowArray,
    pub(crate) buffers: Vec<ImportedBuffer>,
}

impl Drop for ImportedArray {
    fn drop(&mut self) {
        // SAFETY: the array was moved from the program and is released once.
        unsafe { self.array.release() };
    }
}

/// An array of one field and its type.
struct Source<'a> {
    column: &'a ColumnType,
    array: &'a ArrowArray,
    schema: &'a ArrowSchema,
    /// The first cell and the number of cells.
    start: usize,
    cells: usize,
    form: OffsetsForm,
}

impl ImportedArray {
    /// Converts the children of a struct array to buffers of the fields of a write. The array must
    /// be moved with [`Self::take`] before the buffers are used later.
    pub(crate) unsafe fn new(
        query: &Query,
        array: *mut ArrowArray,
        schema: *const ArrowSchema,
    ) -> Result<Self> {
        if query.query_type() != QueryType::Write {
            return Err(arrow_error("only a write has Arrow arrays as buffers"));
        }
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        let (given, schema) = unsafe {
            (
                arg::dereference(array, "array")?,
                arg::dereference(schema, "schema")?,
            )
        };
        if given.release.is_none() || schema.release.is_none() {
            return Err(arrow_error("the array or its schema was released"));
        }
        let mut imported = Self {
            array: ArrowArray::EMPTY,
            buffers: Vec::new(),
        };
        let (form, opened) = (query.written_form()?, query.array());
        let enumeration = |name: &str| opened.enumeration(name);
        // SAFETY: the array and the schema are valid until the array is released.
        unsafe { imported.add_fields(query.schema(), form, enumeration, given, schema)? };
        Ok(imported)
    }

    /// Converts the children of a struct array, which the program keeps, to cells of the fields of
    /// a schema. The result must not be used after the array is released.
    pub(crate) unsafe fn of_sample(
        described: &ArraySchema,
        enumeration: impl Fn(&str) -> Result<Arc<Enumeration>>,
        array: *const ArrowArray,
        schema: *const ArrowSchema,
    ) -> Result<Self> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        let (given, schema) = unsafe {
            (
                arg::dereference(array, "sample")?,
                arg::dereference(schema, "sample_type")?,
            )
        };
        if given.release.is_none() || schema.release.is_none() {
            return Err(arrow_error("the sample or its type was released"));
        }
        let mut imported = Self {
            array: ArrowArray::EMPTY,
            buffers: Vec::new(),
        };
        let form = OffsetsForm {
            width: 8,
            elements: false,
            extra: false,
        };
        // SAFETY: the array and the schema are valid until the program releases them.
        unsafe { imported.add_fields(described, form, enumeration, given, schema)? };
        Ok(imported)
    }

    /// Moves the array, so that the program cannot release it.
    pub(crate) unsafe fn take(&mut self, array: *mut ArrowArray) {
        // SAFETY: `new` checked the pointer; the array is valid and not released.
        std::mem::swap(&mut self.array, unsafe { &mut *array });
    }

    /// Returns whether a field has buffers of the array.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.buffers.iter().any(|buffer| buffer.name == name)
    }

    unsafe fn add_fields(
        &mut self,
        described: &ArraySchema,
        form: OffsetsForm,
        enumeration: impl Fn(&str) -> Result<Arc<Enumeration>>,
        array: &ArrowArray,
        schema: &ArrowSchema,
    ) -> Result<()> {
        // SAFETY: the caller passes a valid array and schema.
        let (format, arrays, schemas) =
            unsafe { (schema.format()?, array.children()?, schema.children()?) };
        if format != "+s" || arrays.len() != schemas.len() {
            return Err(arrow_error("the array is not a struct of fields"));
        }
        let start = arg::memory_len(array.offset as u64, "offset")?;
        let cells = arg::memory_len(array.length as u64, "length")?;
        // SAFETY: as above.
        let rows = unsafe { validity_of(array, start, cells)? };
        if rows.is_some_and(|rows| rows.bytes().contains(&0)) {
            return Err(arrow_error("a row of the array is null"));
        }
        for (array, schema) in arrays.into_iter().zip(schemas) {
            // SAFETY: the caller passes a valid schema.
            let name = unsafe { schema.name()? };
            let column = ColumnType::of(described, name, &enumeration)?;
            let array_offset = arg::memory_len(array.offset as u64, "offset")?;
            let len = arg::memory_len(array.length as u64, "length")?;
            if start.saturating_add(cells) > len {
                return Err(arrow_error(format!(
                    "the field '{name}' has too few values"
                )));
            }
            let source = Source {
                column: &column,
                array,
                schema,
                start: array_offset.saturating_add(start),
                cells,
                form,
            };
            // SAFETY: the caller passes a valid array.
            unsafe { self.add(&source)? };
        }
        Ok(())
    }

    fn push(&mut self, source: &Source<'_>, kind: BufferKind, bytes: Bytes, size: usize) {
        self.buffers.push(ImportedBuffer {
            name: source.column.name.clone(),
            kind,
            bytes,
            size: Box::new(size as u64),
        });
    }

    /// Adds the buffers of a field.
    unsafe fn add(&mut self, source: &Source<'_>) -> Result<()> {
        let column = source.column;
        // SAFETY: the caller passes a valid array.
        let valid = unsafe { source.validity()? };
        // SAFETY: as above.
        let ImportedValues { data, offsets } = unsafe { source.values(valid.as_ref())? };
        let size = data.start_and_len().1;
        self.push(source, BufferKind::Data, data, size);
        if let Some(offsets) = offsets {
            // The size counts eight bytes per offset, regardless of the width.
            let number = offsets.start_and_len().1 / source.form.width;
            self.push(source, BufferKind::Offsets, offsets, number * 8);
        }
        match (column.nullable, valid) {
            (true, valid) => {
                let valid = match valid {
                    Some(valid) => valid,
                    None => {
                        let mut all = AlignedBytes::zeroed(source.cells)?;
                        all.bytes_mut().fill(1);
                        all
                    }
                };
                self.push(
                    source,
                    BufferKind::Validity,
                    Bytes::Owned(valid),
                    source.cells,
                );
            }
            (false, Some(valid)) if valid.bytes().contains(&0) => {
                let message = format!("the field '{}' is not nullable", column.name);
                return Err(arrow_error(message));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Source<'_> {
    fn mismatch(&self, format: &str) -> Error {
        let ColumnType { name, datatype, .. } = self.column;
        let datatype = datatype.name();
        arrow_error(format!(
            "the Arrow type '{format}' does not fit the field '{name}' of type {datatype}"
        ))
    }

    /// Returns `len` bytes of a buffer from `start` on.
    unsafe fn part(&self, buffer: usize, start: usize, len: usize) -> Result<Bytes> {
        // SAFETY: the caller passes a valid array.
        unsafe { part_of(self.array, buffer, start, len) }
    }

    /// Returns a byte per cell, or `None` if all are valid.
    unsafe fn validity(&self) -> Result<Option<AlignedBytes>> {
        // SAFETY: the caller passes a valid array.
        unsafe { validity_of(self.array, self.start, self.cells) }
    }

    /// Returns the values and the offsets of a field.
    unsafe fn values(&self, valid: Option<&AlignedBytes>) -> Result<ImportedValues> {
        // SAFETY: the caller passes a valid schema.
        let format = unsafe { self.schema.format()? };
        if let Some(enumeration) = &self.column.enumeration {
            // SAFETY: as above.
            let indexes = unsafe { self.indexes(format, enumeration, valid)? };
            return Ok(ImportedValues::fixed(indexes));
        }
        if !self.schema.dictionary.is_null() {
            return Err(self.mismatch("dictionary"));
        }
        let size = self.column.cell_size();
        let bytes = |cells: usize| cells.saturating_mul(size);
        // SAFETY: the producer guarantees the buffers of the format.
        unsafe {
            match (self.column.layout(), format) {
                (CellLayout::Single, format) => {
                    let data = single(self.array, self.column, format, self.start, self.cells);
                    let data = data?.ok_or_else(|| self.mismatch(format))?;
                    Ok(ImportedValues::fixed(data))
                }
                (CellLayout::FixedBytes(number), format) if format == format!("w:{number}") => {
                    let data = self.part(1, bytes(self.start), bytes(self.cells))?;
                    Ok(ImportedValues::fixed(data))
                }
                (CellLayout::FixedList(number), format) if format == format!("+w:{number}") => {
                    let number = number as usize;
                    let (start, cells) = (self.start * number, self.cells * number);
                    let of_cell = |cell: usize| cell * number..(cell + 1) * number;
                    let data = self.child_values(start, cells, valid, of_cell)?;
                    Ok(ImportedValues::fixed(data))
                }
                (CellLayout::Bytes, "u" | "z") => self.var_bytes(4),
                (CellLayout::Bytes, "U" | "Z") => self.var_bytes(8),
                (CellLayout::Bytes, "vu" | "vz") => {
                    let (data, ends) = views::joined(self.array, self.start, self.cells, valid)?;
                    Ok(ImportedValues {
                        data: Bytes::Owned(data),
                        offsets: Some(self.offsets(&ends, 1)?),
                    })
                }
                (CellLayout::List, "+l") => self.list(4, valid),
                (CellLayout::List, "+L") => self.list(8, valid),
                (_, format) => Err(self.mismatch(format)),
            }
        }
    }

    /// Returns `number` values of the child of a list. `of_cell` returns the positions of the
    /// values of a cell among them. Null values are an error, except in null cells.
    unsafe fn child_values(
        &self,
        start: usize,
        number: usize,
        valid: Option<&AlignedBytes>,
        of_cell: impl Fn(usize) -> Range<usize>,
    ) -> Result<Bytes> {
        // SAFETY: the caller passes a valid array and schema.
        let (arrays, schemas) = unsafe { (self.array.children()?, self.schema.children()?) };
        let (Some(array), Some(schema)) = (arrays.first(), schemas.first()) else {
            return Err(arrow_error("a list has no child"));
        };
        // SAFETY: as above.
        let format = unsafe { schema.format()? };
        let start = arg::memory_len(array.offset as u64, "offset")?.saturating_add(start);
        // SAFETY: the producer guarantees the values of the list.
        if let Some(valid_values) = unsafe { validity_of(array, start, number)? } {
            let is_valid = |cell: &usize| valid.is_none_or(|valid| valid.bytes()[*cell] != 0);
            let has_null = |cell| valid_values.bytes()[of_cell(cell)].contains(&0);
            if (0..self.cells).filter(is_valid).any(has_null) {
                let name = &self.column.name;
                return Err(arrow_error(format!("a cell of '{name}' contains a null")));
            }
        }
        // SAFETY: as above.
        let data = unsafe { single(array, self.column, format, start, number) };
        data?.ok_or_else(|| self.mismatch(format))
    }

    /// Returns the start of each cell of variable length and the end of the last one, in the unit
    /// of the array.
    unsafe fn ends(&self, width: usize) -> Result<Vec<u64>> {
        if self.cells == 0 {
            return Ok(vec![0]);
        }
        let (start, number) = (self.start.saturating_mul(width), self.cells + 1);
        // SAFETY: the producer guarantees an offset for each value and the end of the last.
        let bytes = unsafe { self.part(1, start, number * width)? };
        let (bytes, len) = bytes.start_and_len();
        // SAFETY: `part` checked that the buffer exists; the producer guarantees its length.
        let bytes = unsafe { std::slice::from_raw_parts(bytes, len) };
        let offset = |bytes: &[u8]| match bytes.first_chunk::<4>() {
            Some(bytes) if width == 4 => u64::from(u32::from_le_bytes(*bytes)),
            _ => arg::offset(bytes),
        };
        let ends: Vec<u64> = bytes.chunks_exact(width).map(offset).collect();
        if ends.windows(2).all(|pair| pair[0] <= pair[1]) {
            Ok(ends)
        } else {
            Err(arrow_error(format!(
                "the offsets of '{}' do not ascend",
                self.column.name
            )))
        }
    }

    /// Returns offsets in the form of the query, from the ends in bytes.
    fn offsets(&self, ends: &[u64], unit: u64) -> Result<Bytes> {
        let (first, value_size) = (ends[0], self.column.datatype.size());
        let number = self.cells + usize::from(self.form.extra);
        let mut offsets = AlignedBytes::zeroed(number * self.form.width)?;
        let starts = ends[..number].iter().map(|end| (end - first) * unit);
        self.form.put_all(offsets.bytes_mut(), starts, value_size);
        Ok(Bytes::Owned(offsets))
    }

    unsafe fn var_bytes(&self, width: usize) -> Result<ImportedValues> {
        // SAFETY: the caller passes a valid array.
        let ends = unsafe { self.ends(width)? };
        let (first, last) = (ends[0], ends[ends.len() - 1]);
        let start = arg::memory_len(first, "offsets")?;
        let len = arg::memory_len(last - first, "offsets")?;
        // SAFETY: the producer guarantees the bytes between the offsets.
        let data = unsafe { self.part(2, start, len)? };
        let form = self.form;
        let is_same = width == 8 && form.width == 8 && !form.elements && !form.extra && first == 0;
        let offsets = if is_same && self.cells > 0 {
            // SAFETY: the producer guarantees an offset for each value.
            unsafe { self.part(1, self.start * 8, self.cells * 8)? }
        } else {
            self.offsets(&ends, 1)?
        };
        Ok(ImportedValues {
            data,
            offsets: Some(offsets),
        })
    }

    unsafe fn list(&self, width: usize, valid: Option<&AlignedBytes>) -> Result<ImportedValues> {
        // SAFETY: the caller passes a valid array.
        let ends = unsafe { self.ends(width)? };
        let (first, last) = (ends[0], ends[ends.len() - 1]);
        let start = arg::memory_len(first, "offsets")?;
        let number = arg::memory_len(last - first, "offsets")?;
        let position = |end: u64| (end - first) as usize;
        let of_cell = |cell: usize| position(ends[cell])..position(ends[cell + 1]);
        // SAFETY: as above.
        let data = unsafe { self.child_values(start, number, valid, of_cell)? };
        let unit = self.column.datatype.size() as u64;
        Ok(ImportedValues {
            data,
            offsets: Some(self.offsets(&ends, unit)?),
        })
    }

    /// Returns the indexes of the values of a dictionary in the enumeration of the attribute.
    unsafe fn indexes(
        &self,
        format: &str,
        enumeration: &Enumeration,
        valid: Option<&AlignedBytes>,
    ) -> Result<Bytes> {
        // SAFETY: the caller passes a valid array and schema; the pointers may be null.
        let (Some(values), Some(schema)) = (unsafe {
            (
                self.array.dictionary.as_ref(),
                self.schema.dictionary.as_ref(),
            )
        }) else {
            // SAFETY: the producer guarantees the buffers of the format.
            let data = unsafe { single(self.array, self.column, format, self.start, self.cells) };
            return data?.ok_or_else(|| self.mismatch(format));
        };
        let value_type = ColumnType::of_values(enumeration);
        let source = Source {
            column: &value_type,
            array: values,
            schema,
            start: arg::memory_len(values.offset as u64, "offset")?,
            cells: arg::memory_len(values.length as u64, "length")?,
            form: OffsetsForm {
                width: 8,
                elements: false,
                extra: true,
            },
        };
        // SAFETY: the producer guarantees a valid dictionary.
        let targets = unsafe { source.targets(enumeration)? };
        // SAFETY: the caller passes a valid array.
        unsafe { self.translated(format, &targets, enumeration, valid) }
    }

    /// Returns the indexes in the enumeration of cells, of which each has the index of one of the
    /// `targets` in this format.
    unsafe fn translated(
        &self,
        format: &str,
        targets: &[Option<u64>],
        enumeration: &Enumeration,
        valid: Option<&AlignedBytes>,
    ) -> Result<Bytes> {
        let width = match format {
            "c" | "C" => 1,
            "s" | "S" => 2,
            "i" | "I" => 4,
            "l" | "L" => 8,
            _ => return Err(self.mismatch(format)),
        };
        // SAFETY: the producer guarantees an index for each value.
        let given = unsafe { self.part(1, self.start * width, self.cells * width)? };
        let (given, len) = given.start_and_len();
        // SAFETY: as above; without cells the slice is empty.
        let given = unsafe { slice(given, len) };
        let size = self.column.cell_size();
        let greatest = greatest_index(self.column.datatype);
        let mut indexes = AlignedBytes::zeroed(self.cells * size)?;
        let cells = indexes
            .bytes_mut()
            .chunks_exact_mut(size)
            .zip(given.chunks_exact(width));
        for (cell, (to, from)) in cells.enumerate() {
            if valid.is_some_and(|valid| valid.bytes()[cell] == 0) {
                continue;
            }
            let mut wide = [0; 8];
            wide[..width].copy_from_slice(from);
            let index = usize::try_from(u64::from_le_bytes(wide)).unwrap_or(usize::MAX);
            let target = targets.get(index).copied().flatten().ok_or_else(|| {
                let name = &self.column.name;
                arrow_error(format!(
                    "a value of '{name}' is not in the enumeration '{}'",
                    enumeration.name()
                ))
            })?;
            if target > greatest {
                return Err(arrow_error(format!(
                    "value {target} of the enumeration '{}' cannot be stored in '{}', whose greatest index is {greatest}",
                    enumeration.name(),
                    self.column.name
                )));
            }
            to.copy_from_slice(&target.to_le_bytes()[..size]);
        }
        Ok(Bytes::Owned(indexes))
    }

    /// Returns the index of each value of a dictionary in an enumeration; `None` for nulls and for
    /// values that are not in the enumeration.
    unsafe fn targets(&self, enumeration: &Enumeration) -> Result<Vec<Option<u64>>> {
        // SAFETY: the caller passes a valid dictionary.
        let (valid, values) = unsafe { (self.validity()?, self.values(None)?) };
        let ImportedValues { data, offsets } = values;
        let (data, len) = data.start_and_len();
        // SAFETY: the producer guarantees the values.
        let data = unsafe { slice(data, len) };
        let mut targets: Vec<Option<u64>> = match offsets {
            None => {
                let values = data.chunks_exact(self.column.cell_size().max(1));
                values.map(|value| enumeration.index_of(value)).collect()
            }
            Some(offsets) => {
                let (offsets, len) = offsets.start_and_len();
                // SAFETY: the offsets were converted by `offsets`.
                let offsets = unsafe { slice(offsets, len) };
                let ends: Vec<usize> = offsets
                    .chunks_exact(8)
                    .map(|end| arg::offset(end) as usize)
                    .collect();
                let values = ends.windows(2).map(|ends| data.get(ends[0]..ends[1]));
                values.map(|value| enumeration.index_of(value?)).collect()
            }
        };
        let valid = valid.iter().flat_map(|valid| valid.bytes());
        for (target, _) in targets
            .iter_mut()
            .zip(valid)
            .filter(|(_, valid)| **valid == 0)
        {
            *target = None;
        }
        Ok(targets)
    }
}
