//! Uploads in several parts.

use std::io::ErrorKind;

use super::super::failure::Failure;
use super::super::http::{BodyTarget, Request, decode, encode_path};
use super::super::store::{Location, ObjectStore, StoreResult, Upload, UploadedPart};
use super::super::xml::escape;
use super::S3;

/// The size of a part of a copy, in bytes.
const COPY_PART: u64 = 1 << 30;

fn missing(what: &str) -> Failure {
    Failure::new(
        ErrorKind::InvalidData,
        format!("the response has no {what}"),
    )
}

impl S3 {
    pub(super) fn begin_multipart(&self, object: &Location) -> StoreResult<String> {
        let make = || {
            let url = self.object_url(object).query("uploads", "");
            self.for_new_object(Request::new("POST", url))
        };
        let root = self.document(make)?;
        let id = root
            .text_of("UploadId")
            .ok_or_else(|| missing("identifier of the upload"))?;
        Ok(id.to_owned())
    }

    pub(super) fn put_multipart(
        &self,
        object: &Location,
        upload: &str,
        number: usize,
        bytes: &[u8],
    ) -> StoreResult<UploadedPart> {
        let make = || {
            let url = self
                .object_url(object)
                .query("partNumber", number.to_string());
            Request::new("PUT", url.query("uploadId", upload)).body(bytes)
        };
        let response = self.send_to_region(make, BodyTarget::Collect)?;
        let tag = response
            .header("etag")
            .ok_or_else(|| missing("tag of the part"))?;
        Ok(UploadedPart {
            number,
            tag: tag.to_owned(),
        })
    }

    pub(super) fn complete_multipart(
        &self,
        object: &Location,
        upload: &str,
        parts: &[UploadedPart],
        size: u64,
    ) -> StoreResult<()> {
        let mut body = String::from(
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">",
        );
        for part in parts {
            body.push_str(&format!(
                "<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>",
                part.number,
                escape(&part.tag)
            ));
        }
        body.push_str("</CompleteMultipartUpload>");
        let make = || {
            let url = self.object_url(object).query("uploadId", upload);
            let request = Request::new("POST", url).body(body.as_bytes()).slow();
            request.header("content-type", "application/xml")
        };
        match self.document(make) {
            // The response to an earlier attempt was lost: the object exists, and the upload does
            // not.
            Err(failure) if failure.code == "NoSuchUpload" => match self.head(object) {
                Ok(info) if info.size == size => Ok(()),
                _ => Err(failure),
            },
            completed => completed.map(drop),
        }
    }

    pub(super) fn abort_multipart(&self, object: &Location, upload: &str) -> StoreResult<()> {
        let make = || {
            let url = self.object_url(object).query("uploadId", upload);
            Request::new("DELETE", url)
        };
        match self.send_to_region(make, BodyTarget::Collect) {
            Err(failure) if failure.is_not_found() => Ok(()),
            aborted => aborted.map(drop),
        }
    }

    pub(super) fn list_multipart(&self, bucket: &str, prefix: &str) -> StoreResult<Vec<Upload>> {
        let mut found = Vec::new();
        let (mut key_marker, mut id_marker) = (String::new(), String::new());
        loop {
            let make = || {
                let mut url = self
                    .url(bucket, "")
                    .query("uploads", "")
                    .query("prefix", prefix);
                url = url.query("encoding-type", "url");
                if !key_marker.is_empty() {
                    url = url.query("key-marker", key_marker.clone());
                    url = url.query("upload-id-marker", id_marker.clone());
                }
                Request::new("GET", url)
            };
            let root = self.document(make)?;
            let is_encoded = root.text_of("EncodingType") == Some("url");
            let key = |text: &str| {
                if is_encoded {
                    decode(text)
                } else {
                    text.to_owned()
                }
            };
            for upload in root.all("Upload") {
                if let (Some(name), Some(id)) = (upload.text_of("Key"), upload.text_of("UploadId"))
                {
                    found.push(Upload {
                        key: key(name),
                        id: id.to_owned(),
                    });
                }
            }
            let next = key(root.text_of("NextKeyMarker").unwrap_or_default());
            if root.text_of("IsTruncated") != Some("true") || next.is_empty() {
                return Ok(found);
            }
            let next_id = root.text_of("NextUploadIdMarker").unwrap_or_default();
            if next == key_marker && next_id == id_marker {
                let message = "the listing of uploads does not advance";
                return Err(Failure::new(ErrorKind::InvalidData, message));
            }
            (key_marker, id_marker) = (next, next_id.to_owned());
        }
    }

    /// Copies an object that is too large for one request.
    pub(super) fn copy_in_parts(
        &self,
        from: &Location,
        to: &Location,
        size: u64,
    ) -> StoreResult<()> {
        let upload = self.begin_multipart(to)?;
        let source = format!("/{}/{}", from.bucket, encode_path(&from.key));
        let copy_all = || {
            let mut parts = Vec::new();
            for start in (0..size).step_by(COPY_PART as usize) {
                let number = parts.len() + 1;
                let last = start.saturating_add(COPY_PART).min(size) - 1;
                let make = || {
                    let url = self.object_url(to).query("partNumber", number.to_string());
                    Request::new("PUT", url.query("uploadId", upload.as_str()))
                        .header("x-amz-copy-source", source.clone())
                        .header("x-amz-copy-source-range", format!("bytes={start}-{last}"))
                        .slow()
                };
                let root = self.document(make)?;
                let tag = root
                    .text_of("ETag")
                    .ok_or_else(|| missing("tag of the part"))?;
                parts.push(UploadedPart {
                    number,
                    tag: tag.to_owned(),
                });
            }
            self.complete_multipart(to, &upload, &parts, size)
        };
        copy_all().inspect_err(|_| {
            // The first failure is reported.
            let _ = self.abort_multipart(to, &upload);
        })
    }
}
