//! Azure Blob Storage.

mod batch;
mod config;
mod credentials;
mod directories;
mod requests;
mod sign;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use self::config::AzureConfig;
use self::credentials::AzureTokens;
use super::store::{Location, StoreResult};
use super::time;
use crate::context::Context;
use crate::error::{Error, Result, VfsError};
use crate::http::client::{Authorizer, Client};
use crate::http::document::{Document, Required};
use crate::http::exchange::{BodyTarget, Request, Response, Url};
use crate::http::failure::Failure;
use crate::http::xml::{self, Element};
use crate::platform::lock::OnceValue;
use crate::types::now;

/// The version of the protocol.
const VERSION: &str = "2021-08-06";

/// Properties of successful responses: to requests for the content of an object, to requests that
/// store something, and to requests that remove or copy something.
const TAGGED: Required = Required::Header("etag");
const CREATED: Required = Required::Status(201);
const ACCEPTED: Required = Required::Status(202);

/// The means by which requests are authorized.
enum Authority {
    /// The key of the account.
    Key(Vec<u8>),
    /// A shared access signature: query parameters of each request.
    Signature(Vec<(String, String)>),
    Tokens(Box<AzureTokens>),
    /// Nothing. Tokens are not sent without TLS, except to this machine.
    Anonymous,
}

/// A client of one storage account.
pub(super) struct Azure {
    client: Client,
    config: AzureConfig,
    endpoint: Url,
    authority: Authority,
    /// Whether the account has a hierarchical namespace, if a request has found out.
    hierarchical: OnceValue<bool>,
    /// Whether the service has no requests with several deletions.
    lacks_batches: AtomicBool,
}

impl fmt::Debug for Azure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Azure").finish_non_exhaustive()
    }
}

impl Authority {
    /// The first that is configured: the key, the signature in the parameters, the signature in the
    /// endpoint, tokens.
    fn new(config: &AzureConfig, endpoint: &mut Url, client: &Client) -> Result<Self> {
        let in_endpoint = std::mem::take(&mut endpoint.query);
        if !config.key.is_empty() {
            let damaged = |_| Error::from(VfsError::BadAzureKey);
            return Ok(Self::Key(STANDARD.decode(&config.key).map_err(damaged)?));
        }
        if !config.sas.is_empty() {
            let query = format!("?{}", config.sas.trim_start_matches('?'));
            return Ok(Self::Signature(Url::parse(&query, "").query));
        }
        if !in_endpoint.is_empty() {
            return Ok(Self::Signature(in_endpoint));
        }
        if endpoint.scheme == "https" || endpoint.is_loopback() {
            Ok(Self::Tokens(Box::new(AzureTokens::new(client))))
        } else {
            Ok(Self::Anonymous)
        }
    }
}

impl Azure {
    /// Creates a client by the configuration of a context. No request is sent.
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        let config = AzureConfig::new(context.config())?;
        let client = Client::new(config.options.clone(), Some(context.clone()));
        let mut endpoint = Url::parse(&config.endpoint, "https");
        Ok(Self {
            authority: Authority::new(&config, &mut endpoint, &client)?,
            client,
            endpoint,
            hierarchical: OnceValue::new(),
            lacks_batches: AtomicBool::new(false),
            config,
        })
    }

    fn container_url(&self, container: &str) -> Url {
        self.endpoint.clone().join(container)
    }

    fn object_url(&self, object: &Location) -> Url {
        self.container_url(&object.bucket).join(&object.key)
    }

    /// Adds the date, and the signature or token. The version of a request inside another one is
    /// that of the outer one.
    fn sign(&self, request: &mut Request<'_>) -> StoreResult<()> {
        request.set_header("x-ms-date", time::format_http(now()));
        match &self.authority {
            Authority::Key(key) => sign::sign(request, &self.config.account, key),
            Authority::Signature(parameters) => {
                for (name, value) in parameters {
                    request.url.query.retain(|(known, _)| known != name);
                    request.url.query.push((name.clone(), value.clone()));
                }
            }
            Authority::Tokens(tokens) => {
                request.set_header("authorization", tokens.get()?.bearer());
            }
            Authority::Anonymous => {}
        }
        Ok(())
    }

    fn send(&self, request: Request<'_>, target: BodyTarget<'_>) -> StoreResult<Response> {
        self.client.send(&request, self, target)
    }

    fn document(&self, request: Request<'_>) -> StoreResult<Element> {
        let response = self.send(request.document(Document::Xml), BodyTarget::Collect)?;
        xml::parse(&response.body).map_err(|reason| {
            let message = format!("the response is not XML: {reason}");
            Failure::new(ErrorKind::InvalidData, message)
        })
    }
}

/// Returns whether a response describes the entry of a directory.
fn is_folder(response: &Response) -> bool {
    response.header("x-ms-meta-hdi_isfolder") == Some("true")
}

impl Authorizer for Azure {
    fn authorize(&self, request: &mut Request<'_>) -> StoreResult<()> {
        request.set_header("x-ms-version", VERSION);
        self.sign(request)
    }

    fn renew(&self, failure: &Failure) -> bool {
        match &self.authority {
            Authority::Tokens(tokens) => failure.is_expired() && tokens.discard(),
            _ => false,
        }
    }
}
