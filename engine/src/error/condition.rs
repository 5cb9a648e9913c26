//! Causes of errors of conditions and aggregates.

/// Causes of errors of conditions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PredicateError {
    #[error("IN and NOT IN need a set of values")]
    SetOperator,
    #[error("{operator} is not an operator for callers")]
    InternalOperator { operator: &'static str },
    #[error("A set of values needs IN or NOT IN")]
    NotSetOperator,
    #[error("The members of the set have no offsets")]
    NoOffsets,
    #[error("The offsets of the members of the set decrease")]
    DecreasingOffsets,
    #[error("The offset {offset} of a member of the set is beyond the data of {size} bytes")]
    OffsetBeyondData { offset: u64, size: usize },
    #[error("The conditions are nested deeper than {levels} levels")]
    TooDeep { levels: usize },
    #[error("There is no field '{name}' to compare")]
    UnknownField { name: String },
    #[error("The field '{name}' cannot be compared")]
    Coordinates { name: String },
    #[error("Null can only be compared for equality")]
    NullInequality,
    #[error("The enumeration '{name}' has no order, which the comparison needs")]
    UnorderedEnumeration { name: String },
    #[error("The index {index} of enumeration '{name}' does not fit its attribute")]
    IndexTooLarge { name: String, index: u64 },
    #[error("The field '{name}' has a variable number of values other than ASCII texts")]
    VarNumbers { name: String },
    #[error("The field '{name}' has several values per cell that are no text")]
    ManyValues { name: String },
    #[error("The value has {given} bytes instead of {size}")]
    ValueSize { size: u64, given: usize },
    #[error("A member of the set has {given} bytes instead of {size}")]
    MemberSize { size: u64, given: usize },
    #[error("The field '{name}' of type {datatype} cannot be compared")]
    UnsupportedType {
        name: String,
        datatype: &'static str,
    },
    #[error("Cannot apply delete; Enumeration {name} is not wanted")]
    UnusedEnumeration { name: String },
    #[error("No schema")]
    NoSchema,
}

/// Causes of errors of aggregates.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AggregateError {
    #[error("There is no field '{name}' to aggregate")]
    UnknownField { name: String },
    #[error("The field '{name}' has no nulls to count")]
    NotNullable { name: String },
    #[error("Values of type {datatype} cannot be aggregated")]
    UnsupportedType { datatype: &'static str },
    #[error("{operator} needs numbers")]
    NotNumbers { operator: &'static str },
    #[error("The field '{name}' has a variable number of values that are no texts")]
    VarNumbers { name: String },
    #[error("The field '{name}' has several values per cell that are no text")]
    ManyValues { name: String },
    #[error("The result of {operator} has no buffer")]
    NoBuffer { operator: &'static str },
    #[error("The result of an aggregate needs a buffer of a fixed size")]
    NoFixedBuffer,
    #[error("The result of an aggregate of texts needs a buffer of variable size")]
    NoVarBuffer,
    #[error("The buffer of the result of an aggregate has {size} bytes instead of {expected}")]
    BufferSize { size: usize, expected: usize },
    #[error("The result of an aggregate of a nullable field needs validity")]
    NoValidity,
    #[error("The validity of the result of an aggregate has {size} bytes instead of 1")]
    ValiditySize { size: usize },
    #[error("A count has no validity")]
    CountValidity,
    #[error("The result of an aggregate of a field that is not nullable has no validity")]
    UnexpectedValidity,
    #[error("The result of field '{name}' needs {size} bytes")]
    TextTooLong { name: String, size: usize },
}
