//! What can go wrong, told by what the caller can do about it.
//!
//! `Display` is one line. Texts that programs match on follow libtiledb's words; context (the file, the field)
//! is added where it is known, once.

use std::fmt;

/// The result of everything fallible in the engine.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the engine.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
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
    /// Somebody cancelled the tasks of the context.
    Cancelled,
}

impl Error {
    /// A broken rule of the API.
    pub fn usage(origin: &'static str, message: impl Into<String>) -> Self {
        Self::Usage {
            origin,
            message: message.into(),
        }
    }

    /// Bytes that do not follow the format; add the place with [`Error::at`].
    pub fn corrupt(
        file: &'static str,
        field: &'static str,
        offset: u64,
        problem: impl Into<String>,
    ) -> Self {
        Self::Corrupt {
            file,
            uri: None,
            field,
            offset,
            problem: problem.into(),
        }
    }

    /// A failed storage operation.
    pub fn storage(action: &'static str, uri: impl Into<String>, source: std::io::Error) -> Self {
        Self::Storage {
            action,
            uri: uri.into(),
            source,
        }
    }

    /// Names the object whose bytes are corrupt, unless it is named already.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        if let Self::Corrupt {
            uri: uri @ None, ..
        } = &mut self
        {
            *uri = Some(place.to_string());
        }
        self
    }

    /// Whether the storage answered that the object does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Storage { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { origin, message } | Self::Budget { origin, message } => {
                write!(f, "{origin}: {message}")
            }
            Self::Corrupt {
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
            Self::Storage {
                action,
                uri,
                source,
            } => write!(f, "IO Error: Cannot {action} '{uri}'; {}", reason(source)),
            Self::OutOfMemory { what, bytes } => {
                write!(f, "Cannot allocate {bytes} bytes for {what}")
            }
            Self::Cancelled => f.write_str("Query: Query was cancelled"),
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
        match self {
            Self::Storage { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// A vector with room for `len` values, unless there is no memory for it.
pub fn try_reserved<T>(what: &'static str, len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| Error::OutOfMemory {
        what,
        bytes: (len as u64).saturating_mul(size_of::<T>() as u64),
    })?;
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
