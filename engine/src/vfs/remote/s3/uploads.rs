//! Uploads in several parts.

use md5::{Digest, Md5};

use super::super::store::{
    Location, PageTokens, PartRange, StoreResult, Upload, UploadRules, UploadedPart, Uploads,
    info_of, lacking,
};
use super::sign::hex;
use super::{MAX_SINGLE, S3, TAG};
use crate::http::exchange::{Request, Requirement, decode, encode_path};
use crate::http::xml::escape;

/// The maximum number of parts of an upload.
const MAX_PARTS: usize = 10_000;
/// The size of a part of a copy, in bytes.
const COPY_PART: u64 = 1 << 30;

/// Returns the tag of an object that consists of parts: the MD5 hash of the hashes of the parts,
/// and their number. Returns `None` if the tags of the parts are not hashes.
fn multipart_tag(parts: &[UploadedPart]) -> Option<String> {
    let mut hash = Md5::new();
    for part in parts {
        let tag = part.tag.trim_matches('"');
        if tag.len() != 32 || !tag.is_ascii() {
            return None;
        }
        for index in (0..tag.len()).step_by(2) {
            hash.update([u8::from_str_radix(tag.get(index..index + 2)?, 16).ok()?]);
        }
    }
    Some(format!("{}-{}", hex(&hash.finalize()), parts.len()))
}

impl Uploads for S3 {
    fn upload_rules(&self) -> UploadRules {
        UploadRules {
            part_size: self.config.part_size,
            max_parts: MAX_PARTS,
            max_single: MAX_SINGLE,
            in_order: false,
        }
    }

    fn begin_upload(&self, object: &Location) -> StoreResult<String> {
        let root = self.document(&object.bucket, || {
            let url = self.object_url(object).query("uploads", "");
            self.for_new_object(Request::new("POST", url))
        })?;
        let id = root
            .text_of("UploadId")
            .ok_or_else(|| lacking("identifier of the upload"))?;
        Ok(id.to_owned())
    }

    fn put_part(
        &self,
        object: &Location,
        upload: &str,
        part: PartRange,
        bytes: &[u8],
    ) -> StoreResult<UploadedPart> {
        let number = part.number;
        let make = || {
            let url = self
                .object_url(object)
                .query("partNumber", number.to_string());
            let request = Request::new("PUT", url.query("uploadId", upload)).body(bytes);
            request.requiring(Requirement::Header(TAG))
        };
        let response = self.send(&object.bucket, make)?;
        let tag = response
            .header(TAG)
            .ok_or_else(|| lacking("tag of the part"))?;
        Ok(UploadedPart {
            number,
            tag: tag.to_owned(),
        })
    }

    fn complete_upload(
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
        match self.document(&object.bucket, || {
            let url = self.object_url(object).query("uploadId", upload);
            let request = Request::new("POST", url).body(body.as_bytes()).slow();
            request.header("content-type", "application/xml")
        }) {
            // The response to an earlier attempt was lost, or the server completed the upload after
            // the client had stopped waiting, and failed the attempts after that. After a single
            // attempt, another process has aborted the upload, and the object is an older one.
            Err(failure) if failure.attempts > 1 => {
                // The upload was completed or aborted: a tag that shows nothing may be its own.
                let is_gone = failure.code == "NoSuchUpload";
                match self.has_parts(object, parts, size) {
                    Some(true) => Ok(()),
                    None if is_gone => Ok(()),
                    _ => Err(failure),
                }
            }
            completed => completed.map(drop),
        }
    }

    fn abort_upload(&self, object: &Location, upload: &str) -> StoreResult<()> {
        match self.send(&object.bucket, || {
            let url = self.object_url(object).query("uploadId", upload);
            Request::new("DELETE", url)
        }) {
            Err(failure) if failure.is_not_found() => Ok(()),
            aborted => aborted.map(drop),
        }
    }

    fn uploads(&self, bucket: &str, prefix: &str) -> StoreResult<Vec<Upload>> {
        let mut found = Vec::new();
        let (mut key_marker, mut id_marker) = (String::new(), String::new());
        let mut tokens = PageTokens::default();
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
            let root = self.document(bucket, make)?;
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
            let is_empty = root.all("Upload").next().is_none();
            tokens.advance(&format!("{next_id}/{next}"), is_empty)?;
            (key_marker, id_marker) = (next, next_id.to_owned());
        }
    }
}

impl S3 {
    /// Returns whether an object consists of these parts, by its size and tag; `None` if it has the
    /// size, and its tag is not computed from those of parts.
    fn has_parts(&self, object: &Location, parts: &[UploadedPart], size: u64) -> Option<bool> {
        let Ok(response) = self.describe(object) else {
            return Some(false);
        };
        if !info_of(&response).is_ok_and(|info| info.size == size) {
            return Some(false);
        }
        let tag = response.header(TAG)?.trim_matches('"');
        let expected = multipart_tag(parts)?;
        let (_, number) = tag.split_once('-').filter(|(hash, number)| {
            hash.len() == 32 && number.bytes().all(|byte| byte.is_ascii_digit())
        })?;
        let encryption = response.header("x-amz-server-side-encryption");
        let is_encrypted = encryption.is_some_and(|name| name.starts_with("aws:kms"));
        // With a key of the service, only the number of parts in the tag can be compared.
        if is_encrypted && number.parse() == Ok(parts.len()) {
            return None;
        }
        Some(tag == expected)
    }

    /// Copies an object that is too large for one request.
    pub(super) fn copy_in_parts(
        &self,
        from: &Location,
        to: &Location,
        size: u64,
    ) -> StoreResult<()> {
        // An object that is replaced between two parts must not be mixed with the new one.
        let tag = self.describe(from)?.header(TAG).map(str::to_owned);
        let upload = self.begin_upload(to)?;
        let source = format!("/{}/{}", from.bucket, encode_path(&from.key));
        let copy_all = || {
            let mut parts = Vec::new();
            for start in (0..size).step_by(COPY_PART as usize) {
                let number = parts.len() + 1;
                let last = start.saturating_add(COPY_PART).min(size) - 1;
                let make = || {
                    let url = self.object_url(to).query("partNumber", number.to_string());
                    let mut request = Request::new("PUT", url.query("uploadId", upload.as_str()))
                        .header("x-amz-copy-source", source.clone())
                        .header("x-amz-copy-source-range", format!("bytes={start}-{last}"))
                        .slow();
                    if let Some(tag) = &tag {
                        request.set_header("x-amz-copy-source-if-match", tag.clone());
                    }
                    request
                };
                let root = self.document(&to.bucket, make)?;
                let tag = root
                    .text_of("ETag")
                    .ok_or_else(|| lacking("tag of the part"))?;
                parts.push(UploadedPart {
                    number,
                    tag: tag.to_owned(),
                });
            }
            self.complete_upload(to, &upload, &parts, size)
        };
        copy_all().inspect_err(|_| {
            // The first failure is reported.
            let _ = self.abort_upload(to, &upload);
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::super::super::store::ObjectStore as _;
    use super::super::super::test_server::{TestRequest, TestServer};
    use super::*;
    use crate::config::Config;
    use crate::context::Context;

    /// The tag of an object of two parts with the content "a" and "b".
    const STORED: &str = "etag: \"96e024ba2074fe77e8e965ba43a704be-2\"";

    /// The tag of an object of other parts.
    const OF_OTHER_PARTS: &str = "etag: \"00024ba2074fe77e8e965ba43a704be1-2\"";

    /// The tag of another object.
    const OTHER: &str = "etag: \"0123\"";

    fn parts() -> [UploadedPart; 2] {
        let tags = [
            "\"0cc175b9c0f1b6a831c399e269772661\"",
            "\"92eb5ffee6ae2fec3ad71c777531578f\"",
        ];
        [1, 2].map(|number| UploadedPart {
            number,
            tag: tags[number - 1].to_owned(),
        })
    }

    /// Completes an upload on a server that fails each attempt and has an object of two bytes.
    fn complete(header: &'static str, size: u64) -> StoreResult<()> {
        complete_with(header, size, |_| (500, String::new()))
    }

    /// Completes an upload on a server that has an object of two bytes. `respond` returns its
    /// response to an attempt, counted from 1.
    fn complete_with(
        header: &'static str,
        size: u64,
        respond: impl Fn(u32) -> (u16, String) + Send + Sync + 'static,
    ) -> StoreResult<()> {
        let attempts = AtomicU32::new(0);
        let respond = move |request: &TestRequest| match request.method.as_str() {
            "HEAD" => (200, "ab".to_owned()),
            _ => respond(1 + attempts.fetch_add(1, Ordering::Relaxed)),
        };
        let server = TestServer::start_with_header(header, respond);
        let store = store(&server);
        let object = Location::new("bucket", "key");
        store.complete_upload(&object, "id", &parts(), size)
    }

    /// Returns a store on a server.
    fn store(server: &TestServer) -> S3 {
        let mut config = Config::new();
        for (name, value) in [
            ("vfs.s3.endpoint_override", server.address()),
            ("vfs.s3.scheme", "http"),
            ("vfs.s3.use_virtual_addressing", "false"),
            ("vfs.s3.no_sign_request", "true"),
            ("vfs.s3.connect_max_tries", "2"),
            ("vfs.s3.connect_scale_factor", "1"),
        ] {
            config.set(name, value).expect("parameter");
        }
        S3::new(&Context::new(config).expect("context")).expect("store")
    }

    #[test]
    fn an_upload_that_was_completed_after_its_timeout_succeeds() {
        complete(STORED, 2).expect("the object has the tag of the parts");
    }

    #[test]
    fn another_object_does_not_complete_an_upload() {
        for (header, size) in [(STORED, 3), (OTHER, 2), ("x-other: 1", 2)] {
            let failure = complete(header, size).expect_err("another object");
            assert_eq!(failure.status, 500, "{header} {size}");
        }
    }

    #[test]
    fn an_object_that_is_replaced_while_it_is_copied_in_parts_is_an_error() {
        const SIZE: u64 = 6 << 30;
        let copy = |current: &'static str| {
            let server = TestServer::start_with_header("etag: \"1\"", move |request| {
                let is_copied = request.header("x-amz-copy-source-if-match") == "\"1\"";
                match request.method.as_str() {
                    "POST" if request.path.contains("uploads") => (
                        200,
                        "<InitiateResult><UploadId>id</UploadId></InitiateResult>".to_owned(),
                    ),
                    "PUT" if is_copied && current == "1" => (
                        200,
                        "<CopyPartResult><ETag>\"2\"</ETag></CopyPartResult>".to_owned(),
                    ),
                    "PUT" => (412, error("PreconditionFailed")),
                    _ => (200, "<CompleteMultipartUploadResult/>".to_owned()),
                }
            });
            let store = store(&server);
            let [from, to] = ["from", "to"].map(|key| Location::new("bucket", key));
            let copied = store.copy(&from, &to, SIZE);
            (
                copied,
                server.take_received().pop().expect("requests").method,
            )
        };
        let (copied, last) = copy("1");
        copied.expect("copies");
        assert_eq!(last, "POST");
        let (copied, last) = copy("3");
        assert_eq!(copied.expect_err("replaced").status, 412);
        assert_eq!(last, "DELETE", "the upload is aborted");
    }

    /// The body of an error with a code.
    fn error(code: &str) -> String {
        format!("<Error><Code>{code}</Code><Message>no</Message></Error>")
    }

    #[test]
    fn an_upload_that_another_process_aborted_is_not_completed_by_an_older_object() {
        let aborted = complete_with(OTHER, 2, |_| (404, error("NoSuchUpload")));
        assert_eq!(aborted.expect_err("no upload").code, "NoSuchUpload");
        // The first attempt has completed the upload.
        let completed = |attempt: u32| match attempt {
            1 => (500, String::new()),
            _ => (404, error("NoSuchUpload")),
        };
        complete_with(OTHER, 2, completed).expect("the object has the size");
        complete_with(STORED, 2, completed).expect("the object has the tag of the parts");
        // The first attempt has failed, and the object consists of other parts.
        let failure = complete_with(OF_OTHER_PARTS, 2, completed);
        assert_eq!(failure.expect_err("another object").code, "NoSuchUpload");
    }

    #[test]
    fn an_error_in_a_successful_response_repeats_the_request() {
        let respond = |attempt: u32| match attempt {
            1 => (200, error("InternalError")),
            _ => (200, "<CompleteMultipartUploadResult/>".to_owned()),
        };
        complete_with(OTHER, 2, respond).expect("the second attempt succeeds");
        let failing = |code: &'static str| move |_: u32| (200, error(code));
        let failure = complete_with(OTHER, 2, failing("InternalError"));
        assert_eq!(failure.expect_err("each fails").attempts, 3);
        let failure = complete_with(OTHER, 2, failing("InvalidPart"));
        assert_eq!(failure.expect_err("fails").attempts, 1);
        // The first attempt has completed the upload in the end.
        let late = |attempt: u32| match attempt {
            1 => (200, error("InternalError")),
            _ => (404, error("NoSuchUpload")),
        };
        complete_with(OTHER, 2, late).expect("the object has the size");
    }

    #[test]
    fn tags_other_than_hashes_are_not_combined() {
        assert_eq!(multipart_tag(&parts()).as_deref(), STORED.split('"').nth(1));
        let mut other = parts();
        other[0].tag = "\"encrypted\"".to_owned();
        assert_eq!(multipart_tag(&other), None);
    }
}
