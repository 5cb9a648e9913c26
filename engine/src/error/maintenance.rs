//! Causes of errors of consolidation and vacuum.

/// Causes of errors of consolidation and vacuum.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaintenanceError {
    #[error("'{mode}' is not a value of the parameter '{parameter}'")]
    BadMode { parameter: String, mode: String },
    #[error("'{name}' is not a fragment of the array")]
    NotAFragment { name: String },
    #[error("'{uri}' is not the URI of an array")]
    BadUri { uri: String },
    #[error("'{uri}' is not a group")]
    NotAGroup { uri: String },
    #[error("'{uri}' is not an array")]
    NotAnArray { uri: String },
    #[error("Commits of arrays of format version {version} cannot be consolidated")]
    OldCommits { version: u32 },
    #[error("A fragment lies outside of the array's domain")]
    OutsideDomain,
    #[error("Fragments with earlier timestamps were written during the consolidation")]
    Hindered,
    #[error("Only {found} of {chosen} fragments exist")]
    MissingFragments { found: usize, chosen: usize },
    #[error("The older fragment '{uri}' overlaps the fragments to consolidate")]
    Hidden { uri: String },
    #[error("The minimum number of fragments is larger than the maximum")]
    MinAboveMax,
    #[error("The ratio of step sizes is not in [0, 1]")]
    BadStepRatio,
    #[error("The amplification is negative")]
    BadAmplification,
    #[error("A consolidation read no cells and cannot progress")]
    NoProgress,
    #[error("The plan has no node {index}")]
    NoNode { index: u64 },
    #[error("The node of the plan has no fragment {index}")]
    NoPlanFragment { index: u64 },
}
