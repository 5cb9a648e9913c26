//! `import`: creates an array from a file. It appears under its name when it is complete.

mod columnar;
mod csv;
mod npy;
mod picture;
mod recommendation;
mod table;
mod temporary;

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use serde_json::{Value, json};
use tiledb_engine::{Compressor, Context, Filter, FilterList};

use crate::args::{FileFormat, ImportOptions, Time};
use crate::interrupt;
use crate::output::Output;
use crate::problem::{Problem, Result};
use crate::selection::open;
use table::AppendTarget;
pub(crate) use table::{CellShape, Labels, TableColumn};
use temporary::TemporaryArray;

/// Returns the format of a file.
pub(super) fn format_of(file: &str, format: Option<FileFormat>) -> Result<FileFormat> {
    let extension = Path::new(file)
        .extension()
        .and_then(|extension| extension.to_str());
    let by_extension = match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("csv") => Some(FileFormat::Csv),
        Some("npy") => Some(FileFormat::Npy),
        Some("npz") => Some(FileFormat::Npz),
        Some("json") => Some(FileFormat::Json),
        Some("parquet" | "pq") => Some(FileFormat::Parquet),
        Some("arrow" | "feather" | "ipc") => Some(FileFormat::Arrow),
        Some("png") => Some(FileFormat::Png),
        Some("tif" | "tiff") => Some(FileFormat::Tiff),
        Some("arrows") => Some(FileFormat::ArrowStream),
        _ => None,
    };
    format.or(by_extension).ok_or_else(|| {
        Problem::usage(format!("the format of '{file}' is not known")).hint(
            "give it with --format csv, npy, npz, json, parquet, arrow, arrow-stream, png or tiff",
        )
    })
}

/// Creates an array from a file, or appends the rows of the file to an array.
pub(super) fn import(
    context: &Context,
    file: &str,
    uri: &str,
    options: &ImportOptions,
    output: &mut Output,
) -> Result<()> {
    let format = format_of(file, options.format)?;
    // A read of the standard input that waits for data ends at a signal as usual.
    let source = open_file(file)?;
    interrupt::catch();
    let imported = if options.append {
        append(context, file, source, uri, format)?
    } else {
        create(context, file, source, uri, format, options)?
    };
    let verb = if options.append {
        "appended"
    } else {
        "imported"
    };
    let fields = imported.fields.iter();
    let fields = fields.map(|(name, kind)| json!({"name": name, "type": kind}));
    let json = json!({
        "uri": uri, "cells": imported.cells, "appended": options.append,
        "fields": fields.collect::<Vec<Value>>(), "pictures_left_out": imported.pictures_left_out,
        "schema_reasons": imported.reasons,
    });
    output.print(&json, || {
        let fields = imported.fields.iter();
        let fields: String = fields
            .map(|(name, kind)| format!("  {name}: {kind}\n"))
            .collect();
        let note = match imported.pictures_left_out {
            0 => String::new(),
            number => {
                format!("note: pictures of other sizes or types were left out: {number}\n")
            }
        };
        let reasons = imported.reasons.iter();
        let reasons: String = reasons.map(|reason| format!("  {reason}\n")).collect();
        let reasons = if reasons.is_empty() {
            reasons
        } else {
            format!("the schema was chosen from a sample; see --goal\n{reasons}")
        };
        format!(
            "{verb} {} cells to {uri}\n{fields}{note}{reasons}",
            imported.cells
        )
    })
}

/// The size to which a stream that is imported is limited in bytes: it is copied to a file, because
/// formats are read more than once.
const MAX_STREAM: u64 = 64 << 30;

/// Opens a file. The standard input (`-`) and other streams are copied to a temporary file first.
fn open_file(file: &str) -> Result<File> {
    Problem::check_path(file)?;
    let failed = |error| Problem::file("open", file, &error);
    if file == "-" {
        return copied(&mut std::io::stdin().lock(), file, MAX_STREAM);
    }
    let mut opened = File::open(file).map_err(failed)?;
    let metadata = opened.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(Problem::usage(format!("'{file}' is a folder, not a file"))
            .hint("`tiledb-rs cp` copies arrays"));
    }
    if metadata.is_file() {
        Ok(opened)
    } else {
        copied(&mut opened, file, MAX_STREAM)
    }
}

/// Copies at most `limit` bytes of a stream to a temporary file without a name.
fn copied(stream: &mut impl Read, file: &str, limit: u64) -> Result<File> {
    let failed = |error| Problem::file("copy", file, &error);
    let mut copy = tempfile::tempfile().map_err(failed)?;
    let size = std::io::copy(&mut stream.take(limit.saturating_add(1)), &mut copy);
    if size.map_err(failed)? > limit {
        let message = format!("'{file}' is a stream of more than {limit} bytes");
        return Err(Problem::usage(message).hint("save it to a file, and import that"));
    }
    copy.rewind().map_err(failed)?;
    Ok(copy)
}

fn create(
    context: &Context,
    file: &str,
    source: File,
    uri: &str,
    format: FileFormat,
    options: &ImportOptions,
) -> Result<ImportSummary> {
    if !context.is_move_target(uri)? {
        return Err(
            Problem::usage(format!("something exists at '{uri}' already")).hint(
                "choose another URI, remove it with `tiledb-rs rm`, or append rows with --append",
            ),
        );
    }
    let temporary = TemporaryArray::new(context, uri);
    let imported = match format {
        FileFormat::Csv => csv::import(context, &source, &temporary.uri, options),
        FileFormat::Npy => npy::import(context, source, &temporary.uri, options.goal),
        FileFormat::Npz => npy::import_all(context, source, &temporary.uri, options.goal),
        FileFormat::Parquet | FileFormat::Arrow | FileFormat::ArrowStream => {
            let source = columnar::Source {
                file: source,
                format,
            };
            columnar::import(context, &source, &temporary.uri, options)
        }
        FileFormat::Png | FileFormat::Tiff => {
            let source = picture::PictureSource {
                file: source,
                format,
                channels: options.channels,
            };
            picture::import(context, source, &temporary.uri, options.goal)
        }
        FileFormat::Json => {
            Err(Problem::usage("JSON files cannot be imported").hint("convert the file to CSV"))
        }
    };
    let imported = imported.map_err(|problem| problem.of_file("read", file))?;
    temporary.publish()?;
    Ok(imported)
}

fn append(
    context: &Context,
    file: &str,
    source: File,
    uri: &str,
    format: FileFormat,
) -> Result<ImportSummary> {
    let target = AppendTarget::new(open(context, uri, Time { at: None })?)?;
    let appended = match format {
        FileFormat::Csv => csv::append(target, &source),
        FileFormat::Parquet | FileFormat::Arrow | FileFormat::ArrowStream => {
            let source = columnar::Source {
                file: source,
                format,
            };
            columnar::append(target, &source)
        }
        _ => Err(Problem::usage("only the rows of tables can be appended")
            .hint("append a CSV, Parquet or Arrow file")),
    };
    appended.map_err(|problem| problem.of_file("read", file))
}

/// The result of an import.
struct ImportSummary {
    cells: u64,
    /// Names and datatypes.
    fields: Vec<(String, String)>,
    /// The number of pictures of the file that were not imported.
    pictures_left_out: u32,
    /// The choices of the schema with their reasons.
    reasons: Vec<String>,
}

/// Returns a compressor that suits most values.
fn compression() -> FilterList {
    FilterList::of(Filter::compression(Compressor::Zstd))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_copied_up_to_a_limit() {
        let mut copy = copied(&mut &b"abc"[..], "-", 3).expect("a copy");
        let mut content = Vec::new();
        copy.read_to_end(&mut content).expect("content");
        assert_eq!(content, b"abc");
        assert!(copied(&mut &b"abcd"[..], "-", 3).is_err());
    }
}
