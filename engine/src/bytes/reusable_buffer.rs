//! A byte buffer that keeps its allocation.

use crate::error::{Result, reserve};

/// A byte buffer whose allocation, already initialised, survives [`clear`](Self::clear). Refilling
/// it costs neither an allocation nor zeroing.
#[derive(Debug, Default)]
pub struct ReusableBuffer {
    /// All of it is initialised; bytes from `len` on are left over from earlier contents.
    memory: Vec<u8>,
    len: usize,
}

impl ReusableBuffer {
    /// Creates an empty buffer without an allocation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the length to 0 and keeps the allocation.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Shortens the buffer to at most `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Appends `more` bytes of unspecified content and returns them to be overwritten.
    /// Returns an error if memory cannot be allocated.
    #[inline]
    pub fn grow(&mut self, more: usize) -> Result<&mut [u8]> {
        let start = self.len;
        let end = start.saturating_add(more);
        if end > self.memory.len() {
            self.extend(end)?;
        }
        self.len = end;
        Ok(&mut self.memory[start..end])
    }

    /// Initialises the memory up to `end`.
    #[cold]
    fn extend(&mut self, end: usize) -> Result<()> {
        let missing = end - self.memory.len();
        reserve("a tile", &mut self.memory, missing)?;
        self.memory.resize(end, 0);
        Ok(())
    }

    /// Appends bytes. Returns an error if memory cannot be allocated.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.grow(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// Removes the first `len` bytes and moves the rest to the front.
    pub fn drop_front(&mut self, len: usize) {
        let len = len.min(self.len);
        self.memory.copy_within(len..self.len, 0);
        self.len -= len;
    }

    /// Takes the content of a vector, which gets this buffer's allocation with unspecified content.
    pub fn exchange(&mut self, bytes: &mut Vec<u8>) {
        std::mem::swap(&mut self.memory, bytes);
        self.len = self.memory.len();
    }

    /// Returns the size of the allocation in bytes.
    pub fn memory(&self) -> usize {
        self.memory.capacity()
    }

    /// Releases the allocation if it is larger than `max` bytes.
    pub fn shrink(&mut self, max: usize) {
        if self.memory.capacity() > max {
            *self = Self::default();
        }
    }

    /// Converts the buffer into a vector of its bytes.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.memory.truncate(self.len);
        self.memory
    }
}

impl std::ops::Deref for ReusableBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[..self.len]
    }
}

impl std::ops::DerefMut for ReusableBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_bytes_leave_the_allocation() {
        let mut buffer = ReusableBuffer::new();
        buffer.put(&[1, 2, 3]).expect("memory");
        buffer.grow(2).expect("memory").fill(9);
        assert_eq!(buffer[..], [1, 2, 3, 9, 9]);
        buffer.drop_front(2);
        assert_eq!(buffer[..], [3, 9, 9]);
        buffer.truncate(1);
        let memory = buffer.as_ptr();
        assert_eq!(buffer.grow(3).expect("memory").len(), 3);
        assert_eq!(buffer.as_ptr(), memory);
        let mut bytes = vec![5, 6];
        buffer.exchange(&mut bytes);
        assert_eq!((&buffer[..], bytes.as_ptr()), (&[5, 6][..], memory));
        buffer.clear();
        assert!(buffer.is_empty());
        buffer.put(&[7]).expect("memory");
        assert_eq!(buffer.into_bytes(), [7]);
        assert!(ReusableBuffer::new().grow(usize::MAX).is_err());
    }
}
