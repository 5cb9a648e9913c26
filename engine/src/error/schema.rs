//! Causes of errors of schemas.

/// Causes of errors of schemas.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    #[error("Names of attributes must not start with '{prefix}'")]
    ReservedName { prefix: &'static str },
    #[error("The schema has an enumeration '{name}' already")]
    DuplicateEnumeration { name: String },
    #[error("The schema has no enumeration '{name}', to which the attribute refers")]
    UnknownEnumeration { name: String },
    #[error(
        "Attribute '{attribute}' of type {datatype} cannot have an enumeration, which needs integers"
    )]
    EnumerationOfType {
        attribute: String,
        datatype: &'static str,
    },
    #[error("Attribute '{attribute}' has an enumeration and needs one value per cell")]
    EnumerationOfMany { attribute: String },
    #[error("The enumeration '{name}' of the attribute is not loaded")]
    EnumerationNotLoaded { name: String },
    #[error(
        "The type of attribute '{attribute}' cannot count all members of the enumeration '{name}'"
    )]
    EnumerationTooLarge { name: String, attribute: String },
    #[error(
        "Enumeration '{name}' would have {values} values, but attribute '{attribute}' of type {datatype} can refer to {most} only"
    )]
    EnumerationPastIndex {
        name: String,
        attribute: String,
        datatype: &'static str,
        values: u64,
        most: u64,
    },
    #[error("The domain has no dimension")]
    NoDimensions,
    #[error("The dimensions of a dense array have different datatypes")]
    MixedTypes,
    #[error("A dense array cannot have dimensions of type {datatype}")]
    DenseType { datatype: &'static str },
    #[error("Tiles cannot be in Hilbert order")]
    HilbertTiles,
    #[error("Tiles need an order")]
    UnorderedTiles,
    #[error("Cells of dense arrays cannot be in Hilbert order")]
    HilbertDense,
    #[error("Cells need an order")]
    UnorderedCells,
    #[error("The capacity of a sparse array must not be 0")]
    NoCapacity,
    #[error("Dense arrays cannot have duplicate coordinates")]
    DenseDuplicates,
    #[error("Double delta cannot be a coordinate filter of dimensions of real numbers")]
    RealDoubleDelta,
    #[error("The filter {filter} must be the first one on coordinates that are texts")]
    FilterNotFirst { filter: &'static str },
    #[error("There is no attribute {index}; the schema has {number}")]
    NoAttribute { index: u32, number: usize },
    #[error("There is no attribute '{name}'")]
    UnknownAttribute { name: String },
    #[error("There is no dimension {index}; the domain has {number}")]
    NoDimension { index: u32, number: usize },
    #[error("There is no dimension '{name}'")]
    UnknownDimension { name: String },
    #[error("The domain has no dimensions")]
    NoCommonType,
    #[error("The dimensions have different datatypes")]
    MixedDomain,
}

/// Causes of errors of complete schemas.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaCheckError {
    #[error("The schema has no domain")]
    NoDomain,
    #[error("The schema has no dimensions")]
    NoDimensions,
    #[error("Hilbert order supports {most} dimensions, not {number}")]
    HilbertDimensions { number: usize, most: usize },
    #[error("Dense arrays cannot have dimensions of real numbers")]
    RealDense,
    #[error("A dense array needs an attribute")]
    NoAttributes,
    #[error("The dimensions of a dense array have different datatypes")]
    MixedTypes,
    #[error("A dimension of a dense array has no tile extent")]
    NoExtent,
    #[error("The capacity of a sparse array must not be 0")]
    NoCapacity,
    #[error("Ordered attributes need a dense array with one dimension")]
    OrderedAttributes,
    #[error("Two of the attributes, dimensions and labels have the same name")]
    DuplicateName,
    #[error("The dimension label '{label}' has no schema")]
    NoLabelSchema { label: String },
    #[error("The filter WebP needs attributes of type UINT8")]
    WebpType,
    #[error("The filter WebP needs a dense array")]
    WebpSparse,
    #[error("The filter WebP needs two dimensions, not {number}")]
    WebpDimensions { number: usize },
    #[error("The filter WebP needs two dimensions of the same type")]
    WebpMixed,
    #[error(
        "The schema has format version {version}, but {newest} is the newest that is supported"
    )]
    TooNew { version: u32, newest: u32 },
}

/// Causes of errors of current domains.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CurrentDomainError {
    #[error("A rectangle needs a domain with dimensions")]
    NoDimensions,
    #[error("The rectangle has no dimension {index}")]
    NoDimension { index: u32 },
    #[error("The rectangle has no range of a dimension {index}")]
    NoRange { index: u32 },
    #[error("The rectangle has no dimension {index} whose range could be set")]
    NoDimensionToSet { index: u32 },
    #[error("The rectangle has no dimension '{name}'")]
    UnknownDimension { name: String },
    #[error("The range is empty")]
    EmptyRange,
    #[error("The range has {size} bytes instead of {expected}")]
    RangeSize { size: usize, expected: usize },
    #[error("The current domain and the schema have different numbers of dimensions")]
    DimensionNumber,
    #[error("The current domain has no range of dimension {index}")]
    RangeMissing { index: usize },
    #[error("A range of the current domain is not inside the domain")]
    BeyondDomain,
    #[error("A bound of the range is not a number")]
    NanRange,
    #[error("The lower bound {low} of the range is larger than the upper bound {high}")]
    ReversedRange { low: String, high: String },
    #[error("The new current domain does not contain the current one")]
    Shrinks,
}
