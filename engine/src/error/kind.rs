//! The causes of errors.

use super::api::ApiError;
use super::array::{ArrayEnumerationError, ArrayError, MetadataError};
use super::budget::BudgetError;
use super::condition::{AggregateError, PredicateError};
use super::condition_text::{ConditionTextError, ScalarError};
use super::config::{ConfigError, ProfileError};
use super::context::ContextError;
use super::filter::{CodecError, FilterError, PipelineError};
use super::fragment::{FragmentError, GeometryError, RecordError};
use super::group::{FilestoreError, GroupError, MemberError, ObjectError};
use super::inspect::FragmentInfoError;
use super::maintenance::MaintenanceError;
use super::query::{DeleteError, QueryBufferError, QueryError};
use super::query_message::QueryMessageError;
use super::query_parts::{EstimateError, LabelReadError, QueryLabelError, ReadError};
use super::rest::RestError;
use super::schema::{CurrentDomainError, SchemaCheckError, SchemaError};
use super::schema_changes::{EvolutionError, LabelError};
use super::schema_fields::{AttributeError, DimensionError, EnumerationError};
use super::serialization::SerializationError;
use super::subarray::{LabelRangeError, SubarrayError};
use super::vfs::VfsError;
use super::write::{WriteBufferError, WriteError};

/// The causes of errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller broke a rule that a layer above the engine states, such as the C API.
    #[error("{origin}: {message}")]
    Usage {
        /// The component that reports the error.
        origin: &'static str,
        /// The problem, with the value and what is allowed.
        message: String,
    },
    /// Stored bytes do not follow the format.
    #[error("{file}: {field} at byte {offset} {problem}{}", in_object(uri.as_deref()))]
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
    #[error("Cannot {action} '{uri}': {}", reason(source))]
    Storage {
        /// The failed action, as an infinitive: "read", "create directory".
        action: &'static str,
        /// The URI of the object.
        uri: String,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// Memory whose size depends on user input or a file could not be allocated.
    #[error("Cannot allocate {bytes} bytes for {purpose}")]
    OutOfMemory {
        /// The purpose of the memory.
        purpose: &'static str,
        /// The size in bytes.
        bytes: u64,
    },
    /// An operation cannot progress within its memory budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A file of an open array no longer exists, because a vacuum or a deletion of fragments
    /// removed it.
    #[error(
        "'{uri}' was removed after the array was opened, by a vacuum or a deletion of fragments; reopen the array"
    )]
    Removed {
        /// The URI of the file.
        uri: String,
    },
    /// The text of a condition does not follow the grammar or does not fit the array.
    #[error("Condition: {cause}; at character {position}")]
    Condition {
        /// The position of the problem in the text, in characters, counted from 1.
        position: usize,
        /// The problem.
        cause: ConditionTextError,
    },
    /// The tasks of the context were cancelled.
    #[error("The operation was cancelled")]
    Cancelled,
    /// An error of the Rust API.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// An error of arrays.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// An error of the enumerations of stored schemas.
    #[error(transparent)]
    ArrayEnumeration(#[from] ArrayEnumerationError),
    /// An error of the metadata of arrays and groups.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// An error of conditions.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
    /// An error of aggregates.
    #[error(transparent)]
    Aggregate(#[from] AggregateError),
    /// An error of the text and the values of conditions.
    #[error(transparent)]
    ConditionText(#[from] ConditionTextError),
    /// An error of values that do not fit a datatype.
    #[error(transparent)]
    Scalar(#[from] ScalarError),
    /// An error of the configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An error of profiles.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// An error of contexts.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// An error of filters and their options.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// An error of pipelines of filters.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// An error of compressors.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// An error of fragments.
    #[error(transparent)]
    Fragment(#[from] FragmentError),
    /// An error of encrypted records.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// An error of the geometry of domains.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// An error of groups.
    #[error(transparent)]
    Group(#[from] GroupError),
    /// An error of the members of groups.
    #[error(transparent)]
    Member(#[from] MemberError),
    /// An error of objects.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// An error of files that are stored as arrays.
    #[error(transparent)]
    Filestore(#[from] FilestoreError),
    /// An error of fragment information.
    #[error(transparent)]
    FragmentInfo(#[from] FragmentInfoError),
    /// An error of consolidation and vacuum.
    #[error(transparent)]
    Maintenance(#[from] MaintenanceError),
    /// An error of queries.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// An error of deletes.
    #[error(transparent)]
    Delete(#[from] DeleteError),
    /// An error of the buffers of queries.
    #[error(transparent)]
    QueryBuffer(#[from] QueryBufferError),
    /// An error of estimates of result sizes.
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    /// An error of reads.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An error of reads of dimension labels.
    #[error(transparent)]
    LabelRead(#[from] LabelReadError),
    /// An error of dimension labels in queries.
    #[error(transparent)]
    QueryLabel(#[from] QueryLabelError),
    /// An error of schemas.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// An error of complete schemas.
    #[error(transparent)]
    SchemaCheck(#[from] SchemaCheckError),
    /// An error of current domains.
    #[error(transparent)]
    CurrentDomain(#[from] CurrentDomainError),
    /// An error of dimension labels.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// An error of the evolution of schemas.
    #[error(transparent)]
    Evolution(#[from] EvolutionError),
    /// An error of attributes.
    #[error(transparent)]
    Attribute(#[from] AttributeError),
    /// An error of dimensions.
    #[error(transparent)]
    Dimension(#[from] DimensionError),
    /// An error of enumerations.
    #[error(transparent)]
    Enumeration(#[from] EnumerationError),
    /// An error of messages.
    #[error(transparent)]
    Serialization(#[from] SerializationError),
    /// An error of messages of queries.
    #[error(transparent)]
    QueryMessage(#[from] QueryMessageError),
    /// An error of the client for TileDB servers.
    #[error(transparent)]
    Rest(#[from] RestError),
    /// An error of the ranges of subarrays.
    #[error(transparent)]
    Subarray(#[from] SubarrayError),
    /// An error of ranges of dimension labels.
    #[error(transparent)]
    LabelRange(#[from] LabelRangeError),
    /// An error of files and object stores.
    #[error(transparent)]
    Vfs(#[from] VfsError),
    /// An error of the caller's buffers and ranges of a write.
    #[error(transparent)]
    WriteBuffer(#[from] WriteBufferError),
    /// An error of writes.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<capnp::Error> for ErrorKind {
    fn from(error: capnp::Error) -> Self {
        let problem = error.to_string();
        SerializationError::Capnp { problem }.into()
    }
}

fn in_object(uri: Option<&str>) -> String {
    uri.map_or_else(String::new, |uri| format!("; in '{uri}'"))
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
