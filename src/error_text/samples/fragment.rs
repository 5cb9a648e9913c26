//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{FragmentError, GeometryError, RecordError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        FragmentError::MissingFile {
            uri: "the_uri".into(),
        }
        .into(),
        FragmentError::TileNumber {
            field: "the_field".into(),
            tiles: 7014,
            expected: 7027,
        }
        .into(),
        FragmentError::OtherFragment.into(),
        FragmentError::OutsideCurrentDomain.into(),
        FragmentError::OutsideDomain.into(),
        FragmentError::NoSchema {
            name: "the_name".into(),
        }
        .into(),
        FragmentError::NotUnfinished {
            uri: "the_uri".into(),
        }
        .into(),
        RecordError::NotEncrypted.into(),
        RecordError::UnknownEncryption.into(),
        RecordError::OtherEncryption {
            stored: "the_stored",
            given: "the_given",
        }
        .into(),
        GeometryError::HilbertDimensions { number: 7001 }.into(),
        GeometryError::NoDomain.into(),
        GeometryError::NoGrid.into(),
        GeometryError::TileTooLarge.into(),
        GeometryError::TooManyCells { number: 7001 }.into(),
    ]
}
