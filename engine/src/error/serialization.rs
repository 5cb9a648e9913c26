//! Causes of errors of messages.

use std::fmt;

use super::Error;

/// The kind of object that a message describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum MessageKind {
    Array,
    ArrayCreate,
    ArrayMetadata,
    ArrayOpen,
    ArraySchema,
    ArraySchemaEvolution,
    Capabilities,
    Config,
    ConsolidationPlanRequest,
    ConsolidationPlanResponse,
    ConsolidationRequest,
    DeleteFragmentsListRequest,
    DeleteFragmentsTimestampsRequest,
    FragmentInfo,
    FragmentInfoRequest,
    Group,
    GroupCreate,
    GroupMetadata,
    GroupUpdate,
    LoadArraySchemaRequest,
    LoadArraySchemaResponse,
    LoadEnumerationsRequest,
    LoadEnumerationsResponse,
    NonEmptyDomain,
    Query,
    QueryPlanRequest,
    QueryPlanResponse,
    ResultSizes,
    VacuumRequest,
}

impl fmt::Display for MessageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Array => "array",
            Self::ArrayCreate => "array creation",
            Self::ArrayMetadata => "array metadata",
            Self::ArrayOpen => "array open",
            Self::ArraySchema => "array schema",
            Self::ArraySchemaEvolution => "array schema evolution",
            Self::Capabilities => "server versions",
            Self::Config => "configuration",
            Self::ConsolidationPlanRequest => "consolidation plan request",
            Self::ConsolidationPlanResponse => "consolidation plan response",
            Self::ConsolidationRequest => "consolidation request",
            Self::DeleteFragmentsListRequest => "request to delete listed fragments",
            Self::DeleteFragmentsTimestampsRequest => "request to delete fragments by time",
            Self::FragmentInfo => "fragment information",
            Self::FragmentInfoRequest => "request for fragment information",
            Self::Group => "group",
            Self::GroupCreate => "group creation",
            Self::GroupMetadata => "group metadata",
            Self::GroupUpdate => "group update",
            Self::LoadArraySchemaRequest => "request for schemas",
            Self::LoadArraySchemaResponse => "response with schemas",
            Self::LoadEnumerationsRequest => "request for enumerations",
            Self::LoadEnumerationsResponse => "response with enumerations",
            Self::NonEmptyDomain => "non-empty domain",
            Self::Query => "query",
            Self::QueryPlanRequest => "query plan request",
            Self::QueryPlanResponse => "query plan response",
            Self::ResultSizes => "estimated result sizes",
            Self::VacuumRequest => "vacuum request",
        })
    }
}

/// Causes of errors of messages.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SerializationError {
    #[error("Cannot write the message ({kind}): {cause}")]
    Write { kind: MessageKind, cause: Error },
    #[error("Cannot read the message ({kind}): {cause}")]
    Read { kind: MessageKind, cause: Error },
    #[error("{code} is not the code of an encoding of messages")]
    UnknownEncoding { code: u32 },
    #[error("The message is not Cap'n Proto: {problem}")]
    Capnp { problem: String },
    #[error("The message is not JSON: {problem}")]
    Json { problem: String },
    #[error("The value of '{field}' is not {expected}")]
    JsonValue {
        field: String,
        expected: &'static str,
    },
    #[error("A text is not UTF-8")]
    NotUtf8,
    #[error("'{name}' is not {subject}")]
    UnknownName { subject: &'static str, name: String },
    #[error("{subject} has {size} elements or bytes; a message can have {limit}")]
    TooLarge {
        subject: &'static str,
        size: u64,
        limit: u64,
    },
    #[error("The message needs more than {limit} bytes of memory")]
    TraversalLimit { limit: u64 },
    #[error("A member of a group has no {field}")]
    IncompleteMember { field: &'static str },
    #[error("The request names no fragments")]
    NoFragments,
    #[error("The dimensions have different datatypes")]
    MixedDatatypes,
    #[error("A message cannot contain a dimension label whose URI is absolute")]
    AbsoluteLabel,
    #[error("The message is not aligned to 8 bytes")]
    Unaligned,
    #[error("Values of type {datatype} cannot be in {part}")]
    DatatypeOf {
        datatype: &'static str,
        part: &'static str,
    },
    #[error("The value of key '{key}' has {size} bytes instead of {expected}")]
    MetadataSize {
        key: String,
        size: u64,
        expected: u64,
    },
    #[error("{subject} has {size} bytes instead of {expected}")]
    ValueSize {
        subject: &'static str,
        size: u64,
        expected: u64,
    },
}
