//! The headers that requests have in common: the login, and what the configuration adds.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::config::{Config, Release, ValueSource};
use crate::context::Context;
use crate::error::{RestError, Result};

/// The prefix of parameters that are headers.
const CUSTOM: &str = "rest.custom_headers.";

/// Returns the headers of all requests of a context.
pub(super) fn headers(context: &Context) -> Result<Vec<(String, String)>> {
    let config = &context.config;
    let mut headers = vec![login(config)?];
    let mut set = |name: &str, value: String| {
        let name = name.to_ascii_lowercase();
        headers.retain(|(known, _)| *known != name);
        headers.push((name, value));
    };
    set(
        "x-tiledb-version",
        Release::current()
            .numbers()
            .map(|number| number.to_string())
            .join("."),
    );
    set("x-tiledb-api-language", "c".to_owned());
    let custom = config.with_prefix("").into_iter();
    for (name, value) in custom {
        if let Some(name) = name.strip_prefix(CUSTOM).filter(|name| !name.is_empty()) {
            set(name, value);
        }
    }
    let payer = config.get("rest.payer_namespace").unwrap_or_default();
    if !payer.is_empty() {
        set("x-payer", payer);
    }
    for (name, value) in context.tags() {
        set(&name, value);
    }
    Ok(headers)
}

/// Returns the header of the login. A token or a user name with a password counts, whichever has
/// the source of higher precedence.
fn login(config: &Config) -> Result<(String, String)> {
    let find = |name: &str| {
        let value = config.get(name).filter(|value| !value.is_empty())?;
        Some((value, config.source(name)))
    };
    let (token, user) = (find("rest.token"), find("rest.username"));
    let password = find("rest.password");
    let with_token = |token: String| Ok(("x-tiledb-rest-api-key".to_owned(), token));
    let basic = |user: &str, password: &str| {
        let encoded = STANDARD.encode(format!("{user}:{password}"));
        Ok(("authorization".to_owned(), format!("Basic {encoded}")))
    };
    let missing = |parameter| Err(RestError::IncompleteLogin { parameter }.into());
    match (token, user, password) {
        (None, None, None) => Err(RestError::NoLogin.into()),
        (Some((token, of_token)), Some((user, of_user)), Some((password, of_password))) => {
            if of_user == of_password && of_user < of_token {
                basic(&user, &password)
            } else {
                with_token(token)
            }
        }
        (Some((token, _)), _, _) => with_token(token),
        (None, Some((user, of_user)), Some((password, of_password))) => {
            if of_user == of_password {
                basic(&user, &password)
            } else {
                Err(RestError::LoginSources.into())
            }
        }
        (None, Some(_), None) => missing("rest.password"),
        (None, None, Some(_)) => missing("rest.username"),
    }
}

/// The sources of parameters have an order, of which the lowest has precedence.
const _: () = assert!((ValueSource::Set as u8) < ValueSource::Default as u8);

#[cfg(test)]
mod tests {
    use super::*;

    fn config(parameters: &[(&str, &str)]) -> Config {
        let mut config = Config::new();
        for (name, value) in parameters {
            config.set(name, value).expect("parameter");
        }
        config
    }

    #[test]
    fn a_login_is_a_token_or_a_user_with_a_password() {
        let (name, value) = login(&config(&[("rest.token", "t")])).expect("login");
        assert_eq!((&name[..], &value[..]), ("x-tiledb-rest-api-key", "t"));
        let both = [("rest.username", "u"), ("rest.password", "p")];
        let (name, value) = login(&config(&both)).expect("login");
        assert_eq!((&name[..], &value[..]), ("authorization", "Basic dTpw"));
        let all = [both[0], both[1], ("rest.token", "t")];
        assert_eq!(login(&config(&all)).expect("login").1, "t");
    }

    #[test]
    fn an_incomplete_login_is_an_error() {
        assert!(login(&config(&[("rest.username", "u")])).is_err());
        assert!(login(&config(&[("rest.password", "p")])).is_err());
    }

    #[test]
    fn tags_and_custom_headers_replace_others() {
        let config = config(&[
            ("rest.token", "t"),
            ("rest.custom_headers.X-Own", "1"),
            ("rest.payer_namespace", "p"),
        ]);
        let context = Context::new(config).expect("context");
        context.set_tag("X-TileDB-API-Language", "rust");
        let headers = headers(&context).expect("headers");
        let value = |name: &str| {
            let mut found = headers.iter().filter(|(known, _)| known == name);
            let value = found.next().map(|(_, value)| value.as_str());
            assert!(found.next().is_none(), "{name} is set twice");
            value
        };
        assert_eq!(value("x-own"), Some("1"));
        assert_eq!(value("x-payer"), Some("p"));
        assert_eq!(value("x-tiledb-api-language"), Some("rust"));
        assert_eq!(value("x-tiledb-version"), Some("2.30.0"));
    }
}
