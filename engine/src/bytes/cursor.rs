//! A cursor over untrusted bytes. It knows the record, and says field and offset when something does not fit.
//!
//! Nothing here allocates by a length it read, and nothing panics: every length is checked against what is left.
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::error::{Error, Result};

/// Reads little-endian values off a byte slice, front to back.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    file: &'static str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `bytes`, a record of the kind `file` ("fragment footer").
    pub fn new(file: &'static str, bytes: &'a [u8]) -> Self {
        Self { file, bytes, at: 0 }
    }

    /// The number of bytes read so far.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The number of bytes not read yet.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error about `field`, which starts here.
    pub fn corrupt(&self, field: &'static str, problem: impl Into<String>) -> Error {
        Error::corrupt(self.file, field, self.at as u64, problem)
    }

    /// The next `len` bytes.
    pub fn take(&mut self, field: &'static str, len: usize) -> Result<&'a [u8]> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(taken) = rest.get(..len) else {
            return Err(self.corrupt(field, format!("needs {len} bytes, {} are left", rest.len())));
        };
        self.at += len;
        Ok(taken)
    }

    /// The next `len` bytes, by a length as files store it.
    pub fn take_u64(&mut self, field: &'static str, len: u64) -> Result<&'a [u8]> {
        match usize::try_from(len) {
            Ok(len) => self.take(field, len),
            Err(_) => Err(self.corrupt(
                field,
                format!("needs {len} bytes, {} are left", self.left()),
            )),
        }
    }

    /// Skips `len` bytes.
    pub fn skip(&mut self, field: &'static str, len: usize) -> Result<()> {
        self.take(field, len).map(|_| ())
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(field, N)?);
        Ok(array)
    }

    /// The next byte.
    pub fn u8(&mut self, field: &'static str) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array(field)?))
    }

    /// The next two bytes.
    pub fn u16(&mut self, field: &'static str) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array(field)?))
    }

    /// The next four bytes.
    pub fn u32(&mut self, field: &'static str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(field)?))
    }

    /// The next four bytes, signed.
    pub fn i32(&mut self, field: &'static str) -> Result<i32> {
        Ok(i32::from_le_bytes(self.array(field)?))
    }

    /// The next eight bytes.
    pub fn u64(&mut self, field: &'static str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(field)?))
    }

    /// The next eight bytes, a real number.
    pub fn f64(&mut self, field: &'static str) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array(field)?))
    }

    /// A byte that is 0 or 1; any other value is an error.
    pub fn flag(&mut self, field: &'static str) -> Result<bool> {
        let at = self.clone();
        match self.u8(field)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(at.corrupt(field, format!("is {other}, not 0 or 1"))),
        }
    }

    /// A count of records of at least `least` bytes each, checked against what is left.
    pub fn count(&mut self, field: &'static str, least: usize) -> Result<usize> {
        let at = self.clone();
        let count = self.u64(field)?;
        self.checked_count(&at, field, count, least)
    }

    /// The same for a 32-bit count.
    pub fn count_u32(&mut self, field: &'static str, least: usize) -> Result<usize> {
        let at = self.clone();
        let count = u64::from(self.u32(field)?);
        self.checked_count(&at, field, count, least)
    }

    fn checked_count(
        &self,
        at: &Self,
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
                at.corrupt(
                    field,
                    format!("announces {count} entries, {} bytes are left", self.left()),
                )
            })
    }

    /// `n` values of eight bytes.
    pub fn u64s(&mut self, field: &'static str, n: usize) -> Result<Vec<u64>> {
        let bytes = match n.checked_mul(8) {
            Some(len) => self.take(field, len)?,
            None => return Err(self.corrupt(field, format!("announces {n} entries"))),
        };
        Ok(bytes
            .chunks_exact(8)
            .map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default()))
            .collect())
    }

    /// A text with a 64-bit length before it.
    pub fn text(&mut self, field: &'static str) -> Result<String> {
        let len = self.u64(field)?;
        self.utf8(field, len).map(str::to_owned)
    }

    /// A text with a 32-bit length before it.
    pub fn text_u32(&mut self, field: &'static str) -> Result<String> {
        self.str_u32(field).map(str::to_owned)
    }

    /// The same, left where it is.
    pub fn str_u32(&mut self, field: &'static str) -> Result<&'a str> {
        let len = u64::from(self.u32(field)?);
        self.utf8(field, len)
    }

    fn utf8(&mut self, field: &'static str, len: u64) -> Result<&'a str> {
        let at = self.clone();
        let bytes = self.take_u64(field, len)?;
        std::str::from_utf8(bytes).map_err(|_| at.corrupt(field, "is not UTF-8"))
    }

    /// Nothing may be left.
    pub fn end(&self) -> Result<()> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.corrupt("end", format!("is followed by {left} unknown bytes"))),
        }
    }
}
