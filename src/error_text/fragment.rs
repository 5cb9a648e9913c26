//! The texts of errors of fragments and records.

use tiledb_engine::error::{FragmentError, GeometryError, RecordError};

use super::origins::{CELL_ORDER, DOMAIN, FRAGMENT_METADATA, GENERIC_TILE_IO, READER};
use super::{Text, text};

/// Returns the text of an error of fragments.
pub(super) fn fragment(cause: &FragmentError) -> Text {
    use FragmentError as E;
    let origin = match cause {
        E::MissingFile { .. } => READER,
        _ => FRAGMENT_METADATA,
    };
    let message = match cause {
        E::OutsideCurrentDomain => {
            "Cells are written outside of the defined current domain.".to_owned()
        }
        E::NoSchema { name } => format!(
            "Could not find schema {name} in map of schemas loaded.\nConsider reloading the array to check for new array schemas."
        ),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of encrypted records.
pub(super) fn record(cause: &RecordError) -> Text {
    use RecordError as E;
    let message = match cause {
        E::NotEncrypted => "Error getting generic tile; no encryption filter.".to_owned(),
        E::UnknownEncryption => "Error getting generic tile; invalid encryption type.".to_owned(),
        E::OtherEncryption { stored, given } => format!(
            "Error reading generic tile; tile is encrypted with {stored} but given key is for {given}"
        ),
        _ => cause.to_string(),
    };
    text(GENERIC_TILE_IO, message)
}

/// Returns the text of an error of the geometry of domains.
pub(super) fn geometry(cause: &GeometryError) -> Text {
    use GeometryError as E;
    let origin = match cause {
        E::TooManyCells { .. } => CELL_ORDER,
        _ => DOMAIN,
    };
    text(origin, cause)
}
