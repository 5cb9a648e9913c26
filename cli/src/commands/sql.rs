//! `sql`: queries over arrays, and a prompt.

use std::cell::OnceCell;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use datafusion::arrow::csv::WriterBuilder;
use datafusion::arrow::json::ArrayWriter;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::catalog::SchemaProvider;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Editor, Helper};
use serde_json::json;
use signal_hook::consts::SIGINT;
use tiledb_datafusion::{
    TableOptions, TileDbGroup, TileDbScan, TileDbTable, create_array, session,
};
use tiledb_engine::{Context, ObjectType};
use tokio::runtime::Runtime;

use super::import::format_of;
use crate::args::{FileFormat, SqlOptions};
use crate::columnar::TableWriter;
use crate::output::Output;
use crate::problem::{Problem, Result};
use crate::progress::Progress;
use crate::target_file::TargetFile;

/// The time after which the progress of a query is shown.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);
/// The time between two checks for Ctrl-C during a query.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);
/// Words that the prompt completes.
const KEYWORDS: [&str; 26] = [
    "AND", "AS", "ASC", "BETWEEN", "BY", "COUNT", "CREATE", "DELETE", "DESC", "DESCRIBE",
    "EXPLAIN", "EXTERNAL", "FROM", "GROUP", "INSERT", "INTO", "JOIN", "LIMIT", "NOT", "NULL",
    "ORDER", "SELECT", "SHOW", "TABLE", "VALUES", "WHERE",
];

/// The form in which rows are printed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Table,
    Json,
    Csv,
}

/// A session with what runs its queries.
struct Sql<'a> {
    runtime: Runtime,
    session: SessionContext,
    context: &'a Context,
    /// Whether Ctrl-C was pressed.
    interrupted: Arc<AtomicBool>,
}

/// Runs a query, or reads queries from the terminal or the standard input.
pub(super) fn sql(context: &Context, options: &SqlOptions, output: &mut Output) -> Result<()> {
    let form = match (output.json, options.csv) {
        (true, false) => Form::Json,
        (false, true) => Form::Csv,
        _ => Form::Table,
    };
    let table_options = TableOptions::new().context(context);
    let config = SessionConfig::new().with_information_schema(true);
    let sql = Sql {
        runtime: Runtime::new()?,
        session: session(config, &table_options),
        context,
        interrupted: Arc::default(),
    };
    // Without the action, Ctrl-C ends the process as usual.
    let _ = signal_hook::flag::register(SIGINT, sql.interrupted.clone());
    let result = sql.run_all(form, options, &table_options, output);
    // Tasks of a query that was interrupted may compute for some time before they end.
    sql.runtime.shutdown_background();
    result
}

/// The reads of a query, whose progress is shown.
struct Reads {
    plan: Arc<dyn ExecutionPlan>,
    cells: u64,
    begun: Instant,
    bar: OnceCell<Progress>,
}

impl Reads {
    fn new(plan: &Arc<dyn ExecutionPlan>) -> Self {
        Self {
            plan: plan.clone(),
            cells: sum_of_scans(plan, TileDbScan::cells),
            begun: Instant::now(),
            bar: OnceCell::new(),
        }
    }

    /// Shows the rows that were read, of a query that runs for some time.
    fn show(&self) {
        if self.begun.elapsed() < PROGRESS_DELAY || self.cells == 0 {
            return;
        }
        let bar = self
            .bar
            .get_or_init(|| Progress::new(Some(self.cells), "cells"));
        let rows = sum_of_scans(&self.plan, TileDbScan::delivered_rows);
        bar.set(rows.min(self.cells));
    }
}

fn sum_of_scans(plan: &Arc<dyn ExecutionPlan>, number: fn(&TileDbScan) -> u64) -> u64 {
    let own = plan.downcast_ref::<TileDbScan>().map_or(0, number);
    let below = plan.children().into_iter();
    own + below.map(|child| sum_of_scans(child, number)).sum::<u64>()
}

impl Sql<'_> {
    fn run_all(
        &self,
        form: Form,
        options: &SqlOptions,
        table_options: &TableOptions,
        output: &mut Output,
    ) -> Result<()> {
        for table in &options.table {
            self.add_table(table, table_options)?;
        }
        let Some(query) = &options.query else {
            return self.prompt(form, output);
        };
        match &options.output {
            Some(target) => self.save(query, target, output),
            None => self.print(query, form, output),
        }
    }

    /// Adds an array as a table or a group as a schema, described as `NAME=URI`.
    fn add_table(&self, described: &str, options: &TableOptions) -> Result<()> {
        let Some((name, uri)) = described.split_once('=') else {
            return Err(
                Problem::usage(format!("'{described}' does not name a table"))
                    .hint("write --table NAME=URI, such as --table weather=s3://bucket/weather"),
            );
        };
        if self.context.object_type(uri)? == ObjectType::Group {
            let group = TileDbGroup::open(uri, options.clone()).map_err(problem_of)?;
            let catalog = self.session.catalog("datafusion");
            let catalog = catalog.ok_or_else(|| Problem::usage("the session has no catalog"))?;
            let group: Arc<dyn SchemaProvider> = Arc::new(group);
            catalog.register_schema(name, group).map_err(problem_of)?;
            return Ok(());
        }
        let table = TileDbTable::open(uri, options.clone()).map_err(problem_of)?;
        let registered = self.session.register_table(name, Arc::new(table));
        registered.map(|_| ()).map_err(problem_of)
    }

    /// Runs a future until it is complete or Ctrl-C is pressed, which ends the reads of the
    /// context.
    fn run<T>(
        &self,
        future: impl Future<Output = std::result::Result<T, DataFusionError>>,
    ) -> Result<T> {
        self.run_with(future, || {})
    }

    /// Runs a future as [`Self::run`] does, and calls a function at each check for Ctrl-C.
    fn run_with<T>(
        &self,
        future: impl Future<Output = std::result::Result<T, DataFusionError>>,
        on_check: impl Fn(),
    ) -> Result<T> {
        self.interrupted.store(false, Ordering::Relaxed);
        let result = self.runtime.block_on(async {
            tokio::pin!(future);
            loop {
                match tokio::time::timeout(SIGNAL_INTERVAL, &mut future).await {
                    Ok(result) => return Some(result),
                    Err(_) if self.interrupted.load(Ordering::Relaxed) => return None,
                    Err(_) => on_check(),
                }
            }
        });
        match result {
            Some(result) if !self.interrupted.load(Ordering::Relaxed) => result.map_err(problem_of),
            _ => {
                self.context.cancel();
                Err(Problem::interrupted(SIGINT as usize))
            }
        }
    }

    fn stream(&self, query: &str) -> Result<(SendableRecordBatchStream, Reads)> {
        self.run(async {
            let frame = self.session.sql(query).await?;
            let task = Arc::new(frame.task_ctx());
            let plan = frame.create_physical_plan().await?;
            let reads = Reads::new(&plan);
            Ok((execute_stream(plan, task)?, reads))
        })
    }

    /// Passes the batches of a query to a function.
    fn each(
        &self,
        (mut stream, reads): (SendableRecordBatchStream, Reads),
        mut function: impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let mut next = || self.run_with(async { stream.next().await.transpose() }, || reads.show());
        while let Some(batch) = next()? {
            function(&batch)?;
        }
        Ok(())
    }

    /// Prints the rows of a query.
    fn print(&self, query: &str, form: Form, output: &mut Output) -> Result<()> {
        let stream = self.stream(query)?;
        let schema = stream.0.schema();
        match form {
            Form::Table => {
                let mut batches = Vec::new();
                self.each(stream, |batch| {
                    batches.push(batch.clone());
                    Ok(())
                })?;
                output.text(&table_text(&schema, batches)?)
            }
            Form::Json => {
                let mut writer = ArrayWriter::new(output.writer());
                self.each(stream, |batch| Ok(writer.write(batch)?))?;
                writer.finish()?;
                output.text("\n")
            }
            Form::Csv => {
                let writer = output.writer();
                write_csv(writer, &schema, |write| self.each(stream, write))?;
                Ok(writer.flush()?)
            }
        }
    }

    /// Stores the rows of a query in a file, or in an array if the target has no extension of one.
    fn save(&self, query: &str, target: &str, output: &mut Output) -> Result<()> {
        let mut rows = 0;
        match format_of(target, None) {
            Err(_) => {
                let stream = self.stream(query)?;
                let schema = stream.0.schema();
                let mut batches = Vec::new();
                self.each(stream, |batch| {
                    batches.push(batch.clone());
                    Ok(())
                })?;
                rows = create_array(self.context, target, &schema, &batches).map_err(problem_of)?;
            }
            Ok(format) => {
                let is_table = matches!(
                    format,
                    FileFormat::Csv
                        | FileFormat::Parquet
                        | FileFormat::Arrow
                        | FileFormat::ArrowStream
                );
                if !is_table {
                    return Err(
                        Problem::usage(format!("rows cannot be written to '{target}'"))
                            .hint("name a file .parquet, .arrow or .csv, or the URI of an array"),
                    );
                }
                let stream = self.stream(query)?;
                let schema = stream.0.schema();
                let mut file = TargetFile::create(target)?;
                if format == FileFormat::Csv {
                    write_csv(file.writer(), &schema, |write| {
                        self.each(stream, |batch| {
                            rows += batch.num_rows() as u64;
                            write(batch)
                        })
                    })?;
                } else {
                    let mut writer = TableWriter::new(format, file.writer(), &schema)?;
                    self.each(stream, |batch| {
                        rows += batch.num_rows() as u64;
                        writer.write(batch)
                    })?;
                    writer.finish()?;
                }
                file.finish()?;
            }
        }
        let json = json!({"target": target, "rows": rows});
        output.print(&json, || format!("wrote {rows} rows to {target}\n"))
    }

    /// Reads queries, each of which ends with a semicolon, and prints their rows.
    fn prompt(&self, form: Form, output: &mut Output) -> Result<()> {
        if !std::io::stdin().is_terminal() {
            let text = std::io::read_to_string(std::io::stdin())?;
            for query in statements(&text) {
                self.print(&query, form, output)?;
            }
            return Ok(());
        }
        let mut editor = Editor::<Names, DefaultHistory>::new().map_err(prompt_problem)?;
        let history = history_file();
        if let Some(history) = &history {
            // The file is missing before the first prompt.
            let _ = editor.load_history(history);
        }
        let mut text = String::new();
        loop {
            editor.set_helper(Some(Names(self.names())));
            let prompt = if text.is_empty() { "sql> " } else { "...> " };
            match editor.readline(prompt) {
                Ok(line) => {
                    text.push_str(&line);
                    text.push('\n');
                }
                Err(ReadlineError::Interrupted) => text.clear(),
                Err(ReadlineError::Eof) => break,
                Err(error) => return Err(prompt_problem(error)),
            }
            if matches!(text.trim(), "quit" | "exit" | "\\q") {
                break;
            }
            if !text.trim_end().ends_with(';') {
                continue;
            }
            // The prompt works without a history, too.
            let _ = editor.add_history_entry(text.trim());
            for query in statements(&text) {
                if let Err(problem) = self.print(&query, form, output) {
                    let colors = std::io::stderr().is_terminal();
                    write!(std::io::stderr(), "{}", problem.report(colors))?;
                }
            }
            text.clear();
        }
        if let Some(history) = &history {
            let _ = editor.save_history(history);
        }
        Ok(())
    }

    /// Returns the names of tables and columns.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = KEYWORDS.iter().map(ToString::to_string).collect();
        let catalog = self.session.catalog("datafusion");
        for schema in catalog.iter().flat_map(|catalog| catalog.schema_names()) {
            let provider = catalog.as_ref().and_then(|catalog| catalog.schema(&schema));
            let tables = provider.map_or_else(Vec::new, |provider| provider.table_names());
            for table in tables {
                let name = if schema == "public" {
                    table
                } else {
                    format!("{schema}.{table}")
                };
                let found = self.run(async { self.session.table_provider(&name).await });
                if let Ok(found) = found {
                    names.extend(
                        found
                            .schema()
                            .fields()
                            .iter()
                            .map(|field| field.name().clone()),
                    );
                }
                names.push(name);
            }
        }
        names.sort();
        names.dedup();
        names
    }
}

fn table_text(schema: &SchemaRef, mut batches: Vec<RecordBatch>) -> Result<String> {
    if schema.fields().is_empty() {
        return Ok(String::new());
    }
    if batches.is_empty() {
        batches.push(RecordBatch::new_empty(schema.clone()));
    }
    Ok(format!("{}\n", pretty_format_batches(&batches)?))
}

/// Writes a header and the batches that a function passes on.
fn write_csv(
    out: &mut impl Write,
    schema: &SchemaRef,
    batches: impl FnOnce(&mut dyn FnMut(&RecordBatch) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let mut writer = WriterBuilder::new().with_header(true).build(out);
    writer.write(&RecordBatch::new_empty(schema.clone()))?;
    batches(&mut |batch| Ok(writer.write(batch)?))
}

/// Divides a text at semicolons that are not in quotes.
fn statements(text: &str) -> Vec<String> {
    let (mut all, mut current, mut quote) = (Vec::new(), String::new(), None);
    for c in text.chars() {
        match (c, quote) {
            (';', None) => all.push(std::mem::take(&mut current)),
            ('\'' | '"', None) => {
                quote = Some(c);
                current.push(c);
            }
            _ => {
                if quote == Some(c) {
                    quote = None;
                }
                current.push(c);
            }
        }
    }
    all.push(current);
    all.retain(|statement| !statement.trim().is_empty());
    all
}

fn history_file() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
    Some(PathBuf::from(home).join(".tiledb-rs-history"))
}

fn prompt_problem(error: ReadlineError) -> Problem {
    Problem::usage(format!("the prompt cannot read the terminal: {error}"))
}

/// Returns an error of DataFusion as a problem; one of the engine with its meaning.
fn problem_of(error: DataFusionError) -> Problem {
    let sentence = error.to_string();
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    // Contexts name the object.
    let mut object = String::new();
    while let Some(found) = cause {
        if let Some(DataFusionError::Context(text, _)) = found.downcast_ref() {
            object = format!("{text}: ");
        }
        if let Some(engine) = found.downcast_ref::<tiledb_engine::Error>() {
            let sentence = format!("{object}{engine}");
            return if engine.is_not_found() {
                Problem::missing(sentence)
            } else if engine.is_usage() {
                Problem::usage(sentence)
            } else {
                Problem::damage(sentence)
            };
        }
        cause = found.source();
    }
    match error.find_root() {
        DataFusionError::ResourcesExhausted(_) | DataFusionError::IoError(_) => {
            Problem::damage(sentence)
        }
        _ => Problem::usage(sentence),
    }
}

/// The names that the prompt completes.
struct Names(Vec<String>);

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..position).unwrap_or(line);
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let word = before.rsplit(|c| !is_name(c)).next().unwrap_or_default();
        let prefix = word.to_lowercase();
        let matching = self
            .0
            .iter()
            .filter(|name| name.to_lowercase().starts_with(&prefix));
        let start = before.len() - word.len();
        Ok((
            start,
            matching.filter(|_| !word.is_empty()).cloned().collect(),
        ))
    }
}

impl Hinter for Names {
    type Hint = String;
}

impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_semicolons_outside_of_quotes() {
        let text = "SELECT ';' AS a;\n SELECT \"x;y\" FROM t; ";
        assert_eq!(
            statements(text),
            ["SELECT ';' AS a", "\n SELECT \"x;y\" FROM t"]
        );
    }

    #[test]
    fn names_are_completed_regardless_of_case() {
        let names = Names(vec!["SELECT".into(), "SHOW".into(), "station".into()]);
        let history = DefaultHistory::new();
        let context = rustyline::Context::new(&history);
        let found = names.complete("SELECT s", 8, &context).expect("names");
        assert_eq!(
            found,
            (7, vec!["SELECT".into(), "SHOW".into(), "station".into()])
        );
        let found = names.complete("sel", 3, &context).expect("names");
        assert_eq!(found, (0, vec!["SELECT".into()]));
    }
}
