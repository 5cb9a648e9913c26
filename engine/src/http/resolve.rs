//! The addresses of hosts.

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Resolves host names with the system's resolver. Names below `localhost`, which not all systems
/// resolve, are this machine (RFC 6761), as for libcurl.
#[derive(Debug, Default)]
pub(super) struct HostResolver {
    system: DefaultResolver,
}

/// Returns the URI of `localhost` if the host is a name below it.
fn on_loopback(uri: &Uri) -> Option<Uri> {
    let host = uri.host()?.trim_end_matches('.');
    let (_, domain) = host.rsplit_once('.')?;
    if !domain.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let authority = match uri.port_u16() {
        Some(port) => format!("localhost:{port}"),
        None => "localhost".to_owned(),
    };
    let builder = Uri::builder().scheme(uri.scheme_str()?);
    builder
        .authority(authority)
        .path_and_query("/")
        .build()
        .ok()
}

impl Resolver for HostResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let loopback = on_loopback(uri);
        let uri = loopback.as_ref().unwrap_or(uri);
        self.system.resolve(uri, config, timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_below_localhost_are_this_machine() {
        let loopback = |uri: &str| {
            let uri: Uri = uri.parse().expect("a URI");
            on_loopback(&uri).map(|uri| uri.to_string())
        };
        let found = loopback("http://bucket.localhost:9000/key?list");
        assert_eq!(found.as_deref(), Some("http://localhost:9000/"));
        let found = loopback("https://a.b.LOCALHOST./key");
        assert_eq!(found.as_deref(), Some("https://localhost/"));
        for other in [
            "http://localhost:9000/",
            "http://localhost.org/",
            "http://[::1]/",
        ] {
            assert_eq!(loopback(other), None);
        }
    }
}
