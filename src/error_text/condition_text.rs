//! The texts of errors of the text of conditions.

use tiledb_engine::error::{ConditionTextError, ScalarError};

use super::origins::{CONDITION, VALUE};
use super::{Text, text};

/// Returns the text of an error of the text and the values of conditions.
pub(super) fn condition_text(cause: &ConditionTextError) -> Text {
    text(CONDITION, cause)
}

/// Returns the text of an error of values that do not fit a datatype.
pub(super) fn scalar(cause: &ScalarError) -> Text {
    text(VALUE, cause)
}
