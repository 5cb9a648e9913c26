//! The texts of errors of consolidation and vacuum.

use tiledb_engine::error::MaintenanceError;

use super::origins::{
    ARRAY_DIRECTORY, CONSOLIDATOR, ERROR_CONSOLIDATION_PLAN, FRAGMENT_CONSOLIDATOR, GROUP,
    TILEDB_INTERNAL,
};
use super::{Text, text};

/// Returns the text of an error of consolidation and vacuum.
pub(super) fn maintenance(cause: &MaintenanceError) -> Text {
    use MaintenanceError as E;
    let origin = match cause {
        E::BadMode { .. } => TILEDB_INTERNAL,
        E::NotAFragment { .. } => ARRAY_DIRECTORY,
        E::BadUri { .. } | E::NotAnArray { .. } | E::OldCommits { .. } => CONSOLIDATOR,
        E::NotAGroup { .. } => GROUP,
        E::NoNode { .. } | E::NoPlanFragment { .. } => ERROR_CONSOLIDATION_PLAN,
        _ => FRAGMENT_CONSOLIDATOR,
    };
    let message = match cause {
        E::BadMode { parameter, mode } => format!(
            "Cannot consolidate; invalid configuration mode (parameter '{parameter}' is '{mode}')"
        ),
        E::NotAFragment { name } => {
            format!("[fragment_uris] {name} is not a fragment of the ArrayDirectory")
        }
        E::BadUri { .. } => "Cannot consolidate array; Invalid URI".to_owned(),
        E::NotAGroup { .. } => "Cannot open group; Group does not exist.".to_owned(),
        E::NotAnArray { .. } => "Cannot consolidate array; Array does not exist".to_owned(),
        E::OldCommits { .. } => {
            "Array version should be at least 12 to consolidate commits.".to_owned()
        }
        E::Hindered => {
            "Cannot consolidate; Fragments with earlier timestamps were written meanwhile."
                .to_owned()
        }
        E::MissingFragments { found, chosen } => {
            format!("Cannot consolidate; Found {found} of {chosen} required fragments.")
        }
        E::Hidden { uri } => format!(
            "Cannot consolidate; The non-empty domain of the fragment with URI: {uri} overlaps with the union of the non-empty domains of the fragments selected for consolidation and was created before these fragments."
        ),
        E::MinAboveMax => {
            "Invalid configuration; Minimum fragments config parameter is larger than the maximum"
                .to_owned()
        }
        E::BadStepRatio => {
            "Invalid configuration; Step size ratio config parameter must be in [0.0, 1.0]"
                .to_owned()
        }
        E::BadAmplification => {
            "Invalid configuration; Amplification config parameter must be non-negative".to_owned()
        }
        E::NoProgress => "Consolidation read 0 cells, no progress can be made".to_owned(),
        E::NoNode { .. } => "Trying to access a node that doesn't exist.".to_owned(),
        E::NoPlanFragment { .. } => "Trying to access a fragment that doesn't exist.".to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}
