//! Requests and responses on the standard error stream, as libcurl writes them.

use std::fmt::Write as _;
use std::io::Write as _;

use super::exchange::Request;

/// The headers whose values are secrets.
const SECRET: [&str; 4] = [
    "authorization",
    "cookie",
    "set-cookie",
    "x-tiledb-rest-api-key",
];

/// Writes the first line and the headers of a request.
pub(super) fn show_request(request: &Request<'_>) {
    let path = request.url.path();
    let query = request.url.encoded_query();
    let mark = if query.is_empty() { "" } else { "?" };
    let first = format!("{} {path}{mark}{query} HTTP/1.1", request.method);
    let host = [("host", request.url.host_and_port())];
    let headers = request.headers.iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.as_str()));
    show(&text('>', &first, host.into_iter().chain(headers)));
}

/// Writes the status and the headers of a response.
pub(super) fn show_response(response: &ureq::http::response::Parts) {
    let first = format!("{:?} {}", response.version, response.status);
    let headers = response.headers.iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.to_str().unwrap_or("?")));
    show(&text('<', &first, headers));
}

/// Writes a text to the standard error stream.
pub(super) fn show(text: &str) {
    // An error of this stream cannot be reported anywhere.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

fn text<'a>(mark: char, first: &str, headers: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = format!("{mark} {first}\n");
    for (name, value) in headers {
        let is_secret = SECRET
            .iter()
            .any(|secret| name.eq_ignore_ascii_case(secret));
        let value = if is_secret { "[redacted]" } else { value };
        let _ = writeln!(text, "{mark} {name}: {value}");
    }
    let _ = writeln!(text, "{mark}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let headers = [("Authorization", "Basic xyz"), ("x-own", "1")];
        let text = text('>', "GET / HTTP/1.1", headers.into_iter());
        let expected = "> GET / HTTP/1.1\n> Authorization: [redacted]\n> x-own: 1\n>\n";
        assert_eq!(text, expected);
    }
}
