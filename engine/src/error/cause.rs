//! The causes of errors and their meaning.

use std::fmt;

use super::table::{CauseTable, Text};
use super::vfs::storage_text;
use super::*;

/// Defines [`Cause`] by the variants of its own and those that are rows of tables.
macro_rules! cause {
    ($(#[$doc:meta])* { $($own:tt)* } $($variant:ident($table:ident),)*) => {
        $(#[$doc])*
        pub enum Cause {
            $($own)*
            $(#[allow(missing_docs, reason = "the tables are documented")] $variant($table),)*
        }

        impl Cause {
            /// Returns the cause as a row of a table, if it is one.
            fn row(&self) -> Option<&dyn CauseTable> {
                match self {
                    $(Self::$variant(cause) => Some(cause),)*
                    _ => None,
                }
            }
        }

        $(impl From<$table> for Cause {
            fn from(cause: $table) -> Self {
                Self::$variant(cause)
            }
        })*
    };
}

cause! {
/// The cause of an error with the values involved.
#[derive(Debug)]
#[non_exhaustive]
{
    /// The caller broke a rule that a layer above the engine states, such as the C API.
    Usage {
        /// The component that reports the error.
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
        purpose: &'static str,
        /// The size in bytes.
        bytes: u64,
        /// The URI of the object whose content was to be in memory, if known.
        uri: Option<String>,
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
        cause: ConditionTextError,
    },
    /// The tasks of the context were cancelled.
    Cancelled,
}
    Budget(BudgetError),
    Api(ApiError),
    Array(ArrayError),
    ArrayEnumeration(ArrayEnumerationError),
    Metadata(MetadataError),
    Config(ConfigError),
    Profile(ProfileError),
    Context(ContextError),
    Filter(FilterError),
    Pipeline(PipelineError),
    Codec(CodecError),
    Fragment(FragmentError),
    Record(RecordError),
    Geometry(GeometryError),
    FragmentInfo(FragmentInfoError),
    Maintenance(MaintenanceError),
    Group(GroupError),
    Member(MemberError),
    Object(ObjectError),
    Filestore(FilestoreError),
    Serialization(SerializationError),
    QueryMessage(QueryMessageError),
    Rest(RestError),
    Query(QueryError),
    Delete(DeleteError),
    QueryBuffer(QueryBufferError),
    Estimate(EstimateError),
    Read(ReadError),
    LabelRead(LabelReadError),
    QueryLabel(QueryLabelError),
    Schema(SchemaError),
    SchemaCheck(SchemaCheckError),
    CurrentDomain(CurrentDomainError),
    Attribute(AttributeError),
    Dimension(DimensionError),
    Enumeration(EnumerationError),
    Label(LabelError),
    Evolution(EvolutionError),
    Predicate(PredicateError),
    Aggregate(AggregateError),
    ConditionText(ConditionTextError),
    Scalar(ScalarError),
    Subarray(SubarrayError),
    LabelRange(LabelRangeError),
    Vfs(VfsError),
    WriteBuffer(WriteBufferError),
    Write(WriteError),
}

impl Cause {
    /// Returns the meaning.
    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            Self::Usage { .. } | Self::Condition { .. } => ErrorKind::InvalidArgument,
            Self::Corrupt { .. } => ErrorKind::Corrupt,
            Self::Storage { source, .. } => match source.kind() {
                std::io::ErrorKind::NotFound => ErrorKind::NotFound,
                std::io::ErrorKind::AlreadyExists => ErrorKind::AlreadyExists,
                std::io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
                std::io::ErrorKind::ResourceBusy => ErrorKind::Busy,
                std::io::ErrorKind::OutOfMemory => ErrorKind::OutOfMemory,
                std::io::ErrorKind::Unsupported => ErrorKind::Unsupported,
                _ => ErrorKind::Storage,
            },
            Self::OutOfMemory { .. } => ErrorKind::OutOfMemory,
            Self::Removed { .. } => ErrorKind::NotFound,
            Self::Cancelled => ErrorKind::Cancelled,
            _ => self
                .row()
                .map_or(ErrorKind::InvalidArgument, CauseTable::kind),
        }
    }

    /// Returns the text for C programs.
    pub(super) fn text(&self) -> Text {
        match self {
            Self::Usage { origin, message } => Text::new(origin, message),
            Self::Storage {
                action,
                uri,
                source,
            } => storage_text(action, uri, &reason(source)),
            Self::Removed { uri } => Text::new(
                "",
                format_args!(
                    "Cannot read '{uri}'; It was removed after the array was opened, by a vacuum \
                     or a deletion of fragments: reopen the array"
                ),
            ),
            Self::Condition { position, cause } => Text::new(
                "Condition",
                format_args!("{cause}; at character {position}"),
            ),
            Self::Cancelled => Text::new("Query", "Query was cancelled"),
            _ => self
                .row()
                .map_or_else(|| Text::new("", self), CauseTable::text),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { origin, message } => write!(f, "{origin}: {message}"),
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
            } => write!(f, "Cannot {action} '{uri}': {}", reason(source)),
            Self::OutOfMemory {
                purpose,
                bytes,
                uri,
            } => {
                write!(f, "Cannot allocate {bytes} bytes for {purpose}")?;
                match uri {
                    Some(uri) => write!(f, "; in '{uri}'"),
                    None => Ok(()),
                }
            }
            Self::Removed { uri } => write!(
                f,
                "'{uri}' was removed after the array was opened, by a vacuum or a deletion of \
                 fragments; reopen the array"
            ),
            Self::Condition { position, cause } => {
                write!(f, "Condition: {cause}; at character {position}")
            }
            Self::Cancelled => f.write_str("The operation was cancelled"),
            _ => self.row().map_or(Ok(()), |row| row.fmt(f)),
        }
    }
}

impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Storage { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<capnp::Error> for Cause {
    fn from(error: capnp::Error) -> Self {
        let problem = error.to_string();
        SerializationError::Capnp { problem }.into()
    }
}

/// Returns the operating system's message without the error number that the standard library
/// appends.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}
