//! The texts of errors of the client for TileDB servers.

use tiledb_engine::error::RestError;

use super::origins::{ARRAY, GROUP, QUERY, STATUS_REST};
use super::{Text, text};

/// Returns the text of an error of the client for TileDB servers.
pub(super) fn rest(cause: &RestError) -> Text {
    use RestError as E;
    let message = match cause {
        E::NoServer => "Error initializing rest client; server address is empty.".to_owned(),
        E::NoLogin => "Missing TileDB authentication: either token or username/password must be set using the appropriate configuration parameters.".to_owned(),
        E::IncompleteLogin { parameter } => format!(
            "Invalid REST authentication configuration: {parameter} is missing. Either configure both rest.username and rest.password, or use rest.token for authentication."
        ),
        E::LoginSources => "Invalid REST authentication configuration: rest.username and rest.password are set at different priority levels. Both must be configured at the same level (e.g., both via environment variables, or both via config file).".to_owned(),
        E::BadUri { uri, form } => {
            format!("Invalid array URI for REST service: '{uri}'; expected format is '{form}'.")
        }
        E::Failed {
            method,
            status,
            response,
        } => {
            let response = match response.as_str() {
                "" => "server response was empty.".to_owned(),
                body => format!("server response data '{body}'."),
            };
            format!(
                "Error in libcurl {method} operation: libcurl error message 'CURLE_OK'; HTTP code {status}; {response}"
            )
        }
        E::NoResponse { method, reason } => {
            format!("Error in libcurl {method} operation: libcurl error message '{reason}'; ")
        }
        E::Encrypted { object } => {
            let origin = if *object == "group" { GROUP } else { ARRAY };
            let message = format!("Cannot open {object}; encrypted remote {object}s are not supported.");
            return text(origin, message);
        }
        E::FinalizeAlone => {
            let message = "Failed to finalize query; remote global order writes are only allowed to call submit_and_finalize to submit the last tile";
            return text(QUERY, message);
        }
        E::FragmentSize => {
            let message = "[submit] Fragment size is not supported for remote global order writes to dense arrays.";
            return text(QUERY, message);
        }
        _ => cause.to_string(),
    };
    text(STATUS_REST, message)
}
