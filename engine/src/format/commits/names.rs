//! A list of names, one per line: vacuum files and ignore files.
//!
//! Vacuum files list fragments or metadata files, by absolute URI before format 19; ignore files
//! list commits of consolidated files. Only the part after the last slash is used.

use crate::error::{Error, Result};

/// Returns the last components of the names in a file. Empty lines are ignored, so an empty file is
/// valid.
pub fn read_names(file: &[u8]) -> Result<Vec<&str>> {
    let Ok(text) = std::str::from_utf8(file) else {
        return Err(Error::corrupt("list of names", "names", 0, "are not UTF-8"));
    };
    Ok(text
        .lines()
        .map(|line| line.trim_end_matches('/'))
        .filter_map(|line| line.rsplit('/').next())
        .filter(|name| !name.is_empty())
        .collect())
}

/// Returns whether a list was written completely. It has at least one name, and each ends with a
/// line feed.
pub fn is_complete_list(file: &[u8]) -> bool {
    file.ends_with(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_last_components_are_used() {
        let file = b"__fragments/__1_1_a_19\n\nfile:///arrays/x/__2_2_b_9\n__3_3_c_4/";
        let names = read_names(file).expect("names");
        assert_eq!(names, ["__1_1_a_19", "__2_2_b_9", "__3_3_c_4"]);
        assert!(read_names(b"").expect("names").is_empty());
        assert!(read_names(b"\xff\n").is_err());
    }

    #[test]
    fn cut_files_are_incomplete() {
        assert!(is_complete_list(b"__1_1_a_19\n"));
        assert!(!is_complete_list(b"__1_1_a_1"));
        assert!(!is_complete_list(b""));
    }
}
