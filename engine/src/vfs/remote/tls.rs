//! Certificates for TLS: those of the platform, of a file or of a folder.

use std::io::ErrorKind;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

use super::failure::Failure;

/// Options for verifying the certificates of servers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tls {
    /// Whether certificates are verified.
    pub(super) verifies: bool,
    /// A file of certificates in PEM instead of the platform's; empty for none.
    pub(super) ca_file: String,
    /// A folder of such files; empty for none.
    pub(super) ca_path: String,
}

impl Default for Tls {
    fn default() -> Self {
        Self {
            verifies: true,
            ca_file: String::new(),
            ca_path: String::new(),
        }
    }
}

/// Reads the certificates and returns the configuration of connections.
pub(super) fn config(tls: &Tls) -> Result<TlsConfig, Failure> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(provider)
        .disable_verification(!tls.verifies);
    let certificates = if tls.verifies {
        certificates(tls)?
    } else {
        Vec::new()
    };
    let roots = RootCerts::Specific(Arc::new(certificates));
    Ok(builder.root_certs(roots).build())
}

fn certificates(tls: &Tls) -> Result<Vec<Certificate<'static>>, Failure> {
    let mut found: Vec<CertificateDer<'static>> = Vec::new();
    if tls.ca_file.is_empty() && tls.ca_path.is_empty() {
        // Unreadable certificates are ignored if others are readable.
        found = rustls_native_certs::load_native_certs().certs;
    }
    if !tls.ca_file.is_empty() {
        found.extend(read(&tls.ca_file)?);
    }
    if !tls.ca_path.is_empty() {
        let unreadable = |error: std::io::Error| {
            let message = format!("the folder of certificates '{}': {error}", tls.ca_path);
            Failure::new(error.kind(), message)
        };
        for entry in std::fs::read_dir(&tls.ca_path).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            // Such folders also hold lists of revoked certificates and the like.
            found.extend(read(&path.to_string_lossy()).unwrap_or_default());
        }
    }
    let owned =
        |certificate: CertificateDer<'static>| Certificate::from_der(&certificate).to_owned();
    Ok(found.into_iter().map(owned).collect())
}

/// Reads the certificates of a file.
fn read(path: &str) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let failed = |reason: String| {
        let message = format!("the file of certificates '{path}': {reason}");
        Failure::new(ErrorKind::InvalidInput, message)
    };
    let certificates =
        CertificateDer::pem_file_iter(path).map_err(|error| failed(error.to_string()))?;
    let certificates = certificates.collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|error| failed(error.to_string()))?;
    if certificates.is_empty() {
        Err(failed("it has no certificates".to_owned()))
    } else {
        Ok(certificates)
    }
}
