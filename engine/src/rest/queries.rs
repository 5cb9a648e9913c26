//! Requests that run queries on a server.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::array::Array;
use crate::buffers::FieldSizes;
use crate::error::Result;
use crate::query::{Query, QueryPlan};
use crate::types::QueryType;
use crate::vfs::Vfs;

#[cfg(feature = "rest")]
use super::{
    records::{RecordSink, with_alignment},
    server::Server,
};
#[cfg(feature = "rest")]
use crate::{
    error::RestError,
    http::exchange::BodyTarget,
    serialization::{MessageEncoding, read_query_plan_response, read_result_sizes},
};

/// The kind of request for a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryStep {
    /// Reads or writes cells, or deletes.
    Submit,
    /// Completes a write.
    Finalize,
    /// Writes cells and completes the write.
    SubmitAndFinalize,
}

/// A query that a server runs.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "rest"),
    expect(dead_code, reason = "only the client reads the fields")
)]
pub struct QueryCall {
    vfs: Arc<Vfs>,
    array: Arc<Array>,
    query_type: QueryType,
    /// Whether the message contains the array, so that the server need not open it.
    with_array: bool,
}

impl QueryCall {
    /// Creates a request for a query.
    pub fn new(query: &Query) -> Result<Self> {
        let name = "rest.use_refactored_array_open_and_query_submit";
        Ok(Self {
            vfs: query.request().vfs.clone(),
            array: query.request().array.clone(),
            query_type: query.request().query_type,
            with_array: query.request().config.flag(name)?,
        })
    }

    /// Returns whether the server may send the results of several submits in one response.
    pub fn reads_all(&self) -> Result<bool> {
        let config = &self.vfs.context.config;
        match config.get("rest.resubmit_incomplete") {
            Some(_) => config.flag("rest.resubmit_incomplete"),
            None => Ok(false),
        }
    }
}

/// Sends the message of a query and the content of its buffers, which are `parts`, and passes each
/// record of the response, aligned to 8 bytes, to `take`, whose result can end the response.
/// `restart` is called before the first record of each attempt: those of earlier attempts do not
/// count. A record of more than `max_bytes` bytes is an error.
pub fn run_query(
    call: &QueryCall,
    step: QueryStep,
    parts: Vec<Cow<'_, [u8]>>,
    max_bytes: u64,
    restart: &mut dyn FnMut(),
    take: &mut dyn FnMut(&[u8]) -> Result<ControlFlow<()>>,
) -> Result<()> {
    #[cfg(not(feature = "rest"))]
    {
        let _ = (call, step, parts, max_bytes, restart, take);
        Err(crate::error::VfsError::NoRest.into())
    }
    #[cfg(feature = "rest")]
    {
        let server = Server::new(&call.vfs.context)?;
        let (version, action) = match (step, call.with_array) {
            (QueryStep::Submit, true) => ("v3/arrays", "/query/submit"),
            (QueryStep::Submit, false) => ("v2/arrays", "/query/submit"),
            (QueryStep::Finalize, true) => ("v3/arrays", "/query/finalize"),
            (QueryStep::Finalize, false) => ("v1/arrays", "/query/finalize"),
            (QueryStep::SubmitAndFinalize, true) => ("v3/arrays", "/query/submit_and_finalize"),
            (QueryStep::SubmitAndFinalize, false) => ("v2/arrays", "/query/submit_and_finalize"),
        };
        let request = server.call("POST", version, &call.array.uri, action)?;
        let mut request = request
            .parameter("type", call.query_type.name())
            .query_body(parts);
        if step == QueryStep::Submit {
            request = request
                .parameter("read_all", call.reads_all()?.to_string())
                .times(call.array.time_range());
        }
        if step == QueryStep::Finalize {
            let message = server.fetch_message(&request, "the end of a write")?;
            restart();
            return with_alignment(&message, |message| take(message).map(drop));
        }
        let mut records = RecordSink::new(max_bytes, restart, take);
        let streamed = server.stream(&request, BodyTarget::Stream(&mut records));
        match (streamed, records.error) {
            // The error of a record may be that of an earlier attempt.
            (Err(cause), Some(error)) if !cause.is_cancelled() => return Err(error),
            (streamed, _) => streamed?,
        }
        if records.number == 0 {
            let content = "the state of a query";
            return Err(RestError::NoData { content }.into());
        }
        Ok(())
    }
}

/// Returns the estimated sizes of the results of a read. `parts` is its message.
pub fn load_estimates(
    query: &Query,
    parts: Vec<Cow<'_, [u8]>>,
) -> Result<HashMap<String, FieldSizes>> {
    #[cfg(not(feature = "rest"))]
    {
        let _ = (query, parts);
        Err(crate::error::VfsError::NoRest.into())
    }
    #[cfg(feature = "rest")]
    {
        let server = Server::new(&query.request().vfs.context)?;
        let action = "/query/est_result_sizes";
        let array = &query.request().array;
        let request = server.call("POST", "v1/arrays", &array.uri, action)?;
        let request = request
            .parameter("type", query.request().query_type.name())
            .times(array.time_range())
            .query_body(parts);
        let message = server.fetch_message(&request, "the sizes of results")?;
        read_result_sizes(&message, query, MessageEncoding::Capnp)
    }
}

/// Returns the plan of a query. `request` is the message that requests it.
pub fn query_plan(query: &Query, request: Vec<u8>) -> Result<QueryPlan> {
    #[cfg(not(feature = "rest"))]
    {
        let _ = (query, request);
        Err(crate::error::VfsError::NoRest.into())
    }
    #[cfg(feature = "rest")]
    {
        let server = Server::new(&query.request().vfs.context)?;
        let with_array = QueryCall::new(query)?.with_array;
        let version = if with_array { "v3/arrays" } else { "v2/arrays" };
        let array = &query.request().array;
        let call = server.call("POST", version, &array.uri, "/query/plan")?;
        let call = call
            .parameter("type", query.request().query_type.name())
            .times(array.time_range())
            .query_body(vec![Cow::Owned(request)]);
        let message = server.fetch_message(&call, "the plan of a query")?;
        read_query_plan_response(&message, MessageEncoding::Capnp)
    }
}
