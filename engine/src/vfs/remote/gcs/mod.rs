//! Google Cloud Storage, by its JSON API: a client that sends the requests of an object store.

mod config;
mod credentials;
#[cfg(test)]
mod tests;
mod uploads;

use std::io::ErrorKind;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use self::config::GcsConfig;
use self::credentials::GoogleTokens;
use super::delete_batch::DeleteBatch;
use super::store::{
    ListRequest, ListedObject, Location, ObjectInfo, ObjectStore, ObjectVersion, Page, StoreResult,
    exists, removed, tail_of,
};
use super::time;
use super::token::text;
use crate::context::Context;
use crate::error::Result;
use crate::http::client::{Authorizer, Client};
use crate::http::exchange::{BodyTarget, Document, Request, Response, Url, encode};
use crate::http::failure::Failure;

/// The address of the service.
const ENDPOINT: &str = "https://storage.googleapis.com";

/// The maximum number of deletions of a request.
const MAX_DELETIONS: usize = 100;
/// The maximum number of requests of the copy of one object. Each copies a part of it.
const MAX_COPY_STEPS: usize = 10_000;
/// The largest object that is read without knowing its size, in bytes.
const MAX_READ: u64 = 5 << 30;

/// A client of the service.
pub(super) struct Gcs {
    client: Client,
    config: GcsConfig,
    endpoint: Url,
    tokens: GoogleTokens,
}

impl Gcs {
    /// Creates a client by the configuration of a context. No request is sent.
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        let config = GcsConfig::new(&context.config)?;
        let client = Client::new(config.options.clone(), Some(context.clone()));
        Ok(Self {
            tokens: GoogleTokens::new(&config, &client),
            endpoint: Url::parse(config.endpoint.as_deref().unwrap_or(ENDPOINT), "https"),
            client,
            config,
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

    /// Sends a request, and collects the body of the response.
    fn send(&self, request: Request<'_>) -> StoreResult<Response> {
        self.client.send(&request, self, BodyTarget::Collect)
    }

    fn document(&self, request: Request<'_>) -> StoreResult<serde_json::Value> {
        let response = self.send(request.document(Document::Json))?;
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
        failure.is_expired() && self.tokens.current.discard()
    }
}

impl Gcs {
    fn media_url(&self, object: &Location) -> Url {
        let (bucket, key) = (encode(&object.bucket), encode(&object.key));
        self.url(&format!("/download/storage/v1/b/{bucket}/o/{key}"))
            .query("alt", "media")
    }

    /// Checks the response to a request that stored an object: its description. If the description
    /// has no size, the object is looked up.
    pub(super) fn check_stored(
        &self,
        object: &Location,
        description: &Value,
        size: u64,
    ) -> StoreResult<()> {
        let stored = match info(description) {
            Ok(info) => info.size,
            Err(_) => self.head(object)?.size,
        };
        if stored == size {
            return Ok(());
        }
        let message = format!("the service has stored {stored} of {size} bytes");
        Err(Failure::new(ErrorKind::InvalidData, message))
    }
}

impl ObjectStore for Gcs {
    fn client(&self) -> Option<&Client> {
        Some(&self.client)
    }

    fn read(
        &self,
        object: &Location,
        range: Range<u64>,
        to: BodyTarget<'_>,
    ) -> StoreResult<ObjectVersion> {
        let request = Request::new("GET", self.media_url(object)).range(range);
        let response = self.client.send(&request, self, to)?;
        Ok(ObjectVersion::of(&response))
    }

    fn read_tail(&self, object: &Location, most: u64) -> StoreResult<(Vec<u8>, ObjectVersion)> {
        let request = Request::new("GET", self.media_url(object)).tail(most);
        tail_of(self.send(request), most)
    }

    fn read_all(&self, object: &Location) -> StoreResult<Vec<u8>> {
        let request = Request::new("GET", self.media_url(object)).max_response(MAX_READ);
        Ok(self.send(request)?.body)
    }

    fn head(&self, object: &Location) -> StoreResult<ObjectInfo> {
        let url = self.object_url(object).query("fields", "size,updated");
        info(&self.document(Request::new("GET", url))?)
    }

    fn put(&self, object: &Location, bytes: &[u8]) -> StoreResult<()> {
        let request = Request::new("POST", self.upload_url(object, "media"))
            .body(bytes)
            .header("content-type", "application/octet-stream");
        let stored = self.document(request)?;
        self.check_stored(object, &stored, bytes.len() as u64)
    }

    fn list(&self, request: ListRequest<'_>) -> StoreResult<Page> {
        let mut url = self.bucket_url(request.bucket);
        url.path.push_str("/o");
        url = url.query("prefix", request.prefix);
        url = url.query("fields", "items(name,size,updated),prefixes,nextPageToken");
        if request.by_folder {
            url = url.query("delimiter", "/");
        }
        if request.most > 0 {
            url = url.query("maxResults", request.most.to_string());
        }
        if let Some(next) = request.next {
            url = url.query("pageToken", next);
        }
        page(&self.document(Request::new("GET", url))?)
    }

    fn delete(&self, object: &Location) -> StoreResult<()> {
        removed(self.send(Request::new("DELETE", self.object_url(object))))
    }

    fn max_deletions(&self) -> usize {
        MAX_DELETIONS
    }

    fn delete_batch(&self, bucket: &str, keys: &[String]) -> StoreResult<Vec<String>> {
        let batch = DeleteBatch::of(keys, |key| {
            let url = self.object_url(&Location::new(bucket, key));
            Ok(Request::new("DELETE", url))
        })?;
        let response = self.send(batch.request(self.url("/batch/storage/v1")))?;
        Ok(batch.keys_to_repeat(&response.body, keys))
    }

    fn copy(&self, from: &Location, to: &Location, _size: u64) -> StoreResult<()> {
        let (bucket, key) = (encode(&to.bucket), encode(&to.key));
        let mut token: Option<String> = None;
        for _ in 0..MAX_COPY_STEPS {
            let mut url = self.object_url(from);
            url.path.push_str(&format!("/rewriteTo/b/{bucket}/o/{key}"));
            if let Some(token) = &token {
                url = url.query("rewriteToken", token.as_str());
            }
            let step = self.document(Request::new("POST", url).slow())?;
            match text(&step, "rewriteToken") {
                Some(next) => token = Some(next.to_owned()),
                None if step.get("done") == Some(&Value::Bool(true)) => return Ok(()),
                None => return Err(incomplete()),
            }
        }
        Err(Failure::new(ErrorKind::TimedOut, "the copy did not end"))
    }

    fn create_bucket(&self, bucket: &str) -> StoreResult<()> {
        let url = self
            .url("/storage/v1/b")
            .query("project", self.config.project.as_str());
        let body = serde_json::json!({"name": bucket}).to_string();
        let request = Request::new("POST", url)
            .body(body.as_bytes())
            .header("content-type", "application/json");
        self.send(request).map(drop)
    }

    fn remove_bucket(&self, bucket: &str) -> StoreResult<()> {
        let request = Request::new("DELETE", self.bucket_url(bucket));
        self.send(request).map(drop)
    }

    fn is_bucket(&self, bucket: &str) -> StoreResult<bool> {
        let request = Request::new("GET", self.bucket_url(bucket));
        exists(self.send(request))
    }
}

pub(super) fn incomplete() -> Failure {
    Failure::new(ErrorKind::InvalidData, "the response is incomplete")
}

fn info(object: &Value) -> StoreResult<ObjectInfo> {
    let size = object.get("size").and_then(|size| match size {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    });
    let updated = text(object, "updated").and_then(time::parse);
    Ok(ObjectInfo {
        size: size.ok_or_else(incomplete)?,
        modified: updated.unwrap_or(0),
    })
}

/// Reads a page of a listing.
fn page(root: &Value) -> StoreResult<Page> {
    let all = |name: &str| {
        let values = root.get(name).and_then(Value::as_array);
        values.into_iter().flatten()
    };
    let mut page = Page::default();
    for item in all("items") {
        page.objects.push(ListedObject {
            key: text(item, "name").ok_or_else(incomplete)?.to_owned(),
            info: info(item)?,
        });
    }
    let prefixes = all("prefixes").filter_map(Value::as_str);
    page.prefixes = prefixes.map(str::to_owned).collect();
    page.next = text(root, "nextPageToken").map(str::to_owned);
    Ok(page)
}
