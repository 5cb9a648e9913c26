//! Bytes that are appended to memory which is kept.

use crate::error::{Result, reserve};

/// Bytes in memory that stays when they go: whoever fills it anew pays neither for memory nor for zeros.
#[derive(Debug, Default)]
pub struct Room {
    /// All of it is initialised; what lies past `len` is left over.
    memory: Vec<u8>,
    len: usize,
}

impl Room {
    /// An empty room.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the bytes and keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Forgets the bytes after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Appends `more` bytes that hold anything, to be written over. An error where memory is short.
    pub fn grow(&mut self, more: usize) -> Result<&mut [u8]> {
        let start = self.len;
        let end = start.saturating_add(more);
        if let missing @ 1.. = end.saturating_sub(self.memory.len()) {
            reserve("a tile", &mut self.memory, missing)?;
            self.memory.resize(end, 0);
        }
        self.len = end;
        Ok(&mut self.memory[start..end])
    }

    /// Appends bytes.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if end > self.memory.len() {
            self.memory.resize(end, 0);
        }
        self.memory[self.len..end].copy_from_slice(bytes);
        self.len = end;
    }

    /// Takes the first `len` bytes away; those after them move up.
    pub fn drop_front(&mut self, len: usize) {
        let len = len.min(self.len);
        self.memory.copy_within(len..self.len, 0);
        self.len -= len;
    }

    /// Takes the bytes of a vector, which gets the memory of this one: it may hold anything.
    pub fn exchange(&mut self, bytes: &mut Vec<u8>) {
        std::mem::swap(&mut self.memory, bytes);
        self.len = self.memory.len();
    }

    /// The memory it has, in bytes.
    pub fn memory(&self) -> usize {
        self.memory.capacity()
    }

    /// Gives memory back where it is more than `most` bytes.
    pub fn shrink(&mut self, most: usize) {
        if self.memory.capacity() > most {
            *self = Self::default();
        }
    }

    /// The bytes, in a vector of their own.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.memory.truncate(self.len);
        self.memory
    }
}

impl std::ops::Deref for Room {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[..self.len]
    }
}

impl std::ops::DerefMut for Room {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_leaves_its_memory() {
        let mut room = Room::new();
        room.put(&[1, 2, 3]);
        room.grow(2).expect("memory").fill(9);
        assert_eq!(room[..], [1, 2, 3, 9, 9]);
        room.drop_front(2);
        assert_eq!(room[..], [3, 9, 9]);
        room.truncate(1);
        let memory = room.as_ptr();
        assert_eq!(room.grow(3).expect("memory").len(), 3);
        assert_eq!(room.as_ptr(), memory);
        let mut bytes = vec![5, 6];
        room.exchange(&mut bytes);
        assert_eq!((&room[..], bytes.as_ptr()), (&[5, 6][..], memory));
        room.clear();
        assert!(room.is_empty());
        room.put(&[7]);
        assert_eq!(room.into_bytes(), [7]);
        assert!(Room::new().grow(usize::MAX).is_err());
    }
}
