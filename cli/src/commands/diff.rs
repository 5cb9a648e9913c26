//! `diff`: compares two arrays, batch by batch.

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use tiledb_engine::{Array, Batches, Context, Layout, Records, Schema};

use crate::args::Time;
use crate::cell_text::cell_json;
use crate::output::Output;
use crate::problem::Result;
use crate::selection::open;

/// The number of differences that are printed.
const MAX_PRINTED: usize = 20;

/// The cells of one side, in row-major order.
struct Side {
    batches: Batches,
    batch: Records,
    /// The next cell of the batch.
    next: usize,
}

impl Side {
    fn new(array: &Array, fields: &[String]) -> Result<Self> {
        let query = array
            .query()
            .fields(fields.to_vec())
            .layout(Layout::RowMajor);
        let batches = query.batches()?;
        Ok(Self {
            batches,
            batch: Records::default(),
            next: 0,
        })
    }

    /// Returns the next cell: its batch and its index there.
    fn next(&mut self) -> Result<Option<(&Records, usize)>> {
        if self.next == self.batch.len() {
            self.next = 0;
            match self.batches.next() {
                Some(batch) => self.batch = batch?,
                None => {
                    self.batch = Records::default();
                    return Ok(None);
                }
            }
        }
        self.next += 1;
        Ok(Some((&self.batch, self.next - 1)))
    }
}

fn row(batch: &Records, cell: usize) -> Value {
    let fields = batch.fields().iter();
    let fields = fields.map(|field| (field.name().to_owned(), cell_json(field, cell)));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn same(first: (&Records, usize), second: (&Records, usize)) -> bool {
    let fields = first.0.fields().iter().zip(second.0.fields());
    let mut equal_fields = fields.map(|(a, b)| {
        let nulls = (a.is_null(first.1), b.is_null(second.1));
        match nulls {
            (true, true) => true,
            (false, false) if a.enumeration().is_some() => a.text(first.1) == b.text(second.1),
            (false, false) => a.bytes(first.1) == b.bytes(second.1),
            _ => false,
        }
    });
    equal_fields.all(|is_equal| is_equal)
}

fn schema_differences(first: &Schema, second: &Schema) -> Vec<String> {
    let [a, b] = [first, second].map(ToString::to_string);
    let mut found = Vec::new();
    let of_second: Vec<&str> = b.lines().collect();
    let of_first: Vec<&str> = a.lines().collect();
    let missing = |line: &&&str, others: &[&str]| !others.contains(*line);
    found.extend(
        of_first
            .iter()
            .filter(|line| missing(line, &of_second))
            .map(|line| format!("< {line}")),
    );
    found.extend(
        of_second
            .iter()
            .filter(|line| missing(line, &of_first))
            .map(|line| format!("> {line}")),
    );
    found
}

/// The cells in which two arrays differ.
#[derive(Debug, Default)]
pub(super) struct Different {
    pub(super) number: u64,
    /// The first ones: those of the first and of the second array.
    printed: Vec<(Option<Value>, Option<Value>)>,
}

/// Compares cells by the fields that both arrays have with the same datatype.
pub(super) fn different_cells(first: &Array, second: &Array) -> Result<Different> {
    let schemas = (first.schema()?, second.schema()?);
    let fields = schemas.0.field_names();
    let fields = fields.filter(|name| schemas.0.datatype(name) == schemas.1.datatype(name));
    let fields: Vec<String> = fields.map(str::to_owned).collect();
    let mut different = Different::default();
    if fields.is_empty() {
        return Ok(different);
    }
    let (mut a, mut b) = (Side::new(first, &fields)?, Side::new(second, &fields)?);
    loop {
        let (one, other) = (a.next()?, b.next()?);
        let equal = match (one, other) {
            (None, None) => return Ok(different),
            (Some(one), Some(other)) => same(one, other),
            _ => false,
        };
        if !equal {
            different.number += 1;
            if different.printed.len() < MAX_PRINTED {
                let row = |record: Option<(&Records, usize)>| {
                    record.map(|(batch, cell)| row(batch, cell))
                };
                different.printed.push((row(one), row(other)));
            }
        }
    }
}

/// Compares two arrays; the exit code is 1 if they differ.
pub(super) fn diff(
    context: &Context,
    sides: &[(String, Option<u64>); 2],
    output: &mut Output,
) -> Result<ExitCode> {
    let open_side = |side: &(String, Option<u64>)| open(context, &side.0, Time { at: side.1 });
    let (first, second) = (open_side(&sides[0])?, open_side(&sides[1])?);
    let schema = schema_differences(&first.schema()?, &second.schema()?);
    let Different {
        number: cells,
        printed,
    } = different_cells(&first, &second)?;
    let differs = cells > 0 || !schema.is_empty();
    let pairs = printed.iter();
    let pairs = pairs.map(|(a, b)| json!({"first": a, "second": b}));
    let json = json!({
        "equal": !differs, "schema": schema, "different_cells": cells,
        "cells": pairs.collect::<Vec<_>>(),
    });
    output.print(&json, || text(&schema, &printed, cells))?;
    Ok(if differs {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

fn text(schema: &[String], printed: &[(Option<Value>, Option<Value>)], cells: u64) -> String {
    if cells == 0 && schema.is_empty() {
        return "the arrays are equal\n".to_owned();
    }
    let mut text: String = schema.iter().map(|line| format!("{line}\n")).collect();
    for (first, second) in printed {
        for (mark, row) in [('<', first), ('>', second)] {
            if let Some(row) = row {
                text.push_str(&format!("{mark} {row}\n"));
            }
        }
    }
    text + &format!("{cells} cells differ\n")
}
