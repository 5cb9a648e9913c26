//! The host names of Amazon Web Services.

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

#[cfg(test)]
mod tests {
    use super::*;

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
