//! Google Cloud Storage, by its JSON API.

mod config;
mod credentials;
mod requests;
#[cfg(test)]
mod tests;
mod uploads;

use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::config::GcsConfig;
use self::credentials::GoogleTokens;
use super::store::{Location, StoreResult};
use crate::context::Context;
use crate::error::Result;
use crate::http::client::{Authorizer, Client};
use crate::http::document::Document;
use crate::http::exchange::{BodyTarget, Request, Response, Url, encode};
use crate::http::failure::Failure;

/// The address of the service.
const ENDPOINT: &str = "https://storage.googleapis.com";

/// A client of the service.
pub(super) struct Gcs {
    client: Client,
    config: GcsConfig,
    endpoint: Url,
    tokens: GoogleTokens,
    /// Whether the service has no requests with several deletions.
    lacks_batches: AtomicBool,
}

impl fmt::Debug for Gcs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gcs").finish_non_exhaustive()
    }
}

impl Gcs {
    /// Creates a client by the configuration of a context. No request is sent.
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        let config = GcsConfig::new(context.config())?;
        let client = Client::new(config.options.clone(), Some(context.clone()));
        Ok(Self {
            tokens: GoogleTokens::new(&config, &client),
            endpoint: Url::parse(config.endpoint.as_deref().unwrap_or(ENDPOINT), "https"),
            client,
            config,
            lacks_batches: AtomicBool::new(false),
        })
    }

    /// The URL of a path of the API. The path is encoded.
    fn url(&self, path: &str) -> Url {
        let mut url = self.endpoint.clone();
        url.path.push_str(path);
        url
    }

    fn bucket_url(&self, bucket: &str) -> Url {
        self.url(&format!("/storage/v1/b/{}", encode(bucket)))
    }

    fn object_url(&self, object: &Location) -> Url {
        let (bucket, key) = (encode(&object.bucket), encode(&object.key));
        self.url(&format!("/storage/v1/b/{bucket}/o/{key}"))
    }

    fn send(&self, request: Request<'_>, target: BodyTarget<'_>) -> StoreResult<Response> {
        self.client.send(&request, self, target)
    }

    fn document(&self, request: Request<'_>) -> StoreResult<serde_json::Value> {
        let response = self.send(request.document(Document::Json), BodyTarget::Collect)?;
        serde_json::from_slice(&response.body)
            .map_err(|_| Failure::new(ErrorKind::InvalidData, "the response is no JSON"))
    }
}

impl Authorizer for Gcs {
    fn authorize(&self, request: &mut Request<'_>) -> StoreResult<()> {
        if let Some(token) = self.tokens.get()? {
            request.set_header("authorization", token.bearer());
        }
        Ok(())
    }

    fn renew(&self, failure: &Failure) -> bool {
        failure.is_expired() && self.tokens.discard()
    }
}
