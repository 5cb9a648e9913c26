//! A builder of records in little-endian byte order.

use crate::error::{Result, try_reserved};

/// Collects the bytes of a record.
#[derive(Debug, Default)]
pub struct Sink {
    bytes: Vec<u8>,
}

impl Sink {
    /// Creates an empty sink.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty sink with capacity for a record of up to `len` bytes, which can then be
    /// written without another allocation.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn with_capacity(purpose: &'static str, len: usize) -> Result<Self> {
        let bytes = try_reserved(purpose, len)?;
        Ok(Self { bytes })
    }

    /// Returns the number of bytes so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the bytes so far.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends bytes as they are.
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// Appends two bytes.
    pub fn u16(&mut self, value: u16) {
        self.put(&value.to_le_bytes());
    }

    /// Appends four bytes.
    pub fn u32(&mut self, value: u32) {
        self.put(&value.to_le_bytes());
    }

    /// Appends four bytes, signed.
    pub fn i32(&mut self, value: i32) {
        self.put(&value.to_le_bytes());
    }

    /// Appends eight bytes.
    pub fn u64(&mut self, value: u64) {
        self.put(&value.to_le_bytes());
    }

    /// Appends a floating-point number of eight bytes.
    pub fn f64(&mut self, value: f64) {
        self.put(&value.to_le_bytes());
    }

    /// Appends 0 or 1.
    pub fn flag(&mut self, value: bool) {
        self.u8(u8::from(value));
    }

    /// Appends values of eight bytes.
    pub fn u64s(&mut self, values: &[u64]) {
        self.bytes.reserve(values.len() * 8);
        for value in values {
            self.u64(*value);
        }
    }

    /// Appends a string preceded by its length in 64 bits.
    pub fn text(&mut self, text: &str) {
        self.u64(text.len() as u64);
        self.put(text.as_bytes());
    }

    /// Appends a string preceded by its length in 32 bits.
    pub fn text_u32(&mut self, text: &str) {
        self.u32(u32::try_from(text.len()).unwrap_or(u32::MAX));
        self.put(text.as_bytes());
    }
}
