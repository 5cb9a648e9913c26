//! The host names of Amazon Web Services, and of buckets.

use std::net::IpAddr;

use crate::http::exchange::Url;

/// The domain of most regions.
const DOMAIN: &str = "amazonaws.com";

/// The domains of the regions that are operated separately, by the start of their names.
const SEPARATE_DOMAINS: [(&str, &str); 6] = [
    ("cn-", "amazonaws.com.cn"),
    ("eu-isoe-", "cloud.adc-e.uk"),
    ("eusc-", "amazonaws.eu"),
    ("us-iso-", "c2s.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov"),
    ("us-isof-", "csp.hci.ic.gov"),
];

/// Returns the host name of a service in a region.
pub(in super::super) fn host(service: &str, region: &str) -> String {
    let separate = SEPARATE_DOMAINS
        .iter()
        .find(|(start, _)| region.starts_with(start));
    let domain = separate.map_or(DOMAIN, |(_, domain)| domain);
    format!("{service}.{region}.{domain}")
}

/// Returns whether the host name of an endpoint may begin with a bucket: addresses have no names
/// before them, and a certificate for all buckets covers those without a dot only.
pub(super) fn can_contain(endpoint: &Url, bucket: &str) -> bool {
    let is_label = |label: &str| {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        label.bytes().all(|byte| is_plain(byte) || byte == b'-')
            && label.bytes().next().is_some_and(is_plain)
            && label.bytes().last().is_some_and(is_plain)
    };
    (3..=63).contains(&bucket.len())
        && bucket.split('.').all(is_label)
        && (endpoint.scheme == "http" || !bucket.contains('.'))
        && endpoint.host().parse::<IpAddr>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_a_part_of_host_names_that_can_contain_them() {
        let can =
            |endpoint: &str, bucket: &str| can_contain(&Url::parse(endpoint, "https"), bucket);
        assert!(can("s3.us-east-1.amazonaws.com", "a-bucket-1"));
        assert!(can("http://localhost:9000", "with.dots"));
        for bucket in [
            "with.dots",
            "UPPER",
            "under_score",
            "-first",
            "last-",
            "no",
            "",
        ] {
            assert!(!can("s3.us-east-1.amazonaws.com", bucket), "{bucket}");
        }
        for endpoint in ["127.0.0.1:9000", "http://10.0.0.1", "http://[::1]:9000"] {
            assert!(!can(endpoint, "bucket"), "{endpoint}");
        }
        assert!(!can("host", &"a".repeat(64)));
    }

    #[test]
    fn regions_that_are_operated_separately_have_their_own_domains() {
        for (region, domain) in [
            ("us-east-1", "amazonaws.com"),
            ("us-gov-west-1", "amazonaws.com"),
            ("cn-north-1", "amazonaws.com.cn"),
            ("us-iso-east-1", "c2s.ic.gov"),
            ("us-isob-east-1", "sc2s.sgov.gov"),
            ("eusc-de-east-1", "amazonaws.eu"),
        ] {
            assert_eq!(host("s3", region), format!("s3.{region}.{domain}"));
        }
    }
}
