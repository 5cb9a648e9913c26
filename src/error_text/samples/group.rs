//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{FilestoreError, GroupError, MemberError, ObjectError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        GroupError::BadUri {
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::BadNewUri {
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::IsArray {
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::Exists {
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::MissingForClose {
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::BadMetadataUri {
            action: "the_action",
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::NotAGroup {
            action: "the_action",
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::AlreadyOpen.into(),
        GroupError::UnsupportedQueryType.into(),
        GroupError::Missing {
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::Close {
            cause: Error::cancelled(),
        }
        .into(),
        GroupError::NoQueryType.into(),
        GroupError::ConfigOfOpen.into(),
        GroupError::BadMemberUri {
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::NotOpen {
            action: "the_action",
        }
        .into(),
        GroupError::NotForWriting {
            action: "the_action",
        }
        .into(),
        GroupError::NotForReading.into(),
        GroupError::DeleteClosed.into(),
        GroupError::DeleteNotExclusive.into(),
        GroupError::BadDeleteUri {
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::MissingMember {
            uri: "the_uri".into(),
            group: "the_group".into(),
        }
        .into(),
        GroupError::MemberOpen {
            uri: "the_uri".into(),
            group: "the_group".into(),
            cause: Error::cancelled(),
        }
        .into(),
        GroupError::UnsteadyMembers {
            uri: "the_uri".into(),
        }
        .into(),
        GroupError::OtherMemberKind {
            index: 7015,
            kind: "the_kind",
        }
        .into(),
        GroupError::LongDump {
            limit: 7016,
            parameter: "the_parameter",
        }
        .into(),
        MemberError::NoMember {
            index: 7001,
            number: 7014,
        }
        .into(),
        MemberError::Unknown {
            name: "the_name".into(),
        }
        .into(),
        MemberError::Added {
            key: "the_key".into(),
        }
        .into(),
        MemberError::UnknownToRemove {
            key: "the_key".into(),
        }
        .into(),
        MemberError::AddedToRemove {
            key: "the_key".into(),
        }
        .into(),
        MemberError::Removed {
            key: "the_key".into(),
        }
        .into(),
        MemberError::Ambiguous {
            key: "the_key".into(),
        }
        .into(),
        ObjectError::BadUri {
            action: "the_action",
            which: "the_which",
            path: "the_path".into(),
        }
        .into(),
        ObjectError::NotAnObject {
            action: "the_action",
            path: "the_path".into(),
        }
        .into(),
        ObjectError::NotAnArray {
            action: "the_action",
            path: "the_path".into(),
        }
        .into(),
        ObjectError::TargetExists {
            path: "the_path".into(),
        }
        .into(),
        ObjectError::CopyDiffers {
            path: "the_path".into(),
        }
        .into(),
        ObjectError::BadWalk {
            path: "the_path".into(),
        }
        .into(),
        FilestoreError::FileTooLarge {
            file: "the_file".into(),
            size: 7014,
            extent: 7027,
        }
        .into(),
        FilestoreError::NothingRead {
            file: "the_file".into(),
        }
        .into(),
        FilestoreError::BeyondEnd {
            len: 7001,
            start: 7014,
            size: 7027,
        }
        .into(),
        FilestoreError::TooLarge { size: 7001 }.into(),
        FilestoreError::NotAFilestore {
            uri: "the_uri".into(),
        }
        .into(),
        FilestoreError::BufferTooSmall {
            parameter: "the_parameter",
            extent: 7014,
        }
        .into(),
        FilestoreError::NoSize {
            key: "the_key",
            uri: "the_uri".into(),
        }
        .into(),
    ]
}
