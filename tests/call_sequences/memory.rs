//! Memory that calls read and write. It is valid until the end of a sequence, because queries and
//! buffers keep pointers.

use std::ffi::CString;

/// The bytes of a region. Sizes and counts in calls are at most 4096, and elements have at most 8
/// bytes.
pub(crate) const REGION: usize = 1 << 16;

/// The memory of one sequence.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    regions: Vec<Box<[u64]>>,
    texts: Vec<CString>,
    lists: Vec<Box<[usize]>>,
}

impl Memory {
    /// Returns a region whose words start with these.
    pub(crate) fn region(&mut self, words: impl IntoIterator<Item = u64>) -> usize {
        let mut region = vec![0u64; REGION / 8].into_boxed_slice();
        for (word, value) in region.iter_mut().zip(words) {
            *word = value;
        }
        let pointer = region.as_mut_ptr() as usize;
        self.regions.push(region);
        pointer
    }

    /// Returns a word, aligned for any number.
    pub(crate) fn word(&mut self, value: u64) -> usize {
        let mut word = vec![value; 4].into_boxed_slice();
        let pointer = word.as_mut_ptr() as usize;
        self.regions.push(word);
        pointer
    }

    /// Returns a C string; bytes after a zero are left out.
    pub(crate) fn text(&mut self, text: &[u8]) -> usize {
        let end = text.iter().position(|byte| *byte == 0);
        let text = CString::new(&text[..end.unwrap_or(text.len())]).unwrap_or_default();
        let pointer = text.as_ptr() as usize;
        self.texts.push(text);
        pointer
    }

    /// Returns a list of pointers.
    pub(crate) fn list(&mut self, pointers: Vec<usize>) -> usize {
        let list = pointers.into_boxed_slice();
        let pointer = list.as_ptr() as usize;
        self.lists.push(list);
        pointer
    }

    /// Returns the word at an address that [`Self::word`] returned.
    pub(crate) fn read(&self, address: usize) -> usize {
        let found = self
            .regions
            .iter()
            .find(|region| region.as_ptr() as usize == address);
        found.map_or(0, |words| words[0] as usize)
    }
}
