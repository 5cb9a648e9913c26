//! The signature of a shared key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use crate::http::exchange::Request;

/// The headers that are signed by value, in the order of the text. The service takes the date from
/// a header of its own, so that the line of `date` is empty.
const SIGNED_HEADERS: [&str; 11] = [
    "content-encoding",
    "content-language",
    "content-length",
    "content-md5",
    "content-type",
    "date",
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
];

/// Adds the signature of an account to a request that has its date and version.
pub(super) fn sign(request: &mut Request<'_>, account: &str, key: &[u8]) {
    let text = text_to_sign(request, account);
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    let signature = STANDARD.encode(hmac::sign(&key, text.as_bytes()));
    request.set_header("authorization", format!("SharedKey {account}:{signature}"));
}

fn text_to_sign(request: &Request<'_>, account: &str) -> String {
    let mut text = format!("{}\n", request.method);
    for name in SIGNED_HEADERS {
        if name == "content-length" && !request.body.is_empty() {
            text.push_str(&request.body.len().to_string());
        }
        let found = request.headers.iter().find(|(known, _)| known == name);
        text.push_str(found.map_or("", |(_, value)| value.as_str()));
        text.push('\n');
    }
    let mut ms_headers: Vec<_> = request
        .headers
        .iter()
        .filter(|(name, _)| name.starts_with("x-ms-"))
        .collect();
    ms_headers.sort();
    for (name, value) in ms_headers {
        text.push_str(&format!("{name}:{value}\n"));
    }
    text.push_str(&format!("/{account}{}", request.url.path()));
    let mut query: Vec<_> = request.url.query.iter().collect();
    query.sort();
    for (name, value) in query {
        text.push_str(&format!("\n{}:{value}", name.to_lowercase()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::exchange::Url;

    /// The example for "Get Container Metadata" of the documentation of Azure.
    #[test]
    fn the_text_to_sign_is_that_of_the_documentation() {
        let url = Url::parse("https://myaccount.blob.core.windows.net", "https");
        let url = url
            .join("mycontainer")
            .query("restype", "container")
            .query("comp", "metadata");
        let request = Request::new("GET", url)
            .header("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT")
            .header("x-ms-version", "2015-02-21");
        assert_eq!(
            text_to_sign(&request, "myaccount"),
            "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\n\
             x-ms-version:2015-02-21\n/myaccount/mycontainer\ncomp:metadata\nrestype:container"
        );
    }
}
