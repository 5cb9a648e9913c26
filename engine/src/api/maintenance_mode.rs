//! The files that consolidation merges and vacuum removes.

use crate::config::Config;
use crate::error::Result;

/// The files that consolidation merges, or that vacuum removes after a consolidation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

    /// Returns a configuration with this mode.
    pub(super) fn config(self, base: &Config) -> Result<Config> {
        let mut config = base.clone();
        config.set("sm.consolidation.mode", self.name())?;
        config.set("sm.vacuum.mode", self.name())?;
        Ok(config)
    }
}
