//! Arrow arrays as the buffers of a write.

use std::sync::Arc;

use tiledb_engine::internal::arrow::{ArrowCells, arrow_error, cells_of};
use tiledb_engine::internal::buffers::OffsetsForm;
use tiledb_engine::internal::query::{BufferKind, Query};
use tiledb_engine::internal::schema::{ArraySchema, Enumeration};
use tiledb_engine::internal::types::QueryType;

use super::abi::{ArrowArray, ArrowSchema};
use super::form_of;
use crate::prelude::*;

/// A buffer of a field, and its size, whose address stays the same.
pub(crate) struct ImportedBuffer {
    pub(crate) name: String,
    pub(crate) kind: BufferKind,
    bytes: arrow_buffer::Buffer,
    size: Box<u64>,
}

impl ImportedBuffer {
    /// Returns the pointers that a query needs.
    pub(crate) fn pointers(&mut self) -> (*mut u8, *mut u64) {
        // Writes do not change the buffers.
        (self.bytes.as_ptr().cast_mut(), &raw mut *self.size)
    }

    /// Returns the bytes, which are valid until the program releases the array.
    pub(crate) unsafe fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// An Arrow array whose buffers a query uses. It is released when it is dropped.
pub(crate) struct ImportedArray {
    array: ArrowArray,
    pub(crate) buffers: Vec<ImportedBuffer>,
}

impl Drop for ImportedArray {
    fn drop(&mut self) {
        self.buffers.clear();
        // SAFETY: the array was moved from the program and is released once.
        unsafe { self.array.release() };
    }
}

impl ImportedArray {
    /// Converts the children of a struct array to buffers of the fields of a write. The array must
    /// be moved with [`Self::take`] before the buffers are used later.
    pub(crate) unsafe fn new(
        query: &Query,
        array: *mut ArrowArray,
        schema: *const ArrowSchema,
    ) -> Result<Self> {
        if query.request().query_type != QueryType::Write {
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
        let (form, opened) = (query.request().written_form()?, &query.request().array);
        let enumeration = |name: &str| opened.enumeration(name);
        // SAFETY: the array and the schema are valid until the array is released.
        unsafe { imported.add_fields(query.request().schema(), form, enumeration, given, schema)? };
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
        let (fields, columns) = unsafe {
            let fields = schema.fields()?;
            let columns = array.columns(&fields)?;
            (fields, columns)
        };
        for (field, column) in fields.iter().zip(&columns) {
            let name = field.name();
            let cells = cells_of(&form_of(described, name, &enumeration)?, column, form)?;
            self.push(name, form, cells);
        }
        Ok(())
    }

    /// Adds the buffers of a field: its data precedes its offsets and its validity.
    fn push(&mut self, name: &str, form: OffsetsForm, cells: ArrowCells) {
        // The size counts eight bytes per offset, regardless of the width.
        let offsets = cells.offsets.map(|offsets| {
            let size = offsets.len() / form.width * 8;
            (BufferKind::Offsets, offsets, size)
        });
        let size = cells.data.len();
        let data = Some((BufferKind::Data, cells.data, size));
        let validity = cells.validity.map(|validity| {
            let size = validity.len();
            (BufferKind::Validity, validity, size)
        });
        for (kind, bytes, size) in [data, offsets, validity].into_iter().flatten() {
            self.buffers.push(ImportedBuffer {
                name: name.to_owned(),
                kind,
                bytes,
                size: Box::new(size as u64),
            });
        }
    }
}
