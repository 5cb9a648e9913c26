//! Requests that contain several deletions, as Azure and Google Cloud Storage accept them.

use super::store::StoreResult;
use crate::http::exchange::{Request, Url};
use crate::types::new_uuid;

/// The body of a request that contains others.
pub(super) struct DeleteBatch {
    boundary: String,
    body: String,
    count: usize,
}

impl DeleteBatch {
    /// Returns a batch of the deletions of keys. `request_of` returns that of a key, without a body
    /// and with all its headers.
    pub(super) fn of(
        keys: &[String],
        request_of: impl Fn(&str) -> StoreResult<Request<'static>>,
    ) -> StoreResult<Self> {
        let mut batch = Self {
            boundary: format!("batch_{}", new_uuid()),
            body: String::new(),
            count: 0,
        };
        for key in keys {
            batch.add(&request_of(key)?);
        }
        batch.body.push_str(&format!("--{}--\r\n", batch.boundary));
        Ok(batch)
    }

    fn add(&mut self, request: &Request<'_>) {
        let query = request.url.encoded_query();
        let mark = if query.is_empty() { "" } else { "?" };
        self.body.push_str(&format!(
            "--{}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\
             Content-ID: {}\r\n\r\n{} {}{mark}{query} HTTP/1.1\r\n",
            self.boundary,
            self.count,
            request.method,
            request.url.path()
        ));
        for (name, value) in &request.headers {
            self.body.push_str(&format!("{name}: {value}\r\n"));
        }
        self.body.push_str("Content-Length: 0\r\n\r\n");
        self.count += 1;
    }

    /// Returns the request for these deletions.
    pub(super) fn request(&self, url: Url) -> Request<'_> {
        let kind = format!("multipart/mixed; boundary={}", self.boundary);
        Request::new("POST", url)
            .header("content-type", kind)
            .body(self.body.as_bytes())
            .slow()
    }

    /// Returns the keys of the deletions, unless the response reports for each that it removed its
    /// object or found none.
    pub(super) fn keys_to_repeat(&self, response: &[u8], keys: &[String]) -> Vec<String> {
        let text = String::from_utf8_lossy(response);
        let succeeded = text
            .lines()
            .filter_map(|line| line.strip_prefix("HTTP/1.1 "))
            .map(|line| line.split(' ').next()?.parse::<u16>().ok())
            .filter(|status| matches!(status, Some(200..300 | 404)))
            .count();
        if succeeded == self.count {
            Vec::new()
        } else {
            keys.to_vec()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_deletion_must_have_succeeded() {
        let keys = ["a b", "a b"].map(str::to_owned);
        let url = || Url::parse("host", "http");
        let batch = DeleteBatch::of(&keys, |key| Ok(Request::new("DELETE", url().join(key))));
        let batch = batch.expect("a batch");
        let text = String::from_utf8(batch.request(url()).body.to_vec()).expect("text");
        assert_eq!(text.matches("DELETE /a%20b HTTP/1.1\r\n").count(), 2);
        let removed = "--b\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\nHTTP/1.1 404 None\r\n";
        let left = |response: &[u8]| batch.keys_to_repeat(response, &keys).len();
        assert_eq!(left(removed.as_bytes()), 0);
        let denied = b"HTTP/1.1 403 Forbidden\r\nHTTP/1.1 202 Accepted\r\n";
        assert_eq!(left(denied), 2);
        assert_eq!(left(b"HTTP/1.1 202 Accepted\r\n"), 2);
    }
}
