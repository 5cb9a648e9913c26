//! The requests of a client: their order, parameters and headers.

use std::ffi::CString;
use std::path::Path;

use serde_json::Value;

use crate::arrays::schema::{self, WIDE_SPARSE};
use crate::arrays::write::Cells;
use crate::arrays::{OpenArray, READ, TestFolder, c_path, text};
use crate::library::{Library, address};
use crate::server::{Protocol, Server, borrowed};
use crate::{shared_library, upstream};

/// Returns methods and paths of the requests since the last call.
pub(crate) fn lines(server: &Server) -> Vec<String> {
    let requests = server.requests().into_iter();
    let line = |request: Value| {
        let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
        let (method, path) = (text("method"), text("path"));
        let (path, query) = path.split_once('?').unwrap_or((&path, ""));
        let mut query: Vec<&str> = query.split('&').collect();
        query.sort_unstable();
        format!("{method} {path} {}", query.join(" "))
    };
    requests.map(line).collect()
}

/// Creates, writes and reads an array.
fn use_array(library: &Library, uri: &CString) {
    schema::create(library, uri, WIDE_SPARSE).expect("creates");
    let cells = Cells::new(WIDE_SPARSE, 0..10, 1).at(1);
    cells.write(library, uri).expect("writes");
    let array = OpenArray::open(library, uri, READ, Some(100)).expect("opens");
    let mut kind = 0u32;
    let arguments = [text(uri), address(&mut kind)];
    library.ok("object_type", &arguments);
    array.close().expect("closes");
}

#[test]
fn clients_of_both_libraries_send_the_same_requests() {
    let ours = shared_library::path();
    let Some(theirs) = upstream() else {
        println!("skipped: TILEDB_UPSTREAM_LIB names no libtiledb");
        return;
    };
    for protocol in [Protocol::Workspaces, Protocol::Namespaces] {
        let logs = [&ours, &theirs].map(|client| {
            let folder = TestFolder::new("rest-requests");
            let server = Server::start(&ours, folder.path(), protocol)?;
            let library = Library::load(client, "the client");
            let parameters = server.parameters(&[]);
            let library = library.with_context(&borrowed(&parameters));
            let uri = c_path(&Path::new(server.root()).join("array"));
            use_array(&library, &uri);
            Some(lines(&server))
        });
        let [Some(ours), Some(theirs)] = logs else {
            println!("skipped: Python is not available");
            return;
        };
        // This library knows without a request that a completed write needs no finalization.
        let theirs: Vec<String> = theirs
            .into_iter()
            .filter(|line| !line.contains("/query/finalize"))
            .collect();
        assert_eq!(ours, theirs);
        assert!(ours.len() > 4, "{ours:?}");
    }
}

#[test]
fn requests_have_the_headers_of_the_configuration() {
    let folder = TestFolder::new("rest-headers");
    let ours = shared_library::path();
    let Some(server) = Server::start(&ours, folder.path(), Protocol::Workspaces) else {
        println!("skipped: Python is not available");
        return;
    };
    let library = Library::load(&ours, "the client");
    let parameters = server.parameters(&[
        ("rest.token", ""),
        ("rest.username", "user"),
        ("rest.password", "word"),
        ("rest.payer_namespace", "payer"),
        ("rest.custom_headers.X-Own", "own"),
        ("rest.http_compressor", "gzip"),
    ]);
    let library = library.with_context(&borrowed(&parameters));
    library.ok("ctx_set_tag", &[text(c"X-Tag"), text(c"tag")]);
    let mut kind = 7u32;
    let uri = c_path(&Path::new(server.root()).join("none"));
    library.ok("object_type", &[text(&uri), address(&mut kind)]);
    assert_eq!(kind, 0);
    let requests = server.requests();
    assert_eq!(requests.len(), 3, "versions, array, group");
    for request in requests {
        let headers = request["headers"].as_object().expect("headers");
        let header = |name: &str| {
            let mut found = headers.iter();
            let found = found.find(|(known, _)| known.eq_ignore_ascii_case(name));
            found
                .and_then(|(_, value)| value.as_str())
                .map(str::to_owned)
        };
        for (name, value) in [
            ("Authorization", "Basic dXNlcjp3b3Jk"),
            ("X-Payer", "payer"),
            ("X-Own", "own"),
            ("X-Tag", "tag"),
            ("Accept-Encoding", "gzip"),
            ("Content-Type", "application/capnp"),
            ("x-tiledb-version", "2.30.0"),
            ("x-tiledb-api-language", "c"),
        ] {
            assert_eq!(header(name).as_deref(), Some(value), "{name}");
        }
        assert_eq!(header("X-TILEDB-REST-API-Key"), None);
    }
}

#[test]
fn a_client_without_a_login_gets_an_error() {
    let library = Library::load(&shared_library::path(), "the client");
    let library = library.with_context(&[(c"rest.server_address", c"http://127.0.0.1:9")]);
    let created = library.attempt(
        "group_create",
        &[text(c"tiledb://workspace/teamspace/group")],
    );
    let error = created.expect_err("no login");
    assert!(error.contains("Missing TileDB authentication"), "{error}");
}
