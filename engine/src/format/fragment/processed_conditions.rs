//! The delete and update conditions that a consolidated fragment has already applied.
//!
//! ```text
//! number   u64
//! names    for each u64 length, then the file name of the condition; sorted
//! ```

use crate::bytes::{Cursor, Sink};
use crate::error::Result;

/// Reads the file names of conditions.
pub fn read_processed_conditions(from: &mut Cursor<'_>) -> Result<Vec<String>> {
    let count = from.count("number", 8)?;
    from.list(count, |from| from.text("condition"))
}

/// Writes the file names of conditions.
pub fn write_processed_conditions(to: &mut Sink, names: &[String]) {
    to.u64(names.len() as u64);
    for name in names {
        to.text(name);
    }
}
