//! The requests of S3.

use std::io::ErrorKind;
use std::ops::Range;
use std::sync::atomic::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};

use super::super::store::{
    ListRequest, ListedObject, Location, ObjectInfo, ObjectStore, ObjectVersion, Page, StoreResult,
    exists, no_size, tail_of,
};
use super::super::time;
use super::{LATE_CODES, S3, TAG};
use crate::http::exchange::{BodyTarget, Request, Response, decode, encode_path};
use crate::http::failure::Failure;
use crate::http::xml::{Element, escape};

/// The largest object that one request stores or copies, in bytes.
pub(super) const MAX_SINGLE: u64 = 5 << 30;
/// The maximum number of deletions of a request.
const MAX_DELETIONS: usize = 1000;
/// The maximum number of attempts to store an object if the responses do not confirm it.
const MAX_UNCONFIRMED: usize = 3;

impl ObjectStore for S3 {
    fn parallel(&self) -> usize {
        self.client.options().parallel
    }

    fn spare(&self) -> usize {
        self.client.spare()
    }

    fn read(
        &self,
        object: &Location,
        range: Range<u64>,
        to: BodyTarget<'_>,
    ) -> StoreResult<ObjectVersion> {
        let make = || Request::new("GET", self.object_url(object)).range(range.clone());
        let response = self.send_to_region(&object.bucket, make, to)?;
        Ok(ObjectVersion::of(&response))
    }

    fn read_tail(&self, object: &Location, most: u64) -> StoreResult<(Vec<u8>, ObjectVersion)> {
        let make = || Request::new("GET", self.object_url(object)).tail(most);
        tail_of(
            self.send_to_region(&object.bucket, make, BodyTarget::Collect),
            most,
        )
    }

    fn read_all(&self, object: &Location) -> StoreResult<Vec<u8>> {
        let make = || Request::new("GET", self.object_url(object)).max_response(MAX_SINGLE);
        Ok(self
            .send_to_region(&object.bucket, make, BodyTarget::Collect)?
            .body)
    }

    fn head(&self, object: &Location) -> StoreResult<ObjectInfo> {
        let make = || Request::new("HEAD", self.object_url(object));
        let response = self.send_to_region(&object.bucket, make, BodyTarget::Collect)?;
        info(&response)
    }

    fn put(&self, object: &Location, bytes: &[u8]) -> StoreResult<()> {
        let make = || {
            let request = Request::new("PUT", self.object_url(object)).body(bytes);
            self.for_new_object(request)
        };
        for _ in 0..MAX_UNCONFIRMED {
            let response = self.send_to_region(&object.bucket, make, BodyTarget::Collect)?;
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
        let make = || Request::new("DELETE", self.object_url(object));
        match self.send_to_region(&object.bucket, make, BodyTarget::Collect) {
            Err(failure) if failure.is_not_found() && failure.code != "NoSuchBucket" => Ok(()),
            removed => removed.map(drop),
        }
    }

    fn delete_limit(&self) -> usize {
        if self.deletes_in_bulk() {
            MAX_DELETIONS
        } else {
            1
        }
    }

    fn delete_many(&self, bucket: &str, keys: &[String]) -> StoreResult<()> {
        if keys.len() <= 1 || !self.deletes_in_bulk() {
            return self.delete_each(bucket, keys);
        }
        let mut body = String::from(
            "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>",
        );
        for key in keys {
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
        match self.document(bucket, make) {
            Ok(result) => {
                // Single deletions repeat those that failed, or return the reason.
                let left = keys_to_repeat(&result, keys)?;
                self.delete_each(bucket, &left)
            }
            Err(failure)
                if matches!(failure.status, 400 | 404 | 405 | 501)
                    && failure.code != "NoSuchBucket" =>
            {
                self.delete_each(bucket, keys)?;
                // Single deletes work, so the service does not support bulk deletes.
                self.lacks_bulk_delete.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(failure) => Err(failure),
        }
    }

    fn copy(&self, from: &Location, to: &Location, size: u64) -> StoreResult<()> {
        if size > MAX_SINGLE {
            return self.copy_in_parts(from, to, size);
        }
        let source = format!("/{}/{}", from.bucket, encode_path(&from.key));
        let make = || {
            let request = Request::new("PUT", self.object_url(to)).slow();
            self.for_new_object(request)
                .header("x-amz-copy-source", source.clone())
        };
        self.document(&to.bucket, make).map(drop)
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
        self.send_to_region(bucket, make, BodyTarget::Collect)
            .map(drop)
    }

    fn remove_bucket(&self, bucket: &str) -> StoreResult<()> {
        let make = || Request::new("DELETE", self.url(bucket, ""));
        self.send_to_region(bucket, make, BodyTarget::Collect)
            .map(drop)
    }

    fn is_bucket(&self, bucket: &str) -> StoreResult<bool> {
        let make = || Request::new("HEAD", self.url(bucket, ""));
        exists(self.send_to_region(bucket, make, BodyTarget::Collect))
    }
}

impl S3 {
    /// Returns whether the object has this content, as far as its tag and size show: the response
    /// to the request that stored it had no tag.
    fn has_content(&self, object: &Location, bytes: &[u8]) -> StoreResult<bool> {
        let make = || Request::new("HEAD", self.object_url(object));
        match self.send_to_region(&object.bucket, make, BodyTarget::Collect) {
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

pub(super) fn info(response: &Response) -> StoreResult<ObjectInfo> {
    let modified = response.header("last-modified").and_then(time::parse);
    Ok(ObjectInfo {
        size: response.object_size().ok_or_else(no_size)?,
        modified: modified.unwrap_or(0),
    })
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
    let invalid = || Failure::new(ErrorKind::InvalidData, "the listing is incomplete");
    let mut page = Page::default();
    for object in root.all("Contents") {
        let size = object.text_of("Size").and_then(|size| size.parse().ok());
        let modified = object.text_of("LastModified").and_then(time::parse);
        page.objects.push(ListedObject {
            key: key(object.text_of("Key").ok_or_else(invalid)?),
            info: ObjectInfo {
                size: size.ok_or_else(invalid)?,
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
                .ok_or_else(invalid)?
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
fn keys_to_repeat(result: &Element, keys: &[String]) -> StoreResult<Vec<String>> {
    let mut left = Vec::new();
    for error in result.all("Error") {
        let text = |name: &str| error.text_of(name).unwrap_or_default().to_owned();
        let (key, code) = (text("Key"), text("Code"));
        if code == "NoSuchKey" {
            continue;
        }
        if LATE_CODES.contains(&code.as_str()) && keys.contains(&key) {
            left.push(key);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::xml;

    #[test]
    fn pages_of_listings_are_read() {
        let text = "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>\
            <NextContinuationToken>t</NextContinuationToken>\
            <Contents><Key>a%2Fb%20c</Key><Size>3</Size><LastModified>2015-08-30T12:36:00.000Z</LastModified></Contents>\
            <CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes></ListBucketResult>";
        let page = page(&xml::parse(text.as_bytes()).expect("xml")).expect("page");
        let [object] = page.objects.as_slice() else {
            panic!("one object")
        };
        assert_eq!((object.key.as_str(), object.info.size), ("a/b c", 3));
        assert_eq!(object.info.modified, 1_440_938_160_000);
        assert_eq!(
            (page.prefixes[0].as_str(), page.next.as_deref()),
            ("a/", Some("t"))
        );
    }

    /// Returns the result of a bulk delete with this error for the key `k`.
    fn after_error(code: &str) -> StoreResult<Vec<String>> {
        let error = format!("<Key>k</Key><Code>{code}</Code><Message>no</Message>");
        let text = format!("<DeleteResult><Error>{error}</Error></DeleteResult>");
        let result = xml::parse(text.as_bytes()).expect("xml");
        keys_to_repeat(&result, &["j".to_owned(), "k".to_owned()])
    }

    #[test]
    fn an_error_in_a_bulk_delete_is_a_failure_unless_it_is_transient() {
        let failure = after_error("AccessDenied").expect_err("denied");
        assert_eq!(failure.kind, ErrorKind::PermissionDenied);
        assert!(failure.to_string().contains("'k': no"));
        assert!(after_error("NoSuchKey").expect("removed").is_empty());
        for code in ["InternalError", "SlowDown"] {
            assert_eq!(after_error(code).expect("repeats"), ["k"]);
        }
    }
    #[test]
    fn the_tag_of_an_object_is_the_hash_of_its_content() {
        let tag = Some("\"900150983cd24fb0d6963f7d28e17f72\"");
        assert!(is_tag_of(tag, b"abc") && is_tag_of(None, b"abc"));
        assert!(!is_tag_of(tag, b"abd") && !is_tag_of(Some(""), b"abc"));
    }
}
