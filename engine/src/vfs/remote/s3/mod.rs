//! Amazon S3 and services that speak its protocol: a client that sends the requests of an object
//! store to the address and the region of a bucket, signed.

mod config;
mod credentials;
mod sign;
#[cfg(test)]
mod tests;
mod uploads;

use std::collections::HashMap;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};

use self::config::S3Config;
pub(super) use self::config::check;
use self::credentials::Chain;
use self::sign::ServiceClock;
use super::store::{
    ListRequest, ListedObject, Location, ObjectInfo, ObjectStore, ObjectVersion, Page, StoreResult,
    document_of, exists, incomplete_listing, info_of, removed, tail_of,
};
use super::time;
use crate::context::Context;
use crate::error::Result;
use crate::http::client::{Authorizer, Client};
use crate::http::exchange::{BodyTarget, Document, Request, Response, Url, decode, encode_path};
use crate::http::failure::Failure;
use crate::http::xml::{self, Element, escape};
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

/// The largest object that one request stores or copies, in bytes.
pub(super) const MAX_SINGLE: u64 = 5 << 30;
/// The maximum number of deletions of a request.
const MAX_DELETIONS: usize = 1000;
/// The maximum number of attempts to store an object if the responses do not confirm it.
const MAX_UNCONFIRMED: usize = 3;

/// A client of one S3 service.
pub(super) struct S3 {
    client: Client,
    config: S3Config,
    credentials: Chain,
    clock: ServiceClock,
    /// The regions of buckets for which the service has named another one than the configuration.
    regions: RwLock<HashMap<String, String>>,
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
        let now = self.store.clock.now();
        sign::sign(request, &credentials, &region, "s3", now);
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
        Self::with_config(context, S3Config::new(&context.config)?)
    }

    /// Creates a client of the files that a TileDB server has. No request is sent.
    #[cfg(feature = "rest")]
    pub(super) fn of_server(context: &Arc<Context>) -> Result<Self> {
        Self::with_config(context, S3Config::of_server(&context.config)?)
    }

    fn with_config(context: &Arc<Context>, config: S3Config) -> Result<Self> {
        let client = Client::new(config.options.clone(), Some(context.clone()));
        Ok(Self {
            credentials: Chain::new(&config, &client),
            client,
            config,
            clock: ServiceClock::default(),
            regions: RwLock::new(HashMap::new()),
        })
    }

    /// Returns the URL of a bucket, or of an object in it. With virtual addressing, the host name
    /// starts with the bucket if it can contain it, as in libtiledb. Otherwise the path does.
    fn url(&self, bucket: &str, key: &str) -> Url {
        let config = &self.config;
        let endpoint = match &config.endpoint {
            Some(endpoint) => endpoint.clone(),
            None => config::host("s3", &self.region(bucket)),
        };
        let mut url = Url::parse(&endpoint, &config.scheme);
        if config.virtual_addressing && can_contain(&url, bucket) {
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
    fn send_once(
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

    /// Sends a request as [`S3::send_to`] does, and collects the body of the response.
    fn send<'a>(&self, bucket: &str, make: impl Fn() -> Request<'a>) -> StoreResult<Response> {
        self.send_to(bucket, make, BodyTarget::Collect)
    }

    /// Sends a request about a bucket that `make` builds, and repeats it if the service reports
    /// another region of the bucket. Passes the body of the response to `target`.
    fn send_to<'a>(
        &self,
        bucket: &str,
        make: impl Fn() -> Request<'a>,
        mut target: BodyTarget<'_>,
    ) -> StoreResult<Response> {
        let used = self.region(bucket);
        match self.send_once(bucket, make(), target.reborrow()) {
            Err(failure) if self.adopts_region(bucket, &used, &failure) => {
                self.send_once(bucket, make(), target)
            }
            done => done,
        }
    }

    /// Uses the region of the bucket in a failure of a request to the region `used`. Returns
    /// whether it is another one, also if a concurrent request has reported it already.
    fn adopts_region(&self, bucket: &str, used: &str, failure: &Failure) -> bool {
        let redirects = matches!(failure.status, 301 | 307 | 400);
        let Some(region) = failure
            .region
            .as_ref()
            .filter(|_| redirects)
            .filter(|region| *region != used)
        else {
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
        let options = &self.client.options;
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
        let response = self.send(bucket, || make().document(Document::Xml))?;
        let root = document_of(&response)?;
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
        self.config
            .new_objects
            .iter()
            .fold(request, |request, (name, value)| {
                request.header(name, value.clone())
            })
    }
}

/// Returns whether the host name of an endpoint may begin with a bucket: addresses have no names
/// before them, and a certificate for all buckets covers those without a dot only.
fn can_contain(endpoint: &Url, bucket: &str) -> bool {
    (3..=63).contains(&bucket.len())
        && bucket.split('.').all(|label| {
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            label.bytes().all(|byte| is_plain(byte) || byte == b'-')
                && label.bytes().next().is_some_and(is_plain)
                && label.bytes().last().is_some_and(is_plain)
        })
        && (endpoint.scheme == "http" || !bucket.contains('.'))
        && endpoint.host().parse::<IpAddr>().is_err()
}

impl ObjectStore for S3 {
    fn client(&self) -> Option<&Client> {
        Some(&self.client)
    }

    fn read(
        &self,
        object: &Location,
        range: Range<u64>,
        to: BodyTarget<'_>,
    ) -> StoreResult<ObjectVersion> {
        let response = self.send_to(
            &object.bucket,
            || Request::new("GET", self.object_url(object)).range(range.clone()),
            to,
        )?;
        Ok(ObjectVersion::of(&response))
    }

    fn read_tail(&self, object: &Location, most: u64) -> StoreResult<(Vec<u8>, ObjectVersion)> {
        tail_of(
            self.send(&object.bucket, || {
                Request::new("GET", self.object_url(object)).tail(most)
            }),
            most,
        )
    }

    fn read_all(&self, object: &Location) -> StoreResult<Vec<u8>> {
        Ok(self
            .send(&object.bucket, || {
                Request::new("GET", self.object_url(object)).max_response(MAX_SINGLE)
            })?
            .body)
    }

    fn head(&self, object: &Location) -> StoreResult<ObjectInfo> {
        info_of(&self.describe(object)?)
    }

    fn put(&self, object: &Location, bytes: &[u8]) -> StoreResult<()> {
        let make = || {
            let request = Request::new("PUT", self.object_url(object)).body(bytes);
            self.for_new_object(request)
        };
        for _ in 0..MAX_UNCONFIRMED {
            let response = self.send(&object.bucket, make)?;
            if response.header(TAG).is_some() || self.has_content(object, bytes)? {
                return Ok(());
            }
        }
        let message = "the responses have no tag of the object: they are not from the service";
        Err(Failure::new(ErrorKind::InvalidData, message))
    }

    fn list(&self, request: ListRequest<'_>) -> StoreResult<Page> {
        let make = || {
            let mut url = self.url(request.bucket, "").query("list-type", "2");
            url = url
                .query("prefix", request.prefix)
                .query("encoding-type", "url");
            if request.by_folder {
                url = url.query("delimiter", "/");
            }
            if request.most > 0 {
                url = url.query("max-keys", request.most.to_string());
            }
            if let Some(next) = request.next {
                url = url.query("continuation-token", next);
            }
            Request::new("GET", url)
        };
        page(&self.document(request.bucket, make)?)
    }

    fn delete(&self, object: &Location) -> StoreResult<()> {
        removed(self.send(&object.bucket, || {
            Request::new("DELETE", self.object_url(object))
        }))
    }

    fn max_deletions(&self) -> usize {
        MAX_DELETIONS
    }

    fn delete_batch(&self, bucket: &str, keys: &[String]) -> StoreResult<Vec<String>> {
        let mut body = String::from(
            "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>",
        );
        let in_document = |key: &&String| key.chars().all(xml::can_contain);
        let (listed, mut left): (Vec<&String>, Vec<&String>) = keys.iter().partition(in_document);
        for key in &listed {
            body.push_str(&format!("<Object><Key>{}</Key></Object>", escape(key)));
        }
        body.push_str("</Delete>");
        let checksum = STANDARD.encode(Md5::digest(body.as_bytes()));
        let make = || {
            let url = self.url(bucket, "").query("delete", "");
            let request = Request::new("POST", url).body(body.as_bytes()).slow();
            request
                .header("content-md5", checksum.clone())
                .header("content-type", "application/xml")
        };
        if !listed.is_empty() {
            left.extend(keys_to_repeat(&self.document(bucket, make)?, &listed)?);
        }
        Ok(left.into_iter().cloned().collect())
    }

    fn copy(&self, from: &Location, to: &Location, size: u64) -> StoreResult<()> {
        if size > MAX_SINGLE {
            return self.copy_in_parts(from, to, size);
        }
        let source = format!("/{}/{}", from.bucket, encode_path(&from.key));
        self.document(&to.bucket, || {
            let request = Request::new("PUT", self.object_url(to)).slow();
            self.for_new_object(request)
                .header("x-amz-copy-source", source.clone())
        })
        .map(drop)
    }

    fn create_bucket(&self, bucket: &str) -> StoreResult<()> {
        let region = self.credentials.region();
        let body = match region.as_str() {
            "us-east-1" => String::new(),
            region => format!(
                "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><LocationConstraint>{}</LocationConstraint></CreateBucketConfiguration>",
                escape(region)
            ),
        };
        let make = || {
            let request = Request::new("PUT", self.url(bucket, "")).body(body.as_bytes());
            match &self.config.bucket_acl {
                Some(acl) => request.header("x-amz-acl", acl.clone()),
                None => request,
            }
        };
        self.send(bucket, make).map(drop)
    }

    fn remove_bucket(&self, bucket: &str) -> StoreResult<()> {
        self.send(bucket, || Request::new("DELETE", self.url(bucket, "")))
            .map(drop)
    }

    fn is_bucket(&self, bucket: &str) -> StoreResult<bool> {
        exists(self.send(bucket, || Request::new("HEAD", self.url(bucket, ""))))
    }
}

impl S3 {
    /// Returns the response that describes an object.
    fn describe(&self, object: &Location) -> StoreResult<Response> {
        self.send(&object.bucket, || {
            Request::new("HEAD", self.object_url(object))
        })
    }

    /// Returns whether the object has this content, as far as its tag and size show: the response
    /// to the request that stored it had no tag.
    fn has_content(&self, object: &Location, bytes: &[u8]) -> StoreResult<bool> {
        match self.describe(object) {
            Ok(response) => {
                let is_same_size = response.object_size() == Some(bytes.len() as u64);
                Ok(is_same_size && is_tag_of(response.header(TAG), bytes))
            }
            Err(failure) if failure.is_not_found() => Ok(false),
            Err(failure) => Err(failure),
        }
    }
}

/// Returns whether a tag is the MD5 hash of these bytes. Some services have no tags.
fn is_tag_of(tag: Option<&str>, bytes: &[u8]) -> bool {
    tag.is_none_or(|tag| tag.trim_matches('"') == format!("{:x}", Md5::digest(bytes)))
}

/// Reads a page of a listing.
fn page(root: &Element) -> StoreResult<Page> {
    let is_encoded = root.text_of("EncodingType") == Some("url");
    let key = |text: &str| {
        if is_encoded {
            decode(text)
        } else {
            text.to_owned()
        }
    };
    let mut page = Page::default();
    for object in root.all("Contents") {
        let size = object.text_of("Size").and_then(|size| size.parse().ok());
        let modified = object.text_of("LastModified").and_then(time::parse);
        page.objects.push(ListedObject {
            key: key(object.text_of("Key").ok_or_else(incomplete_listing)?),
            info: ObjectInfo {
                size: size.ok_or_else(incomplete_listing)?,
                modified: modified.unwrap_or(0),
            },
        });
    }
    let prefixes = root
        .all("CommonPrefixes")
        .filter_map(|prefix| prefix.text_of("Prefix"));
    page.prefixes = prefixes.map(key).collect();
    if root.text_of("IsTruncated") == Some("true") {
        page.next = Some(
            root.text_of("NextContinuationToken")
                .ok_or_else(incomplete_listing)?
                .to_owned(),
        );
    }
    Ok(page)
}

/// Returns the keys of a bulk delete that were not removed and may be removed later.
///
/// # Errors
///
/// If a key was not removed for another reason.
fn keys_to_repeat<'a>(result: &Element, keys: &[&'a String]) -> StoreResult<Vec<&'a String>> {
    let mut left = Vec::new();
    for error in result.all("Error") {
        let text = |name: &str| error.text_of(name).unwrap_or_default().to_owned();
        let (key, code) = (text("Key"), text("Code"));
        if code == "NoSuchKey" {
            continue;
        }
        if LATE_CODES.contains(&code.as_str())
            && let Some(known) = keys.iter().find(|known| ***known == key)
        {
            left.push(*known);
            continue;
        }
        let kind = match code.as_str() {
            "AccessDenied" => ErrorKind::PermissionDenied,
            _ => ErrorKind::Other,
        };
        return Err(Failure {
            status: 200,
            code,
            ..Failure::new(kind, format!("'{key}': {}", text("Message")))
        });
    }
    Ok(left)
}
