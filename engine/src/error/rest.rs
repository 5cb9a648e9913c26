//! Causes of errors of the client for TileDB servers.

/// Causes of errors of the client for TileDB servers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestError {
    #[error("The parameter rest.server_address is empty")]
    NoServer,
    #[error("A server needs a token, or a user name and a password")]
    NoLogin,
    #[error("The login is incomplete: {parameter} is not set")]
    IncompleteLogin { parameter: &'static str },
    #[error("The user name and the password come from sources of different precedence")]
    LoginSources,
    #[error("'{uri}' does not have the form {form}")]
    BadUri { uri: String, form: &'static str },
    #[error("The server chooses the storage, so that '{uri}' cannot name one")]
    OwnStorage { uri: String },
    #[error("The server's response to the request for {content} is empty")]
    NoData { content: &'static str },
    #[error("The server failed a {method} request with HTTP status {status}: {response}")]
    Failed {
        method: &'static str,
        status: u16,
        response: String,
    },
    #[error("A {method} request has no response: {reason}")]
    NoResponse {
        method: &'static str,
        reason: String,
    },
    #[error("A server cannot {action}")]
    Unsupported { action: &'static str },
    #[error("Arrays and groups on servers cannot be encrypted: cannot open the {object}")]
    Encrypted { object: &'static str },
    #[error("The response to a query ends after {size} of {announced} bytes")]
    CutResult { size: u64, announced: u64 },
    #[error("The response to a query has {size} bytes, but the buffers of the query have {most}")]
    LargeResult { size: u64, most: u64 },
    #[error("The response to a query has another record after the last one")]
    RecordAfterEnd,
    #[error("A write in global order on a server ends with a submit that also finalizes it")]
    FinalizeAlone,
    #[error("A write in global order to a dense array on a server has no maximum fragment size")]
    FragmentSize,
}
