//! The tour of `docs/sql.md`.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::util::pretty::pretty_format_batches;
use tiledb_datafusion::{TableOptions, TileDbGroup};
use tiledb_engine::{Context, Group};

use crate::arrays::new_session;

/// Runs the statements in order and compares the tables that follow them. `TILEDB_RS_UPDATE_SQL`
/// writes the tables to the page.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tour_has_its_results() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/sql.md");
    let text = std::fs::read_to_string(&page).expect("the page");
    let context = Context::new().expect("a context");
    Group::create(&context, "mem://group").expect("a group");
    let options = TableOptions::new().context(&context);
    let group = TileDbGroup::open("mem://group", options).expect("a group");
    let session = new_session(&context);
    let catalog = session.catalog("datafusion").expect("a catalog");
    catalog
        .register_schema("g", Arc::new(group))
        .expect("a schema");
    let (mut found, mut last, mut statements) = (String::new(), String::new(), 0);
    for block in text.split_inclusive("\n```\n") {
        if let Some((before, sql)) = block.split_once("```sql\n") {
            let sql = sql.trim_end_matches("\n```\n");
            let frame = session.sql(sql).await.expect(sql);
            let batches = frame.collect().await.expect(sql);
            last = pretty_format_batches(&batches).expect("rows").to_string();
            statements += 1;
            found.push_str(&format!("{before}```sql\n{sql}\n```\n"));
        } else if let Some((before, _)) = block.split_once("```text\n") {
            found.push_str(&format!("{before}```text\n{last}\n```\n"));
        } else {
            found.push_str(block);
        }
    }
    assert!(statements >= 8, "{statements}");
    if std::env::var_os("TILEDB_RS_UPDATE_SQL").is_some() {
        std::fs::write(&page, found).expect("the page");
        return;
    }
    assert_eq!(found, text);
}
