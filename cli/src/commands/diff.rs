//! `diff`: compares two arrays, batch by batch. Cells are matched by their coordinates.

use std::cmp::Ordering;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use tiledb_engine::{Array, Batches, Context, Layout, Records, Scalar, Schema};

use crate::args::Time;
use crate::cell_text::cell_json;
use crate::interrupt;
use crate::output::Output;
use crate::problem::Result;
use crate::selection::{IntegerBounds, integer_bounds, open};
use crate::table::plain;

/// The number of differences that are printed.
const MAX_PRINTED: usize = 20;

/// The cells of one side, in row-major order.
struct Side {
    /// `None` if the domain of the array has no cell of the box that is compared.
    batches: Option<Batches>,
    batch: Records,
    /// The next cell of the batch.
    next: usize,
}

impl Side {
    /// `written` is a box with all written cells, to which the read of a dense array is limited:
    /// most cells of a domain such as that of all 64-bit integers have no value.
    fn new(array: &Array, fields: &[String], written: Option<&[IntegerBounds]>) -> Result<Self> {
        let schema = array.schema()?;
        let mut query = array
            .query()
            .fields(fields.to_vec())
            .layout(Layout::RowMajor);
        let domain = match schema.current_domain() {
            Some(domain) => Some(domain),
            None => {
                let dimensions = schema.dimensions().iter();
                let bounds = dimensions.map(|dimension| dimension.bounds());
                bounds
                    .map(|bounds| bounds.map(|(low, high)| low..=high))
                    .collect()
            }
        };
        let domain = domain.and_then(|domain| integer_bounds(&schema, &domain));
        let ranges = written
            .unwrap_or_default()
            .iter()
            .zip(domain.unwrap_or_default());
        let mut has_cells = true;
        for (dimension, (written, domain)) in schema.dimensions().iter().zip(ranges) {
            let (low, high) = (written.low.max(domain.low), written.high.min(domain.high));
            has_cells &= low <= high;
            query = query.range(
                &dimension.name,
                Scalar::Integer(low)..=Scalar::Integer(high),
            );
        }
        let batches = if has_cells {
            Some(query.batches()?)
        } else {
            None
        };
        Ok(Self {
            batches,
            batch: Records::default(),
            next: 0,
        })
    }

    /// Reads the next batch if all cells of the present one were passed.
    fn load(&mut self) -> Result<()> {
        while self.next == self.batch.len() {
            self.next = 0;
            // `cp` compares cells, and removes the copy after a signal.
            interrupt::check()?;
            match self.batches.as_mut().and_then(Iterator::next) {
                Some(batch) => self.batch = batch?,
                None => {
                    self.batch = Records::default();
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns the next cell, its batch and its index there, after a call of `load`.
    fn cell(&self) -> Option<(&Records, usize)> {
        (self.next < self.batch.len()).then_some((&self.batch, self.next))
    }

    fn pass(&mut self) {
        self.next += 1;
    }
}

/// Compares the coordinates of two cells, which are the first fields, in row-major order.
fn order(first: (&Records, usize), second: (&Records, usize), dimensions: usize) -> Ordering {
    let fields = first.0.fields().iter().zip(second.0.fields());
    let orders = fields.take(dimensions).map(|(a, b)| {
        let values = (a.scalar(first.1), b.scalar(second.1));
        match values {
            (Some(Scalar::Integer(a)), Some(Scalar::Integer(b))) => a.cmp(&b),
            (Some(Scalar::Real(a)), Some(Scalar::Real(b))) => a.total_cmp(&b),
            _ => a.bytes(first.1).cmp(b.bytes(second.1)),
        }
    });
    orders.fold(Ordering::Equal, Ordering::then)
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

/// Returns the properties of a schema, a line each with the name of what has it.
fn properties(schema: &Schema) -> Vec<String> {
    let mut owner = String::new();
    let mut lines = Vec::new();
    for line in schema.to_string().lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            owner = heading.trim_end_matches([' ', '#']).to_lowercase();
        }
        if let Some(name) = line.strip_prefix("- Name: ") {
            owner = format!("{owner} '{name}'");
        }
        if let Some(property) = line.strip_prefix("- ") {
            lines.push(format!("{owner}: {property}"));
        }
    }
    lines
}

fn schema_differences(first: &Schema, second: &Schema) -> Vec<String> {
    let [of_first, of_second] = [first, second].map(properties);
    let mut found = Vec::new();
    let missing = |line: &&String, others: &[String]| !others.contains(line);
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
    let dimensions = common_dimensions(&schemas.0, &schemas.1);
    let mut written = None;
    if dimensions > 0 && schemas.0.is_dense() && schemas.1.is_dense() {
        if first.non_empty_domain()?.is_none() && second.non_empty_domain()?.is_none() {
            return Ok(different);
        }
        written = written_box(first, second)?;
    }
    let mut a = Side::new(first, &fields, written.as_deref())?;
    let mut b = Side::new(second, &fields, written.as_deref())?;
    loop {
        a.load()?;
        b.load()?;
        let (one, other) = (a.cell(), b.cell());
        let which = match (one, other) {
            (None, None) => return Ok(different),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => order(one, other, dimensions),
        };
        let one = one.filter(|_| which != Ordering::Greater);
        let other = other.filter(|_| which != Ordering::Less);
        if !one.zip(other).is_some_and(|(one, other)| same(one, other)) {
            different.number += 1;
            if different.printed.len() < MAX_PRINTED {
                let row = |record: Option<(&Records, usize)>| {
                    record.map(|(batch, cell)| row(batch, cell))
                };
                different.printed.push((row(one), row(other)));
            }
        }
        if which != Ordering::Greater {
            a.pass();
        }
        if which != Ordering::Less {
            b.pass();
        }
    }
}

/// Returns the smallest box that contains the written cells of two dense arrays with the same
/// dimensions, of which one has cells.
fn written_box(first: &Array, second: &Array) -> Result<Option<Vec<IntegerBounds>>> {
    let mut written: Option<Vec<IntegerBounds>> = None;
    for array in [first, second] {
        let Some(domain) = array.non_empty_domain()? else {
            continue;
        };
        let Some(bounds) = integer_bounds(&array.schema()?, &domain) else {
            return Ok(None);
        };
        written = Some(match written {
            None => bounds,
            Some(other) => {
                let pairs = bounds.iter().zip(&other);
                let unions = pairs.map(|(one, other)| IntegerBounds {
                    low: one.low.min(other.low),
                    high: one.high.max(other.high),
                });
                unions.collect()
            }
        });
    }
    Ok(written)
}

/// Returns the number of dimensions of two arrays if they are the same, by which cells are
/// matched; otherwise 0, and cells are matched by their position.
fn common_dimensions(first: &Schema, second: &Schema) -> usize {
    let described = |schema: &Schema| -> Vec<_> {
        let dimensions = schema.dimensions().iter();
        let described = dimensions.map(|dimension| (dimension.name.clone(), dimension.datatype));
        described.collect()
    };
    let (first, second) = (described(first), described(second));
    if first == second { first.len() } else { 0 }
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
    // Schemas have names and fill values with any bytes.
    let lines = schema.iter().map(|line| plain(line) + "\n");
    let mut text: String = lines.collect();
    for (first, second) in printed {
        for (mark, row) in [('<', first), ('>', second)] {
            if let Some(row) = row {
                text.push_str(&plain(&format!("{mark} {row}")));
                text.push('\n');
            }
        }
    }
    text + &format!("{cells} cells differ\n")
}
