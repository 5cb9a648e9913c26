//! Tokens of Microsoft Entra: of an application with a secret or a federated identity, or of
//! the identity of the machine.

use std::sync::Arc;

use super::super::credentials::{Renewed, first_of};
use super::super::environment::variable;
use super::super::store::StoreResult;
use super::super::token::{Token, metadata_client, of_form, read_secret};
use crate::http::client::{Client, unsigned};
use crate::http::exchange::{BodyTarget, Request, Url, encode};

/// The permissions of the tokens.
const SCOPE: &str = "https://storage.azure.com/.default";
const RESOURCE: &str = "https://storage.azure.com/";

/// The sources of tokens, and the last token.
pub(super) struct AzureTokens {
    client: Client,
    current: Renewed<Token>,
}

impl AzureTokens {
    pub(super) fn new(client: &Client) -> Self {
        Self {
            client: client.clone(),
            current: Renewed::default(),
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

    /// Drops a token that the service rejected. Returns whether another one will be loaded.
    pub(super) fn discard(&self) -> bool {
        self.current.discard()
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
        let host = variable("AZURE_AUTHORITY_HOST");
        let host = host.unwrap_or_else(|| "https://login.microsoftonline.com".to_owned());
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
                let endpoint = variable("AZURE_POD_IDENTITY_AUTHORITY_HOST");
                let endpoint = endpoint.unwrap_or_else(|| "http://169.254.169.254".to_owned());
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
