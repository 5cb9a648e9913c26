//! A list of names, one on each line: vacuum files and ignore files.
//!
//! Vacuum files name fragments or metadata files, until format 18 by absolute URI; ignore files
//! name commits of consolidated files. Whatever stands before the last slash, the last part is the
//! name.

use crate::error::{Error, Result};

/// Returns the last parts of the names in a file. Empty lines name nothing, so that an empty file
/// is fine.
pub fn read_names(file: &[u8]) -> Result<Vec<&str>> {
    let Ok(text) = std::str::from_utf8(file) else {
        return Err(Error::corrupt("list of names", "names", 0, "are not UTF-8"));
    };
    let lines = text.lines().map(|line| line.trim_end_matches('/'));
    let names = lines.filter_map(|line| line.rsplit('/').next());
    Ok(names.filter(|name| !name.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_last_parts_count() {
        let file = b"__fragments/__1_1_a_19\n\nfile:///arrays/x/__2_2_b_9\n__3_3_c_4/";
        let names = read_names(file).expect("names");
        assert_eq!(names, ["__1_1_a_19", "__2_2_b_9", "__3_3_c_4"]);
        assert!(read_names(b"").expect("names").is_empty());
        assert!(read_names(b"\xff\n").is_err());
    }
}
