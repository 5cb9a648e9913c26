//! Access tokens of authorization servers (OAuth 2.0), which Azure and Google Cloud Storage accept.

use std::io::ErrorKind;
use std::time::Duration;

use serde_json::Value;

use super::credentials::Expiry;
use super::store::StoreResult;
use super::time;
use crate::http::client::{Client, Options, unsigned};
use crate::http::exchange::{BodyTarget, Request, Url};
use crate::http::failure::Failure;
use crate::types::{Timestamp, now};

/// The content type of a form.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";

/// An access token. It has no `Debug`: it is a secret.
pub(super) struct Token {
    pub(super) text: String,
    /// The time of expiry in milliseconds since 1970.
    expires: Timestamp,
}

impl Expiry for Token {
    fn expires(&self) -> Option<Timestamp> {
        Some(self.expires)
    }
}

impl Token {
    /// Reads the token in a response.
    pub(super) fn parse(body: &[u8]) -> StoreResult<Self> {
        let invalid = || Failure::new(ErrorKind::InvalidData, "the service returned no token");
        let value: Value = serde_json::from_slice(body).map_err(|_| invalid())?;
        let token = text(&value, "access_token").or(text(&value, "accessToken"));
        let milliseconds = |name: &str| {
            let seconds: Option<u64> = match value.get(name)? {
                Value::String(text) => text.parse().ok(),
                other => other.as_u64(),
            };
            seconds.map(|seconds| seconds.saturating_mul(1000))
        };
        // The identity service of Azure's web applications sends a time, most others a duration.
        let expires = text(&value, "expireTime")
            .and_then(time::parse)
            .or_else(|| milliseconds("expires_in").map(|after| now().saturating_add(after)))
            .or_else(|| milliseconds("expires_on"));
        Ok(Self {
            text: token.ok_or_else(invalid)?.to_owned(),
            expires: expires.unwrap_or_else(now),
        })
    }

    /// The value of the header `authorization`.
    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.text)
    }
}

/// Returns a text in a JSON object that is not empty.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value
        .get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}

/// Sends a form to an authorization server. Returns the token in the response.
pub(super) fn of_form(client: &Client, address: Url, form: &str) -> StoreResult<Token> {
    let request = Request::new("POST", address)
        .header("content-type", FORM)
        .body(form.as_bytes());
    let response = client.send(&request, &unsigned, BodyTarget::Collect)?;
    Token::parse(&response.body)
}

/// Returns a client for the metadata service of a machine, which is one hop away or does not exist.
pub(super) fn metadata_client(client: &Client) -> Client {
    let options = Options {
        connect_timeout: Duration::from_secs(1),
        request_timeout: Duration::from_secs(3),
        retries: 1,
        proxy: None,
        ..client.options.clone()
    };
    Client::new(options, client.context.clone())
}

/// Reads a file with a secret.
pub(super) fn read_secret(path: &str) -> StoreResult<String> {
    let unreadable =
        |error: std::io::Error| Failure::new(error.kind(), format!("the file '{path}': {error}"));
    std::fs::read_to_string(path).map_err(unreadable)
}
