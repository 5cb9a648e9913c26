//! The version of the storage format, and by name what each version brought. The only place where versions are numbers.

/// A version of the storage format, as files carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormatVersion(pub u32);

impl FormatVersion {
    /// What is written.
    pub const WRITTEN: Self = Self(22);
    /// The newest version that is read.
    pub const NEWEST: Self = Self(23);
}

impl std::fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
