//! Signature version 4 of Amazon Web Services: the credentials that sign, the signature, and the
//! clock of a service, whose time it contains.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use super::super::credentials::Expiry;
use super::super::time;
use crate::http::exchange::{Request, encode_path};
use crate::http::failure::Failure;
use crate::types::{Timestamp, now};
use ring::{digest, hmac};

/// The value that stands for a body without a checksum. TLS protects it.
const UNSIGNED: &str = "UNSIGNED-PAYLOAD";

/// Credentials for signing requests.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) access_key: String,
    pub(super) secret_key: String,
    pub(super) session_token: Option<String>,
    /// The time of expiry in milliseconds since 1970; `None` if they do not expire.
    pub(super) expires: Option<Timestamp>,
}

impl Expiry for Credentials {
    fn expires(&self) -> Option<Timestamp> {
        self.expires
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}

impl Credentials {
    /// Creates credentials from two or three strings; `None` if a key is missing.
    pub(super) fn of(access_key: &str, secret_key: &str, token: &str) -> Option<Self> {
        (!access_key.is_empty() && !secret_key.is_empty()).then(|| Self {
            access_key: access_key.to_owned(),
            secret_key: secret_key.to_owned(),
            session_token: Some(token.to_owned()).filter(|token| !token.is_empty()),
            expires: None,
        })
    }

    /// Reads credentials from a JSON document with these field names.
    pub(super) fn of_json(value: &serde_json::Value, names: [&str; 4]) -> Option<Self> {
        let text = |name: &str| {
            value
                .get(name)
                .and_then(|text| text.as_str())
                .unwrap_or_default()
        };
        let [access, secret, token, expires] = names;
        let mut found = Self::of(text(access), text(secret), text(token))?;
        found.expires = match value.get(expires) {
            Some(serde_json::Value::Number(number)) => number.as_u64(),
            _ => time::parse(text(expires)),
        };
        Some(found)
    }
}

/// Adds the date, the checksum of the body, the token of the session and the signature to a
/// request, for a service in a region. `now`: the time in milliseconds since 1970.
pub(super) fn sign(
    request: &mut Request<'_>,
    credentials: &Credentials,
    region: &str,
    service: &str,
    now: Timestamp,
) {
    let time = basic_time(now);
    let date = time.get(..8).unwrap_or_default().to_owned();
    let checksum = if request.url.scheme == "https" && service == "s3" {
        UNSIGNED.to_owned()
    } else {
        hex(digest::digest(&digest::SHA256, request.body).as_ref())
    };
    request.set_header("host", request.url.host_and_port().to_owned());
    request.set_header("x-amz-date", time.clone());
    if service == "s3" {
        request.set_header("x-amz-content-sha256", checksum.clone());
    }
    if let Some(token) = &credentials.session_token {
        request.set_header("x-amz-security-token", token.clone());
    }
    let (text, header_names) = canonical(request, &checksum, service);
    let scope = format!("{date}/{region}/{service}/aws4_request");
    let to_sign = format!(
        "AWS4-HMAC-SHA256\n{time}\n{scope}\n{}",
        hex(digest::digest(&digest::SHA256, text.as_bytes()).as_ref())
    );
    let key = format!("AWS4{}", credentials.secret_key);
    let key = mac(key.as_bytes(), &date);
    let key = mac(key.as_ref(), region);
    let key = mac(key.as_ref(), service);
    let key = mac(key.as_ref(), "aws4_request");
    let signature = hex(mac(key.as_ref(), &to_sign).as_ref());
    let value = format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={header_names}, Signature={signature}",
        credentials.access_key
    );
    request.set_header("authorization", value);
}

/// Returns the form of a request that is signed, and the names of the headers in it.
fn canonical(request: &Request<'_>, checksum: &str, service: &str) -> (String, String) {
    let mut headers: Vec<(&str, String)> = request
        .headers
        .iter()
        .filter(|(name, _)| is_signed(name))
        .map(|(name, value)| {
            let words: Vec<&str> = value.split(' ').filter(|word| !word.is_empty()).collect();
            (name.as_str(), words.join(" "))
        })
        .collect();
    headers.sort();
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let header_names = names.join(";");
    let mut lines = String::new();
    for (name, value) in &headers {
        lines.push_str(name);
        lines.push(':');
        lines.push_str(value);
        lines.push('\n');
    }
    // All services but S3 encode the path a second time.
    let path = match service {
        "s3" => request.url.path().to_owned(),
        _ => encode_path(request.url.path()),
    };
    let text = format!(
        "{}\n{path}\n{}\n{lines}\n{header_names}\n{checksum}",
        request.method,
        request.url.encoded_query()
    );
    (text, header_names)
}

/// Proxies may change other headers.
fn is_signed(name: &str) -> bool {
    name == "host"
        || name.starts_with("x-amz-")
        || matches!(name, "content-md5" | "content-type" | "date" | "range")
}

fn mac(key: &[u8], text: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
}

/// Returns bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A time as `20150830T123600Z`.
fn basic_time(timestamp: Timestamp) -> String {
    let text = time::format(timestamp);
    text.chars().filter(|c| !matches!(c, '-' | ':')).collect()
}

/// A difference of the clocks up to this, in milliseconds, does not explain a refusal: the service
/// accepts 15 minutes.
const TOLERATED: u64 = 300_000;

/// The clock of the service, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct ServiceClock {
    /// The milliseconds by which it is ahead of the clock of this machine.
    ahead: AtomicI64,
}

impl ServiceClock {
    /// Returns the time of the service in milliseconds since 1970.
    pub(super) fn now(&self) -> Timestamp {
        now().saturating_add_signed(self.ahead.load(Ordering::Relaxed))
    }

    /// Takes over the time of the service if it refused a request because the clock of this machine
    /// is wrong. Returns whether it did.
    pub(super) fn follow(&self, failure: &Failure) -> bool {
        // Responses to HEAD have no code.
        let is_refused = failure.code == "RequestTimeTooSkewed"
            || failure.status == 403 && failure.code.is_empty();
        let response = failure.response.as_ref().filter(|_| is_refused);
        let date = response.and_then(|response| time::parse(response.date.as_deref()?));
        let Some(date) = date else {
            return false;
        };
        let here = now();
        let is_wrong = here.abs_diff(date) > TOLERATED;
        if is_wrong {
            let ahead = (date as i64).saturating_sub(here as i64);
            self.ahead.store(ahead, Ordering::Relaxed);
        }
        is_wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::exchange::Url;
    use crate::http::failure::FailedResponse;

    /// 2015-08-30T12:36:00Z, the time of the published test vectors.
    const NOW: Timestamp = 1_440_938_160_000;

    fn credentials(secret: &str) -> Credentials {
        Credentials {
            access_key: "AKIDEXAMPLE".to_owned(),
            secret_key: secret.to_owned(),
            session_token: None,
            expires: None,
        }
    }

    fn signature(mut request: Request<'_>) -> String {
        let credentials = credentials("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
        sign(&mut request, &credentials, "us-east-1", "service", NOW);
        let value = request
            .headers
            .iter()
            .find(|(name, _)| name == "authorization");
        let value = &value.expect("signed").1;
        value
            .rsplit_once("Signature=")
            .expect("signature")
            .1
            .to_owned()
    }

    fn url(query: &[(&str, &str)]) -> Url {
        let url = Url::parse("https://example.amazonaws.com/", "https");
        query
            .iter()
            .fold(url, |url, (name, value)| url.query(name, *value))
    }

    /// The cases get-vanilla, post-vanilla and get-vanilla-query-order-key-case of
    /// the published suite.
    #[test]
    fn published_vectors_have_the_published_signatures() {
        assert_eq!(
            signature(Request::new("GET", url(&[]))),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        );
        assert_eq!(
            signature(Request::new("POST", url(&[]))),
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        );
        assert_eq!(
            signature(Request::new(
                "GET",
                url(&[("Param2", "value2"), ("Param1", "value1")])
            )),
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        );
    }

    /// The four examples of the documentation of S3, "Signature Calculations for the Authorization
    /// Header": GET Object, PUT Object, GET Bucket Lifecycle and GET Bucket (List Objects).
    #[test]
    fn the_documented_requests_of_s3_have_the_documented_signatures() {
        let url = |path: &str| {
            let url = Url::parse("http://examplebucket.s3.amazonaws.com", "http");
            if path.is_empty() { url } else { url.join(path) }
        };
        let put = Request::new("PUT", url("test$file.text"))
            .header("date", "Fri, 24 May 2013 00:00:00 GMT")
            .header("x-amz-storage-class", "REDUCED_REDUNDANCY")
            .body(b"Welcome to Amazon S3.");
        let list = url("").query("max-keys", "2").query("prefix", "J");
        let documented = [
            (
                Request::new("GET", url("test.txt")).header("range", "bytes=0-9"),
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
            ),
            (
                put,
                "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
            ),
            (
                Request::new("GET", url("").query("lifecycle", "")),
                "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
            ),
            (
                Request::new("GET", list),
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
            ),
        ];
        let now = 1_369_353_600_000;
        let mut credentials = credentials("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
        credentials.access_key = "AKIAIOSFODNN7EXAMPLE".to_owned();
        for (mut request, signature) in documented {
            sign(&mut request, &credentials, "us-east-1", "s3", now);
            let value = request
                .headers
                .iter()
                .find(|(name, _)| name == "authorization");
            let value = &value.expect("signed").1;
            assert!(
                value.ends_with(&format!("Signature={signature}")),
                "{value}"
            );
        }
    }

    fn refused(code: &str, date: &str) -> Failure {
        Failure {
            code: code.to_owned(),
            response: Some(Box::new(FailedResponse {
                body: String::new(),
                location: None,
                date: Some(date.to_owned()),
            })),
            ..Failure::of_response(403, b"", None)
        }
    }

    #[test]
    fn the_time_of_a_service_that_refuses_that_of_this_machine_is_used() {
        const DATE: &str = "Sun, 30 Aug 2015 12:36:00 GMT";
        let service = time::parse(DATE).expect("a time");
        for code in ["RequestTimeTooSkewed", ""] {
            let clock = ServiceClock::default();
            assert!(clock.follow(&refused(code, DATE)));
            assert!(clock.now().abs_diff(service) < 60_000);
        }
    }

    #[test]
    fn other_refusals_do_not_change_the_time() {
        let clock = ServiceClock::default();
        assert!(!clock.follow(&refused("AccessDenied", "Sun, 30 Aug 2015 12:36:00 GMT")));
        assert!(!clock.follow(&refused("", &time::format(now()))));
        assert!(!clock.follow(&refused("", "no date")));
        assert!(now().abs_diff(clock.now()) < 60_000);
    }
}
