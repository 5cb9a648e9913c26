//! Requests of S3 to a server on loopback, and what its responses mean.

use super::super::parameters::tests::with_variables;
use super::super::test_server::TestServer;
use super::*;
use crate::config::Config;
use crate::vfs::Scheme;
use crate::vfs::remote::Remote;

/// A listing of a whole bucket.
const EVERYTHING: ListRequest<'static> = ListRequest {
    bucket: "bucket",
    prefix: "",
    by_folder: false,
    most: 0,
    next: None,
};

fn context(endpoint: &str) -> Arc<Context> {
    let mut config = Config::new();
    for (name, value) in [
        ("vfs.s3.endpoint_override", endpoint),
        ("vfs.s3.scheme", "http"),
        ("vfs.s3.use_virtual_addressing", "false"),
        ("vfs.s3.aws_access_key_id", "key"),
        ("vfs.s3.aws_secret_access_key", "secret"),
        ("vfs.s3.region", "us-east-1"),
    ] {
        config.set(name, value).expect("parameter");
    }
    Context::new(config).expect("context")
}

fn store(endpoint: &str) -> S3 {
    S3::new(&context(endpoint)).expect("store")
}

#[test]
fn buckets_of_several_regions_are_requested_in_their_own() {
    let header = "x-amz-bucket-region: eu-west-1";
    let server = TestServer::start_with_header(header, |request| {
        let is_elsewhere = request.path.starts_with("/elsewhere");
        let region = if is_elsewhere {
            "eu-west-1"
        } else {
            "us-east-1"
        };
        let is_right = request.header("authorization").contains(region);
        (if is_right { 200 } else { 400 }, String::new())
    });
    let store = store(server.address());
    with_variables(&[], || {
        for bucket in ["elsewhere", "here", "elsewhere"] {
            assert!(store.is_bucket(bucket).expect("the right region"));
        }
    });
    // The first request of the bucket that is elsewhere is repeated.
    assert_eq!(server.take_received().len(), 4);
}

#[test]
fn the_region_in_an_error_without_a_header_is_used() {
    let server = TestServer::start(|request| {
        let is_right = request.header("authorization").contains("eu-west-1");
        let error =
            "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>";
        if is_right {
            (200, "<ListBucketResult/>".to_owned())
        } else {
            (400, error.to_owned())
        }
    });
    with_variables(&[], || {
        let store = store(server.address());
        store.list(EVERYTHING).expect("the right region");
    });
    assert_eq!(server.take_received().len(), 2);
}

#[test]
fn requests_are_signed_with_the_time_of_the_service_if_it_refuses_that_of_this_machine() {
    let server = TestServer::start_with_header("date: Sun, 30 Aug 2015 12:36:00 GMT", |request| {
        let error = "<Error><Code>RequestTimeTooSkewed</Code></Error>";
        if request.header("x-amz-date").starts_with("20150830T12") {
            (200, "<ListBucketResult/>".to_owned())
        } else {
            (403, error.to_owned())
        }
    });
    with_variables(&[], || {
        let store = store(server.address());
        store.list(EVERYTHING).expect("the time of the service");
        store.list(EVERYTHING).expect("the time is kept");
    });
    assert_eq!(server.take_received().len(), 3);
}

#[test]
fn deletions_that_a_bulk_delete_left_are_repeated() {
    let left =
        "<DeleteResult><Error><Key>two</Key><Code>InternalError</Code></Error></DeleteResult>";
    let server = TestServer::start(|request| match request.method.as_str() {
        "POST" => (200, left.to_owned()),
        _ => (204, String::new()),
    });
    let keys = ["one", "two"].map(str::to_owned);
    with_variables(&[], || {
        let remote = Remote::new(&context(server.address()), Scheme::S3);
        let removed = remote.delete_keys("delete file", "bucket", &keys);
        removed.expect("removes all");
    });
    let requests = server.take_received();
    let seen: Vec<_> = requests.iter().map(|r| (&*r.method, &*r.path)).collect();
    assert_eq!(
        seen,
        [("POST", "/bucket?delete="), ("DELETE", "/bucket/two")]
    );
}

#[test]
fn keys_that_a_document_cannot_contain_are_removed_by_requests_of_their_own() {
    let server = TestServer::start(|request| match request.method.as_str() {
        "POST" => (200, "<DeleteResult/>".to_owned()),
        _ => (204, String::new()),
    });
    let keys = ["one", "\u{1}", "two", "\u{fffe}"].map(str::to_owned);
    with_variables(&[], || {
        let remote = Remote::new(&context(server.address()), Scheme::S3);
        for keys in [&keys[..], &keys[3..]] {
            let removed = remote.delete_keys("delete file", "bucket", keys);
            removed.expect("removes all");
        }
    });
    let requests = server.take_received();
    let seen: Vec<_> = requests.iter().map(|r| (&*r.method, &*r.path)).collect();
    assert_eq!(
        seen,
        [
            ("POST", "/bucket?delete="),
            ("DELETE", "/bucket/%01"),
            ("DELETE", "/bucket/%EF%BF%BE"),
            ("DELETE", "/bucket/%EF%BF%BE"),
        ]
    );
    assert_eq!(requests[0].body.matches("<Key>").count(), 2);
}

#[test]
fn buckets_are_a_part_of_the_path_of_endpoints_without_a_name() {
    let url = |endpoint: &str, bucket: &str| {
        let mut config = Config::new();
        for (name, value) in [
            ("vfs.s3.endpoint_override", endpoint),
            ("vfs.s3.region", "us-east-1"),
        ] {
            config.set(name, value).expect("parameter");
        }
        let store = S3::new(&Context::new(config).expect("context")).expect("store");
        store.url(bucket, "key").text()
    };
    assert_eq!(url("host", "bucket"), "https://bucket.host/key");
    assert_eq!(
        url("127.0.0.1:9000", "bucket"),
        "https://127.0.0.1:9000/bucket/key"
    );
    assert_eq!(url("host", "my.bucket"), "https://host/my.bucket/key");
    assert_eq!(url("http://host/a", "bucket"), "http://bucket.host/a/key");
}

#[test]
fn a_region_that_a_concurrent_request_reported_repeats_a_request() {
    let store = store("host");
    let region = Some("eu-west-1".to_owned());
    let failure = Failure::of_response(301, b"", region);
    for _ in 0..2 {
        assert!(store.adopts_region("bucket", "us-east-1", &failure));
        assert_eq!(store.region("bucket"), "eu-west-1");
    }
    assert!(!store.adopts_region("bucket", "eu-west-1", &failure));
    assert_eq!(store.region("other"), "us-east-1");
}

#[test]
fn buckets_are_a_part_of_host_names_that_can_contain_them() {
    let can = |endpoint: &str, bucket: &str| can_contain(&Url::parse(endpoint, "https"), bucket);
    assert!(can("s3.us-east-1.amazonaws.com", "a-bucket-1"));
    assert!(can("http://localhost:9000", "with.dots"));
    for bucket in [
        "with.dots",
        "UPPER",
        "under_score",
        "-first",
        "last-",
        "no",
        "",
    ] {
        assert!(!can("s3.us-east-1.amazonaws.com", bucket), "{bucket}");
    }
    for endpoint in ["127.0.0.1:9000", "http://10.0.0.1", "http://[::1]:9000"] {
        assert!(!can(endpoint, "bucket"), "{endpoint}");
    }
    assert!(!can("host", &"a".repeat(64)));
}

#[test]
fn pages_of_listings_are_read() {
    let text = "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>\
        <NextContinuationToken>t</NextContinuationToken>\
        <Contents><Key>a%2Fb%20c</Key><Size>3</Size><LastModified>2015-08-30T12:36:00.000Z</LastModified></Contents>\
        <CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes></ListBucketResult>";
    let page = page(&xml::parse(text.as_bytes()).expect("xml")).expect("page");
    let [object] = page.objects.as_slice() else {
        panic!("one object")
    };
    assert_eq!((object.key.as_str(), object.info.size), ("a/b c", 3));
    assert_eq!(object.info.modified, 1_440_938_160_000);
    assert_eq!(
        (page.prefixes[0].as_str(), page.next.as_deref()),
        ("a/", Some("t"))
    );
}

/// Returns the result of a bulk delete with this error for the key `k`.
fn after_error(code: &str) -> StoreResult<Vec<String>> {
    let error = format!("<Key>k</Key><Code>{code}</Code><Message>no</Message>");
    let text = format!("<DeleteResult><Error>{error}</Error></DeleteResult>");
    let result = xml::parse(text.as_bytes()).expect("xml");
    let keys = ["j", "k"].map(str::to_owned);
    let left = keys_to_repeat(&result, &[&keys[0], &keys[1]])?;
    Ok(left.into_iter().cloned().collect())
}

#[test]
fn an_error_in_a_bulk_delete_is_a_failure_unless_it_is_transient() {
    let failure = after_error("AccessDenied").expect_err("denied");
    assert_eq!(failure.kind, ErrorKind::PermissionDenied);
    assert!(failure.to_string().contains("'k': no"));
    assert!(after_error("NoSuchKey").expect("removed").is_empty());
    for code in ["InternalError", "SlowDown"] {
        assert_eq!(after_error(code).expect("repeats"), ["k"]);
    }
}

#[test]
fn the_tag_of_an_object_is_the_hash_of_its_content() {
    let tag = Some("\"900150983cd24fb0d6963f7d28e17f72\"");
    assert!(is_tag_of(tag, b"abc") && is_tag_of(None, b"abc"));
    assert!(!is_tag_of(tag, b"abd") && !is_tag_of(Some(""), b"abc"));
}
