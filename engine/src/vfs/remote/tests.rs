//! Failures of requests: certificates, regions, and what errors contain.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::parameters::tests::with_variables;
use super::test_server::TestServer;
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::vfs::{Uri, Vfs};

/// Certificates that were generated for these tests: an authority, and a server at 127.0.0.1.
const AUTHORITY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/src/vfs/remote/test_certificates/ca.pem"
);
const CERTIFICATE: &[u8] = include_bytes!("test_certificates/server.pem");
const KEY: &[u8] = include_bytes!("test_certificates/server.key");

/// Returns a virtual file system whose S3 service is at an address.
fn vfs(endpoint: &str, parameters: &[(&str, &str)]) -> Arc<Vfs> {
    let mut config = Config::new();
    let defaults = [
        ("vfs.s3.endpoint_override", endpoint),
        ("vfs.s3.use_virtual_addressing", "false"),
        ("vfs.s3.aws_access_key_id", "key"),
        ("vfs.s3.aws_secret_access_key", "secret"),
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

/// Starts a server that sends an empty response to the first request of each connection over TLS.
/// It runs until the process ends.
fn start_tls() -> String {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).expect("certificate");
    let key = PrivateKeyDer::from_pem_slice(KEY).expect("key");
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("configuration");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("address").to_string();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let connection = rustls::ServerConnection::new(config.clone()).expect("connection");
            let mut stream = rustls::StreamOwned::new(connection, socket.expect("socket"));
            // Clients that reject the certificate close the connection.
            if matches!(stream.read(&mut [0; 8192]), Ok(1..)) {
                let response = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
                let _ = stream.write_all(response.as_bytes());
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    address
}

#[test]
fn certificates_are_verified_as_the_parameters_say() {
    let address = start_tls();
    let folder = tempfile::tempdir().expect("folder");
    std::fs::copy(AUTHORITY, folder.path().join("ca.pem")).expect("copies");
    std::fs::write(folder.path().join("notes"), "no certificate").expect("writes");
    let folder = folder.path().to_str().expect("path");
    for trusted in [
        ("vfs.s3.ca_file", AUTHORITY),
        ("vfs.s3.ca_path", folder),
        ("ssl.ca_file", AUTHORITY),
        ("ssl.ca_path", folder),
        ("vfs.s3.verify_ssl", "false"),
        ("ssl.verify", "false"),
    ] {
        assert!(
            look_up(&vfs(&address, &[trusted])).expect("succeeds"),
            "{trusted:?}"
        );
    }
    let error = look_up(&vfs(&address, &[]))
        .expect_err("unknown")
        .to_string();
    assert!(
        error.contains("certificate") && error.contains(&address),
        "{error}"
    );
    assert!(!error.contains("attempts"), "not repeated: {error}");
    let missing = [("vfs.s3.ca_file", "/no/such/file")];
    let error = look_up(&vfs(&address, &missing))
        .expect_err("missing")
        .to_string();
    assert!(
        error.contains("the file of certificates '/no/such/file'"),
        "{error}"
    );
}

#[test]
fn a_server_without_tls_is_reported() {
    let plain = TestServer::start(|_| (200, String::new()));
    let error = look_up(&vfs(plain.address(), &[]))
        .expect_err("no TLS")
        .to_string();
    assert!(
        error.contains(&format!("no response from '{}'", plain.address())),
        "{error}"
    );
}

#[test]
fn a_missing_server_is_reported_after_the_configured_attempts() {
    let free = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = free.local_addr().expect("address").to_string();
    drop(free);
    let error = look_up(&vfs(&address, &[]))
        .expect_err("nothing there")
        .to_string();
    assert!(
        error.contains(&address) && error.contains("after 2 attempts"),
        "{error}"
    );
}

#[test]
fn a_server_that_does_not_respond_is_given_up_after_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("address").to_string();
    let quick = [
        ("vfs.s3.request_timeout_ms", "100"),
        ("vfs.s3.scheme", "http"),
    ];
    let error = look_up(&vfs(&address, &quick))
        .expect_err("silent")
        .to_string();
    assert!(
        error.contains("timeout") && error.contains("after 2 attempts"),
        "{error}"
    );
}

#[test]
fn a_cancellation_interrupts_a_request() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("address").to_string();
    let patient = [
        ("vfs.s3.request_timeout_ms", "600000"),
        ("vfs.s3.scheme", "http"),
    ];
    let vfs = vfs(&address, &patient);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| look_up(&vfs));
        let (mut socket, _) = listener.accept().expect("accepts");
        let read = socket.read(&mut [0; 8192]).expect("reads");
        assert!(read > 0);
        vfs.context.cancel();
        let error = waiting.join().expect("thread").expect_err("cancelled");
        assert!(error.is_cancelled(), "{error}");
    });
}

/// Checks that a cancellation ends an operation whose response stops within its body.
fn check_cancelled_body(header: &str, operate: impl Fn(&Vfs) -> Result<()> + Sync) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("address").to_string();
    let patient = [
        ("vfs.s3.request_timeout_ms", "600000"),
        ("vfs.s3.scheme", "http"),
    ];
    let vfs = vfs(&address, &patient);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| operate(&vfs));
        let (mut socket, _) = listener.accept().expect("accepts");
        assert!(socket.read(&mut [0; 8192]).expect("reads") > 0);
        let begin = format!("{header}\r\nContent-Length: 100\r\n\r\n<");
        socket.write_all(begin.as_bytes()).expect("writes");
        // The client has received the beginning and waits for the rest.
        std::thread::sleep(Duration::from_millis(200));
        vfs.context.cancel();
        let error = waiting.join().expect("thread").expect_err("cancelled");
        assert!(error.is_cancelled(), "{error}");
    });
}

#[test]
fn a_cancellation_interrupts_a_response() {
    let file = Uri::parse("s3://bucket/file").expect("a URI");
    check_cancelled_body("HTTP/1.1 200 OK", |vfs| vfs.list(&file).map(drop));
    let range = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-99/100";
    check_cancelled_body(range, |vfs| {
        vfs.open(&file)?.read_at(0, &mut [0; 100]).map(drop)
    });
}

/// Cancels `look_up` after `moment` and returns how long it took to end after that.
fn time_of_cancellation(vfs: &Vfs, moment: Duration) -> Duration {
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| look_up(vfs));
        std::thread::sleep(moment);
        assert!(!waiting.is_finished(), "it waits");
        let start = Instant::now();
        // On a busy machine the operation may begin after the first cancellation, which does not
        // affect it then.
        while !waiting.is_finished() {
            vfs.context.cancel();
            std::thread::sleep(Duration::from_millis(10));
        }
        let error = waiting.join().expect("thread").expect_err("cancelled");
        assert!(error.is_cancelled(), "{error}");
        start.elapsed()
    })
}

/// Returns a listener that accepts no further connections, and those that fill its queue.
fn full_listener() -> (TcpListener, Vec<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("address");
    let patience = Duration::from_millis(100);
    let connections = std::iter::from_fn(|| TcpStream::connect_timeout(&address, patience).ok());
    let connections = connections.take(10_000).collect();
    (listener, connections)
}

#[test]
fn a_cancellation_interrupts_connecting() {
    let (listener, _connections) = full_listener();
    let address = listener.local_addr().expect("address").to_string();
    let patient = [
        ("vfs.s3.connect_timeout_ms", "600000"),
        ("vfs.s3.scheme", "http"),
    ];
    for moment in [50, 400] {
        let vfs = vfs(&address, &patient);
        let took = time_of_cancellation(&vfs, Duration::from_millis(moment));
        assert!(took < Duration::from_secs(60), "{took:?}");
    }
}

#[test]
fn an_address_that_does_not_accept_is_given_up_after_the_timeout() {
    let (listener, _connections) = full_listener();
    let address = listener.local_addr().expect("address").to_string();
    let quick = [
        ("vfs.s3.connect_timeout_ms", "300"),
        ("vfs.s3.scheme", "http"),
    ];
    let error = look_up(&vfs(&address, &quick))
        .expect_err("full")
        .to_string();
    assert!(
        error.contains("timeout: connect") && error.contains("after 2 attempts"),
        "{error}"
    );
}

#[test]
fn a_cancellation_interrupts_the_pause_before_a_repetition() {
    let server = TestServer::start(|_| (503, String::new()));
    let patient = [
        ("vfs.s3.connect_max_tries", "20"),
        ("vfs.s3.connect_scale_factor", "600000"),
        ("vfs.s3.connect_timeout_ms", "600000"),
        ("vfs.s3.scheme", "http"),
    ];
    let vfs = vfs(server.address(), &patient);
    let took = time_of_cancellation(&vfs, Duration::from_millis(300));
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(server.take_received().len(), 1);
}

#[test]
fn a_response_of_single_bytes_is_read_to_its_end() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("binds");
    let address = listener.local_addr().expect("address").to_string();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut socket, _) = listener.accept().expect("accepts");
            assert!(socket.read(&mut [0; 8192]).expect("reads") > 0);
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\n";
            socket.write_all(head.as_bytes()).expect("writes");
            for byte in b"slow!" {
                std::thread::sleep(Duration::from_millis(150));
                socket.write_all(&[*byte]).expect("writes");
            }
        });
        // Each byte comes within the time limit, the last one long after it.
        let parameters = [
            ("vfs.s3.request_timeout_ms", "400"),
            ("vfs.s3.scheme", "http"),
        ];
        let uri = Uri::parse("s3://bucket/key").expect("uri");
        let content = vfs(&address, &parameters).read_all(&uri).expect("reads");
        assert_eq!(content, b"slow!");
    });
}

#[test]
fn rejected_keys_are_reported_without_repetition() {
    for (status, code) in [
        (403, "InvalidAccessKeyId"),
        (403, "SignatureDoesNotMatch"),
        (403, "AccessDenied"),
    ] {
        let body = format!("<Error><Code>{code}</Code><Message>rejected</Message></Error>");
        let server = TestServer::start(move |_| (status, body.clone()));
        let vfs = vfs(server.address(), &[("vfs.s3.scheme", "http")]);
        let uri = Uri::parse("s3://bucket/key").expect("uri");
        let error = vfs.read_all(&uri).expect_err("rejected").to_string();
        assert!(
            error.contains(&format!("HTTP 403 {code}: rejected")),
            "{error}"
        );
        assert_eq!(server.take_received().len(), 1, "{error}");
    }
}

#[test]
fn keys_that_are_too_long_are_reported_without_repetition() {
    let long = "k".repeat(1100);
    let xml = "<Error><Code>KeyTooLongError</Code><Message>too long</Message></Error>";
    let json = r#"{"error":{"message":"too long","errors":[{"reason":"invalid"}]}}"#;
    for (scheme, body) in [("s3", xml), ("azure", xml), ("gcs", json)] {
        let server = TestServer::start(move |_| (400, body.to_owned()));
        let url = server.url();
        let parameters = [
            ("vfs.s3.scheme", "http"),
            ("vfs.azure.blob_endpoint", &url),
            ("vfs.azure.storage_sas_token", "sig=a"),
            ("vfs.gcs.endpoint", &url),
        ];
        with_variables(&[], || {
            let vfs = vfs(server.address(), &parameters);
            let uri = Uri::parse(&format!("{scheme}://bucket/{long}")).expect("uri");
            for writes in [true, false] {
                let result = if writes {
                    vfs.write_all(&uri, b"a")
                } else {
                    vfs.read_all(&uri).map(drop)
                };
                let error = result.expect_err("too long").to_string();
                assert!(
                    error.contains("too long") && error.contains("HTTP 400"),
                    "{error}"
                );
                assert_eq!(server.take_received().len(), 1, "{error}");
            }
        });
    }
}

#[test]
fn the_region_that_the_service_names_is_used() {
    let moved = "<Error><Code>PermanentRedirect</Code><Message>elsewhere</Message></Error>";
    let server = TestServer::start_with_header("x-amz-bucket-region: eu-north-1", move |request| {
        if request.header("authorization").contains("/eu-north-1/s3/") {
            (200, "content".to_owned())
        } else {
            (301, moved.to_owned())
        }
    });
    let uri = Uri::parse("s3://bucket/key").expect("uri");
    let parameters = [("vfs.s3.scheme", "http"), ("vfs.s3.region", "us-east-1")];
    let vfs = vfs(server.address(), &parameters);
    assert_eq!(vfs.read_all(&uri).expect("reads"), b"content");
    assert_eq!(vfs.read_all(&uri).expect("reads"), b"content");
    assert_eq!(
        server.take_received().len(),
        3,
        "one request in the other region"
    );
}

#[test]
fn a_missing_bucket_is_reported() {
    let body =
        "<Error><Code>NoSuchBucket</Code><Message>The bucket does not exist</Message></Error>";
    let server = TestServer::start(move |_| (404, body.to_owned()));
    let vfs = vfs(server.address(), &[("vfs.s3.scheme", "http")]);
    let file = Uri::parse("s3://bucket/key").expect("uri");
    let error = vfs
        .write_all(&file, b"abc")
        .expect_err("missing")
        .to_string();
    assert!(
        error.contains("HTTP 404 NoSuchBucket: The bucket does not exist"),
        "{error}"
    );
    assert!(vfs.list(&file).is_err() && vfs.remove_file(&file).is_err());
}

#[test]
fn secrets_are_in_no_debug_output_and_no_statistics() {
    let server = TestServer::start(|_| (403, String::new()));
    let url = server.url();
    with_variables(&[], || {
        for (scheme, parameters) in [
            (
                "s3",
                vec![
                    ("vfs.s3.endpoint_override", server.address()),
                    ("vfs.s3.scheme", "http"),
                    ("vfs.s3.aws_access_key_id", "key"),
                    ("vfs.s3.aws_secret_access_key", "a-secret"),
                    ("vfs.s3.aws_session_token", "a-secret"),
                    ("vfs.s3.use_virtual_addressing", "false"),
                ],
            ),
            (
                "azure",
                vec![
                    ("vfs.azure.blob_endpoint", url.as_str()),
                    ("vfs.azure.storage_sas_token", "sig=a-secret"),
                ],
            ),
        ] {
            let mut config = Config::new();
            for (name, value) in parameters {
                config.set(name, value).expect("parameter");
            }
            let context = Context::new(config).expect("context");
            let vfs = Vfs::new(&context).expect("vfs");
            let file = Uri::parse(&format!("{scheme}://bucket/key")).expect("uri");
            let error = vfs.read_all(&file).expect_err("forbidden");
            let open = vfs.create(&file).expect("opens");
            let shown = format!("{error} {error:?} {vfs:?} {context:?} {open:?}");
            assert!(error.to_string().contains("HTTP 403"), "{error}");
            assert!(!shown.contains("a-secret"), "{shown}");
        }
    });
}

#[test]
fn a_request_is_repeated_after_a_response_with_another_range() {
    let server =
        TestServer::start_with_header("content-range: bytes 7-9/10", |_| (206, "abc".to_owned()));
    let vfs = vfs(server.address(), &[("vfs.s3.scheme", "http")]);
    let file = vfs.open(&Uri::parse("s3://bucket/key").expect("uri"));
    let file = file.expect("opens");
    let mut bytes = [0; 3];
    let error = file.read_at(0, &mut bytes).expect_err("another range");
    assert!(error.to_string().contains("another range"), "{error}");
    assert_eq!(server.take_received().len(), 2);
    file.read_at(7, &mut bytes).expect("reads");
    assert_eq!(&bytes, b"abc");
}

#[test]
fn pages_of_proxies_are_not_responses_of_the_service() {
    const XHTML: &str = "<?xml version='1.0'?><html><body>Please log in</body></html>";
    for (body, reason) in [
        ("<html>Please log in</html>", "is not XML; after 2 attempts"),
        ("", "is not XML; after 2 attempts"),
        (XHTML, "an unexpected document 'html'"),
    ] {
        let server = TestServer::start(move |request| match request.method.as_str() {
            "HEAD" => (404, String::new()),
            _ => (200, body.to_owned()),
        });
        let vfs = vfs(server.address(), &[("vfs.s3.scheme", "http")]);
        let [file, folder] = ["s3://bucket/key", "s3://bucket/folder"].map(Uri::parse);
        let (file, folder) = (file.expect("uri"), folder.expect("uri"));
        let error = vfs.write_all(&file, b"a").expect_err("a page").to_string();
        assert!(error.contains("they are not from the service"), "{error}");
        let error = vfs.list(&folder).expect_err("a page").to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn objects_are_stored_on_a_service_without_tags() {
    let server = TestServer::start(|request| match request.method.as_str() {
        "HEAD" => (200, "abc".to_owned()),
        _ => (200, String::new()),
    });
    let vfs = vfs(server.address(), &[("vfs.s3.scheme", "http")]);
    let file = Uri::parse("s3://bucket/key").expect("uri");
    vfs.write_all(&file, b"abc").expect("has the size");
    assert_eq!(server.take_received().len(), 2);
    vfs.write_all(&file, b"ab").expect_err("has another size");
}

/// Starts a server whose listings have a number of empty pages before the object `name`.
fn start_with_empty_pages(empty: usize, name: &'static str) -> TestServer {
    TestServer::start(move |request| {
        let token = request.path.split("continuation-token=").nth(1);
        let token = token.and_then(|rest| rest.split('&').next()?.parse().ok());
        let page: usize = token.unwrap_or(0);
        let content = if page < empty {
            let next = page + 1;
            format!(
                "<IsTruncated>true</IsTruncated>\
                 <NextContinuationToken>{next}</NextContinuationToken>"
            )
        } else if name.is_empty() {
            String::new()
        } else {
            format!("<Contents><Key>{name}</Key><Size>1</Size></Contents>")
        };
        (
            200,
            format!("<ListBucketResult>{content}</ListBucketResult>"),
        )
    })
}

#[test]
fn objects_after_empty_pages_of_a_listing_are_found() {
    let folder = Uri::parse("s3://bucket/folder").expect("uri");
    let bucket = Uri::parse("s3://bucket").expect("uri");
    for (name, is_found) in [("folder/name", true), ("", false)] {
        let server = start_with_empty_pages(3, name);
        let vfs = vfs(&server.url(), &[]);
        assert_eq!(vfs.is_dir(&folder).expect("looks up"), is_found);
        assert_eq!(vfs.is_empty_bucket(&bucket).expect("looks up"), !is_found);
        assert_eq!(
            vfs.list(&folder).expect("lists").len(),
            usize::from(is_found)
        );
    }
}
