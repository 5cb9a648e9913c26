//! The structures of Arrow's C data interface.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use tiledb_engine::internal::arrow::arrow_error;

use crate::prelude::*;

/// cbindgen:ignore
/// The type of an array.
#[repr(C)]
pub struct ArrowSchema {
    pub(crate) format: *const c_char,
    pub(crate) name: *const c_char,
    pub(crate) metadata: *const c_char,
    pub(crate) flags: i64,
    pub(crate) n_children: i64,
    pub(crate) children: *mut *mut ArrowSchema,
    pub(crate) dictionary: *mut ArrowSchema,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub(crate) private_data: *mut c_void,
}

/// cbindgen:ignore
/// The values of an array.
#[repr(C)]
pub struct ArrowArray {
    pub(crate) length: i64,
    pub(crate) null_count: i64,
    pub(crate) offset: i64,
    pub(crate) n_buffers: i64,
    pub(crate) n_children: i64,
    pub(crate) buffers: *mut *const c_void,
    pub(crate) children: *mut *mut ArrowArray,
    pub(crate) dictionary: *mut ArrowArray,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub(crate) private_data: *mut c_void,
}

/// cbindgen:ignore
/// A stream of arrays of one type.
#[repr(C)]
pub struct ArrowArrayStream {
    pub(crate) get_schema:
        Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub(crate) get_next:
        Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub(crate) get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub(crate) release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub(crate) private_data: *mut c_void,
}

/// The most levels of children of a type that is converted: a struct of lists of values.
const MAX_DEPTH: usize = 8;

// The structures of the crates of Arrow have the same layout. Their fields are private.
const _: () = assert!(size_of::<ArrowArray>() == size_of::<FFI_ArrowArray>());
const _: () = assert!(size_of::<ArrowSchema>() == size_of::<FFI_ArrowSchema>());

fn failed(error: &ArrowError) -> Error {
    arrow_error(match error {
        ArrowError::CDataInterface(problem) | ArrowError::InvalidArgumentError(problem) => {
            problem.clone()
        }
        other => other.to_string(),
    })
}

impl ArrowSchema {
    /// Returns the type of a struct of fields.
    pub(crate) fn of(fields: Vec<Field>) -> Result<Self> {
        let schema = FFI_ArrowSchema::try_from(&Schema::new(fields));
        let schema = schema.map_err(|error| failed(&error))?;
        // SAFETY: both structures have the layout of Arrow's C data interface.
        Ok(unsafe { std::mem::transmute::<FFI_ArrowSchema, Self>(schema) })
    }

    /// Returns the fields of a struct type.
    pub(crate) unsafe fn fields(&self) -> Result<Vec<Field>> {
        // SAFETY: the producer of the schema guarantees its texts and children.
        unsafe {
            self.check(MAX_DEPTH)?;
            if arg::text(self.format, "format")? != "+s" {
                return Err(arrow_error("the type is not a struct of fields"));
            }
            let children = references(self.children, self.n_children)?;
            let fields = children.into_iter().map(|child| {
                // A reference to one structure is a reference to the other.
                let child = &*std::ptr::from_ref(child).cast::<FFI_ArrowSchema>();
                Field::try_from(child).map_err(|error| failed(&error))
            });
            fields.collect()
        }
    }

    /// Checks that the type has a format and all children, to `depth` levels.
    unsafe fn check(&self, depth: usize) -> Result<()> {
        if depth == 0 {
            return Err(arrow_error("the type has too many levels"));
        }
        if self.release.is_none() {
            return Err(arrow_error("a type was released"));
        }
        // SAFETY: the producer of the schema guarantees its texts and children.
        unsafe {
            arg::text(self.format, "format")?;
            if !self.name.is_null() {
                arg::text(self.name, "name")
                    .map_err(|_| arrow_error("the name of a field is not UTF-8"))?;
            }
            for child in references(self.children, self.n_children)? {
                child.check(depth - 1)?;
            }
            self.dictionary
                .as_ref()
                .map_or(Ok(()), |values| values.check(depth - 1))
        }
    }
}

impl ArrowArray {
    /// Returns a released array.
    pub(crate) const EMPTY: Self = Self {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: std::ptr::null_mut(),
        children: std::ptr::null_mut(),
        dictionary: std::ptr::null_mut(),
        release: None,
        private_data: std::ptr::null_mut(),
    };

    /// Returns an array that shares the buffers of another.
    pub(crate) fn of(array: &ArrayData) -> Self {
        let array = FFI_ArrowArray::new(array);
        // SAFETY: both structures have the layout of Arrow's C data interface.
        unsafe { std::mem::transmute::<FFI_ArrowArray, Self>(array) }
    }

    /// Returns the children of a struct array, each with the rows of the struct. They refer to its
    /// buffers and must not be used after it is released.
    pub(crate) unsafe fn columns(&self, fields: &[Field]) -> Result<Vec<ArrayData>> {
        // SAFETY: the producer of the array guarantees its buffers and children.
        let children = unsafe {
            self.check(MAX_DEPTH)?;
            references(self.children, self.n_children)?
        };
        if children.len() != fields.len() {
            return Err(arrow_error("the array is not a struct of fields"));
        }
        let (start, rows) = (self.offset as usize, self.length as usize);
        // SAFETY: the producer guarantees a bit for each row, if there are bits.
        if unsafe { self.has_null_rows(start, rows) } {
            return Err(arrow_error("a row of the array is null"));
        }
        let columns = children.into_iter().zip(fields).map(|(child, field)| {
            // SAFETY: the producer guarantees the buffers and children that the array states.
            unsafe { child.check_layout(field.data_type()) }
                .map_err(|problem| arrow_error(format!("{problem} of '{}'", field.name())))?;
            let borrowed = Self {
                // The program, or the query, releases the array.
                release: None,
                ..*child
            };
            // SAFETY: both structures have the layout of Arrow's C data interface; the producer
            // guarantees the buffers of the type.
            let data = unsafe {
                let borrowed = std::mem::transmute::<Self, FFI_ArrowArray>(borrowed);
                let kind = field.data_type().clone();
                from_ffi_and_data_type(borrowed, kind).map_err(|error| failed(&error))?
            };
            if start.saturating_add(rows) > data.len() {
                let name = field.name();
                return Err(arrow_error(format!(
                    "the field '{name}' has too few values"
                )));
            }
            Ok(data.slice(start, rows))
        });
        columns.collect()
    }

    /// Checks that the array has the buffers and children of a type, and that no length in them is
    /// negative: the crates of Arrow do not check this.
    unsafe fn check_layout(&self, kind: &DataType) -> std::result::Result<(), String> {
        let end = self.length.saturating_add(self.offset) as usize;
        let size = match kind {
            DataType::FixedSizeBinary(size) | DataType::FixedSizeList(_, size) => *size,
            _ => 1,
        };
        let is_bounded = usize::try_from(size)
            .ok()
            .and_then(|size| end.checked_mul(size))
            .is_some_and(|values| values <= isize::MAX as usize / 32);
        if size < 1 || !is_bounded {
            return Err(format!(
                "the size of a value is wrong in the Arrow type {kind}"
            ));
        }
        let (needed, offset_width) = match kind {
            DataType::Null => (0, 0),
            DataType::FixedSizeList(..) => (1, 0),
            DataType::Utf8 | DataType::Binary => (3, 4),
            DataType::LargeUtf8 | DataType::LargeBinary => (3, 8),
            DataType::Utf8View | DataType::BinaryView => (3, 0),
            DataType::List(_) => (2, 4),
            DataType::LargeList(_) => (2, 8),
            DataType::Boolean | DataType::FixedSizeBinary(_) | DataType::Dictionary(..) => (2, 0),
            kind if kind.primitive_width().is_some() => (2, 0),
            kind => {
                return Err(format!(
                    "an array has the Arrow type {kind}, which no field has: a value"
                ));
            }
        };
        let is_view = matches!(kind, DataType::Utf8View | DataType::BinaryView);
        if self.n_buffers < needed && (end > 0 || is_view) {
            return Err("an array has too few buffers".to_owned());
        }
        // SAFETY: the caller checked that there are `n_buffers` pointers.
        let buffer = |index: usize| unsafe { *self.buffers.add(index) };
        if offset_width > 0 && end > 0 {
            let offsets = buffer(1);
            if offsets.is_null() || !offsets.cast::<u64>().is_aligned() && offset_width == 8 {
                return Err("the offsets are missing or not aligned".to_owned());
            }
            let is_negative = if offset_width == 8 {
                // SAFETY: the producer guarantees an offset for each value and the end of the last.
                unsafe { *offsets.cast::<i64>().add(end) < 0 }
            } else if offsets.cast::<i32>().is_aligned() {
                // SAFETY: as above.
                unsafe { *offsets.cast::<i32>().add(end) < 0 }
            } else {
                true
            };
            if is_negative {
                return Err("the last offset is negative or not aligned".to_owned());
            }
        }
        if is_view && self.n_buffers > 3 {
            let (number, lengths) = (self.n_buffers - 3, buffer(self.n_buffers as usize - 1));
            let lengths = lengths.cast::<i64>();
            if lengths.is_null() || !lengths.is_aligned() {
                return Err("the lengths of the buffers are missing or not aligned".to_owned());
            }
            // SAFETY: the producer guarantees a length for each buffer of values.
            let lengths = unsafe { std::slice::from_raw_parts(lengths, number as usize) };
            if lengths.iter().any(|length| *length < 0) {
                return Err("the length of a buffer is negative".to_owned());
            }
        }
        let child = match kind {
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                // SAFETY: the producer guarantees the children.
                let children = unsafe { references(self.children, self.n_children) };
                let children = children.map_err(|error| error.to_string())?;
                let item_array = children.first().copied().ok_or("there is no child")?;
                Some((item_array, item.data_type()))
            }
            DataType::Dictionary(_, values) => {
                // SAFETY: the producer guarantees the dictionary.
                let dictionary = unsafe { self.dictionary.as_ref() };
                Some((dictionary.ok_or("there is no dictionary")?, &**values))
            }
            _ => None,
        };
        match child {
            // SAFETY: as for this array.
            Some((array, kind)) => unsafe { array.check_layout(kind) },
            None => Ok(()),
        }
    }

    /// Returns whether a row of a struct is null.
    unsafe fn has_null_rows(&self, start: usize, rows: usize) -> bool {
        if self.null_count == 0 || self.n_buffers < 1 || self.buffers.is_null() {
            return false;
        }
        // SAFETY: the array has a buffer, which may be absent.
        let bits = unsafe { *self.buffers }.cast::<u8>();
        // SAFETY: the producer guarantees a bit for each row.
        let is_null = |row: usize| unsafe { *bits.add(row / 8) } >> (row % 8) & 1 == 0;
        !bits.is_null() && (start..start + rows).any(is_null)
    }

    /// Checks the numbers of an array and its children, to `depth` levels.
    unsafe fn check(&self, depth: usize) -> Result<()> {
        if depth == 0 {
            return Err(arrow_error("the array has too many levels"));
        }
        let start = arg::memory_len(self.offset as u64, "offset")?;
        let len = arg::memory_len(self.length as u64, "length")?;
        let is_too_long = start
            .checked_add(len)
            .is_none_or(|end| end > isize::MAX as usize / 32);
        if is_too_long || self.offset < 0 || self.length < 0 || self.n_buffers < 0 {
            return Err(arrow_error("a number of an array is negative or too large"));
        }
        if self.buffers.is_null() && self.n_buffers > 0 {
            return Err(arrow_error("a buffer is missing"));
        }
        // SAFETY: the producer of the array guarantees its children.
        unsafe {
            for child in references(self.children, self.n_children)? {
                child.check(depth - 1)?;
            }
            self.dictionary
                .as_ref()
                .map_or(Ok(()), |values| values.check(depth - 1))
        }
    }

    /// Releases the array, if it was not released.
    pub(crate) unsafe fn release(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the producer of the array guarantees a valid callback until the release.
            unsafe { release(self) };
        }
    }
}

/// Returns references to the elements of a list of pointers.
unsafe fn references<'a, T>(list: *mut *mut T, number: i64) -> Result<Vec<&'a T>> {
    let number = usize::try_from(number).map_err(|_| arrow_error("a number is negative"))?;
    if list.is_null() && number > 0 {
        return Err(arrow_error("children are missing"));
    }
    let element = |index: usize| {
        // SAFETY: the producer guarantees `number` pointers to valid structures.
        unsafe { (*list.add(index)).as_ref() }.ok_or_else(|| arrow_error("a child is null"))
    };
    (0..number).map(element).collect()
}
