//! Printing of results.

use std::io::{self, BufWriter, StdoutLock, Write};

use serde_json::Value;

use crate::problem::Result;

/// Standard output, as text or JSON.
pub(crate) struct Output {
    /// Whether results are printed as JSON.
    pub(crate) json: bool,
    out: BufWriter<StdoutLock<'static>>,
}

impl Output {
    /// Locks the standard output.
    pub(crate) fn new(json: bool) -> Self {
        Self {
            json,
            out: BufWriter::new(io::stdout().lock()),
        }
    }

    /// Prints a text, which ends with a newline.
    pub(crate) fn text(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes())?;
        Ok(self.out.flush()?)
    }

    /// Prints what the command is going to do. The command does it even if the reader of the output
    /// has gone.
    pub(crate) fn announce(&mut self, text: &str) -> Result<()> {
        match self.text(text) {
            Err(problem) if problem.is_closed_pipe() => Ok(()),
            printed => printed,
        }
    }

    /// Prints the JSON form or the text form of a result.
    pub(crate) fn print(&mut self, json: &Value, text: impl FnOnce() -> String) -> Result<()> {
        if self.json {
            self.text(&format!("{json:#}\n"))
        } else {
            self.text(&text())
        }
    }

    /// Returns the writer, for long results.
    pub(crate) fn writer(&mut self) -> &mut impl Write {
        &mut self.out
    }
}

/// Returns a number of bytes as text with a unit, such as "1.5 MiB".
pub(crate) fn bytes_text(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Returns a timestamp, in milliseconds since 1970, as a date and time.
pub(crate) fn time_text(timestamp: u64) -> String {
    use tiledb_engine::{Datatype, Scalar};
    if timestamp == u64::MAX {
        return "now".to_owned();
    }
    Scalar::Integer(timestamp.into()).text(Datatype::DatetimeMs)
}
