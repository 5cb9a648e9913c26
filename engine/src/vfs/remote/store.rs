//! The interface of object stores: objects in buckets, by key; uploads in parts; pages of listings.

use std::io::ErrorKind;
use std::ops::Range;

use super::time;
use crate::error::Error;
use crate::http::client::Client;
use crate::http::exchange::{BodyTarget, Response};
use crate::http::failure::Failure;
use crate::http::xml::{self, Element};
use crate::memory::tuning::MAX_EMPTY_PAGES;
use crate::vfs::Uri;

pub(super) use crate::vfs::ObjectInfo;

/// The result of a request.
pub(super) type StoreResult<T> = Result<T, Failure>;

/// Returns the failure of a response that lacks something.
pub(super) fn lacking(subject: &str) -> Failure {
    let message = format!("the response has no {subject}");
    Failure::new(ErrorKind::InvalidData, message)
}

/// Returns the failure of a listing without the name or the size of an object.
pub(super) fn incomplete_listing() -> Failure {
    Failure::new(ErrorKind::InvalidData, "the listing is incomplete")
}

/// Returns the failure of a response without the size of its object, which must not count as 0.
pub(super) fn no_size() -> Failure {
    let message = "the response does not contain the size of the object";
    Failure::new(ErrorKind::InvalidData, message)
}

/// Returns the size and the time of the object that a response of S3 or Azure describes.
pub(super) fn info_of(response: &Response) -> StoreResult<ObjectInfo> {
    let modified = response.header("last-modified").and_then(time::parse);
    Ok(ObjectInfo {
        size: response.object_size().ok_or_else(no_size)?,
        modified: modified.unwrap_or(0),
    })
}

/// Returns the document in a response of S3 or Azure.
pub(super) fn document_of(response: &Response) -> StoreResult<Element> {
    xml::parse(&response.body).map_err(|reason| {
        let message = format!("the response is not XML: {reason}");
        Failure::new(ErrorKind::InvalidData, message)
    })
}

/// Returns the failure of a read whose responses are of different versions of an object.
pub(super) fn replaced() -> Failure {
    let message = "the object was replaced after it was opened";
    Failure::new(ErrorKind::StaleNetworkFileHandle, message)
}

/// Returns the body of a response to `Request::tail`, and the version of the object, with its size.
///
/// # Errors
///
/// If the request failed, or the response does not have the requested bytes.
pub(super) fn tail_of(
    response: StoreResult<Response>,
    most: u64,
) -> StoreResult<(Vec<u8>, ObjectVersion)> {
    let response = match response {
        // An empty object has no range.
        Err(failure) if failure.status == 416 => {
            return Ok((Vec::new(), ObjectVersion::of_size(0)));
        }
        response => response?,
    };
    let len = response.body.len() as u64;
    let size = match response.object_size() {
        Some(size) => size,
        None if response.status == 206 => return Err(no_size()),
        None => len,
    };
    if len != most.min(size) {
        let message = format!("the server returned {len} of the last {most} bytes");
        return Err(Failure::new(ErrorKind::InvalidData, message));
    }
    let version = ObjectVersion {
        size: Some(size),
        ..ObjectVersion::of(&response)
    };
    Ok((response.body, version))
}

/// The version of an object, as far as a response with its content describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ObjectVersion {
    /// The size of the whole object.
    pub(super) size: Option<u64>,
    /// A text that changes whenever the object is replaced.
    pub(super) tag: Option<String>,
}

impl ObjectVersion {
    pub(super) fn of(response: &Response) -> Self {
        // The tag of an object of Google also changes with its metadata.
        let generation = response.header("x-goog-generation");
        let tag = generation.or_else(|| response.header("etag"));
        // Proxies that compress responses mark the tag.
        let tag = tag.map(|tag| tag.trim_start_matches("W/").to_owned());
        Self {
            size: response.object_size(),
            tag,
        }
    }

    pub(super) fn of_size(size: u64) -> Self {
        Self {
            size: Some(size),
            tag: None,
        }
    }
}

/// The name of an object, or the prefix of several: the bucket or container, and the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) bucket: String,
    pub(super) key: String,
}

impl Location {
    pub(super) fn new(bucket: impl Into<String>, key: impl Into<String>) -> Self {
        let (bucket, key) = (bucket.into(), key.into());
        Self { bucket, key }
    }

    /// Returns the prefix of everything in this folder: the key and a slash, or nothing for a
    /// bucket.
    pub(super) fn prefix(&self) -> String {
        let key = self.key.trim_end_matches('/');
        if key.is_empty() {
            String::new()
        } else {
            format!("{key}/")
        }
    }

    /// Returns another key in the same bucket.
    pub(super) fn with_key(&self, key: impl Into<String>) -> Self {
        Self::new(self.bucket.as_str(), key)
    }
}

/// Returns an error if the target of a copy or move is the source, at `from`, or inside it.
pub(super) fn refuse_inside(
    action: &'static str,
    from: &Uri,
    source: &Location,
    target: &Location,
) -> Result<(), Error> {
    if source.bucket == target.bucket && target.prefix().starts_with(&source.prefix()) {
        let reason = ErrorKind::InvalidInput.into();
        return Err(Error::storage(action, from.as_str(), reason));
    }
    Ok(())
}

/// An object in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedObject {
    pub(super) key: String,
    pub(super) info: ObjectInfo,
}

/// A page of a listing.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    pub(super) objects: Vec<ListedObject>,
    /// The prefixes up to the next slash, if the request has a delimiter. Each ends with a slash.
    pub(super) prefixes: Vec<String>,
    /// The token of the next page; `None` for the last page.
    pub(super) next: Option<String>,
}

impl Page {
    /// Returns whether the page has no entries; the next page may have some.
    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.prefixes.is_empty()
    }
}

/// A request for a page of a listing.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListRequest<'a> {
    pub(super) bucket: &'a str,
    pub(super) prefix: &'a str,
    /// Whether keys with a slash after the prefix are listed as one prefix.
    pub(super) by_folder: bool,
    /// The maximum number of entries of the page; 0 for the default of the service.
    pub(super) most: usize,
    /// The value of [`Page::next`] of the page before.
    pub(super) next: Option<&'a str>,
}

/// A part of an upload in several parts.
#[derive(Clone, Debug)]
pub(super) struct UploadedPart {
    pub(super) number: usize,
    /// The identifier with which the service refers to it.
    pub(super) tag: String,
}

/// The limits of uploads.
#[derive(Clone, Copy, Debug)]
pub(super) struct UploadRules {
    /// The size of parts, above which objects are uploaded in parts; `None` if they never are.
    pub(super) part_size: Option<u64>,
    /// The maximum number of parts.
    pub(super) max_parts: usize,
    /// The maximum size of an object that one request stores.
    pub(super) max_single: u64,
    /// Whether parts must be sent one after another.
    pub(super) in_order: bool,
}

/// The position of a part in its object.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartRange {
    /// The number of the part; the first has the number 1.
    pub(super) number: usize,
    /// The offset of its first byte.
    pub(super) offset: u64,
    /// The size of the object if this is the last part.
    pub(super) total: Option<u64>,
}

/// An upload in parts that was begun and not completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Upload {
    pub(super) key: String,
    pub(super) id: String,
}

/// The uploads in several parts of a service.
pub(super) trait Uploads {
    /// Returns the limits of uploads.
    fn upload_rules(&self) -> UploadRules;

    /// Begins an upload in parts. Returns its identifier.
    fn begin_upload(&self, object: &Location) -> StoreResult<String>;

    /// Stores a part.
    fn put_part(
        &self,
        object: &Location,
        upload: &str,
        part: PartRange,
        bytes: &[u8],
    ) -> StoreResult<UploadedPart>;

    /// Creates the object from its parts in one step.
    fn complete_upload(
        &self,
        object: &Location,
        upload: &str,
        parts: &[UploadedPart],
        size: u64,
    ) -> StoreResult<()>;

    /// Removes the parts of an upload that is not completed.
    fn abort_upload(&self, object: &Location, upload: &str) -> StoreResult<()>;

    /// Returns the uploads below a prefix that were not completed.
    fn uploads(&self, bucket: &str, prefix: &str) -> StoreResult<Vec<Upload>>;
}

/// A service that stores objects.
pub(super) trait ObjectStore: Uploads + Send + Sync {
    /// Returns the client that sends the requests, if there is one.
    fn client(&self) -> Option<&Client> {
        None
    }

    /// The maximum number of requests in flight.
    fn parallel(&self) -> usize {
        self.client().map_or(1, |client| client.options.parallel)
    }

    /// Returns the number of requests that can begin now.
    fn spare(&self) -> usize {
        self.client().map_or(0, Client::spare)
    }

    /// Reads a range of an object, which is not empty. Returns the version that was read.
    fn read(
        &self,
        object: &Location,
        range: Range<u64>,
        to: BodyTarget<'_>,
    ) -> StoreResult<ObjectVersion>;

    /// Returns the last bytes of an object, at most `most`, and its version, with its size.
    fn read_tail(&self, object: &Location, most: u64) -> StoreResult<(Vec<u8>, ObjectVersion)>;

    /// Returns a whole object.
    fn read_all(&self, object: &Location) -> StoreResult<Vec<u8>>;

    /// Returns the size and time of an object.
    fn head(&self, object: &Location) -> StoreResult<ObjectInfo>;

    /// Stores an object in one step.
    fn put(&self, object: &Location, bytes: &[u8]) -> StoreResult<()>;

    /// Returns a page of a listing.
    fn list(&self, request: ListRequest<'_>) -> StoreResult<Page>;

    /// Removes an object. A missing object is not an error.
    fn delete(&self, object: &Location) -> StoreResult<()>;

    /// Returns the maximum number of objects that one request removes.
    fn max_deletions(&self) -> usize;

    /// Removes objects with one request. Missing objects are not an error. Returns the keys for
    /// which the response is not definite: requests of their own remove them or have the reason.
    fn delete_batch(&self, bucket: &str, keys: &[String]) -> StoreResult<Vec<String>>;

    /// Copies an object of `size` bytes within the service.
    fn copy(&self, from: &Location, to: &Location, size: u64) -> StoreResult<()>;

    /// Creates a bucket.
    fn create_bucket(&self, bucket: &str) -> StoreResult<()>;

    /// Removes an empty bucket.
    fn remove_bucket(&self, bucket: &str) -> StoreResult<()>;

    /// Returns whether a bucket exists.
    fn is_bucket(&self, bucket: &str) -> StoreResult<bool>;

    /// Returns the operations on directories; `None` if folders of a bucket are only prefixes of
    /// keys.
    fn directories(&self, _bucket: &str) -> StoreResult<Option<&dyn Directories>> {
        Ok(None)
    }
}

/// Returns the result of a request that removes an object. A missing object is not an error.
pub(super) fn removed(response: StoreResult<Response>) -> StoreResult<()> {
    match response {
        Err(failure) if failure.is_not_found() && !failure.is_missing_bucket() => Ok(()),
        removed => removed.map(drop),
    }
}

/// Returns whether the object or bucket of a request exists.
pub(super) fn exists<T>(response: StoreResult<T>) -> StoreResult<bool> {
    match response {
        Ok(_) => Ok(true),
        Err(failure) if failure.is_not_found() => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// The operations of a service that stores directories as entries: one is created with the first
/// file in it, and remains until it is removed. A file cannot have the name of a directory.
pub(super) trait Directories {
    /// Returns whether a directory exists.
    fn is_directory(&self, directory: &Location) -> StoreResult<bool>;

    /// Creates a directory and its missing parents. An existing one is not an error.
    fn create_directory(&self, directory: &Location) -> StoreResult<()>;

    /// Removes a directory, if it is empty or `with_content`. Returns `false` if it does not exist
    /// or is kept.
    fn remove_directory(&self, directory: &Location, with_content: bool) -> StoreResult<bool>;

    /// Moves a file or directory in one step, and creates missing parents. Returns `false`, and
    /// moves nothing, if something exists at `to`, unless `replaces`.
    fn rename(&self, from: &Location, to: &Location, replaces: bool) -> StoreResult<bool>;
}

/// Returns the first page of a listing that has entries, or an empty page if no page has any.
/// Services may return empty pages before others.
pub(super) fn first_entries(
    store: &dyn ObjectStore,
    request: ListRequest<'_>,
) -> StoreResult<Page> {
    let mut next = request.next.map(str::to_owned);
    let mut tokens = PageTokens::default();
    loop {
        let page = store.list(ListRequest {
            next: next.as_deref(),
            ..request
        })?;
        let Some(token) = page.next.as_deref().filter(|_| page.is_empty()) else {
            return Ok(page);
        };
        tokens.advance(token, page.is_empty())?;
        next = page.next;
    }
}

/// Detects a listing whose pages repeat, or that has no end. One earlier token is kept and replaced
/// after 1, 2, 4, ... pages, so that a cycle of any length is found in constant memory.
#[derive(Debug, Default)]
pub(super) struct PageTokens {
    earlier: Option<String>,
    /// The number of pages since the token was kept.
    pages: u64,
    /// The number of pages after which it is replaced.
    max_pages: u64,
    /// The number of pages without entries since the last page with entries.
    empty_pages: u64,
}

impl PageTokens {
    /// Takes the token of the next page. `is_empty` is whether the page with the token has no
    /// entries.
    ///
    /// # Errors
    ///
    /// If the listing has had a page with this token, or [`MAX_EMPTY_PAGES`] pages without entries
    /// one after another.
    pub(super) fn advance(&mut self, token: &str, is_empty: bool) -> StoreResult<()> {
        self.empty_pages = if is_empty { self.empty_pages + 1 } else { 0 };
        if self.earlier.as_deref() == Some(token) || self.empty_pages >= MAX_EMPTY_PAGES {
            let message = "the listing does not advance";
            return Err(Failure::new(ErrorKind::InvalidData, message));
        }
        if self.pages == self.max_pages {
            self.earlier = Some(token.to_owned());
            self.max_pages = self.max_pages.saturating_mul(2).max(1);
            self.pages = 0;
        }
        self.pages += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_of_tokens_are_errors() {
        for length in 1..20 {
            let mut tokens = PageTokens::default();
            let mut pages = (0..100).map(|page| (page % length).to_string());
            assert!(
                pages.any(|token| tokens.advance(&token, false).is_err()),
                "{length}"
            );
        }
    }

    #[test]
    fn different_tokens_are_accepted() {
        let mut tokens = PageTokens::default();
        for page in 0..1000 {
            tokens.advance(&page.to_string(), false).expect("advances");
        }
    }

    #[test]
    fn a_listing_without_an_end_is_an_error_if_its_pages_are_empty() {
        let pages = |has_entries: fn(u64) -> bool| {
            let mut tokens = PageTokens::default();
            (0..2 * MAX_EMPTY_PAGES).find(|page| {
                tokens
                    .advance(&page.to_string(), !has_entries(*page))
                    .is_err()
            })
        };
        assert_eq!(pages(|_| false), Some(MAX_EMPTY_PAGES - 1));
        assert_eq!(pages(|page| page % 1000 == 0), None);
    }
}
