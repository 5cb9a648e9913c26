//! A consolidated commits file: the content of multiple commit files in one.
//!
//! ```text
//! for each commit
//!   name        relative to the array, then a line feed; the suffix determines the kind:
//!   .wrt .ok    a fragment; nothing more
//!   .del .upd   a condition: u64 length, then a generic tile of that many bytes
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink, find_byte};
use crate::error::Result;
use crate::format::names::folders;

/// A commit of a consolidated file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitEntry<'a> {
    /// The name of the commit's file, relative to the array.
    pub name: &'a str,
    /// The position of the name in the file.
    pub start: usize,
    /// The position in the file and the bytes of the condition's generic tile; `None` for a
    /// fragment.
    pub condition: Option<(u64, &'a [u8])>,
}

/// Reads the commits of a file one by one. The first error is the last item.
pub struct ConsolidatedCommitsReader<'a> {
    file: &'a [u8],
    from: Cursor<'a>,
}

impl<'a> ConsolidatedCommitsReader<'a> {
    /// Starts at the first commit of a file.
    pub fn new(file: &'a [u8]) -> Self {
        let from = Cursor::new("consolidated commits", file);
        Self { file, from }
    }

    fn read(&mut self) -> Result<CommitEntry<'a>> {
        let from = &mut self.from;
        let before = from.clone();
        let start = from.position();
        let rest = self.file.get(start..).unwrap_or_default();
        let Some(len) = find_byte(rest, b'\n') else {
            return Err(before.corrupt("commit name", "has no end"));
        };
        let Ok(name) = std::str::from_utf8(from.take("commit name", len)?) else {
            return Err(before.corrupt("commit name", "is not UTF-8"));
        };
        from.skip("line feed", 1)?;
        let has_condition = name.ends_with(folders::DELETE) || name.ends_with(folders::UPDATE);
        let condition = if has_condition {
            let len = from.u64("condition")?;
            let start = from.position() as u64;
            Some((start, from.take_u64("condition", len)?))
        } else {
            None
        };
        Ok(CommitEntry {
            name,
            start,
            condition,
        })
    }
}

impl<'a> Iterator for ConsolidatedCommitsReader<'a> {
    type Item = Result<CommitEntry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.from.left() == 0 {
            return None;
        }
        let read = self.read();
        if read.is_err() {
            self.from = Cursor::new("consolidated commits", &[]);
        }
        Some(read)
    }
}

/// Reads the commits of a file.
pub fn read_consolidated_commits(file: &[u8]) -> Result<Vec<CommitEntry<'_>>> {
    ConsolidatedCommitsReader::new(file).collect()
}

/// Appends a commit; `name` is relative to the array.
pub fn write_consolidated_commit(to: &mut Sink, name: &str, condition: Option<&[u8]>) {
    to.put(name.as_bytes());
    to.put(b"\n");
    if let Some(condition) = condition {
        to.u64(condition.len() as u64);
        to.put(condition);
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut file = Sink::new();
        write_consolidated_commit(&mut file, "__commits/__1_1_a_22.wrt", None);
        write_consolidated_commit(&mut file, "__commits/__2_2_b_22.del", Some(b"a\nb\n"));
        write_consolidated_commit(&mut file, "__3_3_c_9.ok", None);
        file.into_bytes()
    }

    #[test]
    fn line_feeds_in_conditions_do_not_end_a_name() {
        let file = sample();
        let entries = read_consolidated_commits(&file).expect("entries");
        let names: Vec<_> = entries.iter().map(|entry| entry.name).collect();
        assert_eq!(
            names,
            [
                "__commits/__1_1_a_22.wrt",
                "__commits/__2_2_b_22.del",
                "__3_3_c_9.ok"
            ]
        );
        let condition = Some((58, b"a\nb\n".as_slice()));
        assert_eq!(entries[1].condition, condition);
    }

    #[test]
    fn a_file_truncated_within_an_entry_is_an_error() {
        let file = sample();
        let ends = [0, 25, 62, file.len()];
        for cut in 0..=file.len() {
            let read = read_consolidated_commits(&file[..cut]);
            assert_eq!(read.is_ok(), ends.contains(&cut), "cut at {cut}");
        }
    }
}
