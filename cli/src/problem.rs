//! Errors as users see them: a sentence, a hint and an exit code.

use std::fmt::Write;
use std::io;
use std::process::ExitCode;

use tiledb_engine::{Error, ErrorKind};

/// The result of a command.
pub(crate) type Result<T> = std::result::Result<T, Problem>;

/// The cause of an error, which determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Usage,
    Missing,
    Storage,
    /// The reader of standard output has gone.
    ClosedPipe,
}

/// An error.
#[derive(Debug)]
pub(crate) struct Problem {
    cause: Cause,
    sentence: String,
    hint: Option<String>,
}

impl Problem {
    fn new(cause: Cause, sentence: impl Into<String>) -> Self {
        Self {
            cause,
            sentence: sentence.into(),
            hint: None,
        }
    }

    /// Creates an error about an argument.
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self::new(Cause::Usage, sentence)
    }

    /// Creates an error about an object that does not exist.
    pub(crate) fn missing(sentence: impl Into<String>) -> Self {
        Self::new(Cause::Missing, sentence)
    }

    /// Creates an error about a file.
    pub(crate) fn file(action: &str, path: &str, error: &io::Error) -> Self {
        let cause = match error.kind() {
            io::ErrorKind::NotFound => Cause::Missing,
            _ => Cause::Storage,
        };
        Self::new(cause, format!("cannot {action} '{path}': {error}"))
    }

    /// Adds a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds where the problem is to the beginning of the sentence.
    pub(crate) fn within(mut self, position: &str) -> Self {
        self.sentence = format!("{position}: {}", self.sentence);
        self
    }

    /// Returns whether the reader of standard output has gone, which is not an error of the
    /// command.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.cause == Cause::ClosedPipe
    }

    /// Returns the exit code.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self.cause {
            Cause::Usage => 2,
            Cause::Missing => 3,
            Cause::Storage | Cause::ClosedPipe => 4,
        })
    }

    /// Returns the lines for standard error.
    pub(crate) fn report(&self, colors: bool) -> String {
        let (red, cyan, reset) = if colors {
            ("\x1b[31;1m", "\x1b[36m", "\x1b[0m")
        } else {
            ("", "", "")
        };
        let mut text = format!("{red}error:{reset} {}\n", self.sentence);
        if let Some(hint) = &self.hint {
            let _ = writeln!(text, "{cyan}hint:{reset} {hint}");
        }
        text
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let sentence = error.to_string();
        match error.kind() {
            ErrorKind::Condition { .. } => Self::usage(sentence).hint(
                "a condition looks like: temperature > 20.5 AND station IN ('a', 'b') AND note IS NOT NULL",
            ),
            ErrorKind::Budget(_) => Self::new(Cause::Storage, sentence)
                .hint("raise the limit with --config sm.mem.total_budget=BYTES"),
            _ if error.is_usage() => Self::usage(sentence),
            _ if error.is_missing() => Self::missing(sentence),
            _ => Self::new(Cause::Storage, sentence),
        }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        let cause = match error.kind() {
            io::ErrorKind::BrokenPipe => Cause::ClosedPipe,
            _ => Cause::Storage,
        };
        Self::new(cause, format!("cannot write: {error}"))
    }
}

impl From<csv::Error> for Problem {
    fn from(error: csv::Error) -> Self {
        let sentence = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(error) => error.into(),
            _ => Self::usage(sentence),
        }
    }
}
