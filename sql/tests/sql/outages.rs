//! Statements over arrays on a server that stops responding in the middle: an error with the URI,
//! in bounded time, and no part of a change.
//!
//! The server is one of S3, which is started by `tests/object-stores/serve`; the tests skip if it
//! cannot be installed.

use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use futures::StreamExt;
use tiledb_datafusion::{TableOptions, TileDbGroup};
use tiledb_engine::{
    Array, ArrayType, Config, Context, Datatype, Group, ObjectType, Schema, field,
};

use crate::arrays::new_session;

#[path = "../../../engine/tests/object_stores/proxy.rs"]
#[allow(
    dead_code,
    reason = "requests of this proxy fail in an order that the tests choose"
)]
mod proxy;
#[path = "../../../engine/tests/setup/servers.rs"]
mod servers;

use proxy::read_request;
use servers::Server;

/// The cells of each array of which statements fail.
const CELLS: i64 = 40_000;
/// The longest time of a statement.
const LIMIT: Duration = Duration::from_secs(60);

/// The way in which all requests after a number of successful ones fail.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outage {
    /// Connections are refused.
    Refused,
    /// Connections are closed without a response.
    Closed,
    /// Responses have a status.
    Status(u16),
    /// No byte arrives.
    Stall,
}

/// The state of a proxy.
struct State {
    server: String,
    /// The number of requests that succeed before the outage.
    left: AtomicI64,
    outage: Mutex<Outage>,
    requests: AtomicU64,
    is_refusing: AtomicBool,
}

/// A proxy before the server, which runs until the process ends.
struct Proxy {
    address: SocketAddr,
    state: Arc<State>,
}

impl Proxy {
    fn new(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State {
            server: server.to_owned(),
            left: AtomicI64::new(i64::MAX),
            outage: Mutex::new(Outage::Refused),
            requests: AtomicU64::new(0),
            is_refusing: AtomicBool::new(false),
        });
        let shared = state.clone();
        std::thread::spawn(move || {
            let mut listener = Some(listener);
            loop {
                // A listener that exists accepts connections, also those that are not served.
                if shared.is_refusing.load(Ordering::SeqCst) {
                    listener = None;
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
                let accepting =
                    listener.get_or_insert_with(|| TcpListener::bind(address).expect("the port"));
                let Ok((client, _)) = accepting.accept() else {
                    continue;
                };
                let shared = shared.clone();
                std::thread::spawn(move || {
                    // A connection that ends early is a part of the test.
                    let _ = shared.serve(client, address);
                });
            }
        });
        Self { address, state }
    }

    /// Begins an outage after a number of requests.
    fn fail_after(&self, requests: i64, outage: Outage) {
        *self.state.outage.lock().expect("a lock") = outage;
        self.state.left.store(requests, Ordering::SeqCst);
    }

    fn restore(&self) {
        self.state.left.store(i64::MAX, Ordering::SeqCst);
        self.state.is_refusing.store(false, Ordering::SeqCst);
        // The thread may not have the port again.
        while TcpStream::connect(self.address).is_err() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::SeqCst)
    }
}

impl State {
    /// Serves one request on a connection, which is closed after it.
    fn serve(&self, client: TcpStream, address: SocketAddr) -> std::io::Result<()> {
        let mut client = BufReader::new(client);
        let request = read_request(&mut client)?;
        self.requests.fetch_add(1, Ordering::SeqCst);
        if self.left.fetch_sub(1, Ordering::SeqCst) <= 0 {
            let outage = *self.outage.lock().expect("a lock");
            match outage {
                Outage::Refused => {
                    self.is_refusing.store(true, Ordering::SeqCst);
                    // The thread that accepts connections looks at the state after the next one.
                    let _ = TcpStream::connect(address);
                }
                Outage::Closed => {}
                Outage::Status(status) => {
                    let response = format!(
                        "HTTP/1.1 {status} Failed\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
                    );
                    client.get_mut().write_all(response.as_bytes())?;
                }
                Outage::Stall => while client.get_mut().read(&mut [0; 64])? > 0 {},
            }
            return Ok(());
        }
        let mut server = TcpStream::connect(&self.server)?;
        server.write_all(&request)?;
        std::io::copy(&mut server, client.get_mut())?;
        Ok(())
    }
}

/// Returns the server of all tests; `None` if it cannot be installed.
fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(|| servers::start("s3")).as_ref()
}

/// Parameters with which a request ends after 4 s.
const QUICK: [(&str, &str); 4] = [
    ("vfs.s3.connect_max_tries", "1"),
    ("vfs.s3.connect_scale_factor", "1"),
    ("vfs.s3.connect_timeout_ms", "500"),
    ("vfs.s3.request_timeout_ms", "2000"),
];

/// Returns a context that uses the server by an address, with some parameters.
fn context(server: &Server, address: &str, parameters: &[(&str, &str)]) -> Context {
    let mut config = Config::new();
    let known = server.parameters.iter();
    let known = known.map(|(name, value)| (name.as_str(), value.as_str()));
    let address = [("vfs.s3.endpoint_override", address)];
    for (name, value) in known.chain(address).chain(parameters.iter().copied()) {
        config.set(name, value).expect("a parameter");
    }
    Context::with_config(config).expect("a context")
}

/// Creates a sparse array with the cells 0 to `cells` - 1 in fragments.
fn create(context: &Context, uri: &str, cells: i64, fragments: i64) {
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("id", Datatype::Int64, 0..=9_999_999, 1000)
        .attribute("a", Datatype::Int64)
        .attribute("s", Datatype::StringUtf8)
        .capacity(1000)
        .build()
        .expect("a schema");
    Array::create(context, uri, &schema).expect("an array");
    let each = cells / fragments;
    for fragment in 0..fragments {
        let ids = fragment * each..(fragment + 1) * each;
        let texts = ids.clone().map(|id| format!("text {}", id * 7919 % 1000));
        let array = Array::open(context, uri).expect("an array");
        let write = array
            .write()
            .column("id", ids.clone())
            .column("a", ids)
            .column("s", texts);
        write.submit().expect("a write");
    }
}

/// Returns what a context finds at URIs: the number of cells, if there is an array.
fn cells(context: &Context, uris: &[String]) -> Vec<Option<u64>> {
    let each = uris.iter().map(|uri| {
        let is_array = context.object_type(uri).expect("a type") == ObjectType::Array;
        is_array.then(|| {
            let array = Array::open(context, uri).expect("an array");
            array.query().count().expect("a number")
        })
    });
    each.collect()
}

/// Returns the rows as lines, in an order that does not depend on partitions.
fn lines(rows: &[RecordBatch]) -> Vec<String> {
    let text = pretty_format_batches(rows).expect("rows").to_string();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

async fn run(session: &SessionContext, sql: &str) -> Result<Vec<RecordBatch>> {
    let run = async { session.sql(sql).await?.collect().await };
    let result = tokio::time::timeout(LIMIT, run).await;
    result.unwrap_or_else(|_| panic!("more than {LIMIT:?}: {sql}"))
}

/// Asserts that an error is one line with a URI that begins so.
fn check_error(error: &DataFusionError, uri: &str, case: &str) {
    let text = error.to_string();
    assert!(text.contains(uri) && !text.contains('\n'), "{case}: {text}");
    let mut causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| {
        error.source()
    });
    assert!(
        causes.any(|cause| cause.is::<tiledb_engine::Error>()),
        "{case}: {error:?}"
    );
}

/// The names of the files in a folder.
fn files(folder: &std::path::Path) -> Vec<std::ffi::OsString> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").file_name())
        .collect()
}

/// Checks that a folder has no files once dropped writers have removed theirs.
async fn assert_becomes_empty(folder: &std::path::Path, case: &str) {
    let begun = std::time::Instant::now();
    while !files(folder).is_empty() {
        assert!(
            begun.elapsed().as_secs() < 10,
            "{case}: {:?}",
            files(folder)
        );
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// A session of which the arrays are behind a proxy, and which has the arrays `t` and `u` and the
/// group `g`.
struct Tables {
    root: String,
    direct: Context,
    proxy: Proxy,
    session: SessionContext,
}

impl Tables {
    async fn new(server: &'static Server, name: &str, parameters: &[(&str, &str)]) -> Self {
        let root = format!("{}/{name}", server.uri);
        let direct = context(server, &server.host, &[]);
        let proxy = Proxy::new(&server.host);
        for table in ["t", "u"] {
            create(&direct, &format!("{root}/{table}"), CELLS, 2);
        }
        Group::create(&direct, &format!("{root}/g")).expect("a group");
        let through = context(server, &proxy.address.to_string(), parameters);
        let session = new_session(&through);
        for table in ["t", "u"] {
            let create =
                format!("CREATE EXTERNAL TABLE {table} STORED AS TILEDB LOCATION '{root}/{table}'");
            run(&session, &create).await.expect("a table");
        }
        let options = TableOptions::new().context(&through);
        let group = TileDbGroup::open(&format!("{root}/g"), options).expect("a group");
        let catalog = session.catalog("datafusion").expect("a catalog");
        catalog
            .register_schema("g", Arc::new(group))
            .expect("a schema");
        Self {
            root,
            direct,
            proxy,
            session,
        }
    }
}

/// Each request of each statement is the first one that fails.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_server_is_an_error_and_changes_nothing() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| format!("{}/{name}", folder.path().to_str().expect("a path"));
    let tables = Tables::new(server, "lost", &QUICK).await;
    let (root, proxy) = (&tables.root, &tables.proxy);
    let rows = "SELECT id + 100000 AS id, a, s FROM t";
    let statements = [
        "SELECT * FROM t".to_owned(),
        format!("SELECT count(*), sum(a) FROM tiledb('{root}/t') WHERE s > 'text 5'"),
        "SELECT t.id, u.s FROM t JOIN u ON t.a = u.id WHERE u.a % 7 = 3".to_owned(),
        "SELECT s, count(*) FROM t GROUP BY s ORDER BY s LIMIT 5".to_owned(),
        format!("INSERT INTO u {rows}"),
        format!("CREATE TABLE g.made AS {rows}"),
        format!("COPY ({rows}) TO '{root}/copy' STORED AS TILEDB"),
        format!("COPY ({rows}) TO '{}' STORED AS CSV", file("copy.csv")),
        format!(
            "COPY ({rows}) TO '{}' STORED AS PARQUET",
            file("copy.parquet")
        ),
        "DELETE FROM u WHERE a < 1000".to_owned(),
    ];
    let uris = ["t", "u", "g/made", "copy"].map(|name| format!("{root}/{name}"));
    let before = cells(&tables.direct, &uris);
    assert_eq!(before, [Some(CELLS as u64), Some(CELLS as u64), None, None]);
    for sql in &statements {
        let expected = if sql.starts_with("SELECT") {
            Some(lines(&run(&tables.session, sql).await.expect("rows")))
        } else {
            None
        };
        let mut failed = 0;
        for requests in 0.. {
            let outages = [
                Outage::Refused,
                Outage::Closed,
                Outage::Status(500),
                Outage::Status(403),
                Outage::Stall,
            ];
            // A stall takes longer than the other ones.
            let outage = outages[requests % if requests % 10 == 4 { 5 } else { 4 }];
            proxy.fail_after(requests as i64, outage);
            let result = run(&tables.session, sql).await;
            let was_reached = proxy.state.left.load(Ordering::SeqCst) < 0;
            proxy.restore();
            let case = format!("{outage:?} after {requests}: {sql}");
            let found = cells(&tables.direct, &uris);
            let error = match (result, &expected) {
                (Err(error), _) => error,
                // A request may be for bytes that are not needed.
                (Ok(rows), Some(expected)) if was_reached => {
                    assert!(lines(&rows) == *expected, "{case}");
                    continue;
                }
                (Ok(_), _) => {
                    assert!(!was_reached, "{case}");
                    break;
                }
            };
            failed += 1;
            check_error(&error, root, &case);
            assert_eq!(found[..2], before[..2], "{case}");
            assert_becomes_empty(folder.path(), &case).await;
            // An array that cannot be removed from a lost server has no rows, or is not in the
            // group. The error names it.
            for (uri, cells) in uris.iter().zip(&found).skip(2) {
                if let Some(cells) = cells {
                    assert!(*cells == 0 || uri.contains("/g/"), "{case}: {cells}");
                    assert!(
                        error.to_string().contains("cannot be removed"),
                        "{case}: {error}"
                    );
                    tables.direct.remove(uri).expect("an array");
                }
            }
            let group = Group::open(&tables.direct, &format!("{root}/g"));
            let members = group.and_then(|group| group.members());
            assert_eq!(members.expect("members").len(), 0, "{case}");
        }
        assert!(failed >= 3, "{failed}: {sql}");
        // The statement that succeeded.
        for name in files(folder.path()) {
            std::fs::remove_file(folder.path().join(name)).expect("a file");
        }
        for (uri, cells) in uris.iter().zip(cells(&tables.direct, &uris)).skip(2) {
            if cells.is_some() {
                assert_eq!(cells, Some(CELLS as u64), "{sql}");
                tables.direct.remove(uri).expect("an array");
            }
        }
        if sql.starts_with("CREATE") {
            let group = Group::open(&tables.direct, &format!("{root}/g")).expect("a group");
            group.remove("made").expect("a member");
        }
        if sql.starts_with("INSERT") {
            let array = Array::open(&tables.direct, &uris[1]).expect("an array");
            array.delete(&field("id").ge(100_000)).expect("a delete");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropped_stream_sends_no_more_requests() {
    let Some(server) = server() else { return };
    let tables = Tables::new(server, "dropped", &[]).await;
    let (session, proxy) = (&tables.session, &tables.proxy);
    // A file is read by one request.
    let uri = format!("{}/long", tables.root);
    create(&tables.direct, &uri, 20 * CELLS, 20);
    let sql = format!("SELECT * FROM tiledb('{uri}')");
    let begun = proxy.requests();
    run(session, &sql).await.expect("rows");
    let all = proxy.requests() - begun;
    let frame = session.sql(&sql).await.expect("a query");
    let mut stream = frame.execute_stream().await.expect("a stream");
    let begun = proxy.requests();
    assert!(stream.next().await.expect("a batch").is_ok());
    drop(stream);
    // Requests that have begun end.
    let mut before = proxy.requests();
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = proxy.requests();
        if now == before {
            break;
        }
        before = now;
    }
    assert!((before - begun) * 2 < all, "{} of {all}", before - begun);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_of_tables_are_sentences_with_the_uri() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = format!("{}/t", folder.path().to_str().expect("a path"));
    let direct = Context::new().expect("a context");
    create(&direct, &uri, CELLS, 2);
    let session = new_session(&direct);
    for (table, part) in [
        (
            format!("tiledb('{uri}', 'sm.mem.total_budget' => '1000')"),
            uri.as_str(),
        ),
        (format!("tiledb('{uri}-missing')"), "t-missing"),
        (format!("tiledb('{uri}', fields => 'id,colour')"), &uri),
        (
            "tiledb_tiles('tiledb://workspace/teamspace/t')".to_owned(),
            "tiledb://workspace/teamspace/t",
        ),
        (
            "tiledb('tiledb://workspace/teamspace/t')".to_owned(),
            "tiledb://workspace/teamspace/t",
        ),
        ("tiledb('s3://')".to_owned(), "s3://"),
    ] {
        let sql = format!("SELECT * FROM {table}");
        let error = run(&session, &sql).await.expect_err("an error").to_string();
        assert!(
            error.contains(part) && !error.contains('\n'),
            "{sql}: {error}"
        );
    }
}

/// The server of `tests/rest/server.py`, which ends when this value is dropped.
struct ArrayServer(std::process::Child);

impl Drop for ArrayServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Arrays on a TileDB server are read and written by its files.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stdout, reason = "says that the test was skipped")]
async fn arrays_on_a_tiledb_server_are_tables_until_it_is_lost() {
    let library = std::env::var_os("TILEDB_UPSTREAM_LIB").filter(|library| !library.is_empty());
    let Some(library) = library else {
        println!("skipped: TILEDB_UPSTREAM_LIB is not set");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let served = folder.path().join("workspace/teamspace");
    std::fs::create_dir_all(&served).expect("a folder");
    let direct = Context::new().expect("a context");
    let stored = served.join("t");
    create(&direct, stored.to_str().expect("a path"), 1000, 2);
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/rest/server.py");
    let mut process = std::process::Command::new("python3")
        .args([
            program.as_ref(),
            library.as_os_str(),
            folder.path().as_os_str(),
        ])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a server");
    let output = process.stdout.take().expect("an output");
    let server = ArrayServer(process);
    let mut address = String::new();
    std::io::BufRead::read_line(&mut BufReader::new(output), &mut address).expect("the address");
    let mut config = Config::new();
    for (name, value) in [
        ("rest.server_address", address.trim()),
        ("rest.token", "token"),
        ("vfs.s3.connect_max_tries", "2"),
    ] {
        config.set(name, value).expect("a parameter");
    }
    let context = Context::with_config(config).expect("a context");
    let session = new_session(&context);
    let uri = "tiledb://workspace/teamspace/t";
    let table = format!("CREATE EXTERNAL TABLE t STORED AS TILEDB LOCATION '{uri}'");
    let count = "SELECT count(*) AS rows FROM t WHERE id >= 500";
    let has =
        |batches: &[RecordBatch], line: &str| lines(batches).iter().any(|found| found == line);
    run(&session, &table).await.expect("a table");
    let found = run(&session, count).await.expect("rows");
    assert!(has(&found, "| 500  |"), "{found:?}");
    let insert = "INSERT INTO t SELECT id + 100000 AS id, a, s FROM t WHERE id < 10";
    run(&session, insert).await.expect("a write");
    let delete = "DELETE FROM t WHERE id = 100001";
    run(&session, delete).await.expect("a delete");
    let found = run(&session, count).await.expect("rows");
    assert!(has(&found, "| 509  |"), "{found:?}");
    drop(server);
    for sql in [count, insert, delete, "SELECT * FROM t"] {
        let error = run(&session, sql).await.expect_err("a lost server");
        check_error(&error, uri, sql);
    }
}
