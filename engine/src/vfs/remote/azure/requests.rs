//! The requests of Azure Blob Storage.

use std::io::ErrorKind;
use std::ops::Range;
use std::time::Duration;

use super::super::delete_batch::DeleteBatch;
use super::super::store::{
    Directories, ListRequest, ListedObject, Location, ObjectInfo, ObjectStore, ObjectVersion, Page,
    PageTokens, PartRange, StoreResult, Upload, UploadRules, UploadedPart, Uploads, exists,
    incomplete_listing, info_of, removed, replaced,
};
use super::super::time;
use super::{ACCEPTED, Authority, Azure, CREATED, TAGGED};
use crate::error::try_vec;
use crate::http::client::Client;
use crate::http::exchange::{BodyTarget, Request, Url, decode};
use crate::http::failure::Failure;
use crate::http::xml::{Element, escape};
use crate::types::new_uuid;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The largest object that one request stores, in bytes.
const MAX_SINGLE: u64 = 5000 << 20;
/// The largest object that is read without knowing its size, in bytes.
const MAX_READ: u64 = MAX_SINGLE;
/// The maximum number of blocks of an object.
const MAX_BLOCKS: usize = 50_000;
/// The maximum number of requests for the state of a copy, and the pause between two of them.
const MAX_COPY_CHECKS: u32 = 7200;
const COPY_PAUSE: Duration = Duration::from_millis(500);
/// The maximum number of deletions of a request.
const MAX_DELETIONS: usize = 256;
/// The header with the URL of the source of a copy.
const COPY_SOURCE: &str = "x-ms-copy-source";
/// The metadata of the object that an abort of uploads creates.
const ABORT_MARK: &str = "x-ms-meta-tiledb_abort";

impl ObjectStore for Azure {
    fn client(&self) -> Option<&Client> {
        Some(&self.client)
    }

    fn read(
        &self,
        object: &Location,
        range: Range<u64>,
        to: BodyTarget<'_>,
    ) -> StoreResult<ObjectVersion> {
        let request = Request::new("GET", self.object_url(object))
            .range(range)
            .requiring(TAGGED);
        let response = self.client.send(&request, self, to)?;
        Ok(ObjectVersion::of(&response))
    }

    /// Sends two requests: the service has no ranges that count from the end.
    fn read_tail(&self, object: &Location, most: u64) -> StoreResult<(Vec<u8>, ObjectVersion)> {
        let size = self.head(object)?.size;
        let len = usize::try_from(size.min(most)).unwrap_or(usize::MAX);
        let no_memory =
            |error: crate::Error| Failure::new(ErrorKind::OutOfMemory, error.to_string());
        let mut bytes = try_vec("the end of a file", len).map_err(no_memory)?;
        if !bytes.is_empty() {
            let range = size - bytes.len() as u64..size;
            let version = self.read(object, range, BodyTarget::Fill(&mut bytes))?;
            if version.size.is_some_and(|now| now != size) {
                return Err(replaced());
            }
            return Ok((bytes, version));
        }
        Ok((bytes, ObjectVersion::of_size(size)))
    }

    fn read_all(&self, object: &Location) -> StoreResult<Vec<u8>> {
        let request = Request::new("GET", self.object_url(object))
            .max_response(MAX_READ)
            .requiring(TAGGED);
        Ok(self.send(request)?.body)
    }

    fn head(&self, object: &Location) -> StoreResult<ObjectInfo> {
        let request = Request::new("HEAD", self.object_url(object)).requiring(TAGGED);
        let response = self.send(request)?;
        if super::is_folder(&response) && self.is_hierarchical(&object.bucket)? {
            let failure = Failure::new(ErrorKind::NotFound, "it is a folder");
            return Err(failure);
        }
        info_of(&response)
    }

    fn put(&self, object: &Location, bytes: &[u8]) -> StoreResult<()> {
        let request = Request::new("PUT", self.object_url(object)).body(bytes);
        let request = request
            .header("x-ms-blob-type", "BlockBlob")
            .header("content-type", "application/octet-stream")
            .requiring(CREATED);
        self.send(request).map(drop)
    }

    fn list(&self, request: ListRequest<'_>) -> StoreResult<Page> {
        let mut url = self
            .container_url(request.bucket)
            .query("restype", "container");
        url = url.query("comp", "list").query("prefix", request.prefix);
        if request.by_folder {
            url = url.query("delimiter", "/");
        }
        if request.most > 0 {
            url = url.query("maxresults", request.most.to_string());
        }
        if let Some(next) = request.next {
            url = url.query("marker", next);
        }
        // The metadata of an entry state whether it is a directory.
        url = url.query("include", "metadata");
        let document = match self.document(Request::new("GET", url)) {
            Err(failure)
                if matches!(failure.status, 400 | 409) && self.is_below_file(&request)? =>
            {
                return Ok(Page::default());
            }
            document => document?,
        };
        let (mut page, directories) = page(&document)?;
        if directories.is_empty() {
            return Ok(page);
        }
        if !self.is_hierarchical(request.bucket)? {
            page.objects.extend(directories);
            page.objects.sort_by(|one, other| one.key.cmp(&other.key));
        } else if request.by_folder {
            let folders = directories
                .into_iter()
                .map(|entry| format!("{}/", entry.key));
            page.prefixes
                .extend(folders.filter(|folder| folder != request.prefix));
            page.prefixes.sort();
            page.prefixes.dedup();
        }
        Ok(page)
    }

    fn delete(&self, object: &Location) -> StoreResult<()> {
        let request = Request::new("DELETE", self.object_url(object)).requiring(ACCEPTED);
        removed(self.send(request))
    }

    fn max_deletions(&self) -> usize {
        MAX_DELETIONS
    }

    fn delete_batch(&self, container: &str, keys: &[String]) -> StoreResult<Vec<String>> {
        let batch = DeleteBatch::of(keys, |key| {
            let url = self.object_url(&Location::new(container, key));
            let mut request = Request::new("DELETE", url);
            self.sign(&mut request)?;
            Ok(request)
        })?;
        let url = self
            .container_url(container)
            .query("restype", "container")
            .query("comp", "batch");
        let response = self.send(batch.request(url))?;
        Ok(batch.keys_to_repeat(&response.body, keys))
    }

    fn copy(&self, from: &Location, to: &Location, _size: u64) -> StoreResult<()> {
        // The service resolves such segments in the URL of the source: another object would be
        // copied.
        if from
            .key
            .split('/')
            .any(|segment| matches!(segment, "." | ".."))
        {
            let message = "objects with segments of dots in their names cannot be copied";
            return Err(Failure::new(ErrorKind::Unsupported, message));
        }
        let mut source = Request::new("GET", self.object_url(from));
        if let Authority::Signature(_) = self.authority {
            self.sign(&mut source)?;
        }
        let request = Request::new("PUT", self.object_url(to))
            .slow()
            .header(COPY_SOURCE, source.url.text());
        let state = || self.send(Request::new("HEAD", self.object_url(to)));
        let mut response = match self.send(request.requiring(ACCEPTED)) {
            // The response to an earlier attempt that began the copy may be lost.
            Err(failure) if failure.attempts > 1 && failure.code == "PendingCopyOperation" => {
                let pending = state()?;
                let copied = pending
                    .header(COPY_SOURCE)
                    .map(|url| Url::parse(url, "https"));
                if copied.is_none_or(|url| url.path() != source.url.path()) {
                    return Err(failure);
                }
                pending
            }
            begun => begun?,
        };
        for _ in 0..MAX_COPY_CHECKS {
            match response.header("x-ms-copy-status") {
                None | Some("success") => return Ok(()),
                Some("pending") => {}
                Some(status) => {
                    let message = format!("the copy ended with the status '{status}'");
                    return Err(Failure::new(ErrorKind::Other, message));
                }
            }
            self.client.wait(COPY_PAUSE)?;
            response = state()?;
        }
        Err(Failure::new(ErrorKind::TimedOut, "the copy did not end"))
    }

    fn directories(&self, bucket: &str) -> StoreResult<Option<&dyn Directories>> {
        Ok(self
            .is_hierarchical(bucket)?
            .then_some(self as &dyn Directories))
    }

    fn create_bucket(&self, bucket: &str) -> StoreResult<()> {
        let url = self.container_url(bucket).query("restype", "container");
        self.send(Request::new("PUT", url)).map(drop)
    }

    fn remove_bucket(&self, bucket: &str) -> StoreResult<()> {
        let url = self.container_url(bucket).query("restype", "container");
        self.send(Request::new("DELETE", url)).map(drop)
    }

    fn is_bucket(&self, bucket: &str) -> StoreResult<bool> {
        let url = self.container_url(bucket).query("restype", "container");
        exists(self.send(Request::new("HEAD", url)))
    }
}

impl Uploads for Azure {
    fn upload_rules(&self) -> UploadRules {
        UploadRules {
            part_size: self.config.block_size,
            max_parts: MAX_BLOCKS,
            max_single: MAX_SINGLE,
            in_order: false,
        }
    }

    /// Sends no request: blocks belong to the object, not to an upload.
    fn begin_upload(&self, _object: &Location) -> StoreResult<String> {
        Ok(new_uuid())
    }

    fn put_part(
        &self,
        object: &Location,
        upload: &str,
        part: PartRange,
        bytes: &[u8],
    ) -> StoreResult<UploadedPart> {
        let number = part.number;
        // All identifiers of an object must have the same length.
        let tag = STANDARD.encode(format!("{upload}{number:08}"));
        let url = self.object_url(object).query("comp", "block");
        let request = Request::new("PUT", url.query("blockid", tag.as_str()))
            .body(bytes)
            .header("content-type", "application/octet-stream");
        self.send(request.requiring(CREATED))?;
        Ok(UploadedPart { number, tag })
    }

    fn complete_upload(
        &self,
        object: &Location,
        _upload: &str,
        parts: &[UploadedPart],
        _size: u64,
    ) -> StoreResult<()> {
        let mut body = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>");
        for part in parts {
            body.push_str(&format!("<Latest>{}</Latest>", escape(&part.tag)));
        }
        body.push_str("</BlockList>");
        let url = self.object_url(object).query("comp", "blocklist");
        let request = Request::new("PUT", url)
            .body(body.as_bytes())
            .slow()
            .header("content-type", "application/xml");
        self.send(request.requiring(CREATED)).map(drop)
    }

    /// Creates and deletes an object without blocks, which removes the blocks. An object that
    /// another process created before or after that is not changed: its creation has removed the
    /// blocks. Does nothing for an upload of this process: another one may have begun to write the
    /// object, and the service removes the blocks after a week.
    fn abort_upload(&self, object: &Location, upload: &str) -> StoreResult<()> {
        if !upload.is_empty() {
            return Ok(());
        }
        let url = self.object_url(object).query("comp", "blocklist");
        let mark = new_uuid();
        let request = Request::new("PUT", url)
            .header("content-type", "application/xml")
            .header("if-none-match", "*")
            .header(ABORT_MARK, mark.as_str())
            .body(b"<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList></BlockList>")
            .requiring(CREATED);
        let created = match self.send(request) {
            // The response to an earlier attempt that created the object may be lost.
            Err(failure) if failure.kind == ErrorKind::AlreadyExists => {
                if failure.attempts == 1 {
                    return Ok(());
                }
                match self.send(Request::new("HEAD", self.object_url(object))) {
                    Ok(found) if found.header(ABORT_MARK) == Some(mark.as_str()) => found,
                    Err(failure) if !failure.is_not_found() => return Err(failure),
                    _ => return Ok(()),
                }
            }
            created => created?,
        };
        let mut request = Request::new("DELETE", self.object_url(object)).requiring(ACCEPTED);
        if let Some(tag) = created.header("etag") {
            request.set_header("if-match", tag);
        }
        match self.send(request) {
            Err(failure) if failure.is_not_found() || failure.kind == ErrorKind::AlreadyExists => {
                Ok(())
            }
            deleted => deleted.map(drop),
        }
    }

    fn uploads(&self, bucket: &str, prefix: &str) -> StoreResult<Vec<Upload>> {
        let mut found = Vec::new();
        let mut next: Option<String> = None;
        let mut tokens = PageTokens::default();
        loop {
            let mut url = self.container_url(bucket).query("restype", "container");
            url = url.query("comp", "list").query("prefix", prefix);
            url = url.query("include", "metadata,uncommittedblobs");
            if let Some(next) = &next {
                url = url.query("marker", next.as_str());
            }
            let root = self.document(Request::new("GET", url))?;
            let blobs = root.child("Blobs").ok_or_else(incomplete_listing)?;
            let is_empty = blobs.all("Blob").next().is_none();
            for blob in blobs.all("Blob") {
                let properties = blob.child("Properties").ok_or_else(incomplete_listing)?;
                // Only objects that were never completed, and directories, have no type.
                if properties.text_of("Content-Type").is_none() && !is_directory(blob) {
                    let key = name(blob)?;
                    let id = String::new();
                    found.push(Upload { key, id });
                }
            }
            next = next_marker(&root);
            match &next {
                Some(token) => tokens.advance(token, is_empty)?,
                None => return Ok(found),
            }
        }
    }
}

fn next_marker(root: &Element) -> Option<String> {
    root.text_of("NextMarker")
        .filter(|next| !next.is_empty())
        .map(str::to_owned)
}

/// Returns the name of an entry of a listing. Names that XML cannot contain are percent-encoded.
fn name(entry: &Element) -> StoreResult<String> {
    let name = entry.child("Name").ok_or_else(incomplete_listing)?;
    Ok(match name.attribute("Encoded") {
        // A plus sign is not a blank here.
        Some("true") => decode(&name.text.replace('+', "%2B")),
        _ => name.text.clone(),
    })
}

/// Returns whether an entry of a listing may be a directory.
fn is_directory(blob: &Element) -> bool {
    let has = |child: &str, name: &str, value: &str| {
        let child = blob.child(child);
        child.is_some_and(|child| child.text_of(name) == Some(value))
    };
    has("Properties", "ResourceType", "directory") || has("Metadata", "hdi_isfolder", "true")
}

/// Reads a page of a listing. Returns what may be the entries of directories on their own.
fn page(root: &Element) -> StoreResult<(Page, Vec<ListedObject>)> {
    let blobs = root.child("Blobs").ok_or_else(incomplete_listing)?;
    let (mut page, mut directories) = (Page::default(), Vec::new());
    for blob in blobs.all("Blob") {
        let properties = blob.child("Properties").ok_or_else(incomplete_listing)?;
        let size = properties
            .text_of("Content-Length")
            .and_then(|size| size.parse().ok());
        let modified = properties.text_of("Last-Modified").and_then(time::parse);
        let listed = ListedObject {
            key: name(blob)?,
            info: ObjectInfo {
                size: size.ok_or_else(incomplete_listing)?,
                modified: modified.unwrap_or(0),
            },
        };
        if is_directory(blob) {
            directories.push(listed);
        } else {
            page.objects.push(listed);
        }
    }
    page.prefixes = blobs
        .all("BlobPrefix")
        .map(name)
        .collect::<Result<_, _>>()?;
    page.next = next_marker(root);
    Ok((page, directories))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::xml;

    #[test]
    fn directories_in_listings_are_not_objects() {
        let text = "<EnumerationResults><Blobs>\
            <Blob><Name>a/b c</Name><Properties><Content-Length>3</Content-Length>\
            <Last-Modified>Sun, 30 Aug 2015 12:36:00 GMT</Last-Modified></Properties></Blob>\
            <Blob><Name>a</Name><Properties><Content-Length>0</Content-Length>\
            <ResourceType>directory</ResourceType></Properties></Blob>\
            <Blob><Name>b</Name><Properties><Content-Length>0</Content-Length></Properties>\
            <Metadata><hdi_isfolder>true</hdi_isfolder></Metadata></Blob>\
            <BlobPrefix><Name>p/</Name></BlobPrefix></Blobs><NextMarker>t</NextMarker></EnumerationResults>";
        let root = xml::parse(text.as_bytes()).expect("xml");
        let (page, directories) = page(&root).expect("page");
        let names: Vec<&str> = directories.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        let [object] = page.objects.as_slice() else {
            panic!("one object")
        };
        assert_eq!((object.key.as_str(), object.info.size), ("a/b c", 3));
        assert_eq!(object.info.modified, 1_440_938_160_000);
        assert_eq!(
            (page.prefixes[0].as_str(), page.next.as_deref()),
            ("p/", Some("t"))
        );
        let text = "<x><Blobs><Blob><Name Encoded=\"true\">a+%EF%BF%BE%25</Name><Properties>\
            <Content-Length>0</Content-Length></Properties></Blob><BlobPrefix>\
            <Name Encoded=\"true\">%EF%BF%BF/</Name></BlobPrefix></Blobs></x>";
        let (encoded, _) = super::page(&xml::parse(text.as_bytes()).expect("xml")).expect("page");
        assert_eq!(encoded.objects[0].key, "a+\u{fffe}%");
        assert_eq!(encoded.prefixes, ["\u{ffff}/"]);
        for damaged in ["<x/>", "<x><Blobs><Blob/></Blobs></x>"] {
            let root = xml::parse(damaged.as_bytes()).expect("xml");
            assert!(super::page(&root).is_err(), "{damaged}");
        }
    }
}
