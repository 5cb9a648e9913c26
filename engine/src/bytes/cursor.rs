//! A cursor over untrusted bytes. It carries the name of the record, so that errors name the
//! record, the field and the byte offset.
//!
//! Methods neither panic nor allocate more than the bytes that are left justify: every length is
//! checked against them first. Records are compressed, so a small file can have a list of millions
//! of values: memory for lists that cannot be allocated is an error.
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use std::sync::Arc;

use crate::error::{Error, Result, try_reserved, try_text};

/// Reads little-endian values from a byte slice, front to back.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    file: &'static str,
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of `bytes`, a record of the kind `file` ("fragment footer").
    pub fn new(file: &'static str, bytes: &'a [u8]) -> Self {
        Self {
            file,
            bytes,
            position: 0,
        }
    }

    /// Returns the number of bytes read so far.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns the number of bytes not read yet.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// Returns an error about `field`, located at the current position.
    pub fn corrupt(&self, field: &'static str, problem: impl Into<String>) -> Error {
        Error::corrupt(self.file, field, self.position as u64, problem)
    }

    /// Returns the next `len` bytes.
    #[inline]
    pub fn take(&mut self, field: &'static str, len: usize) -> Result<&'a [u8]> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let Some(taken) = rest.get(..len) else {
            return Err(self.too_short(field, len as u64));
        };
        self.position += len;
        Ok(taken)
    }

    #[cold]
    fn too_short(&self, field: &'static str, len: u64) -> Error {
        let problem = format!("needs {len} bytes, {} are left", self.left());
        self.corrupt(field, problem)
    }

    /// Returns the next `len` bytes, for a length read from a file.
    #[inline]
    pub fn take_u64(&mut self, field: &'static str, len: u64) -> Result<&'a [u8]> {
        match usize::try_from(len) {
            Ok(len) => self.take(field, len),
            Err(_) => Err(self.too_short(field, len)),
        }
    }

    /// Skips `len` bytes.
    #[inline]
    pub fn skip(&mut self, field: &'static str, len: usize) -> Result<()> {
        self.take(field, len).map(|_| ())
    }

    #[inline]
    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N]> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let Some(array) = rest.first_chunk() else {
            return Err(self.too_short(field, N as u64));
        };
        self.position += N;
        Ok(*array)
    }

    /// Returns the next byte.
    #[inline]
    pub fn u8(&mut self, field: &'static str) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array(field)?))
    }

    /// Returns the next two bytes.
    pub fn u16(&mut self, field: &'static str) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array(field)?))
    }

    /// Returns the next four bytes.
    #[inline]
    pub fn u32(&mut self, field: &'static str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(field)?))
    }

    /// Returns the next four bytes, signed.
    pub fn i32(&mut self, field: &'static str) -> Result<i32> {
        Ok(i32::from_le_bytes(self.array(field)?))
    }

    /// Returns the next eight bytes.
    #[inline]
    pub fn u64(&mut self, field: &'static str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(field)?))
    }

    /// Returns the next eight bytes as a floating-point number.
    pub fn f64(&mut self, field: &'static str) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array(field)?))
    }

    /// Returns a byte that is 0 or 1; any other value is an error.
    #[inline]
    pub fn flag(&mut self, field: &'static str) -> Result<bool> {
        let start = self.clone();
        match self.u8(field)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(start.corrupt(field, format!("is {other}, not 0 or 1"))),
        }
    }

    /// Returns a 64-bit count of records of at least `least` bytes each, checked against the bytes
    /// left.
    pub fn count(&mut self, field: &'static str, least: usize) -> Result<usize> {
        let start = self.clone();
        let count = self.u64(field)?;
        self.checked_count(&start, field, count, least)
    }

    /// Returns a 32-bit count of records of at least `least` bytes each, checked against the bytes
    /// left.
    pub fn count_u32(&mut self, field: &'static str, least: usize) -> Result<usize> {
        let start = self.clone();
        let count = u64::from(self.u32(field)?);
        self.checked_count(&start, field, count, least)
    }

    fn checked_count(
        &self,
        start: &Self,
        field: &'static str,
        count: u64,
        least: usize,
    ) -> Result<usize> {
        usize::try_from(count)
            .ok()
            .filter(|n| {
                n.checked_mul(least.max(1))
                    .is_some_and(|need| need <= self.left())
            })
            .ok_or_else(|| {
                start.corrupt(
                    field,
                    format!("announces {count} entries, {} bytes are left", self.left()),
                )
            })
    }

    /// Returns `n` values of eight bytes.
    pub fn u64s(&mut self, field: &'static str, n: usize) -> Result<Vec<u64>> {
        let bytes = match n.checked_mul(8) {
            Some(len) => self.take(field, len)?,
            None => return Err(self.corrupt(field, format!("announces {n} entries"))),
        };
        let mut numbers = try_reserved(self.file, n)?;
        numbers.extend(
            bytes
                .chunks_exact(8)
                .map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default())),
        );
        Ok(numbers)
    }

    /// Returns `n` values that `read` reads one after the other. `n` must have been checked against
    /// the bytes left.
    pub fn list<T>(
        &mut self,
        n: usize,
        mut read: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut list = try_reserved(self.file, n)?;
        for _ in 0..n {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// Returns a UTF-8 string that is preceded by its 64-bit length.
    pub fn text(&mut self, field: &'static str) -> Result<String> {
        try_text(self.file, self.str(field)?)
    }

    /// Returns a UTF-8 string that is preceded by its 64-bit length, borrowed from the input.
    #[inline]
    pub fn str(&mut self, field: &'static str) -> Result<&'a str> {
        let len = self.u64(field)?;
        self.utf8(field, len)
    }

    /// Returns a UTF-8 string that is preceded by its 64-bit length. If it equals `known`, that is
    /// shared.
    #[inline]
    pub fn shared_str(
        &mut self,
        field: &'static str,
        known: Option<&Arc<str>>,
    ) -> Result<Arc<str>> {
        let len = self.u64(field)?;
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        if let Some(known) = known
            && known.len() as u64 == len
            && rest.starts_with(known.as_bytes())
        {
            self.position += known.len();
            return Ok(known.clone());
        }
        self.utf8(field, len).map(Arc::from)
    }

    /// Returns a UTF-8 string that is preceded by its 32-bit length.
    pub fn text_u32(&mut self, field: &'static str) -> Result<String> {
        try_text(self.file, self.str_u32(field)?)
    }

    /// Returns a UTF-8 string that is preceded by its 32-bit length, borrowed from the input.
    pub fn str_u32(&mut self, field: &'static str) -> Result<&'a str> {
        let len = u64::from(self.u32(field)?);
        self.utf8(field, len)
    }

    #[inline]
    fn utf8(&mut self, field: &'static str, len: u64) -> Result<&'a str> {
        let start = self.clone();
        let bytes = self.take_u64(field, len)?;
        std::str::from_utf8(bytes).map_err(|_| start.corrupt(field, "is not UTF-8"))
    }

    /// Returns an error unless all bytes have been read.
    pub fn end(&self) -> Result<()> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.corrupt("end", format!("is followed by {left} unknown bytes"))),
        }
    }
}
