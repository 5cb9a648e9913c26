//! A request, and sending it: headers, redirections, and errors with the text of the server.

use std::borrow::Cow;

use super::address::Address;
use super::server::{DEFAULT_SCHEME, Server};
use crate::error::{Error, RestError, Result};
use crate::http::client::unsigned;
use crate::http::exchange::{BodyTarget, Request, Response, Url};
use crate::http::failure::Failure;
use crate::serialization::{MessageEncoding, check_capabilities};
use crate::types::TimeRange;
use crate::vfs::Uri;

/// The smallest limit of the size in bytes of a response that is collected.
const MIN_RESPONSE_LIMIT: u64 = 64 << 20;
/// The number of bytes that a message in JSON has at most for each byte of the Cap'n Proto form.
const JSON_FACTOR: u64 = 4;
/// The HTTP statuses of redirections.
const REDIRECTIONS: [u16; 5] = [301, 302, 303, 307, 308];

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

impl Server {
    /// Returns whether the server has namespaces instead of workspaces. The context remembers it.
    pub(super) fn is_legacy(&self) -> Result<bool> {
        let known = &self.context.server.legacy;
        let ask = || {
            let call = Call::new("GET", "/v4/capabilities".to_owned());
            match self.find(&call)? {
                Some(response) => check_capabilities(&response, self.encoding).map(|()| false),
                None => Ok(true),
            }
        };
        known.get_or_try_init(ask).copied()
    }

    /// Returns the parts of a URI.
    pub(super) fn address_of(&self, uri: &Uri) -> Result<Address> {
        Address::parse(uri, self.is_legacy()?)
    }

    /// Returns a call about an object, whose path begins with `kind` such as "v1/arrays".
    pub(super) fn call<'a>(
        &self,
        method: &'static str,
        kind: &str,
        uri: &Uri,
        action: &str,
    ) -> Result<Call<'a>> {
        let address = self.address_of(uri)?;
        let path = format!("/{kind}/{}{action}", address.encoded());
        Ok(Call::new(method, path).set_object(&address))
    }

    /// Sends a request and returns the body of the response.
    pub(super) fn fetch(&self, call: &Call<'_>) -> Result<Vec<u8>> {
        let response = self.send(call, &mut BodyTarget::Collect);
        Ok(response.map_err(|failure| error_of(call, failure))?.body)
    }

    /// Sends a request whose response has a message. `content` describes it in errors.
    pub(super) fn fetch_message(&self, call: &Call<'_>, content: &'static str) -> Result<Vec<u8>> {
        let message = self.fetch(call)?;
        if message.is_empty() {
            return Err(RestError::NoData { content }.into());
        }
        Ok(message)
    }

    /// Sends a request and returns the body of the response; `None` if the object does not exist.
    pub(super) fn find(&self, call: &Call<'_>) -> Result<Option<Vec<u8>>> {
        match self.send(call, &mut BodyTarget::Collect) {
            Ok(response) => Ok(Some(response.body)),
            Err(failure) if failure.status == 404 => Ok(None),
            Err(failure) => Err(error_of(call, failure)),
        }
    }

    /// Sends a request and passes the body of the response to `target`.
    pub(super) fn stream(&self, call: &Call<'_>, mut target: BodyTarget<'_>) -> Result<()> {
        let sent = self.send(call, &mut target);
        sent.map(drop).map_err(|failure| error_of(call, failure))
    }

    fn send(
        &self,
        call: &Call<'_>,
        target: &mut BodyTarget<'_>,
    ) -> std::result::Result<Response, Failure> {
        let known = &self.context.server.redirections;
        let other = call
            .key
            .as_ref()
            .and_then(|key| known.lock().get(key).cloned());
        let address = other.as_deref().unwrap_or(&self.address);
        let failure = match self.send_to(address, call, target) {
            Err(failure) if REDIRECTIONS.contains(&failure.status) => failure,
            done => return done,
        };
        let location = failure
            .response
            .as_ref()
            .and_then(|response| response.location.as_deref());
        let new = location.and_then(origin_of);
        let Some(new) = new.filter(|new| keeps_encryption(address, new)) else {
            return Err(failure);
        };
        if let Some(key) = call.key.as_ref().filter(|_| call.caches_redirection) {
            known.lock().insert(key.clone(), new.clone());
        }
        self.send_to(&new, call, target)
    }

    /// Returns the limit of the size of a response that is collected: what can be read of it.
    fn max_response(&self, is_json: bool) -> std::result::Result<u64, Failure> {
        let limit = self.config().u64("rest.capnp_traversal_limit");
        let limit = limit
            .map_err(|error| Failure::new(std::io::ErrorKind::InvalidInput, error.to_string()))?;
        let factor = if is_json { JSON_FACTOR } else { 1 };
        Ok(limit.max(MIN_RESPONSE_LIMIT).saturating_mul(factor))
    }

    fn send_to(
        &self,
        address: &str,
        call: &Call<'_>,
        target: &mut BodyTarget<'_>,
    ) -> std::result::Result<Response, Failure> {
        let mut url = Url::parse(address, DEFAULT_SCHEME);
        url.path.push_str(&call.path);
        for (name, value) in &call.parameters {
            url = url.query(name, value.clone());
        }
        let is_json = self.encoding == MessageEncoding::Json && !call.is_capnp;
        let content_type = if is_json {
            "application/json"
        } else {
            "application/capnp"
        };
        let mut request = Request::new(call.method, url)
            .header("content-type", content_type)
            .max_response(self.max_response(is_json)?);
        for (name, value) in &self.headers {
            request.set_header(name, value.clone());
        }
        if let Some(compression) = &self.compression {
            request.set_header("accept-encoding", compression.clone());
            request.decodes = true;
        }
        request.more = &call.body;
        self.client.send(&request, &unsigned, target.reborrow())
    }
}

/// Returns whether a server at `address` may redirect requests to the address `new`. The login is
/// sent to the other server as well, but not without encryption if it was encrypted before.
fn keeps_encryption(address: &str, new: &str) -> bool {
    let is_encrypted = |address| {
        Url::parse(address, DEFAULT_SCHEME)
            .scheme
            .eq_ignore_ascii_case("https")
    };
    is_encrypted(new) || !is_encrypted(address)
}

/// Returns the scheme and the host of a URL.
fn origin_of(location: &str) -> Option<String> {
    let (scheme, rest) = location.split_once("://")?;
    let host = rest.split('/').next().filter(|host| !host.is_empty())?;
    matches!(scheme, "http" | "https").then(|| format!("{scheme}://{host}"))
}

/// Returns the error of a failed request.
fn error_of(call: &Call<'_>, failure: Failure) -> Error {
    if failure.is_cancelled {
        return Error::cancelled();
    }
    let method = call.method;
    match failure.status {
        0 => RestError::NoResponse {
            method,
            reason: failure.to_string(),
        },
        status => RestError::Failed {
            method,
            status,
            response: failure
                .response
                .map_or_else(String::new, |response| response.body),
        },
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirections_name_a_scheme_and_a_host() {
        let found = origin_of("https://eu.example.com:8080/v1/arrays/x");
        assert_eq!(found.as_deref(), Some("https://eu.example.com:8080"));
        assert_eq!(origin_of("/v1/arrays"), None);
        assert_eq!(origin_of("ftp://host/"), None);
        assert_eq!(origin_of("https:///x"), None);
    }

    #[test]
    fn redirections_do_not_end_the_encryption() {
        for (address, new, expected) in [
            ("https://one", "https://two", true),
            ("https://one", "http://two", false),
            ("HTTPS://one", "http://two", false),
            ("one:8080", "http://two", false),
            ("http://one", "http://two", true),
            ("http://one", "https://two", true),
        ] {
            assert_eq!(keeps_encryption(address, new), expected, "{address} {new}");
        }
    }
}
