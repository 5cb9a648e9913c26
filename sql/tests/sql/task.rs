//! Statements that the calling thread abandons.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use datafusion::arrow::datatypes::DataType;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Volatility, create_udf};
use datafusion::prelude::SessionContext;
use tiledb_datafusion::{TableOptions, TileDbGroup, run_task};
use tiledb_engine::{Array, ArrayType, Context, Datatype, Group, ObjectType, Schema};
use tokio::runtime::{Builder, Runtime};

use crate::arrays::new_session;

/// A step that computes without a pause until it is released.
#[derive(Clone, Debug, Default)]
struct Step {
    has_begun: Arc<AtomicBool>,
    is_released: Arc<AtomicBool>,
}

impl Step {
    fn run(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
        while !self.is_released.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    fn release(&self) {
        self.is_released.store(true, Ordering::Relaxed);
    }

    /// Breaks as soon as the step has begun.
    fn check(&self) -> ControlFlow<()> {
        if self.has_begun() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

fn runtime(threads: usize) -> Runtime {
    let runtime = Builder::new_multi_thread().worker_threads(threads).build();
    runtime.expect("a runtime")
}

#[test]
fn results_and_failures_of_tasks_are_returned() {
    let runtime = runtime(1);
    let go_on = || ControlFlow::<()>::Continue(());
    let returned = run_task(runtime.handle(), async { Ok(5) }, go_on);
    assert!(matches!(returned, ControlFlow::Continue(Ok(5))));
    let failed = run_task(
        runtime.handle(),
        async { Err::<(), _>(DataFusionError::Plan("a plan".to_owned())) },
        go_on,
    );
    assert!(matches!(
        failed,
        ControlFlow::Continue(Err(DataFusionError::Plan(_)))
    ));
    let panicked = run_task(
        runtime.handle(),
        async { panic!("a bug") as Result<()> },
        go_on,
    );
    let ControlFlow::Continue(Err(error)) = panicked else {
        panic!("no error");
    };
    assert!(error.to_string().contains("a bug"), "{error}");
}

/// The timer of the runtime stands still then, too.
#[test]
fn abandoned_task_is_dropped_when_its_step_returns() {
    let runtime = runtime(2);
    let steps = [Step::default(), Step::default()];
    let is_alive = Arc::new(());
    for step in &steps {
        let (task_step, alive) = (step.clone(), is_alive.clone());
        let returned = run_task(
            runtime.handle(),
            async move {
                task_step.run();
                // The step is over: the task does not continue.
                tokio::task::yield_now().await;
                drop(alive);
                Ok(())
            },
            || step.check(),
        );
        assert!(matches!(returned, ControlFlow::Break(())));
    }
    assert_eq!(Arc::strong_count(&is_alive), 3);
    steps.iter().for_each(Step::release);
    while Arc::strong_count(&is_alive) > 1 {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs a statement with the function `pause(BIGINT)`, which returns its argument, and abandons it
/// in the function.
fn abandon(session: &SessionContext, sql: &str) {
    let step = Step::default();
    let paused = step.clone();
    let pause = create_udf(
        "pause",
        vec![DataType::Int64],
        DataType::Int64,
        Volatility::Volatile,
        Arc::new(move |arguments: &[_]| {
            paused.run();
            Ok(arguments[0].clone())
        }),
    );
    session.register_udf(pause);
    let runtime = runtime(2);
    let (session, statement) = (session.clone(), sql.to_owned());
    let run = async move { session.sql(&statement).await?.collect().await };
    let returned = run_task(runtime.handle(), run, || step.check());
    assert!(matches!(returned, ControlFlow::Break(())), "{sql}");
    step.release();
    // It waits for tasks and for threads that block.
    drop(runtime);
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
    names.sort();
    names
}

#[test]
fn abandoned_statements_change_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let context = Context::new().expect("a context");
    let uri = |name: &str| format!("{}/{name}", folder.path().to_str().expect("a path"));
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("id", Datatype::Int64, 0..=99_999, 100)
        .attribute("a", Datatype::Int64)
        .build()
        .expect("a schema");
    Array::create(&context, &uri("line"), &schema).expect("an array");
    let array = Array::open(&context, &uri("line")).expect("an array");
    let cells = array.write().column("id", 0..1000).column("a", 0..1000);
    cells.submit().expect("a write");
    Group::create(&context, &uri("group")).expect("a group");
    let before = files(folder.path());
    let session = new_session(&context);
    let options = TableOptions::new().context(&context);
    let group = TileDbGroup::open(&uri("group"), options).expect("a group");
    let catalog = session.catalog("datafusion").expect("a catalog");
    catalog
        .register_schema("g", Arc::new(group))
        .expect("a schema");
    let line = uri("line");
    let rows = format!("SELECT pause(id) + 5000 AS id, a FROM tiledb('{line}')");
    for sql in [
        format!("CREATE TABLE g.made AS {rows}"),
        format!("COPY ({rows}) TO '{}' STORED AS TILEDB", uri("copy")),
        format!("COPY ({rows}) TO '{}'", uri("copy.csv")),
        format!("COPY ({rows}) TO '{}'", uri("copy.parquet")),
        format!("INSERT INTO line {rows}"),
    ] {
        let create =
            format!("CREATE EXTERNAL TABLE IF NOT EXISTS line STORED AS TILEDB LOCATION '{line}'");
        let setup = runtime(1);
        setup
            .block_on(async { session.sql(&create).await })
            .expect("a table");
        abandon(&session, &sql);
        assert_eq!(files(folder.path()), before, "{sql}");
        let made = context.object_type(&uri("group/made")).expect("a lookup");
        assert_eq!(made, ObjectType::Invalid, "{sql}");
        let members = Group::open(&context, &uri("group")).and_then(|group| group.members());
        assert_eq!(members.expect("members").len(), 0, "{sql}");
        let array = Array::open(&context, &line).expect("an array");
        assert_eq!(array.fragments().expect("fragments").len(), 1, "{sql}");
    }
}
