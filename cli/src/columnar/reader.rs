//! Readers of Parquet and Arrow files, batch by batch.

use std::fs::File;
use std::io::Seek;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::args::FileFormat;
use crate::problem::{Problem, Result};

/// The memory for a batch of a Parquet file in bytes.
const BATCH_BYTES: i64 = 8 << 20;
/// The most rows of a batch.
const BATCH_ROWS: i64 = 1 << 16;

/// The size of the magic bytes at both ends of an Arrow file, and of the length before the last.
const MIN_ARROW_FILE: u64 = 18;

/// A file with a table.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) file: File,
    pub(crate) format: FileFormat,
}

/// The batches of a table, with some of its columns.
pub(crate) struct TableReader {
    pub(crate) schema: SchemaRef,
    /// The number of rows, if the file states it at its end.
    pub(crate) rows: Option<u64>,
    batches: Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>>>,
}

impl TableReader {
    /// Starts to read a file; all columns if `columns` is `None`.
    pub(crate) fn open(source: &Source, columns: Option<Vec<usize>>) -> Result<Self> {
        guarded(|| Self::open_unguarded(source, columns))
    }

    fn open_unguarded(source: &Source, columns: Option<Vec<usize>>) -> Result<Self> {
        let mut file = source.file.try_clone()?;
        file.rewind()?;
        match source.format {
            FileFormat::Parquet => Self::parquet(file, columns),
            FileFormat::ArrowStream => {
                let reader = StreamReader::try_new_buffered(file, columns)?;
                Ok(Self::of(reader, None))
            }
            _ => {
                // The reader would seek to a position before the start.
                if file.metadata()?.len() < MIN_ARROW_FILE {
                    return Err(Problem::from(ArrowError::ParseError(
                        "the file is too short".into(),
                    )));
                }
                let reader = FileReader::try_new_buffered(file, columns)?;
                Ok(Self::of(reader, None))
            }
        }
    }

    fn parquet(file: File, columns: Option<Vec<usize>>) -> Result<Self> {
        let mut builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
        let groups = builder.metadata().row_groups().iter();
        let bytes: i64 = groups.map(|group| group.total_byte_size().max(0)).sum();
        let rows = builder.metadata().file_metadata().num_rows().max(0);
        let in_batch = BATCH_BYTES / (bytes / rows.max(1)).max(1);
        let in_batch = in_batch.clamp(1, BATCH_ROWS);
        if let Some(columns) = columns {
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns);
            builder = builder.with_projection(mask);
        }
        let builder = builder.with_batch_size(usize::try_from(in_batch).unwrap_or(1));
        let rows = u64::try_from(rows).ok();
        Ok(Self::of(builder.build()?, rows))
    }

    fn of(reader: impl RecordBatchReader + 'static, rows: Option<u64>) -> Self {
        Self {
            schema: reader.schema(),
            rows,
            batches: Box::new(reader),
        }
    }
}

impl Iterator for TableReader {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batches = &mut self.batches;
        let batch = guarded(|| batches.next().transpose().map_err(Problem::from));
        batch.transpose()
    }
}

/// Runs a decoder. The decoders of Arrow's files check values with assertions: a panic in one, of
/// which nothing is printed, is an error about the file.
fn guarded<T>(decode: impl FnOnce() -> Result<T>) -> Result<T> {
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    set_hook(hook);
    decoded.unwrap_or_else(|_| {
        let message = "sizes in the file contradict each other";
        Err(ArrowError::ParseError(message.into()).into())
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, DictionaryArray, Int64Array, ListArray, StringArray};
    use arrow_ipc::writer::{FileWriter, StreamWriter};

    use super::*;

    fn batch() -> RecordBatch {
        let list = |items: &[i32]| Some(items.iter().map(|item| Some(*item)).collect::<Vec<_>>());
        let lists = [list(&[1, 2]), None, list(&[])];
        let dictionary: DictionaryArray<Int32Type> = ["a", "b", "a"].into_iter().collect();
        let columns: [(&str, ArrayRef); 4] = [
            (
                "text",
                Arc::new(StringArray::from(vec![Some("a"), None, Some("bcd")])),
            ),
            (
                "number",
                Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])),
            ),
            (
                "list",
                Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
            ),
            ("label", Arc::new(dictionary)),
        ];
        RecordBatch::try_from_iter(columns).expect("a batch")
    }

    /// Reads all batches of a file; returns the number of rows.
    fn rows(bytes: &[u8], format: FileFormat) -> Result<usize> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        let batches = TableReader::open(&Source { file, format }, None)?;
        batches.map(|batch| Ok(batch?.num_rows())).sum()
    }

    #[test]
    fn damaged_arrow_files_are_errors_or_read() {
        let (mut stream, mut file, batch) = (Vec::new(), Vec::new(), batch());
        let mut writer = StreamWriter::try_new(&mut stream, &batch.schema()).expect("a writer");
        writer
            .write(&batch)
            .and_then(|()| writer.finish())
            .expect("written");
        let mut writer = FileWriter::try_new(&mut file, &batch.schema()).expect("a writer");
        writer
            .write(&batch)
            .and_then(|()| writer.finish())
            .expect("written");
        for (bytes, format) in [(stream, FileFormat::ArrowStream), (file, FileFormat::Arrow)] {
            assert_eq!(rows(&bytes, format).ok(), Some(3));
            let mut errors = 0;
            for position in (0..bytes.len()).step_by(4) {
                for pattern in [[0; 4], [255; 4], [255, 255, 255, 127]] {
                    let mut damaged = bytes.clone();
                    let end = (position + 4).min(bytes.len());
                    damaged[position..end].copy_from_slice(&pattern[..end - position]);
                    // The decoders must not panic.
                    errors += usize::from(rows(&damaged, format).is_err());
                }
            }
            assert!(errors > 100, "{format:?}: {errors}");
        }
    }
}
