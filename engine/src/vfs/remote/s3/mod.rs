//! Amazon S3 and services that speak its protocol.

mod config;
mod credentials;
mod requests;
mod sign;
mod uploads;

use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::config::S3Config;
pub(super) use self::config::check;
use self::credentials::Chain;
use self::sign::SigningScope;
use super::store::{Location, StoreResult};
use crate::context::Context;
use crate::error::Result;
use crate::http::client::{Authorizer, Client};
use crate::http::exchange::{BodyTarget, Request, Response, Url};
use crate::http::failure::Failure;
use crate::http::xml::{self, Element};
use crate::platform::lock::RwLock;
use crate::types::now;

/// The most keys of a bulk delete.
const BULK: usize = 1000;

/// A client of one S3 service.
pub(super) struct S3 {
    client: Client,
    config: S3Config,
    credentials: Chain,
    /// The region of requests once the service has named another one than the configuration.
    region: RwLock<Option<String>>,
    /// Whether the service has no bulk delete.
    lacks_bulk_delete: AtomicBool,
}

impl fmt::Debug for S3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3").finish_non_exhaustive()
    }
}

impl Authorizer for S3 {
    fn authorize(&self, request: &mut Request<'_>) -> StoreResult<()> {
        if self.config.no_sign_request {
            return Ok(());
        }
        let credentials = self.credentials.get()?;
        let region = self.region();
        let scope = SigningScope {
            region: &region,
            service: "s3",
            now: now(),
        };
        sign::sign(request, &credentials, scope);
        Ok(())
    }

    fn renew(&self) -> bool {
        !self.config.no_sign_request && self.credentials.discard()
    }
}

impl S3 {
    /// Creates a client by the configuration of a context. No request is sent.
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        Self::with_config(context, S3Config::new(context.config())?)
    }

    /// Creates a client of the files that a TileDB server has. No request is sent.
    #[cfg(feature = "rest")]
    pub(super) fn of_server(context: &Arc<Context>) -> Result<Self> {
        Self::with_config(context, S3Config::of_server(context.config())?)
    }

    fn with_config(context: &Arc<Context>, config: S3Config) -> Result<Self> {
        let client = Client::new(config.options.clone(), Some(context.clone()));
        Ok(Self {
            credentials: Chain::new(&config, &client),
            client,
            config,
            region: RwLock::new(None),
            lacks_bulk_delete: AtomicBool::new(false),
        })
    }

    /// The URL of a bucket, or of an object in it.
    fn url(&self, bucket: &str, key: &str) -> Url {
        let config = &self.config;
        let endpoint = match &config.endpoint {
            Some(endpoint) => endpoint.clone(),
            None => format!("s3.{}.amazonaws.com", self.region()),
        };
        let mut url = Url::parse(&endpoint, &config.scheme);
        if config.virtual_addressing {
            url.authority = format!("{bucket}.{}", url.authority)
        } else {
            url = url.join(bucket)
        }
        if key.is_empty() { url } else { url.join(key) }
    }

    fn object_url(&self, object: &Location) -> Url {
        self.url(&object.bucket, &object.key)
    }

    fn region(&self) -> String {
        let found = self.region.read().clone();
        found.unwrap_or_else(|| self.credentials.region())
    }

    /// Sends a request that has all its headers but those of the signature.
    fn send(&self, request: Request<'_>, target: BodyTarget<'_>) -> StoreResult<Response> {
        let mut request = request;
        for (name, value) in &self.config.headers {
            request.set_header(name, value.clone());
        }
        if self.config.requester_pays {
            request.set_header("x-amz-request-payer", "requester");
        }
        self.client.send(&request, self, target)
    }

    /// Sends a request that `make` builds, and repeats it if the service reports another region of
    /// the bucket.
    fn send_to_region<'a>(
        &self,
        make: impl Fn() -> Request<'a>,
        mut target: BodyTarget<'_>,
    ) -> StoreResult<Response> {
        match self.send(make(), target.reborrow()) {
            Err(failure) if self.adopts_region(&failure) => self.send(make(), target),
            done => done,
        }
    }

    /// Uses the region in a failure, if it is new and the endpoint is not fixed.
    fn adopts_region(&self, failure: &Failure) -> bool {
        let redirects = matches!(failure.status, 301 | 307 | 400);
        let Some(region) = failure.region.as_ref().filter(|_| redirects) else {
            return false;
        };
        if *region == self.region() {
            return false;
        }
        *self.region.write() = Some(region.clone());
        true
    }

    /// Sends a request whose response is a document.
    fn document<'a>(&self, make: impl Fn() -> Request<'a>) -> StoreResult<Element> {
        let response = self.send_to_region(make, BodyTarget::Collect)?;
        let root = xml::parse(&response.body).map_err(|reason| {
            Failure::new(
                ErrorKind::InvalidData,
                format!("the response is no XML: {reason}"),
            )
        })?;
        if root.name == "Error" {
            // A response with a status of success may contain an error: some requests
            // start the response before they know the outcome.
            Err(Failure {
                status: 200,
                ..Failure::of_response(500, &response.body, None)
            })
        } else {
            Ok(root)
        }
    }

    /// Adds the headers of the configuration for new objects.
    fn for_new_object<'a>(&self, request: Request<'a>) -> Request<'a> {
        let headers = self.config.new_objects.iter();
        headers.fold(request, |request, (name, value)| {
            request.header(name, value.clone())
        })
    }

    fn deletes_in_bulk(&self) -> bool {
        !self.lacks_bulk_delete.load(Ordering::Relaxed)
    }
}
