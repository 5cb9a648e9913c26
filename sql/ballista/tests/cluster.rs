//! A scheduler and executors in processes of their own on loopback.
//!
//! Arrays are in S3, too, if its server can be installed; the requests and bytes of each executor
//! are counted then.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use tiledb_ballista::ClusterCodec;
use tiledb_datafusion::{TableOptions, TileDbTable};
use tiledb_engine::{Array, ArrayType, Context, Datatype, Schema};

#[path = "../../../engine/tests/setup/servers.rs"]
mod servers;

const PARTITIONS: usize = 8;

/// A process that ends with the value.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

fn start(arguments: &[String], variables: &[(String, String)]) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiledb-ballista"));
    let output = || match std::env::var_os("TILEDB_RS_CLUSTER_LOG") {
        Some(_) => Stdio::inherit(),
        None => Stdio::null(),
    };
    command.args(arguments).stdout(output()).stderr(output());
    for (name, value) in variables {
        command.env(name, value);
    }
    Process(command.spawn().expect("a process"))
}

fn await_port(port: u16) {
    let begun = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(60), "port {port}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A scheduler with executors.
struct Cluster {
    port: u16,
    folder: tempfile::TempDir,
    executors: Vec<Process>,
    _scheduler: Process,
}

impl Cluster {
    fn new(executors: usize, variables: &[(String, String)]) -> Self {
        let port = free_port();
        let text =
            |name: &str, value: &dyn std::fmt::Display| [format!("--{name}"), value.to_string()];
        let mut arguments = vec!["scheduler".to_owned()];
        arguments.extend(text("port", &port));
        arguments.extend(text("executor-timeout", &6));
        arguments.extend(text("expire-interval", &1));
        let scheduler = start(&arguments, variables);
        await_port(port);
        let mut cluster = Self {
            port,
            folder: tempfile::tempdir().expect("a folder"),
            executors: Vec::new(),
            _scheduler: scheduler,
        };
        for _ in 0..executors {
            cluster.add_executor(variables);
        }
        cluster
    }

    /// Starts an executor; returns its index.
    fn add_executor(&mut self, variables: &[(String, String)]) -> usize {
        let index = self.executors.len();
        let folder = self.work_folder(index);
        std::fs::create_dir(&folder).expect("a folder");
        let (port, grpc_port) = (free_port(), free_port());
        let arguments = [
            "executor",
            "--scheduler",
            &format!("127.0.0.1:{}", self.port),
            "--port",
            &port.to_string(),
            "--grpc-port",
            &grpc_port.to_string(),
            "--work-dir",
            folder.to_str().expect("a path"),
            "--tasks",
            "1",
            "--heartbeat",
            "1",
        ];
        let process = start(&arguments.map(str::to_owned), variables);
        self.executors.push(process);
        await_port(port);
        index
    }

    fn work_folder(&self, executor: usize) -> std::path::PathBuf {
        self.folder.path().join(format!("executor-{executor}"))
    }

    /// Returns whether an executor wrote results.
    fn has_worked(&self, executor: usize) -> bool {
        let entries = std::fs::read_dir(self.work_folder(executor)).expect("a folder");
        entries.count() > 0
    }

    /// Returns a session whose queries run on the executors.
    async fn session(&self, context: &Context) -> SessionContext {
        let codec = Arc::new(ClusterCodec::new(TableOptions::new().context(context)));
        let config = SessionConfig::new_with_ballista()
            .with_target_partitions(PARTITIONS)
            .with_ballista_logical_extension_codec(codec.clone())
            .with_ballista_physical_extension_codec(codec);
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_default_features()
            .build();
        let url = format!("df://127.0.0.1:{}", self.port);
        let session = SessionContext::remote_with_state(&url, state).await;
        session.expect("a session")
    }
}

fn local_session() -> SessionContext {
    SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2))
}

fn add_table(session: &SessionContext, context: &Context, name: &str, uri: &str) {
    let options = TableOptions::new().context(context);
    let table = TileDbTable::open(uri, options).expect("a table");
    session
        .register_table(name, Arc::new(table))
        .expect("a table");
}

async fn text(session: &SessionContext, sql: &str) -> String {
    let frame = session.sql(sql).await.expect("a query");
    let rows = frame.collect().await.expect("rows");
    pretty_format_batches(&rows).expect("rows").to_string()
}

/// Creates an array with the cells 0 to `cells` - 1 in fragments; `k` has 1000 values.
fn create(context: &Context, uri: &str, cells: i64, fragments: i64) {
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("id", Datatype::Int64, 0..=99_999_999, 1000)
        .attribute("k", Datatype::Int64)
        .attribute("v", Datatype::Int64)
        .capacity(1000)
        .build()
        .expect("a schema");
    Array::create(context, uri, &schema).expect("an array");
    let each = cells / fragments;
    for fragment in 0..fragments {
        append(context, uri, fragment * each, each);
    }
}

fn append(context: &Context, uri: &str, start: i64, cells: i64) {
    let array = Array::open(context, uri).expect("an array");
    let ids = start..start + cells;
    let written = array
        .write()
        .column("id", ids.clone())
        .column("k", ids.clone().map(|id| id * 7919 % 1000))
        .column("v", ids.map(|id| id % 97))
        .submit();
    written.expect("a write");
}

const QUERIES: [&str; 5] = [
    "SELECT count(*), sum(v), min(id), max(k) FROM t",
    "SELECT k % 10 AS g, count(*), sum(v) FROM t WHERE id >= 20000 GROUP BY k % 10 ORDER BY g",
    "SELECT t.id, t.v, u.v AS w FROM t JOIN u ON t.k = u.id WHERE t.id < 3000 AND t.v > 90 ORDER BY t.id",
    "SELECT u.v, count(*), sum(t.v) FROM t JOIN u ON t.k = u.id GROUP BY u.v ORDER BY u.v LIMIT 20",
    "SELECT id, v FROM t WHERE k = 5 ORDER BY v DESC, id LIMIT 10",
];

/// Compares queries over two arrays with those of one process.
async fn compare(cluster: &Cluster, context: &Context, folder: &str) {
    let (t, u) = (format!("{folder}/t"), format!("{folder}/u"));
    let (remote, local) = (cluster.session(context).await, local_session());
    for session in [&remote, &local] {
        add_table(session, context, "t", &t);
        add_table(session, context, "u", &u);
    }
    for sql in QUERIES {
        assert_eq!(text(&remote, sql).await, text(&local, sql).await, "{sql}");
    }
}

fn folder_uri(folder: &Path) -> String {
    folder.to_str().expect("a path").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_on_three_executors_have_the_results_of_one_process() {
    let cluster = Cluster::new(3, &[]);
    let folder = tempfile::tempdir().expect("a folder");
    let context = Context::new().expect("a context");
    let uri = folder_uri(folder.path());
    create(&context, &format!("{uri}/t"), 600_000, 6);
    create(&context, &format!("{uri}/u"), 1000, 1);
    compare(&cluster, &context, &uri).await;
    for executor in 0..3 {
        assert!(cluster.has_worked(executor), "executor {executor} was idle");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_executor_does_not_change_results_and_a_late_one_takes_part() {
    let mut cluster = Cluster::new(2, &[]);
    let folder = tempfile::tempdir().expect("a folder");
    let context = Context::new().expect("a context");
    let uri = format!("{}/t", folder_uri(folder.path()));
    create(&context, &uri, 2_000_000, 8);
    let (remote, local) = (cluster.session(&context).await, local_session());
    for session in [&remote, &local] {
        add_table(session, &context, "t", &uri);
    }
    let sql = "SELECT v, count(*), sum(k), count(DISTINCT k) FROM t GROUP BY v ORDER BY v";
    let expected = text(&local, sql).await;
    let query = tokio::spawn(async move { text(&remote, sql).await });
    // The executor ends while it runs tasks of the query.
    let begun = Instant::now();
    while !cluster.has_worked(0) && !query.is_finished() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!query.is_finished(), "the query was too short");
    let killed = cluster.executors.first_mut().expect("an executor");
    killed.0.kill().expect("a signal");
    killed.0.wait().expect("a status");
    let late = cluster.add_executor(&[]);
    assert_eq!(query.await.expect("a result"), expected);
    let again = cluster.session(&context).await;
    add_table(&again, &context, "t", &uri);
    assert_eq!(text(&again, sql).await, expected);
    assert!(cluster.has_worked(late), "the late executor was idle");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_see_complete_writes() {
    const CELLS: i64 = 2000;
    let cluster = Cluster::new(2, &[]);
    let folder = tempfile::tempdir().expect("a folder");
    let context = Context::new().expect("a context");
    let uris: Vec<String> = ["a", "b"]
        .iter()
        .map(|name| format!("{}/{name}", folder_uri(folder.path())))
        .collect();
    for uri in &uris {
        create(&context, uri, CELLS, 1);
    }
    let remote = cluster.session(&context).await;
    for (name, uri) in ["a", "b"].iter().zip(&uris) {
        add_table(&remote, &context, name, uri);
    }
    let writers: Vec<_> = uris
        .iter()
        .map(|uri| {
            let (uri, context) = (uri.clone(), context.clone());
            std::thread::spawn(move || {
                for number in 1..20 {
                    append(&context, &uri, number * CELLS, CELLS);
                    std::thread::sleep(Duration::from_millis(20));
                }
            })
        })
        .collect();
    let sql = "SELECT count(*) AS n, max(id) AS m FROM a UNION ALL SELECT count(*), max(id) FROM b";
    let mut seen = Vec::new();
    loop {
        let is_last = writers.iter().all(std::thread::JoinHandle::is_finished);
        let rows = remote.sql(sql).await.expect("a query").collect().await;
        for batch in rows.expect("rows") {
            for row in 0..batch.num_rows() {
                let number = |column: usize| {
                    let value =
                        datafusion::common::ScalarValue::try_from_array(batch.column(column), row);
                    value
                        .expect("a value")
                        .to_string()
                        .parse::<i64>()
                        .expect("a number")
                };
                assert_eq!(number(0) % CELLS, 0);
                assert_eq!(number(0), number(1) + 1);
                seen.push(number(0));
            }
        }
        if is_last {
            break;
        }
    }
    for writer in writers {
        writer.join().expect("a writer");
    }
    assert!(seen.len() >= 4, "{seen:?}");
    assert_eq!(seen.iter().max(), Some(&(20 * CELLS)));
}

/// A proxy that counts the requests and the bytes of responses.
struct CountingProxy {
    port: u16,
    requests: Arc<AtomicU64>,
    bytes: Arc<AtomicU64>,
}

impl CountingProxy {
    fn new(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let proxy = Self {
            port: listener.local_addr().expect("an address").port(),
            requests: Arc::default(),
            bytes: Arc::default(),
        };
        let (server, requests, bytes) = (
            server.to_owned(),
            proxy.requests.clone(),
            proxy.bytes.clone(),
        );
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let upstream = TcpStream::connect(&server).expect("the server");
                for (from, to, is_request) in [
                    (client.try_clone(), upstream.try_clone(), true),
                    (upstream.try_clone(), client.try_clone(), false),
                ] {
                    let (requests, bytes) = (requests.clone(), bytes.clone());
                    let (from, to) = (from.expect("a socket"), to.expect("a socket"));
                    std::thread::spawn(move || pass(from, to, is_request, &requests, &bytes));
                }
            }
        });
        proxy
    }

    fn counts(&self) -> (u64, u64) {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (load(&self.requests), load(&self.bytes))
    }
}

fn pass(
    mut from: TcpStream,
    mut to: TcpStream,
    is_request: bool,
    requests: &AtomicU64,
    bytes: &AtomicU64,
) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let part = buffer.get(..length).unwrap_or_default();
        if is_request {
            // A request of a read fits one segment.
            let line_end = b" HTTP/1.1\r\n";
            let lines = part
                .windows(line_end.len())
                .filter(|window| window == line_end);
            requests.fetch_add(lines.count() as u64, Ordering::Relaxed);
        } else {
            bytes.fetch_add(length as u64, Ordering::Relaxed);
        }
        if to.write_all(part).is_err() {
            break;
        }
    }
    // The other side may have closed it.
    let _ = to.shutdown(Shutdown::Write);
}

/// Returns the parameters of contexts that use the server by an address.
fn s3_parameters(server: &servers::Server, address: &str) -> Vec<(String, String)> {
    let mut parameters = server.parameters.clone();
    for (name, value) in &mut parameters {
        if name == "vfs.s3.endpoint_override" {
            *value = address.to_owned();
        }
    }
    parameters
}

fn s3_context(server: &servers::Server, address: &str) -> Context {
    let mut config = tiledb_engine::Config::new();
    for (name, value) in s3_parameters(server, address) {
        config.set(&name, &value).expect("a parameter");
    }
    Context::with_config(config).expect("a context")
}

/// Returns the environment of processes that use the server by an address.
fn s3_variables(server: &servers::Server, address: &str) -> Vec<(String, String)> {
    let parameters = s3_parameters(server, address).into_iter();
    let variables = parameters.map(|(name, value)| {
        let name = name.replace('.', "_").to_uppercase();
        (format!("TILEDB_{name}"), value)
    });
    variables.collect()
}

/// An executor is killed at last, in the middle of a query.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn executors_together_read_from_s3_what_one_process_reads() {
    let Some(server) = servers::start("s3") else {
        return;
    };
    let direct = s3_context(&server, &server.host);
    let folder = format!("{}/cluster", server.uri);
    // Each process reads the metadata, which is little of a large array.
    create(&direct, &format!("{folder}/t"), 12_000_000, 4);
    create(&direct, &format!("{folder}/u"), 1000, 1);
    let mut cluster = Cluster::new(0, &s3_variables(&server, &server.host));
    let proxies: Vec<_> = (0..3).map(|_| CountingProxy::new(&server.host)).collect();
    for proxy in &proxies {
        cluster.add_executor(&s3_variables(&server, &format!("127.0.0.1:{}", proxy.port)));
    }
    compare(&cluster, &direct, &folder).await;
    let before: Vec<_> = proxies.iter().map(CountingProxy::counts).collect();
    let remote = cluster.session(&direct).await;
    add_table(&remote, &direct, "t", &format!("{folder}/t"));
    let sql = "SELECT k % 10 AS g, sum(v), max(id) FROM t GROUP BY k % 10 ORDER BY g";
    let expected = text(&remote, sql).await;
    let alone = CountingProxy::new(&server.host);
    let context = s3_context(&server, &format!("127.0.0.1:{}", alone.port));
    let local = local_session();
    add_table(&local, &context, "t", &format!("{folder}/t"));
    assert_eq!(expected, text(&local, sql).await);
    let after = proxies.iter().map(CountingProxy::counts);
    let each: Vec<_> = after
        .zip(before)
        .map(|(after, before)| (after.0 - before.0, after.1 - before.1))
        .collect();
    let (requests, bytes) = each
        .iter()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let one = alone.counts();
    let report = format!(
        "(requests, bytes) of executors: {each:?}, together {:?}, of one process: {one:?}\n",
        (requests, bytes)
    );
    std::io::stderr()
        .write_all(report.as_bytes())
        .expect("standard error");
    // The state of the array is read by each process.
    assert!(bytes * 10 <= one.1 * 11, "{report}");
    assert!(requests * 10 <= one.0 * 11, "{report}");
    // An executor ends after it has begun to read.
    let begun: Vec<_> = proxies.iter().map(CountingProxy::counts).collect();
    let query = tokio::spawn(async move { text(&remote, sql).await });
    let start = Instant::now();
    let reader = loop {
        let mut counts = proxies.iter().zip(&begun);
        let found = counts.position(|(proxy, begun)| proxy.counts().1 >= begun.1 + (1 << 20));
        if let Some(reader) = found {
            break reader;
        }
        assert!(start.elapsed() < Duration::from_secs(60) && !query.is_finished());
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    let killed = &mut cluster.executors[reader];
    killed.0.kill().expect("a signal");
    killed.0.wait().expect("a status");
    assert_eq!(query.await.expect("a result"), expected);
}
