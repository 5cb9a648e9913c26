//! Causes of errors of dimension labels and of the evolution of schemas.

/// Causes of errors of dimension labels.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    #[error("A dimension label needs an order")]
    Unordered,
    #[error("A dimension label needs a domain")]
    NoDomain,
    #[error("There is no dimension {index} to label")]
    NoDimension { index: u32 },
    #[error("The name of the dimension label is empty")]
    NoName,
    #[error("An attribute '{name}' exists already")]
    NameOfAttribute { name: String },
    #[error("A dimension '{name}' exists already")]
    NameOfDimension { name: String },
    #[error("A dimension label '{name}' exists already")]
    NameOfLabel { name: String },
    #[error("There is no dimension label {index}; the schema has {number}")]
    NoLabel { index: u64, number: usize },
    #[error("There is no dimension label '{name}'")]
    Unknown { name: String },
    #[error("The dimension label '{label}' cannot be on a dimension of type {datatype}")]
    BadDimensionType {
        label: String,
        datatype: &'static str,
    },
    #[error("The dimension label '{label}' cannot have the type {datatype}")]
    BadType {
        label: String,
        datatype: &'static str,
    },
    #[error("The {subject} of the dimension label '{label}' cannot be set without a schema")]
    NoSchema {
        label: String,
        subject: &'static str,
    },
    #[error(
        "The tile extent of the dimension label '{label}' has the type {given} instead of {datatype}"
    )]
    ExtentType {
        label: String,
        datatype: &'static str,
        given: &'static str,
    },
    #[error("The schema of the label '{label}' has {number} dimensions")]
    DimensionNumber { label: String, number: usize },
    #[error("The schema of the label has a dimension of type {found} instead of {expected}")]
    DimensionType {
        found: &'static str,
        expected: &'static str,
    },
    #[error("The schema of the label has no attribute '{name}'")]
    NoAttribute { name: String },
    #[error("The order of the label is {found} instead of {expected}")]
    Order {
        found: &'static str,
        expected: &'static str,
    },
    #[error("The label has the type {found} instead of {expected}")]
    Type {
        found: &'static str,
        expected: &'static str,
    },
    #[error("The label has {found} values per cell instead of {expected}")]
    ValueNumber { found: u32, expected: u32 },
    #[error("The values of the label '{label}' are nullable or sparse")]
    NullableOrSparse { label: String },
    #[error("The array has no dimension for the label '{label}'")]
    DimensionMissing { label: String },
    #[error("A dimension label that belongs to the array needs a schema")]
    NotCreated,
    #[error("The URI '{uri}' of label '{label}' is not within its array")]
    OutsideArray { label: String, uri: String },
}

/// Causes of errors of the evolution of schemas.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvolutionError {
    #[error("The attribute '{name}' is added already")]
    AttributeAdded { name: String },
    #[error("The enumeration '{name}' is added already")]
    EnumerationAdded { name: String },
    #[error("The enumeration '{name}' is extended already")]
    EnumerationExtended { name: String },
    #[error("The new current domain is empty")]
    NoCurrentDomain,
    #[error("The timestamps {start} and {end} of the evolution differ")]
    TwoTimestamps { start: u64, end: u64 },
    #[error("There is no attribute '{name}' to drop")]
    UnknownAttribute { name: String },
    #[error("There is no enumeration '{name}' to extend")]
    UnknownEnumeration { name: String },
    #[error("The enumeration '{name}' to extend is not loaded")]
    NotLoaded { name: String },
    #[error("The new members of the enumeration '{name}' do not begin with its members")]
    NotAnExtension { name: String },
    #[error("The extended enumeration '{name}' has the same file")]
    SameFile { name: String },
    #[error("The attribute to drop has no name")]
    NoAttributeName,
    #[error("The enumeration '{name}' is in use by the attribute '{attribute}'")]
    EnumerationInUse { name: String, attribute: String },
}
