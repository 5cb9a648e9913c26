//! Requests that contain several deletions, as Azure and Google Cloud Storage accept them.

use crate::http::exchange::Request;
use crate::types::new_uuid;

/// The body of a request that contains others.
pub(super) struct DeleteBatch {
    boundary: String,
    body: String,
    count: usize,
}

impl DeleteBatch {
    pub(super) fn new() -> Self {
        Self {
            boundary: format!("batch_{}", new_uuid()),
            body: String::new(),
            count: 0,
        }
    }

    /// Adds a request without a body, with all its headers.
    pub(super) fn add(&mut self, request: &Request<'_>) {
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

    /// The type of the content, and the body.
    pub(super) fn finish(&mut self) -> (String, &[u8]) {
        self.body.push_str(&format!("--{}--\r\n", self.boundary));
        let kind = format!("multipart/mixed; boundary={}", self.boundary);
        (kind, self.body.as_bytes())
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
    use crate::http::exchange::Url;

    #[test]
    fn each_deletion_must_have_succeeded() {
        let mut batch = DeleteBatch::new();
        for _ in 0..2 {
            batch.add(&Request::new(
                "DELETE",
                Url::parse("host", "http").join("a b"),
            ));
        }
        let text = String::from_utf8(batch.finish().1.to_vec()).expect("text");
        assert_eq!(text.matches("DELETE /a%20b HTTP/1.1\r\n").count(), 2);
        let removed = "--b\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\nHTTP/1.1 404 None\r\n";
        let keys = ["a b", "a b"].map(str::to_owned);
        let left = |response: &[u8]| batch.keys_to_repeat(response, &keys).len();
        assert_eq!(left(removed.as_bytes()), 0);
        let denied = b"HTTP/1.1 403 Forbidden\r\nHTTP/1.1 202 Accepted\r\n";
        assert_eq!(left(denied), 2);
        assert_eq!(left(b"HTTP/1.1 202 Accepted\r\n"), 2);
    }
}
