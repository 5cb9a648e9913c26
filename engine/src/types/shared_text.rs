//! A text that may be a part of a longer one.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// An immutable text, which shares its memory with others: the names of all fragments of an array
/// are parts of one text.
#[derive(Clone)]
pub struct SharedText {
    whole: Arc<String>,
    start: u32,
    len: u32,
}

impl SharedText {
    /// Returns a part of a text. If the bounds are not those of characters, the part is empty.
    pub fn part_of(whole: &Arc<String>, range: Range<usize>) -> Self {
        let bounds = (u32::try_from(range.start), u32::try_from(range.len()));
        match (bounds, whole.get(range)) {
            ((Ok(start), Ok(len)), Some(_)) => Self {
                whole: whole.clone(),
                start,
                len,
            },
            (_, part) => Self::from(part.unwrap_or_default()),
        }
    }

    /// Returns the first `len` bytes of this text; the whole text if it has fewer.
    pub fn first(&self, len: usize) -> Self {
        let start = self.start as usize;
        Self::part_of(&self.whole, start..start + len.min(self.len as usize))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        let (start, len) = (self.start as usize, self.len as usize);
        self.whole.get(start..start + len).unwrap_or_default()
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Self {
            whole: Arc::new(text.to_owned()),
            start: 0,
            // Texts of more than 4 GiB are never made: names have limits.
            len: u32::try_from(text.len()).unwrap_or(0),
        }
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for SharedText {}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_a_text() {
        let whole = Arc::new("one, zwölf".to_owned());
        let part = SharedText::part_of(&whole, 5..11);
        assert_eq!(part.as_str(), "zwölf");
        assert_eq!(part, SharedText::from("zwölf"));
        assert_eq!(part.first(2).as_str(), "zw");
        assert_eq!(part.first(20).as_str(), "zwölf");
        assert_eq!(Arc::strong_count(&whole), 2);
        for range in [5..12, 8..11] {
            assert_eq!(SharedText::part_of(&whole, range).as_str(), "");
        }
    }
}
