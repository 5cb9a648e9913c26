//! Resumable uploads: parts are sent one after another, and the last one creates the object.

use std::io::ErrorKind;

use super::super::store::{
    Location, PartRange, StoreResult, Upload, UploadRules, UploadedPart, Uploads, lacking,
};
use super::{Gcs, incomplete};
use crate::http::exchange::{Request, Response, Url, encode};
use crate::http::failure::Failure;

/// The status of a part that was stored and is not the last.
const INCOMPLETE: u16 = 308;
/// The status of bytes that do not follow those that were stored.
const REJECTED: u16 = 400;
/// The status of an upload that was removed.
const REMOVED: u16 = 499;

impl Uploads for Gcs {
    fn upload_rules(&self) -> UploadRules {
        UploadRules {
            part_size: self.config.part_size,
            max_parts: usize::MAX,
            max_single: self.config.max_single,
            in_order: true,
        }
    }

    /// Returns the address of a new upload.
    fn begin_upload(&self, object: &Location) -> StoreResult<String> {
        let request = Request::new("POST", self.upload_url(object, "resumable"))
            .header("x-upload-content-type", "application/octet-stream");
        let response = self.send(request)?;
        Ok(response
            .header("location")
            .ok_or_else(|| lacking("address of the upload"))?
            .to_owned())
    }

    /// Sends a part until the service has stored all of it: it may store less than it receives. The
    /// repetition of a part after a lost response may be rejected, since the service has stored it;
    /// then the service is asked how much it has stored.
    fn put_part(
        &self,
        object: &Location,
        upload: &str,
        part: PartRange,
        bytes: &[u8],
    ) -> StoreResult<UploadedPart> {
        let end = part.offset.saturating_add(bytes.len() as u64);
        let total = part.total.map_or("*".to_owned(), |total| total.to_string());
        let mut start = part.offset;
        while start < end {
            let rest = usize::try_from(start - part.offset).unwrap_or(usize::MAX);
            let rest = bytes.get(rest..).unwrap_or_default();
            let sent = self.put_range(upload, format!("{start}-{}/{total}", end - 1), rest);
            let response = match sent {
                Err(failure) if failure.attempts > 1 && failure.status == REJECTED => {
                    let state = self.put_range(upload, format!("*/{total}"), &[]);
                    state.map_err(|_| failure)?
                }
                sent => sent?,
            };
            if response.status != INCOMPLETE {
                self.check_end(object, &response, part.total)?;
                break;
            }
            let stored = stored(&response);
            if stored <= start || stored > end || (part.total.is_some() && stored == end) {
                let message = format!("the service has stored {stored} of {end} bytes");
                return Err(Failure::new(ErrorKind::InvalidData, message));
            }
            start = stored;
        }
        Ok(UploadedPart {
            number: part.number,
            tag: String::new(),
        })
    }

    /// Sends no request: the last part has created the object.
    fn complete_upload(
        &self,
        _object: &Location,
        _upload: &str,
        _parts: &[UploadedPart],
        _size: u64,
    ) -> StoreResult<()> {
        Ok(())
    }

    fn abort_upload(&self, _object: &Location, upload: &str) -> StoreResult<()> {
        let request = Request::new("DELETE", Url::parse(upload, "https"));
        match self.send(request) {
            Err(failure) if failure.is_not_found() || failure.status == REMOVED => Ok(()),
            removed => removed.map(drop),
        }
    }

    /// Returns nothing: the service has no list of resumable uploads. It removes them after a week.
    fn uploads(&self, _bucket: &str, _prefix: &str) -> StoreResult<Vec<Upload>> {
        Ok(Vec::new())
    }
}

impl Gcs {
    pub(super) fn upload_url(&self, object: &Location, kind: &str) -> Url {
        let url = self.url(&format!(
            "/upload/storage/v1/b/{}/o",
            encode(&object.bucket)
        ));
        url.query("uploadType", kind)
            .query("name", object.key.as_str())
    }

    /// Checks the response that ends an upload of `total` bytes: the description of the object.
    /// `None` for a part that is not the last, which does not end an upload.
    fn check_end(
        &self,
        object: &Location,
        response: &Response,
        total: Option<u64>,
    ) -> StoreResult<()> {
        let description = serde_json::from_slice(&response.body).unwrap_or_default();
        self.check_stored(object, &description, total.ok_or_else(incomplete)?)
    }

    /// Sends bytes of an upload, or the query for its state.
    fn put_range(&self, upload: &str, range: String, bytes: &[u8]) -> StoreResult<Response> {
        let mut request = Request::new("PUT", Url::parse(upload, "https")).body(bytes);
        request.set_header("content-range", format!("bytes {range}"));
        request.also_succeeds_with = INCOMPLETE;
        self.send(request)
    }
}

/// The number of bytes of an incomplete upload that the service has stored.
fn stored(response: &Response) -> u64 {
    let last = response
        .header("range")
        .and_then(|range| range.rsplit_once('-')?.1.parse::<u64>().ok());
    last.map_or(0, |last| last.saturating_add(1))
}
