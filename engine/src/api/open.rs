//! Handles of the engine that are open for a change of an array.

use std::sync::Arc;

use super::context::Context;
use crate::array::Array as EngineArray;
use crate::error::Result;
use crate::types::{QueryType, Timestamp};

/// Opens the latest state of the array at `uri` for `query_type`. Changes get the timestamp, in
/// milliseconds since 1970, or the time at which they are made.
pub(super) fn open_for(
    context: &Context,
    uri: &str,
    query_type: QueryType,
    timestamp: Option<Timestamp>,
) -> Result<Arc<EngineArray>> {
    let handle = EngineArray::new(context.storage(), uri)?;
    if let Some(timestamp) = timestamp {
        handle.set_open_timestamp_end(timestamp);
    }
    handle.open(query_type)?;
    Ok(Arc::new(handle))
}
