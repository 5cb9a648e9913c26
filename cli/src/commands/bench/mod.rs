//! `bench`: writes a sample of an array with other extents, orders, capacities and filters,
//! measures the size and the time of writes and reads, and recommends a form.

mod candidate;
mod sample;

use serde_json::{Value, json};
use tiledb_engine::Context;

use crate::args::{BenchOptions, Time};
use crate::interrupt;
use crate::output::{Output, bytes_text};
use crate::problem::{Problem, Result};
use crate::progress::Progress;
use crate::selection::open;
use crate::table::Table;
use candidate::{Candidate, Form, SampleCosts};
use sample::Sample;

/// The improvement below which the present form is recommended.
const THRESHOLD: f64 = 0.05;

/// Measures candidates and prints a recommendation.
pub(super) fn bench(
    context: &Context,
    uri: &str,
    options: &BenchOptions,
    output: &mut Output,
) -> Result<()> {
    if options.sample == 0 {
        return Err(Problem::usage("a sample has at least one cell"));
    }
    interrupt::catch();
    let array = open(context, uri, Time { at: None })?;
    let sample = Sample::take(&array, options.sample)?;
    let folder = options.disk.then(tempfile::TempDir::new).transpose()?;
    let root = match &folder {
        Some(folder) => folder.path().to_string_lossy().into_owned(),
        None => "mem://bench".to_owned(),
    };
    let mut found: Vec<SampleCosts> = Vec::new();
    let bar = Progress::new(None, "candidates");
    let mut measured = 0;
    let mut measure = |form: Form, found: &mut Vec<SampleCosts>| -> Result<()> {
        interrupt::check()?;
        if found.iter().any(|candidate| candidate.form == form) {
            return Ok(());
        }
        measured += 1;
        let uri = format!("{root}/{measured}");
        found.push(Candidate::new(&sample, form).measure(context, &uri)?);
        bar.set(found.len() as u64);
        Ok(())
    };
    let present = Form::of(&sample);
    // The first candidate pays for threads and buffers that later ones reuse.
    Candidate::new(&sample, present.clone()).measure(context, &format!("{root}/first"))?;
    measure(present.clone(), &mut found)?;
    measure(Form::recommended(&sample), &mut found)?;
    // First the layout with the present filters, then the order of tiles, then the filters, each
    // with the best form so far.
    for form in present.layouts(&sample) {
        measure(form, &mut found)?;
    }
    for form in found[best(&found)].form.tile_orders() {
        measure(form, &mut found)?;
    }
    let layout = found[best(&found)].form.clone();
    for form in layout.filters() {
        match measure(form, &mut found) {
            // A filter may be unable to encode the values, such as differences beyond 64 bits.
            Err(problem) if problem.is_usage() => {}
            done => done?,
        }
    }
    drop(bar);
    print(uri, &sample, &found, output)
}

/// Returns the index of the candidate with the least sum of relative size and times.
fn best(found: &[SampleCosts]) -> usize {
    let score = |index: usize| found[index].score(&found[0]);
    let order = |a: &usize, b: &usize| score(*a).total_cmp(&score(*b));
    (0..found.len()).min_by(order).unwrap_or(0)
}

fn print(uri: &str, sample: &Sample, found: &[SampleCosts], output: &mut Output) -> Result<()> {
    let best = best(found);
    let gain = 1.0 - found[best].score(&found[0]) / found[0].score(&found[0]);
    let chosen = if gain < THRESHOLD { 0 } else { best };
    let reason = reason(found, chosen);
    let (present, recommended) = (&found[0], &found[chosen]);
    let candidates = found.iter().map(|candidate| candidate.json(sample));
    let json = json!({
        "uri": uri, "sample_cells": sample.cells(), "candidates": candidates.collect::<Vec<Value>>(),
        "present": present.form.json(sample), "recommended": recommended.form.json(sample),
        "change": chosen != 0, "reason": reason, "reasons": sample.reasons,
    });
    output.print(&json, || {
        let header = [
            "",
            "orders of cells/tiles",
            "filters",
            "size",
            "write",
            "read all",
            "read boxes",
        ];
        let mut table = Table::new(header).right([3, 4, 5, 6]);
        for (index, candidate) in found.iter().enumerate() {
            let mark = match index {
                _ if index == chosen => "->",
                0 => "now",
                _ => "",
            };
            let milliseconds = |seconds: f64| format!("{:.1} ms", seconds * 1e3);
            table.push(vec![
                mark.to_owned(),
                candidate.form.layout_text(sample),
                candidate.form.filters_text(),
                bytes_text(candidate.bytes),
                milliseconds(candidate.write),
                milliseconds(candidate.read_all),
                milliseconds(candidate.read_boxes),
            ]);
        }
        let cells = sample.cells();
        let fields = if recommended.form.has_recommended_filters() {
            let lines = sample.reasons.iter().map(|reason| format!("  {reason}\n"));
            format!("for each field:\n{}", lines.collect::<String>())
        } else {
            String::new()
        };
        format!(
            "sample of {cells} cells of {uri}\n\n{}\n{reason}\n{fields}",
            table.text()
        )
    })
}

/// Returns the recommendation with its reason.
fn reason(found: &[SampleCosts], chosen: usize) -> String {
    let (now, then) = (&found[0], &found[chosen]);
    if chosen == 0 {
        let percent = (THRESHOLD * 100.0) as u32;
        return format!("recommendation: keep the present form; no other is {percent} % better");
    }
    let change = |name: &str, before: f64, after: f64| {
        let percent = (after / before.max(f64::MIN_POSITIVE) - 1.0) * 100.0;
        format!("{name} {percent:+.0} %")
    };
    format!(
        "recommendation: {}, filters {}: {}, {}, {}, {}",
        then.form.names(),
        then.form.filters_text(),
        change("size", now.bytes as f64, then.bytes as f64),
        change("write", now.write, then.write),
        change("read all", now.read_all, then.read_all),
        change("read boxes", now.read_boxes, then.read_boxes),
    )
}
