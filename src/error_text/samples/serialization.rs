//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{MessageKind, SerializationError};

pub(super) fn samples() -> Vec<Error> {
    let kind = MessageKind::ArraySchema;
    vec![
        SerializationError::Write {
            kind,
            cause: SerializationError::NotUtf8.into(),
        }
        .into(),
        SerializationError::Read {
            kind,
            cause: SerializationError::UnknownEncoding { code: 7015 }.into(),
        }
        .into(),
        SerializationError::UnknownEncoding { code: 7016 }.into(),
        SerializationError::Capnp {
            problem: "the_problem".into(),
        }
        .into(),
        SerializationError::Json {
            problem: "the_problem".into(),
        }
        .into(),
        SerializationError::JsonValue {
            field: "the_field".into(),
            expected: "the_expected",
        }
        .into(),
        SerializationError::NotUtf8.into(),
        SerializationError::UnknownName {
            subject: "the_subject",
            name: "the_name".into(),
        }
        .into(),
        SerializationError::TooLarge {
            subject: "the_subject",
            size: 7017,
            limit: 7018,
        }
        .into(),
        SerializationError::TraversalLimit { limit: 7019 }.into(),
        SerializationError::IncompleteMember { field: "the_field" }.into(),
        SerializationError::NoFragments.into(),
        SerializationError::MixedDatatypes.into(),
        SerializationError::AbsoluteLabel.into(),
        SerializationError::Unaligned.into(),
        SerializationError::DatatypeOf {
            datatype: "the_datatype",
            part: "the_part",
        }
        .into(),
        SerializationError::MetadataSize {
            key: "the_key".into(),
            size: 7022,
            expected: 7023,
        }
        .into(),
        SerializationError::ValueSize {
            subject: "the_subject",
            size: 7020,
            expected: 7021,
        }
        .into(),
    ]
}
