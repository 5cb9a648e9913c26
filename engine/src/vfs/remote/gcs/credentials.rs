//! Access tokens of Google: of a service account, a user, a workload identity or the metadata
//! server, perhaps exchanged for those of another service account.

use std::io::ErrorKind;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::Value;

use super::super::credentials::{RenewableToken, first_of};
use super::super::parameters::variable;
use super::super::store::StoreResult;
use super::super::token::{Token, metadata_client, of_form, read_secret, text};
use super::config::GcsConfig;
use crate::http::client::{Client, unsigned};
use crate::http::exchange::{BodyTarget, Request, Url, encode};
use crate::http::failure::Failure;
use crate::types::now;

/// The permissions of the tokens.
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// The addresses of services unless the credentials name others.
const TOKEN_SERVICE: &str = "https://oauth2.googleapis.com/token";
const EXCHANGE_SERVICE: &str = "https://sts.googleapis.com/v1/token";
const IMPERSONATION_SERVICE: &str = "https://iamcredentials.googleapis.com";
/// The seconds that the assertion of a service account lasts.
const ASSERTION_SECONDS: u64 = 3600;

/// The sources of tokens, and the last token.
pub(super) struct GoogleTokens {
    client: Client,
    service_account_key: String,
    workload_identity: String,
    impersonate: String,
    is_anonymous: bool,
    pub(super) current: RenewableToken<Token>,
}

fn invalid(description: &str) -> Failure {
    Failure::new(
        ErrorKind::InvalidData,
        format!("{description} is not valid"),
    )
}

/// Reads JSON in a parameter, or in the file whose path is in the parameter.
fn json(json_or_path: &str, description: &str) -> StoreResult<Value> {
    let trimmed = json_or_path.trim();
    let parsed = if trimmed.starts_with('{') {
        serde_json::from_str(trimmed)
    } else {
        // The value is not in the error: it may be a key in a form that is not JSON.
        let text = std::fs::read_to_string(trimmed).map_err(|error| {
            let message = format!("{description} is neither JSON nor a readable file: {error}");
            Failure::new(error.kind(), message)
        });
        serde_json::from_str(&text?)
    };
    parsed.map_err(|_| invalid(description))
}

impl GoogleTokens {
    pub(super) fn new(config: &GcsConfig, client: &Client) -> Self {
        let parameters = [
            &config.service_account_key,
            &config.workload_identity,
            &config.impersonate,
        ];
        let has_source = parameters.iter().any(|value| !value.is_empty())
            || variable("GOOGLE_APPLICATION_CREDENTIALS").is_some();
        Self {
            client: client.clone(),
            service_account_key: config.service_account_key.clone(),
            workload_identity: config.workload_identity.clone(),
            impersonate: config.impersonate.clone(),
            // Emulators and proxies need no token.
            is_anonymous: config.endpoint.is_some() && !has_source,
            current: RenewableToken::default(),
        }
    }

    /// Returns a token that has not expired; `None` if requests need none.
    pub(super) fn get(&self) -> StoreResult<Option<Arc<Token>>> {
        if self.is_anonymous {
            return Ok(None);
        }
        self.current.get(|| self.load()).map(Some)
    }

    fn load(&self) -> StoreResult<Token> {
        let token = self.first_source()?;
        let mut accounts: Vec<&str> = self.impersonate.split(',').map(str::trim).collect();
        accounts.retain(|account| !account.is_empty());
        match accounts.split_last() {
            Some((account, delegates)) => self.impersonated(account, delegates, &token),
            None => Ok(token),
        }
    }

    fn first_source(&self) -> StoreResult<Token> {
        if !self.service_account_key.is_empty() {
            let key = json(
                &self.service_account_key,
                "the parameter 'vfs.gcs.service_account_key'",
            );
            return self.of_key(&key?);
        }
        if !self.workload_identity.is_empty() {
            let identity = json(
                &self.workload_identity,
                "the parameter 'vfs.gcs.workload_identity_configuration'",
            );
            return self.of_key(&identity?);
        }
        let file = variable("GOOGLE_APPLICATION_CREDENTIALS");
        first_of(&[
            ("GOOGLE_APPLICATION_CREDENTIALS", &|| {
                file.as_deref().map(|file| self.of_file(file)).transpose()
            }),
            ("the login of gcloud", &|| self.of_login()),
            ("the metadata server", &|| self.of_machine().map(Some)),
        ])
    }

    fn of_file(&self, path: &str) -> StoreResult<Token> {
        let text = read_secret(path)?;
        let value: Value =
            serde_json::from_str(&text).map_err(|_| invalid("the file of credentials"))?;
        self.of_key(&value)
    }

    fn of_login(&self) -> StoreResult<Option<Token>> {
        let Some(home) = variable("HOME") else {
            return Ok(None);
        };
        let path = format!("{home}/.config/gcloud/application_default_credentials.json");
        if std::path::Path::new(&path).exists() {
            self.of_file(&path).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Gets the token of credentials of one of the three types.
    fn of_key(&self, key: &Value) -> StoreResult<Token> {
        match text(key, "type") {
            Some("service_account") => self.of_service_account(key),
            Some("authorized_user") => self.of_user(key),
            Some("external_account") => self.of_workload(key),
            _ => Err(invalid("the type of the credentials")),
        }
    }

    fn of_service_account(&self, key: &Value) -> StoreResult<Token> {
        let address = text(key, "token_uri").unwrap_or(TOKEN_SERVICE);
        let assertion = assertion(key, address)?;
        let grant = encode("urn:ietf:params:oauth:grant-type:jwt-bearer");
        let form = format!("grant_type={grant}&assertion={assertion}");
        of_form(&self.client, Url::parse(address, "https"), &form)
    }

    fn of_user(&self, key: &Value) -> StoreResult<Token> {
        let part = |name: &str| {
            text(key, name)
                .map(encode)
                .ok_or_else(|| invalid("the login of gcloud"))
        };
        let form = format!(
            "grant_type=refresh_token&client_id={}&client_secret={}&refresh_token={}",
            part("client_id")?,
            part("client_secret")?,
            part("refresh_token")?
        );
        let address = text(key, "token_uri").unwrap_or(TOKEN_SERVICE);
        of_form(&self.client, Url::parse(address, "https"), &form)
    }

    /// Gets the token of a workload identity: that of another issuer is exchanged, once or twice.
    fn of_workload(&self, key: &Value) -> StoreResult<Token> {
        let missing = || invalid("the workload identity");
        let source = key.get("credential_source").ok_or_else(missing)?;
        let subject = self.subject_token(source)?;
        let part = |name: &str| text(key, name).map(encode).ok_or_else(missing);
        let form = format!(
            "grant_type={}&audience={}&scope={}&requested_token_type={}&subject_token_type={}&subject_token={}",
            encode("urn:ietf:params:oauth:grant-type:token-exchange"),
            part("audience")?,
            encode(SCOPE),
            encode("urn:ietf:params:oauth:token-type:access_token"),
            part("subject_token_type")?,
            encode(&subject)
        );
        let address = text(key, "token_url").unwrap_or(EXCHANGE_SERVICE);
        let token = of_form(&self.client, Url::parse(address, "https"), &form)?;
        match text(key, "service_account_impersonation_url") {
            Some(url) => self.exchange(Url::parse(url, "https"), &[], &token),
            None => Ok(token),
        }
    }

    /// Returns the token of another issuer, which is in a file or which a service provides.
    fn subject_token(&self, source: &Value) -> StoreResult<String> {
        let raw = match (text(source, "file"), text(source, "url")) {
            (Some(file), _) => read_secret(file)?,
            (None, Some(url)) => {
                let mut request = Request::new("GET", Url::parse(url, "https"));
                let headers = source.get("headers").and_then(Value::as_object);
                for (name, value) in headers.into_iter().flatten() {
                    request.set_header(&name.to_lowercase(), value.as_str().unwrap_or_default());
                }
                let response = self.client.send(&request, &unsigned, BodyTarget::Collect)?;
                String::from_utf8_lossy(&response.body).into_owned()
            }
            (None, None) => {
                let message =
                    "only files and addresses are supported as sources of a workload identity";
                return Err(Failure::new(ErrorKind::Unsupported, message));
            }
        };
        let field = source.pointer("/format/subject_token_field_name");
        let Some(field) = field.and_then(Value::as_str) else {
            return Ok(raw.trim().to_owned());
        };
        let missing = || invalid("the token of the workload identity");
        let value: Value = serde_json::from_str(&raw).map_err(|_| missing())?;
        Ok(text(&value, field).ok_or_else(missing)?.to_owned())
    }

    /// Gets the token of the machine from its metadata server.
    fn of_machine(&self) -> StoreResult<Token> {
        let host =
            variable("GCE_METADATA_HOST").unwrap_or_else(|| "metadata.google.internal".to_owned());
        let url = Url::parse(&host, "http")
            .join("computeMetadata/v1/instance/service-accounts/default/token");
        let request = Request::new("GET", url).header("metadata-flavor", "Google");
        let response =
            metadata_client(&self.client).send(&request, &unsigned, BodyTarget::Collect)?;
        Token::parse(&response.body)
    }

    fn impersonated(&self, account: &str, delegates: &[&str], token: &Token) -> StoreResult<Token> {
        let host = variable("CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS")
            .unwrap_or_else(|| IMPERSONATION_SERVICE.to_owned());
        let mut url = Url::parse(&host, "https");
        let account = encode(account);
        url.path.push_str(&format!(
            "/v1/projects/-/serviceAccounts/{account}:generateAccessToken"
        ));
        self.exchange(url, delegates, token)
    }

    /// Exchanges a token for that of a service account that it may impersonate.
    fn exchange(&self, url: Url, delegates: &[&str], token: &Token) -> StoreResult<Token> {
        let delegates: Vec<String> = delegates
            .iter()
            .map(|name| format!("projects/-/serviceAccounts/{name}"))
            .collect();
        let body = serde_json::json!({"scope": [SCOPE], "delegates": delegates}).to_string();
        let request = Request::new("POST", url)
            .header("content-type", "application/json")
            .header("authorization", token.bearer())
            .body(body.as_bytes());
        let response = self.client.send(&request, &unsigned, BodyTarget::Collect)?;
        Token::parse(&response.body)
    }
}

/// Returns the signed assertion with which a service account requests a token.
fn assertion(key: &Value, address: &str) -> StoreResult<String> {
    let missing = || invalid("the key of the service account");
    let email = text(key, "client_email").ok_or_else(missing)?;
    let pem = text(key, "private_key").ok_or_else(missing)?;
    let seconds = now() / 1000;
    let claims = serde_json::json!({
        "iss": email, "scope": SCOPE, "aud": address, "iat": seconds, "exp": seconds + ASSERTION_SECONDS,
    });
    let mut header = serde_json::json!({"alg": "RS256", "typ": "JWT"});
    if let Some(id) = text(key, "private_key_id") {
        header["kid"] = id.into();
    }
    let signed = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header.to_string()),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    );
    let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| missing())?;
    let pair = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).map_err(|_| missing())?;
    let mut signature = vec![0; pair.public().modulus_len()];
    let random = ring::rand::SystemRandom::new();
    pair.sign(
        &RSA_PKCS1_SHA256,
        &random,
        signed.as_bytes(),
        &mut signature,
    )
    .map_err(|_| missing())?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(&signature)))
}
