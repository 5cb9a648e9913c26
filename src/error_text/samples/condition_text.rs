//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{ConditionTextError, ScalarError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        ConditionTextError::Unexpected { found: '@' }.into(),
        ConditionTextError::NotOperator.into(),
        ConditionTextError::OpenQuote { quote: '@' }.into(),
        ConditionTextError::BadBytes.into(),
        ConditionTextError::NotANumber {
            text: "the_text".into(),
        }
        .into(),
        ConditionTextError::Empty.into(),
        ConditionTextError::Expected {
            expected_token: "the_expected_token",
            found: "the_found".into(),
        }
        .into(),
        ConditionTextError::TooDeep { levels: 7001 }.into(),
        ConditionTextError::NoField.into(),
        ConditionTextError::Like.into(),
        ConditionTextError::ComparedWithNull.into(),
        ConditionTextError::NotAValue {
            name: "the_name".into(),
        }
        .into(),
        ConditionTextError::UnknownField {
            name: "the_name".into(),
        }
        .into(),
        ConditionTextError::WrongValue {
            cause: ScalarError::WrongType {
                value: "the_value".into(),
                datatype: "the_type",
            },
            field: "the_field".into(),
        }
        .into(),
        ScalarError::WrongType {
            value: "the_value".into(),
            datatype: "the_datatype",
        }
        .into(),
        ScalarError::OutOfRange {
            value: "the_value".into(),
            datatype: "the_datatype",
        }
        .into(),
        ScalarError::BadTime {
            text: "the_text".into(),
            problem: "the_problem".into(),
        }
        .into(),
    ]
}
