//! Times queries over arrays and Parquet files in one session, for `sql/tests/tables.py` and
//! `sql/tests/tpch/run.py`.
//!
//! ```text
//! cargo bench -p tiledb-datafusion --bench queries -- [--threads N] [--partitions N]
//!     [--repeat N] [--option NAME=VALUE]... [--table NAME=URI]... [--parquet NAME=FILE]...
//!     [--explain]
//!     < QUERIES
//! ```
//!
//! The input has a line `-- NAME` before each group of queries, which end with semicolons. A query
//! `READ NAME: FIELD, ...` is a read by the engine, without DataFusion. Options are those of
//! tables. For each group, a line with its name, the least CPU and wall seconds, the number of rows
//! and the sum of the first column is printed, separated by tabs.

use std::collections::HashMap;
use std::error::Error;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{Array as _, AsArray, RecordBatch};
use datafusion::arrow::compute::{cast, sum};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use futures::TryStreamExt;
use tiledb_datafusion::{TableOptions, TileDbTable, session};
use tiledb_engine::{Array, Context};

/// Returns the processor time of this process.
fn cpu() -> Duration {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the structure is valid for the call, which fills it.
    let usage = unsafe {
        let failed = libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        assert_eq!(failed, 0, "the usage of this process");
        usage.assume_init()
    };
    let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// The rows of a query.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    number: usize,
    /// The sum of the first column, if it has floating-point numbers.
    sum: f64,
}

impl Rows {
    fn add(&mut self, batch: &RecordBatch) {
        self.number += batch.num_rows();
        let first = batch.columns().first();
        if let Some(numbers) = first.filter(|column| *column.data_type() == DataType::Float64) {
            self.sum += sum(numbers.as_primitive::<Float64Type>()).unwrap_or(0.0);
        } else if let Some(column) = first.filter(|column| column.data_type().is_numeric())
            && let Ok(numbers) = cast(column, &DataType::Float64)
        {
            self.sum += sum(numbers.as_primitive::<Float64Type>()).unwrap_or(0.0);
        }
    }
}

async fn run(
    session: &SessionContext,
    context: &Context,
    uris: &HashMap<String, String>,
    query: &str,
) -> Result<Rows, Box<dyn Error>> {
    let mut rows = Rows::default();
    if let Some(read) = query.strip_prefix("READ ") {
        let (name, fields) = read.split_once(':').ok_or("READ needs fields")?;
        let uri = uris.get(name.trim()).ok_or("READ needs an array")?;
        let fields = fields.split(',').map(str::trim);
        let array = Array::open(context, uri)?;
        for batch in array.query().fields(fields).record_batches()? {
            rows.add(&batch?);
        }
        return Ok(rows);
    }
    let mut stream = session.sql(query).await?.execute_stream().await?;
    while let Some(batch) = stream.try_next().await? {
        rows.add(&batch);
    }
    Ok(rows)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut threads, mut partitions, mut repeat, mut explain) = (2, None, 3, false);
    let (mut tables, mut files, mut stated) = (HashMap::new(), Vec::new(), Vec::new());
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let pair = |value: String| {
            let pair = value.split_once('=');
            pair.map(|(name, uri)| (name.to_owned(), uri.to_owned()))
                .ok_or("a name, '=' and a value are needed")
        };
        match argument.as_str() {
            "--threads" => threads = value()?.parse()?,
            "--partitions" => partitions = Some(value()?.parse()?),
            "--repeat" => repeat = value()?.parse()?,
            "--table" => tables.extend([pair(value()?)?]),
            "--parquet" => files.push(pair(value()?)?),
            "--option" => stated.push(pair(value()?)?),
            "--explain" => explain = true,
            // `cargo bench` passes it.
            "--bench" => {}
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    if tables.is_empty() && files.is_empty() {
        // All benchmarks of the workspace are run: this one needs tables.
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()?;
    let context = Context::new()?;
    let mut options = TableOptions::new().context(&context);
    for (name, value) in &stated {
        options = options.set(name, value)?;
    }
    let config = SessionConfig::new().with_target_partitions(partitions.unwrap_or(threads));
    let session = session(config, &options);
    for (name, uri) in &tables {
        let table = TileDbTable::open(uri, options.clone())?;
        session.register_table(name.as_str(), std::sync::Arc::new(table))?;
    }
    for (name, file) in &files {
        let read = session.register_parquet(name.as_str(), file, ParquetReadOptions::default());
        runtime.block_on(read)?;
    }
    let text = std::io::read_to_string(std::io::stdin())?;
    for group in text.split("-- ").filter(|group| !group.trim().is_empty()) {
        let (name, queries) = group.split_once('\n').unwrap_or((group, ""));
        let queries = queries.split(';').map(str::trim);
        let queries: Vec<&str> = queries.filter(|query| !query.is_empty()).collect();
        if explain {
            for query in queries.iter().filter(|query| !query.starts_with("READ ")) {
                let query = format!("EXPLAIN ANALYZE {query}");
                let shown = async { session.sql(&query).await?.show().await };
                runtime.block_on(shown)?;
            }
            continue;
        }
        let (mut least_cpu, mut least_wall) = (Duration::MAX, Duration::MAX);
        let mut rows = Rows::default();
        for _ in 0..repeat {
            rows = Rows::default();
            let (cpu_before, begun) = (cpu(), Instant::now());
            for query in &queries {
                let found = run(&session, &context, &tables, query);
                let found = runtime
                    .block_on(found)
                    .map_err(|error| format!("{name}: {error}"))?;
                rows.number += found.number;
                rows.sum += found.sum;
            }
            least_cpu = least_cpu.min(cpu() - cpu_before);
            least_wall = least_wall.min(begun.elapsed());
        }
        let (cpu, wall) = (least_cpu.as_secs_f64(), least_wall.as_secs_f64());
        let line = format!("{name}\t{cpu}\t{wall}\t{}\t{}\n", rows.number, rows.sum);
        std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes())?;
    }
    Ok(())
}
