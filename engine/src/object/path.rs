//! The paths of objects that callers pass.

use crate::error::{Error, ObjectError, Result};
use crate::vfs::Uri;

/// Parses the path of an object. `which` is the word before the path in errors: "to " for a target.
pub(super) fn parse_path(action: &'static str, which: &'static str, path: &str) -> Result<Uri> {
    Uri::parse(path).map_err(|_| {
        Error::from(ObjectError::BadUri {
            action,
            which,
            path: path.into(),
        })
    })
}
