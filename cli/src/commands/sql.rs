//! `sql`: queries over arrays, and a prompt.

use std::cell::{OnceCell, RefCell};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use datafusion::arrow::csv::WriterBuilder;
use datafusion::arrow::json::ArrayWriter;
use datafusion::arrow::util::pretty::pretty_format_batches_with_schema;
use datafusion::catalog::SchemaProvider;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::common::spawn_buffered;
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
use tiledb_datafusion::{
    TableOptions, TileDbGroup, TileDbScan, TileDbTable, create_array, run_task, session, wait,
};
use tiledb_engine::{Context, ObjectType};
use tokio::runtime::Runtime;

use super::import::format_of;
use super::objects::occupied;
use crate::args::{FileFormat, SqlOptions};
use crate::columnar::TableWriter;
use crate::interrupt;
use crate::output::Output;
use crate::problem::{Problem, Result};
use crate::progress::Progress;
use crate::target_file::TargetFile;

/// The time after which the progress of a query is shown.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);
/// The batches that a query computes ahead of their output.
const BATCHES_AHEAD: usize = 2;
/// The time in which the tasks of an interrupted query can end and remove what is incomplete.
const END_LIMIT: Duration = Duration::from_millis(600);
/// The time between two looks at those tasks.
const END_INTERVAL: Duration = Duration::from_millis(5);
/// The bytes of a text that are printed between two checks for a signal.
const PRINTED_BYTES: usize = 64 << 10;
/// The rows of a table that are in memory before they are printed.
const BLOCK_ROWS: usize = 10_000;
/// The bytes of these rows after which they are printed.
const BLOCK_BYTES: usize = 16 << 20;
/// The lines above the first row of a table whose names have no line breaks.
const HEADER_LINES: usize = 3;
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
    /// The threads of queries.
    runtime: RefCell<Runtime>,
    session: SessionContext,
    context: &'a Context,
}

/// Runs a query, or reads queries from the terminal or the standard input.
pub(super) fn sql(context: &Context, options: &SqlOptions, output: &mut Output) -> Result<()> {
    let form = match (output.json, options.csv) {
        (true, false) => Form::Json,
        (false, true) => Form::Csv,
        _ => Form::Table,
    };
    let mut table_options = TableOptions::new().context(context);
    for option in &options.table_option {
        let Some((name, value)) = option.split_once('=') else {
            let problem = Problem::usage(format!("'{option}' does not set an option"));
            return Err(problem.hint("write --table-option NAME=VALUE, such as dictionaries=true"));
        };
        table_options = table_options.set(name, value).map_err(problem_of)?;
    }
    let config = SessionConfig::new().with_information_schema(true);
    let sql = Sql {
        runtime: RefCell::new(Runtime::new()?),
        session: session(config, &table_options),
        context,
    };
    if options.query.is_none() && std::io::stdin().is_terminal() {
        interrupt::catch_each();
    } else {
        interrupt::catch();
        interrupt::end_soon();
    }
    let result = sql.run_all(form, options, &table_options, output);
    // Tasks of a query that has failed may compute for some time before they end.
    sql.runtime.into_inner().shutdown_background();
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
        let (context, options, uri) = (self.context.clone(), options.clone(), uri.to_owned());
        let opened = self.run(async move {
            let kind = context.object_type(&uri);
            let kind = kind.map_err(|error| DataFusionError::External(Box::new(error)))?;
            Ok(match kind {
                ObjectType::Group => Err(TileDbGroup::open(&uri, options)?),
                _ => Ok(TileDbTable::open(&uri, options)?),
            })
        })?;
        let registered = match opened {
            Ok(table) => {
                let registered = self.session.register_table(name, Arc::new(table));
                registered.map(|_| ())
            }
            Err(group) => {
                let catalog = self.session.catalog("datafusion");
                let catalog =
                    catalog.ok_or_else(|| Problem::usage("the session has no catalog"))?;
                let group: Arc<dyn SchemaProvider> = Arc::new(group);
                catalog.register_schema(name, group).map(|_| ())
            }
        };
        registered.map_err(problem_of)
    }

    /// Runs a future until it is complete or a signal is received, which ends the reads and writes
    /// of the context.
    fn run<T: Send + 'static>(
        &self,
        future: impl Future<Output = std::result::Result<T, DataFusionError>> + Send + 'static,
    ) -> Result<T> {
        let runtime = self.runtime.borrow().handle().clone();
        match run_task(&runtime, future, check) {
            ControlFlow::Continue(result) => result.map_err(problem_of),
            ControlFlow::Break(problem) => {
                self.end_tasks()?;
                Err(problem)
            }
        }
    }

    /// Ends what an interrupted query does. Its tasks have a time to remove what is incomplete.
    /// Operators that compute for longer without a pause keep their threads, and later queries have
    /// others.
    fn end_tasks(&self) -> Result<()> {
        self.context.cancel();
        let tasks = self.runtime.replace(Runtime::new()?);
        let begun = Instant::now();
        let metrics = tasks.metrics();
        while metrics.num_alive_tasks() > 0 && begun.elapsed() < END_LIMIT {
            std::thread::sleep(END_INTERVAL);
        }
        // Dropped tasks may have left the removal of files to threads for blocking calls.
        let last = tasks.spawn_blocking(|| ());
        let is_late = || {
            if begun.elapsed() < END_LIMIT {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let _ = wait(last, is_late);
        tasks.shutdown_timeout(END_LIMIT.saturating_sub(begun.elapsed()));
        Ok(())
    }

    fn stream(&self, query: &str) -> Result<(SendableRecordBatchStream, Reads)> {
        let (session, query) = (self.session.clone(), query.to_owned());
        self.run(async move {
            let frame = session.sql(&query).await?;
            let task = Arc::new(frame.task_ctx());
            let plan = frame.create_physical_plan().await?;
            let reads = Reads::new(&plan);
            let stream = execute_stream(plan, task)?;
            Ok((spawn_buffered(stream, BATCHES_AHEAD), reads))
        })
    }

    /// Passes the batches of a query to a function.
    fn each(
        &self,
        (mut stream, reads): (SendableRecordBatchStream, Reads),
        mut function: impl FnMut(&RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let mut next = || {
            let next = wait(stream.next(), || {
                reads.show();
                check()
            });
            match next {
                ControlFlow::Continue(batch) => {
                    interrupt::check()?;
                    batch.transpose().map_err(problem_of)
                }
                ControlFlow::Break(problem) => Err(problem),
            }
        };
        let done = loop {
            match next() {
                Ok(Some(batch)) => function(&batch)?,
                Ok(None) => return Ok(()),
                Err(problem) => break problem,
            }
        };
        drop(stream);
        if interrupt::is_pending() {
            self.end_tasks()?;
        }
        Err(done)
    }

    /// Prints the rows of a query.
    fn print(&self, query: &str, form: Form, output: &mut Output) -> Result<()> {
        let stream = self.stream(query)?;
        let schema = stream.0.schema();
        match form {
            // Statements such as CREATE TABLE have no columns.
            Form::Table | Form::Csv if schema.fields().is_empty() => self.each(stream, |_| Ok(())),
            Form::Table => self.print_table(stream, output),
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

    /// Prints the rows of a query as a table, in blocks that have the memory of some rows. The
    /// columns of a block are at least as wide as those before.
    fn print_table(
        &self,
        stream: (SendableRecordBatchStream, Reads),
        output: &mut Output,
    ) -> Result<()> {
        let schema = stream.0.schema();
        // The line below the printed rows, which is printed after the last block.
        let mut below: Option<String> = None;
        let mut print = |batches: Vec<RecordBatch>| -> Result<()> {
            let (schema, border) = (schema.clone(), below.clone());
            let text = self.run(async move { block_text(&schema, &batches, border.as_deref()) })?;
            let (rows, end) = text.rsplit_once('\n').unwrap_or(("", &text));
            for part in rows.as_bytes().chunks(PRINTED_BYTES) {
                interrupt::check()?;
                output.writer().write_all(part)?;
            }
            below = Some(end.to_owned());
            output.text(if rows.is_empty() { "" } else { "\n" })
        };
        let (mut batches, mut rows, mut bytes) = (Vec::new(), 0, 0);
        self.each(stream, |batch| {
            rows += batch.num_rows();
            bytes += batch.get_array_memory_size();
            batches.push(batch.clone());
            if rows < BLOCK_ROWS && bytes < BLOCK_BYTES {
                return Ok(());
            }
            (rows, bytes) = (0, 0);
            print(std::mem::take(&mut batches))
        })?;
        print(batches)?;
        output.text(&format!("{}\n", below.unwrap_or_default()))
    }

    /// Stores the rows of a query in a file, or in an array if the target has no extension of one.
    fn save(&self, query: &str, target: &str, output: &mut Output) -> Result<()> {
        let rows = match format_of(target, None) {
            Err(_) => {
                if !self.context.is_move_target(target)? {
                    return Err(occupied(target));
                }
                let stream = self.stream(query)?;
                let schema = stream.0.schema();
                let mut batches = Vec::new();
                self.each(stream, |batch| {
                    batches.push(batch.clone());
                    Ok(())
                })?;
                let (context, target) = (self.context.clone(), target.to_owned());
                self.run(async move { create_array(&context, &target, &schema, &batches) })?
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
                let saved = self.save_file(self.stream(query)?, format, target);
                saved.map_err(|problem| problem.of_file("write", target))?
            }
        };
        let json = json!({"target": target, "rows": rows});
        output.print(&json, || format!("wrote {rows} rows to {target}\n"))
    }

    /// Stores the rows of a query in a file with a table; returns their number.
    fn save_file(
        &self,
        stream: (SendableRecordBatchStream, Reads),
        format: FileFormat,
        target: &str,
    ) -> Result<u64> {
        let mut rows = 0;
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
        interrupt::check()?;
        file.finish()?;
        Ok(rows)
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
                interrupt::forget();
                let Err(problem) = self.print(&query, form, output) else {
                    continue;
                };
                // Rows that were printed in part are not printed further.
                output.text(if form == Form::Table { "" } else { "\n" })?;
                let colors = std::io::stderr().is_terminal();
                write!(std::io::stderr(), "{}", problem.report(colors))?;
                if interrupt::is_pending() {
                    break;
                }
            }
            interrupt::forget();
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
                let (session, searched) = (self.session.clone(), name.clone());
                let found = self.run(async move { session.table_provider(&searched).await });
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

/// Returns a signal that was received as a problem.
fn check() -> ControlFlow<Problem> {
    match interrupt::check() {
        Ok(()) => ControlFlow::Continue(()),
        Err(problem) => ControlFlow::Break(problem),
    }
}

/// Returns rows as text, with a line below them, and with a header unless `border` is the line
/// below the rows that are printed above, whose columns have at most the width of these.
fn block_text(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    border: Option<&str>,
) -> std::result::Result<String, DataFusionError> {
    let Some(border) = border else {
        let text = pretty_format_batches_with_schema(schema.clone(), batches)?;
        return Ok(text.to_string());
    };
    if batches.is_empty() {
        return Ok(border.to_owned());
    }
    // Columns are as wide as their names.
    let widths = border
        .split('+')
        .skip(1)
        .map(|line| line.len().saturating_sub(2));
    let fields = schema.fields().iter().zip(widths);
    let fields = fields.map(|(field, width)| field.as_ref().clone().with_name("-".repeat(width)));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let text = pretty_format_batches_with_schema(schema, batches)?.to_string();
    let rows = text.splitn(HEADER_LINES + 1, '\n').last();
    Ok(rows.unwrap_or_default().to_owned())
}

/// Writes a header and the batches that a function passes on.
fn write_csv(
    out: &mut impl Write,
    schema: &SchemaRef,
    batches: impl FnOnce(&mut dyn FnMut(&RecordBatch) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let mut write = |batch: &RecordBatch, has_header| {
        // Arrow's writer would make a text of an error of the output.
        let mut text = Vec::new();
        let builder = WriterBuilder::new().with_header(has_header);
        builder.build(&mut text).write(batch)?;
        Ok(out.write_all(&text)?)
    };
    write(&RecordBatch::new_empty(schema.clone()), true)?;
    batches(&mut |batch| write(batch, false))
}

/// Divides a text at semicolons that are not in quotes or comments.
fn statements(text: &str) -> Vec<String> {
    const STARTS_AND_ENDS: [(&str, &str); 4] =
        [("'", "'"), ("\"", "\""), ("--", "\n"), ("/*", "*/")];
    let (mut all, mut current, mut has_code) = (Vec::new(), String::new(), false);
    // The end of the quoted text or the comment.
    let mut end: Option<&str> = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        let found = STARTS_AND_ENDS
            .iter()
            .find(|(start, _)| rest.starts_with(start));
        match (end, found) {
            (Some(end_text), _) => {
                if rest.starts_with(end_text) {
                    length = end_text.len();
                    end = None;
                }
            }
            (None, Some((start, end_text))) => {
                length = start.len();
                has_code |= length == 1;
                end = Some(end_text);
            }
            (None, None) => has_code |= c != ';' && !c.is_whitespace(),
        }
        let (part, after) = rest.split_at(length);
        rest = after;
        if end.is_some() || part != ";" {
            current.push_str(part);
            continue;
        }
        let statement = std::mem::take(&mut current);
        if std::mem::take(&mut has_code) {
            all.push(statement);
        }
    }
    if has_code {
        all.push(current);
    }
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
pub(crate) fn problem_of(error: DataFusionError) -> Problem {
    // Contexts of the planner, such as the name of a rule, do not help.
    let root = error.find_root();
    let sentence = match root {
        DataFusionError::Plan(text) | DataFusionError::Execution(text) => text.clone(),
        _ => root.to_string(),
    };
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    // The first cause outside of DataFusion names the object.
    let mut described = None;
    while let Some(found) = cause {
        if !found.is::<DataFusionError>() && !found.is::<ArrowError>() {
            described.get_or_insert_with(|| found.to_string());
        }
        if let Some(engine) = found.downcast_ref::<tiledb_engine::Error>() {
            let sentence = described.unwrap_or_else(|| engine.to_string());
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
    match root {
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
    use arrow_array::{ArrayRef, Int64Array, StringArray};

    use super::*;

    #[test]
    fn statements_end_at_semicolons_outside_of_quotes_and_comments() {
        let text = "SELECT ';' AS a;\n SELECT \"x;y\" FROM t; ";
        assert_eq!(
            statements(text),
            ["SELECT ';' AS a", "\n SELECT \"x;y\" FROM t"]
        );
        let text = "SELECT 1 -- it's; one\n; /* ' ; */ SELECT 'it''s;' -- end;\n; -- nothing; \n;;";
        assert_eq!(
            statements(text),
            [
                "SELECT 1 -- it's; one\n",
                " /* ' ; */ SELECT 'it''s;' -- end;\n"
            ]
        );
    }

    #[test]
    fn blocks_of_a_table_have_its_columns() {
        let batch = |texts: &[&str], numbers: &[i64]| {
            let texts: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
            let numbers: ArrayRef = Arc::new(Int64Array::from(numbers.to_vec()));
            RecordBatch::try_from_iter([("text", texts), ("n", numbers)]).expect("a batch")
        };
        let blocks = [
            batch(&["short", "ä"], &[1, 22]),
            batch(&["x", "two\nlines"], &[3, 4]),
            batch(&["a longer text", ""], &[5, 6]),
            batch(&["z"], &[7]),
        ];
        let schema = blocks[0].schema();
        let mut printed = String::new();
        let mut below: Option<String> = None;
        for block in &blocks {
            let batches = std::slice::from_ref(block);
            let text = block_text(&schema, batches, below.as_deref()).expect("a text");
            let (rows, end) = text.rsplit_once('\n').expect("two lines");
            printed += &format!("{rows}\n");
            below = Some(end.to_owned());
        }
        let end = block_text(&schema, &[], below.as_deref()).expect("a text");
        let expected = "\
+-------+----+
| text  | n  |
+-------+----+
| short | 1  |
| ä     | 22 |
| x     | 3  |
| two   | 4  |
| lines |    |
| a longer text | 5  |
|               | 6  |
| z             | 7  |
+---------------+----+";
        assert_eq!(printed + &end, expected);
        let empty = block_text(&schema, &[], None).expect("a text");
        assert_eq!(
            empty,
            "+------+---+\n| text | n |\n+------+---+\n+------+---+"
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
