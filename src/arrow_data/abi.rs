//! The structures of Arrow's C data interface, and columns that own their buffers.

use std::ffi::CStr;

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

/// The flag of a dictionary whose values are ordered.
pub(crate) const ORDERED: i64 = 1;
/// The flag of a type whose values may be null.
pub(crate) const NULLABLE: i64 = 2;

/// A buffer that is aligned to eight bytes.
#[derive(Debug, Default)]
pub(crate) struct AlignedBytes {
    words: Vec<u64>,
    len: usize,
}

impl AlignedBytes {
    /// Returns a buffer of zeros, or an error if memory is exhausted.
    pub(crate) fn zeroed(len: usize) -> Result<Self> {
        let number = len.div_ceil(8);
        let mut words = Vec::new();
        words
            .try_reserve_exact(number)
            .map_err(|_| Error::out_of_memory("an Arrow buffer", len as u64))?;
        words.resize(number, 0);
        Ok(Self { words, len })
    }

    /// Returns a copy of bytes.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self> {
        let mut copy = Self::zeroed(bytes.len())?;
        copy.bytes_mut().copy_from_slice(bytes);
        Ok(copy)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the words have at least `len` initialized bytes.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.len) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the words have at least `len` initialized bytes, borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.len) }
    }

    /// Drops the bytes after the first `len`, and their memory if it is more than half.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.words.truncate(self.len.div_ceil(8));
        if self.words.len() < self.words.capacity() / 2 {
            self.words.shrink_to_fit();
        }
    }
}

impl ArrowSchema {
    /// Creates a schema that owns its children and dictionary.
    pub(crate) fn new(
        name: &str,
        format: &str,
        flags: i64,
        children: Vec<Self>,
        dictionary: Option<Self>,
    ) -> Self {
        let owned = Box::new(SchemaOwner {
            format: c_strings::c_string(format),
            name: c_strings::c_string(name),
            children: children.into_iter().map(boxed).collect(),
        });
        let owner = Box::into_raw(owned);
        // SAFETY: the owner was just created and is freed by `release_schema` only.
        let owned = unsafe { &mut *owner };
        Self {
            format: owned.format.as_ptr(),
            name: owned.name.as_ptr(),
            metadata: std::ptr::null(),
            flags,
            n_children: owned.children.len() as i64,
            children: owned.children.as_mut_ptr(),
            dictionary: dictionary.map_or(std::ptr::null_mut(), boxed),
            release: Some(release_schema),
            private_data: owner.cast(),
        }
    }

    /// Returns the format.
    pub(crate) unsafe fn format(&self) -> Result<&str> {
        // SAFETY: the producer of the schema guarantees a C string.
        unsafe { arg::text(self.format, "format") }
    }

    /// Returns the name, which may be absent and is empty then.
    pub(crate) unsafe fn name(&self) -> Result<&str> {
        if self.name.is_null() {
            return Ok("");
        }
        // SAFETY: not null; the producer of the schema guarantees a C string.
        unsafe { CStr::from_ptr(self.name) }
            .to_str()
            .map_err(|_| arrow_error("the name of a field is not UTF-8"))
    }

    /// Returns the children.
    pub(crate) unsafe fn children(&self) -> Result<Vec<&Self>> {
        // SAFETY: the producer of the schema guarantees as many children.
        unsafe { references(self.children, self.n_children) }
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

    /// Creates an array that owns its buffers, children and dictionary. A buffer that is `None` is
    /// absent.
    pub(crate) fn new(
        length: usize,
        null_count: usize,
        buffers: Vec<Option<AlignedBytes>>,
        children: Vec<Self>,
        dictionary: Option<Self>,
    ) -> Self {
        let pointers = buffers.iter().map(|buffer| {
            buffer
                .as_ref()
                .map_or(std::ptr::null(), |buffer| buffer.words.as_ptr().cast())
        });
        let owner = Box::into_raw(Box::new(ArrayOwner {
            pointers: pointers.collect(),
            children: children.into_iter().map(boxed).collect(),
            _buffers: buffers,
        }));
        // SAFETY: the owner was just created and is freed by `release_array` only.
        let owned = unsafe { &mut *owner };
        Self {
            length: length as i64,
            null_count: null_count as i64,
            offset: 0,
            n_buffers: owned.pointers.len() as i64,
            n_children: owned.children.len() as i64,
            buffers: owned.pointers.as_mut_ptr(),
            children: owned.children.as_mut_ptr(),
            dictionary: dictionary.map_or(std::ptr::null_mut(), boxed),
            release: Some(release_array),
            private_data: owner.cast(),
        }
    }

    /// Returns the children.
    pub(crate) unsafe fn children(&self) -> Result<Vec<&Self>> {
        // SAFETY: the producer of the array guarantees as many children.
        unsafe { references(self.children, self.n_children) }
    }

    /// Returns a buffer; null if it is absent.
    pub(crate) unsafe fn buffer(&self, index: usize) -> Result<*const u8> {
        if self.buffers.is_null() || (self.n_buffers.max(0) as usize) <= index {
            return Err(arrow_error("an array has too few buffers"));
        }
        // SAFETY: the producer of the array guarantees `n_buffers` pointers.
        Ok(unsafe { *self.buffers.add(index) }.cast())
    }

    /// Releases the array, if it was not released.
    pub(crate) unsafe fn release(&mut self) {
        if let Some(release) = self.release.take() {
            self.release = Some(release);
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

/// The memory that a schema owns.
struct SchemaOwner {
    format: CString,
    name: CString,
    children: Vec<*mut ArrowSchema>,
}

/// The memory that an array owns.
struct ArrayOwner {
    pointers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
    _buffers: Vec<Option<AlignedBytes>>,
}

fn boxed<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the consumer passes a schema of this library that was not released.
    let schema = unsafe { &mut *schema };
    // SAFETY: `new` created the owner, and no other release frees it.
    let owner = unsafe { Box::from_raw(schema.private_data.cast::<SchemaOwner>()) };
    for child in owner.children.iter().chain([&schema.dictionary]) {
        if !child.is_null() {
            // SAFETY: `boxed` created it; a consumer may have moved its content and released it.
            let mut child = unsafe { Box::from_raw(*child) };
            if let Some(release) = child.release {
                // SAFETY: a child that is not released has a valid callback.
                unsafe { release(&raw mut *child) };
            }
        }
    }
    schema.release = None;
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: the consumer passes an array of this library that was not released.
    let array = unsafe { &mut *array };
    // SAFETY: `new` created the owner, and no other release frees it.
    let owner = unsafe { Box::from_raw(array.private_data.cast::<ArrayOwner>()) };
    for child in owner.children.iter().chain([&array.dictionary]) {
        if !child.is_null() {
            // SAFETY: `boxed` created it; a consumer may have moved its content and released it.
            let mut child = unsafe { Box::from_raw(*child) };
            // SAFETY: a child that is not released has a valid callback.
            unsafe { child.release() };
        }
    }
    array.release = None;
}

/// Returns an error of the exchange with Arrow.
pub(crate) fn arrow_error(message: impl Into<String>) -> Error {
    Error::usage("Arrow", message)
}
