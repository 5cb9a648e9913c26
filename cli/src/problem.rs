//! Errors as users see them: a sentence, a hint and an exit code.

use std::fmt::Write;
use std::io;
use std::process::ExitCode;

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;
use tiff::TiffError;
use tiledb_engine::{Error, ErrorKind};

/// The result of a command.
pub(crate) type Result<T> = std::result::Result<T, Problem>;

/// The errors of a full disk.
const FULL: [io::ErrorKind; 3] = [
    io::ErrorKind::StorageFull,
    io::ErrorKind::QuotaExceeded,
    io::ErrorKind::FileTooLarge,
];

/// Returns whether a decoder, and not the operating system, reports an error.
fn is_about_content(error: &io::Error) -> bool {
    const KINDS: [io::ErrorKind; 3] = [
        io::ErrorKind::UnexpectedEof,
        io::ErrorKind::InvalidData,
        io::ErrorKind::InvalidInput,
    ];
    KINDS.contains(&error.kind()) && error.raw_os_error().is_none()
}

/// The cause of an error, which determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Usage,
    Missing,
    Storage,
    /// The reader of standard output has gone.
    ClosedPipe,
    /// A signal ended the command.
    Interrupted(u8),
}

/// An error.
#[derive(Debug)]
pub(crate) struct Problem {
    cause: Cause,
    sentence: String,
    hint: Option<String>,
    /// The text of an error of a file whose path is not known where it occurs.
    file_error: Option<String>,
}

impl Problem {
    fn new(cause: Cause, sentence: impl Into<String>) -> Self {
        Self {
            cause,
            sentence: sentence.into(),
            hint: None,
            file_error: None,
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

    /// Creates an error about stored data.
    pub(crate) fn damage(sentence: impl Into<String>) -> Self {
        Self::new(Cause::Storage, sentence)
    }

    /// Creates an error about a file.
    pub(crate) fn file(action: &str, path: &str, error: &io::Error) -> Self {
        // Errors about temporary files end with their path.
        let text = error.to_string();
        let text = text.split(" at path ").next().unwrap_or_default();
        let sentence = format!("cannot {action} '{path}': {text}");
        match error.kind() {
            io::ErrorKind::NotFound => {
                Self::new(Cause::Missing, sentence).hint("check the path of the file")
            }
            _ => Self::storage(sentence, error),
        }
    }

    /// Returns an error if the path of a file is a URI, which files cannot have.
    pub(crate) fn check_path(path: &str) -> Result<()> {
        if !path.contains("://") {
            return Ok(());
        }
        Err(
            Self::usage(format!("'{path}' is not the path of a local file"))
                .hint("arrays can be at any URI; tables and pictures are local files"),
        )
    }

    /// Creates an error of a file, with a hint if the disk is full.
    fn storage(sentence: String, error: &io::Error) -> Self {
        let problem = Self::new(Cause::Storage, sentence);
        if FULL.contains(&error.kind()) {
            problem.hint("free space, raise the limit, or choose another folder")
        } else {
            problem
        }
    }

    /// Creates an error about the content of a Parquet or Arrow file.
    fn bad_table(error: &dyn std::fmt::Display) -> Self {
        Self::usage(format!("the table cannot be converted: {error}"))
            .hint("--format selects the format of a file with another extension")
    }

    /// Creates an error about the content of a PNG or TIFF file.
    fn bad_picture(error: &dyn std::fmt::Display) -> Self {
        Self::usage(format!("the picture cannot be converted: {error}"))
            .hint("--format selects the format of a file with another extension")
    }

    /// Creates the error that ends a command after a signal.
    pub(crate) fn interrupted(signal: usize) -> Self {
        let code = u8::try_from(128 + signal).unwrap_or(u8::MAX);
        Self::new(
            Cause::Interrupted(code),
            "interrupted; what was incomplete is removed",
        )
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

    /// Names the file, if this is an error of a file.
    pub(crate) fn of_file(mut self, action: &str, path: &str) -> Self {
        if let Some(error) = self.file_error.take() {
            self.sentence = format!("cannot {action} '{path}': {error}");
        }
        self
    }

    /// Returns whether the reader of standard output has gone, which is not an error of the
    /// command.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.cause == Cause::ClosedPipe
    }

    /// Returns whether this is an error about an argument, or about data that an operation does
    /// not support.
    pub(crate) fn is_usage(&self) -> bool {
        self.cause == Cause::Usage
    }

    /// Returns the exit code.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self.cause {
            Cause::Usage => 2,
            Cause::Missing => 3,
            Cause::Storage | Cause::ClosedPipe => 4,
            Cause::Interrupted(code) => code,
        })
    }

    /// Returns the status of a response with the error.
    #[cfg(feature = "view")]
    pub(crate) fn status(&self) -> u16 {
        match self.cause {
            Cause::Usage => 400,
            Cause::Missing => 404,
            Cause::Storage | Cause::ClosedPipe | Cause::Interrupted(_) => 500,
        }
    }

    /// Returns the sentence and the hint as JSON.
    #[cfg(feature = "view")]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({"error": self.sentence, "hint": self.hint})
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
        let source = std::error::Error::source(&error);
        let source = source.and_then(|source| source.downcast_ref::<io::Error>());
        match error.kind() {
            _ if error.condition_position().is_some() => Self::usage(sentence).hint(
                "a condition looks like: temperature > 20.5 AND station IN ('a', 'b') AND note IS NOT NULL",
            ),
            ErrorKind::OutOfBudget => Self::new(Cause::Storage, sentence)
                .hint("raise the limit with --config sm.mem.total_budget=BYTES"),
            _ if source.is_some_and(|source| FULL.contains(&source.kind())) => {
                Self::new(Cause::Storage, sentence)
                    .hint("free space, raise the limit, or choose another folder")
            }
            _ if source.is_some_and(|source| source.kind() == io::ErrorKind::CrossesDevices) => {
                Self::new(Cause::Storage, sentence).hint(
                    "copy it with `tiledb-rs cp`, and remove the source with `tiledb-rs rm`",
                )
            }
            _ if error.is_encryption() => Self::usage(sentence).hint(
                "give the key with --config sm.encryption_type=AES_256_GCM --config sm.encryption_key=KEY",
            ),
            _ if error.is_usage() => Self::usage(sentence),
            _ if error.is_missing() => Self::missing(sentence),
            _ => Self::new(Cause::Storage, sentence),
        }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        let sentence = format!("cannot read or write a file: {error}");
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Cause::ClosedPipe, sentence),
            _ => Self {
                file_error: Some(error.to_string()),
                ..Self::storage(sentence, &error)
            },
        }
    }
}

impl From<csv::Error> for Problem {
    fn from(error: csv::Error) -> Self {
        let sentence = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(error) => error.into(),
            _ => Self::usage(sentence)
                .hint("a CSV file is text in UTF-8 with the same number of cells in each row"),
        }
    }
}

impl From<ArrowError> for Problem {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) if !is_about_content(&error) => error.into(),
            ArrowError::ExternalError(error) => match error.downcast::<tiledb_engine::Error>() {
                Ok(error) => (*error).into(),
                Err(error) => Self::bad_table(&ArrowError::ExternalError(error)),
            },
            error => Self::bad_table(&error),
        }
    }
}

impl From<ParquetError> for Problem {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => (*error).into(),
                Err(error) => Self::bad_table(&error),
            },
            error => Self::bad_table(&error),
        }
    }
}

impl From<png::DecodingError> for Problem {
    fn from(error: png::DecodingError) -> Self {
        Self::bad_picture(&error)
    }
}

impl From<png::EncodingError> for Problem {
    fn from(error: png::EncodingError) -> Self {
        match error {
            png::EncodingError::IoError(error) => error.into(),
            error => Self::bad_picture(&error),
        }
    }
}

impl From<TiffError> for Problem {
    fn from(error: TiffError) -> Self {
        match error {
            TiffError::IoError(error) if !is_about_content(&error) => error.into(),
            error => Self::bad_picture(&error),
        }
    }
}
