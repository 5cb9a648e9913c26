//! Readers of Parquet and Arrow files, batch by batch.

use std::fs::File;
use std::io::Seek;

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
        let batch = self.batches.next()?;
        Some(batch.map_err(Problem::from))
    }
}
