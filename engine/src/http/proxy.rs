//! The proxy of a server, as the variables of the environment that libcurl reads name it.

use std::net::IpAddr;

use super::exchange::Url;

/// Returns the URL of the proxy for requests to `url`, if the environment names one.
pub(crate) fn of_environment(url: &Url) -> Option<String> {
    proxy_of(url, |name| std::env::var(name).ok())
}

fn proxy_of(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let find = |names: &[&str]| {
        names
            .iter()
            .filter_map(|name| variable(name))
            .find(|value| !value.is_empty())
    };
    // A server that runs programs for requests sets HTTP_PROXY to a header of the request.
    let names: &[&str] = if url.scheme.eq_ignore_ascii_case("https") {
        &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    } else {
        &["http_proxy", "all_proxy", "ALL_PROXY"]
    };
    let proxy = find(names)?;
    let exceptions = find(&["no_proxy", "NO_PROXY"]).unwrap_or_default();
    if is_exception(url.host(), &exceptions) {
        return None;
    }
    if proxy.contains("://") {
        Some(proxy)
    } else {
        Some(format!("http://{proxy}"))
    }
}

/// Returns whether a list contains a host: its name, a domain, its address, a network, or "*" for
/// all hosts.
fn is_exception(host: &str, list: &str) -> bool {
    if list.trim() == "*" {
        return true;
    }
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let mut items = list.split([',', ' ', '\t']).filter(|item| !item.is_empty());
    match host.parse::<IpAddr>() {
        Ok(address) => items.any(|item| is_in_network(address, item)),
        Err(_) => items.any(|item| {
            let domain = item.trim_matches('.').to_ascii_lowercase();
            let before = host.strip_suffix(domain.as_str());
            !domain.is_empty() && before.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        }),
    }
}

/// Returns whether an address is `network`, which is an address that may have a number of bits
/// after a slash.
fn is_in_network(address: IpAddr, network: &str) -> bool {
    let (start, bits) = match network.split_once('/') {
        Some((start, bits)) => (start, bits.parse::<u32>().ok()),
        None => (network, Some(128)),
    };
    let start = start.trim_matches(['[', ']']).parse::<IpAddr>();
    let (Ok(start), Some(bits)) = (start, bits) else {
        return false;
    };
    let (number, start, width) = match (address, start) {
        (IpAddr::V4(address), IpAddr::V4(start)) => {
            (address.to_bits().into(), start.to_bits().into(), 32)
        }
        (IpAddr::V6(address), IpAddr::V6(start)) => (address.to_bits(), start.to_bits(), 128),
        _ => return false,
    };
    let difference: u128 = number ^ start;
    difference.checked_shr(width - bits.min(width)).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the proxy of an address in an environment.
    fn proxy(address: &str, environment: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        proxy_of(&Url::parse(address, "https"), variable)
    }

    #[test]
    fn the_scheme_of_the_server_selects_the_variable() {
        let https = "https://server.example.com";
        for (address, variable, is_used) in [
            ("http://server", "http_proxy", true),
            ("http://server", "HTTP_PROXY", false),
            ("http://server", "https_proxy", false),
            ("http://server", "all_proxy", true),
            (https, "https_proxy", true),
            (https, "HTTPS_PROXY", true),
            (https, "http_proxy", false),
            (https, "ALL_PROXY", true),
            ("server", "https_proxy", true),
        ] {
            let found = proxy(address, &[(variable, "http://user:word@proxy:3128")]);
            let expected = is_used.then_some("http://user:word@proxy:3128");
            assert_eq!(found.as_deref(), expected, "{address} {variable}");
        }
        let found = proxy(https, &[("https_proxy", ""), ("all_proxy", "proxy:1")]);
        assert_eq!(found.as_deref(), Some("http://proxy:1"));
    }

    #[test]
    fn exceptions_are_hosts_domains_and_networks() {
        for (host, list, expected) in [
            ("server.example.com", "*", true),
            ("server.example.com", "example.com", true),
            ("server.example.com", "other, .Example.COM.", true),
            ("server.example.com", "ver.example.com", false),
            ("server.example.com", "", false),
            ("server.example.com", ".", false),
            ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "10.1.0.0/16 other", true),
            ("10.1.2.3", "10.2.0.0/16", false),
            ("10.1.2.3", "0.0.0.0/0", true),
            ("10.1.2.3", "2.3", false),
            ("[fd00::1]", "fd00::/8", true),
            ("[fd00::1]", "[fd00::1]", true),
            ("[fd00::1]", "10.0.0.0/8", false),
        ] {
            let variables = [("https_proxy", "http://proxy"), ("no_proxy", list)];
            let found = proxy(&format!("https://{host}:8080"), &variables);
            assert_eq!(found.is_none(), expected, "{host} {list}");
        }
    }
}
