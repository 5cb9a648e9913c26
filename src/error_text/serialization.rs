//! The texts of errors of messages.

use tiledb_engine::error::{Error, ErrorKind, MessageKind, QueryMessageError, SerializationError};

use super::origins::{
    ERROR, SERIALIZATION_ARRAY_SCHEMA, SERIALIZATION_CONSOLIDATION, SERIALIZATION_ENUMERATION,
    SERIALIZATION_FRAGMENTS, SERIALIZATION_QUERY_PLAN, STATUS_SERIALIZATION,
};
use super::{Text, parts, text};

/// Returns the text of an error of messages.
pub(super) fn serialization(cause: &SerializationError) -> Text {
    use SerializationError as E;
    match cause {
        E::Write { kind, cause } => wrapped("serializing", *kind, cause),
        E::Read { kind, cause } => wrapped("deserializing", *kind, cause),
        _ => text(STATUS_SERIALIZATION, inner(cause)),
    }
}

/// Returns the text of an error of messages of queries.
pub(super) fn query_message(cause: &QueryMessageError) -> Text {
    use QueryMessageError as E;
    let message = match cause {
        E::Json { writes: true } => "Cannot serialize query; json format not supported.".to_owned(),
        E::Json { writes: false } => {
            "Cannot deserialize query; json format not supported.".to_owned()
        }
        E::OtherType { query, message } => format!(
            "Cannot deserialize; Query opened for {query} but got serialized type for {message}"
        ),
        E::UnsupportedType => "Cannot deserialize; Unsupported query type.".to_owned(),
        E::NoHeaders => "Cannot deserialize; no attribute buffer headers in message.".to_owned(),
        E::BufferTooSmall { name } => {
            format!("Error deserializing query; buffer too small for buffer '{name}'.")
        }
        E::ServerBuffers => {
            "Error deserializing query; unexpected buffer set on server-side.".to_owned()
        }
        E::IncompleteAggregates => {
            "Aggregates are not currently supported in incomplete remote queries".to_owned()
        }
        _ => cause.to_string(),
    };
    text(STATUS_SERIALIZATION, message)
}

fn wrapped(verb: &str, kind: MessageKind, cause: &Error) -> Text {
    if kind == MessageKind::Query {
        return wrapped_query(verb, cause);
    }
    let (origin, noun) = names_of(kind);
    let message = match cause.kind() {
        ErrorKind::Serialization(cause) => match cause {
            SerializationError::UnknownEncoding { .. } => {
                format!("Error {verb} {noun}; Unknown serialization type passed")
            }
            SerializationError::IncompleteMember { field } => {
                format!("Incomplete group member type in deserialization, missing {field}")
            }
            SerializationError::MetadataSize { key, .. } => {
                format!("Error {verb} {noun}; value size sanity check failed for {key}.")
            }
            SerializationError::UnknownName {
                subject: "a query type",
                name,
            } if kind == MessageKind::ArrayOpen => {
                return text(ERROR, format!("Invalid QueryType {name}"));
            }
            SerializationError::UnknownName { .. } => {
                format!("Error {verb} {noun}; exception {}", inner(cause))
            }
            _ => format!("Error {verb} {noun}; kj::Exception: {}", inner(cause)),
        },
        _ => format!("Error {verb} {noun}; exception {}", parts(cause)),
    };
    text(origin, message)
}

/// Returns the text of an error of the message of a query.
fn wrapped_query(verb: &str, cause: &Error) -> Text {
    let verb = verb.replace("ializing", "ialize");
    let message = match cause.kind() {
        ErrorKind::QueryMessage(cause) => return query_message(cause),
        ErrorKind::Serialization(SerializationError::Unaligned) => {
            "Could not deserialize query; buffer is not 8-byte aligned.".to_owned()
        }
        ErrorKind::Serialization(SerializationError::UnknownEncoding { .. }) => {
            format!("Cannot {verb}; unknown serialization type")
        }
        ErrorKind::Serialization(cause) => {
            format!("Cannot {verb}; kj::Exception: {}", inner(cause))
        }
        _ => format!("Cannot {verb}; exception: {}", parts(cause)),
    };
    text(STATUS_SERIALIZATION, message)
}

fn inner(cause: &SerializationError) -> String {
    use SerializationError as E;
    match cause {
        E::UnknownName {
            subject: "an array type",
            name,
        } => format!(
            "[Deserialization::array_schema_from_capnp] {name} is not a valid ArrayType identifer."
        ),
        E::UnknownName {
            subject: "an order of tiles",
            name,
        } => format!(
            "[Deserialization::array_schema_from_capnp] {name} is not a valid tile order identifer."
        ),
        E::UnknownName {
            subject: "an order of cells",
            name,
        } => format!(
            "[Deserialization::array_schema_from_capnp] {name} is not a valid cell order identifer."
        ),
        E::UnknownName {
            subject: "a datatype",
            name,
        } => format!("Invalid Datatype string (\"{name}\")"),
        _ => cause.to_string(),
    }
}

/// Returns the origin of the errors of a message and its name in them.
fn names_of(kind: MessageKind) -> (&'static str, &'static str) {
    use MessageKind as K;
    match kind {
        K::Array => (STATUS_SERIALIZATION, "array"),
        K::ArrayCreate => (SERIALIZATION_ARRAY_SCHEMA, "array creation request"),
        K::ArrayMetadata => (STATUS_SERIALIZATION, "array metadata"),
        K::ArrayOpen => (STATUS_SERIALIZATION, "array open"),
        K::ArraySchema => (STATUS_SERIALIZATION, "array schema"),
        K::ArraySchemaEvolution => (STATUS_SERIALIZATION, "array schema evolution"),
        K::Capabilities => (STATUS_SERIALIZATION, "REST version"),
        K::Config => (STATUS_SERIALIZATION, "config"),
        K::ConsolidationPlanRequest => (SERIALIZATION_CONSOLIDATION, "consolidation plan request"),
        K::ConsolidationPlanResponse => {
            (SERIALIZATION_CONSOLIDATION, "consolidation plan response")
        }
        K::ConsolidationRequest => (STATUS_SERIALIZATION, "consolidation request"),
        K::DeleteFragmentsListRequest => (SERIALIZATION_FRAGMENTS, "fragments list delete request"),
        K::DeleteFragmentsTimestampsRequest => (
            SERIALIZATION_FRAGMENTS,
            "fragments timestamps delete request",
        ),
        K::FragmentInfo => (STATUS_SERIALIZATION, "fragment info"),
        K::FragmentInfoRequest => (STATUS_SERIALIZATION, "fragment info request"),
        K::Group => (STATUS_SERIALIZATION, "group"),
        K::GroupCreate => (STATUS_SERIALIZATION, "group create"),
        K::GroupMetadata => (STATUS_SERIALIZATION, "group metadata"),
        K::GroupUpdate => (STATUS_SERIALIZATION, "group update"),
        K::LoadArraySchemaRequest => (SERIALIZATION_ARRAY_SCHEMA, "load array schema request"),
        K::LoadArraySchemaResponse => (SERIALIZATION_ARRAY_SCHEMA, "load array schema response"),
        K::LoadEnumerationsRequest => (SERIALIZATION_ENUMERATION, "load enumerations request"),
        K::LoadEnumerationsResponse => (SERIALIZATION_ENUMERATION, "load enumerations response"),
        K::NonEmptyDomain => (STATUS_SERIALIZATION, "nonempty domain"),
        K::Query => (STATUS_SERIALIZATION, "query"),
        K::QueryPlanRequest => (SERIALIZATION_QUERY_PLAN, "query plan request"),
        K::QueryPlanResponse => (SERIALIZATION_QUERY_PLAN, "query plan response"),
        K::ResultSizes => (STATUS_SERIALIZATION, "query est result size"),
        K::VacuumRequest => (STATUS_SERIALIZATION, "vacuum request"),
    }
}
