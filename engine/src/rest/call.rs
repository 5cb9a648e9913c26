//! A request to a server.

use std::borrow::Cow;

use super::address::Address;
use crate::types::TimeRange;

/// A request to a server.
pub(super) struct Call<'a> {
    pub(super) method: &'static str,
    /// The encoded path after the address of the server.
    pub(super) path: String,
    /// The parameters after the path.
    pub(super) parameters: Vec<(&'static str, String)>,
    pub(super) body: Vec<Cow<'a, [u8]>>,
    /// The key of the object in the cache of redirections.
    pub(super) key: Option<String>,
    /// Whether the messages are in Cap'n Proto format whatever the encoding of the server is, as
    /// those of queries are.
    pub(super) is_capnp: bool,
    /// Whether later requests about the object are sent to the target of a redirection.
    pub(super) caches_redirection: bool,
}

impl<'a> Call<'a> {
    /// Creates a request without parameters and body.
    pub(super) fn new(method: &'static str, path: String) -> Self {
        Self {
            method,
            path,
            parameters: Vec::new(),
            body: Vec::new(),
            key: None,
            is_capnp: false,
            caches_redirection: true,
        }
    }

    /// Sets the object of the request, whose server may be another one.
    pub(super) fn set_object(mut self, address: &Address) -> Self {
        self.key = Some(address.key());
        self
    }

    /// Makes later requests ignore a redirection of this one, as the object does not exist yet.
    pub(super) fn uncached(mut self) -> Self {
        self.caches_redirection = false;
        self
    }

    /// Adds a parameter.
    pub(super) fn parameter(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.parameters.push((name, value.into()));
        self
    }

    /// Adds a time range.
    pub(super) fn times(self, times: TimeRange) -> Self {
        self.parameter("start_timestamp", times.start.to_string())
            .parameter("end_timestamp", times.end.to_string())
    }

    /// Sets a message as the body.
    pub(super) fn body(mut self, message: Vec<u8>) -> Self {
        self.body = vec![Cow::Owned(message)];
        self
    }

    /// Sets the message of a query and the content of its buffers as the body.
    pub(super) fn query_body(mut self, parts: Vec<Cow<'a, [u8]>>) -> Self {
        self.body = parts;
        self.is_capnp = true;
        self
    }
}
