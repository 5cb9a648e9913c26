//! The engine's errors: one type, with a cause that carries the values involved.
//!
//! Each subject has a table of causes: a row has the values, the engine's sentence, and libtiledb's
//! sentence with its origin (`table`). The engine's sentences have no fixed wording: no code and
//! no program may compare them. libtiledb's are compared by programs, so that the C layer returns
//! them ([`Error::libtiledb_text`]). Context (file, field) is added once, by the layer that has it.

mod api;
mod array;
mod budget;
mod cause;
mod config;
mod filter;
mod fragment;
mod group;
mod message;
mod query;
mod release;
mod schema;
mod selection;
mod table;
#[cfg(test)]
mod tests;
mod vfs;
mod write;

use std::fmt;

pub use api::ApiError;
pub use array::{ArrayEnumerationError, ArrayError, MetadataAction, MetadataError};
pub use budget::{BudgetError, BudgetPurpose, Component};
pub use cause::{Cause, reason};
pub use config::{ConfigError, ContextError, ProfileError};
pub use filter::{CodecError, FilterError, PipelineError};
pub use fragment::{
    FragmentError, FragmentInfoError, GeometryError, MaintenanceError, RecordError,
};
pub use group::{FilestoreError, GroupError, MemberError, ObjectError};
pub use message::{MessageKind, QueryMessageError, RestError, SerializationError};
pub use query::{
    DeleteError, EstimateError, LabelReadError, QueryBufferError, QueryError, QueryLabelError,
    ReadError,
};
pub use release::Release;
pub use schema::{
    AttributeError, CurrentDomainError, DimensionError, EnumerationError, EvolutionError,
    LabelError, SchemaCheckError, SchemaError,
};
pub use selection::{
    AggregateError, ConditionTextError, LabelRangeError, PredicateError, ScalarError, SubarrayError,
};
pub use vfs::VfsError;
pub use write::{WriteBufferError, WriteError, WriterKind};

/// The result of a fallible function of the engine.
pub type Result<T> = std::result::Result<T, Error>;

/// The meaning of an error, for callers that decide by it what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An array, group, member, field, fragment, file or profile does not exist.
    NotFound,
    /// The object or name to create exists already.
    AlreadyExists,
    /// A value, a name, a text or the order of calls breaks a rule.
    InvalidArgument,
    /// The library, this build of it or the storage does not have the operation.
    Unsupported,
    /// Stored bytes or messages do not follow their format.
    Corrupt,
    /// The storage or the server refuses the caller.
    PermissionDenied,
    /// The operation cannot progress within its memory budget.
    OutOfBudget,
    /// Memory cannot be allocated.
    OutOfMemory,
    /// The operation was cancelled.
    Cancelled,
    /// Another operation of the process, or of another, excludes this one at the moment.
    Busy,
    /// A TileDB server failed or sent what cannot be used.
    Remote,
    /// The storage failed.
    Storage,
}

/// An error of the engine. It is one pointer wide, so that it adds little to the size of results.
#[derive(Debug)]
pub struct Error(Box<Cause>);

const _: () = assert!(size_of::<Result<()>>() == size_of::<usize>());

impl<C: Into<Cause>> From<C> for Error {
    fn from(cause: C) -> Self {
        Self::new(cause.into())
    }
}

impl Error {
    #[cold]
    fn new(cause: Cause) -> Self {
        Self(Box::new(cause))
    }

    /// Creates an error about a broken rule of a layer above the engine, such as the C API. The
    /// engine itself has an enum of causes for each module.
    pub fn usage(origin: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(Cause::Usage { origin, message })
    }

    /// Creates an error about stored bytes that do not follow the format; add the URI with
    /// [`Error::with_uri`].
    pub fn corrupt(
        file: &'static str,
        field: &'static str,
        offset: u64,
        problem: impl Into<String>,
    ) -> Self {
        Self::new(Cause::Corrupt {
            file,
            uri: None,
            field,
            offset,
            problem: problem.into(),
        })
    }

    /// Creates an error about a failed storage operation.
    pub fn storage(action: &'static str, uri: impl Into<String>, source: std::io::Error) -> Self {
        Self::new(Cause::Storage {
            action,
            uri: uri.into(),
            source,
        })
    }

    /// Creates an error about a failed allocation of `bytes` bytes for `purpose`.
    pub fn out_of_memory(purpose: &'static str, bytes: u64) -> Self {
        Self::new(Cause::OutOfMemory {
            purpose,
            bytes,
            uri: None,
        })
    }

    /// Creates an error about a file that was removed after the array was opened.
    pub fn removed(uri: impl Into<String>) -> Self {
        Self::new(Cause::Removed { uri: uri.into() })
    }

    /// Creates an error about the text of a condition. `position` is in characters, counted from 1.
    pub fn condition(position: usize, cause: ConditionTextError) -> Self {
        Self::new(Cause::Condition { position, cause })
    }

    /// Creates the error that ends a cancelled operation.
    pub fn cancelled() -> Self {
        Self::new(Cause::Cancelled)
    }

    /// Returns the meaning.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    /// Returns the cause.
    #[doc(hidden)]
    pub fn cause(&self) -> &Cause {
        &self.0
    }

    /// Returns the error as libtiledb words it, after the origin that libtiledb reports; the
    /// engine's sentence for causes that libtiledb does not have.
    #[doc(hidden)]
    pub fn libtiledb_text(&self) -> String {
        self.text().to_string()
    }

    fn text(&self) -> table::Text {
        self.0.text()
    }

    /// Adds the URI of the object whose bytes are corrupt or do not fit into memory, unless the
    /// error has one.
    #[must_use]
    pub fn with_uri(mut self, uri: impl fmt::Display) -> Self {
        if let Cause::Corrupt {
            uri: missing @ None,
            ..
        }
        | Cause::OutOfMemory {
            uri: missing @ None,
            ..
        } = &mut *self.0
        {
            *missing = Some(uri.to_string());
        }
        self
    }

    /// Returns the position of the problem in the text of a condition, in characters, counted from
    /// 1.
    pub fn condition_position(&self) -> Option<usize> {
        match self.cause() {
            Cause::Condition { position, .. } => Some(*position),
            _ => None,
        }
    }

    /// Returns whether the caller broke a rule, in contrast to failures of storage and memory,
    /// damaged data, insufficient budgets and cancellation.
    pub fn is_usage(&self) -> bool {
        !matches!(
            self.cause(),
            Cause::Corrupt { .. }
                | Cause::Storage { .. }
                | Cause::OutOfMemory { .. }
                | Cause::Budget(_)
                | Cause::Removed { .. }
                | Cause::Condition { .. }
                | Cause::Cancelled
        )
    }

    /// Returns whether what the caller named does not exist: an array, a group, a member, a field,
    /// a fragment, a file.
    pub fn is_not_found(&self) -> bool {
        self.kind() == ErrorKind::NotFound
    }

    /// Returns whether storage reported that the object does not exist.
    #[doc(hidden)]
    pub fn is_missing_file(&self) -> bool {
        matches!(self.cause(), Cause::Storage { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    }

    /// Returns whether an enumeration was not extended because it does not begin with the stored
    /// values.
    #[cfg(feature = "arrow")]
    pub(crate) fn is_no_extension(&self) -> bool {
        matches!(
            self.cause(),
            Cause::Evolution(EvolutionError::NotAnExtension { .. })
        )
    }

    /// Returns whether a file or folder cannot be removed while a process has it open.
    pub fn is_in_use(&self) -> bool {
        matches!(self.cause(), Cause::Storage { source, .. } if source.kind() == std::io::ErrorKind::ResourceBusy)
    }

    /// Returns whether the permissions of a file or folder do not allow the operation.
    pub fn is_permission_denied(&self) -> bool {
        matches!(self.cause(), Cause::Storage { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied)
    }

    /// Returns whether a file does not exist, or no longer exists. NFS reports a file that another
    /// machine has removed as a stale handle.
    pub fn is_missing(&self) -> bool {
        let is_stale =
            |source: &std::io::Error| source.kind() == std::io::ErrorKind::StaleNetworkFileHandle;
        match self.cause() {
            Cause::Removed { .. } => true,
            Cause::Storage { source, .. } => self.is_missing_file() || is_stale(source),
            _ => false,
        }
    }

    /// Returns the URI of the object whose bytes are corrupt.
    pub fn corrupt_object(&self) -> Option<&str> {
        match self.cause() {
            Cause::Corrupt { uri, .. } => uri.as_deref(),
            _ => None,
        }
    }

    /// Returns the URI of the object that a storage operation failed on or that was removed.
    pub fn object(&self) -> Option<&str> {
        match self.cause() {
            Cause::Storage { uri, .. } | Cause::Removed { uri } => Some(uri),
            _ => None,
        }
    }

    /// Returns whether the error reports a corrupt field that starts at byte `end` or before.
    #[cfg(test)]
    pub(crate) fn is_corrupt_by(&self, end: usize) -> bool {
        matches!(self.cause(), Cause::Corrupt { offset, .. } if *offset <= end as u64)
    }

    /// Returns whether a key is missing, superfluous, or another than that of encrypted data. Data
    /// encrypted with another key cannot be distinguished from damaged data.
    pub fn is_encryption(&self) -> bool {
        match self.cause() {
            Cause::Record(_) | Cause::Filter(FilterError::CannotDecrypt) => true,
            Cause::Array(ArrayError::Open { cause } | ArrayError::Listing { cause }) => {
                cause.is_encryption()
            }
            _ => false,
        }
    }

    /// Returns whether the operation was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.cause(), Cause::Cancelled)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause().fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(self.cause())
    }
}

/// Returns a vector with capacity for `len` values, or an error if memory cannot be allocated.
pub fn try_reserved<T>(purpose: &'static str, len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    reserve_exact(purpose, &mut vec, len)?;
    Ok(vec)
}

/// Returns a vector of `len` default values, or an error if memory cannot be allocated.
pub fn try_vec<T: Clone + Default>(purpose: &'static str, len: usize) -> Result<Vec<T>> {
    let mut vec = try_reserved(purpose, len)?;
    vec.resize(len, T::default());
    Ok(vec)
}

/// Returns a copy of bytes, or an error if memory cannot be allocated.
pub fn try_copy(purpose: &'static str, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut copy = try_reserved(purpose, bytes.len())?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

/// Returns a copy of a text, or an error if memory cannot be allocated.
pub fn try_text(purpose: &'static str, text: &str) -> Result<String> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len())
        .map_err(|_| allocation_failed::<u8>(purpose, text.len()))?;
    copy.push_str(text);
    Ok(copy)
}

/// Returns an error unless memory for a value can be allocated, which the caller does next.
pub fn check_memory<T>(purpose: &'static str) -> Result<()> {
    try_reserved::<T>(purpose, 1).map(drop)
}

/// Changes the length of a vector, or returns an error if memory cannot be allocated. The values
/// are initialised but unspecified.
pub fn try_resize<T: Clone + Default>(
    purpose: &'static str,
    vec: &mut Vec<T>,
    len: usize,
) -> Result<()> {
    if vec.capacity() < len {
        *vec = try_vec(purpose, len)?;
    }
    vec.resize(len, T::default());
    Ok(())
}

/// Reserves capacity for `more` values, and if possible for some of those that may follow, or
/// returns an error if memory cannot be allocated.
pub fn reserve<T>(purpose: &'static str, vec: &mut Vec<T>, more: usize) -> Result<()> {
    vec.try_reserve(more)
        .or_else(|_| vec.try_reserve_exact(more))
        .map_err(|_| allocation_failed::<T>(purpose, more))
}

/// Reserves capacity for exactly `more` values, or returns an error if memory cannot be allocated.
pub fn reserve_exact<T>(purpose: &'static str, vec: &mut Vec<T>, more: usize) -> Result<()> {
    vec.try_reserve_exact(more)
        .map_err(|_| allocation_failed::<T>(purpose, more))
}

fn allocation_failed<T>(purpose: &'static str, len: usize) -> Error {
    Error::out_of_memory(purpose, (len as u64).saturating_mul(size_of::<T>() as u64))
}

/// Returns the size in bytes of `cells` cells of `size` bytes each, or an error if no allocation
/// can be that large.
pub fn bytes_in_memory(purpose: &'static str, cells: usize, size: usize) -> Result<usize> {
    cells
        .checked_mul(size)
        .filter(|len| isize::try_from(*len).is_ok())
        .ok_or_else(|| Error::out_of_memory(purpose, u64::MAX))
}
