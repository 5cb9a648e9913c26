//! Causes of errors of the messages of queries.

/// Causes of errors of the messages of queries.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryMessageError {
    #[error("The messages of queries have no JSON form")]
    Json { writes: bool },
    #[error("The message contains no array")]
    NoArray,
    #[error("The query is of type {query}, but the message is of a query of type {message}")]
    OtherType {
        query: &'static str,
        message: &'static str,
    },
    #[error("Queries of this type have no messages")]
    UnsupportedType,
    #[error("The message describes no buffers")]
    NoHeaders,
    #[error("There is no field '{name}' in the query")]
    UnknownField { name: String },
    #[error("The buffer of '{name}' is not set")]
    NoBuffer { name: String },
    #[error("The buffer of '{name}' is too small for the received cells")]
    BufferTooSmall { name: String },
    #[error("The query of a server already has buffers")]
    ServerBuffers,
    #[error("The message describes the buffers of '{name}' twice")]
    DuplicateField { name: String },
    #[error("The message is followed by {has} bytes; its buffers have {needs}")]
    MissingContent { has: u64, needs: u64 },
    #[error("The offsets of '{name}' do not ascend to the end of its values")]
    BadOffsets { name: String },
    #[error("A condition has no comparisons")]
    EmptyCondition,
    #[error("Ranges of attributes are not supported")]
    AttributeRanges,
    #[error("The results of two aggregates are named '{name}'")]
    DuplicateAggregate { name: String },
    #[error("A server cannot send incomplete results of aggregates")]
    IncompleteAggregates,
    #[error("The message is of a read of the values of a label in order")]
    LabelOrder,
}
