//! The ways to authorize requests, against a server on loopback.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::super::test_server::{TestRequest, TestServer};
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::types::now;
use crate::vfs::remote::parameters::tests::with_variables;
use crate::vfs::{Uri, Vfs};

const OBJECT: &str = "/container/key";
/// The header of responses with objects.
const TAG: &str = "etag: \"1\"";

/// Returns a virtual file system whose storage account is on the server.
fn vfs(server: &TestServer, parameters: &[(&str, &str)]) -> Result<Arc<Vfs>> {
    let mut config = Config::new();
    config.set("vfs.azure.blob_endpoint", &server.url())?;
    config.set("vfs.azure.max_retries", "1")?;
    config.set("vfs.azure.retry_delay_ms", "1")?;
    for (name, value) in parameters {
        config.set(name, value)?;
    }
    Vfs::new(&Context::new(config)?)
}

fn look_up(vfs: &Vfs) -> Result<bool> {
    vfs.is_file(&Uri::parse("azure://container/key").expect("uri"))
}

/// A token service, a managed identity and a storage account. Tokens last `lasts` seconds.
fn server(lasts: u32) -> TestServer {
    TestServer::start_with_header(TAG, move |request| {
        let path = request.path.split('?').next().unwrap_or_default();
        let token = match path {
            OBJECT => return (200, String::new()),
            "/tenant/oauth2/v2.0/token" => "of-application",
            "/metadata/identity/oauth2/token" => "of-machine",
            "/identity" => "of-service",
            _ => return (404, String::new()),
        };
        let body = format!("{{\"access_token\":\"{token}\",\"expires_in\":\"{lasts}\"}}");
        (200, body)
    })
}

/// Looks the object up with an environment. Returns the requests for tokens, after checking that
/// the object was requested with this one.
fn with_token(environment: &[(&str, &str)], server: &TestServer, token: &str) -> Vec<TestRequest> {
    with_variables(environment, || {
        assert!(look_up(&vfs(server, &[]).expect("vfs")).expect("looks up"));
    });
    let mut requests = server.take_received();
    let last = requests.pop().expect("requests");
    assert_eq!(last.path, OBJECT);
    assert_eq!(last.header("authorization"), format!("Bearer {token}"));
    requests
}

#[test]
fn an_application_authenticates_with_a_secret() {
    let server = server(3600);
    let environment = [
        ("AZURE_TENANT_ID", "tenant"),
        ("AZURE_CLIENT_ID", "client"),
        ("AZURE_CLIENT_SECRET", "s&cret"),
        ("AZURE_AUTHORITY_HOST", &server.url()),
    ];
    let requests = with_token(&environment, &server, "of-application");
    assert_eq!(requests.len(), 1);
    assert_eq!(
        requests[0].body,
        "grant_type=client_credentials&client_id=client&\
         scope=https%3A%2F%2Fstorage.azure.com%2F.default&client_secret=s%26cret"
    );
}

#[test]
fn an_application_authenticates_with_a_federated_token() {
    let server = server(3600);
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("token");
    std::fs::write(&file, "federated\n").expect("writes");
    let environment = [
        ("AZURE_TENANT_ID", "tenant"),
        ("AZURE_CLIENT_ID", "client"),
        ("AZURE_FEDERATED_TOKEN_FILE", file.to_str().expect("path")),
        ("AZURE_AUTHORITY_HOST", &server.url()),
    ];
    let requests = with_token(&environment, &server, "of-application");
    assert!(requests[0].body.ends_with("&client_assertion=federated"));
}

#[test]
fn a_managed_identity_provides_tokens() {
    let server = server(3600);
    let url = server.url();
    let environment = [
        ("AZURE_POD_IDENTITY_AUTHORITY_HOST", url.as_str()),
        ("AZURE_CLIENT_ID", "client"),
    ];
    let requests = with_token(&environment, &server, "of-machine");
    assert_eq!(requests[0].header("metadata"), "true");
    assert!(requests[0].path.contains("client_id=client"));
    let endpoint = format!("{url}/identity");
    let environment = [
        ("IDENTITY_ENDPOINT", endpoint.as_str()),
        ("IDENTITY_HEADER", "header"),
    ];
    let requests = with_token(&environment, &server, "of-service");
    assert_eq!(requests[0].header("x-identity-header"), "header");
}

#[test]
fn tokens_are_renewed_after_they_expire() {
    for (lasts, loads) in [(3600, 1), (0, 2)] {
        let server = server(lasts);
        let url = server.url();
        with_variables(&[("AZURE_POD_IDENTITY_AUTHORITY_HOST", &url)], || {
            let vfs = vfs(&server, &[]).expect("vfs");
            assert!(look_up(&vfs).expect("looks up"));
            assert!(look_up(&vfs).expect("looks up"));
        });
        let paths = server.take_paths();
        let of_objects = paths.iter().filter(|path| *path == OBJECT).count();
        assert_eq!(
            (of_objects, paths.len() - of_objects),
            (2, loads),
            "{lasts}"
        );
    }
}

#[test]
fn shared_access_signatures_are_added_to_each_request() {
    let server = server(3600);
    let endpoint = format!("{}/?sig=c%2Bd&sv=1", server.url());
    let cases = [
        (
            "vfs.azure.storage_sas_token",
            "?sig=a%2Bb&sv=2",
            "sig=a%2Bb&sv=2",
        ),
        (
            "vfs.azure.storage_sas_token",
            "sig=a%2Bb&sv=2",
            "sig=a%2Bb&sv=2",
        ),
        ("vfs.azure.blob_endpoint", &endpoint, "sig=c%2Bd&sv=1"),
    ];
    for (name, value, query) in cases {
        with_variables(&[], || {
            let vfs = vfs(&server, &[(name, value)]).expect("vfs");
            assert!(look_up(&vfs).expect("looks up"));
        });
        let requests = server.take_received();
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].path, format!("{OBJECT}?{query}"));
        assert_eq!(requests[0].header("authorization"), "");
    }
}

#[test]
fn a_key_signs_requests_and_must_be_in_base64() {
    let server = server(3600);
    let account = ("vfs.azure.storage_account_name", "account");
    with_variables(&[("AZURE_STORAGE_KEY", "a2V5")], || {
        let vfs = vfs(&server, &[account]).expect("vfs");
        assert!(look_up(&vfs).expect("looks up"));
    });
    let requests = server.take_received();
    let signature = requests[0].header("authorization");
    assert!(signature.starts_with("SharedKey account:"), "{signature}");
    with_variables(&[("AZURE_STORAGE_KEY", "no base64")], || {
        let vfs = vfs(&server, &[account]).expect("vfs");
        let error = look_up(&vfs).expect_err("damaged").to_string();
        assert!(
            error.contains("is not in base64") && !error.contains("no base64"),
            "{error}"
        );
    });
    with_variables(&[("AZURE_STORAGE_KEY", "a2V5")], || {
        let error = look_up(&vfs(&server, &[]).expect("vfs")).expect_err("no account");
        let text = error.to_string();
        assert!(text.contains("'vfs.azure.storage_account_name'"), "{text}");
    });
}

/// The header of an account with a hierarchical namespace.
const HIERARCHICAL: &str = "x-ms-is-hns-enabled: true";
const KEY: [(&str, &str); 2] = [
    ("vfs.azure.storage_account_name", "account"),
    ("vfs.azure.storage_account_key", "a2V5"),
];

/// Creates a directory twice. Returns the methods and paths of the requests.
fn requests_of_create_dir(server: &TestServer, parameters: &[(&str, &str)]) -> Vec<String> {
    let vfs = vfs(server, parameters).expect("vfs");
    let folder = Uri::parse("azure://container/a/b").expect("uri");
    for _ in 0..2 {
        vfs.create_dir(&folder).expect("creates");
    }
    let line = |request: TestRequest| format!("{} {}", request.method, request.path);
    server.take_received().into_iter().map(line).collect()
}

#[test]
fn one_request_detects_directories_unless_the_parameter_is_set() {
    const DETECTION: &str = "GET /?comp=properties&restype=account";
    const CREATION: &str = "PUT /container/a/b?resource=directory";
    let with = TestServer::start_with_header(HIERARCHICAL, |_| (200, String::new()));
    let without = TestServer::start(|_| (200, String::new()));
    let parameter = |value| ("vfs.azure.is_data_lake_endpoint", value);
    for (server, value, expected) in [
        (&with, None, vec![DETECTION, CREATION, CREATION]),
        (&with, Some("true"), vec![CREATION, CREATION]),
        (&with, Some("false"), vec![]),
        (&without, None, vec![DETECTION]),
        (&without, Some("true"), vec![CREATION, CREATION]),
    ] {
        let mut parameters = KEY.to_vec();
        parameters.extend(value.map(parameter));
        let requests = with_variables(&[], || requests_of_create_dir(server, &parameters));
        assert_eq!(requests, expected, "{value:?}");
    }
}

#[test]
fn the_container_is_asked_for_directories_if_the_account_may_not_be() {
    let header = "x-ms-namespace-enabled: true";
    for (status, expected) in [(200, 4), (403, 2)] {
        let server = TestServer::start_with_header(header, move |request| {
            let is_refused = request.path.contains("restype=account");
            (if is_refused { 403 } else { status }, String::new())
        });
        let requests = with_variables(&[], || requests_of_create_dir(&server, &KEY));
        assert_eq!(requests.len(), expected, "{requests:?}");
        assert_eq!(requests[1], "HEAD /container?resource=filesystem");
    }
}

#[test]
fn removals_and_moves_continue_until_they_are_complete() {
    let server = TestServer::start_with_header("x-ms-continuation: more", |_| (200, String::new()));
    let mut parameters = KEY.to_vec();
    parameters.push(("vfs.azure.is_data_lake_endpoint", "true"));
    with_variables(&[], || {
        let vfs = vfs(&server, &parameters).expect("vfs");
        let [from, to] = ["a b", "c"].map(|name| Uri::parse(&format!("azure://container/{name}")));
        let (from, to) = (from.expect("uri"), to.expect("uri"));
        // The server returns the same position again, which must not be requested for ever.
        vfs.remove_dir(&from).expect_err("does not advance");
        vfs.rename("move", &from, &to)
            .expect_err("does not advance");
    });
    let requests = server.take_received();
    let paths: Vec<&str> = requests
        .iter()
        .map(|request| request.path.as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "/container/a%20b?recursive=true",
            "/container/a%20b?continuation=more&recursive=true",
            "/container/c?mode=legacy",
            "/container/c?continuation=more&mode=legacy",
        ]
    );
    assert_eq!(requests[2].header("x-ms-rename-source"), "/container/a%20b");
}

#[test]
fn a_copy_whose_first_response_was_lost_is_followed_to_its_end() {
    let copy = |header: &'static str| {
        let attempts = AtomicU32::new(0);
        let server = TestServer::start_with_header(header, move |request| {
            let is_copy = request.method == "PUT";
            match (
                is_copy,
                attempts.fetch_add(u32::from(is_copy), Ordering::Relaxed),
            ) {
                (false, _) => (200, String::new()),
                (true, 0) => (500, String::new()),
                _ => {
                    let code = "<Error><Code>PendingCopyOperation</Code></Error>";
                    (409, code.to_owned())
                }
            }
        });
        with_variables(&[], || {
            let vfs = vfs(&server, &KEY).expect("vfs");
            let [from, to] = ["from", "to"].map(|name| format!("azure://container/{name}"));
            let (from, to) = (Uri::parse(&from)?, Uri::parse(&to)?);
            vfs.copy_file(&from, &to)
        })
    };
    copy("etag: 1\r\nx-ms-copy-source: http://host/container/from?sig=a")
        .expect("the service copies the object");
    copy("etag: 1\r\nx-ms-copy-source: http://host/container/other")
        .expect_err("the service copies another object");
}

#[test]
fn an_error_lists_the_sources_and_no_secret() {
    let failing = TestServer::start(|_| (400, r#"{"error":"invalid_client"}"#.to_owned()));
    let url = failing.url();
    let environment = [
        ("AZURE_TENANT_ID", "tenant"),
        ("AZURE_CLIENT_ID", "client"),
        ("AZURE_CLIENT_SECRET", "a-secret"),
        ("AZURE_AUTHORITY_HOST", &url),
        ("AZURE_POD_IDENTITY_AUTHORITY_HOST", &url),
    ];
    with_variables(&environment, || {
        let vfs = vfs(&failing, &[]).expect("vfs");
        let error = look_up(&vfs).expect_err("none").to_string();
        let expected = "no credentials were found; tried the parameters: none; \
            the client secret: HTTP 400 invalid_client; the federated identity: none; \
            the managed identity: HTTP 400 invalid_client";
        assert!(error.contains(expected), "{error}");
        assert!(!format!("{error}{vfs:?}").contains("a-secret"), "{error}");
    });
}

#[test]
fn tokens_are_not_sent_to_other_hosts_without_tls() {
    let mut endpoint = super::Url::parse("http://192.0.2.1", "https");
    let context = Context::new(Config::new()).expect("context");
    with_variables(&[("AZURE_BLOB_ENDPOINT", "http://192.0.2.1")], || {
        let config = super::AzureConfig::new(&context.config).expect("config");
        let client = super::Client::new(config.options.clone(), None);
        let authority = super::Authority::new(&config, &mut endpoint, &client).expect("authority");
        assert!(matches!(authority, super::Authority::Anonymous));
    });
}

#[test]
fn a_token_with_a_time_of_expiry_is_used_until_then() {
    for (lasts, loads) in [(3600, 1), (0, 2)] {
        let server = TestServer::start_with_header(TAG, move |request| {
            if request.path == OBJECT {
                return (200, String::new());
            }
            let expires = now() / 1000 + lasts;
            let body = format!("{{\"access_token\":\"t\",\"expires_on\":\"{expires}\"}}");
            (200, body)
        });
        let endpoint = format!("{}/identity", server.url());
        let environment = [
            ("IDENTITY_ENDPOINT", endpoint.as_str()),
            ("IDENTITY_HEADER", "secret"),
        ];
        with_variables(&environment, || {
            let vfs = vfs(&server, &[]).expect("vfs");
            for _ in 0..2 {
                assert!(look_up(&vfs).expect("looks up"));
            }
        });
        let paths = server.take_paths();
        let of_service = paths.iter().filter(|path| *path == "/identity");
        assert_eq!(of_service.count(), loads, "{lasts}");
    }
}

#[test]
fn pages_of_proxies_are_not_responses_of_the_service() {
    const PAGE: &str = "<html>Please log in</html>";
    let proxy = TestServer::start(|_| (200, PAGE.to_owned()));
    with_variables(&[], || {
        let vfs = vfs(&proxy, &KEY).expect("vfs");
        let [file, folder] = ["key", "folder"].map(|name| format!("azure://container/{name}"));
        let file = Uri::parse(&file).expect("uri");
        let folder = Uri::parse(&folder).expect("uri");
        for (result, reason) in [
            (vfs.write_all(&file, b"a"), "status 201"),
            (vfs.remove_file(&file), "status 202"),
            (vfs.is_file(&file).map(drop), "header 'etag'"),
            (vfs.read_all(&file).map(drop), "header 'etag'"),
            (vfs.list(&folder).map(drop), "is not XML"),
        ] {
            let text = result.expect_err("a page").to_string();
            assert!(text.contains(reason), "{text}");
            assert!(text.contains("after 2 attempts"), "{text}");
        }
    });
}
