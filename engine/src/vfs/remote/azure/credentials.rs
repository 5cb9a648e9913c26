//! Tokens of Microsoft Entra: of an application with a secret or a federated identity, or of
//! the identity of the machine; and the signature of a shared key.

use std::sync::Arc;

use super::super::credentials::{RenewableToken, first_of};
use super::super::store::StoreResult;
use super::super::token::{Token, metadata_client, of_form, read_secret};
use crate::http::client::{Client, unsigned};
use crate::http::exchange::{BodyTarget, Request, Url, encode};
use crate::vfs::remote::parameters::variable;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// The permissions of the tokens.
const SCOPE: &str = "https://storage.azure.com/.default";
const RESOURCE: &str = "https://storage.azure.com/";

/// The sources of tokens, and the last token.
pub(super) struct AzureTokens {
    client: Client,
    pub(super) current: RenewableToken<Token>,
}

impl AzureTokens {
    pub(super) fn new(client: &Client) -> Self {
        Self {
            client: client.clone(),
            current: RenewableToken::default(),
        }
    }

    /// Returns a token that has not expired.
    pub(super) fn get(&self) -> StoreResult<Arc<Token>> {
        self.current.get(|| {
            first_of(&[
                ("the client secret", &|| self.of_secret()),
                ("the federated identity", &|| self.of_federation()),
                ("the managed identity", &|| self.of_machine().map(Some)),
            ])
        })
    }

    /// Gets the token of an application with a secret.
    fn of_secret(&self) -> StoreResult<Option<Token>> {
        match variable("AZURE_CLIENT_SECRET") {
            Some(secret) => self.of_application(&[("client_secret", &secret)]),
            None => Ok(None),
        }
    }

    /// Gets the token of an application that proves its identity by a token of another issuer.
    fn of_federation(&self) -> StoreResult<Option<Token>> {
        let Some(file) = variable("AZURE_FEDERATED_TOKEN_FILE") else {
            return Ok(None);
        };
        let assertion = read_secret(&file)?;
        let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        self.of_application(&[
            ("client_assertion_type", kind),
            ("client_assertion", assertion.trim()),
        ])
    }

    /// Gets the token of the application in the environment with these proofs of its identity.
    fn of_application(&self, proofs: &[(&str, &str)]) -> StoreResult<Option<Token>> {
        let (Some(tenant), Some(application)) =
            (variable("AZURE_TENANT_ID"), variable("AZURE_CLIENT_ID"))
        else {
            return Ok(None);
        };
        let mut form = format!(
            "grant_type=client_credentials&client_id={}&scope={}",
            encode(&application),
            encode(SCOPE)
        );
        for (name, value) in proofs {
            form.push_str(&format!("&{name}={}", encode(value)));
        }
        let host = variable("AZURE_AUTHORITY_HOST")
            .unwrap_or_else(|| "https://login.microsoftonline.com".to_owned());
        let url = Url::parse(&host, "https")
            .join(&tenant)
            .join("oauth2/v2.0/token");
        of_form(&self.client, url, &form).map(Some)
    }

    /// Gets the token of the machine or the service that the program runs on.
    fn of_machine(&self) -> StoreResult<Token> {
        let of_service = variable("IDENTITY_ENDPOINT").zip(variable("IDENTITY_HEADER"));
        let mut request = match of_service {
            Some((endpoint, secret)) => {
                let url = Url::parse(&endpoint, "http").query("api-version", "2019-08-01");
                Request::new("GET", url).header("x-identity-header", secret)
            }
            None => {
                let endpoint = variable("AZURE_POD_IDENTITY_AUTHORITY_HOST")
                    .unwrap_or_else(|| "http://169.254.169.254".to_owned());
                let url = Url::parse(&endpoint, "http").join("metadata/identity/oauth2/token");
                Request::new("GET", url.query("api-version", "2018-02-01"))
                    .header("metadata", "true")
            }
        };
        request.url = request.url.query("resource", RESOURCE);
        if let Some(client) = variable("AZURE_CLIENT_ID") {
            request.url = request.url.query("client_id", client);
        }
        let response =
            metadata_client(&self.client).send(&request, &unsigned, BodyTarget::Collect)?;
        Token::parse(&response.body)
    }
}

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
