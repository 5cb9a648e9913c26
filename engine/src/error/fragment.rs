//! Causes of errors of fragments and records.

/// Causes of errors of fragments.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FragmentError {
    #[error("Fragment '{uri}' lacks a file of the field")]
    MissingFile { uri: String },
    #[error("Fragment '{uri}' is not in the state in which the query that started it left it")]
    NotUnfinished { uri: String },
    #[error("Field '{field}' has {tiles} tiles, the fragment {expected}")]
    TileNumber {
        field: String,
        tiles: u64,
        expected: u64,
    },
    #[error("The slot belongs to another fragment")]
    OtherFragment,
    #[error("Cells are outside of the current domain")]
    OutsideCurrentDomain,
    #[error("The cells are outside of the domain")]
    OutsideDomain,
    #[error("The array has no schema '{name}'; open the array again to find new schemas")]
    NoSchema { name: String },
}

/// Causes of errors of encrypted records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    #[error("The record is not encrypted, but a key is given")]
    NotEncrypted,
    #[error("The encryption of the record is not known")]
    UnknownEncryption,
    #[error("The record is encrypted with {stored}, but the key is for {given}")]
    OtherEncryption {
        stored: &'static str,
        given: &'static str,
    },
}

/// Causes of errors of the geometry of domains.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GeometryError {
    #[error("No Hilbert order of {number} dimensions")]
    HilbertDimensions { number: usize },
    #[error("A dimension has no domain")]
    NoDomain,
    #[error("The domain has no grid of tiles")]
    NoGrid,
    #[error("A tile has more than 2^64 cells")]
    TileTooLarge,
    #[error("{number} cells are more than can be sorted at once")]
    TooManyCells { number: usize },
}
