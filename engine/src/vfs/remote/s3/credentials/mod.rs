//! The credentials of S3: their sources, in the order in which they are tried, and the last result.
//!
//! Parameters come first, then the environment, the profile of the shared files, the identity of a
//! container or of a job with a web identity token, and last the metadata service of the machine.
//! The first source that has credentials counts. A role in the parameters is assumed with what the
//! sources give.

mod profile;
mod services;
#[cfg(test)]
mod tests;

use std::io::ErrorKind;
use std::sync::Arc;

use ring::digest;

use self::profile::{SharedFiles, in_aws_folder};
use self::services::Role;
use super::super::credentials::{CredentialSource, RenewableToken, first_of};
use super::super::parameters::variable;
use super::super::store::StoreResult;
use super::super::time;
use super::config::S3Config;
use super::sign::{Credentials, hex};
use crate::http::client::Client;
use crate::http::failure::Failure;
use crate::platform::lock::OnceValue;
use crate::types::now;

/// The region if nothing names one.
const DEFAULT_REGION: &str = "us-east-1";
/// The maximum length of a chain of profiles.
const MAX_PROFILES: usize = 10;

/// The sources of credentials, and the last result.
pub(super) struct Chain {
    config: S3Config,
    client: Client,
    current: RenewableToken<Credentials>,
    region: OnceValue<String>,
}

impl Chain {
    pub(super) fn new(config: &S3Config, client: &Client) -> Self {
        Self {
            config: config.clone(),
            client: client.clone(),
            current: RenewableToken::default(),
            region: OnceValue::new(),
        }
    }

    /// Returns credentials that have not expired.
    pub(super) fn get(&self) -> StoreResult<Arc<Credentials>> {
        self.current.get(|| self.load())
    }

    /// Drops credentials that the service rejected as expired. Returns whether others may be
    /// loaded: those in the parameters do not change.
    pub(super) fn discard(&self) -> bool {
        let is_fixed = self.configured().is_some() && self.config.role_arn.is_empty();
        !is_fixed && self.current.discard()
    }

    /// The credentials in the parameters.
    fn configured(&self) -> Option<Credentials> {
        let config = &self.config;
        Credentials::of(
            &config.access_key,
            &config.secret_key,
            &config.session_token,
        )
    }

    /// The region: of the parameters, the environment or the profile.
    pub(super) fn region(&self) -> String {
        if !self.config.region.is_empty() {
            return self.config.region.clone();
        }
        self.region
            .get_or_init(|| {
                let named = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
                named
                    .or_else(|| {
                        // If they cannot be read, the search for credentials reports it.
                        let files = SharedFiles::read().ok()?;
                        files
                            .profile(&SharedFiles::current())?
                            .get("region")
                            .cloned()
                    })
                    .unwrap_or_else(|| DEFAULT_REGION.to_owned())
            })
            .clone()
    }

    fn load(&self) -> StoreResult<Credentials> {
        let config = &self.config;
        let base = self.first_source();
        if config.role_arn.is_empty() {
            return base;
        }
        let role = Role {
            arn: config.role_arn.clone(),
            external_id: config.external_id.clone(),
            session_name: config.session_name.clone(),
            duration: config.load_frequency.clone(),
        };
        services::assume_role(&self.client, &self.region(), &role, &base?)
    }

    /// Queries the sources in their order.
    fn first_source(&self) -> StoreResult<Credentials> {
        if let Some(configured) = self.configured() {
            return Ok(configured);
        }
        let sources: [CredentialSource<'_, Credentials>; 5] = [
            ("the environment", &environment),
            ("the profile of the shared files", &|| self.profile()),
            ("a web identity token", &|| self.web_identity()),
            ("the container", &|| services::container(&self.client)),
            ("the metadata service", &|| self.instance()),
        ];
        let [_, profile, web_identity, ..] = sources;
        match self.config.config_source.as_str() {
            "config_files" => first_of(&[profile]),
            "sts_profile_with_web_identity" => first_of(&[web_identity, profile]),
            _ => first_of(&sources),
        }
    }

    fn web_identity(&self) -> StoreResult<Option<Credentials>> {
        let (Some(arn), Some(file)) = (
            variable("AWS_ROLE_ARN"),
            variable("AWS_WEB_IDENTITY_TOKEN_FILE"),
        ) else {
            return Ok(None);
        };
        let role = Role {
            arn,
            session_name: variable("AWS_ROLE_SESSION_NAME").unwrap_or_default(),
            ..Role::default()
        };
        services::web_identity(&self.client, &self.region(), &role, &file).map(Some)
    }

    fn instance(&self) -> StoreResult<Option<Credentials>> {
        let is_disabled = variable("AWS_EC2_METADATA_DISABLED");
        if is_disabled.is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            Ok(None)
        } else {
            services::instance(&self.client).map(Some)
        }
    }

    /// The credentials of the profile in use, perhaps by way of others.
    fn profile(&self) -> StoreResult<Option<Credentials>> {
        let files = SharedFiles::read()?;
        let mut name = SharedFiles::current();
        let mut roles = Vec::new();
        let mut found = None;
        for _ in 0..MAX_PROFILES {
            let Some(profile) = files.profile(&name) else {
                break;
            };
            let text = |setting: &str| profile.get(setting).map_or("", String::as_str);
            let role = Role {
                arn: text("role_arn").to_owned(),
                external_id: text("external_id").to_owned(),
                session_name: text("role_session_name").to_owned(),
                duration: text("duration_seconds").to_owned(),
            };
            if !role.arn.is_empty() && !text("web_identity_token_file").is_empty() {
                let file = text("web_identity_token_file");
                found = Some(services::web_identity(
                    &self.client,
                    &self.region(),
                    &role,
                    file,
                )?);
                break;
            }
            let source = text("source_profile").to_owned();
            // A profile that names itself has its own keys.
            if role.arn.is_empty() || source == name {
                found = self.keys_of(&files, &name)?;
                if !role.arn.is_empty() {
                    roles.push(role);
                }
                break;
            }
            roles.push(role);
            if source.is_empty() {
                found = self.of_source(text("credential_source"))?;
                break;
            }
            name = source;
        }
        let Some(mut credentials) = found else {
            return Ok(None);
        };
        for role in roles.iter().rev() {
            credentials = services::assume_role(&self.client, &self.region(), role, &credentials)?;
        }
        Ok(Some(credentials))
    }

    /// The credentials of the source that a profile names.
    fn of_source(&self, source: &str) -> StoreResult<Option<Credentials>> {
        match source {
            "Environment" => environment(),
            "EcsContainer" => services::container(&self.client),
            "Ec2InstanceMetadata" => services::instance(&self.client).map(Some),
            _ => Ok(None),
        }
    }

    /// The keys in a profile, or those that its single sign-on or its program gives.
    fn keys_of(&self, files: &SharedFiles, name: &str) -> StoreResult<Option<Credentials>> {
        let Some(profile) = files.profile(name) else {
            return Ok(None);
        };
        let text = |setting: &str| profile.get(setting).map_or("", String::as_str);
        let keys = Credentials::of(
            text("aws_access_key_id"),
            text("aws_secret_access_key"),
            text("aws_session_token"),
        );
        if keys.is_some() {
            return Ok(keys);
        }
        let sso = |setting: &str| files.sso(profile, setting);
        if let (Some(account), Some(role)) = (sso("sso_account_id"), sso("sso_role_name")) {
            // Tokens are stored by the name of the session, or by the address.
            let cached_as = sso("sso_session")
                .or(sso("sso_start_url"))
                .unwrap_or_default();
            let token = sso_token(cached_as)?;
            let region = sso("sso_region").unwrap_or(DEFAULT_REGION);
            return services::single_sign_on(&self.client, region, account, role, &token).map(Some);
        }
        match text("credential_process") {
            "" => Ok(None),
            command => services::program(command).map(Some),
        }
    }
}

fn environment() -> StoreResult<Option<Credentials>> {
    let text = |name: &str| variable(name).unwrap_or_default();
    let (access, secret) = (text("AWS_ACCESS_KEY_ID"), text("AWS_SECRET_ACCESS_KEY"));
    Ok(Credentials::of(
        &access,
        &secret,
        &text("AWS_SESSION_TOKEN"),
    ))
}

/// Reads a token of single sign-on that `aws sso login` stored.
fn sso_token(cached_as: &str) -> StoreResult<String> {
    let name =
        hex(digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, cached_as.as_bytes()).as_ref());
    let path = in_aws_folder("sso/cache")
        .unwrap_or_default()
        .join(format!("{name}.json"));
    let missing = |reason: &str| {
        let message = format!("single sign-on: {reason}; run 'aws sso login'");
        Failure::new(ErrorKind::PermissionDenied, message)
    };
    let text = std::fs::read(&path).map_err(|_| missing("there is no token"))?;
    let value: serde_json::Value =
        serde_json::from_slice(&text).map_err(|_| missing("the token is damaged"))?;
    let text = |name: &str| value.get(name).and_then(|text| text.as_str());
    let expires = text("expiresAt").and_then(time::parse);
    if expires.is_some_and(|expires| expires <= now()) {
        return Err(missing("the token has expired"));
    }
    let token = text("accessToken").ok_or_else(|| missing("the token is damaged"))?;
    Ok(token.to_owned())
}
