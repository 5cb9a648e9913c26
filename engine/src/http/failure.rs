//! Failures of requests as values.

use std::fmt;
use std::io;

use super::xml;
use crate::error::Error;

/// A failed request. Its text contains no secrets.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: io::ErrorKind,
    /// The HTTP status; 0 without a response.
    pub(crate) status: u16,
    /// The code of the service, such as `NoSuchKey`.
    pub(crate) code: String,
    pub(crate) message: String,
    /// The region of the bucket, if the service named it.
    pub(crate) region: Option<String>,
    /// Whether the same request may succeed later.
    pub(crate) is_transient: bool,
    /// The number of times that the request was sent.
    pub(crate) attempts: u32,
    pub(crate) is_cancelled: bool,
    /// The parts of a response other than its code and message.
    pub(crate) response: Option<Box<FailedResponse>>,
}

/// The parts of a response that few callers need.
#[derive(Clone, Debug)]
pub(crate) struct FailedResponse {
    /// The start of the body.
    pub(crate) body: String,
    /// The URL that the response names instead.
    pub(crate) location: Option<String>,
    /// The time of the server, as in the header.
    pub(crate) date: Option<String>,
}

/// Error codes of services that permit a retry although the HTTP status does not.
const TRANSIENT_CODES: [&str; 5] = [
    "RequestTimeout",
    "RequestTimeTooSkewed",
    "Throttling",
    "ThrottlingException",
    "OperationAborted",
];

/// Error codes of services for credentials that have expired.
const EXPIRED_CODES: [&str; 3] = [
    "ExpiredToken",
    "ExpiredTokenException",
    "TokenRefreshRequired",
];

impl Failure {
    /// Creates a failure without a response.
    pub(crate) fn new(kind: io::ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            status: 0,
            code: String::new(),
            message: message.into(),
            region: None,
            is_transient: false,
            attempts: 0,
            is_cancelled: false,
            response: None,
        }
    }

    /// Creates a failure that a retry may resolve.
    pub(crate) fn transient(kind: io::ErrorKind, message: impl Into<String>) -> Self {
        Self {
            is_transient: true,
            ..Self::new(kind, message)
        }
    }

    /// Creates the failure of a cancelled request.
    pub(crate) fn cancelled() -> Self {
        Self {
            is_cancelled: true,
            ..Self::new(io::ErrorKind::Interrupted, "cancelled")
        }
    }

    /// Returns the failure of a request that was not sent, because getting its credentials failed
    /// for this reason. A missing file of credentials, or a status of a token service, says nothing
    /// about the object of the request.
    pub(crate) fn into_unauthorized(self) -> Self {
        if self.is_cancelled {
            return self;
        }
        let kind = match self.kind {
            io::ErrorKind::NotFound
            | io::ErrorKind::AlreadyExists
            | io::ErrorKind::UnexpectedEof => io::ErrorKind::PermissionDenied,
            kind => kind,
        };
        Self {
            is_transient: self.is_transient,
            ..Self::new(kind, self.to_string())
        }
    }

    /// Creates a failure from the status and the body of a response. `region`: that of the bucket,
    /// if a header names it.
    pub(crate) fn of_response(status: u16, body: &[u8], region: Option<String>) -> Self {
        let (code, message, in_body) = describe(body);
        let is_transient = status >= 500 && status != 501
            || matches!(status, 408 | 429)
            || TRANSIENT_CODES.contains(&code.as_str());
        let kind = match status {
            404 => io::ErrorKind::NotFound,
            401 | 403 => io::ErrorKind::PermissionDenied,
            409 | 412 => io::ErrorKind::AlreadyExists,
            416 => io::ErrorKind::UnexpectedEof,
            501 => io::ErrorKind::Unsupported,
            _ => io::ErrorKind::Other,
        };
        Self {
            status,
            code,
            region: region.or(in_body),
            is_transient,
            ..Self::new(kind, message)
        }
    }

    /// Sets the code of the service if the body of the response had none.
    pub(crate) fn with_code(mut self, code: &str) -> Self {
        if self.code.is_empty() {
            self.code = code.to_owned();
        }
        self
    }

    /// Returns whether the service asks for fewer requests.
    pub(crate) fn is_throttling(&self) -> bool {
        matches!(self.status, 429 | 503) || self.code.starts_with("Throttling")
    }

    /// Returns whether the service reports that the credentials have expired.
    pub(crate) fn is_expired(&self) -> bool {
        self.status == 401 || EXPIRED_CODES.contains(&self.code.as_str())
    }

    /// Returns whether the object does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        self.kind == io::ErrorKind::NotFound
    }

    /// Returns whether the service reports that the bucket of the object does not exist.
    pub(crate) fn is_missing_bucket(&self) -> bool {
        let codes = ["NoSuchBucket", "ContainerNotFound", "FilesystemNotFound"];
        codes.contains(&self.code.as_str())
    }

    /// Returns the engine's error for this failure. `action` is an infinitive, such as "read".
    pub(crate) fn into_error(self, action: &'static str, uri: &str) -> Error {
        if self.is_cancelled {
            return Error::cancelled();
        }
        let kind = self.kind;
        Error::storage(action, uri, io::Error::new(kind, self.to_string()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.status != 0 {
            write!(f, "HTTP {}", self.status)?;
            if !self.code.is_empty() {
                write!(f, " {}", self.code)?;
            }
            if !self.message.is_empty() {
                f.write_str(": ")?;
            }
        }
        f.write_str(&self.message)?;
        if let Some(region) = &self.region {
            write!(f, " (the bucket is in the region {region})")?;
        }
        if self.attempts > 1 {
            write!(f, "; after {} attempts", self.attempts)?;
        }
        Ok(())
    }
}

/// Reads the description of an error, which is XML or JSON: its code and its message, which are
/// empty if the body has none, and the region of the bucket.
fn describe(body: &[u8]) -> (String, String, Option<String>) {
    if let Ok(root) = xml::parse(body) {
        let error = root.child("Error").unwrap_or(&root);
        let text = |name: &str| error.text_of(name).unwrap_or_default().to_owned();
        let region = error.text_of("Region").filter(|region| !region.is_empty());
        return (text("Code"), text("Message"), region.map(str::to_owned));
    }
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(body) else {
        return Default::default();
    };
    let error = value.get("error").unwrap_or(&value);
    let reason = error.pointer("/errors/0/reason").or(error.get("status"));
    let code = match error {
        serde_json::Value::String(code) => code.clone(),
        _ => reason
            .and_then(|reason| reason.as_str())
            .unwrap_or_default()
            .to_owned(),
    };
    let message = error
        .get("message")
        .or(value.get("error_description"))
        .and_then(|text| text.as_str())
        .unwrap_or_default();
    (code, message.to_owned(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_from_xml_and_json() {
        let xml =
            b"<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>gone</Message></Error>";
        let failure = Failure::of_response(404, xml, None);
        assert_eq!(failure.to_string(), "HTTP 404 NoSuchKey: gone");
        assert!(failure.is_not_found() && !failure.is_transient);
        let json = br#"{"error":{"code":403,"message":"no","errors":[{"reason":"forbidden"}]}}"#;
        let failure = Failure::of_response(403, json, None);
        assert_eq!(failure.to_string(), "HTTP 403 forbidden: no");
        let failure = Failure::of_response(503, b"", None);
        assert!(failure.is_transient && failure.is_throttling());
        let xml =
            b"<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>";
        let failure = Failure::of_response(400, xml, None);
        assert_eq!(failure.region.as_deref(), Some("eu-west-1"));
    }

    #[test]
    fn a_failure_to_get_credentials_does_not_mean_that_the_object_is_missing() {
        let of_service = Failure::of_response(404, b"", None).into_unauthorized();
        assert!(!of_service.is_not_found());
        assert_eq!((of_service.status, &*of_service.message), (0, "HTTP 404"));
        let of_file = Failure::new(io::ErrorKind::NotFound, "no key file").into_unauthorized();
        assert!(!of_file.is_not_found());
        assert_eq!(of_file.to_string(), "no key file");
        let overloaded = Failure::of_response(503, b"", None).into_unauthorized();
        assert!(overloaded.is_transient && !overloaded.is_throttling());
        assert!(Failure::cancelled().into_unauthorized().is_cancelled);
    }
}
