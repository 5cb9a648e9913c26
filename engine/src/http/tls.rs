//! Certificates for TLS: those of the platform, of a file or of a folder.

use std::io::ErrorKind;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

use super::failure::Failure;
use crate::config::Config;
use crate::error::Result;

/// Options for verifying the certificates of servers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tls {
    /// Whether certificates are verified.
    pub(crate) verifies: bool,
    /// A file of certificates in PEM instead of the platform's; empty for none.
    pub(crate) ca_file: String,
    /// A folder of such files; empty for none.
    pub(crate) ca_path: String,
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

impl Tls {
    /// Returns the options in a configuration.
    pub(crate) fn of(config: &Config) -> Result<Self> {
        Ok(Self {
            verifies: config.flag("ssl.verify")?,
            ca_file: config.get("ssl.ca_file").unwrap_or_default(),
            ca_path: config.get("ssl.ca_path").unwrap_or_default(),
        })
    }
}

/// Reads the certificates and returns the configuration of connections.
pub(crate) fn config(tls: &Tls) -> std::result::Result<TlsConfig, Failure> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(provider)
        .disable_verification(!tls.verifies);
    let certificates = if tls.verifies {
        load_certificates(tls)?
    } else {
        Vec::new()
    };
    let roots = RootCerts::Specific(Arc::new(certificates));
    Ok(builder.root_certs(roots).build())
}

fn load_certificates(tls: &Tls) -> std::result::Result<Vec<Certificate<'static>>, Failure> {
    let mut found: Vec<CertificateDer<'static>> = Vec::new();
    if tls.ca_file.is_empty() && tls.ca_path.is_empty() {
        // Unreadable certificates are ignored if others are readable.
        found = rustls_native_certs::load_native_certs().certs;
    }
    if !tls.ca_file.is_empty() {
        found.extend(read_certificates(&tls.ca_file)?);
    }
    if !tls.ca_path.is_empty() {
        let unreadable = |error: std::io::Error| {
            let message = format!("the folder of certificates '{}': {error}", tls.ca_path);
            // Not the kind of the error: a missing folder is not a missing object.
            Failure::new(ErrorKind::InvalidInput, message)
        };
        for entry in std::fs::read_dir(&tls.ca_path).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            // Such folders also hold lists of revoked certificates and the like.
            found.extend(read_certificates(&path.to_string_lossy()).unwrap_or_default());
        }
    }
    let owned =
        |certificate: CertificateDer<'static>| Certificate::from_der(&certificate).to_owned();
    Ok(found.into_iter().map(owned).collect())
}

/// Reads the certificates of a file.
fn read_certificates(path: &str) -> std::result::Result<Vec<CertificateDer<'static>>, Failure> {
    let failed = |reason: String| {
        let message = format!("the file of certificates '{path}': {reason}");
        Failure::new(ErrorKind::InvalidInput, message)
    };
    let certificates =
        CertificateDer::pem_file_iter(path).map_err(|error| failed(error.to_string()))?;
    let certificates = certificates
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(|error| failed(error.to_string()))?;
    if certificates.is_empty() {
        Err(failed("it has no certificates".to_owned()))
    } else {
        Ok(certificates)
    }
}
