//! The behaviour of tables apart from the rows of a query: partitions, order, snapshots, streams,
//! secrets.

use std::sync::Arc;

use datafusion::arrow::array::{Array as _, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt8Type};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::MemoryLimit;
use datafusion::physical_plan::{ExecutionPlan, displayable, execute_stream};
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use tiledb_datafusion::{TableOptions, TileDbGroup, TileDbScan, TileDbTable, session};
use tiledb_engine::{
    Array, ArrayType, Attribute, Context, Datatype, Enumeration, Group, Schema, SchemaEvolution,
};

use crate::arrays::{memory_session, new_session};

async fn plan(session: &SessionContext, sql: &str) -> Arc<dyn ExecutionPlan> {
    let frame = session.sql(sql).await.expect("a query");
    frame.create_physical_plan().await.expect("a plan")
}

async fn text(session: &SessionContext, sql: &str) -> String {
    displayable(plan(session, sql).await.as_ref())
        .indent(false)
        .to_string()
}

async fn number(session: &SessionContext, sql: &str) -> i64 {
    let batches = session
        .sql(sql)
        .await
        .expect("a query")
        .collect()
        .await
        .expect("rows");
    batches[0].column(0).as_primitive::<Int64Type>().value(0)
}

/// Creates an array with the cells 0 to `cells` - 1 in fragments.
fn line(context: &Context, uri: &str, cells: i64, fragments: i64, is_dense: bool) {
    let array_type = if is_dense {
        ArrayType::Dense
    } else {
        ArrayType::Sparse
    };
    let schema = Schema::builder(array_type)
        .dimension("id", Datatype::Int64, 0..=cells - 1, 1000)
        .attribute("a", Datatype::Int64)
        .capacity(1000)
        .build()
        .expect("a schema");
    Array::create(context, uri, &schema).expect("an array");
    let array = Array::open(context, uri).expect("an array");
    let each = cells / fragments;
    for fragment in 0..fragments {
        let ids = fragment * each..(fragment + 1) * each;
        let mut write = array.write();
        write = if is_dense {
            write.range("id", ids.start..=ids.end - 1)
        } else {
            write.column("id", ids.clone())
        };
        write
            .column("a", ids.map(|id| 2 * id))
            .submit()
            .expect("a write");
    }
}

/// Returns the first scan of an array in a plan.
fn scan(plan: &Arc<dyn ExecutionPlan>) -> &TileDbScan {
    find_scan(plan, "").expect("a scan")
}

/// Returns the first scan of an array whose URI starts so.
fn find_scan<'a>(plan: &'a Arc<dyn ExecutionPlan>, uri: &str) -> Option<&'a TileDbScan> {
    let found = plan.downcast_ref::<TileDbScan>();
    found
        .filter(|scan| scan.uri().starts_with(uri))
        .or_else(|| {
            let mut children = plan.children().into_iter();
            children.find_map(|child| find_scan(child, uri))
        })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partitions_have_every_cell_once() {
    for (is_dense, fragments) in [(false, 1), (true, 1), (false, 10), (true, 10)] {
        let context = Context::new().expect("a context");
        line(&context, "mem://line", 400_000, fragments, is_dense);
        let session = new_session(&context);
        let options = TableOptions::new().context(&context);
        let table = TileDbTable::open("mem://line", options).expect("a table");
        let plan = table.scan(&session.state(), None, &[], None).await;
        let plan = plan.expect("a plan");
        let task = session.task_ctx();
        assert_eq!(
            plan.properties().partitioning.partition_count(),
            2,
            "{is_dense} {fragments}"
        );
        let mut next = 0;
        for partition in 0..2 {
            let mut stream = plan.execute(partition, task.clone()).expect("a stream");
            let mut rows = 0;
            while let Some(batch) = stream.next().await {
                let batch = batch.expect("a batch");
                assert!(batch.num_rows() <= 8192);
                rows += batch.num_rows();
                for (id, a) in batch
                    .column(0)
                    .as_primitive::<Int64Type>()
                    .values()
                    .iter()
                    .zip(batch.column(1).as_primitive::<Int64Type>().values())
                {
                    assert_eq!((*id, *a), (next, 2 * next));
                    next += 1;
                }
            }
            assert!(rows.abs_diff(200_000) <= 1000, "{rows}");
        }
        assert_eq!(next, 400_000);
    }
}

/// Nodes of DataFusion that only merge partitions pass each batch to another thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_merge_their_parts_where_no_operator_is_between() {
    let context = Context::new().expect("a context");
    line(&context, "mem://line", 400_000, 1, false);
    line(&context, "mem://dense", 400_000, 10, true);
    let session = new_session(&context);
    let task = session.task_ctx();
    for uri in ["mem://line", "mem://dense"] {
        let all = format!("SELECT id, a FROM tiledb('{uri}')");
        let read = plan(&session, &all).await;
        assert_eq!(read.properties().partitioning.partition_count(), 1);
        let shown = displayable(read.as_ref()).indent(false).to_string();
        assert!(shown.contains("partitions=2"), "{shown}");
        let mut stream = read.execute(0, task.clone()).expect("a stream");
        let mut ids = Vec::new();
        while let Some(batch) = stream.next().await {
            let batch = batch.expect("a batch");
            assert!(batch.num_rows() <= 8192);
            ids.extend_from_slice(batch.column(0).as_primitive::<Int64Type>().values());
        }
        ids.sort_unstable();
        assert!(ids.into_iter().eq(0..400_000));
        assert!(read.execute(1, task.clone()).is_err());
        // So do reads below nodes that only select and rename columns.
        let renamed = format!("SELECT a AS b, id FROM tiledb('{uri}')");
        let read = plan(&session, &renamed).await;
        assert_eq!(read.properties().partitioning.partition_count(), 1);
        let shown = displayable(read.as_ref()).indent(false).to_string();
        assert!(
            shown.contains("ProjectionExec") && shown.contains("partitions=2"),
            "{shown}"
        );
        assert!(!shown.contains("CoalescePartitionsExec"), "{shown}");
        let mut stream = read.execute(0, task.clone()).expect("a stream");
        let mut rows = 0;
        while let Some(batch) = stream.next().await {
            rows += batch.expect("a batch").num_rows();
        }
        assert_eq!(rows, 400_000);
        // One side of the join is a single table of hashes.
        let joined =
            format!("SELECT * FROM tiledb('{uri}') l JOIN tiledb('{uri}') r ON l.a + 1 = r.a * 3");
        let shown = text(&session, &joined).await;
        let lines = shown.lines().zip(shown.lines().skip(1));
        let mut pairs = lines.filter(|(_, below)| below.contains("TileDbScan"));
        assert!(
            pairs.all(|(parent, _)| !parent.contains("CoalescePartitionsExec")),
            "{shown}"
        );
        // Partitions are processed at the same time.
        let shown = text(
            &session,
            &format!("SELECT a % 7, count(*) FROM tiledb('{uri}') GROUP BY a % 7"),
        )
        .await;
        assert!(shown.contains("RepartitionExec"), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn order_of_dimensions_needs_no_sort() {
    let context = Context::new().expect("a context");
    line(&context, "mem://sparse", 400_000, 1, false);
    line(&context, "mem://dense", 400_000, 1, true);
    let session = new_session(&context);
    for uri in ["mem://sparse", "mem://dense"] {
        let sorted = text(
            &session,
            &format!("SELECT id, a FROM tiledb('{uri}') ORDER BY id"),
        )
        .await;
        assert!(
            !sorted.contains("SortExec") && sorted.contains("SortPreservingMerge"),
            "{sorted}"
        );
        let other = text(
            &session,
            &format!("SELECT id, a FROM tiledb('{uri}') ORDER BY a"),
        )
        .await;
        assert!(other.contains("SortExec"), "{other}");
    }
}

/// Parts that are disjoint in the first dimension are announced as ranges. Operators that combine
/// two arrays must not take their ranges for the same ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_and_joins_of_ranges_have_every_row_once() {
    for is_dense in [false, true] {
        let context = Context::new().expect("a context");
        line(&context, "mem://long", 400_000, 1, is_dense);
        line(&context, "mem://short", 300_000, 1, is_dense);
        line(&context, "mem://few", 280_000, 1, is_dense);
        // Each side of a join is large.
        let config = SessionConfig::new().with_target_partitions(2);
        let mut config = config.with_batch_size(8192);
        let optimizer = &mut config.options_mut().optimizer;
        optimizer.hash_join_single_partition_threshold = 0;
        optimizer.hash_join_single_partition_threshold_rows = 0;
        let session = session(config, &TableOptions::new().context(&context));
        let grouped = "SELECT id, count(*) AS c FROM tiledb('mem://long') GROUP BY id";
        let shown = text(&session, grouped).await;
        assert!(!shown.contains("RepartitionExec"), "{shown}");
        let counted = |from: &str| format!("SELECT count(*) FROM {from}");
        for (from, expected) in [
            (format!("({grouped}) WHERE c = 1"), 400_000),
            ("(SELECT id + 1 AS k, count(*) AS c FROM tiledb('mem://long') GROUP BY id + 1) WHERE c = 1".to_owned(), 400_000),
            ("tiledb('mem://long') l JOIN tiledb('mem://short') s ON l.id = s.id".to_owned(), 300_000),
            ("tiledb('mem://long') l JOIN tiledb('mem://short') s ON l.a = s.id".to_owned(), 150_000),
            (
                "tiledb('mem://long') l JOIN tiledb('mem://short') s ON l.id = s.id JOIN tiledb('mem://few') f ON f.id = l.id \
                 WHERE l.a + s.a + f.a >= 6"
                    .to_owned(),
                279_999,
            ),
            ("tiledb('mem://long') WHERE id IN (SELECT id FROM tiledb('mem://short') WHERE a >= 100)".to_owned(), 299_950),
            (format!("tiledb('mem://short') s JOIN ({grouped}) g ON s.id = g.id"), 300_000),
            ("tiledb('mem://long') l LEFT JOIN tiledb('mem://few') f ON l.id = f.id".to_owned(), 400_000),
            ("tiledb('mem://few') f RIGHT JOIN tiledb('mem://long') l ON l.id = f.id WHERE f.id IS NULL".to_owned(), 120_000),
            ("tiledb('mem://long') l FULL JOIN tiledb('mem://short') s ON l.id = s.id".to_owned(), 400_000),
            ("tiledb('mem://long') WHERE id NOT IN (SELECT id FROM tiledb('mem://short'))".to_owned(), 100_000),
            ("tiledb('mem://long') l JOIN tiledb('mem://long') s ON l.id = s.id".to_owned(), 400_000),
            ("tiledb('mem://long') l JOIN tiledb('mem://long') s ON l.id = s.id + 1".to_owned(), 399_999),
            (
                "(SELECT id, count(*) AS c FROM (SELECT id FROM tiledb('mem://long') UNION ALL SELECT id FROM tiledb('mem://short')) \
                 GROUP BY id) WHERE c = 2"
                    .to_owned(),
                300_000,
            ),
            (
                "(SELECT row_number() OVER (PARTITION BY id ORDER BY a) AS r FROM tiledb('mem://long')) WHERE r = 1".to_owned(),
                400_000,
            ),
        ] {
            assert_eq!(number(&session, &counted(&from)).await, expected, "{from}");
        }
        // Tables are divided alike, also those of joins and groups.
        for from in [
            "tiledb('mem://long') l JOIN tiledb('mem://short') s ON l.id = s.id".to_owned(),
            "tiledb('mem://short') s JOIN tiledb('mem://long') l ON l.id = s.id WHERE l.a + s.a > 7".to_owned(),
            "tiledb('mem://long') WHERE id IN (SELECT id FROM tiledb('mem://short') WHERE a > 100)".to_owned(),
            format!("tiledb('mem://short') s JOIN ({grouped}) g ON s.id = g.id"),
            "tiledb('mem://long') l JOIN tiledb('mem://short') s ON l.id = s.id JOIN tiledb('mem://few') f ON f.id = s.id".to_owned(),
        ] {
            let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {from})");
            let shown = text(&session, &sql).await;
            let exchanges = shown.matches("RepartitionExec: partitioning=Hash").count();
            assert!(exchanges == 0 && shown.contains("mode=Partitioned"), "{shown}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_of_a_join_limit_the_ranges_of_the_other_table() {
    let context = Context::new().expect("a context");
    line(&context, "mem://line", 400_000, 1, false);
    let session = new_session(&context);
    let sql = "SELECT sum(t.a) FROM (VALUES (5), (399999)) AS v(k) JOIN tiledb('mem://line') t ON t.id = v.k";
    assert_eq!(number(&session, sql).await, 2 * (5 + 399_999));
    let plan = plan(&session, sql).await;
    let shown = displayable(plan.as_ref()).indent(false).to_string();
    assert!(shown.contains("dynamic=[DynamicFilter"), "{shown}");
    datafusion::physical_plan::collect(plan.clone(), session.task_ctx())
        .await
        .expect("rows");
    let read = scan(&plan)
        .metrics()
        .and_then(|metrics| metrics.output_rows());
    assert!(read.is_some_and(|rows| rows < 400_000), "{read:?}");
}

/// The first rows of a table are not the first ones that satisfy a join or the order of the query.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_of_a_table_come_before_what_a_join_knows() {
    for is_dense in [false, true] {
        let context = Context::new().expect("a context");
        line(&context, "mem://long", 400_000, 1, is_dense);
        let session = new_session(&context);
        let first = "SELECT id, a FROM tiledb('mem://long') LIMIT 10";
        for (sql, expected) in [
            (
                "SELECT sum(a) FROM (SELECT a FROM tiledb('mem://long') ORDER BY a DESC LIMIT 3)"
                    .to_owned(),
                3 * 2 * 399_998,
            ),
            (
                format!(
                    "SELECT count(*) FROM ({first}) l JOIN (VALUES (300000), (350000)) AS v(k) ON l.id = v.k"
                ),
                0,
            ),
        ] {
            assert_eq!(number(&session, &sql).await, expected, "{sql}");
        }
    }
}

/// `IN (SELECT ...)` selects rows of its table before these are joined with others, unless the join
/// has fewer rows than the table.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_of_a_subquery_select_rows_before_they_are_joined() {
    let context = Context::new().expect("a context");
    line(&context, "mem://long", 400_000, 1, false);
    line(&context, "mem://short", 300_000, 1, false);
    let session = new_session(&context);
    let keys = "SELECT id FROM tiledb('mem://long') GROUP BY id HAVING sum(a) % 1000 = 0";
    for (condition, expected, is_early) in [
        ("s.id IN (KEYS)", 600, true),
        ("l.a IN (KEYS)", 800, false),
        ("s.id IN (KEYS) AND l.a IN (KEYS)", 400, true),
        ("s.id + 1 IN (KEYS)", 600, false),
        ("s.id NOT IN (KEYS)", 299_400, false),
    ] {
        let condition = condition.replace("KEYS", keys);
        let sql = format!(
            "SELECT count(l.a + s.a) FROM tiledb('mem://long') l JOIN tiledb('mem://short') s \
             ON l.id = s.id WHERE {condition}"
        );
        assert_eq!(number(&session, &sql).await, expected, "{sql}");
        let shown = text(&session, &sql).await;
        let semi = shown.rfind("Semi");
        let inner = shown.find("join_type=Inner").expect("a join");
        assert_eq!(semi.is_some_and(|semi| inner < semi), is_early, "{shown}");
    }
}

/// DataFusion looks up the columns of dynamic predicates by name: `b.d` was taken for `a.d`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_of_a_join_are_compared_with_the_column_of_their_table() {
    let context = Context::new().expect("a context");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Int64, 0..=99, 10)
        .attribute("u", Datatype::Int64)
        .build();
    Array::create(&context, "mem://t", &schema.expect("a schema")).expect("an array");
    let array = Array::open(&context, "mem://t").expect("an array");
    let write = array.write().column("d", 0..20_i64);
    let write = write.column("u", (0..20_i64).map(|d| d % 5));
    write.submit().expect("a write");
    let session = new_session(&context);
    let joined = "SELECT a.d AS x, b.d AS y, b.u FROM (SELECT * FROM tiledb('mem://t') WHERE d <> 2) a \
                  JOIN tiledb('mem://t') b ON a.u = b.u";
    for (condition, expected) in [
        (
            "b.d IN (SELECT d FROM tiledb('mem://t') WHERE u <= 1 GROUP BY d HAVING count(*) > 0)",
            32,
        ),
        (
            "a.d IN (SELECT d FROM tiledb('mem://t') WHERE u <= 1 GROUP BY d HAVING count(*) > 0)",
            32,
        ),
        (
            "b.d IN (SELECT d FROM tiledb('mem://t') WHERE u = 2 AND d > 2 GROUP BY d)",
            9,
        ),
    ] {
        let sql = format!("SELECT count(*) FROM ({joined} WHERE {condition})");
        assert_eq!(number(&session, &sql).await, expected, "{sql}");
    }
}

/// Columns of several tables have the same name, in joins over joins, unions and aggregates. The
/// results are those of the same rows in memory.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn predicates_of_joins_find_their_columns_among_others_of_the_same_name() {
    let context = Context::new().expect("a context");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Int64, 0..=99, 10)
        .attribute("u", Datatype::Int64)
        .attribute("v", Datatype::Int64)
        .build();
    Array::create(&context, "mem://t", &schema.expect("a schema")).expect("an array");
    let array = Array::open(&context, "mem://t").expect("an array");
    let write = array.write().column("d", 0..60_i64);
    let write = write.column("u", (0..60_i64).map(|d| d % 7));
    let write = write.column("v", (0..60_i64).map(|d| (59 - d) / 2));
    write.submit().expect("a write");
    let session = new_session(&context);
    session
        .sql("CREATE EXTERNAL TABLE t STORED AS TILEDB LOCATION 'mem://t'")
        .await
        .expect("a table");
    let rows = session.sql("SELECT * FROM t").await.expect("a query");
    let memory = memory_session();
    let table = MemTable::try_new(
        Arc::new(rows.schema().as_arrow().clone()),
        vec![rows.collect().await.expect("rows")],
    );
    let table = Arc::new(table.expect("a table"));
    memory.register_table("t", table).expect("a table");
    let few = "(SELECT d, u, v FROM t WHERE v IN (3, 4))";
    for (sql, dynamic) in [
        // Joins of joins.
        (
            format!(
                "SELECT a.d, b.d, c.d FROM t a JOIN t b ON a.u = b.v JOIN {few} c ON b.d = c.d"
            ),
            2,
        ),
        (
            format!(
                "SELECT a.d, b.d, c.d FROM t a JOIN t b ON a.u = b.v JOIN {few} c ON a.d = c.d"
            ),
            2,
        ),
        (
            format!(
                "SELECT a.d, b.d, c.u, e.u FROM t a JOIN t b ON a.v = b.v JOIN t c ON b.u = c.d \
                 JOIN {few} e ON c.d = e.u AND b.d <> e.d"
            ),
            2,
        ),
        (
            format!(
                "SELECT p.d, q.d FROM (SELECT b.d, a.u FROM t a JOIN t b ON a.d = b.v) p \
                 JOIN (SELECT b.d, a.u FROM t a JOIN {few} b ON a.v = b.u) q ON p.d = q.d"
            ),
            2,
        ),
        // Columns with exchanged names.
        (
            format!(
                "SELECT x.d, x.u FROM (SELECT d AS u, u AS d, v FROM t) x JOIN {few} f ON x.u = f.d"
            ),
            1,
        ),
        (
            format!(
                "SELECT x.d, x.u FROM (SELECT u AS d, v AS u FROM t UNION ALL SELECT d, u FROM t) x \
                 JOIN {few} f ON x.d = f.d"
            ),
            2,
        ),
        (
            format!(
                "SELECT x.d, x.u FROM (SELECT d, u FROM t UNION ALL SELECT u, d FROM t) x \
                 JOIN {few} f ON x.d = f.d"
            ),
            2,
        ),
        (
            format!(
                "SELECT g.d, g.n FROM (SELECT u AS d, count(*) AS n, max(d) AS u FROM t GROUP BY u) g \
                 JOIN {few} f ON g.d = f.v"
            ),
            1,
        ),
        (
            format!(
                "SELECT g.x, g.y FROM (SELECT a.d AS x, b.d AS y, count(*) FROM t a \
                 JOIN t b ON a.u = b.v GROUP BY a.d, b.d) g JOIN {few} f ON g.y = f.d"
            ),
            2,
        ),
        // Semi-joins, and their other sides, whose columns have the names of the keys.
        (
            format!(
                "SELECT x.d FROM (SELECT * FROM t WHERE EXISTS (SELECT 1 FROM t y \
                 WHERE y.v = t.d AND y.d <> t.u)) x JOIN {few} f ON x.d = f.v"
            ),
            1,
        ),
        (
            format!(
                "SELECT a.d, b.d FROM t a JOIN t b ON a.v = b.u WHERE b.d IN (SELECT u FROM {few} f) \
                 AND EXISTS (SELECT 1 FROM {few} f WHERE f.u = a.u AND f.d <> b.d)"
            ),
            1,
        ),
        // Joins with rows that have no equal row.
        (
            format!(
                "SELECT a.d, b.d FROM t a JOIN t b ON a.u = b.v WHERE b.d NOT IN (SELECT u FROM {few} f) \
                 AND a.d IN (SELECT d FROM {few} f)"
            ),
            1,
        ),
        (
            format!(
                "SELECT a.d, b.d FROM t a LEFT JOIN t b ON a.d = b.v JOIN {few} c ON b.d = c.d"
            ),
            0,
        ),
        (
            format!(
                "SELECT a.d, b.d FROM t a RIGHT JOIN {few} b ON a.d = b.v FULL JOIN {few} c ON b.d = c.u"
            ),
            0,
        ),
        // Joins that mark rows.
        (
            format!(
                "SELECT x.d, y.d FROM (SELECT d, u FROM t WHERE v < 5 OR d IN (SELECT v FROM {few} f)) x \
                 JOIN (SELECT d, u FROM t WHERE u > 4 OR d IN (SELECT u FROM {few} f)) y ON x.u = y.d \
                 JOIN {few} f ON y.d = f.u"
            ),
            0,
        ),
        // The first rows.
        (
            "SELECT a.d AS x, b.d AS y FROM t a JOIN t b ON a.u = b.u ORDER BY b.d, a.d LIMIT 3"
                .to_owned(),
            1,
        ),
        (
            format!(
                "SELECT x.d, x.e FROM (SELECT a.d, b.d AS e FROM t a JOIN t b ON a.u = b.v ORDER BY b.d, a.d LIMIT 40) x \
                 JOIN {few} f ON x.e = f.d"
            ),
            0,
        ),
    ] {
        let sorted = async |session: &SessionContext| {
            let rows = session.sql(&sql).await.expect("a query");
            let batches = rows.collect().await.expect("rows");
            let text = pretty_format_batches(&batches).expect("a text").to_string();
            let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        let (found, expected) = (sorted(&session).await, sorted(&memory).await);
        let shown = text(&session, &sql).await;
        assert_eq!(found, expected, "{sql}\n{shown}");
        assert!(expected.len() > 4, "{sql} has no rows");
        let pushed = shown.matches("DynamicFilter [").count();
        assert!(
            pushed >= dynamic,
            "{pushed} of {dynamic} predicates: {sql}\n{shown}"
        );
    }
}

/// Creates an array with the cells 0 to `cells` - 1, whose color is one of three, or null.
fn colors(context: &Context, uri: &str, cells: i64, array_type: ArrayType) {
    let names = ["red", "green", "blue"];
    let colors = Enumeration::of_texts("colors", false, names);
    let color = Attribute::of("color", Datatype::Uint8);
    let color = color.with_nulls().with_enumeration("colors");
    let schema = Schema::builder(array_type)
        .dimension("id", Datatype::Int64, 0..=cells - 1, cells.min(1000))
        .enumeration(colors.expect("texts"))
        .with_attribute(color)
        .build()
        .expect("a schema");
    Array::create(context, uri, &schema).expect("an array");
    let array = Array::open(context, uri).expect("an array");
    let write = array.write();
    let write = match array_type {
        ArrayType::Dense => write.range("id", 0..=cells - 1),
        ArrayType::Sparse => write.column("id", 0..cells),
    };
    let values = (0..cells).map(|id| names.get(id as usize % 4).copied());
    write.column("color", values).submit().expect("a write");
}

fn session_of_dictionaries(context: &Context) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(2);
    session(
        config,
        &TableOptions::new().context(context).dictionaries(true),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_of_an_enumeration_are_found_by_index() {
    for (array_type, dictionaries) in [
        (ArrayType::Sparse, false),
        (ArrayType::Dense, false),
        (ArrayType::Sparse, true),
        (ArrayType::Dense, true),
    ] {
        let context = Context::new().expect("a context");
        colors(&context, "mem://colors", 400_000, array_type);
        colors(&context, "mem://few", 40, array_type);
        let session = if dictionaries {
            session_of_dictionaries(&context)
        } else {
            new_session(&context)
        };
        let grouped = "SELECT color, count(*) AS n FROM tiledb('mem://colors') GROUP BY color";
        let joined = "tiledb('mem://colors') c JOIN tiledb('mem://few') f ON c.id = f.id";
        for (sql, expected, by_index) in [
            (format!("SELECT n + octet_length(color) FROM ({grouped}) WHERE color = 'green'"), 100_005, array_type == ArrayType::Sparse),
            (format!("SELECT n + octet_length(coalesce(color, '')) FROM ({grouped}) WHERE color IS NULL"), 100_000, false),
            (format!("SELECT sum(octet_length(color)) FROM ({grouped} HAVING max(id) > 399996)"), 9, true),
            ("SELECT count(DISTINCT color) FROM tiledb('mem://colors')".to_owned(), 3, true),
            (
                "SELECT sum(octet_length(color)) FROM (SELECT DISTINCT color, id % 10 FROM tiledb('mem://colors') WHERE id > 7)".to_owned(),
                60,
                true,
            ),
            (
                format!("SELECT sum(n * octet_length(one || two)) FROM (SELECT c.color AS one, f.color AS two, count(*) AS n FROM {joined} GROUP BY c.color, f.color)"),
                240,
                true,
            ),
            (
                "SELECT max(d + octet_length(color)) FROM (SELECT color, count(DISTINCT id % 7) AS d FROM tiledb('mem://colors') GROUP BY color)".to_owned(),
                12,
                true,
            ),
            (
                "SELECT sum(n) FROM (SELECT color, count(color) AS n FROM tiledb('mem://colors') GROUP BY color)".to_owned(),
                300_000,
                false,
            ),
            (
                "SELECT count(*) FROM (SELECT upper(color) AS u FROM tiledb('mem://colors') GROUP BY upper(color))".to_owned(),
                4,
                false,
            ),
            (
                "SELECT count(*) FROM (SELECT c.color FROM tiledb('mem://colors') c JOIN tiledb('mem://few') f \
                 ON c.color = f.color GROUP BY c.color)"
                    .to_owned(),
                3,
                false,
            ),
        ] {
            assert_eq!(number(&session, &sql).await, expected, "{sql}");
            let shown = text(&session, &sql).await;
            assert_eq!(shown.contains("text("), by_index, "{sql}\n{shown}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropped_stream_stops_its_read() {
    let context = Context::new().expect("a context");
    line(&context, "mem://line", 4_000_000, 1, true);
    let session = new_session(&context);
    let plan = plan(&session, "SELECT id, a FROM tiledb('mem://line')").await;
    let mut stream = execute_stream(plan.clone(), session.task_ctx()).expect("a stream");
    assert!(stream.next().await.expect("a batch").is_ok());
    drop(stream);
    let rows = || {
        scan(&plan)
            .metrics()
            .and_then(|metrics| metrics.output_rows())
            .unwrap_or(0)
    };
    // The threads end after the batch that they read.
    for _ in 0..100 {
        let before = rows();
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        if rows() == before {
            break;
        }
    }
    assert!(rows() < 1_000_000, "{}", rows());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_read_the_state_when_they_are_planned() {
    let context = Context::new().expect("a context");
    line(&context, "mem://line", 1000, 2, false);
    let session = new_session(&context);
    let create = "CREATE EXTERNAL TABLE t STORED AS TILEDB LOCATION 'mem://line'";
    session.sql(create).await.expect("a table");
    let counted = "SELECT count(*) FROM t";
    assert_eq!(number(&session, counted).await, 1000);
    let before = plan(&session, "SELECT id FROM t").await;
    let array = Array::open(&context, "mem://line").expect("an array");
    let timestamp = array.timestamp();
    std::thread::sleep(std::time::Duration::from_millis(2));
    array
        .delete(&tiledb_engine::field("id").lt(500))
        .expect("a delete");
    assert_eq!(number(&session, counted).await, 500);
    let rows = datafusion::physical_plan::collect(before, session.task_ctx())
        .await
        .expect("rows");
    assert_eq!(
        rows.iter().map(|batch| batch.num_rows()).sum::<usize>(),
        1000
    );
    let past = format!("SELECT count(*) FROM tiledb('mem://line', timestamp => {timestamp})");
    assert_eq!(number(&session, &past).await, 1000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn table_whose_columns_changed_is_an_error_until_it_is_opened_again() {
    let context = Context::new().expect("a context");
    line(&context, "mem://line", 1000, 1, false);
    let session = new_session(&context);
    let create = |name: &str| {
        let create = format!("CREATE EXTERNAL TABLE {name}");
        format!("{create} STORED AS TILEDB LOCATION 'mem://line'")
    };
    session.sql(&create("t")).await.expect("a table");
    let array = Array::open(&context, "mem://line").expect("an array");
    let added = Attribute::of("b", Datatype::Int64);
    let changes = SchemaEvolution::new().with_attribute(added);
    array
        .evolve(&changes.expect("a change"))
        .expect("a new schema");
    // A column that is added is not a column of the table.
    assert_eq!(number(&session, "SELECT sum(a) FROM t").await, 999_000);
    let array = Array::open(&context, "mem://line").expect("an array");
    let changes = SchemaEvolution::new().without_attribute("a");
    array.evolve(&changes).expect("a new schema");
    for sql in ["SELECT * FROM t", "SELECT id FROM t"] {
        let frame = session.sql(sql).await.expect("a query");
        let error = frame.collect().await.expect_err("another schema");
        let error = error.to_string();
        assert!(error.contains("'mem://line' changed"), "{error}");
    }
    session.sql(&create("again")).await.expect("a table");
    assert_eq!(number(&session, "SELECT sum(id) FROM again").await, 499_500);
}

/// `count(1)` above a scan without columns would need memory for each row of a batch.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_without_columns_have_a_bounded_number_of_rows() {
    let context = Context::new().expect("a context");
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("y", Datatype::Int64, 0..=9_999, 100)
        .dimension("x", Datatype::Int64, 0..=999, 100)
        .attribute("a", Datatype::Int8)
        .build();
    Array::create(&context, "mem://plane", &schema.expect("a schema")).expect("an array");
    let session = new_session(&context);
    let sql = "SELECT 1 FROM tiledb('mem://plane', unwritten_cells => true)";
    let mut stream = session
        .sql(sql)
        .await
        .expect("a query")
        .execute_stream()
        .await
        .expect("a stream");
    let mut rows = 0;
    while let Some(batch) = stream.next().await {
        let batch = batch.expect("a batch");
        assert!(batch.num_rows() <= 1 << 20, "{}", batch.num_rows());
        rows += batch.num_rows();
    }
    assert_eq!(rows, 10_000_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn group_is_a_schema_in_which_queries_create_arrays() {
    let context = Context::new().expect("a context");
    Group::create(&context, "mem://group").expect("a group");
    let options = TableOptions::new().context(&context);
    let group = TileDbGroup::open("mem://group", options.clone()).expect("a group");
    let session = new_session(&context);
    let catalog = session.catalog("datafusion").expect("a catalog");
    catalog
        .register_schema("g", Arc::new(group))
        .expect("a schema");
    line(&context, "mem://line", 1000, 1, false);
    let run = |sql: &'static str| async { session.sql(sql).await?.collect().await };
    run("CREATE TABLE g.twice AS SELECT id, a, 'text ' || (id % 3) AS s FROM tiledb('mem://line')")
        .await
        .expect("a table");
    assert_eq!(
        number(&session, "SELECT sum(a) FROM g.twice WHERE s = 'text 1'").await,
        332_334
    );
    run("INSERT INTO g.twice VALUES (5000, 1, 'text 2')")
        .await
        .expect("an insert");
    assert_eq!(number(&session, "SELECT count(*) FROM g.twice").await, 1001);
    assert!(
        run("CREATE TABLE g.twice AS SELECT 1 AS id, 2 AS a")
            .await
            .is_err()
    );
    // An array that cannot be written is removed.
    assert!(
        run("CREATE TABLE g.bad AS SELECT INTERVAL '1 day' AS a, 2 AS b")
            .await
            .is_err()
    );
    assert!(!Array::exists(&context, "mem://group/bad").expect("an answer"));
    let again = TileDbGroup::open("mem://group", options).expect("a group");
    let names = datafusion::catalog::SchemaProvider::table_names(&again);
    assert_eq!(names, ["twice"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_insert_leaves_nothing() {
    let context = Context::new().expect("a context");
    line(&context, "mem://line", 1000, 1, false);
    let session = new_session(&context);
    session
        .sql("CREATE EXTERNAL TABLE t STORED AS TILEDB LOCATION 'mem://line'")
        .await
        .expect("a table");
    // The division fails after rows were produced.
    let insert = "INSERT INTO t SELECT 0, 1 / (k - 2) FROM (VALUES (1), (2)) AS v(k)";
    let inserted = session.sql(insert).await;
    let failed = match inserted {
        Ok(frame) => frame.collect().await.is_err(),
        Err(_) => true,
    };
    assert!(failed);
    let array = Array::open(&context, "mem://line").expect("an array");
    assert_eq!(array.fragments().expect("fragments").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn insert_adds_new_texts_to_enumerations() {
    let context = Context::new().expect("a context");
    let session = new_session(&context);
    let tables = &session;
    let run = |sql: &'static str| async move { tables.sql(sql).await?.collect().await };
    run("COPY (SELECT value AS id, CASE WHEN value > 0 THEN 'oak' END AS tree FROM generate_series(1, 100)) TO 'mem://trees' STORED AS TILEDB")
        .await
        .expect("an array");
    let array = Array::open(&context, "mem://trees").expect("an array");
    let labels = array
        .enumeration("tree")
        .expect("texts of few values have one");
    assert_eq!(labels.len(), 1);
    run("CREATE EXTERNAL TABLE t STORED AS TILEDB LOCATION 'mem://trees'")
        .await
        .expect("a table");
    for insert in [
        "INSERT INTO t VALUES (101, 'ash'), (102, NULL), (103, '')",
        "INSERT INTO t SELECT value, 'elm ' || value FROM generate_series(104, 120)",
    ] {
        run(insert).await.expect("rows");
    }
    for (condition, expected) in [
        ("tree = 'oak'", 100),
        ("tree = 'ash'", 1),
        ("tree IS NULL", 1),
        ("tree = ''", 1),
        ("tree LIKE 'elm%' AND id <> 110", 16),
    ] {
        let sql = format!("SELECT count(*) FROM t WHERE {condition}");
        assert_eq!(number(&session, &sql).await, expected, "{condition}");
    }
    // A failed insert adds no rows.
    assert!(
        run("INSERT INTO t SELECT -9223372036854775808, 'fir' || 1 / (value - 1) FROM generate_series(1, 2)")
            .await
            .is_err()
    );
    assert_eq!(
        number(&session, "SELECT count(*) FROM t WHERE tree LIKE 'fir%'").await,
        0
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dictionaries_have_the_stored_indexes_and_share_their_texts() {
    let text = DataType::Dictionary(Box::new(DataType::UInt8), Box::new(DataType::LargeUtf8));
    for array_type in [ArrayType::Sparse, ArrayType::Dense] {
        let context = Context::new().expect("a context");
        colors(&context, "mem://colors", 400_000, array_type);
        let session = session_of_dictionaries(&context);
        for sql in [
            "SELECT color FROM tiledb('mem://colors')",
            "SELECT color, id FROM tiledb('mem://colors') WHERE color <> 'red' AND id > 7",
        ] {
            let frame = session.sql(sql).await.expect("a query");
            let batches = frame.collect().await.expect("rows");
            assert!(batches.len() > 1, "{sql}");
            let columns: Vec<_> = batches.iter().map(|batch| batch.column(0)).collect();
            assert!(
                columns.iter().all(|column| *column.data_type() == text),
                "{sql}"
            );
            let values = |column: &ArrayRef| {
                let values = column.as_dictionary::<UInt8Type>().values();
                values.as_string::<i64>().values().as_ptr()
            };
            let first = values(columns[0]);
            assert!(
                columns.iter().all(|column| values(column) == first),
                "{sql}"
            );
        }
        for (sql, expected) in [
            (
                "SELECT count(*) FROM tiledb('mem://colors') WHERE color IN ('red', 'blue')",
                200_000,
            ),
            (
                "SELECT count(*) FROM tiledb('mem://colors') WHERE color IS NULL",
                100_000,
            ),
            (
                "SELECT count(*) FROM tiledb('mem://colors') c JOIN (VALUES ('red'), ('lime')) v(name) ON c.color = v.name",
                100_000,
            ),
            (
                "SELECT count(*) FROM tiledb('mem://colors') c JOIN tiledb('mem://colors', dictionaries => false) t ON c.id = t.id AND c.color = t.color",
                300_000,
            ),
            (
                "SELECT sum(octet_length(upper(color))) FROM tiledb('mem://colors') WHERE color LIKE '%e%'",
                1_200_000,
            ),
            (
                "SELECT count(*) FROM (SELECT color FROM tiledb('mem://colors') UNION SELECT 'lime')",
                5,
            ),
        ] {
            assert_eq!(number(&session, sql).await, expected, "{sql}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_of_dictionaries_are_written() {
    let context = Context::new().expect("a context");
    let session = session_of_dictionaries(&context);
    let tables = &session;
    let run = |sql: &'static str| async move { tables.sql(sql).await?.collect().await };
    for (uri, start) in [("one", 0), ("two", 200)] {
        let (uri, texts) = (format!("mem://{uri}"), start..start + 200);
        let texts = texts.map(|number| format!("t{number}"));
        let texts = Enumeration::of_texts("texts", false, texts.collect::<Vec<_>>());
        let schema = Schema::builder(ArrayType::Sparse)
            .dimension("id", Datatype::Int64, 0..=99_999, 1000)
            .enumeration(texts.expect("texts"))
            .with_attribute(Attribute::of("t", Datatype::Uint8).with_enumeration("texts"))
            .build()
            .expect("a schema");
        Array::create(&context, &uri, &schema).expect("an array");
    }
    for insert in [
        "CREATE EXTERNAL TABLE one STORED AS TILEDB LOCATION 'mem://one'",
        "CREATE EXTERNAL TABLE two STORED AS TILEDB LOCATION 'mem://two' OPTIONS (dictionaries 'true')",
        // Each batch has a dictionary of its own.
        "INSERT INTO one SELECT value, 't' || (value % 250) FROM generate_series(0, 49999)",
        "INSERT INTO two SELECT value, 't' || (200 + value % 150) FROM generate_series(0, 49999)",
        "COPY (SELECT id, t FROM one UNION ALL SELECT id + 50000, t FROM two) TO 'mem://both' STORED AS TILEDB",
    ] {
        run(insert).await.expect(insert);
    }
    for (sql, expected) in [
        ("SELECT count(*) FROM one WHERE t = 't249'", 200),
        ("SELECT count(DISTINCT t) FROM tiledb('mem://both')", 350),
        (
            "SELECT count(*) FROM tiledb('mem://both') WHERE t IN ('t0', 't349')",
            533,
        ),
    ] {
        assert_eq!(number(&session, sql).await, expected, "{sql}");
    }
    let array = Array::open(&context, "mem://both").expect("an array");
    assert_eq!(array.enumeration("t").expect("an enumeration").len(), 350);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_have_the_memory_that_is_set() {
    let mut config = tiledb_engine::Config::new();
    let budget = 64usize << 20;
    config
        .set("sm.mem.total_budget", &budget.to_string())
        .expect("a parameter");
    let context = Context::with_config(config).expect("a context");
    let cells = 4_000_000;
    line(&context, "mem://line", cells, 4, false);
    let options = TableOptions::new().context(&context);
    let limited = session(SessionConfig::new().with_target_partitions(1), &options);
    let limit = limited.runtime_env().memory_pool.memory_limit();
    assert!(matches!(limit, MemoryLimit::Finite(bytes) if bytes == budget));
    // A sort of 64 MB uses temporary files.
    let sql = "SELECT id, a FROM tiledb('mem://line') ORDER BY a + id % 7 DESC, id";
    let mut rows = 0;
    let mut last = i64::MAX;
    let frame = limited.sql(sql).await.expect("a query");
    let mut batches = frame.execute_stream().await.expect("rows");
    while let Some(batch) = batches.next().await {
        let batch = batch.expect("rows");
        let column = |index: usize| batch.column(index).as_primitive::<Int64Type>().values();
        for (id, a) in column(0).iter().zip(column(1)) {
            assert!(a + id % 7 <= last);
            last = a + id % 7;
        }
        rows += batch.num_rows() as i64;
    }
    assert_eq!(rows, cells);
    let join =
        "SELECT count(*) FROM tiledb('mem://line') l JOIN tiledb('mem://line') r ON l.a = r.a + 1";
    let frame = limited.sql(join).await.expect("a query");
    let error = frame.collect().await.expect_err("too much memory");
    assert!(
        matches!(error.find_root(), DataFusionError::ResourcesExhausted(_)),
        "{error}"
    );
    // Without the parameter, operators have no limit.
    let options = TableOptions::new().context(&Context::new().expect("a context"));
    let session = session(SessionConfig::new(), &options);
    let limit = session.runtime_env().memory_pool.memory_limit();
    assert!(matches!(limit, MemoryLimit::Infinite));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn encrypted_arrays_are_read_with_their_key_which_is_not_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let uri = folder.path().join("secret");
    let uri = uri.to_str().expect("a path");
    let key = "0123456789abcdeF0123456789abcdeF";
    let mut config = tiledb_engine::Config::new();
    config
        .set("sm.encryption_type", "AES_256_GCM")
        .expect("a parameter");
    config.set("sm.encryption_key", key).expect("a parameter");
    let context = Context::with_config(config).expect("a context");
    line(&context, uri, 1000, 1, false);
    let session = new_session(&Context::new().expect("a context"));
    let sql = format!("SELECT count(*) FROM tiledb('{uri}', key => '{key}')");
    assert_eq!(number(&session, &sql).await, 1000);
    let options = TableOptions::new().key(key);
    let table = TileDbTable::open(uri, options.clone()).expect("a table");
    assert!(!format!("{options:?} {table:?}").contains(key));
    assert!(!text(&session, &sql).await.contains(key));
    let error = TileDbTable::open(uri, TableOptions::new()).expect_err("no key");
    assert!(error.to_string().contains("secret"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copy_creates_arrays_from_files_and_files_from_arrays() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| format!("{}/{name}", folder.path().to_str().expect("a path"));
    let (rows, copy) = (path("rows.csv"), path("copy.csv"));
    std::fs::write(&rows, "id,s,x\n1,one,1.5\n2,,2.5\n3,three,\n").expect("a file");
    let context = Context::new().expect("a context");
    let session = new_session(&context);
    let tables = &session;
    let run = |sql: String| async move { tables.sql(&sql).await?.collect().await };
    let options = "OPTIONS ('format.has_header' 'true')";
    let create = "(id BIGINT, s VARCHAR, x DOUBLE) STORED AS CSV LOCATION";
    run(format!(
        "CREATE EXTERNAL TABLE f {create} '{rows}' {options}"
    ))
    .await
    .expect("a table");
    run("COPY f TO 'mem://copied' STORED AS TILEDB".to_owned())
        .await
        .expect("an array");
    let sum = "SELECT sum(id) FROM tiledb('mem://copied') WHERE x > 1";
    assert_eq!(number(&session, sum).await, 3);
    let sorted = "SELECT * FROM tiledb('mem://copied') ORDER BY id";
    run(format!(
        "COPY ({sorted}) TO '{copy}' STORED AS CSV {options}"
    ))
    .await
    .expect("a file");
    let text = std::fs::read_to_string(&copy).expect("the file");
    assert_eq!(text, "id,s,x\n1,one,1.5\n2,,2.5\n3,three,\n");
    // The options are those of tables.
    let error = run("COPY f TO 'mem://other' STORED AS TILEDB OPTIONS (colour 'red')".to_owned());
    let error = error.await.expect_err("no option").to_string();
    assert!(error.contains("no option 'colour'"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_that_fail_or_are_dropped_leave_files_as_they_were() {
    let context = Context::new().expect("a context");
    let session = new_session(&context);
    let names = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names.collect::<Vec<_>>()
    };
    // The first million rows have no error.
    let rows = "SELECT value, 1 / (value - 1000000) AS v FROM generate_series(1, 2000000)";
    let endless = "SELECT value FROM generate_series(1, 1000000000000)";
    for format in ["csv", "json", "parquet"] {
        let folder = tempfile::tempdir().expect("a folder");
        let [old, new] = ["old", "new"].map(|name| folder.path().join(format!("{name}.{format}")));
        std::fs::write(&old, "before").expect("a file");
        for file in [&old, &new] {
            let copy = format!("COPY ({rows}) TO '{}'", file.display());
            let frame = session.sql(&copy).await.expect("a statement");
            let error = frame.collect().await.expect_err("a division by zero");
            assert!(error.to_string().contains("ivide by zero"), "{error}");
            let copy = format!("COPY ({endless}) TO '{}'", file.display());
            let frame = session.sql(&copy).await.expect("a statement");
            let copied = frame.collect();
            let timeout = std::time::Duration::from_millis(300);
            let stopped = tokio::time::timeout(timeout, copied).await;
            assert!(stopped.is_err(), "{copy}");
        }
        // The files of dropped writers are removed by other threads.
        let begun = std::time::Instant::now();
        while names(folder.path()).len() > 1 {
            let left = names(folder.path());
            assert!(begun.elapsed().as_secs() < 10, "{left:?}");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let kept = std::fs::read_to_string(&old).expect("the file");
        assert_eq!(kept, "before", "{format}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parquet_files_are_tables_and_targets_of_copies() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rows.parquet");
    let file = file.to_str().expect("a path");
    let context = Context::new().expect("a context");
    line(&context, "mem://line", 1000, 2, false);
    let session = new_session(&context);
    let copy = format!("COPY (SELECT * FROM tiledb('mem://line') WHERE id < 10) TO '{file}'");
    let frame = session.sql(&copy).await.expect("a statement");
    frame.collect().await.expect("a file");
    let create = format!("CREATE EXTERNAL TABLE p STORED AS PARQUET LOCATION '{file}'");
    session.sql(&create).await.expect("a table");
    let join =
        "SELECT sum(t.a + p.a) FROM tiledb('mem://line') t JOIN p ON t.id = p.id WHERE p.id > 7";
    assert_eq!(number(&session, join).await, 4 * (8 + 9));
    let copy = "COPY p TO 'mem://copied' STORED AS TILEDB";
    let frame = session.sql(copy).await.expect("a statement");
    frame.collect().await.expect("an array");
    assert_eq!(
        number(&session, "SELECT sum(a) FROM tiledb('mem://copied')").await,
        90
    );
}
