//! Causes of errors of the text of conditions.

/// Causes of errors of the text and the values of conditions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConditionTextError {
    #[error("'{found}' is not expected")]
    Unexpected { found: char },
    #[error("'!' is not an operator; write NOT")]
    NotOperator,
    #[error("the quote {quote} is not closed")]
    OpenQuote { quote: char },
    #[error("X'...' needs pairs of hexadecimal digits")]
    BadBytes,
    #[error("'{text}' is not a number")]
    NotANumber { text: String },
    #[error("the condition is empty")]
    Empty,
    #[error("expected {expected_token}, found {found}")]
    Expected {
        expected_token: &'static str,
        found: String,
    },
    #[error("conditions are nested deeper than {levels} levels")]
    TooDeep { levels: usize },
    #[error("a comparison needs the name of a field")]
    NoField,
    #[error("LIKE is not supported")]
    Like,
    #[error("NULL is tested with IS NULL or IS NOT NULL")]
    ComparedWithNull,
    #[error("expected a value, found '{name}'; texts are in single quotes")]
    NotAValue { name: String },
    #[error("there is no field '{name}'")]
    UnknownField { name: String },
    #[error("{cause}, the datatype of '{field}'")]
    WrongValue { cause: ScalarError, field: String },
}

/// Causes of errors of values that do not fit a datatype.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScalarError {
    #[error("{value} is not a value of {datatype}")]
    WrongType {
        value: String,
        datatype: &'static str,
    },
    #[error("{value} is out of the range of {datatype}")]
    OutOfRange {
        value: String,
        datatype: &'static str,
    },
    #[error("'{text}' {problem}")]
    BadTime { text: String, problem: String },
}
