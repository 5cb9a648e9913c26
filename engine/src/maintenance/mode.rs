//! The files that consolidation merges and vacuum removes.

use crate::config::Config;
use crate::error::{MaintenanceError, Result};
use crate::stats::Timer;

/// The parameter with the mode of consolidation.
pub(super) const CONSOLIDATION: &str = "sm.consolidation.mode";
/// The parameter with the mode of vacuum.
pub(super) const VACUUM: &str = "sm.vacuum.mode";

/// The files that consolidation merges, or that vacuum removes after a consolidation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MaintenanceMode {
    /// The fragments of an array.
    Fragments,
    /// The footers of fragments, which opening an array reads.
    FragmentMetadata,
    /// The commit files of fragments and deletes.
    Commits,
    /// The metadata of an array.
    ArrayMetadata,
    /// The metadata of a group.
    GroupMetadata,
    /// Remains of killed processes; for vacuum only.
    Garbage,
}

impl MaintenanceMode {
    /// All modes.
    pub const ALL: [Self; 6] = [
        Self::Fragments,
        Self::FragmentMetadata,
        Self::Commits,
        Self::ArrayMetadata,
        Self::GroupMetadata,
        Self::Garbage,
    ];

    /// Returns the name of the mode in configurations, such as "fragment_meta".
    pub fn name(self) -> &'static str {
        match self {
            Self::Fragments => "fragments",
            Self::FragmentMetadata => "fragment_meta",
            Self::Commits => "commits",
            Self::ArrayMetadata => "array_meta",
            Self::GroupMetadata => "group_meta",
            Self::Garbage => "garbage",
        }
    }

    /// Returns the mode with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns the mode in a configuration. `key` is the parameter of consolidation or of vacuum.
    pub(super) fn from_config(config: &Config, key: &str) -> Result<Self> {
        let name = config.text(key).unwrap_or_default();
        match Self::from_name(&name) {
            Some(mode) if mode != Self::Garbage || key == VACUUM => Ok(mode),
            _ => Err(MaintenanceError::BadMode {
                parameter: key.into(),
                mode: name.as_ref().into(),
            }
            .into()),
        }
    }

    /// Returns the timer for a consolidation in this mode.
    pub(super) fn timer(self) -> Option<Timer> {
        match self {
            Self::Fragments => Some(Timer::ConsolidateFragments),
            Self::FragmentMetadata => Some(Timer::ConsolidateFragmentMetadata),
            Self::Commits => Some(Timer::ConsolidateCommits),
            Self::ArrayMetadata => Some(Timer::ConsolidateMetadata),
            Self::GroupMetadata => Some(Timer::ConsolidateGroupMetadata),
            Self::Garbage => None,
        }
    }
}
