//! SQL over the shown arrays: queries only, with a bounded number of rows.

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::prelude::SessionConfig;
use futures::StreamExt;
use serde_json::{Value, json};
use tiledb_datafusion::{TableOptions, TileDbTable, run_task, session as sql_session};
use tokio::runtime::Runtime;

use super::http::Request;
use super::session::{Session, check};
use crate::commands::problem_of;
use crate::problem::{Problem, Result};

/// The most rows of a response.
const MAX_ROWS: usize = 1000;
/// The most characters of a cell.
const MAX_TEXT: usize = 200;

/// Runs the query in the body of a request. The array of the request is the table `array`.
pub(super) fn run(session: &Session, request: &Request) -> Result<Value> {
    let query = str::from_utf8(&request.body)
        .map_err(|_| Problem::usage("the query is not UTF-8"))?
        .to_owned();
    let options = TableOptions::new().context(session.context());
    let config = SessionConfig::new().with_information_schema(true);
    let context = sql_session(config, &options);
    if request.parameter("uri").is_some() {
        let uri = session.array(request)?.uri().to_owned();
        let table = TileDbTable::open(&uri, options).map_err(problem_of)?;
        context
            .register_table("array", Arc::new(table))
            .map_err(problem_of)?;
    }
    // Nothing is created, changed or written to files.
    let allowed = SQLOptions::new()
        .with_allow_ddl(false)
        .with_allow_dml(false)
        .with_allow_statements(false);
    let work = async move {
        let frame = context.sql_with_options(&query, allowed).await?;
        let mut stream = frame.limit(0, Some(MAX_ROWS + 1))?.execute_stream().await?;
        let schema = stream.schema();
        let mut batches = Vec::new();
        while let Some(batch) = stream.next().await.transpose()? {
            batches.push(batch);
        }
        Ok::<_, DataFusionError>((schema, batches))
    };
    let check = || match check() {
        Ok(()) => ControlFlow::Continue(()),
        Err(problem) => ControlFlow::Break(problem),
    };
    // An operator that computes without a pause keeps a thread after the connection has ended.
    let runtime = Runtime::new()?;
    let found = run_task(runtime.handle(), work, check);
    runtime.shutdown_background();
    let (schema, batches) = match found {
        ControlFlow::Continue(found) => found.map_err(problem_of)?,
        ControlFlow::Break(problem) => return Err(problem),
    };
    let columns = schema.fields().iter().map(|field| {
        let is_number = field.data_type().is_numeric();
        json!({"name": field.name(), "datatype": field.data_type().to_string(), "number": is_number})
    });
    let mut rows = Vec::new();
    for batch in &batches {
        add_rows(batch, &mut rows)?;
    }
    let complete = rows.len() <= MAX_ROWS;
    rows.truncate(MAX_ROWS);
    Ok(json!({"columns": columns.collect::<Vec<_>>(), "rows": rows, "complete": complete}))
}

fn add_rows(batch: &RecordBatch, rows: &mut Vec<Value>) -> Result<()> {
    let options = FormatOptions::default();
    let columns = batch.columns().iter();
    let formatters = columns.map(|column| ArrayFormatter::try_new(column, &options));
    let formatters = formatters.collect::<std::result::Result<Vec<_>, _>>()?;
    for row in 0..batch.num_rows() {
        let cells = batch
            .columns()
            .iter()
            .zip(&formatters)
            .map(|(column, formatter)| {
                if column.is_null(row) {
                    return Value::Null;
                }
                let text = formatter.value(row).to_string();
                text.chars().take(MAX_TEXT).collect::<String>().into()
            });
        rows.push(cells.collect());
    }
    Ok(())
}
