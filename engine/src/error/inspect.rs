//! Causes of errors of fragment information.

/// Causes of errors of fragment information.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FragmentInfoError {
    #[error("'{uri}' is not the URI of an array with fragments")]
    BadUri { uri: String },
    #[error("The configuration cannot change after the fragments are loaded")]
    ConfigAfterLoad,
    #[error("The fragments are not loaded")]
    NotLoaded,
    #[error("Cannot {action}, because there is no fragment {index}")]
    NoFragment { action: &'static str, index: u32 },
    #[error("There is no replaced fragment {index}")]
    NoReplaced { index: u32 },
    #[error("Cannot {action}, because there is no dimension {index}")]
    NoDimension { action: &'static str, index: usize },
    #[error("Cannot {action} without the name of a dimension")]
    NoName { action: &'static str },
    #[error("Cannot {action}, because there is no dimension '{name}'")]
    UnknownName { action: &'static str, name: String },
    #[error("Cannot {action} in a fixed size, because the dimension has variable size")]
    VarRange { action: &'static str },
    #[error("Cannot {action}, because the dimension has a fixed size")]
    FixedRange { action: &'static str },
    #[error("Cannot {action}, because all ranges of the dimension have one size")]
    FixedRangeSize { action: &'static str },
    #[error("Cannot {action} of a dense fragment")]
    Dense { action: &'static str },
    #[error("There is no minimum bounding rectangle {index}")]
    NoMbr { index: u32 },
    #[error("There is no minimum bounding rectangle {index} whose size could be read")]
    NoSizedMbr { index: u32 },
    #[error("There is no fragment {index} with bounds of tiles in global order")]
    NoFragmentWithBounds { index: u32 },
    #[error("There are no bounds in global order for tile {index}")]
    NoOrderBounds { index: u32 },
    #[error("The format of the fragment has no bounds of tiles in global order")]
    FormatWithoutBounds,
    #[error("The bounds of dimensions of variable size need an output for their sizes")]
    NoBoundSizes,
    #[error("There is no minimum bounding rectangle {index} of variable size")]
    NoVarMbr { index: u32 },
}
