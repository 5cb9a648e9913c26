//! The texts of errors that only the Rust API reports.

use tiledb_engine::error::ApiError;

use super::origins::RUST_API;
use super::{Text, text};

/// Returns the text of an error of the Rust API.
pub(super) fn api(cause: &ApiError) -> Text {
    text(RUST_API, cause)
}
