//! The engine's errors, grouped by what the caller can do about them.
//!
//! `Display` prints one line. Texts that programs compare follow libtiledb's wording; context
//! (file, field) is added once, by the layer that has it.

use std::fmt;

/// The result of a fallible function of the engine.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the engine. It is one pointer wide, so that it adds little to the size of results.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

const _: () = assert!(size_of::<Result<()>>() == size_of::<usize>());

/// The causes of errors.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller broke a rule of the API. Displayed as "origin: message".
    Usage {
        /// The component that reports the error, as libtiledb names it ("ArraySchema", "Query",
        /// ...).
        origin: &'static str,
        /// The problem, with the value and what is allowed.
        message: String,
    },
    /// Stored bytes do not follow the format.
    Corrupt {
        /// The kind of record ("fragment footer", "array schema", ...).
        file: &'static str,
        /// The URI of the object, if known.
        uri: Option<String>,
        /// The field of the record.
        field: &'static str,
        /// The start of the field, in bytes from the start of the record.
        offset: u64,
        /// The problem, as the end of a sentence that begins with the field.
        problem: String,
    },
    /// The storage backend failed.
    Storage {
        /// The failed action, as an infinitive: "read", "create directory".
        action: &'static str,
        /// The URI of the object.
        uri: String,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// Memory whose size depends on user input or a file could not be allocated.
    OutOfMemory {
        /// The purpose of the memory.
        what: &'static str,
        /// The size in bytes.
        bytes: u64,
    },
    /// A query cannot progress within its memory budget.
    Budget {
        /// The component that exceeded the budget ("DenseReader", ...).
        origin: &'static str,
        /// The memory needed, the budget, and the parameter to raise.
        message: String,
    },
    /// A file of an open array no longer exists, because a vacuum or a deletion of fragments
    /// removed it.
    Removed {
        /// The URI of the file.
        uri: String,
    },
    /// The text of a condition does not follow the grammar or does not fit the array.
    Condition {
        /// The position of the problem in the text, in characters, counted from 1.
        position: usize,
        /// The problem.
        message: String,
    },
    /// The tasks of the context were cancelled.
    Cancelled,
}

impl Error {
    #[cold]
    fn new(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }

    /// Creates an error about a broken rule of the API.
    pub fn usage(origin: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(ErrorKind::Usage { origin, message })
    }

    /// Creates an error about stored bytes that do not follow the format; add the URI with
    /// [`Error::with_uri`].
    pub fn corrupt(
        file: &'static str,
        field: &'static str,
        offset: u64,
        problem: impl Into<String>,
    ) -> Self {
        Self::new(ErrorKind::Corrupt {
            file,
            uri: None,
            field,
            offset,
            problem: problem.into(),
        })
    }

    /// Creates an error about a failed storage operation.
    pub fn storage(action: &'static str, uri: impl Into<String>, source: std::io::Error) -> Self {
        Self::new(ErrorKind::Storage {
            action,
            uri: uri.into(),
            source,
        })
    }

    /// Creates an error about a failed allocation of `bytes` bytes for `what`.
    pub fn out_of_memory(what: &'static str, bytes: u64) -> Self {
        Self::new(ErrorKind::OutOfMemory { what, bytes })
    }

    /// Creates an error about an insufficient memory budget; the message states the need, the
    /// budget and the parameter to raise.
    pub fn budget(origin: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(ErrorKind::Budget { origin, message })
    }

    /// Creates an error about a file that was removed after the array was opened.
    pub fn removed(uri: impl Into<String>) -> Self {
        Self::new(ErrorKind::Removed { uri: uri.into() })
    }

    /// Creates an error about the text of a condition. `position` is in characters, counted from 1.
    pub fn condition(position: usize, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Condition {
            position,
            message: message.into(),
        })
    }

    /// Creates the error that ends a cancelled operation.
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled)
    }

    /// Returns the cause.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Adds the URI of the object whose bytes are corrupt, unless the error has one.
    #[must_use]
    pub fn with_uri(mut self, uri: impl fmt::Display) -> Self {
        if let ErrorKind::Corrupt {
            uri: missing @ None,
            ..
        } = &mut *self.0
        {
            *missing = Some(uri.to_string());
        }
        self
    }

    /// Returns whether storage reported that the object does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self.kind(), ErrorKind::Storage { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    }

    /// Returns whether a file does not exist, or no longer exists.
    pub fn is_missing(&self) -> bool {
        self.is_not_found() || matches!(self.kind(), ErrorKind::Removed { .. })
    }

    /// Returns the URI of the object that a storage operation failed on or that was removed.
    pub fn object(&self) -> Option<&str> {
        match self.kind() {
            ErrorKind::Storage { uri, .. } | ErrorKind::Removed { uri } => Some(uri),
            _ => None,
        }
    }

    /// Returns whether the error reports a corrupt field that starts at byte `end` or before.
    #[cfg(test)]
    pub(crate) fn is_corrupt_by(&self, end: usize) -> bool {
        matches!(self.kind(), ErrorKind::Corrupt { offset, .. } if *offset <= end as u64)
    }

    /// Returns whether the operation was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.kind(), ErrorKind::Cancelled)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ErrorKind::Usage { origin, message } | ErrorKind::Budget { origin, message } => {
                write!(f, "{origin}: {message}")
            }
            ErrorKind::Corrupt {
                file,
                uri,
                field,
                offset,
                problem,
            } => {
                write!(f, "{file}: {field} at byte {offset} {problem}")?;
                match uri {
                    Some(uri) => write!(f, "; in '{uri}'"),
                    None => Ok(()),
                }
            }
            ErrorKind::Storage {
                action,
                uri,
                source,
            } => write!(f, "IO Error: Cannot {action} '{uri}'; {}", reason(source)),
            ErrorKind::OutOfMemory { what, bytes } => {
                write!(f, "Cannot allocate {bytes} bytes for {what}")
            }
            ErrorKind::Removed { uri } => write!(
                f,
                "Cannot read '{uri}'; It was removed after the array was opened, by a vacuum or a deletion of fragments: reopen the array"
            ),
            ErrorKind::Condition { position, message } => {
                write!(f, "Condition: {message}; at character {position}")
            }
            ErrorKind::Cancelled => f.write_str("Query: Query was cancelled"),
        }
    }
}

/// Returns the operating system's message without the error number that the standard library
/// appends.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Storage { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Returns a vector with capacity for `len` values, or an error if memory cannot be allocated.
pub fn try_reserved<T>(what: &'static str, len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    reserve_exact(what, &mut vec, len)?;
    Ok(vec)
}

/// Returns a vector of `len` default values, or an error if memory cannot be allocated.
pub fn try_vec<T: Clone + Default>(what: &'static str, len: usize) -> Result<Vec<T>> {
    let mut vec = try_reserved(what, len)?;
    vec.resize(len, T::default());
    Ok(vec)
}

/// Changes the length of a vector, or returns an error if memory cannot be allocated. The values
/// are initialised but unspecified.
pub fn try_resize<T: Clone + Default>(
    what: &'static str,
    vec: &mut Vec<T>,
    len: usize,
) -> Result<()> {
    if vec.capacity() < len {
        *vec = try_vec(what, len)?;
    }
    vec.resize(len, T::default());
    Ok(())
}

/// Reserves capacity for `more` values, and for some of those that may follow, or returns an error
/// if memory cannot be allocated.
pub fn reserve<T>(what: &'static str, vec: &mut Vec<T>, more: usize) -> Result<()> {
    vec.try_reserve(more)
        .map_err(|_| allocation_failed::<T>(what, more))
}

/// Reserves capacity for exactly `more` values, or returns an error if memory cannot be allocated.
pub fn reserve_exact<T>(what: &'static str, vec: &mut Vec<T>, more: usize) -> Result<()> {
    vec.try_reserve_exact(more)
        .map_err(|_| allocation_failed::<T>(what, more))
}

fn allocation_failed<T>(what: &'static str, len: usize) -> Error {
    Error::out_of_memory(what, (len as u64).saturating_mul(size_of::<T>() as u64))
}

/// Returns the size in bytes of `cells` cells of `size` bytes each, or an error if no allocation
/// can be that large.
pub fn bytes_in_memory(what: &'static str, cells: usize, size: usize) -> Result<usize> {
    cells
        .checked_mul(size)
        .filter(|len| isize::try_from(*len).is_ok())
        .ok_or_else(|| Error::out_of_memory(what, u64::MAX))
}
