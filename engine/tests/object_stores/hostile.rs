//! Responses of a hostile server: operations end with an error or a result, soon and without much
//! memory.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tiledb_engine::internal::array::{Array, WithMetadata};
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::inspect::FragmentInfo;
use tiledb_engine::internal::types::{ArrayType, Datatype, QueryType};
use tiledb_engine::internal::vfs::{Uri, Vfs};

use crate::changed::ChangingProxy;
use crate::random::{self, Random};
use crate::servers::{self, Server};
use crate::setup::{self, TestArray, attribute, dimension, schema};
use crate::write_fragment;

/// The longest time of an operation: many times that of a request.
const TIME: Duration = Duration::from_secs(20);
/// The memory that all operations may need, in bytes.
const MEMORY: u64 = 1 << 30;
/// Parameters that make failures quick.
const QUICK: [(&str, &str); 14] = [
    ("vfs.s3.connect_max_tries", "1"),
    ("vfs.s3.connect_scale_factor", "1"),
    ("vfs.s3.connect_timeout_ms", "1000"),
    ("vfs.s3.request_timeout_ms", "1000"),
    ("vfs.s3.multipart_part_size", "5242880"),
    ("vfs.azure.max_retries", "1"),
    ("vfs.azure.retry_delay_ms", "1"),
    ("vfs.azure.max_retry_delay_ms", "2"),
    ("vfs.azure.block_list_block_size", "1000000"),
    ("vfs.gcs.request_timeout_ms", "1000"),
    ("vfs.gcs.multi_part_size", "1048576"),
    ("vfs.gcs.max_direct_upload_size", "1048576"),
    ("vfs.min_parallel_size", "100000"),
    ("sm.io_concurrency_level", "2"),
];

/// A client whose responses pass the proxy.
struct Client {
    vfs: Arc<Vfs>,
    uri: String,
    /// The number of the case, which names what it creates.
    case: u64,
}

impl Client {
    fn at(&self, path: &str) -> Uri {
        Uri::parse(&format!("{}/{path}", self.uri)).expect("uri")
    }

    fn scratch(&self) -> Uri {
        self.at(&format!("scratch-{}", self.case))
    }
}

type Operation = fn(&Client) -> Result<()>;

const OPERATIONS: [(&str, Operation); 9] = [
    ("list", list),
    ("look up", look_up),
    ("read", read),
    ("open", open),
    ("fragments", fragments),
    ("write", write),
    ("write parts", write_parts),
    ("copy", copy),
    ("bucket", bucket),
];

fn list(client: &Client) -> Result<()> {
    client.vfs.list(&client.at("files"))?;
    client.vfs.list_with_sizes(&client.at("array"))?;
    client.vfs.dir_size(&client.at("array"))?;
    client.vfs.snapshot(&client.at("array")).map(drop)
}

fn look_up(client: &Client) -> Result<()> {
    let file = client.at("files/file");
    client.vfs.is_file(&file)?;
    client.vfs.is_dir(&client.at("files"))?;
    client.vfs.is_dir(&client.at("missing"))?;
    client.vfs.file_size(&file).map(drop)
}

fn read(client: &Client) -> Result<()> {
    let file = client.at("files/file");
    let source = client.vfs.open(&file)?;
    let mut bytes = vec![0; 300_000];
    source.read_at(1000, &mut bytes)?;
    source.size()?;
    source.read_at(500_000, &mut bytes[..10])?;
    source.read_at(500_010, &mut bytes[..10])?;
    source.read_tail(100)?;
    client.vfs.read_all(&file).map(drop)
}

fn open(client: &Client) -> Result<()> {
    let array = Array::new(&client.vfs, client.at("array").as_str())?;
    array.open(QueryType::Read)?;
    array.non_empty_domain()?;
    array.metadata_num()?;
    array.close()
}

fn fragments(client: &Client) -> Result<()> {
    let info = FragmentInfo::new(&client.vfs, client.at("array").as_str())?;
    info.load()?;
    for index in 0..info.fragment_num()?.min(8) {
        info.fragment(index, FragmentInfo::URI)?.stored_size()?;
        info.mbr_num(index)?;
    }
    Ok(())
}

fn write(client: &Client) -> Result<()> {
    let folder = client.scratch();
    let file = folder.join("file");
    client.vfs.write_all(&file, b"content")?;
    client.vfs.touch(&folder.join("other"))?;
    client.vfs.create_dir(&folder.join("folder"))?;
    client.vfs.remove_file(&file)?;
    client.vfs.remove_dir(&folder)
}

fn write_parts(client: &Client) -> Result<()> {
    let file = client.scratch().join("large");
    client.vfs.write_all(&file, &vec![7; 5_500_000])?;
    client.vfs.remove_file(&file)
}

fn copy(client: &Client) -> Result<()> {
    let folder = client.scratch();
    let (file, copy) = (client.at("files/small"), folder.join("copy"));
    client.vfs.copy_file(&file, &copy)?;
    client
        .vfs
        .rename("move_file", &copy, &folder.join("moved"))?;
    let (array, target) = (client.at("array/__schema"), folder.join("schema"));
    client.vfs.copy_dir(&array, &target)?;
    let uris = [folder.join("moved"), folder.join("missing")];
    client.vfs.remove_files_if_any(&uris)?;
    client.vfs.remove_dir(&folder)
}

fn bucket(client: &Client) -> Result<()> {
    let bucket = Uri::parse(&client.uri).expect("uri");
    client.vfs.is_bucket(&bucket)?;
    client.vfs.is_empty_bucket(&bucket)?;
    client.vfs.uploads(&bucket)?;
    client.vfs.abort_uploads(&client.scratch()).map(drop)
}

/// Returns the most memory that the process had so far in bytes, as far as the kernel has counted
/// it: it adds the pages of each thread in batches, so that a later value can be a little less.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    1024 * number.unwrap_or_default()
}

/// Creates an array and files.
fn prepare(client: &Client) {
    let test_array = TestArray::new(&client.vfs, client.at("array").as_str());
    let key = dimension("key", Datatype::Int32, [0, 100_000], 1000);
    let value = attribute("value", Datatype::Int32, &[]);
    let draft = schema(ArrayType::Sparse, [key], [value]);
    test_array.create(&draft);
    write_fragment(&test_array, 0);
    write_fragment(&test_array, 1);
    for (name, size) in [("file", 700_000), ("small", 100), ("empty", 0)] {
        let file = client.at("files").join(name);
        client.vfs.write_all(&file, &vec![1; size]).expect("writes");
    }
}

/// Returns a file system whose requests pass the proxy.
fn proxied(server: &Server, proxy: &ChangingProxy, more: &[(&str, &str)]) -> Arc<Vfs> {
    let mut parameters = server.parameters.clone();
    for (_, value) in &mut parameters {
        *value = value.replace(&server.host, &proxy.address);
    }
    let own = parameters
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    setup::vfs(&own.chain(more.iter().copied()).collect::<Vec<_>>())
}

/// Runs all operations without changes. Returns the number of requests of each.
fn run_all(proxy: &ChangingProxy, client: &Client) -> [u64; OPERATIONS.len()] {
    OPERATIONS.map(|(name, operation)| {
        proxy.begin(None, false);
        operation(client).unwrap_or_else(|error| panic!("{}: {name}: {error}", client.uri));
        proxy.requests()
    })
}

/// Runs operations, each with a changed response or several. Returns a summary.
fn change_responses(server: &Server) -> String {
    let proxy = ChangingProxy::start(&server.host);
    let mut client = Client {
        vfs: proxied(server, &proxy, &[]),
        uri: server.uri.clone(),
        case: 0,
    };
    prepare(&client);
    let requests = run_all(&proxy, &client);
    let (before, start) = (peak(), Instant::now());
    let (mut succeeded, mut longest) = (0, Duration::ZERO);
    let seeds = random::for_each_seed(40, |seed| {
        let mut random = Random(seed);
        let index = random.below(OPERATIONS.len() as u64) as usize;
        let (name, operation) = OPERATIONS[index];
        let response = random.below(requests[index].max(1));
        let changes_later = random.below(8) == 0;
        // Nothing is known from earlier cases.
        client.vfs = proxied(server, &proxy, &QUICK);
        client.case = seed;
        proxy.begin(Some((response, random.next())), changes_later);
        let start = Instant::now();
        succeeded += usize::from(operation(&client).is_ok());
        let time = start.elapsed();
        longest = longest.max(time);
        assert!(time < TIME, "{}: {name}: {time:?}", server.kind);
    });
    client.vfs = proxied(server, &proxy, &[]);
    run_all(&proxy, &client);
    let (time, memory) = (start.elapsed(), peak().saturating_sub(before));
    assert!(memory < MEMORY, "{memory} bytes");
    let (kind, cases) = (server.kind, seeds.count());
    format!("{kind}: {cases} changes in {time:?}: {succeeded} results, {memory} bytes, {longest:?}")
}

#[test]
fn changed_responses_are_errors_or_results_soon() {
    for server in servers::all() {
        println!("{}", change_responses(server));
    }
}
