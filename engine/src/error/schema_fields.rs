//! Causes of errors of the fields of a schema.

/// Causes of errors of attributes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeError {
    #[error("The datatype ANY always has a variable number of values")]
    AnyIsVar,
    #[error("A cell needs at least one value")]
    NoValues,
    #[error("{values} values per cell are larger than a chunk of 4 GB")]
    CellTooLarge { values: u32 },
    #[error("Ordered attributes of type {datatype} must have a variable number of values")]
    OrderedTextsAreVar { datatype: &'static str },
    #[error("Ordered attributes of type {datatype} must have one value per cell")]
    OrderedNumbersAreSingle { datatype: &'static str },
    #[error("An ordered attribute cannot be nullable")]
    OrderedIsNotNullable,
    #[error("The fill value is missing")]
    NoFillValue,
    #[error("The fill value has no bytes")]
    EmptyFillValue,
    #[error("The fill value has {size} bytes, but a cell has {cell_size}")]
    FillValueSize { size: usize, cell_size: u64 },
    #[error("Cannot {verb} a fill value without validity, because the attribute is nullable")]
    Nullable { verb: &'static str },
    #[error("Cannot {verb} a fill value with validity, because the attribute is not nullable")]
    NotNullable { verb: &'static str },
    #[error("The name of the enumeration of an attribute is empty")]
    NoEnumerationName,
}

/// Causes of errors of dimensions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DimensionError {
    #[error("A dimension cannot have the type {datatype}")]
    BadType { datatype: &'static str },
    #[error("A dimension of type {datatype} has no {subject}")]
    NotOfTexts {
        subject: &'static str,
        datatype: &'static str,
    },
    #[error("The dimension has no domain")]
    NoDomain,
    #[error("Coordinates that are texts have a variable number of values")]
    TextsAreVar,
    #[error("Coordinates have one value, not {values}")]
    OneValue { values: u32 },
    #[error("A bound of the domain is not a finite number")]
    DomainNan,
    #[error("The upper bound of the domain is smaller than the lower one")]
    DomainReversed,
    #[error("The domain has more values than the largest unsigned number")]
    DomainTooLarge,
    #[error("The tile extent of dimension '{name}' must be greater than 0")]
    ExtentNotPositive { name: String },
    #[error("The tile extent of dimension '{name}' must not be 0")]
    ExtentZero { name: String },
    #[error(
        "The tile extent {extent} of dimension '{name}' is larger than the domain [{low}, {high}]"
    )]
    ExtentTooLarge {
        name: String,
        extent: String,
        low: String,
        high: String,
    },
    #[error(
        "The last tile would exceed the datatype; reduce the upper bound of the domain by one tile extent"
    )]
    LastTileOverflows,
}

/// Causes of errors of enumerations.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnumerationError {
    #[error("The name of the enumeration is empty")]
    NoName,
    #[error("An enumeration needs at least one value per member")]
    NoValues,
    #[error("Members of variable length need offsets")]
    NoOffsets,
    #[error("The offsets of the members are empty")]
    EmptyOffsets,
    #[error("Offsets of {size} bytes are not a multiple of 8 bytes")]
    PartialOffset { size: usize },
    #[error("An offset of a member is larger than the data")]
    OffsetBeyondData,
    #[error("The offsets of the members decrease")]
    DecreasingOffsets,
    #[error("Members of a fixed length have no offsets")]
    UnexpectedOffsets,
    #[error("The data of the members is missing")]
    NoData,
    #[error("The data of the members is empty")]
    EmptyData,
    #[error("{size} bytes are not a multiple of the members' size, {member} bytes")]
    PartialMember { size: usize, member: usize },
    #[error("The member '{value}' occurs more than once")]
    Duplicate { value: String },
    #[error("The members to add have no data")]
    EmptyExtension,
    #[error("The members to add have a fixed length and no offsets")]
    ExtensionWithOffsets,
    #[error("The members to add need offsets")]
    ExtensionNoOffsets,
    #[error("The offsets of the members to add are empty")]
    ExtensionEmptyOffsets,
    #[error("The values of the enumeration are not texts")]
    NotTexts,
    #[error(
        "The enumeration has format version {version}, but {newest} is the newest that is supported"
    )]
    TooNew { version: u32, newest: u32 },
}
