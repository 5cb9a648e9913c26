//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::RestError;

pub(super) fn samples() -> Vec<Error> {
    vec![
        RestError::NoServer.into(),
        RestError::NoLogin.into(),
        RestError::IncompleteLogin {
            parameter: "the_parameter",
        }
        .into(),
        RestError::LoginSources.into(),
        RestError::BadUri {
            uri: "the_uri".into(),
            form: "the_form",
        }
        .into(),
        RestError::OwnStorage {
            uri: "the_uri".into(),
        }
        .into(),
        RestError::NoData {
            content: "the_content",
        }
        .into(),
        RestError::Failed {
            method: "the_method",
            status: 7014,
            response: "the_response".into(),
        }
        .into(),
        RestError::NoResponse {
            method: "the_method",
            reason: "the_reason".into(),
        }
        .into(),
        RestError::Unsupported {
            action: "the_action",
        }
        .into(),
        RestError::Encrypted {
            object: "the_object",
        }
        .into(),
        RestError::CutResult {
            size: 7014,
            announced: 7027,
        }
        .into(),
        RestError::LargeResult {
            size: 7014,
            most: 7027,
        }
        .into(),
        RestError::RecordAfterEnd.into(),
        RestError::FinalizeAlone.into(),
        RestError::FragmentSize.into(),
    ]
}
