//! What can go wrong, told by what the caller can do about it.
//!
//! `Display` is one line. Texts that programs match on follow libtiledb's words; context (the file, the field)
//! is added where it is known, once.

use std::fmt;

/// The result of everything fallible in the engine.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the engine: as wide as a pointer, since every answer that can fail has room for one.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

const _: () = assert!(size_of::<Result<()>>() == size_of::<usize>());

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller broke a rule of the API. Reads "origin: message".
    Usage {
        /// The component whose rule it is, as libtiledb names it ("ArraySchema", "Query", ...).
        origin: &'static str,
        /// What is wrong, with the value and what was allowed.
        message: String,
    },
    /// Bytes on storage do not follow the format.
    Corrupt {
        /// Which kind of record ("fragment footer", "array schema", ...).
        file: &'static str,
        /// Where it is stored, once known.
        uri: Option<String>,
        /// The field of the record.
        field: &'static str,
        /// Where the field starts, in bytes from the start of the record.
        offset: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// The storage backend failed.
    Storage {
        /// What was tried, as an infinitive: "read", "create directory".
        action: &'static str,
        /// The object it was tried on.
        uri: String,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// Memory that user input or a file asked for could not be had.
    OutOfMemory {
        /// What the memory was for.
        what: &'static str,
        /// How many bytes were asked for.
        bytes: u64,
    },
    /// A query cannot progress within its memory budget.
    Budget {
        /// The component that ran out ("DenseReader", ...).
        origin: &'static str,
        /// The need, the budget, and the parameter to raise.
        message: String,
    },
    /// A file of an open array no longer exists, because what it belongs to was removed meanwhile.
    Removed {
        /// The file.
        uri: String,
    },
    /// Somebody cancelled the tasks of the context.
    Cancelled,
}

impl Error {
    #[cold]
    fn new(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }

    /// A broken rule of the API.
    pub fn usage(origin: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(ErrorKind::Usage { origin, message })
    }

    /// Bytes that do not follow the format; add the place with [`Error::at`].
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

    /// A failed storage operation.
    pub fn storage(action: &'static str, uri: impl Into<String>, source: std::io::Error) -> Self {
        Self::new(ErrorKind::Storage {
            action,
            uri: uri.into(),
            source,
        })
    }

    /// Memory for `what` that could not be had.
    pub fn out_of_memory(what: &'static str, bytes: u64) -> Self {
        Self::new(ErrorKind::OutOfMemory { what, bytes })
    }

    /// A budget that does not suffice; the message names the need, the budget, and the parameter to raise.
    pub fn budget(origin: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(ErrorKind::Budget { origin, message })
    }

    /// A file that was removed after the array was opened.
    pub fn removed(uri: impl Into<String>) -> Self {
        Self::new(ErrorKind::Removed { uri: uri.into() })
    }

    /// The end of what somebody cancelled.
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled)
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Names the object whose bytes are corrupt, unless it is named already.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        if let ErrorKind::Corrupt {
            uri: uri @ None, ..
        } = &mut *self.0
        {
            *uri = Some(place.to_string());
        }
        self
    }

    /// Whether the storage answered that the object does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self.kind(), ErrorKind::Storage { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    }

    /// Returns whether the error is that a file does not exist, or no longer.
    pub fn is_missing(&self) -> bool {
        self.is_not_found() || matches!(self.kind(), ErrorKind::Removed { .. })
    }

    /// Returns the object that a storage operation failed on, or that was removed.
    pub fn object(&self) -> Option<&str> {
        match self.kind() {
            ErrorKind::Storage { uri, .. } | ErrorKind::Removed { uri } => Some(uri),
            _ => None,
        }
    }

    /// Whether bytes are corrupt, in a field that begins at `end` at the latest.
    #[cfg(test)]
    pub(crate) fn is_corrupt_by(&self, end: usize) -> bool {
        matches!(self.kind(), ErrorKind::Corrupt { offset, .. } if *offset <= end as u64)
    }

    /// Whether somebody cancelled what ended with it.
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
            ErrorKind::Cancelled => f.write_str("Query: Query was cancelled"),
        }
    }
}

/// What the operating system says, without the number that the standard library puts behind it.
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

/// A vector with room for `len` values, unless there is no memory for it.
pub fn try_reserved<T>(what: &'static str, len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    reserve_exact(what, &mut vec, len)?;
    Ok(vec)
}

/// A vector of `len` default values, or an error where the memory cannot be had.
pub fn try_vec<T: Clone + Default>(what: &'static str, len: usize) -> Result<Vec<T>> {
    let mut vec = try_reserved(what, len)?;
    vec.resize(len, T::default());
    Ok(vec)
}

/// Gives a vector a length, or an error where the memory cannot be had. What it holds is undefined but initialised.
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

/// Room for `more` values in a vector, and some of those to come, unless there is no memory for it.
pub fn reserve<T>(what: &'static str, vec: &mut Vec<T>, more: usize) -> Result<()> {
    vec.try_reserve(more).map_err(|_| short_of::<T>(what, more))
}

/// Room for `more` values in a vector, unless there is no memory for it.
pub fn reserve_exact<T>(what: &'static str, vec: &mut Vec<T>, more: usize) -> Result<()> {
    vec.try_reserve_exact(more)
        .map_err(|_| short_of::<T>(what, more))
}

fn short_of<T>(what: &'static str, len: usize) -> Error {
    Error::out_of_memory(what, (len as u64).saturating_mul(size_of::<T>() as u64))
}

/// The bytes of so many cells of `size` bytes, where memory can be that long.
pub fn bytes_in_memory(what: &'static str, cells: usize, size: usize) -> Result<usize> {
    cells
        .checked_mul(size)
        .filter(|len| isize::try_from(*len).is_ok())
        .ok_or_else(|| Error::out_of_memory(what, u64::MAX))
}
