//! Credentials of S3: where they come from, and how long they last.
//!
//! Parameters come first, then the environment, the profile of the shared files, the identity of a
//! container or of a job with a web identity token, and last the metadata service of the machine.
//! The first source that has credentials counts. A role in the parameters is assumed with what the
//! sources give.

mod chain;
mod profile;
mod services;
#[cfg(test)]
mod tests;

pub(super) use chain::Chain;

use std::fmt;

use super::super::credentials::Expiry;
use super::super::time;
use crate::types::Timestamp;

/// Credentials for signing requests.
#[derive(Clone, PartialEq, Eq)]
pub(in super::super) struct Credentials {
    pub(in super::super) access_key: String,
    pub(in super::super) secret_key: String,
    pub(in super::super) session_token: Option<String>,
    /// The time of expiry in milliseconds since 1970; `None` if they do not expire.
    pub(in super::super) expires: Option<Timestamp>,
}

impl Expiry for Credentials {
    fn expires(&self) -> Option<Timestamp> {
        self.expires
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}

impl Credentials {
    /// Creates credentials from two or three strings; `None` if a key is missing.
    fn of(access_key: &str, secret_key: &str, token: &str) -> Option<Self> {
        (!access_key.is_empty() && !secret_key.is_empty()).then(|| Self {
            access_key: access_key.to_owned(),
            secret_key: secret_key.to_owned(),
            session_token: Some(token.to_owned()).filter(|token| !token.is_empty()),
            expires: None,
        })
    }

    /// Reads credentials from a JSON document with these field names.
    fn of_json(value: &serde_json::Value, names: [&str; 4]) -> Option<Self> {
        let text = |name: &str| {
            value
                .get(name)
                .and_then(|text| text.as_str())
                .unwrap_or_default()
        };
        let [access, secret, token, expires] = names;
        let mut found = Self::of(text(access), text(secret), text(token))?;
        found.expires = match value.get(expires) {
            Some(serde_json::Value::Number(number)) => number.as_u64(),
            _ => time::parse(text(expires)),
        };
        Some(found)
    }
}
