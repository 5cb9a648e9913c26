//! Azure Blob Storage.

mod credentials;
mod directories;
mod requests;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use super::azure::credentials::AzureTokens;
use super::parameters::{milliseconds, parallel, part_size, variable};
use super::store::{Location, StoreResult, document_of};
use super::time;
use crate::config::Config;
use crate::context::Context;
use crate::error::{Error, Result, VfsError};
use crate::http::client::{Authorizer, Client, Options};
use crate::http::exchange::{BodyTarget, Document, Request, Requirement, Response, Url};
use crate::http::failure::Failure;
use crate::http::tls::Tls;
use crate::http::xml::Element;
use crate::platform::lock::OnceValue;
use crate::types::now;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The version of the protocol.
const VERSION: &str = "2021-08-06";

/// Properties of successful responses: to requests for the content of an object, to requests that
/// store something, and to requests that remove or copy something.
const TAGGED: Requirement = Requirement::Header("etag");
const CREATED: Requirement = Requirement::Status(201);
const ACCEPTED: Requirement = Requirement::Status(202);

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
}

impl Authority {
    /// The first that is configured: the key, the signature in the parameters, the signature in the
    /// endpoint, tokens.
    fn new(config: &AzureConfig, endpoint: &mut Url, client: &Client) -> Result<Self> {
        let in_endpoint = std::mem::take(&mut endpoint.query);
        if !config.key.is_empty() {
            return Ok(Self::Key(
                STANDARD
                    .decode(&config.key)
                    .map_err(|_| Error::from(VfsError::BadAzureKey))?,
            ));
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
        let config = AzureConfig::new(&context.config)?;
        let client = Client::new(config.options.clone(), Some(context.clone()));
        let mut endpoint = Url::parse(&config.endpoint, "https");
        Ok(Self {
            authority: Authority::new(&config, &mut endpoint, &client)?,
            client,
            endpoint,
            hierarchical: OnceValue::new(),
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
            Authority::Key(key) => credentials::sign(request, &self.config.account, key),
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

    /// Sends a request, and collects the body of the response.
    fn send(&self, request: Request<'_>) -> StoreResult<Response> {
        self.client.send(&request, self, BodyTarget::Collect)
    }

    fn document(&self, request: Request<'_>) -> StoreResult<Element> {
        document_of(&self.send(request.document(Document::Xml))?)
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
            Authority::Tokens(tokens) => failure.is_expired() && tokens.current.discard(),
            _ => false,
        }
    }
}

/// The time without a byte after which a request is repeated. Azure has no parameter for it.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The parameters, checked. It has no `Debug`: there are secrets in it.
pub(super) struct AzureConfig {
    pub(super) options: Options,
    pub(super) account: String,
    /// The address of the service, perhaps with a shared access signature.
    pub(super) endpoint: String,
    /// The key of the account, in base64; empty for none.
    pub(super) key: String,
    /// A shared access signature; empty for none.
    pub(super) sas: String,
    /// The size of the blocks of uploads; `None` for uploads without block lists.
    pub(super) block_size: Option<u64>,
    /// Whether the account has a hierarchical namespace; `None` if a request finds out.
    pub(super) is_data_lake: Option<bool>,
}

impl AzureConfig {
    pub(super) fn new(config: &Config) -> Result<Self> {
        let text = |name: &str, environment: &str| {
            config
                .get(name)
                .filter(|value| !value.is_empty())
                .or_else(|| variable(environment))
                .unwrap_or_default()
        };
        let account = text("vfs.azure.storage_account_name", "AZURE_STORAGE_ACCOUNT");
        let key = text("vfs.azure.storage_account_key", "AZURE_STORAGE_KEY");
        let mut endpoint = text("vfs.azure.blob_endpoint", "AZURE_BLOB_ENDPOINT");
        if account.is_empty() && (endpoint.is_empty() || !key.is_empty()) {
            return Err(VfsError::NoAzureAccount.into());
        }
        if endpoint.is_empty() {
            endpoint = format!("https://{account}.blob.core.windows.net");
        }
        let retries = config.u64("vfs.azure.max_retries")?;
        let data_lake = config.get("vfs.azure.is_data_lake_endpoint");
        Ok(Self {
            options: Options {
                request_timeout: REQUEST_TIMEOUT,
                retries: u32::try_from(retries).unwrap_or(u32::MAX),
                first_pause: milliseconds(config, "vfs.azure.retry_delay_ms")?,
                longest_pause: milliseconds(config, "vfs.azure.max_retry_delay_ms")?,
                parallel: parallel(config, "vfs.azure.max_parallel_ops")?,
                tls: Tls::of(config)?,
                ..Options::default()
            },
            account,
            endpoint,
            key,
            sas: text("vfs.azure.storage_sas_token", "AZURE_STORAGE_SAS_TOKEN"),
            block_size: part_size(
                config,
                [
                    "vfs.azure.use_block_list_upload",
                    "vfs.azure.block_list_block_size",
                ],
                1,
            )?,
            is_data_lake: data_lake
                .filter(|value| !value.is_empty())
                .map(|value| value.eq_ignore_ascii_case("true")),
        })
    }
}
