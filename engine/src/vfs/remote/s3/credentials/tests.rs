//! The sources of credentials against a token server on loopback.

use std::path::Path;
use std::sync::Arc;

use super::super::super::test_server::{TestRequest, TestServer};
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::types::now;
use crate::vfs::remote::parameters::tests::with_variables;
use crate::vfs::remote::time;
use crate::vfs::{Uri, Vfs};

const OBJECT: &str = "/bucket/key";
const HOUR: u64 = 3_600_000;

/// Returns a virtual file system whose S3 service is the server.
fn vfs(server: &TestServer, parameters: &[(&str, &str)]) -> Arc<Vfs> {
    let mut config = Config::new();
    let defaults = [
        ("vfs.s3.endpoint_override", server.address()),
        ("vfs.s3.scheme", "http"),
        ("vfs.s3.use_virtual_addressing", "false"),
        ("vfs.s3.connect_max_tries", "1"),
    ];
    for (name, value) in defaults.iter().chain(parameters) {
        config.set(name, value).expect("parameter");
    }
    Vfs::new(&Context::new(config).expect("context")).expect("vfs")
}

fn look_up(vfs: &Vfs) -> Result<bool> {
    vfs.is_file(&Uri::parse("s3://bucket/key").expect("uri"))
}

/// Returns the last request for the object, and the requests before it.
fn requests(server: &TestServer) -> (TestRequest, Vec<TestRequest>) {
    let mut all = server.take_received();
    let last = all.pop().expect("a request");
    assert!(last.path.starts_with(OBJECT), "{last:?}");
    (last, all)
}

fn signed_by(request: &TestRequest, key: &str, token: &str) -> bool {
    let start = format!("AWS4-HMAC-SHA256 Credential={key}/");
    request.header("authorization").starts_with(&start)
        && request.header("x-amz-security-token") == token
}

/// Credentials as JSON that expire after a time in milliseconds.
fn json(key: &str, lasts: u64) -> String {
    serde_json::json!({
        "AccessKeyId": key, "SecretAccessKey": "secret-of-json", "Token": "token", "SessionToken": "token",
        "Version": 1, "Expiration": time::format(now() + lasts),
    })
    .to_string()
}

/// The response of the token service to an action.
fn of_token_service(action: &str) -> String {
    format!(
        "<{action}Response><{action}Result><Credentials><AccessKeyId>{action}</AccessKeyId>\
         <SecretAccessKey>secret-of-sts</SecretAccessKey><SessionToken>token</SessionToken>\
         <Expiration>{}</Expiration></Credentials></{action}Result></{action}Response>",
        time::format(now() + HOUR)
    )
}

/// A token service, metadata service, container service, single sign-on and object store.
fn server(lasts: u64) -> TestServer {
    TestServer::start(move |request| {
        let path = request.path.split('?').next().unwrap_or_default();
        let body = match path {
            "/latest/api/token" => "metadata-token".to_owned(),
            "/latest/meta-data/iam/security-credentials/" => "role\n".to_owned(),
            "/latest/meta-data/iam/security-credentials/role" => json("instance", lasts),
            "/container" => json("container", lasts),
            "/federation/credentials" => serde_json::json!({"roleCredentials": {
                "accessKeyId": "sso", "secretAccessKey": "secret-of-sso", "sessionToken": "token",
                "expiration": now() + HOUR,
            }})
            .to_string(),
            OBJECT => String::new(),
            _ if request.path.contains("Action=AssumeRoleWithWebIdentity") => {
                of_token_service("AssumeRoleWithWebIdentity")
            }
            _ if request.path.contains("Action=AssumeRole") => of_token_service("AssumeRole"),
            _ => return (404, String::new()),
        };
        (200, body)
    })
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
    std::fs::write(&path, text).expect("writes");
    path.to_str().expect("path").to_owned()
}

#[test]
fn parameters_precede_the_environment() {
    let server = server(HOUR);
    let environment = [
        ("AWS_ACCESS_KEY_ID", "environment"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_SESSION_TOKEN", "token"),
    ];
    with_variables(&environment, || {
        assert!(look_up(&vfs(&server, &[])).expect("looks up"));
        assert!(signed_by(&requests(&server).0, "environment", "token"));
        let parameters = [
            ("vfs.s3.aws_access_key_id", "parameter"),
            ("vfs.s3.aws_secret_access_key", "secret"),
        ];
        assert!(look_up(&vfs(&server, &parameters)).expect("looks up"));
        assert!(signed_by(&requests(&server).0, "parameter", ""));
        let anonymous = [("vfs.s3.no_sign_request", "true")];
        assert!(look_up(&vfs(&server, &anonymous)).expect("looks up"));
        assert_eq!(requests(&server).0.header("authorization"), "");
    });
}

#[test]
fn a_role_in_the_parameters_is_assumed() {
    let server = server(HOUR);
    let parameters = [
        ("vfs.s3.aws_access_key_id", "base"),
        ("vfs.s3.aws_secret_access_key", "secret"),
        ("vfs.s3.aws_role_arn", "arn:aws:iam::1:role/r"),
        ("vfs.s3.aws_external_id", "outside"),
        ("vfs.s3.aws_session_name", "session"),
        ("vfs.s3.aws_load_frequency", "900"),
    ];
    with_variables(&[("AWS_ENDPOINT_URL_STS", &server.url())], || {
        assert!(look_up(&vfs(&server, &parameters)).expect("looks up"));
    });
    let (request, before) = requests(&server);
    assert!(signed_by(&request, "AssumeRole", "token"));
    let [assume] = before.as_slice() else {
        panic!("one request for the role: {before:?}")
    };
    assert!(signed_by(assume, "base", ""));
    for part in [
        "RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr",
        "ExternalId=outside",
        "RoleSessionName=session",
        "DurationSeconds=900",
    ] {
        assert!(assume.path.contains(part), "{part} in {}", assume.path);
    }
}

#[test]
fn a_web_identity_token_is_exchanged() {
    let server = server(HOUR);
    let folder = tempfile::tempdir().expect("folder");
    let file = write(folder.path(), "token", "the-token\n");
    let environment = [
        ("AWS_ENDPOINT_URL_STS", server.url()),
        ("AWS_ROLE_ARN", "arn:r".to_owned()),
        ("AWS_ROLE_SESSION_NAME", "job".to_owned()),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", file),
    ];
    let environment = environment
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    with_variables(&environment, || {
        assert!(look_up(&vfs(&server, &[])).expect("looks up"));
    });
    let (request, before) = requests(&server);
    assert!(signed_by(&request, "AssumeRoleWithWebIdentity", "token"));
    assert_eq!(before.len(), 1);
    assert_eq!(before[0].header("authorization"), "");
    assert!(before[0].path.contains("WebIdentityToken=the-token"));
    assert!(before[0].path.contains("RoleSessionName=job"));
}

#[test]
fn a_container_provides_credentials() {
    let server = server(HOUR);
    let url = format!("{}/container", server.url());
    let environment = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", url.as_str()),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "of-the-container"),
    ];
    with_variables(&environment, || {
        let vfs = vfs(&server, &[]);
        assert!(look_up(&vfs).expect("looks up"));
        assert!(look_up(&vfs).expect("looks up"));
    });
    let (request, before) = requests(&server);
    assert!(signed_by(&request, "container", "token"));
    // The credentials are requested once for two operations.
    assert_eq!(before.len(), 2);
    assert_eq!(before[0].header("authorization"), "of-the-container");
}

#[test]
fn an_unreadable_token_of_a_container_is_reported() {
    let server = server(HOUR);
    let url = format!("{}/container", server.url());
    let environment = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", url.as_str()),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/no/such/token"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ];
    with_variables(&environment, || {
        let error = look_up(&vfs(&server, &[])).expect_err("no token");
        let expected = "the container: the token file '/no/such/token'";
        assert!(error.to_string().contains(expected), "{error}");
    });
    assert!(server.take_received().is_empty());
}

#[test]
fn credentials_are_not_sent_to_other_hosts_without_tls() {
    let server = server(HOUR);
    let environment = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://192.0.2.1/x"),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "of-the-container"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ];
    with_variables(&environment, || {
        let error = look_up(&vfs(&server, &[]))
            .expect_err("refuses")
            .to_string();
        assert!(error.contains("needs https"), "{error}");
    });
}

#[test]
fn the_metadata_service_provides_credentials_until_they_expire() {
    for (lasts, loads) in [(HOUR, 1), (0, 2)] {
        let server = server(lasts);
        let environment = [("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url())];
        let environment = environment
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        with_variables(&environment, || {
            let vfs = vfs(&server, &[]);
            assert!(look_up(&vfs).expect("looks up"));
            assert!(look_up(&vfs).expect("looks up"));
        });
        let (request, before) = requests(&server);
        assert!(signed_by(&request, "instance", "token"));
        let of_role = |request: &&TestRequest| request.path.ends_with("/role");
        let of_role: Vec<&TestRequest> = before.iter().filter(of_role).collect();
        assert_eq!(of_role.len(), loads, "{lasts}");
        let token = of_role[0].header("x-aws-ec2-metadata-token");
        assert_eq!(token, "metadata-token");
    }
}

#[test]
fn credentials_that_the_service_reports_as_expired_are_renewed() {
    let rejected = "<Error><Code>ExpiredToken</Code><Message>expired</Message></Error>";
    let loads = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let counter = loads.clone();
    let server = TestServer::start(move |request| {
        if request.path == "/container" {
            let number = counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            return (200, json(&format!("key{number}"), HOUR));
        }
        if signed_by(request, "key0", "token") {
            (400, rejected.to_owned())
        } else {
            (200, "content".to_owned())
        }
    });
    let url = format!("{}/container", server.url());
    with_variables(&[("AWS_CONTAINER_CREDENTIALS_FULL_URI", &url)], || {
        let uri = Uri::parse("s3://bucket/key").expect("uri");
        let read = vfs(&server, &[]).read_all(&uri).expect("reads");
        assert_eq!(read, b"content");
    });
    assert_eq!(
        server.take_paths(),
        ["/container", OBJECT, "/container", OBJECT]
    );
}

#[test]
fn profiles_give_keys_programs_and_roles() {
    let server = server(HOUR);
    let folder = tempfile::tempdir().expect("folder");
    let program = write(folder.path(), "out.json", &json("process", HOUR));
    let config = format!(
        "[profile process]\ncredential_process = cat '{program}'\n\
         [profile role]\nrole_arn = arn:p\nsource_profile = keys\nexternal_id = e\n\
         [profile from_environment]\nrole_arn = arn:q\ncredential_source = Environment\n\
         [profile failing]\ncredential_process = echo a-secret; exit 3\n"
    );
    let config = write(folder.path(), "config", &config);
    let keys = "[keys]\naws_access_key_id = keys\naws_secret_access_key = secret\n";
    let keys = write(folder.path(), "credentials", keys);
    let cases = [
        ("keys", "keys", ""),
        ("process", "process", "token"),
        ("role", "AssumeRole", "token"),
    ];
    for (profile, key, token) in cases {
        let environment = [
            ("AWS_CONFIG_FILE", config.as_str()),
            ("AWS_SHARED_CREDENTIALS_FILE", &keys),
            ("AWS_PROFILE", profile),
            ("AWS_ENDPOINT_URL_STS", &server.url()),
        ];
        with_variables(&environment, || {
            assert!(look_up(&vfs(&server, &[])).expect("looks up"));
        });
        assert!(signed_by(&requests(&server).0, key, token), "{profile}");
    }
    let failing = [
        ("AWS_CONFIG_FILE", config.as_str()),
        ("AWS_PROFILE", "failing"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ];
    with_variables(&failing, || {
        let error = look_up(&vfs(&server, &[])).expect_err("fails").to_string();
        assert!(error.contains("the credential process failed"), "{error}");
        assert!(!error.contains("a-secret"), "{error}");
    });
}

#[test]
fn shared_files_that_cannot_be_read_are_reported() {
    let server = server(HOUR);
    let folder = tempfile::tempdir().expect("folder");
    let latin = write(folder.path(), "config", "");
    std::fs::write(&latin, b"[default]\n# caf\xe9\n").expect("writes");
    let is_a_folder = folder.path().to_str().expect("path");
    for file in [latin.as_str(), is_a_folder] {
        let environment = [
            ("AWS_SHARED_CREDENTIALS_FILE", file),
            ("AWS_EC2_METADATA_DISABLED", "true"),
        ];
        with_variables(&environment, || {
            let error = look_up(&vfs(&server, &[])).expect_err("no credentials");
            let expected = format!("the profile of the shared files: the file '{file}'");
            assert!(error.to_string().contains(&expected), "{error}");
        });
    }
}

#[test]
#[cfg(unix)]
fn a_program_that_leaves_a_process_with_its_output_provides_credentials() {
    let server = server(HOUR);
    let folder = tempfile::tempdir().expect("folder");
    let program = write(folder.path(), "out.json", &json("process", HOUR));
    let config = format!("[default]\ncredential_process = sleep 50 & cat '{program}'\n");
    let config = write(folder.path(), "config", &config);
    let start = std::time::Instant::now();
    with_variables(&[("AWS_CONFIG_FILE", &config)], || {
        assert!(look_up(&vfs(&server, &[])).expect("looks up"));
    });
    assert!(signed_by(&requests(&server).0, "process", "token"));
    assert!(
        start.elapsed().as_secs() < 50,
        "it does not wait for 'sleep'"
    );
}

#[test]
fn single_sign_on_uses_the_stored_token_until_it_expires() {
    let server = server(HOUR);
    let home = tempfile::tempdir().expect("folder");
    let config = "[default]\nsso_session = s\nsso_account_id = 1\nsso_role_name = r\n\
        [sso-session s]\nsso_region = eu-west-1\nsso_start_url = https://start\n";
    write(home.path(), ".aws/config", config);
    // The SHA-1 of the name of the session.
    let token = ".aws/sso/cache/a0f1490a20d0211c997b44bc357e1972deab8ae3.json";
    let stored = |expires: u64| {
        let expires = time::format(expires);
        serde_json::json!({"accessToken": "sso-token", "expiresAt": expires}).to_string()
    };
    write(home.path(), token, &stored(now() + HOUR));
    let environment = [
        ("HOME", home.path().to_str().expect("path")),
        ("AWS_ENDPOINT_URL_SSO", &server.url()),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ];
    with_variables(&environment, || {
        assert!(look_up(&vfs(&server, &[])).expect("looks up"));
        let (request, before) = requests(&server);
        assert!(signed_by(&request, "sso", "token"));
        assert_eq!(before[0].header("x-amz-sso_bearer_token"), "sso-token");
        assert!(before[0].path.contains("account_id=1&role_name=r"));
        write(home.path(), token, &stored(now() - 1000));
        let error = look_up(&vfs(&server, &[]))
            .expect_err("expired")
            .to_string();
        assert!(
            error.contains("the token has expired; run 'aws sso login'"),
            "{error}"
        );
    });
}

/// Programs of `credential_process` give the credentials of such logins instead.
#[test]
fn a_profile_of_aws_login_has_no_credentials_of_its_own() {
    let server = server(HOUR);
    let home = tempfile::tempdir().expect("folder");
    let login = "[default]\nlogin_session = arn:aws:sts::1:assumed-role/r/s\nregion = eu-west-1\n";
    let environment = [
        ("HOME", home.path().to_str().expect("path")),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ];
    with_variables(&environment, || {
        write(home.path(), ".aws/config", login);
        let error = look_up(&vfs(&server, &[])).expect_err("none").to_string();
        assert!(
            error.contains("the profile of the shared files: none"),
            "{error}"
        );
        let exported = "{\"Version\":1,\"AccessKeyId\":\"exported\",\"SecretAccessKey\":\"s\",\"SessionToken\":\"token\"}";
        let file = write(home.path(), "exported.json", exported);
        write(
            home.path(),
            ".aws/config",
            &format!("{login}credential_process = cat {file}\n"),
        );
        assert!(look_up(&vfs(&server, &[])).expect("looks up"));
        assert!(signed_by(&requests(&server).0, "exported", "token"));
    });
}

#[test]
fn an_error_lists_the_sources_and_no_secret() {
    let failing =
        TestServer::start(|_| (500, "<Error><Message>broken</Message></Error>".to_owned()));
    let folder = tempfile::tempdir().expect("folder");
    let file = write(folder.path(), "token", "a-secret");
    let url = failing.url();
    let environment = [
        ("AWS_ROLE_ARN", "arn:r"),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", &file),
        ("AWS_ENDPOINT_URL_STS", &url),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", &url),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "a-secret"),
        ("AWS_EC2_METADATA_SERVICE_ENDPOINT", &url),
    ];
    with_variables(&environment, || {
        let vfs = vfs(&failing, &[]);
        let error = look_up(&vfs).expect_err("none").to_string();
        for part in [
            "no credentials were found; tried the parameters: none; the environment: none; \
             the profile of the shared files: none; a web identity token: HTTP 500: broken",
            "; the container: HTTP 500",
            "; the metadata service: HTTP 500",
        ] {
            assert!(error.contains(part), "{part} in {error}");
        }
        let debug = format!("{vfs:?}");
        assert!(
            !error.contains("a-secret") && !debug.contains("a-secret"),
            "{error} {debug}"
        );
        // The sources are not tried again for each request.
        failing.take_received();
        assert_eq!(look_up(&vfs).expect_err("none").to_string(), error);
        assert!(failing.take_received().is_empty());
    });
}

#[test]
fn keys_in_a_file_are_read_again_after_the_service_rejected_them_as_expired() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("credentials");
    let file = path.to_str().expect("a path").to_owned();
    let keys = |key: &str| {
        let text = format!(
            "[default]\naws_access_key_id={key}\naws_secret_access_key=s\naws_session_token=t\n"
        );
        std::fs::write(&path, text).expect("writes");
    };
    keys("old");
    let server = TestServer::start(|request| {
        let is_new = signed_by(request, "new", "t");
        // Responses to HEAD have no code.
        (if is_new { 200 } else { 400 }, String::new())
    });
    let set = [("AWS_SHARED_CREDENTIALS_FILE", &*file)];
    with_variables(&set, || {
        let vfs = vfs(&server, &[("vfs.s3.region", "us-east-1")]);
        look_up(&vfs).expect_err("expired");
        keys("new");
        assert!(look_up(&vfs).expect("the new keys"));
    });
    assert_eq!(server.take_received().len(), 4);
}
