//! Files of queries with their results, in the format of sqllogictest. Its crate is not used: it
//! sets features of crates below DataFusion, which would be compiled twice, for programs and for
//! tests.
//!
//! A record is `statement ok`, `statement error TEXT` or `query TYPES`, the lines of the SQL, and
//! of a query `----` and a line for each row, with columns separated by spaces.

use std::path::Path;

use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::Result;
use datafusion::prelude::SessionContext;

use crate::arrays;

/// Runs a statement; returns a letter for the type of each column, and the rows as lines.
async fn run(session: &SessionContext, sql: &str) -> Result<(String, Vec<String>)> {
    let frame = session.sql(sql).await?;
    let schema = frame.schema().as_arrow().clone();
    let batches = frame.collect().await?;
    let types = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Float32 | DataType::Float64 => 'R',
        other if other.is_integer() => 'I',
        _ => 'T',
    });
    let options = FormatOptions::default().with_null("NULL");
    let mut rows = Vec::new();
    for batch in &batches {
        let columns = batch.columns().iter();
        let columns = columns.map(|column| ArrayFormatter::try_new(column, &options));
        let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            let cells = columns.iter().map(|column| column.value(row).to_string());
            let cells = cells.map(|text| {
                if text.is_empty() {
                    "(empty)".into()
                } else {
                    text
                }
            });
            let line = cells.collect::<Vec<_>>().join(" ");
            rows.extend(line.lines().map(|line| line.trim_end().to_owned()));
        }
    }
    Ok((types.collect(), rows))
}

/// Runs the records of a file; returns the file with the results that they have.
async fn run_file(session: &SessionContext, text: &str) -> String {
    let mut blocks = Vec::new();
    for block in text.split("\n\n") {
        let block = block.trim_matches('\n');
        let comment = block.lines().take_while(|line| line.starts_with('#'));
        let comment: Vec<&str> = comment.collect();
        let record: Vec<&str> = block.lines().skip(comment.len()).collect();
        let mut lines: Vec<String> = comment.into_iter().map(str::to_owned).collect();
        let Some((head, rest)) = record.split_first() else {
            blocks.push(lines.join("\n"));
            continue;
        };
        let sql: Vec<&str> = rest
            .iter()
            .copied()
            .take_while(|line| *line != "----")
            .collect();
        let sql = sql.join("\n");
        let result = run(session, &sql).await;
        match result {
            Ok((types, rows)) if head.starts_with("query") => {
                lines.extend([format!("query {types}"), sql, "----".to_owned()]);
                lines.extend(rows);
            }
            Ok(_) => lines.extend(["statement ok".to_owned(), sql]),
            Err(error) => {
                let error = error.to_string();
                let expected = head.strip_prefix("statement error ");
                let head = match expected {
                    Some(expected) if error.contains(expected) => (*head).to_owned(),
                    _ => format!("statement error {}", error.replace('\n', " ")),
                };
                lines.extend([head, sql]);
            }
        }
        blocks.push(lines.join("\n"));
    }
    blocks.join("\n\n") + "\n"
}

/// Runs all files. `TILEDB_RS_UPDATE_SQL` writes the results to the files instead of comparing
/// them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_queries_have_their_results() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql/files");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "slt"))
        .collect();
    files.sort();
    assert!(files.len() >= 6);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file");
        let session = arrays::new_session(&arrays::context());
        let found = run_file(&session, &text).await;
        if std::env::var_os("TILEDB_RS_UPDATE_SQL").is_some() {
            std::fs::write(&file, found).expect("a file");
            continue;
        }
        for (line, (found, expected)) in found.lines().zip(text.lines()).enumerate() {
            assert_eq!(found, expected, "{}:{}", file.display(), line + 1);
        }
        assert_eq!(
            found.lines().count(),
            text.lines().count(),
            "{}",
            file.display()
        );
    }
}
