//! Plans that are encoded in one process and decoded in another.

use std::sync::Arc;

use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion::prelude::SessionContext;
use datafusion_proto::bytes::{
    logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use tiledb_datafusion::TableOptions;
use tiledb_datafusion::proto::TileDbCodec;
use tiledb_engine::Array;

use crate::arrays;

const QUERIES: [&str; 9] = [
    "SELECT id, a FROM tiledb('mem://cells') WHERE id BETWEEN 2 AND 11 AND a > 5",
    "SELECT * FROM tiledb('mem://cells') WHERE color = 'red' OR s LIKE 't%' ORDER BY id",
    "SELECT y, x, v FROM tiledb('mem://grid') WHERE y IN (2, 5) AND v > 30 ORDER BY y, x",
    "SELECT count(v) FROM tiledb('mem://grid', unwritten_cells => true)",
    "SELECT name, n FROM tiledb('mem://names') WHERE name > 'bob' AND year < 2015 ORDER BY n",
    "SELECT day FROM tiledb('mem://times') WHERE day >= '2024-12-01' ORDER BY day LIMIT 3",
    "SELECT c.id, t.n FROM tiledb('mem://cells') c JOIN tiledb('mem://times') t ON c.a = t.n ORDER BY c.id",
    "SELECT count(*), sum(a) FROM tiledb('mem://cells', fields => 'id,a') WHERE id < -1",
    "SELECT color, arrow_typeof(color), count(*) FROM tiledb('mem://cells', dictionaries => true) WHERE color <> 'red' GROUP BY color ORDER BY color",
];

/// Returns a session without the rule that replaces aggregates, which have no message.
fn plain_session(context: &tiledb_engine::Context) -> SessionContext {
    let session = SessionContext::new();
    tiledb_datafusion::register(&session, &TableOptions::new().context(context));
    session
}

fn texts(batches: &[datafusion::arrow::array::RecordBatch]) -> String {
    let text = datafusion::arrow::util::pretty::pretty_format_batches(batches);
    text.expect("rows").to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plans_are_the_same_after_a_round_trip() {
    let context = arrays::context();
    let session = plain_session(&context);
    let codec = TileDbCodec::new(TableOptions::new().context(&context));
    for sql in QUERIES {
        let frame = session.sql(sql).await.expect("a query");
        let logical = frame.logical_plan().clone();
        let plan = frame.create_physical_plan().await.expect("a plan");
        let bytes = physical_plan_to_bytes_with_extension_codec(plan.clone(), &codec);
        let bytes = bytes.expect("a message");
        let task = session.task_ctx();
        let decoded = physical_plan_from_bytes_with_extension_codec(&bytes, &task, &codec);
        let decoded = decoded.expect("a plan");
        let shown = |plan: &Arc<dyn ExecutionPlan>| {
            let text = displayable(plan.as_ref()).indent(false).to_string();
            // Predicates that become known during the query are not in messages.
            let lines = text
                .lines()
                .map(|line| line.split(", dynamic=").next().unwrap_or(line).to_owned())
                // The condition of a dense read is not sent; a filter above evaluates it.
                .map(|line| line.replace(", condition=[\"v\" >= 31]", ""));
            lines
                .filter(|line| line.contains("TileDbScan"))
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(&decoded).len(), shown(&plan).len());
        let expected = collect(plan, task.clone()).await.expect("rows");
        let found = collect(decoded, task.clone()).await.expect("rows");
        assert_eq!(texts(&found), texts(&expected), "{sql}");
        let bytes =
            logical_plan_to_bytes_with_extension_codec(&logical, &codec).expect("a message");
        let decoded = logical_plan_from_bytes_with_extension_codec(&bytes, &task, &codec);
        let decoded = session
            .execute_logical_plan(decoded.expect("a plan"))
            .await
            .expect("a plan");
        let found = decoded.collect().await.expect("rows");
        assert_eq!(texts(&found), texts(&expected), "{sql}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decoded_scan_reads_the_state_at_planning() {
    let context = arrays::context();
    let session = plain_session(&context);
    let codec = TileDbCodec::new(TableOptions::new().context(&context));
    let frame = session
        .sql("SELECT id FROM tiledb('mem://cells')")
        .await
        .expect("a query");
    let plan = frame.create_physical_plan().await.expect("a plan");
    let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).expect("a message");
    std::thread::sleep(std::time::Duration::from_millis(2));
    let array = Array::open(&context, "mem://cells").expect("an array");
    array
        .delete(&tiledb_engine::field("id").lt(20))
        .expect("a delete");
    let task = session.task_ctx();
    let decoded = physical_plan_from_bytes_with_extension_codec(&bytes, &task, &codec);
    let rows = collect(decoded.expect("a plan"), task).await.expect("rows");
    assert_eq!(rows.iter().map(|batch| batch.num_rows()).sum::<usize>(), 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scans_of_a_plan_are_decoded_with_one_open_array() {
    let context = arrays::context();
    let folder = tempfile::tempdir().expect("a folder");
    let uri = folder.path().join("cells");
    let uri = uri.to_str().expect("a path");
    let schema = tiledb_engine::Schema::builder(tiledb_engine::ArrayType::Sparse)
        .dimension("id", tiledb_engine::Datatype::Int64, 0..=9, 1)
        .attribute("a", tiledb_engine::Datatype::Int64)
        .build()
        .expect("a schema");
    Array::create(&context, uri, &schema).expect("an array");
    let session = plain_session(&context);
    let codec = TileDbCodec::new(TableOptions::new().context(&context));
    let task = session.task_ctx();
    let sql = format!("SELECT * FROM tiledb('{uri}', timestamp => 1000000000000000)");
    let frame = session.sql(&sql).await.expect("a query");
    let message = |plan| physical_plan_to_bytes_with_extension_codec(plan, &codec);
    let plan = frame.clone().create_physical_plan().await.expect("a plan");
    let first = message(plan).expect("a message");
    let decode = |bytes: &[u8], codec: &TileDbCodec| {
        physical_plan_from_bytes_with_extension_codec(bytes, &task, codec)
    };
    decode(&first, &codec).expect("a plan");
    let plan = frame.create_physical_plan().await.expect("a plan");
    let second = message(plan).expect("a message");
    std::fs::rename(uri, folder.path().join("another")).expect("a new name");
    decode(&first, &codec.clone()).expect("a plan");
    // Another plan of the same statement, and another process, open the array.
    decode(&second, &codec).expect_err("the array is missing");
    decode(&first, &TileDbCodec::default()).expect_err("the array is missing");
    // 16 other plans displace the array that is open.
    std::fs::rename(folder.path().join("another"), uri).expect("the old name");
    for _ in 0..16 {
        let frame = session.sql(&sql).await.expect("a query");
        let plan = frame.create_physical_plan().await.expect("a plan");
        decode(&message(plan).expect("a message"), &codec).expect("a plan");
    }
    std::fs::rename(uri, folder.path().join("another")).expect("a new name");
    decode(&first, &codec).expect_err("the array is missing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_have_no_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = folder.path().join("secret");
    let uri = uri.to_str().expect("a path");
    let key = "0123456789abcdeF0123456789abcdeF";
    let options = TableOptions::new()
        .key(key)
        .parameter("vfs.s3.aws_secret_access_key", "another secret");
    let mut config = tiledb_engine::Config::new();
    config
        .set("sm.encryption_type", "AES_256_GCM")
        .expect("a parameter");
    config.set("sm.encryption_key", key).expect("a parameter");
    let context = tiledb_engine::Context::with_config(config).expect("a context");
    let schema = tiledb_engine::Schema::builder(tiledb_engine::ArrayType::Sparse)
        .dimension("id", tiledb_engine::Datatype::Int64, 0..=9, 1)
        .attribute("a", tiledb_engine::Datatype::Int64)
        .build()
        .expect("a schema");
    Array::create(&context, uri, &schema).expect("an array");
    let session = SessionContext::new();
    let table = tiledb_datafusion::TileDbTable::open(uri, options.clone()).expect("a table");
    session
        .register_table("t", Arc::new(table))
        .expect("a table");
    let frame = session
        .sql("SELECT * FROM t WHERE id > 2")
        .await
        .expect("a query");
    let codec = TileDbCodec::new(options);
    let logical = logical_plan_to_bytes_with_extension_codec(frame.logical_plan(), &codec);
    let physical = frame.create_physical_plan().await.expect("a plan");
    let physical = physical_plan_to_bytes_with_extension_codec(physical, &codec);
    for bytes in [logical.expect("a message"), physical.expect("a message")] {
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("secret") && !text.contains(key) && !text.contains("another secret"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_messages_are_errors() {
    let context = arrays::context();
    let session = plain_session(&context);
    let codec = TileDbCodec::new(TableOptions::new().context(&context));
    let frame = session.sql(QUERIES[0]).await.expect("a query");
    let plan = frame.create_physical_plan().await.expect("a plan");
    let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).expect("a message");
    let task = session.task_ctx();
    let mut errors = 0;
    for index in 0..bytes.len() {
        for changed in [0, 1, 0x7f, 0xff] {
            let mut damaged = bytes.to_vec();
            damaged[index] ^= changed;
            // A change may be of a value; none may cause a panic.
            errors += usize::from(
                physical_plan_from_bytes_with_extension_codec(&damaged, &task, &codec).is_err(),
            );
        }
        errors += usize::from(
            physical_plan_from_bytes_with_extension_codec(&bytes[..index], &task, &codec).is_err(),
        );
    }
    assert!(errors > bytes.len());
}
