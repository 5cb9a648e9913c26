//! Amazon S3 and services that speak its protocol.

mod config;
mod credentials;
mod hosts;
mod requests;
mod sign;
mod uploads;

use std::collections::HashMap;
use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::config::S3Config;
pub(super) use self::config::check;
use self::credentials::Chain;
use self::sign::{ServiceClock, SigningScope};
use super::store::{Location, StoreResult};
use crate::context::Context;
use crate::error::Result;
use crate::http::client::{Authorizer, Client};
use crate::http::document::Document;
use crate::http::exchange::{BodyTarget, Request, Response, Url};
use crate::http::failure::Failure;
use crate::http::xml::{self, Element};
use crate::platform::lock::RwLock;

/// The codes of errors in responses with a status of success after which a request is repeated.
const LATE_CODES: [&str; 4] = [
    "InternalError",
    "RequestTimeout",
    "ServiceUnavailable",
    "SlowDown",
];

/// The header with the tag of an object or part.
const TAG: &str = "etag";

/// A client of one S3 service.
pub(super) struct S3 {
    client: Client,
    config: S3Config,
    credentials: Chain,
    clock: ServiceClock,
    /// The regions of buckets for which the service has named another one than the configuration.
    regions: RwLock<HashMap<String, String>>,
    /// Whether the service has no bulk delete.
    lacks_bulk_delete: AtomicBool,
}

impl fmt::Debug for S3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3").finish_non_exhaustive()
    }
}

/// Signs the requests about a bucket, whose region is a part of the signature.
struct BucketSigner<'a> {
    store: &'a S3,
    bucket: &'a str,
}

impl Authorizer for BucketSigner<'_> {
    fn authorize(&self, request: &mut Request<'_>) -> StoreResult<()> {
        if self.store.config.no_sign_request {
            return Ok(());
        }
        let credentials = self.store.credentials.get()?;
        let region = self.store.region(self.bucket);
        let scope = SigningScope {
            region: &region,
            service: "s3",
            now: self.store.clock.now(),
        };
        sign::sign(request, &credentials, scope);
        Ok(())
    }

    fn renew(&self, failure: &Failure) -> bool {
        if self.store.config.no_sign_request {
            return false;
        }
        // Responses to HEAD have no code.
        let may_be_expired = failure.is_expired()
            || failure.status == 400 && failure.code.is_empty() && failure.region.is_none();
        self.store.clock.follow(failure) || may_be_expired && self.store.credentials.discard()
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
            clock: ServiceClock::default(),
            regions: RwLock::new(HashMap::new()),
            lacks_bulk_delete: AtomicBool::new(false),
        })
    }

    /// Returns the URL of a bucket, or of an object in it. With virtual addressing, the host name
    /// starts with the bucket if it can contain it, as in libtiledb. Otherwise the path does.
    fn url(&self, bucket: &str, key: &str) -> Url {
        let config = &self.config;
        let endpoint = match &config.endpoint {
            Some(endpoint) => endpoint.clone(),
            None => hosts::host("s3", &self.region(bucket)),
        };
        let mut url = Url::parse(&endpoint, &config.scheme);
        if config.virtual_addressing && hosts::can_contain(&url, bucket) {
            url.authority = format!("{bucket}.{}", url.authority)
        } else {
            url = url.join(bucket)
        }
        if key.is_empty() { url } else { url.join(key) }
    }

    fn object_url(&self, object: &Location) -> Url {
        self.url(&object.bucket, &object.key)
    }

    /// Returns the region of a bucket: that of the configuration, unless the service has named
    /// another one.
    fn region(&self, bucket: &str) -> String {
        let named = self.regions.read().get(bucket).cloned();
        named.unwrap_or_else(|| self.credentials.region())
    }

    /// Sends a request that has all its headers but those of the signature.
    fn send(
        &self,
        bucket: &str,
        mut request: Request<'_>,
        target: BodyTarget<'_>,
    ) -> StoreResult<Response> {
        for (name, value) in &self.config.headers {
            request.set_header(name, value.clone());
        }
        if self.config.requester_pays {
            request.set_header("x-amz-request-payer", "requester");
        }
        let store = self;
        self.client
            .send(&request, &BucketSigner { store, bucket }, target)
    }

    /// Sends a request about a bucket that `make` builds, and repeats it if the service reports
    /// another region of the bucket.
    fn send_to_region<'a>(
        &self,
        bucket: &str,
        make: impl Fn() -> Request<'a>,
        mut target: BodyTarget<'_>,
    ) -> StoreResult<Response> {
        let used = self.region(bucket);
        match self.send(bucket, make(), target.reborrow()) {
            Err(failure) if self.adopts_region(bucket, &used, &failure) => {
                self.send(bucket, make(), target)
            }
            done => done,
        }
    }

    /// Uses the region of the bucket in a failure of a request to the region `used`. Returns
    /// whether it is another one, also if a concurrent request has reported it already.
    fn adopts_region(&self, bucket: &str, used: &str, failure: &Failure) -> bool {
        let redirects = matches!(failure.status, 301 | 307 | 400);
        let named = failure.region.as_ref().filter(|_| redirects);
        let Some(region) = named.filter(|region| *region != used) else {
            return false;
        };
        let mut regions = self.regions.write();
        regions.insert(bucket.to_owned(), region.clone());
        true
    }

    /// Sends a request about a bucket whose response is a document. Repeats it if a response with a
    /// status of success contains an error of the service: some requests start the response before
    /// they know the outcome.
    fn document<'a>(&self, bucket: &str, make: impl Fn() -> Request<'a>) -> StoreResult<Element> {
        let options = self.client.options();
        let mut attempts = 0;
        loop {
            let failure = match self.document_once(bucket, &make) {
                Ok(root) => return Ok(root),
                Err(failure) => failure,
            };
            attempts += failure.attempts.max(1);
            let is_late = failure.status == 200 && LATE_CODES.contains(&failure.code.as_str());
            if !is_late || attempts > options.retries {
                return Err(Failure {
                    attempts,
                    ..failure
                });
            }
            self.client
                .wait(options.pause(attempts, failure.is_throttling()))?;
        }
    }

    fn document_once<'a>(
        &self,
        bucket: &str,
        make: impl Fn() -> Request<'a>,
    ) -> StoreResult<Element> {
        let make = || make().document(Document::Xml);
        let response = self.send_to_region(bucket, make, BodyTarget::Collect)?;
        let root = xml::parse(&response.body).map_err(|reason| {
            Failure::new(
                ErrorKind::InvalidData,
                format!("the response is not XML: {reason}"),
            )
        })?;
        if root.name == "Error" {
            return Err(Failure {
                status: 200,
                ..Failure::of_response(500, &response.body, None)
            });
        }
        // Only this name distinguishes an empty page of a listing from another document.
        if !root.name.ends_with("Result") {
            let message = format!("the response is an unexpected document '{}'", root.name);
            return Err(Failure::new(ErrorKind::InvalidData, message));
        }
        Ok(root)
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

#[cfg(test)]
mod tests {
    use super::super::parameters::tests::with_variables;
    use super::super::store::{ListRequest, ObjectStore};
    use super::super::test_server::TestServer;
    use super::*;
    use crate::config::Config;

    /// A listing of a whole bucket.
    const EVERYTHING: ListRequest<'static> = ListRequest {
        bucket: "bucket",
        prefix: "",
        by_folder: false,
        most: 0,
        next: None,
    };

    fn store(endpoint: &str) -> S3 {
        let mut config = Config::new();
        for (name, value) in [
            ("vfs.s3.endpoint_override", endpoint),
            ("vfs.s3.scheme", "http"),
            ("vfs.s3.use_virtual_addressing", "false"),
            ("vfs.s3.aws_access_key_id", "key"),
            ("vfs.s3.aws_secret_access_key", "secret"),
            ("vfs.s3.region", "us-east-1"),
        ] {
            config.set(name, value).expect("parameter");
        }
        S3::new(&Context::new(config).expect("context")).expect("store")
    }

    #[test]
    fn buckets_of_several_regions_are_requested_in_their_own() {
        let header = "x-amz-bucket-region: eu-west-1";
        let server = TestServer::start_with_header(header, |request| {
            let is_elsewhere = request.path.starts_with("/elsewhere");
            let region = if is_elsewhere {
                "eu-west-1"
            } else {
                "us-east-1"
            };
            let is_right = request.header("authorization").contains(region);
            (if is_right { 200 } else { 400 }, String::new())
        });
        let store = store(server.address());
        with_variables(&[], || {
            for bucket in ["elsewhere", "here", "elsewhere"] {
                assert!(store.is_bucket(bucket).expect("the right region"));
            }
        });
        // The first request of the bucket that is elsewhere is repeated.
        assert_eq!(server.take_received().len(), 4);
    }

    #[test]
    fn the_region_in_an_error_without_a_header_is_used() {
        let server = TestServer::start(|request| {
            let is_right = request.header("authorization").contains("eu-west-1");
            let error = "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>";
            if is_right {
                (200, "<ListBucketResult/>".to_owned())
            } else {
                (400, error.to_owned())
            }
        });
        with_variables(&[], || {
            let store = store(server.address());
            store.list(EVERYTHING).expect("the right region");
        });
        assert_eq!(server.take_received().len(), 2);
    }

    #[test]
    fn requests_are_signed_with_the_time_of_the_service_if_it_refuses_that_of_this_machine() {
        let server =
            TestServer::start_with_header("date: Sun, 30 Aug 2015 12:36:00 GMT", |request| {
                let error = "<Error><Code>RequestTimeTooSkewed</Code></Error>";
                if request.header("x-amz-date").starts_with("20150830T12") {
                    (200, "<ListBucketResult/>".to_owned())
                } else {
                    (403, error.to_owned())
                }
            });
        with_variables(&[], || {
            let store = store(server.address());
            store.list(EVERYTHING).expect("the time of the service");
            store.list(EVERYTHING).expect("the time is kept");
        });
        assert_eq!(server.take_received().len(), 3);
    }

    #[test]
    fn deletions_that_a_bulk_delete_left_are_repeated() {
        let left =
            "<DeleteResult><Error><Key>two</Key><Code>InternalError</Code></Error></DeleteResult>";
        let server = TestServer::start(|request| match request.method.as_str() {
            "POST" => (200, left.to_owned()),
            _ => (204, String::new()),
        });
        let keys = ["one", "two"].map(str::to_owned);
        with_variables(&[], || {
            let store = store(server.address());
            store.delete_many("bucket", &keys).expect("removes all");
        });
        let requests = server.take_received();
        let seen: Vec<_> = requests.iter().map(|r| (&*r.method, &*r.path)).collect();
        assert_eq!(
            seen,
            [("POST", "/bucket?delete="), ("DELETE", "/bucket/two")]
        );
    }

    #[test]
    fn buckets_are_a_part_of_the_path_of_endpoints_without_a_name() {
        let url = |endpoint: &str, bucket: &str| {
            let mut config = Config::new();
            for (name, value) in [
                ("vfs.s3.endpoint_override", endpoint),
                ("vfs.s3.region", "us-east-1"),
            ] {
                config.set(name, value).expect("parameter");
            }
            let store = S3::new(&Context::new(config).expect("context")).expect("store");
            store.url(bucket, "key").text()
        };
        assert_eq!(url("host", "bucket"), "https://bucket.host/key");
        assert_eq!(
            url("127.0.0.1:9000", "bucket"),
            "https://127.0.0.1:9000/bucket/key"
        );
        assert_eq!(url("host", "my.bucket"), "https://host/my.bucket/key");
        assert_eq!(url("http://host/a", "bucket"), "http://bucket.host/a/key");
    }

    #[test]
    fn a_region_that_a_concurrent_request_reported_repeats_a_request() {
        let store = store("host");
        let region = Some("eu-west-1".to_owned());
        let failure = Failure::of_response(301, b"", region);
        for _ in 0..2 {
            assert!(store.adopts_region("bucket", "us-east-1", &failure));
            assert_eq!(store.region("bucket"), "eu-west-1");
        }
        assert!(!store.adopts_region("bucket", "eu-west-1", &failure));
        assert_eq!(store.region("other"), "us-east-1");
    }
}
