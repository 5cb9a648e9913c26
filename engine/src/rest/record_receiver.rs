//! The receiver of the records in the response to a query.

use std::fmt;
use std::ops::ControlFlow;

use crate::error::Result;

/// The receiver of the records of a response.
pub struct RecordReceiver<'a> {
    /// The maximum size of a record in bytes.
    pub max_bytes: u64,
    /// Called before each attempt of the request. The records of earlier attempts are void then.
    pub restart: &'a mut dyn FnMut(),
    /// Called with each record, aligned to 8 bytes.
    pub take: &'a mut dyn FnMut(&[u8]) -> Result<ControlFlow<()>>,
}

impl fmt::Debug for RecordReceiver<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordReceiver")
            .field("max_bytes", &self.max_bytes)
            .finish_non_exhaustive()
    }
}
