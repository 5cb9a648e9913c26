//! Log lines, written to standard error. The configuration selects the level; the default level
//! writes fatal errors only.

use std::io::Write;

use crate::types::now;

/// The severity of a line. The numbers are the values of the parameter `config.logging_level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Level {
    Fatal,
    Error,
    Warning,
    Info,
    Debug,
    Trace,
}

impl Level {
    /// Returns the level that a value of the parameter stands for.
    pub fn new(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Fatal,
            1 => Self::Error,
            2 => Self::Warning,
            3 => Self::Info,
            4 => Self::Debug,
            5 => Self::Trace,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Fatal => "critical",
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Plain text.
    Default,
    /// One JSON object per line.
    Json,
}

/// The log of one context.
#[derive(Clone, Copy, Debug)]
pub struct Log {
    /// The least severe level that is written.
    pub level: Level,
    /// The format of lines.
    pub format: Format,
}

impl Log {
    /// Writes a line, if its level is selected.
    pub fn write(self, level: Level, message: &str) {
        if level <= self.level {
            let line = self.line(level, message, now());
            // An error of the log cannot be reported anywhere.
            let _ = std::io::stderr().lock().write_all(line.as_bytes());
        }
    }

    fn line(self, level: Level, message: &str, at_ms: u64) -> String {
        let (time, process, level) = (utc(at_ms), std::process::id(), level.name());
        match self.format {
            Format::Default => {
                format!("[{time}] [Process: {process}] [{level}] [Context] {message}\n")
            }
            Format::Json => {
                let message = serde_json::Value::from(message);
                format!(
                    "{{\"severity\":\"{level}\",\"timestamp\":\"{time}\",\"process\":\"{process}\",\
                     \"name\":\"Context\",\"message\":{message}}}\n"
                )
            }
        }
    }
}

/// Formats a time in UTC, as "2026-01-31 12:00:00.000".
fn utc(at_ms: u64) -> String {
    let (days, ms) = (at_ms / 86_400_000, at_ms % 86_400_000);
    let (year, month, day) = date(days);
    let (seconds, ms) = (ms / 1000, ms % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{ms:03}")
}

/// Returns year, month and day of a day counted from 1970-01-01. Years begin in March, so that the
/// leap day is the last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // from 0000-03-01
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let january_on = u64::from(month >= 10);
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + january_on, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_in_utc() {
        assert_eq!(utc(0), "1970-01-01 00:00:00.000");
        assert_eq!(utc(951_782_400_000), "2000-02-29 00:00:00.000");
        assert_eq!(utc(1_795_229_183_867), "2026-11-21 02:46:23.867");
    }

    #[test]
    fn messages_are_escaped_in_json_lines() {
        let log = Log {
            level: Level::Trace,
            format: Format::Json,
        };
        let line = log.line(Level::Warning, "a \"b\"\n", 0);
        let read: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(read["message"], "a \"b\"\n");
        assert_eq!(read["severity"], "warning");
    }

    #[test]
    fn levels_have_the_numbers_of_the_parameter() {
        assert_eq!(Level::new(2), Some(Level::Warning));
        assert_eq!(Level::new(6), None);
        assert!(Level::Error < Level::Warning);
    }
}
