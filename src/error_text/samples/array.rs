//! Samples of each cause.

use tiledb_engine::error::{
    ArrayEnumerationError, ArrayError, Error, MetadataAction, MetadataError,
};
pub(super) fn samples() -> Vec<Error> {
    vec![
        ArrayError::AlreadyOpen.into(),
        ArrayError::UnsupportedQueryType.into(),
        ArrayError::ReopenClosed.into(),
        ArrayError::ReopenNotRead.into(),
        ArrayError::ConfigOfOpen.into(),
        ArrayError::SchemaOfClosed.into(),
        ArrayError::NotOpen.into(),
        ArrayError::NotOpenForDomain.into(),
        ArrayError::NotOpenForDomainByIndex.into(),
        ArrayError::NotOpenForDomainByName.into(),
        ArrayError::NotOpenForReads.into(),
        ArrayError::UpdatesAreExperimental.into(),
        ArrayError::OldVersion {
            operation: "the_operation",
            version: 7014,
            least: 7027,
        }
        .into(),
        ArrayError::Open {
            cause: Error::cancelled(),
        }
        .into(),
        ArrayError::Listing {
            cause: Error::cancelled(),
        }
        .into(),
        ArrayError::InUse {
            uri: "the_uri".into(),
        }
        .into(),
        ArrayError::Missing.into(),
        ArrayError::Gone {
            uri: "the_uri".into(),
        }
        .into(),
        ArrayError::Exists {
            uri: "the_uri".into(),
        }
        .into(),
        ArrayError::MissingForUpgrade {
            uri: "the_uri".into(),
        }
        .into(),
        ArrayError::BadUri {
            uri: "the_uri".into(),
        }
        .into(),
        ArrayError::NoDimension { index: 7001 }.into(),
        ArrayError::UnknownDimension {
            name: "the_name".into(),
        }
        .into(),
        ArrayError::MixedTypes.into(),
        ArrayError::VarDimensions.into(),
        ArrayError::VarByIndex {
            name: "the_name".into(),
        }
        .into(),
        ArrayError::VarByName {
            name: "the_name".into(),
        }
        .into(),
        ArrayError::FixedDimension {
            name: "the_name".into(),
        }
        .into(),
        ArrayError::UnknownEncryption {
            name: "the_name".into(),
        }
        .into(),
        ArrayError::BadKey.into(),
        ArrayEnumerationError::NotOpen.into(),
        ArrayEnumerationError::NotOpenForAll.into(),
        ArrayEnumerationError::Unknown {
            name: "the_name".into(),
        }
        .into(),
        ArrayEnumerationError::TooLarge {
            name: "the_name".into(),
            most: 7014,
        }
        .into(),
        ArrayEnumerationError::TogetherTooLarge { most: 7001 }.into(),
        ArrayEnumerationError::NotLoaded {
            name: "the_name".into(),
        }
        .into(),
        MetadataError::NotOpen {
            owner: "the_owner",
            action: MetadataAction::Put,
        }
        .into(),
        MetadataError::WrongMode {
            owner: "the_owner",
            action: MetadataAction::Put,
            modes: "the_modes",
        }
        .into(),
        MetadataError::AnyType {
            owner: "the_owner",
            action: MetadataAction::Put,
        }
        .into(),
        MetadataError::NoKey {
            owner: "the_owner",
            action: MetadataAction::Put,
        }
        .into(),
        MetadataError::NoItem { index: 7001 }.into(),
        MetadataError::TooManyValues {
            key: "the_key".into(),
            number: 7002,
        }
        .into(),
    ]
}
