//! The sources of tokens, against a server on loopback.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::{Value, json};

use super::super::store::{Location, PartRange, StoreResult, UploadedPart, Uploads};
use super::super::test_server::{TestRequest, TestServer};
use super::super::time;
use super::Gcs;
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::http::exchange::decode;
use crate::types::now;
use crate::vfs::remote::parameters::tests::with_variables;
use crate::vfs::{Uri, Vfs};

const OBJECT: &str = "/storage/v1/b/bucket/o/key";
/// A key that was generated for these tests.
const KEY: &str = include_str!("test_key.pem");

/// Returns a virtual file system whose service is the server.
fn vfs(server: &TestServer, parameters: &[(&str, &str)]) -> Arc<Vfs> {
    let mut config = Config::new();
    config
        .set("vfs.gcs.endpoint", &server.url())
        .expect("endpoint");
    for (name, value) in parameters {
        config.set(name, value).expect("parameter");
    }
    Vfs::new(&Context::new(config).expect("context")).expect("vfs")
}

fn look_up(vfs: &Vfs) -> Result<bool> {
    vfs.is_file(&Uri::parse("gcs://bucket/key").expect("uri"))
}

/// A token service, a metadata server and an object store. Tokens last `lasts` seconds.
fn server(lasts: u64) -> TestServer {
    TestServer::start(move |request| {
        let path = request.path.split('?').next().unwrap_or_default();
        let body = match path {
            OBJECT => json!({"size": "1"}),
            "/token" => json!({"access_token": "of-token-service", "expires_in": lasts}),
            "/computeMetadata/v1/instance/service-accounts/default/token" => {
                json!({"access_token": "of-machine", "expires_in": lasts})
            }
            "/subject" => json!({"value": "subject-of-url"}),
            path if path.ends_with(":generateAccessToken") => {
                let expires = time::format(now() + lasts * 1000);
                json!({"accessToken": "impersonated", "expireTime": expires})
            }
            _ => return (404, String::new()),
        };
        (200, body.to_string())
    })
}

/// Looks the object up. Returns the requests for tokens, after checking that the object was
/// requested with this one.
fn with_token(vfs: &Vfs, server: &TestServer, token: &str) -> Vec<TestRequest> {
    assert!(look_up(vfs).expect("looks up"));
    let mut requests = server.take_received();
    let last = requests.pop().expect("requests");
    assert!(last.path.starts_with(OBJECT), "{last:?}");
    assert_eq!(last.header("authorization"), format!("Bearer {token}"));
    requests
}

fn service_account(server: &TestServer) -> String {
    json!({
        "type": "service_account", "client_email": "a@b", "private_key": KEY, "private_key_id": "id",
        "token_uri": format!("{}/token", server.url()),
    })
    .to_string()
}

fn workload(server: &TestServer, source: Value) -> String {
    json!({
        "type": "external_account", "audience": "the-audience", "subject_token_type": "the-type",
        "token_url": format!("{}/token", server.url()), "credential_source": source,
    })
    .to_string()
}

/// The value of a field of a form.
fn field(form: &str, name: &str) -> String {
    let mut pairs = form.split('&').filter_map(|pair| pair.split_once('='));
    let found = pairs.find(|(known, _)| *known == name);
    decode(found.expect("field").1)
}

#[test]
fn a_service_account_signs_its_request_for_a_token() {
    let server = server(3600);
    let key = service_account(&server);
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("key.json");
    std::fs::write(&file, &key).expect("writes");
    let file = file.to_str().expect("path");
    let mut forms = Vec::new();
    for value in [key.as_str(), file] {
        with_variables(&[], || {
            let vfs = vfs(&server, &[("vfs.gcs.service_account_key", value)]);
            let requests = with_token(&vfs, &server, "of-token-service");
            forms.extend(requests.into_iter().map(|request| request.body));
        });
    }
    with_variables(&[("GOOGLE_APPLICATION_CREDENTIALS", file)], || {
        let requests = with_token(&vfs(&server, &[]), &server, "of-token-service");
        forms.extend(requests.into_iter().map(|request| request.body));
    });
    assert_eq!(forms.len(), 3);
    for form in forms {
        assert_eq!(
            field(&form, "grant_type"),
            "urn:ietf:params:oauth:grant-type:jwt-bearer"
        );
        let assertion = field(&form, "assertion");
        let (signed, signature) = assertion.rsplit_once('.').expect("signature");
        let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
        let der = PrivatePkcs8KeyDer::from_pem_slice(KEY.as_bytes()).expect("key");
        let pair = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).expect("key");
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public());
        public
            .verify(signed.as_bytes(), &signature)
            .expect("signature");
        let claims = signed.split_once('.').expect("claims").1;
        let claims = URL_SAFE_NO_PAD.decode(claims).expect("base64");
        let claims: Value = serde_json::from_slice(&claims).expect("json");
        assert_eq!(claims["iss"], "a@b");
        assert_eq!(claims["aud"], format!("{}/token", server.url()));
    }
}

#[test]
fn the_token_of_another_account_is_used_instead() {
    let server = server(3600);
    let key = service_account(&server);
    let parameters = [
        ("vfs.gcs.service_account_key", key.as_str()),
        ("vfs.gcs.impersonate_service_account", "first@x, last@x"),
    ];
    let url = server.url();
    with_variables(
        &[("CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS", &url)],
        || {
            let requests = with_token(&vfs(&server, &parameters), &server, "impersonated");
            let [_, exchange] = requests.as_slice() else {
                panic!("two requests: {requests:?}")
            };
            assert!(
                exchange
                    .path
                    .contains("serviceAccounts/last%40x:generateAccessToken")
            );
            assert_eq!(exchange.header("authorization"), "Bearer of-token-service");
            let body: Value = serde_json::from_str(&exchange.body).expect("json");
            assert_eq!(
                body["delegates"],
                json!(["projects/-/serviceAccounts/first@x"])
            );
        },
    );
}

#[test]
fn a_workload_identity_is_exchanged() {
    let server = server(3600);
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("subject");
    std::fs::write(&file, "subject-of-file\n").expect("writes");
    let of_file = json!({"file": file.to_str().expect("path")});
    let of_url = json!({
        "url": format!("{}/subject", server.url()), "headers": {"X-Own": "yes"},
        "format": {"type": "json", "subject_token_field_name": "value"},
    });
    let name = "vfs.gcs.workload_identity_configuration";
    with_variables(&[], || {
        for (source, subject) in [(of_file, "subject-of-file"), (of_url, "subject-of-url")] {
            let identity = workload(&server, source);
            let vfs = vfs(&server, &[(name, &identity)]);
            let requests = with_token(&vfs, &server, "of-token-service");
            let last = requests.last().expect("requests");
            assert_eq!(field(&last.body, "subject_token"), subject);
            assert_eq!(field(&last.body, "audience"), "the-audience");
        }
        let identity = workload(&server, json!({"environment_id": "aws1"}));
        let error = look_up(&vfs(&server, &[(name, &identity)])).expect_err("unsupported");
        assert!(
            error.to_string().contains("only files and addresses"),
            "{error}"
        );
    });
}

#[test]
fn the_metadata_server_provides_tokens_until_they_expire() {
    for (lasts, loads) in [(3600, 1), (0, 2)] {
        let server = server(lasts);
        let url = server.url();
        let environment = [
            ("GCE_METADATA_HOST", server.address()),
            ("CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS", &url),
        ];
        // An endpoint needs a token only if a parameter or variable requires it.
        let parameters = [("vfs.gcs.impersonate_service_account", "a@b")];
        with_variables(&environment, || {
            let vfs = vfs(&server, &parameters);
            let requests = with_token(&vfs, &server, "impersonated");
            assert_eq!(requests[0].header("metadata-flavor"), "Google");
            assert_eq!(requests[1].header("authorization"), "Bearer of-machine");
            let again = with_token(&vfs, &server, "impersonated");
            assert_eq!(again.len(), 2 * (loads - 1), "{lasts}");
        });
    }
}

#[test]
fn emulators_need_no_token() {
    let server = server(3600);
    with_variables(
        &[("CLOUD_STORAGE_EMULATOR_ENDPOINT", &server.url())],
        || {
            let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
            assert!(look_up(&vfs).expect("looks up"));
        },
    );
    let requests = server.take_received();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].header("authorization"), "");
}

#[test]
fn an_error_lists_the_sources_and_no_secret() {
    let failing = TestServer::start(|_| (400, r#"{"error":"invalid_grant"}"#.to_owned()));
    let mut key: Value = serde_json::from_str(&service_account(&failing)).expect("json");
    key["private_key"] = "a-secret".into();
    let key = key.to_string();
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("key.json");
    std::fs::write(&file, &key).expect("writes");
    let environment = [
        (
            "GOOGLE_APPLICATION_CREDENTIALS",
            file.to_str().expect("path"),
        ),
        ("GCE_METADATA_HOST", failing.address()),
    ];
    with_variables(&environment, || {
        let vfs = vfs(&failing, &[]);
        let error = look_up(&vfs).expect_err("none").to_string();
        let expected = "no credentials were found; tried the parameters: none; \
            GOOGLE_APPLICATION_CREDENTIALS: the key of the service account is not valid; \
            the login of gcloud: none; the metadata server: HTTP 400 invalid_grant";
        assert!(error.contains(expected), "{error}");
        assert!(!format!("{error}{vfs:?}").contains("a-secret"), "{error}");
    });
    for name in [
        "vfs.gcs.service_account_key",
        "vfs.gcs.workload_identity_configuration",
    ] {
        for damaged in [
            "{\"private_key\": \"a-secret",
            "-----BEGIN PRIVATE KEY----- a-secret",
        ] {
            with_variables(&[], || {
                let error = look_up(&vfs(&failing, &[(name, damaged)])).expect_err("damaged");
                let error = error.to_string();
                assert!(
                    error.contains(name) && !error.contains("a-secret"),
                    "{error}"
                );
            });
        }
    }
}

#[test]
fn without_credentials_objects_are_neither_missing_nor_removed() {
    let server = TestServer::start(|_| (404, String::new()));
    let token_service_fails = service_account(&server);
    for key in ["/no/such/key.json", &token_service_fails] {
        with_variables(&[], || {
            let vfs = vfs(&server, &[("vfs.gcs.service_account_key", key)]);
            let object = Uri::parse("gcs://bucket/key").expect("uri");
            let bucket = Uri::parse("gcs://bucket").expect("uri");
            look_up(&vfs).expect_err("no token");
            vfs.is_bucket(&bucket).expect_err("no token");
            vfs.remove_file(&object).expect_err("no token");
            let files = std::slice::from_ref(&object);
            vfs.remove_files_if_any(files).expect_err("no token");
            assert!(!vfs.read_all(&object).expect_err("no token").is_not_found());
        });
    }
}

#[test]
fn a_missing_folder_of_certificates_does_not_mean_that_objects_are_missing() {
    let server = server(3600);
    with_variables(&[], || {
        let vfs = vfs(&server, &[("ssl.ca_path", "/no/such/folder")]);
        let error = look_up(&vfs).expect_err("no certificates").to_string();
        assert!(error.contains("the folder of certificates"), "{error}");
    });
}

/// Sends ten bytes as the only part of an upload.
fn put_ten_bytes(server: &TestServer) -> StoreResult<UploadedPart> {
    let mut config = Config::new();
    let endpoint = config.set("vfs.gcs.endpoint", &server.url());
    endpoint.expect("endpoint");
    let gcs = Gcs::new(&Context::new(config).expect("context")).expect("client");
    let part = PartRange {
        number: 1,
        offset: 0,
        total: Some(10),
    };
    let object = Location::new("bucket", "key");
    let upload = format!("{}/upload", server.url());
    gcs.put_part(&object, &upload, part, b"0123456789")
}

fn take_ranges(server: &TestServer) -> Vec<String> {
    let received = server.take_received().into_iter();
    let range = |request: TestRequest| request.header("content-range").to_owned();
    received.map(range).collect()
}

#[test]
fn an_upload_continues_after_the_bytes_of_a_lost_response() {
    let attempts = AtomicUsize::new(0);
    let server = TestServer::start_with_header("range: bytes=0-5", move |request| {
        let stored = || json!({"size": "10"}).to_string();
        let status = match (request.header("content-range"), request.body.as_str()) {
            // Six bytes are stored, and the response is lost.
            ("bytes 0-9/10", "0123456789") if attempts.fetch_add(1, Ordering::SeqCst) == 0 => 502,
            ("bytes */10", "") => 308,
            ("bytes 6-9/10", "6789") => return (200, stored()),
            _ => 400,
        };
        (status, String::new())
    });
    with_variables(&[], || put_ten_bytes(&server).expect("stores"));
    let expected = ["bytes 0-9/10", "bytes 0-9/10", "bytes */10", "bytes 6-9/10"];
    assert_eq!(take_ranges(&server), expected);
}

#[test]
fn a_part_that_is_rejected_at_once_fails() {
    let server = TestServer::start(|_| (400, String::new()));
    with_variables(&[], || {
        let rejected = put_ten_bytes(&server).expect_err("rejected");
        assert_eq!((rejected.status, rejected.attempts), (400, 1));
    });
    assert_eq!(take_ranges(&server), ["bytes 0-9/10"]);
}

#[test]
fn responses_that_do_not_describe_what_was_stored_are_errors() {
    let other_size = json!({"size": "9"}).to_string();
    for (body, expected) in [
        ("<html>Please log in</html>", "is not JSON"),
        ("", "is not JSON"),
        ("{}", "incomplete"),
        (&other_size, "has stored 9 of 10 bytes"),
    ] {
        let body = body.to_owned();
        let server = TestServer::start(move |_| (200, body.clone()));
        with_variables(&[], || {
            let vfs = vfs(&server, &[("vfs.gcs.request_timeout_ms", "100")]);
            let uri = Uri::parse("gcs://bucket/key").expect("uri");
            let error = vfs.write_all(&uri, b"0123456789").expect_err("not stored");
            assert!(error.to_string().contains(expected), "{error}");
            put_ten_bytes(&server).expect_err("not stored");
        });
    }
}

#[test]
fn pages_of_listings_are_read() {
    let text = r#"{"items":[{"name":"a/b","size":"3","updated":"2015-08-30T12:36:00.000Z"}],
        "prefixes":["a/"],"nextPageToken":"t"}"#;
    let page = super::page(&serde_json::from_str(text).expect("json")).expect("page");
    let [object] = page.objects.as_slice() else {
        panic!("one object")
    };
    assert_eq!((object.key.as_str(), object.info.size), ("a/b", 3));
    assert_eq!(object.info.modified, 1_440_938_160_000);
    assert_eq!(
        (page.prefixes[0].as_str(), page.next.as_deref()),
        ("a/", Some("t"))
    );
    for damaged in [r#"{"items":[{}]}"#, r#"{"items":[{"name":"a"}]}"#] {
        let root = serde_json::from_str(damaged).expect("json");
        assert!(super::page(&root).is_err(), "{damaged}");
    }
}
