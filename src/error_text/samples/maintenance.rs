//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::MaintenanceError;

pub(super) fn samples() -> Vec<Error> {
    vec![
        MaintenanceError::BadMode {
            parameter: "the_parameter".into(),
            mode: "the_mode".into(),
        }
        .into(),
        MaintenanceError::NotAFragment {
            name: "the_name".into(),
        }
        .into(),
        MaintenanceError::BadUri {
            uri: "the_uri".into(),
        }
        .into(),
        MaintenanceError::NotAGroup {
            uri: "the_uri".into(),
        }
        .into(),
        MaintenanceError::NotAnArray {
            uri: "the_uri".into(),
        }
        .into(),
        MaintenanceError::OldCommits { version: 7001 }.into(),
        MaintenanceError::OutsideDomain.into(),
        MaintenanceError::Hindered.into(),
        MaintenanceError::MissingFragments {
            found: 7001,
            chosen: 7014,
        }
        .into(),
        MaintenanceError::Hidden {
            uri: "the_uri".into(),
        }
        .into(),
        MaintenanceError::MinAboveMax.into(),
        MaintenanceError::BadStepRatio.into(),
        MaintenanceError::BadAmplification.into(),
        MaintenanceError::NoProgress.into(),
        MaintenanceError::NoNode { index: 7001 }.into(),
        MaintenanceError::NoPlanFragment { index: 7001 }.into(),
    ]
}
